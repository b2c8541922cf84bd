// SPDX-License-Identifier: Apache-2.0
// Shared virtual memory: one number names the same bytes for host and kernels, pointers in memory included.
import {
  CL_COMPLETE,
  CL_DEVICE_SVM_ATOMICS,
  CL_DEVICE_SVM_COARSE_GRAIN_BUFFER,
  CL_DEVICE_SVM_FINE_GRAIN_BUFFER,
  CL_MAP_READ,
  CL_MAP_WRITE,
  CL_MAP_WRITE_INVALIDATE_REGION,
  CL_MEM_READ_ONLY,
  CL_MEM_READ_WRITE,
  CL_MEM_SVM_ATOMICS,
  CL_MEM_SVM_FINE_GRAIN_BUFFER,
  CL_MEM_USE_HOST_PTR,
  CL_MEM_WRITE_ONLY,
  type Context,
  type Kernel,
  type KernelExecInfo,
  type SvmPointer,
  clCreateBuffer,
  clCreateContext,
  clCreateUserEvent,
  clEnqueueNDRangeKernel,
  clEnqueueSVMFree,
  clEnqueueSVMMap,
  clEnqueueSVMMemFill,
  clEnqueueSVMMemcpy,
  clEnqueueSVMMigrateMem,
  clEnqueueSVMUnmap,
  clFinish,
  clFlush,
  clGetDeviceInfo,
  clGetEventInfo,
  clGetMemObjectInfo,
  clReleaseContext,
  clReleaseKernel,
  clSVMAlloc,
  clSVMFree,
  clSetKernelArg,
  clSetKernelArgSVMPointer,
  clSetKernelExecInfo,
  clSetUserEventStatus,
  clWaitForEvents,
  svmView,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { SOURCE, context, device, expectError, int, ints, kernelOf, newQueue, readInts, told } from "./rig.ts";

const queue = newQueue();

/** An allocation of integers, and the host's view of it. */
function allocate(...values: number[]): { readonly pointer: SvmPointer; readonly view: Int32Array } {
  const pointer = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, values.length * 4);
  const bytes = svmView(context, pointer, values.length * 4);
  const view = new Int32Array(bytes.buffer, bytes.byteOffset, values.length);
  view.set(values);
  return { pointer, view };
}

test("clGetDeviceInfo: buffers of coarse and fine grain, with atomics, and not the host's own memory", () => {
  expect(clGetDeviceInfo(device, "CL_DEVICE_SVM_CAPABILITIES")).toBe(
    CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_ATOMICS,
  );
});

test("clSVMAlloc: pointers are aligned, distinct, and null when they cannot be had", () => {
  const pointers = [0, 1, 4, 64, 128].map((alignment) => clSVMAlloc(context, CL_MEM_READ_WRITE, 100, alignment));
  for (const pointer of pointers) expect(pointer % 128).toBe(0);
  expect(Math.min(...pointers)).toBeGreaterThan(0);
  const sorted = pointers.toSorted((a, b) => a - b);
  expect(sorted.slice(1).every((pointer, i) => pointer - (sorted[i] as number) >= 100)).toBe(true);
  for (const pointer of pointers) clSVMFree(context, pointer);
});

const REFUSED: readonly (readonly [name: string, flags: number, size: number, alignment: number, reason: RegExp])[] = [
  ["no bytes", CL_MEM_READ_WRITE, 0, 0, /1 to \d+ bytes, not 0/u],
  ["more than the device has", CL_MEM_READ_WRITE, 2 ** 40, 0, /not 1099511627776/u],
  ["flags that there are not", CL_MEM_USE_HOST_PTR, 4, 0, /0x8 cannot be combined/u],
  ["two kinds of access", CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, 0, /0x6 cannot be combined/u],
  ["atomics without fine grain", CL_MEM_SVM_ATOMICS, 4, 0, /requires CL_MEM_SVM_FINE_GRAIN_BUFFER/u],
  ["an alignment of 3", CL_MEM_READ_WRITE, 4, 3, /a power of two up to 128, not 3/u],
  ["an alignment of 256", CL_MEM_READ_WRITE, 4, 256, /not 256/u],
];

