// SPDX-License-Identifier: Apache-2.0
// A submission: commands that go to the device together and run one after the other, as one command buffer of the
// runtime. A fence signals when it is complete; a semaphore starts the submissions that wait for it.
//
// It is one chain of chains.ts, so one node of the dependency graph of submissions: edges are semaphores,
// `predecessors` and `successors`. Phases of its life:
// 1. `record`: commands are written in order. Consecutive launches are written by one call. A measured command is
//    enclosed in two queries, which ends such a series. A prerecorded command buffer (recording.ts) replaces this
//    phase.
// 2. `submit`: finalizes and dispatches. Predecessors that are retired already are left out of the semaphores.
// 3. `readTimes` reads the queries, once it is complete (retire.ts).
// 4. `free` returns command buffer, fence, semaphore and time queries to the device's pools, and destroys counters.
//    Reference counts delay this: a semaphore until the successors are freed too, a fence until no promise waits for
//    it. The edges are dropped, so that one submission does not keep all others alive.
//
// Cost: linear in the commands and in the predecessors.
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
import { type Result, assert, ok, TRACER } from "@muxkit/cargo";

import type { Order } from "./chains.ts";
import { type DeviceResources, QUERIES_PER_POOL } from "./device-resources.ts";
import type { OpenCLError } from "./error.ts";
import type { Event } from "./event.ts";
import { fromMux, orElse } from "./from-mux.ts";
import type { Context } from "./platform.ts";
import { type LaunchDescription, traceCommand } from "./trace.ts";
import type { PendingList } from "./pending-list.ts";

/** A queue as seen by the code that submits its commands and retires them. @internal */
export interface SubmissionOwner extends Order {
  readonly context: Context;
  readonly resources: DeviceResources;
  /** Commands that were enqueued and are not submitted yet; null: there are none. */
  pending: PendingList | null;
  /** True: times are measured. */
  readonly profiles: boolean;
  /** The host's time on the device's clock, in ns. */
  now(): number;
  /** Blocks until the device has room for another submission of this queue. */
  makeRoom(): void;
  /** Called when a submission that holds commands of this queue is on the device. */
  began(submission: Submission): void;
  /** Called when that submission has been retired or cancelled. */
  ended(submission: Submission): void;
  /** Completes a command, successfully or with an error. */
  conclude(event: Event, error: OpenCLError | null): void;
}

/** The queue of a command. @internal */
export function ownerOf({ queue: { owner } }: Event): SubmissionOwner {
  assert(owner !== null, "a user event does not belong to a queue");
  return owner;
}

/** Something that must not be freed while a command needs it. @internal */
export interface Held {
  /** A command starts to use the object. */
  use(): void;
  /** A command has stopped using the object. */
  unuse(): void;
  /** Properties of the object that a trace shows. */
  facts?(): LaunchDescription;
}

/**
 * A command buffer of the runtime that was recorded and finalized in advance, with the queries that time it.
 *
 * @internal
 */
export interface Instance {
  /** At most one submission uses it at a time. */
  readonly commands: MuxCommandBuffer;
  /** Query 0 measures its beginning and end; null: it is not measured. */
  readonly queries: MuxQueryPool | null;
}

/** A source of prerecorded command buffers. @internal */
export interface Instances {
  /** Takes one for a single submission. */
  take(call: string): Instance;
  /** Returns one after its submission is complete, or was never made. */
  release(call: string, instance: Instance): void;
}

/**
 * What the command of an event does. It is enough to record the command again after an earlier failure cancelled it.
 * Launches without wait lists share one object.
 *
 * @internal
 */
export interface Command {
  /** Events that must be complete before the command starts. */
  readonly waits: readonly Event[];
  /** Objects that stay alive until the command is complete. */
  readonly objects: readonly Held[];
  /** Records the command; null: it does nothing on the device, or it is a launch. */
  readonly record: ((commands: MuxCommandBuffer) => Result<MuxSyncPoint, MuxError>) | null;
  /** The launch; null: the command is not a launch. */
  readonly launch: MuxLaunch | null;
  /** Set for a prerecorded command buffer, which is always a submission of its own. */
  readonly instances?: Instances;
  /** Called when the command has failed, or will never run. No code of the application. */
  readonly failed?: (error: OpenCLError) => void;
}

