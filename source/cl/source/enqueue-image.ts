// SPDX-License-Identifier: Apache-2.0
// Commands on images (OpenCL 3.0, 5.3.2 to 5.3.6). Origins and regions are three numbers; a layer is y of a 1-D array
// and z of a 2-D array.
import { bytesOf } from "@muxkit/cargo";
import {
  type Box,
  channelClass,
  checkRegion,
  colorFromBytes,
  hostPitches,
  imageView,
  packColor,
  regionsOverlap,
} from "@muxkit/libimg";
import {
  type MuxExtent3d,
  muxCommandCopyBufferToImage,
  muxCommandCopyImage,
  muxCommandCopyImageToBuffer,
  muxCommandFillImage,
  muxCommandReadImage,
  muxCommandWriteImage,
} from "@muxkit/mux";

import type { Buffer } from "./buffer.ts";
import { NO_ACCESSES, changes, overwrites, reads } from "./access.ts";
import { OpenCLError, ensure } from "./error.ts";
import type { Event } from "./event.ts";
import { IMAGE_TYPES, Image } from "./image.ts";
import { NO_EVENTS } from "./kernel-launch.ts";

import { live } from "./object.ts";
import type { CommandQueue } from "./queue.ts";
import {
  type CheckedCommand,
  type CommandOwner,
  block,
  checkArray,
  checkBlocking,
  checkHostAccess,
  checkRange,
  enqueue,
  enqueueChecked,
  hasCopies,
  liveBuffer,
  liveMemory,
  liveQueue,
  mapRegion,
  ownArray,
} from "./enqueue-checks.ts";

/**
 * An origin in an image or a size of a part of it: x, y, z. Missing dimensions are 0 in origins and 1 in sizes.
 *
 * @public
 */
export type ImagePosition = readonly [x: number, y: number, z: number];

function liveImage(call: string, owner: CommandOwner, image: Image): Image {
  live(image, Image, "CL_INVALID_MEM_OBJECT", call);
  liveMemory(call, owner, image);
  return image;
}

function checkedBox(call: string, { layout }: Image, origin: ImagePosition, region: ImagePosition): void {
  const checked = checkRegion(layout, origin, region);
  if (!checked.ok) throw new OpenCLError("CL_INVALID_VALUE", call, checked.error.message);
}

const extent = ([x, y, z]: Box): MuxExtent3d => ({ x, y, z });

/** A region of an image and the caller's array next to it. */
interface HostTransfer {
  readonly queue: CommandQueue;
  readonly image: Image;
  readonly origin: ImagePosition;
  readonly region: ImagePosition;
  readonly rowPitch: number;
  readonly slicePitch: number;
  readonly array: ArrayBufferView;
}

/** Checks a transfer; returns the pitches of the caller's array, and those of its bytes that the region takes. */
function hostRegion(
  call: string,
  access: "read" | "write",
  { queue, image, origin, region, rowPitch, slicePitch, array }: HostTransfer,
): { readonly row: number; readonly slice: number; readonly bytes: Uint8Array } {
  const { layout } = liveImage(call, liveQueue(call, queue), image);
  checkedBox(call, image, origin, region);
  const { axes, isArray } = IMAGE_TYPES[image.type];
  ensure(
    slicePitch === 0 || axes === 3 || isArray,
    "CL_INVALID_VALUE",
    call,
    `an image of type ${image.type} has no slices, so it has no slice pitch`,
  );
  const pitches = hostPitches(layout, region, rowPitch, slicePitch);
  if (!pitches.ok) throw new OpenCLError("CL_INVALID_VALUE", call, pitches.error.message);
  const [row, slice] = pitches.value;
  checkHostAccess(call, image, access);
  return {
    row,
    slice,
    bytes: checkArray(call, array, (region[2] - 1) * slice + (region[1] - 1) * row + region[0] * layout.pixelBytes),
  };
}

/**
 * Reads a region into an array, whose pitches are tight where they are 0. Errors: CL_INVALID_COMMAND_QUEUE,
 * CL_INVALID_CONTEXT, CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE, CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_OPERATION; of a
 * blocking call, what the command failed with.
 *
 * @public
 */
export function clEnqueueReadImage(
  queue: CommandQueue,
  image: Image,
  blocking: boolean,
  origin: ImagePosition,
  region: ImagePosition,
  rowPitch: number,
  slicePitch: number,
  array: ArrayBufferView,
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "clEnqueueReadImage";
  checkBlocking(call, blocking);
  const {
    row,
    slice,
    bytes: target,
  } = hostRegion(call, "read", { queue, image, origin, region, rowPitch, slicePitch, array });
  return block(
    enqueue(
      call,
      queue,
      "CL_COMMAND_READ_IMAGE",
      waits,
      [image],
      (commands) =>
        muxCommandReadImage(
          commands,
          image.on(commands.device),
          extent(origin),
          extent(region),
          row,
          slice,
          target,
          [],
        ),
      hasCopies(queue) ? [reads(image)] : NO_ACCESSES,
    ),
    blocking,
  );
}

