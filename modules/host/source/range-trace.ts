// SPDX-License-Identifier: Apache-2.0
// What the threads of devices note while they run work-groups, as part of the process's trace.
import { TRACER, type Tracer } from "@muxkit/cargo";

import type { Clock } from "./clock.ts";
import { ENTRIES, FIELDS, STRIDE } from "./range-log.ts";

/** First row of devices in a trace. */
const ROWS = 10_000;
const ROWS_OF_DEVICE = 1000;

let devices = 0;

/** Function indices of one code are below this. */
const FUNCTIONS = 2 ** 20;

/** What the threads of a device note, and the names for it. Exists only while a trace is made. */
export class RangeTrace {
  /** Where threads write: see range-log.ts. */
  readonly memory: ArrayBufferLike;
  /** Names of kernels, by code and function. */
  readonly #names = new Map<number, string>();

  constructor(memory: ArrayBufferLike) {
    this.memory = memory;
  }

  /** Says which kernel a function of some code is. */
  nameFunction(code: number, functionIndex: number, kernel: string): void {
    this.#names.set(code * FUNCTIONS + functionIndex, kernel);
  }

  /** Adds what was noted to the trace. `rows`: the first row; `offset`: of the threads' clock, in µs. */
  drain(tracer: Tracer, threads: number, rows: number, offset: number): void {
    const ranges = new Float64Array(this.memory);
    for (let thread = 0; thread < threads; thread++) {
      const base = thread * STRIDE;
      const written = ranges[base] as number;
      if (written === 0) continue;
      tracer.nameThread(rows + thread, thread === 0 ? "work-groups, calling thread" : `work-groups, worker ${thread}`);
      tracer.drop(Math.max(0, written - ENTRIES));
      for (let i = Math.max(0, written - ENTRIES); i < written; i++) {
        const at = base + 1 + (i % ENTRIES) * FIELDS;
        const [begin = 0, done = 0, node = 0, first = 0, end = 0, code = 0, index = 0] = ranges.subarray(
          at,
          at + FIELDS,
        );
        tracer.span(
          "groups",
          this.#names.get(code * FUNCTIONS + index) ?? "kernel",
          begin / 1000 - offset,
          { first, end, groups: end - first, node },
          rows + thread,
          done / 1000 - offset,
        );
      }
    }
  }
}

/** The notes of a device with so many threads, which the trace will have; null where nothing is traced. */
export function traceRanges(threads: number, isShared: boolean, clock: Clock): RangeTrace | null {
  const tracer = TRACER;
  if (tracer === null) return null;
  const bytes = threads * STRIDE * Float64Array.BYTES_PER_ELEMENT;
  const trace = new RangeTrace(isShared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes));
  const rows = ROWS + ROWS_OF_DEVICE * devices++;
  const offset = clock() / 1000 - tracer.now();
  tracer.addSource(() => {
    trace.drain(tracer, threads, rows, offset);
  });
  return trace;
}
