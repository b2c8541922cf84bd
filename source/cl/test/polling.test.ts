// SPDX-License-Identifier: Apache-2.0
// Programs that flush and then only ask for the status of an event: it becomes CL_COMPLETE, on a device of one thread
// and on one whose workers have not started, for small and for large commands.
import { hostTarget } from "@muxkit/host";
import { registerTarget } from "@muxkit/mux";
import * as cl from "@muxkit/opencl";
import { expect, test } from "vitest";

import { platform } from "./rig.ts";

const PATIENCE = 20_000;
const THREADS = [1, 4];
for (const threads of THREADS) registerTarget(hostTarget({ threads }));

function first<T>(list: readonly T[]): T {
  const [item] = list;
  if (item === undefined) throw new Error("the list is empty");
  return item;
}

const devices = cl.clGetDeviceIDs(platform, cl.CL_DEVICE_TYPE_ALL).slice(1);
const SOURCE = `
  kernel void add(global int *data) {
    data[get_global_id(0)] += 1;
  }`;

/** Enqueues something; the last event. */
const WORKS: Readonly<Record<string, (queue: cl.CommandQueue, data: cl.Buffer, kernel: cl.Kernel) => cl.Event>> = {
  "a fill": (queue, data) => cl.clEnqueueFillBuffer(queue, data, Int32Array.of(1), 0, 4096),
  "a small kernel": (queue, _data, kernel) => cl.clEnqueueNDRangeKernel(queue, kernel, 1, null, [64], null),
  "a large kernel": (queue, _data, kernel) => cl.clEnqueueNDRangeKernel(queue, kernel, 1, null, [1 << 20], null),
  "many kernels": (queue, _data, kernel) => {
    let last = cl.clEnqueueMarkerWithWaitList(queue, []);
    for (let i = 0; i < 300; i++) last = cl.clEnqueueNDRangeKernel(queue, kernel, 1, null, [256], null);
    return last;
  },
};

test.each(
  THREADS.flatMap((threads, i) =>
    [0, cl.CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE].flatMap((properties) =>
      Object.keys(WORKS).map((work) => [work, threads, properties, i] as const),
    ),
  ),
)("the status after %s becomes CL_COMPLETE: %i threads, queue properties %i", (work, _threads, properties, i) => {
  const device = first(devices.slice(i));
  const context = cl.clCreateContext([device]);
  const queue = cl.clCreateCommandQueue(context, device, properties);
  const data = cl.clCreateBuffer(context, cl.CL_MEM_READ_WRITE, 4 << 20);
  const program = cl.clCreateProgramWithSource(context, [SOURCE]);
  cl.clBuildProgram(program, [device], "");
  const kernel = cl.clCreateKernel(program, "add");
  cl.clSetKernelArg(kernel, 0, data);
  const event = WORKS[work]?.(queue, data, kernel);
  if (event === undefined) throw new Error(work);
  cl.clFlush(queue);
  const end = performance.now() + PATIENCE;
  const seen: number[] = [];
  for (;;) {
    const status = cl.clGetEventInfo(event, "CL_EVENT_COMMAND_EXECUTION_STATUS");
    if (status !== seen.at(-1)) seen.push(status);
    if (status === cl.CL_COMPLETE) break;
    if (performance.now() > end) throw new Error("it does not end");
  }
  // A status never goes back.
  expect(seen).toEqual(seen.toSorted((a, b) => b - a));
  cl.clReleaseContext(context);
});
