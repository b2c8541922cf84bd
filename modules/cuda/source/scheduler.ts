// SPDX-License-Identifier: Apache-2.0
/**
 * Dispatches of a GPU. Streams follow semaphores: a dispatch goes on in the stream of what it comes after where that is
 * the last there, else it takes a stream that has nothing to do and waits by events. So what is not ordered runs at the
 * same time, and what is ordered needs no event. Nothing is waited for to start what follows, unless it needs the host.
 *
 * Cost: a dispatch takes one event, and one more wait for each semaphore of another stream; a look at the GPU asks for
 * one event a stream.
 */
import { type Result, err, ok } from "@muxkit/cargo";
import { type MuxFailure, MuxResult, muxError } from "@muxkit/mux";

import type { GpuAccess } from "./access.ts";
import { type LaunchLimit, limitedOf } from "./commands.ts";
import { Dispatch, type DispatchParts, type Lane, PREVENTED_MARK } from "./dispatch.ts";
import type { CudaGpu, DriverError, Handle } from "./driver.ts";
import { DESTROYED, LOST_BEFORE, LOST_MEANWHILE, PREVENTED, failureOf, isLosing, lossText } from "./failure.ts";
import { type Issuer, finishTails, issue } from "./issue.ts";
import { LimitedLaunch, type Place } from "./limited-launch.ts";
import type { CudaMuxQueue } from "./objects.ts";
import { RegisteredMemory } from "./registered.ts";
import { Staging } from "./staging.ts";
import { StopWords } from "./stop-words.ts";

/** Streams of a GPU: it runs that many kernels and copies at the same time at most. */
const MOST_LANES = 8;

/** What a scheduler is made of. */
export interface SchedulerParts {
  readonly name: string;
  readonly access: GpuAccess;
  /** Most ms that a launch runs; 0: as long as it wants. */
  readonly deadline: number;
}

/** The dispatches of a GPU. */
export class Scheduler {
  /** What is on its way, in the order in which it came. */
  readonly inFlight: Dispatch[] = [];
  readonly gpu: CudaGpu;
  readonly deadline: number;
  /** Why nothing runs any more; null: the GPU is well. */
  lost: MuxFailure | null = null;
  /** Called when something is on its way that nobody may be waiting for. */
  onWork: () => void = () => {};
  private readonly parts: SchedulerParts;
  private readonly lanes: Lane[] = [];
  private readonly events: Handle[] = [];
  private readonly staging: Staging;
  private readonly registered: RegisteredMemory;
  private readonly words: StopWords;
  private issuer: Issuer | null = null;
  private isRunning = false;
  private pass = 0;

  constructor(parts: SchedulerParts) {
    this.parts = parts;
    this.gpu = parts.access.gpu;
    this.deadline = parts.deadline;
    this.staging = new Staging(this.gpu);
    this.words = new StopWords(this.gpu);
    this.registered = new RegisteredMemory(this.gpu, () => {
      this.finishLanes();
    });
  }

  /** Says which queue functions of users get. */
  bind(queue: CudaMuxQueue): void {
    this.issuer = {
      gpu: this.gpu,
      access: this.parts.access,
      staging: this.staging,
      registered: this.registered,
      queue,
      place: () => this.place(),
      wake: () => {
        this.onWork();
      },
      refused: (dispatch, error) => {
        if (isLosing(error)) this.lose(error.message, dispatch);
      },
    };
  }

  /** Takes a dispatch, and starts it where that needs nothing of the host. */
  add(parts: DispatchParts): Result<void, MuxFailure> {
    if (this.lost !== null) return err({ code: MuxResult.error_failure, message: LOST_BEFORE });
    for (const semaphore of parts.signals) semaphore.outcome = "idle";
    const dispatch = new Dispatch(parts);
    if (parts.commandBuffer.isLimited) this.watchLaunches(dispatch);
    for (const semaphore of parts.signals) semaphore.dispatch = dispatch;
    if (parts.fence !== null) {
      parts.fence.dispatch = dispatch;
      parts.fence.outcome = "pending";
      parts.fence.failure = null;
    }
    this.inFlight.push(dispatch);
    if (dispatch.failure === null && dispatch.canStart) this.start(dispatch, false);
    this.onWork();
    return ok();
  }

  /** Tells those who watch launches of a dispatch how they are stopped. */
  private watchLaunches(dispatch: Dispatch): void {
    dispatch.limited = dispatch.commands.flatMap(limitedOf).map(
      ({ kernel, limit }) =>
        new LimitedLaunch(kernel.name, limit as LaunchLimit, () => {
          this.onWork();
        }),
    );
  }

  private place(): Result<Place, DriverError> {
    const { gpu, words } = this;
    // What may fail while the GPU goes on is first: memory may be short.
    const word = words.take();
    if (!word.ok) return word;
    const begun = this.takeEvent();
    if (!begun.ok) return begun;
    const ended = this.takeEvent();
    return ended.ok ? ok({ gpu, words, word: word.value, begun: begun.value, ended: ended.value }) : ended;
  }

