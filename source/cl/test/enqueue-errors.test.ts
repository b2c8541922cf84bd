// SPDX-License-Identifier: Apache-2.0
// The errors that the specification lists for the calls that enqueue commands and wait for them: one row each.
import {
  type Buffer,
  CL_MAP_READ,
  CL_MAP_WRITE,
  CL_MAP_WRITE_INVALIDATE_REGION,
  CL_MEM_HOST_NO_ACCESS,
  CL_MEM_HOST_READ_ONLY,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateImage,
  clCreateUserEvent,
  clEnqueueCopyBuffer,
  clEnqueueCopyBufferToImage,
  clEnqueueCopyImage,
  clEnqueueCopyImageToBuffer,
  clEnqueueFillImage,
  clEnqueueMapBuffer,
  clEnqueueMapImage,
  clEnqueueNDRangeKernel,
  clEnqueueReadImage,
  clEnqueueTask,
  clEnqueueUnmapMemObject,
  clEnqueueWriteImage,
  clFinish,
  clGetEventProfilingInfo,
  clGetMemObjectInfo,
  clReleaseMemObject,
  clSetEventCallback,
  clWaitForEvents,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import {
  type CallErrorRow,
  queue,
  other,
  RGBA8,
  R32,
  image,
  launch,
  failedEvent,
  mapped,
  text,
  rowOf,
} from "./call-errors-rig.ts";
import { SOURCE, context, device, expectError, int, ints, kernelOf } from "./rig.ts";

const ROWS: readonly CallErrorRow[] = [
  [
    "clEnqueueNDRangeKernel",
    "CL_INVALID_CONTEXT",
    "a kernel of another context",
    () =>
      clEnqueueNDRangeKernel(
        clCreateCommandQueue(other, device),
        kernelOf(SOURCE, "add", ints(1), int(1)),
        1,
        null,
        [1],
        null,
      ),
  ],
  [
    "clEnqueueNDRangeKernel",
    "CL_INVALID_KERNEL_ARGS",
    "an argument that is not set",
    () => launch("add", 1, null, [1], null),
  ],
  ["clEnqueueNDRangeKernel", "CL_INVALID_WORK_DIMENSION", "no dimensions", () => launch("ids", 0, null, [1], null)],
  [
    "clEnqueueNDRangeKernel",
    "CL_INVALID_WORK_DIMENSION",
    "four dimensions",
    () => launch("ids", 4, null, [1, 1, 1, 1], null),
  ],
  [
    "clEnqueueNDRangeKernel",
    "CL_INVALID_GLOBAL_WORK_SIZE",
    "a dimension without a size",
    () => launch("ids", 2, null, [1], null),
  ],
  [
    "clEnqueueNDRangeKernel",
    "CL_INVALID_GLOBAL_WORK_SIZE",
    "a size that no id has",
    () => launch("ids", 1, null, [2 ** 33], null),
  ],
  [
    "clEnqueueNDRangeKernel",
    "CL_INVALID_GLOBAL_OFFSET",
    "ids that would not fit",
    () => launch("ids", 1, [2 ** 32 - 1], [2], null),
  ],
  [
    "clEnqueueNDRangeKernel",
    "CL_INVALID_WORK_GROUP_SIZE",
    "a size that the kernel does not allow",
    () => launch("eight", 1, null, [8], [4]),
  ],
  [
    "clEnqueueNDRangeKernel",
    "CL_INVALID_WORK_GROUP_SIZE",
    "groups that are too large",
    () => launch("ids", 2, null, [64, 64], [64, 64]),
  ],
  [
    "clEnqueueNDRangeKernel",
    "CL_INVALID_WORK_ITEM_SIZE",
    "a dimension that is too large",
    () => launch("ids", 1, null, [4096], [4096]),
  ],
  [
    "clEnqueueTask",
    "CL_OUT_OF_RESOURCES",
    "more local memory than there is",
    () => clEnqueueTask(queue, kernelOf(SOURCE, "sum", ints(1), ints(1), { localBytes: 2 ** 24 })),
  ],
  [
    "clEnqueueCopyImageToBuffer",
    "CL_INVALID_MEM_OBJECT",
    "the buffer whose bytes the image shows",
    () => {
      const row = clCreateImage(context, 0, RGBA8, rowOf(0));
      return clEnqueueCopyImageToBuffer(queue, row, row.parent as Buffer, [0, 0, 0], [1, 1, 1], 32);
    },
  ],
  [
    "clEnqueueCopyBufferToImage",
    "CL_INVALID_MEM_OBJECT",
    "the buffer whose bytes the image shows",
    () => {
      const row = clCreateImage(context, 0, RGBA8, rowOf(0));
      return clEnqueueCopyBufferToImage(queue, row.parent as Buffer, row, 32, [0, 0, 0], [1, 1, 1]);
    },
  ],
  [
    "clEnqueueNDRangeKernel",
    "CL_OUT_OF_RESOURCES",
    "more local memory than there is",
    () => launch("sum", 1, null, [8], [8], [ints(1), ints(1), { localBytes: 2 ** 24 }]),
  ],
  [
    "clEnqueueNDRangeKernel",
    "CL_INVALID_MEM_OBJECT",
    "a buffer that was released since it was set",
    () => {
      const data = ints(1);
      const kernel = kernelOf(SOURCE, "add", data, int(1));
      clReleaseMemObject(data);
      return clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null);
    },
  ],
  [
    "clEnqueueCopyBuffer",
    "CL_MEM_COPY_OVERLAP",
    "bytes that meet",
    () => {
      const data = ints(1, 2, 3, 4);
      return clEnqueueCopyBuffer(queue, data, data, 0, 4, 8);
    },
  ],
  [
    "clEnqueueCopyImage",
    "CL_IMAGE_FORMAT_MISMATCH",
    "images of two formats",
    () => clEnqueueCopyImage(queue, image(), image(4, context, 1, R32), [0, 0, 0], [0, 0, 0], [1, 1, 1]),
  ],
  [
    "clEnqueueReadImage",
    "CL_INVALID_VALUE",
    "pixels outside of the image",
    () => clEnqueueReadImage(queue, image(), true, [3, 0, 0], [2, 1, 1], 0, 0, new Uint8Array(64)),
  ],
  [
    "clEnqueueReadImage",
    "CL_INVALID_VALUE",
    "rows that are too near",
    () => clEnqueueReadImage(queue, image(), true, [0, 0, 0], [2, 2, 1], 4, 0, new Uint8Array(64)),
  ],
  [
    "clEnqueueWriteImage",
    "CL_INVALID_OPERATION",
    "an image that the host must not write",
    () =>
      clEnqueueWriteImage(
        queue,
        image(4, context, CL_MEM_HOST_READ_ONLY),
        true,
        [0, 0, 0],
        [1, 1, 1],
        0,
        0,
        new Uint8Array(64),
      ),
  ],
  [
    "clEnqueueFillImage",
    "CL_INVALID_VALUE",
    "a colour of two channels",
    () => clEnqueueFillImage(queue, image(), new Float32Array(2), [0, 0, 0], [1, 1, 1]),
  ],
  [
    "clEnqueueMapBuffer",
    "CL_INVALID_VALUE",
    "flags that cannot be combined",
    () => clEnqueueMapBuffer(queue, ints(1), true, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 4),
  ],
  [
    "clEnqueueMapBuffer",
    "CL_INVALID_OPERATION",
    "a buffer that the host must not touch",
    () => clEnqueueMapBuffer(queue, clCreateBuffer(context, CL_MEM_HOST_NO_ACCESS, 4), true, CL_MAP_READ, 0, 4),
  ],
  [
    "clEnqueueMapBuffer",
    "CL_INVALID_OPERATION",
    "bytes that are mapped to be written",
    () => clEnqueueMapBuffer(queue, mapped(CL_MAP_WRITE, 0, 8), true, CL_MAP_WRITE, 4, 8),
  ],
  [
    "clEnqueueMapBuffer",
    "CL_INVALID_OPERATION",
    "bytes that are mapped to be overwritten",
    () =>
      clEnqueueMapBuffer(queue, mapped(CL_MAP_WRITE_INVALIDATE_REGION, 4, 8), true, CL_MAP_READ | CL_MAP_WRITE, 0, 16),
  ],
  [
    "clEnqueueMapImage",
    "CL_INVALID_OPERATION",
    "pixels that are mapped to be written",
    () => {
      const target = image();
      clEnqueueMapImage(queue, target, true, CL_MAP_WRITE, [0, 0, 0], [2, 2, 1]);
      return clEnqueueMapImage(queue, target, true, CL_MAP_WRITE, [1, 1, 0], [2, 2, 1]);
    },
  ],
  [
    "clEnqueueUnmapMemObject",
    "CL_INVALID_VALUE",
    "an array that is no map",
    () => clEnqueueUnmapMemObject(queue, ints(1), new Uint8Array(4)),
  ],
  [
    "clWaitForEvents",
    "CL_INVALID_VALUE",
    "no events",
    () => {
      clWaitForEvents([]);
    },
  ],
  [
    "clWaitForEvents",
    "CL_INVALID_CONTEXT",
    "events of two contexts",
    () => {
      clWaitForEvents([clCreateUserEvent(context), clCreateUserEvent(other)]);
    },
  ],
  [
    "clWaitForEvents",
    "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
    "an event that has failed",
    () => {
      clWaitForEvents([failedEvent()]);
    },
  ],
  [
    "clSetEventCallback",
    "CL_INVALID_VALUE",
    "no function",
    () => {
      clSetEventCallback(failedEvent(), 0, null as unknown as () => void);
    },
  ],
  [
    "clGetEventProfilingInfo",
    "CL_PROFILING_INFO_NOT_AVAILABLE",
    "a user event",
    () => clGetEventProfilingInfo(clCreateUserEvent(context), "CL_PROFILING_COMMAND_END"),
  ],
];

