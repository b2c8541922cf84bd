// SPDX-License-Identifier: Apache-2.0
// Our own extensions: how kernels are vectorized, options from the environment, threads, clSetKernelExecInfo for OpenCL
// 1.2.
import { spawnSync } from "node:child_process";

import { hostTarget } from "@muxkit/host";
import { ok } from "@muxkit/cargo";
import { registerTarget } from "@muxkit/mux";
import {
  CL_DEVICE_TYPE_ALL,
  CL_MEM_READ_WRITE,
  CL_QUEUE_PROFILING_ENABLE,
  type Device,
  type ErrorName,
  type Kernel,
  clBuildProgram,
  clCompileProgram,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateCommandQueueWithProperties,
  clCreateContext,
  clCreateKernel,
  clCreateProgramWithBinary,
  clCreateProgramWithIL,
  clCreateProgramWithSource,
  clCreateSubDevices,
  clEnqueueNDRangeKernel,
  clFinish,
  clGetCommandQueueInfo,
  clGetDeviceIDs,
  clGetDeviceInfo,
  clGetEventProfilingInfo,
  clGetKernelWFVInfoMUXKIT,
  clGetPlatformInfo,
  clGetProgramBuildInfo,
  clGetProgramInfo,
  clLinkProgram,
  clReleaseKernel,
  clSVMAlloc,
  clSVMFree,
  clSetKernelArg,
  clSetKernelExecInfoMUXKIT,
  clSetThreadsMUXKIT,
  clWaitForEvents,
  setCompilerModeEdge,
  type Program,
} from "@muxkit/opencl";
import { disassemble, parseModule, validateModule } from "@muxkit/spirv";
import { afterEach, expect, test } from "vitest";

import {
  SOURCE,
  context,
  device,
  expectError,
  int,
  ints,
  kernelOf,
  kernelsOf,
  newQueue,
  platform,
  readInts,
} from "./rig.ts";

const queue = newQueue();
afterEach(() => {
  setCompilerModeEdge(null);
});

/** Hands in environment variables. */
function environment(variables: Readonly<Record<string, string>>): void {
  setCompilerModeEdge({
    variable: (name) => variables[name],
    openLibrary: () => {
      throw new Error("there is none");
    },
    preloadedBinary: () => ok(null),
  });
}

test("clGetKernelWFVInfoMUXKIT: lanes along x where kernels are vectorized, one where they are not", () => {
  const source = `kernel void scale(global float* data) { data[get_global_id(0)] *= 2; }`;
  const [always] = kernelsOf(source, "-cl-wfv=always", ["scale"]) as readonly [Kernel];
  const [never] = kernelsOf(source, "-cl-wfv=never", ["scale"]) as readonly [Kernel];
  expect(clGetKernelWFVInfoMUXKIT(always, device, [64], "CL_KERNEL_WFV_STATUS_MUXKIT")).toBe("CL_WFV_SUCCESS_MUXKIT");
  const [x, y, z] = clGetKernelWFVInfoMUXKIT(always, device, [64], "CL_KERNEL_WFV_WIDTHS_MUXKIT");
  expect(x).toBeGreaterThan(1);
  expect([y, z]).toEqual([1, 1]);
  expect(clGetKernelWFVInfoMUXKIT(never, device, [64, 1, 1], "CL_KERNEL_WFV_STATUS_MUXKIT")).toBe("CL_WFV_NONE_MUXKIT");
  expect(clGetKernelWFVInfoMUXKIT(never, device, [8, 8], "CL_KERNEL_WFV_WIDTHS_MUXKIT")).toEqual([1, 1, 1]);
});

/** A program that was compiled, with a kernel of this name. */
function object(name: string, options: string): Program {
  const program = clCreateProgramWithSource(context, [
    `kernel void ${name}(global float* x) { x[get_global_id(0)] *= 2.0f; }`,
  ]);
  clCompileProgram(program, null, options);
  return program;
}

