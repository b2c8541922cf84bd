// SPDX-License-Identifier: Apache-2.0
// Commands of a queue (OpenCL 3.0, 5.2.2 to 5.2.4, 5.10, 5.12): invalid arguments are reported by the call, the rest by
// the event.
import { bytesOf } from "@muxkit/cargo";
import {
  DEFAULT_ALLOCATOR,
  type MuxNDRangeOptions,
  muxCommandCopyBuffer,
  muxCommandFillBuffer,
  muxCommandReadBuffer,
  muxCommandWriteBuffer,
  muxCreateLaunch,
} from "@muxkit/mux";

import { NO_ACCESSES, overwrites, reads } from "./access.ts";
import { type Buffer, placeOf } from "./buffer.ts";
import { OpenCLError, ensure } from "./error.ts";
import { type CommandType, Event, checkedWaits } from "./event.ts";
import { fromMuxResources } from "./from-mux.ts";
import { Kernel, codeFor } from "./kernel.ts";
import { KernelLaunch, type LaunchSizes, NO_EVENTS } from "./kernel-launch.ts";
import { anyLaunch, isEmptyLaunch, launchOptions } from "./launch-options.ts";
import { type MemoryObject } from "./memory-object.ts";
import { live } from "./object.ts";
import { warnOfPixels } from "./pixel-warnings.ts";
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
  enqueueWithCopies,
  hasCopies,
  hostCommand,
  liveBuffer,
  liveMemory,
  liveQueue,
  mapRegion,
  ownArray,
} from "./enqueue-checks.ts";
import { transferAtOnce } from "./transfer-at-once.ts";

/**
 * Reads `size` bytes from `offset` on into an array. Errors: CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT,
 * CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE, CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_OPERATION; of a blocking call, what
 * the command failed with.
 *
 * @public
 */
export function clEnqueueReadBuffer(
  queue: CommandQueue,
  buffer: Buffer,
  blocking: boolean,
  offset: number,
  size: number,
  array: ArrayBufferView,
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "clEnqueueReadBuffer";
  checkBlocking(call, blocking);
  liveBuffer(call, liveQueue(call, queue), buffer);
  checkRange(call, buffer, offset, size);
  checkHostAccess(call, buffer, "read");
  const bytes = checkArray(call, array, size);
  const done = blocking
    ? transferAtOnce({
        call,
        type: "CL_COMMAND_READ_BUFFER",
        queue,
        object: buffer,
        offset,
        array: bytes,
        reads: true,
        waits,
      })
    : null;
  return (
    done ??
    block(
      enqueue(
        call,
        queue,
        "CL_COMMAND_READ_BUFFER",
        waits,
        [buffer],
        (commands) => muxCommandReadBuffer(commands, buffer.on(commands.device), offset, bytes, []),
        hasCopies(queue) ? [reads(buffer, offset, size)] : NO_ACCESSES,
      ),
      blocking,
    )
  );
}

/**
 * Writes `size` bytes of an array to `offset`. Without blocking, an array of more than 64 KiB must stay as it is until
 * the event is complete. Errors: those of {@link clEnqueueReadBuffer}.
 *
 * @public
 */
export function clEnqueueWriteBuffer(
  queue: CommandQueue,
  buffer: Buffer,
  blocking: boolean,
  offset: number,
  size: number,
  array: ArrayBufferView,
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "clEnqueueWriteBuffer";
  checkBlocking(call, blocking);
  liveBuffer(call, liveQueue(call, queue), buffer);
  checkRange(call, buffer, offset, size);
  checkHostAccess(call, buffer, "write");
  const bytes = ownArray(checkArray(call, array, size), blocking);
  const done = blocking
    ? transferAtOnce({
        call,
        type: "CL_COMMAND_WRITE_BUFFER",
        queue,
        object: buffer,
        offset,
        array: bytes,
        reads: false,
        waits,
      })
    : null;
  return (
    done ??
    block(
      enqueue(
        call,
        queue,
        "CL_COMMAND_WRITE_BUFFER",
        waits,
        [buffer],
        (commands) => muxCommandWriteBuffer(commands, buffer.on(commands.device), offset, bytes, []),
        hasCopies(queue) ? [overwrites(buffer, offset, size)] : NO_ACCESSES,
      ),
      blocking,
    )
  );
}

/** Bytes that a pattern can have. */
export const PATTERN_SIZES: readonly number[] = [1, 2, 4, 8, 16, 32, 64, 128];

