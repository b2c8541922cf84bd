// SPDX-License-Identifier: Apache-2.0
// What tests of contexts with several memories share: the host and two GPUs that an interpreter of PTX stands for.
import { type PtxDriverOptions, ptxDriver } from "@muxkit/ptx-interpreter";
import { type CudaDriver, cudaTargetOf } from "@muxkit/cuda";
import { CUDA_COMPILER } from "@muxkit/cuda-compiler";
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
  type Event,
  type Kernel,
  addCompilers,
  clBuildProgram,
  clCreateBuffer,
  clCreateContext,
  clCreateKernel,
  clCreateProgramWithSource,
  clEnqueueReadBuffer,
  clGetDeviceIDs,
  clSetKernelArg,
} from "@muxkit/opencl";

import { device as host, platform } from "./rig.ts";

addCompilers({ compilers: [CUDA_COMPILER] });

/** GPUs of a driver of their own. */
export function newGpus(options: PtxDriverOptions): readonly Device[] {
  return gpusOf(ptxDriver(options));
}

/** The GPUs of a driver. */
export function gpusOf(driver: CudaDriver): readonly Device[] {
  const number = registerTarget(cudaTargetOf(driver, { print: () => undefined }));
  return clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL).filter(({ info }) => (info.id & 0xff) === number);
}

/** A context, and what tests do in it. */
export class Rig {
  readonly devices: readonly Device[];
  readonly context: Context;
  readonly told: string[] = [];

  constructor(devices: readonly Device[]) {
    this.devices = devices;
    this.context = clCreateContext(devices, (message) => {
      this.told.push(message);
    });
  }

  ints(...values: readonly number[]): Buffer {
    const array = Int32Array.from(values);
    return clCreateBuffer(this.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, array.byteLength, array);
  }

  kernels(source: string, ...names: readonly string[]): readonly Kernel[] {
    const program = clCreateProgramWithSource(this.context, [source]);
    clBuildProgram(program);
    return names.map((name) => clCreateKernel(program, name));
  }
}

/** The integers of a buffer, as a queue of any device sees them. */
export function intsOf(queue: CommandQueue, buffer: Buffer, waits: readonly Event[] = []): number[] {
  const array = new Int32Array(buffer.size / 4);
  clEnqueueReadBuffer(queue, buffer, true, 0, buffer.size, array, waits);
  return [...array];
}

/** Sets all arguments. */
export function setArguments(kernel: Kernel, ...values: readonly ArgumentValue[]): void {
  for (const [i, value] of values.entries()) clSetKernelArg(kernel, i, value);
}

export { host };