test("-cl-wfv holds at links: kernels keep what their objects were compiled with, unless the link overrides it, and the log of the link reports it", () => {
  const objects = [object("alone", "-cl-wfv=never"), object("plain", "")];
  const statuses = (options: string): readonly string[] => {
    const linked = clLinkProgram(context, null, options, objects);
    expect(clGetProgramBuildInfo(linked, device, "CL_PROGRAM_BUILD_LOG")).toMatch(
      /note: kernel alone: [^]*note: kernel plain: /u,
    );
    return ["alone", "plain"].map((name) =>
      clGetKernelWFVInfoMUXKIT(clCreateKernel(linked, name), device, [64], "CL_KERNEL_WFV_STATUS_MUXKIT"),
    );
  };
  expect(statuses("")).toEqual(["CL_WFV_NONE_MUXKIT", "CL_WFV_SUCCESS_MUXKIT"]);
  expect(statuses("-cl-wfv=always")).toEqual(["CL_WFV_SUCCESS_MUXKIT", "CL_WFV_SUCCESS_MUXKIT"]);
  expect(statuses("-cl-wfv=never")).toEqual(["CL_WFV_NONE_MUXKIT", "CL_WFV_NONE_MUXKIT"]);
});

const add: Kernel = kernelOf(SOURCE, "add", ints(1), int(1));
const gone: Kernel = kernelOf(SOURCE, "add");
clReleaseKernel(gone);
const [part] = clCreateSubDevices(device, { CL_DEVICE_PARTITION_EQUALLY: 1 }) as readonly Device[] as readonly [Device];

const WFV_ERRORS: readonly (readonly [name: string, error: ErrorName, run: () => unknown, message: RegExp])[] = [
  [
    "clGetKernelWFVInfoMUXKIT",
    "CL_INVALID_KERNEL",
    () => clGetKernelWFVInfoMUXKIT(gone, device, [1], "CL_KERNEL_WFV_STATUS_MUXKIT"),
    /has been released/u,
  ],
  [
    "clGetKernelWFVInfoMUXKIT",
    "CL_INVALID_DEVICE",
    () => clGetKernelWFVInfoMUXKIT(add, part, [1], "CL_KERNEL_WFV_STATUS_MUXKIT"),
    /does not belong to the kernel's context/u,
  ],
  [
    "clGetKernelWFVInfoMUXKIT",
    "CL_INVALID_WORK_DIMENSION",
    () => clGetKernelWFVInfoMUXKIT(add, device, [], "CL_KERNEL_WFV_STATUS_MUXKIT"),
    /0 is not a number of dimensions/u,
  ],
  [
    "clGetKernelWFVInfoMUXKIT",
    "CL_INVALID_WORK_GROUP_SIZE",
    () => clGetKernelWFVInfoMUXKIT(add, device, [0], "CL_KERNEL_WFV_STATUS_MUXKIT"),
    /a work-group cannot have 0/u,
  ],
  [
    "clGetKernelWFVInfoMUXKIT",
    "CL_INVALID_WORK_GROUP_SIZE",
    () => clGetKernelWFVInfoMUXKIT(add, device, [2 ** 10, 2 ** 10], "CL_KERNEL_WFV_STATUS_MUXKIT"),
    /a work-group cannot have/u,
  ],
  [
    "clGetKernelWFVInfoMUXKIT",
    "CL_INVALID_VALUE",
    () => clGetKernelWFVInfoMUXKIT(add, device, [1], "CL_KERNEL_COLOUR" as "CL_KERNEL_WFV_STATUS_MUXKIT"),
    /is not a token/u,
  ],
  [
    "clSetKernelExecInfoMUXKIT",
    "CL_INVALID_KERNEL",
    () => {
      clSetKernelExecInfoMUXKIT(gone, "CL_KERNEL_EXEC_INFO_SVM_PTRS", [1]);
    },
    /has been released/u,
  ],
  [
    "clSetKernelExecInfoMUXKIT",
    "CL_INVALID_VALUE",
    () => {
      clSetKernelExecInfoMUXKIT(add, "CL_KERNEL_EXEC_INFO_SVM_PTRS", [12]);
    },
    /is not within an allocation/u,
  ],
  [
    "clSetKernelExecInfoMUXKIT",
    "CL_INVALID_OPERATION",
    () => {
      clSetKernelExecInfoMUXKIT(add, "CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM", true);
    },
    /cannot access memory of the host/u,
  ],
  [
    "clSetThreadsMUXKIT",
    "CL_INVALID_DEVICE",
    () => {
      clSetThreadsMUXKIT(part, 1);
    },
    /a device of the platform/u,
  ],
  [
    "clSetThreadsMUXKIT",
    "CL_INVALID_OPERATION",
    () => {
      clSetThreadsMUXKIT(device, 1);
    },
    /is already in use/u,
  ],
];

