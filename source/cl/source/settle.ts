// SPDX-License-Identifier: Apache-2.0
// What becomes of batches that are complete, and what the failure of a command takes along.
//
// The contract. A command that fails makes those fail whose wait lists name its event, and those that wait for these; nobody else. The order of a queue, barriers and markers let others come behind it all the same.
// On the device a failure reaches further: the rest of the batch does not run, nor does any batch that waits for its semaphore, directly or by way of others. None of these commands has begun, nor ever will.
// When the failure of a batch is noticed, before anything else is handed over and before anybody is told, all of them come back in one step:
//
// - Commands before the failed one are complete. The failed one has its error. Batches that wait for this one are cancelled; they keep command buffer, fence and semaphore until the device is through with them, and
//   nobody waits for their semaphores: who did is cancelled too.
// - Commands behind the failed one and those of cancelled batches are in windows again, in the order of arrival, and so in front of later commands of their queues and of commands, of whatever queue, that wait for them;
//   those are in the same window, since what was on the device of them was cancelled with them. Their events go on saying CL_SUBMITTED.
// - The window is handed over in portions. What waits for a failed event is sorted out then; chains are made anew, of what events and queues say at that moment. Memory and objects of commands stay held.
//
// So an unsettled command is in one place at each moment: postponed, in a window, or in a batch that is not cancelled. And whatever a command on the device waits for is settled or on the device.
import type { MuxError } from "@muxkit/mux";

import { type Batch, ownerOf } from "./batch.ts";
import type { Event } from "./event.ts";
import { commandFailure } from "./failure.ts";
import { handOverSoon } from "./hand-over.ts";
import { gather } from "./window.ts";

/** Cancelled batches that the device is not through with. */
const CANCELLED = new Set<Batch>();

/** Settles a batch that is complete; false: it is not. */
export function settleIfComplete(batch: Batch): boolean {
  if (batch.settled) return true;
  const waited = batch.wait(0);
  if (waited.ok && waited.value === "not_ready") return false;
  settleBatch(batch, waited.ok ? null : waited.error);
  return true;
}

/** A batch is complete; with an error, it has failed. */
export function settleBatch(batch: Batch, error: MuxError | null): void {
  if (CANCELLED.size > 0) freeCancelled();
  if (batch.settled) return;
  const isTakenAlong = error !== null && error.commandId === undefined && hasFailedBefore(batch);
  // Batches before it may have been settled just now.
  if (batch.settled || batch.cancelled) return;
  const { events } = batch;
  let [complete, failed] = [events.length, events.length];
  if (error !== null) {
    complete = isTakenAlong || error.commandId === undefined ? 0 : batch.commandAt(error.commandId);
    if (isTakenAlong) failed = 0;
    else if (error.commandId !== undefined) failed = complete + 1;
    batch.failed = true;
  }
  batch.readTimes(complete);
  for (const owner of batch.owners) owner.ended(batch);
  if (error !== null)
    for (let i = complete; i < failed; i++)
      (events[i] as Event).error = commandFailure((events[i] as Event).commandType, error);
  // Where nobody knows which command it was, those that wait for the batch say themselves what became of them.
  if (error !== null) takeBack(batch, failed, isTakenAlong || error.commandId !== undefined);
  leaveWindow(batch);
  batch.free();
  const [only] = batch.owners;
  const isShared = batch.owners.length > 1;
  for (let i = 0; i < failed; i++) {
    const event = events[i] as Event;
    (isShared || only === undefined ? ownerOf(event) : only).conclude(event, event.error);
  }
}

/** True when something that a batch waited for has failed. */
function hasFailedBefore(batch: Batch): boolean {
  const { predecessors } = batch;
  // What has failed may stand behind something of its queue that still runs, so it is asked for by name.
  for (const before of predecessors) settleIfComplete(before);
  return predecessors.some(({ failed }) => failed);
}

/** Takes back the commands of a failed batch from a place on, and those of all that waits for it. */
function takeBack(batch: Batch, from: number, cancels: boolean): void {
  const lost = batch.events.slice(from);
  const cancelled: Batch[] = [];
  if (cancels) cancelBehind(batch, cancelled);
  for (const one of cancelled) for (const event of one.events) lost.push(event);
  for (const event of lost) event.batch = null;
  if (lost.length > 0) {
    const window = gather(lost);
    window.recover();
    handOverSoon(window);
  }
  for (const one of cancelled) leaveWindow(one);
  freeCancelled();
  for (const one of cancelled) if (!one.settled) void one.complete().then(freeCancelled);
}

/** Cancels everything on the device that waits for a batch. */
function cancelBehind(batch: Batch, cancelled: Batch[]): void {
  const reached = [batch];
  for (const one of reached) {
    for (const next of one.successors) {
      if (next.cancelled || next.settled) continue;
      next.cancelled = true;
      for (const owner of next.owners) owner.ended(next);
      CANCELLED.add(next);
      reached.push(next);
      cancelled.push(next);
    }
  }
}

/** When all of a portion is settled the next one can go. */
function leaveWindow(batch: Batch): void {
  const window = batch.portionOf;
  if (window?.ended(batch) === true) handOverSoon(window);
}

/** Gives back what cancelled batches have, as far as the device is through with them. */
function freeCancelled(): void {
  for (const batch of CANCELLED) {
    const waited = batch.wait(0);
    if (waited.ok && waited.value === "not_ready") continue;
    CANCELLED.delete(batch);
    batch.free();
  }
}
