// SPDX-License-Identifier: Apache-2.0
// What the threads of devices note while they run work-groups, as part of the process's trace.
import { TRACER, type Tracer } from "@muxkit/cargo";

import type { Clock } from "./clock.ts";
import { ENTRIES, FIELDS, STRIDE } from "./range-log.ts";

/** First row of devices in a trace. */
const ROWS = 10_000;
const ROWS_OF_DEVICE = 1000;

let devices = 0;

/** Memory for the notes of so many threads; null where nothing is traced. */
export function createRanges(threads: number, isShared: boolean): ArrayBufferLike | null {
  if (TRACER === null) return null;
  const bytes = threads * STRIDE * Float64Array.BYTES_PER_ELEMENT;
  return isShared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
}

function drain(tracer: Tracer, ranges: Float64Array, threads: number, rows: number, offset: number): void {
  for (let thread = 0; thread < threads; thread++) {
    const base = thread * STRIDE;
    const written = ranges[base] as number;
    if (written === 0) continue;
    tracer.nameThread(rows + thread, thread === 0 ? "work-groups, calling thread" : `work-groups, worker ${thread}`);
    tracer.drop(Math.max(0, written - ENTRIES));
    for (let i = Math.max(0, written - ENTRIES); i < written; i++) {
      const at = base + 1 + (i % ENTRIES) * FIELDS;
      const [begin = 0, done = 0, node = 0, first = 0, end = 0] = ranges.subarray(at, at + FIELDS);
      tracer.span(
        "groups",
        `groups ${first} to ${end}`,
        begin / 1000 - offset,
        { groups: end - first, node },
        rows + thread,
        done / 1000 - offset,
      );
    }
  }
}

/** Adds what the threads of a device note to the trace; `clock` is theirs. */
export function traceRanges(memory: ArrayBufferLike | null, threads: number, clock: Clock): void {
  const tracer = TRACER;
  if (tracer === null || memory === null) return;
  const rows = ROWS + ROWS_OF_DEVICE * devices++;
  const offset = clock() / 1000 - tracer.now();
  tracer.addSource(() => {
    drain(tracer, new Float64Array(memory), threads, rows, offset);
  });
}