test.each(REFUSED)(
  "clSVMAlloc: null for %s; the context receives the reason",
  (_name, flags, size, alignment, reason) => {
    told.length = 0;
    expect(clSVMAlloc(context, flags, size, alignment)).toBe(0);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(reason);
  },
);

test("clSVMAlloc: null without a living context", () => {
  expect(clSVMAlloc({} as Context, CL_MEM_READ_WRITE, 4)).toBe(0);
  const own = clCreateContext([device]);
  clReleaseContext(own);
  expect(clSVMAlloc(own, CL_MEM_READ_WRITE, 4)).toBe(0);
});

test("clSVMFree: null is nothing; what is no allocation is left alone; CL_INVALID_CONTEXT", () => {
  const { pointer } = allocate(1, 2);
  told.length = 0;
  clSVMFree(context, 0);
  expect(told).toEqual([]);
  clSVMFree(context, pointer + 4);
  expect(told.join("")).toMatch(/is not an allocation of clSVMAlloc/u);
  clSVMFree(context, pointer);
  clSVMFree(context, pointer);
  expect(told).toHaveLength(2);
  expectError(() => svmView(context, pointer, 4), "CL_INVALID_VALUE", /not within an allocation/u);
  expectError(
    () => {
      clSVMFree({} as Context, 4);
    },
    "CL_INVALID_CONTEXT",
    /expected an object of type Context/u,
  );
});

test("svmView: CL_INVALID_VALUE outside of allocations, CL_INVALID_CONTEXT", () => {
  const { pointer } = allocate(1, 2);
  expect([...svmView(context, pointer + 4, 1)]).toEqual([2]);
  expectError(() => svmView(context, pointer + 4, 5), "CL_INVALID_VALUE", /5 bytes at \d+ are not within/u);
  expectError(() => svmView(context, 0, 1), "CL_INVALID_VALUE", /0 is not a pointer/u);
  expectError(() => svmView(context, pointer, 0), "CL_INVALID_VALUE", /at least one byte/u);
  expectError(() => svmView({} as Context, pointer, 1), "CL_INVALID_CONTEXT", /expected an object of type Context/u);
});

test("clSetKernelArgSVMPointer: kernels read and write the host's bytes, from the middle of an allocation too", () => {
  const { pointer, view } = allocate(1, 2, 3, 4);
  const add = kernelOf(SOURCE, "add", ints(0), int(10));
  clSetKernelArgSVMPointer(add, 0, pointer + 8);
  clEnqueueNDRangeKernel(queue, add, 1, null, [2], null);
  clFinish(queue);
  expect([...view]).toEqual([1, 2, 13, 14]);
  view[3] = 100;
  clEnqueueNDRangeKernel(queue, add, 1, null, [2], null);
  clFinish(queue);
  expect([...view]).toEqual([1, 2, 23, 110]);
  clSetKernelArgSVMPointer(add, 0, pointer);
  clEnqueueNDRangeKernel(queue, add, 1, null, [1], null);
  clFinish(queue);
  expect([...view]).toEqual([11, 2, 23, 110]);
});

test("pointers in shared memory are the kernel's own: a list that the host linked", () => {
  const walk = kernelOf(
    `
    struct Node { int value; global struct Node* next; };
    kernel void walk(global struct Node* node, global int* sum) {
      int all = 0;
      for (; node; node = node->next) {
        all += node->value;
        node->value = -1;
      }
      *sum = all;
    }
  `,
    "walk",
  );
  const nodes = Array.from({ length: 10 }, (_, i) => allocate(i + 1, 0));
  for (const [i, { view }] of nodes.entries()) view[1] = nodes[i + 1]?.pointer ?? 0;
  const sum = allocate(0);
  clSetKernelArgSVMPointer(walk, 0, (nodes[0] as { readonly pointer: number }).pointer);
  clSetKernelArgSVMPointer(walk, 1, sum.pointer);
  clSetKernelExecInfo(
    walk,
    "CL_KERNEL_EXEC_INFO_SVM_PTRS",
    nodes.map(({ pointer }) => pointer),
  );
  clEnqueueNDRangeKernel(queue, walk, 1, null, [1], null);
  clFinish(queue);
  expect(sum.view[0]).toBe(55);
  expect(nodes.every(({ view }) => view[0] === -1)).toBe(true);
});

