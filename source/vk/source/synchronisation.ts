// SPDX-License-Identifier: Apache-2.0
// Fences, semaphores and events.
import { type Batch, deviceLost } from "./batch.ts";
import { findInChain } from "./chain.ts";
import { type Device, deviceOf } from "./device.ts";
import { invalid } from "./error.ts";
import {
  VK_FENCE_CREATE_SIGNALED_BIT,
  VK_SEMAPHORE_TYPE_TIMELINE,
  VK_SEMAPHORE_WAIT_ANY_BIT,
  VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
} from "./generated/constants.ts";
import { VkEvent, VkFence, VkSemaphore } from "./generated/handles.ts";
import type { Vulkan } from "./generated/vulkan.ts";
import { own } from "./handle.ts";
import { type Awaited, waitFor } from "./wait.ts";

/** A fence: the batch that signals it, or what it is. */
export class Fence extends VkFence {
  /** The batch of the last submission with it; null: none, or it was reset. */
  batch: Batch | null = null;
  #isSignalled: boolean;

  constructor(device: Device, isSignalled: boolean) {
    super(device);
    this.#isSignalled = isSignalled;
  }

  /** True when it is signalled, as far as is known. */
  get isSignalled(): boolean {
    return this.#isSignalled || this.batch?.state === "complete";
  }

  /** Makes it unsignalled. */
  reset(): void {
    this.#isSignalled = false;
    this.batch = null;
  }

  protected release(): void {
    this.batch = null;
  }
}

/** A value that a batch will signal. */
interface PendingValue {
  readonly value: bigint;
  readonly batch: Batch;
}

/** A semaphore: binary, the batch that signals it; timeline, a value and the batches that will set others. */
export class Semaphore extends VkSemaphore {
  readonly isTimeline: boolean;
  /** Binary: the batch that has signalled it, and was not waited for yet. */
  signalled: Batch | null = null;
  #value: bigint;
  #pending: PendingValue[] = [];

  constructor(device: Device, isTimeline: boolean, value: bigint) {
    super(device);
    this.isTimeline = isTimeline;
    this.#value = value;
  }

  /** The value, as far as is known. */
  get value(): bigint {
    this.#settle();
    return this.#value;
  }

  /** A value that a batch will set. */
  promise(value: bigint, batch: Batch): void {
    this.#pending.push({ value, batch });
  }

  /** Sets the value at once. */
  set(value: bigint): void {
    this.#value = value;
  }

