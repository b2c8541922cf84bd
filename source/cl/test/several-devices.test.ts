// SPDX-License-Identifier: Apache-2.0
// Contexts of several devices: the host device and parts of it share objects; programs, binaries, logs and kernels are
// each device's own.
import {
  type Buffer,
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_READ_WRITE,
  CL_QUEUE_PROFILING_ENABLE,
  type CommandQueue,
  type Context,
  type Device,
  type ErrorName,
  type Event,
  type Kernel,
  type Program,
  type SubDevice,
  clBuildProgram,
  clCommandNDRangeKernelKHR,
  clCompileProgram,
  clCreateCommandBufferKHR,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateContext,
  clCreateImage,
  clCreateKernel,
  clCreateKernelsInProgram,
  clCreateProgramWithBinary,
  clCreateProgramWithSource,
  clCreateSampler,
  clCreateSubBuffer,
  clCreateSubDevices,
  clCreateUserEvent,
  clEnqueueCommandBufferKHR,
  clEnqueueCopyBuffer,
  clEnqueueFillBuffer,
  clEnqueueMapBuffer,
  clEnqueueMigrateMemObjects,
  clEnqueueWriteBuffer,
  clGetDeviceIDs,
  CL_DEVICE_TYPE_ALL,
  clEnqueueNDRangeKernel,
  clEnqueueReadBuffer,
  clEnqueueReadImage,
  clEnqueueTask,
  clEnqueueUnmapMemObject,
  clFinalizeCommandBufferKHR,
  clFinish,
  clGetContextInfo,
  clGetEventInfo,
  clGetEventProfilingInfo,
  clGetKernelSubGroupInfo,
  clGetKernelSuggestedLocalWorkSizeKHR,
  clGetKernelWorkGroupInfo,
  clGetProgramBuildInfo,
  clGetProgramInfo,
  clGetSupportedImageFormats,
  clLinkProgram,
  clReleaseCommandQueue,
  clReleaseContext,
  clReleaseDevice,
  clReleaseKernel,
  clReleaseMemObject,
  clReleaseProgram,
  clSetKernelArg,
  clSetUserEventStatus,
  clSVMAlloc,
  clSVMFree,
  clWaitForEvents,
  svmView,
} from "@muxkit/opencl";
import { hostTarget } from "@muxkit/host";
import { registerTarget } from "@muxkit/mux";
import { expect, test, vi } from "vitest";

import { SOURCE, device, errorOf, expectError, int } from "./rig.ts";

const [left, right] = clCreateSubDevices(device, { CL_DEVICE_PARTITION_EQUALLY: 1 }) as [SubDevice, SubDevice];
const all: readonly Device[] = [device, left, right];
const told: string[] = [];
const context: Context = clCreateContext(all, (message) => {
  told.push(message);
});
const queues: readonly CommandQueue[] = all.map((each) =>
  clCreateCommandQueue(context, each, CL_QUEUE_PROFILING_ENABLE),
);
const [whole, first, second] = queues as readonly [CommandQueue, CommandQueue, CommandQueue];

function built(options = "", devices: readonly Device[] | null = null, source = SOURCE): Program {
  const program = clCreateProgramWithSource(context, [source]);
  clBuildProgram(program, devices, options);
  return program;
}

function ints(...values: readonly number[]): Buffer {
  return clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, values.length * 4, Int32Array.from(values));
}

function read(queue: CommandQueue, buffer: Buffer, waits: readonly Event[] = []): number[] {
  const array = new Int32Array(buffer.size / 4);
  clEnqueueReadBuffer(queue, buffer, true, 0, buffer.size, array, waits);
  return [...array];
}

function adding(program: Program, buffer: Buffer, value: number): Kernel {
  const kernel = clCreateKernel(program, "add");
  clSetKernelArg(kernel, 0, buffer);
  clSetKernelArg(kernel, 1, int(value));
  return kernel;
}

test("clCreateContext: a device and parts of it; a device that is named twice is there once", () => {
  expect(clGetContextInfo(context, "CL_CONTEXT_NUM_DEVICES")).toBe(3);
  expect(clGetContextInfo(context, "CL_CONTEXT_DEVICES")).toEqual(all);
  const twice = clCreateContext([left, right, left]);
  expect(clGetContextInfo(twice, "CL_CONTEXT_DEVICES")).toEqual([left, right]);
  clReleaseContext(twice);
});