/**
 * Writes a region from an array. Without blocking, an array of more than 64 KiB must stay as it is until the event is
 * complete. Errors: those of {@link clEnqueueReadImage}.
 *
 * @public
 */
export function clEnqueueWriteImage(
  queue: CommandQueue,
  image: Image,
  blocking: boolean,
  origin: ImagePosition,
  region: ImagePosition,
  rowPitch: number,
  slicePitch: number,
  array: ArrayBufferView,
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "clEnqueueWriteImage";
  checkBlocking(call, blocking);
  const { row, slice, bytes } = hostRegion(call, "write", {
    queue,
    image,
    origin,
    region,
    rowPitch,
    slicePitch,
    array,
  });
  const source = ownArray(bytes, blocking);
  return block(
    enqueue(
      call,
      queue,
      "CL_COMMAND_WRITE_IMAGE",
      waits,
      [image],
      (commands) =>
        muxCommandWriteImage(
          commands,
          image.on(commands.device),
          extent(origin),
          extent(region),
          row,
          slice,
          source,
          [],
        ),
      hasCopies(queue) ? [changes(image)] : NO_ACCESSES,
    ),
    blocking,
  );
}

/** Checks a fill of a region. */
export function fillImage(
  call: string,
  owner: CommandOwner,
  image: Image,
  color: ArrayBufferView,
  origin: ImagePosition,
  region: ImagePosition,
): CheckedCommand {
  liveImage(call, owner, image);
  checkedBox(call, image, origin, region);
  const { format, pixelBytes } = image.layout;
  const wanted = format.order === "DEPTH" ? 4 : 16;
  ensure(
    ArrayBuffer.isView(color) && color.byteLength === wanted,
    "CL_INVALID_VALUE",
    call,
    () => `the colour has ${wanted} bytes (${wanted / 4} of ${channelClass(format)}), not ${color.byteLength}`,
  );
  const pixel = packColor(format, colorFromBytes(format, bytesOf(color)), pixelBytes);
  const [at, size] = [extent(origin), extent(region)];
  return {
    type: "CL_COMMAND_FILL_IMAGE",
    objects: [image],
    record: (commands, waits = []) => muxCommandFillImage(commands, image.on(commands.device), pixel, at, size, waits),
    accesses: hasCopies(owner) ? [changes(image)] : NO_ACCESSES,
  };
}

/** Checks a copy between images. */
export function copyImage(
  call: string,
  owner: CommandOwner,
  source: Image,
  target: Image,
  sourceOrigin: ImagePosition,
  targetOrigin: ImagePosition,
  region: ImagePosition,
): CheckedCommand {
  liveImage(call, owner, source);
  liveImage(call, owner, target);
  ensure(
    source.image.format === target.image.format,
    "CL_IMAGE_FORMAT_MISMATCH",
    call,
    `the source is of ${source.format.channelOrder} and ${source.format.channelType}, ` +
      `the target of ${target.format.channelOrder} and ${target.format.channelType}`,
  );
  checkedBox(call, source, sourceOrigin, region);
  checkedBox(call, target, targetOrigin, region);
  ensure(
    source.shown !== target.shown || !regionsOverlap(sourceOrigin, targetOrigin, region),
    "CL_MEM_COPY_OVERLAP",
    call,
    "source and target overlap; copy through another image",
  );
  const [from, to, size] = [extent(sourceOrigin), extent(targetOrigin), extent(region)];
  return {
    type: "CL_COMMAND_COPY_IMAGE",
    objects: [source, target],
    record: (commands, waits = []) =>
      muxCommandCopyImage(commands, source.on(commands.device), target.on(commands.device), from, to, size, waits),
    accesses: hasCopies(owner) ? [reads(source), changes(target)] : NO_ACCESSES,
  };
}

/** An image of a row that shows a buffer is not copied to or from that very buffer. */
function checkOthers(call: string, image: Image, buffer: Buffer): void {
  ensure(
    image.type !== "CL_MEM_OBJECT_IMAGE1D_BUFFER" || image.parent !== buffer,
    "CL_INVALID_MEM_OBJECT",
    call,
    "the image uses the bytes of this buffer; copy within the buffer instead",
  );
}

/** Checks a copy of an image's region to a buffer. */
export function copyImageToBuffer(
  call: string,
  owner: CommandOwner,
  source: Image,
  target: Buffer,
  origin: ImagePosition,
  region: ImagePosition,
  offset: number,
): CheckedCommand {
  liveImage(call, owner, source);
  liveBuffer(call, owner, target);
  checkOthers(call, source, target);
  checkedBox(call, source, origin, region);
  checkRange(call, target, offset, tightBytes(source, region));
  const [at, size] = [extent(origin), extent(region)];
  return {
    type: "CL_COMMAND_COPY_IMAGE_TO_BUFFER",
    objects: [source, target],
    record: (commands, waits = []) =>
      muxCommandCopyImageToBuffer(
        commands,
        source.on(commands.device),
        target.on(commands.device),
        at,
        offset,
        size,
        waits,
      ),
    accesses: hasCopies(owner) ? [reads(source), overwrites(target, offset, tightBytes(source, region))] : NO_ACCESSES,
  };
}

