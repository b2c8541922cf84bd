// SPDX-License-Identifier: Apache-2.0
// Buffers: creation, transfers, parts, maps.
import {
  type Buffer,
  CL_MAP_READ,
  CL_MAP_WRITE,
  CL_MAP_WRITE_INVALIDATE_REGION,
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_HOST_NO_ACCESS,
  CL_MEM_READ_ONLY,
  CL_MEM_READ_WRITE,
  CL_MEM_USE_HOST_PTR,
  CL_MEM_WRITE_ONLY,
  clCreateBuffer,
  clCreateSubBuffer,
  clEnqueueCopyBuffer,
  clEnqueueFillBuffer,
  clEnqueueMapBuffer,
  clEnqueueNDRangeKernel,
  clEnqueueReadBuffer,
  clEnqueueUnmapMemObject,
  clEnqueueWriteBuffer,
  clFinish,
  clGetMemObjectInfo,
  clReleaseMemObject,
  clRetainMemObject,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { SOURCE, context, expectError, int, ints, kernelOf, newQueue, readInts } from "./rig.ts";

const queue = newQueue();

test("contents come from the host's array, which can change afterwards", () => {
  const array = Int32Array.of(1, 2, 3);
  const buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, 12, array);
  array.fill(0);
  expect(readInts(queue, buffer)).toEqual([1, 2, 3]);
  expect(clGetMemObjectInfo(buffer, "CL_MEM_SIZE")).toBe(12);
  expect(clGetMemObjectInfo(buffer, "CL_MEM_FLAGS")).toBe(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR);
  expect(clGetMemObjectInfo(buffer, "CL_MEM_HOST_PTR")).toBeNull();
  expect(clGetMemObjectInfo(buffer, "CL_MEM_CONTEXT")).toBe(context);
});

test("sizes, flags and arrays that do not make a buffer", () => {
  expectError(() => clCreateBuffer(context, 0, 0), "CL_INVALID_BUFFER_SIZE", /1 to \d+ bytes, not 0/u);
  expectError(() => clCreateBuffer(context, 0, 2 ** 40), "CL_INVALID_BUFFER_SIZE", /not 1099511627776/u);
  expectError(() => clCreateBuffer(context, 0, 1.5), "CL_INVALID_BUFFER_SIZE", /not 1.5/u);
  expectError(
    () => clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4),
    "CL_INVALID_VALUE",
    /cannot be combined/u,
  );
  expectError(() => clCreateBuffer(context, 1 << 20, 4), "CL_INVALID_VALUE", /0x100000/u);
  expectError(
    () => clCreateBuffer(context, CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR, 4, int(1)),
    "CL_INVALID_VALUE",
    /cannot be combined with CL_MEM_ALLOC_HOST_PTR/u,
  );
  expectError(() => clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 4), "CL_INVALID_HOST_PTR", /require an array/u);
  expectError(
    () => clCreateBuffer(context, CL_MEM_READ_WRITE, 4, int(1)),
    "CL_INVALID_HOST_PTR",
    /is allowed only with/u,
  );
  expectError(
    () => clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 8, int(1)),
    "CL_INVALID_HOST_PTR",
    /the array has 4 bytes, the buffer 8/u,
  );
});

test("allocating more memory than there is fails, and other buffers stay usable", () => {
  const kept = ints(5);
  const most = Math.floor(context.device.info.allocationSize);
  const taken: Buffer[] = [];
  expectError(
    () => {
      for (let i = 0; i < 64; i++) taken.push(clCreateBuffer(context, CL_MEM_READ_WRITE, most));
    },
    "CL_MEM_OBJECT_ALLOCATION_FAILURE",
    /clCreateBuffer/u,
  );
  for (const buffer of taken) clReleaseMemObject(buffer);
  expect(readInts(queue, kept)).toEqual([5]);
  expect(readInts(queue, ints(6))).toEqual([6]);
});

test("reads, writes, fills and copies of parts", () => {
  const buffer = ints(1, 2, 3, 4, 5, 6, 7, 8);
  clEnqueueWriteBuffer(queue, buffer, false, 4, 8, Int32Array.of(20, 30));
  clEnqueueFillBuffer(queue, buffer, Int32Array.of(9, 8), 16, 16);
  clEnqueueCopyBuffer(queue, buffer, buffer, 4, 24, 8);
  expect(readInts(queue, buffer)).toEqual([1, 20, 30, 4, 9, 8, 20, 30]);
  const part = new Uint8Array(3);
  clEnqueueReadBuffer(queue, buffer, true, 4, 3, part);
  expect([...part]).toEqual([20, 0, 0]);
});