  /** The batch that brings the value; null: it is there; "nobody": no batch was submitted that does. */
  bringer(value: bigint): Batch | null | "nobody" {
    if (this.value >= value) return null;
    let next: PendingValue | null = null;
    for (const one of this.#pending) if (one.value >= value && (next === null || one.value < next.value)) next = one;
    return next?.batch ?? "nobody";
  }

  #settle(): void {
    if (this.#pending.every(({ batch }) => batch.state !== "complete")) return;
    for (const { value, batch } of this.#pending)
      if (batch.state === "complete" && value > this.#value) this.#value = value;
    this.#pending = this.#pending.filter(({ batch }) => batch.state !== "complete");
  }

  protected release(): void {
    this.#pending = [];
    this.signalled = null;
  }
}

/** An event: a state with those that wait for it. */
export class Event extends VkEvent {
  #isSet = false;
  readonly #wakers = new Set<() => void>();

  get isSet(): boolean {
    return this.#isSet;
  }

  /** Sets or resets it. */
  put(isSet: boolean): void {
    this.#isSet = isSet;
    if (!isSet) return;
    const wakers = [...this.#wakers];
    this.#wakers.clear();
    for (const wake of wakers) wake();
  }

  /** Calls back when it is set. */
  onSet(wake: () => void): void {
    this.#wakers.add(wake);
  }

  protected release(): void {
    this.#wakers.clear();
  }
}

export const fenceOf = (fence: VkFence, call: string): Fence => own(fence, Fence, call);
export const semaphoreOf = (semaphore: VkSemaphore, call: string): Semaphore => own(semaphore, Semaphore, call);
export const eventOf = (event: VkEvent, call: string): Event => own(event, Event, call);

/** The timeline semaphore of a handle. */
function timelineOf(semaphore: VkSemaphore, call: string): Semaphore {
  const found = semaphoreOf(semaphore, call);
  if (!found.isTimeline)
    throw invalid(call, "the semaphore is binary; make it with VK_SEMAPHORE_TYPE_TIMELINE", `VUID-${call}-semaphore`);
  return found;
}

/** Throws when the device is lost, and takes note of what is complete. */
export function look(call: string, device: Device): void {
  if (device.pools.lost !== null) throw deviceLost(call, device.pools.lost);
  for (const queue of device.queues) queue.retire(call);
}

/** A fence to wait for. */
export const fenceAwaited = (fence: Fence): Awaited => ({
  isThere: () => fence.isSignalled,
  batch: () => fence.batch,
});

/** Waits for one fence, which is most of the waits: the same as {@link waitFor}, and it allocates nothing. */
function waitForFence(call: string, device: Device, fence: Fence, timeout: number): "VK_SUCCESS" | "VK_TIMEOUT" {
  if (device.pools.lost === null) {
    device.advance(call);
    const { batch } = fence;
    if (fence.isSignalled) return "VK_SUCCESS";
    if (batch?.state === "submitted") return batch.wait(call, timeout) ? "VK_SUCCESS" : "VK_TIMEOUT";
  }
  return waitFor(call, device, [fenceAwaited(fence)], true, timeout);
}

/** Entry points for fences, semaphores and events. */
export const SYNCHRONISATION: Pick<
  Vulkan,
  | "vkCreateFence"
  | "vkDestroyFence"
  | "vkResetFences"
  | "vkGetFenceStatus"
  | "vkWaitForFences"
  | "vkCreateSemaphore"
  | "vkDestroySemaphore"
  | "vkGetSemaphoreCounterValue"
  | "vkWaitSemaphores"
  | "vkSignalSemaphore"
  | "vkCreateEvent"
  | "vkDestroyEvent"
  | "vkGetEventStatus"
  | "vkSetEvent"
  | "vkResetEvent"
> = {
  vkCreateFence: (device, { flags = 0 }): VkFence =>
    new Fence(deviceOf(device, "vkCreateFence"), (flags & VK_FENCE_CREATE_SIGNALED_BIT) !== 0),
  vkDestroyFence: (_device, fence) => {
    fence.end();
  },
  vkResetFences: (_device, pFences) => {
    for (const fence of pFences) fenceOf(fence, "vkResetFences").reset();
  },
  vkGetFenceStatus: (device, fence) => {
    const call = "vkGetFenceStatus";
    look(call, deviceOf(device, call));
    return fenceOf(fence, call).isSignalled ? "VK_SUCCESS" : "VK_NOT_READY";
  },
  vkWaitForFences: (device, pFences, waitAll, timeout) => {
    const call = "vkWaitForFences";
    const [only] = pFences;
    if (only !== undefined && pFences.length === 1)
      return waitForFence(call, deviceOf(device, call), fenceOf(only, call), timeout);
    const fences = pFences.map((fence) => fenceAwaited(fenceOf(fence, call)));
    return waitFor(call, deviceOf(device, call), fences, waitAll, timeout);
  },
  vkCreateSemaphore: (device, pCreateInfo): VkSemaphore => {
    const type = findInChain(pCreateInfo, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
    return new Semaphore(
      deviceOf(device, "vkCreateSemaphore"),
      type?.semaphoreType === VK_SEMAPHORE_TYPE_TIMELINE,
      type?.initialValue ?? 0n,
    );
  },
  vkDestroySemaphore: (_device, semaphore) => {
    semaphore.end();
  },
  vkGetSemaphoreCounterValue: (device, semaphore) => {
    const call = "vkGetSemaphoreCounterValue";
    look(call, deviceOf(device, call));
    return timelineOf(semaphore, call).value;
  },
  vkWaitSemaphores: (device, { flags = 0, pSemaphores = [], pValues = [] }, timeout) => {
    const call = "vkWaitSemaphores";
    const awaited = pSemaphores.map((handle, i): Awaited => {
      const [semaphore, value] = [timelineOf(handle, call), pValues[i] ?? 0n];
      return {
        isThere: () => semaphore.value >= value,
        batch: () => {
          const batch = semaphore.bringer(value);
          return batch === "nobody" ? null : batch;
        },
      };
    });
    return waitFor(call, deviceOf(device, call), awaited, (flags & VK_SEMAPHORE_WAIT_ANY_BIT) === 0, timeout);
  },
  vkSignalSemaphore: (device, { semaphore, value }) => {
    const call = "vkSignalSemaphore";
    const timeline = timelineOf(semaphore, call);
    const on = deviceOf(device, call);
    look(call, on);
    if (value <= timeline.value)
      throw invalid(
        call,
        `the value ${value} is not above ${timeline.value}, the semaphore's`,
        "VUID-VkSemaphoreSignalInfo-value-03258",
      );
    timeline.set(value);
    on.advance(call);
  },
  vkCreateEvent: (device): VkEvent => new Event(deviceOf(device, "vkCreateEvent")),
  vkDestroyEvent: (_device, event) => {
    event.end();
  },
  vkGetEventStatus: (device, event) => {
    const call = "vkGetEventStatus";
    // A command may set it, and a program that polls must end.
    look(call, deviceOf(device, call));
    return eventOf(event, call).isSet ? "VK_EVENT_SET" : "VK_EVENT_RESET";
  },
  vkSetEvent: (_device, event) => {
    eventOf(event, "vkSetEvent").put(true);
  },
  vkResetEvent: (_device, event) => {
    eventOf(event, "vkResetEvent").put(false);
  },
};
