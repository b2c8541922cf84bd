// SPDX-License-Identifier: Apache-2.0
// What all commands of a queue have in common: checks of queues and objects, events, blocking, maps.
import { bytesOf } from "@muxkit/cargo";
import type { Result } from "@muxkit/cargo";
import { type MuxCommandBuffer, type MuxError, type MuxSyncPoint, muxCommandUserCallback } from "@muxkit/mux";

import { type Access, NO_ACCESSES, reads } from "./access.ts";
import { Buffer } from "./buffer.ts";
import {
  CL_MAP_READ,
  CL_MAP_WRITE,
  CL_MAP_WRITE_INVALIDATE_REGION,
  CL_MEM_HOST_NO_ACCESS,
  CL_MEM_HOST_READ_ONLY,
  CL_MEM_HOST_WRITE_ONLY,
} from "./generated/constants.ts";
import { ensure, ensureBlocking } from "./error.ts";
import { type CommandType, Event, checkedWaits } from "./event.ts";
import { orElse } from "./from-mux.ts";
import { type Mapping, MemoryObject, type PixelBox } from "./memory-object.ts";
import { type ClObject, live } from "./object.ts";
import type { Context, Device } from "./platform.ts";
import { CommandQueue } from "./queue.ts";
import type { Command } from "./submission.ts";
import { callBegins, callEnds } from "./trace.ts";
import { bring, noteChanges, takeBack } from "./transfers.ts";

/**
 * Records one command in the runtime's command buffer, after sync-points of it; none means after everything before
 * it.
 */
export type RecordCommand = (
  commands: MuxCommandBuffer,
  waits?: readonly MuxSyncPoint[],
) => Result<MuxSyncPoint, MuxError>;

/**
 * A command that is checked: what it is, what it needs and how it is recorded. Queues and command buffers take it
 * alike.
 */
export interface CheckedCommand {
  readonly type: CommandType;
  readonly objects: readonly ClObject[];
  /** Null: it does nothing on the device. */
  readonly record: RecordCommand | null;
  /** Which bytes it uses, in contexts of several memories. */
  readonly accesses: readonly Access[];
}

/** A queue or a command buffer: what objects must belong to the same context as. */
export interface CommandOwner {
  readonly context: Context;
  readonly device: Device;
}

/** Bytes of a write that does not block, up to which its array is copied at the call. */
const COPIED_AT_ENQUEUE = 65_536;

/**
 * Refuses memory that numbers name to devices that do not reach it (CL_INVALID_OPERATION): it is where it is.
 */
export function ensureReaches(call: string, { context: { memories }, device }: CommandOwner): void {
  ensure(
    memories === null || memories.of(device) === memories.home,
    "CL_INVALID_OPERATION",
    call,
    () =>
      `${device.info.deviceName} cannot reach shared virtual or unified shared memory of this context, which belongs ` +
      `to ${memories?.home.device.info.deviceName}; use a queue of that device`,
  );
}

/** True where memory objects have copies, so that commands have to say what they use. */
export function hasCopies({ context }: CommandOwner): boolean {
  return context.memories !== null;
}

/**
 * Passes a command to its queue. `accesses` is what it uses in contexts of several memories, in that of its device, or
 * where the objects were made (`isAtHome`), as the host does.
 */
export function enqueue(
  call: string,
  queue: CommandQueue,
  type: CommandType,
  waits: readonly Event[],
  objects: readonly ClObject[],
  record: RecordCommand | null,
  accesses: readonly Access[] = NO_ACCESSES,
  isAtHome: boolean = false,
): Event {
  const { context } = queue;
  const command: Command = { waits: checkedWaits(call, context, waits), objects, record, launch: null };
  return context.memories === null || accesses.length === 0
    ? passOn(type, queue, command)
    : enqueueWithCopies(call, type, queue, command, accesses, isAtHome);
}

function passOn(type: CommandType, queue: CommandQueue, command: Command): Event {
  const event = new Event(type, queue, command);
  queue.enqueue(event);
  return event;
}

