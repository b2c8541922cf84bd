// SPDX-License-Identifier: Apache-2.0
// Native kernels and destructor callbacks: functions of the host in the order of queues and of objects' ends.
import {
  CL_COMPLETE,
  CL_MEM_USE_HOST_PTR,
  type Buffer,
  type Context,
  type Event,
  type Kernel,
  clCreateBuffer,
  clCreateContext,
  clCreateSubBuffer,
  clCreateUserEvent,
  clEnqueueMapBuffer,
  clEnqueueNDRangeKernel,
  clEnqueueNativeKernel,
  clEnqueueReadBuffer,
  clFinish,
  clFlush,
  clGetDeviceInfo,
  clGetEventInfo,
  clReleaseContext,
  clReleaseMemObject,
  clRetainContext,
  clRetainMemObject,
  clSetContextDestructorCallback,
  clSetMemObjectDestructorCallback,
  clSetUserEventStatus,
  clWaitForEvents,
  enqueueHostWork,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { SOURCE, context, device, expectError, int, ints, kernelOf, newQueue, readInts } from "./rig.ts";

/** The integers of a view. */
function intsOf(bytes: Uint8Array): Int32Array {
  return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}

test("clEnqueueNativeKernel: a function sees what kernels wrote, and they see what it wrote", () => {
  const queue = newQueue();
  const [data, other] = [ints(1, 2, 3), ints(10)];
  const add: Kernel = kernelOf(SOURCE, "add", data, int(5));
  clEnqueueNDRangeKernel(queue, add, 1, null, [3], null);
  const event = clEnqueueNativeKernel(
    queue,
    (left, right) => {
      const [values, factor] = [intsOf(left), intsOf(right)[0] as number];
      for (const [i, value] of values.entries()) values[i] = value * factor;
    },
    [data, other],
  );
  clEnqueueNDRangeKernel(queue, add, 1, null, [3], null);
  expect(clGetEventInfo(event, "CL_EVENT_COMMAND_TYPE")).toBe("CL_COMMAND_NATIVE_KERNEL");
  expect(readInts(queue, data)).toEqual([65, 75, 85]);
  expect(clGetEventInfo(event, "CL_EVENT_COMMAND_EXECUTION_STATUS")).toBe(CL_COMPLETE);
  expect(clGetDeviceInfo(device, "CL_DEVICE_EXECUTION_CAPABILITIES") & 2).toBe(2);
});

test("enqueueHostWork: what goes on elsewhere keeps its followers back, and no other queue", () => {
  const [queue, other] = [newQueue(), newQueue()];
  const [data, untouched] = [ints(1, 2, 3), ints(4)];
  let isOver = false;
  let questions = 0;
  const work = enqueueHostWork(
    queue,
    {
      begin: () => () => {
        questions++;
        return isOver;
      },
      failed: () => {
        throw new Error("it succeeds");
      },
    },
    [data],
  );
  clEnqueueNDRangeKernel(queue, kernelOf(SOURCE, "add", data, int(5)), 1, null, [3], null);
  clFlush(queue);
  expect(readInts(other, untouched)).toEqual([4]);
  expect(clGetEventInfo(work, "CL_EVENT_COMMAND_EXECUTION_STATUS")).toBeGreaterThan(CL_COMPLETE);
  expect(questions).toBeGreaterThan(0);
  const back = new Uint8Array(12);
  const read = clEnqueueReadBuffer(queue, data, false, 0, 12, back);
  isOver = true;
  clWaitForEvents([read]);
  expect([...intsOf(back)]).toEqual([6, 7, 8]);
  expect(clGetEventInfo(work, "CL_EVENT_COMMAND_EXECUTION_STATUS")).toBe(CL_COMPLETE);
});

test("enqueueHostWork: it is told of a failure once, of its own and of what it waits for", async () => {
  const queue = newQueue();
  const gate = clCreateUserEvent(context);
  const told: string[] = [];
  const work = (name: string, begin: () => void | (() => boolean), waits: readonly Event[]): Event =>
    enqueueHostWork(queue, { begin, failed: ({ code }) => told.push(`${name} ${code}`) }, [], waits);
  const never = work(
    "never begins",
    () => {
      told.push("begins");
    },
    [gate],
  );
  const lost = work(
    "is lost",
    () => () => {
      throw new Error("lost");
    },
    [],
  );
  const good = work("is good", () => () => true, []);
  clSetUserEventStatus(gate, -5);
  await expect(never.done).rejects.toThrow("clSetUserEventStatus");
  await expect(lost.done).rejects.toThrow("lost");
  await good.done;
  expect(told.toSorted()).toEqual(["is lost -5", "never begins -14"]);
});

test("clEnqueueNativeKernel: it runs when its command runs, without arguments too", async () => {
  const queue = newQueue();
  const gate = clCreateUserEvent(context);
  const calls: string[] = [];
  const first = clEnqueueNativeKernel(
    queue,
    () => {
      calls.push("held");
    },
    [],
    [gate],
  );
  const second = clEnqueueNativeKernel(queue, (...bytes) => {
    calls.push(`after ${bytes.length}`);
  });
  clFlush(queue);
  expect(calls).toEqual([]);
  clSetUserEventStatus(gate, CL_COMPLETE);
  await second.done;
  expect(calls).toEqual(["held", "after 0"]);
  clWaitForEvents([first]);
});

test("clEnqueueNativeKernel: it may set the user event that another queue blocks for", () => {
  const [one, two] = [newQueue(), newQueue()];
  const gate = clCreateUserEvent(context);
  const data = ints(1);
  const held = clEnqueueNDRangeKernel(two, kernelOf(SOURCE, "add", data, int(1)), 1, null, [1], null, [gate]);
  clEnqueueNativeKernel(one, () => {
    clSetUserEventStatus(gate, CL_COMPLETE);
  });
  clFlush(one);
  clWaitForEvents([held]);
  expect(readInts(two, data)).toEqual([2]);
});

test("clEnqueueNativeKernel: what it throws is its failure, which reaches its waiters", () => {
  const queue = newQueue();
  const bad = clEnqueueNativeKernel(queue, () => {
    throw new RangeError("nothing left");
  });
  const dependent = clEnqueueNativeKernel(queue, () => undefined, [], [bad]);
  const later = clEnqueueNativeKernel(queue, () => undefined);
  clFinish(queue);
  expect([bad, dependent, later].map((event) => clGetEventInfo(event, "CL_EVENT_COMMAND_EXECUTION_STATUS"))).toEqual([
    -5, -14, 0,
  ]);
  expectError(
    () => {
      clWaitForEvents([bad]);
    },
    "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
    /nothing left/u,
  );
});

test("clEnqueueNativeKernel: buffers of an array of the caller's show that array", () => {
  const queue = newQueue();
  const array = Int32Array.of(1, 2);
  const buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 8, array);
  clEnqueueNDRangeKernel(queue, kernelOf(SOURCE, "add", buffer, int(10)), 1, null, [2], null);
  clEnqueueNativeKernel(
    queue,
    (bytes) => {
      const values = intsOf(bytes);
      expect([...values]).toEqual([11, 12]);
      values[1] = 99;
    },
    [buffer],
  );
  expect(readInts(queue, buffer)).toEqual([11, 99]);
});

