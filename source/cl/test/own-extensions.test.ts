// Our own extensions: how kernels are vectorized, options from the environment, threads, clSetKernelExecInfo for OpenCL 1.2.
import { hostTarget } from "@muxkit/host";
import { ok } from "@muxkit/cargo";
import { registerTarget } from "@muxkit/mux";
import {
  CL_DEVICE_TYPE_ALL, CL_MEM_READ_WRITE, type Device, type ErrorName, type Kernel, clBuildProgram, clCompileProgram, clCreateBuffer, clCreateCommandQueue, clCreateContext, clCreateKernel, clCreateProgramWithSource, clCreateSubDevices,
  clEnqueueNDRangeKernel, clFinish, clGetDeviceIDs, clGetDeviceInfo, clGetKernelWFVInfoMUXKIT, clGetPlatformInfo, clGetProgramBuildInfo, clLinkProgram, clReleaseKernel, clSVMAlloc, clSVMFree, clSetKernelArg, clSetKernelExecInfoMUXKIT,
  clSetThreadsMUXKIT, setCompilerModeEdge,
} from "@muxkit/opencl";
import { afterEach, expect, test } from "vitest";

import { SOURCE, context, device, expectError, int, ints, kernelOf, kernelsOf, newQueue, platform, readInts } from "./rig.ts";

const queue = newQueue();
afterEach(() => {
  setCompilerModeEdge(null);
});

/** Hands in environment variables. */
function environment(variables: Readonly<Record<string, string>>): void {
  setCompilerModeEdge({ variable: (name) => variables[name], openLibrary: () => { throw new Error("there is none"); }, preloadedBinary: () => ok(null) });
}

test("clGetKernelWFVInfoMUXKIT: lanes along x where kernels are vectorized, one where they are not", () => {
  const source = "kernel void scale(global float* data) { data[get_global_id(0)] *= 2; }";
  const [always] = kernelsOf(source, "-cl-wfv=always", ["scale"]) as readonly [Kernel];
  const [never] = kernelsOf(source, "-cl-wfv=never", ["scale"]) as readonly [Kernel];
  expect(clGetKernelWFVInfoMUXKIT(always, device, [64], "CL_KERNEL_WFV_STATUS_MUXKIT")).toBe("CL_WFV_SUCCESS_MUXKIT");
  const [x, y, z] = clGetKernelWFVInfoMUXKIT(always, device, [64], "CL_KERNEL_WFV_WIDTHS_MUXKIT");
  expect(x).toBeGreaterThan(1);
  expect([y, z]).toEqual([1, 1]);
  expect(clGetKernelWFVInfoMUXKIT(never, device, [64, 1, 1], "CL_KERNEL_WFV_STATUS_MUXKIT")).toBe("CL_WFV_NONE_MUXKIT");
  expect(clGetKernelWFVInfoMUXKIT(never, device, [8, 8], "CL_KERNEL_WFV_WIDTHS_MUXKIT")).toEqual([1, 1, 1]);
});

const add: Kernel = kernelOf(SOURCE, "add", ints(1), int(1));
const gone: Kernel = kernelOf(SOURCE, "add");
clReleaseKernel(gone);
const [part] = clCreateSubDevices(device, { CL_DEVICE_PARTITION_EQUALLY: 1 }) as readonly Device[] as readonly [Device];

