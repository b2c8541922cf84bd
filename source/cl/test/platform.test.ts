// SPDX-License-Identifier: Apache-2.0
// Platform, devices, contexts, and what their queries answer.
import {
  CL_DEVICE_TYPE_CPU,
  CL_DEVICE_TYPE_DEFAULT,
  CL_DEVICE_TYPE_CUSTOM,
  CL_QUEUE_PROFILING_ENABLE,
  type Context,
  type Device,
  type DeviceInfo,
  ErrorCode,
  type Platform,
  clCreateCommandQueue,
  clCreateContext,
  clGetCommandQueueInfo,
  clBuildProgram,
  clCreateProgramWithSource,
  clGetContextInfo,
  clGetDeviceIDs,
  clGetDeviceInfo,
  clGetPlatformInfo,
  clReleaseCommandQueue,
  clReleaseContext,
  clReleaseProgram,
  clRetainContext,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { context, device, errorOf, expectError, platform } from "./rig.ts";

test("platform and device report what they are", () => {
  expect(clGetPlatformInfo(platform, "CL_PLATFORM_NAME")).toBe("Muxkit");
  expect(clGetPlatformInfo(platform, "CL_PLATFORM_VERSION")).toMatch(/^OpenCL 3\.0 /u);
  expect(clGetDeviceInfo(device, "CL_DEVICE_TYPE")).toBe(CL_DEVICE_TYPE_CPU);
  expect(clGetDeviceInfo(device, "CL_DEVICE_MAX_COMPUTE_UNITS")).toBe(2);
  expect(clGetDeviceInfo(device, "CL_DEVICE_ADDRESS_BITS")).toBe(32);
  expect(clGetDeviceInfo(device, "CL_DEVICE_MAX_WORK_ITEM_SIZES")).toHaveLength(3);
  expect(clGetDeviceInfo(device, "CL_DEVICE_EXTENSIONS").split(" ")).toContain("cl_khr_fp64");
  expect(clGetDeviceInfo(device, "CL_DEVICE_EXTENSIONS").split(" ")).toContain("cl_khr_fp16");
  expect(clGetDeviceInfo(device, "CL_DEVICE_HALF_FP_CONFIG")).toBe(
    clGetDeviceInfo(device, "CL_DEVICE_DOUBLE_FP_CONFIG"),
  );
  expect(clGetDeviceInfo(device, "CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF")).toBe(8);
  expect(clGetDeviceInfo(device, "CL_DEVICE_COMPILER_AVAILABLE")).toBe(true);
  expect(clGetDeviceInfo(device, "CL_DEVICE_PLATFORM")).toBe(platform);
  // What the specification requires of a full profile with images.
  expect(clGetDeviceInfo(device, "CL_DEVICE_IMAGE_SUPPORT")).toBe(true);
  expect(clGetDeviceInfo(device, "CL_DEVICE_MAX_READ_IMAGE_ARGS")).toBeGreaterThanOrEqual(128);
  expect(clGetDeviceInfo(device, "CL_DEVICE_MAX_WRITE_IMAGE_ARGS")).toBeGreaterThanOrEqual(64);
  expect(clGetDeviceInfo(device, "CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS")).toBeGreaterThanOrEqual(64);
  expect(clGetDeviceInfo(device, "CL_DEVICE_IMAGE2D_MAX_WIDTH")).toBeGreaterThanOrEqual(16_384);
  expect(clGetDeviceInfo(device, "CL_DEVICE_IMAGE3D_MAX_DEPTH")).toBeGreaterThanOrEqual(2048);
  expect(clGetDeviceInfo(device, "CL_DEVICE_IMAGE_MAX_BUFFER_SIZE")).toBeGreaterThanOrEqual(65_536);
  expect(clGetDeviceInfo(device, "CL_DEVICE_IMAGE_MAX_ARRAY_SIZE")).toBeGreaterThanOrEqual(2048);
  expect(clGetDeviceInfo(device, "CL_DEVICE_MAX_SAMPLERS")).toBeGreaterThanOrEqual(16);
  expect(clGetDeviceInfo(device, "CL_DEVICE_IMAGE_PITCH_ALIGNMENT")).toBe(1);
});

/** A version as OpenCL packs it. */
function version(major: number, minor: number): number {
  return major * 2 ** 22 + minor * 2 ** 12;
}

test("versions, extensions and features agree with each other and with the macros that programs see", () => {
  expect(clGetPlatformInfo(platform, "CL_PLATFORM_NUMERIC_VERSION")).toBe(version(3, 0));
  expect(clGetDeviceInfo(device, "CL_DEVICE_NUMERIC_VERSION")).toBe(version(3, 0));
  expect(clGetDeviceInfo(device, "CL_DEVICE_OPENCL_C_VERSION")).toMatch(/^OpenCL C 1\.2/u);
  expect(clGetDeviceInfo(device, "CL_DEVICE_OPENCL_C_ALL_VERSIONS")).toContainEqual({
    name: "OpenCL C",
    version: version(3, 0),
  });
  const extensions = clGetDeviceInfo(device, "CL_DEVICE_EXTENSIONS_WITH_VERSION").map(({ name }) => name);
  expect(extensions.join(" ")).toBe(clGetDeviceInfo(device, "CL_DEVICE_EXTENSIONS"));
  const features = clGetDeviceInfo(device, "CL_DEVICE_OPENCL_C_FEATURES").map(({ name }) => name);
  expect(features).toContain("__opencl_c_generic_address_space");
  expect(clGetDeviceInfo(device, "CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT")).toBe(true);
  expect(features.includes("__opencl_c_pipes")).toBe(clGetDeviceInfo(device, "CL_DEVICE_PIPE_SUPPORT"));
  expect(features.includes("__opencl_c_images")).toBe(clGetDeviceInfo(device, "CL_DEVICE_IMAGE_SUPPORT"));
  expect(features).not.toContain("__opencl_c_device_enqueue");
  expect(clGetDeviceInfo(device, "CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES")).toBe(0);
  expect(clGetDeviceInfo(device, "CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES")).toBe(1 + 2 + 4 + 16 + 32 + 64);
  expect(clGetDeviceInfo(device, "CL_DEVICE_ATOMIC_FENCE_CAPABILITIES")).toBe(127);
  // Extensions of the calls are none of the language: the platform has them.
  const ofCalls = clGetPlatformInfo(platform, "CL_PLATFORM_EXTENSIONS").split(" ");
  expect(extensions).toEqual(expect.arrayContaining(ofCalls));
  const known = [...extensions.filter((name) => !ofCalls.includes(name)), ...features];
  expect(known).toContain("cl_khr_fp64");
  const source = `${known.map((name) => `#ifndef ${name}\n#error ${name} is not defined\n#endif\n`).join("")}#ifdef __opencl_c_device_enqueue
#error a feature that is not there
#endif
kernel void k(void) {}
`;
  const program = clCreateProgramWithSource(context, [source]);
  clBuildProgram(program, null, "-cl-std=CL3.0");
  clReleaseProgram(program);
});

test("an unknown token of a query is an error that lists the known ones", () => {
  expectError(
    () => clGetDeviceInfo(device, "CL_DEVICE_COLOUR" as keyof DeviceInfo),
    "CL_INVALID_VALUE",
    /CL_DEVICE_COLOUR is not a token of this query; the tokens are CL_DEVICE_TYPE/u,
  );
  expectError(
    () => clGetDeviceInfo(device, "constructor" as keyof DeviceInfo),
    "CL_INVALID_VALUE",
    /constructor is not a token/u,
  );
});

test("devices are found by type; there is no custom device", () => {
  expect(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT)).toHaveLength(1);
  expect(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU)).toContain(device);
  expectError(() => clGetDeviceIDs(platform, CL_DEVICE_TYPE_CUSTOM), "CL_DEVICE_NOT_FOUND", /no device of this type/u);
  expectError(() => clGetDeviceIDs(platform, 0), "CL_INVALID_DEVICE_TYPE", /0 is not a device type/u);
  expectError(
    () => clGetDeviceIDs({} as Platform, CL_DEVICE_TYPE_CPU),
    "CL_INVALID_PLATFORM",
    /the value is not a platform/u,
  );
});

test("an error has OpenCL's number, its name, the call and the cause", () => {
  const error = errorOf(() => clCreateContext([]));
  expect(error.code).toBe(ErrorCode.CL_INVALID_VALUE);
  expect(error.code).toBe(-30);
  expect(error.call).toBe("clCreateContext");
  expect(error.message).toBe("clCreateContext: a context needs at least one device (CL_INVALID_VALUE)");
});

test("contexts are counted; one that is released is an error to use, and its queues continue", () => {
  const own = clCreateContext([device]);
  expect(clGetContextInfo(own, "CL_CONTEXT_REFERENCE_COUNT")).toBe(1);
  clRetainContext(own);
  expect(clGetContextInfo(own, "CL_CONTEXT_REFERENCE_COUNT")).toBe(2);
  expect(clGetContextInfo(own, "CL_CONTEXT_DEVICES")).toEqual([device]);
  const queue = clCreateCommandQueue(own, device, CL_QUEUE_PROFILING_ENABLE);
  clReleaseContext(own);
  clReleaseContext(own);
  expectError(() => clCreateCommandQueue(own, device), "CL_INVALID_CONTEXT", /has been released/u);
  expectError(() => clReleaseContext(own), "CL_INVALID_CONTEXT", /has been released/u);
  expect(clGetCommandQueueInfo(queue, "CL_QUEUE_CONTEXT")).toBe(own);
  expect(clGetCommandQueueInfo(queue, "CL_QUEUE_PROPERTIES")).toBe(CL_QUEUE_PROFILING_ENABLE);
  clReleaseCommandQueue(queue);
});

test("what is no context, device or queue is an error", () => {
  expectError(
    () => clGetContextInfo({} as Context, "CL_CONTEXT_DEVICES"),
    "CL_INVALID_CONTEXT",
    /expected an object of type Context/u,
  );
  expectError(() => clCreateContext([{} as Device]), "CL_INVALID_DEVICE", /a value that is not a device/u);
  expectError(
    () => clCreateCommandQueue(context, {} as Device),
    "CL_INVALID_DEVICE",
    /does not belong to this context/u,
  );
  expectError(() => clCreateCommandQueue(context, device, 64), "CL_INVALID_VALUE", /0x40/u);
});
