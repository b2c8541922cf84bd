// SPDX-License-Identifier: Apache-2.0
// Postponed commands: those that wait for a user event (OpenCL 3.0, 5.11), or for a command of a device with another
// memory, directly or through other commands. They are in no pending list until that is complete: semaphores join only
// what devices of one memory run.
//
// The dependencies form a graph over the commands of all queues: wait lists, and the order of each queue. Each
// postponed command counts what it still waits for: that a user event or a command of another memory is complete, that
// a command of its own memory is no longer postponed. A user event that is set, and a command that has completed, walk
// the graph with a worklist and release the commands whose count becomes zero (Kahn's topological sort). Cost: linear
// in the edges that are walked.
import { soon } from "@muxkit/cargo";

import { OpenCLError } from "./error.ts";
import { type Event, NO_EVENTS } from "./event.ts";

/** A command and the number of dependencies that it still waits for. */
interface Waiting {
  readonly event: Event;
  readonly owner: Postponed;
  readonly blockedBy: readonly Event[];
  blockers: number;
}

/** For each event: the commands that wait for it. */
const FOLLOWERS = new WeakMap<Event, Waiting[]>();
/** All postponed commands. */
const POSTPONED = new WeakMap<Event, Waiting>();

/** True for what a command of a memory waits for until it is complete. */
function isForeign(event: Event, memory: number): boolean {
  return event.queue.memory !== memory && !event.isComplete;
}

/** How a queue takes back the commands that are released. */
export interface PostponedOwner {
  /** True: every command waits for the one before it. */
  readonly isInOrder: boolean;
  /** Number of its device's memory in the context. */
  readonly memory: number;
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
    const waiting: Waiting = { event, owner: this, blockedBy: blockers, blockers: blockers.length };
    for (const blocker of blockers) {
      const followers = FOLLOWERS.get(blocker);
      if (followers === undefined) FOLLOWERS.set(blocker, [waiting]);
      else followers.push(waiting);
    }
    POSTPONED.set(event, waiting);
    this.#events.add(event);
    this.#last = event;
    // Nobody else submits what a queue of another memory has to do first.
    for (const blocker of blockers)
      if (isForeign(blocker, this.memory) && !POSTPONED.has(blocker)) blocker.queue.flush();
    return true;
  }

  #blockersOf({ command, after }: Event): readonly Event[] {
    const waits = command?.waits ?? NO_EVENTS;
    let blockers = this.#blockersAmong(waits, NO_EVENTS);
    if (after.length > 0) blockers = this.#blockersAmong(after, blockers);
    return this.#owner.isInOrder && this.#last !== null ? [...blockers, this.#last] : blockers;
  }

  /** Most commands wait for none, so nothing is made for them. */
  #blockersAmong(events: readonly Event[], found: readonly Event[]): readonly Event[] {
    const { memory } = this.#owner;
    let blockers: Event[] | null = null;
    for (let i = 0; i < events.length; i++) {
      const event = events[i] as Event;
      if (event.isComplete || (event.queue.memory === memory && !POSTPONED.has(event))) continue;
      blockers ??= [...found];
      blockers.push(event);
    }
    return blockers ?? found;
  }

  /** Number of its device's memory in the context. */
  get memory(): number {
    return this.#owner.memory;
  }

  /** A command on its way that one of the queue's waits for; null: all wait for user events. */
  get root(): Event | null {
    const seen = new Set<Event>();
    // The first ones that were enqueued are the nearest to what is on its way.
    for (const first of this.#events) {
      const stack = [first];
      for (let event = stack.pop(); event !== undefined; event = stack.pop()) {
        if (seen.has(event)) continue;
        seen.add(event);
        const waiting = POSTPONED.get(event);
        if (waiting !== undefined) stack.push(...waiting.blockedBy);
        else if (!event.isComplete && event.queue.owner !== null) return event;
      }
    }
    return null;
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

/** Events that are complete, and whose followers are not released yet. */
const COMPLETED: Event[] = [];
let isReleasing = false;

/** Notes that an event is complete: commands of other memories that wait for it are released soon. */
export function noteComplete(event: Event): void {
  if (!FOLLOWERS.has(event)) return;
  COMPLETED.push(event);
  if (COMPLETED.length === 1) soon(releaseCompleted);
}

/** Releases what waited for events that are complete. Not while commands move: it submits. */
export function releaseCompleted(): void {
  if (COMPLETED.length === 0 || isReleasing) return;
  isReleasing = true;
  try {
    // The list grows while it is walked.
    for (const event of COMPLETED) releaseFollowers(event);
  } finally {
    COMPLETED.length = 0;
    isReleasing = false;
  }
}

/**
 * Releases and submits the commands that waited for an event which is complete now, and in turn those that waited for
 * them to be released.
 */
export function releaseFollowers(first: Event): void {
  const released = [first];
  const owners = new Set<Postponed>();
  for (const event of released) {
    const followers = FOLLOWERS.get(event) ?? [];
    const staying = event.isComplete ? [] : followers.filter(({ owner }) => owner.memory !== event.queue.memory);
    if (staying.length === 0) FOLLOWERS.delete(event);
    else FOLLOWERS.set(event, staying);
    for (const waiting of followers) {
      if (staying.includes(waiting) || --waiting.blockers > 0) continue;
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
