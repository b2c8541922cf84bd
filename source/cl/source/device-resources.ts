// SPDX-License-Identifier: Apache-2.0
// Objects of the runtime that submissions use (command buffers, fences, semaphores, query pools), pooled for reuse; and
// the offset between the clocks of a device and of the host.
import {
  DEFAULT_ALLOCATOR,
  type MuxCommandBuffer,
  type MuxDevice,
  type MuxFence,
  type MuxQueryPool,
  MuxQueryType,
  type MuxQueue,
  type MuxSemaphore,
  muxCommandBeginQuery,
  muxCommandEndQuery,
  muxCreateCommandBuffer,
  muxCreateFence,
  muxCreateQueryPool,
  muxCreateSemaphore,
  muxDestroyCommandBuffer,
  muxDestroyFence,
  muxDestroyQueryPool,
  muxDestroySemaphore,
  muxDispatch,
  muxFinalizeCommandBuffer,
  muxGetQueryPoolResults,
  muxResetCommandBuffer,
  muxTryWait,
} from "@muxkit/mux";

import { fromMux, orElse } from "./from-mux.ts";
import type { Device } from "./platform.ts";

/** Measured commands of one submission at most. */
export const QUERIES_PER_POOL = 64;
/** Objects of each kind that a pool keeps. */
const KEPT = 16;

/** The runtime objects of one submission. */
export interface SubmissionResources {
  readonly commandBuffer: MuxCommandBuffer;
  readonly fence: MuxFence;
  readonly semaphore: MuxSemaphore;
  /** Null: nothing is measured. */
  readonly queries: MuxQueryPool | null;
}

/** Measurements of the clock offset, of which the quickest counts. */
const MEASUREMENTS = 4;

const RESOURCES = new WeakMap<Device, DeviceResources>();

/** The pools of a device. */
export function resourcesOf(device: Device, call: string): DeviceResources {
  let resources = RESOURCES.get(device);
  if (resources === undefined) {
    const { device: runtime, queue } = device.open(call);
    resources = new DeviceResources(runtime, queue);
    RESOURCES.set(device, resources);
    const taken = resources;
    device.closing = (why, close) => {
      taken.close(why, close);
    };
  }
  return resources;
}

/** Pools of the runtime objects of one device. */
export class DeviceResources {
  readonly device: MuxDevice;
  readonly queue: MuxQueue;
  readonly #commandBuffers: MuxCommandBuffer[] = [];
  readonly #fences: MuxFence[] = [];
  readonly #semaphores: MuxSemaphore[] = [];
  readonly #queryPools: MuxQueryPool[] = [];
  #clockOffset: number | null = null;
  /** Fences in use. */
  #fencesOut = 0;
  /** Runs when no fence is in use any more; null: the device stays open. */
  #close: (() => void) | null = null;

  constructor(device: MuxDevice, queue: MuxQueue) {
    this.device = device;
    this.queue = queue;
  }

  takeCommandBuffer(call: string): MuxCommandBuffer {
    return (
      this.#commandBuffers.pop() ??
      fromMux(call, muxCreateCommandBuffer(this.device, null, DEFAULT_ALLOCATOR), "CL_OUT_OF_RESOURCES")
    );
  }

  takeFence(call: string): MuxFence {
    const fence =
      this.#fences.pop() ?? fromMux(call, muxCreateFence(this.device, DEFAULT_ALLOCATOR), "CL_OUT_OF_RESOURCES");
    this.#fencesOut++;
    return fence;
  }

  takeSemaphore(call: string): MuxSemaphore {
    return (
      this.#semaphores.pop() ?? fromMux(call, muxCreateSemaphore(this.device, DEFAULT_ALLOCATOR), "CL_OUT_OF_RESOURCES")
    );
  }

  takeQueryPool(call: string): MuxQueryPool {
    return (
      this.#queryPools.pop() ??
      fromMux(
        call,
        muxCreateQueryPool(this.queue, MuxQueryType.duration, QUERIES_PER_POOL, [], DEFAULT_ALLOCATOR),
        "CL_OUT_OF_RESOURCES",
      )
    );
  }

  /** Takes everything that a submission needs, or nothing; `recorded` is a command buffer that it already has. */
  takeSubmission(call: string, profiles: boolean, recorded: MuxCommandBuffer | null = null): SubmissionResources {
    const commandBuffer = recorded ?? this.takeCommandBuffer(call);
    return orElse(
      () => {
        if (recorded === null) this.releaseCommandBuffer(call, commandBuffer);
      },
      () => {
        const semaphore = this.takeSemaphore(call);
        return orElse(
          () => {
            this.releaseSemaphore(call, semaphore);
          },
          () => {
            const queries = profiles ? this.takeQueryPool(call) : null;
            return orElse(
              () => {
                if (queries !== null) this.releaseQueryPool(call, queries);
              },
              () => ({ commandBuffer, semaphore, queries, fence: this.takeFence(call) }),
            );
          },
        );
      },
    );
  }

