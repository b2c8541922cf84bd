// SPDX-License-Identifier: Apache-2.0
// A valid call of each entry point, so that a test can change one argument while the rest stays valid.
import * as opencl from "@muxkit/opencl";
import {
  type Buffer,
  CL_COMMAND_BUFFER_MUTABLE_KHR,
  CL_COMPLETE,
  CL_DEVICE_TYPE_ALL,
  CL_MAP_READ,
  CL_MEM_READ_WRITE,
  CL_QUEUE_PROFILING_ENABLE,
  type CommandBuffer,
  type Context,
  type Event,
  type Image,
  type ImageFormat,
  type Kernel,
  type Pipe,
  type Program,
  type Sampler,
  type SubDevice,
  type UserEvent,
  clBuildProgram,
  clCommandBarrierWithWaitListKHR,
  clCommandNDRangeKernelKHR,
  clCompileProgram,
  clCreateBuffer,
  clCreateCommandBufferKHR,
  clCreateCommandQueue,
  clCreateContext,
  clCreateImage,
  clCreateKernel,
  clCreatePipe,
  clCreateProgramWithIL,
  clCreateProgramWithSource,
  clCreateSampler,
  clCreateSubDevices,
  clCreateUserEvent,
  clEnqueueMapBuffer,
  clEnqueueMarkerWithWaitList,
  clFinalizeCommandBufferKHR,
  clFinish,
  clGetProgramInfo,
  clReleaseCommandBufferKHR,
  clReleaseCommandQueue,
  clReleaseContext,
  clReleaseDevice,
  clReleaseEvent,
  clReleaseKernel,
  clReleaseMemObject,
  clReleaseProgram,
  clReleaseSampler,
  clSetKernelArg,
  clSetUserEventStatus,
  clSharedMemAllocINTEL,
  clSVMAlloc,
} from "@muxkit/opencl";

import { context, device, int, newQueue, platform } from "./rig.ts";

/** Kinds of objects, by their classes. */
export type Kind =
  | "Platform"
  | "Device"
  | "Context"
  | "CommandQueue"
  | "MemoryObject"
  | "Buffer"
  | "Image"
  | "Pipe"
  | "Sampler"
  | "Program"
  | "Kernel"
  | "Event"
  | "CommandBuffer"
  | "MutableCommand";

const RW = CL_MEM_READ_WRITE;
const FORMAT: ImageFormat = { channelOrder: "CL_R", channelType: "CL_UNSIGNED_INT32" };
const SOURCE = `kernel void k(global int* data, int value) { data[get_global_id(0)] += value; }`;
const other = clCreateContext([device]);
const queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE);
const otherQueue = clCreateCommandQueue(other, device);
const bytes = new Uint8Array(256);
const [pointer, target] = [clSVMAlloc(context, RW, 256), clSVMAlloc(context, RW, 256)];

const shared = clSharedMemAllocINTEL(context, device, null, 256);

/** A module in SPIR-V with the specialization constant 0, an int of 32 bits that is 7. */
const MODULE = new Uint8Array(
  Uint32Array.from([0x07230203, 0x10000, 0, 3, 0, 0x40047, 1, 1, 0, 0x40015, 2, 32, 0, 0x40032, 2, 1, 7]).buffer,
);

const newBuffer = (of: Context = context): Buffer => clCreateBuffer(of, RW, 256);
const newImage = (of: Context = context): Image =>
  clCreateImage(of, RW, FORMAT, { type: "CL_MEM_OBJECT_IMAGE2D", width: 4, height: 4 });
const newPipe = (of: Context = context): Pipe => clCreatePipe(of, 0, 4, 4);
const newSampler = (of: Context = context): Sampler =>
  clCreateSampler(of, true, "CL_ADDRESS_NONE", "CL_FILTER_NEAREST");
const newContext = (): Context => clCreateContext([device]);
const newProgram = (of: Context = context): Program => clCreateProgramWithSource(of, [SOURCE]);

function newPart(): SubDevice {
  return clCreateSubDevices(device, { CL_DEVICE_PARTITION_EQUALLY: 1 })[0] as SubDevice;
}

function builtProgram(of: Context = context): Program {
  const program = newProgram(of);
  clBuildProgram(program);
  return program;
}

function compiledProgram(): Program {
  const program = newProgram();
  clCompileProgram(program);
  return program;
}

function readyKernel(of: Program, buffer: Buffer): Kernel {
  const kernel = clCreateKernel(of, "k");
  clSetKernelArg(kernel, 0, buffer);
  clSetKernelArg(kernel, 1, int(1));
  return kernel;
}