test("clCreateContext: a part of the host device and one with a memory of its own: bytes go to where they are used", () => {
  const number = registerTarget(hostTarget({ threads: 1, isolated: true }));
  const other = clGetDeviceIDs(device.platform, CL_DEVICE_TYPE_ALL).find(
    ({ info }) => (info.id & 0xff) === number,
  ) as Device;
  const both = clCreateContext([left, other]);
  const buffer = clCreateBuffer(both, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 12, Int32Array.of(1, 2, 3));
  const [here, there] = [left, other].map((each) => clCreateCommandQueue(both, each)) as [CommandQueue, CommandQueue];
  const written = clEnqueueWriteBuffer(there, buffer, false, 4, 4, int(7));
  expect(read(here, buffer, [written])).toEqual([1, 7, 3]);
  expect(read(there, buffer)).toEqual([1, 7, 3]);
  expectError(() => clCreateCommandQueue(context, other), "CL_INVALID_DEVICE", /does not belong to this context/u);
  clReleaseMemObject(buffer);
  clReleaseCommandQueue(here);
  clReleaseCommandQueue(there);
  clReleaseContext(both);
});

test("clCreateContext: the context keeps each of its parts", () => {
  const [part, other] = clCreateSubDevices(device, { CL_DEVICE_PARTITION_EQUALLY: 1 }) as [SubDevice, SubDevice];
  const kept = clCreateContext([part, other]);
  clReleaseDevice(part);
  clReleaseDevice(other);
  const queue = clCreateCommandQueue(kept, other);
  const buffer = clCreateBuffer(kept, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 4, int(4));
  expect(read(queue, buffer)).toEqual([4]);
  for (const release of [
    () => {
      clReleaseMemObject(buffer);
    },
    () => {
      clReleaseCommandQueue(queue);
    },
    () => {
      clReleaseContext(kept);
    },
  ])
    release();
});

test("clCreateContext: CL_INVALID_DEVICE for a list with what is no device, and with a part that was released", () => {
  const [part] = clCreateSubDevices(device, { CL_DEVICE_PARTITION_EQUALLY: 1 }) as [SubDevice];
  clReleaseDevice(part);
  expectError(() => clCreateContext([device, {} as Device]), "CL_INVALID_DEVICE", /a value that is not a device/u);
  expectError(() => clCreateContext([device, part]), "CL_INVALID_DEVICE", /has been released/u);
});

test.each([0, 1, 2])(
  "clCreateCommandQueue: device %i of the context runs commands on buffers that all share",
  (index) => {
    const program = built();
    const buffer = ints(1, 2, 3);
    const kernel = adding(program, buffer, 10);
    clEnqueueNDRangeKernel(queues[index] as CommandQueue, kernel, 1, null, [3], null);
    expect(read(queues[index] as CommandQueue, buffer)).toEqual([11, 12, 13]);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
  },
);

test("clEnqueueNDRangeKernel: one kernel on every device of the context, each after the other by its wait list", () => {
  const program = built();
  const buffer = ints(0, 100);
  const kernel = adding(program, buffer, 1);
  let waits: readonly Event[] = [];
  for (let round = 0; round < 5; round++)
    for (const queue of queues) waits = [clEnqueueNDRangeKernel(queue, kernel, 1, null, [2], null, waits)];
  expect(read(first, buffer, waits)).toEqual([15, 115]);
  for (const queue of queues) clFinish(queue);
});

test("clEnqueueNDRangeKernel: a launch that is prepared on one device is prepared anew for another one", () => {
  const program = built();
  const buffer = ints(0);
  const kernel = adding(program, buffer, 1);
  for (const queue of [first, first, second, first, whole, second, first]) {
    clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null);
    clFinish(queue);
  }
  expect(read(whole, buffer)).toEqual([7]);
});

test("clBuildProgram: programs of each device have options of their own, and their kernels run them", () => {
  const program = clCreateProgramWithSource(context, [`kernel void k(global int* out) { *out = VALUE; }`]);
  all.forEach((each, i) => {
    clBuildProgram(program, [each], `-DVALUE=${i + 7}`);
  });
  const kernel = clCreateKernel(program, "k");
  const buffer = ints(0);
  clSetKernelArg(kernel, 0, buffer);
  expect(
    queues.map((queue) => {
      clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null);
      return read(queue, buffer)[0];
    }),
  ).toEqual([7, 8, 9]);
  expect(all.map((each) => clGetProgramBuildInfo(program, each, "CL_PROGRAM_BUILD_OPTIONS"))).toEqual([
    "-DVALUE=7",
    "-DVALUE=8",
    "-DVALUE=9",
  ]);
});

