// SPDX-License-Identifier: Apache-2.0
// Queues and events: order, waiting in both ways, failures that stay where they are, progress without the host thread.
import { hostDevice } from "@muxkit/host";
import {
  CL_COMPLETE,
  CL_MEM_READ_WRITE,
  clCreateBuffer,
  CL_QUEUE_PROFILING_ENABLE,
  CL_QUEUED,
  CL_SUBMITTED,
  type Buffer,
  type CommandQueue,
  type Event,
  type Kernel,
  clEnqueueBarrierWithWaitList,
  clEnqueueFillBuffer,
  clEnqueueMarkerWithWaitList,
  clEnqueueNDRangeKernel,
  clEnqueueReadBuffer,
  clEnqueueWriteBuffer,
  clFinish,
  clFinishAsync,
  clFlush,
  clFlushAsync,
  clGetEventInfo,
  clGetEventProfilingInfo,
  clReleaseCommandQueue,
  clReleaseEvent,
  clReleaseKernel,
  clReleaseMemObject,
  clSetEventCallback,
  clSetKernelArg,
  clWaitForEvents,
  clWaitForEventsAsync,
} from "@muxkit/opencl";
import { expect, test, vi } from "vitest";

import { SOURCE, context, device, errorOf, expectError, int, ints, kernelOf, newQueue, readInts, told } from "./rig.ts";

function launch(queue: CommandQueue, kernel: Kernel, size: number, waits: readonly Event[] = []): Event {
  return clEnqueueNDRangeKernel(queue, kernel, 1, null, [size], null, waits);
}

test("an event goes from queued to complete", async () => {
  const queue = newQueue();
  const event = launch(queue, kernelOf(SOURCE, "add", ints(1), int(1)), 1);
  expect(clGetEventInfo(event, "CL_EVENT_COMMAND_EXECUTION_STATUS")).toBe(CL_QUEUED);
  expect(clGetEventInfo(event, "CL_EVENT_COMMAND_TYPE")).toBe("CL_COMMAND_NDRANGE_KERNEL");
  expect(clGetEventInfo(event, "CL_EVENT_COMMAND_QUEUE")).toBe(queue);
  clFlush(queue);
  expect(clGetEventInfo(event, "CL_EVENT_COMMAND_EXECUTION_STATUS")).toBeLessThanOrEqual(CL_SUBMITTED);
  await event.done;
  expect(clGetEventInfo(event, "CL_EVENT_COMMAND_EXECUTION_STATUS")).toBe(CL_COMPLETE);
  expect("then" in event).toBe(false);
});

test("more commands than a batch holds run in order", () => {
  const queue = newQueue();
  const data = ints(0, 0);
  const add = kernelOf(SOURCE, "add", data, int(1));
  for (let i = 0; i < 1000; i++) {
    launch(queue, add, 2);
    if (i % 100 === 50) clEnqueueFillBuffer(queue, data, int(i), 0, 4);
  }
  expect(readInts(queue, data)).toEqual([950 + 49, 1000]);
});

// What is shown is that they all run; two seconds of work must not fail on a machine that is busy with something else.
test("a hundred thousand launches without a wait, from several queues, all run", () => {
  const queues = Array.from({ length: 10 }, () => newQueue());
  const data = queues.map(() => ints(0));
  const kernels = data.map((buffer) => kernelOf(SOURCE, "add", buffer, int(1)));
  for (let i = 0; i < 10_000; i++)
    for (const [k, queue] of queues.entries()) clEnqueueNDRangeKernel(queue, kernels[k] as Kernel, 1, null, [1], [1]);
  expect(queues.map((queue, k) => readInts(queue, data[k] as Buffer))).toEqual(queues.map(() => [10_000]));
});