function settledEvent(of: Context = context): UserEvent {
  const event = clCreateUserEvent(of);
  clSetUserEventStatus(event, CL_COMPLETE);
  return event;
}

function finishedMarker(): Event {
  const event = clEnqueueMarkerWithWaitList(queue);
  clFinish(queue);
  return event;
}

function recording(of = queue): CommandBuffer {
  return clCreateCommandBufferKHR([of]);
}

function recorded(of = queue): CommandBuffer {
  const commands = recording(of);
  clCommandBarrierWithWaitListKHR(commands, null);
  clFinalizeCommandBufferKHR(commands);
  return commands;
}

const buffer = newBuffer();
const second = newBuffer();
const image = newImage();
const secondImage = newImage();
const pipe = newPipe();
const sampler = newSampler();
const program = builtProgram();
const compiled = compiledProgram();
const kernel = readyKernel(program, buffer);
const marker = finishedMarker();
const binary = clGetProgramInfo(program, "CL_PROGRAM_BINARIES")[0] as Uint8Array;
const mutableBuffer = clCreateCommandBufferKHR([queue], { CL_COMMAND_BUFFER_FLAGS_KHR: CL_COMMAND_BUFFER_MUTABLE_KHR });
const mutable = clCommandNDRangeKernelKHR(mutableBuffer, null, null, kernel, 1, null, [1], null);
clFinalizeCommandBufferKHR(mutableBuffer);
const ORIGIN = [0, 0, 0];
const nothing = (): void => undefined;