test("atomics of the host and of a running kernel meet", async () => {
  const { pointer, view } = allocate(0);
  const count = kernelOf(
    `kernel void count(global int* counter, int rounds) {
      for (int i = 0; i < rounds; ++i) atomic_inc(counter);
    }`,
    "count",
    null,
    int(1000),
  );
  clSetKernelArgSVMPointer(count, 0, pointer);
  const event = clEnqueueNDRangeKernel(queue, count, 1, null, [64], [1]);
  clFlush(queue);
  for (let i = 0; i < 5000; i++) Atomics.add(view, 0, 1);
  await event.done;
  expect(view[0]).toBe(69_000);
});

test("clSetKernelArgSVMPointer: null; CL_INVALID_ARG_INDEX, CL_INVALID_ARG_VALUE, CL_INVALID_KERNEL", () => {
  const { pointer } = allocate(1);
  const isNull = kernelOf(`kernel void isnull(global int* p, global int* out) { *out = p == 0; }`, "isnull", ints(1));
  const out = ints(7);
  clSetKernelArg(isNull, 1, out);
  clSetKernelArgSVMPointer(isNull, 0, 0);
  clEnqueueNDRangeKernel(queue, isNull, 1, null, [1], null);
  expect(readInts(queue, out)).toEqual([1]);
  expectError(
    () => {
      clSetKernelArgSVMPointer(isNull, 2, pointer);
    },
    "CL_INVALID_ARG_INDEX",
    /has 2 arguments; there is no argument 2/u,
  );
  for (const bad of [pointer + 4, pointer - 1, -8, 0.5]) {
    expectError(
      () => {
        clSetKernelArgSVMPointer(isNull, 0, bad);
      },
      "CL_INVALID_ARG_VALUE",
      /is not within an allocation/u,
    );
  }
  const add = kernelOf(SOURCE, "add");
  expectError(
    () => {
      clSetKernelArgSVMPointer(add, 1, pointer);
    },
    "CL_INVALID_ARG_VALUE",
    /argument 1 \(int value\) is not a pointer/u,
  );
  clReleaseKernel(add);
  expectError(
    () => {
      clSetKernelArgSVMPointer(add, 0, pointer);
    },
    "CL_INVALID_KERNEL",
    /has been released/u,
  );
});

test("clSetKernelExecInfo: CL_INVALID_VALUE, CL_INVALID_OPERATION, CL_INVALID_KERNEL", () => {
  const add = kernelOf(SOURCE, "add");
  clSetKernelExecInfo(add, "CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM", false);
  const bad: readonly (readonly [
    name: keyof KernelExecInfo,
    value: unknown,
    error: "CL_INVALID_VALUE" | "CL_INVALID_OPERATION",
    message: RegExp,
  ])[] = [
    ["CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM", true, "CL_INVALID_OPERATION", /cannot access memory of the host/u],
    ["CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM", 1, "CL_INVALID_VALUE", /neither true nor false/u],
    ["CL_KERNEL_EXEC_INFO_SVM_PTRS", [], "CL_INVALID_VALUE", /the pointers are not a non-empty list/u],
    ["CL_KERNEL_EXEC_INFO_SVM_PTRS", 12, "CL_INVALID_VALUE", /the pointers are not a non-empty list/u],
    ["CL_KERNEL_EXEC_INFO_SVM_PTRS", [12], "CL_INVALID_VALUE", /12 is not within an allocation/u],
    [
      "CL_KERNEL_EXEC_INFO_COLOUR" as keyof KernelExecInfo,
      1,
      "CL_INVALID_VALUE",
      /CL_KERNEL_EXEC_INFO_COLOUR is not known/u,
    ],
  ];
  for (const [name, value, error, message] of bad) {
    expectError(
      () => {
        clSetKernelExecInfo(add, name, value as never);
      },
      error,
      message,
    );
  }
  expectError(
    () => {
      clSetKernelExecInfo({} as Kernel, "CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM", false);
    },
    "CL_INVALID_KERNEL",
    /expected an object of type Kernel/u,
  );
});