test("clBuildProgram: for one device only; status, log and binary of each", () => {
  const program = built("", [left]);
  expect(all.map((each) => clGetProgramBuildInfo(program, each, "CL_PROGRAM_BUILD_STATUS"))).toEqual([
    "CL_BUILD_NONE",
    "CL_BUILD_SUCCESS",
    "CL_BUILD_NONE",
  ]);
  expect(all.map((each) => clGetProgramBuildInfo(program, each, "CL_PROGRAM_BINARY_TYPE"))).toEqual([
    "CL_PROGRAM_BINARY_TYPE_NONE",
    "CL_PROGRAM_BINARY_TYPE_EXECUTABLE",
    "CL_PROGRAM_BINARY_TYPE_NONE",
  ]);
  const sizes = clGetProgramInfo(program, "CL_PROGRAM_BINARY_SIZES");
  expect([sizes[0], sizes[2]]).toEqual([0, 0]);
  expect(sizes[1]).toBeGreaterThan(0);
  expect(clGetProgramInfo(program, "CL_PROGRAM_BINARIES").map(({ length }) => length)).toEqual(sizes);
});

test("clBuildProgram: an error on one device is that device's log and status; what the others have stays", () => {
  const program = clCreateProgramWithSource(context, [
    `#ifdef WRONG
#error on purpose
#endif
kernel void k(global int* out) { *out = 1; }`,
  ]);
  clBuildProgram(program, [left]);
  expectError(
    () => {
      clBuildProgram(program, [right], "-DWRONG");
    },
    "CL_BUILD_PROGRAM_FAILURE",
    /on purpose/u,
  );
  expect(all.map((each) => clGetProgramBuildInfo(program, each, "CL_PROGRAM_BUILD_STATUS"))).toEqual([
    "CL_BUILD_NONE",
    "CL_BUILD_SUCCESS",
    "CL_BUILD_ERROR",
  ]);
  expect(clGetProgramBuildInfo(program, right, "CL_PROGRAM_BUILD_LOG")).toMatch(/on purpose/u);
  expect(clGetProgramBuildInfo(program, left, "CL_PROGRAM_BUILD_LOG")).not.toMatch(/on purpose/u);
  const kernel = clCreateKernel(program, "k");
  const buffer = ints(0);
  clSetKernelArg(kernel, 0, buffer);
  clEnqueueNDRangeKernel(first, kernel, 1, null, [1], null);
  expect(read(first, buffer)).toEqual([1]);
});

test("clEnqueueNDRangeKernel: CL_INVALID_PROGRAM_EXECUTABLE on a device that the program was not built for", () => {
  const kernel = adding(built("", [left, right]), ints(1), 1);
  expectError(
    () => clEnqueueNDRangeKernel(whole, kernel, 1, null, [1], null),
    "CL_INVALID_PROGRAM_EXECUTABLE",
    /is not built for the device/u,
  );
});

test("clEnqueueNDRangeKernel: CL_INVALID_PROGRAM_EXECUTABLE on a device whose executable lacks the kernel", () => {
  const program = clCreateProgramWithSource(context, [
    `#ifdef MORE
kernel void more(global int* out) { *out = 1; }
#endif
kernel void k(global int* out) { *out = 2; }`,
  ]);
  clBuildProgram(program, [left], "-DMORE");
  clBuildProgram(program, [right]);
  const more = clCreateKernel(program, "more");
  const buffer = ints(0);
  clSetKernelArg(more, 0, buffer);
  clEnqueueNDRangeKernel(first, more, 1, null, [1], null);
  expect(read(first, buffer)).toEqual([1]);
  expectError(
    () => clEnqueueNDRangeKernel(second, more, 1, null, [1], null),
    "CL_INVALID_PROGRAM_EXECUTABLE",
    /has no kernel "more"/u,
  );
});

