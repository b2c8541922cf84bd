// SPDX-License-Identifier: Apache-2.0
// Commands that nothing orders run at once: kernels of one work-group each that wait, for a while, until they see the
// other one.
import {
  CL_COMPLETE,
  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
  CL_QUEUE_PROFILING_ENABLE,
  type Buffer,
  type CommandQueue,
  type Event,
  clCreateUserEvent,
  clEnqueueBarrierWithWaitList,
  clEnqueueFillBuffer,
  clEnqueueMarkerWithWaitList,
  clEnqueueNDRangeKernel,
  clEnqueueReadBuffer,
  clFinish,
  clFinishAsync,
  clFlush,
  clGetEventInfo,
  clGetEventProfilingInfo,
  clSetUserEventStatus,
  clWaitForEvents,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { SOURCE, context, int, ints, kernelOf, newQueue, readInts } from "./rig.ts";

/**
 * Work-item `me` announces itself and looks for `other`, some seconds at most; element 2 + me records whether it saw
 * it.
 */
const MEET = `
kernel void meet(volatile global int* flags, int me, int other, int looks) {
  atomic_xchg(flags + me, 1);
  int seen = 0;
  for (int i = 0; i < looks && seen == 0; ++i) seen = atomic_add(flags + other, 0);
  flags[2 + me] = seen;
}`;
const MANY_LOOKS = 500_000_000;
const FEW_LOOKS = 100_000;

const outOfOrder = (more = 0): CommandQueue => newQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | more);

/** Enqueues one of the two. */
function meet(queue: CommandQueue, flags: Buffer, me: 0 | 1, waits: readonly Event[] = [], looks = MANY_LOOKS): Event {
  return clEnqueueNDRangeKernel(
    queue,
    kernelOf(MEET, "meet", flags, int(me), int(1 - me), int(looks)),
    1,
    null,
    [1],
    [1],
    waits,
  );
}

const flagsOf = (): Buffer => ints(0, 0, 0, 0);

/** Both were there, and each saw the other. */
const MET = [1, 1, 1, 1];

function seen(flags: Buffer): readonly number[] {
  return readInts(newQueue(), flags);
}

// The first one comes before any worker was started and before the device has measured the cost of such a kernel, the
// second one when both costs are known.
test.each(["first", "second"])("two commands of one queue without order meet: the %s time", () => {
  const queue = outOfOrder();
  const flags = flagsOf();
  meet(queue, flags, 0);
  meet(queue, flags, 1);
  clFinish(queue);
  expect(seen(flags)).toEqual(MET);
});

test("two commands of one queue in order do not meet: the first one is over before the second begins", () => {
  const queue = newQueue();
  const flags = flagsOf();
  meet(queue, flags, 0, [], FEW_LOOKS);
  meet(queue, flags, 1);
  clFinish(queue);
  expect(readInts(queue, flags)).toEqual([1, 1, 0, 1]);
});

test.each([
  ["in order", 0],
  ["without order", CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE],
])("commands of two queues meet, the second one %s", (_name, properties) => {
  const [one, two] = [newQueue(), newQueue(properties)];
  const flags = flagsOf();
  meet(one, flags, 0);
  meet(two, flags, 1);
  clFlush(one);
  clFinish(two);
  clFinish(one);
  expect(seen(flags)).toEqual(MET);
});

test("they meet while no call blocks: the event loop is enough", async () => {
  const queue = outOfOrder();
  const flags = flagsOf();
  const events = [meet(queue, flags, 0), meet(queue, flags, 1)];
  await clFinishAsync(queue);
  expect(events.map((event) => clGetEventInfo(event, "CL_EVENT_COMMAND_EXECUTION_STATUS"))).toEqual([
    CL_COMPLETE,
    CL_COMPLETE,
  ]);
  expect(seen(flags)).toEqual(MET);
});

test("what waits for the same command meets, in one queue and in two", () => {
  const [loose, strict, other] = [outOfOrder(), newQueue(), newQueue()];
  for (const [first, second] of [
    [loose, loose],
    [strict, other],
    [other, loose],
  ] as const) {
    const flags = ints(7, 7, 7, 7);
    const zeroed = clEnqueueFillBuffer(first, flags, int(0), 0, 16);
    meet(second, flags, 1, [zeroed]);
    meet(first, flags, 0, [zeroed]);
    clFlush(second);
    clFinish(first);
    clFinish(second);
    expect(seen(flags)).toEqual(MET);
  }
});

test("what is after a barrier waits for it and meets", () => {
  const queue = outOfOrder();
  const flags = ints(7, 7, 7, 7);
  clEnqueueFillBuffer(queue, flags, int(0), 0, 8);
  clEnqueueFillBuffer(queue, flags, int(0), 8, 8);
  clEnqueueBarrierWithWaitList(queue);
  meet(queue, flags, 0);
  meet(queue, flags, 1);
  clFinish(queue);
  expect(seen(flags)).toEqual(MET);
});