test("clEnqueueSVMMemcpy: between allocations and arrays, both ways, and within one allocation", () => {
  const [one, two] = [allocate(1, 2, 3, 4), allocate(0, 0, 0, 0)];
  const event = clEnqueueSVMMemcpy(queue, true, two.pointer + 4, one.pointer, 8);
  expect(clGetEventInfo(event, "CL_EVENT_COMMAND_TYPE")).toBe("CL_COMMAND_SVM_MEMCPY");
  expect([...two.view]).toEqual([0, 1, 2, 0]);
  clEnqueueSVMMemcpy(queue, false, two.pointer + 12, Int32Array.of(9), 4);
  const out = new Int32Array(4);
  clEnqueueSVMMemcpy(queue, true, out, two.pointer, 16);
  expect([...out]).toEqual([0, 1, 2, 9]);
  const copy = new Int32Array(2);
  clEnqueueSVMMemcpy(queue, true, copy, out.subarray(2), 8);
  expect([...copy]).toEqual([2, 9]);
  clEnqueueSVMMemcpy(queue, true, one.pointer + 8, one.pointer, 8);
  expect([...one.view]).toEqual([1, 2, 1, 2]);
  expect(
    clGetEventInfo(clEnqueueSVMMemcpy(queue, true, one.pointer, two.pointer, 0), "CL_EVENT_COMMAND_EXECUTION_STATUS"),
  ).toBe(CL_COMPLETE);
});

test("clEnqueueSVMMemcpy: CL_MEM_COPY_OVERLAP, CL_INVALID_VALUE", () => {
  const { pointer } = allocate(1, 2, 3, 4);
  const array = new Int32Array(4);
  expectError(() => clEnqueueSVMMemcpy(queue, true, pointer + 4, pointer, 8), "CL_MEM_COPY_OVERLAP", /overlap/u);
  expectError(() => clEnqueueSVMMemcpy(queue, true, array, array.subarray(1), 8), "CL_MEM_COPY_OVERLAP", /overlap/u);
  expectError(() => clEnqueueSVMMemcpy(queue, true, 0, pointer, 4), "CL_INVALID_VALUE", /0 is not a pointer/u);
  expectError(() => clEnqueueSVMMemcpy(queue, true, pointer, 0, 4), "CL_INVALID_VALUE", /0 is not a pointer/u);
  expectError(
    () => clEnqueueSVMMemcpy(queue, true, array, pointer + 8, 12),
    "CL_INVALID_VALUE",
    /12 bytes at \d+ are not within/u,
  );
  expectError(
    () => clEnqueueSVMMemcpy(queue, true, array, pointer, -4),
    "CL_INVALID_VALUE",
    /-4 is not a number of bytes/u,
  );
  expectError(
    () => clEnqueueSVMMemcpy(queue, true, new Int32Array(1), pointer, 8),
    "CL_INVALID_VALUE",
    /the array has 4 bytes/u,
  );
});