test("promises: done, finish, flush, wait", async () => {
  const queue = newQueue();
  const data = ints(1, 2, 3);
  const add = kernelOf(SOURCE, "add", data, int(1));
  const array = new Int32Array(3);
  launch(queue, add, 3);
  await clEnqueueReadBuffer(queue, data, false, 0, 12, array).done;
  expect([...array]).toEqual([2, 3, 4]);
  launch(queue, add, 3);
  const read = clEnqueueReadBuffer(queue, data, false, 0, 12, array);
  await clFinishAsync(queue);
  expect([...array]).toEqual([3, 4, 5]);
  expect(clGetEventInfo(read, "CL_EVENT_COMMAND_EXECUTION_STATUS")).toBe(CL_COMPLETE);
  launch(queue, add, 3);
  const last = clEnqueueReadBuffer(queue, data, false, 0, 12, array);
  await clFlushAsync(queue);
  await clWaitForEventsAsync([last]);
  expect([...array]).toEqual([4, 5, 6]);
  await clFinishAsync(newQueue());
});

test("callbacks receive the status they were registered for, on the event loop", async () => {
  const queue = newQueue();
  const event = launch(queue, kernelOf(SOURCE, "add", ints(1), int(1)), 1);
  const seen: number[] = [];
  clSetEventCallback(event, CL_COMPLETE, (of, status) => {
    expect(of).toBe(event);
    seen.push(status);
  });
  clFinish(queue);
  expect(seen).toEqual([]);
  await event.done;
  expect(seen).toEqual([CL_COMPLETE]);
  clSetEventCallback(event, CL_COMPLETE, (_, status) => {
    seen.push(status + 10);
  });
  await Promise.resolve();
  expect(seen).toEqual([CL_COMPLETE, 10]);
  expectError(
    () => {
      clSetEventCallback(event, CL_QUEUED, () => undefined);
    },
    "CL_INVALID_VALUE",
    /3 is not CL_SUBMITTED/u,
  );
});

test("times are on one clock and in order; without profiling there are none", () => {
  const queue = newQueue(CL_QUEUE_PROFILING_ENABLE);
  const data = ints(...Array.from({ length: 4096 }, () => 1));
  const slow = kernelOf(SOURCE, "slow", data, int(1000));
  const first = launch(queue, slow, 4096);
  expectError(
    () => clGetEventProfilingInfo(first, "CL_PROFILING_COMMAND_END"),
    "CL_PROFILING_INFO_NOT_AVAILABLE",
    /not complete/u,
  );
  const second = launch(queue, slow, 4096);
  const marker = clEnqueueMarkerWithWaitList(queue);
  clFinish(queue);
  const times = [first, second].map((event) =>
    (
      [
        "CL_PROFILING_COMMAND_QUEUED",
        "CL_PROFILING_COMMAND_SUBMIT",
        "CL_PROFILING_COMMAND_START",
        "CL_PROFILING_COMMAND_END",
      ] as const
    ).map((token) => clGetEventProfilingInfo(event, token)),
  );
  for (const list of times) expect(list.toSorted((a, b) => a - b)).toEqual(list);
  const [[, , start = 0, end = 0] = [], [, , next = 0] = []] = times;
  expect(end - start).toBeGreaterThan(1000);
  expect(next).toBeGreaterThanOrEqual(end);
  expect(clGetEventProfilingInfo(marker, "CL_PROFILING_COMMAND_END")).toBeGreaterThanOrEqual(next);
  const plain = newQueue();
  const event = launch(plain, slow, 1);
  clFinish(plain);
  expectError(
    () => clGetEventProfilingInfo(event, "CL_PROFILING_COMMAND_END"),
    "CL_PROFILING_INFO_NOT_AVAILABLE",
    /without CL_QUEUE_PROFILING_ENABLE/u,
  );
});

test("a command waits for events of another queue, which is flushed for it", () => {
  const [first, second] = [newQueue(), newQueue()];
  const data = ints(...Array.from({ length: 8192 }, () => 1));
  const slow = launch(first, kernelOf(SOURCE, "slow", data, int(3000)), 8192);
  const after = launch(second, kernelOf(SOURCE, "add", data, int(1)), 8192, [slow]);
  clWaitForEvents([after]);
  expect(clGetEventInfo(slow, "CL_EVENT_COMMAND_EXECUTION_STATUS")).toBe(CL_COMPLETE);
  expect(readInts(second, data).every((value) => value === 6)).toBe(true);
});

