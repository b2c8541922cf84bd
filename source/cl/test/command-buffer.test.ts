// SPDX-License-Identifier: Apache-2.0
// Command buffers: recorded once, enqueued again and again; the commands of queues, in their order or by sync-points.
import {
  type Buffer,
  CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR,
  CL_COMPLETE,
  CL_MEM_READ_WRITE,
  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
  CL_QUEUE_PROFILING_ENABLE,
  type CommandBuffer,
  type CommandQueue,
  type ErrorName,
  type Image,
  type SyncPoint,
  clCommandBarrierWithWaitListKHR,
  clCommandCopyBufferKHR,
  clCommandCopyBufferRectKHR,
  clCommandCopyBufferToImageKHR,
  clCommandCopyImageKHR,
  clCommandCopyImageToBufferKHR,
  clCommandFillBufferKHR,
  clCommandFillImageKHR,
  clCommandNDRangeKernelKHR,
  clCommandSVMMemFillKHR,
  clCommandSVMMemcpyKHR,
  clCreateCommandBufferKHR,
  clCreateContext,
  clCreateImage,
  clCreateUserEvent,
  clEnqueueCommandBufferKHR,
  clEnqueueFillBuffer,
  clEnqueueNDRangeKernel,
  clEnqueueReadImage,
  clFinalizeCommandBufferKHR,
  clFinish,
  clGetCommandBufferInfoKHR,
  clGetEventInfo,
  clGetEventProfilingInfo,
  clReleaseCommandBufferKHR,
  clReleaseCommandQueue,
  clReleaseKernel,
  clReleaseMemObject,
  clRetainCommandBufferKHR,
  clSVMAlloc,
  clSVMFree,
  clSetKernelArg,
  clCreateBuffer,
  clCreateCommandQueue,
  clSetUserEventStatus,
  clWaitForEvents,
  svmView,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { SOURCE, context, device, expectError, int, ints, kernelOf, newQueue, readInts } from "./rig.ts";

const queue = newQueue();
const unordered = newQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
const measured = newQueue(CL_QUEUE_PROFILING_ENABLE);

/** A command buffer with one launch that adds `value` to each integer. */
function adding(target: CommandQueue, buffer: Buffer, value: number, flags: number = 0): CommandBuffer {
  const commands = clCreateCommandBufferKHR([target], { CL_COMMAND_BUFFER_FLAGS_KHR: flags });
  clCommandNDRangeKernelKHR(
    commands,
    null,
    null,
    kernelOf(SOURCE, "add", buffer, int(value)),
    1,
    null,
    [buffer.size / 4],
    null,
  );
  return commands;
}

function picture(...values: number[]): Image {
  return clCreateImage(
    context,
    CL_MEM_READ_WRITE,
    { channelOrder: "CL_R", channelType: "CL_UNSIGNED_INT32" },
    { type: "CL_MEM_OBJECT_IMAGE2D", width: values.length, height: 1 },
    null,
  );
}

const QUEUES: readonly (readonly [name: string, queue: CommandQueue])[] = [
  ["in order", queue],
  ["out of order", unordered],
  ["measured", measured],
  ["measured and out of order", newQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE)],
];

test.each(QUEUES)("clEnqueueCommandBufferKHR: what was recorded runs each time, on a queue %s", (_name, target) => {
  const data = ints(1, 2, 3, 4);
  const commands = adding(target, data, 10);
  clFinalizeCommandBufferKHR(commands);
  for (let i = 1; i <= 5; i++) {
    clWaitForEvents([clEnqueueCommandBufferKHR(null, commands)]);
    expect(readInts(target, data)).toEqual([1 + 10 * i, 2 + 10 * i, 3 + 10 * i, 4 + 10 * i]);
  }
  clReleaseCommandBufferKHR(commands);
});

test("clEnqueueCommandBufferKHR: the arguments of its launches are those of the recording, and objects live as long as it does", () => {
  const [data, other] = [ints(0, 0), ints(0, 0)];
  const add = kernelOf(SOURCE, "add", data, int(1));
  const commands = clCreateCommandBufferKHR([queue]);
  clCommandNDRangeKernelKHR(commands, null, null, add, 1, null, [2], null);
  clSetKernelArg(add, 0, other);
  clSetKernelArg(add, 1, int(100));
  clCommandNDRangeKernelKHR(commands, null, null, add, 1, null, [2], null);
  clFinalizeCommandBufferKHR(commands);
  clReleaseKernel(add);
  const copy = clCreateCommandBufferKHR([queue]);
  const result = ints(7, 7);
  clCommandCopyBufferKHR(copy, null, data, result, 0, 0, 8);
  clFinalizeCommandBufferKHR(copy);
  clReleaseMemObject(data);
  clEnqueueCommandBufferKHR(null, commands);
  clFinish(queue);
  clEnqueueCommandBufferKHR(null, commands);
  clEnqueueCommandBufferKHR(null, copy);
  clReleaseCommandBufferKHR(commands);
  clReleaseCommandBufferKHR(copy);
  expect(readInts(queue, result)).toEqual([2, 2]);
  expect(readInts(queue, other)).toEqual([200, 200]);
});

