// SPDX-License-Identifier: Apache-2.0
// The small objects of a device: buffers, executables, kernels, semaphores, fences, query pools.
import { err, ok, type Result } from "@muxkit/cargo";
import type { Image } from "@muxkit/libimg";
import type { KernelMetadata } from "@muxkit/metadata";

import { double } from "./board.ts";
import * as L from "./control-layout.ts";
import { COUNTERS, counted } from "./counters.table.ts";
import type { DeviceCore } from "./device-core.ts";
import type { Block } from "./device-memory.ts";
import { type HostError, hostError } from "./host-error.ts";
import type { LoadedExecutable, LoadedKernel } from "./loaded-executable.ts";

/** Bytes in device memory that commands can name. @public */
export interface BufferRange {
  /** Bytes. */
  readonly size: number;
  /** Address in the device's memory. */
  readonly address: number;
  /** True when it must not be used any more. */
  readonly destroyed: boolean;
}

/** An image in device memory, for the arguments of kernels. @public */
export interface ImageRange extends BufferRange {
  /** Its format and layout. */
  readonly image: Image;
}

/** A range of device memory. @public */
export class HostBuffer implements BufferRange {
  readonly #core: DeviceCore;
  readonly #block: Block;
  #freed = false;

  /** Made by `HostDevice.createBuffer`. */
  constructor(core: DeviceCore, block: Block) {
    this.#core = core;
    this.#block = block;
  }

  /** Bytes. */
  get size(): number {
    return this.#block.size;
  }

  /** Address in the device's memory. */
  get address(): number {
    return this.#block.address;
  }

  /** True after {@link HostBuffer.destroy}. */
  get destroyed(): boolean {
    return this.#freed;
  }

  /** A view of the bytes, not a copy; it stays valid when the memory grows. Mapping a buffer is this. */
  view(offset: number = 0, size: number = this.size - offset): Uint8Array {
    return this.#core.viewOf(this.address + offset, size);
  }

  /** Frees the memory. Error: its red zone was overwritten. */
  destroy(): Result<void, HostError> {
    if (this.#freed) return err(hostError("invalid_value", "the buffer was destroyed before"));
    this.#freed = true;
    const stray = this.#core.memory.free(this.#block);
    return stray === null
      ? ok(undefined)
      : err(hostError("failure", `something wrote ${stray} a buffer of ${this.size} bytes`));
  }
}

/** An executable on a device. @public */
export class HostExecutable {
  readonly #loaded: LoadedExecutable;
  #destroyed = false;

  /** Made by `HostDevice.createExecutable`. */
  constructor(loaded: LoadedExecutable) {
    this.#loaded = loaded;
  }

  /** What the device has made of the bytes. */
  get loaded(): LoadedExecutable {
    return this.#loaded;
  }

  /** Names of its kernels. */
  get kernelNames(): readonly string[] {
    return this.#loaded.image.kernels.map(({ name }) => name);
  }

