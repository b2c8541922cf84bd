// SPDX-License-Identifier: Apache-2.0
// Programs and sub-devices: what is built for a device counts for its parts and for theirs, in every query and for
// every launch, until something is built for the part itself (OpenCL 3.0, 5.8.7).
import {
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_READ_WRITE,
  type CommandQueue,
  type Device,
  type Kernel,
  type Program,
  type SubDevice,
  clBuildProgram,
  clCommandNDRangeKernelKHR,
  clCompileProgram,
  clCreateBuffer,
  clCreateCommandBufferKHR,
  clCreateCommandQueue,
  clCreateContext,
  clCreateKernel,
  clCreateKernelsInProgram,
  clCreateProgramWithBinary,
  clCreateProgramWithSource,
  clCreateSubDevices,
  clEnqueueCommandBufferKHR,
  clEnqueueNDRangeKernel,
  clEnqueueReadBuffer,
  clEnqueueTask,
  clFinalizeCommandBufferKHR,
  clFinish,
  clGetKernelSubGroupInfo,
  clGetKernelSuggestedLocalWorkSizeKHR,
  clGetKernelWorkGroupInfo,
  clGetProgramBuildInfo,
  clGetProgramInfo,
  clLinkProgram,
  clReleaseKernel,
  clSetKernelArg,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { device, expectError, int } from "./rig.ts";

const [half] = clCreateSubDevices(device, { CL_DEVICE_PARTITION_BY_COUNTS: [2] }) as [SubDevice];
const [part, sibling] = clCreateSubDevices(half, { CL_DEVICE_PARTITION_BY_COUNTS: [1, 1] }) as [SubDevice, SubDevice];
const all: readonly Device[] = [device, half, part, sibling];
const context = clCreateContext(all);
const queues: readonly CommandQueue[] = all.map((each) => clCreateCommandQueue(context, each));

const SOURCE = `
#ifndef VALUE
#define VALUE 7
#endif
global int kept = 3;
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void k(global int* out) {
  local int scratch[8];
  scratch[0] = VALUE;
  *out = scratch[0];
}`;
const newProgram = (): Program => clCreateProgramWithSource(context, [SOURCE]);

function built(devices: readonly Device[] | null, options: string = ""): Program {
  const program = newProgram();
  clBuildProgram(program, devices, `-cl-std=CL3.0 ${options}`);
  return program;
}

/** What each device's launch of the kernel writes; the name of the error where it is refused. */
function results(program: Program): readonly (number | string)[] {
  const kernel = clCreateKernel(program, "k");
  const written = queues.map((queue) => {
    const buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 4, int(0));
    clSetKernelArg(kernel, 0, buffer);
    try {
      clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null);
    } catch (error) {
      return (error as Error).name;
    }
    const out = int(0);
    clEnqueueReadBuffer(queue, buffer, true, 0, 4, out);
    return out[0] ?? 0;
  });
  clReleaseKernel(kernel);
  return written;
}

const NONE = "CL_INVALID_PROGRAM_EXECUTABLE";

test("clBuildProgram: what is built for a device runs on its parts, and on theirs", () => {
  expect(results(built([device]))).toEqual([7, 7, 7, 7]);
  expect(results(built([half]))).toEqual([NONE, 7, 7, 7]);
  expect(results(built([part]))).toEqual([NONE, NONE, 7, NONE]);
  expect(results(built(null))).toEqual([7, 7, 7, 7]);
});

test("clBuildProgram: what is built for a part itself is what runs there, until a device and the part are built together", () => {
  const program = built([device]);
  clBuildProgram(program, [part], "-DVALUE=9 -cl-std=CL3.0");
  expect(results(program)).toEqual([7, 7, 9, 7]);
  clBuildProgram(program, [device], "-DVALUE=8 -cl-std=CL3.0");
  expect(results(program)).toEqual([8, 8, 9, 8]);
  clBuildProgram(program, [half, part], "-DVALUE=5 -cl-std=CL3.0");
  expect(results(program)).toEqual([8, 5, 5, 5]);
  expect(clGetProgramBuildInfo(program, part, "CL_PROGRAM_BUILD_OPTIONS")).toBe("-DVALUE=5 -cl-std=CL3.0");
});

