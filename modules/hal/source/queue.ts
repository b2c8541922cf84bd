// SPDX-License-Identifier: Apache-2.0
// How dispatches run: on the calling thread, when somebody waits or the event loop comes round.
import { type Result, err, ok } from "@muxkit/cargo";
import { type MuxDevice, type MuxFailure, MuxResult, type MuxTarget, muxError } from "@muxkit/mux";

import {
  type Dispatch,
  HalMuxCommandBuffer,
  HalMuxDevice,
  HalMuxFence,
  HalMuxQueryPool,
  HalMuxQueue,
  HalMuxSemaphore,
} from "./objects.ts";
import { own } from "./own.ts";

/** Runs a command buffer; the first command that fails ends it. */
function runCommands(device: MuxDevice, queue: HalMuxQueue, commands: HalMuxCommandBuffer): MuxFailure | null {
  const { hal } = own(device, HalMuxDevice);
  for (const [commandId, { run }] of commands.commands.entries()) {
    const failure = run(hal, queue, commands);
    if (failure !== null) return { ...failure, commandId };
  }
  return null;
}

const PREVENTED: MuxFailure = {
  code: MuxResult.error_fence_failure,
  message: "something that this work waits for has failed",
};

function runDispatch(queue: HalMuxQueue, { commands, fence, waits, signals, told, completed }: Dispatch): void {
  const isPrevented = waits.some(({ failed }) => failed);
  for (const semaphore of waits) semaphore.signalled = false;
  const failure = isPrevented ? PREVENTED : runCommands(queue.device, queue, commands);
  told?.(
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

/** Takes the first dispatch off the queue that waits for nothing; null: there is none. */
function takeNext({ waiting }: HalMuxQueue): Dispatch | null {
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

/** Lets the event loop run what is dispatched, where nobody waits. */
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

function tryWait(queue: HalMuxQueue, fence: HalMuxFence): Result<"ready" | "not_ready", MuxFailure> {
  progress(queue, fence);
  return answerOf(fence);
}

function waitAll(queue: HalMuxQueue): Result<void, MuxFailure> {
  progress(queue, null);
  return queue.waiting.length === 0
    ? ok()
    : err({
        code: MuxResult.error_failure,
        message: "what is waited for can never complete: it waits for a semaphore that no dispatch signals",
      });
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
  dispatch: (given, commandBuffer, fence, waitSemaphores, signalSemaphores, told, completed) => {
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
      told,
      completed,
    });
    awaitTurn(queue);
    return ok();
  },
  tryWait: (queue, _timeout, fence) => tryWait(own(queue, HalMuxQueue), own(fence, HalMuxFence)),
  waitAll: (queue) => waitAll(own(queue, HalMuxQueue)),
  tryWaitAsync: async (queue, _timeout, fence) => {
    await Promise.resolve();
    return tryWait(own(queue, HalMuxQueue), own(fence, HalMuxFence));
  },
  waitAllAsync: async (queue) => {
    await Promise.resolve();
    return waitAll(own(queue, HalMuxQueue));
  },
};
