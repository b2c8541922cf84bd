// SPDX-License-Identifier: Apache-2.0
// What the process's trace gets from OpenCL: calls as spans of the calling thread, commands as spans of their queue,
// arrows from one to the other.
import { TRACER } from "@muxkit/cargo";

import type { Event } from "./event.ts";

/** What a trace says of a launch. */
export interface LaunchDescription {
  readonly kernel: string;
  /** Work-items along each dimension, with commas. */
  readonly globalSize: string;
  /** Likewise, or `chosen` where the device chooses. */
  readonly localSize: string;
}

/** Traced wrappers of calls, by the original: lookups of functions by name return these. */
export const TRACED_FORMS: WeakMap<object, unknown> = new WeakMap();

/** First row of queues in a trace; each has some, for commands that overlap. */
const ROWS = 100;
const ROWS_OF_QUEUE = 16;
const MOST_QUEUES = 500;

/** Rows by queue. */
const queues = new WeakMap<object, number>();
let count = 0;

/** The moment at which a call begins; 0 where nothing is traced. */
export function callBegins(): number {
  return TRACER === null ? 0 : TRACER.now();
}

/** A call that is done. */
export function callEnds(call: string, begin: number): void {
  TRACER?.span("opencl", call, begin);
}

function rowsOf(queue: object): number {
  let rows = queues.get(queue);
  if (rows === undefined) {
    rows = ROWS + ROWS_OF_QUEUE * (count % MOST_QUEUES);
    count++;
    queues.set(queue, rows);
    for (let lane = 0; lane < ROWS_OF_QUEUE; lane++)
      TRACER?.nameThread(rows + lane, lane === 0 ? `queue ${count}` : `queue ${count}, lane ${lane}`);
  }
  return rows;
}

/** Of a launch: which kernel, and how much of it; null for other commands. */
function launchFacts({ command }: Event): LaunchDescription | null {
  for (const held of command?.objects ?? []) if (held.facts !== undefined) return held.facts();
  return null;
}

/** A command that is complete. `offset`: of the device's clock in ns, by which it is ahead of `performance.now()`. */
export function traceCommand(event: Event, offset: number): void {
  if (TRACER === null) return;
  const { start, end, queued } = event.times;
  const [from, to] = [(start - offset) / 1000, (end - offset) / 1000];
  const facts = launchFacts(event);
  const kind = event.commandType.replace("CL_COMMAND_", "");
  const row = TRACER.spanInLane("command", facts?.kernel ?? kind, from, to, rowsOf(event.queue), {
    kind,
    queuedMicroseconds: Math.max(0, start - queued) / 1000,
    ...facts,
  });
  TRACER.flowEnd(event, from, row);
}
