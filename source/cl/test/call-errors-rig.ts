// SPDX-License-Identifier: Apache-2.0
// What the tests of the errors of calls share: small programs, images, failed events, released objects.
import {
  type ErrorName,
  type ArgumentValue,
  type Buffer,
  CL_MEM_READ_WRITE,
  type Event,
  type Image,
  type ImageDescription,
  type ImageFormat,
  type Kernel,
  type Program,
  clBuildProgram,
  clCompileProgram,
  clCreateBuffer,
  clCreateContext,
  clCreateImage,
  clCreateKernel,
  clCreateProgramWithSource,
  clCreateUserEvent,
  clEnqueueMapBuffer,
  clEnqueueNDRangeKernel,
  clGetProgramInfo,
  clSetKernelArg,
  clSetUserEventStatus,
} from "@muxkit/opencl";

import { SOURCE, context, device, ints, newQueue } from "./rig.ts";

/** A wrong call: the call, its error, what is wrong, and the call itself. */
export type CallErrorRow = readonly [call: string, error: ErrorName, reason: string, run: () => unknown];

export const queue = newQueue();
export const other = clCreateContext([device]);
export const RGBA8: ImageFormat = { channelOrder: "CL_RGBA", channelType: "CL_UNORM_INT8" };
export const R32: ImageFormat = { channelOrder: "CL_R", channelType: "CL_FLOAT" };
export const WIDE = 2 ** 24;

export function program(options: string | null = "", source: string = SOURCE): Program {
  const made = clCreateProgramWithSource(context, [source]);
  if (options !== null) clBuildProgram(made, null, options);
  return made;
}

export const binary = clGetProgramInfo(program(), "CL_PROGRAM_BINARIES")[0] as Uint8Array;

export function compiled(source: string = SOURCE): Program {
  const made = program(null, source);
  clCompileProgram(made);
  return made;
}

export function gone<T>(object: T, release: (object: T) => void): T {
  release(object);
  return object;
}

export const image = (width = 4, of = context, flags = CL_MEM_READ_WRITE, format = RGBA8): Image =>
  clCreateImage(of, flags, format, { type: "CL_MEM_OBJECT_IMAGE2D", width, height: 4 });
export const describe2d = (more: Partial<ImageDescription>): ImageDescription => ({
  type: "CL_MEM_OBJECT_IMAGE2D",
  width: 4,
  height: 4,
  ...more,
});
export const KERNELS = `${SOURCE}
kernel void takes(global int* data, local int* scratch, int value, read_only image2d_t from, sampler_t how,
    write_only image2d_t to) {
}
kernel void piped(read_only pipe int from) {}
kernel __attribute__((reqd_work_group_size(8, 1, 1))) void eight(global int* data) {}
`;
export const all = program("-cl-std=CL3.0", KERNELS);
export const takes: Kernel = clCreateKernel(all, "takes");
export const set = (index: number, value: unknown): void => {
  clSetKernelArg(takes, index, value as ArgumentValue);
};

export function launch(
  name: string,
  dimensions: number,
  offset: readonly number[] | null,
  size: readonly number[],
  local: readonly number[] | null,
  args: readonly ArgumentValue[] = [ints(1)],
): unknown {
  const kernel = clCreateKernel(all, name);
  for (const [i, value] of args.entries()) clSetKernelArg(kernel, i, value);
  return clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, size, local);
}

export function failedEvent(): Event {
  const event = clCreateUserEvent(context);
  clSetUserEventStatus(event, -1);
  return event;
}

export function mapped(flags: number, offset: number, size: number): Buffer {
  const buffer = ints(1, 2, 3, 4);
  clEnqueueMapBuffer(queue, buffer, true, flags, offset, size);
  return buffer;
}

export const text = (value: string): string => value;

/** An image of a row that shows a buffer with these flags. */
export function rowOf(flags: number): ImageDescription {
  return { type: "CL_MEM_OBJECT_IMAGE1D_BUFFER", width: 16, buffer: clCreateBuffer(context, flags, 64) };
}
