// SPDX-License-Identifier: Apache-2.0
// Kernels that never end, seen from OpenCL: their event fails at the deadline, commands that wait for it fail, nothing
// else does, and the device continues.
import { hostDevice, hostTarget } from "@muxkit/host";
import { registerTarget } from "@muxkit/mux";
import {
  CL_COMPLETE,
  CL_DEVICE_TYPE_ALL,
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_READ_WRITE,
  type CommandQueue,
  type Context,
  type Device,
  type Kernel,
  clBuildProgram,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateContext,
  clCreateKernel,
  clCreateProgramWithSource,
  clEnqueueFillBuffer,
  clEnqueueMarkerWithWaitList,
  clEnqueueNDRangeKernel,
  clEnqueueReadBuffer,
  clFinish,
  clFlush,
  clGetDeviceIDs,
  clGetEventInfo,
  clReleaseContext,
  clReleaseKernel,
  clReleaseMemObject,
  clReleaseProgram,
  clReleaseCommandQueue,
  clSetKernelArg,
  clWaitForEvents,
  clWaitForEventsAsync,
} from "@muxkit/opencl";
import { afterEach, describe, expect, test } from "vitest";

import { expectError, int, platform } from "./rig.ts";

const SOURCE = `
kernel void endless(global int* data) { while (data[0] != 123456) data[get_global_id(0) + 1] += 1; }
kernel void alone(global int* data) { if (get_group_id(0) == 0) while (data[0] != 123456) data[1] += 1; }
kernel void add(global int* data, int value) { data[get_global_id(0)] += value; }`;
const DEADLINE = 250;
const ITEMS = 1024;

function deviceOf(number: number): Device {
  const device = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL).find(({ info }) => (info.id & 0xff) === number);
  if (device === undefined) throw new Error("the device is not listed");
  return device;
}

function kernelOf(context: Context, name: string, buffer: ReturnType<typeof clCreateBuffer>): Kernel {
  const program = clCreateProgramWithSource(context, [SOURCE]);
  clBuildProgram(program);
  const kernel = clCreateKernel(program, name);
  clSetKernelArg(kernel, 0, buffer);
  return kernel;
}

function numbers(queue: CommandQueue, buffer: ReturnType<typeof clCreateBuffer>): Int32Array {
  const array = new Int32Array(ITEMS);
  clEnqueueReadBuffer(queue, buffer, true, 0, ITEMS * 4, array);
  return array;
}

afterEach(() => {
  delete process.env["MUXKIT_DEADLINE"];
});

describe.each([1, 2])("with %d threads", (threads) => {
  const device = deviceOf(registerTarget(hostTarget({ threads, deadline: DEADLINE })));

  test.each(["endless", "alone"])(
    "the kernel %s fails at its deadline, what waits for it fails, other queues and later commands do not",
    (name) => {
      const context = clCreateContext([device], () => undefined);
      const [first, second] = [clCreateCommandQueue(context, device), clCreateCommandQueue(context, device)];
      const [lost, kept] = [new Int32Array(ITEMS + 1), new Int32Array(ITEMS)].map((bytes) =>
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes.byteLength, bytes),
      ) as [ReturnType<typeof clCreateBuffer>, ReturnType<typeof clCreateBuffer>];
      const add = kernelOf(context, "add", kept);
      clSetKernelArg(add, 1, int(1));
      const runaway = clEnqueueNDRangeKernel(first, kernelOf(context, name, lost), 1, null, [ITEMS], [64]);
      // After it in its queue, without a wait list; in another queue; and what waits for it.
      const later = clEnqueueNDRangeKernel(first, add, 1, null, [ITEMS], null);
      const parallel = clEnqueueNDRangeKernel(second, add, 1, null, [ITEMS], null, [later]);
      const dependent = clEnqueueMarkerWithWaitList(second, [runaway]);
      clFlush(first);
      const start = performance.now();
      clFinish(second);
      clFinish(first);
      expect(performance.now() - start).toBeGreaterThan(DEADLINE / 2);
      expect(clGetEventInfo(runaway, "CL_EVENT_COMMAND_EXECUTION_STATUS")).toBe(-5);
      expectError(
        () => {
          clWaitForEvents([runaway]);
        },
        "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
        new RegExp(`kernel "${name}" was stopped: it ran longer than its deadline of ${DEADLINE} ms`, "u"),
      );
      expect(clGetEventInfo(dependent, "CL_EVENT_COMMAND_EXECUTION_STATUS")).toBe(-14);
      expect([later, parallel].map((event) => clGetEventInfo(event, "CL_EVENT_COMMAND_EXECUTION_STATUS"))).toEqual([
        CL_COMPLETE,
        CL_COMPLETE,
      ]);
      expect(new Set(numbers(second, kept))).toEqual(new Set([2]));
      // The pool is whole: large launches run again, on all threads.
      for (let round = 0; round < 50; round++) clEnqueueNDRangeKernel(first, add, 1, null, [ITEMS], null);
      expect(new Set(numbers(first, kept))).toEqual(new Set([52]));
      expect(hostDevice(device.open("a test").device).host.statistics().failure).toBeNull();
    },
  );

  test("a runaway kernel is stopped while the event loop waits, too", async () => {
    const context = clCreateContext([device], () => undefined);
    const queue = clCreateCommandQueue(context, device);
    const buffer = clCreateBuffer(
      context,
      CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
      ITEMS * 8,
      new Int32Array(ITEMS * 2),
    );
    const runaway = clEnqueueNDRangeKernel(queue, kernelOf(context, "endless", buffer), 1, null, [ITEMS], [64]);
    clFlush(queue);
    await expect(clWaitForEventsAsync([runaway])).rejects.toThrow(/was stopped: it ran longer than its deadline/u);
    clEnqueueFillBuffer(queue, buffer, int(4), 0, ITEMS * 4);
    expect(new Set(numbers(queue, buffer))).toEqual(new Set([4]));
  });
});

test("MUXKIT_DEADLINE is the deadline of programs that say none; releasing all leaves nothing", () => {
  process.env["MUXKIT_DEADLINE"] = "200";
  const device = deviceOf(registerTarget(hostTarget({ threads: 2 })));
  const context = clCreateContext([device], () => undefined);
  const queue = clCreateCommandQueue(context, device);
  const buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, ITEMS * 8);
  clEnqueueFillBuffer(queue, buffer, int(0), 0, ITEMS * 8);
  const kernel = kernelOf(context, "endless", buffer);
  const runaway = clEnqueueNDRangeKernel(queue, kernel, 1, null, [ITEMS], [64]);
  expectError(
    () => {
      clWaitForEvents([runaway]);
    },
    "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
    /its deadline of 200 ms/u,
  );
  const { program } = kernel;
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseMemObject(buffer);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  expect(context.referenceCount).toBe(0);
});
