// Commands that were enqueued and not handed to the device yet: of one queue, or of several of which one waits for another.
import type { Event } from "./event.ts";

/** A queue that has commands in a window. */
export interface WindowOwner {
  /** Where its commands gather; null: none do. */
  window: Window | null;
  /** Waits until the device has room for more of them. */
  makeRoom(): void;
}

/** Commands that are handed over together, each behind all that it waits for. */
export class Window {
  /** In an order in which they could run one after the other. */
  readonly events: Event[] = [];
  readonly owners: WindowOwner[];

  constructor(owner: WindowOwner) {
    this.owners = [owner];
  }

  /** Adds a command. */
  add(event: Event): void {
    event.window = this;
    this.events.push(event);
  }

  /** Takes over all of another one: from now on both are handed over together. Neither knew of the other, so either order is good. */
  absorb(other: Window): void {
    for (const event of other.events) this.add(event);
    for (const owner of other.owners) {
      owner.window = this;
      this.owners.push(owner);
    }
  }

  /** Takes the commands out; the queues have no window any more. */
  dissolve(): readonly Event[] {
    for (const event of this.events) event.window = null;
    for (const owner of this.owners) owner.window = null;
    return this.events;
  }
}
