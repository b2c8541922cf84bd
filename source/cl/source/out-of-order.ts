// SPDX-License-Identifier: Apache-2.0
// The order of commands in an out-of-order queue: what barriers and markers wait for, and which commands wait for a
// barrier (OpenCL 3.0, 5.12).
import { type Event, NO_EVENTS } from "./event.ts";

/** Completed commands stay in the list up to this number, or up to half of the list. */
const MAX_RETIRED = 64;

/**
 * What a command that comes after others still has to come after: those of them that are incomplete, and in the place
 * of a failed one what that one had to come after. Its failure does not free its followers of the order that held
 * before it.
 */
export function predecessorsAfter(after: readonly Event[]): readonly Event[] {
  if (!after.some(({ isComplete, error }) => isComplete || error !== null)) return after;
  const left = after.flatMap((event) => {
    if (event.error !== null) return predecessorsAfter(event.after);
    return event.isComplete ? [] : [event];
  });
  return left.length === 0 ? NO_EVENTS : [...new Set(left)];
}

/** The incomplete commands of one out-of-order queue, for its barriers and markers. */
export class OutOfOrder {
  /** Commands that no full barrier waits for yet; some of them may be complete. */
  #open: Event[] = [];
  /** An upper bound of how many of them are complete. */
  #retired = 0;
  /** What later commands come after: the last barrier, or where that has failed the ones before it. */
  #barriers: readonly Event[] = NO_EVENTS;

  /**
   * Adds a command and returns the events that it waits for in addition to its wait list. Their failure does not make
   * it fail.
   */
  add(event: Event): readonly Event[] {
    const { commandType } = event;
    const isBarrier = commandType === "CL_COMMAND_BARRIER";
    const isForAll = (isBarrier || commandType === "CL_COMMAND_MARKER") && event.command?.waits.length === 0;
    const after = isForAll ? this.#open.filter(({ isComplete }) => !isComplete) : this.#barriers;
    if (isBarrier && isForAll) this.#open = [];
    if (isBarrier) this.#barriers = [event];
    this.#open.push(event);
    return after;
  }

  /** Notes that a command is complete or has failed. Of what it came after, only a failed one keeps the rest. */
  retired(event: Event): void {
    if (this.#barriers.includes(event)) this.#barriers = predecessorsAfter(this.#barriers);
    event.after = event.error === null ? NO_EVENTS : predecessorsAfter(event.after);
    if (++this.#retired < MAX_RETIRED || this.#retired * 2 < this.#open.length) return;
    this.#open = this.#open.filter(({ isComplete }) => !isComplete);
    this.#retired = 0;
  }
}
