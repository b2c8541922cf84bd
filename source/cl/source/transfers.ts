// SPDX-License-Identifier: Apache-2.0
// Brings the bytes that a command needs to the memory of its device, in contexts of several memories.
// docs/decisions/080-several-devices.md
//
// Before a command is enqueued, `bring` finds the bytes of each access that are out of date there, and enqueues copies
// of them from where they are up to date. Copies are commands of hidden queues without order, one for each memory. A
// copy waits for the commands that write these bytes at its source, and the command waits for the copy. Nothing else
// orders them: what uses the bytes must be ordered with what writes them, by the rules of OpenCL, and a copy that
// waited for more could wait for a user event that is set only later.
//
//   before: queue A (host) writes x; queue B (GPU) is to run a kernel that reads x and waits for the write
//   after:  A: write x;  hidden queue of the GPU: host's memory to x (after the write);  B: kernel (after the copy)
//
// Where one of the two memories is the host's own, one command copies: the other device reads or writes it directly.
// So does one between buffers where the target's device reaches the memory of the source. Else one command reads into
// an array and another one writes that.
//
// Cost: linear in the accesses, the copies of each object, and the intervals of what is out of date.
import { mayBlock } from "@muxkit/cargo";
import { imageExtent } from "@muxkit/libimg";
import {
  type MuxBuffer,
  type MuxBufferRegionInfo,
  type MuxImage,
  muxCommandCopyBufferRegions,
  muxCommandReadBufferRegions,
  muxCommandReadImage,
  muxCommandWriteBufferRegions,
  muxCommandWriteImage,
  muxReachesMemory,
} from "@muxkit/mux";

import type { Access } from "./access.ts";
import type { ByteRange, ByteRanges } from "./byte-ranges.ts";
import type { Copies, Copy, Form } from "./copies.ts";
import { OpenCLError } from "./error.ts";
import { Event, NO_EVENTS } from "./event.ts";
import { orElse } from "./from-mux.ts";
import { CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE } from "./generated/constants.ts";
import { Image } from "./image.ts";
import type { Memory } from "./memories.ts";
import { type MemoryObject, takeMemory } from "./memory-object.ts";
import type { Context } from "./platform.ts";
import { CommandQueue } from "./queue.ts";
import type { Command } from "./submission.ts";

type Record = NonNullable<Command["record"]>;

/**
 * Brings what a command will use to a memory: returns the copies that it has to wait for. `isCertain`: nothing that it
 * waits for can fail, so that what it overwrites need not be brought. Errors: CL_MEM_OBJECT_ALLOCATION_FAILURE where
 * the memory has no room for an object.
 */
export function bring(
  call: string,
  context: Context,
  memory: Memory,
  accesses: readonly Access[],
  isCertain: boolean,
): readonly Event[] {
  const waits: Event[] = [];
  for (const { object, offset, size, reads } of accesses) {
    const { copies } = object;
    if (copies === null || size === 0) continue;
    formIn(call, object, memory);
    const copy = copies.at(memory) as Copy;
    const begin = object.rootOffset + offset;
    const end = begin + size;
    if (reads || !isCertain) update(call, context, copy, copy.stale.within(begin, end));
    copy.arrivals.collect(begin, end, waits);
  }
  return waits;
}

/** What the runtime calls an object in a memory; it is made there where it is not yet. */
export function formIn(call: string, object: MemoryObject, memory: Memory): Form {
  const { copies, context } = object;
  return copies === null ? object.form : copyIn(call, context, copies, memory).form(call, object);
}

/** Notes what a command changes, once its event is made. */
export function noteChanges(event: Event, memory: Memory, accesses: readonly Access[]): void {
  for (const { object, offset, size, writes } of accesses) {
    const { copies } = object;
    const copy = copies?.at(memory) ?? null;
    if (copies === null || copy === null || !writes || size === 0) continue;
    const begin = object.rootOffset + offset;
    copies.changed(copy, event, begin, begin + size);
  }
}

/** The command of an event has failed: what it would have changed has not changed. */
export function takeBack(event: Event, accesses: readonly Access[]): void {
  for (const { object, writes } of accesses) if (writes) object.copies?.failed(event);
}