/**
 * Passes a command to its queue, in a context of several memories: brings what it uses, and notes what it changes.
 * Errors: CL_MEM_OBJECT_ALLOCATION_FAILURE.
 */
export function enqueueWithCopies(
  call: string,
  type: CommandType,
  queue: CommandQueue,
  command: Command,
  accesses: readonly Access[],
  isAtHome: boolean = false,
): Event {
  const { context } = queue;
  const { memories } = context;
  if (memories === null) return passOn(type, queue, command);
  const memory = isAtHome ? memories.home : memories.of(queue.device);
  const isCertain = command.waits.every(({ isComplete, error }) => isComplete && error === null);
  const copies = bring(call, context, memory, accesses, isCertain);
  const event: Event = new Event(type, queue, {
    ...command,
    waits: copies.length === 0 ? command.waits : [...command.waits, ...copies],
    failed: (error) => {
      takeBack(event, accesses);
      command.failed?.(error);
    },
  });
  noteChanges(event, memory, accesses);
  queue.enqueue(event);
  return event;
}

/** Passes a checked command to its queue. */
export function enqueueChecked(
  call: string,
  queue: CommandQueue,
  { type, objects, record, accesses }: CheckedCommand,
  waits: readonly Event[],
): Event {
  return enqueue(call, queue, type, waits, objects, record, accesses);
}

/** A blocking call: waits for its own command, whose failure it throws. */
export function block(event: Event, blocking: boolean): Event {
  if (!blocking) return event;
  event.markObserved();
  const begin = callBegins();
  event.queue.waitFor(event);
  callEnds("wait of a blocking call", begin);
  if (event.error !== null) throw event.error;
  return event;
}

/** A blocking call: refused where this thread must not wait (CL_INVALID_OPERATION). */
export function checkBlocking(call: string, blocking: boolean): void {
  if (blocking) ensureBlocking(call, "pass false for blocking, and await the event's `done`");
}

/** A living queue. */
export function liveQueue(call: string, queue: CommandQueue): CommandQueue {
  // Every call on a queue checks this; the class is known here, so comparing it is faster than a general check.
  if (!(queue instanceof CommandQueue)) return live(queue, CommandQueue, "CL_INVALID_COMMAND_QUEUE", call);
  queue.check(call);
  return queue;
}

/** A living buffer or image of the owner's context. */
export function liveMemory(call: string, owner: CommandOwner, object: MemoryObject): void {
  live(object, MemoryObject, "CL_INVALID_MEM_OBJECT", call);
  ensure(
    object.context === owner.context,
    "CL_INVALID_CONTEXT",
    call,
    "the object and the queue belong to different contexts",
  );
}

/** A pipe has memory like a buffer and is none: only kernels read and write it. */
export function ensureNoPipe(call: string, object: Buffer): void {
  ensure(object.isBuffer, "CL_INVALID_MEM_OBJECT", call, "a pipe is not a buffer: only kernels read and write it");
}

/** A living buffer of the owner's context. */
export function liveBuffer(call: string, owner: CommandOwner, buffer: Buffer): Buffer {
  live(buffer, Buffer, "CL_INVALID_MEM_OBJECT", call);
  ensureNoPipe(call, buffer);
  liveMemory(call, owner, buffer);
  return buffer;
}

/** Bytes of a buffer. */
export function checkRange(call: string, buffer: Buffer, offset: number, size: number): void {
  ensure(
    Number.isSafeInteger(size) && size > 0,
    "CL_INVALID_VALUE",
    call,
    () => `at least one byte is needed, not ${size}`,
  );
  ensure(
    Number.isSafeInteger(offset) && offset >= 0 && offset <= buffer.size - size,
    "CL_INVALID_VALUE",
    call,
    () => `bytes ${offset} to ${offset + size} are outside the ${buffer.size} bytes of the buffer`,
  );
}

/** The first bytes of the caller's array. */
export function checkArray(call: string, array: ArrayBufferView, size: number): Uint8Array {
  ensure(ArrayBuffer.isView(array), "CL_INVALID_VALUE", call, "the array is not a typed array");
  ensure(
    array.byteLength >= size,
    "CL_INVALID_VALUE",
    call,
    () => `the array has ${array.byteLength} bytes, but ${size} are requested`,
  );
  return bytesOf(array).subarray(0, size);
}

