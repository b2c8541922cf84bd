// SPDX-License-Identifier: Apache-2.0
// How dispatches run: on the calling thread, when something waits for them or in a turn of the event loop. A command
// that the device completes later (a promise) keeps the queue until then; dispatches never overlap.
import { type Result, err, ok } from "@muxkit/cargo";
import { type MuxFailure, MuxResult, type MuxTarget, muxError } from "@muxkit/mux";

import {
  type Dispatch,
  HalMuxCommandBuffer,
  HalMuxDevice,
  HalMuxFence,
  HalMuxQueryPool,
  HalMuxQueue,
  HalMuxSemaphore,
  type Outcome,
} from "./objects.ts";
import { own } from "./own.ts";

/** Runs the commands from one on, the next when one is complete; the first that fails ends it. */
function runCommands(queue: HalMuxQueue, commands: HalMuxCommandBuffer, first: number): Outcome {
  const { hal } = own(queue.device, HalMuxDevice);
  const list = commands.commands;
  for (let commandId = first; commandId < list.length; commandId++) {
    const outcome = list[commandId]?.run(hal, queue, commands) ?? null;
    if (outcome instanceof Promise)
      return outcome.then((failure) => {
        if (failure !== null) return { ...failure, commandId };
        return queue.device.state.isAlive ? runCommands(queue, commands, commandId + 1) : DESTROYED;
      });
    if (outcome !== null) return { ...outcome, commandId };
  }
  return null;
}

const PREVENTED: MuxFailure = {
  code: MuxResult.error_fence_failure,
  message: "something that this work waits for has failed",
};
const DESTROYED: MuxFailure = {
  code: MuxResult.error_failure,
  message: "the device was destroyed before the work was complete",
};

/** Reports what became of a dispatch. */
function complete({ commands, fence, signals, callback, completed }: Dispatch, failure: MuxFailure | null): void {
  callback?.(
    commands,
    failure === null ? null : muxError(failure.code, "muxDispatch", "", failure.message, failure.commandId),
  );
  for (const semaphore of signals) {
    semaphore.signalled = true;
    semaphore.failed = failure !== null;
  }
  if (fence !== null) {
    fence.outcome = "done";
    fence.failure = failure;
  }
  completed();
}

/**
 * Runs a dispatch, or begins it: then it is in flight, and what waits after it in the queue runs when it is complete.
 */
function runDispatch(queue: HalMuxQueue, dispatch: Dispatch): void {
  const isPrevented = dispatch.waits.some(({ failed }) => failed);
  const outcome = isPrevented ? PREVENTED : runCommands(queue, dispatch.commands, 0);
  if (outcome instanceof Promise) queue.inFlight = completeLater(queue, dispatch, outcome);
  else complete(dispatch, outcome);
}

async function completeLater(
  queue: HalMuxQueue,
  dispatch: Dispatch,
  outcome: Promise<MuxFailure | null>,
): Promise<void> {
  const failure = await outcome;
  queue.inFlight = null;
  complete(dispatch, failure);
  if (queue.device.state.isAlive) progress(queue, null);
}

/** Takes the first dispatch off the queue that waits for nothing; null: there is none. */
function takeNext({ waiting, inFlight }: HalMuxQueue): Dispatch | null {
  if (inFlight !== null) return null;
  const next = waiting.findIndex(({ waits }) => waits.every(({ signalled }) => signalled));
  return next < 0 ? null : (waiting.splice(next, 1)[0] ?? null);
}

/** Runs what can run, until nothing more can or the fence is done. */
function progress(queue: HalMuxQueue, fence: HalMuxFence | null): void {
  const isOver = (): boolean => fence?.outcome === "done";
  if (queue.isRunning || isOver()) return;
  queue.isRunning = true;
  try {
    for (let dispatch = takeNext(queue); dispatch !== null; dispatch = isOver() ? null : takeNext(queue))
      runDispatch(queue, dispatch);
  } finally {
    queue.isRunning = false;
  }
}

/** Lets the event loop run what is dispatched, where no thread waits. */
function awaitTurn(queue: HalMuxQueue): void {
  if (queue.isAwaited) return;
  queue.isAwaited = true;
  setTimeout(() => {
    queue.isAwaited = false;
    if (queue.device.state.isAlive) progress(queue, null);
  }, 0);
}

function answerOf({ outcome, failure }: HalMuxFence): Result<"ready" | "not_ready", MuxFailure> {
  if (failure !== null) return err(failure);
  return ok(outcome === "done" ? "ready" : "not_ready");
}

/** A thread that waits cannot observe a promise. */
const COMPLETES_LATER: Result<never, MuxFailure> = err({
  code: MuxResult.error_failure,
  message: "the device completes work in the event loop: wait with the asynchronous variant of this call",
});