test.each(WFV_ERRORS)("%s: %s", (_name, error, run, message) => {
  expectError(run, error, message);
});

/** Results of the kernel `mix` of a program that is built. */
function mixed(program: Program): number[] {
  const data = ints(1, 2, 3, 4);
  const kernel = clCreateKernel(program, "mix");
  clSetKernelArg(kernel, 0, data);
  clSetKernelArg(kernel, 1, int(5));
  clEnqueueNDRangeKernel(queue, kernel, 1, null, [4], null);
  return readInts(queue, data);
}

const MIX = `int scaled(int x, int by) { return x * by + FACTOR; }
kernel void mix(global int* data, int by) { int i = get_global_id(0); data[i] = max(scaled(data[i], by), 12); }`;

const spirv = (of: Program): Uint8Array => clGetProgramBuildInfo(of, device, "CL_PROGRAM_BUILD_SPIRV_MUXKIT");

/** What spirv-val says of a module; nothing where it is not here, which is told. */
function complaints(module: Uint8Array): string {
  const { error, stderr } = spawnSync("spirv-val", ["--target-env", "opencl2.2", "-"], { input: module });
  if (error === undefined) return stderr.toString();
  console.warn("!! spirv-val is not here (Debian package spirv-tools): what it says of a module is not asked");
  return "";
}

test("cl_muxkit_program_spirv: CL_PROGRAM_BUILD_SPIRV_MUXKIT of a program from source makes a program of the same results", () => {
  const program = clCreateProgramWithSource(context, [MIX]);
  expect(spirv(program)).toEqual(new Uint8Array(0));
  clBuildProgram(program, [device], "-DFACTOR=2");
  const results = mixed(program);
  expect(results).toEqual([12, 12, 17, 22]);
  const module = spirv(program);
  const parsed = parseModule(module);
  expect(parsed.ok && validateModule(parsed.value, { environment: "opencl" })).toEqual([]);
  expect(complaints(module)).toBe("");
  const again = clCreateProgramWithIL(context, module);
  clBuildProgram(again, [device]);
  expect(mixed(again)).toEqual(results);
  // CL_PROGRAM_IL is what a program was created with.
  expect(clGetProgramInfo(program, "CL_PROGRAM_IL")).toEqual(new Uint8Array(0));
});

test("CL_PROGRAM_BUILD_SPIRV_MUXKIT: lines with -g; compiled objects; nothing of a binary; what SPIR-V cannot express", () => {
  const compiled = clCreateProgramWithSource(context, [MIX]);
  clCompileProgram(compiled, [device], "-g -DFACTOR=1");
  const module = clGetProgramBuildInfo(compiled, device, "CL_PROGRAM_BUILD_SPIRV_MUXKIT");
  const parsed = parseModule(module);
  const text = parsed.ok ? disassemble(parsed.value) : parsed;
  expect(text.ok && text.value).toMatch(/OpLine %\d+ 1 \d+/u);
  const linked = clLinkProgram(context, [device], "", [compiled]);
  expect(clGetProgramBuildInfo(linked, device, "CL_PROGRAM_BUILD_SPIRV_MUXKIT").length).toBeGreaterThan(100);
  const [binary = new Uint8Array(0)] = clGetProgramInfo(linked, "CL_PROGRAM_BINARIES");
  const loaded = clCreateProgramWithBinary(context, [device], [binary]);
  clBuildProgram(loaded, [device]);
  expect(clGetProgramBuildInfo(loaded, device, "CL_PROGRAM_BUILD_SPIRV_MUXKIT")).toEqual(new Uint8Array(0));
  const circle = clCreateProgramWithSource(context, [
    `struct node { global struct node* next; };
     extern global struct node second;
     global struct node first = {&second};
     global struct node second = {&first};
     kernel void k(global int* p) { p[0] = first.next == &second; }`,
  ]);
  clBuildProgram(circle, [device], "-cl-std=CL3.0");
  expectError(
    () => clGetProgramBuildInfo(circle, device, "CL_PROGRAM_BUILD_SPIRV_MUXKIT"),
    "CL_INVALID_OPERATION",
    /as SPIR-V: .*point to one another in a circle/u,
  );
});