/** Checks a copy of a buffer's bytes to a region of an image. */
export function copyBufferToImage(
  call: string,
  owner: CommandOwner,
  source: Buffer,
  target: Image,
  offset: number,
  origin: ImagePosition,
  region: ImagePosition,
): CheckedCommand {
  liveBuffer(call, owner, source);
  liveImage(call, owner, target);
  checkOthers(call, target, source);
  checkedBox(call, target, origin, region);
  checkRange(call, source, offset, tightBytes(target, region));
  const [at, size] = [extent(origin), extent(region)];
  return {
    type: "CL_COMMAND_COPY_BUFFER_TO_IMAGE",
    objects: [source, target],
    record: (commands, waits = []) =>
      muxCommandCopyBufferToImage(
        commands,
        source.on(commands.device),
        target.on(commands.device),
        offset,
        at,
        size,
        waits,
      ),
    accesses: hasCopies(owner) ? [reads(source, offset, tightBytes(target, region)), changes(target)] : NO_ACCESSES,
  };
}

/**
 * Fills a region with a colour: red, green, blue and alpha as floats, or as ints of the format's sign; of a depth image
 * one float. It is converted as kernels' writes are. Errors: those of {@link clEnqueueReadImage}.
 *
 * @public
 */
export function clEnqueueFillImage(
  queue: CommandQueue,
  image: Image,
  color: ArrayBufferView,
  origin: ImagePosition,
  region: ImagePosition,
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "clEnqueueFillImage";
  return enqueueChecked(call, queue, fillImage(call, liveQueue(call, queue), image, color, origin, region), waits);
}

/**
 * Copies a region between images of one format. Errors: those of {@link clEnqueueReadImage}; CL_IMAGE_FORMAT_MISMATCH,
 * CL_MEM_COPY_OVERLAP.
 *
 * @public
 */
export function clEnqueueCopyImage(
  queue: CommandQueue,
  source: Image,
  target: Image,
  sourceOrigin: ImagePosition,
  targetOrigin: ImagePosition,
  region: ImagePosition,
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "clEnqueueCopyImage";
  return enqueueChecked(
    call,
    queue,
    copyImage(call, liveQueue(call, queue), source, target, sourceOrigin, targetOrigin, region),
    waits,
  );
}

function tightBytes({ layout }: Image, region: ImagePosition): number {
  return region[0] * region[1] * region[2] * layout.pixelBytes;
}

/**
 * Copies a region, its rows tight, to bytes of a buffer from `offset` on. Errors: those of {@link clEnqueueReadImage}.
 *
 * @public
 */
export function clEnqueueCopyImageToBuffer(
  queue: CommandQueue,
  source: Image,
  target: Buffer,
  origin: ImagePosition,
  region: ImagePosition,
  offset: number,
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "clEnqueueCopyImageToBuffer";
  return enqueueChecked(
    call,
    queue,
    copyImageToBuffer(call, liveQueue(call, queue), source, target, origin, region, offset),
    waits,
  );
}

/**
 * Copies bytes of a buffer from `offset` on, rows tight, to a region. Errors: those of {@link clEnqueueReadImage}.
 *
 * @public
 */
export function clEnqueueCopyBufferToImage(
  queue: CommandQueue,
  source: Buffer,
  target: Image,
  offset: number,
  origin: ImagePosition,
  region: ImagePosition,
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "clEnqueueCopyBufferToImage";
  return enqueueChecked(
    call,
    queue,
    copyBufferToImage(call, liveQueue(call, queue), source, target, offset, origin, region),
    waits,
  );
}

/**
 * Maps a region: returns an array that begins with the region's first pixel once the event is complete, and the pitches
 * that lead to the others (of slices: 0 where there are none). Errors: those of {@link clEnqueueReadImage};
 * CL_INVALID_OPERATION also for a part that is mapped to be written, and shall be again; CL_MAP_FAILURE.
 *
 * @public
 */
export function clEnqueueMapImage(
  queue: CommandQueue,
  image: Image,
  blocking: boolean,
  flags: number,
  origin: ImagePosition,
  region: ImagePosition,
  waits: readonly Event[] = NO_EVENTS,
): { readonly array: Uint8Array; readonly rowPitch: number; readonly slicePitch: number; readonly event: Event } {
  const call = "clEnqueueMapImage";
  checkBlocking(call, blocking);
  liveImage(call, liveQueue(call, queue), image);
  checkedBox(call, image, origin, region);
  const { layout } = image;
  const { offset, rowPitch, slicePitch } = imageView(layout, NO_BYTES, 0, origin);
  const size = (region[2] - 1) * slicePitch + (region[1] - 1) * rowPitch + region[0] * layout.pixelBytes;
  const mapped = mapRegion(
    {
      call,
      queue,
      object: image,
      type: "CL_COMMAND_MAP_IMAGE",
      flags,
      offset,
      size,
      pixels: { origin, region },
      waits,
    },
    blocking,
  );
  return { ...mapped, rowPitch: layout.rowPitch, slicePitch: image.slicePitch };
}

const NO_BYTES = new Uint8Array(0);
