// SPDX-License-Identifier: Apache-2.0
// Objects of the runtime that batches use, pooled for reuse: on the steady path a submission makes none.
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

import { fromMux } from "./error.ts";

/** A command buffer of the runtime that a dispatch has taken, and gives back when it is complete. */
export interface Taken {
  readonly commands: MuxCommandBuffer;
  /** It is complete. */
  giveBack(): void;
}

/** A source of the runtime's command buffers. */
export interface Submittable {
  /** Takes one that is not in flight. */
  take(call: string): Taken;
}

/** A semaphore of the runtime with those that use it. The last one gives it back. */
export class SharedSemaphore {
  readonly mux: MuxSemaphore;
  readonly #pool: SharedSemaphore[];
  #uses = 0;

  constructor(mux: MuxSemaphore, pool: SharedSemaphore[]) {
    this.mux = mux;
    this.#pool = pool;
  }

  use(): this {
    this.#uses++;
    return this;
  }

  unuse(): void {
    if (--this.#uses === 0) this.#pool.push(this);
  }
}

/** What a batch holds while it is on the device. */
export class Flight {
  readonly fence: MuxFence;
  /** What the last dispatch signals; null: there was none. */
  signal: SharedSemaphore | null = null;
  /** The same as a list, for the runtime. */
  readonly signals: MuxSemaphore[] = [];
  /** What the next dispatch waits for. */
  readonly waits: MuxSemaphore[] = [];
  /** All semaphores that dispatches of the batch wait for. */
  readonly #awaited: SharedSemaphore[] = [];
  /** The dispatches' command buffers: the first, which most often is the only one, and the others. */
  #first: Taken | null = null;
  readonly #others: Taken[] = [];

  constructor(fence: MuxFence) {
    this.fence = fence;
  }

  /** Takes note of a command buffer that was dispatched. */
  add(taken: Taken): void {
    if (this.#first === null) this.#first = taken;
    else this.#others.push(taken);
  }

  /** The next dispatch waits for a semaphore. */
  wait(semaphore: SharedSemaphore): void {
    if (this.waits.includes(semaphore.mux)) return;
    this.waits.push(semaphore.mux);
    this.#awaited.push(semaphore.use());
  }

  /** Gives back all that it holds but the fence. */
  clear(): void {
    this.#first?.giveBack();
    this.#first = null;
    this.signal?.unuse();
    this.signal = null;
    if (this.#others.length > 0) for (const taken of this.#others.splice(0)) taken.giveBack();
    if (this.#awaited.length > 0) for (const semaphore of this.#awaited.splice(0)) semaphore.unuse();
    if (this.waits.length > 0) this.waits.length = 0;
  }
}

/** The pools of a device. They go with the runtime's device. */
export class DevicePools {
  readonly device: MuxDevice;
  readonly queue: MuxQueue;
  /** Why the device is lost; null: it is not. */
  lost: string | null = null;
  /** Command buffers without commands, for batches that only wait and signal. */
  readonly nothing: Submittable = { take: (call) => this.#empty.pop() ?? this.#createEmpty(call) };
  readonly #empty: Taken[] = [];
  readonly #flights: Flight[] = [];
  readonly #semaphores: SharedSemaphore[] = [];

  constructor(device: MuxDevice, queue: MuxQueue) {
    this.device = device;
    this.queue = queue;
  }

  takeFlight(call: string): Flight {
    return this.#flights.pop() ?? new Flight(fromMux(call, muxCreateFence(this.device, DEFAULT_ALLOCATOR)));
  }

  giveFlight(flight: Flight): void {
    flight.clear();
    this.#flights.push(flight);
  }

  /** A semaphore that nobody uses. */
  takeSemaphore(call: string): SharedSemaphore {
    return (
      this.#semaphores.pop() ??
      new SharedSemaphore(fromMux(call, muxCreateSemaphore(this.device, DEFAULT_ALLOCATOR)), this.#semaphores)
    );
  }

  #createEmpty(call: string): Taken {
    const commands = fromMux(call, muxCreateCommandBuffer(this.device, null, DEFAULT_ALLOCATOR));
    fromMux(call, muxFinalizeCommandBuffer(commands));
    const taken: Taken = {
      commands,
      giveBack: () => {
        this.#empty.push(taken);
      },
    };
    return taken;
  }
}
