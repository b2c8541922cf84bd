// SPDX-License-Identifier: Apache-2.0
// Command buffers (cl_khr_command_buffer): commands that are recorded once and enqueued as often as one likes.
//
// The state machine is that of the extension: recording, then executable for good, and pending while an enqueue is not
// complete. While it is recorded, the command buffer holds a list of commands and a use of each of their objects.
// `finalize` makes a `Recording` of the list, which takes over these uses, and writes a first instance, so that lack of
// device memory is reported there. An update replaces the recording by another one (copy on write, recording.ts);
// enqueues in flight keep theirs alive.
//
// An enqueue is one command of the queue, with the recording as the source of its prerecorded command buffer. Whether
// enqueues are pending is a count, which the queues update when they retire submissions.
//
// Cost: an enqueue does not depend on the number of commands while an idle instance matches the recording, except for a
// test of each launch for newer code.
import { resourcesOf } from "./device-resources.ts";
import { ensure } from "./error.ts";
import { type CommandType, Event, checkedWaits } from "./event.ts";
import {
  CL_COMMAND_BUFFER_MUTABLE_KHR,
  CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR,
  CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR,
  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
} from "./generated/constants.ts";
import { NO_EVENTS } from "./kernel-launch.ts";
import { ClObject, live } from "./object.ts";
import type { Context, Device } from "./platform.ts";
import { CommandQueue } from "./queue.ts";
import { enqueueWithCopies, liveQueue } from "./enqueue-checks.ts";
import { formIn } from "./transfers.ts";
import { InstancePool, type RecordedCommand, Recording } from "./recording.ts";

/** Properties of a command buffer. @public */
export interface CommandBufferProperties {
  /** Bits of CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR and CL_COMMAND_BUFFER_MUTABLE_KHR. */
  readonly CL_COMMAND_BUFFER_FLAGS_KHR?: number;
  /** What the user promises of all changes of launches: CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR. */
  readonly CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR?: number;
}

/** Properties of a recorded launch. @public */
export interface DispatchProperties {
  /**
   * What of it can be changed: bits of CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR and its like; all, where it is left out.
   */
  readonly CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR?: number;
  /** What the user promises of changes: CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR. */
  readonly CL_MUTABLE_DISPATCH_ASSERTS_KHR?: number;
}

/** Names a command of a command buffer, for wait lists of later ones. @public */
export type SyncPoint = number;

/** CL_COMMAND_BUFFER_STATE_KHR. @public */
export type CommandBufferState =
  | "CL_COMMAND_BUFFER_STATE_RECORDING_KHR"
  | "CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR"
  | "CL_COMMAND_BUFFER_STATE_PENDING_KHR";

/** A command of a command buffer. It lives as long as that. @public */
export class MutableCommand {
  /** CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR. */
  readonly commandBuffer: CommandBuffer;
  /** CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR. */
  readonly commandType: CommandType;
  /** CL_MUTABLE_DISPATCH_PROPERTIES_ARRAY_KHR. */
  readonly properties: DispatchProperties | null;
  /** For wait lists of later commands. */
  readonly syncPoint: SyncPoint;
  /** Name of the class, in programs that shorten names too. */
  readonly [Symbol.toStringTag]: string = "MutableCommand";

  /** Made by the clCommand functions. @internal */
  constructor(
    commandBuffer: CommandBuffer,
    commandType: CommandType,
    properties: DispatchProperties | null,
    syncPoint: SyncPoint,
  ) {
    this.commandBuffer = commandBuffer;
    this.commandType = commandType;
    this.properties = properties;
    this.syncPoint = syncPoint;
  }

  /** Index among the commands. @internal */
  get index(): number {
    return this.syncPoint - 1;
  }
}

/** A command buffer. @public */
export class CommandBuffer extends ClObject {
  /** The error for a released one. */
  protected readonly invalid = "CL_INVALID_COMMAND_BUFFER_KHR";
  /** Kind, for messages. */
  protected readonly kind = "command buffer";
  /** CL_COMMAND_BUFFER_QUEUES_KHR: the only one. */
  readonly queue: CommandQueue;
  /** CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR. @internal */
  readonly properties: CommandBufferProperties | null;
  readonly #pool: InstancePool;
  /** While it is recorded. */
  readonly #commands: RecordedCommand[] = [];
  #recording: Recording | null = null;
  /** Enqueues that are not complete, and the queues that they went to. */
  #pending = 0;
  readonly #runsOn = new Set<CommandQueue>();

