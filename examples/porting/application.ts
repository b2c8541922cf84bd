// SPDX-License-Identifier: Apache-2.0
// An application that builds its programs from source while it runs. How that is done is decided by the environment.
// Writes a line for each histogram: the number of bins, their sum, and how long the kernel took in µs.
import { readFileSync } from "node:fs";
import { join } from "node:path";

import {
  CL_DEVICE_TYPE_ALL,
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_READ_ONLY,
  CL_MEM_READ_WRITE,
  CL_QUEUE_PROFILING_ENABLE,
  type CommandQueue,
  type Context,
  clBuildProgram,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateContext,
  clCreateKernel,
  clCreateProgramWithSource,
  clEnqueueFillBuffer,
  clEnqueueNDRangeKernel,
  clEnqueueReadBuffer,
  clGetDeviceIDs,
  clGetDeviceInfo,
  clGetEventProfilingInfo,
  clGetPlatformIDs,
  clReleaseKernel,
  clReleaseMemObject,
  clReleaseProgram,
  clSetKernelArg,
} from "muxkit/opencl";

const SIZE = 1 << 16;
const SOURCE = readFileSync(join(import.meta.dirname, "histogram.cl"), "utf8");

function histogram(
  context: Context,
  queue: CommandQueue,
  data: Uint8Array,
  bins: number,
): { readonly counts: Uint32Array; readonly ns: number } {
  const program = clCreateProgramWithSource(context, [SOURCE]);
  clBuildProgram(program, null, `-D BINS=${bins}`);
  const kernel = clCreateKernel(program, "histogram");
  const input = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, data.length, data);
  const output = clCreateBuffer(context, CL_MEM_READ_WRITE, bins * 4);
  clEnqueueFillBuffer(queue, output, Uint32Array.of(0), 0, bins * 4);
  clSetKernelArg(kernel, 0, input);
  clSetKernelArg(kernel, 1, Uint32Array.of(data.length));
  clSetKernelArg(kernel, 2, output);
  const event = clEnqueueNDRangeKernel(queue, kernel, 1, null, [1024], [64]);
  const counts = new Uint32Array(bins);
  clEnqueueReadBuffer(queue, output, true, 0, counts.byteLength, counts);
  const ns =
    clGetEventProfilingInfo(event, "CL_PROFILING_COMMAND_END") -
    clGetEventProfilingInfo(event, "CL_PROFILING_COMMAND_START");
  for (const buffer of [input, output]) clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  return { counts, ns };
}

const [platform] = clGetPlatformIDs();
if (platform === undefined) throw new Error("there is no platform");
const [device] = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL);
if (device === undefined) throw new Error("the list of devices is empty");
console.log(`device: ${clGetDeviceInfo(device, "CL_DEVICE_NAME")}`);
const context = clCreateContext([device]);
const queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE);
const data = Uint8Array.from({ length: SIZE }, (_, i) => (i * i) >>> 7);
for (const bins of [16, 256]) {
  const { counts, ns } = histogram(context, queue, data, bins);
  console.log(
    `${bins} bins: ${counts.reduce((sum, count) => sum + count, 0)} of ${SIZE} counted in ${(ns / 1000).toFixed(0)} µs`,
  );
}