test("clCommandNDRangeKernelKHR: on each device; CL_INVALID_PROGRAM_EXECUTABLE on one that the program was not built for", () => {
  const buffer = ints(1);
  const kernel = adding(built("", [left, right]), buffer, 1);
  for (const queue of [first, second]) {
    const commands = clCreateCommandBufferKHR([queue]);
    clCommandNDRangeKernelKHR(commands, null, null, kernel, 1, null, [1], null);
    clFinalizeCommandBufferKHR(commands);
    clEnqueueCommandBufferKHR(null, commands);
    clFinish(queue);
  }
  expect(read(first, buffer)).toEqual([3]);
  expectError(
    () => clCommandNDRangeKernelKHR(clCreateCommandBufferKHR([whole]), null, null, kernel, 1, null, [1], null),
    "CL_INVALID_PROGRAM_EXECUTABLE",
    /is not built for the device/u,
  );
});

test("clGetKernelSuggestedLocalWorkSizeKHR: CL_INVALID_PROGRAM_EXECUTABLE on a device that the program was not built for", () => {
  const kernel = adding(built("", [left]), ints(1), 1);
  expect(clGetKernelSuggestedLocalWorkSizeKHR(first, kernel, 1, null, [1])).toEqual([1]);
  expectError(
    () => clGetKernelSuggestedLocalWorkSizeKHR(second, kernel, 1, null, [1]),
    "CL_INVALID_PROGRAM_EXECUTABLE",
    /is not built for the device/u,
  );
});

test("clEnqueueTask: CL_INVALID_PROGRAM_EXECUTABLE on a device that the program was not built for", () => {
  const kernel = adding(built("", [left]), ints(1), 1);
  expectError(() => clEnqueueTask(second, kernel), "CL_INVALID_PROGRAM_EXECUTABLE", /is not built for the device/u);
});

const TWO = `#ifdef WIDE
kernel void k(global float* out, float x) { *out = x; }
#else
kernel void k(global int* out) { *out = 1; }
#endif
kernel void same(global int* out) { *out = 3; }`;

test("clCreateKernel: CL_INVALID_KERNEL_DEFINITION for a kernel that takes other arguments on another device", () => {
  const program = clCreateProgramWithSource(context, [TWO]);
  clBuildProgram(program, [left]);
  expect(clCreateKernel(program, "same").info.name).toBe("same");
  const alone = clCreateKernel(program, "k");
  clReleaseKernel(alone);
  const other = clCreateProgramWithSource(context, [TWO]);
  clBuildProgram(other, [left]);
  clBuildProgram(other, [right], "-DWIDE");
  expectError(
    () => clCreateKernel(other, "k"),
    "CL_INVALID_KERNEL_DEFINITION",
    /does not take the same arguments on all devices/u,
  );
  expect(clCreateKernelsInProgram(other).map(({ info }) => info.name)).toEqual(["same"]);
});

test("clEnqueueNDRangeKernel: a local size that the source requires on one device holds there only", () => {
  const program = clCreateProgramWithSource(context, [
    `kernel __attribute__((reqd_work_group_size(SIZE, 1, 1))) void k(global int* out) {
      out[get_global_id(0)] = get_local_size(0);
    }`,
  ]);
  clBuildProgram(program, [left], "-DSIZE=2");
  clBuildProgram(program, [right], "-DSIZE=4");
  const kernel = clCreateKernel(program, "k");
  const buffer = ints(0, 0, 0, 0);
  clSetKernelArg(kernel, 0, buffer);
  expect(
    [left, right].map((each) => clGetKernelWorkGroupInfo(kernel, each, "CL_KERNEL_COMPILE_WORK_GROUP_SIZE")),
  ).toEqual([
    [2, 1, 1],
    [4, 1, 1],
  ]);
  clEnqueueNDRangeKernel(first, kernel, 1, null, [4], [2]);
  expect(read(first, buffer)).toEqual([2, 2, 2, 2]);
  expectError(
    () => clEnqueueNDRangeKernel(second, kernel, 1, null, [4], [2]),
    "CL_INVALID_WORK_GROUP_SIZE",
    /requires the local size 4/u,
  );
  clEnqueueNDRangeKernel(second, kernel, 1, null, [4], [4]);
  expect(read(second, buffer)).toEqual([4, 4, 4, 4]);
});

