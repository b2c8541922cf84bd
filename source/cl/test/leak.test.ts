// Releasing everything leaves nothing: a hundred thousand objects of every kind, with commands that use them.
import { hostDevice } from "@muxkit/host";
import {
  CL_COMMAND_BUFFER_MUTABLE_KHR, CL_MEM_READ_WRITE, type Context, type Event, type ImageFormat, clBuildProgram, clCloneKernel, clCommandFillBufferKHR, clCommandNDRangeKernelKHR, clCreateCommandBufferKHR, clCreateBuffer, clCreateCommandQueue, clCreateContext, clCreateImage, clCreateKernel, clCreatePipe, clCreateProgramWithSource, clCreateSampler,
  clCreateSubBuffer, clCreateUserEvent, clEnqueueCommandBufferKHR, clEnqueueFillBuffer, clEnqueueMemFillINTEL, clFinalizeCommandBufferKHR, clMemFreeINTEL, clReleaseCommandBufferKHR, clSharedMemAllocINTEL, clUpdateMutableCommandsKHR, clEnqueueMapBuffer, clEnqueueMarkerWithWaitList, clEnqueueNDRangeKernel, clEnqueueUnmapMemObject, clFinish, clReleaseCommandQueue, clReleaseContext, clReleaseEvent, clReleaseKernel,
  clReleaseMemObject, clReleaseProgram, clReleaseSampler, clSVMAlloc, clSVMFree, clSetContextDestructorCallback, clSetKernelArg, clSetUserEventStatus,
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
  const image = clCreateImage(context, CL_MEM_READ_WRITE, FORMAT, { type: "CL_MEM_OBJECT_IMAGE2D", width: 4, height: 4 });
  const pipe = clCreatePipe(context, 0, 4, 4);
  const sampler = clCreateSampler(context, true, "CL_ADDRESS_CLAMP", "CL_FILTER_LINEAR");
  const kernel = clCloneKernel(kernelSource);
  const pointer = clSVMAlloc(context, CL_MEM_READ_WRITE, 64);
  const gate = clCreateUserEvent(context);
  const shared = clSharedMemAllocINTEL(context, device, null, 64);
  const commands = clCreateCommandBufferKHR([queue], { CL_COMMAND_BUFFER_FLAGS_KHR: CL_COMMAND_BUFFER_MUTABLE_KHR });
  clSetKernelArg(kernel, 0, part);
  clSetKernelArg(kernel, 1, int(1));
  const events: Event[] = [clEnqueueFillBuffer(queue, buffer, int(0), 0, 512), clEnqueueNDRangeKernel(queue, kernel, 1, null, [16], null, [gate])];
  const launch = clCommandNDRangeKernelKHR(commands, null, null, kernel, 1, null, [16], null);
  clCommandFillBufferKHR(commands, null, buffer, int(1), 0, 64);
  clFinalizeCommandBufferKHR(commands);
  clUpdateMutableCommandsKHR(commands, [{ command: launch, arguments: [{ index: 1, value: int(2) }] }]);
  events.push(clEnqueueCommandBufferKHR(null, commands, [gate]), clEnqueueMemFillINTEL(queue, shared, int(3), 64));
  clReleaseCommandBufferKHR(commands);
  clMemFreeINTEL(context, shared);
  const { array, event } = clEnqueueMapBuffer(queue, buffer, false, 1, 0, 512);
  events.push(event, clEnqueueUnmapMemObject(queue, buffer, array), clEnqueueMarkerWithWaitList(queue, [gate]));
  for (const object of [part, buffer, image, pipe]) clReleaseMemObject(object);
  clReleaseSampler(sampler);
  clReleaseKernel(kernel);
  clSVMFree(context, pointer);
  clSetUserEventStatus(gate, 0);
  clFinish(queue);
  for (const each of [...events, gate]) clReleaseEvent(each);
  clReleaseCommandQueue(queue);
  return 11 + events.length;
}

test("a hundred thousand objects leave nothing: no memory of the device, no use of their context", { timeout: 120_000 }, () => {
  const context = clCreateContext([device]);
  let ended = 0;
  clSetContextDestructorCallback(context, () => { ended++; });
  const program = clCreateProgramWithSource(context, [SOURCE]);
  clBuildProgram(program);
  const kernel = clCreateKernel(program, "add");
  round(context, kernel);
  const before = freeMemory();
  let objects = 0;
  while (objects < 100_000) objects += round(context, kernel);
  expect(freeMemory()).toBe(before);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  expect(ended).toBe(0);
  clReleaseContext(context);
  expect(ended).toBe(1);
});