test("a write that does not block takes the array's contents of the moment, when it is small", () => {
  const buffer = ints(0);
  const array = int(41);
  clEnqueueWriteBuffer(queue, buffer, false, 0, 4, array);
  array[0] = 0;
  expect(readInts(queue, buffer)).toEqual([41]);
});

test("transfers outside of a buffer or array are errors", () => {
  const buffer = ints(1, 2);
  expectError(
    () => clEnqueueReadBuffer(queue, buffer, true, 4, 8, new Int32Array(2)),
    "CL_INVALID_VALUE",
    /bytes 4 to 12 are outside the 8/u,
  );
  expectError(() => clEnqueueReadBuffer(queue, buffer, true, -4, 4, new Int32Array(2)), "CL_INVALID_VALUE", /-4/u);
  expectError(
    () => clEnqueueReadBuffer(queue, buffer, true, 0, 0, new Int32Array(2)),
    "CL_INVALID_VALUE",
    /at least one byte/u,
  );
  expectError(
    () => clEnqueueReadBuffer(queue, buffer, true, 0, 8, new Int32Array(1)),
    "CL_INVALID_VALUE",
    /the array has 4 bytes, but 8 are requested/u,
  );
  expectError(
    () => clEnqueueWriteBuffer(queue, buffer, true, 0, 2 ** 53, new Int32Array(1)),
    "CL_INVALID_VALUE",
    /9007199254740992/u,
  );
  expectError(
    () => clEnqueueFillBuffer(queue, buffer, new Uint8Array(3), 0, 6),
    "CL_INVALID_VALUE",
    /a pattern has 1, 2, 4/u,
  );
  expectError(() => clEnqueueFillBuffer(queue, buffer, int(1), 2, 4), "CL_INVALID_VALUE", /not both multiples/u);
  expectError(() => clEnqueueCopyBuffer(queue, buffer, buffer, 0, 2, 4), "CL_MEM_COPY_OVERLAP", /overlap/u);
  clReleaseMemObject(buffer);
  expectError(
    () => clEnqueueReadBuffer(queue, buffer, true, 0, 4, new Int32Array(1)),
    "CL_INVALID_MEM_OBJECT",
    /has been released/u,
  );
  expectError(
    () => clEnqueueReadBuffer(queue, {} as Buffer, true, 0, 4, new Int32Array(1)),
    "CL_INVALID_MEM_OBJECT",
    /expected an object of type Buffer/u,
  );
});

test("a buffer that the host must not touch", () => {
  const buffer = clCreateBuffer(context, CL_MEM_HOST_NO_ACCESS, 4);
  expectError(
    () => clEnqueueReadBuffer(queue, buffer, true, 0, 4, new Int32Array(1)),
    "CL_INVALID_OPERATION",
    /do not allow the host to read it/u,
  );
  expectError(
    () => clEnqueueWriteBuffer(queue, buffer, true, 0, 4, new Int32Array(1)),
    "CL_INVALID_OPERATION",
    /do not allow the host to write it/u,
  );
});

test("a part shares the bytes of its buffer and keeps it", () => {
  const whole = ints(...Array.from({ length: 64 }, (_, i) => i));
  const part = clCreateSubBuffer(whole, 0, { origin: 128, size: 16 });
  expect(readInts(queue, part)).toEqual([32, 33, 34, 35]);
  expect(clGetMemObjectInfo(part, "CL_MEM_OFFSET")).toBe(128);
  expect(clGetMemObjectInfo(part, "CL_MEM_ASSOCIATED_MEMOBJECT")).toBe(whole);
  clEnqueueNDRangeKernel(queue, kernelOf(SOURCE, "add", part, int(100)), 1, null, [4], null);
  expect(readInts(queue, whole).slice(31, 37)).toEqual([31, 132, 133, 134, 135, 36]);
  clReleaseMemObject(whole);
  expect(readInts(queue, part)).toEqual([132, 133, 134, 135]);
});

