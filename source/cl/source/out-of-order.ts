// SPDX-License-Identifier: Apache-2.0
// The order in a queue without order: what barriers and markers wait for, and what waits for barriers (OpenCL 3.0, 5.12).
import { type Event, NO_EVENTS } from "./event.ts";

/** Commands that are settled may stay in the list up to this number, or half of it. */
const SETTLED = 64;

/** Commands of one queue that are not settled, as far as barriers and markers ask for them. */
export class OutOfOrder {
  /** Those that a barrier for everything before it would have to wait for, and no barrier does yet; and some that are settled. */
  #open: Event[] = [];
  /** How many of them are settled, at most. */
  #settled = 0;
  /** The last one; null: it is settled. */
  #barrier: Event | null = null;

  /** Takes note of a command: gives what it waits for beside its wait list. What fails there does not make it fail. */
  add(event: Event): readonly Event[] {
    const { commandType } = event;
    const isBarrier = commandType === "CL_COMMAND_BARRIER";
    const isForAll = (isBarrier || commandType === "CL_COMMAND_MARKER") && event.command?.waits.length === 0;
    const barrier = this.#barrier;
    const after = isForAll ? this.#open.filter(({ settled }) => !settled) : barrier === null ? NO_EVENTS : [barrier];
    if (isBarrier && isForAll) this.#open = [];
    if (isBarrier) this.#barrier = event;
    this.#open.push(event);
    return after;
  }

  /** A command has come to its end. */
  settled(event: Event): void {
    if (this.#barrier === event) this.#barrier = null;
    if (++this.#settled < SETTLED || this.#settled * 2 < this.#open.length) return;
    this.#open = this.#open.filter(({ settled }) => !settled);
    this.#settled = 0;
  }
}
