// SPDX-License-Identifier: Apache-2.0
// A batch: commands that go to the device together and run one after the other, as one command buffer of the runtime.
import {
  type MuxCommandBuffer,
  type MuxError,
  type MuxFence,
  type MuxLaunch,
  type MuxQueryPool,
  type MuxSemaphore,
  type MuxSyncPoint,
  muxCommandBeginQuery,
  muxCommandEndQuery,
  muxCommandLaunches,
  muxDispatch,
  muxFinalizeCommandBuffer,
  muxGetQueryPoolResults,
  muxTryWait,
  muxTryWaitAsync,
} from "@muxkit/mux";
import { type Result, type TraceArguments, assert, ok, TRACER } from "@muxkit/cargo";

import type { Order } from "./chains.ts";
import { type DeviceResources, QUERIES_PER_POOL } from "./device-resources.ts";
import type { OpenCLError } from "./error.ts";
import type { Event } from "./event.ts";
import { fromMux, orElse } from "./from-mux.ts";
import type { Context } from "./platform.ts";
import { traceCommand } from "./trace.ts";
import type { Window } from "./window.ts";

/** A queue, for those who hand its commands over and settle them. @internal */
export interface BatchOwner extends Order {
  readonly context: Context;
  readonly resources: DeviceResources;
  /** Where its commands gather; null: none do. */
  window: Window | null;
  /** True: times are measured. */
  readonly profiles: boolean;
  /** The host's time on the device's clock, in ns. */
  now(): number;
  /** Waits until there are not too many batches on the device. */
  makeRoom(): void;
  /** A batch with commands of the queue's is on the device. */
  began(batch: Batch): void;
  /** It is settled, or cancelled. */
  ended(batch: Batch): void;
  /** A command has come to its end: well, or with an error. */
  conclude(event: Event, error: OpenCLError | null): void;
}

/** The queue of a command. @internal */
export function ownerOf({ queue: { owner } }: Event): BatchOwner {
  assert(owner !== null, "a user event is no command of a queue");
  return owner;
}

/** Something that must not be freed while a command needs it. @internal */
export interface Held {
  /** The command needs it. */
  use(): void;
  /** It does no longer. */
  unuse(): void;
  /** What a trace says of it. */
  facts?(): TraceArguments;
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

const NO_BATCHES: readonly Batch[] = [];

/** Commands that go to the device together. */
export class Batch {
  /** The commands' events, in order. */
  readonly events: readonly Event[];
  /** The queues that have commands in it. */
  readonly owners: readonly BatchOwner[];
  readonly #fence: MuxFence;
  /** True once the batch is complete, well or not, and has given back what it had. */
  settled = false;
  /** True when it is complete and something of it has failed. */
  failed = false;
  /** True when something that it waits for has failed and its commands were taken back: nothing of it runs. */
  cancelled = false;
  /** The window of which it is a portion; null: of none, or all of that went. */
  portionOf: Window | null = null;
  /** Batches that wait for its semaphore. */
  successors: Batch[] = [];
  readonly #resources: DeviceResources;
  readonly #call: string;
  readonly #commandBuffer: MuxCommandBuffer;
  readonly #semaphore: MuxSemaphore;
  /** Reads a queue's counters around each command; null until there are some. */
  #counters: MuxQueryPool | null = null;
  /** Null until a command is measured. */
  #queries: MuxQueryPool | null = null;
  /** Places in `events` of those that are measured. */
  readonly #measured: number[] = [];
  /** Launches that are still to be recorded: one call takes all that follow each other. */
  #launches: MuxLaunch[] = [];
  #isFinalized = false;
  /** Promises that wait for the fence: meanwhile it cannot be used again. */
  #watchers = 0;
  #completion: Promise<void> | null = null;
  /** The batch itself and the batches that wait for its semaphore. */
  #semaphoreUses = 1;
  /** What it waits for once it is dispatched. */
  #predecessors: readonly Batch[] = NO_BATCHES;
  /** What was recorded beforehand, and where it came from; null: the batch records. */
  readonly #recorded: { readonly instance: Instance; readonly from: Instances } | null;