  /** A stream for a dispatch, behind what it comes after. */
  private laneOf(dispatch: Dispatch): Result<Lane, DriverError> {
    for (const source of dispatch.sources) {
      const { lane } = source;
      if (lane !== null && lane.last === source) return ok(lane);
    }
    const idle = this.lanes.find(({ last }) => last === null || last.phase === "complete");
    if (idle !== undefined) return ok(idle);
    if (this.lanes.length >= MOST_LANES) return ok(this.lanes[this.pass++ % MOST_LANES] as Lane);
    const stream = this.gpu.createStream();
    if (!stream.ok) return stream;
    const lane: Lane = { stream: stream.value, last: null, busyPass: 0 };
    this.lanes.push(lane);
    return ok(lane);
  }

  private takeEvent(): Result<Handle, DriverError> {
    const known = this.events.pop();
    return known === undefined ? this.gpu.createEvent(false) : ok(known);
  }

  private start(dispatch: Dispatch, isHost: boolean): void {
    const prepared = this.prepare(dispatch);
    if (!prepared.ok) {
      dispatch.failure = failureOf("a stream for the work", prepared.error);
      dispatch.phase = "started";
      return;
    }
    this.issue(dispatch, prepared.value, isHost);
  }

  private prepare(dispatch: Dispatch): Result<Lane, DriverError> {
    const event = this.takeEvent();
    if (!event.ok) return event;
    dispatch.event = event.value;
    const lane = this.laneOf(dispatch);
    if (!lane.ok) return lane;
    for (const source of dispatch.sources) {
      if (source.hasEffects) dispatch.hasEffects = true;
      if (source.phase === "complete" || source.lane === lane.value || source.event === null) continue;
      const waits = this.gpu.waitEvent(lane.value.stream, source.event);
      if (!waits.ok) return waits;
    }
    dispatch.lane = lane.value;
    lane.value.last = dispatch;
    return lane;
  }

  private issue(dispatch: Dispatch, lane: Lane, isHost: boolean): void {
    if (this.issuer !== null) issue(this.issuer, dispatch, lane, isHost);
  }

  /** Goes on with everything that can. Calls functions of users. */
  progress(): void {
    // What a function of the user's waits for goes on when that function has returned.
    if (this.isRunning) return;
    this.isRunning = true;
    try {
      for (let hasMoved = true; hasMoved;) {
        hasMoved = false;
        this.pass++;
        // What is dispatched meanwhile is looked at too.
        for (let i = 0; i < this.inFlight.length; i++) {
          const dispatch = this.inFlight[i] as Dispatch;
          if (dispatch.phase !== "complete" && this.advance(dispatch)) hasMoved = true;
        }
        this.removeComplete();
      }
    } finally {
      this.isRunning = false;
    }
  }

  private removeComplete(): void {
    let kept = 0;
    for (const dispatch of this.inFlight) if (dispatch.phase !== "complete") this.inFlight[kept++] = dispatch;
    this.inFlight.length = kept;
  }

  /** Goes on with one dispatch; false: it cannot. */
  private advance(dispatch: Dispatch): boolean {
    if (this.lost !== null) {
      this.complete(dispatch, dispatch.failure ?? { code: MuxResult.error_failure, message: LOST_MEANWHILE });
      return true;
    }
    switch (dispatch.phase) {
      case "waiting":
        return this.advanceWaiting(dispatch);
      case "asking": {
        if (dispatch.question?.() !== true) return false;
        dispatch.question = null;
        dispatch.next++;
        break;
      }
      default: {
        if (!this.isOver(dispatch)) return false;
        finishTails(dispatch);
        if (dispatch.phase === "started" || dispatch.failure !== null) {
          this.complete(dispatch, dispatch.failure);
          return true;
        }
      }
    }
    if (dispatch.lane !== null) this.issue(dispatch, dispatch.lane, true);
    return true;
  }

  private advanceWaiting(dispatch: Dispatch): boolean {
    dispatch.resolve();
    const hasFailed =
      dispatch.failure === PREVENTED_MARK ||
      dispatch.parts.waits.some(({ outcome }) => outcome === "failed") ||
      dispatch.sources.some(({ phase, failure }) => phase === "complete" && failure !== null);
    if (hasFailed && dispatch.open.length === 0 && dispatch.comesFirst) {
      this.complete(dispatch, PREVENTED);
      return true;
    }
    if (hasFailed || !dispatch.canStart) return false;
    this.start(dispatch, dispatch.comesFirst);
    return true;
  }