/** Checks a fill of a buffer. */
export function fillBuffer(
  call: string,
  owner: CommandOwner,
  buffer: Buffer,
  pattern: ArrayBufferView,
  offset: number,
  size: number,
): CheckedCommand {
  liveBuffer(call, owner, buffer);
  checkRange(call, buffer, offset, size);
  ensure(
    ArrayBuffer.isView(pattern) && PATTERN_SIZES.includes(pattern.byteLength),
    "CL_INVALID_VALUE",
    call,
    () => `a pattern has ${PATTERN_SIZES.join(", ")} bytes, not ${pattern.byteLength}`,
  );
  ensure(
    offset % pattern.byteLength === 0 && size % pattern.byteLength === 0,
    "CL_INVALID_VALUE",
    call,
    () => `offset ${offset} and size ${size} are not both multiples of the pattern's ${pattern.byteLength} bytes`,
  );
  const bytes = bytesOf(pattern).slice();
  return {
    type: "CL_COMMAND_FILL_BUFFER",
    objects: [buffer],
    record: (commands, waits = []) =>
      muxCommandFillBuffer(commands, buffer.on(commands.device), offset, size, bytes, waits),
    accesses: hasCopies(owner) ? [overwrites(buffer, offset, size)] : NO_ACCESSES,
  };
}

/**
 * Fills `size` bytes from `offset` on with a pattern of 1 to 128 bytes. Errors: those of {@link clEnqueueReadBuffer};
 * CL_INVALID_VALUE for the pattern.
 *
 * @public
 */
export function clEnqueueFillBuffer(
  queue: CommandQueue,
  buffer: Buffer,
  pattern: ArrayBufferView,
  offset: number,
  size: number,
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "clEnqueueFillBuffer";
  return enqueueChecked(call, queue, fillBuffer(call, liveQueue(call, queue), buffer, pattern, offset, size), waits);
}

/** Checks a copy between buffers. */
export function copyBuffer(
  call: string,
  owner: CommandOwner,
  source: Buffer,
  target: Buffer,
  sourceOffset: number,
  targetOffset: number,
  size: number,
): CheckedCommand {
  liveBuffer(call, owner, source);
  liveBuffer(call, owner, target);
  checkRange(call, source, sourceOffset, size);
  checkRange(call, target, targetOffset, size);
  const from = placeOf(source, sourceOffset);
  const to = placeOf(target, targetOffset);
  ensure(
    from.whole !== to.whole || Math.abs(from.at - to.at) >= size,
    "CL_MEM_COPY_OVERLAP",
    call,
    "source and target overlap; copy through another buffer",
  );
  return {
    type: "CL_COMMAND_COPY_BUFFER",
    objects: [source, target],
    record: (commands, waits = []) =>
      muxCommandCopyBuffer(
        commands,
        source.on(commands.device),
        sourceOffset,
        target.on(commands.device),
        targetOffset,
        size,
        waits,
      ),
    accesses: hasCopies(owner)
      ? [reads(source, sourceOffset, size), overwrites(target, targetOffset, size)]
      : NO_ACCESSES,
  };
}

/** Copies bytes between buffers. Errors: those of {@link clEnqueueReadBuffer}; CL_MEM_COPY_OVERLAP. @public */
export function clEnqueueCopyBuffer(
  queue: CommandQueue,
  source: Buffer,
  target: Buffer,
  sourceOffset: number,
  targetOffset: number,
  size: number,
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "clEnqueueCopyBuffer";
  return enqueueChecked(
    call,
    queue,
    copyBuffer(call, liveQueue(call, queue), source, target, sourceOffset, targetOffset, size),
    waits,
  );
}

/**
 * Maps a region: returns an array that shows the buffer's bytes once the event is complete. It is device memory itself,
 * or a part of the array of CL_MEM_USE_HOST_PTR. Errors: those of {@link clEnqueueReadBuffer}; CL_INVALID_OPERATION
 * also for a part that is mapped to be written, and shall be again; CL_MAP_FAILURE.
 *
 * @public
 */
export function clEnqueueMapBuffer(
  queue: CommandQueue,
  buffer: Buffer,
  blocking: boolean,
  flags: number,
  offset: number,
  size: number,
  waits: readonly Event[] = NO_EVENTS,
): { readonly array: Uint8Array; readonly event: Event } {
  const call = "clEnqueueMapBuffer";
  checkBlocking(call, blocking);
  liveBuffer(call, liveQueue(call, queue), buffer);
  checkRange(call, buffer, offset, size);
  return mapRegion(
    { call, queue, object: buffer, type: "CL_COMMAND_MAP_BUFFER", flags, offset, size, pixels: null, waits },
    blocking,
  );
}