const WFV_ERRORS: readonly (readonly [name: string, error: ErrorName, run: () => unknown, message: RegExp])[] = [
  ["clGetKernelWFVInfoMUXKIT", "CL_INVALID_KERNEL", () => clGetKernelWFVInfoMUXKIT(gone, device, [1], "CL_KERNEL_WFV_STATUS_MUXKIT"), /has been released/u],
  ["clGetKernelWFVInfoMUXKIT", "CL_INVALID_DEVICE", () => clGetKernelWFVInfoMUXKIT(add, part, [1], "CL_KERNEL_WFV_STATUS_MUXKIT"), /not of the kernel's context/u],
  ["clGetKernelWFVInfoMUXKIT", "CL_INVALID_WORK_DIMENSION", () => clGetKernelWFVInfoMUXKIT(add, device, [], "CL_KERNEL_WFV_STATUS_MUXKIT"), /0 dimensions/u],
  ["clGetKernelWFVInfoMUXKIT", "CL_INVALID_WORK_GROUP_SIZE", () => clGetKernelWFVInfoMUXKIT(add, device, [0], "CL_KERNEL_WFV_STATUS_MUXKIT"), /no work-group has 0/u],
  ["clGetKernelWFVInfoMUXKIT", "CL_INVALID_WORK_GROUP_SIZE", () => clGetKernelWFVInfoMUXKIT(add, device, [2 ** 10, 2 ** 10], "CL_KERNEL_WFV_STATUS_MUXKIT"), /no work-group has/u],
  ["clGetKernelWFVInfoMUXKIT", "CL_INVALID_VALUE", () => clGetKernelWFVInfoMUXKIT(add, device, [1], "CL_KERNEL_COLOUR" as "CL_KERNEL_WFV_STATUS_MUXKIT"), /is no token/u],
  ["clSetKernelExecInfoMUXKIT", "CL_INVALID_KERNEL", () => { clSetKernelExecInfoMUXKIT(gone, "CL_KERNEL_EXEC_INFO_SVM_PTRS", [1]); }, /has been released/u],
  ["clSetKernelExecInfoMUXKIT", "CL_INVALID_VALUE", () => { clSetKernelExecInfoMUXKIT(add, "CL_KERNEL_EXEC_INFO_SVM_PTRS", [12]); }, /lies in no allocation/u],
  ["clSetKernelExecInfoMUXKIT", "CL_INVALID_OPERATION", () => { clSetKernelExecInfoMUXKIT(add, "CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM", true); }, /cannot reach the host's own memory/u],
  ["clSetThreadsMUXKIT", "CL_INVALID_DEVICE", () => { clSetThreadsMUXKIT(part, 1); }, /a device of the platform/u],
  ["clSetThreadsMUXKIT", "CL_INVALID_OPERATION", () => { clSetThreadsMUXKIT(device, 1); }, /was made of the device already/u],
];

test.each(WFV_ERRORS)("%s: %s", (_name, error, run, message) => {
  expectError(run, error, message);
});

test("clSetKernelExecInfoMUXKIT: tells what clSetKernelExecInfo tells", () => {
  const pointer = clSVMAlloc(context, CL_MEM_READ_WRITE, 8);
  clSetKernelExecInfoMUXKIT(add, "CL_KERNEL_EXEC_INFO_SVM_PTRS", [pointer]);
  clEnqueueNDRangeKernel(queue, add, 1, null, [1], null);
  clFinish(queue);
  expect(add.arguments[0]?.buffer).not.toBeNull();
  clSVMFree(context, pointer);
});

test("clSetThreadsMUXKIT: before anything is made of a device; then its compute units are as many, and commands run", () => {
  registerTarget(hostTarget({ threads: 4 }));
  const other = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL).at(-1) as Device;
  expect(clGetDeviceInfo(other, "CL_DEVICE_MAX_COMPUTE_UNITS")).toBe(4);
  for (const count of [0, 5, 1.5]) {
    expectError(() => {
      clSetThreadsMUXKIT(other, count);
    }, "CL_INVALID_VALUE", /has 4 compute units/u);
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

/** Builds a program that says which value it was built with. */
function built(): number {
  const out = ints(0);
  const program = clCreateProgramWithSource(context, ["kernel void k(global int* out) { *out = VALUE; }"]);
  clBuildProgram(program, null, "-DVALUE=1");
  const kernel = clCreateKernel(program, "k");
  clSetKernelArg(kernel, 0, out);
  clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null);
  expect(clGetProgramBuildInfo(program, device, "CL_PROGRAM_BUILD_OPTIONS")).toBe("-DVALUE=1");
  return readInts(queue, out)[0] as number;
}

test("cl_muxkit_extra_build_options: MUXKIT_EXTRA_BUILD_OPTIONS comes behind the program's options, MUXKIT_EXTRA_LINK_OPTIONS behind those of a link", () => {
  expect(built()).toBe(1);
  environment({ MUXKIT_EXTRA_BUILD_OPTIONS: "-UVALUE -DVALUE=7" });
  expect(built()).toBe(7);
  expect(clGetPlatformInfo(platform, "CL_PLATFORM_EXTENSIONS")).toContain("cl_muxkit_extra_build_options");
  environment({ MUXKIT_EXTRA_BUILD_OPTIONS: "-colour", MUXKIT_EXTRA_LINK_OPTIONS: "-taste" });
  const program = clCreateProgramWithSource(context, ["kernel void k(global int* out) { *out = 1; }"]);
  expectError(() => {
    clBuildProgram(program);
  }, "CL_INVALID_BUILD_OPTIONS", /-colour/u);
  expectError(() => {
    clCompileProgram(program);
  }, "CL_INVALID_COMPILER_OPTIONS", /-colour/u);
  environment({ MUXKIT_EXTRA_LINK_OPTIONS: "-taste" });
  clCompileProgram(program);
  expectError(() => clLinkProgram(context, null, "", [program]), "CL_INVALID_LINKER_OPTIONS", /-taste/u);
  setCompilerModeEdge(null);
  expect(clGetPlatformInfo(platform, "CL_PLATFORM_EXTENSIONS")).not.toContain("cl_muxkit_extra_build_options");
});