/** Arguments of a valid call, by entry point. What a call uses up is made anew. */
export const VALID: Readonly<Record<string, () => readonly unknown[]>> = {
  clGetPlatformIDs: () => [],
  clGetPlatformInfo: () => [platform, "CL_PLATFORM_NAME"],
  clGetDeviceIDs: () => [platform, CL_DEVICE_TYPE_ALL],
  clGetDeviceInfo: () => [device, "CL_DEVICE_NAME"],
  clGetDeviceAndHostTimer: () => [device],
  clGetHostTimer: () => [device],
  clCreateSubDevices: () => [device, { CL_DEVICE_PARTITION_EQUALLY: 1 }],
  clRetainDevice: () => [newPart()],
  clReleaseDevice: () => [newPart()],
  clCreateContext: () => [[device], null, null],
  clCreateContextFromType: () => [CL_DEVICE_TYPE_ALL, null, null],
  clRetainContext: () => [newContext()],
  clReleaseContext: () => [newContext()],
  clGetContextInfo: () => [context, "CL_CONTEXT_DEVICES"],
  clSetContextDestructorCallback: () => [newContext(), nothing],
  clCreateCommandQueueWithProperties: () => [context, device, null],
  clCreateCommandQueueWithPropertiesKHR: () => [context, device, null],
  clCreateCommandQueue: () => [context, device, 0],
  clSetDefaultDeviceCommandQueue: () => [context, device, queue],
  clRetainCommandQueue: () => [newQueue()],
  clReleaseCommandQueue: () => [newQueue()],
  clGetCommandQueueInfo: () => [queue, "CL_QUEUE_DEVICE"],
  clSetCommandQueueProperty: () => [queue, CL_QUEUE_PROFILING_ENABLE, true],
  clCreateBuffer: () => [context, RW, 16, null],
  clCreateBufferWithProperties: () => [context, null, RW, 16, null],
  clCreateSubBuffer: () => [buffer, 0, { origin: 128, size: 16 }],
  clEnqueueReadBuffer: () => [queue, buffer, true, 0, 16, bytes, []],
  clEnqueueWriteBuffer: () => [queue, buffer, true, 0, 16, bytes, []],
  clEnqueueReadBufferRect: () => [queue, buffer, true, ORIGIN, ORIGIN, [4, 2, 2], 8, 32, 4, 8, bytes, []],
  clEnqueueWriteBufferRect: () => [queue, buffer, true, ORIGIN, ORIGIN, [4, 2, 2], 8, 32, 4, 8, bytes, []],
  clEnqueueCopyBuffer: () => [queue, buffer, second, 0, 0, 16, []],
  clEnqueueCopyBufferRect: () => [queue, buffer, second, ORIGIN, ORIGIN, [4, 2, 2], 8, 32, 4, 8, []],
  clEnqueueFillBuffer: () => [queue, buffer, int(1), 0, 16, []],
  clEnqueueMapBuffer: () => [queue, newBuffer(), true, CL_MAP_READ, 0, 16, []],
  clCreateImage: () => [context, RW, FORMAT, { type: "CL_MEM_OBJECT_IMAGE2D", width: 4, height: 4 }, null],
  clCreateImageWithProperties: () => [
    context,
    null,
    RW,
    FORMAT,
    { type: "CL_MEM_OBJECT_IMAGE2D", width: 4, height: 4 },
    null,
  ],
  clCreateImage2D: () => [context, RW, FORMAT, 4, 4, 0, null],
  clCreateImage3D: () => [context, RW, FORMAT, 4, 4, 4, 0, 0, null],
  clGetSupportedImageFormats: () => [context, RW, "CL_MEM_OBJECT_IMAGE2D"],
  clEnqueueReadImage: () => [queue, image, true, ORIGIN, [2, 2, 1], 8, 0, bytes, []],
  clEnqueueWriteImage: () => [queue, image, true, ORIGIN, [2, 2, 1], 8, 0, bytes, []],
  clEnqueueCopyImage: () => [queue, image, secondImage, ORIGIN, ORIGIN, [2, 2, 1], []],
  clEnqueueFillImage: () => [queue, image, new Uint32Array(4), ORIGIN, [2, 2, 1], []],
  clEnqueueCopyImageToBuffer: () => [queue, image, buffer, ORIGIN, [2, 2, 1], 0, []],
  clEnqueueCopyBufferToImage: () => [queue, buffer, image, 0, ORIGIN, [2, 2, 1], []],
  clEnqueueMapImage: () => [queue, newImage(), true, CL_MAP_READ, ORIGIN, [2, 2, 1], []],
  clGetImageInfo: () => [image, "CL_IMAGE_WIDTH"],
  clCreatePipe: () => [context, 0, 4, 4],
  clGetPipeInfo: () => [pipe, "CL_PIPE_PACKET_SIZE"],
  clRetainMemObject: () => [newBuffer()],
  clReleaseMemObject: () => [newBuffer()],
  clSetMemObjectDestructorCallback: () => [newBuffer(), nothing],
  clEnqueueUnmapMemObject: () => {
    const mapped = newBuffer();
    return [queue, mapped, clEnqueueMapBuffer(queue, mapped, true, CL_MAP_READ, 0, 16).array, []];
  },
  clEnqueueMigrateMemObjects: () => [queue, [buffer], 0, []],
  clGetMemObjectInfo: () => [buffer, "CL_MEM_SIZE"],
  clSVMAlloc: () => [context, RW, 16, 0],
  clSVMFree: () => [context, clSVMAlloc(context, RW, 16)],
  clEnqueueSVMFree: () => [queue, [clSVMAlloc(context, RW, 16)], null, []],
  clEnqueueSVMMemcpy: () => [queue, true, target, pointer, 16, []],
  clEnqueueSVMMemFill: () => [queue, pointer, int(1), 16, []],
  clEnqueueSVMMap: () => [queue, true, CL_MAP_READ, pointer, 16, []],
  clEnqueueSVMUnmap: () => [queue, pointer, []],
  clEnqueueSVMMigrateMem: () => [queue, [pointer], null, 0, []],
  clCreateSamplerWithProperties: () => [context, null],
  clCreateSampler: () => [context, true, "CL_ADDRESS_NONE", "CL_FILTER_NEAREST"],
  clRetainSampler: () => [newSampler()],
  clReleaseSampler: () => [newSampler()],
  clGetSamplerInfo: () => [sampler, "CL_SAMPLER_CONTEXT"],
  clCreateProgramWithSource: () => [context, [SOURCE]],
  clCreateProgramWithIL: () => [context, MODULE],
  clCreateProgramWithILKHR: () => [context, MODULE],
  clCreateProgramWithBinary: () => [context, [device], [binary], null],
  clCreateProgramWithBuiltInKernels: () => [context, [device], "k"],
  clRetainProgram: () => [newProgram()],
  clReleaseProgram: () => [newProgram()],
  clSetProgramReleaseCallback: () => [program, nothing],
  clSetProgramSpecializationConstant: () => [clCreateProgramWithIL(context, MODULE), 0, int(1)],
  clBuildProgram: () => [newProgram(), [device], ""],
  clCompileProgram: () => [newProgram(), [device], "", []],
  clLinkProgram: () => [context, [device], "", [compiled]],
  clUnloadPlatformCompiler: () => [platform],
  clUnloadCompiler: () => [],
  clGetProgramInfo: () => [program, "CL_PROGRAM_SOURCE"],
  clGetProgramBuildInfo: () => [program, device, "CL_PROGRAM_BUILD_LOG"],
  clCreateKernel: () => [program, "k"],
  clCreateKernelsInProgram: () => [program],
  clRetainKernel: () => [clCreateKernel(program, "k")],
  clReleaseKernel: () => [clCreateKernel(program, "k")],
  clSetKernelArg: () => [clCreateKernel(program, "k"), 0, buffer],
  clSetKernelArgSVMPointer: () => [clCreateKernel(program, "k"), 0, pointer],
  clSetKernelExecInfo: () => [kernel, "CL_KERNEL_EXEC_INFO_SVM_PTRS", [pointer]],
  clCloneKernel: () => [kernel],
  clGetKernelInfo: () => [kernel, "CL_KERNEL_NUM_ARGS"],
  clGetKernelWorkGroupInfo: () => [kernel, device, "CL_KERNEL_WORK_GROUP_SIZE"],
  clGetKernelSubGroupInfo: () => [kernel, device, "CL_KERNEL_MAX_NUM_SUB_GROUPS", []],
  clGetKernelArgInfo: () => [kernel, 0, "CL_KERNEL_ARG_NAME"],
  clEnqueueNDRangeKernel: () => [queue, kernel, 1, [0], [1], [1], []],
  clEnqueueTask: () => [queue, kernel, []],
  clEnqueueNativeKernel: () => [queue, nothing, [buffer], []],
  clCreateUserEvent: () => [context],
  clSetUserEventStatus: () => [clCreateUserEvent(context), CL_COMPLETE],
  clWaitForEvents: () => [[marker]],
  clGetEventInfo: () => [marker, "CL_EVENT_COMMAND_TYPE"],
  clSetEventCallback: () => [marker, CL_COMPLETE, nothing],
  clRetainEvent: () => [settledEvent()],
  clReleaseEvent: () => [settledEvent()],
  clGetEventProfilingInfo: () => [marker, "CL_PROFILING_COMMAND_END"],
  clEnqueueMarkerWithWaitList: () => [queue, []],
  clEnqueueBarrierWithWaitList: () => [queue, []],
  clEnqueueMarker: () => [queue],
  clEnqueueBarrier: () => [queue],
  clEnqueueWaitForEvents: () => [queue, [marker]],
  clCreateCommandBufferKHR: () => [[queue], null],
  clRetainCommandBufferKHR: () => [recording()],
  clReleaseCommandBufferKHR: () => [recording()],
  clFinalizeCommandBufferKHR: () => [recording()],
  clEnqueueCommandBufferKHR: () => [[queue], recorded(), []],
  clCommandBarrierWithWaitListKHR: () => [recording(), null, []],
  clCommandCopyBufferKHR: () => [recording(), null, buffer, second, 0, 0, 16, []],
  clCommandCopyBufferRectKHR: () => [recording(), null, buffer, second, ORIGIN, ORIGIN, [4, 2, 2], 8, 32, 4, 8, []],
  clCommandCopyBufferToImageKHR: () => [recording(), null, buffer, image, 0, ORIGIN, [2, 2, 1], []],
  clCommandCopyImageKHR: () => [recording(), null, image, secondImage, ORIGIN, ORIGIN, [2, 2, 1], []],
  clCommandCopyImageToBufferKHR: () => [recording(), null, image, buffer, ORIGIN, [2, 2, 1], 0, []],
  clCommandFillBufferKHR: () => [recording(), null, buffer, int(1), 0, 16, []],
  clCommandFillImageKHR: () => [recording(), null, image, new Uint32Array(4), ORIGIN, [2, 2, 1], []],
  clCommandNDRangeKernelKHR: () => [recording(), null, null, kernel, 1, [0], [1], [1], []],
  clCommandSVMMemcpyKHR: () => [recording(), null, target, pointer, 16, []],
  clCommandSVMMemFillKHR: () => [recording(), null, pointer, int(1), 16, []],
  clGetCommandBufferInfoKHR: () => [recording(), "CL_COMMAND_BUFFER_NUM_QUEUES_KHR"],
  clUpdateMutableCommandsKHR: () => [mutableBuffer, [{ command: mutable, globalSize: [2] }]],
  clGetMutableCommandInfoKHR: () => [mutable, "CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR"],
  clHostMemAllocINTEL: () => [context, null, 16, 0],
  clDeviceMemAllocINTEL: () => [context, device, null, 16, 0],
  clSharedMemAllocINTEL: () => [context, device, null, 16, 0],
  clMemFreeINTEL: () => [context, clSharedMemAllocINTEL(context, device, null, 16)],
  clMemBlockingFreeINTEL: () => [context, clSharedMemAllocINTEL(context, device, null, 16)],
  clGetMemAllocInfoINTEL: () => [context, shared, "CL_MEM_ALLOC_SIZE_INTEL"],
  clSetKernelArgMemPointerINTEL: () => [clCreateKernel(program, "k"), 0, shared],
  clEnqueueMemFillINTEL: () => [queue, shared, int(1), 16, []],
  clEnqueueMemcpyINTEL: () => [queue, true, shared, bytes, 16, []],
  clEnqueueMigrateMemINTEL: () => [queue, shared, 16, 0, []],
  clEnqueueMemAdviseINTEL: () => [queue, shared, 16, 0, []],
  clEnqueueMemsetINTEL: () => [queue, shared, 1, 16, []],
  clGetKernelSuggestedLocalWorkSizeKHR: () => [queue, kernel, 1, [0], [8]],
  clGetKernelWFVInfoMUXKIT: () => [kernel, device, [1], "CL_KERNEL_WFV_STATUS_MUXKIT"],
  clSetKernelExecInfoMUXKIT: () => [kernel, "CL_KERNEL_EXEC_INFO_SVM_PTRS", [pointer]],
  clSetThreadsMUXKIT: () => [device, 2],
  clFlush: () => [queue],
  clFinish: () => [queue],
  clGetExtensionFunctionAddressForPlatform: () => [platform, "clCreateCommandQueueWithPropertiesKHR"],
  clGetExtensionFunctionAddress: () => ["clCreateCommandQueueWithPropertiesKHR"],
};