/** Brings bytes to a copy from the others, and returns the last command of each way. */
function update(call: string, context: Context, copy: Copy, missing: ByteRanges): readonly Event[] {
  if (missing.isEmpty) return NO_EVENTS;
  const { owner } = copy;
  const events: Event[] = [];
  missing.removeAll(owner.unwritten);
  for (const source of owner.all) {
    if (source === copy || missing.isEmpty) continue;
    const bytes = missing.copy();
    bytes.removeAll(source.stale);
    if (bytes.isEmpty) continue;
    missing.removeAll(bytes);
    events.push(carry(call, context, source, copy, bytes));
  }
  return events;
}

/** The hidden queue of a memory. */
function carrierOf(call: string, context: Context, memory: Memory): CommandQueue {
  if (memory.carrier === null) {
    memory.carrier = new CommandQueue(context, memory.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, call);
    // The context has the queue, and not the other way round.
    context.unuse();
  }
  return memory.carrier;
}

/** Enqueues the copy of bytes from one memory to another. */
function carry(call: string, context: Context, source: Copy, target: Copy, bytes: ByteRanges): Event {
  const { root } = target.owner;
  const { list } = bytes;
  const before: Event[] = [];
  for (const [begin, end] of list) {
    source.writers.collect(begin, end, before);
    source.arrivals.collect(begin, end, before);
    target.arrivals.collect(begin, end, before);
  }
  const failed = (): void => {
    target.owner.missed(target, source, bytes);
  };
  const give = (memory: Memory, record: Record, waits: readonly Event[], after: readonly Event[]): Event => {
    const carrier = carrierOf(call, context, memory);
    const command = { waits, objects: [root], record, launch: null, failed };
    const event = new Event("CL_COMMAND_MIGRATE_MEM_OBJECTS", carrier, command);
    event.after = after;
    event.markObserved();
    carrier.enqueue(event);
    return event;
  };
  const { first, second } =
    root instanceof Image ? imageWays(call, root, source, target) : bufferWays(call, source, target, list);
  target.stale.removeAll(bytes);
  let event = give(first.memory, first.record, NO_EVENTS, before);
  // It fails at the earliest when all before it are complete, so later copies have to wait for it alone.
  for (const [begin, end] of list) source.writers.supersedeEqual(event, begin, end);
  if (second !== null) event = give(second.memory, second.record, [event], NO_EVENTS);
  for (const [begin, end] of list) target.arrivals.supersede(event, begin, end);
  return event;
}

/** A command of a memory's device. */
interface Step {
  readonly memory: Memory;
  readonly record: Record;
}

/** The commands that carry bytes. */
interface Ways {
  readonly first: Step;
  /** Null: the first one does all. */
  readonly second: Step | null;
}

/** The host's own memory that a copy is in; null: it is not, or threads of a device do not see it. */
function sharedView(call: string, { owner: { root, memories }, memory }: Copy): Uint8Array | null {
  if (memory !== memories.home || root.copiesOnMap) return null;
  const view = root.view(call, 0, root.size);
  return view.buffer instanceof ArrayBuffer ? null : view;
}

/** An array between two devices; where there is shared memory, their threads copy it. */
function stagingArray(bytes: number): Uint8Array {
  return new Uint8Array(
    typeof SharedArrayBuffer === "undefined" ? new ArrayBuffer(bytes) : new SharedArrayBuffer(bytes),
  );
}

function bufferWays(call: string, source: Copy, target: Copy, list: readonly ByteRange[]): Ways {
  const { root } = target.owner;
  const from = source.form(call, root);
  const to = target.form(call, root);
  const read = (array: Uint8Array, isPacked: boolean): Step => ({
    memory: source.memory,
    record: reading(from, array, regionsOf(list, isPacked)),
  });
  const write = (array: Uint8Array, isPacked: boolean): Step => ({
    memory: target.memory,
    record: writing(to, array, regionsOf(list, isPacked)),
  });
  const targetView = sharedView(call, target);
  if (targetView !== null) return { first: read(targetView, false), second: null };
  const sourceView = sharedView(call, source);
  if (sourceView !== null) return { first: write(sourceView, false), second: null };
  if (muxReachesMemory(target.memory.runtime, source.memory.runtime))
    return { first: { memory: target.memory, record: copying(from, to, regionsOf(list, false)) }, second: null };
  const staging = stagingArray(list.reduce((sum, [begin, end]) => sum + end - begin, 0));
  return { first: read(staging, true), second: write(staging, true) };
}