test("clEnqueueNativeKernel: CL_INVALID_VALUE, CL_INVALID_MEM_OBJECT", () => {
  const queue = newQueue();
  expectError(
    () => clEnqueueNativeKernel(queue, null as unknown as () => void),
    "CL_INVALID_VALUE",
    /the callback is not a function/u,
  );
  expectError(
    () => clEnqueueNativeKernel(queue, () => undefined, [{} as Buffer]),
    "CL_INVALID_MEM_OBJECT",
    /expected an object of type MemoryObject/u,
  );
});

test("clSetMemObjectDestructorCallback: in reverse order, when the last command is done and the bytes are still there", () => {
  const queue = newQueue();
  const data = ints(7);
  const { array } = clEnqueueMapBuffer(queue, data, true, 1, 0, 4);
  const calls: string[] = [];
  for (const name of ["first", "second", "third"]) {
    clSetMemObjectDestructorCallback(data, (object) => {
      expect(object).toBe(data);
      calls.push(`${name} ${array[0]}`);
    });
  }
  clRetainMemObject(data);
  clReleaseMemObject(data);
  const gate = clCreateUserEvent(context);
  clEnqueueReadBuffer(queue, data, false, 0, 4, int(0), [gate]);
  clReleaseMemObject(data);
  expect(calls).toEqual([]);
  clSetUserEventStatus(gate, CL_COMPLETE);
  clFinish(queue);
  expect(calls).toEqual(["third 7", "second 7", "first 7"]);
});

test("clSetMemObjectDestructorCallback: a buffer ends after its parts", () => {
  const whole = ints(...Array.from({ length: 64 }, () => 0));
  const part = clCreateSubBuffer(whole, 0, { origin: 128, size: 4 });
  const calls: string[] = [];
  clSetMemObjectDestructorCallback(whole, () => {
    calls.push("whole");
  });
  clSetMemObjectDestructorCallback(part, () => {
    calls.push("part");
  });
  clReleaseMemObject(whole);
  expect(calls).toEqual([]);
  clReleaseMemObject(part);
  expect(calls).toEqual(["part", "whole"]);
});

test("clSetMemObjectDestructorCallback: CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE", () => {
  const data = ints(1);
  expectError(
    () => {
      clSetMemObjectDestructorCallback(data, null as unknown as () => void);
    },
    "CL_INVALID_VALUE",
    /the callback is not a function/u,
  );
  clReleaseMemObject(data);
  expectError(
    () => {
      clSetMemObjectDestructorCallback(data, () => undefined);
    },
    "CL_INVALID_MEM_OBJECT",
    /has been released/u,
  );
});

test("clSetContextDestructorCallback: in reverse order, when all that was made of the context is gone", () => {
  const own = clCreateContext([device]);
  const data = clCreateBuffer(own, 1, 4);
  const calls: string[] = [];
  clSetContextDestructorCallback(own, (of) => {
    expect(of).toBe(own);
    calls.push("first");
  });
  clSetContextDestructorCallback(own, () => {
    calls.push("second");
  });
  clRetainContext(own);
  clReleaseContext(own);
  clReleaseContext(own);
  expect(calls).toEqual([]);
  clReleaseMemObject(data);
  expect(calls).toEqual(["second", "first"]);
});

test("clSetContextDestructorCallback: CL_INVALID_CONTEXT, CL_INVALID_VALUE", () => {
  expectError(
    () => {
      clSetContextDestructorCallback({} as Context, () => undefined);
    },
    "CL_INVALID_CONTEXT",
    /expected an object of type Context/u,
  );
  expectError(
    () => {
      clSetContextDestructorCallback(context, null as unknown as () => void);
    },
    "CL_INVALID_VALUE",
    /the callback is not a function/u,
  );
});
