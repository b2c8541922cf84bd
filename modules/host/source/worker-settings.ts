// SPDX-License-Identifier: Apache-2.0
// What a worker thread is started with.
import type { ClockEpoch } from "./clock.ts";
import type { WasmMemory } from "./web-assembly.ts";

/** What a worker is started with, apart from its message port. @public */
export interface WorkerSettings {
  /** The control block. */
  readonly control: SharedArrayBuffer;
  /** Code of loaded executables. */
  readonly code: SharedArrayBuffer;
  /** The device's memory. */
  readonly memory: WasmMemory;
  /** Number of the thread; the host thread is 0. */
  readonly thread: number;
  /** Threads that run work-groups. */
  readonly threads: number;
  /** Makes the clock that all threads share. */
  readonly epoch: ClockEpoch;
  /** Where threads note which work-groups they ran; null: nothing is traced. */
  readonly ranges: SharedArrayBuffer | null;
  /** The file by which a thread calls native code; null: it never has to. */
  readonly native: string | null;
}