  /** The kernel of a name. Error: `missing_kernel`. */
  kernel(name: string): Result<HostKernel, HostError> {
    if (this.#destroyed) return err(hostError("invalid_value", "the executable was destroyed"));
    const kernel = this.#loaded.kernel(name);
    if (kernel === null)
      return err(
        hostError(
          "missing_kernel",
          `the executable has no kernel "${name}"; it has ${this.kernelNames.join(", ") || "none"}`,
        ),
      );
    return ok(new HostKernel(kernel, this.#loaded));
  }

  /** Frees code and program-scope data; later launches of its kernels fail. */
  destroy(): void {
    if (this.#destroyed) return;
    this.#destroyed = true;
    this.#loaded.free();
  }
}

/** A kernel of an executable. @public */
export class HostKernel {
  readonly #loaded: LoadedKernel;
  readonly #executable: LoadedExecutable;

  /** Made by {@link HostExecutable.kernel}. */
  constructor(loaded: LoadedKernel, executable: LoadedExecutable) {
    this.#loaded = loaded;
    this.#executable = executable;
  }

  /** Its metadata in the executable. */
  get metadata(): KernelMetadata {
    return this.#loaded.metadata;
  }

  /** The device that it is on. */
  get core(): DeviceCore {
    return this.#executable.core;
  }

  /** Its variants and its cost. */
  get loaded(): LoadedKernel {
    return this.#loaded;
  }

  /** Address of the program-scope data, 0 for none. */
  get programData(): number {
    return this.#executable.data?.block.address ?? 0;
  }

  /** Bytes of local memory that it declares itself: the most of its variants. */
  get localMemorySize(): number {
    return this.#loaded.variants.reduce((most, { variant }) => Math.max(most, variant.staticLocalBytes), 0);
  }
}

/** Orders dispatches on the device: one signals it, others wait for it. @public */
export class HostSemaphore {
  readonly #core: DeviceCore;
  /** Its slot in the control block; 0 after {@link HostSemaphore.destroy}. */
  slot: number;

  /** Made by `HostDevice.createSemaphore`. */
  constructor(core: DeviceCore, slot: number) {
    this.#core = core;
    this.slot = slot;
    const base = L.SEMAPHORES + slot * L.SEMAPHORE_WORDS;
    core.board.words[base + L.SEMAPHORE_STATE] = 0;
    core.board.words[base + L.SEMAPHORE_WAITERS] = 0;
  }

  /** Releases it: when it is signalled and everything that waits for it is complete. */
  destroy(): void {
    if (this.slot !== 0) this.#core.semaphores.release(this.slot);
    this.slot = 0;
  }
}

const FENCE_STATES = ["idle", "pending", "complete", "failed"] as const;

/** Tells the host that a dispatch is complete. @public */
export class HostFence {
  readonly #core: DeviceCore;
  /** Its slot in the control block; 0 after {@link HostFence.destroy}. */
  slot: number;
  /** Why the dispatch failed; null when it did not, or is not complete. */
  failure: HostError | null = null;
  /** True when the host thread has seen that the last dispatch is complete. */
  isComplete = false;
  /** The same as a question that waits ask. @internal */
  readonly isSeen = (): boolean => this.isComplete;
  /** True once somebody has asked whether the last dispatch is complete. @internal */
  isLookedAt = false;

  /** Made by `HostDevice.createFence`. */
  constructor(core: DeviceCore, slot: number) {
    this.#core = core;
    this.slot = slot;
    core.board.words[L.FENCES + slot] = L.FENCE_IDLE;
  }

  /** `idle`: used by no dispatch yet. */
  get state(): "idle" | "pending" | "complete" | "failed" {
    return FENCE_STATES[Atomics.load(this.#core.board.words, L.FENCES + this.slot)] ?? "idle";
  }

  /** Gives it back. Error: a dispatch that uses it is not complete. */
  destroy(): Result<void, HostError> {
    if (this.slot === 0) return ok(undefined);
    if (this.state === "pending" && !this.#core.closed)
      return err(hostError("invalid_value", "the fence belongs to a dispatch that is not complete: wait for it first"));
    this.#core.fences.release(this.slot);
    this.slot = 0;
    return ok(undefined);
  }
}

/** Start and end of what was measured, in ns since the device was opened. @public */
export interface Duration {
  /** Start. */
  readonly start: number;
  /** End. */
  readonly end: number;
}

/** Slots for times, or for values of counters. @public */
export class HostQueryPool {
  readonly #core: DeviceCore;
  /** Number of slots. */
  readonly count: number;
  /** The counter of each slot; none: they are for times. */
  readonly counters: readonly number[];
  /** First slot in the control block; 0 after {@link HostQueryPool.destroy}. */
  first: number;

  /** Made by `HostDevice.createQueryPool`. */
  constructor(core: DeviceCore, first: number, count: number, counters: readonly number[] = []) {
    this.#core = core;
    this.first = first;
    this.count = count;
    this.counters = counters;
    const base = L.QUERIES + first * L.QUERY_WORDS;
    core.board.words.fill(0, base, base + count * L.QUERY_WORDS);
    for (const [i, counter] of counters.entries())
      core.board.words[base + i * L.QUERY_WORDS + L.QUERY_COUNTER] = counter + 1;
  }

  /** What each slot of a pool for counters has counted. Meaningful when the queries' command buffers are complete. */
  counts(index: number, count: number): Result<readonly number[], HostError> {
    const results = this.results(index, count);
    if (!results.ok) return results;
    return ok(
      results.value.map(({ start, end }, i) => {
        const counter = COUNTERS[this.counters[index + i] ?? -1];
        return counter === undefined ? 0 : counted(counter, start, end);
      }),
    );
  }

  /** Times of `count` slots. Meaningful when the queries' command buffers are complete. */
  results(index: number, count: number): Result<readonly Duration[], HostError> {
    if (!isRange(index, count, this.count))
      return err(
        hostError("invalid_value", `queries ${index} to ${index + count} are not all among the pool's ${this.count}`),
      );
    return ok(
      Array.from({ length: count }, (_, i) => {
        const slot = L.QUERIES + (this.first + index + i) * L.QUERY_WORDS;
        return { start: double(this.#core.board, slot), end: double(this.#core.board, slot + 2) };
      }),
    );
  }

  /** Gives it back. */
  destroy(): void {
    if (this.first !== 0) this.#core.queries.release(this.first, this.count);
    this.first = 0;
  }
}

/** True when `count` things from `index` on are among `limit`. */
export function isRange(index: number, count: number, limit: number): boolean {
  return Number.isInteger(index) && Number.isInteger(count) && index >= 0 && count >= 0 && index + count <= limit;
}