test.each(ROWS)("%s: %s for %s", (call, error, _reason, run) => {
  expectError(run, error, new RegExp(text(`^${call}: `), "u"));
});

test("clEnqueueMapBuffer: maps to read meet as they like, and maps to write side by side", () => {
  const data = mapped(CL_MAP_WRITE, 0, 8);
  clEnqueueMapBuffer(queue, data, true, CL_MAP_READ, 0, 16);
  clEnqueueMapBuffer(queue, data, true, CL_MAP_READ, 4, 8);
  const { array } = clEnqueueMapBuffer(queue, data, true, CL_MAP_WRITE, 8, 8);
  expect(clGetMemObjectInfo(data, "CL_MEM_MAP_COUNT")).toBe(4);
  clEnqueueUnmapMemObject(queue, data, array);
  // What is no longer mapped can be mapped again.
  clEnqueueMapBuffer(queue, data, true, CL_MAP_WRITE, 8, 8);
  clFinish(queue);
});

test("clEnqueueMapImage: rectangles next to each other are mapped to be written", () => {
  const target = image();
  for (const origin of [
    [0, 0, 0],
    [2, 0, 0],
    [0, 2, 0],
    [2, 2, 0],
  ] as const)
    clEnqueueMapImage(queue, target, true, CL_MAP_WRITE, origin, [2, 2, 1]);
  expect(clGetMemObjectInfo(target, "CL_MEM_MAP_COUNT")).toBe(4);
  expectError(
    () => clEnqueueMapImage(queue, target, true, CL_MAP_READ | CL_MAP_WRITE, [1, 1, 0], [1, 1, 1]),
    "CL_INVALID_OPERATION",
    /mapped for writing/u,
  );
});
