// SPDX-License-Identifier: Apache-2.0
/**
 * OpenCL as a TypeScript API: the specification's calls, objects and errors, on top of the kit's runtime and compiler.
 *
 * @packageDocumentation
 */
export * from "./generated/constants.ts";
export { OpenCLError, type ErrorName } from "./error.ts";
export { ErrorCode } from "./generated/errors.ts";
export {
  type CommandBufferInfo,
  type CommandQueueInfo,
  type ContextInfo,
  type DeviceInfo,
  type EventInfo,
  type EventProfilingInfo,
  type ImageInfo,
  type KernelArgumentInfo,
  type KernelFacts,
  type KernelSubGroupInfo,
  type KernelWfvInfo,
  type KernelWorkGroupInfo,
  type MemObjectInfo,
  type MemAllocInfo,
  type MutableCommandInfo,
  type PipeInfo,
  type PlatformInfo,
  type ProgramBuildInfo,
  type ProgramInfo,
  type SamplerInfo,
} from "./generated/info.ts";
export { ClObject } from "./object.ts";
export {
  Context,
  type ContextProperties,
  Device,
  Platform,
  addCompilers,
  clCreateContext,
  clCreateContextFromType,
  clGetDeviceIDs,
  clGetPlatformIDs,
  preloadBinary,
  setCompilers,
} from "./platform.ts";
export {
  type CompilerMode,
  type CompilerModeEdge,
  type LibraryEntry,
  type ProgramLibrary,
  deviceWord,
  setCompilerModeEdge,
} from "./compiler-mode.ts";
export { type DevicePartition, type DevicePartitionName, SubDevice, clCreateSubDevices } from "./sub-device.ts";
export { type Mapping, MemoryObject, type MemoryProperties } from "./memory-object.ts";
export { Buffer, clCreateBuffer, clCreateSubBuffer } from "./buffer.ts";
export {
  Image,
  type ImageDescription,
  type ImageFormat,
  type ImageObjectType,
  clCreateImage,
  clGetSupportedImageFormats,
} from "./image.ts";
export { Pipe, clCreatePipe, packetBytes } from "./pipe.ts";
export { type AddressingMode, type FilterMode, Sampler, type SamplerProperties, clCreateSampler } from "./sampler.ts";
export {
  clCreateBufferWithProperties,
  clCreateImage2D,
  clCreateImage3D,
  clCreateImageWithProperties,
  clCreateSamplerWithProperties,
} from "./memory-properties.ts";
export { clSetContextDestructorCallback, clSetMemObjectDestructorCallback } from "./destructor-callbacks.ts";
export { clCreateProgramWithBuiltInKernels, clSetProgramReleaseCallback } from "./program-refusals.ts";
export { clCreateProgramWithIL, clCreateProgramWithILKHR, clSetProgramSpecializationConstant } from "./il.ts";
export { type BuiltProgram } from "./built-program.ts";
export { type BuildStatus, Program, clCreateProgramWithBinary, clCreateProgramWithSource } from "./program.ts";
export { type BuildCallback, type IncludedProgram, clBuildProgram, clCompileProgram, clLinkProgram } from "./build.ts";
export {
  type ArgumentValue,
  Kernel,
  type LocalMemory,
  type SetArgument,
  clCloneKernel,
  clCreateKernel,
  clCreateKernelsInProgram,
  clSetKernelArg,
} from "./kernel.ts";
export {
  type CommandType,
  Event,
  type EventSource,
  type EventTimes,
  type Listener,
  clSetEventCallback,
  clWaitForEvents,
  clWaitForEventsAsync,
} from "./event.ts";
export { UserEvent, clCreateUserEvent, clSetUserEventStatus } from "./user-event.ts";
export { type Command } from "./submission.ts";
export {
  clCreateCommandQueueWithProperties,
  clCreateCommandQueueWithPropertiesKHR,
  clSetCommandQueueProperty,
  clSetDefaultDeviceCommandQueue,
} from "./queue-properties.ts";
export { clGetDeviceAndHostTimer, clGetHostTimer } from "./timer.ts";
export {
  type ExtensionFunction,
  type ExtensionFunctions,
  clGetExtensionFunctionAddress,
  clGetExtensionFunctionAddressForPlatform,
  clUnloadCompiler,
  clUnloadPlatformCompiler,
} from "./extension-functions.ts";
export { CommandQueue, type QueuePropertyList } from "./queue.ts";
export { clCreateCommandQueue, clFinish, clFinishAsync, clFlush, clFlushAsync } from "./queue-calls.ts";
export {
  clEnqueueBarrierWithWaitList,
  clEnqueueCopyBuffer,
  clEnqueueFillBuffer,
  clEnqueueMapBuffer,
  clEnqueueMarkerWithWaitList,
  clEnqueueNDRangeKernel,
  enqueueLimited,
  type LaunchLimits,
  clEnqueueReadBuffer,
  clEnqueueUnmapMemObject,
  clEnqueueWriteBuffer,
} from "./enqueue.ts";
export {
  type RectPosition,
  clEnqueueCopyBufferRect,
  clEnqueueReadBufferRect,
  clEnqueueWriteBufferRect,
} from "./enqueue-rect.ts";
export { clEnqueueBarrier, clEnqueueMarker, clEnqueueTask, clEnqueueWaitForEvents } from "./enqueue-legacy.ts";
export { type HostOutcome } from "./enqueue-checks.ts";
export { type HostWork, clEnqueueNativeKernel, enqueueHostWork } from "./native-kernel.ts";
export { type SvmPointer, clSVMAlloc, clSVMFree, svmView } from "./svm.ts";
export {
  type SvmOrArray,
  clEnqueueSVMFree,
  clEnqueueSVMMap,
  clEnqueueSVMMemFill,
  clEnqueueSVMMemcpy,
  clEnqueueSVMMigrateMem,
  clEnqueueSVMUnmap,
} from "./enqueue-svm.ts";
export {
  type KernelExecInfo,
  clSetKernelArgMemPointerINTEL,
  clSetKernelArgSVMPointer,
  clSetKernelExecInfo,
} from "./kernel-svm.ts";
export { clEnqueueMigrateMemObjects } from "./enqueue-migrate.ts";
export {
  type ImagePosition,
  clEnqueueCopyBufferToImage,
  clEnqueueCopyImage,
  clEnqueueCopyImageToBuffer,
  clEnqueueFillImage,
  clEnqueueMapImage,
  clEnqueueReadImage,
  clEnqueueWriteImage,
} from "./enqueue-image.ts";
export {
  clReleaseCommandQueue,
  clReleaseContext,
  clReleaseDevice,
  clReleaseEvent,
  clReleaseKernel,
  clReleaseMemObject,
  clReleaseProgram,
  clReleaseSampler,
  clRetainCommandQueue,
  clRetainContext,
  clRetainDevice,
  clRetainEvent,
  clRetainKernel,
  clRetainMemObject,
  clRetainProgram,
  clRetainSampler,
} from "./reference-counts.ts";
export { QUERY_BITS } from "./generated/flags.ts";
export { type NameVersion } from "./info/name-version.ts";
export { DEVICE_QUERIES, PLATFORM_QUERIES, clGetDeviceInfo, clGetPlatformInfo } from "./info/platform-info.ts";
export {
  clGetCommandQueueInfo,
  clGetContextInfo,
  clGetEventInfo,
  clGetEventProfilingInfo,
  clGetMemObjectInfo,
  clGetPipeInfo,
} from "./info/object-info.ts";
export { clGetImageInfo, clGetSamplerInfo } from "./info/image-info.ts";
export {
  clGetKernelArgInfo,
  clGetKernelInfo,
  clGetKernelSubGroupInfo,
  clGetKernelWorkGroupInfo,
  clGetProgramBuildInfo,
  clGetProgramInfo,
} from "./info/program-info.ts";
export {
  CommandBuffer,
  type CommandBufferProperties,
  type CommandBufferState,
  type DispatchProperties,
  MutableCommand,
  type SyncPoint,
  clCreateCommandBufferKHR,
  clEnqueueCommandBufferKHR,
  clFinalizeCommandBufferKHR,
  clReleaseCommandBufferKHR,
  clRetainCommandBufferKHR,
} from "./command-buffer.ts";
export {
  clCommandBarrierWithWaitListKHR,
  clCommandCopyBufferKHR,
  clCommandCopyBufferRectKHR,
  clCommandCopyBufferToImageKHR,
  clCommandCopyImageKHR,
  clCommandCopyImageToBufferKHR,
  clCommandFillBufferKHR,
  clCommandFillImageKHR,
  clCommandNDRangeKernelKHR,
  clCommandSVMMemFillKHR,
  clCommandSVMMemcpyKHR,
} from "./command-buffer-commands.ts";
export { type ExecInfoEntry, type MutableDispatchConfig, clUpdateMutableCommandsKHR } from "./mutable-dispatch.ts";
export {
  type UsmPointer,
  type UsmProperties,
  type UsmType,
  clDeviceMemAllocINTEL,
  clHostMemAllocINTEL,
  clMemBlockingFreeINTEL,
  clMemFreeINTEL,
  clSharedMemAllocINTEL,
  usmView,
} from "./usm.ts";
export {
  type UsmOrArray,
  clEnqueueMemAdviseINTEL,
  clEnqueueMemFillINTEL,
  clEnqueueMemcpyINTEL,
  clEnqueueMemsetINTEL,
  clEnqueueMigrateMemINTEL,
} from "./enqueue-usm.ts";
export { clGetMemAllocInfoINTEL } from "./info/usm-info.ts";
export { type DotProductAcceleration } from "./info/extension-info.ts";
export { type PerformanceCounter } from "./performance-counters.ts";
export {
  type WfvStatus,
  clGetKernelWFVInfoMUXKIT,
  clSetKernelExecInfoMUXKIT,
  clSetThreadsMUXKIT,
} from "./vendor-functions.ts";
export { clGetKernelSuggestedLocalWorkSizeKHR } from "./suggested-size.ts";
export { clGetCommandBufferInfoKHR, clGetMutableCommandInfoKHR } from "./info/command-buffer-info.ts";
