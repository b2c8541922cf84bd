// SPDX-License-Identifier: Apache-2.0
// Commands on boxes of bytes in buffers (OpenCL 3.0, 5.2.2 and 5.2.3). Origins and sizes are three numbers: bytes along
// a row, rows, slices.
//
// A box is an affine map from (x, y, z) to a byte, z * slice pitch + y * row pitch + x. Each command is checked in the
// same phases: the region is not empty, the pitches of both sides are filled in (0: tight) and hold a row and a slice,
// the last byte is inside. Then one region of the runtime's is recorded.
//
// A copy within one buffer must not overlap. For equal pitches this is the test of the specification's appendix D: they
// do not overlap when the byte ranges are disjoint, or when, modulo the row pitch or modulo the slice pitch, one fits
// into the gaps of the other. For different pitches (parts of one buffer) the byte ranges are compared.
//
// Cost: constant, whatever the size of the box.
import {
  type MuxBufferRegionInfo,
  type MuxExtent2d,
  type MuxExtent3d,
  muxCommandCopyBufferRegions,
  muxCommandReadBufferRegions,
  muxCommandWriteBufferRegions,
} from "@muxkit/mux";

import { NO_ACCESSES, changes, reads } from "./access.ts";
import { type Buffer, placeOf } from "./buffer.ts";
import { ensure } from "./error.ts";
import type { Event } from "./event.ts";
import { NO_EVENTS } from "./kernel-launch.ts";
import type { CommandQueue } from "./queue.ts";
import {
  type CheckedCommand,
  type CommandOwner,
  block,
  checkArray,
  checkBlocking,
  checkHostAccess,
  enqueue,
  enqueueChecked,
  hasCopies,
  liveBuffer,
  liveQueue,
  ownArray,
} from "./enqueue-checks.ts";

/** An origin in a box of bytes or the size of one: bytes along a row, rows, slices. @public */
export type RectPosition = readonly [x: number, y: number, z: number];

/**
 * A box on one side: where it begins, bytes from row to row and from slice to slice. As passed by callers, 0 is tight.
 */