test("clSetKernelExecInfoMUXKIT: takes what clSetKernelExecInfo takes", () => {
  const pointer = clSVMAlloc(context, CL_MEM_READ_WRITE, 8);
  clSetKernelExecInfoMUXKIT(add, "CL_KERNEL_EXEC_INFO_SVM_PTRS", [pointer]);
  clEnqueueNDRangeKernel(queue, add, 1, null, [1], null);
  clFinish(queue);
  expect(add.arguments[0]?.buffer).not.toBeNull();
  clSVMFree(context, pointer);
});

test("clSetThreadsMUXKIT: before anything is made of a device; then its compute units are as many, and commands run", () => {
  // Other files of this process register targets too, of lower priority.
  const number = registerTarget(hostTarget({ threads: 4 }));
  const other = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL).find(({ info }) => (info.id & 0xff) === number) as Device;
  expect(clGetDeviceInfo(other, "CL_DEVICE_MAX_COMPUTE_UNITS")).toBe(4);
  for (const count of [0, 5, 1.5]) {
    expectError(
      () => {
        clSetThreadsMUXKIT(other, count);
      },
      "CL_INVALID_VALUE",
      /has 4 compute units/u,
    );
  }
  clSetThreadsMUXKIT(other, 1);
  clSetThreadsMUXKIT(other, 3);
  expect(clGetDeviceInfo(other, "CL_DEVICE_MAX_COMPUTE_UNITS")).toBe(3);
  const own = clCreateContext([other]);
  const program = clCreateProgramWithSource(own, [SOURCE]);
  clBuildProgram(program);
  const kernel = clCreateKernel(program, "add");
  const data = clCreateBuffer(own, CL_MEM_READ_WRITE, 4);
  clSetKernelArg(kernel, 0, data);
  clSetKernelArg(kernel, 1, int(3));
  const target = clCreateCommandQueue(own, other);
  clEnqueueNDRangeKernel(target, kernel, 1, null, [1], null);
  clFinish(target);
  expect(readInts(target, data)).toEqual([3]);
  expect(clCreateSubDevices(other, { CL_DEVICE_PARTITION_EQUALLY: 1 })).toHaveLength(3);
});

test("CL_DEVICE_PERFORMANCE_COUNTERS_MUXKIT: what is counted, by number, with words", () => {
  const counters = clGetDeviceInfo(device, "CL_DEVICE_PERFORMANCE_COUNTERS_MUXKIT");
  expect(counters.map(({ uuid, name, unit }) => [uuid, name, unit])).toEqual([
    [0, "units", "generic"],
    [1, "time", "nanoseconds"],
  ]);
  for (const { category, description } of counters) expect(`${category}: ${description}`).toMatch(/^\w+: [A-Z].*\.$/u);
});

test("clGetEventProfilingInfo: CL_PROFILING_PERFORMANCE_COUNTERS_MUXKIT returns the values of the queue's counters for each command", () => {
  const counting = clCreateCommandQueueWithProperties(context, device, {
    CL_QUEUE_PROPERTIES: CL_QUEUE_PROFILING_ENABLE,
    CL_QUEUE_PERFORMANCE_COUNTERS_MUXKIT: [1, 0],
  });
  expect(clGetCommandQueueInfo(counting, "CL_QUEUE_PROPERTIES_ARRAY")).toEqual({
    CL_QUEUE_PROPERTIES: CL_QUEUE_PROFILING_ENABLE,
    CL_QUEUE_PERFORMANCE_COUNTERS_MUXKIT: [1, 0],
  });
  const groups = [1, 7, 64];
  const kernel = kernelOf(SOURCE, "add", ints(...Array.from({ length: 256 }, () => 0)), int(1));
  const events = [...groups, ...groups].map((count) =>
    clEnqueueNDRangeKernel(counting, kernel, 1, null, [count * 4], [4]),
  );
  const fault = clEnqueueNDRangeKernel(counting, kernelOf(SOURCE, "fault", ints(1)), 1, null, [1], null);
  const after = clEnqueueNDRangeKernel(counting, kernel, 1, null, [12], [4]);
  clFinish(counting);
  expect(
    [...events, after].map((event) => clGetEventProfilingInfo(event, "CL_PROFILING_PERFORMANCE_COUNTERS_MUXKIT")[1]),
  ).toEqual([...groups, ...groups, 3]);
  for (const event of events) {
    const [time] = clGetEventProfilingInfo(event, "CL_PROFILING_PERFORMANCE_COUNTERS_MUXKIT");
    expect(time).toBeGreaterThanOrEqual(0);
    expect(time).toBeLessThanOrEqual(
      clGetEventProfilingInfo(event, "CL_PROFILING_COMMAND_END") -
        clGetEventProfilingInfo(event, "CL_PROFILING_COMMAND_START"),
    );
  }
  expectError(
    () => clGetEventProfilingInfo(fault, "CL_PROFILING_PERFORMANCE_COUNTERS_MUXKIT"),
    "CL_PROFILING_INFO_NOT_AVAILABLE",
    /the command failed/u,
  );
  const plain = clEnqueueNDRangeKernel(newQueue(CL_QUEUE_PROFILING_ENABLE), kernel, 1, null, [4], null);
  clWaitForEvents([plain]);
  expectError(
    () => clGetEventProfilingInfo(plain, "CL_PROFILING_PERFORMANCE_COUNTERS_MUXKIT"),
    "CL_PROFILING_INFO_NOT_AVAILABLE",
    /nothing was counted/u,
  );
});