const BUILD_TOKENS = [
  "CL_PROGRAM_BUILD_STATUS",
  "CL_PROGRAM_BUILD_OPTIONS",
  "CL_PROGRAM_BUILD_LOG",
  "CL_PROGRAM_BINARY_TYPE",
  "CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE",
] as const;

/** Makes a program for the first device only. */
const MADE_FOR_ONE: readonly (readonly [what: string, make: () => Program, type: string])[] = [
  ["built", () => built([device], "-DVALUE=4"), "CL_PROGRAM_BINARY_TYPE_EXECUTABLE"],
  [
    "compiled",
    () => {
      const program = newProgram();
      clCompileProgram(program, [device], "-cl-std=CL3.0");
      return program;
    },
    "CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT",
  ],
  [
    "linked",
    () => {
      const program = newProgram();
      clCompileProgram(program, [device], "-cl-std=CL3.0");
      return clLinkProgram(context, null, "", [program]);
    },
    "CL_PROGRAM_BINARY_TYPE_EXECUTABLE",
  ],
  [
    "a library",
    () => {
      const program = newProgram();
      clCompileProgram(program, [device], "-cl-std=CL3.0");
      return clLinkProgram(context, null, "-create-library", [program]);
    },
    "CL_PROGRAM_BINARY_TYPE_LIBRARY",
  ],
];

test.each(MADE_FOR_ONE)(
  "clGetProgramBuildInfo: parts of a device answer as it does for a program that is %s",
  (_what, make, type) => {
    const program = make();
    expect(clGetProgramBuildInfo(program, device, "CL_PROGRAM_BINARY_TYPE")).toBe(type);
    expect(clGetProgramBuildInfo(program, device, "CL_PROGRAM_BUILD_STATUS")).toBe("CL_BUILD_SUCCESS");
    for (const token of BUILD_TOKENS)
      expect(all.map((each) => clGetProgramBuildInfo(program, each, token))).toEqual(
        all.map(() => clGetProgramBuildInfo(program, device, token)),
      );
    const [first, ...others] = clGetProgramInfo(program, "CL_PROGRAM_BINARIES");
    expect(first?.length).toBeGreaterThan(0);
    expect(others).toEqual([first, first, first]);
    expect(clGetProgramInfo(program, "CL_PROGRAM_BINARY_SIZES")).toEqual(all.map(() => first?.length));
  },
);

test("clGetProgramBuildInfo: a failed build is that of the parts, too; a part that was not asked about has none", () => {
  const program = clCreateProgramWithSource(context, ["kernel void k(void) { x = 1; }"]);
  expectError(
    () => {
      clBuildProgram(program, [half]);
    },
    "CL_BUILD_PROGRAM_FAILURE",
    /"x" is not declared/u,
  );
  expect(all.map((each) => clGetProgramBuildInfo(program, each, "CL_PROGRAM_BUILD_STATUS"))).toEqual([
    "CL_BUILD_NONE",
    "CL_BUILD_ERROR",
    "CL_BUILD_ERROR",
    "CL_BUILD_ERROR",
  ]);
  expect(clGetProgramBuildInfo(program, part, "CL_PROGRAM_BUILD_LOG")).toBe(
    clGetProgramBuildInfo(program, half, "CL_PROGRAM_BUILD_LOG"),
  );
});