/**
 * What a write takes: a small array is copied at once, so that its owner can reuse it
 * (docs/decisions/002-host-commands.md).
 */
export function ownArray(bytes: Uint8Array, blocking: boolean): Uint8Array {
  return !blocking && bytes.length <= COPIED_AT_ENQUEUE ? bytes.slice() : bytes;
}

/** Refuses what the flags of an object keep the host from. */
export function checkHostAccess(call: string, object: MemoryObject, what: "read" | "write"): void {
  const forbidden =
    what === "read" ? CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS : CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
  ensure(
    (object.flags & forbidden) === 0,
    "CL_INVALID_OPERATION",
    call,
    `the flags of the object do not allow the host to ${what} it`,
  );
}

/**
 * What work of the host thread comes to: where it goes on elsewhere, a function that tells whether it is over. It is
 * asked until that is so, and soon after it has called `wake`.
 *
 * @public
 */
export type HostOutcome = void | ((wake: () => void) => boolean);

/** Runs on the host thread, in the queue's order. */
export function hostCommand(run: () => HostOutcome): RecordCommand {
  return (commands) => muxCommandUserCallback(commands, run, []);
}

/** A requested map: bytes `offset` to `offset + size` of an object. */
export interface MapRequest {
  readonly call: string;
  readonly queue: CommandQueue;
  readonly object: MemoryObject;
  readonly type: CommandType;
  readonly flags: number;
  readonly offset: number;
  readonly size: number;
  /** Of an image: the pixels. */
  readonly pixels: PixelBox | null;
  readonly waits: readonly Event[];
}

/** True when two regions of an object share a byte. */
function meets(left: Mapping, right: Mapping): boolean {
  if (left.pixels === null || right.pixels === null)
    return left.offset < right.offset + right.size && right.offset < left.offset + left.size;
  const { pixels: a } = left;
  const { pixels: b } = right;
  return ([0, 1, 2] as const).every(
    (axis) => a.origin[axis] < b.origin[axis] + b.region[axis] && b.origin[axis] < a.origin[axis] + a.region[axis],
  );
}

/** Maps bytes: checks the flags, remembers the map. */
export function mapRegion(
  { call, queue, object, type, flags, offset, size, pixels, waits }: MapRequest,
  blocking: boolean,
): { readonly array: Uint8Array; readonly event: Event } {
  const writes = (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) !== 0;
  const invalidates = (flags & CL_MAP_WRITE_INVALIDATE_REGION) !== 0;
  ensure(
    (flags & ~7) === 0 && !(invalidates && (flags & (CL_MAP_READ | CL_MAP_WRITE)) !== 0),
    "CL_INVALID_VALUE",
    call,
    `the flags 0x${flags.toString(16)} cannot be combined`,
  );
  if ((flags & CL_MAP_READ) !== 0) checkHostAccess(call, object, "read");
  if (writes) checkHostAccess(call, object, "write");
  const mapping: Mapping = { offset, size, writes, pixels };
  const isTaken = writes && [...object.mappings.values()].some((other) => other.writes && meets(other, mapping));
  ensure(!isTaken, "CL_INVALID_OPERATION", call, "a part of this range is already mapped for writing; unmap it first");
  const array = object.view(call, offset, size);
  const record =
    !object.copiesOnMap || invalidates
      ? null
      : hostCommand(() => {
          object.synchronize(call, "from_device", offset, size);
        });
  // What is invalidated need not be brought, but what is on its way comes first. The unmap tells what was written.
  const accesses =
    object.copies === null ? NO_ACCESSES : [{ ...reads(object, offset, size), reads: !invalidates, writes: false }];
  const event = enqueue(call, queue, type, waits, [object], record, accesses, true);
  object.mappings.set(array, mapping);
  // A call that fails returns no array, so nobody could unmap it.
  return {
    array,
    event: orElse(
      () => {
        object.mappings.delete(array);
      },
      () => block(event, blocking),
    ),
  };
}