  /** Makes a query pool that reads each counter around `commands` commands. It is not pooled. */
  createCounters(call: string, counters: readonly number[], commands: number): MuxQueryPool {
    const configs = Array.from({ length: counters.length * commands }, (_, i) => ({
      uuid: counters[i % counters.length] ?? 0,
      data: null,
    }));
    return fromMux(
      call,
      muxCreateQueryPool(this.queue, MuxQueryType.counter, configs.length, configs, DEFAULT_ALLOCATOR),
      "CL_OUT_OF_RESOURCES",
    );
  }

  destroyCounters(call: string, pool: MuxQueryPool): void {
    fromMux(call, muxDestroyQueryPool(this.queue, pool, DEFAULT_ALLOCATOR));
  }

  releaseCommandBuffer(call: string, commands: MuxCommandBuffer): void {
    if (this.#commandBuffers.length >= KEPT) {
      fromMux(call, muxDestroyCommandBuffer(this.device, commands, DEFAULT_ALLOCATOR));
      return;
    }
    fromMux(call, muxResetCommandBuffer(commands));
    this.#commandBuffers.push(commands);
  }

  releaseFence(call: string, fence: MuxFence): void {
    this.#fencesOut--;
    if (this.#fences.length < KEPT) this.#fences.push(fence);
    else fromMux(call, muxDestroyFence(this.device, fence, DEFAULT_ALLOCATOR));
    if (this.#close !== null) this.close(call, this.#close);
  }

  releaseSemaphore(call: string, semaphore: MuxSemaphore): void {
    if (this.#semaphores.length < KEPT) this.#semaphores.push(semaphore);
    else fromMux(call, muxDestroySemaphore(this.device, semaphore, DEFAULT_ALLOCATOR));
  }

  releaseQueryPool(call: string, pool: MuxQueryPool): void {
    if (this.#queryPools.length < KEPT) this.#queryPools.push(pool);
    else fromMux(call, muxDestroyQueryPool(this.queue, pool, DEFAULT_ALLOCATOR));
  }

  /** Destroys the pooled objects and then calls `close`, as soon as no submission uses the device. */
  close(call: string, close: () => void): void {
    this.#close = close;
    if (this.#fencesOut > 0) return;
    this.#close = null;
    for (const commands of this.#commandBuffers.splice(0))
      fromMux(call, muxDestroyCommandBuffer(this.device, commands, DEFAULT_ALLOCATOR));
    for (const fence of this.#fences.splice(0)) fromMux(call, muxDestroyFence(this.device, fence, DEFAULT_ALLOCATOR));
    for (const semaphore of this.#semaphores.splice(0))
      fromMux(call, muxDestroySemaphore(this.device, semaphore, DEFAULT_ALLOCATOR));
    for (const pool of this.#queryPools.splice(0))
      fromMux(call, muxDestroyQueryPool(this.queue, pool, DEFAULT_ALLOCATOR));
    close();
  }

  /**
   * What to add to `performance.now()` in ns to get the device's clock. It is measured once, with a query around an
   * empty command buffer.
   */
  clockOffset(call: string): number {
    if (this.#clockOffset !== null) return this.#clockOffset;
    const { commandBuffer, fence, semaphore, queries } = this.takeSubmission(call, true);
    try {
      this.#clockOffset = queries === null ? 0 : this.#measureClock(call, commandBuffer, fence, queries);
    } finally {
      this.releaseCommandBuffer(call, commandBuffer);
      this.releaseSemaphore(call, semaphore);
      if (queries !== null) this.releaseQueryPool(call, queries);
      this.releaseFence(call, fence);
    }
    return this.#clockOffset;
  }

  #measureClock(call: string, commands: MuxCommandBuffer, fence: MuxFence, pool: MuxQueryPool): number {
    fromMux(call, muxCommandBeginQuery(commands, pool, 0, 1, []));
    fromMux(call, muxCommandEndQuery(commands, pool, 0, 1, []));
    fromMux(call, muxFinalizeCommandBuffer(commands), "CL_OUT_OF_RESOURCES");
    let [shortest, offset] = [Infinity, 0];
    // A descheduled thread makes a measurement useless, so the quickest one counts.
    for (let i = 0; i < MEASUREMENTS; i++) {
      const before = performance.now();
      fromMux(call, muxDispatch(this.queue, commands, fence, [], [], null), "CL_OUT_OF_RESOURCES");
      fromMux(call, muxTryWait(this.queue, Infinity, fence));
      const after = performance.now();
      const [result] = fromMux(call, muxGetQueryPoolResults(this.queue, pool, 0, 1));
      if (result === undefined || !("start" in result) || after - before >= shortest) continue;
      shortest = after - before;
      offset = Number(result.start) - ((before + after) / 2) * 1e6;
    }
    return offset;
  }
}
