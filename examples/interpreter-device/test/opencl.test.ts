// SPDX-License-Identifier: Apache-2.0
// The device in OpenCL: listed, opened, built for, mapped, and its errors.
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  CL_DEVICE_TYPE_ALL,
  CL_MAP_READ,
  CL_MAP_WRITE,
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_READ_WRITE,
  CL_MEM_USE_HOST_PTR,
  type Device,
  OpenCLError,
  clBuildProgram,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateContext,
  clCreateKernel,
  clCreateProgramWithBinary,
  clCreateProgramWithSource,
  clEnqueueMapBuffer,
  clEnqueueNDRangeKernel,
  clEnqueueReadBuffer,
  clEnqueueUnmapMemObject,
  clFinish,
  clGetDeviceIDs,
  clGetDeviceInfo,
  clGetPlatformIDs,
  clGetProgramInfo,
  clSetKernelArg,
} from "@muxkit/opencl";
import { openDevice } from "muxkit";

import { registerInterpreterDevice } from "../register.ts";

registerInterpreterDevice();

function device(): Device {
  const [platform] = clGetPlatformIDs();
  assert(platform !== undefined);
  const found = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL).find(
    ({ info }) => info.deviceName === "interpreter-device",
  );
  assert(found !== undefined, "the platform lists the device");
  return found;
}

const DOUBLE = "kernel void twice(global int* p) { p[get_global_id(0)] *= 2; }";

void test("a program from source, then from its binary, with an array of the caller's and a map", () => {
  const own = device();
  assert.equal(clGetDeviceInfo(own, "CL_DEVICE_SVM_CAPABILITIES"), 0);
  const context = clCreateContext([own]);
  const queue = clCreateCommandQueue(context, own);
  const built = clCreateProgramWithSource(context, [DOUBLE]);
  clBuildProgram(built);
  const [binary] = clGetProgramInfo(built, "CL_PROGRAM_BINARIES");
  assert(binary !== undefined && binary !== null);
  const loaded = clCreateProgramWithBinary(context, [own], [binary]);
  clBuildProgram(loaded);
  for (const [program, flag] of [
    [built, CL_MEM_COPY_HOST_PTR],
    [loaded, CL_MEM_USE_HOST_PTR],
  ] as const) {
    const buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | flag, 16, Int32Array.of(1, 2, 3, 4));
    const kernel = clCreateKernel(program, "twice");
    clSetKernelArg(kernel, 0, buffer);
    clEnqueueNDRangeKernel(queue, kernel, 1, null, [4], null);
    const { array } = clEnqueueMapBuffer(queue, buffer, true, CL_MAP_READ | CL_MAP_WRITE, 4, 8);
    const view = new Int32Array(array.buffer, array.byteOffset, 2);
    assert.deepEqual([...view], [4, 6]);
    view[0] = 100;
    clEnqueueUnmapMemObject(queue, buffer, array);
    clEnqueueNDRangeKernel(queue, kernel, 1, null, [4], null);
    const read = new Int32Array(4);
    clEnqueueReadBuffer(queue, buffer, true, 0, 16, read);
    assert.deepEqual([...read], [4, 200, 12, 16]);
  }
});

void test("a kernel that reads beyond memory fails with a source location", () => {
  const own = device();
  const messages: string[] = [];
  const context = clCreateContext([own], (message) => messages.push(message));
  const queue = clCreateCommandQueue(context, own);
  const program = clCreateProgramWithSource(context, [
    "kernel void astray(global int* p) {\n  p[0] = p[0x10000000 + get_global_id(0)];\n}",
  ]);
  clBuildProgram(program);
  const kernel = clCreateKernel(program, "astray");
  clSetKernelArg(kernel, 0, clCreateBuffer(context, CL_MEM_READ_WRITE, 4));
  clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null);
  assert.throws(() => {
    clFinish(queue);
    clEnqueueReadBuffer(queue, clCreateBuffer(context, CL_MEM_READ_WRITE, 4), true, 0, 4, new Int32Array(1));
    throw new Error(messages.join("\n"));
  }, /astray.*(?:2:|line 2)/su);
});

void test("errors in programs are reported as on any device", () => {
  const context = clCreateContext([device()]);
  const program = clCreateProgramWithSource(context, ["kernel void k(global int* p) { p[0] = q; }"]);
  assert.throws(
    () => {
      clBuildProgram(program);
    },
    (error) => error instanceof OpenCLError && error.name === "CL_BUILD_PROGRAM_FAILURE" && error.message.includes("q"),
  );
});

void test("muxkit opens it by its name", async () => {
  const opened = await openDevice({ device: "interpreter-device" });
  assert.equal(opened.name, "interpreter-device");
  const { twice } = opened.build(DOUBLE);
  const numbers = opened.array(Int32Array.of(5, 6));
  twice(2, numbers);
  assert.deepEqual([...(await numbers.read())], [10, 12]);
  opened.close();
});
