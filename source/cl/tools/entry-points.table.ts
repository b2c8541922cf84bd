// The entry points of OpenCL 3.0 by the sections of its specification, those included that it calls deprecated.

/** A section of the page: its title and the calls. */
export type Section = readonly [title: string, calls: readonly string[]];

export const ENTRY_POINTS: readonly Section[] = [
  ["Platforms and devices (4.1 to 4.3)", [
    "clGetPlatformIDs", "clGetPlatformInfo", "clGetDeviceIDs", "clGetDeviceInfo", "clGetDeviceAndHostTimer", "clGetHostTimer", "clCreateSubDevices", "clRetainDevice", "clReleaseDevice",
  ]],
  ["Contexts (4.4)", ["clCreateContext", "clCreateContextFromType", "clRetainContext", "clReleaseContext", "clGetContextInfo", "clSetContextDestructorCallback"]],
  ["Command queues (5.1)", [
    "clCreateCommandQueueWithProperties", "clCreateCommandQueue", "clSetDefaultDeviceCommandQueue", "clRetainCommandQueue", "clReleaseCommandQueue", "clGetCommandQueueInfo", "clSetCommandQueueProperty",
  ]],
  ["Buffers (5.2)", [
    "clCreateBuffer", "clCreateBufferWithProperties", "clCreateSubBuffer", "clEnqueueReadBuffer", "clEnqueueWriteBuffer", "clEnqueueReadBufferRect", "clEnqueueWriteBufferRect", "clEnqueueCopyBuffer", "clEnqueueCopyBufferRect",
    "clEnqueueFillBuffer", "clEnqueueMapBuffer",
  ]],
  ["Images (5.3)", [
    "clCreateImage", "clCreateImageWithProperties", "clCreateImage2D", "clCreateImage3D", "clGetSupportedImageFormats", "clEnqueueReadImage", "clEnqueueWriteImage", "clEnqueueCopyImage", "clEnqueueFillImage",
    "clEnqueueCopyImageToBuffer", "clEnqueueCopyBufferToImage", "clEnqueueMapImage", "clGetImageInfo",
  ]],
  ["Pipes (5.4)", ["clCreatePipe", "clGetPipeInfo"]],
  ["Memory objects (5.5)", ["clRetainMemObject", "clReleaseMemObject", "clSetMemObjectDestructorCallback", "clEnqueueUnmapMemObject", "clEnqueueMigrateMemObjects", "clGetMemObjectInfo"]],
  ["Shared virtual memory (5.6)", [
    "clSVMAlloc", "clSVMFree", "clEnqueueSVMFree", "clEnqueueSVMMemcpy", "clEnqueueSVMMemFill", "clEnqueueSVMMap", "clEnqueueSVMUnmap", "clEnqueueSVMMigrateMem",
  ]],
  ["Samplers (5.7)", ["clCreateSamplerWithProperties", "clCreateSampler", "clRetainSampler", "clReleaseSampler", "clGetSamplerInfo"]],
  ["Programs (5.8)", [
    "clCreateProgramWithSource", "clCreateProgramWithIL", "clCreateProgramWithBinary", "clCreateProgramWithBuiltInKernels", "clRetainProgram", "clReleaseProgram", "clSetProgramReleaseCallback", "clSetProgramSpecializationConstant",
    "clBuildProgram", "clCompileProgram", "clLinkProgram", "clUnloadPlatformCompiler", "clUnloadCompiler", "clGetProgramInfo", "clGetProgramBuildInfo",
  ]],
  ["Kernels (5.9)", [
    "clCreateKernel", "clCreateKernelsInProgram", "clRetainKernel", "clReleaseKernel", "clSetKernelArg", "clSetKernelArgSVMPointer", "clSetKernelExecInfo", "clCloneKernel", "clGetKernelInfo", "clGetKernelWorkGroupInfo",
    "clGetKernelSubGroupInfo", "clGetKernelArgInfo",
  ]],
  ["Launches (5.10)", ["clEnqueueNDRangeKernel", "clEnqueueTask", "clEnqueueNativeKernel"]],
  ["Events (5.11, 5.14)", [
    "clCreateUserEvent", "clSetUserEventStatus", "clWaitForEvents", "clGetEventInfo", "clSetEventCallback", "clRetainEvent", "clReleaseEvent", "clGetEventProfilingInfo",
  ]],
  ["Markers, barriers, flush and finish (5.12, 5.15)", ["clEnqueueMarkerWithWaitList", "clEnqueueBarrierWithWaitList", "clEnqueueMarker", "clEnqueueBarrier", "clEnqueueWaitForEvents", "clFlush", "clFinish"]],
  ["Functions of extensions (9.2)", ["clGetExtensionFunctionAddressForPlatform", "clGetExtensionFunctionAddress"]],
];