/** An exported function, by its name. */
export function entryPoint(call: string): (...args: readonly unknown[]) => unknown {
  const found = (opencl as Readonly<Record<string, unknown>>)[call];
  if (typeof found !== "function") throw new Error(`${call} is not exported`);
  return found as (...args: readonly unknown[]) => unknown;
}

/** Calls an entry point as in {@link VALID}, with one argument changed by `change`. */
export function callWith(call: string, index: number, change: (value: unknown) => unknown): unknown {
  const args = [...(VALID[call]?.() ?? [])];
  args[index] = change(args[index]);
  return entryPoint(call)(...args);
}

/** A living object of another kind. */
export const OF_ANOTHER_KIND: Readonly<Record<Kind, unknown>> = {
  Platform: device,
  Device: platform,
  Context: queue,
  CommandQueue: context,
  MemoryObject: sampler,
  Buffer: image,
  Image: buffer,
  Pipe: buffer,
  Sampler: buffer,
  Program: kernel,
  Kernel: program,
  Event: queue,
  CommandBuffer: queue,
  MutableCommand: kernel,
};

function released<T>(object: T, release: (object: T) => void): T {
  release(object);
  return object;
}

/** Makes an object without any reference to it. The platform and recorded commands have no references. */
export const RELEASED: Readonly<Record<Exclude<Kind, "Platform" | "MutableCommand">, () => unknown>> = {
  Device: () => released(newPart(), clReleaseDevice),
  Context: () => released(newContext(), clReleaseContext),
  CommandQueue: () => released(newQueue(), clReleaseCommandQueue),
  MemoryObject: () => released(newBuffer(), clReleaseMemObject),
  Buffer: () => released(newBuffer(), clReleaseMemObject),
  Image: () => released(newImage(), clReleaseMemObject),
  Pipe: () => released(newPipe(), clReleaseMemObject),
  Sampler: () => released(newSampler(), clReleaseSampler),
  Program: () => released(newProgram(), clReleaseProgram),
  Kernel: () => released(clCreateKernel(program, "k"), clReleaseKernel),
  Event: () => released(settledEvent(), clReleaseEvent),
  CommandBuffer: () => released(recorded(), clReleaseCommandBufferKHR),
};

const otherProgram = builtProgram(other);
const part = newPart();

/** Living objects of another context, or devices of none. */
export const FOREIGN: Readonly<Partial<Record<Kind, unknown>>> = {
  Device: part,
  CommandQueue: otherQueue,
  MemoryObject: newBuffer(other),
  Buffer: newBuffer(other),
  Image: newImage(other),
  Kernel: readyKernel(otherProgram, newBuffer(other)),
  Event: settledEvent(other),
  CommandBuffer: recorded(otherQueue),
};

/** A living pipe: a memory object that is neither buffer nor image. */
export const PIPE: Pipe = pipe;
