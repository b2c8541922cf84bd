// SPDX-License-Identifier: Apache-2.0
// Extensions by name and version, functions of them by name, and the queries that small ones add.
import {
  type CommandQueue,
  type Kernel,
  clBuildProgram,
  clCreateCommandBufferKHR,
  clCreateProgramWithILKHR,
  clCreateCommandQueue,
  clCreateContext,
  clCreateProgramWithSource,
  clEnqueueNDRangeKernel,
  clGetDeviceInfo,
  clGetExtensionFunctionAddress,
  clGetKernelSuggestedLocalWorkSizeKHR,
  clGetPlatformInfo,
  clReleaseKernel,
  clSharedMemAllocINTEL,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { SOURCE, context, device, expectError, int, ints, kernelOf, newQueue, platform, readInts } from "./rig.ts";

const queue = newQueue();
const version = (packed: number): string => `${packed >>> 22}.${(packed >>> 12) & 1023}.${packed & 4095}`;

test("clGetDeviceInfo: every extension has a version, those of the platform are the device's too, and there are no others", () => {
  const listed = clGetDeviceInfo(device, "CL_DEVICE_EXTENSIONS_WITH_VERSION");
  expect(listed.map(({ name }) => name).join(" ")).toBe(clGetDeviceInfo(device, "CL_DEVICE_EXTENSIONS"));
  expect(new Set(listed.map(({ name }) => name)).size).toBe(listed.length);
  expect(clGetDeviceInfo(device, "CL_DEVICE_EXTENSIONS_WITH_VERSION_KHR")).toEqual(listed);
  for (const { name } of clGetPlatformInfo(platform, "CL_PLATFORM_EXTENSIONS_WITH_VERSION_KHR"))
    expect(listed.map((each) => each.name)).toContain(name);
  const versions = new Map(listed.map((each) => [each.name, version(each.version)]));
  expect(versions.get("cl_khr_command_buffer")).toBe("0.9.4");
  expect(versions.get("cl_khr_command_buffer_mutable_dispatch")).toBe("0.9.1");
  expect(versions.get("cl_intel_unified_shared_memory")).toBe("1.0.0");
  expect(versions.get("cl_khr_il_program")).toBe("1.0.0");
  expect(versions.get("cl_khr_terminate_context")).toBeUndefined();
});

test("cl_khr_extended_versioning: the queries of OpenCL 3.0 by the names of the extension", () => {
  expect(clGetPlatformInfo(platform, "CL_PLATFORM_NUMERIC_VERSION_KHR")).toBe(
    clGetPlatformInfo(platform, "CL_PLATFORM_NUMERIC_VERSION"),
  );
  expect(clGetPlatformInfo(platform, "CL_PLATFORM_EXTENSIONS_WITH_VERSION_KHR")).toEqual(
    clGetPlatformInfo(platform, "CL_PLATFORM_EXTENSIONS_WITH_VERSION"),
  );
  expect(clGetDeviceInfo(device, "CL_DEVICE_NUMERIC_VERSION_KHR")).toBe(
    clGetDeviceInfo(device, "CL_DEVICE_NUMERIC_VERSION"),
  );
  expect(clGetDeviceInfo(device, "CL_DEVICE_OPENCL_C_VERSION")).toMatch(
    `OpenCL C ${version(clGetDeviceInfo(device, "CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR")).slice(0, 3)} `,
  );
  expect(clGetDeviceInfo(device, "CL_DEVICE_ILS_WITH_VERSION_KHR").map(({ name }) => name)).toEqual(
    Array.from({ length: 7 }, () => "SPIR-V"),
  );
  expect(clGetDeviceInfo(device, "CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION_KHR")).toEqual([]);
});

test("cl_khr_device_uuid: names of device and driver that are UUIDs, differ and stay", () => {
  const [of, by] = [clGetDeviceInfo(device, "CL_DEVICE_UUID_KHR"), clGetDeviceInfo(device, "CL_DRIVER_UUID_KHR")];
  for (const uuid of [of, by]) {
    expect(uuid).toHaveLength(16);
    expect([(uuid[6] as number) >> 4, (uuid[8] as number) >> 6]).toEqual([8, 2]);
  }
  expect(of).not.toEqual(by);
  expect(clGetDeviceInfo(device, "CL_DEVICE_UUID_KHR")).toEqual(of);
  expect(clGetDeviceInfo(device, "CL_DEVICE_LUID_VALID_KHR")).toBe(false);
  expect(clGetDeviceInfo(device, "CL_DEVICE_LUID_KHR")).toEqual(new Uint8Array(8));
  expect(clGetDeviceInfo(device, "CL_DEVICE_NODE_MASK_KHR")).toBe(1);
});

test("cl_ext_float_atomics, cl_khr_integer_dot_product: what the language has, as capabilities", () => {
  expect(clGetDeviceInfo(device, "CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT")).toBe(0x7_0007);
  expect(clGetDeviceInfo(device, "CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT")).toBe(0x7_0007);
  expect(clGetDeviceInfo(device, "CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT")).toBe(0);
  expect(clGetDeviceInfo(device, "CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR")).toBe(3);
  for (const form of ["8BIT", "4x8BIT_PACKED"] as const) {
    const accelerated = clGetDeviceInfo(device, `CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_${form}_KHR`);
    expect(Object.values(accelerated)).toEqual([false, false, false, false, false, false]);
  }
});

test("programs see the macro of each extension of the language, and use the extensions without a pragma", () => {
  const names = clGetDeviceInfo(device, "CL_DEVICE_EXTENSIONS")
    .split(" ")
    .filter((name) =>
      /^cl_(?:ext_float_atomics|khr_integer_dot_product|khr_expect_assume|khr_subgroup_\w+|khr_extended_async_copies)$/u.test(
        name,
      ),
    );
  const out = ints(0);
  const program = clCreateProgramWithSource(context, [
    `kernel void count(global int* out) {\n${names.map((name) => `#ifdef ${name}\n++*out;\n#endif\n`).join("")}}`,
  ]);
  clBuildProgram(program);
  const kernel = kernelOf(
    `kernel void count(global int* out) {\n${names.map((name) => `#ifdef ${name}\n++*out;\n#endif\n`).join("")}}`,
    "count",
    out,
  );
  clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null);
  expect(names.length).toBeGreaterThanOrEqual(12);
  expect(readInts(queue, out)).toEqual([names.length]);
});