/**
 * Ends a map: what was written to the array is in the buffer or image. Errors: CL_INVALID_COMMAND_QUEUE,
 * CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE for an array that the object did not return, CL_INVALID_EVENT_WAIT_LIST.
 *
 * @public
 */
export function clEnqueueUnmapMemObject(
  queue: CommandQueue,
  object: MemoryObject,
  array: Uint8Array,
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "clEnqueueUnmapMemObject";
  liveMemory(call, liveQueue(call, queue), object);
  const mapping = object.mappings.get(array);
  if (mapping === undefined)
    throw new OpenCLError(
      "CL_INVALID_VALUE",
      call,
      "this array is not a mapping of the buffer or image, or was already unmapped",
    );
  const record =
    !object.copiesOnMap || !mapping.writes
      ? null
      : hostCommand(() => {
          object.synchronize(call, "to_device", mapping.offset, mapping.size);
        });
  const accesses =
    object.copies === null || !mapping.writes ? NO_ACCESSES : [overwrites(object, mapping.offset, mapping.size)];
  const event = enqueue(call, queue, "CL_COMMAND_UNMAP_MEM_OBJECT", waits, [object], record, accesses, true);
  object.mappings.delete(array);
  return event;
}

/**
 * Launches a kernel with the arguments that are set now. `localSize` null lets the device choose. A dimension of the
 * size 0 makes a command that does nothing when its wait list is complete. Errors: CL_INVALID_COMMAND_QUEUE,
 * CL_INVALID_KERNEL, CL_INVALID_CONTEXT, CL_INVALID_KERNEL_ARGS, CL_INVALID_WORK_DIMENSION,
 * CL_INVALID_GLOBAL_WORK_SIZE, CL_INVALID_GLOBAL_OFFSET, CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_ITEM_SIZE,
 * CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_PROGRAM_EXECUTABLE for a device that the program was not built for,
 * CL_OUT_OF_RESOURCES for more local memory than there is.
 *
 * @public
 */
export function clEnqueueNDRangeKernel(
  queue: CommandQueue,
  kernel: Kernel,
  dimensions: number,
  globalOffset: readonly number[] | null,
  globalSize: readonly number[],
  localSize: readonly number[] | null,
  waits: readonly Event[] = NO_EVENTS,
): Event {
  return enqueueLaunch(
    "clEnqueueNDRangeKernel",
    "CL_COMMAND_NDRANGE_KERNEL",
    queue,
    kernel,
    dimensions,
    globalOffset,
    globalSize,
    localSize,
    waits,
  );
}

/** Throws for a queue or a kernel that is none, or is of another context. */
function checkLaunched(call: string, queue: CommandQueue, kernel: Kernel): void {
  liveQueue(call, queue);
  // The class is known here, so comparing it is faster than a general check.
  if (kernel instanceof Kernel) kernel.check(call);
  else live(kernel, Kernel, "CL_INVALID_KERNEL", call);
  ensure(
    kernel.program.context === queue.context,
    "CL_INVALID_CONTEXT",
    call,
    "the kernel and the queue belong to different contexts",
  );
}

/** Launches a kernel for one of the calls that do. */
export function enqueueLaunch(
  call: string,
  type: CommandType,
  queue: CommandQueue,
  kernel: Kernel,
  dimensions: number,
  globalOffset: readonly number[] | null,
  globalSize: readonly number[],
  localSize: readonly number[] | null,
  waits: readonly Event[],
): Event {
  checkLaunched(call, queue, kernel);
  const known = kernel.findLaunch(queue.device, dimensions, globalOffset, globalSize, localSize);
  if (known === null || !known.isCurrent)
    return enqueueNewLaunch(call, type, queue, kernel, { dimensions, globalOffset, globalSize, localSize }, waits);
  const { memory } = known;
  for (let i = 0; i < memory.length; i++) (memory[i] as MemoryObject).check(call);
  return launchEvent(call, type, queue, known, waits);
}

/** What ends a launch before it is through. @internal */
export interface LaunchLimits {
  /** Longest run time in ms; 0: that of the device. */
  readonly deadline: number;
  /** Called each time that the launch goes to the device (docs/mux-reference.md). */
  readonly watch: NonNullable<MuxNDRangeOptions["watch"]>;
}