test("clEnqueueCommandBufferKHR: code that is made for a launch later is taken", () => {
  const data = ints(...Array.from({ length: 4096 }, () => 0));
  const commands = adding(queue, data, 1);
  clFinalizeCommandBufferKHR(commands);
  for (let i = 0; i < 150; i++) clWaitForEvents([clEnqueueCommandBufferKHR(null, commands)]);
  expect(readInts(queue, data, 3)).toEqual([150, 150, 150]);
});

test("clCommandCopyBufferKHR, clCommandFillBufferKHR, clCommandCopyBufferRectKHR: in their order", () => {
  const [source, target] = [ints(1, 2, 3, 4), ints(0, 0, 0, 0)];
  const commands = clCreateCommandBufferKHR([queue]);
  clCommandCopyBufferKHR(commands, null, source, target, 4, 0, 8);
  clCommandFillBufferKHR(commands, null, target, int(9), 12, 4);
  clCommandCopyBufferRectKHR(commands, null, target, source, [0, 0, 0], [4, 0, 0], [4, 2, 1], 8, 0, 8, 0);
  clFinalizeCommandBufferKHR(commands);
  clEnqueueCommandBufferKHR(null, commands);
  expect(readInts(queue, target)).toEqual([2, 3, 0, 9]);
  expect(readInts(queue, source)).toEqual([1, 2, 3, 0]);
});

test("clCommandFillImageKHR, clCommandCopyImageKHR, clCommandCopyImageToBufferKHR, clCommandCopyBufferToImageKHR: images", () => {
  const [one, two] = [picture(0, 0, 0, 0), picture(0, 0, 0, 0)];
  const [from, to] = [ints(5, 6), ints(0, 0, 0, 0)];
  const commands = clCreateCommandBufferKHR([queue]);
  clCommandFillImageKHR(commands, null, one, Uint32Array.of(3, 0, 0, 0), [0, 0, 0], [4, 1, 1]);
  clCommandCopyBufferToImageKHR(commands, null, from, one, 0, [1, 0, 0], [2, 1, 1]);
  clCommandCopyImageKHR(commands, null, one, two, [0, 0, 0], [0, 0, 0], [4, 1, 1]);
  clCommandCopyImageToBufferKHR(commands, null, two, to, [0, 0, 0], [4, 1, 1], 0);
  clFinalizeCommandBufferKHR(commands);
  clEnqueueCommandBufferKHR(null, commands);
  expect(readInts(queue, to)).toEqual([3, 5, 6, 3]);
  const pixels = new Uint32Array(4);
  clEnqueueReadImage(queue, two, true, [0, 0, 0], [4, 1, 1], 0, 0, pixels);
  expect([...pixels]).toEqual([3, 5, 6, 3]);
});

test("clCommandSVMMemcpyKHR, clCommandSVMMemFillKHR: shared virtual memory", () => {
  const pointer = clSVMAlloc(context, CL_MEM_READ_WRITE, 16);
  const view = svmView(context, pointer, 16);
  const commands = clCreateCommandBufferKHR([queue]);
  clCommandSVMMemFillKHR(commands, null, pointer, Uint8Array.of(7, 8), 8);
  clCommandSVMMemcpyKHR(commands, null, pointer + 8, pointer, 4);
  clFinalizeCommandBufferKHR(commands);
  clEnqueueCommandBufferKHR(null, commands);
  clFinish(queue);
  expect([...view.subarray(0, 12)]).toEqual([7, 8, 7, 8, 7, 8, 7, 8, 7, 8, 7, 8]);
  const other = clCreateCommandBufferKHR([queue]);
  expectError(
    () => clCommandSVMMemcpyKHR(other, null, pointer, new Uint8Array(4) as unknown as number, 4),
    "CL_INVALID_VALUE",
    /source and target must be pointers/u,
  );
  expectError(() => clCommandSVMMemcpyKHR(other, null, pointer + 2, pointer, 4), "CL_MEM_COPY_OVERLAP", /overlap/u);
  expectError(
    () => clCommandSVMMemFillKHR(other, null, pointer + 1, Uint8Array.of(7, 8), 8),
    "CL_INVALID_VALUE",
    /multiples of the pattern's 2/u,
  );
  clReleaseCommandBufferKHR(other);
  clReleaseCommandBufferKHR(commands);
  clSVMFree(context, pointer);
});