  /** Made by clCreateCommandBufferKHR. @internal */
  constructor(call: string, queue: CommandQueue, properties: CommandBufferProperties | null) {
    super();
    this.queue = queue;
    this.properties = properties;
    this.#pool = new InstancePool(resourcesOf(queue.device, call), {
      isInOrder: (queue.properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) === 0,
      isMeasured: queue.profiles,
    });
    queue.use();
  }

  /** CL_COMMAND_BUFFER_CONTEXT_KHR. */
  get context(): Context {
    return this.queue.context;
  }

  /** The device of its queue. */
  get device(): Device {
    return this.queue.device;
  }

  /** Bits of CL_COMMAND_BUFFER_FLAGS_KHR. */
  get flags(): number {
    return this.properties?.CL_COMMAND_BUFFER_FLAGS_KHR ?? 0;
  }

  /** CL_COMMAND_BUFFER_STATE_KHR. */
  get state(): CommandBufferState {
    if (this.#recording === null) return "CL_COMMAND_BUFFER_STATE_RECORDING_KHR";
    return this.isPending() ? "CL_COMMAND_BUFFER_STATE_PENDING_KHR" : "CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR";
  }

  /** What was recorded; null before it is finalized. @internal */
  get recording(): Recording | null {
    return this.#recording;
  }

  /** Its commands as they are now. @internal */
  get commands(): readonly RecordedCommand[] {
    return this.#recording?.commands ?? this.#commands;
  }

  /** True when an enqueue of it is not complete. @internal */
  isPending(): boolean {
    if (this.#pending > 0) for (const queue of this.#runsOn) queue.retire();
    if (this.#pending === 0) this.#runsOn.clear();
    return this.#pending > 0;
  }

  /**
   * Adds a command and returns its sync-point. The objects of the command are kept alive until the command buffer is
   * freed.
   *
   * @internal
   */
  add(call: string, command: RecordedCommand): number {
    const { memories } = this.context;
    if (memories !== null)
      for (const { object } of command.command?.accesses ?? []) formIn(call, object, memories.of(this.device));
    for (const object of heldBy(command)) object.use();
    this.#commands.push(command);
    return this.#commands.length;
  }

  /** Ends the recording. @internal */
  finalize(call: string): void {
    const recording = new Recording(this.#pool, this.#commands);
    // Lack of device memory is reported now, and the first enqueue finds its work done.
    recording.release(call, recording.take(call));
    recording.use();
    this.#recording = recording;
    for (const command of this.#commands) for (const object of heldBy(command)) object.unuse();
  }

  /** Replaces the recording by one with other launches. What was enqueued keeps the one that it had. @internal */
  replace(recording: Recording): void {
    recording.use();
    this.#recording?.unuse();
    this.#recording = recording;
  }

  /** It was enqueued: what the queue holds until that is complete. @internal */
  enqueued(queue: CommandQueue): { use(): void; unuse(): void } {
    this.#runsOn.add(queue);
    return {
      use: () => {
        this.#pending++;
        this.use();
      },
      unuse: () => {
        this.#pending--;
        this.unuse();
      },
    };
  }

  /** Releases what it holds. */
  protected free(): void {
    if (this.#recording === null)
      for (const command of this.#commands) for (const object of heldBy(command)) object.unuse();
    else this.#recording.unuse();
    this.#recording = null;
    this.#pool.close("clReleaseCommandBufferKHR");
    this.queue.unuse();
  }
}

function heldBy({ command, dispatch }: RecordedCommand): readonly { use(): void; unuse(): void }[] {
  return dispatch === null ? (command?.objects ?? []) : [dispatch];
}

/** A living command buffer. */
export function liveCommandBuffer(call: string, commandBuffer: CommandBuffer): CommandBuffer {
  return live(commandBuffer, CommandBuffer, "CL_INVALID_COMMAND_BUFFER_KHR", call);
}

const FLAGS = CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR | CL_COMMAND_BUFFER_MUTABLE_KHR;

/** Bits that each property may have. */
const PROPERTY_BITS: { readonly [Name in keyof CommandBufferProperties]-?: number } = {
  CL_COMMAND_BUFFER_FLAGS_KHR: FLAGS,
  CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR: CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR,
};

/** Refuses properties that are not in a table, and bits that theirs do not have. */
export function checkBitProperties<Properties extends object>(
  call: string,
  properties: Properties | null,
  known: { readonly [Name in keyof Properties]-?: number },
): void {
  for (const [name, value] of Object.entries<unknown>({ ...properties })) {
    ensure(
      Object.hasOwn(known, name),
      "CL_INVALID_VALUE",
      call,
      () => `${name} is not a property here; the properties are ${Object.keys(known).join(", ")}`,
    );
    const bits = known[name as keyof Properties];
    ensure(
      typeof value === "number" && Number.isInteger(value) && (value & ~bits) === 0,
      "CL_INVALID_VALUE",
      call,
      () => `${name} has the bits 0x${bits.toString(16)}, not ${String(value)}`,
    );
  }
}

/**
 * Makes a command buffer, to be recorded for a queue. Errors: CL_INVALID_VALUE for another number of queues than one,
 * for properties that there are not and bits that theirs do not have; CL_INVALID_COMMAND_QUEUE.
 *
 * @public
 */
export function clCreateCommandBufferKHR(
  queues: readonly CommandQueue[],
  properties: CommandBufferProperties | null = null,
): CommandBuffer {
  const call = "clCreateCommandBufferKHR";
  ensure(
    Array.isArray(queues) && queues.length === 1,
    "CL_INVALID_VALUE",
    call,
    "a command buffer is recorded for exactly one queue",
  );
  const queue = liveQueue(call, queues[0] as CommandQueue);
  checkBitProperties(call, properties, PROPERTY_BITS);
  return new CommandBuffer(call, queue, properties === null ? null : { ...properties });
}

/** One reference more. Errors: CL_INVALID_COMMAND_BUFFER_KHR. @public */
export function clRetainCommandBufferKHR(commandBuffer: CommandBuffer): void {
  liveCommandBuffer("clRetainCommandBufferKHR", commandBuffer).retain("clRetainCommandBufferKHR");
}

/** One reference less; what was enqueued still runs. Errors: CL_INVALID_COMMAND_BUFFER_KHR. @public */
export function clReleaseCommandBufferKHR(commandBuffer: CommandBuffer): void {
  liveCommandBuffer("clReleaseCommandBufferKHR", commandBuffer).release("clReleaseCommandBufferKHR");
}

/**
 * Ends the recording: now it can be enqueued. Errors: CL_INVALID_COMMAND_BUFFER_KHR, CL_INVALID_OPERATION when this was
 * done before, CL_OUT_OF_RESOURCES.
 *
 * @public
 */
export function clFinalizeCommandBufferKHR(commandBuffer: CommandBuffer): void {
  const call = "clFinalizeCommandBufferKHR";
  liveCommandBuffer(call, commandBuffer);
  ensure(commandBuffer.recording === null, "CL_INVALID_OPERATION", call, "the command buffer is already finalized");
  commandBuffer.finalize(call);
}

/** The queue of an enqueue: the command buffer's own, or one like it. */
function targetQueue(
  call: string,
  queues: readonly CommandQueue[] | null,
  { queue: own }: CommandBuffer,
): CommandQueue {
  if (queues === null) return liveQueue(call, own);
  ensure(
    Array.isArray(queues) && queues.length === 1,
    "CL_INVALID_VALUE",
    call,
    "a command buffer is enqueued to one queue; pass null for the queue that it was recorded for",
  );
  const queue = liveQueue(call, queues[0] as CommandQueue);
  ensure(
    queue.context === own.context,
    "CL_INVALID_CONTEXT",
    call,
    "the queue and the command buffer belong to different contexts",
  );
  const isLike = queue.device === own.device && queue.properties === own.properties;
  ensure(
    isLike,
    "CL_INCOMPATIBLE_COMMAND_QUEUE_KHR",
    call,
    () =>
      `the queue has the properties 0x${queue.properties.toString(16)}; the command buffer ` +
      `was recorded for a queue of the same device with 0x${own.properties.toString(16)}`,
  );
  return queue;
}

/**
 * Enqueues everything that was recorded, as one command. Its event is complete when all of it is, and fails when one
 * command does. Errors: CL_INVALID_COMMAND_BUFFER_KHR; CL_INVALID_OPERATION before it is finalized, and for one that is
 * enqueued already unless it was made with CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR; CL_INVALID_VALUE for another number
 * of queues than one; CL_INVALID_COMMAND_QUEUE; CL_INVALID_CONTEXT; CL_INCOMPATIBLE_COMMAND_QUEUE_KHR;
 * CL_INVALID_EVENT_WAIT_LIST; CL_OUT_OF_RESOURCES.
 *
 * @public
 */
export function clEnqueueCommandBufferKHR(
  queues: readonly CommandQueue[] | null,
  commandBuffer: CommandBuffer,
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "clEnqueueCommandBufferKHR";
  liveCommandBuffer(call, commandBuffer);
  const { recording } = commandBuffer;
  ensure(
    recording !== null,
    "CL_INVALID_OPERATION",
    call,
    "the command buffer is not finalized: call clFinalizeCommandBufferKHR first",
  );
  const isFree = (commandBuffer.flags & CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR) !== 0 || !commandBuffer.isPending();
  ensure(
    isFree,
    "CL_INVALID_OPERATION",
    call,
    "the command buffer is already enqueued and not complete; to allow this, create it " +
      "with CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR",
  );
  const queue = targetQueue(call, queues, commandBuffer);
  const command = {
    waits: waits.length === 0 ? NO_EVENTS : checkedWaits(call, queue.context, waits),
    objects: [recording, commandBuffer.enqueued(queue)],
    record: null,
    launch: null,
    instances: recording,
  };
  const { accesses } = recording;
  if (accesses.length > 0) return enqueueWithCopies(call, "CL_COMMAND_COMMAND_BUFFER_KHR", queue, command, accesses);
  const event = new Event("CL_COMMAND_COMMAND_BUFFER_KHR", queue, command);
  queue.enqueue(event);
  return event;
}
