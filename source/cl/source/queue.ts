// SPDX-License-Identifier: Apache-2.0
// A command queue (OpenCL 3.0, 5.1): what was enqueued, what of it is on the device, and how callers wait for it.
//
// Commands gather in a pending list (pending-list.ts), which is cut into chains (chains.ts); each chain goes to the
// device as a submission (submit.ts), and semaphores order the submissions. Between two submissions the host thread is
// not needed: the next one starts when the device signals the semaphores that it waits for. The host thread retires
// completed submissions later (retire.ts): in a blocking call, in a query, or from its event loop (watch.ts).
import { assert, TRACER } from "@muxkit/cargo";
import { MuxResult, muxWaitAll } from "@muxkit/mux";

import type { Submission, SubmissionOwner, Command, Held } from "./submission.ts";
import { type DeviceResources, QUERIES_PER_POOL, resourcesOf } from "./device-resources.ts";
import type { OpenCLError } from "./error.ts";
import type { Event, EventSource } from "./event.ts";
import { dependencyError } from "./failure.ts";
import { fromMux } from "./from-mux.ts";
import {
  CL_COMPLETE,
  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
  CL_QUEUE_PROFILING_ENABLE,
} from "./generated/constants.ts";
import { failureBefore, submitPending } from "./submit.ts";
import { ClObject } from "./object.ts";
import { OutOfOrder, predecessorsAfter } from "./out-of-order.ts";
import type { Context, Device } from "./platform.ts";
import { Postponed, blockedForever, noteComplete, releaseCompleted } from "./postponed.ts";
import { retireSubmission, retireIfComplete } from "./retire.ts";
import { Watch, type Watched } from "./watch.ts";
import { PendingList, joinPendingLists } from "./pending-list.ts";

const NO_COUNTERS: readonly number[] = [];

/**
 * Maximum number of submissions on the device: an enqueue beyond that blocks, and helps with the work, until there is
 * room.
 */
const MAX_IN_FLIGHT = 16;
/** The same for an out-of-order queue, where each submission may be a single command. */
const MAX_IN_FLIGHT_OUT_OF_ORDER = 256;
/** Minimum number of parallel chains of independent commands. */
const MIN_PARALLEL_CHAINS = 16;
/** Maximum number of commands in a submission, and of pending commands before they are submitted. */
const MAX_COMMANDS = 256;
/** The same for pending commands of an out-of-order queue, which become many submissions. */
const MAX_GATHERED = 1024;
/** Maximum number of pending commands after a failure: an enqueue beyond that blocks until there are fewer. */
const MAX_PENDING = 8192;

/** The number of commands that were enqueued so far, in all queues. */
let enqueued = 0;

/** A list of properties for clCreateCommandQueueWithProperties. @public */
export interface QueuePropertyList {
  /** Bits of CL_QUEUE_PROFILING_ENABLE and its like. */
  readonly CL_QUEUE_PROPERTIES?: number;
  /** Size in bytes of a queue on the device. */
  readonly CL_QUEUE_SIZE?: number;
  /** One of CL_QUEUE_PRIORITY_HIGH_KHR and its like. */
  readonly CL_QUEUE_PRIORITY_KHR?: number;
  /** One of CL_QUEUE_THROTTLE_HIGH_KHR and its like. */
  readonly CL_QUEUE_THROTTLE_KHR?: number;
  /** Counters of the device that are read around each command. */
  readonly CL_QUEUE_PERFORMANCE_COUNTERS_MUXKIT?: readonly number[];
}

