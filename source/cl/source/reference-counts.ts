// SPDX-License-Identifier: Apache-2.0
// Retain and release, by their OpenCL names.
import { Event } from "./event.ts";
import { Kernel } from "./kernel.ts";
import { MemoryObject } from "./memory-object.ts";
import { live } from "./object.ts";
import { Context, Device } from "./platform.ts";
import { ensure } from "./error.ts";
import { Program } from "./program.ts";
import { CommandQueue } from "./queue.ts";
import { Sampler } from "./sampler.ts";

/** One reference more. Errors: CL_INVALID_CONTEXT. @public */
export function clRetainContext(context: Context): void {
  live(context, Context, "CL_INVALID_CONTEXT", "clRetainContext").retain("clRetainContext");
}

/** One reference less. Errors: CL_INVALID_CONTEXT. @public */
export function clReleaseContext(context: Context): void {
  live(context, Context, "CL_INVALID_CONTEXT", "clReleaseContext").release("clReleaseContext");
}

/** One reference more. Errors: CL_INVALID_COMMAND_QUEUE. @public */
export function clRetainCommandQueue(queue: CommandQueue): void {
  live(queue, CommandQueue, "CL_INVALID_COMMAND_QUEUE", "clRetainCommandQueue").retain("clRetainCommandQueue");
}

/** One reference less, after a flush: what was enqueued still runs. Errors: CL_INVALID_COMMAND_QUEUE. @public */
export function clReleaseCommandQueue(queue: CommandQueue): void {
  live(queue, CommandQueue, "CL_INVALID_COMMAND_QUEUE", "clReleaseCommandQueue").flush();
  queue.release("clReleaseCommandQueue");
}

/** One reference more. Errors: CL_INVALID_MEM_OBJECT. @public */
export function clRetainMemObject(object: MemoryObject): void {
  live(object, MemoryObject, "CL_INVALID_MEM_OBJECT", "clRetainMemObject").retain("clRetainMemObject");
}

/** One reference less; commands that use the object still run. Errors: CL_INVALID_MEM_OBJECT. @public */
export function clReleaseMemObject(object: MemoryObject): void {
  live(object, MemoryObject, "CL_INVALID_MEM_OBJECT", "clReleaseMemObject").release("clReleaseMemObject");
}

/** One reference more. Errors: CL_INVALID_PROGRAM. @public */
export function clRetainProgram(program: Program): void {
  live(program, Program, "CL_INVALID_PROGRAM", "clRetainProgram").retain("clRetainProgram");
}

/** One reference less; kernels keep what they need. Errors: CL_INVALID_PROGRAM. @public */
export function clReleaseProgram(program: Program): void {
  live(program, Program, "CL_INVALID_PROGRAM", "clReleaseProgram").release("clReleaseProgram");
}

/** One reference more. Errors: CL_INVALID_KERNEL. @public */
export function clRetainKernel(kernel: Kernel): void {
  live(kernel, Kernel, "CL_INVALID_KERNEL", "clRetainKernel").retain("clRetainKernel");
}

/** One reference less. Errors: CL_INVALID_KERNEL. @public */
export function clReleaseKernel(kernel: Kernel): void {
  live(kernel, Kernel, "CL_INVALID_KERNEL", "clReleaseKernel").release("clReleaseKernel");
}

/** One reference more. Errors: CL_INVALID_EVENT. @public */
export function clRetainEvent(event: Event): void {
  live(event, Event, "CL_INVALID_EVENT", "clRetainEvent").retain("clRetainEvent");
}

/** One reference less. Errors: CL_INVALID_EVENT. @public */
export function clReleaseEvent(event: Event): void {
  // Mostly as often as commands are enqueued.
  if (!(event instanceof Event)) live(event, Event, "CL_INVALID_EVENT", "clReleaseEvent");
  event.release("clReleaseEvent");
}

/** One reference more. Errors: CL_INVALID_SAMPLER. @public */
export function clRetainSampler(sampler: Sampler): void {
  live(sampler, Sampler, "CL_INVALID_SAMPLER", "clRetainSampler").retain("clRetainSampler");
}

/** One reference less; kernels that it was set for keep its values. Errors: CL_INVALID_SAMPLER. @public */
export function clReleaseSampler(sampler: Sampler): void {
  live(sampler, Sampler, "CL_INVALID_SAMPLER", "clReleaseSampler").release("clReleaseSampler");
}

/** One reference to a sub-device more; other devices have no count. Errors: CL_INVALID_DEVICE. @public */
export function clRetainDevice(device: Device): void {
  ensure(device instanceof Device, "CL_INVALID_DEVICE", "clRetainDevice", "the value is not a device");
  device.retain("clRetainDevice");
}

/**
 * One reference to a sub-device less; other devices have no count. Contexts keep it. Errors: CL_INVALID_DEVICE.
 *
 * @public
 */
export function clReleaseDevice(device: Device): void {
  ensure(device instanceof Device, "CL_INVALID_DEVICE", "clReleaseDevice", "the value is not a device");
  device.release("clReleaseDevice");
}