test("a failed kernel fails alone: what was enqueued after it runs, once", () => {
  const queue = newQueue();
  const data = ints(0, 0);
  const add = kernelOf(SOURCE, "add", data, int(1));
  launch(queue, add, 2);
  const bad = launch(queue, kernelOf(SOURCE, "fault", data), 1);
  const good = launch(queue, add, 2);
  const dependent = launch(queue, add, 2, [bad]);
  const marker = clEnqueueMarkerWithWaitList(queue);
  clFlush(queue);
  // A second batch, after the one that fails.
  launch(queue, add, 2);
  const error = errorOf(() => {
    clWaitForEvents([bad]);
  });
  expect(error.name).toBe("CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST");
  expect(error.message).toMatch(/kernel "fault" .* in group \(0, 0, 0\)|kernel "fault" /u);
  clFinish(queue);
  expect(clGetEventInfo(bad, "CL_EVENT_COMMAND_EXECUTION_STATUS")).toBe(-5);
  expect(clGetEventInfo(good, "CL_EVENT_COMMAND_EXECUTION_STATUS")).toBe(CL_COMPLETE);
  expect(clGetEventInfo(marker, "CL_EVENT_COMMAND_EXECUTION_STATUS")).toBe(CL_COMPLETE);
  expect(clGetEventInfo(dependent, "CL_EVENT_COMMAND_EXECUTION_STATUS")).toBe(-14);
  expect(readInts(queue, data)).toEqual([3, 3]);
});

test("among many small launches the one that fails fails alone", () => {
  const queue = newQueue();
  const data = ints(0, 0);
  const add = kernelOf(SOURCE, "add", data, int(1));
  const fault = kernelOf(SOURCE, "fault", data);
  launch(queue, add, 2);
  clFinish(queue);
  const events = Array.from({ length: 600 }, (_, i) =>
    launch(queue, i % 150 === 70 ? fault : add, i % 150 === 70 ? 1 : 2),
  );
  clFinish(queue);
  const failed = events.flatMap((event, i) =>
    clGetEventInfo(event, "CL_EVENT_COMMAND_EXECUTION_STATUS") === CL_COMPLETE ? [] : [i],
  );
  expect(failed).toEqual([70, 220, 370, 520]);
  expect(readInts(queue, data)).toEqual([597, 597]);
});

/**
 * Enqueues launches of which those that `fails` picks divide by zero: returns how many launches the runtime received in
 * all.
 */
function flood(count: number, fails: (i: number) => boolean): number {
  const queue = newQueue();
  const data = ints(0, 0);
  const add = kernelOf(SOURCE, "add", data, int(1));
  const fault = kernelOf(SOURCE, "fault", data);
  const recorded = vi.spyOn(device.open("a test").device.target, "commandLaunches");
  const events = Array.from({ length: count }, (_, i) => launch(queue, fails(i) ? fault : add, fails(i) ? 1 : 2));
  clFinish(queue);
  const given = recorded.mock.calls.reduce((sum, [, launches]) => sum + launches.length, 0);
  recorded.mockRestore();
  expect(
    events.flatMap((event, i) =>
      clGetEventInfo(event, "CL_EVENT_COMMAND_EXECUTION_STATUS") === CL_COMPLETE ? [] : [i],
    ),
  ).toEqual(events.flatMap((_, i) => (fails(i) ? [i] : [])));
  const ran = count - events.filter((_, i) => fails(i)).length;
  expect(readInts(queue, data)).toEqual([ran, ran]);
  return given;
}

