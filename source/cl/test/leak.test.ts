// SPDX-License-Identifier: Apache-2.0
// Releasing everything leaves nothing: a hundred thousand objects of every kind, with commands that use them.
import { hostDevice } from "@muxkit/host";
import {
  CL_COMMAND_BUFFER_MUTABLE_KHR,
  CL_MEM_READ_WRITE,
  type Context,
  type Device,
  type Event,
  type ImageFormat,
  clBuildProgram,
  clCompileProgram,
  clCreateKernelsInProgram,
  clCreateProgramWithBinary,
  clCreateSubDevices,
  clDeviceMemAllocINTEL,
  clGetProgramInfo,
  clHostMemAllocINTEL,
  clLinkProgram,
  clReleaseDevice,
  clCloneKernel,
  clCommandFillBufferKHR,
  clCommandNDRangeKernelKHR,
  clCreateCommandBufferKHR,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateContext,
  clCreateImage,
  clCreateKernel,
  clCreatePipe,
  clCreateProgramWithSource,
  clCreateSampler,
  clCreateSubBuffer,
  clCreateUserEvent,
  clEnqueueCommandBufferKHR,
  clEnqueueFillBuffer,
  clEnqueueMemFillINTEL,
  clFinalizeCommandBufferKHR,
  clMemFreeINTEL,
  clReleaseCommandBufferKHR,
  clSharedMemAllocINTEL,
  clUpdateMutableCommandsKHR,
  clEnqueueMapBuffer,
  clEnqueueMarkerWithWaitList,
  clEnqueueNDRangeKernel,
  clEnqueueUnmapMemObject,
  clFinish,
  clReleaseCommandQueue,
  clReleaseContext,
  clReleaseEvent,
  clReleaseKernel,
  clReleaseMemObject,
  clReleaseProgram,
  clReleaseSampler,
  clSVMAlloc,
  clSVMFree,
  clSetContextDestructorCallback,
  clSetKernelArg,
  clSetUserEventStatus,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { SOURCE, device, int } from "./rig.ts";

const FORMAT: ImageFormat = { channelOrder: "CL_R", channelType: "CL_FLOAT" };

function freeMemory(): number {
  return hostDevice(device.open("a test").device).host.statistics().memoryFree;
}

/** One of each kind of object, used and released again: how many there were. */
function round(context: Context, kernelSource: ReturnType<typeof clCreateKernel>): number {
  const queue = clCreateCommandQueue(context, device);
  const buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 512);
  const part = clCreateSubBuffer(buffer, 0, { origin: 128, size: 64 });
  const image = clCreateImage(context, CL_MEM_READ_WRITE, FORMAT, {
    type: "CL_MEM_OBJECT_IMAGE2D",
    width: 4,
    height: 4,
  });
  const depths = clCreateImage(
    context,
    0,
    { channelOrder: "CL_DEPTH", channelType: "CL_FLOAT" },
    { type: "CL_MEM_OBJECT_IMAGE2D", width: 4, height: 4, image },
  );
  const line = clCreateImage(context, CL_MEM_READ_WRITE, FORMAT, {
    type: "CL_MEM_OBJECT_IMAGE1D_BUFFER",
    width: 16,
    buffer,
  });
  const layers = clCreateImage(context, CL_MEM_READ_WRITE, FORMAT, {
    type: "CL_MEM_OBJECT_IMAGE2D_ARRAY",
    width: 4,
    height: 4,
    arraySize: 3,
  });
  const pipe = clCreatePipe(context, 0, 4, 4);
  const sampler = clCreateSampler(context, true, "CL_ADDRESS_CLAMP", "CL_FILTER_LINEAR");
  const kernel = clCloneKernel(kernelSource);
  const pointer = clSVMAlloc(context, CL_MEM_READ_WRITE, 64);
  const gate = clCreateUserEvent(context);
  const shared = clSharedMemAllocINTEL(context, device, null, 64);
  const others = [clHostMemAllocINTEL(context, null, 64), clDeviceMemAllocINTEL(context, device, null, 64)];
  const commands = clCreateCommandBufferKHR([queue], { CL_COMMAND_BUFFER_FLAGS_KHR: CL_COMMAND_BUFFER_MUTABLE_KHR });
  clSetKernelArg(kernel, 0, part);
  clSetKernelArg(kernel, 1, int(1));
  const events: Event[] = [
    clEnqueueFillBuffer(queue, buffer, int(0), 0, 512),
    clEnqueueNDRangeKernel(queue, kernel, 1, null, [16], null, [gate]),
  ];
  const launch = clCommandNDRangeKernelKHR(commands, null, null, kernel, 1, null, [16], null);
  clCommandFillBufferKHR(commands, null, buffer, int(1), 0, 64);
  clFinalizeCommandBufferKHR(commands);
  clUpdateMutableCommandsKHR(commands, [{ command: launch, arguments: [{ index: 1, value: int(2) }] }]);
  events.push(clEnqueueCommandBufferKHR(null, commands, [gate]), clEnqueueMemFillINTEL(queue, shared, int(3), 64));
  clReleaseCommandBufferKHR(commands);
  for (const memory of [shared, ...others]) clMemFreeINTEL(context, memory);
  const { array, event } = clEnqueueMapBuffer(queue, buffer, false, 1, 0, 512);
  events.push(event, clEnqueueUnmapMemObject(queue, buffer, array), clEnqueueMarkerWithWaitList(queue, [gate]));
  for (const object of [part, buffer, image, depths, line, layers, pipe]) clReleaseMemObject(object);
  clReleaseSampler(sampler);
  clReleaseKernel(kernel);
  clSVMFree(context, pointer);
  clSetUserEventStatus(gate, 0);
  clFinish(queue);
  for (const each of [...events, gate]) clReleaseEvent(each);
  clReleaseCommandQueue(queue);
  return 17 + events.length;
}