/** A queue. @public */
export class CommandQueue extends ClObject implements EventSource, SubmissionOwner, Watched {
  /** The error for a released one. */
  protected readonly invalid = "CL_INVALID_COMMAND_QUEUE";
  /** Kind, for messages. */
  protected readonly kind = "command queue";
  /** Itself. @internal */
  readonly owner: SubmissionOwner = this;
  /** CL_QUEUE_CONTEXT. */
  readonly context: Context;
  /** CL_QUEUE_DEVICE. */
  readonly device: Device;
  /** CL_QUEUE_PROPERTIES. */
  readonly properties: number;
  /** CL_QUEUE_PROPERTIES_ARRAY. @internal */
  readonly propertyList: QueuePropertyList | null;
  /** True: every command waits for the one before it. @internal */
  readonly isInOrder: boolean;
  /** Number of its device's memory in the context. @internal */
  readonly memory: number;
  /** True: times are measured. */
  profiles: boolean;
  /** The runtime objects of its submissions. @internal */
  readonly resources: DeviceResources;
  /** Counters that are read around each command. */
  readonly counters: readonly number[];
  /** Maximum number of commands in a submission. @internal */
  maxChainLength: number;
  /** Maximum number of chains of independent commands. @internal */
  readonly maxParallelChains: number;
  /** Its commands that are not submitted yet; null: there are none. @internal */
  pending: PendingList | null = null;
  /** Null for an in-order queue. */
  readonly #outOfOrder: OutOfOrder | null;
  /** Submissions on the device, in order. */
  readonly #inFlight: Submission[] = [];
  /** The number of incomplete commands. */
  #open = 0;
  readonly #watch: Watch;
  readonly #postponed: Postponed;
  /** True where its commands may wait for those of other memories, and others for them. */
  readonly #sharesContext: boolean;

