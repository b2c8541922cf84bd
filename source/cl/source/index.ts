/**
 * OpenCL as a TypeScript API: the specification's calls, objects and errors, on top of the kit's runtime and compiler.
 *
 * @packageDocumentation
 */
export * from "./constants.ts";
export { ErrorCode, OpenCLError, type ErrorName } from "./error.ts";
export { ClObject } from "./object.ts";
export { Context, Device, Platform, clCreateContext, clGetDeviceIDs, clGetPlatformIDs, setCompilers } from "./platform.ts";
export { type Mapping, MemoryObject } from "./memory-object.ts";
export { Buffer, clCreateBuffer, clCreateSubBuffer } from "./buffer.ts";
export { Image, type ImageDescription, type ImageFormat, type ImageObjectType, clCreateImage, clGetSupportedImageFormats } from "./image.ts";
export { Pipe, clCreatePipe } from "./pipe.ts";
export { type AddressingMode, type FilterMode, Sampler, clCreateSampler } from "./sampler.ts";
export { type BuildStatus, type BuiltProgram, type IncludedProgram, Program, clBuildProgram, clCompileProgram, clCreateProgramWithBinary, clCreateProgramWithSource, clLinkProgram } from "./program.ts";
export { type ArgumentValue, Kernel, type LocalMemory, type SetArgument, clCloneKernel, clCreateKernel, clCreateKernelsInProgram, clSetKernelArg } from "./kernel.ts";
export { type CommandType, Event, type EventSource, type EventTimes, type Listener, clSetEventCallback, clWaitForEvents, clWaitForEventsAsync } from "./event.ts";
export { UserEvent, clCreateUserEvent, clSetUserEventStatus } from "./user-event.ts";
export { type Command } from "./batch.ts";
export { chooseLocalSize } from "./local-size.ts";
export { CommandQueue, clCreateCommandQueue, clFinish, clFinishAsync, clFlush, clFlushAsync } from "./queue.ts";
export {
  clEnqueueBarrierWithWaitList, clEnqueueCopyBuffer, clEnqueueFillBuffer, clEnqueueMapBuffer, clEnqueueMarkerWithWaitList, clEnqueueNDRangeKernel, clEnqueueReadBuffer, clEnqueueUnmapMemObject, clEnqueueWriteBuffer,
} from "./enqueue.ts";
export { type RectPosition, clEnqueueCopyBufferRect, clEnqueueReadBufferRect, clEnqueueWriteBufferRect } from "./enqueue-rect.ts";
export { clEnqueueMigrateMemObjects } from "./enqueue-migrate.ts";
export {
  type ImagePosition, clEnqueueCopyBufferToImage, clEnqueueCopyImage, clEnqueueCopyImageToBuffer, clEnqueueFillImage, clEnqueueMapImage, clEnqueueReadImage, clEnqueueWriteImage,
} from "./enqueue-image.ts";
export {
  clReleaseCommandQueue, clReleaseContext, clReleaseDevice, clReleaseEvent, clReleaseKernel, clReleaseMemObject, clReleaseProgram, clReleaseSampler, clRetainCommandQueue, clRetainContext, clRetainDevice, clRetainEvent,
  clRetainKernel, clRetainMemObject, clRetainProgram, clRetainSampler,
} from "./reference-counts.ts";
export { type DeviceInfo, type NameVersion, type PlatformInfo, clGetDeviceInfo, clGetPlatformInfo } from "./info/platform-info.ts";
export {
  type CommandQueueInfo, type ContextInfo, type EventInfo, type EventProfilingInfo, type MemObjectInfo, type PipeInfo, clGetCommandQueueInfo, clGetContextInfo, clGetEventInfo, clGetEventProfilingInfo, clGetMemObjectInfo, clGetPipeInfo,
} from "./info/object-info.ts";
export { type ImageInfo, type SamplerInfo, clGetImageInfo, clGetSamplerInfo } from "./info/image-info.ts";
export {
  type KernelArgumentInfo, type KernelFacts, type KernelSubGroupInfo, type KernelWorkGroupInfo, type ProgramBuildInfo, type ProgramInfo, clGetKernelArgInfo, clGetKernelInfo, clGetKernelSubGroupInfo, clGetKernelWorkGroupInfo, clGetProgramBuildInfo, clGetProgramInfo,
} from "./info/program-info.ts";
