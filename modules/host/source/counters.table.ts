// SPDX-License-Identifier: Apache-2.0
// What a device counts in addition to times: sums that only grow, read where a query begins and where it ends.
import { MuxQueryCounterUnit } from "@muxkit/mux";

import type { Board } from "./board.ts";
import * as L from "./control-layout.ts";

/** A counter; its number is its index in the table. */
export interface Counter {
  readonly name: string;
  readonly category: string;
  readonly description: string;
  readonly unit: MuxQueryCounterUnit;
  /** Its value now; `time` is the clock's. */
  readonly read: (board: Board, time: number) => number;
  /** Where it starts again at 0; Infinity: nowhere. */
  readonly wraps: number;
}

/** Sums of words of all threads' rows wrap as the words do. */
const WORD: number = 2 ** 32;

function unitsOf({ words }: Board): number {
  let sum = 0;
  for (let thread = 0; thread < L.MAX_THREADS; thread++) sum += (words[L.threadBase(thread) + L.THREAD_UNITS] as number) >>> 0;
  return sum;
}

/** Every counter. */
export const COUNTERS: readonly Counter[] = [
  { name: "units", category: "work", description: "Work-groups of kernels and pieces of transfers that all threads of the device have run.", unit: MuxQueryCounterUnit.generic, read: unitsOf, wraps: WORD },
  { name: "time", category: "time", description: "Nanoseconds on the device's clock.", unit: MuxQueryCounterUnit.nanoseconds, read: (_board, time) => time, wraps: Infinity },
];

/** What a counter has counted between two values. */
export function counted({ wraps }: Counter, begin: number, end: number): number {
  const difference = Math.round(end - begin);
  return wraps === Infinity ? difference : ((difference % wraps) + wraps) % wraps;
}
