// SPDX-License-Identifier: Apache-2.0
// The order of commands in an out-of-order queue: what barriers and markers wait for, and which commands wait for a
// barrier (OpenCL 3.0, 5.12).
import { type Event, NO_EVENTS } from "./event.ts";

/** Completed commands stay in the list up to this number, or up to half of the list. */
const MAX_RETIRED = 64;

/** The incomplete commands of one out-of-order queue, for its barriers and markers. */
export class OutOfOrder {
  /** Commands that no full barrier waits for yet; some of them may be complete. */
  #open: Event[] = [];
  /** An upper bound of how many of them are complete. */
  #retired = 0;
  /** The last barrier; null: it is complete, or there is none. */
  #barrier: Event | null = null;

  /**
   * Adds a command and returns the events that it waits for in addition to its wait list. Their failure does not make
   * it fail.
   */
  add(event: Event): readonly Event[] {
    const { commandType } = event;
    const isBarrier = commandType === "CL_COMMAND_BARRIER";
    const isForAll = (isBarrier || commandType === "CL_COMMAND_MARKER") && event.command?.waits.length === 0;
    const barrier = this.#barrier;
    const after = isForAll
      ? this.#open.filter(({ isComplete }) => !isComplete)
      : barrier === null
        ? NO_EVENTS
        : [barrier];
    if (isBarrier && isForAll) this.#open = [];
    if (isBarrier) this.#barrier = event;
    this.#open.push(event);
    return after;
  }

  /** Notes that a command is complete or has failed. */
  retired(event: Event): void {
    if (this.#barrier === event) this.#barrier = null;
    if (++this.#retired < MAX_RETIRED || this.#retired * 2 < this.#open.length) return;
    this.#open = this.#open.filter(({ isComplete }) => !isComplete);
    this.#retired = 0;
  }
}
