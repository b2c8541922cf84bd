// Command queues (OpenCL 3.0, 5.1): commands gather in a batch; batches go to the device in order, chained by semaphores.
//
// Nothing between two batches needs the host thread: the next one starts when the device signals the one before. The host
// thread learns later what is complete: in a blocking call, when somebody asks, or from its event loop.
//
// A failed command takes everything behind it in the chain along, in the runtime's terms. OpenCL wants only those to fail whose
// wait lists name it, so the others are recorded and dispatched once more; they have not begun, so nothing is done twice.
import { assert, soon, TRACER } from "@muxkit/cargo";
import { MuxResult, type MuxError, muxTryWait, muxWaitAll } from "@muxkit/mux";

import { Batch, type Command } from "./batch.ts";
import { CL_COMPLETE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE, CL_SUBMITTED } from "./generated/constants.ts";
import { DeviceResources } from "./device-resources.ts";
import { OpenCLError, require, requireBlocking } from "./error.ts";
import { dependencyError, type Event, type EventSource } from "./event.ts";
import { fromMux } from "./from-mux.ts";
import { callBegins, callEnds } from "./trace.ts";
import { ClObject, live } from "./object.ts";
import { Context, Device } from "./platform.ts";
import { Postponed, blockedForEver } from "./postponed.ts";
import { Replay } from "./replay.ts";

/** Batches that a queue may have on the device: whoever enqueues more waits, and helps, until there is room. */
const MOST_IN_FLIGHT = 16;
/** Commands of a queue that wait to be dispatched again: whoever enqueues more waits until there are fewer. */
const MOST_WAITING = 8192;

const NO_BATCHES: readonly Batch[] = [];

const RESOURCES = new WeakMap<Device, DeviceResources>();

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

/** What the package keeps of a device's runtime objects. */
export function resourcesOf(device: Device, call: string): DeviceResources {
  let resources = RESOURCES.get(device);
  if (resources === undefined) {
    const { device: runtime, queue } = device.open(call);
    resources = new DeviceResources(runtime, queue);
    RESOURCES.set(device, resources);
    const taken = resources;
    device.closing = (why, close) => { taken.close(why, close); };
  }
  return resources;
}

/** A queue whose commands run in order. @public */
export class CommandQueue extends ClObject implements EventSource {
  /** The error for a released one. */
  protected readonly invalid = "CL_INVALID_COMMAND_QUEUE";
  /** Kind, for messages. */
  protected readonly kind = "command queue";
  /** CL_QUEUE_CONTEXT. */
  readonly context: Context;
  /** CL_QUEUE_DEVICE. */
  readonly device: Device;
  /** CL_QUEUE_PROPERTIES. */
  readonly properties: number;
  /** CL_QUEUE_PROPERTIES_ARRAY. @internal */
  readonly propertyList: QueuePropertyList | null;
  readonly #resources: DeviceResources;
  #recording: Batch | null = null;
  readonly #inFlight: Batch[] = [];
  /** Commands that a failure took along and that have to be dispatched again, once everything in flight is settled. */
  readonly #again = new Replay();
  /** Commands that are not settled. */
  #open = 0;
  #watchScheduled = false;
  #isSettling = false;
  readonly #postponed: Postponed;