test("clGetExtensionFunctionAddress: the functions of the extensions", () => {
  expect(clGetExtensionFunctionAddress("clCreateCommandBufferKHR")).toBe(clCreateCommandBufferKHR);
  expect(clGetExtensionFunctionAddress("clSharedMemAllocINTEL")).toBe(clSharedMemAllocINTEL);
  expect(clGetExtensionFunctionAddress("clGetKernelSuggestedLocalWorkSizeKHR")).toBe(
    clGetKernelSuggestedLocalWorkSizeKHR,
  );
  expect(clGetExtensionFunctionAddress("clCreateProgramWithILKHR")).toBe(clCreateProgramWithILKHR);
  expect(clGetExtensionFunctionAddress("clTerminateContextKHR")).toBeNull();
});

test("clGetKernelSuggestedLocalWorkSizeKHR: what a launch without a local size takes, required sizes too", () => {
  const where = kernelOf(
    `kernel void where(global int* out) {
      out[0] = get_local_size(0);
      out[1] = get_local_size(1);
    }`,
    "where",
    ints(0, 0),
  );
  const out = ints(0, 0);
  for (const sizes of [[256], [7], [60, 12], [1, 1]]) {
    const kernel = kernelOf(
      `kernel void where(global int* out) {
        out[0] = get_local_size(0);
        out[1] = get_local_size(1);
      }`,
      "where",
      out,
    );
    const suggested = clGetKernelSuggestedLocalWorkSizeKHR(queue, kernel, sizes.length, null, sizes);
    expect(suggested).toHaveLength(sizes.length);
    clEnqueueNDRangeKernel(queue, kernel, sizes.length, null, sizes, null);
    expect(readInts(queue, out)).toEqual([suggested[0], suggested[1] ?? 1]);
  }
  const required = kernelOf(
    `kernel __attribute__((reqd_work_group_size(4, 2, 1))) void fixed(global int* out) {
      out[0] = 1;
    }`,
    "fixed",
    out,
  );
  expect(clGetKernelSuggestedLocalWorkSizeKHR(queue, required, 2, [8, 0], [8, 8])).toEqual([4, 2]);
  clReleaseKernel(where);
});

const add: Kernel = kernelOf(SOURCE, "add", ints(0), int(1));
const elsewhere = clCreateCommandQueue(clCreateContext([device]), device);

test("clGetKernelSuggestedLocalWorkSizeKHR: CL_INVALID_COMMAND_QUEUE, CL_INVALID_KERNEL, CL_INVALID_CONTEXT, CL_INVALID_KERNEL_ARGS, CL_INVALID_WORK_DIMENSION, CL_INVALID_GLOBAL_WORK_SIZE, CL_INVALID_GLOBAL_OFFSET", () => {
  expectError(
    () => clGetKernelSuggestedLocalWorkSizeKHR({} as CommandQueue, add, 1, null, [1]),
    "CL_INVALID_COMMAND_QUEUE",
    /expected an object of type CommandQueue/u,
  );
  expectError(
    () => clGetKernelSuggestedLocalWorkSizeKHR(queue, {} as Kernel, 1, null, [1]),
    "CL_INVALID_KERNEL",
    /expected an object of type Kernel/u,
  );
  expectError(
    () => clGetKernelSuggestedLocalWorkSizeKHR(elsewhere, add, 1, null, [1]),
    "CL_INVALID_CONTEXT",
    /different contexts/u,
  );
  expectError(
    () => clGetKernelSuggestedLocalWorkSizeKHR(queue, kernelOf(SOURCE, "add"), 1, null, [1]),
    "CL_INVALID_KERNEL_ARGS",
    /is not set/u,
  );
  expectError(
    () => clGetKernelSuggestedLocalWorkSizeKHR(queue, add, 0, null, [1]),
    "CL_INVALID_WORK_DIMENSION",
    /0 is not a number of dimensions/u,
  );
  expectError(
    () => clGetKernelSuggestedLocalWorkSizeKHR(queue, add, 1, null, [0]),
    "CL_INVALID_GLOBAL_WORK_SIZE",
    /is 0/u,
  );
  expectError(
    () => clGetKernelSuggestedLocalWorkSizeKHR(queue, add, 1, [-1], [1]),
    "CL_INVALID_GLOBAL_OFFSET",
    /is -1/u,
  );
});