/** Regions of one row: at the same place in the array or other buffer, or one behind the other. */
function regionsOf(list: readonly ByteRange[], isPacked: boolean): readonly MuxBufferRegionInfo[] {
  let at = 0;
  return list.map(([begin, end]) => {
    const size = end - begin;
    const inBuffer = { x: begin, y: 0, z: 0 };
    const inArray = { x: isPacked ? at : begin, y: 0, z: 0 };
    at += size;
    return {
      region: { x: size, y: 1, z: 1 },
      srcOrigin: inBuffer,
      dstOrigin: inArray,
      srcDesc: { x: size, y: size },
      dstDesc: { x: size, y: size },
    };
  });
}

function reading(buffer: MuxBuffer, array: Uint8Array, regions: readonly MuxBufferRegionInfo[]): Record {
  return (commands) => muxCommandReadBufferRegions(commands, buffer, array, regions, []);
}

function writing(buffer: MuxBuffer, array: Uint8Array, regions: readonly MuxBufferRegionInfo[]): Record {
  const turned = regions.map(({ region, srcOrigin, dstOrigin, srcDesc, dstDesc }) => ({
    region,
    srcOrigin: dstOrigin,
    dstOrigin: srcOrigin,
    srcDesc,
    dstDesc,
  }));
  return (commands) => muxCommandWriteBufferRegions(commands, buffer, array, turned, []);
}

/** At the same place in both. */
function copying(from: MuxBuffer, to: MuxBuffer, regions: readonly MuxBufferRegionInfo[]): Record {
  return (commands) => muxCommandCopyBufferRegions(commands, from, to, regions, []);
}

/** Devices lay images out in their own ways, so the whole goes as pixels. */
function imageWays(call: string, image: Image, source: Copy, target: Copy): Ways {
  const [x, y, z] = imageExtent(image.layout);
  const rowPitch = x * image.layout.pixelBytes;
  const slicePitch = rowPitch * y;
  const staging = stagingArray(slicePitch * z);
  const [from, to] = [source.form(call, image) as MuxImage, target.form(call, image) as MuxImage];
  const [origin, region] = [
    { x: 0, y: 0, z: 0 },
    { x, y, z },
  ];
  return {
    first: {
      memory: source.memory,
      record: (commands) => muxCommandReadImage(commands, from, origin, region, rowPitch, slicePitch, staging, []),
    },
    second: {
      memory: target.memory,
      record: (commands) => muxCommandWriteImage(commands, to, origin, region, rowPitch, slicePitch, staging, []),
    },
  };
}

/** The copy of an object in a memory; it is made where there is none yet. */
function copyIn(call: string, context: Context, copies: Copies, memory: Memory): Copy {
  const known = copies.at(memory);
  if (known !== null) return known;
  const { root } = copies;
  const form = root.createForm(call, memory.runtime);
  const { size, alignment } = form.memoryRequirements;
  const take = (): ReturnType<typeof takeMemory> => takeMemory(call, memory.runtime, size, alignment, null);
  const undo = (): void => {
    root.destroyForm(call, form);
  };
  const own = orElse(undo, () => {
    try {
      return take();
    } catch (error) {
      const isShort = error instanceof OpenCLError && error.name === "CL_MEM_OBJECT_ALLOCATION_FAILURE";
      if (!isShort || !makeRoom(call, context, memory)) throw error;
      return take();
    }
  });
  undo();
  return copies.add(memory, own);
}

/**
 * Gives copies in a memory back that no command needs: those whose bytes are up to date elsewhere, and the others after
 * their bytes were carried to where the objects were made. False: there were none.
 */
function makeRoom(call: string, context: Context, memory: Memory): boolean {
  for (const queue of context.queues) queue.retire();
  const idle = [...memory.copies].filter((copy) => copy.isIdle);
  for (const copy of idle) {
    const { owner } = copy;
    const only = aloneIn(copy);
    if (!only.isEmpty) {
      if (!mayBlock()) continue;
      for (const event of update(call, context, owner.home, only)) while (!event.isComplete) event.queue.step(event);
      // What could not be carried stays.
      if (!aloneIn(copy).isEmpty) continue;
    }
    owner.dismiss(call, copy);
  }
  return idle.some(({ isGone }) => isGone);
}

/** Bytes that are up to date in a copy and nowhere else. */
function aloneIn(copy: Copy): ByteRanges {
  const { owner } = copy;
  const bytes = owner.home.stale.copy();
  bytes.removeAll(owner.unwritten);
  for (const other of owner.all) {
    if (other === copy || other === owner.home) continue;
    const fresh = bytes.copy();
    fresh.removeAll(other.stale);
    bytes.removeAll(fresh);
  }
  return bytes;
}
