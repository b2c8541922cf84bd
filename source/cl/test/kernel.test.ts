// SPDX-License-Identifier: Apache-2.0
// Kernel arguments and launches: mistakes are errors of the call.
import {
  type Buffer,
  CL_COMPLETE,
  CL_MEM_READ_WRITE,
  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
  type Kernel,
  clCloneKernel,
  clCreateBuffer,
  clCreateContext,
  clCreateUserEvent,
  clEnqueueNDRangeKernel,
  clFinish,
  clGetEventInfo,
  clGetKernelArgInfo,
  clGetKernelInfo,
  clGetKernelSubGroupInfo,
  clGetKernelWorkGroupInfo,
  clReleaseKernel,
  clReleaseMemObject,
  clSetKernelArg,
  clBuildProgram,
  clCreateKernel,
  clCreateProgramWithSource,
  clGetDeviceInfo,
  clSetUserEventStatus,
  clWaitForEvents,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { SOURCE, context, device, expectError, int, ints, kernelOf, newQueue, readInts } from "./rig.ts";

const queue = newQueue();

test("arguments are described", () => {
  const kernel = kernelOf(
    `kernel void k(global const float4* restrict a, __local int* b, uint c, constant short* d) {}`,
    "k",
  );
  expect(clGetKernelInfo(kernel, "CL_KERNEL_NUM_ARGS")).toBe(4);
  expect([0, 1, 2, 3].map((i) => clGetKernelArgInfo(kernel, i, "CL_KERNEL_ARG_TYPE_NAME"))).toEqual([
    "float4*",
    "int*",
    "uint",
    "short*",
  ]);
  expect(
    [0, 1, 2, 3].map((i) =>
      clGetKernelArgInfo(kernel, i, "CL_KERNEL_ARG_ADDRESS_QUALIFIER").slice("CL_KERNEL_ARG_ADDRESS_".length),
    ),
  ).toEqual(["GLOBAL", "LOCAL", "PRIVATE", "CONSTANT"]);
  expect(clGetKernelArgInfo(kernel, 0, "CL_KERNEL_ARG_TYPE_QUALIFIER")).toBe(3);
  expect(clGetKernelArgInfo(kernel, 2, "CL_KERNEL_ARG_NAME")).toBe("c");
  expectError(
    () => clGetKernelArgInfo(kernel, 4, "CL_KERNEL_ARG_NAME"),
    "CL_INVALID_ARG_INDEX",
    /4 arguments; there is no argument 4/u,
  );
});

test("clGetKernelArgInfo: images are in global memory, samplers and values are private", () => {
  const kernel = kernelOf(
    `kernel void k(read_only image2d_t a, write_only image3d_t b, sampler_t c, const float d) {}`,
    "k",
  );
  const about = (i: number): readonly unknown[] =>
    (["ADDRESS_QUALIFIER", "ACCESS_QUALIFIER", "TYPE_QUALIFIER"] as const).map((token) =>
      clGetKernelArgInfo(kernel, i, `CL_KERNEL_ARG_${token}`),
    );
  expect([0, 1, 2, 3].map(about)).toEqual([
    ["CL_KERNEL_ARG_ADDRESS_GLOBAL", "CL_KERNEL_ARG_ACCESS_READ_ONLY", 0],
    ["CL_KERNEL_ARG_ADDRESS_GLOBAL", "CL_KERNEL_ARG_ACCESS_WRITE_ONLY", 0],
    ["CL_KERNEL_ARG_ADDRESS_PRIVATE", "CL_KERNEL_ARG_ACCESS_NONE", 0],
    ["CL_KERNEL_ARG_ADDRESS_PRIVATE", "CL_KERNEL_ARG_ACCESS_NONE", 0],
  ]);
});

test("work-group facts: required size, local memory with what is set", () => {
  const kernel = kernelOf(
    `kernel __attribute__((reqd_work_group_size(8, 2, 1))) void k(local int* b) {
      local int own[16];
      own[get_local_id(0)] = b[0];
      b[1] = own[3];
    }`,
    "k",
  );
  expect(clGetKernelWorkGroupInfo(kernel, device, "CL_KERNEL_COMPILE_WORK_GROUP_SIZE")).toEqual([8, 2, 1]);
  expect(clGetKernelWorkGroupInfo(kernel, device, "CL_KERNEL_LOCAL_MEM_SIZE")).toBe(64);
  clSetKernelArg(kernel, 0, { localBytes: 100 });
  expect(clGetKernelWorkGroupInfo(kernel, device, "CL_KERNEL_LOCAL_MEM_SIZE")).toBe(164);
  expectError(
    () => clEnqueueNDRangeKernel(queue, kernel, 2, null, [16, 4], [16, 1]),
    "CL_INVALID_WORK_GROUP_SIZE",
    /requires the local size 8 × 2 × 1/u,
  );
  expectError(
    () => clEnqueueNDRangeKernel(queue, kernel, 2, null, [16, 5], null),
    "CL_INVALID_WORK_GROUP_SIZE",
    /dimension 1 is 5, which is not a multiple of the local size 2/u,
  );
  clEnqueueNDRangeKernel(queue, kernel, 2, null, [16, 4], null);
  clFinish(queue);
});

test("arguments of the wrong index, kind or size are errors", () => {
  const kernel = kernelOf(SOURCE, "sum");
  const add = kernelOf(SOURCE, "add");
  expectError(
    () => {
      clSetKernelArg(add, 2, int(1));
    },
    "CL_INVALID_ARG_INDEX",
    /"add" has 2 arguments; there is no argument 2/u,
  );
  expectError(
    () => {
      clSetKernelArg(add, 0, int(1));
    },
    "CL_INVALID_ARG_VALUE",
    /argument 0 \(int\* data\) requires a buffer or null/u,
  );
  expectError(
    () => {
      clSetKernelArg(add, 1, ints(1));
    },
    "CL_INVALID_ARG_VALUE",
    /argument 1 \(int value\) requires its bytes/u,
  );
  expectError(
    () => {
      clSetKernelArg(add, 1, new Float64Array(1));
    },
    "CL_INVALID_ARG_SIZE",
    /has 4 bytes, not 8/u,
  );
  expectError(
    () => {
      clSetKernelArg(kernel, 2, ints(1));
    },
    "CL_INVALID_ARG_VALUE",
    /requires an object \{ localBytes \}/u,
  );
  expectError(
    () => {
      clSetKernelArg(kernel, 2, { localBytes: 0 });
    },
    "CL_INVALID_ARG_SIZE",
    /at least one byte/u,
  );
  expectError(
    () => {
      clSetKernelArg({} as Kernel, 0, null);
    },
    "CL_INVALID_KERNEL",
    /expected an object of type Kernel/u,
  );
});

test("an argument that is not set is named at the launch", () => {
  const kernel = kernelOf(SOURCE, "add", ints(1));
  expectError(
    () => clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null),
    "CL_INVALID_KERNEL_ARGS",
    /argument 1 \(int value\) of the kernel "add" is not set/u,
  );
});

