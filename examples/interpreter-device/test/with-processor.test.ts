// SPDX-License-Identifier: Apache-2.0
// The device and the processor in one context: bytes go to where they are used.
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  CL_MAP_READ,
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_READ_WRITE,
  clBuildProgram,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateContext,
  clCreateKernel,
  clCreateProgramWithSource,
  clEnqueueMapBuffer,
  clEnqueueMigrateMemObjects,
  clEnqueueNDRangeKernel,
  clEnqueueReadBuffer,
  clGetDeviceIDs,
  CL_DEVICE_TYPE_ALL,
  clSetKernelArg,
} from "@muxkit/opencl";
import { hostDeviceFor } from "muxkit/opencl";

import { registerInterpreterDevice } from "../register.ts";

registerInterpreterDevice();

void test("a kernel runs on both devices in turn", () => {
  const processor = hostDeviceFor({});
  const own = clGetDeviceIDs(processor.platform, CL_DEVICE_TYPE_ALL).find(
    ({ info }) => info.deviceName === "interpreter-device",
  );
  assert(own !== undefined, "the platform lists the device");
  const context = clCreateContext([own, processor]);
  const queues = [own, processor].map((device) => clCreateCommandQueue(context, device));
  const program = clCreateProgramWithSource(context, [
    "kernel void more(global int* p) { p[get_global_id(0)] = p[get_global_id(0)] * 3 + get_global_id(0); }",
  ]);
  clBuildProgram(program);
  const kernel = clCreateKernel(program, "more");
  const buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 16, Int32Array.of(1, 2, 3, 4));
  clSetKernelArg(kernel, 0, buffer);
  const wanted = [1, 2, 3, 4];
  let waits: ReturnType<typeof clEnqueueNDRangeKernel>[] = [];
  for (let round = 0; round < 4; round++)
    for (const queue of queues) {
      waits = [clEnqueueNDRangeKernel(queue, kernel, 1, null, [4], null, waits)];
      wanted.forEach((value, i) => (wanted[i] = value * 3 + i));
    }
  for (const queue of queues) {
    const read = new Int32Array(4);
    clEnqueueReadBuffer(queue, buffer, true, 0, 16, read, waits);
    assert.deepEqual([...read], wanted);
    const moved = clEnqueueMigrateMemObjects(queue, [buffer], 0, waits);
    const { array } = clEnqueueMapBuffer(queue, buffer, true, CL_MAP_READ, 0, 16, [moved]);
    assert.deepEqual([...new Int32Array(array.buffer, array.byteOffset, 4)], wanted);
  }
});