test("sync-points: on a queue out of order a command waits for those that it names, and for barriers", () => {
  // Each step reads what the one before it wrote, and the slow ones come first.
  const [first, second, third] = [ints(3), ints(0), ints(0)];
  const slow = kernelOf(SOURCE, "slow", first, int(2_000_000));
  const commands = clCreateCommandBufferKHR([unordered]);
  const { syncPoint } = clCommandNDRangeKernelKHR(commands, null, null, slow, 1, null, [1], null);
  const copied = clCommandCopyBufferKHR(commands, null, first, second, 0, 0, 4, [syncPoint]);
  clCommandBarrierWithWaitListKHR(commands, null, [copied.syncPoint]);
  clCommandCopyBufferKHR(commands, null, second, third, 0, 0, 4);
  clCommandBarrierWithWaitListKHR(commands, null);
  clCommandFillBufferKHR(commands, null, second, int(1), 0, 4);
  clFinalizeCommandBufferKHR(commands);
  for (let i = 0; i < 3; i++) {
    for (const buffer of [second, third]) clEnqueueFillBuffer(queue, buffer, int(-1), 0, 4);
    clFinish(queue);
    clWaitForEvents([clEnqueueCommandBufferKHR(null, commands)]);
    expect([readInts(queue, second), readInts(queue, third)]).toEqual([[1], [5]]);
  }
});