test("released buffers and buffers of other contexts are errors; the kernel stays usable", () => {
  const data = ints(1);
  const kernel = kernelOf(SOURCE, "add", data, int(1));
  clReleaseMemObject(data);
  expectError(
    () => clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null),
    "CL_INVALID_MEM_OBJECT",
    /this buffer has been released/u,
  );
  expectError(
    () => {
      clSetKernelArg(kernel, 0, data);
    },
    "CL_INVALID_MEM_OBJECT",
    /this buffer has been released/u,
  );
  const foreign: Buffer = clCreateBuffer(clCreateContext([device]), CL_MEM_READ_WRITE, 4);
  expectError(
    () => {
      clSetKernelArg(kernel, 0, foreign);
    },
    "CL_INVALID_MEM_OBJECT",
    /another context/u,
  );
  const fresh = ints(1);
  clSetKernelArg(kernel, 0, fresh);
  clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null);
  expect(readInts(queue, fresh)).toEqual([2]);
  clReleaseKernel(kernel);
  expectError(
    () => clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null),
    "CL_INVALID_KERNEL",
    /this kernel has been released/u,
  );
});

test("halves are arguments of two bytes", () => {
  const out = ints(0, 0);
  const kernel = kernelOf(
    `#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global int* out, half a, half2 b) { out[0] = a * 4; out[1] = (b.x + b.y) * 4; }`,
    "k",
    out,
  );
  expect(clGetKernelArgInfo(kernel, 1, "CL_KERNEL_ARG_TYPE_NAME")).toBe("half");
  expectError(
    () => {
      clSetKernelArg(kernel, 1, new Float32Array(1));
    },
    "CL_INVALID_ARG_SIZE",
    /has 2 bytes, not 4/u,
  );
  clSetKernelArg(kernel, 1, Uint16Array.of(0x3e00));
  clSetKernelArg(kernel, 2, Uint16Array.of(0x3c00, 0xc000));
  clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null);
  expect(readInts(queue, out)).toEqual([6, -4]);
});

test("a copy of a kernel has its own arguments", () => {
  const first = ints(0);
  const second = ints(0);
  const kernel = kernelOf(SOURCE, "add", first, int(3));
  const copy = clCloneKernel(kernel);
  clSetKernelArg(copy, 0, second);
  clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null);
  clEnqueueNDRangeKernel(queue, copy, 1, null, [1], null);
  expect([readInts(queue, first), readInts(queue, second)]).toEqual([[3], [3]]);
});

