// SPDX-License-Identifier: Apache-2.0
// Blocking reads and writes of a queue with nothing to do are done at the call; all others keep their position in the
// queue.
import {
  CL_COMPLETE,
  CL_MAP_READ,
  CL_MAP_WRITE,
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_READ_WRITE,
  CL_MEM_USE_HOST_PTR,
  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
  CL_QUEUE_PROFILING_ENABLE,
  type Event,
  clCreateBuffer,
  clCreateSubBuffer,
  clCreateUserEvent,
  clEnqueueFillBuffer,
  clEnqueueMapBuffer,
  clEnqueueNDRangeKernel,
  clEnqueueReadBuffer,
  clEnqueueUnmapMemObject,
  clEnqueueWriteBuffer,
  clFinish,
  clGetEventInfo,
  clGetEventProfilingInfo,
  clReleaseEvent,
  clSetEventCallback,
  clSetUserEventStatus,
  clWaitForEvents,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { SOURCE, context, errorOf, expectError, int, ints, kernelOf, newQueue, readInts } from "./rig.ts";

test("the event of a transfer that is done at the call is a complete one", async () => {
  const queue = newQueue();
  const buffer = ints(0, 0);
  const array = Int32Array.of(5);
  const event = clEnqueueWriteBuffer(queue, buffer, true, 4, 4, array);
  array[0] = 6;
  expect(clGetEventInfo(event, "CL_EVENT_COMMAND_EXECUTION_STATUS")).toBe(CL_COMPLETE);
  expect(clGetEventInfo(event, "CL_EVENT_COMMAND_TYPE")).toBe("CL_COMMAND_WRITE_BUFFER");
  expect(clGetEventInfo(event, "CL_EVENT_COMMAND_QUEUE")).toBe(queue);
  expect(clGetEventInfo(event, "CL_EVENT_REFERENCE_COUNT")).toBe(1);
  await event.done;
  const told = await new Promise((resolve) => {
    clSetEventCallback(event, CL_COMPLETE, (_, status) => {
      resolve(status);
    });
  });
  expect(told).toBe(CL_COMPLETE);
  clEnqueueNDRangeKernel(queue, kernelOf(SOURCE, "add", buffer, int(1)), 1, null, [2], null, [event]);
  clWaitForEvents([event]);
  expect(readInts(queue, buffer)).toEqual([1, 6]);
  clReleaseEvent(event);
  expectError(
    () => {
      clWaitForEvents([event]);
    },
    "CL_INVALID_EVENT",
    /released/u,
  );
});

test("parts, and queues without order", () => {
  const queue = newQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 8192);
  clEnqueueFillBuffer(queue, buffer, int(1), 0, 8192);
  clFinish(queue);
  const part = clCreateSubBuffer(buffer, 0, { origin: 4096, size: 4096 });
  clEnqueueWriteBuffer(queue, part, true, 8, 2400, new Int32Array(600).fill(7));
  const read = new Int32Array(2048);
  clEnqueueReadBuffer(queue, buffer, true, 0, 8192, read);
  expect([...read].flatMap((value, i) => (value === 1 ? [] : [i]))).toEqual(
    Array.from({ length: 600 }, (_, i) => 1024 + 2 + i),
  );
});

test("what was enqueued before comes first, whether it was handed over or not", () => {
  const queue = newQueue();
  const buffer = ints(3);
  const slow = kernelOf(SOURCE, "slow", buffer, int(20_000_000));
  const launch = (): Event => clEnqueueNDRangeKernel(queue, slow, 1, null, [1], null);
  launch();
  clEnqueueWriteBuffer(queue, buffer, true, 0, 4, int(9));
  expect(readInts(queue, buffer)).toEqual([9]);
  const event = launch();
  expect(readInts(queue, buffer)).toEqual([5]);
  expect(clGetEventInfo(event, "CL_EVENT_COMMAND_EXECUTION_STATUS")).toBe(CL_COMPLETE);
});

test("events of the wait list are checked, waited for, and their failures are passed on", () => {
  const [queue, other] = [newQueue(), newQueue()];
  const buffer = ints(0);
  const slow = clEnqueueNDRangeKernel(other, kernelOf(SOURCE, "slow", buffer, int(20_000_000)), 1, null, [1], null);
  clEnqueueWriteBuffer(queue, buffer, true, 0, 4, int(2), [slow]);
  expect(readInts(queue, buffer)).toEqual([2]);
  clEnqueueWriteBuffer(queue, buffer, true, 0, 4, int(3), [slow]);
  expect(readInts(queue, buffer)).toEqual([3]);
  const user = clCreateUserEvent(context);
  clSetUserEventStatus(user, -1);
  expect(errorOf(() => clEnqueueWriteBuffer(queue, buffer, true, 0, 4, int(4), [user])).name).toBe(
    "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
  );
  expectError(
    () => clEnqueueReadBuffer(queue, buffer, true, 0, 4, int(0), [{} as Event]),
    "CL_INVALID_EVENT_WAIT_LIST",
    /not an event/u,
  );
  clReleaseEvent(slow);
  expectError(
    () => clEnqueueReadBuffer(queue, buffer, true, 0, 4, int(0), [slow]),
    "CL_INVALID_EVENT_WAIT_LIST",
    /released/u,
  );
  expect(readInts(queue, buffer)).toEqual([3]);
});

test("a queue that measures has the times of all commands", () => {
  const queue = newQueue(CL_QUEUE_PROFILING_ENABLE);
  const event = clEnqueueWriteBuffer(queue, ints(0), true, 0, 4, int(2));
  const [start, end] = [
    clGetEventProfilingInfo(event, "CL_PROFILING_COMMAND_START"),
    clGetEventProfilingInfo(event, "CL_PROFILING_COMMAND_END"),
  ];
  expect(start).toBeGreaterThan(0);
  expect(end).toBeGreaterThanOrEqual(start);
});

test("arrays in device memory, and those of the caller that a buffer uses", () => {
  const queue = newQueue();
  const buffer = ints(1, 2, 3, 4);
  const { array } = clEnqueueMapBuffer(queue, buffer, true, CL_MAP_READ | CL_MAP_WRITE, 0, 16);
  clEnqueueWriteBuffer(queue, buffer, true, 4, 12, array);
  expect([...new Int32Array(array.buffer, array.byteOffset, 4)]).toEqual([1, 1, 2, 3]);
  clEnqueueUnmapMemObject(queue, buffer, array);
  const own = Int32Array.of(1, 2);
  const used = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, 8, own);
  clEnqueueWriteBuffer(queue, used, true, 0, 4, int(9));
  expect(readInts(queue, used)).toEqual([9, 2]);
  const mapped = clEnqueueMapBuffer(queue, used, true, CL_MAP_READ, 0, 8).array;
  expect(mapped.buffer).toBe(own.buffer);
  expect([...own]).toEqual([9, 2]);
  clEnqueueUnmapMemObject(queue, used, mapped);
  const copied = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 8, own);
  const shared = new Int32Array(new SharedArrayBuffer(8));
  clEnqueueReadBuffer(queue, copied, true, 0, 8, shared);
  expect([...shared]).toEqual([9, 2]);
});
