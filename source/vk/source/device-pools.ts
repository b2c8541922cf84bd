// SPDX-License-Identifier: Apache-2.0
// Objects of the runtime that batches use, pooled for reuse.
import {
  DEFAULT_ALLOCATOR,
  type MuxCommandBuffer,
  type MuxDevice,
  type MuxFence,
  type MuxQueue,
  type MuxSemaphore,
  muxCreateCommandBuffer,
  muxCreateFence,
  muxCreateSemaphore,
  muxFinalizeCommandBuffer,
} from "@muxkit/mux";

import type { Submittable } from "./batch.ts";
import { fromMux } from "./error.ts";

/** The pools of a device. They go with the runtime's device. */
export class DevicePools {
  readonly device: MuxDevice;
  readonly queue: MuxQueue;
  /** Why the device is lost; null: it is not. */
  lost: string | null = null;
  /** Command buffers without commands, for batches that only wait and signal. */
  readonly nothing: Submittable = {
    take: (call) => this.#empty.pop() ?? this.#createEmpty(call),
    giveBack: (commands) => {
      this.#empty.push(commands);
    },
  };
  readonly #empty: MuxCommandBuffer[] = [];
  readonly #fences: MuxFence[] = [];
  readonly #semaphores: MuxSemaphore[] = [];

  constructor(device: MuxDevice, queue: MuxQueue) {
    this.device = device;
    this.queue = queue;
  }

  takeFence(call: string): MuxFence {
    return this.#fences.pop() ?? fromMux(call, muxCreateFence(this.device, DEFAULT_ALLOCATOR));
  }

  giveFence(fence: MuxFence): void {
    this.#fences.push(fence);
  }

  takeSemaphore(call: string): MuxSemaphore {
    return this.#semaphores.pop() ?? fromMux(call, muxCreateSemaphore(this.device, DEFAULT_ALLOCATOR));
  }

  giveSemaphore(semaphore: MuxSemaphore): void {
    this.#semaphores.push(semaphore);
  }

  #createEmpty(call: string): MuxCommandBuffer {
    const commands = fromMux(call, muxCreateCommandBuffer(this.device, null, DEFAULT_ALLOCATOR));
    fromMux(call, muxFinalizeCommandBuffer(commands));
    return commands;
  }
}