test("clGetKernelWorkGroupInfo, clGetKernelSubGroupInfo, clGetKernelSuggestedLocalWorkSizeKHR: parts answer as the device does", () => {
  const kernel = clCreateKernel(built([device]), "k");
  const buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4);
  clSetKernelArg(kernel, 0, buffer);
  const answers = (each: Device, i: number): unknown => [
    clGetKernelWorkGroupInfo(kernel, each, "CL_KERNEL_WORK_GROUP_SIZE"),
    clGetKernelWorkGroupInfo(kernel, each, "CL_KERNEL_COMPILE_WORK_GROUP_SIZE"),
    clGetKernelWorkGroupInfo(kernel, each, "CL_KERNEL_LOCAL_MEM_SIZE"),
    clGetKernelWorkGroupInfo(kernel, each, "CL_KERNEL_PRIVATE_MEM_SIZE"),
    clGetKernelSubGroupInfo(kernel, each, "CL_KERNEL_MAX_NUM_SUB_GROUPS"),
    clGetKernelSubGroupInfo(kernel, each, "CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT", [1]),
    clGetKernelSuggestedLocalWorkSizeKHR(queues[i] as CommandQueue, kernel, 1, null, [1]),
  ];
  expect(all.map(answers)).toEqual(all.map(() => answers(device, 0)));
  expectError(
    () => clGetKernelWorkGroupInfo(kernel, null, "CL_KERNEL_WORK_GROUP_SIZE"),
    "CL_INVALID_DEVICE",
    /the kernel is for 4 devices/u,
  );
});

test("variables outside of functions are each device's own, though the parts run what was built for the device", () => {
  const program = clCreateProgramWithSource(context, [
    "global int kept = 3; kernel void next(global int* out) { *out = ++kept; }",
  ]);
  clBuildProgram(program, [device], "-cl-std=CL3.0");
  const kernel = clCreateKernel(program, "next");
  const buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4);
  clSetKernelArg(kernel, 0, buffer);
  const next = (i: number): number | undefined => {
    const queue = queues[i] as CommandQueue;
    clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null);
    const out = int(0);
    clEnqueueReadBuffer(queue, buffer, true, 0, 4, out);
    return out[0];
  };
  expect([0, 0, 1, 2, 2, 3, 0].map(next)).toEqual([4, 5, 4, 4, 5, 4, 6]);
});

test("clEnqueueTask, clCommandNDRangeKernelKHR and clCreateKernelsInProgram: kernels of a device's program run on its parts", () => {
  const [kernel] = clCreateKernelsInProgram(built([half])) as [Kernel];
  const buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4);
  clSetKernelArg(kernel, 0, buffer);
  const onPart = queues[2] as CommandQueue;
  clEnqueueTask(onPart, kernel);
  const out = int(0);
  clEnqueueReadBuffer(onPart, buffer, true, 0, 4, out);
  expect([...out]).toEqual([7]);
  const commands = clCreateCommandBufferKHR([onPart]);
  clCommandNDRangeKernelKHR(commands, null, null, kernel, 1, null, [1], null);
  clFinalizeCommandBufferKHR(commands);
  clEnqueueCommandBufferKHR(null, commands);
  clFinish(onPart);
  expectError(() => clEnqueueTask(queues[0] as CommandQueue, kernel), NONE, /is not built for the device/u);
});

test("clCreateProgramWithBinary: a binary for a device runs on its parts, and the parts' own on the device", () => {
  const [ofDevice] = clGetProgramInfo(built([device]), "CL_PROGRAM_BINARIES") as [Uint8Array];
  const program = clCreateProgramWithBinary(context, [device], [ofDevice]);
  clBuildProgram(program);
  expect(results(program)).toEqual([7, 7, 7, 7]);
  const ofPart = clGetProgramInfo(built([part]), "CL_PROGRAM_BINARIES")[2] as Uint8Array;
  const other = clCreateProgramWithBinary(context, [device], [ofPart]);
  clBuildProgram(other);
  expect(results(other)).toEqual([7, 7, 7, 7]);
});

test("clLinkProgram: objects of a part's own are linked for it, others for the device", () => {
  const program = newProgram();
  clCompileProgram(program, null, "-DVALUE=2 -cl-std=CL3.0");
  clCompileProgram(program, [part], "-DVALUE=6 -cl-std=CL3.0");
  expect(results(clLinkProgram(context, null, "", [program]))).toEqual([2, 2, 6, 2]);
  expect(results(clLinkProgram(context, [part], "", [program]))).toEqual([NONE, NONE, 6, NONE]);
});
