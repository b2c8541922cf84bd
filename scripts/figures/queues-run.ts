// SPDX-License-Identifier: Apache-2.0
// What Muxkit's command queues cost, as JSON on one line: the same steps as `queues.c`, in the same order. A process of
// its own, so that both sides begin alike.
import { openDeviceSync } from "muxkit";
import {
  type Buffer,
  CL_MAP_READ,
  CL_MAP_WRITE,
  CL_MEM_READ_WRITE,
  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
  type CommandQueue,
  type Device,
  type Event,
  type Kernel,
  clBuildProgram,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateKernel,
  clCreateProgramWithSource,
  clEnqueueFillBuffer,
  clEnqueueMapBuffer,
  clEnqueueNDRangeKernel,
  clEnqueueReadBuffer,
  clEnqueueUnmapMemObject,
  clEnqueueWriteBuffer,
  clFinish,
  clFlush,
  clGetDeviceInfo,
  clReleaseCommandQueue,
  clReleaseEvent,
  clReleaseMemObject,
  clSetKernelArg,
  clWaitForEvents,
} from "muxkit/opencl";

import { median } from "../median.ts";

const SMALL_LAUNCHES = 20_000;
const CHAIN = 10_000;
const REPEATS = 7;
const MAPS = 2000;
const LARGE_ROUNDS = 40_000_000;

const SOURCE = `
kernel void small(global int* data) { data[get_global_id(0)] += 1; }
kernel void large(global int* data, int rounds) {
  int x = data[get_global_id(0)];
  for (int i = 0; i < rounds; ++i) x = x * 1664525 + 1013904223;
  data[get_global_id(0)] = x;
}
`;

const device = openDeviceSync();
const { context } = device;
const [clDevice] = context.devices;
if (clDevice === undefined) throw new Error("a context has a device");
const program = clCreateProgramWithSource(context, [SOURCE]);
clBuildProgram(program);
const small = clCreateKernel(program, "small");
const large = clCreateKernel(program, "large");

function newQueue(properties: number = 0): CommandQueue {
  if (clDevice === undefined) throw new Error("a context has a device");
  return clCreateCommandQueue(context, clDevice, properties);
}

/** A buffer of zeros. */
function zeros(queue: CommandQueue, bytes: number): Buffer {
  const buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes);
  clEnqueueFillBuffer(queue, buffer, Int32Array.of(0), 0, bytes);
  clFinish(queue);
  return buffer;
}

/** The median of what `once` returns, after `warmUps` calls that do not count. */
function repeated(warmUps: number, repeats: number, once: () => number): number {
  for (let i = 0; i < warmUps; i++) once();
  return median(Array.from({ length: repeats }, once));
}

/** Thousands of small launches and the wait for them, a millisecond. */
function enqueueRate(properties: number): number {
  const queue = newQueue(properties);
  const data = zeros(queue, 256);
  clSetKernelArg(small, 0, data);
  const rate = repeated(2, REPEATS, () => {
    const begin = performance.now();
    for (let i = 0; i < SMALL_LAUNCHES; i++) clReleaseEvent(clEnqueueNDRangeKernel(queue, small, 1, null, [64], [64]));
    clFinish(queue);
    return SMALL_LAUNCHES / (performance.now() - begin);
  });
  clReleaseMemObject(data);
  clReleaseCommandQueue(queue);
  return rate;
}

/** GB/s of blocking reads or writes of a whole buffer. */
function bandwidth(bytes: number, writes: boolean): number {
  const queue = newQueue();
  const buffer = zeros(queue, bytes);
  const array = new Uint8Array(bytes).fill(1);
  const rate = repeated(1, bytes > 2 ** 26 ? 5 : 25, () => {
    const begin = performance.now();
    if (writes) clEnqueueWriteBuffer(queue, buffer, true, 0, bytes, array);
    else clEnqueueReadBuffer(queue, buffer, true, 0, bytes, array);
    return bytes / (performance.now() - begin) / 1e6;
  });
  clReleaseMemObject(buffer);
  clReleaseCommandQueue(queue);
  return rate;
}

