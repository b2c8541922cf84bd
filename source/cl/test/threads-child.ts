// SPDX-License-Identifier: Apache-2.0
// A thread of its own with a context of its own: runs a kernel of a binary that it was passed, and reports the result.
import { parentPort, workerData } from "node:worker_threads";

import { hostTarget } from "@muxkit/host";
import { registerTarget } from "@muxkit/mux";
import {
  CL_DEVICE_TYPE_ALL,
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_READ_WRITE,
  clBuildProgram,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateContext,
  clCreateKernel,
  clCreateProgramWithBinary,
  clEnqueueNDRangeKernel,
  clEnqueueReadBuffer,
  clGetDeviceIDs,
  clGetPlatformIDs,
  clReleaseCommandQueue,
  clReleaseContext,
  clReleaseKernel,
  clReleaseMemObject,
  clReleaseProgram,
  clSetKernelArg,
} from "@muxkit/opencl";

const { binary, value, rounds } = workerData as {
  readonly binary: Uint8Array;
  readonly value: number;
  readonly rounds: number;
};
registerTarget(hostTarget({ threads: 1, sharedMemory: false, memoryLimit: 4 * 2 ** 20 }));
const [platform] = clGetPlatformIDs();
if (platform === undefined) throw new Error("there is no platform");
const [device] = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL);
if (device === undefined) throw new Error("the list of devices is empty");
const context = clCreateContext([device]);
const queue = clCreateCommandQueue(context, device);
const program = clCreateProgramWithBinary(context, [device], [binary]);
clBuildProgram(program);
const kernel = clCreateKernel(program, "add");
const buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 4096, new Int32Array(1024));
clSetKernelArg(kernel, 0, buffer);
clSetKernelArg(kernel, 1, Int32Array.of(value));
for (let round = 0; round < rounds; round++) clEnqueueNDRangeKernel(queue, kernel, 1, null, [1024], null);
const array = new Int32Array(1024);
clEnqueueReadBuffer(queue, buffer, true, 0, 4096, array);
clReleaseMemObject(buffer);
clReleaseKernel(kernel);
clReleaseProgram(program);
clReleaseCommandQueue(queue);
clReleaseContext(context);
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage([...new Set(array)]);
