// SPDX-License-Identifier: Apache-2.0
// cl_khr_suggested_local_work_size.
import { ensure } from "./error.ts";
import { Kernel } from "./kernel.ts";
import { launchOptions } from "./launch-options.ts";
import { live } from "./object.ts";
import type { CommandQueue } from "./queue.ts";
import { liveQueue } from "./enqueue-checks.ts";

/**
 * The local size that clEnqueueNDRangeKernel takes where none is specified, for the arguments that are set now.
 * Errors: CL_INVALID_COMMAND_QUEUE, CL_INVALID_KERNEL, CL_INVALID_CONTEXT, CL_INVALID_PROGRAM_EXECUTABLE,
 * CL_INVALID_KERNEL_ARGS, CL_INVALID_WORK_DIMENSION, CL_INVALID_GLOBAL_WORK_SIZE, CL_INVALID_GLOBAL_OFFSET.
 *
 * @public
 */
export function clGetKernelSuggestedLocalWorkSizeKHR(
  queue: CommandQueue,
  kernel: Kernel,
  dimensions: number,
  globalOffset: readonly number[] | null,
  globalSize: readonly number[],
): readonly number[] {
  const call = "clGetKernelSuggestedLocalWorkSizeKHR";
  liveQueue(call, queue);
  live(kernel, Kernel, "CL_INVALID_KERNEL", call);
  ensure(
    kernel.program.context === queue.context,
    "CL_INVALID_CONTEXT",
    call,
    "the kernel and the queue belong to different contexts",
  );
  kernel.builtOn(call, queue.device);
  const { options } = launchOptions(call, queue.device, kernel, {
    dimensions,
    globalOffset,
    globalSize,
    localSize: null,
  });
  return options.localSize.slice(0, dimensions);
}