test("arguments are those of the moment of the launch", () => {
  const data = ints(0);
  const kernel = kernelOf(SOURCE, "add", data, int(1));
  for (const value of [1, 10, 100]) {
    clSetKernelArg(kernel, 1, int(value));
    clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null);
  }
  clSetKernelArg(kernel, 1, int(1000));
  expect(readInts(queue, data)).toEqual([111]);
});

test("ranges of one to three dimensions with offsets", () => {
  const out = ints(...Array.from({ length: 24 }, () => 0));
  const kernel = kernelOf(SOURCE, "ids", out);
  clEnqueueNDRangeKernel(queue, kernel, 3, [5, 6, 7], [4, 3, 2], [2, 1, 2]);
  const expected = Array.from(
    { length: 24 },
    (_, i) => 5 + (i % 4) + 100 * (6 + (Math.floor(i / 4) % 3)) + 10000 * (7 + Math.floor(i / 12)),
  );
  expect(readInts(queue, out)).toEqual(expected);
  clEnqueueNDRangeKernel(queue, kernel, 2, null, [4, 6], null);
  expect(readInts(queue, out)).toEqual(Array.from({ length: 24 }, (_, i) => (i % 4) + 100 * Math.floor(i / 4)));
  clEnqueueNDRangeKernel(queue, kernel, 1, [9], [23], null);
  expect(readInts(queue, out, 23)).toEqual(Array.from({ length: 23 }, (_, i) => 9 + i));
});

test("barriers and local memory, also without a local size", () => {
  const input = ints(...Array.from({ length: 256 }, (_, i) => i));
  const out = ints(...Array.from({ length: 8 }, () => 0));
  clEnqueueNDRangeKernel(queue, kernelOf(SOURCE, "sum", input, out, { localBytes: 128 }), 1, null, [256], [32]);
  expect(readInts(queue, out)).toEqual(Array.from({ length: 8 }, (_, group) => 32 * 32 * group + 496));
});

test("facts of sub-groups", () => {
  const kernel = kernelOf(`kernel void k(global int* x) { *x = 1; }`, "k");
  const required = kernelOf(
    `__attribute__((intel_reqd_sub_group_size(16), reqd_work_group_size(32, 2,
        1))) kernel void k(global int* x) {
      *x = 1;
    }`,
    "k",
  );
  expect(
    [[4], [20], [6, 5]].map((size) =>
      clGetKernelSubGroupInfo(kernel, device, "CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE", size),
    ),
  ).toEqual([4, 8, 8]);
  expect(
    [[4], [20], [6, 5]].map((size) =>
      clGetKernelSubGroupInfo(kernel, device, "CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE", size),
    ),
  ).toEqual([1, 3, 4]);
  expect(
    [3, 1000].map((count) =>
      clGetKernelSubGroupInfo(kernel, device, "CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT", [count]),
    ),
  ).toEqual([
    [24, 1, 1],
    [0, 0, 0],
  ]);
  expect(
    [4, 3].map((count) =>
      clGetKernelSubGroupInfo(required, device, "CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT", [count]),
    ),
  ).toEqual([
    [32, 2, 1],
    [0, 0, 0],
  ]);
  expect(
    [kernel, required].map((each) => clGetKernelSubGroupInfo(each, device, "CL_KERNEL_MAX_NUM_SUB_GROUPS")),
  ).toEqual([128, 64]);
  expect(clGetDeviceInfo(device, "CL_DEVICE_MAX_NUM_SUB_GROUPS")).toBe(1024);
  expect(clGetDeviceInfo(device, "CL_DEVICE_SUB_GROUP_SIZES_INTEL")).toEqual([1, 2, 4, 8, 16, 32, 64, 128]);
  expect(clGetDeviceInfo(device, "CL_DEVICE_EXTENSIONS")).toContain("cl_intel_required_subgroup_size");
  expect(
    [kernel, required].map((each) => clGetKernelSubGroupInfo(each, device, "CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL")),
  ).toEqual([0, 16]);
  expect(clGetKernelWorkGroupInfo(required, device, "CL_KERNEL_SPILL_MEM_SIZE_INTEL")).toBe(0);
  expectError(
    () => clGetKernelSubGroupInfo(kernel, device, "CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE", [0]),
    "CL_INVALID_VALUE",
    /not a local size/u,
  );
});

