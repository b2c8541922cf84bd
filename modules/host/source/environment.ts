// SPDX-License-Identifier: Apache-2.0
// The environment of the host target: time, threads, memory. Tests supply environments that fail on purpose
// (docs/decisions/060-refused-memory.md).
import type { Clock, ClockEpoch } from "./clock.ts";
import type { WasmMemory } from "./web-assembly.ts";
import type { WorkerSettings } from "./worker-settings.ts";

/** A running worker thread. @public */
export interface WorkerHandle {
  /** Ends it, wherever it is: soon, since it runs until it is next scheduled on a core. */
  readonly terminate: () => void;
  /**
   * After {@link WorkerHandle.terminate}: true once the thread runs nothing any more. It is polled, also by a thread
   * that never returns to its event loop. Absent where the environment cannot determine it.
   */
  readonly isGone?: () => boolean;
  /**
   * Sends a shared array (null: forget it). The worker reads it when a transfer names the id. Absent where a worker
   * without turns of an event loop receives no messages.
   */
  readonly sendArray?: (id: number, array: SharedArrayBuffer | null) => void;
  /** Resolves when it is up, or will never be. Absent where it comes up while the thread that started it is blocked. */
  readonly started?: Promise<void>;
}

/**
 * What a device allocates: blocks and growth of its memory, rows of the control block, code, instances of it on the
 * calling thread, workers, parts of the device.
 *
 * @public
 */
export type AllocationKind =
  | "memory"
  | "growth"
  | "node"
  | "edge"
  | "launch"
  | "semaphore"
  | "fence"
  | "waiter"
  | "query"
  | "code"
  | "instance"
  | "worker"
  | "part";

/** Time, threads and memory. @public */
export interface HostEnvironment {
  /** Asked before each allocation: true refuses it, as if there were nothing left. Left out: none is refused. */
  readonly refuses?: (kind: AllocationKind) => boolean;
  /** A clock for all threads and the epoch that makes it. */
  readonly openClock: () => { readonly epoch: ClockEpoch; readonly clock: Clock };
  /** Reserves a linear memory, sizes in pages of 64 KiB. Throws RangeError when there is no room. */
  readonly reserveMemory: (initial: number, maximum: number, shared: boolean) => WasmMemory;
  /** Grows it. Throws RangeError. */
  readonly growMemory: (memory: WasmMemory, pages: number) => void;
  /** Makes the control block. Throws RangeError. */
  readonly reserveControl: (bytes: number, shared: boolean) => ArrayBufferLike;
  /** True: workers can be sent shared arrays, so they copy from and to the caller's; otherwise the host thread does. */
  readonly sendsArrays: boolean;
  /**
   * True: workers start only while the starting thread returns to its event loop, so they are started when a device is
   * opened.
   */
  readonly startsEarly: boolean;
  /**
   * Starts a worker; null: the package's own code. `lost` is called when it ends without having been terminated. Throws
   * when it cannot start.
   */
  readonly startWorker: (
    url: URL | null,
    settings: WorkerSettings,
    lost: (error: Error | null) => void,
  ) => WorkerHandle;
  /** Shows what kernels print. */
  readonly print: (text: string) => void;
}