test("clGetKernelWorkGroupInfo and clGetKernelSubGroupInfo: CL_INVALID_DEVICE for no device where the kernel has several; with one it is that", () => {
  const several = clCreateKernel(built(), "add");
  expectError(
    () => clGetKernelWorkGroupInfo(several, null, "CL_KERNEL_WORK_GROUP_SIZE"),
    "CL_INVALID_DEVICE",
    /is for 3 devices; pass one/u,
  );
  expectError(
    () => clGetKernelSubGroupInfo(several, null, "CL_KERNEL_MAX_NUM_SUB_GROUPS"),
    "CL_INVALID_DEVICE",
    /is for 3 devices; pass one/u,
  );
  for (const each of all)
    expect(clGetKernelWorkGroupInfo(several, each, "CL_KERNEL_WORK_GROUP_SIZE")).toBeGreaterThan(0);
  const alone = clCreateKernel(built("", [right]), "add");
  expect(clGetKernelWorkGroupInfo(alone, null, "CL_KERNEL_WORK_GROUP_SIZE")).toBe(
    clGetKernelWorkGroupInfo(alone, right, "CL_KERNEL_WORK_GROUP_SIZE"),
  );
  expect(clGetKernelSubGroupInfo(alone, null, "CL_KERNEL_MAX_NUM_SUB_GROUPS")).toBe(
    clGetKernelSubGroupInfo(alone, right, "CL_KERNEL_MAX_NUM_SUB_GROUPS"),
  );
  expectError(
    () => clGetKernelWorkGroupInfo(alone, left, "CL_KERNEL_WORK_GROUP_SIZE"),
    "CL_INVALID_DEVICE",
    /was not built for it/u,
  );
  expectError(
    () => clGetKernelSubGroupInfo(alone, left, "CL_KERNEL_MAX_NUM_SUB_GROUPS"),
    "CL_INVALID_DEVICE",
    /was not built for it/u,
  );
});

const binaries = clGetProgramInfo(built(), "CL_PROGRAM_BINARIES");

test("clCreateProgramWithBinary: a binary for each device, with a status for each; they run", () => {
  const statuses: number[] = [-99];
  const program = clCreateProgramWithBinary(context, all, binaries, statuses);
  expect(statuses).toEqual([0, 0, 0]);
  expect(clGetProgramInfo(program, "CL_PROGRAM_NUM_DEVICES")).toBe(3);
  clBuildProgram(program);
  const buffer = ints(5);
  const kernel = adding(program, buffer, 2);
  for (const queue of queues) {
    clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null);
    clFinish(queue);
  }
  expect(read(whole, buffer)).toEqual([11]);
});

test("clCreateProgramWithBinary: for some of the devices; the program is for those", () => {
  const program = clCreateProgramWithBinary(context, [right, left], binaries.slice(1));
  expect(clGetProgramInfo(program, "CL_PROGRAM_DEVICES")).toEqual([right, left]);
  expect(clGetProgramInfo(program, "CL_PROGRAM_NUM_DEVICES")).toBe(2);
  expectError(
    () => {
      clBuildProgram(program, [device]);
    },
    "CL_INVALID_DEVICE",
    /the program was not created for it/u,
  );
  expectError(
    () => clGetProgramBuildInfo(program, device, "CL_PROGRAM_BUILD_STATUS"),
    "CL_INVALID_DEVICE",
    /the program was not created for it/u,
  );
  clBuildProgram(program);
  expectError(
    () => clEnqueueNDRangeKernel(whole, adding(program, ints(1), 1), 1, null, [1], null),
    "CL_INVALID_PROGRAM_EXECUTABLE",
    /is not built for the device/u,
  );
});

const JUNK = new Uint8Array(64);
const BAD_BINARIES: readonly (readonly [
  what: string,
  list: readonly Uint8Array[],
  error: ErrorName,
  statuses: readonly number[],
])[] = [
  [
    "bytes that are no program, at the end",
    [binaries[0] as Uint8Array, binaries[1] as Uint8Array, JUNK],
    "CL_INVALID_BINARY",
    [0, 0, -42],
  ],
  [
    "bytes that are no program, in front",
    [JUNK, binaries[1] as Uint8Array, binaries[2] as Uint8Array],
    "CL_INVALID_BINARY",
    [-42, 0, 0],
  ],
  [
    "an empty one in the middle",
    [binaries[0] as Uint8Array, new Uint8Array(0), binaries[2] as Uint8Array],
    "CL_INVALID_VALUE",
    [0, -30, 0],
  ],
  ["none that is right", [JUNK, JUNK, new Uint8Array(0)], "CL_INVALID_BINARY", [-42, -42, -30]],
];

test.each(BAD_BINARIES)(
  "clCreateProgramWithBinary: the status of %s is at its index",
  (_what, list, error, expected) => {
    const statuses: number[] = [];
    expect(errorOf(() => clCreateProgramWithBinary(context, all, list, statuses)).name).toBe(error);
    expect(statuses).toEqual(expected);
  },
);

