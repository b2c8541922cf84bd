// SPDX-License-Identifier: Apache-2.0
// Submits pending lists: the commands are cut into chains (chains.ts), each chain becomes a submission, and semaphores
// order the submissions.
//
// No code of the application runs while commands move, so it never sees a command that is neither in a pending list nor
// in a submission. When the runtime has no room for a chain, that chain and all later ones go back to the pending list.
// They are submitted again after all earlier work is complete. When there is still no room, the commands are submitted
// one by one, and a command that does not fit alone fails.
import { soon } from "@muxkit/cargo";
import { muxWaitAll } from "@muxkit/mux";

import { Submission, type SubmissionOwner, ownerOf } from "./submission.ts";
import { type Chain, chainsOf } from "./chains.ts";
import { OpenCLError } from "./error.ts";
import type { Event } from "./event.ts";
import { commandFailure, dependencyError } from "./failure.ts";
import { fromMux } from "./from-mux.ts";
import { CL_SUBMITTED } from "./generated/constants.ts";
import { type PendingList, returnToPending } from "./pending-list.ts";

const CALL = "clFlush";

/** A chain that the runtime refused, and the list to which its commands returned. */
interface Refusal {
  readonly events: readonly Event[];
  readonly error: OpenCLError;
  readonly pending: PendingList;
}

/**
 * Submits the pending list of a queue, or its next portion unless the one before it is still on the device. When
 * `until` is passed, a chain ends with that command, so that nothing after it delays it.
 */
export function submitPending(owner: SubmissionOwner, until: Event | null): void {
  let queue = owner;
  let isRetry = false;
  for (;;) {
    const { pending } = queue;
    if (pending === null || pending.inFlight !== null) return;
    for (const one of pending.owners) one.makeRoom();
    // Making room may have found a failure, or submitted the list.
    if (queue.pending !== pending || pending.inFlight !== null) continue;
    const refusal = submitList(pending, until);
    if (refusal !== null) {
      queue = ownerOf(refusal.events[0] as Event);
      if (!isRetry) retireEverything(queue);
      else if (refusal.events.length > 1) refusal.pending.narrow();
      else failRefused(refusal);
    }
    isRetry = refusal !== null && !isRetry;
  }
}

/** Submits a pending list from the event loop, unless that happens before. */
export function submitSoon(pending: PendingList): void {
  soon(() => {
    const owner = pending.owners.find((one) => one.pending === pending);
    if (owner !== undefined) submitPending(owner, null);
  });
}

/** Waits for all work of the device and retires it: the runtime may be full of earlier work, of any queue. */
function retireEverything({ context, resources }: SubmissionOwner): void {
  fromMux(CALL, muxWaitAll(resources.queue));
  for (const queue of context.queues) queue.retire();
}

/** Fails a command that the runtime has no room for even when it is submitted alone. */
function failRefused({ events, error }: Refusal): void {
  for (const event of events) {
    event.pending?.remove(event);
    ownerOf(event).conclude(event, error);
  }
}

/** Submits what a list releases. Chains from the first refused one on go back to the list. */
function submitList(pending: PendingList, until: Event | null): Refusal | null {
  const taken = pending.take();
  const failing: Event[] = [];
  const chains = chainsOf(withoutFailed(taken, failing), ownerOf, until);
  let refusal: Refusal | null = null;
  for (let i = 0; i < chains.length && refusal === null; i++) {
    const { events } = chains[i] as Chain;
    const error = submitChain(chains[i] as Chain, pending.isRecovering && pending.size > 0 ? pending : null);
    if (error === null) continue;
    refusal = { events, error, pending: returnToPending(chains.slice(i).flatMap((chain) => chain.events)) };
  }
  for (const event of failing) ownerOf(event).conclude(event, event.error);
  return refusal;
}

/** Removes the commands that wait for a failed one. They never run, and their own followers are removed in turn. */
function withoutFailed(events: readonly Event[], failing: Event[]): readonly Event[] {
  let i = 0;
  // Most commands have no wait list.
  while (
    i < events.length &&
    ((events[i] as Event).command?.waits.length === 0 || failureBefore(events[i] as Event) === null)
  )
    i++;
  if (i === events.length) return events;
  const left = events.slice(0, i);
  for (; i < events.length; i++) {
    const event = events[i] as Event;
    const failed = failureBefore(event);
    if (failed === null) left.push(event);
    else {
      event.error = dependencyError(event.commandType, failed);
      failing.push(event);
    }
  }
  return left;
}

/** The error of the first failed command in the wait list of an event; null: none has failed. */
export function failureBefore({ command }: Event): OpenCLError | null {
  if (command === null) return null;
  const { waits } = command;
  for (let i = 0; i < waits.length; i++) {
    const { error } = waits[i] as Event;
    if (error !== null) return error;
  }
  return null;
}

/** Submits a chain; `pending` is the list of which it is a portion. Returns the error when the runtime refuses it. */
function submitChain(chain: Chain, pending: PendingList | null): OpenCLError | null {
  const { events } = chain;
  const first = ownerOf(events[0] as Event);
  const owners = ownersOf(events, first);
  let submission: Submission | null = null;
  try {
    submission = new Submission(events, owners, first.resources, CALL, events[0]?.command?.instances);
    submission.record(CALL);
    const submitted = submission.submit(predecessorsOf(chain));
    if (!submitted.ok) throw commandFailure((events[0] as Event).commandType, submitted.error);
  } catch (error) {
    submission?.free();
    if (error instanceof OpenCLError) return error;
    throw error;
  }
  chain.submission = submission;
  pending?.began(submission);
  for (let i = 0; i < owners.length; i++) (owners[i] as SubmissionOwner).began(submission);
  for (let i = 0; i < events.length; i++) {
    const event = events[i] as Event;
    event.submission = submission;
    if (event.queue.profiles) event.times.submit = ownerOf(event).now();
    event.advance(CL_SUBMITTED);
  }
  return null;
}

function ownersOf(events: readonly Event[], first: SubmissionOwner): readonly SubmissionOwner[] {
  const owners = [first];
  let last = first;
  for (let i = 1; i < events.length; i++) {
    const { owner } = (events[i] as Event).queue;
    if (owner === last || owner === null) continue;
    last = owner;
    if (!owners.includes(owner)) owners.push(owner);
  }
  return owners;
}

function predecessorsOf({ submissions, chains }: Chain): readonly Submission[] {
  const list = [...submissions];
  for (const { submission } of chains) if (submission !== null) list.push(submission);
  return list;
}