test("clEnqueueCommandBufferKHR: with CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR it runs as often as it is enqueued", () => {
  const data = ints(0, 0);
  const commands = adding(queue, data, 1, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
  clFinalizeCommandBufferKHR(commands);
  for (let i = 0; i < 100; i++) clEnqueueCommandBufferKHR(null, commands);
  expect(readInts(queue, data)).toEqual([100, 100]);
});

test("clEnqueueCommandBufferKHR: commands before and after it keep their order, and events are waited for", () => {
  const data = ints(1, 1);
  const commands = adding(queue, data, 1);
  clFinalizeCommandBufferKHR(commands);
  const gate = clCreateUserEvent(context);
  const add = kernelOf(SOURCE, "add", data, int(10));
  clEnqueueFillBuffer(queue, data, int(5), 0, 8);
  const event = clEnqueueCommandBufferKHR([newQueue()], commands, [gate]);
  expect(clGetEventInfo(event, "CL_EVENT_COMMAND_TYPE")).toBe("CL_COMMAND_COMMAND_BUFFER_KHR");
  clEnqueueNDRangeKernel(queue, add, 1, null, [2], null);
  expect(readInts(queue, data)).toEqual([15, 15]);
  expect(clGetCommandBufferInfoKHR(commands, "CL_COMMAND_BUFFER_STATE_KHR")).toBe(
    "CL_COMMAND_BUFFER_STATE_PENDING_KHR",
  );
  expectError(
    () => clEnqueueCommandBufferKHR(null, commands),
    "CL_INVALID_OPERATION",
    /already enqueued and not complete/u,
  );
  clSetUserEventStatus(gate, CL_COMPLETE);
  clWaitForEvents([event]);
  expect(readInts(queue, data)).toEqual([16, 16]);
  expect(clGetCommandBufferInfoKHR(commands, "CL_COMMAND_BUFFER_STATE_KHR")).toBe(
    "CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR",
  );
});

test("clEnqueueCommandBufferKHR: what fails in it fails its event; what comes after runs", () => {
  const data = ints(1);
  const commands = clCreateCommandBufferKHR([queue]);
  clCommandFillBufferKHR(commands, null, data, int(2), 0, 4);
  clCommandNDRangeKernelKHR(commands, null, null, kernelOf(SOURCE, "fault", data), 1, null, [1], null);
  clCommandFillBufferKHR(commands, null, data, int(3), 0, 4);
  clFinalizeCommandBufferKHR(commands);
  for (let i = 0; i < 2; i++) {
    const event = clEnqueueCommandBufferKHR(null, commands);
    const other = clEnqueueFillBuffer(queue, data, int(4), 0, 4, []);
    const after = adding(queue, data, 1);
    clFinalizeCommandBufferKHR(after);
    clEnqueueCommandBufferKHR(null, after);
    expectError(
      () => {
        clWaitForEvents([event]);
      },
      "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
      /fault/u,
    );
    clWaitForEvents([other]);
    expect(readInts(queue, data)).toEqual([5]);
  }
});

test("clGetEventProfilingInfo: the times of a command buffer are those of its first and last command", () => {
  const data = ints(3);
  const commands = clCreateCommandBufferKHR([measured]);
  clCommandNDRangeKernelKHR(commands, null, null, kernelOf(SOURCE, "slow", data, int(3_000_000)), 1, null, [1], null);
  clCommandFillBufferKHR(commands, null, data, int(3), 0, 4);
  clFinalizeCommandBufferKHR(commands);
  for (let i = 0; i < 2; i++) {
    const event = clEnqueueCommandBufferKHR(null, commands);
    clWaitForEvents([event]);
    const times = (["QUEUED", "SUBMIT", "START", "END"] as const).map((name) =>
      clGetEventProfilingInfo(event, `CL_PROFILING_COMMAND_${name}`),
    );
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect((times[3] as number) - (times[2] as number)).toBeGreaterThan(100_000);
  }
});

test("clGetCommandBufferInfoKHR, clRetainCommandBufferKHR: queues, state, references, properties, context", () => {
  const commands = clCreateCommandBufferKHR([queue], {
    CL_COMMAND_BUFFER_FLAGS_KHR: CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR,
  });
  expect(clGetCommandBufferInfoKHR(commands, "CL_COMMAND_BUFFER_QUEUES_KHR")).toEqual([queue]);
  expect(clGetCommandBufferInfoKHR(commands, "CL_COMMAND_BUFFER_NUM_QUEUES_KHR")).toBe(1);
  expect(clGetCommandBufferInfoKHR(commands, "CL_COMMAND_BUFFER_STATE_KHR")).toBe(
    "CL_COMMAND_BUFFER_STATE_RECORDING_KHR",
  );
  expect(clGetCommandBufferInfoKHR(commands, "CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR")).toEqual({
    CL_COMMAND_BUFFER_FLAGS_KHR: 1,
  });
  expect(clGetCommandBufferInfoKHR(commands, "CL_COMMAND_BUFFER_CONTEXT_KHR")).toBe(context);
  clRetainCommandBufferKHR(commands);
  expect(clGetCommandBufferInfoKHR(commands, "CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR")).toBe(2);
  clReleaseCommandBufferKHR(commands);
  clFinalizeCommandBufferKHR(commands);
  expect(clGetCommandBufferInfoKHR(commands, "CL_COMMAND_BUFFER_STATE_KHR")).toBe(
    "CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR",
  );
  expect(
    clGetCommandBufferInfoKHR(clCreateCommandBufferKHR([queue]), "CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR"),
  ).toBeNull();
  expectError(
    () => clGetCommandBufferInfoKHR(commands, "CL_COMMAND_BUFFER_COLOUR" as "CL_COMMAND_BUFFER_STATE_KHR"),
    "CL_INVALID_VALUE",
    /is not a token/u,
  );
});

test("an empty command buffer is complete at once", () => {
  const commands = clCreateCommandBufferKHR([queue]);
  clFinalizeCommandBufferKHR(commands);
  const event = clEnqueueCommandBufferKHR(null, commands);
  clWaitForEvents([event]);
  expect(clGetEventInfo(event, "CL_EVENT_COMMAND_EXECUTION_STATUS")).toBe(CL_COMPLETE);
  clReleaseCommandBufferKHR(commands);
});

test("clCreateCommandBufferKHR: CL_INVALID_VALUE, CL_INVALID_COMMAND_QUEUE", () => {
  for (const queues of [[], [queue, unordered], null])
    expectError(
      () => clCreateCommandBufferKHR(queues as readonly CommandQueue[]),
      "CL_INVALID_VALUE",
      /for exactly one queue/u,
    );
  expectError(
    () => clCreateCommandBufferKHR([queue], { CL_COMMAND_BUFFER_FLAGS_KHR: 64 }),
    "CL_INVALID_VALUE",
    /has the bits 0x3, not 64/u,
  );
  expectError(
    () => clCreateCommandBufferKHR([queue], { CL_COMMAND_BUFFER_COLOUR: 1 } as object),
    "CL_INVALID_VALUE",
    /CL_COMMAND_BUFFER_COLOUR is not a property/u,
  );
  const gone = newQueue();
  clReleaseCommandQueue(gone);
  expectError(() => clCreateCommandBufferKHR([gone]), "CL_INVALID_COMMAND_QUEUE", /has been released/u);
});

const CALLS: readonly (readonly [
  name: string,
  record: (commands: CommandBuffer, target: CommandQueue | null, waits: readonly SyncPoint[]) => unknown,
])[] = [
  [
    "clCommandBarrierWithWaitListKHR",
    (commands, target, waits) => clCommandBarrierWithWaitListKHR(commands, target, waits),
  ],
  [
    "clCommandCopyBufferKHR",
    (commands, target, waits) => clCommandCopyBufferKHR(commands, target, ints(1), ints(1), 0, 0, 4, waits),
  ],
  [
    "clCommandCopyBufferRectKHR",
    (commands, target, waits) =>
      clCommandCopyBufferRectKHR(
        commands,
        target,
        ints(1),
        ints(1),
        [0, 0, 0],
        [0, 0, 0],
        [4, 1, 1],
        0,
        0,
        0,
        0,
        waits,
      ),
  ],
  [
    "clCommandCopyBufferToImageKHR",
    (commands, target, waits) =>
      clCommandCopyBufferToImageKHR(commands, target, ints(1), picture(1), 0, [0, 0, 0], [1, 1, 1], waits),
  ],
  [
    "clCommandCopyImageKHR",
    (commands, target, waits) =>
      clCommandCopyImageKHR(commands, target, picture(1), picture(1), [0, 0, 0], [0, 0, 0], [1, 1, 1], waits),
  ],
  [
    "clCommandCopyImageToBufferKHR",
    (commands, target, waits) =>
      clCommandCopyImageToBufferKHR(commands, target, picture(1), ints(1), [0, 0, 0], [1, 1, 1], 0, waits),
  ],
  [
    "clCommandFillBufferKHR",
    (commands, target, waits) => clCommandFillBufferKHR(commands, target, ints(1), int(1), 0, 4, waits),
  ],
  [
    "clCommandFillImageKHR",
    (commands, target, waits) =>
      clCommandFillImageKHR(commands, target, picture(1), Uint32Array.of(1, 1, 1, 1), [0, 0, 0], [1, 1, 1], waits),
  ],
  [
    "clCommandNDRangeKernelKHR",
    (commands, target, waits) =>
      clCommandNDRangeKernelKHR(
        commands,
        target,
        null,
        kernelOf(SOURCE, "add", ints(1), int(1)),
        1,
        null,
        [1],
        null,
        waits,
      ),
  ],
  [
    "clCommandSVMMemFillKHR",
    (commands, target, waits) =>
      clCommandSVMMemFillKHR(commands, target, clSVMAlloc(context, CL_MEM_READ_WRITE, 4), int(1), 4, waits),
  ],
  [
    "clCommandSVMMemcpyKHR",
    (commands, target, waits) =>
      clCommandSVMMemcpyKHR(
        commands,
        target,
        clSVMAlloc(context, CL_MEM_READ_WRITE, 4),
        clSVMAlloc(context, CL_MEM_READ_WRITE, 4),
        4,
        waits,
      ),
  ],
];

test.each(CALLS)(
  "%s: CL_INVALID_COMMAND_BUFFER_KHR, CL_INVALID_COMMAND_QUEUE, CL_INVALID_OPERATION, " +
    "CL_INVALID_SYNC_POINT_WAIT_LIST_KHR",
  (_name, record) => {
    const commands = clCreateCommandBufferKHR([queue]);
    expectError(
      () => record({} as CommandBuffer, null, []),
      "CL_INVALID_COMMAND_BUFFER_KHR",
      /expected an object of type CommandBuffer/u,
    );
    expectError(() => record(commands, queue, []), "CL_INVALID_COMMAND_QUEUE", /one queue|already has its queue/u);
    for (const wait of [0, 1, 1.5, -1])
      expectError(() => record(commands, null, [wait]), "CL_INVALID_SYNC_POINT_WAIT_LIST_KHR", /is not a sync-point/u);
    record(commands, null, []);
    record(commands, null, [1]);
    clFinalizeCommandBufferKHR(commands);
    expectError(() => record(commands, null, []), "CL_INVALID_OPERATION", /is finalized/u);
    clReleaseCommandBufferKHR(commands);
    expectError(() => record(commands, null, []), "CL_INVALID_COMMAND_BUFFER_KHR", /has been released/u);
  },
);

const ZERO = [0, 0, 0] as const;
const ONE = [1, 1, 1] as const;
const COLOR = Uint32Array.of(1, 1, 1, 1);
const foreignContext = clCreateContext([device]);
const elsewhere = {
  buffer: clCreateBuffer(foreignContext, CL_MEM_READ_WRITE, 8),
  image: clCreateImage(
    foreignContext,
    CL_MEM_READ_WRITE,
    { channelOrder: "CL_R", channelType: "CL_UNSIGNED_INT32" },
    { type: "CL_MEM_OBJECT_IMAGE2D", width: 1, height: 1 },
    null,
  ),
};
const bytes = clCreateImage(
  context,
  CL_MEM_READ_WRITE,
  { channelOrder: "CL_R", channelType: "CL_UNSIGNED_INT8" },
  { type: "CL_MEM_OBJECT_IMAGE2D", width: 1, height: 1 },
  null,
);
const pair = ints(1, 2);
const gone = ints(1);
clReleaseMemObject(gone);

const WRONG: readonly (readonly [
  name: string,
  error: ErrorName,
  record: (commands: CommandBuffer) => unknown,
  message: RegExp,
])[] = [
  [
    "clCommandCopyBufferKHR",
    "CL_INVALID_CONTEXT",
    (commands) => clCommandCopyBufferKHR(commands, null, elsewhere.buffer, ints(1, 2), 0, 0, 4),
    /different contexts/u,
  ],
  [
    "clCommandCopyBufferKHR",
    "CL_INVALID_MEM_OBJECT",
    (commands) => clCommandCopyBufferKHR(commands, null, gone, ints(1, 2), 0, 0, 4),
    /has been released/u,
  ],
  [
    "clCommandCopyBufferKHR",
    "CL_INVALID_VALUE",
    (commands) => clCommandCopyBufferKHR(commands, null, ints(1, 2), ints(1, 2), 8, 0, 4),
    /outside the/u,
  ],
  [
    "clCommandCopyBufferKHR",
    "CL_MEM_COPY_OVERLAP",
    (commands) => clCommandCopyBufferKHR(commands, null, pair, pair, 0, 2, 4),
    /overlap/u,
  ],
  [
    "clCommandCopyBufferRectKHR",
    "CL_INVALID_CONTEXT",
    (commands) =>
      clCommandCopyBufferRectKHR(commands, null, elsewhere.buffer, ints(1, 2), ZERO, ZERO, [4, 1, 1], 0, 0, 0, 0),
    /different contexts/u,
  ],
  [
    "clCommandCopyBufferRectKHR",
    "CL_INVALID_MEM_OBJECT",
    (commands) => clCommandCopyBufferRectKHR(commands, null, gone, ints(1, 2), ZERO, ZERO, [4, 1, 1], 0, 0, 0, 0),
    /has been released/u,
  ],
  [
    "clCommandCopyBufferRectKHR",
    "CL_INVALID_VALUE",
    (commands) => clCommandCopyBufferRectKHR(commands, null, ints(1, 2), ints(1, 2), ZERO, ZERO, [0, 1, 1], 0, 0, 0, 0),
    /is empty/u,
  ],
  [
    "clCommandCopyBufferRectKHR",
    "CL_MEM_COPY_OVERLAP",
    (commands) => clCommandCopyBufferRectKHR(commands, null, pair, pair, ZERO, [2, 0, 0], [4, 1, 1], 0, 0, 0, 0),
    /overlap/u,
  ],
  [
    "clCommandCopyBufferToImageKHR",
    "CL_INVALID_CONTEXT",
    (commands) => clCommandCopyBufferToImageKHR(commands, null, elsewhere.buffer, picture(1, 2), 0, ZERO, ONE),
    /different contexts/u,
  ],
  [
    "clCommandCopyBufferToImageKHR",
    "CL_INVALID_MEM_OBJECT",
    (commands) => clCommandCopyBufferToImageKHR(commands, null, gone, picture(1, 2), 0, ZERO, ONE),
    /has been released/u,
  ],
  [
    "clCommandCopyBufferToImageKHR",
    "CL_INVALID_VALUE",
    (commands) => clCommandCopyBufferToImageKHR(commands, null, ints(1, 2), picture(1, 2), 8, ZERO, ONE),
    /outside the/u,
  ],
  [
    "clCommandCopyImageKHR",
    "CL_INVALID_CONTEXT",
    (commands) => clCommandCopyImageKHR(commands, null, elsewhere.image, picture(1, 2), ZERO, ZERO, ONE),
    /different contexts/u,
  ],
  [
    "clCommandCopyImageKHR",
    "CL_INVALID_MEM_OBJECT",
    (commands) => clCommandCopyImageKHR(commands, null, pair as unknown as Image, picture(1, 2), ZERO, ZERO, ONE),
    /expected an object of type Image/u,
  ],
  [
    "clCommandCopyImageKHR",
    "CL_INVALID_VALUE",
    (commands) => clCommandCopyImageKHR(commands, null, picture(1, 2), picture(1, 2), [2, 0, 0], ZERO, ONE),
    /is not inside/u,
  ],
  [
    "clCommandCopyImageKHR",
    "CL_IMAGE_FORMAT_MISMATCH",
    (commands) => clCommandCopyImageKHR(commands, null, picture(1, 2), bytes, ZERO, ZERO, ONE),
    /the target of/u,
  ],
  [
    "clCommandCopyImageKHR",
    "CL_MEM_COPY_OVERLAP",
    (commands) => clCommandCopyImageKHR(commands, null, bytes, bytes, ZERO, ZERO, ONE),
    /overlap/u,
  ],
  [
    "clCommandCopyImageToBufferKHR",
    "CL_INVALID_CONTEXT",
    (commands) => clCommandCopyImageToBufferKHR(commands, null, picture(1, 2), elsewhere.buffer, ZERO, ONE, 0),
    /different contexts/u,
  ],
  [
    "clCommandCopyImageToBufferKHR",
    "CL_INVALID_MEM_OBJECT",
    (commands) => clCommandCopyImageToBufferKHR(commands, null, picture(1, 2), gone, ZERO, ONE, 0),
    /has been released/u,
  ],
  [
    "clCommandCopyImageToBufferKHR",
    "CL_INVALID_VALUE",
    (commands) => clCommandCopyImageToBufferKHR(commands, null, picture(1, 2), ints(1, 2), ZERO, [3, 1, 1], 0),
    /is not inside/u,
  ],
  [
    "clCommandFillBufferKHR",
    "CL_INVALID_MEM_OBJECT",
    (commands) => clCommandFillBufferKHR(commands, null, gone, int(1), 0, 4),
    /has been released/u,
  ],
  [
    "clCommandFillBufferKHR",
    "CL_INVALID_VALUE",
    (commands) => clCommandFillBufferKHR(commands, null, ints(1, 2), int(1), 2, 4),
    /multiples of the pattern/u,
  ],
  [
    "clCommandFillImageKHR",
    "CL_INVALID_CONTEXT",
    (commands) => clCommandFillImageKHR(commands, null, elsewhere.image, COLOR, ZERO, ONE),
    /different contexts/u,
  ],
  [
    "clCommandFillImageKHR",
    "CL_INVALID_MEM_OBJECT",
    (commands) => clCommandFillImageKHR(commands, null, gone as unknown as Image, COLOR, ZERO, ONE),
    /expected an object of type Image/u,
  ],
  [
    "clCommandFillImageKHR",
    "CL_INVALID_VALUE",
    (commands) => clCommandFillImageKHR(commands, null, picture(1, 2), int(1), ZERO, ONE),
    /the colour has 16 bytes/u,
  ],
];

test.each(WRONG)("%s: %s, as of the queue's command", (_name, error, record, message) => {
  const commands = clCreateCommandBufferKHR([queue]);
  expectError(() => record(commands), error, message);
  expect(commands.commands).toEqual([]);
  clReleaseCommandBufferKHR(commands);
});

test("clCommandNDRangeKernelKHR: the errors of a launch", () => {
  const commands = clCreateCommandBufferKHR([queue]);
  const add = kernelOf(SOURCE, "add", ints(1, 2, 3), int(1));
  expectError(
    () => clCommandNDRangeKernelKHR(commands, null, null, kernelOf(SOURCE, "add"), 1, null, [1], null),
    "CL_INVALID_KERNEL_ARGS",
    /is not set/u,
  );
  expectError(
    () => clCommandNDRangeKernelKHR(commands, null, null, add, 4, null, [1], null),
    "CL_INVALID_WORK_DIMENSION",
    /4 is not a number of dimensions/u,
  );
  expectError(
    () => clCommandNDRangeKernelKHR(commands, null, null, add, 1, null, [0], null),
    "CL_INVALID_GLOBAL_WORK_SIZE",
    /is 0/u,
  );
  expectError(
    () => clCommandNDRangeKernelKHR(commands, null, null, add, 1, [-1], [1], null),
    "CL_INVALID_GLOBAL_OFFSET",
    /is -1/u,
  );
  expectError(
    () => clCommandNDRangeKernelKHR(commands, null, null, add, 1, null, [3], [2]),
    "CL_INVALID_WORK_GROUP_SIZE",
    /not a multiple/u,
  );
  expectError(
    () => clCommandNDRangeKernelKHR(commands, null, null, add, 1, null, [1], [2 ** 20]),
    "CL_INVALID_WORK_ITEM_SIZE",
    /at most/u,
  );
  expectError(
    () =>
      clCommandNDRangeKernelKHR(
        commands,
        null,
        { CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR: 32 },
        add,
        1,
        null,
        [1],
        null,
      ),
    "CL_INVALID_VALUE",
    /has the bits 0x1f, not 32/u,
  );
  clReleaseKernel(add);
  expectError(
    () => clCommandNDRangeKernelKHR(commands, null, null, add, 1, null, [1], null),
    "CL_INVALID_KERNEL",
    /has been released/u,
  );
  const foreign = clCreateCommandBufferKHR([clCreateCommandQueue(foreignContext, device)]);
  expectError(
    () => clCommandNDRangeKernelKHR(foreign, null, null, kernelOf(SOURCE, "add", ints(1), int(1)), 1, null, [1], null),
    "CL_INVALID_CONTEXT",
    /different contexts/u,
  );
  expectError(
    () => clCommandFillBufferKHR(foreign, null, ints(1), int(1), 0, 4),
    "CL_INVALID_CONTEXT",
    /different contexts/u,
  );
});

test("clEnqueueCommandBufferKHR: its errors", () => {
  const commands = adding(queue, ints(1), 1);
  expectError(() => clEnqueueCommandBufferKHR(null, commands), "CL_INVALID_OPERATION", /is not finalized/u);
  clFinalizeCommandBufferKHR(commands);
  for (const queues of [[], [queue, queue]])
    expectError(() => clEnqueueCommandBufferKHR(queues, commands), "CL_INVALID_VALUE", /is enqueued to one queue/u);
  expectError(
    () => clEnqueueCommandBufferKHR([{} as CommandQueue], commands),
    "CL_INVALID_COMMAND_QUEUE",
    /expected an object of type CommandQueue/u,
  );
  expectError(
    () => clEnqueueCommandBufferKHR([unordered], commands),
    "CL_INCOMPATIBLE_COMMAND_QUEUE_KHR",
    /has the properties 0x1/u,
  );
  expectError(
    () => clEnqueueCommandBufferKHR([clCreateCommandQueue(foreignContext, device)], commands),
    "CL_INVALID_CONTEXT",
    /different contexts/u,
  );
  expectError(
    () => clEnqueueCommandBufferKHR(null, commands, [clCreateUserEvent(foreignContext)]),
    "CL_INVALID_CONTEXT",
    /another context/u,
  );
  expectError(
    () => clEnqueueCommandBufferKHR(null, commands, [{} as never]),
    "CL_INVALID_EVENT_WAIT_LIST",
    /not an event/u,
  );
  clReleaseCommandBufferKHR(commands);
  expectError(() => clEnqueueCommandBufferKHR(null, commands), "CL_INVALID_COMMAND_BUFFER_KHR", /has been released/u);
});

const LIVING: readonly (readonly [name: string, use: (commands: CommandBuffer) => unknown])[] = [
  ["clFinalizeCommandBufferKHR", clFinalizeCommandBufferKHR],
  ["clRetainCommandBufferKHR", clRetainCommandBufferKHR],
  ["clReleaseCommandBufferKHR", clReleaseCommandBufferKHR],
  ["clGetCommandBufferInfoKHR", (commands) => clGetCommandBufferInfoKHR(commands, "CL_COMMAND_BUFFER_STATE_KHR")],
];

test.each(LIVING)("%s: CL_INVALID_COMMAND_BUFFER_KHR", (_name, use) => {
  const commands = clCreateCommandBufferKHR([queue]);
  clReleaseCommandBufferKHR(commands);
  for (const wrong of [commands, {} as CommandBuffer])
    expectError(
      () => use(wrong),
      "CL_INVALID_COMMAND_BUFFER_KHR",
      /has been released|expected an object of type CommandBuffer/u,
    );
});

test("clFinalizeCommandBufferKHR: CL_INVALID_OPERATION the second time", () => {
  const commands = clCreateCommandBufferKHR([queue]);
  clFinalizeCommandBufferKHR(commands);
  expectError(
    () => {
      clFinalizeCommandBufferKHR(commands);
    },
    "CL_INVALID_OPERATION",
    /is already finalized/u,
  );
});
