// SPDX-License-Identifier: Apache-2.0
// What a command buffer has recorded, and the runtime's command buffers that it becomes: recorded once, dispatched as
// often as one likes.
//
// A recording never changes (copy on write): an update makes another one, and what was enqueued before keeps its own.
// Only the code of its launches may be replaced by newer code, which `revision` counts. The runtime's command buffers
// are instances in a pool. One is taken for each dispatch, so that several can be in flight. `take` prefers an idle
// instance that was written from this very recording and revision; otherwise it resets and rewrites another idle one,
// or creates one. `update` patches the arguments of idle instances that match the old recording instead of writing them
// again.
//
// The writer has two modes. In order: each command waits for the one before it without sync-points, and consecutive
// immutable launches become one call. Out of order: a list of commands with edges becomes commands with sync-points. A
// barrier, and a command that does nothing, become a query that later ones can wait for; after a barrier this is the
// floor that every later command waits for.
//
//     commands  a, b, barrier, c (waits for a)
//     written   begin; a after begin; b after begin; mark after everything; c after a, mark; end
//
// Cost: writing is linear in commands and edges, taking a matching instance linear in the idle ones.
import {
  DEFAULT_ALLOCATOR,
  type MuxCommandBuffer,
  type MuxQueryPool,
  MuxQueryType,
  type MuxSyncPoint,
  muxCommandBeginQuery,
  muxCommandEndQuery,
  muxCommandLaunches,
  muxCommandNDRange,
  muxCreateCommandBuffer,
  muxCreateQueryPool,
  muxDestroyCommandBuffer,
  muxDestroyQueryPool,
  muxFinalizeCommandBuffer,
  muxResetCommandBuffer,
  muxUpdateDescriptors,
} from "@muxkit/mux";

import { type Access, NO_ACCESSES } from "./access.ts";
import type { Held, Instance, Instances } from "./submission.ts";
import type { DeviceResources } from "./device-resources.ts";
import { fromMux } from "./from-mux.ts";
import type { CheckedCommand } from "./enqueue-checks.ts";
import type { RecordedDispatch } from "./recorded-dispatch.ts";

/** A command of a recording. */
export interface RecordedCommand {
  /** Null for a launch and for a barrier. */
  readonly command: CheckedCommand | null;
  /** Null: it is no launch. */
  readonly dispatch: RecordedDispatch | null;
  /** Indices of commands that it waits for. */
  readonly waits: readonly number[];
}

/** How commands are ordered and measured. */
export interface RecordingOrder {
  /** True: each waits for the one before it. */
  readonly isInOrder: boolean;
  /** True: when they begin and end is measured. */
  readonly isMeasured: boolean;
}

/** Queries of an instance: its times, and the commands that barriers represent. */
const TIMES = 0;
const MARKERS = 1;

/** A command buffer of the runtime with what it was recorded from. */
interface OwnInstance extends Instance {
  recording: Recording | null;
  revision: number;
  /** Number of each command's launch among the runtime's commands. */
  positions: number[];
}

/** The runtime's command buffers of one command buffer. */
export class InstancePool {
  readonly order: RecordingOrder;
  readonly #resources: DeviceResources;
  readonly #idle: OwnInstance[] = [];
  #isClosed = false;

  constructor(resources: DeviceResources, order: RecordingOrder) {
    this.#resources = resources;
    this.order = order;
  }

  /** An instance that matches the recording. */
  take(call: string, recording: Recording): OwnInstance {
    const found = this.#idle.findIndex((idle) => idle.recording === recording && idle.revision === recording.revision);
    const [known] = found < 0 ? [] : this.#idle.splice(found, 1);
    if (known !== undefined) return known;
    const instance = this.#idle.pop() ?? this.#create(call);
    try {
      if (instance.recording !== null) fromMux(call, muxResetCommandBuffer(instance.commands));
      instance.recording = null;
      recording.writeTo(call, instance);
    } catch (error) {
      this.#destroy(call, instance);
      throw error;
    }
    return instance;
  }

