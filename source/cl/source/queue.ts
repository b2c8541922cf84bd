// Command queues (OpenCL 3.0, 5.1): commands gather in a window, which is cut into chains; each goes to the device as a batch, and semaphores join them.
//
// Nothing between two batches needs the host thread: the next one starts when the device signals those that it waits for. The host
// thread learns later what is complete: in a blocking call, when somebody asks, or from its event loop.
//
// A failed command takes everything behind it along, in the runtime's terms. OpenCL wants only those to fail whose
// wait lists name it, so the others are recorded and dispatched once more; they have not begun, so nothing is done twice.
import { assert, soon, TRACER } from "@muxkit/cargo";
import { MuxResult, type MuxError, muxTryWait, muxWaitAll } from "@muxkit/mux";

import { Batch, type Command } from "./batch.ts";
import { CL_COMPLETE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE, CL_SUBMITTED } from "./generated/constants.ts";
import { type Chain, chainsOf } from "./chains.ts";
import { DeviceResources, QUERIES_PER_POOL } from "./device-resources.ts";
import { OpenCLError, require, requireBlocking } from "./error.ts";
import { type Event, type EventSource, NO_EVENTS } from "./event.ts";
import { commandFailure, dependencyError } from "./failure.ts";
import { fromMux } from "./from-mux.ts";
import { ClObject, live } from "./object.ts";
import { Context, Device } from "./platform.ts";
import { OutOfOrder } from "./out-of-order.ts";
import { Postponed, blockedForEver } from "./postponed.ts";
import { HELD_UP, resumeHeldUp } from "./held-up.ts";
import { Replay } from "./replay.ts";
import { callBegins, callEnds } from "./trace.ts";
import { Window } from "./window.ts";

const NO_COUNTERS: readonly number[] = [];

/** Batches that a queue may have on the device: whoever enqueues more waits, and helps, until there is room. */
const MOST_IN_FLIGHT = 16;
/** The same of a queue without order, where each may be a command alone. */
const MOST_AT_ONCE = 256;
/** Commands of a flood of them that may always run at once, where there are threads. */
const LEAST_AT_ONCE = 16;
/** Commands that gather before they are handed over, at most. */
const MOST_COMMANDS = 256;
/** Commands of a queue that wait to be dispatched again: whoever enqueues more waits until there are fewer. */
const MOST_WAITING = 8192;

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

