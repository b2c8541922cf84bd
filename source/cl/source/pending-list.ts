// SPDX-License-Identifier: Apache-2.0
// The pending list: commands that were enqueued and are not on the device yet, of one queue or of several queues of
// which one waits for another. Commands that a failure cancelled on the device come back here.
//
// Invariant: the commands are in an order in which they could run one after the other, and everything that a command
// waits for is complete, on the device, or earlier in the same list. So any prefix of the list can be submitted, and a
// command is always in exactly one container: in a pending list or in a submission.
//
// Before: queue A has the list [a1]; queue B enqueues b1, which waits for a1.
// After: both queues share the list [a1, b1].
//
// Cost: appending is O(1), joining two lists is linear in one of them. Only the recovery from a failure sorts, which is
// O(n log n) in the pending commands.
import { type Submission, type SubmissionOwner, ownerOf } from "./submission.ts";
import { type Event, NO_EVENTS } from "./event.ts";

/** Commands in the smallest and in the largest portion after a failure. */
const MIN_PORTION = 16;
const MAX_PORTION = 256;

/** Commands that are submitted together, each after everything that it waits for. */
export class PendingList {
  /** Queues that have, or had, commands in the list. */
  readonly owners: SubmissionOwner[];
  #events: Event[] = [];
  /**
   * How many commands are submitted together; null: all of them. After a failure the list is submitted in portions, and
   * the next portion is submitted when the one before it has been retired: otherwise the next failure among the
   * commands would cancel all the rest again, and so on. A portion is twice as long as the one before it when that
   * succeeded, and half as long when it failed, so the total work is linear in the number of commands.
   */
  #portion: number | null = null;
  /** The submissions of the last portion that are not retired yet. */
  readonly #inFlight = new Set<Submission>();
  #hasFailed = false;

  constructor(owner: SubmissionOwner) {
    this.owners = [owner];
    owner.pending = this;
  }

  /** The number of commands. */
  get size(): number {
    return this.#events.length;
  }

  /** True after a failure, until all commands are submitted. */
  get isRecovering(): boolean {
    return this.#portion !== null;
  }

  /** A submission that must be retired before anything else of the list is submitted; null: there is none. */
  get inFlight(): Submission | null {
    for (const submission of this.#inFlight) return submission;
    return null;
  }

  /** Appends a command and returns the new number of commands. */
  add(event: Event): number {
    event.pending = this;
    return this.#events.push(event);
  }

  /**
   * Moves all commands of another list to the end of this one. Neither list waits for the other, so either order is
   * right.
   */
  absorb(other: PendingList): void {
    for (const event of other.#events) this.add(event);
    for (const owner of other.owners) {
      owner.pending = this;
      this.owners.push(owner);
    }
    for (const submission of other.#inFlight) this.began(submission);
    if (other.#portion !== null) this.#portion = Math.min(this.#portion ?? MAX_PORTION, other.#portion);
    this.#hasFailed ||= other.#hasFailed;
  }

  /** Removes the commands that are submitted next. When these are all, the queues have no pending list any more. */
  take(): readonly Event[] {
    const all = this.#events;
    const taken = this.#portion === null || this.#portion >= all.length ? all : all.splice(0, this.#portion);
    for (let i = 0; i < taken.length; i++) (taken[i] as Event).pending = null;
    if (taken === all) {
      this.#events = [];
      for (const owner of this.owners) owner.pending = null;
    }
    return taken;
  }

  /** Removes one command, which is not submitted. */
  remove(event: Event): void {
    this.#events.splice(this.#events.indexOf(event), 1);
    event.pending = null;
  }

  /** A part of the last portion is on the device. */
  began(submission: Submission): void {
    submission.portionOf = this;
    this.#inFlight.add(submission);
  }

  /** That submission has been retired or cancelled. Returns true when the next portion can be submitted. */
  ended(submission: Submission): boolean {
    submission.portionOf = null;
    this.#inFlight.delete(submission);
    if (this.#inFlight.size > 0 || this.#portion === null) return false;
    this.#portion = this.#hasFailed
      ? Math.max(MIN_PORTION, this.#portion >> 1)
      : Math.min(MAX_PORTION, this.#portion * 2);
    this.#hasFailed = false;
    return true;
  }

  /** Starts to submit in portions: a failure cancelled some of the commands. */
  recover(): void {
    this.#hasFailed = this.#portion !== null && this.#inFlight.size > 0;
    this.#portion ??= MIN_PORTION;
  }

  /** Submits the next command alone: the runtime had no room for several together. */
  narrow(): void {
    this.#portion = 1;
  }

  /** Sorts by sequence number: everything that a command waits for has a smaller one. */
  sort(): void {
    this.#events.sort((one, other) => one.sequence - other.sequence);
  }

  /** True when a command of this list waits for a command of another list. */
  waitsFor(other: PendingList): boolean {
    return this.#events.some(
      ({ command, after }) =>
        (command?.waits ?? NO_EVENTS).some(({ pending }) => pending === other) ||
        after.some(({ pending }) => pending === other),
    );
  }
}

/** Joins the pending list of a queue with the list of a command that it waits for. */
export function joinPendingLists(owner: SubmissionOwner, other: PendingList): void {
  const { pending } = owner;
  if (pending === other) return;
  if (pending !== null) other.absorb(pending);
  else {
    owner.pending = other;
    other.owners.push(owner);
  }
}

/**
 * Returns commands to a pending list that were submitted, or were about to be, and have not begun. The list is in the
 * order of enqueueing and holds all pending commands of their queues and of the queues that wait for them. `events`
 * must not be empty.
 */
export function returnToPending(events: readonly Event[]): PendingList {
  const first = ownerOf(events[0] as Event);
  const pending = first.pending ?? new PendingList(first);
  for (const event of events) {
    joinPendingLists(ownerOf(event), pending);
    pending.add(event);
  }
  // Commands wait only for commands of their own context.
  for (const { pending: other } of first.context.queues)
    if (other !== null && other !== pending && other.waitsFor(pending)) pending.absorb(other);
  pending.sort();
  return pending;
}