interface Side {
  readonly origin: RectPosition;
  readonly row: number;
  readonly slice: number;
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

function checkRegion(call: string, region: RectPosition): void {
  ensure(
    region.length === 3 && region.every((size) => isCount(size) && size > 0),
    "CL_INVALID_VALUE",
    call,
    () => `a region of ${region.join(" × ")} bytes, rows and slices is empty or invalid`,
  );
}

/** The pitches of a side, tight where they are 0. */
function sideOf(
  call: string,
  name: string,
  { origin, row: rowPitch, slice: slicePitch }: Side,
  region: RectPosition,
): Side {
  ensure(
    origin.length === 3 && origin.every(isCount),
    "CL_INVALID_VALUE",
    call,
    () => `the origin (${origin.join(", ")}) in the ${name} is not three non-negative integers`,
  );
  ensure(
    isCount(rowPitch) && isCount(slicePitch),
    "CL_INVALID_VALUE",
    call,
    `the pitches of the ${name} are ${rowPitch} and ${slicePitch}`,
  );
  ensure(
    rowPitch === 0 || rowPitch >= region[0],
    "CL_INVALID_VALUE",
    call,
    `the row pitch of the ${name} is ${rowPitch} bytes; a row of the region has ${region[0]}`,
  );
  const row = rowPitch === 0 ? region[0] : rowPitch;
  const least = region[1] * row;
  ensure(
    slicePitch === 0 || (slicePitch >= least && slicePitch % row === 0),
    "CL_INVALID_VALUE",
    call,
    `the slice pitch of the ${name} is ${slicePitch} bytes; it must be 0, or a multiple ` +
      `of the row pitch ${row} that is at least ${least}`,
  );
  return { origin, row, slice: slicePitch === 0 ? least : slicePitch };
}

const startOf = ({ origin: [x, y, z], row, slice }: Side): number => z * slice + y * row + x;

const bytesFrom = ({ row, slice }: Side, [width, height, depth]: RectPosition): number =>
  (depth - 1) * slice + (height - 1) * row + width;

function checkInside(call: string, name: string, buffer: Buffer, side: Side, region: RectPosition): void {
  const end = startOf(side) + bytesFrom(side, region);
  ensure(
    end <= buffer.size,
    "CL_INVALID_VALUE",
    call,
    `the region ends at byte ${end} of the ${name}, which has ${buffer.size}`,
  );
}

const extent = ([x, y, z]: RectPosition): MuxExtent3d => ({ x, y, z });
const pitches = ({ row, slice }: Side): MuxExtent2d => ({ x: row, y: slice });

function regionOf(from: Side, to: Side, region: RectPosition): readonly MuxBufferRegionInfo[] {
  return [
    {
      region: extent(region),
      srcOrigin: extent(from.origin),
      dstOrigin: extent(to.origin),
      srcDesc: pitches(from),
      dstDesc: pitches(to),
    },
  ];
}

/** A box of a buffer and one of the caller's array. */
interface Transfer {
  readonly queue: CommandQueue;
  readonly buffer: Buffer;
  readonly inBuffer: Side;
  readonly inArray: Side;
  readonly region: RectPosition;
  readonly array: ArrayBufferView;
}

/**
 * Checks a transfer; returns both sides with their pitches, and the bytes of the array up to the last one that is
 * moved.
 */
function checkedTransfer(
  call: string,
  access: "read" | "write",
  { queue, buffer, inBuffer, inArray, region, array }: Transfer,
): { readonly device: Side; readonly host: Side; readonly bytes: Uint8Array } {
  liveBuffer(call, liveQueue(call, queue), buffer);
  checkRegion(call, region);
  const device = sideOf(call, "buffer", inBuffer, region);
  const host = sideOf(call, "array", inArray, region);
  checkInside(call, "buffer", buffer, device, region);
  checkHostAccess(call, buffer, access);
  return { device, host, bytes: checkArray(call, array, startOf(host) + bytesFrom(host, region)) };
}

/**
 * Reads a box of a buffer into a box of an array. Pitches are bytes from row to row and from slice to slice; 0: tight.
 * Errors: CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT, CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE for an empty region,
 * for pitches that are too small or outside of buffer or array, CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_OPERATION for a
 * buffer that the host must not read; of a blocking call, what the command failed with.
 *
 * @public
 */
export function clEnqueueReadBufferRect(
  queue: CommandQueue,
  buffer: Buffer,
  blocking: boolean,
  bufferOrigin: RectPosition,
  hostOrigin: RectPosition,
  region: RectPosition,
  bufferRowPitch: number,
  bufferSlicePitch: number,
  hostRowPitch: number,
  hostSlicePitch: number,
  array: ArrayBufferView,
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "clEnqueueReadBufferRect";
  checkBlocking(call, blocking);
  const { device, host, bytes } = checkedTransfer(call, "read", {
    queue,
    buffer,
    inBuffer: { origin: bufferOrigin, row: bufferRowPitch, slice: bufferSlicePitch },
    inArray: { origin: hostOrigin, row: hostRowPitch, slice: hostSlicePitch },
    region,
    array,
  });
  return block(
    enqueue(
      call,
      queue,
      "CL_COMMAND_READ_BUFFER_RECT",
      waits,
      [buffer],
      (commands) =>
        muxCommandReadBufferRegions(commands, buffer.on(commands.device), bytes, regionOf(device, host, region), []),
      hasCopies(queue) ? [reads(buffer, startOf(device), bytesFrom(device, region))] : NO_ACCESSES,
    ),
    blocking,
  );
}

/**
 * Writes a box of an array to a box of a buffer. Without blocking, an array of more than 64 KiB must stay as it is
 * until the event is complete. Errors: those of {@link clEnqueueReadBufferRect}, CL_INVALID_OPERATION for a buffer that
 * the host must not write.
 *
 * @public
 */
export function clEnqueueWriteBufferRect(
  queue: CommandQueue,
  buffer: Buffer,
  blocking: boolean,
  bufferOrigin: RectPosition,
  hostOrigin: RectPosition,
  region: RectPosition,
  bufferRowPitch: number,
  bufferSlicePitch: number,
  hostRowPitch: number,
  hostSlicePitch: number,
  array: ArrayBufferView,
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "clEnqueueWriteBufferRect";
  checkBlocking(call, blocking);
  const { device, host, bytes } = checkedTransfer(call, "write", {
    queue,
    buffer,
    inBuffer: { origin: bufferOrigin, row: bufferRowPitch, slice: bufferSlicePitch },
    inArray: { origin: hostOrigin, row: hostRowPitch, slice: hostSlicePitch },
    region,
    array,
  });
  const source = ownArray(bytes, blocking);
  return block(
    enqueue(
      call,
      queue,
      "CL_COMMAND_WRITE_BUFFER_RECT",
      waits,
      [buffer],
      (commands) =>
        muxCommandWriteBufferRegions(commands, buffer.on(commands.device), source, regionOf(host, device, region), []),
      hasCopies(queue) ? [changes(buffer, startOf(device), bytesFrom(device, region))] : NO_ACCESSES,
    ),
    blocking,
  );
}

/** True when one of two stretches of `length` bytes that repeat every `pitch` fits into the gaps of the other. */
function fitsInGap(left: number, right: number, length: number, pitch: number): boolean {
  return (
    (right >= left + length && right + length <= left + pitch) ||
    (left >= right + length && left + length <= right + pitch)
  );
}

/**
 * Whether two boxes of one buffer share a byte: the rule of the specification's appendix D. Starts are bytes from the
 * whole buffer's first.
 */
function regionsOverlap(from: number, to: number, side: Side, region: RectPosition): boolean {
  const [width, height] = region;
  const { row, slice } = side;
  const size = bytesFrom(side, region);
  if (to + size <= from || from + size <= to) return false;
  return (
    !fitsInGap(from % row, to % row, width, row) &&
    !fitsInGap(from % slice, to % slice, (height - 1) * row + width, slice)
  );
}

/** Checks a copy of a box between buffers. */
export function copyBufferRect(
  call: string,
  owner: CommandOwner,
  source: Buffer,
  target: Buffer,
  sourceOrigin: RectPosition,
  targetOrigin: RectPosition,
  region: RectPosition,
  sourceRowPitch: number,
  sourceSlicePitch: number,
  targetRowPitch: number,
  targetSlicePitch: number,
): CheckedCommand {
  liveBuffer(call, owner, source);
  liveBuffer(call, owner, target);
  checkRegion(call, region);
  const from = sideOf(call, "source", { origin: sourceOrigin, row: sourceRowPitch, slice: sourceSlicePitch }, region);
  const to = sideOf(call, "target", { origin: targetOrigin, row: targetRowPitch, slice: targetSlicePitch }, region);
  checkInside(call, "source", source, from, region);
  checkInside(call, "target", target, to, region);
  const isSame = from.row === to.row && from.slice === to.slice;
  ensure(
    source !== target || isSame,
    "CL_INVALID_VALUE",
    call,
    `a copy within one buffer requires equal pitches, not ${from.row} and ${from.slice} ` +
      `for the source and ${to.row} and ${to.slice} for the target`,
  );
  const first = placeOf(source, startOf(from));
  const second = placeOf(target, startOf(to));
  const meets = isSame
    ? regionsOverlap(first.at, second.at, from, region)
    : first.at < second.at + bytesFrom(to, region) && second.at < first.at + bytesFrom(from, region);
  ensure(
    first.whole !== second.whole || !meets,
    "CL_MEM_COPY_OVERLAP",
    call,
    "source and target overlap; copy through another buffer",
  );
  const regions = regionOf(from, to, region);
  return {
    type: "CL_COMMAND_COPY_BUFFER_RECT",
    objects: [source, target],
    record: (commands, waits = []) =>
      muxCommandCopyBufferRegions(commands, source.on(commands.device), target.on(commands.device), regions, waits),
    accesses: hasCopies(owner)
      ? [reads(source, startOf(from), bytesFrom(from, region)), changes(target, startOf(to), bytesFrom(to, region))]
      : NO_ACCESSES,
  };
}

/**
 * Copies a box between buffers. Within one buffer both sides have the same pitches. Errors: CL_INVALID_COMMAND_QUEUE,
 * CL_INVALID_CONTEXT, CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE as {@link clEnqueueReadBufferRect} and for different
 * pitches within one buffer, CL_MEM_COPY_OVERLAP for boxes that share bytes (between parts of one buffer with different
 * pitches: interleaved ones), CL_INVALID_EVENT_WAIT_LIST.
 *
 * @public
 */
export function clEnqueueCopyBufferRect(
  queue: CommandQueue,
  source: Buffer,
  target: Buffer,
  sourceOrigin: RectPosition,
  targetOrigin: RectPosition,
  region: RectPosition,
  sourceRowPitch: number,
  sourceSlicePitch: number,
  targetRowPitch: number,
  targetSlicePitch: number,
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "clEnqueueCopyBufferRect";
  return enqueueChecked(
    call,
    queue,
    copyBufferRect(
      call,
      liveQueue(call, queue),
      source,
      target,
      sourceOrigin,
      targetOrigin,
      region,
      sourceRowPitch,
      sourceSlicePitch,
      targetRowPitch,
      targetSlicePitch,
    ),
    waits,
  );
}
