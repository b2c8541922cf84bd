// SPDX-License-Identifier: Apache-2.0
// Commands that wait for a user event, or for a command that does (OpenCL 3.0, 5.11): they go into a batch when that is over.
//
// What waits for what is a graph over the commands of all queues: wait lists, and the order of each queue. Who settles a user event walks it.
import { OpenCLError } from "./error.ts";
import type { Event } from "./event.ts";

/** A command and how much it still waits for. */
interface Waiting {
  readonly event: Event;
  readonly owner: Postponed;
  blockers: number;
}

/** Who waits, by the event that is waited for. */
const FOLLOWERS = new WeakMap<Event, Waiting[]>();
/** Commands that are in no batch yet. */
const POSTPONED = new WeakSet<Event>();

function isBlocker(event: Event): boolean {
  return POSTPONED.has(event) || (event.commandType === "CL_COMMAND_USER" && !event.settled);
}

/** What a queue does with a command that need not wait any more, and when all of them are back. */
export interface PostponedOwner {
  /** True: every command waits for the one before it. */
  readonly isInOrder: boolean;
  /** Puts the command into a batch. */
  readonly place: (event: Event) => void;
  /** Hands over what was placed. */
  readonly flush: () => void;
}

/** The postponed commands of one queue. */
export class Postponed {
  readonly #owner: PostponedOwner;
  /** In order. */
  readonly #events = new Set<Event>();
  #last: Event | null = null;
  #watchers: (() => void)[] = [];

  constructor(owner: PostponedOwner) {
    this.#owner = owner;
  }

  /** How many there are. */
  get size(): number {
    return this.#events.size;
  }

  /** Keeps a command that has to wait; false: it need not. */
  take(event: Event): boolean {
    const blockers = this.#blockersOf(event);
    if (blockers.length === 0) return false;
    const waiting: Waiting = { event, owner: this, blockers: blockers.length };
    for (const blocker of blockers) {
      const followers = FOLLOWERS.get(blocker);
      if (followers === undefined) FOLLOWERS.set(blocker, [waiting]);
      else followers.push(waiting);
    }
    POSTPONED.add(event);
    this.#events.add(event);
    this.#last = event;
    return true;
  }

  #blockersOf({ command, after }: Event): readonly Event[] {
    const blockers = [...(command?.waits ?? []), ...after].filter(isBlocker);
    return this.#owner.isInOrder && this.#last !== null ? [...blockers, this.#last] : blockers;
  }

  /** Resolves when a command less waits. */
  async changed(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#watchers.push(resolve);
    });
  }

  /** A command waits for nothing any more. */
  give(event: Event): void {
    POSTPONED.delete(event);
    this.#events.delete(event);
    if (this.#last === event) this.#last = null;
    this.#owner.place(event);
    const watchers = this.#watchers;
    this.#watchers = [];
    for (const resolve of watchers) resolve();
  }

  /** Hands over what was given. */
  flush(): void {
    this.#owner.flush();
  }
}

/** A user event is settled: commands that wait for it, and those that wait for them, go into their queues' batches and to the device. */
export function releaseFollowers(settled: Event): void {
  const released = [settled];
  const owners = new Set<Postponed>();
  for (const event of released) {
    const followers = FOLLOWERS.get(event) ?? [];
    FOLLOWERS.delete(event);
    for (const waiting of followers) {
      if (--waiting.blockers > 0) continue;
      waiting.owner.give(waiting.event);
      owners.add(waiting.owner);
      released.push(waiting.event);
    }
  }
  for (const owner of owners) owner.flush();
}

/** The error of a call that would block for ever. */
export function blockedForEver(call: string): OpenCLError {
  return new OpenCLError(
    "CL_INVALID_OPERATION",
    call,
    "this would never end: what is left waits for a user event, which nobody can set while this thread blocks; call clSetUserEventStatus first, or wait by promise",
  );
}
