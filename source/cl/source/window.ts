// SPDX-License-Identifier: Apache-2.0
// Commands that were enqueued and are not on the device: of one queue, or of several of which one waits for another. Those that a failure took along come back here.
//
// The commands of a window stand in an order in which they could run one after the other, and whatever one of them waits for is settled, on the device, or before it in the same window. So any first
// part of a window can be handed over, and nothing but that keeps the order: a command has no place between window and device.
import { type Batch, type BatchOwner, ownerOf } from "./batch.ts";
import { type Event, NO_EVENTS } from "./event.ts";

/** Commands of the smallest portion after a failure and of the largest. */
const LEAST = 16;
const MOST = 256;

/** Commands that are handed over together, each behind all that it waits for. */
export class Window {
  /** Queues that have commands here, or had. */
  readonly owners: BatchOwner[];
  #events: Event[] = [];
  /**
   * Commands to be handed over together; null: all that there are. After a failure they go in portions, the next one when the one before it is settled: in one go they would be taken along again by the next failure
   * among them, and so on. A portion doubles when the one before it was well and halves when it was not, so the work grows with the number of commands alone.
   */
  #portion: number | null = null;
  /** What the last portion became on the device, as far as it is not settled. */
  readonly #underWay = new Set<Batch>();
  #hasFailed = false;

  constructor(owner: BatchOwner) {
    this.owners = [owner];
    owner.window = this;
  }

  /** How many commands there are. */
  get size(): number {
    return this.#events.length;
  }

  /** True after a failure, until all is handed over. */
  get isRecovering(): boolean {
    return this.#portion !== null;
  }

  /** A batch that has to be settled before anything can be handed over; null: there is none. */
  get underWay(): Batch | null {
    for (const batch of this.#underWay) return batch;
    return null;
  }

  /** Adds a command: gives how many there are now. */
  add(event: Event): number {
    event.window = this;
    return this.#events.push(event);
  }

  /** Takes over all of another one: from now on both are handed over together. Neither knew of the other, so either order is good. */
  absorb(other: Window): void {
    for (const event of other.#events) this.add(event);
    for (const owner of other.owners) {
      owner.window = this;
      this.owners.push(owner);
    }
    for (const batch of other.#underWay) this.began(batch);
    if (other.#portion !== null) this.#portion = Math.min(this.#portion ?? MOST, other.#portion);
    this.#hasFailed ||= other.#hasFailed;
  }

  /** Takes out what is to be handed over now. When that is all, the queues have no window any more. */
  take(): readonly Event[] {
    const all = this.#events;
    const taken = this.#portion === null || this.#portion >= all.length ? all : all.splice(0, this.#portion);
    for (let i = 0; i < taken.length; i++) (taken[i] as Event).window = null;
    if (taken === all) {
      this.#events = [];
      for (const owner of this.owners) owner.window = null;
    }
    return taken;
  }

  /** Takes out one command, which is not to be handed over. */
  remove(event: Event): void {
    this.#events.splice(this.#events.indexOf(event), 1);
    event.window = null;
  }

  /** A part of the last portion is on the device. */
  began(batch: Batch): void {
    batch.portionOf = this;
    this.#underWay.add(batch);
  }

  /** It is settled, or cancelled: true when the next portion can go. */
  ended(batch: Batch): boolean {
    batch.portionOf = null;
    this.#underWay.delete(batch);
    if (this.#underWay.size > 0 || this.#portion === null) return false;
    this.#portion = this.#hasFailed ? Math.max(LEAST, this.#portion >> 1) : Math.min(MOST, this.#portion * 2);
    this.#hasFailed = false;
    return true;
  }

  /** Some of the commands were taken along by a failure. */
  recover(): void {
    this.#hasFailed = this.#portion !== null && this.#underWay.size > 0;
    this.#portion ??= LEAST;
  }

  /** Commands did not find room together: the next one goes alone. */
  narrow(): void {
    this.#portion = 1;
  }

  /** Puts everything in the order of arrival, which each command shares with all that it waits for. */
  sort(): void {
    this.#events.sort((one, other) => one.place - other.place);
  }

  /** True when a command waits for one that is in another window. */
  waitsFor(other: Window): boolean {
    return this.#events.some(
      ({ command, after }) =>
        (command?.waits ?? NO_EVENTS).some(({ window }) => window === other) ||
        after.some(({ window }) => window === other),
    );
  }
}

/** The window of a queue and that of a command it waits for become one. */
export function meet(owner: BatchOwner, other: Window): void {
  const { window } = owner;
  if (window === other) return;
  if (window !== null) other.absorb(window);
  else {
    owner.window = other;
    other.owners.push(owner);
  }
}

/** Commands come back that were handed over, or were about to be, and have not begun: they stand in the order of arrival with all that is in windows of their queues, and with what waits for them. There is at least one. */
export function gather(events: readonly Event[]): Window {
  const first = ownerOf(events[0] as Event);
  const window = first.window ?? new Window(first);
  for (const event of events) {
    meet(ownerOf(event), window);
    window.add(event);
  }
  // Commands wait for commands of their own context only.
  for (const { window: other } of first.context.queues)
    if (other !== null && other !== window && other.waitsFor(window)) window.absorb(other);
  window.sort();
  return window;
}
