// SPDX-License-Identifier: Apache-2.0
// Postponed commands: those that wait for a user event, directly or through other commands (OpenCL 3.0, 5.11). They are
// in no pending list until the user event is set.
//
// The dependencies form a graph over the commands of all queues: wait lists, and the order of each queue. Each
// postponed command counts its incomplete dependencies; setting a user event walks the graph with a worklist and
// releases the commands whose count becomes zero (Kahn's topological sort). Cost: linear in the edges that are walked.
import { OpenCLError } from "./error.ts";
import type { Event } from "./event.ts";

/** A command and the number of dependencies that it still waits for. */
interface Waiting {
  readonly event: Event;
  readonly owner: Postponed;
  blockers: number;
}

/** For each event: the commands that wait for it. */
const FOLLOWERS = new WeakMap<Event, Waiting[]>();
/** All postponed commands. */
const POSTPONED = new WeakSet<Event>();

function isBlocker(event: Event): boolean {
  return POSTPONED.has(event) || (event.commandType === "CL_COMMAND_USER" && !event.isComplete);
}

/** How a queue takes back the commands that are released. */
export interface PostponedOwner {
  /** True: every command waits for the one before it. */
  readonly isInOrder: boolean;
  /** Appends the command to the queue's pending list. */
  readonly append: (event: Event) => void;
  /** Submits what was appended. */
  readonly flush: () => void;
}

/** The postponed commands of one queue. */
export class Postponed {
  readonly #owner: PostponedOwner;
  /** In the order of enqueueing. */
  readonly #events = new Set<Event>();
  #last: Event | null = null;
  #watchers: (() => void)[] = [];

  constructor(owner: PostponedOwner) {
    this.#owner = owner;
  }

  /** The number of postponed commands. */
  get size(): number {
    return this.#events.size;
  }

  /** Postpones a command that has to wait. Returns false when it need not. */
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

  /** Resolves when the next command is released. */
  async changed(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#watchers.push(resolve);
    });
  }

  /** Moves a command to the queue's pending list: it waits for nothing any more. */
  release(event: Event): void {
    POSTPONED.delete(event);
    this.#events.delete(event);
    if (this.#last === event) this.#last = null;
    this.#owner.append(event);
    const watchers = this.#watchers;
    this.#watchers = [];
    for (const resolve of watchers) resolve();
  }

  /** Submits the released commands. */
  flush(): void {
    this.#owner.flush();
  }
}

/**
 * Releases and submits the commands that waited for a user event which is set now, and in turn those that waited for
 * them.
 */
export function releaseFollowers(first: Event): void {
  const released = [first];
  const owners = new Set<Postponed>();
  for (const event of released) {
    const followers = FOLLOWERS.get(event) ?? [];
    FOLLOWERS.delete(event);
    for (const waiting of followers) {
      if (--waiting.blockers > 0) continue;
      waiting.owner.release(waiting.event);
      owners.add(waiting.owner);
      released.push(waiting.event);
    }
  }
  for (const owner of owners) owner.flush();
}

/** The error of a call that would block forever. */
export function blockedForever(call: string): OpenCLError {
  return new OpenCLError(
    "CL_INVALID_OPERATION",
    call,
    "this call would block forever: the remaining commands wait for a user event, which " +
      "cannot be set while this thread is blocked; " +
      "call clSetUserEventStatus first, or await a promise instead",
  );
}