/**
 * Launches a kernel that a deadline or who watches it may end; what follows it in the queue goes on. Errors: those of
 * {@link clEnqueueNDRangeKernel}; CL_INVALID_OPERATION for a device that does not stop launches.
 *
 * @internal
 */
export function enqueueLimited(queue: CommandQueue, kernel: Kernel, sizes: LaunchSizes, limits: LaunchLimits): Event {
  const call = "clEnqueueNDRangeKernel";
  const type = "CL_COMMAND_NDRANGE_KERNEL";
  checkLaunched(call, queue, kernel);
  ensure(
    queue.device.info.stopsLaunches === true,
    "CL_INVALID_OPERATION",
    call,
    () => `${queue.device.info.deviceName} does not stop launches: no deadline and no signal is possible for one`,
  );
  if (isEmptyLaunch(sizes)) {
    const { memory } = anyLaunch(call, queue.device, kernel, sizes);
    limits.watch(() => "ended")(false);
    return enqueue(call, queue, type, NO_EVENTS, memory, null);
  }
  const launch = prepareLaunch(call, queue, kernel, sizes, limits);
  try {
    return launchEvent(call, type, queue, launch, NO_EVENTS);
  } finally {
    // It goes with its command, and at once where there is none.
    launch.drop();
  }
}

/** Makes the command of a launch and passes it to its queue. */
function launchEvent(
  call: string,
  type: CommandType,
  queue: CommandQueue,
  launch: KernelLaunch,
  waits: readonly Event[],
): Event {
  const command =
    waits.length === 0 ? launch.command : { ...launch.command, waits: checkedWaits(call, queue.context, waits) };
  if (launch.accesses.length > 0) return enqueueWithCopies(call, type, queue, command, launch.accesses);
  const event = new Event(type, queue, command);
  queue.enqueue(event);
  return event;
}

/** The same for a launch that is new. */
function enqueueNewLaunch(
  call: string,
  type: CommandType,
  queue: CommandQueue,
  kernel: Kernel,
  given: LaunchSizes,
  waits: readonly Event[],
): Event {
  if (isEmptyLaunch(given))
    return enqueue(call, queue, type, waits, anyLaunch(call, queue.device, kernel, given).memory, null);
  const launch = prepareLaunch(call, queue, kernel, given);
  try {
    return launchEvent(call, type, queue, launch, waits);
  } finally {
    // What the kernel does not remember goes with its command, and at once where there is none.
    if (kernel.launches[0] !== launch) launch.drop();
  }
}

/** Checks a launch and prepares it. */
function prepareLaunch(
  call: string,
  queue: CommandQueue,
  kernel: Kernel,
  given: LaunchSizes,
  limits: LaunchLimits | null = null,
): KernelLaunch {
  const checked = launchOptions(call, queue.device, kernel, given);
  const { memory } = checked;
  warnOfPixels(kernel);
  const { code, isFinal, options } = codeFor(call, kernel, queue.device, checked.options);
  const launch = new KernelLaunch(
    kernel,
    queue.device,
    given,
    memory,
    fromMuxResources(
      call,
      muxCreateLaunch(
        code,
        limits === null ? options : { ...options, deadline: limits.deadline, watch: limits.watch },
        DEFAULT_ALLOCATOR,
      ),
    ),
  );
  // Of the first launch of its kind only: the next one may get code of its own.
  if (isFinal && limits === null) kernel.remember(launch);
  return launch;
}

/**
 * An event for everything before it, or for its wait list. Errors: CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT,
 * CL_INVALID_EVENT_WAIT_LIST.
 *
 * @public
 */
export function clEnqueueMarkerWithWaitList(queue: CommandQueue, waits: readonly Event[] = NO_EVENTS): Event {
  const call = "clEnqueueMarkerWithWaitList";
  return enqueue(call, liveQueue(call, queue), "CL_COMMAND_MARKER", waits, [], null);
}

/**
 * Everything after it waits for everything before it, and for its wait list. Errors: those of {@link
 * clEnqueueMarkerWithWaitList}.
 *
 * @public
 */
export function clEnqueueBarrierWithWaitList(queue: CommandQueue, waits: readonly Event[] = NO_EVENTS): Event {
  const call = "clEnqueueBarrierWithWaitList";
  return enqueue(call, liveQueue(call, queue), "CL_COMMAND_BARRIER", waits, [], null);
}
