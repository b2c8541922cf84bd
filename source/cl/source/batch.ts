// A batch: commands of one queue that go to the device together, as one command buffer of the runtime.
import {
  type MuxCommandBuffer, type MuxError, type MuxFence, type MuxLaunch, type MuxQueryPool, type MuxSemaphore, type MuxSyncPoint, muxCommandBeginQuery, muxCommandEndQuery, muxCommandLaunches, muxDispatch, muxFinalizeCommandBuffer, muxGetQueryPoolResults, muxTryWaitAsync,
} from "@muxkit/mux";
import { type Result, ok, TRACER } from "@muxkit/cargo";

import { type DeviceResources, QUERIES_PER_POOL } from "./device-resources.ts";
import type { Event, EventSource } from "./event.ts";
import { fromMux, orElse } from "./from-mux.ts";
import { traceCommand } from "./trace.ts";

const NO_BATCHES: readonly Batch[] = [];

/** Most commands of a batch. */
const MOST_COMMANDS = 256;

/** Something that must not be freed while a command needs it. @internal */
export interface Held {
  /** The command needs it. */
  use(): void;
  /** It does no longer. */
  unuse(): void;
}

/** A command buffer of the runtime that was recorded and finalized beforehand, and what measures it. @internal */
export interface Instance {
  /** It is in flight once at a time. */
  readonly commands: MuxCommandBuffer;
  /** Query 0 is its beginning and end; null: it is not measured. */
  readonly queries: MuxQueryPool | null;
}

/** Where instances come from. @internal */
export interface Instances {
  /** One for a dispatch. */
  take(call: string): Instance;
  /** The dispatch is complete, or did not take place. */
  give(call: string, instance: Instance): void;
}

/** What an event's command does: enough to record it once more when a failure before it took it along. Launches without wait lists share theirs. @internal */
export interface Command {
  /** Events that have to be complete before. */
  readonly waits: readonly Event[];
  /** What the command needs until it is complete. */
  readonly objects: readonly Held[];
  /** Records it; null: it does nothing on the device, or is a launch. */
  readonly record: ((commands: MuxCommandBuffer) => Result<MuxSyncPoint, MuxError>) | null;
  /** The launch that it is; null: it is none. */
  readonly launch: MuxLaunch | null;
  /** It is what was recorded beforehand, and a batch of its own. */
  readonly instances?: Instances;
}

/** Commands of one queue that go to the device together. */
export class Batch {
  /** The commands' events, in order. */
  readonly events: Event[] = [];
  /** True when a command has a wait list. */
  hasWaits = false;
  readonly fence: MuxFence;
  /** Batches of other queues that this one waits for. */
  external: Set<Batch> | null = null;
  /** True once the batch is complete, well or not. */
  settled = false;
  /** True when it is complete and something of it has failed. */
  failed = false;
  readonly owner: EventSource;
  readonly #resources: DeviceResources;
  readonly #call: string;
  readonly #commandBuffer: MuxCommandBuffer;
  readonly #semaphore: MuxSemaphore;
  readonly #queries: MuxQueryPool | null;
  /** Reads the owner's counters around each command; null: there are none. */
  readonly #counters: MuxQueryPool | null;
  /** Launches that are still to be recorded: one call takes all that follow each other. */
  #launches: MuxLaunch[] = [];
  #isFinalized = false;
  /** Promises that wait for the fence: meanwhile it cannot be used again. */
  #watchers = 0;
  /** The batch itself and the batches that wait for its semaphore. */
  #semaphoreUses = 1;
  /** What it waits for once it is dispatched. */
  #predecessors: readonly Batch[] = [];
  /** What was recorded beforehand, and where it came from; null: the batch records. */
  readonly #recorded: { readonly instance: Instance; readonly from: Instances } | null;

  constructor(owner: EventSource, resources: DeviceResources, call: string, from: Instances | null = null) {
    this.owner = owner;
    this.#resources = resources;
    this.#call = call;
    const instance = from?.take(call) ?? null;
    this.#recorded = from === null || instance === null ? null : { instance, from };
    this.#isFinalized = instance !== null;
    // An instance reads no counters: it was recorded for every queue like its own.
    const counters = owner.counters.length === 0 || instance !== null ? null : resources.createCounters(call, owner.counters, QUERIES_PER_POOL);
    this.#counters = counters;
    const giveBack = (): void => {
      if (instance !== null) from?.give(call, instance);
      if (counters !== null) resources.destroyCounters(call, counters);
    };
    const { commandBuffer, fence, semaphore, queries } = orElse(giveBack, () => resources.takeBatch(call, owner.profiles && instance === null, instance?.commands ?? null));
    this.#commandBuffer = commandBuffer;
    this.fence = fence;
    this.#semaphore = semaphore;
    this.#queries = owner.profiles && instance !== null ? instance.queries : queries;
  }

