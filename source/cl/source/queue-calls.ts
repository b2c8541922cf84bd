// SPDX-License-Identifier: Apache-2.0
// The calls on queues themselves (OpenCL 3.0, 5.1 and 5.15): what is enqueued is in enqueue.ts and its like.
import { CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE } from "./generated/constants.ts";
import { ensure, ensureBlocking } from "./error.ts";
import { live } from "./object.ts";
import { Context, Device } from "./platform.ts";
import { CommandQueue } from "./queue.ts";

/**
 * Makes a queue. Its commands run in order; with CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, only wait lists and barriers
 * hold them back, and those that do not wait for each other run at once. Errors: CL_INVALID_CONTEXT, CL_INVALID_DEVICE,
 * CL_INVALID_VALUE.
 *
 * @public
 */
export function clCreateCommandQueue(context: Context, device: Device, properties: number = 0): CommandQueue {
  const call = "clCreateCommandQueue";
  live(context, Context, "CL_INVALID_CONTEXT", call);
  ensure(
    device instanceof Device && context.devices.includes(device),
    "CL_INVALID_DEVICE",
    call,
    "the device does not belong to this context",
  );
  ensure(
    (properties & ~(CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)) === 0,
    "CL_INVALID_VALUE",
    call,
    `the properties 0x${properties.toString(16)} are not supported`,
  );
  return new CommandQueue(context, device, properties, call);
}

/** Hands everything that was enqueued to the device. Errors: CL_INVALID_COMMAND_QUEUE. @public */
export function clFlush(queue: CommandQueue): void {
  live(queue, CommandQueue, "CL_INVALID_COMMAND_QUEUE", "clFlush").flush();
}

/** The same; resolves when it is done. @public */
export async function clFlushAsync(queue: CommandQueue): Promise<void> {
  live(queue, CommandQueue, "CL_INVALID_COMMAND_QUEUE", "clFlushAsync");
  await Promise.resolve();
  queue.flush();
}

/**
 * Blocks, and helps with the work, until everything that was enqueued is complete. Commands that failed report it in
 * their events. Errors: CL_INVALID_COMMAND_QUEUE; CL_INVALID_OPERATION in the main thread of a page.
 *
 * @public
 */
export function clFinish(queue: CommandQueue): void {
  ensureBlocking("clFinish", "await clFinishAsync(queue)");
  live(queue, CommandQueue, "CL_INVALID_COMMAND_QUEUE", "clFinish").finish();
}

/** The same without blocking the thread. @public */
export async function clFinishAsync(queue: CommandQueue): Promise<void> {
  await live(queue, CommandQueue, "CL_INVALID_COMMAND_QUEUE", "clFinishAsync").finishAsync();
}
