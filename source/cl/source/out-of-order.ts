// The order in a queue without order: what barriers and markers wait for, and what waits for barriers (OpenCL 3.0, 5.12).
import { type Event, NO_EVENTS } from "./event.ts";

/** Commands of one queue that are not settled, as far as barriers and markers ask for them. */
export class OutOfOrder {
  /** Those that a barrier for everything before it would have to wait for, and no barrier does yet. */
  readonly #open = new Set<Event>();
  /** The last one; null: it is settled. */
  #barrier: Event | null = null;

  /** Takes note of a command: gives what it waits for beside its wait list. What fails there does not make it fail. */
  add(event: Event): readonly Event[] {
    const { commandType } = event;
    const isBarrier = commandType === "CL_COMMAND_BARRIER";
    const isForAll = (isBarrier || commandType === "CL_COMMAND_MARKER") && (event.command?.waits.length ?? 0) === 0;
    const barrier = this.#barrier;
    const after = isForAll ? [...this.#open] : barrier === null ? NO_EVENTS : [barrier];
    if (isBarrier && isForAll) this.#open.clear();
    if (isBarrier) this.#barrier = event;
    this.#open.add(event);
    return after;
  }

  /** A command has come to its end. */
  settled(event: Event): void {
    this.#open.delete(event);
    if (this.#barrier === event) this.#barrier = null;
  }
}