test("clEnqueueSVMMemFill: patterns; CL_INVALID_VALUE", () => {
  const { pointer, view } = allocate(1, 2, 3, 4);
  const event = clEnqueueSVMMemFill(queue, pointer + 4, int(7), 8);
  clWaitForEvents([event]);
  expect(clGetEventInfo(event, "CL_EVENT_COMMAND_TYPE")).toBe("CL_COMMAND_SVM_MEMFILL");
  expect([...view]).toEqual([1, 7, 7, 4]);
  clWaitForEvents([clEnqueueSVMMemFill(queue, pointer, int(8), 0)]);
  expect(view[0]).toBe(1);
  expectError(
    () => clEnqueueSVMMemFill(queue, pointer, new Uint8Array(3), 6),
    "CL_INVALID_VALUE",
    /a pattern has 1, 2, 4/u,
  );
  expectError(
    () => clEnqueueSVMMemFill(queue, pointer, null as unknown as Uint8Array, 4),
    "CL_INVALID_VALUE",
    /a pattern has/u,
  );
  expectError(
    () => clEnqueueSVMMemFill(queue, pointer + 2, int(1), 4),
    "CL_INVALID_VALUE",
    /not both multiples of the pattern's 4 bytes/u,
  );
  expectError(() => clEnqueueSVMMemFill(queue, pointer, int(1), 6), "CL_INVALID_VALUE", /not both multiples/u);
  expectError(() => clEnqueueSVMMemFill(queue, 0, int(1), 4), "CL_INVALID_VALUE", /0 is not a pointer/u);
  expectError(() => clEnqueueSVMMemFill(queue, pointer, int(1), 20), "CL_INVALID_VALUE", /not within/u);
});

test("clEnqueueSVMMap and clEnqueueSVMUnmap: the host's turn in the queue's order; CL_INVALID_VALUE", () => {
  const pointer = clSVMAlloc(context, CL_MEM_READ_WRITE, 16);
  const add = kernelOf(SOURCE, "add", ints(0), int(1));
  clSetKernelArgSVMPointer(add, 0, pointer);
  clEnqueueSVMMemFill(queue, pointer, int(5), 16);
  clEnqueueNDRangeKernel(queue, add, 1, null, [4], null);
  const mapped = clEnqueueSVMMap(queue, true, CL_MAP_READ | CL_MAP_WRITE, pointer, 16);
  expect(clGetEventInfo(mapped, "CL_EVENT_COMMAND_TYPE")).toBe("CL_COMMAND_SVM_MAP");
  const view = svmView(context, pointer, 16);
  const everyInt = (): number[] => [0, 4, 8, 12].map((at) => view[at] as number);
  expect(everyInt()).toEqual([6, 6, 6, 6]);
  view[4] = 40;
  const unmapped = clEnqueueSVMUnmap(queue, pointer);
  expect(clGetEventInfo(unmapped, "CL_EVENT_COMMAND_TYPE")).toBe("CL_COMMAND_SVM_UNMAP");
  clEnqueueNDRangeKernel(queue, add, 1, null, [4], null);
  clFinish(queue);
  expect(everyInt()).toEqual([7, 41, 7, 7]);
  expectError(
    () => clEnqueueSVMMap(queue, true, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, pointer, 16),
    "CL_INVALID_VALUE",
    /0x5 cannot be combined/u,
  );
  expectError(() => clEnqueueSVMMap(queue, true, 8, pointer, 16), "CL_INVALID_VALUE", /0x8 cannot be combined/u);
  expectError(() => clEnqueueSVMMap(queue, true, CL_MAP_READ, pointer, 0), "CL_INVALID_VALUE", /at least one byte/u);
  expectError(() => clEnqueueSVMMap(queue, true, CL_MAP_READ, 0, 4), "CL_INVALID_VALUE", /0 is not a pointer/u);
  expectError(() => clEnqueueSVMUnmap(queue, 0), "CL_INVALID_VALUE", /0 is not a pointer/u);
});

