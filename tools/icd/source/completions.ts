// SPDX-License-Identifier: Apache-2.0
// What replies tell of commands that are complete, so that the library need not ask: native/completion.h.
import { CL_COMPLETE, type CommandQueue, type Event } from "@muxkit/opencl";

import { WireWriter } from "./wire.ts";

/** Events of a queue that a reply tells of at most: the last ones. */
const MOST_EVENTS = 64;

/** An event, its number as an object of the library, and that of its command in the queue. */
interface Named {
  readonly event: Event;
  readonly object: number;
  readonly command: number;
}

/** A queue's commands as the library counts them. */
interface Counted {
  sent: number;
  /** Events that no reply has told of. */
  untold: Named[];
}

function writeTimes(writer: WireWriter, { queue, times }: Event): void {
  writer.u32(queue.profiles ? 1 : 0);
  if (!queue.profiles) return;
  for (const time of [times.queued, times.submit, times.start, times.end]) writer.u64(Math.trunc(time));
}

/** The times of events that are complete, in the order of a list; null: there are none. */
export function timesOf(events: readonly Event[]): WireWriter | null {
  if (!events.some(({ queue }) => queue.profiles)) return null;
  const writer = new WireWriter();
  for (const event of events) writeTimes(writer, event);
  return writer;
}

/** The commands of each queue. @internal */
export class Completions {
  readonly #queues = new WeakMap<CommandQueue, Counted>();

  /** A command has come, with the event that the library knows by a number; null: it knows none. */
  count(queue: CommandQueue, event: Event | null, object: number): void {
    let counted = this.#queues.get(queue);
    if (counted === undefined) this.#queues.set(queue, (counted = { sent: 0, untold: [] }));
    counted.sent++;
    if (event === null) return;
    if (counted.untold.length === MOST_EVENTS) counted.untold.shift();
    counted.untold.push({ event, object, command: counted.sent });
  }

  /** The events of a queue that are complete and that no reply has told of; null: there are none. */
  take(queue: CommandQueue): WireWriter | null {
    const counted = this.#queues.get(queue);
    if (counted === undefined || counted.untold.length === 0) return null;
    const told = counted.untold.filter(({ event }) => event.status === CL_COMPLETE);
    counted.untold = counted.untold.filter(({ event }) => !event.isComplete);
    if (told.length === 0) return null;
    const writer = new WireWriter().u32(told.length);
    for (const { event, object, command } of told) writeTimes(writer.u32(object).u64(command), event);
    return writer;
  }
}