const NO_SUBMISSIONS: readonly Submission[] = [];

/** Commands that go to the device together. */
export class Submission {
  /** The commands' events, in order. */
  readonly events: readonly Event[];
  /** The queues that have commands in it. */
  readonly owners: readonly SubmissionOwner[];
  readonly #fence: MuxFence;
  /** True once the submission is complete, successfully or not, and has released its resources. */
  retired = false;
  /** True when it is complete and one of its commands has failed. */
  failed = false;
  /**
   * True when a submission that it waits for has failed and its commands went back to a pending list: none of it runs.
   */
  cancelled = false;
  /** The pending list that submitted it as a portion of its commands; null: the list was submitted as a whole. */
  portionOf: PendingList | null = null;
  /** Submissions that wait for its semaphore. */
  successors: Submission[] = [];
  readonly #resources: DeviceResources;
  readonly #call: string;
  readonly #commandBuffer: MuxCommandBuffer;
  readonly #semaphore: MuxSemaphore;
  /** Reads the counters of a queue around each command; null until the first such command. */
  #counters: MuxQueryPool | null = null;
  /** Null until the first command whose time is measured. */
  #queries: MuxQueryPool | null = null;
  /** Indices in `events` of the commands that are measured. */
  readonly #measured: number[] = [];
  /** Launches that are not recorded yet: consecutive launches are recorded by one call. */
  #launches: MuxLaunch[] = [];
  #isFinalized = false;
  /** Promises that wait for the fence, which cannot be reused until they are resolved. */
  #watchers = 0;
  #completion: Promise<void> | null = null;
  /** The submission itself plus the submissions that wait for its semaphore. */
  #semaphoreUses = 1;
  /** The submissions that it waits for; empty before it is submitted. */
  #predecessors: readonly Submission[] = NO_SUBMISSIONS;
  /** The prerecorded command buffer and its source; null: the submission records its own. */
  readonly #recorded: { readonly instance: Instance; readonly from: Instances } | null;

