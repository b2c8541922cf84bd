// SPDX-License-Identifier: Apache-2.0
// Retires submissions: completes the events of those that the device has finished, and limits what a failure affects.
//
// The contract. A command that fails makes those commands fail that name its event in their wait lists, and those that
// wait for these, and no others. The order of a queue, barriers and markers do not pass a failure on.
//
// The device is stricter: after a failed command the rest of its submission does not run, nor does any submission that
// waits for its semaphore, directly or indirectly. None of these commands has begun or ever will. So when the failure
// of a submission is noticed, these steps happen before anything else is submitted and before any callback runs:
//
// 1. Commands before the failed one are complete, and the failed one gets its error.
// 2. The transitive successors of the submission are cancelled (a worklist over `successors`). They keep their command
//    buffer, fence and semaphore until the device is done with them; nothing waits for their semaphores, because each
//    submission that did is cancelled too.
// 3. The commands after the failed one and those of cancelled submissions go back to pending lists, sorted by the order
//    of enqueueing. Thus they are before later commands of their queues and before the commands of any queue that wait
//    for them, which are in the same list because their submissions were cancelled as well. Their events still have the
//    status CL_SUBMITTED, and their objects stay in use.
// 4. The list is submitted again in portions (pending-list.ts). Commands that wait for a failed event are completed
//    with an error then, and chains are computed again from the current state of events and queues.
//
// Invariant: an incomplete command is in exactly one container: postponed, in a pending list, or in a submission that
// is not cancelled. Whatever a command on the device waits for is complete or on the device.
//
// Before: A = [a1, a2 (fails), a3], B = [b1 (waits for a3's semaphore), b2].
// After: a1 complete, a2 failed, pending list [a3, b1, b2], B cancelled.
//
// Cost: linear in the commands that are retired or cancelled, plus the sort of step 3.
import type { MuxError } from "@muxkit/mux";

import { type Submission, ownerOf } from "./submission.ts";
import type { Event } from "./event.ts";
import { commandFailure } from "./failure.ts";
import { submitSoon } from "./submit.ts";
import { returnToPending } from "./pending-list.ts";

/** Cancelled submissions that the device is not done with. */
const CANCELLED = new Set<Submission>();

/** Retires a submission if it is complete. Returns false when it is not. */
export function retireIfComplete(submission: Submission): boolean {
  if (submission.retired) return true;
  const waited = submission.wait(0);
  if (waited.ok && waited.value === "not_ready") return false;
  retireSubmission(submission, waited.ok ? null : waited.error);
  return true;
}

/** Retires a complete submission; `error` means that it has failed. */
export function retireSubmission(submission: Submission, error: MuxError | null): void {
  if (CANCELLED.size > 0) freeCancelled();
  if (submission.retired) return;
  const isInherited = error !== null && error.commandId === undefined && hasFailedPredecessor(submission);
  // Retiring the predecessors may have retired or cancelled this one.
  if (submission.retired || submission.cancelled) return;
  const { events } = submission;
  let [complete, failed] = [events.length, events.length];
  if (error !== null) {
    complete = isInherited || error.commandId === undefined ? 0 : submission.commandAt(error.commandId);
    if (isInherited) failed = 0;
    else if (error.commandId !== undefined) failed = complete + 1;
    submission.failed = true;
  }
  submission.readTimes(complete);
  for (const owner of submission.owners) owner.ended(submission);
  if (error !== null)
    for (let i = complete; i < failed; i++)
      (events[i] as Event).error = commandFailure((events[i] as Event).commandType, error);
  // Where the failed command is unknown, the successors report their own result.
  if (error !== null) withdraw(submission, failed, isInherited || error.commandId !== undefined);
  leavePendingList(submission);
  submission.free();
  const [only] = submission.owners;
  const isShared = submission.owners.length > 1;
  for (let i = 0; i < failed; i++) {
    const event = events[i] as Event;
    (isShared || only === undefined ? ownerOf(event) : only).conclude(event, event.error);
  }
}

/** True when a submission that this one waited for has failed. */
function hasFailedPredecessor(submission: Submission): boolean {
  const { predecessors } = submission;
  // A failed one may come after a submission of its queue that still runs, so each is checked by itself.
  for (const before of predecessors) retireIfComplete(before);
  return predecessors.some(({ failed }) => failed);
}

/** Returns the commands of a failed submission from index `from` on, and those of its successors, to a pending list. */
function withdraw(submission: Submission, from: number, cancels: boolean): void {
  const withdrawn = submission.events.slice(from);
  const cancelled: Submission[] = [];
  if (cancels) cancelSuccessors(submission, cancelled);
  for (const one of cancelled) for (const event of one.events) withdrawn.push(event);
  for (const event of withdrawn) event.submission = null;
  if (withdrawn.length > 0) {
    const pending = returnToPending(withdrawn);
    pending.recover();
    submitSoon(pending);
  }
  for (const one of cancelled) leavePendingList(one);
  freeCancelled();
  for (const one of cancelled) if (!one.retired) void one.complete().then(freeCancelled);
}

/** Cancels everything on the device that waits for a submission, directly or indirectly. */
function cancelSuccessors(submission: Submission, cancelled: Submission[]): void {
  const worklist = [submission];
  for (const one of worklist) {
    for (const next of one.successors) {
      if (next.cancelled || next.retired) continue;
      next.cancelled = true;
      for (const owner of next.owners) owner.ended(next);
      CANCELLED.add(next);
      worklist.push(next);
      cancelled.push(next);
    }
  }
}

/** Submits the next portion when all of the last one has been retired. */
function leavePendingList(submission: Submission): void {
  const pending = submission.portionOf;
  if (pending?.ended(submission) === true) submitSoon(pending);
}

/** Frees the cancelled submissions that the device is done with. */
function freeCancelled(): void {
  for (const submission of CANCELLED) {
    const waited = submission.wait(0);
    if (waited.ok && waited.value === "not_ready") continue;
    CANCELLED.delete(submission);
    submission.free();
  }
}