  constructor(
    events: readonly Event[],
    owners: readonly BatchOwner[],
    resources: DeviceResources,
    call: string,
    from: Instances | null = null,
  ) {
    this.events = events;
    this.owners = owners;
    this.#resources = resources;
    this.#call = call;
    const instance = from?.take(call) ?? null;
    this.#recorded = from === null || instance === null ? null : { instance, from };
    this.#isFinalized = instance !== null;
    const { commandBuffer, fence, semaphore } = orElse(
      () => {
        if (instance !== null) from?.give(call, instance);
      },
      () => resources.takeBatch(call, false, instance?.commands ?? null),
    );
    this.#commandBuffer = commandBuffer;
    this.#fence = fence;
    this.#semaphore = semaphore;
    this.#queries = instance?.queries ?? null;
  }

  /** Takes the commands that it is made for. What the runtime does not take is thrown. */
  record(call: string): void {
    const { events } = this;
    for (let i = 0; i < events.length; i++) {
      const event = events[i] as Event;
      const { queue } = event;
      const command = event.command as Command;
      if (this.#recorded !== null) {
        if (queue.profiles) this.#measured.push(i);
      } else if (queue.profiles || queue.counters.length > 0) this.#measure(call, event, command, i);
      else if (command.launch !== null) this.#launches.push(command.launch);
      else this.#record(call, command);
    }
  }