function tryWait(queue: HalMuxQueue, timeout: number, fence: HalMuxFence): Result<"ready" | "not_ready", MuxFailure> {
  progress(queue, fence);
  if (fence.outcome === "pending" && queue.inFlight !== null && timeout === Infinity) return COMPLETES_LATER;
  return answerOf(fence);
}

function waitAll(queue: HalMuxQueue): Result<void, MuxFailure> {
  progress(queue, null);
  if (queue.inFlight !== null) return COMPLETES_LATER;
  return queue.waiting.length === 0
    ? ok()
    : err({
        code: MuxResult.error_failure,
        message: "what is waited for can never complete: it waits for a semaphore that no dispatch signals",
      });
}

const NANOSECONDS_PER_MILLISECOND = 1e6;

/** Waits in the event loop until the dispatch in flight is complete, or for so many nanoseconds. */
async function completion(inFlight: Promise<void>, timeout: number): Promise<void> {
  if (timeout === Infinity) return inFlight;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeout / NANOSECONDS_PER_MILLISECOND);
  });
  await Promise.race([inFlight, late]);
  clearTimeout(timer);
}

/** Waits for a fence while the device completes one dispatch after the other. */
async function tryWaitAsync(
  queue: HalMuxQueue,
  timeout: number,
  fence: HalMuxFence,
): Promise<Result<"ready" | "not_ready", MuxFailure>> {
  const end = performance.now() + timeout / NANOSECONDS_PER_MILLISECOND;
  progress(queue, fence);
  while (fence.outcome === "pending" && queue.inFlight !== null) {
    const left = (end - performance.now()) * NANOSECONDS_PER_MILLISECOND;
    if (left <= 0) break;
    // One after the other: each completion may begin the next dispatch.
    // oxlint-disable-next-line no-await-in-loop
    await completion(queue.inFlight, left);
  }
  return answerOf(fence);
}

async function waitAllAsync(queue: HalMuxQueue): Promise<Result<void, MuxFailure>> {
  progress(queue, null);
  // oxlint-disable-next-line no-await-in-loop
  while (queue.inFlight !== null) await queue.inFlight;
  return waitAll(queue);
}

const timesOf = (pool: HalMuxQueryPool, first: number, count: number): { start: bigint; end: bigint }[] =>
  pool.times.slice(first, first + count);

/** The device's clock: that of the host, in ns. */
export const now = (): bigint => BigInt(Math.round(performance.now() * 1e6));

/** Changes the times of some queries. */
export function setTimes(
  pool: HalMuxQueryPool,
  first: number,
  count: number,
  times: Partial<{ start: bigint; end: bigint }>,
): null {
  for (const one of timesOf(pool, first, count)) Object.assign(one, times);
  return null;
}

/** The entry points of queues, fences, semaphores and queries. */
export const SYNCHRONISATION: Pick<
  MuxTarget,
  | "getQueue"
  | "createFence"
  | "createSemaphore"
  | "createQueryPool"
  | "getQueryPoolResults"
  | "dispatch"
  | "tryWait"
  | "waitAll"
  | "tryWaitAsync"
  | "waitAllAsync"
> = {
  getQueue: (device) => ok(own(device, HalMuxDevice).queue),
  createFence: (device) => ok(new HalMuxFence({ device })),
  createSemaphore: (device) => ok(new HalMuxSemaphore({ device })),
  createQueryPool: (queue, type, count) => ok(new HalMuxQueryPool({ device: queue.device, queue, type, count })),
  getQueryPoolResults: (_queue, pool, index, count) =>
    ok(timesOf(own(pool, HalMuxQueryPool), index, count).map((times) => ({ ...times }))),
  dispatch: (given, commandBuffer, fence, waitSemaphores, signalSemaphores, callback, completed) => {
    const queue = own(given, HalMuxQueue);
    const commands = own(commandBuffer, HalMuxCommandBuffer);
    const [waits, signals] = [waitSemaphores, signalSemaphores].map((list) =>
      list.map((semaphore) => own(semaphore, HalMuxSemaphore)),
    );
    if (fence !== null) Object.assign(own(fence, HalMuxFence), { outcome: "pending", failure: null });
    for (const semaphore of signals ?? []) Object.assign(semaphore, { signalled: false, failed: false });
    queue.waiting.push({
      commands,
      fence: fence === null ? null : own(fence, HalMuxFence),
      waits: waits ?? [],
      signals: signals ?? [],
      callback,
      completed,
    });
    awaitTurn(queue);
    return ok();
  },
  tryWait: (queue, timeout, fence) => tryWait(own(queue, HalMuxQueue), timeout, own(fence, HalMuxFence)),
  waitAll: (queue) => waitAll(own(queue, HalMuxQueue)),
  tryWaitAsync: async (queue, timeout, fence) => {
    await Promise.resolve();
    return tryWaitAsync(own(queue, HalMuxQueue), timeout, own(fence, HalMuxFence));
  },
  waitAllAsync: async (queue) => {
    await Promise.resolve();
    return waitAllAsync(own(queue, HalMuxQueue));
  },
};