test.each([
  ["one in a hundred", 6000, (i: number) => i % 100 === 63],
  ["one in four", 2000, (i: number) => i % 4 === 1],
  ["a few in a row, far apart", 6000, (i: number) => i % 1500 < 5],
  ["all", 300, () => true],
] as const)(
  "a flood of launches of which some fail is recorded a few times, not once a failure: %s",
  (_name, count, fails) => {
    const failures = Array.from({ length: count }, (_, i) => fails(i)).filter(Boolean).length;
    // Once at first, once more when they are taken along, then as many again as were complete between two failures; and
    // the smallest portion for each failure.
    const given = flood(count, fails);
    expect(given).toBeGreaterThanOrEqual(count);
    expect(given).toBeLessThan(4 * count + 16 * failures);
  },
);

function memoryFree(): number {
  return hostDevice(device.open("a test").device).host.statistics().memoryFree;
}

test("launches see the arguments that were set when they were enqueued", () => {
  const queue = newQueue();
  const buffers = [ints(0), ints(0), ints(0)] as const;
  // What the first launch of a device takes stays.
  const first = kernelOf(SOURCE, "add", ints(0), int(1));
  launch(queue, first, 1);
  clFinish(queue);
  clReleaseKernel(first);
  const before = memoryFree();
  const add = kernelOf(SOURCE, "add", buffers[0], int(1));
  launch(queue, add, 1);
  // Again and again the same three, and values that never come back.
  for (let i = 0; i < 3000; i++) {
    clSetKernelArg(add, 0, buffers[i % 3] as Buffer);
    clSetKernelArg(add, 1, int(i < 2400 ? 1 : i));
    launch(queue, add, 1);
  }
  expect(buffers.map((buffer) => readInts(queue, buffer)[0])).toEqual(
    [0, 1, 2].map(
      (k) =>
        (k === 0 ? 801 : 800) +
        Array.from({ length: 200 }, (_, i) => 2400 + 3 * i + k).reduce((sum, value) => sum + value),
    ),
  );
  clReleaseKernel(add);
  expect(memoryFree()).toBe(before);
});

test("a buffer that was released is no argument any more, however often it was one", () => {
  const queue = newQueue();
  const data = ints(0);
  const add = kernelOf(SOURCE, "add", data, int(1));
  launch(queue, add, 1);
  launch(queue, add, 1);
  clReleaseMemObject(data);
  expectError(() => launch(queue, add, 1), "CL_INVALID_MEM_OBJECT", /released/u);
  clSetKernelArg(add, 0, ints(5));
  launch(queue, add, 1);
  clFinish(queue);
});

test("a failure reaches its dependents in other queues and no other commands", async () => {
  const [first, second, third] = [newQueue(), newQueue(), newQueue()];
  const data = ints(0);
  const add = kernelOf(SOURCE, "add", data, int(1));
  const before = launch(first, add, 1);
  const bad = launch(first, kernelOf(SOURCE, "fault", data), 1);
  const dependent = launch(second, add, 1, [bad]);
  const chained = launch(third, add, 1, [dependent]);
  const independent = launch(second, add, 1, [before]);
  await expect(bad.done).rejects.toThrow(/CL_OUT_OF_RESOURCES/u);
  await expect(dependent.done).rejects.toThrow(/a command that this one waits for failed/u);
  await expect(chained.done).rejects.toThrow(/CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST/u);
  await independent.done;
  await before.done;
  expect(readInts(second, data)).toEqual([2]);
});

test("waiting for an event that has failed already: the command fails at once and does nothing", () => {
  const queue = newQueue();
  const data = ints(0);
  const bad = launch(queue, kernelOf(SOURCE, "fault", data), 1);
  expect(
    errorOf(() => {
      clWaitForEvents([bad]);
    }).cause,
  ).toMatchObject({ name: "CL_OUT_OF_RESOURCES" });
  const late = launch(newQueue(), kernelOf(SOURCE, "add", data, int(1)), 1, [bad]);
  expectError(
    () => {
      clWaitForEvents([late]);
    },
    "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
    /waits for failed/u,
  );
  expect(readInts(queue, data)).toEqual([0]);
});

test("a blocking read after a failure still reads", () => {
  const queue = newQueue();
  const data = ints(7);
  const bad = launch(queue, kernelOf(SOURCE, "fault", data), 1);
  expect(readInts(queue, data)).toEqual([7]);
  expect(clGetEventInfo(bad, "CL_EVENT_COMMAND_EXECUTION_STATUS")).toBe(-5);
});