/** The kinds that take longer: a device's part, a context of it, programs made in every way and what is in them. */
function slowRound(binary: Uint8Array): number {
  const parts: readonly Device[] = clCreateSubDevices(device, { CL_DEVICE_PARTITION_EQUALLY: 1 });
  const context = clCreateContext([...parts]);
  const queues = parts.map((part) => clCreateCommandQueue(context, part));
  const loaded = clCreateProgramWithBinary(
    context,
    [...parts],
    parts.map(() => binary),
  );
  clBuildProgram(loaded);
  const compiled = clCreateProgramWithSource(context, [`kernel void set(global int* p) { p[get_global_id(0)] = 1; }`]);
  clCompileProgram(compiled);
  const linked = clLinkProgram(context, null, "", [compiled]);
  const buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 64);
  const kernels = [loaded, linked].flatMap((program) => clCreateKernelsInProgram(program));
  const events: Event[] = [];
  for (const kernel of kernels) {
    if (kernel.info.name !== "set") continue;
    clSetKernelArg(kernel, 0, buffer);
    for (const queue of queues) events.push(clEnqueueNDRangeKernel(queue, kernel, 1, null, [16], null));
  }
  for (const queue of queues) clFinish(queue);
  for (const event of events) clReleaseEvent(event);
  for (const kernel of kernels) clReleaseKernel(kernel);
  for (const program of [loaded, compiled, linked]) clReleaseProgram(program);
  clReleaseMemObject(buffer);
  for (const queue of queues) clReleaseCommandQueue(queue);
  clReleaseContext(context);
  for (const part of parts) clReleaseDevice(part);
  return 5 + 2 * parts.length + kernels.length + events.length;
}

/** Iterations between two slow ones. */
const SLOW_EVERY = 50;

test("a hundred thousand objects leave nothing: no memory of the device, no use of their context", () => {
  const context = clCreateContext([device]);
  let ended = 0;
  clSetContextDestructorCallback(context, () => {
    ended++;
  });
  const program = clCreateProgramWithSource(context, [SOURCE]);
  clBuildProgram(program);
  const kernel = clCreateKernel(program, "add");
  const [binary = new Uint8Array(0)] = clGetProgramInfo(program, "CL_PROGRAM_BINARIES");
  round(context, kernel);
  slowRound(binary);
  const before = freeMemory();
  let objects = 0;
  for (let i = 0; objects < 100_000; i++)
    objects += round(context, kernel) + (i % SLOW_EVERY === 0 ? slowRound(binary) : 0);
  expect(freeMemory()).toBe(before);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  expect(ended).toBe(0);
  clReleaseContext(context);
  expect(ended).toBe(1);
});
