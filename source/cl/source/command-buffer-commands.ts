// SPDX-License-Identifier: Apache-2.0
// Commands of command buffers (cl_khr_command_buffer, "Recording Commands to a Command-Buffer"): the same as those of
// queues, with sync-points instead of events.
import type { Buffer } from "./buffer.ts";
import {
  type CommandBuffer,
  type DispatchProperties,
  MutableCommand,
  type SyncPoint,
  checkBitProperties,
  liveCommandBuffer,
} from "./command-buffer.ts";
import { copyBuffer, fillBuffer } from "./enqueue.ts";
import { type ImagePosition, copyBufferToImage, copyImage, copyImageToBuffer, fillImage } from "./enqueue-image.ts";
import { type RectPosition, copyBufferRect } from "./enqueue-rect.ts";
import { SVM } from "./enqueue-svm.ts";
import { ensure } from "./error.ts";
import type { CommandType } from "./event.ts";
import {
  CL_COMMAND_BUFFER_MUTABLE_KHR,
  CL_MUTABLE_DISPATCH_ARGUMENTS_KHR,
  CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR,
  CL_MUTABLE_DISPATCH_EXEC_INFO_KHR,
  CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR,
  CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR,
  CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR,
} from "./generated/constants.ts";
import type { Image } from "./image.ts";
import { Kernel, type KernelState } from "./kernel.ts";
import { live } from "./object.ts";
import { copyPointers, fillPointer } from "./pointer-commands.ts";
import type { CommandQueue } from "./queue.ts";
import type { CheckedCommand } from "./enqueue-checks.ts";
import { RecordedDispatch } from "./recorded-dispatch.ts";
import { type SvmPointer, ensureSvm } from "./svm.ts";

const NO_SYNC_POINTS: readonly SyncPoint[] = [];

/** What of a launch the device can change: everything. */
export const MUTABLE_FIELDS: number =
  CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR |
  CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR |
  CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR |
  CL_MUTABLE_DISPATCH_ARGUMENTS_KHR |
  CL_MUTABLE_DISPATCH_EXEC_INFO_KHR;

const DISPATCH_BITS: { readonly [Name in keyof DispatchProperties]-?: number } = {
  CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR: MUTABLE_FIELDS,
  CL_MUTABLE_DISPATCH_ASSERTS_KHR: CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR,
};

/** A command buffer that is recorded, and no queue besides its own. */
function recordingTo(call: string, commandBuffer: CommandBuffer, queue: CommandQueue | null): CommandBuffer {
  liveCommandBuffer(call, commandBuffer);
  ensure(queue === null, "CL_INVALID_COMMAND_QUEUE", call, "a command buffer already has its queue: pass null");
  ensure(
    commandBuffer.recording === null,
    "CL_INVALID_OPERATION",
    call,
    "the command buffer is finalized: no command can be added",
  );
  return commandBuffer;
}

function checkedSyncPoints(
  call: string,
  { commands: { length } }: CommandBuffer,
  waits: readonly SyncPoint[],
): readonly number[] {
  for (const wait of waits) {
    ensure(
      Number.isInteger(wait) && wait >= 1 && wait <= length,
      "CL_INVALID_SYNC_POINT_WAIT_LIST_KHR",
      call,
      `${wait} is not a sync-point of this command buffer`,
    );
  }
  return waits.map((wait) => wait - 1);
}

function add(
  call: string,
  commandBuffer: CommandBuffer,
  type: CommandType,
  properties: DispatchProperties | null,
  waits: readonly SyncPoint[],
  command: CheckedCommand | null,
  dispatch: RecordedDispatch | null,
): MutableCommand {
  const syncPoint = commandBuffer.add(call, {
    command,
    dispatch,
    waits: checkedSyncPoints(call, commandBuffer, waits),
  });
  return new MutableCommand(commandBuffer, type, properties === null ? null : { ...properties }, syncPoint);
}

/** Records what a queue would take as well. */
function record(
  call: string,
  commandBuffer: CommandBuffer,
  queue: CommandQueue | null,
  waits: readonly SyncPoint[],
  check: () => CheckedCommand,
): MutableCommand {
  recordingTo(call, commandBuffer, queue);
  const command = check();
  return add(call, commandBuffer, command.type, null, waits, command, null);
}

/**
 * Records a barrier: what is recorded after it waits for the sync-points, or for everything before it when there are
 * none. Errors: CL_INVALID_COMMAND_BUFFER_KHR, CL_INVALID_COMMAND_QUEUE for a queue, CL_INVALID_OPERATION for a command
 * buffer that is finalized, CL_INVALID_SYNC_POINT_WAIT_LIST_KHR.
 *
 * @public
 */