test("a failure that was never queried is reported to the context", async () => {
  const queue = newQueue();
  told.length = 0;
  launch(queue, kernelOf(SOURCE, "fault", ints(1)), 1);
  clFinish(queue);
  await new Promise((resolve) => {
    setTimeout(resolve, 20);
  });
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(/kernel "fault"/u);
});

test("wait lists with something else in them", () => {
  const queue = newQueue();
  const add = kernelOf(SOURCE, "add", ints(1), int(1));
  const event = launch(queue, add, 1);
  clFinish(queue);
  clReleaseEvent(event);
  expectError(() => launch(queue, add, 1, [event]), "CL_INVALID_EVENT_WAIT_LIST", /released/u);
  expectError(() => launch(queue, add, 1, [{} as Event]), "CL_INVALID_EVENT_WAIT_LIST", /not an event/u);
  expectError(
    () => {
      clWaitForEvents([]);
    },
    "CL_INVALID_VALUE",
    /list of events is empty/u,
  );
  expectError(
    () => {
      clWaitForEvents([event]);
    },
    "CL_INVALID_EVENT",
    /has been released/u,
  );
  const barrier = clEnqueueBarrierWithWaitList(queue);
  clWaitForEvents([barrier]);
});

test("two queues make progress, batch after batch, while the host thread computes", () => {
  const queues = [newQueue(), newQueue()] as const;
  const size = 65_536;
  const warm = ints(...Array.from({ length: size }, () => 1));
  launch(queues[0], kernelOf(SOURCE, "slow", warm, int(2000)), size);
  clFinish(queues[0]);
  const data = queues.map(() => ints(...Array.from({ length: size }, () => 1)));
  const events = queues.flatMap((queue, i) => {
    const [target = warm] = [data[i]];
    const slow = kernelOf(SOURCE, "slow", target, int(200));
    const add = kernelOf(SOURCE, "add", target, int(1));
    const first = launch(queue, slow, size);
    clFlush(queue);
    const second = launch(queue, add, size);
    clFlush(queue);
    return [first, second];
  });
  // The query only settles what is complete: nothing runs on this thread. A busy machine gets ten seconds.
  const statuses = () => events.map((event) => clGetEventInfo(event, "CL_EVENT_COMMAND_EXECUTION_STATUS"));
  const start = performance.now();
  while (statuses().some((status) => status !== 0) && performance.now() - start < 10_000);
  expect(statuses()).toEqual([0, 0, 0, 0]);
  expect(readInts(queues[1], data[1] ?? warm).every((value) => value === 6)).toBe(true);
});

test("a queue, its buffers and kernels can be released while commands run", async () => {
  const queue = newQueue();
  const data = ints(...Array.from({ length: 4096 }, () => 1));
  launch(queue, kernelOf(SOURCE, "slow", data, int(1000)), 4096);
  const array = new Int32Array(4096);
  const read = clEnqueueReadBuffer(queue, data, false, 0, array.byteLength, array);
  clReleaseMemObject(data);
  clReleaseCommandQueue(queue);
  expectError(
    () => {
      clFinish(queue);
    },
    "CL_INVALID_COMMAND_QUEUE",
    /has been released/u,
  );
  await read.done;
  expect(array.every((value) => value === 5)).toBe(true);
});

test("large writes that do not block arrive", async () => {
  const queue = newQueue();
  const size = 1 << 18;
  const big = Int32Array.from({ length: size }, (_, i) => i);
  const target = clCreateBuffer(context, CL_MEM_READ_WRITE, big.byteLength);
  clEnqueueWriteBuffer(queue, target, false, 0, big.byteLength, big);
  launch(queue, kernelOf(SOURCE, "add", target, int(1)), size);
  const array = new Int32Array(size);
  await clEnqueueReadBuffer(queue, target, false, 0, array.byteLength, array).done;
  expect(array.every((value, i) => value === i + 1)).toBe(true);
});
