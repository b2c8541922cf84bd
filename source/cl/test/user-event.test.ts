// SPDX-License-Identifier: Apache-2.0
// User events: what waits for them waits, in every queue; what does not wait continues; failures reach dependents and
// no other commands.
import {
  CL_COMPLETE,
  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
  CL_QUEUED,
  CL_SUBMITTED,
  type Buffer,
  type CommandQueue,
  type Context,
  type Event,
  clCreateContext,
  clCreateUserEvent,
  clEnqueueBarrierWithWaitList,
  clEnqueueMarkerWithWaitList,
  clEnqueueNDRangeKernel,
  clEnqueueReadBuffer,
  clEnqueueWriteBuffer,
  clFinish,
  clFinishAsync,
  clFlush,
  clGetContextInfo,
  clGetEventInfo,
  clGetEventProfilingInfo,
  clReleaseCommandQueue,
  clReleaseContext,
  clReleaseEvent,
  clReleaseMemObject,
  clRetainEvent,
  clSetEventCallback,
  clSetUserEventStatus,
  clWaitForEvents,
  clWaitForEventsAsync,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { SOURCE, context, device, errorOf, expectError, int, ints, kernelOf, newQueue, readInts, told } from "./rig.ts";

/** Adds to the first integer of a buffer. */
function add(queue: CommandQueue, data: Buffer, value: number, waits: readonly Event[] = []): Event {
  return clEnqueueNDRangeKernel(queue, kernelOf(SOURCE, "add", data, int(value)), 1, null, [1], null, waits);
}

function statusOf(event: Event): number {
  return clGetEventInfo(event, "CL_EVENT_COMMAND_EXECUTION_STATUS");
}

const outOfOrder = (): CommandQueue => newQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);

test("clCreateUserEvent: an event of no queue, submitted until it is set", () => {
  const own = clCreateContext([device]);
  const event = clCreateUserEvent(own);
  expect(clGetEventInfo(event, "CL_EVENT_COMMAND_TYPE")).toBe("CL_COMMAND_USER");
  expect(clGetEventInfo(event, "CL_EVENT_COMMAND_QUEUE")).toBe(null);
  expect(clGetEventInfo(event, "CL_EVENT_CONTEXT")).toBe(own);
  expect(clGetEventInfo(event, "CL_EVENT_REFERENCE_COUNT")).toBe(1);
  expect(statusOf(event)).toBe(CL_SUBMITTED);
  expectError(
    () => clGetEventProfilingInfo(event, "CL_PROFILING_COMMAND_END"),
    "CL_PROFILING_INFO_NOT_AVAILABLE",
    /a user event has no times/u,
  );
  clSetUserEventStatus(event, CL_COMPLETE);
  expect(statusOf(event)).toBe(CL_COMPLETE);
  clWaitForEvents([event]);
  clReleaseContext(own);
  // The event keeps what the user has let go.
  expect(clGetEventInfo(event, "CL_EVENT_CONTEXT")).toBe(own);
  clReleaseEvent(event);
});

test("clCreateUserEvent: CL_INVALID_CONTEXT", () => {
  expectError(() => clCreateUserEvent({} as Context), "CL_INVALID_CONTEXT", /expected an object of type Context/u);
  const own = clCreateContext([device]);
  clReleaseContext(own);
  expectError(() => clCreateUserEvent(own), "CL_INVALID_CONTEXT", /has been released/u);
  expectError(() => clGetContextInfo(own, "CL_CONTEXT_DEVICES"), "CL_INVALID_CONTEXT", /has been released/u);
});

test("a failure that thousands pass on is reported once, and each of them has the message of the first", async () => {
  told.length = 0;
  const gate = clCreateUserEvent(context);
  const queues = [newQueue(), outOfOrder()];
  const events: Event[] = [gate];
  for (let i = 0; i < 2000; i++)
    events.push(clEnqueueMarkerWithWaitList(queues[i % 2] as CommandQueue, events.slice(-1)));
  clSetUserEventStatus(gate, -77);
  for (const queue of queues) clFinish(queue);
  expect(statusOf(events[2000] as Event)).toBe(-14);
  await new Promise((resolve) => {
    setTimeout(resolve, 20);
  });
  expect(told).toEqual([expect.stringContaining("clSetUserEventStatus: the user event was set to -77")]);
  const { message } = errorOf(() => {
    clWaitForEvents(events.slice(-1));
  });
  expect(message).toMatch(
    /^clWaitForEvents: a command failed because one that it waits for failed: clSetUserEventStatus: the user event was set to -77 .*\(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST\)$/u,
  );
  await expect(events[2000]?.done).rejects.toThrow(
    /^clEnqueueMarkerWithWaitList: a command that this one waits for failed: clSetUserEventStatus: the user event was set to -77 .{1,120}$/u,
  );
});

