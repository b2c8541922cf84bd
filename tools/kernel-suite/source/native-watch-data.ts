// SPDX-License-Identifier: Apache-2.0
// What the thread that runs machine code tells the one that watches it.

/** Words of shared memory: number of the call that it is in, 0 for none; number of the thread; most ms of a call. */
export const WATCH = { serial: 0, thread: 1, mostMs: 2, count: 3 } as const;

/** What the watching thread is started with. */
export interface WatchData {
  readonly words: Int32Array;
  /** The bridge's file. */
  readonly file: string;
}