  /** It is not in flight any more. */
  release(call: string, instance: Instance): void {
    if (this.#isClosed) this.#destroy(call, instance);
    else this.#idle.push(instance as OwnInstance);
  }

  /**
   * Changes arguments of a launch in the instances that match `from`: then they match `to`. What cannot be changed so
   * is recorded anew when it is needed.
   */
  update(from: Recording, to: Recording, changes: readonly ArgumentChanges[]): void {
    for (const instance of this.#idle) {
      if (instance.recording !== from || instance.revision !== from.revision) continue;
      const isDone = changes.every(
        ({ index, indices, descriptors }) =>
          muxUpdateDescriptors(instance.commands, instance.positions[index] ?? -1, indices, descriptors).ok,
      );
      // One that was changed in part matches nothing until it is recorded again.
      instance.revision = isDone ? to.revision : -1;
      instance.recording = isDone ? to : from;
    }
  }

  /** Releases all of them, those in flight once they are complete. */
  close(call: string): void {
    this.#isClosed = true;
    for (const instance of this.#idle.splice(0)) this.#destroy(call, instance);
  }

  #create(call: string): OwnInstance {
    const { device, queue } = this.#resources;
    const isOrdered = this.order.isInOrder && !this.order.isMeasured;
    const queries = isOrdered
      ? null
      : fromMux(
          call,
          muxCreateQueryPool(queue, MuxQueryType.duration, 2, [], DEFAULT_ALLOCATOR),
          "CL_OUT_OF_RESOURCES",
        );
    const commands = muxCreateCommandBuffer(device, null, DEFAULT_ALLOCATOR);
    if (!commands.ok && queries !== null) fromMux(call, muxDestroyQueryPool(queue, queries, DEFAULT_ALLOCATOR));
    return {
      commands: fromMux(call, commands, "CL_OUT_OF_RESOURCES"),
      queries,
      recording: null,
      revision: 0,
      positions: [],
    };
  }

  #destroy(call: string, { commands, queries }: Instance): void {
    const { device, queue } = this.#resources;
    fromMux(call, muxDestroyCommandBuffer(device, commands, DEFAULT_ALLOCATOR));
    if (queries !== null) fromMux(call, muxDestroyQueryPool(queue, queries, DEFAULT_ALLOCATOR));
  }
}

/** New arguments of one command's launch. */
export interface ArgumentChanges {
  readonly index: number;
  readonly indices: readonly number[];
  readonly descriptors: Parameters<typeof muxUpdateDescriptors>[3];
}

/** Commands of a command buffer as they are at one time. */
export class Recording implements Instances, Held {
  readonly commands: readonly RecordedCommand[];
  readonly pool: InstancePool;
  /** Which bytes its commands use, in contexts of several memories: what they read may be what others of them write. */
  readonly accesses: readonly Access[];
  /** Counts changes of code. */
  revision = 0;
  #holders = 0;

  constructor(pool: InstancePool, commands: readonly RecordedCommand[]) {
    this.pool = pool;
    this.commands = commands;
    this.accesses = commands.flatMap(({ command, dispatch }) =>
      (dispatch?.accesses ?? command?.accesses ?? NO_ACCESSES).map((access) =>
        access.reads ? access : { ...access, reads: true },
      ),
    );
  }