test("clSetUserEventStatus: CL_INVALID_VALUE, CL_INVALID_EVENT, CL_INVALID_OPERATION", () => {
  const event = clCreateUserEvent(context);
  for (const status of [1, CL_SUBMITTED, CL_QUEUED, 0.5, Number.NaN]) {
    expectError(
      () => {
        clSetUserEventStatus(event, status);
      },
      "CL_INVALID_VALUE",
      /neither CL_COMPLETE nor a negative number/u,
    );
  }
  const queue = newQueue();
  const marker = clEnqueueMarkerWithWaitList(queue);
  expectError(
    () => {
      clSetUserEventStatus(marker, CL_COMPLETE);
    },
    "CL_INVALID_EVENT",
    /expected an object of type UserEvent/u,
  );
  clFinish(queue);
  clSetUserEventStatus(event, -7);
  expectError(
    () => {
      clSetUserEventStatus(event, CL_COMPLETE);
    },
    "CL_INVALID_OPERATION",
    /was already set to -7/u,
  );
  clReleaseEvent(event);
  expectError(
    () => {
      clSetUserEventStatus(event, CL_COMPLETE);
    },
    "CL_INVALID_EVENT",
    /has been released/u,
  );
});

test("clSetUserEventStatus: an in-order queue stalls after what waits, and continues in order", async () => {
  const queue = newQueue();
  const data = ints(1);
  const gate = clCreateUserEvent(context);
  const first = add(queue, data, 1);
  const held = clEnqueueWriteBuffer(queue, data, false, 0, 4, int(10), [gate]);
  const later = add(queue, data, 5);
  clFlush(queue);
  await first.done;
  expect([held, later].map(statusOf)).toEqual([CL_QUEUED, CL_QUEUED]);
  // Another queue does not stall.
  expect(readInts(newQueue(), data)).toEqual([2]);
  clSetUserEventStatus(gate, CL_COMPLETE);
  await later.done;
  expect(readInts(queue, data)).toEqual([15]);
});

test("clSetUserEventStatus: what waits in an out-of-order queue delays no other command", () => {
  const queue = outOfOrder();
  const [held, free] = [ints(1), ints(1)];
  const gate = clCreateUserEvent(context);
  const waiting = add(queue, held, 1, [gate]);
  const chained = add(queue, held, 10, [waiting]);
  const other = add(queue, free, 5);
  clWaitForEvents([other]);
  expect(readInts(newQueue(), free)).toEqual([6]);
  expect([waiting, chained].map(statusOf)).toEqual([CL_QUEUED, CL_QUEUED]);
  clSetUserEventStatus(gate, CL_COMPLETE);
  clWaitForEvents([chained]);
  expect(readInts(queue, held)).toEqual([12]);
});

test("barriers and markers of an out-of-order queue wait for what waits for a user event", () => {
  const queue = outOfOrder();
  const data = ints(1);
  const gate = clCreateUserEvent(context);
  const before = add(queue, data, 1, [gate]);
  const done = clEnqueueMarkerWithWaitList(queue, []);
  const barrier = clEnqueueBarrierWithWaitList(queue);
  const later = clEnqueueWriteBuffer(queue, data, false, 0, 4, int(40));
  clFlush(queue);
  expect([before, done, barrier, later].map(statusOf)).toEqual([CL_QUEUED, CL_QUEUED, CL_QUEUED, CL_QUEUED]);
  clSetUserEventStatus(gate, CL_COMPLETE);
  clFinish(queue);
  expect([before, done, barrier, later].map(statusOf)).toEqual([0, 0, 0, 0]);
  expect(readInts(queue, data)).toEqual([40]);
});

test("a chain over two queues begins when its user event is set", async () => {
  const queues = [newQueue(), newQueue()] as const;
  const data = ints(0);
  const gate = clCreateUserEvent(context);
  const kernel = kernelOf(`kernel void step(global int* data) { data[0] = data[0] * 3 + 1; }`, "step", data);
  let last: Event = gate;
  for (let i = 0; i < 1000; i++)
    last = clEnqueueNDRangeKernel(queues[(i % 2) as 0 | 1], kernel, 1, null, [1], [1], [last]);
  for (const queue of queues) clFlush(queue);
  expect(statusOf(last)).toBe(CL_QUEUED);
  clSetUserEventStatus(gate, CL_COMPLETE);
  await last.done;
  let wanted = 0;
  for (let i = 0; i < 1000; i++) wanted = (Math.imul(wanted, 3) + 1) | 0;
  expect(readInts(queues[0], data)).toEqual([wanted]);
});

test("a command waits for several user events and for commands of other queues", () => {
  const [one, two] = [newQueue(), outOfOrder()];
  const data = ints(0);
  const gates = [clCreateUserEvent(context), clCreateUserEvent(context), clCreateUserEvent(context)];
  const elsewhere = add(two, data, 100, [gates[2] as Event]);
  const all = add(one, data, 1, [...gates, elsewhere, gates[0] as Event]);
  for (const gate of gates.toReversed()) {
    expect(statusOf(all)).toBe(CL_QUEUED);
    clSetUserEventStatus(gate, CL_COMPLETE);
  }
  clFinish(one);
  expect(readInts(one, data)).toEqual([101]);
});

