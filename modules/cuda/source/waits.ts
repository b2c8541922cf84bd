// SPDX-License-Identifier: Apache-2.0
/**
 * Waiting for dispatches: by the thread, and in the event loop. The event loop looks at the GPU for 100 µs after
 * something was dispatched; then threads of the pool wait for the oldest work of a few streams, and a timer looks at
 * the others.
 */
import { type Result, err, ok } from "@muxkit/cargo";
import type { MuxFailure } from "@muxkit/mux";

import type { Dispatch } from "./dispatch.ts";
import { STUCK } from "./failure.ts";
import type { CudaMuxFence } from "./objects.ts";
import type { Scheduler } from "./scheduler.ts";

const NANOSECONDS_PER_MILLISECOND = 1e6;
/** How long a thread asks again and again, in ms, before it sleeps between. */
const SPIN_MS = 0.1;
/** How long it sleeps then, in ms. */
const SLEEP_MS = 0.5;
/** How often the timer looks, in ms. */
const TIMER_MS = 1;
/** Threads of the pool, which others need too, that wait for GPUs. */
const MOST_WATCHED = 2;

const SLEEPER = new Int32Array(new SharedArrayBuffer(4));

/** Sleeps without the event loop. */
function sleep(milliseconds: number): void {
  Atomics.wait(SLEEPER, 0, 0, milliseconds);
}

type Answer = Result<"ready" | "not_ready", MuxFailure>;

function answerOf({ outcome, failure }: CudaMuxFence): Answer {
  if (failure !== null) return err(failure);
  return ok(outcome === "done" ? "ready" : "not_ready");
}

/** Blocks the thread until a dispatch may go on, or until a time. */
function block(scheduler: Scheduler, dispatch: Dispatch, end: number): void {
  const { gpu } = scheduler;
  const { event, hasWork } = dispatch;
  if (dispatch.phase === "asking" || event === null || !hasWork) {
    sleep(Math.max(0, Math.min(SLEEP_MS, end - performance.now())));
    return;
  }
  if (end === Infinity && !dispatch.needsClock) {
    const done = gpu.finish(event);
    if (!done.ok) scheduler.fail(dispatch, done.error);
    return;
  }
  const spinsUntil = performance.now() + SPIN_MS;
  for (;;) {
    const done = gpu.isDone(event);
    const now = performance.now();
    if (!done.ok || done.value || now >= end) return;
    if (now < spinsUntil) continue;
    sleep(Math.min(SLEEP_MS, end - now));
    return;
  }
}

/** Waits for a fence, for at most `timeout` ns. */
export function tryWait(scheduler: Scheduler, timeout: number, fence: CudaMuxFence): Answer {
  const end = timeout === Infinity ? Infinity : performance.now() + timeout / NANOSECONDS_PER_MILLISECOND;
  for (;;) {
    scheduler.progress();
    if (fence.outcome !== "pending" || (timeout !== Infinity && performance.now() >= end)) return answerOf(fence);
    const blocker = scheduler.blocker(fence.dispatch);
    if (blocker === null || scheduler.isBusy) return answerOf(fence);
    block(scheduler, blocker, end);
  }
}

/** Waits until nothing is on its way. */
export function waitAll(scheduler: Scheduler): Result<void, MuxFailure> {
  for (;;) {
    scheduler.progress();
    const [first] = scheduler.inFlight;
    if (first === undefined) return ok();
    let blocker: Dispatch | null = null;
    for (const dispatch of scheduler.inFlight) blocker ??= scheduler.blocker(dispatch);
    if (blocker === null || scheduler.isBusy) return err(STUCK);
    block(scheduler, blocker, Infinity);
  }
}

interface Waiter {
  readonly isOver: () => boolean;
  readonly end: number;
  readonly resolve: () => void;
}

/** What the event loop does for a GPU. */
export class EventLoop {
  private readonly scheduler: Scheduler;
  private readonly waiters = new Set<Waiter>();
  private isPlanned = false;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private watched = 0;
  private spinsUntil = 0;
  private isClosed = false;

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler;
    scheduler.onWork = () => {
      this.kick();
    };
  }

  /** Looks at the GPU soon, and for a while. */
  kick(): void {
    this.spinsUntil = performance.now() + SPIN_MS;
    this.plan();
  }

  private plan(): void {
    if (this.isPlanned || this.isClosed) return;
    this.isPlanned = true;
    setImmediate(() => {
      this.isPlanned = false;
      this.turn();
    });
  }

  private turn(): void {
    if (this.isClosed) return;
    this.scheduler.progress();
    const now = performance.now();
    for (const waiter of this.waiters)
      if (waiter.isOver() || now >= waiter.end) {
        this.waiters.delete(waiter);
        waiter.resolve();
      }
    if (this.scheduler.inFlight.length === 0 && this.waiters.size === 0) return;
    if (now < this.spinsUntil) this.plan();
    else this.rest();
  }

  /** Lets threads of the pool wait, and a timer look at what they do not wait for. */
  private rest(): void {
    let needsTimer = this.scheduler.inFlight.some(({ needsClock }) => needsClock);
    for (const { end } of this.waiters) if (end !== Infinity) needsTimer = true;
    for (const dispatch of this.scheduler.inFlight) {
      if (dispatch.isWatched) continue;
      const isWork = dispatch.event !== null && dispatch.hasWork && dispatch.comesFirst;
      if (isWork && this.watched < MOST_WATCHED && !dispatch.needsClock) this.watch(dispatch);
      // What comes after something is started, or is over, when that is.
      else if (isWork || dispatch.phase === "asking") needsTimer = true;
    }
    if (!needsTimer || this.timer !== null) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.turn();
    }, TIMER_MS);
  }

  private watch(dispatch: Dispatch): void {
    const { event } = dispatch;
    if (event === null) return;
    this.watched++;
    dispatch.isWatched = true;
    void this.scheduler.gpu.finishLater(event).then(() => {
      this.watched--;
      this.scheduler.endWatch(dispatch);
      this.kick();
      return null;
    });
  }

  /** Fulfilled when something is so, or at a time. */
  private async until(isOver: () => boolean, end: number): Promise<void> {
    if (isOver()) return;
    await new Promise<void>((resolve) => {
      this.waiters.add({ isOver, end, resolve });
      this.kick();
    });
  }

  /** Waits for a fence, for at most `timeout` ns, in the event loop. */
  async tryWait(timeout: number, fence: CudaMuxFence): Promise<Answer> {
    const end = timeout === Infinity ? Infinity : performance.now() + timeout / NANOSECONDS_PER_MILLISECOND;
    this.scheduler.progress();
    const { dispatch } = fence;
    if (fence.outcome === "pending")
      await this.until(() => fence.outcome !== "pending" || fence.dispatch !== dispatch, end);
    return answerOf(fence);
  }

  /** Waits until nothing is on its way, in the event loop. */
  async waitAll(): Promise<Result<void, MuxFailure>> {
    this.scheduler.progress();
    await this.until(() => this.scheduler.inFlight.length === 0 || this.scheduler.isStuck, Infinity);
    return this.scheduler.inFlight.length === 0 ? ok() : err(STUCK);
  }

  /** Stops. */
  close(): void {
    this.isClosed = true;
    if (this.timer !== null) clearTimeout(this.timer);
    for (const waiter of this.waiters) waiter.resolve();
    this.waiters.clear();
  }
}