  /** Made by clCreateCommandQueue. @internal */
  constructor(
    context: Context,
    device: Device,
    properties: number,
    call: string,
    propertyList: QueuePropertyList | null = null,
  ) {
    super();
    this.context = context;
    this.device = device;
    this.properties = properties;
    this.propertyList = propertyList;
    this.isInOrder = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) === 0;
    this.memory = context.memories?.of(device).index ?? 0;
    this.#sharesContext = context.memories !== null;
    this.profiles = false;
    this.maxChainLength = MAX_COMMANDS;
    this.counters = propertyList?.CL_QUEUE_PERFORMANCE_COUNTERS_MUXKIT ?? NO_COUNTERS;
    this.maxParallelChains = Math.max(MIN_PARALLEL_CHAINS, device.info.computeUnits * 4);
    this.resources = resourcesOf(device, call);
    this.#outOfOrder = this.isInOrder ? null : new OutOfOrder();
    this.measure(false, call);
    this.#watch = new Watch(this);
    this.#postponed = new Postponed({
      isInOrder: this.isInOrder,
      memory: this.memory,
      append: (event) => {
        this.#appendAfterWaits(event, (event.command as Command).waits);
      },
      flush: () => {
        this.flush();
      },
    });
    context.use();
    context.queues.add(this);
  }

  /**
   * Measures all commands that are enqueued from now on; false: only where the queue's properties or a trace ask for
   * it.
   *
   * @internal
   */
  measure(isAsked: boolean, call: string = "clEnqueue"): void {
    this.profiles = isAsked || (this.properties & CL_QUEUE_PROFILING_ENABLE) !== 0 || TRACER !== null;
    this.maxChainLength = this.profiles || this.counters.length > 0 ? QUERIES_PER_POOL : MAX_COMMANDS;
    if (this.profiles) this.resources.clockOffset(call);
  }

  /**
   * True when everything that was enqueued is complete and nothing is measured: a blocking call may do its work on this
   * thread.
   *
   * @internal
   */
  get isIdle(): boolean {
    return this.#open === 0 && !this.profiles && this.counters.length === 0;
  }

  /** The submissions that can be the next to complete. @internal */
  get due(): readonly Submission[] {
    return this.isInOrder ? this.#inFlight.slice(0, 1) : this.#inFlight;
  }

  /** The submission on the device that all later commands wait for. @internal */
  get lastSubmission(): Submission | null {
    return this.isInOrder ? (this.#inFlight.at(-1) ?? null) : null;
  }

  /** The host's time on the device's clock, in ns. @internal */
  now(): number {
    return performance.now() * 1e6 + this.resources.clockOffset("clEnqueue");
  }

  /** Enqueues a command. @internal */
  enqueue(event: Event): void {
    // A trace shows the times of commands, so they are measured then.
    if (this.profiles) {
      event.times.queued = this.now();
      TRACER?.flowBegin(event, TRACER.now());
    }
    const { waits, objects } = event.command as Command;
    event.sequence = enqueued++;
    // A command keeps its objects alive, and an incomplete command keeps the queue alive.
    for (let i = 0; i < objects.length; i++) (objects[i] as Held).use();
    if (this.#open++ === 0) this.use();
    if (this.#outOfOrder !== null) {
      const after = this.#outOfOrder.add(event);
      event.after = event.after.length === 0 ? after : [...event.after, ...after];
    }
    if (waits.length > 0 || event.after.length > 0 || this.#postponed.size > 0) {
      if (!this.#postponed.take(event)) this.#appendAfterWaits(event, waits);
    } else this.#append(event);
  }

  /** The same as {@link CommandQueue.#append} for a command with dependencies. */
  #appendAfterWaits(event: Event, waits: readonly Event[]): void {
    const failed = failureBefore(event);
    if (failed !== null) {
      // A command that waits for a failed one never runs, so it fails at once, and so do those that wait for it.
      this.conclude(event, dependencyError(event.commandType, failed));
      return;
    }
    for (let i = 0; i < waits.length; i++) this.#join(waits[i] as Event);
    // Commands of other queues are there in contexts of several memories only.
    if (this.#sharesContext) for (const before of predecessorsAfter(event.after)) this.#join(before);
    this.#append(event);
  }

  #join({ pending }: Event): void {
    if (pending !== null) joinPendingLists(this, pending);
  }

  /** Appends a command to the pending list, and submits the list when it is long enough. */
  #append(event: Event): void {
    const pending = this.pending ?? new PendingList(this);
    if (pending.add(event) < (this.isInOrder ? this.maxChainLength : MAX_GATHERED)) return;
    submitPending(this, null);
    // After a failure the list is submitted in portions, so enqueueing without end must be slowed down here.
    while (this.pending !== null && this.pending.size > MAX_PENDING) this.#advance();
  }

  /**
   * Submits everything that was enqueued. When `until` is passed, a chain ends with it, so that nothing after it delays
   * it.
   *
   * @internal
   */
  flush(until: Event | null = null): void {
    if (this.#sharesContext) releaseCompleted();
    // An out-of-order queue may have many submissions, and nothing depends on retiring them early.
    if (this.isInOrder) this.retireOwn(null);
    submitPending(this, until);
  }

  /** Blocks until the device has room for another submission. @internal */
  makeRoom(): void {
    const most = this.isInOrder ? MAX_IN_FLIGHT : MAX_IN_FLIGHT_OUT_OF_ORDER;
    if (this.#inFlight.length < most) return;
    this.#retireAll();
    // Searching many submissions is expensive, so it makes room for many.
    const wanted = this.isInOrder ? most : most >> 1;
    for (
      let submission = this.#inFlight[0];
      submission !== undefined && this.#inFlight.length >= wanted;
      submission = this.#inFlight[0]
    )
      this.#waitForSubmission(submission);
  }

  /** A submission that holds commands of this queue is on the device. @internal */
  began(submission: Submission): void {
    this.#inFlight.push(submission);
    this.#watch.begin();
  }

  /** That submission has been retired or cancelled. @internal */
  ended(submission: Submission): void {
    const index = this.#inFlight.indexOf(submission);
    if (index >= 0) this.#inFlight.splice(index, 1);
  }

  /** Retires the submissions that are complete, or, when `event` is passed, the submission of that event. @internal */
  retire(event: Event | null = null): void {
    this.retireOwn(event);
    // What holds the others back may be complete, and nobody asks for it.
    if (!this.#sharesContext || this.#postponed.size === 0) return;
    for (const queue of this.context.queues) queue.retireOwn(null);
    releaseCompleted();
  }

  /** The same for its own commands, whatever they wait for. @internal */
  retireOwn(event: Event | null): void {
    if (this.isInOrder || event === null) this.#retireAll();
    else if (event.submission !== null) retireIfComplete(event.submission);
    if (this.pending?.isRecovering === true) submitPending(this, null);
  }

  #retireAll(): void {
    if (this.isInOrder)
      for (let submission = this.#inFlight[0]; submission !== undefined && retireIfComplete(submission);)
        submission = this.#inFlight[0];
    else for (const submission of this.#inFlight.slice()) retireIfComplete(submission);
  }

  /** Completes a command, successfully or with an error. @internal */
  conclude(event: Event, error: OpenCLError | null): void {
    const { objects, failed } = event.command as Command;
    event.submission = null;
    event.command = null;
    if (error === null) event.advance(CL_COMPLETE);
    else {
      failed?.(error);
      event.fail(error);
    }
    this.#outOfOrder?.retired(event);
    if (this.#sharesContext) noteComplete(event);
    for (let i = 0; i < objects.length; i++) (objects[i] as Held).unuse();
    if (--this.#open === 0) this.unuse();
  }

  /** Blocks until the event is complete. @internal */
  waitFor(event: Event): void {
    this.flush(event);
    while (!event.isComplete) {
      if (event.submission === null) this.#advance();
      else this.#waitForSubmission(event.submission);
    }
  }

  /** Blocks until the event, which nothing holds back, is complete or nearer to that. @internal */
  step(event: Event): void {
    this.flush(event);
    if (event.isComplete) return;
    if (event.submission === null) this.#advance();
    else this.#waitForSubmission(event.submission, true);
  }

  /** Blocks until everything is complete. @internal */
  finish(): void {
    this.flush();
    while (this.#open > 0) this.#advance();
  }

  /** The same as a promise. @internal */
  async finishAsync(): Promise<void> {
    this.flush();
    if (this.#open === 0) return;
    const submission = this.#next;
    if (submission !== null) {
      await submission.complete();
      retireIfComplete(submission);
    } else if (this.pending === null) await this.#postponed.changed();
    await this.finishAsync();
  }

  /**
   * The submission that must complete next: one of its own, or one that its pending list waits for; null: none is on
   * the device.
   */
  get #next(): Submission | null {
    return this.#inFlight[0] ?? this.pending?.inFlight ?? null;
  }

  /** Waits until another incomplete command of the queue is complete. */
  #advance(): void {
    if (this.#sharesContext) releaseCompleted();
    const submission = this.#next;
    if (submission !== null) this.#waitForSubmission(submission);
    else if (this.pending === null) this.#waitForOthers();
    submitPending(this, null);
  }

  /**
   * Nothing is on the device and the remaining commands wait for those of other memories, or for user events: while
   * this thread blocks, only native kernels of other queues can set these.
   */
  #waitForOthers(): void {
    if (this.#open === 0) return;
    const before = this.#postponed.size;
    assert(before > 0, "a queue waits for a command that it never submitted");
    const root = this.#sharesContext ? this.#postponed.root : null;
    if (root !== null) {
      root.queue.step(root);
      return;
    }
    fromMux("clFinish", muxWaitAll(this.resources.queue));
    this.flush();
    if (this.#next === null && this.#postponed.size === before) throw blockedForever("clFinish");
  }

  #waitForSubmission(submission: Submission, isForOthers: boolean = false): void {
    const waited = submission.wait(Infinity);
    // Any error other than a failed submission is an error of the wait itself, which is told where the queue is the
    // caller's; for other queues it is what ends the wait, as when their device is lost.
    if (!waited.ok && !isForOthers && waited.error.code !== MuxResult.error_fence_failure) fromMux("clFinish", waited);
    // Earlier submissions are retired first, and what ran on this thread meanwhile may have retired this one.
    if (this.isInOrder) this.#retireAll();
    retireSubmission(submission, waited.ok ? null : waited.error);
  }

  /** Releases what it holds. */
  protected free(): void {
    this.context.queues.delete(this);
    this.context.unuse();
  }
}