test.each([
  ["in-order", 0],
  ["out-of-order", CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE],
])("a user event that fails takes its dependents along in %s queues, and nobody else", async (_name, properties) => {
  const [one, two] = [newQueue(properties), newQueue(properties)];
  const data = ints(1);
  const gate = clCreateUserEvent(context);
  const dependent = add(one, data, 10, [gate]);
  const chained = add(two, data, 100, [dependent]);
  const later = add(one, data, 1);
  const alsoLater = add(two, data, 2);
  clSetUserEventStatus(gate, -5);
  await expect(dependent.done).rejects.toThrow(/the user event was set to -5/u);
  await expect(chained.done).rejects.toThrow(/CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST/u);
  expect([gate, dependent, chained].map(statusOf)).toEqual([-5, -14, -14]);
  clFinish(one);
  clFinish(two);
  expect([later, alsoLater].map(statusOf)).toEqual([0, 0]);
  expect(readInts(one, data)).toEqual([4]);
  expectError(
    () => {
      clWaitForEvents([gate]);
    },
    "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
    /set to -5/u,
  );
});

test("a status that no error has is kept as it is", async () => {
  const gate = clCreateUserEvent(context);
  const seen: number[] = [];
  clSetEventCallback(gate, CL_COMPLETE, (_, status) => {
    seen.push(status);
  });
  clSetUserEventStatus(gate, -123_456);
  expect(statusOf(gate)).toBe(-123_456);
  await expect(gate.done).rejects.toThrow(/-123456/u);
  expect(seen).toEqual([-123_456]);
});

test("a user event that was set before lets commands through at once", () => {
  const queue = newQueue();
  const data = ints(1);
  const [good, bad] = [clCreateUserEvent(context), clCreateUserEvent(context)];
  clSetUserEventStatus(good, CL_COMPLETE);
  clSetUserEventStatus(bad, -1);
  const fine = add(queue, data, 1, [good]);
  const failed = add(queue, data, 1, [good, bad]);
  clFinish(queue);
  expect([fine, failed].map(statusOf)).toEqual([0, -14]);
  expect(readInts(queue, data)).toEqual([2]);
});

test("clReleaseEvent of a user event that is not set makes what waits for it fail, not wait forever", () => {
  const queue = newQueue();
  const data = ints(1);
  const gate = clCreateUserEvent(context);
  clRetainEvent(gate);
  const waiting = add(queue, data, 1, [gate]);
  const later = add(queue, data, 10);
  clReleaseEvent(gate);
  expect(statusOf(waiting)).toBe(CL_QUEUED);
  clReleaseEvent(gate);
  clFinish(queue);
  expect([waiting, later].map(statusOf)).toEqual([-14, 0]);
  expect(readInts(queue, data)).toEqual([11]);
});

test("a blocking call that would never end is an error; its promise resolves when the event is set", async () => {
  const queue = newQueue();
  const data = ints(1);
  const gate = clCreateUserEvent(context);
  const waiting = add(queue, data, 1, [gate]);
  for (const call of [
    () => {
      clFinish(queue);
    },
    () => {
      clWaitForEvents([waiting]);
    },
    () => {
      clWaitForEvents([gate]);
    },
    () => clEnqueueReadBuffer(queue, data, true, 0, 4, int(0)),
  ]) {
    expectError(call, "CL_INVALID_OPERATION", /would block forever: the remaining commands wait for a user event/u);
  }
  const finished = clFinishAsync(queue);
  const waited = clWaitForEventsAsync([waiting, gate]);
  setTimeout(() => {
    clSetUserEventStatus(gate, CL_COMPLETE);
  });
  await finished;
  await waited;
  expect(readInts(queue, data)).toEqual([2]);
});

test("queues, kernels and memory that wait for a user event live until it is set", async () => {
  const queue = newQueue();
  const data = ints(1);
  const gate = clCreateUserEvent(context);
  const out = int(0);
  add(queue, data, 5, [gate]);
  const read = clEnqueueReadBuffer(queue, data, false, 0, 4, out);
  clReleaseMemObject(data);
  clReleaseCommandQueue(queue);
  clSetUserEventStatus(gate, CL_COMPLETE);
  await read.done;
  expect([...out]).toEqual([6]);
});

test("the status can be set by a callback of another event", async () => {
  const [one, two] = [newQueue(), newQueue()];
  const data = ints(1);
  const gate = clCreateUserEvent(context);
  const second = add(two, data, 10, [gate]);
  const first = add(one, data, 1);
  clSetEventCallback(first, CL_COMPLETE, () => {
    clSetUserEventStatus(gate, CL_COMPLETE);
  });
  clFlush(one);
  await second.done;
  expect(readInts(two, data)).toEqual([12]);
  expect(
    errorOf(() => {
      clSetUserEventStatus(gate, CL_COMPLETE);
    }).name,
  ).toBe("CL_INVALID_OPERATION");
});