export function clCommandBarrierWithWaitListKHR(
  commandBuffer: CommandBuffer,
  queue: CommandQueue | null,
  waits: readonly SyncPoint[] = NO_SYNC_POINTS,
): MutableCommand {
  const call = "clCommandBarrierWithWaitListKHR";
  recordingTo(call, commandBuffer, queue);
  return add(call, commandBuffer, "CL_COMMAND_BARRIER", null, waits, null, null);
}

/** Records a copy. Errors: those of clEnqueueCopyBuffer and {@link clCommandBarrierWithWaitListKHR}. @public */
export function clCommandCopyBufferKHR(
  commandBuffer: CommandBuffer,
  queue: CommandQueue | null,
  source: Buffer,
  target: Buffer,
  sourceOffset: number,
  targetOffset: number,
  size: number,
  waits: readonly SyncPoint[] = NO_SYNC_POINTS,
): MutableCommand {
  const call = "clCommandCopyBufferKHR";
  return record(call, commandBuffer, queue, waits, () =>
    copyBuffer(call, commandBuffer, source, target, sourceOffset, targetOffset, size),
  );
}

/**
 * Records a copy of a box. Errors: those of clEnqueueCopyBufferRect and {@link clCommandBarrierWithWaitListKHR}.
 *
 * @public
 */
