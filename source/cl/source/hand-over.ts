// SPDX-License-Identifier: Apache-2.0
// The way from a window to the device: what gathered is cut into chains, each becomes a batch, and semaphores join them.
//
// Nothing here calls anybody else's code while commands are on their way, so nobody sees one that is neither in a window nor in a batch. What the runtime has no room for goes back to its window; when
// everything before it is complete, and there is no room for it still, its commands go one by one, and one that finds no room alone has failed.
import { soon } from "@muxkit/cargo";
import { muxWaitAll } from "@muxkit/mux";

import { Batch, type BatchOwner, ownerOf } from "./batch.ts";
import { type Chain, chainsOf } from "./chains.ts";
import { OpenCLError } from "./error.ts";
import type { Event } from "./event.ts";
import { commandFailure, dependencyError } from "./failure.ts";
import { fromMux } from "./from-mux.ts";
import { CL_SUBMITTED } from "./generated/constants.ts";
import { type Window, gather } from "./window.ts";

const CALL = "clFlush";

/** A chain that the runtime did not take, and where it waits now. */
interface Refusal {
  readonly events: readonly Event[];
  readonly error: OpenCLError;
  readonly window: Window;
}

/** Hands over the window of a queue, or its next portion, unless the one before that is under way. Where an event is given, what comes behind that is no part of what it waits for. */
export function handOver(owner: BatchOwner, until: Event | null): void {
  let queue = owner;
  let isRetry = false;
  for (;;) {
    const { window } = queue;
    if (window === null || window.underWay !== null) return;
    for (const one of window.owners) one.makeRoom();
    // Whoever waited for room may have found a failure, or handed the window over.
    if (queue.window !== window || window.underWay !== null) continue;
    const refusal = dispatchWindow(window, until);
    if (refusal !== null) {
      queue = ownerOf(refusal.events[0] as Event);
      if (!isRetry) settleAll(queue);
      else if (refusal.events.length > 1) refusal.window.narrow();
      else giveUp(refusal);
    }
    isRetry = refusal !== null && !isRetry;
  }
}

/** Hands over a window from the event loop, unless somebody does that before. */
export function handOverSoon(window: Window): void {
  soon(() => {
    const owner = window.owners.find((one) => one.window === window);
    if (owner !== undefined) handOver(owner, null);
  });
}

/** The runtime may be full of earlier work, of other queues too: room comes when that is complete. */
function settleAll({ context, resources }: BatchOwner): void {
  fromMux(CALL, muxWaitAll(resources.queue));
  for (const queue of context.queues) queue.settle();
}

/** A command alone has found no room. */
function giveUp({ events, error }: Refusal): void {
  for (const event of events) {
    event.window?.remove(event);
    ownerOf(event).conclude(event, error);
  }
}

/** Hands over what a window gives. What the runtime does not take, and all behind it, goes back. */
function dispatchWindow(window: Window, until: Event | null): Refusal | null {
  const taken = window.take();
  const failing: Event[] = [];
  const chains = chainsOf(withoutFailed(taken, failing), ownerOf, until);
  let refusal: Refusal | null = null;
  for (let i = 0; i < chains.length && refusal === null; i++) {
    const { events } = chains[i] as Chain;
    const error = dispatch(chains[i] as Chain, window.isRecovering && window.size > 0 ? window : null);
    if (error === null) continue;
    refusal = { events, error, window: gather(chains.slice(i).flatMap((chain) => chain.events)) };
  }
  for (const event of failing) ownerOf(event).conclude(event, event.error);
  return refusal;
}

/** Leaves out what waits for a failure: that never runs, and those that wait for it see so in turn. */
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

/** Why a command of an event's wait list has failed; null: none has. */
export function failureBefore({ command }: Event): OpenCLError | null {
  if (command === null) return null;
  const { waits } = command;
  for (let i = 0; i < waits.length; i++) {
    const { error } = waits[i] as Event;
    if (error !== null) return error;
  }
  return null;
}

/** Hands a chain to the device, as part of a window's portion or not. Gives the error where it is not taken. */
function dispatch(chain: Chain, window: Window | null): OpenCLError | null {
  const { events } = chain;
  const first = ownerOf(events[0] as Event);
  const owners = ownersOf(events, first);
  let batch: Batch | null = null;
  try {
    batch = new Batch(events, owners, first.resources, CALL, events[0]?.command?.instances);
    batch.record(CALL);
    const dispatched = batch.dispatch(predecessorsOf(chain));
    if (!dispatched.ok) throw commandFailure((events[0] as Event).commandType, dispatched.error);
  } catch (error) {
    batch?.free();
    if (error instanceof OpenCLError) return error;
    throw error;
  }
  chain.batch = batch;
  window?.began(batch);
  for (let i = 0; i < owners.length; i++) (owners[i] as BatchOwner).began(batch);
  for (let i = 0; i < events.length; i++) {
    const event = events[i] as Event;
    event.batch = batch;
    if (event.queue.profiles) event.times.submit = ownerOf(event).now();
    event.advance(CL_SUBMITTED);
  }
  return null;
}

function ownersOf(events: readonly Event[], first: BatchOwner): readonly BatchOwner[] {
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

function predecessorsOf({ batches, chains }: Chain): readonly Batch[] {
  const list = [...batches];
  for (const { batch } of chains) if (batch !== null) list.push(batch);
  return list;
}