test("clCreateProgramWithBinary: CL_INVALID_DEVICE for a device that is named twice", () => {
  expectError(
    () => clCreateProgramWithBinary(context, [left, left], binaries.slice(0, 2)),
    "CL_INVALID_DEVICE",
    /listed twice/u,
  );
});

test("clLinkProgram: objects of each device; a device for which no input was compiled gets nothing", () => {
  const program = clCreateProgramWithSource(context, [SOURCE]);
  clCompileProgram(program, [left, right]);
  const linked = clLinkProgram(context, null, "", [program]);
  expect(all.map((each) => clGetProgramBuildInfo(linked, each, "CL_PROGRAM_BUILD_STATUS"))).toEqual([
    "CL_BUILD_NONE",
    "CL_BUILD_SUCCESS",
    "CL_BUILD_SUCCESS",
  ]);
  const buffer = ints(1);
  const kernel = adding(linked, buffer, 1);
  clEnqueueNDRangeKernel(second, kernel, 1, null, [1], null);
  expect(read(second, buffer)).toEqual([2]);
});

test("clLinkProgram: CL_INVALID_OPERATION where some inputs have an object for a device and others have none", () => {
  const one = clCreateProgramWithSource(context, [SOURCE]);
  const two = clCreateProgramWithSource(context, ["int helper(void) { return 1; }"]);
  clCompileProgram(one);
  clCompileProgram(two, [left]);
  expectError(
    () => clLinkProgram(context, null, "", [one, two]),
    "CL_INVALID_OPERATION",
    /input 1 has no compiled object/u,
  );
  expect(clGetProgramInfo(clLinkProgram(context, [left], "", [one, two]), "CL_PROGRAM_DEVICES")).toEqual([left]);
});

test("program-scope variables are each device's own", () => {
  const program = built(
    "-cl-std=CL3.0",
    null,
    `global int count = 3;
    kernel void k(global int* out) { *out = ++count; }`,
  );
  const kernel = clCreateKernel(program, "k");
  const buffer = ints(0);
  clSetKernelArg(kernel, 0, buffer);
  const next = (queue: CommandQueue): number => {
    clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null);
    return read(queue, buffer)[0] as number;
  };
  expect([next(first), next(first), next(second), next(first), next(whole)]).toEqual([4, 5, 4, 6, 4]);
});

test("clEnqueueCopyBuffer and clEnqueueFillBuffer: queues of all devices on the same buffers and parts of them", () => {
  const from = ints(...Array.from({ length: 64 }, (_, i) => i));
  const to = clCreateBuffer(context, CL_MEM_READ_WRITE, 256);
  const part = clCreateSubBuffer(to, 0, { origin: 128, size: 64 });
  const filled = clEnqueueFillBuffer(first, to, int(-1), 0, 256);
  const copied = clEnqueueCopyBuffer(second, from, part, 4, 0, 8, [filled]);
  expect(read(whole, to, [copied]).slice(30, 36)).toEqual([-1, -1, 1, 2, -1, -1]);
});

test("clEnqueueMapBuffer: a map of one device's queue is unmapped by another one's", () => {
  const buffer = ints(1, 2);
  const { array } = clEnqueueMapBuffer(first, buffer, true, 3, 0, 8);
  new Int32Array(array.buffer, array.byteOffset, 2)[1] = 9;
  const unmapped = clEnqueueUnmapMemObject(second, buffer, array);
  expect(read(whole, buffer, [unmapped])).toEqual([1, 9]);
});

test("clEnqueueMigrateMemObjects: objects go to any device of the context and keep their bytes", () => {
  const buffer = ints(3, 1);
  const moved = clEnqueueMigrateMemObjects(second, [buffer], 0);
  expect(read(first, buffer, [moved])).toEqual([3, 1]);
});