/** A queue. @public */
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
  /** True: every command waits for the one before it. @internal */
  readonly isInOrder: boolean;
  /** Commands that gather until they are handed over. @internal */
  window: Window | null = null;
  readonly #resources: DeviceResources;
  /** Null: the queue is in order. */
  readonly #outOfOrder: OutOfOrder | null;
  readonly #inFlight: Batch[] = [];
  /** Commands that a failure took along and that have to be dispatched again, once everything in flight is settled. While there are some, others wait behind them. */
  readonly #again = new Replay();
  #isReplaying = false;
  /** Commands so far, and those that are not settled. */
  #enqueued = 0;
  #open = 0;
  #watchScheduled = false;
  readonly #postponed: Postponed;

  /** Made by clCreateCommandQueue. @internal */
  constructor(context: Context, device: Device, properties: number, call: string, propertyList: QueuePropertyList | null = null) {
    super();
    this.context = context;
    this.device = device;
    this.properties = properties;
    this.propertyList = propertyList;
    this.isInOrder = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) === 0;
    this.#resources = resourcesOf(device, call);
    this.#outOfOrder = this.isInOrder ? null : new OutOfOrder();
    if (this.profiles) this.#resources.clockOffset(call);
    this.#postponed = new Postponed({
      isInOrder: this.isInOrder,
      place: (event) => { this.#place(event); },
      flush: () => { this.flush(); },
    });
    context.use();
    context.queues.add(this);
  }

  /** Counters that are read around each command. */
  get counters(): readonly number[] {
    return this.propertyList?.CL_QUEUE_PERFORMANCE_COUNTERS_MUXKIT ?? NO_COUNTERS;
  }

  /** True: times are measured. */
  get profiles(): boolean {
    return (this.properties & CL_QUEUE_PROFILING_ENABLE) !== 0 || TRACER !== null;
  }

  /** True when everything that was enqueued is settled, and nothing is measured: a blocking call may do its work itself. @internal */
  get isIdle(): boolean {
    return this.#open === 0 && !this.profiles && this.counters.length === 0;
  }

  /** The batch on the device that everything behind it waits for. @internal */
  get lastBatch(): Batch | null {
    return this.isInOrder ? this.#inFlight.at(-1) ?? null : null;
  }

  /** Commands of a batch at most. @internal */
  get longest(): number {
    return this.profiles || this.counters.length > 0 ? QUERIES_PER_POOL : MOST_COMMANDS;
  }

  /** Chains of commands that nothing joins. @internal */
  get atOnce(): number {
    return Math.max(LEAST_AT_ONCE, this.device.info.computeUnits * 4);
  }

  /** Adds a command. @internal */
  enqueue(event: Event): void {
    if (this.profiles) event.times.queued = this.#now();
    TRACER?.flowBegin(event, TRACER.now());
    event.place = this.#enqueued++;
    this.#hold(event);
    if (this.#outOfOrder !== null) event.after = this.#outOfOrder.add(event);
    const mayWait = (event.command as Command).waits.length > 0 || event.after.length > 0 || this.#postponed.size > 0;
    if (mayWait && this.#postponed.take(event)) return;
    this.#place(event);
  }

  /** Puts a command where it gathers with others until they are handed over; hands them over when there are enough. */
  #place(event: Event): void {
    this.#flushOthers(event);
    if (!this.#isReplaying && (this.#again.size > 0 || isHeldUp(event))) {
      // Behind commands that have to be dispatched again nothing may overtake. Whoever enqueues without end waits too, and helps.
      this.#again.append(event);
      if (this.#inFlight.length === 0) HELD_UP.add(this);
      while (this.#again.size > MOST_WAITING && this.#inFlight.length > 0) this.#waitForFirst();
      return;
    }
    const { waits } = event.command as Command;
    for (let i = 0; i < waits.length; i++) this.#meet(waits[i] as Event);
    if (this.#hasFailed(event)) return;
    this.window ??= new Window(this);
    this.window.add(event);
    if (this.window.events.length >= this.longest) this.flush();
  }

  /** What waits for a failure never runs, so it fails at once: those that wait for it see that in turn. */
  #hasFailed(event: Event): boolean {
    const { waits } = event.command as Command;
    const failed = waits.length === 0 ? null : waits.find(({ error }) => error !== null)?.error ?? null;
    if (failed !== null) this.#finish(event, dependencyError(event.commandType, failed));
    return failed !== null;
  }

  /** What gathers for another device, or another part of this one, goes there first. */
  #flushOthers({ command }: Event): void {
    const waits = command?.waits ?? NO_EVENTS;
    for (let i = 0; i < waits.length; i++) {
      const wait = waits[i] as Event;
      if (wait.window !== null && queueOf(wait).#resources !== this.#resources) queueOf(wait).flush(wait);
    }
  }

  /** A command of this queue waits for one that gathers elsewhere: from now on both windows are one. */
  #meet({ window }: Event): void {
    if (window === null || window === this.window) return;
    if (this.window !== null) window.absorb(this.window);
    else {
      this.window = window;
      window.owners.push(this);
    }
  }

  /** Hands everything over that was enqueued. Where an event is given, what comes behind that is no part of what it waits for. @internal */
  flush(until: Event | null = null): void {
    // Of a queue without order there may be many, and nothing depends on knowing early.
    if (this.isInOrder) this.settle();
    if (this.#again.size > 0 && this.#inFlight.length === 0) this.#dispatchAgain();
    this.#dispatchWindow(until);
  }

  #dispatchWindow(until: Event | null): void {
    if (this.window === null) return;
    for (const owner of this.window.owners) owner.makeRoom();
    // Whoever waited for room may have found a failure, which takes the window apart.
    const events = this.window?.dissolve() ?? [];
    const chains = chainsOf(events.filter((event) => !queueOf(event).#hasFailed(event)), queueOf, until);
    for (const chain of chains) CommandQueue.#dispatch(chain);
    if (chains.length > 0) resumeHeldUp();
  }

  /** Waits until there are not too many batches on the device. @internal */
  makeRoom(): void {
    const most = this.isInOrder ? MOST_IN_FLIGHT : MOST_AT_ONCE;
    if (this.#inFlight.length < most) return;
    this.settle();
    // Looking through many batches pays once in a while only.
    const wanted = this.isInOrder ? most : most >> 1;
    while (this.#inFlight.length >= wanted) this.#waitForFirst();
  }

  /** Hands a chain to the device. What the device does not take fails. */
  static #dispatch(chain: Chain): void {
    // What it waits for may have failed to be handed over a moment ago.
    const events = chain.events.filter((event) => !queueOf(event).#hasFailed(event));
    if (CommandQueue.#waitTogether(events)) return;
    const recorded = CommandQueue.#record(events);
    if (recorded === null) return;
    const predecessors = [...chain.batches, ...chain.chains.flatMap(({ batch }) => batch ?? [])];
    let dispatched = recorded.dispatch(predecessors);
    if (!dispatched.ok) {
      // The runtime may be full of earlier work, of other queues too: room comes when that is complete.
      fromMux("clFlush", muxWaitAll(queueOf(events[0] as Event).#resources.queue));
      const owners = recorded.owners as readonly CommandQueue[];
      for (const owner of owners) owner.settle();
      // What they come behind may have failed meanwhile, or wait to be dispatched again.
      const isLate = recorded.events.some((event) => queueOf(event).#comesLater(event, recorded.events) || event.command?.waits.some(({ error }) => error !== null) === true);
      if (isLate) {
        recorded.free();
        CommandQueue.#dispatch({ ...chain, events: recorded.events });
        return;
      }
      dispatched = recorded.dispatch(predecessors);
    }
    if (dispatched.ok) {
      chain.batch = recorded;
      CommandQueue.#dispatched(recorded);
      return;
    }
    recorded.free();
    // What fails together may work one by one; what fails alone has failed.
    if (recorded.events.length === 1) queueOf(recorded.events[0] as Event).#finish(recorded.events[0] as Event, commandFailure((recorded.events[0] as Event).commandType, dispatched.error));
    else CommandQueue.#dispatchOneByOne(recorded.events, chain);
  }

  static #dispatchOneByOne(events: readonly Event[], { batches, chains }: Chain): void {
    const before = [...chains];
    for (const event of events) {
      const one: Chain = { events: [event], batches, chains: before, batch: null };
      CommandQueue.#dispatch(one);
      before.push(one);
    }
  }

  /** Records commands; those that the runtime does not take fail. Null: none is left. */
  static #record(events: readonly Event[]): Batch | null {
    let left = [...events];
    for (;;) {
      const [first] = left;
      if (first === undefined) return null;
      const batch = CommandQueue.#newBatch(left, first);
      if (batch === null) return null;
      const refused = left.findIndex((event) => {
        try {
          batch.add("clFlush", event, event.command as Command);
          return false;
        } catch (error) {
          if (!(error instanceof OpenCLError)) throw error;
          queueOf(event).#finish(event, error);
          return true;
        }
      });
      if (refused < 0) return batch;
      batch.free();
      left.splice(refused, 1);
      // What waits for it must not run either.
      left = left.filter((event) => !queueOf(event).#hasFailed(event));
    }
  }

  /** A batch for commands; where the runtime has none left, they fail. */
  static #newBatch(events: readonly Event[], first: Event): Batch | null {
    try {
      return new Batch([...new Set(events.map(queueOf))], queueOf(first).#resources, "clFlush", first.command?.instances);
    } catch (error) {
      if (!(error instanceof OpenCLError)) throw error;
      for (const event of events) queueOf(event).#finish(event, error);
      return null;
    }
  }

  /** A batch is on the device. */
  static #dispatched(batch: Batch): void {
    for (const owner of batch.owners as readonly CommandQueue[]) {
      owner.#inFlight.push(batch);
      owner.#watch();
    }
    for (const event of batch.events) {
      if (event.queue.profiles) event.times.submit = queueOf(event).#now();
      event.advance(CL_SUBMITTED);
    }
  }

  /** Takes note of what is complete; where an event is given, of what matters to it. @internal */
  settle(event: Event | null = null): void {
    if (this.isInOrder) for (let batch = this.#inFlight[0]; batch !== undefined && this.settleIfComplete(batch);) batch = this.#inFlight[0];
    else if (event !== null && event.batch !== null) this.settleIfComplete(event.batch);
    else for (const batch of this.#inFlight.slice()) this.settleIfComplete(batch);
  }

  /** Settles a batch that is complete; false: it is not. @internal */
  settleIfComplete(batch: Batch): boolean {
    if (batch.settled) return true;
    const waited = muxTryWait(this.#resources.queue, 0, batch.fence);
    if (waited.ok && waited.value === "not_ready") return false;
    CommandQueue.#settleBatch(batch, waited.ok ? null : waited.error);
    return true;
  }

  /** A batch is complete. */
  static #settleBatch(batch: Batch, error: MuxError | null): void {
    const owners = batch.owners as readonly CommandQueue[];
    for (const owner of owners) owner.#inFlight.splice(owner.#inFlight.indexOf(batch), 1);
    batch.failed = error !== null;
    const { events } = batch;
    const first = error === null ? events.length : error.commandId === undefined ? 0 : batch.commandAt(error.commandId);
    batch.readTimes(first);
    const lostWithOthers = error !== null && error.commandId === undefined && batch.predecessorFailed();
    batch.free();
    for (let i = 0; i < events.length; i++) {
      const event = events[i] as Event;
      const queue = queueOf(event);
      if (i < first || error === null) queue.#finish(event, null);
      else if (!lostWithOthers && (i === first || error.commandId === undefined)) queue.#finish(event, commandFailure(event.commandType, error));
      else queue.#lose(event);
    }
    for (const owner of owners) if (owner.#inFlight.length === 0 && owner.#again.size > 0) owner.#dispatchAgain();
    resumeHeldUp();
  }

  /** A failure has taken a command along: it is dispatched again, before all that was not dispatched yet. */
  #lose(event: Event): void {
    event.batch = null;
    this.#again.lose(event);
    for (const waiting of this.window?.dissolve() ?? []) queueOf(waiting).#putBack(waiting);
  }

  /** True for a command that has to come behind one that waits to be dispatched again and is none of these. */
  #comesLater(event: Event, events: readonly Event[]): boolean {
    return (this.isInOrder && this.#again.hasBefore(event)) || waitsOf(event).some((wait) => isNowhere(wait) && !events.includes(wait));
  }

  /** A chain before these commands may have gone back to those that wait, and taken what they come behind along: then they wait too. */
  static #waitTogether(events: readonly Event[]): boolean {
    const isLate = events.some((event) => queueOf(event).#comesLater(event, events));
    if (isLate) for (const event of events) queueOf(event).#waitAgain(event);
    return isLate;
  }

  /** A command waits with those that have to be dispatched again. */
  #waitAgain(event: Event): void {
    this.#again.append(event);
    if (this.#inFlight.length === 0) HELD_UP.add(this);
  }

  /** A command was about to be handed over together with others that have to wait now: it waits with them if it has to. */
  #putBack(event: Event): void {
    const waits = event.command?.waits ?? NO_EVENTS;
    if (this.#again.size > 0 || isHeldUp(event) || waits.some((wait) => wait.window !== null && queueOf(wait).#resources !== this.#resources)) {
      this.#again.append(event);
      if (this.#inFlight.length === 0) HELD_UP.add(this);
      return;
    }
    for (const wait of waits) this.#meet(wait);
    this.window ??= new Window(this);
    this.window.add(event);
  }

  /** Everything in flight is settled: what failures took along goes to the device once more, and then what was enqueued since. */
  #dispatchAgain(): void {
    if (this.#isReplaying) return;
    this.#isReplaying = true;
    this.#again.settled();
    // A portion of which nothing runs, since all of it waits for failures, is followed by the next one at once.
    while (this.#inFlight.length === 0 && this.#replay());
    this.#isReplaying = false;
    if (this.#again.size === 0) HELD_UP.delete(this);
    else if (this.#inFlight.length === 0) HELD_UP.add(this);
  }

  /** Dispatches again a portion of what failures took along; false: there is none, or it waits for what another queue has to dispatch again before. */
  #replay(): boolean {
    if (this.#again.hasLost) this.#again.settled();
    const before = this.#again.size;
    for (let left = this.#again.portion; left > 0; left--) {
      const { first } = this.#again;
      if (first === null || isHeldUp(first)) break;
      this.#again.take();
      this.#place(first);
    }
    this.#dispatchWindow(null);
    return this.#again.size < before;
  }

  /** True when nothing keeps the queue from dispatching again what it has to. @internal */
  get canResume(): boolean {
    const { first } = this.#again;
    return this.#inFlight.length === 0 && (this.#again.hasLost || (first !== null && !isHeldUp(first)));
  }

  /** What it waited for has been dispatched or is settled. @internal */
  resume(): void {
    this.#dispatchAgain();
  }

  /** A command has come to its end. */
  #finish(event: Event, error: OpenCLError | null): void {
    event.batch = null;
    event.after = NO_EVENTS;
    this.#outOfOrder?.settled(event);
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

  /** Blocks until the event is settled. @internal */
  waitFor(event: Event): void {
    this.flush(event);
    while (!event.settled) {
      if (event.batch === null) this.#waitForFirst();
      else this.#waitForBatch(event.batch);
    }
  }

  /** Blocks until everything is complete. @internal */
  finish(): void {
    this.flush();
    while (this.#inFlight.length > 0 || this.#again.size > 0 || this.#postponed.size > 0) this.#waitForFirst();
  }

  /** The same as a promise. @internal */
  async finishAsync(): Promise<void> {
    this.flush();
    const batch = this.#nextBatch();
    if (batch === null && this.#postponed.size === 0) return;
    await (batch?.complete() ?? this.#postponed.changed());
    batch?.owners[0]?.settleIfComplete(batch);
    await this.finishAsync();
  }

  /** The batch whose end brings the queue on: one of its own, or of a queue that it waits for; null: none is on the device. */
  #nextBatch(): Batch | null {
    const [batch] = this.#inFlight;
    if (batch !== undefined) return batch;
    const { first } = this.#again;
    const holdsUp = first === null ? undefined : waitsOf(first).find(isNowhere);
    return holdsUp === undefined ? null : queueOf(holdsUp).#nextBatch();
  }

  /** Nothing is on the device, and the rest waits for user events: native kernels of other queues may set them, and nobody else while this thread blocks. */
  #waitForOthers(): void {
    const before = this.#postponed.size;
    fromMux("clFinish", muxWaitAll(this.#resources.queue));
    this.flush();
    if (this.#inFlight.length === 0 && this.#postponed.size === before) throw blockedForEver("clFinish");
  }

  #waitForFirst(): void {
    const batch = this.#nextBatch();
    if (batch !== null) this.#waitForBatch(batch);
    else if (this.#again.size > 0) this.#dispatchAgain();
    else {
      assert(this.#postponed.size > 0, "a queue waits for a command that it never dispatched");
      this.#waitForOthers();
    }
  }

  #waitForBatch(batch: Batch): void {
    const waited = muxTryWait(this.#resources.queue, Infinity, batch.fence);
    // Anything but a failed batch means that waiting itself went wrong.
    if (!waited.ok && waited.error.code !== MuxResult.error_fence_failure) fromMux("clFinish", waited);
    // Those before it come first, and what ran on this thread meanwhile may have settled it.
    if (this.isInOrder) this.settle();
    if (!batch.settled) CommandQueue.#settleBatch(batch, waited.ok ? null : waited.error);
  }

  /** Lets the event loop learn what is complete, unless a blocking call comes first. */
  #watch(): void {
    if (this.#watchScheduled) return;
    this.#watchScheduled = true;
    soon(() => {
      this.settle();
      const watched = this.isInOrder ? this.#inFlight.slice(0, 1) : this.#inFlight;
      if (watched.length === 0) {
        this.#watchScheduled = false;
        return;
      }
      void Promise.race(watched.map((batch) => batch.complete())).then(() => {
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
    this.context.queues.delete(this);
    this.context.unuse();
  }
}

function queueOf({ queue }: Event): CommandQueue {
  assert(queue instanceof CommandQueue, "a user event is no command of a queue");
  return queue;
}

/** What a command has to come behind, as far as events say it. */
function waitsOf({ command, after }: Event): readonly Event[] {
  return after.length === 0 ? command?.waits ?? NO_EVENTS : [...command?.waits ?? NO_EVENTS, ...after];
}

/** True for a command that a failure took along and that is not dispatched again yet. */
function isNowhere(event: Event): boolean {
  return !event.settled && event.batch === null && event.window === null;
}

/** True for a command that waits for such a one: it cannot be handed over. */
function isHeldUp({ command, after }: Event): boolean {
  const waits = command?.waits ?? NO_EVENTS;
  for (let i = 0; i < waits.length; i++) if (isNowhere(waits[i] as Event)) return true;
  for (let i = 0; i < after.length; i++) if (isNowhere(after[i] as Event)) return true;
  return false;
}

/**
 * Makes a queue. Its commands run in order; with CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, only wait lists and barriers hold them back, and those that do not wait for each other run at once.
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