  /** True when what was started of a dispatch is done, and what it comes after is over. */
  private isOver(dispatch: Dispatch): boolean {
    if (!dispatch.comesFirst) return false;
    if (dispatch.sources.some(({ failure }) => failure !== null)) dispatch.failure ??= PREVENTED;
    const { lane, event } = dispatch;
    if (!dispatch.hasWork || lane === null || event === null) return true;
    if (lane.busyPass === this.pass) return false;
    const isDone = this.gpu.isDone(event);
    if (isDone.ok && !isDone.value) {
      lane.busyPass = this.pass;
      this.watchClock(dispatch);
      return false;
    }
    if (!isDone.ok) this.fail(dispatch, isDone.error);
    return true;
  }

  /** Notes what the GPU says about work that it has begun. */
  fail(dispatch: Dispatch, error: DriverError): void {
    if (isLosing(error)) this.lose(error.message, dispatch);
    else dispatch.failure ??= failureOf(dispatch.kernels === "" ? "the work" : dispatch.kernels, error);
  }

  private watchClock(dispatch: Dispatch): void {
    for (const limited of dispatch.running)
      if (!limited.watchClock()) {
        this.gpu.abandon();
        this.lose(limited.lossReason, dispatch);
        return;
      }
  }

  private lose(reason: string, dispatch: Dispatch): void {
    if (this.lost !== null) return;
    this.lost = { code: MuxResult.error_failure, message: lossText(this.parts.name, dispatch.kernels, reason) };
    dispatch.failure = this.lost;
  }

  /** Notes a failure of the driver outside of any dispatch. */
  noteFailure(what: string, error: DriverError): MuxFailure {
    if (!isLosing(error)) return failureOf(what, error);
    if (this.lost !== null) return { code: MuxResult.error_failure, message: LOST_BEFORE };
    this.lost = { code: MuxResult.error_failure, message: lossText(this.parts.name, this.running, error.message) };
    return this.lost;
  }

  /** The kernels that may be running. */
  private get running(): string {
    return this.inFlight.find(({ kernels }) => kernels !== "")?.kernels ?? "";
  }

  private complete(dispatch: Dispatch, failure: MuxFailure | null): void {
    const { commandBuffer, callback, signals, fence, completed } = dispatch.parts;
    dispatch.failure = failure;
    dispatch.tails = [];
    if (this.lost === null && dispatch.event !== null && !dispatch.isWatched) this.events.push(dispatch.event);
    callback?.(
      commandBuffer,
      failure === null ? null : muxError(failure.code, "muxDispatch", "", failure.message, failure.commandId),
    );
    dispatch.phase = "complete";
    for (const limited of dispatch.limited) {
      limited.tell();
      if (this.lost === null) this.events.push(...limited.events);
    }
    for (const semaphore of signals) {
      semaphore.outcome = failure === null ? "signalled" : "failed";
      semaphore.dispatch = null;
    }
    if (fence !== null) {
      fence.outcome = "done";
      fence.failure = failure;
      fence.dispatch = null;
    }
    // Chains of dispatches must not keep each other alive.
    dispatch.sources.length = 0;
    completed();
  }

  /** No thread waits for the event of a dispatch any more. */
  endWatch(dispatch: Dispatch): void {
    dispatch.isWatched = false;
    if (dispatch.phase === "complete" && this.lost === null && dispatch.event !== null)
      this.events.push(dispatch.event);
  }

  /** What a dispatch waits for before anything else: itself, or one that it comes after; null: nothing will come. */
  blocker(dispatch: Dispatch | null): Dispatch | null {
    let at = dispatch;
    while (at !== null && at.phase !== "complete") {
      const before: Dispatch | undefined = at.sources.find(({ phase }) => phase !== "complete");
      if (before === undefined) return at.phase === "waiting" ? null : at;
      at = before;
    }
    return null;
  }

  /** True while a function of the user's, or one of the runtime's that it called, goes through the dispatches. */
  get isBusy(): boolean {
    return this.isRunning;
  }

  /** True when all that is on its way waits for semaphores that nothing signals. */
  get isStuck(): boolean {
    return this.inFlight.every((dispatch) => this.blocker(dispatch) === null);
  }

  private finishLanes(): void {
    for (const { last } of this.lanes)
      if (this.lost === null && last !== null && last.phase !== "complete" && last.hasWork && last.event !== null) {
        const done = this.gpu.finish(last.event);
        if (!done.ok) this.fail(last, done.error);
      }
  }

  /** Ends: what is in streams runs to its end, and what is left is told that the device was destroyed. */
  close(): void {
    this.finishLanes();
    for (const dispatch of this.inFlight.splice(0))
      if (dispatch.phase !== "complete") this.complete(dispatch, dispatch.failure ?? DESTROYED);
    if (this.lost !== null) return;
    this.registered.close();
    this.words.close();
    this.staging.close();
    for (const { stream } of this.lanes.splice(0)) this.gpu.destroyStream(stream);
    for (const event of this.events.splice(0)) this.gpu.destroyEvent(event);
  }
}
