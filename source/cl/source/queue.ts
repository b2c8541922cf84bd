// SPDX-License-Identifier: Apache-2.0
// A command queue (OpenCL 3.0, 5.1): what was enqueued, what of it is on the device, and who waits for it.
//
// Commands gather in a window (window.ts), which is cut into chains; each goes to the device as a batch, and semaphores join them (hand-over.ts). Nothing between two batches needs the host thread: the next one starts
// when the device signals those that it waits for. The host thread learns later what is complete (settle.ts): in a blocking call, when somebody asks, or from its event loop.
import { assert, TRACER } from "@muxkit/cargo";
import { MuxResult, muxWaitAll } from "@muxkit/mux";

import type { Batch, BatchOwner, Command, Held } from "./batch.ts";
import { type DeviceResources, QUERIES_PER_POOL, resourcesOf } from "./device-resources.ts";
import type { OpenCLError } from "./error.ts";
import { type Event, type EventSource, NO_EVENTS } from "./event.ts";
import { dependencyError } from "./failure.ts";
import { fromMux } from "./from-mux.ts";
import {
  CL_COMPLETE,
  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
  CL_QUEUE_PROFILING_ENABLE,
} from "./generated/constants.ts";
import { failureBefore, handOver } from "./hand-over.ts";
import { ClObject } from "./object.ts";
import { OutOfOrder } from "./out-of-order.ts";
import type { Context, Device } from "./platform.ts";
import { Postponed, blockedForEver } from "./postponed.ts";
import { settleBatch, settleIfComplete } from "./settle.ts";
import { Watch, type Watched } from "./watch.ts";
import { Window, meet } from "./window.ts";

const NO_COUNTERS: readonly number[] = [];

/** Batches that a queue may have on the device: whoever enqueues more waits, and helps, until there is room. */
const MOST_IN_FLIGHT = 16;
/** The same of a queue without order, where each may be a command alone. */
const MOST_AT_ONCE = 256;
/** Commands of a flood of them that may always run at once, where there are threads. */
const LEAST_AT_ONCE = 16;
/** Commands of a batch, and that gather before they are handed over, at most. */
const MOST_COMMANDS = 256;
/** What gathers in a queue without order goes to the device as many batches, which are worth more commands. */
const MOST_GATHERED = 1024;
/** Commands that wait in a window behind a failure: whoever enqueues more waits until there are fewer. */
const MOST_WAITING = 8192;

/** Commands of all queues so far. */
let enqueued = 0;

/** A list of properties for clCreateCommandQueueWithProperties. @public */
export interface QueuePropertyList {
  /** Bits of CL_QUEUE_PROFILING_ENABLE and its like. */
  readonly CL_QUEUE_PROPERTIES?: number;
  /** Bytes of a queue on the device. */
  readonly CL_QUEUE_SIZE?: number;
  /** One of CL_QUEUE_PRIORITY_HIGH_KHR and its like. */
  readonly CL_QUEUE_PRIORITY_KHR?: number;
  /** One of CL_QUEUE_THROTTLE_HIGH_KHR and its like. */
  readonly CL_QUEUE_THROTTLE_KHR?: number;
  /** Counters of the device that are read around each command. */
  readonly CL_QUEUE_PERFORMANCE_COUNTERS_MUXKIT?: readonly number[];
}