test("a marker waits and delays no other command: commands before and after it meet", () => {
  const queue = outOfOrder();
  const flags = flagsOf();
  meet(queue, flags, 0);
  const marker = clEnqueueMarkerWithWaitList(queue);
  const later = meet(queue, flags, 1);
  clWaitForEvents([marker]);
  clWaitForEvents([later]);
  expect(seen(flags)).toEqual(MET);
});

test("a flood of commands and the two that meet: neighbours are in different chains", () => {
  const queue = outOfOrder();
  const flags = flagsOf();
  const data = ints(0);
  const add = kernelOf(`kernel void count(volatile global int* data) { atomic_add(data, 1); }`, "count", data);
  for (let i = 0; i < 120; i++) clEnqueueNDRangeKernel(queue, add, 1, null, [1], [1]);
  meet(queue, flags, 0);
  meet(queue, flags, 1);
  for (let i = 0; i < 120; i++) clEnqueueNDRangeKernel(queue, add, 1, null, [1], [1]);
  clFinish(queue);
  expect(seen(flags)).toEqual(MET);
  expect(readInts(queue, data)).toEqual([240]);
});

test("measured commands that meet overlap by their times", () => {
  const queue = outOfOrder(CL_QUEUE_PROFILING_ENABLE);
  const flags = flagsOf();
  const events = [meet(queue, flags, 0), meet(queue, flags, 1)];
  clFinish(queue);
  expect(seen(flags)).toEqual(MET);
  const [start, end] = [
    (event: Event) => clGetEventProfilingInfo(event, "CL_PROFILING_COMMAND_START"),
    (event: Event) => clGetEventProfilingInfo(event, "CL_PROFILING_COMMAND_END"),
  ];
  expect(Math.max(...events.map(start))).toBeLessThan(Math.min(...events.map(end)));
});

test("the end of a short command is seen while a long one of the same queue runs", () => {
  const queue = outOfOrder();
  const [flags, data] = [flagsOf(), ints(1)];
  // It looks for a kernel that starts only when the short one is known to be complete.
  const long = meet(queue, flags, 0);
  clFlush(queue);
  const short = clEnqueueNDRangeKernel(queue, kernelOf(SOURCE, "add", data, int(1)), 1, null, [1], [1]);
  clFlush(queue);
  const deadline = performance.now() + 10_000;
  while (clGetEventInfo(short, "CL_EVENT_COMMAND_EXECUTION_STATUS") !== CL_COMPLETE && performance.now() < deadline);
  expect(clGetEventInfo(short, "CL_EVENT_COMMAND_EXECUTION_STATUS")).toBe(CL_COMPLETE);
  expect(clGetEventInfo(long, "CL_EVENT_COMMAND_EXECUTION_STATUS")).not.toBe(CL_COMPLETE);
  meet(queue, flags, 1);
  clFinish(queue);
  expect(seen(flags)).toEqual(MET);
});

test("a command that waits for a user event is not in the way of those that meet, and comes when it is set", () => {
  const queue = outOfOrder();
  const [flags, out] = [flagsOf(), int(0)];
  const gate = clCreateUserEvent(context);
  const held = clEnqueueReadBuffer(queue, flags, false, 8, 4, out, [gate]);
  const both = [meet(queue, flags, 0), meet(queue, flags, 1)];
  clWaitForEvents(both);
  expect(seen(flags)).toEqual(MET);
  clSetUserEventStatus(gate, CL_COMPLETE);
  clWaitForEvents([held]);
  expect([...out]).toEqual([1]);
});

test("two queues make progress while this thread computes for 200 ms", () => {
  const queues = [newQueue(), outOfOrder()] as const;
  const flags = flagsOf();
  // Started workers continue by themselves: nothing of this runs on this thread.
  const events = [meet(queues[0], flags, 0), meet(queues[1], flags, 1)];
  for (const queue of queues) clFlush(queue);
  const end = performance.now() + 200;
  let x = 1;
  while (performance.now() < end) x = (Math.imul(x, 1_664_525) + 1) | 0;
  expect(x).not.toBe(0.5);
  // On a busy machine the workers get ten seconds; asking settles what is complete and runs nothing.
  const statuses = (): readonly number[] =>
    events.map((event) => clGetEventInfo(event, "CL_EVENT_COMMAND_EXECUTION_STATUS"));
  while (statuses().some((status) => status !== CL_COMPLETE) && performance.now() < end + 10_000);
  expect(statuses()).toEqual([CL_COMPLETE, CL_COMPLETE]);
  expect(seen(flags)).toEqual(MET);
});