  /** True when no more commands fit in. */
  get isFull(): boolean {
    if (this.#recorded !== null) return true;
    return this.events.length >= (this.#queries === null ? MOST_COMMANDS : QUERIES_PER_POOL);
  }

  /** Adds a command. What the runtime does not take is thrown; the batch is as before then. */
  add(call: string, event: Event, command: Command): void {
    if (command.launch !== null && this.#queries === null) this.#launches.push(command.launch);
    else if (this.#recorded === null) this.#record(call, command);
    if (command.waits.length > 0) this.hasWaits = true;
    event.batch = this;
    this.events.push(event);
  }

  #record(call: string, { record, launch }: Command): void {
    const commandBuffer = this.#commandBuffer;
    const queries = this.#queries;
    const index = this.events.length;
    fromMux(call, this.#recordLaunches());
    const counters = this.#counters;
    const count = this.owner.counters.length;
    if (queries !== null) fromMux(call, muxCommandBeginQuery(commandBuffer, queries, index, 1, []));
    if (counters !== null) fromMux(call, muxCommandBeginQuery(commandBuffer, counters, index * count, count, []));
    if (record !== null) fromMux(call, record(commandBuffer));
    if (launch !== null) fromMux(call, muxCommandLaunches(commandBuffer, [launch], []));
    if (counters !== null) fromMux(call, muxCommandEndQuery(commandBuffer, counters, index * count, count, []));
    if (queries !== null) fromMux(call, muxCommandEndQuery(commandBuffer, queries, index, 1, []));
  }

  #recordLaunches(): Result<unknown, MuxError> {
    if (this.#launches.length === 0) return ok(null);
    const launches = this.#launches;
    this.#launches = [];
    return muxCommandLaunches(this.#commandBuffer, launches, []);
  }

  /** Hands the batch to the device, behind `previous` and the batches of other queues. */
  dispatch(previous: Batch | null): Result<void, MuxError> {
    if (!this.#isFinalized) {
      const recorded = this.#recordLaunches();
      if (!recorded.ok) return recorded;
      const finalized = muxFinalizeCommandBuffer(this.#commandBuffer);
      if (!finalized.ok) return finalized;
      this.#isFinalized = true;
    }
    const predecessors = previous === null && this.external === null ? NO_BATCHES : [...(previous === null ? [] : [previous]), ...this.external ?? []].filter(({ settled }) => !settled);
    const dispatched = muxDispatch(this.#resources.queue, this.#commandBuffer, this.fence, predecessors.map((batch) => batch.#semaphore), [this.#semaphore], null);
    if (!dispatched.ok) return dispatched;
    this.#predecessors = predecessors;
    for (const batch of predecessors) batch.#semaphoreUses++;
    return dispatched;
  }

  /** The command of ours that a command of the runtime belongs to: those that do something are one each, and measuring adds two. */
  commandAt(commandId: number): number {
    if (this.#recorded !== null) return 0;
    let end = 0;
    return Math.max(0, this.events.findIndex(({ command }) => {
      end += (command === null || (command.record === null && command.launch === null) ? 0 : 1) + (this.#queries === null ? 0 : 2) + (this.#counters === null ? 0 : 2);
      return commandId < end;
    }));
  }

  /** True when something that the batch waited for has failed. */
  predecessorFailed(): boolean {
    for (const { owner } of this.#predecessors) owner.settle();
    return this.#predecessors.some(({ failed }) => failed);
  }

  /** Writes the measured times into the first `count` events. */
  readTimes(count: number): void {
    if (this.#queries === null || count === 0) return;
    this.#readCounters(count);
    const results = muxGetQueryPoolResults(this.#resources.queue, this.#queries, 0, count);
    if (!results.ok) return;
    for (const [i, result] of results.value.entries()) {
      const times = this.events[i]?.times;
      if (times === undefined || !("start" in result)) continue;
      times.start = Number(result.start);
      times.end = Number(result.end);
      // The offset between the two clocks is measured, so it is off by some hundred ns.
      times.submit = Math.min(times.submit, times.start);
      times.queued = Math.min(times.queued, times.submit);
      const event = this.events[i];
      if (TRACER !== null && event !== undefined) traceCommand(event, this.#resources.clockOffset(this.#call));
    }
  }

  #readCounters(count: number): void {
    const each = this.owner.counters.length;
    if (this.#counters === null) return;
    const results = muxGetQueryPoolResults(this.#resources.queue, this.#counters, 0, count * each);
    if (!results.ok) return;
    const values = results.value.map((result) => ("value" in result ? Number(result.value) : 0));
    for (let i = 0; i < count; i++) (this.events[i] as Event).counts = values.slice(i * each, (i + 1) * each);
  }

  /** The batch is complete, or was never dispatched: gives back what it has of the runtime. */
  free(): void {
    this.settled = true;
    if (this.#recorded !== null) this.#recorded.from.give(this.#call, this.#recorded.instance);
    else {
      this.#resources.giveCommandBuffer(this.#call, this.#commandBuffer);
      if (this.#queries !== null) this.#resources.giveQueryPool(this.#call, this.#queries);
      if (this.#counters !== null) this.#resources.destroyCounters(this.#call, this.#counters);
    }
    if (this.#watchers === 0) this.#resources.giveFence(this.#call, this.fence);
    this.#leaveSemaphore();
    for (const batch of this.#predecessors) batch.#leaveSemaphore();
    this.external = null;
  }

  /** Resolves when the batch is complete, well or not. */
  async complete(): Promise<void> {
    this.#watchers++;
    // How it went is what the queue asks when it settles the batch.
    void (await muxTryWaitAsync(this.#resources.queue, Infinity, this.fence));
    if (--this.#watchers === 0 && this.settled) this.#resources.giveFence(this.#call, this.fence);
  }

  #leaveSemaphore(): void {
    if (--this.#semaphoreUses === 0) this.#resources.giveSemaphore(this.#call, this.#semaphore);
  }
}