  /** Made by clCreateCommandQueue. @internal */
  constructor(context: Context, device: Device, properties: number, call: string, propertyList: QueuePropertyList | null = null) {
    super();
    this.context = context;
    this.device = device;
    this.properties = properties;
    this.propertyList = propertyList;
    this.#resources = resourcesOf(device, call);
    if (this.profiles) this.#resources.clockOffset(call);
    this.#postponed = new Postponed({
      isInOrder: (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) === 0,
      place: (event) => { this.#placeReleased(event); },
      flush: () => { this.flush(); },
    });
    context.use();
    context.queues.add(this);
  }

  /** Counters that are read around each command. */
  get counters(): readonly number[] {
    return this.propertyList?.CL_QUEUE_PERFORMANCE_COUNTERS_MUXKIT ?? [];
  }

  /** True: times are measured. */
  get profiles(): boolean {
    return (this.properties & CL_QUEUE_PROFILING_ENABLE) !== 0 || TRACER !== null;
  }

  /** Adds a command. What cannot be recorded is thrown, and nothing changes then. @internal */
  enqueue(call: string, event: Event): void {
    if (this.profiles) event.times.queued = this.#now();
    TRACER?.flowBegin(event, TRACER.now());
    this.#hold(event);
    if (((event.command as Command).waits.length > 0 || this.#postponed.size > 0) && this.#postponed.take(event)) return;
    try {
      this.#place(call, event);
    } catch (error) {
      this.#letGo(event);
      throw error;
    }
    if (this.#recording?.isFull === true) this.flush();
  }

  /** Places a command that does not wait for a user event any more. Nobody called for it, so what goes wrong is its own failure. */
  #placeReleased(event: Event): void {
    try {
      this.#place("clSetUserEventStatus", event);
    } catch (error) {
      if (!(error instanceof OpenCLError)) throw error;
      this.#finish(event, error);
    }
    if (this.#recording?.isFull === true) this.flush();
  }

  /** Records a command into the batch that gathers, or a new one. */
  #place(call: string, event: Event): void {
    const command = event.command as Command;
    const others = command.waits.length === 0 ? NO_BATCHES : this.#othersOf(command);
    // What waits for a failure never runs, so it fails at once: those that wait for it see that in turn.
    const failed = command.waits.length === 0 ? null : command.waits.find(({ error }) => error !== null)?.error ?? null;
    if (failed !== null) {
      this.#finish(event, dependencyError(call, failed));
      return;
    }
    // Whatever else is in the batch need not wait for another queue.
    const isRecorded = command.instances !== undefined;
    if ((others.length > 0 || isRecorded) && (this.#recording?.events.length ?? 0) > 0) this.#dispatchRecording();
    if (isRecorded) {
      this.#recording?.free();
      this.#recording = null;
    }
    this.#recording ??= new Batch(this, this.#resources, call, command.instances);
    const batch = this.#recording;
    batch.add(call, event, command);
    for (const other of others) (batch.external ??= new Set()).add(other);
  }

  /** Batches of other queues that a command waits for. */
  #othersOf({ waits }: Command): readonly Batch[] {
    return waits.flatMap((wait) => {
      const isOther = !wait.settled && wait.queue !== this && wait.queue instanceof CommandQueue;
      return isOther ? wait.queue.#dispatched(wait) ?? [] : [];
    });
  }

  /** The batch in flight that an event of this queue belongs to; null when it is settled meanwhile. */
  #dispatched(event: Event): Batch | null {
    this.flush();
    while (!event.settled && event.batch === null) {
      if (this.#inFlight.length > 0) this.#waitForFirst();
      else this.#replay(event);
    }
    return event.settled ? null : event.batch;
  }

  /** Hands everything over that was enqueued. @internal */
  flush(): void {
    this.settle();
    if (this.#again.size === 0) {
      this.#dispatchRecording();
      return;
    }
    // Behind commands that have to be dispatched again nothing may overtake: it waits its turn. Whoever enqueues without end waits too, and helps.
    if (this.#recording?.isFull !== true) return;
    this.#queueRecording();
    while (this.#again.size > MOST_WAITING && this.#inFlight.length > 0) this.#waitForFirst();
  }

  #dispatchRecording(): void {
    this.#dropFailed();
    const batch = this.#recording;
    if (batch === null || batch.events.length === 0) return;
    this.#recording = null;
    if (this.profiles) {
      const now = this.#now();
      for (const event of batch.events) event.times.submit = now;
    }
    while (this.#inFlight.length >= MOST_IN_FLIGHT) this.#waitForFirst();
    let dispatched = batch.dispatch(this.#inFlight.at(-1) ?? null);
    // The runtime may be full of earlier work, of other queues too: room comes when some of it is complete.
    while (!dispatched.ok && this.#inFlight.length > 0) {
      this.#waitForFirst();
      dispatched = batch.dispatch(this.#inFlight.at(-1) ?? null);
    }
    if (!dispatched.ok && muxWaitAll(this.#resources.queue).ok) dispatched = batch.dispatch(null);
    if (dispatched.ok) {
      this.#inFlight.push(batch);
      for (const event of batch.events) event.advance(CL_SUBMITTED);
      this.#watch();
      return;
    }
    const { events } = batch;
    batch.free();
    // What fails together may work one by one; what fails alone has failed.
    if (events.length > 1) this.#dispatchOneByOne(events);
    else for (const event of events) this.#finish(event, this.#failure(dispatched.error));
  }

  /** Commands whose wait lists have failed since they were recorded must not run: the batch is recorded again without them. */
  #dropFailed(): void {
    const batch = this.#recording;
    if (batch === null || !batch.hasWaits || batch.events.every(({ command }) => command?.waits.every(({ error }) => error === null) ?? true)) return;
    this.#recording = null;
    batch.free();
    for (const event of batch.events) {
      event.batch = null;
      this.#place("clFlush", event);
    }
  }

  #dispatchOneByOne(events: readonly Event[]): void {
    for (const event of events) {
      event.batch = null;
      this.#place("clFlush", event);
      this.#dispatchRecording();
    }
  }

  /** Takes note of what is complete. @internal */
  settle(): void {
    while (!this.#isSettling) {
      const [batch] = this.#inFlight;
      if (batch === undefined) return;
      const waited = muxTryWait(this.#resources.queue, 0, batch.fence);
      if (waited.ok && waited.value === "not_ready") return;
      this.#settleBatch(batch, waited.ok ? null : waited.error);
    }
  }

  /** The oldest batch in flight is complete. */
  #settleBatch(batch: Batch, error: MuxError | null): void {
    this.#inFlight.shift();
    batch.failed = error !== null;
    const { events } = batch;
    const first = error === null ? events.length : error.commandId === undefined ? 0 : batch.commandAt(error.commandId);
    batch.readTimes(first);
    // Other queues are asked, which may ask this one in turn: what comes behind the batch is settled behind it.
    this.#isSettling = true;
    const lostWithOthers = error !== null && error.commandId === undefined && batch.predecessorFailed();
    this.#isSettling = false;
    batch.free();
    for (let i = 0; i < events.length; i++) {
      const event = events[i] as Event;
      if (i < first || error === null) this.#finish(event, null);
      else if (!lostWithOthers && (i === first || error.commandId === undefined)) this.#finish(event, this.#failure(error));
      else {
        event.batch = null;
        this.#again.lose(event);
      }
    }
    if (this.#inFlight.length === 0 && this.#again.size > 0) this.#dispatchAgain();
  }

  /** Everything in flight is settled: what failures took along goes to the device once more, and then what was enqueued since. */
  #dispatchAgain(): void {
    this.#again.settled();
    this.#queueRecording();
    // A portion of which nothing runs, since all of it waits for failures, is followed by the next one at once.
    do this.#replay(null);
    while (this.#inFlight.length === 0 && this.#again.size > 0);
  }

  /** What was enqueued since a failure comes behind what that took along. */
  #queueRecording(): void {
    const later = this.#recording;
    if (later === null) return;
    this.#recording = null;
    for (const event of later.events) {
      event.batch = null;
      this.#again.append(event);
    }
    later.free();
  }

  /** Dispatches again a portion of what failures took along, up to an event that another queue waits for. */
  #replay(until: Event | null): void {
    for (let left = this.#again.portion; left > 0 && this.#recording?.isFull !== true; left--) {
      const event = this.#again.take();
      if (event === null) break;
      this.#place("clFlush", event);
      if (event === until) break;
    }
    this.#dispatchRecording();
  }

  /** A command has come to its end. */
  #finish(event: Event, error: OpenCLError | null): void {
    event.batch = null;
    if (error === null) event.advance(CL_COMPLETE);
    else event.fail(error);
    this.#letGo(event);
  }

  /** Keeps everything that a command needs, and the queue as long as there is one. */
  #hold({ command }: Event): void {
    for (const object of command?.objects ?? []) object.use();
    if (this.#open++ === 0) this.use();
  }

  /** The end of a {@link CommandQueue.#hold}. */
  #letGo(event: Event): void {
    const { command } = event;
    event.command = null;
    for (const object of command?.objects ?? []) object.unuse();
    if (--this.#open === 0) this.unuse();
  }

  #failure(error: MuxError): OpenCLError {
    return new OpenCLError("CL_OUT_OF_RESOURCES", "clEnqueue", error.message, error);
  }

  /** Blocks until the event is settled. @internal */
  waitFor(event: Event): void {
    this.flush();
    while (!event.settled) this.#waitForFirst();
  }

  /** Blocks until everything is complete. @internal */
  finish(): void {
    this.flush();
    while (this.#inFlight.length > 0 || this.#postponed.size > 0) this.#waitForFirst();
  }

  /** The same as a promise. @internal */
  async finishAsync(): Promise<void> {
    this.flush();
    const [batch] = this.#inFlight;
    if (batch === undefined && this.#postponed.size === 0) return;
    await (batch?.complete() ?? this.#postponed.changed());
    this.settle();
    await this.finishAsync();
  }

  /** Nothing is on the device, and the rest waits for user events: native kernels of other queues may set them, and nobody else while this thread blocks. */
  #waitForOthers(): void {
    const before = this.#postponed.size;
    fromMux("clFinish", muxWaitAll(this.#resources.queue));
    this.flush();
    if (this.#inFlight.length === 0 && this.#postponed.size === before) throw blockedForEver("clFinish");
  }

  #waitForFirst(): void {
    const [batch] = this.#inFlight;
    if (batch === undefined && this.#postponed.size > 0) {
      this.#waitForOthers();
      return;
    }
    assert(batch !== undefined, "a queue waits for a command that it never dispatched");
    const waited = muxTryWait(this.#resources.queue, Infinity, batch.fence);
    // Anything but a failed batch means that waiting itself went wrong.
    if (!waited.ok && waited.error.code !== MuxResult.error_fence_failure) fromMux("clFinish", waited);
    // What ran on this thread meanwhile may have settled it.
    if (this.#inFlight[0] === batch) this.#settleBatch(batch, waited.ok ? null : waited.error);
    this.settle();
  }

  /** Lets the event loop learn what is complete, unless a blocking call comes first. */
  #watch(): void {
    if (this.#watchScheduled) return;
    this.#watchScheduled = true;
    soon(() => {
      this.settle();
      const [batch] = this.#inFlight;
      if (batch === undefined) {
        this.#watchScheduled = false;
        return;
      }
      void batch.complete().then(() => {
        this.#watchScheduled = false;
        this.settle();
        if (this.#inFlight.length > 0) this.#watch();
      });
    });
  }

  #now(): number {
    return performance.now() * 1e6 + this.#resources.clockOffset("clEnqueue");
  }

  /** Gives back what it holds. */
  protected free(): void {
    this.#recording?.free();
    this.#recording = null;
    this.context.queues.delete(this);
    this.context.unuse();
  }
}

/**
 * Makes a queue. Commands of a queue run in order, with CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE too.
 * Errors: CL_INVALID_CONTEXT, CL_INVALID_DEVICE, CL_INVALID_VALUE.
 *
 * @public
 */
export function clCreateCommandQueue(context: Context, device: Device, properties: number = 0): CommandQueue {
  const call = "clCreateCommandQueue";
  live(context, Context, "CL_INVALID_CONTEXT", call);
  require(device instanceof Device && context.devices.includes(device), "CL_INVALID_DEVICE", call, "the device is not of this context");
  require((properties & ~(CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)) === 0, "CL_INVALID_VALUE", call, `the properties 0x${properties.toString(16)} are not known`);
  return new CommandQueue(context, device, properties, call);
}

/** Hands everything that was enqueued to the device. Errors: CL_INVALID_COMMAND_QUEUE. @public */
export function clFlush(queue: CommandQueue): void {
  const begin = callBegins();
  live(queue, CommandQueue, "CL_INVALID_COMMAND_QUEUE", "clFlush").flush();
  callEnds("clFlush", begin);
}

/** The same; resolves when it is done. @public */
export async function clFlushAsync(queue: CommandQueue): Promise<void> {
  live(queue, CommandQueue, "CL_INVALID_COMMAND_QUEUE", "clFlushAsync");
  await Promise.resolve();
  queue.flush();
}

/** Blocks, and helps with the work, until everything that was enqueued is complete. Commands that failed say so in their events. Errors: CL_INVALID_COMMAND_QUEUE; CL_INVALID_OPERATION in the main thread of a page. @public */
export function clFinish(queue: CommandQueue): void {
  requireBlocking("clFinish", "await clFinishAsync(queue)");
  const begin = callBegins();
  live(queue, CommandQueue, "CL_INVALID_COMMAND_QUEUE", "clFinish").finish();
  callEnds("clFinish", begin);
}

/** The same without blocking the thread. @public */
export async function clFinishAsync(queue: CommandQueue): Promise<void> {
  await live(queue, CommandQueue, "CL_INVALID_COMMAND_QUEUE", "clFinishAsync").finishAsync();
}