const countingQueue = (list: readonly number[], properties = CL_QUEUE_PROFILING_ENABLE): unknown =>
  clCreateCommandQueueWithProperties(context, device, {
    CL_QUEUE_PROPERTIES: properties,
    CL_QUEUE_PERFORMANCE_COUNTERS_MUXKIT: list,
  });

test("clCreateCommandQueueWithProperties: CL_INVALID_VALUE for counters that are none, twice or without times, CL_INVALID_QUEUE_PROPERTIES for ones that the device does not have", () => {
  for (const list of [[], [0, 0], 1 as unknown as readonly number[]])
    expectError(() => countingQueue(list), "CL_INVALID_VALUE", /a list of different counters/u);
  expectError(() => countingQueue([0], 0), "CL_INVALID_VALUE", /requires CL_QUEUE_PROFILING_ENABLE/u);
  expectError(
    () => countingQueue([0, 9]),
    "CL_INVALID_QUEUE_PROPERTIES",
    /has no counter 9; it has 0 \(units\), 1 \(time\)/u,
  );
});

/** Builds a program that returns the value it was built with. */
function built(): number {
  const out = ints(0);
  const program = clCreateProgramWithSource(context, [`kernel void k(global int* out) { *out = VALUE; }`]);
  clBuildProgram(program, null, "-DVALUE=1");
  const kernel = clCreateKernel(program, "k");
  clSetKernelArg(kernel, 0, out);
  clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null);
  expect(clGetProgramBuildInfo(program, device, "CL_PROGRAM_BUILD_OPTIONS")).toBe("-DVALUE=1");
  return readInts(queue, out)[0] as number;
}

test("cl_muxkit_extra_build_options: MUXKIT_EXTRA_BUILD_OPTIONS comes after the program's options, MUXKIT_EXTRA_LINK_OPTIONS after those of a link", () => {
  expect(built()).toBe(1);
  environment({ MUXKIT_EXTRA_BUILD_OPTIONS: "-UVALUE -DVALUE=7" });
  expect(built()).toBe(7);
  expect(clGetPlatformInfo(platform, "CL_PLATFORM_EXTENSIONS")).toContain("cl_muxkit_extra_build_options");
  environment({ MUXKIT_EXTRA_BUILD_OPTIONS: "-colour", MUXKIT_EXTRA_LINK_OPTIONS: "-taste" });
  const program = clCreateProgramWithSource(context, [`kernel void k(global int* out) { *out = 1; }`]);
  expectError(
    () => {
      clBuildProgram(program);
    },
    "CL_INVALID_BUILD_OPTIONS",
    /-colour/u,
  );
  expectError(
    () => {
      clCompileProgram(program);
    },
    "CL_INVALID_COMPILER_OPTIONS",
    /-colour/u,
  );
  environment({ MUXKIT_EXTRA_LINK_OPTIONS: "-taste" });
  clCompileProgram(program);
  expectError(() => clLinkProgram(context, null, "", [program]), "CL_INVALID_LINKER_OPTIONS", /-taste/u);
  setCompilerModeEdge(null);
  expect(clGetPlatformInfo(platform, "CL_PLATFORM_EXTENSIONS")).not.toContain("cl_muxkit_extra_build_options");
});