test("clCreateImage: a kernel of each device reads the image that they share", () => {
  const image = clCreateImage(
    context,
    CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
    { channelOrder: "CL_R", channelType: "CL_UNSIGNED_INT8" },
    { type: "CL_MEM_OBJECT_IMAGE2D", width: 2, height: 2 },
    Uint8Array.of(1, 2, 3, 4),
  );
  const sampler = clCreateSampler(context, false, "CL_ADDRESS_CLAMP", "CL_FILTER_NEAREST");
  const kernel = clCreateKernel(
    built(
      "",
      null,
      `kernel void k(read_only image2d_t from, sampler_t how, global int* out) {
        *out += read_imageui(from, how, (int2)(1, 1)).x;
      }`,
    ),
    "k",
  );
  const buffer = ints(0);
  clSetKernelArg(kernel, 0, image);
  clSetKernelArg(kernel, 1, sampler);
  clSetKernelArg(kernel, 2, buffer);
  for (const queue of queues) {
    clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null);
    clFinish(queue);
  }
  expect(read(whole, buffer)).toEqual([12]);
  const pixels = new Uint8Array(4);
  clEnqueueReadImage(second, image, true, [0, 0, 0], [2, 2, 1], 0, 0, pixels);
  expect([...pixels]).toEqual([1, 2, 3, 4]);
  expect(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, "CL_MEM_OBJECT_IMAGE2D").length).toBeGreaterThan(0);
});

test("clSVMAlloc: every device sees an allocation of the context at the same address", () => {
  const pointer = clSVMAlloc(context, CL_MEM_READ_WRITE, 4);
  const kernel = clCreateKernel(
    built("-cl-std=CL3.0", null, `kernel void k(global int* out, ulong at) { *out = *(global int*)(size_t)at; }`),
    "k",
  );
  new Int32Array(svmView(context, pointer, 4).buffer, pointer, 1)[0] = 77;
  const buffer = ints(0);
  clSetKernelArg(kernel, 0, buffer);
  clSetKernelArg(kernel, 1, BigUint64Array.of(BigInt(pointer)));
  for (const queue of queues) {
    clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null);
    expect(read(queue, buffer)).toEqual([77]);
    clEnqueueFillBuffer(queue, buffer, int(0), 0, 4);
    clFinish(queue);
  }
  clSVMFree(context, pointer);
});

test("clCreateUserEvent: commands of every device wait for it", () => {
  const gate = clCreateUserEvent(context);
  const buffer = ints(0, 0, 0);
  const events = queues.map((queue, i) => clEnqueueFillBuffer(queue, buffer, int(i + 1), i * 4, 4, [gate]));
  expect(events.every((event) => clGetEventInfo(event, "CL_EVENT_COMMAND_EXECUTION_STATUS") > 0)).toBe(true);
  clSetUserEventStatus(gate, 0);
  clWaitForEvents(events);
  expect(read(whole, buffer)).toEqual([1, 2, 3]);
});

test("a command of one device that fails takes those of other devices along that wait for it", async () => {
  const gate = clCreateUserEvent(context);
  const buffer = ints(5);
  const lost = clEnqueueFillBuffer(first, buffer, int(1), 0, 4, [gate]);
  const alsoLost = clEnqueueFillBuffer(second, buffer, int(2), 0, 4, [lost]);
  clSetUserEventStatus(gate, -5);
  expectError(
    () => {
      clWaitForEvents([alsoLost]);
    },
    "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
    /./u,
  );
  expect(read(whole, buffer)).toEqual([5]);
  // The first one was never queried: the context receives its failure from the event loop.
  await vi.waitFor(() => {
    expect(told).toHaveLength(1);
  });
  expect(told).toEqual([expect.stringMatching(/the user event was set to -5/u)]);
});

test("clGetEventProfilingInfo: all devices of a context have one clock", () => {
  const buffer = ints(0);
  const before = clEnqueueFillBuffer(first, buffer, int(1), 0, 4);
  const later = clEnqueueFillBuffer(second, buffer, int(2), 0, 4, [before]);
  clWaitForEvents([later]);
  clFinish(first);
  expect(clGetEventProfilingInfo(later, "CL_PROFILING_COMMAND_START")).toBeGreaterThanOrEqual(
    clGetEventProfilingInfo(before, "CL_PROFILING_COMMAND_END"),
  );
});

test("clBuildProgram: CL_INVALID_DEVICE for a device of another context", () => {
  const [part] = clCreateSubDevices(device, { CL_DEVICE_PARTITION_EQUALLY: 1 }) as [SubDevice];
  const program = clCreateProgramWithSource(context, [SOURCE]);
  expectError(
    () => {
      clBuildProgram(program, [part]);
    },
    "CL_INVALID_DEVICE",
    /does not belong to the program's context/u,
  );
  expectError(() => clCreateCommandQueue(context, part), "CL_INVALID_DEVICE", /does not belong to this context/u);
  clReleaseDevice(part);
});
