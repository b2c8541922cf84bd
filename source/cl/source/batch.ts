// A batch: commands of one queue that go to the device together, as one command buffer of the runtime.
import {
  type MuxCommandBuffer, type MuxError, type MuxFence, type MuxQueryPool, type MuxSemaphore, type MuxSyncPoint, muxCommandBeginQuery, muxCommandEndQuery, muxDispatch, muxFinalizeCommandBuffer, muxGetQueryPoolResults, muxTryWaitAsync,
} from "@muxkit/mux";
import type { Result } from "@muxkit/cargo";

import { type DeviceResources, QUERIES_PER_POOL } from "./device-resources.ts";
import type { Event, EventSource } from "./event.ts";
import { fromMux } from "./from-mux.ts";
import type { ClObject } from "./object.ts";

/** Most commands of a batch. */
const MOST_COMMANDS = 256;

/** A command as the queue keeps it: enough to record it once more when a failure before it took it along. @internal */
export interface Command {
  /** Tells what becomes of it. */
  readonly event: Event;
  /** Events that have to be complete before. */
  readonly waits: readonly Event[];
  /** Objects that the command needs until it is complete. */
  readonly objects: readonly ClObject[];
  /** Records it; null: it does nothing on the device. */
  readonly record: ((commands: MuxCommandBuffer) => Result<MuxSyncPoint, MuxError>) | null;
}

/** Commands of one queue that go to the device together. */
export class Batch {
  readonly commands: Command[] = [];
  readonly fence: MuxFence;
  /** Batches of other queues that this one waits for. */
  readonly external: Set<Batch> = new Set();
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
  /** Number of the runtime's commands before and with each of ours. */
  readonly #ends: number[] = [];
  #recorded = 0;
  #isFinalized = false;
  /** Promises that wait for the fence: meanwhile it cannot be used again. */
  #watchers = 0;
  /** The batch itself and the batches that wait for its semaphore. */
  #semaphoreUses = 1;
  /** What it waits for once it is dispatched. */
  #predecessors: readonly Batch[] = [];

  constructor(owner: EventSource, resources: DeviceResources, call: string) {
    this.owner = owner;
    this.#resources = resources;
    this.#call = call;
    this.#commandBuffer = resources.takeCommandBuffer(call);
    this.fence = resources.takeFence(call);
    this.#semaphore = resources.takeSemaphore(call);
    this.#queries = owner.profiles ? resources.takeQueryPool(call) : null;
  }

  /** True when no more commands fit in. */
  get isFull(): boolean {
    return this.commands.length >= (this.#queries === null ? MOST_COMMANDS : QUERIES_PER_POOL);
  }

  /** Adds a command. What the runtime does not take is thrown; the batch is as before then. */
  add(call: string, command: Command): void {
    const index = this.commands.length;
    const commandBuffer = this.#commandBuffer;
    const queries = this.#queries;
    const record = (result: Result<MuxSyncPoint, MuxError>): void => {
      fromMux(call, result);
      this.#recorded++;
    };
    if (queries !== null) record(muxCommandBeginQuery(commandBuffer, queries, index, 1, []));
    if (command.record !== null) record(command.record(commandBuffer));
    if (queries !== null) record(muxCommandEndQuery(commandBuffer, queries, index, 1, []));
    this.commands.push(command);
    this.#ends.push(this.#recorded);
  }

  /** Hands the batch to the device, behind `previous` and the batches of other queues. */
  dispatch(previous: Batch | null): Result<void, MuxError> {
    if (!this.#isFinalized) {
      const finalized = muxFinalizeCommandBuffer(this.#commandBuffer);
      if (!finalized.ok) return finalized;
      this.#isFinalized = true;
    }
    const predecessors = [...(previous === null ? [] : [previous]), ...this.external].filter(({ settled }) => !settled);
    const dispatched = muxDispatch(this.#resources.queue, this.#commandBuffer, this.fence, predecessors.map((batch) => batch.#semaphore), [this.#semaphore], null);
    if (!dispatched.ok) return dispatched;
    this.#predecessors = predecessors;
    for (const batch of predecessors) batch.#semaphoreUses++;
    return dispatched;
  }

  /** The command of ours that a command of the runtime belongs to. */
  commandAt(commandId: number): number {
    return Math.max(0, this.#ends.findIndex((end) => commandId < end));
  }

  /** True when something that the batch waited for has failed. */
  predecessorFailed(): boolean {
    for (const { owner } of this.#predecessors) owner.settle();
    return this.#predecessors.some(({ failed }) => failed);
  }

  /** Writes the measured times into the first `count` events. */
  readTimes(count: number): void {
    if (this.#queries === null || count === 0) return;
    const results = muxGetQueryPoolResults(this.#resources.queue, this.#queries, 0, count);
    if (!results.ok) return;
    for (const [i, result] of results.value.entries()) {
      const times = this.commands[i]?.event.times;
      if (times === undefined || !("start" in result)) continue;
      times.start = Number(result.start);
      times.end = Number(result.end);
      // The offset between the two clocks is measured, so it is off by some hundred ns.
      times.submit = Math.min(times.submit, times.start);
      times.queued = Math.min(times.queued, times.submit);
    }
  }

  /** The batch is complete, or was never dispatched: gives back what it has of the runtime. */
  free(): void {
    this.settled = true;
    this.#resources.giveCommandBuffer(this.#call, this.#commandBuffer);
    if (this.#queries !== null) this.#resources.giveQueryPool(this.#call, this.#queries);
    if (this.#watchers === 0) this.#resources.giveFence(this.#call, this.fence);
    this.#leaveSemaphore();
    for (const batch of this.#predecessors) batch.#leaveSemaphore();
    this.external.clear();
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