/** A queue. @public */
export class CommandQueue extends ClObject implements EventSource, BatchOwner, Watched {
  /** The error for a released one. */
  protected readonly invalid = "CL_INVALID_COMMAND_QUEUE";
  /** Kind, for messages. */
  protected readonly kind = "command queue";
  /** Itself. @internal */
  readonly owner: BatchOwner = this;
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
  /** True: times are measured. */
  readonly profiles: boolean;
  /** What its batches are made of. @internal */
  readonly resources: DeviceResources;
  /** Counters that are read around each command. */
  readonly counters: readonly number[];
  /** Commands of a batch at most. @internal */
  readonly longest: number;
  /** Chains of commands that nothing joins. @internal */
  readonly atOnce: number;
  /** Where its commands gather; null: none do. @internal */
  window: Window | null = null;
  /** Null: the queue is in order. */
  readonly #outOfOrder: OutOfOrder | null;
  /** Batches on the device, of a queue in order each behind the one before it. */
  readonly #inFlight: Batch[] = [];
  /** Commands that are not settled. */
  #open = 0;
  readonly #watch: Watch;
  readonly #postponed: Postponed;

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
    this.profiles = (properties & CL_QUEUE_PROFILING_ENABLE) !== 0 || TRACER !== null;
    this.counters = propertyList?.CL_QUEUE_PERFORMANCE_COUNTERS_MUXKIT ?? NO_COUNTERS;
    this.longest = this.profiles || this.counters.length > 0 ? QUERIES_PER_POOL : MOST_COMMANDS;
    this.atOnce = Math.max(LEAST_AT_ONCE, device.info.computeUnits * 4);
    this.resources = resourcesOf(device, call);
    this.#outOfOrder = this.isInOrder ? null : new OutOfOrder();
    if (this.profiles) this.resources.clockOffset(call);
    this.#watch = new Watch(this);
    this.#postponed = new Postponed({
      isInOrder: this.isInOrder,
      place: (event) => {
        this.#placeBehind(event, (event.command as Command).waits);
      },
      flush: () => {
        this.flush();
      },
    });
    context.use();
    context.queues.add(this);
  }

  /** True when everything that was enqueued is settled, and nothing is measured: a blocking call may do its work itself. @internal */
  get isIdle(): boolean {
    return this.#open === 0 && !this.profiles && this.counters.length === 0;
  }

  /** Batches whose end matters next. @internal */
  get due(): readonly Batch[] {
    return this.isInOrder ? this.#inFlight.slice(0, 1) : this.#inFlight;
  }

  /** The batch on the device that everything behind it waits for. @internal */
  get lastBatch(): Batch | null {
    return this.isInOrder ? (this.#inFlight.at(-1) ?? null) : null;
  }

  /** The host's time on the device's clock, in ns. @internal */
  now(): number {
    return performance.now() * 1e6 + this.resources.clockOffset("clEnqueue");
  }

  /** Adds a command. @internal */
  enqueue(event: Event): void {
    // Where commands are traced, their times are measured.
    if (this.profiles) {
      event.times.queued = this.now();
      TRACER?.flowBegin(event, TRACER.now());
    }
    const { waits, objects } = event.command as Command;
    event.place = enqueued++;
    // Everything that a command needs is kept, and the queue as long as there is one.
    for (let i = 0; i < objects.length; i++) (objects[i] as Held).use();
    if (this.#open++ === 0) this.use();
    if (this.#outOfOrder !== null) event.after = this.#outOfOrder.add(event);
    if (waits.length > 0 || event.after.length > 0 || this.#postponed.size > 0) {
      if (!this.#postponed.take(event)) this.#placeBehind(event, waits);
    } else this.#place(event);
  }

  /** The same as {@link CommandQueue.#place} for a command with a wait list. */
  #placeBehind(event: Event, waits: readonly Event[]): void {
    const failed = failureBefore(event);
    if (failed !== null) {
      // What waits for a failure never runs, so it fails at once: those that wait for it see that in turn.
      this.conclude(event, dependencyError(event.commandType, failed));
      return;
    }
    for (let i = 0; i < waits.length; i++) {
      const { window } = waits[i] as Event;
      if (window !== null) meet(this, window);
    }
    this.#place(event);
  }

  /** Puts a command where it gathers with others until they are handed over; hands them over when there are enough. */
  #place(event: Event): void {
    const window = this.window ?? new Window(this);
    if (window.add(event) < (this.isInOrder ? this.longest : MOST_GATHERED)) return;
    handOver(this, null);
    // Behind a failure a window goes in portions. Whoever enqueues without end waits too, and helps.
    while (this.window !== null && this.window.size > MOST_WAITING) this.#advance();
  }

  /** Hands everything over that was enqueued. Where an event is given, what comes behind that is no part of what it waits for. @internal */
  flush(until: Event | null = null): void {
    // Of a queue without order there may be many, and nothing depends on knowing early.
    if (this.isInOrder) this.settle();
    handOver(this, until);
  }

  /** Waits until there are not too many batches on the device. @internal */
  makeRoom(): void {
    const most = this.isInOrder ? MOST_IN_FLIGHT : MOST_AT_ONCE;
    if (this.#inFlight.length < most) return;
    this.#settleAll();
    // Looking through many batches pays once in a while only.
    const wanted = this.isInOrder ? most : most >> 1;
    for (
      let batch = this.#inFlight[0];
      batch !== undefined && this.#inFlight.length >= wanted;
      batch = this.#inFlight[0]
    )
      this.#waitForBatch(batch);
  }

  /** A batch with commands of the queue's is on the device. @internal */
  began(batch: Batch): void {
    this.#inFlight.push(batch);
    this.#watch.begin();
  }

  /** It is settled, or cancelled. @internal */
  ended(batch: Batch): void {
    const place = this.#inFlight.indexOf(batch);
    if (place >= 0) this.#inFlight.splice(place, 1);
  }

  /** Takes note of what is complete; where an event is given, of what matters to it. @internal */
  settle(event: Event | null = null): void {
    if (this.isInOrder || event === null) this.#settleAll();
    else if (event.batch !== null) settleIfComplete(event.batch);
    if (this.window?.isRecovering === true) handOver(this, null);
  }

  #settleAll(): void {
    if (this.isInOrder)
      for (let batch = this.#inFlight[0]; batch !== undefined && settleIfComplete(batch);) batch = this.#inFlight[0];
    else for (const batch of this.#inFlight.slice()) settleIfComplete(batch);
  }

  /** A command has come to its end. @internal */
  conclude(event: Event, error: OpenCLError | null): void {
    const { objects } = event.command as Command;
    event.batch = null;
    event.command = null;
    if (error === null) event.advance(CL_COMPLETE);
    else event.fail(error);
    if (this.#outOfOrder !== null) {
      event.after = NO_EVENTS;
      this.#outOfOrder.settled(event);
    }
    for (let i = 0; i < objects.length; i++) (objects[i] as Held).unuse();
    if (--this.#open === 0) this.unuse();
  }

  /** Blocks until the event is settled. @internal */
  waitFor(event: Event): void {
    this.flush(event);
    while (!event.settled) {
      if (event.batch === null) this.#advance();
      else this.#waitForBatch(event.batch);
    }
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
    const batch = this.#next;
    if (batch !== null) {
      await batch.complete();
      settleIfComplete(batch);
    } else if (this.window === null) await this.#postponed.changed();
    await this.finishAsync();
  }

  /** The batch whose end brings the queue on: one of its own, or what its window waits for; null: none is on the device. */
  get #next(): Batch | null {
    return this.#inFlight[0] ?? this.window?.underWay ?? null;
  }

  /** Something of the queue is not settled: waits until some more is. */
  #advance(): void {
    const batch = this.#next;
    if (batch !== null) this.#waitForBatch(batch);
    else if (this.window === null) this.#waitForOthers();
    handOver(this, null);
  }

  /** Nothing is on the device, and the rest waits for user events: native kernels of other queues may set them, and nobody else while this thread blocks. */
  #waitForOthers(): void {
    const before = this.#postponed.size;
    assert(before > 0, "a queue waits for a command that it never dispatched");
    fromMux("clFinish", muxWaitAll(this.resources.queue));
    this.flush();
    if (this.#next === null && this.#postponed.size === before) throw blockedForEver("clFinish");
  }

  #waitForBatch(batch: Batch): void {
    const waited = batch.wait(Infinity);
    // Anything but a failed batch means that waiting itself went wrong.
    if (!waited.ok && waited.error.code !== MuxResult.error_fence_failure) fromMux("clFinish", waited);
    // Those before it come first, and what ran on this thread meanwhile may have settled it.
    if (this.isInOrder) this.#settleAll();
    settleBatch(batch, waited.ok ? null : waited.error);
  }

  /** Gives back what it holds. */
  protected free(): void {
    this.context.queues.delete(this);
    this.context.unuse();
  }
}