export function clCommandCopyBufferRectKHR(
  commandBuffer: CommandBuffer,
  queue: CommandQueue | null,
  source: Buffer,
  target: Buffer,
  sourceOrigin: RectPosition,
  targetOrigin: RectPosition,
  region: RectPosition,
  sourceRowPitch: number,
  sourceSlicePitch: number,
  targetRowPitch: number,
  targetSlicePitch: number,
  waits: readonly SyncPoint[] = NO_SYNC_POINTS,
): MutableCommand {
  const call = "clCommandCopyBufferRectKHR";
  return record(call, commandBuffer, queue, waits, () =>
    copyBufferRect(
      call,
      commandBuffer,
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
  );
}

/**
 * Records a copy of bytes to an image. Errors: those of clEnqueueCopyBufferToImage and {@link
 * clCommandBarrierWithWaitListKHR}.
 *
 * @public
 */
export function clCommandCopyBufferToImageKHR(
  commandBuffer: CommandBuffer,
  queue: CommandQueue | null,
  source: Buffer,
  target: Image,
  offset: number,
  origin: ImagePosition,
  region: ImagePosition,
  waits: readonly SyncPoint[] = NO_SYNC_POINTS,
): MutableCommand {
  const call = "clCommandCopyBufferToImageKHR";
  return record(call, commandBuffer, queue, waits, () =>
    copyBufferToImage(call, commandBuffer, source, target, offset, origin, region),
  );
}

/**
 * Records a copy between images. Errors: those of clEnqueueCopyImage and {@link clCommandBarrierWithWaitListKHR}.
 *
 * @public
 */
export function clCommandCopyImageKHR(
  commandBuffer: CommandBuffer,
  queue: CommandQueue | null,
  source: Image,
  target: Image,
  sourceOrigin: ImagePosition,
  targetOrigin: ImagePosition,
  region: ImagePosition,
  waits: readonly SyncPoint[] = NO_SYNC_POINTS,
): MutableCommand {
  const call = "clCommandCopyImageKHR";
  return record(call, commandBuffer, queue, waits, () =>
    copyImage(call, commandBuffer, source, target, sourceOrigin, targetOrigin, region),
  );
}

/**
 * Records a copy of an image to a buffer. Errors: those of clEnqueueCopyImageToBuffer and {@link
 * clCommandBarrierWithWaitListKHR}.
 *
 * @public
 */
export function clCommandCopyImageToBufferKHR(
  commandBuffer: CommandBuffer,
  queue: CommandQueue | null,
  source: Image,
  target: Buffer,
  origin: ImagePosition,
  region: ImagePosition,
  offset: number,
  waits: readonly SyncPoint[] = NO_SYNC_POINTS,
): MutableCommand {
  const call = "clCommandCopyImageToBufferKHR";
  return record(call, commandBuffer, queue, waits, () =>
    copyImageToBuffer(call, commandBuffer, source, target, origin, region, offset),
  );
}

/** Records a fill. Errors: those of clEnqueueFillBuffer and {@link clCommandBarrierWithWaitListKHR}. @public */
export function clCommandFillBufferKHR(
  commandBuffer: CommandBuffer,
  queue: CommandQueue | null,
  buffer: Buffer,
  pattern: ArrayBufferView,
  offset: number,
  size: number,
  waits: readonly SyncPoint[] = NO_SYNC_POINTS,
): MutableCommand {
  const call = "clCommandFillBufferKHR";
  return record(call, commandBuffer, queue, waits, () =>
    fillBuffer(call, commandBuffer, buffer, pattern, offset, size),
  );
}

/**
 * Records a fill of an image. Errors: those of clEnqueueFillImage and {@link clCommandBarrierWithWaitListKHR}.
 *
 * @public
 */
export function clCommandFillImageKHR(
  commandBuffer: CommandBuffer,
  queue: CommandQueue | null,
  image: Image,
  color: ArrayBufferView,
  origin: ImagePosition,
  region: ImagePosition,
  waits: readonly SyncPoint[] = NO_SYNC_POINTS,
): MutableCommand {
  const call = "clCommandFillImageKHR";
  return record(call, commandBuffer, queue, waits, () => fillImage(call, commandBuffer, image, color, origin, region));
}

/**
 * Records a copy within shared virtual memory. Errors: those of clEnqueueSVMMemcpy and {@link
 * clCommandBarrierWithWaitListKHR}; CL_INVALID_VALUE for an array of the host's.
 *
 * @public
 */
export function clCommandSVMMemcpyKHR(
  commandBuffer: CommandBuffer,
  queue: CommandQueue | null,
  target: SvmPointer,
  source: SvmPointer,
  size: number,
  waits: readonly SyncPoint[] = NO_SYNC_POINTS,
): MutableCommand {
  const call = "clCommandSVMMemcpyKHR";
  return record(call, commandBuffer, queue, waits, () => {
    ensureSvm(call, commandBuffer.context);
    ensure(
      typeof target === "number" && typeof source === "number",
      "CL_INVALID_VALUE",
      call,
      "source and target must be pointers: a command buffer does not access arrays of the host",
    );
    return copyPointers(call, commandBuffer, SVM, target, source, size, true);
  });
}

/**
 * Records a fill of shared virtual memory. Errors: those of clEnqueueSVMMemFill and {@link
 * clCommandBarrierWithWaitListKHR}.
 *
 * @public
 */
export function clCommandSVMMemFillKHR(
  commandBuffer: CommandBuffer,
  queue: CommandQueue | null,
  pointer: SvmPointer,
  pattern: ArrayBufferView,
  size: number,
  waits: readonly SyncPoint[] = NO_SYNC_POINTS,
): MutableCommand {
  const call = "clCommandSVMMemFillKHR";
  return record(call, commandBuffer, queue, waits, () => {
    ensureSvm(call, commandBuffer.context);
    return fillPointer(call, commandBuffer, SVM, pointer, pattern, size);
  });
}

/**
 * Records a launch with the arguments that are set now. Errors: those of clEnqueueNDRangeKernel and {@link
 * clCommandBarrierWithWaitListKHR}; CL_INVALID_VALUE for properties that there are not.
 *
 * @public
 */
export function clCommandNDRangeKernelKHR(
  commandBuffer: CommandBuffer,
  queue: CommandQueue | null,
  properties: DispatchProperties | null,
  kernel: Kernel,
  dimensions: number,
  globalOffset: readonly number[] | null,
  globalSize: readonly number[],
  localSize: readonly number[] | null,
  waits: readonly SyncPoint[] = NO_SYNC_POINTS,
): MutableCommand {
  const call = "clCommandNDRangeKernelKHR";
  recordingTo(call, commandBuffer, queue);
  checkBitProperties(call, properties, DISPATCH_BITS);
  live(kernel, Kernel, "CL_INVALID_KERNEL", call);
  const { context, queue: own } = commandBuffer;
  ensure(
    kernel.program.context === context,
    "CL_INVALID_CONTEXT",
    call,
    "the kernel and the command buffer belong to different contexts",
  );
  const fields =
    (commandBuffer.flags & CL_COMMAND_BUFFER_MUTABLE_KHR) === 0
      ? 0
      : (properties?.CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR ?? MUTABLE_FIELDS);
  const { program, info } = kernel;
  const state: KernelState = {
    program,
    info,
    infoOn: (device) => kernel.infoOn(device),
    builtOn: (from, device) => kernel.builtOn(from, device),
    on: (from, device) => kernel.on(from, device),
    arguments: [...kernel.arguments],
  };
  const isMutable = (fields & CL_MUTABLE_DISPATCH_ARGUMENTS_KHR) !== 0;
  const dispatch = RecordedDispatch.check(
    call,
    own.device,
    kernel,
    state,
    { dimensions, globalOffset, globalSize, localSize },
    isMutable,
    null,
  );
  return add(call, commandBuffer, "CL_COMMAND_NDRANGE_KERNEL", properties, waits, null, dispatch);
}
