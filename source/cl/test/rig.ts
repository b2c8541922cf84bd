// SPDX-License-Identifier: Apache-2.0
// What the tests of this package share: the host device with two threads, its context, expected errors.
import { hostTarget } from "@muxkit/host";
import { compilers } from "@muxkit/host-compiler/native";
import { registerTarget } from "@muxkit/mux";
import {
  type ArgumentValue,
  type Buffer,
  CL_DEVICE_TYPE_ALL,
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_READ_WRITE,
  type CommandQueue,
  type Context,
  type Device,
  type ErrorName,
  type Kernel,
  OpenCLError,
  type Platform,
  type Program,
  clBuildProgram,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateContext,
  clCreateKernel,
  clCreateProgramWithSource,
  clEnqueueReadBuffer,
  clGetDeviceIDs,
  clGetPlatformIDs,
  clSetKernelArg,
  setCompilers,
} from "@muxkit/opencl";
import { expect } from "vitest";

function first<T>(list: readonly T[]): T {
  const [item] = list;
  if (item === undefined) throw new Error("the list is empty");
  return item;
}

registerTarget(hostTarget({ threads: 2 }));
setCompilers({ compilers });

export const platform: Platform = first(clGetPlatformIDs());
export const device: Device = first(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL));
/** Messages that the context received. */
export const told: string[] = [];
export const context: Context = clCreateContext([device], (message) => {
  told.push(message);
});

export function newQueue(properties: number = 0): CommandQueue {
  return clCreateCommandQueue(context, device, properties);
}

/** A buffer of 32-bit integers. */
export function ints(...values: number[]): Buffer {
  return clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, values.length * 4, Int32Array.from(values));
}

export function int(value: number): Int32Array {
  return Int32Array.of(value);
}

/** The first integers of a buffer. */
export function readInts(queue: CommandQueue, buffer: Buffer, count: number = buffer.size / 4): number[] {
  const array = new Int32Array(count);
  clEnqueueReadBuffer(queue, buffer, true, 0, count * 4, array);
  return [...array];
}

/** Builds a source and makes its kernel. */
export function kernelOf(source: string, name: string, ...args: readonly ArgumentValue[]): Kernel {
  return kernelsOf(source, "", [name], ...args)[0] as Kernel;
}

/** Builds a source with options and makes kernels of the one program, with the same arguments. */
export function kernelsOf(
  source: string,
  options: string,
  names: readonly string[],
  ...args: readonly ArgumentValue[]
): readonly Kernel[] {
  const program = clCreateProgramWithSource(context, [source]);
  clBuildProgram(program, null, options);
  return names.map((name) => newKernel(program, name, args));
}

function newKernel(program: Program, name: string, args: readonly ArgumentValue[]): Kernel {
  const kernel = clCreateKernel(program, name);
  for (const [i, value] of args.entries()) clSetKernelArg(kernel, i, value);
  return kernel;
}

/** Kernels that most tests use. */
export const SOURCE = `
kernel void add(global int* data, int value) { data[get_global_id(0)] += value; }
kernel void ids(global int* out) {
  size_t i = (get_global_id(2) - get_global_offset(2)) * get_global_size(1) * get_global_size(0)
      + (get_global_id(1) - get_global_offset(1)) * get_global_size(0) + get_global_id(0)
      - get_global_offset(0);
  out[i] = get_global_id(0) + 100 * get_global_id(1) + 10000 * get_global_id(2);
}
kernel void slow(global int* data, int rounds) {
  int x = data[get_global_id(0)];
  for (int i = 0; i < rounds; ++i) x = x * 1664525 + 1013904223;
  data[get_global_id(0)] = x == 7 ? 8 : 5;
}
kernel void fault(global int* data) { data[0x2fffffff] = 1; }
kernel void sum(global const int* in, global int* out, local int* scratch) {
  int id = get_local_id(0);
  scratch[id] = in[get_global_id(0)];
  for (int step = get_local_size(0) / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < step) scratch[id] += scratch[id + step];
  }
  if (id == 0) out[get_group_id(0)] = scratch[0];
}
`;

/** The error that a call throws, as \`NAME: message\`. */
export function errorOf(call: () => unknown): OpenCLError {
  try {
    call();
  } catch (error) {
    if (error instanceof OpenCLError) return error;
    throw error;
  }
  throw new Error("the call did not fail");
}

/** Expects an error by name and message. */
export function expectError(call: () => unknown, name: ErrorName, message: RegExp): void {
  const error = errorOf(call);
  expect(error.name, error.message).toBe(name);
  expect(error.message).toMatch(message);
}