  /** The command buffer or a command needs it, and with it kernels and memory. */
  use(): void {
    if (this.#holders++ > 0) return;
    for (const object of this.#objects()) object.use();
  }

  /** The end of a {@link Recording.use}. */
  unuse(): void {
    if (--this.#holders > 0) return;
    for (const object of this.#objects()) object.unuse();
  }

  #objects(): readonly Held[] {
    return this.commands.flatMap(({ command, dispatch }): readonly Held[] =>
      dispatch === null ? (command?.objects ?? []) : [dispatch],
    );
  }

  /**
   * A command buffer of the runtime that does this, for one dispatch. Launches whose code is not final query it as
   * an enqueue does.
   */
  take(call: string): Instance {
    for (const { dispatch } of this.commands) if (dispatch?.settle(call) === true) this.revision++;
    return this.pool.take(call, this);
  }

  /** The end of a {@link Recording.take}. */
  release(call: string, instance: Instance): void {
    this.pool.release(call, instance);
  }

  /** Records all commands and finalizes. */
  writeTo(call: string, instance: OwnInstance): void {
    const { commands, queries } = instance;
    instance.positions = new Writer(call, commands, queries, this.pool.order).write(this.commands);
    fromMux(call, muxFinalizeCommandBuffer(commands), "CL_OUT_OF_RESOURCES");
    instance.recording = this;
    instance.revision = this.revision;
  }
}

/** Writes commands into a command buffer of the runtime. */
class Writer {
  readonly #call: string;
  readonly #commands: MuxCommandBuffer;
  readonly #queries: MuxQueryPool | null;
  readonly #order: RecordingOrder;
  readonly #positions: number[] = [];
  readonly #syncPoints: MuxSyncPoint[] = [];
  /** Launches that follow each other, still to be written: one call takes all of them. */
  #launches: RecordedDispatch[] = [];
  #count = 0;
  /** What a command without a wait list waits for: the beginning, or the last barrier. Null: everything before it. */
  #floor: MuxSyncPoint | null = null;

  constructor(call: string, commands: MuxCommandBuffer, queries: MuxQueryPool | null, order: RecordingOrder) {
    this.#call = call;
    this.#commands = commands;
    this.#queries = queries;
    this.#order = order;
  }

  /** Returns the number of each command among the runtime's. */
  write(commands: readonly RecordedCommand[]): number[] {
    const { isInOrder } = this.#order;
    if (this.#queries !== null)
      this.#floor = this.#add(muxCommandBeginQuery(this.#commands, this.#queries, TIMES, 1, []));
    for (const [i, { command, dispatch, waits }] of commands.entries()) {
      this.#positions[i] = this.#count + this.#launches.length;
      if (isInOrder) this.#writeInOrder(command, dispatch);
      else this.#syncPoints[i] = this.#writeAfter(command, dispatch, waits);
    }
    this.#flushLaunches();
    if (this.#queries !== null) this.#add(muxCommandEndQuery(this.#commands, this.#queries, TIMES, 1, []));
    return this.#positions;
  }

  #writeInOrder(command: CheckedCommand | null, dispatch: RecordedDispatch | null): void {
    if (dispatch !== null && !dispatch.isMutable) {
      this.#launches.push(dispatch);
      return;
    }
    this.#flushLaunches();
    if (dispatch !== null) this.#add(muxCommandNDRange(this.#commands, dispatch.code, dispatch.options, []));
    else if (command?.record) this.#add(command.record(this.#commands, []));
  }

  #flushLaunches(): void {
    if (this.#launches.length === 0) return;
    const launches = this.#launches.map((dispatch) => dispatch.launch(this.#call));
    this.#launches = [];
    this.#add(muxCommandLaunches(this.#commands, launches, []), launches.length);
  }

  /** Writes a command after what it waits for and nothing else. */
  #writeAfter(
    command: CheckedCommand | null,
    dispatch: RecordedDispatch | null,
    waits: readonly number[],
  ): MuxSyncPoint {
    const named = waits.map((index) => this.#syncPoints[index] as MuxSyncPoint);
    const floor = this.#floor === null ? [] : [this.#floor];
    if (dispatch !== null) {
      const dependencies = [...named, ...floor];
      return this.#add(
        dispatch.isMutable
          ? muxCommandNDRange(this.#commands, dispatch.code, dispatch.options, dependencies)
          : muxCommandLaunches(this.#commands, [dispatch.launch(this.#call)], dependencies),
      );
    }
    if (command?.record) return this.#add(command.record(this.#commands, [...named, ...floor]));
    // A command that does nothing is a mark that others can wait for; a barrier is one that all later ones wait for.
    const mark = this.#mark(command === null && named.length === 0 ? [] : [...named, ...floor]);
    if (command === null) this.#floor = mark;
    return mark;
  }

  #mark(dependencies: readonly MuxSyncPoint[]): MuxSyncPoint {
    return this.#add(muxCommandBeginQuery(this.#commands, this.#queries as MuxQueryPool, MARKERS, 1, dependencies));
  }

  #add(result: ReturnType<typeof muxCommandNDRange>, count: number = 1): MuxSyncPoint {
    this.#count += count;
    return fromMux(this.#call, result, "CL_OUT_OF_RESOURCES");
  }
}