test("parts that do not fit, are not aligned, or are parts of parts", () => {
  const whole = ints(...Array.from({ length: 64 }, () => 0));
  const part = clCreateSubBuffer(whole, 0, { origin: 0, size: 128 });
  expectError(
    () => clCreateSubBuffer(part, 0, { origin: 0, size: 4 }),
    "CL_INVALID_MEM_OBJECT",
    /a sub-buffer has no sub-buffers/u,
  );
  expectError(
    () => clCreateSubBuffer(whole, 0, { origin: 4, size: 4 }),
    "CL_MISALIGNED_SUB_BUFFER_OFFSET",
    /a multiple of 128 bytes, not at 4/u,
  );
  expectError(
    () => clCreateSubBuffer(whole, 0, { origin: 128, size: 256 }),
    "CL_INVALID_VALUE",
    /outside the 256 bytes of the parent/u,
  );
  expectError(
    () => clCreateSubBuffer(whole, 0, { origin: 0, size: 0 }),
    "CL_INVALID_BUFFER_SIZE",
    /at least one byte/u,
  );
  expectError(() => clEnqueueCopyBuffer(queue, whole, part, 64, 0, 128), "CL_MEM_COPY_OVERLAP", /overlap/u);
});

test("a map shows the bytes; what is written to it reaches kernels", () => {
  const buffer = ints(1, 2, 3, 4);
  const { array } = clEnqueueMapBuffer(queue, buffer, true, CL_MAP_READ | CL_MAP_WRITE, 4, 8);
  expect([...array]).toEqual([2, 0, 0, 0, 3, 0, 0, 0]);
  expect(clGetMemObjectInfo(buffer, "CL_MEM_MAP_COUNT")).toBe(1);
  array[0] = 50;
  const second = clEnqueueMapBuffer(queue, buffer, true, CL_MAP_READ, 0, 8).array;
  expect(second[4]).toBe(50);
  clEnqueueUnmapMemObject(queue, buffer, array);
  clEnqueueUnmapMemObject(queue, buffer, second);
  expectError(() => clEnqueueUnmapMemObject(queue, buffer, array), "CL_INVALID_VALUE", /not a mapping of the buffer/u);
  clEnqueueNDRangeKernel(queue, kernelOf(SOURCE, "add", buffer, int(1)), 1, null, [4], null);
  expect(readInts(queue, buffer)).toEqual([2, 51, 4, 5]);
  expect(clGetMemObjectInfo(buffer, "CL_MEM_MAP_COUNT")).toBe(0);
});

test("CL_MEM_USE_HOST_PTR: a map returns the caller's own array, filled and read at map and unmap", () => {
  const array = Int32Array.of(1, 2, 3, 4);
  const buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 16, array);
  expect(clGetMemObjectInfo(buffer, "CL_MEM_HOST_PTR")).toBe(array);
  const add = kernelOf(SOURCE, "add", buffer, int(10));
  clEnqueueNDRangeKernel(queue, add, 1, null, [4], null);
  const { array: mapped } = clEnqueueMapBuffer(queue, buffer, true, CL_MAP_READ | CL_MAP_WRITE, 0, 16);
  expect(mapped.buffer).toBe(array.buffer);
  expect([...array]).toEqual([11, 12, 13, 14]);
  array[3] = 100;
  clEnqueueUnmapMemObject(queue, buffer, mapped);
  clEnqueueNDRangeKernel(queue, add, 1, null, [4], null);
  expect(readInts(queue, buffer)).toEqual([21, 22, 23, 110]);
});

test("maps with flags or ranges that make no sense", () => {
  const buffer = ints(1, 2);
  expectError(
    () => clEnqueueMapBuffer(queue, buffer, true, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 4),
    "CL_INVALID_VALUE",
    /cannot be combined/u,
  );
  expectError(() => clEnqueueMapBuffer(queue, buffer, true, CL_MAP_READ, 4, 8), "CL_INVALID_VALUE", /outside the/u);
  clFinish(queue);
});

test("a buffer is freed when its last reference and its last command are gone", () => {
  const buffer = ints(3);
  clRetainMemObject(buffer);
  clReleaseMemObject(buffer);
  const out = new Int32Array(1);
  clEnqueueReadBuffer(queue, buffer, false, 0, 4, out);
  clReleaseMemObject(buffer);
  clFinish(queue);
  expect(out[0]).toBe(3);
  expectError(
    () => {
      clRetainMemObject(buffer);
    },
    "CL_INVALID_MEM_OBJECT",
    /has been released/u,
  );
});
