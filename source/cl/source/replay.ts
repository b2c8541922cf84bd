// Commands that failures took along, in their order, until they are dispatched again.
//
// All of them at once would be taken along again by the next failure among them, and so on: a flood of launches of which some fail would be recorded as often as there
// are failures. So they go in portions, one at a time. A portion doubles when the one before it was well and halves when it was not: what a failure takes along is
// never more than what was complete since the failure before it, and the work grows with the number of commands alone.
import type { Event } from "./event.ts";

/** Commands of the smallest portion and of the largest. */
const LEAST = 16;
const MOST = 256;
/** Places in front that are not in use any more, up to which they are left. */
const UNUSED = 1024;

/** Commands to be dispatched again. */
export class Replay {
  /** Those from `#next` on, in the order of the queue. */
  #events: Event[] = [];
  #next = 0;
  /** Taken along by what is in flight now: they stand before all others. */
  #lost: Event[] = [];
  #portion = LEAST;

  /** Commands that wait here. */
  get size(): number {
    return this.#events.length - this.#next + this.#lost.length;
  }

  /** True when some were taken along since {@link Replay.settled} was called. */
  get hasLost(): boolean {
    return this.#lost.length > 0;
  }

  /** Commands to be dispatched together. */
  get portion(): number {
    return this.#portion;
  }

  /** A failure has taken a command along. */
  lose(event: Event): void {
    this.#lost.push(event);
  }

  /** A command waits with those that wait here: behind them, unless it comes back from where it was to be handed over. */
  append(event: Event): void {
    let at = this.#events.length;
    while (at > this.#next && (this.#events[at - 1] as Event).place > event.place) at--;
    if (at === this.#events.length) this.#events.push(event);
    else this.#events.splice(at, 0, event);
  }

  /** True when one waits here that was enqueued before a command. */
  hasBefore({ place }: Event): boolean {
    return (this.first?.place ?? Infinity) < place || this.#lost.some((lost) => lost.place < place);
  }

  /** Nothing is in flight any more: what was lost comes first. */
  settled(): void {
    const lost = this.#lost;
    this.#portion = lost.length > 0 ? Math.max(LEAST, this.#portion >> 1) : Math.min(MOST, this.#portion * 2);
    if (lost.length === 0) return;
    this.#lost = [];
    // What waits for several queues may be lost before what stands in front of it.
    lost.sort((a, b) => a.place - b.place);
    const isInFront = (lost.at(-1)?.place ?? 0) < (this.first?.place ?? Infinity);
    if (isInFront && lost.length <= this.#next) {
      // They come from these very places, mostly.
      this.#next -= lost.length;
      for (let i = 0; i < lost.length; i++) this.#events[this.#next + i] = lost[i] as Event;
      return;
    }
    this.#events = [...lost, ...this.#events.slice(this.#next)];
    if (!isInFront) this.#events.sort((a, b) => a.place - b.place);
    this.#next = 0;
  }

  /** The first command; null: there is none, or some were taken along and are not in their places yet. */
  get first(): Event | null {
    return this.#events[this.#next] ?? null;
  }

  /** Takes the first command; null: there is none. */
  take(): Event | null {
    const event = this.#events[this.#next];
    if (event === undefined) return null;
    this.#next++;
    if (this.#next > UNUSED && this.#next * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#next);
      this.#next = 0;
    }
    return event;
  }
}