test("clEnqueueSVMMigrateMem: contents stay; CL_INVALID_VALUE", () => {
  const { pointer, view } = allocate(1, 2, 3, 4);
  const event = clEnqueueSVMMigrateMem(queue, [pointer, pointer + 4], [0, 8], 1);
  clWaitForEvents([event, clEnqueueSVMMigrateMem(queue, [pointer], null, 0)]);
  expect(clGetEventInfo(event, "CL_EVENT_COMMAND_TYPE")).toBe("CL_COMMAND_SVM_MIGRATE_MEM");
  expect([...view]).toEqual([1, 2, 3, 4]);
  expectError(() => clEnqueueSVMMigrateMem(queue, [], null, 0), "CL_INVALID_VALUE", /list of pointers is empty/u);
  expectError(
    () => clEnqueueSVMMigrateMem(queue, [pointer], [], 0),
    "CL_INVALID_VALUE",
    /0 sizes were passed for 1 pointers/u,
  );
  expectError(() => clEnqueueSVMMigrateMem(queue, [pointer], [17], 0), "CL_INVALID_VALUE", /17 bytes at/u);
  expectError(
    () => clEnqueueSVMMigrateMem(queue, [pointer], [-1], 0),
    "CL_INVALID_VALUE",
    /-1 is not a number of bytes/u,
  );
  expectError(() => clEnqueueSVMMigrateMem(queue, [0], null, 0), "CL_INVALID_VALUE", /0 is not a pointer/u);
  expectError(() => clEnqueueSVMMigrateMem(queue, [pointer], null, 8), "CL_INVALID_VALUE", /the flags 0x8/u);
});

test("clEnqueueSVMFree: when its turn comes, by itself or by a function of the caller; CL_INVALID_VALUE", async () => {
  const [one, two] = [allocate(1), allocate(2)];
  const gate = clCreateUserEvent(context);
  const freed = clEnqueueSVMFree(queue, [one.pointer, 0], null, [gate]);
  const given: (readonly SvmPointer[])[] = [];
  const called = clEnqueueSVMFree(queue, [two.pointer], (of, pointers) => {
    expect(of).toBe(queue);
    given.push(pointers);
  });
  expect(clGetEventInfo(freed, "CL_EVENT_COMMAND_TYPE")).toBe("CL_COMMAND_SVM_FREE");
  expect([...svmView(context, one.pointer, 1)]).toEqual([1]);
  clSetUserEventStatus(gate, CL_COMPLETE);
  await called.done;
  expectError(() => svmView(context, one.pointer, 1), "CL_INVALID_VALUE", /not within an allocation/u);
  expect(given).toEqual([[two.pointer]]);
  expect([...svmView(context, two.pointer, 1)]).toEqual([2]);
  clSVMFree(context, two.pointer);
  expectError(() => clEnqueueSVMFree(queue, []), "CL_INVALID_VALUE", /list of pointers is empty/u);
});

test("clSVMFree: commands that were enqueued before still have the memory", async () => {
  const { pointer } = allocate(3, 4);
  const gate = clCreateUserEvent(context);
  const add = kernelOf(SOURCE, "add", ints(0), int(10));
  clSetKernelArgSVMPointer(add, 0, pointer);
  clEnqueueNDRangeKernel(queue, add, 1, null, [2], null, [gate]);
  const out = new Int32Array(2);
  const read = clEnqueueSVMMemcpy(queue, false, out, pointer, 8);
  clSVMFree(context, pointer);
  clSetUserEventStatus(gate, CL_COMPLETE);
  await read.done;
  expect([...out]).toEqual([13, 14]);
  expectError(
    () => clEnqueueNDRangeKernel(queue, add, 1, null, [2], null),
    "CL_INVALID_MEM_OBJECT",
    /has been released/u,
  );
});

test("clGetMemObjectInfo: CL_MEM_USES_SVM_POINTER of a buffer over shared virtual memory, which shares its bytes", () => {
  const { pointer, view } = allocate(1, 2, 3, 4);
  const buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 16, svmView(context, pointer, 16));
  expect(clGetMemObjectInfo(buffer, "CL_MEM_USES_SVM_POINTER")).toBe(true);
  expect(clGetMemObjectInfo(ints(1), "CL_MEM_USES_SVM_POINTER")).toBe(false);
  expect(
    clGetMemObjectInfo(clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 16, new Uint8Array(16)), "CL_MEM_USES_SVM_POINTER"),
  ).toBe(false);
  clEnqueueNDRangeKernel(queue, kernelOf(SOURCE, "add", buffer, int(1)), 1, null, [4], null);
  clFinish(queue);
  expect([...view]).toEqual([2, 3, 4, 5]);
});