  #measure(call: string, { queue }: Event, command: Command, place: number): void {
    const commandBuffer = this.#commandBuffer;
    const index = this.#measured.length;
    const count = queue.counters.length;
    const queries = queue.profiles ? (this.#queries ??= this.#resources.takeQueryPool(call)) : null;
    const counters =
      count > 0 ? (this.#counters ??= this.#resources.createCounters(call, queue.counters, QUERIES_PER_POOL)) : null;
    fromMux(call, this.#recordLaunches());
    if (queries !== null) fromMux(call, muxCommandBeginQuery(commandBuffer, queries, index, 1, []));
    if (counters !== null) fromMux(call, muxCommandBeginQuery(commandBuffer, counters, index * count, count, []));
    this.#record(call, command);
    if (counters !== null) fromMux(call, muxCommandEndQuery(commandBuffer, counters, index * count, count, []));
    if (queries !== null) fromMux(call, muxCommandEndQuery(commandBuffer, queries, index, 1, []));
    this.#measured.push(place);
  }

  #record(call: string, { record, launch }: Command): void {
    fromMux(call, this.#recordLaunches());
    if (record !== null) fromMux(call, record(this.#commandBuffer));
    if (launch !== null) fromMux(call, muxCommandLaunches(this.#commandBuffer, [launch], []));
  }

  #recordLaunches(): Result<unknown, MuxError> {
    if (this.#launches.length === 0) return ok(null);
    const launches = this.#launches;
    this.#launches = [];
    return muxCommandLaunches(this.#commandBuffer, launches, []);
  }

  /** Hands the batch to the device, behind others. */
  dispatch(predecessors: readonly Batch[]): Result<void, MuxError> {
    if (!this.#isFinalized) {
      const recorded = this.#recordLaunches();
      if (!recorded.ok) return recorded;
      const finalized = muxFinalizeCommandBuffer(this.#commandBuffer);
      if (!finalized.ok) return finalized;
      this.#isFinalized = true;
    }
    const left = predecessors.filter(({ settled }) => !settled);
    const dispatched = muxDispatch(
      this.#resources.queue,
      this.#commandBuffer,
      this.#fence,
      left.map((batch) => batch.#semaphore),
      [this.#semaphore],
      null,
    );
    if (!dispatched.ok) return dispatched;
    this.#predecessors = left;
    for (const batch of left) {
      batch.#semaphoreUses++;
      batch.successors.push(this);
    }
    return dispatched;
  }

  /** What it waited for when it was dispatched. */
  get predecessors(): readonly Batch[] {
    return this.#predecessors;
  }

  /** Waits until it is complete, for at most `timeout` ns. Error: it has failed. */
  wait(timeout: number): Result<"ready" | "not_ready", MuxError> {
    return muxTryWait(this.#resources.queue, timeout, this.#fence);
  }

  /** The command of ours that a command of the runtime belongs to: those that do something are one each, and measuring adds two. */
  commandAt(commandId: number): number {
    if (this.#recorded !== null) return 0;
    let end = 0;
    return Math.max(
      0,
      this.events.findIndex(({ command, queue }) => {
        end +=
          (command === null || (command.record === null && command.launch === null) ? 0 : 1) +
          (queue.profiles ? 2 : 0) +
          (queue.counters.length > 0 ? 2 : 0);
        return commandId < end;
      }),
    );
  }

  /** Writes the times of the commands that were measured, among the first `count`. */
  readTimes(count: number): void {
    const measured = this.#measured.filter((place) => place < count).length;
    if (measured === 0) return;
    this.#readCounters(measured);
    if (this.#queries === null) return;
    const results = muxGetQueryPoolResults(this.#resources.queue, this.#queries, 0, measured);
    if (!results.ok) return;
    for (const [i, result] of results.value.entries()) {
      const times = this.events[this.#measured[i] as number]?.times;
      if (times === undefined || !("start" in result)) continue;
      times.start = Number(result.start);
      times.end = Number(result.end);
      // The offset between the two clocks is measured, so it is off by some hundred ns.
      times.submit = Math.min(times.submit, times.start);
      times.queued = Math.min(times.queued, times.submit);
      const event = this.events[this.#measured[i] as number];
      if (TRACER !== null && event !== undefined) traceCommand(event, this.#resources.clockOffset(this.#call));
    }
  }

  /** Writes what was counted around the first commands that were measured; all are of one queue. */
  #readCounters(measured: number): void {
    if (this.#counters === null) return;
    const each = (this.events[0] as Event).queue.counters.length;
    const results = muxGetQueryPoolResults(this.#resources.queue, this.#counters, 0, measured * each);
    if (!results.ok) return;
    const values = results.value.map((result) => ("value" in result ? Number(result.value) : 0));
    for (let i = 0; i < measured; i++)
      (this.events[this.#measured[i] as number] as Event).counts = values.slice(i * each, (i + 1) * each);
  }

  /** The batch is complete, or was never dispatched: gives back what it has of the runtime. */
  free(): void {
    this.settled = true;
    this.#giveCommandBuffer();
    if (this.#watchers === 0) this.#resources.giveFence(this.#call, this.#fence);
    this.#leaveSemaphore();
    for (const batch of this.#predecessors) batch.#leaveSemaphore();
    // Whoever holds on to a batch must not hold on to all that came before and after it.
    this.#predecessors = NO_BATCHES;
    this.successors = [];
  }

  #giveCommandBuffer(): void {
    if (this.#recorded !== null) {
      this.#recorded.from.give(this.#call, this.#recorded.instance);
      return;
    }
    this.#resources.giveCommandBuffer(this.#call, this.#commandBuffer);
    if (this.#queries !== null) this.#resources.giveQueryPool(this.#call, this.#queries);
    if (this.#counters !== null) this.#resources.destroyCounters(this.#call, this.#counters);
  }

  /** Resolves when the batch is complete, well or not. */
  complete(): Promise<void> {
    // A fence that was given back may be another batch's by now.
    this.#completion ??= this.settled ? Promise.resolve() : this.#watch();
    return this.#completion;
  }

  async #watch(): Promise<void> {
    this.#watchers++;
    // How it went is what the queue asks when it settles the batch.
    void (await muxTryWaitAsync(this.#resources.queue, Infinity, this.#fence));
    if (--this.#watchers === 0 && this.settled) this.#resources.giveFence(this.#call, this.#fence);
  }

  #leaveSemaphore(): void {
    if (--this.#semaphoreUses === 0) this.#resources.giveSemaphore(this.#call, this.#semaphore);
  }
}