test("a global size that is no multiple: as the program was built", () => {
  const source = `kernel void k(global int* out) {
      out[get_global_id(0)] = (int)(get_local_size(0) * 100 + get_enqueued_local_size(0) * 10
          + get_num_groups(0));
    }`;
  const out = ints(0, 0, 0, 0, 0, 0, 0);
  const launch = (options: string): void => {
    const program = clCreateProgramWithSource(context, [source]);
    clBuildProgram(program, [device], options);
    const kernel = clCreateKernel(program, "k");
    clSetKernelArg(kernel, 0, out);
    clEnqueueNDRangeKernel(queue, kernel, 1, null, [7], [4]);
  };
  launch("-cl-std=CL3.0");
  expect(readInts(queue, out)).toEqual([442, 442, 442, 442, 342, 342, 342]);
  expectError(
    () => {
      launch("-cl-std=CL3.0 -cl-uniform-work-group-size");
    },
    "CL_INVALID_WORK_GROUP_SIZE",
    /7, which is not a multiple of the local size 4/u,
  );
  expect(clGetDeviceInfo(device, "CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT")).toBe(true);
});

test.each([
  ["one dimension", [0]],
  ["the first of two", [0, 4]],
  ["the last of three", [1, 2, 0]],
])("a launch without work-items does nothing and is complete after its wait list: %s", (_, size) => {
  const data = ints(1);
  const kernel = kernelOf(SOURCE, "add", data, int(1));
  for (const properties of [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE]) {
    const own = newQueue(properties);
    const gate = clCreateUserEvent(context);
    const event = clEnqueueNDRangeKernel(own, kernel, size.length, null, size, null, [gate]);
    expect(clGetEventInfo(event, "CL_EVENT_COMMAND_TYPE")).toBe("CL_COMMAND_NDRANGE_KERNEL");
    expect(clGetEventInfo(event, "CL_EVENT_COMMAND_EXECUTION_STATUS")).not.toBe(CL_COMPLETE);
    clSetUserEventStatus(gate, CL_COMPLETE);
    clWaitForEvents([event]);
    clEnqueueNDRangeKernel(own, kernel, 1, null, [1], null);
    clFinish(own);
  }
  expect(readInts(queue, data)).toEqual([3]);
  expectError(
    () => clEnqueueNDRangeKernel(queue, kernelOf(SOURCE, "add"), size.length, null, size, null),
    "CL_INVALID_KERNEL_ARGS",
    /is not set/u,
  );
  expectError(
    () =>
      clEnqueueNDRangeKernel(
        queue,
        kernel,
        size.length,
        null,
        size,
        size.map(() => 2 ** 20),
      ),
    "CL_INVALID_WORK_ITEM_SIZE",
    /at most/u,
  );
});

test("sizes that are no numbers, too large, or do not divide are errors; nothing is lost", () => {
  const data = ints(1);
  const kernel = kernelOf(SOURCE, "add", data, int(1));
  const launch =
    (
      dimensions: number,
      global: readonly number[],
      local: readonly number[] | null,
      offset: readonly number[] | null = null,
    ) =>
    () =>
      clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local);
  expectError(launch(0, [1], null), "CL_INVALID_WORK_DIMENSION", /0 is not a number of dimensions/u);
  expectError(launch(4, [1, 1, 1, 1], null), "CL_INVALID_WORK_DIMENSION", /4 is not a number of dimensions/u);
  expectError(launch(1, [-1], null), "CL_INVALID_GLOBAL_WORK_SIZE", /dimension 0 is -1/u);
  expectError(launch(2, [1, 1.5], null), "CL_INVALID_GLOBAL_WORK_SIZE", /dimension 1 is 1.5/u);
  expectError(launch(1, [2 ** 32], null), "CL_INVALID_GLOBAL_WORK_SIZE", /4294967296/u);
  expectError(launch(2, [4], null), "CL_INVALID_GLOBAL_WORK_SIZE", /1 global sizes were passed for 2/u);
  expectError(launch(1, [8], [3]), "CL_INVALID_WORK_GROUP_SIZE", /8, which is not a multiple of the local size 3/u);
  expectError(launch(1, [8], [0]), "CL_INVALID_WORK_GROUP_SIZE", /is 0/u);
  expectError(launch(1, [2 ** 20], [2 ** 20]), "CL_INVALID_WORK_ITEM_SIZE", /at most/u);
  expectError(
    launch(
      2,
      [2048, 2048],
      [2048, 2048].map(() => Math.floor(Math.sqrt(2 ** 14))),
    ),
    "CL_INVALID_WORK_GROUP_SIZE",
    /work-items; the kernel has at most/u,
  );
  expectError(launch(1, [8], null, [-1]), "CL_INVALID_GLOBAL_OFFSET", /-1/u);
  expectError(launch(1, [8], null, [2 ** 32 - 1]), "CL_INVALID_GLOBAL_OFFSET", /more global ids/u);
  expectError(
    () =>
      clEnqueueNDRangeKernel(
        queue,
        kernelOf(SOURCE, "sum", ints(1), ints(1), { localBytes: 2 ** 26 }),
        1,
        null,
        [1],
        null,
      ),
    "CL_OUT_OF_RESOURCES",
    /67108864 bytes of local memory; a work-group has/u,
  );
  expect(readInts(queue, data)).toEqual([1]);
});