/** Microseconds of a map for reading and writing and the unmap. */
function mapTime(): number {
  const queue = newQueue();
  const bytes = 2 ** 24;
  const buffer = zeros(queue, bytes);
  const time = repeated(1, REPEATS, () => {
    const begin = performance.now();
    for (let i = 0; i < MAPS; i++) {
      const { array } = clEnqueueMapBuffer(queue, buffer, true, CL_MAP_READ | CL_MAP_WRITE, 0, bytes);
      array[i] = (array[i] ?? 0) + 1;
      clEnqueueUnmapMemObject(queue, buffer, array);
      clFinish(queue);
    }
    return ((performance.now() - begin) * 1e3) / MAPS;
  });
  clReleaseMemObject(buffer);
  clReleaseCommandQueue(queue);
  return time;
}

/** Microseconds a command of a chain of events from queue to queue and back. */
function chain(): number {
  const queues = [newQueue(), newQueue()] as const;
  const data = zeros(queues[0], 256);
  clSetKernelArg(small, 0, data);
  const time = repeated(2, REPEATS, () => {
    const begin = performance.now();
    let last: Event | null = null;
    for (let i = 0; i < CHAIN; i++) {
      const next: Event = clEnqueueNDRangeKernel(
        queues[(i % 2) as 0 | 1],
        small,
        1,
        null,
        [1],
        [1],
        last === null ? [] : [last],
      );
      if (last !== null) clReleaseEvent(last);
      last = next;
    }
    for (const queue of queues) clFlush(queue);
    if (last !== null) {
      clWaitForEvents([last]);
      clReleaseEvent(last);
    }
    return ((performance.now() - begin) * 1e3) / CHAIN;
  });
  clReleaseMemObject(data);
  for (const queue of queues) clReleaseCommandQueue(queue);
  return time;
}

/** Time of launches of a kernel that each want half of the device, over the queues in turn. */
function timeOf(kernel: Kernel, queues: readonly CommandQueue[], data: readonly Buffer[]): number {
  const half = Math.max(1, clGetDeviceInfo(clDevice as Device, "CL_DEVICE_MAX_COMPUTE_UNITS") >> 1);
  const begin = performance.now();
  for (const [i, buffer] of data.entries()) {
    const queue = queues[i % queues.length];
    if (queue === undefined) throw new Error("there is a queue");
    clSetKernelArg(kernel, 0, buffer);
    clReleaseEvent(clEnqueueNDRangeKernel(queue, kernel, 1, null, [half], [1]));
    clFlush(queue);
  }
  for (const queue of queues) clFinish(queue);
  return performance.now() - begin;
}

/** Time of two such launches over the time of one: in one queue that may reorder, or in two that may not. */
function bothOverOne(queueCount: 1 | 2): number {
  const queues = Array.from({ length: queueCount }, () =>
    newQueue(queueCount === 1 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0),
  );
  const [first] = queues;
  if (first === undefined) throw new Error("there is a queue");
  const data = [zeros(first, 64), zeros(first, 64)];
  clSetKernelArg(large, 1, Int32Array.of(LARGE_ROUNDS));
  const ratio = repeated(1, REPEATS, () => {
    const one = timeOf(large, queues, data.slice(0, 1));
    return timeOf(large, queues, data) / one;
  });
  for (const buffer of data) clReleaseMemObject(buffer);
  for (const queue of queues) clReleaseCommandQueue(queue);
  return ratio;
}

const figures: Record<string, number> = {
  rate: enqueueRate(0),
  rateOutOfOrder: enqueueRate(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
};
for (const mebibytes of [1, 16, 256]) {
  figures[`write${mebibytes}`] = bandwidth(mebibytes * 2 ** 20, true);
  figures[`read${mebibytes}`] = bandwidth(mebibytes * 2 ** 20, false);
}
figures["map"] = mapTime();
figures["chain"] = chain();
figures["bothOutOfOrder"] = bothOverOne(1);
figures["bothQueues"] = bothOverOne(2);
device.close();
console.log(JSON.stringify(figures));