  constructor(
    events: readonly Event[],
    owners: readonly SubmissionOwner[],
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
        if (instance !== null) from?.release(call, instance);
      },
      () => resources.takeSubmission(call, false, instance?.commands ?? null),
    );
    this.#commandBuffer = commandBuffer;
    this.#fence = fence;
    this.#semaphore = semaphore;
    this.#queries = instance?.queries ?? null;
  }

  /** Records its commands. Throws an {@link OpenCLError} when the runtime refuses one. */
  record(call: string): void {
    const { events } = this;
    for (let i = 0; i < events.length; i++) {
      const event = events[i] as Event;
      const { queue } = event;
      const command = event.command as Command;
      if (this.#recorded !== null) {
        if (queue.profiles) this.#measured.push(i);
      } else if (event.isMeasured || queue.counters.length > 0) this.#measure(call, event, command, i);
      else if (command.launch !== null) this.#launches.push(command.launch);
      else this.#record(call, command);
    }
  }

  #measure(call: string, { queue, isMeasured }: Event, command: Command, position: number): void {
    const commandBuffer = this.#commandBuffer;
    const index = this.#measured.length;
    const count = queue.counters.length;
    const queries = isMeasured ? (this.#queries ??= this.#resources.takeQueryPool(call)) : null;
    const counters =
      count > 0 ? (this.#counters ??= this.#resources.createCounters(call, queue.counters, QUERIES_PER_POOL)) : null;
    fromMux(call, this.#recordLaunches());
    if (queries !== null) fromMux(call, muxCommandBeginQuery(commandBuffer, queries, index, 1, []));
    if (counters !== null) fromMux(call, muxCommandBeginQuery(commandBuffer, counters, index * count, count, []));
    this.#record(call, command);
    if (counters !== null) fromMux(call, muxCommandEndQuery(commandBuffer, counters, index * count, count, []));
    if (queries !== null) fromMux(call, muxCommandEndQuery(commandBuffer, queries, index, 1, []));
    this.#measured.push(position);
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

  /** Submits to the device; it starts after `predecessors`. */
  submit(predecessors: readonly Submission[]): Result<void, MuxError> {
    if (!this.#isFinalized) {
      const recorded = this.#recordLaunches();
      if (!recorded.ok) return recorded;
      const finalized = muxFinalizeCommandBuffer(this.#commandBuffer);
      if (!finalized.ok) return finalized;
      this.#isFinalized = true;
    }
    const left = predecessors.filter(({ retired }) => !retired);
    const dispatched = muxDispatch(
      this.#resources.queue,
      this.#commandBuffer,
      this.#fence,
      left.map((submission) => submission.#semaphore),
      [this.#semaphore],
      null,
    );
    if (!dispatched.ok) return dispatched;
    this.#predecessors = left;
    for (const submission of left) {
      submission.#semaphoreUses++;
      submission.successors.push(this);
    }
    return dispatched;
  }

  /** The submissions that it waited for when it was submitted. */
  get predecessors(): readonly Submission[] {
    return this.#predecessors;
  }

  /** Waits until it is complete, for at most `timeout` ns. The result is an error when it has failed. */
  wait(timeout: number): Result<"ready" | "not_ready", MuxError> {
    return muxTryWait(this.#resources.queue, timeout, this.#fence);
  }

  /**
   * The index of the command that command `commandId` of the runtime belongs to. A command that does something is one
   * command of the runtime, and measuring it adds two.
   */
  commandAt(commandId: number): number {
    if (this.#recorded !== null) return 0;
    let end = 0;
    return Math.max(
      0,
      this.events.findIndex(({ command, queue, isMeasured }) => {
        end +=
          (command === null || (command.record === null && command.launch === null) ? 0 : 1) +
          (isMeasured ? 2 : 0) +
          (queue.counters.length > 0 ? 2 : 0);
        return commandId < end;
      }),
    );
  }

  /** Stores the times of the measured commands among the first `count`. */
  readTimes(count: number): void {
    const measured = this.#measured.filter((position) => position < count).length;
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
      // The offset between the two clocks is itself measured, with an error of some hundred ns.
      times.submit = Math.min(times.submit, times.start);
      times.queued = Math.min(times.queued, times.submit);
      const event = this.events[this.#measured[i] as number];
      if (TRACER !== null && event !== undefined) traceCommand(event, this.#resources.clockOffset(this.#call));
    }
  }

  /** Stores the counter values of the first measured commands, which all belong to one queue. */
  #readCounters(measured: number): void {
    if (this.#counters === null) return;
    const each = (this.events[0] as Event).queue.counters.length;
    const results = muxGetQueryPoolResults(this.#resources.queue, this.#counters, 0, measured * each);
    if (!results.ok) return;
    const values = results.value.map((result) => ("value" in result ? Number(result.value) : 0));
    for (let i = 0; i < measured; i++)
      (this.events[this.#measured[i] as number] as Event).counts = values.slice(i * each, (i + 1) * each);
  }

  /** Releases the objects of the runtime: the submission is complete or was never submitted. */
  free(): void {
    this.retired = true;
    this.#releaseCommandBuffer();
    if (this.#watchers === 0) this.#resources.releaseFence(this.#call, this.#fence);
    this.#releaseSemaphore();
    for (const submission of this.#predecessors) submission.#releaseSemaphore();
    // A reference to one submission must not keep all earlier and later ones alive.
    this.#predecessors = NO_SUBMISSIONS;
    this.successors = [];
  }

  #releaseCommandBuffer(): void {
    if (this.#recorded !== null) {
      this.#recorded.from.release(this.#call, this.#recorded.instance);
      return;
    }
    this.#resources.releaseCommandBuffer(this.#call, this.#commandBuffer);
    if (this.#queries !== null) this.#resources.releaseQueryPool(this.#call, this.#queries);
    if (this.#counters !== null) this.#resources.destroyCounters(this.#call, this.#counters);
  }

  /** Resolves when the submission is complete, successfully or not. */
  complete(): Promise<void> {
    // A released fence may belong to another submission by now.
    this.#completion ??= this.retired ? Promise.resolve() : this.#watch();
    return this.#completion;
  }

  async #watch(): Promise<void> {
    this.#watchers++;
    // The queue reads the result when it retires the submission.
    void (await muxTryWaitAsync(this.#resources.queue, Infinity, this.#fence));
    if (--this.#watchers === 0 && this.retired) this.#resources.releaseFence(this.#call, this.#fence);
  }

  #releaseSemaphore(): void {
    if (--this.#semaphoreUses === 0) this.#resources.releaseSemaphore(this.#call, this.#semaphore);
  }
}
