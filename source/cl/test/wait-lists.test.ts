// SPDX-License-Identifier: Apache-2.0
// What every command checks before it is taken: its queue, its objects, its wait list.
import {
  type Buffer,
  CL_COMPLETE,
  CL_MEM_READ_WRITE,
  type CommandQueue,
  type Event,
  type Image,
  type ImageFormat,
  type Kernel,
  clCreateBuffer,
  clCreateImage,
  clCreateUserEvent,
  clEnqueueBarrierWithWaitList,
  clEnqueueCopyBuffer,
  clEnqueueCopyBufferRect,
  clEnqueueCopyBufferToImage,
  clEnqueueCopyImage,
  clEnqueueCopyImageToBuffer,
  clEnqueueFillBuffer,
  clEnqueueFillImage,
  clEnqueueMapBuffer,
  clEnqueueMapImage,
  clEnqueueMarkerWithWaitList,
  clEnqueueMigrateMemObjects,
  clEnqueueNDRangeKernel,
  clEnqueueNativeKernel,
  clEnqueueReadBuffer,
  clEnqueueReadBufferRect,
  clEnqueueReadImage,
  clEnqueueSVMFree,
  clEnqueueSVMMap,
  clEnqueueSVMMemFill,
  clEnqueueSVMMemcpy,
  clEnqueueSVMMigrateMem,
  clEnqueueSVMUnmap,
  clEnqueueTask,
  clEnqueueUnmapMemObject,
  clEnqueueWriteBuffer,
  clEnqueueWriteBufferRect,
  clEnqueueWriteImage,
  clFinish,
  clGetEventInfo,
  clSVMAlloc,
  clSetUserEventStatus,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { SOURCE, context, errorOf, int, kernelOf, newQueue } from "./rig.ts";

const FORMAT: ImageFormat = { channelOrder: "CL_R", channelType: "CL_UNSIGNED_INT32" };
const array = new Uint8Array(256);
const pointer = clSVMAlloc(context, CL_MEM_READ_WRITE, 256);
const target = clSVMAlloc(context, CL_MEM_READ_WRITE, 256);

const newBuffer = (of = context): Buffer => clCreateBuffer(of, CL_MEM_READ_WRITE, 256);
const newImage = (of = context): Image =>
  clCreateImage(of, CL_MEM_READ_WRITE, FORMAT, { type: "CL_MEM_OBJECT_IMAGE2D", width: 4, height: 4 });
const add: Kernel = kernelOf(SOURCE, "add", newBuffer(), int(1));

/** A call on a queue with one buffer, one image and a wait list. */
interface Given {
  readonly queue: CommandQueue;
  readonly buffer: Buffer;
  readonly image: Image;
  readonly waits?: readonly Event[];
  readonly blocking?: boolean;
}

/** What a call works on, and whether it can block. */
type Needs = "nothing" | "buffer" | "image" | "both";
type Row = readonly [name: string, needs: Needs, call: (given: Given) => Event];

const ROWS: readonly Row[] = [
  [
    "clEnqueueReadBuffer",
    "buffer",
    ({ queue, buffer, waits, blocking = false }) => clEnqueueReadBuffer(queue, buffer, blocking, 0, 4, array, waits),
  ],
  [
    "clEnqueueWriteBuffer",
    "buffer",
    ({ queue, buffer, waits, blocking = false }) => clEnqueueWriteBuffer(queue, buffer, blocking, 0, 4, array, waits),
  ],
  [
    "clEnqueueReadBufferRect",
    "buffer",
    ({ queue, buffer, waits, blocking = false }) =>
      clEnqueueReadBufferRect(queue, buffer, blocking, [0, 0, 0], [0, 0, 0], [4, 2, 1], 0, 0, 0, 0, array, waits),
  ],
  [
    "clEnqueueWriteBufferRect",
    "buffer",
    ({ queue, buffer, waits, blocking = false }) =>
      clEnqueueWriteBufferRect(queue, buffer, blocking, [0, 0, 0], [0, 0, 0], [4, 2, 1], 0, 0, 0, 0, array, waits),
  ],
  [
    "clEnqueueFillBuffer",
    "buffer",
    ({ queue, buffer, waits }) => clEnqueueFillBuffer(queue, buffer, int(1), 0, 4, waits),
  ],
  [
    "clEnqueueCopyBuffer",
    "buffer",
    ({ queue, buffer, waits }) => clEnqueueCopyBuffer(queue, buffer, buffer, 0, 128, 4, waits),
  ],
  [
    "clEnqueueCopyBufferRect",
    "buffer",
    ({ queue, buffer, waits }) =>
      clEnqueueCopyBufferRect(queue, buffer, buffer, [0, 0, 0], [0, 8, 0], [4, 2, 1], 8, 0, 8, 0, waits),
  ],
  [
    "clEnqueueMapBuffer",
    "buffer",
    ({ queue, buffer, waits, blocking = false }) => clEnqueueMapBuffer(queue, buffer, blocking, 1, 0, 4, waits).event,
  ],
  [
    "clEnqueueMigrateMemObjects",
    "buffer",
    ({ queue, buffer, waits }) => clEnqueueMigrateMemObjects(queue, [buffer], 0, waits),
  ],
  [
    "clEnqueueNativeKernel",
    "buffer",
    ({ queue, buffer, waits }) => clEnqueueNativeKernel(queue, () => undefined, [buffer], waits),
  ],
  [
    "clEnqueueReadImage",
    "image",
    ({ queue, image, waits, blocking = false }) =>
      clEnqueueReadImage(queue, image, blocking, [0, 0, 0], [1, 1, 1], 0, 0, array, waits),
  ],
  [
    "clEnqueueWriteImage",
    "image",
    ({ queue, image, waits, blocking = false }) =>
      clEnqueueWriteImage(queue, image, blocking, [0, 0, 0], [1, 1, 1], 0, 0, array, waits),
  ],
  [
    "clEnqueueFillImage",
    "image",
    ({ queue, image, waits }) => clEnqueueFillImage(queue, image, new Uint32Array(4), [0, 0, 0], [1, 1, 1], waits),
  ],
  [
    "clEnqueueCopyImage",
    "image",
    ({ queue, image, waits }) => clEnqueueCopyImage(queue, image, image, [0, 0, 0], [1, 1, 0], [1, 1, 1], waits),
  ],
  [
    "clEnqueueMapImage",
    "image",
    ({ queue, image, waits, blocking = false }) =>
      clEnqueueMapImage(queue, image, blocking, 1, [0, 0, 0], [1, 1, 1], waits).event,
  ],
  [
    "clEnqueueCopyImageToBuffer",
    "both",
    ({ queue, buffer, image, waits }) =>
      clEnqueueCopyImageToBuffer(queue, image, buffer, [0, 0, 0], [1, 1, 1], 0, waits),
  ],
  [
    "clEnqueueCopyBufferToImage",
    "both",
    ({ queue, buffer, image, waits }) =>
      clEnqueueCopyBufferToImage(queue, buffer, image, 0, [0, 0, 0], [1, 1, 1], waits),
  ],
  [
    "clEnqueueNDRangeKernel",
    "nothing",
    ({ queue, waits }) => clEnqueueNDRangeKernel(queue, add, 1, null, [1], null, waits),
  ],
  ["clEnqueueTask", "nothing", ({ queue, waits }) => clEnqueueTask(queue, add, waits)],
  ["clEnqueueMarkerWithWaitList", "nothing", ({ queue, waits }) => clEnqueueMarkerWithWaitList(queue, waits)],
  ["clEnqueueBarrierWithWaitList", "nothing", ({ queue, waits }) => clEnqueueBarrierWithWaitList(queue, waits)],
  ["clEnqueueSVMFree", "nothing", ({ queue, waits }) => clEnqueueSVMFree(queue, [0], null, waits)],
  [
    "clEnqueueSVMMemcpy",
    "nothing",
    ({ queue, waits, blocking = false }) => clEnqueueSVMMemcpy(queue, blocking, target, pointer, 4, waits),
  ],
  ["clEnqueueSVMMemFill", "nothing", ({ queue, waits }) => clEnqueueSVMMemFill(queue, pointer, int(1), 4, waits)],
  [
    "clEnqueueSVMMap",
    "nothing",
    ({ queue, waits, blocking = false }) => clEnqueueSVMMap(queue, blocking, 1, pointer, 4, waits),
  ],
  ["clEnqueueSVMUnmap", "nothing", ({ queue, waits }) => clEnqueueSVMUnmap(queue, pointer, waits)],
  ["clEnqueueSVMMigrateMem", "nothing", ({ queue, waits }) => clEnqueueSVMMigrateMem(queue, [pointer], null, 0, waits)],
  [
    "clEnqueueUnmapMemObject",
    "buffer",
    ({ queue, buffer, waits }) =>
      clEnqueueUnmapMemObject(
        queue,
        buffer,
        buffer.mappings.keys().next().value ?? clEnqueueMapBuffer(newQueue(), buffer, true, 1, 0, 4).array,
        waits,
      ),
  ],
];

const BLOCKING: readonly Row[] = ROWS.filter(([name]) => /Read|Write|Map(?:Buffer|Image)|SVMMemcpy|SVMMap/u.test(name));

function given(): Given {
  return { queue: newQueue(), buffer: newBuffer(), image: newImage() };
}

test.each(ROWS)("%s: it runs when its wait list is complete, and its event reports it", (_name, _needs, call) => {
  const made = given();
  clEnqueueMapBuffer(made.queue, made.buffer, true, 1, 0, 4);
  const gate = clCreateUserEvent(context);
  const event = call({ ...made, waits: [gate] });
  expect(clGetEventInfo(event, "CL_EVENT_COMMAND_EXECUTION_STATUS")).toBe(3);
  clSetUserEventStatus(gate, CL_COMPLETE);
  clFinish(made.queue);
  expect(clGetEventInfo(event, "CL_EVENT_COMMAND_EXECUTION_STATUS")).toBe(CL_COMPLETE);
});

test.each(ROWS)(
  "%s: it fails with CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST when its wait list does",
  (_name, _needs, call) => {
    const made = given();
    clEnqueueMapBuffer(made.queue, made.buffer, true, 1, 0, 4);
    const gate = clCreateUserEvent(context);
    clSetUserEventStatus(gate, -1);
    const event = call({ ...made, waits: [gate] });
    clFinish(made.queue);
    expect(clGetEventInfo(event, "CL_EVENT_COMMAND_EXECUTION_STATUS")).toBe(-14);
  },
);

test.each(BLOCKING)(
  "%s: a blocking call throws CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST when its wait list fails",
  (_name, _needs, call) => {
    const gate = clCreateUserEvent(context);
    clSetUserEventStatus(gate, -1);
    const error = errorOf(() => call({ ...given(), waits: [gate], blocking: true }));
    expect(error.name).toBe("CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST");
  },
);
