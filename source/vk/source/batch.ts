// SPDX-License-Identifier: Apache-2.0
// A batch of command buffers from submission to completion.
//
// The runtime has command buffers, semaphores that any number of dispatches may wait for, and fences. A batch becomes
// one dispatch for each of its command buffers, each of which waits for the one before it; the first waits for the last
// dispatch of its queue and for those of the semaphores, the last one has the fence. States:
//
//   held       a timeline value that it waits for has not been submitted by anybody: it stays with the host
//   submitted  it is on the device, and its semaphores can be waited for there
//   complete   its fence was seen, its values are visible, and its command buffers can be used again
//
// Cost: a dispatch for each command buffer, linear in waits and signals.
import {
  type MuxCommandBuffer,
  type MuxFence,
  type MuxSemaphore,
  muxDispatch,
  muxTryWait,
  muxTryWaitAsync,
} from "@muxkit/mux";

import type { DevicePools } from "./device-pools.ts";
import { VulkanError, fromMux } from "./error.ts";

/** A source of the runtime's command buffers: one is taken for a dispatch, and given back when that is complete. */
export interface Submittable {
  /** Takes one that is not in flight. */
  take(call: string): MuxCommandBuffer;
  /** It is complete. */
  giveBack(commands: MuxCommandBuffer): void;
}

/** What a batch waits for. */
export interface Wait {
  /** True when the batch must stay with the host. */
  isHeld(): boolean;
  /** The batch that signals; null: it is signalled already. Called once, when the batch is dispatched. */
  signaller(): Batch | null;
}

/** Called when a batch is complete. */
export type Completed = () => void;

/** A semaphore of the runtime with those that use it. */
class SharedSemaphore {
  readonly mux: MuxSemaphore;
  readonly #pools: DevicePools;
  #uses = 1;

  constructor(pools: DevicePools, call: string) {
    this.#pools = pools;
    this.mux = pools.takeSemaphore(call);
  }

  use(): this {
    this.#uses++;
    return this;
  }

  unuse(): void {
    if (--this.#uses === 0) this.#pools.giveSemaphore(this.mux);
  }
}

const NO_SEMAPHORES: readonly SharedSemaphore[] = [];

/** See the file's head. */
export class Batch {
  readonly #pools: DevicePools;
  readonly #waits: readonly Wait[];
  readonly #commandBuffers: readonly Submittable[];
  readonly #completed: Completed | null;
  #state: "held" | "submitted" | "complete" = "held";
  #fence: MuxFence | null = null;
  #semaphore: SharedSemaphore | null = null;
  /** Semaphores that dispatches of this batch wait for. */
  #awaited: readonly SharedSemaphore[] = NO_SEMAPHORES;
  readonly #taken: { readonly from: Submittable; readonly commands: MuxCommandBuffer }[] = [];

  constructor(
    pools: DevicePools,
    waits: readonly Wait[],
    commandBuffers: readonly Submittable[],
    completed: Completed | null,
  ) {
    this.#pools = pools;
    this.#waits = waits;
    this.#commandBuffers = commandBuffers.length === 0 ? [pools.nothing] : commandBuffers;
    this.#completed = completed;
  }

  /** See the file's head. */
  get state(): "held" | "submitted" | "complete" {
    return this.#state;
  }

  /** True when everything that it waits for has been submitted. */
  isReady(): boolean {
    return !this.#waits.some((wait) => wait.isHeld());
  }

  /** Dispatches it behind the last batch of its queue. */
  submit(call: string, before: Batch | null): void {
    const awaited: SharedSemaphore[] = [];
    for (const batch of [before, ...this.#waits.map((wait) => wait.signaller())]) {
      const semaphore = batch?.semaphore ?? null;
      if (semaphore !== null && !awaited.includes(semaphore)) awaited.push(semaphore.use());
    }
    this.#awaited = awaited;
    this.#fence = this.#pools.takeFence(call);
    const last = this.#commandBuffers.length - 1;
    let count = 0;
    try {
      for (const from of this.#commandBuffers) {
        this.#dispatch(call, from, count === last);
        count++;
      }
    } catch (error) {
      this.#refused(call, count);
      throw error;
    }
    this.#state = "submitted";
  }

  /** Dispatches a command buffer behind what is awaited so far; the last one has the fence. */
  #dispatch(call: string, from: Submittable, isLast: boolean): void {
    const commands = from.take(call);
    const semaphore = new SharedSemaphore(this.#pools, call);
    // Where one of the batch was dispatched before, it waits for all that the batch waits for.
    const waits = this.#semaphore === null ? this.#awaited : [this.#semaphore];
    const dispatched = muxDispatch(
      this.#pools.queue,
      commands,
      isLast ? this.#fence : null,
      waits.map(({ mux }) => mux),
      [semaphore.mux],
      null,
    );
    if (!dispatched.ok) {
      from.giveBack(commands);
      semaphore.unuse();
    }
    fromMux(call, dispatched);
    this.#taken.push({ from, commands });
    if (this.#semaphore !== null) this.#awaited = [...this.#awaited, this.#semaphore];
    this.#semaphore = semaphore;
  }

  /**
   * One of the command buffers was refused, after so many. Those run: the fence comes behind them, so that what they
   * use is given back. Where there are none, all of it is given back at once.
   */
  #refused(call: string, count: number): void {
    if (count === 0) {
      this.#complete();
      return;
    }
    this.#dispatch(call, this.#pools.nothing, true);
    this.#state = "submitted";
  }

  /** What later batches wait for; null: it is complete. */
  get semaphore(): SharedSemaphore | null {
    return this.#state === "submitted" ? this.#semaphore : null;
  }

  /** Waits for at most so many ns. False: it is not complete. A failed command loses the device. */
  wait(call: string, timeout: number): boolean {
    if (this.#state !== "submitted" || this.#fence === null) return this.#state === "complete";
    return this.#take(call, muxTryWait(this.#pools.queue, timeout, this.#fence));
  }

  /** The same without blocking the thread. */
  async waitAsync(call: string, timeout: number): Promise<boolean> {
    if (this.#state !== "submitted" || this.#fence === null) return this.#state === "complete";
    const waited = await muxTryWaitAsync(this.#pools.queue, timeout, this.#fence);
    return this.#state !== "submitted" || this.#take(call, waited);
  }

  #take(call: string, waited: ReturnType<typeof muxTryWait>): boolean {
    if (waited.ok && waited.value === "not_ready") return false;
    this.#complete();
    if (waited.ok) return true;
    this.#pools.lost ??= waited.error.message;
    throw deviceLost(call, this.#pools.lost);
  }

  #complete(): void {
    this.#state = "complete";
    for (const { from, commands } of this.#taken) from.giveBack(commands);
    if (this.#fence !== null) this.#pools.giveFence(this.#fence);
    for (const semaphore of this.#awaited) semaphore.unuse();
    this.#semaphore?.unuse();
    [this.#fence, this.#semaphore, this.#awaited] = [null, null, NO_SEMAPHORES];
    this.#completed?.();
  }
}

/** The error for a device whose command has failed. */
export function deviceLost(call: string, reason: string): VulkanError {
  return new VulkanError("VK_ERROR_DEVICE_LOST", call, reason);
}
