// SPDX-License-Identifier: Apache-2.0
// The errors that the specification lists for calls that make, build, set and wait: a row each.
import {
  type ArgumentValue,
  type Buffer,
  CL_MAP_READ,
  CL_MAP_WRITE,
  CL_MAP_WRITE_INVALIDATE_REGION,
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_HOST_NO_ACCESS,
  CL_MEM_HOST_READ_ONLY,
  CL_MEM_HOST_WRITE_ONLY,
  CL_MEM_READ_ONLY,
  CL_MEM_READ_WRITE,
  CL_MEM_USE_HOST_PTR,
  CL_MEM_WRITE_ONLY,
  type ErrorName,
  type Event,
  type Image,
  type ImageDescription,
  type ImageFormat,
  type ImageObjectType,
  type Kernel,
  type Program,
  clBuildProgram,
  clCompileProgram,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateContext,
  clCreateImage,
  clCreateImage3D,
  clCreateKernel,
  clCreateKernelsInProgram,
  clCreatePipe,
  clCreateProgramWithBinary,
  clCreateProgramWithSource,
  clCreateSampler,
  clCreateSubBuffer,
  clCreateUserEvent,
  clEnqueueCopyBuffer,
  clEnqueueCopyBufferToImage,
  clEnqueueCopyImage,
  clEnqueueCopyImageToBuffer,
  clEnqueueFillImage,
  clEnqueueMapBuffer,
  clEnqueueMapImage,
  clEnqueueNDRangeKernel,
  clEnqueueReadImage,
  clEnqueueTask,
  clEnqueueUnmapMemObject,
  clEnqueueWriteImage,
  clFinish,
  clGetDeviceIDs,
  clGetEventProfilingInfo,
  clGetMemObjectInfo,
  clGetProgramInfo,
  clGetSupportedImageFormats,
  clLinkProgram,
  clReleaseMemObject,
  clReleaseSampler,
  clSetEventCallback,
  clSetKernelArg,
  clSetUserEventStatus,
  clWaitForEvents,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { SOURCE, context, device, expectError, int, ints, kernelOf, newQueue } from "./rig.ts";

const queue = newQueue();
const other = clCreateContext([device]);
const RGBA8: ImageFormat = { channelOrder: "CL_RGBA", channelType: "CL_UNORM_INT8" };
const R32: ImageFormat = { channelOrder: "CL_R", channelType: "CL_FLOAT" };
const WIDE = 2 ** 24;

function program(options: string | null = "", source: string = SOURCE): Program {
  const made = clCreateProgramWithSource(context, [source]);
  if (options !== null) clBuildProgram(made, null, options);
  return made;
}

const binary = clGetProgramInfo(program(), "CL_PROGRAM_BINARIES")[0] as Uint8Array;

function compiled(source: string = SOURCE): Program {
  const made = program(null, source);
  clCompileProgram(made);
  return made;
}

function gone<T>(object: T, release: (object: T) => void): T {
  release(object);
  return object;
}

const image = (width = 4, of = context, flags = CL_MEM_READ_WRITE, format = RGBA8): Image =>
  clCreateImage(of, flags, format, { type: "CL_MEM_OBJECT_IMAGE2D", width, height: 4 });
const describe2d = (more: Partial<ImageDescription>): ImageDescription => ({
  type: "CL_MEM_OBJECT_IMAGE2D",
  width: 4,
  height: 4,
  ...more,
});
const KERNELS = `${SOURCE}
kernel void takes(global int* data, local int* scratch, int value, read_only image2d_t from, sampler_t how,
    write_only image2d_t to) {
}
kernel void piped(read_only pipe int from) {}
kernel __attribute__((reqd_work_group_size(8, 1, 1))) void eight(global int* data) {}
`;
const all = program("-cl-std=CL3.0", KERNELS);
const takes: Kernel = clCreateKernel(all, "takes");
const set = (index: number, value: unknown): void => {
  clSetKernelArg(takes, index, value as ArgumentValue);
};

function launch(
  name: string,
  dimensions: number,
  offset: readonly number[] | null,
  size: readonly number[],
  local: readonly number[] | null,
  args: readonly ArgumentValue[] = [ints(1)],
): unknown {
  const kernel = clCreateKernel(all, name);
  for (const [i, value] of args.entries()) clSetKernelArg(kernel, i, value);
  return clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, size, local);
}

function failedEvent(): Event {
  const event = clCreateUserEvent(context);
  clSetUserEventStatus(event, -1);
  return event;
}

function mapped(flags: number, offset: number, size: number): Buffer {
  const buffer = ints(1, 2, 3, 4);
  clEnqueueMapBuffer(queue, buffer, true, flags, offset, size);
  return buffer;
}

const text = (value: string): string => value;

/** An image of a row that shows a buffer with these flags. */
function rowOf(flags: number): ImageDescription {
  return { type: "CL_MEM_OBJECT_IMAGE1D_BUFFER", width: 16, buffer: clCreateBuffer(context, flags, 64) };
}

const ROWS: readonly (readonly [call: string, error: ErrorName, reason: string, run: () => unknown])[] = [
  ["clGetDeviceIDs", "CL_INVALID_DEVICE_TYPE", "half a type", () => clGetDeviceIDs(device.platform, 0.5)],
  ["clCreateContext", "CL_INVALID_VALUE", "no devices", () => clCreateContext([])],
  ["clCreateCommandQueue", "CL_INVALID_VALUE", "unknown properties", () => clCreateCommandQueue(context, device, 128)],
  [
    "clCreateBuffer",
    "CL_INVALID_VALUE",
    "two kinds of access",
    () => clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4),
  ],
  [
    "clCreateBuffer",
    "CL_INVALID_VALUE",
    "two kinds of access of the host",
    () => clCreateBuffer(context, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 4),
  ],
  [
    "clCreateBuffer",
    "CL_INVALID_VALUE",
    "an array that is used and copied",
    () => clCreateBuffer(context, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 4, int(1)),
  ],
  ["clCreateBuffer", "CL_INVALID_VALUE", "unknown flags", () => clCreateBuffer(context, 2 ** 20, 4)],
  ["clCreateBuffer", "CL_INVALID_BUFFER_SIZE", "no bytes", () => clCreateBuffer(context, CL_MEM_READ_WRITE, 0)],
  [
    "clCreateBuffer",
    "CL_INVALID_BUFFER_SIZE",
    "more bytes than the device has",
    () => clCreateBuffer(context, CL_MEM_READ_WRITE, 2 ** 50),
  ],
  ["clCreateBuffer", "CL_INVALID_HOST_PTR", "a missing array", () => clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 4)],
  [
    "clCreateBuffer",
    "CL_INVALID_HOST_PTR",
    "an array that no flag asks for",
    () => clCreateBuffer(context, CL_MEM_READ_WRITE, 4, int(1)),
  ],
  [
    "clCreateBuffer",
    "CL_INVALID_HOST_PTR",
    "an array that is too small",
    () => clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 8, int(1)),
  ],
  [
    "clCreateSubBuffer",
    "CL_INVALID_VALUE",
    "more access than the whole",
    () => clCreateSubBuffer(clCreateBuffer(context, CL_MEM_READ_ONLY, 256), CL_MEM_WRITE_ONLY, { origin: 0, size: 4 }),
  ],
  [
    "clCreateSubBuffer",
    "CL_INVALID_VALUE",
    "reads of the host where the whole has writes only",
    () =>
      clCreateSubBuffer(clCreateBuffer(context, CL_MEM_HOST_WRITE_ONLY, 256), CL_MEM_HOST_READ_ONLY, {
        origin: 0,
        size: 4,
      }),
  ],
  [
    "clCreateSubBuffer",
    "CL_INVALID_VALUE",
    "writes of the host where the whole has nothing",
    () =>
      clCreateSubBuffer(clCreateBuffer(context, CL_MEM_HOST_NO_ACCESS, 256), CL_MEM_HOST_WRITE_ONLY, {
        origin: 0,
        size: 4,
      }),
  ],
  [
    "clCreateSubBuffer",
    "CL_INVALID_VALUE",
    "flags of arrays",
    () => clCreateSubBuffer(ints(1), CL_MEM_COPY_HOST_PTR, { origin: 0, size: 4 }),
  ],
  [
    "clCreateSubBuffer",
    "CL_INVALID_VALUE",
    "bytes outside of the whole",
    () => clCreateSubBuffer(ints(1), 0, { origin: 0, size: 8 }),
  ],
  [
    "clCreateSubBuffer",
    "CL_INVALID_BUFFER_SIZE",
    "no bytes",
    () => clCreateSubBuffer(ints(1), 0, { origin: 0, size: 0 }),
  ],
  [
    "clCreateSubBuffer",
    "CL_MISALIGNED_SUB_BUFFER_OFFSET",
    "an odd place",
    () => clCreateSubBuffer(clCreateBuffer(context, 1, 256), 0, { origin: 64, size: 4 }),
  ],
  [
    "clCreateImage",
    "CL_INVALID_VALUE",
    "flags that cannot be combined",
    () => image(4, context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY),
  ],
  [
    "clCreateImage",
    "CL_INVALID_VALUE",
    "more access than the buffer whose bytes it shows",
    () => clCreateImage(context, CL_MEM_READ_WRITE, RGBA8, rowOf(CL_MEM_WRITE_ONLY)),
  ],
  [
    "clCreateImage",
    "CL_INVALID_VALUE",
    "reads of the host where the buffer has writes only",
    () => clCreateImage(context, CL_MEM_HOST_READ_ONLY, RGBA8, rowOf(CL_MEM_HOST_WRITE_ONLY)),
  ],
  [
    "clCreateImage",
    "CL_INVALID_VALUE",
    "an array beside a buffer",
    () => clCreateImage(context, CL_MEM_COPY_HOST_PTR, RGBA8, rowOf(0), new Uint8Array(64)),
  ],
  [
    "clCreateImage",
    "CL_INVALID_VALUE",
    "an array to use beside a buffer",
    () => clCreateImage(context, CL_MEM_USE_HOST_PTR, RGBA8, rowOf(0), new Uint8Array(64)),
  ],
  [
    "clCreateImage",
    "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
    "a pitch in a buffer that is no number of pixels",
    () =>
      clCreateImage(context, 0, RGBA8, {
        type: "CL_MEM_OBJECT_IMAGE2D",
        width: 4,
        height: 4,
        rowPitch: 18,
        buffer: clCreateBuffer(context, 0, 256),
      }),
  ],
  ["clCreateImage3D", "CL_INVALID_IMAGE_SIZE", "one slice", () => clCreateImage3D(context, 0, RGBA8, 4, 4, 1)],
  [
    "clCreateImage",
    "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
    "an order of channels that there is not",
    () => image(4, context, 1, { channelOrder: "CL_RGBQ" as "CL_RGBA", channelType: "CL_FLOAT" }),
  ],
  [
    "clCreateImage",
    "CL_IMAGE_FORMAT_NOT_SUPPORTED",
    "channels that do not go with their type",
    () => image(4, context, 1, { channelOrder: "CL_RGB", channelType: "CL_FLOAT" }),
  ],
  [
    "clCreateImage",
    "CL_INVALID_IMAGE_DESCRIPTOR",
    "a type that there is not",
    () => clCreateImage(context, 1, RGBA8, { type: "CL_MEM_OBJECT_IMAGE4D" as ImageObjectType, width: 4 }),
  ],
  [
    "clCreateImage",
    "CL_INVALID_IMAGE_DESCRIPTOR",
    "no rows",
    () => clCreateImage(context, 1, RGBA8, describe2d({ height: 0 })),
  ],
  [
    "clCreateImage",
    "CL_INVALID_IMAGE_DESCRIPTOR",
    "a pitch without an array",
    () => clCreateImage(context, 1, RGBA8, describe2d({ rowPitch: 32 })),
  ],
  [
    "clCreateImage",
    "CL_INVALID_IMAGE_DESCRIPTOR",
    "a pitch that is no number of pixels",
    () => clCreateImage(context, CL_MEM_COPY_HOST_PTR, RGBA8, describe2d({ rowPitch: 17 }), new Uint8Array(128)),
  ],
  [
    "clCreateImage",
    "CL_INVALID_IMAGE_DESCRIPTOR",
    "a buffer image without a buffer",
    () => clCreateImage(context, 1, RGBA8, { type: "CL_MEM_OBJECT_IMAGE1D_BUFFER", width: 4 }),
  ],
  [
    "clCreateImage",
    "CL_INVALID_IMAGE_DESCRIPTOR",
    "a solid image of a buffer",
    () =>
      clCreateImage(context, 1, RGBA8, {
        type: "CL_MEM_OBJECT_IMAGE3D",
        width: 4,
        height: 4,
        depth: 4,
        buffer: ints(1),
      }),
  ],
  ["clCreateImage", "CL_INVALID_IMAGE_SIZE", "more pixels than the device has", () => image(WIDE)],
  [
    "clCreateImage",
    "CL_INVALID_IMAGE_SIZE",
    "a buffer that is too small",
    () => clCreateImage(context, 1, RGBA8, { type: "CL_MEM_OBJECT_IMAGE1D_BUFFER", width: 4, buffer: ints(1) }),
  ],
  ["clCreateImage", "CL_INVALID_HOST_PTR", "a missing array", () => image(4, context, CL_MEM_COPY_HOST_PTR)],
  [
    "clCreateImage",
    "CL_INVALID_HOST_PTR",
    "an array that is too small",
    () => clCreateImage(context, CL_MEM_COPY_HOST_PTR, RGBA8, describe2d({}), new Uint8Array(63)),
  ],
  [
    "clGetSupportedImageFormats",
    "CL_INVALID_VALUE",
    "a type that there is not",
    () => clGetSupportedImageFormats(context, 1, "CL_MEM_OBJECT_BUFFER" as ImageObjectType),
  ],
  [
    "clGetSupportedImageFormats",
    "CL_INVALID_VALUE",
    "flags that cannot be combined",
    () => clGetSupportedImageFormats(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, "CL_MEM_OBJECT_IMAGE2D"),
  ],
  ["clCreatePipe", "CL_INVALID_VALUE", "flags of buffers", () => clCreatePipe(context, CL_MEM_READ_ONLY, 4, 4)],
  ["clCreatePipe", "CL_INVALID_PIPE_SIZE", "packets of no bytes", () => clCreatePipe(context, 0, 0, 4)],
  ["clCreatePipe", "CL_INVALID_PIPE_SIZE", "no packets", () => clCreatePipe(context, 0, 4, 0)],
  ["clCreatePipe", "CL_INVALID_PIPE_SIZE", "packets that are too large", () => clCreatePipe(context, 0, 2 ** 20, 4)],
  [
    "clCreateSampler",
    "CL_INVALID_VALUE",
    "repetition of pixels that are counted",
    () => clCreateSampler(context, false, "CL_ADDRESS_REPEAT", "CL_FILTER_NEAREST"),
  ],
  [
    "clCreateSampler",
    "CL_INVALID_VALUE",
    "a mode that there is not",
    () => clCreateSampler(context, true, "CL_ADDRESS_SOMEWHERE" as "CL_ADDRESS_NONE", "CL_FILTER_NEAREST"),
  ],
  ["clCreateProgramWithSource", "CL_INVALID_VALUE", "no texts", () => clCreateProgramWithSource(context, [])],
  [
    "clCreateProgramWithSource",
    "CL_INVALID_VALUE",
    "a text that is none",
    () => clCreateProgramWithSource(context, [SOURCE, null as unknown as string]),
  ],
  ["clCreateProgramWithBinary", "CL_INVALID_VALUE", "no devices", () => clCreateProgramWithBinary(context, [], [])],
  [
    "clCreateProgramWithBinary",
    "CL_INVALID_VALUE",
    "as many binaries as there are not devices",
    () => clCreateProgramWithBinary(context, [device], [binary, binary]),
  ],
  [
    "clCreateProgramWithBinary",
    "CL_INVALID_VALUE",
    "an empty binary",
    () => clCreateProgramWithBinary(context, [device], [new Uint8Array(0)]),
  ],
  [
    "clCreateProgramWithBinary",
    "CL_INVALID_BINARY",
    "bytes that are no program",
    () => clCreateProgramWithBinary(context, [device], [new Uint8Array(64)]),
  ],
  [
    "clBuildProgram",
    "CL_INVALID_VALUE",
    "an empty list of devices",
    () => {
      clBuildProgram(program(null), []);
    },
  ],
  [
    "clBuildProgram",
    "CL_INVALID_BUILD_OPTIONS",
    "an option that there is not",
    () => {
      clBuildProgram(program(null), null, "-cl-make-it-fast");
    },
  ],
  [
    "clBuildProgram",
    "CL_BUILD_PROGRAM_FAILURE",
    "a mistake in the source",
    () => program("", `kernel void k(void) { x = 1; }`),
  ],
  [
    "clBuildProgram",
    "CL_INVALID_OPERATION",
    "a program with kernels",
    () => {
      clBuildProgram(takes.program);
    },
  ],
  [
    "clCompileProgram",
    "CL_INVALID_VALUE",
    "an empty list of devices",
    () => {
      clCompileProgram(program(null), []);
    },
  ],
  [
    "clCompileProgram",
    "CL_INVALID_VALUE",
    "a header without a name",
    () => {
      clCompileProgram(program(null), null, "", [{ name: "", program: program(null) }]);
    },
  ],
  [
    "clCompileProgram",
    "CL_INVALID_COMPILER_OPTIONS",
    "an option that there is not",
    () => {
      clCompileProgram(program(null), null, "-cl-make-it-fast");
    },
  ],
  [
    "clCompileProgram",
    "CL_COMPILE_PROGRAM_FAILURE",
    "a mistake in the source",
    () => compiled(`kernel void k(void) { x = 1; }`),
  ],
  [
    "clCompileProgram",
    "CL_INVALID_OPERATION",
    "a program of binaries",
    () => {
      clCompileProgram(clCreateProgramWithBinary(context, [device], [binary]));
    },
  ],
  ["clLinkProgram", "CL_INVALID_VALUE", "no inputs", () => clLinkProgram(context, null, "", [])],
  ["clLinkProgram", "CL_INVALID_VALUE", "an empty list of devices", () => clLinkProgram(context, [], "", [compiled()])],
  [
    "clLinkProgram",
    "CL_INVALID_LINKER_OPTIONS",
    "an option that there is not",
    () => clLinkProgram(context, null, "-cl-make-it-fast", [compiled()]),
  ],
  [
    "clLinkProgram",
    "CL_INVALID_OPERATION",
    "an input that was not compiled",
    () => clLinkProgram(context, null, "", [program(null)]),
  ],
  [
    "clLinkProgram",
    "CL_LINK_PROGRAM_FAILURE",
    "a function that nobody has",
    () =>
      clLinkProgram(context, null, "", [
        compiled(`int f(int);
    kernel void k(global int* p) { *p = f(*p); }`),
      ]),
  ],
  [
    "clCreateKernel",
    "CL_INVALID_PROGRAM_EXECUTABLE",
    "a program that is not built",
    () => clCreateKernel(program(null), "add"),
  ],
  [
    "clCreateKernel",
    "CL_INVALID_KERNEL_NAME",
    "a name that the program does not have",
    () => clCreateKernel(all, "subtract"),
  ],
  ["clCreateKernel", "CL_INVALID_VALUE", "no name", () => clCreateKernel(all, null as unknown as string)],
  [
    "clCreateKernelsInProgram",
    "CL_INVALID_PROGRAM_EXECUTABLE",
    "a program that is not built",
    () => clCreateKernelsInProgram(program(null)),
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_ARG_INDEX",
    "an argument that there is not",
    () => {
      set(6, null);
    },
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_ARG_VALUE",
    "a number for a pointer",
    () => {
      set(0, int(1));
    },
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_ARG_VALUE",
    "a buffer for local memory",
    () => {
      set(1, ints(1));
    },
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_ARG_SIZE",
    "no bytes of local memory",
    () => {
      set(1, { localBytes: 0 });
    },
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_ARG_VALUE",
    "a buffer for a number",
    () => {
      set(2, ints(1));
    },
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_ARG_SIZE",
    "eight bytes for an int",
    () => {
      set(2, new Int32Array(2));
    },
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_ARG_VALUE",
    "a buffer for an image",
    () => {
      set(3, ints(1));
    },
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_ARG_VALUE",
    "an image that must not be read",
    () => {
      set(3, image(4, context, CL_MEM_WRITE_ONLY));
    },
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_ARG_VALUE",
    "an image that must not be written",
    () => {
      set(5, image(4, context, CL_MEM_READ_ONLY));
    },
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_SAMPLER",
    "a buffer for a sampler",
    () => {
      set(4, ints(1));
    },
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_SAMPLER",
    "a sampler that was released",
    () => {
      set(4, gone(clCreateSampler(context, true, "CL_ADDRESS_NONE", "CL_FILTER_NEAREST"), clReleaseSampler));
    },
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_MEM_OBJECT",
    "a buffer that was released",
    () => {
      set(0, gone(ints(1), clReleaseMemObject));
    },
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_MEM_OBJECT",
    "a buffer of another context",
    () => {
      set(0, clCreateBuffer(other, 1, 4));
    },
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_MEM_OBJECT",
    "an image of another context",
    () => {
      set(3, image(4, other));
    },
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_ARG_VALUE",
    "a buffer for a pipe",
    () => {
      clSetKernelArg(clCreateKernel(all, "piped"), 0, ints(1));
    },
  ],
  [
    "clEnqueueNDRangeKernel",
    "CL_INVALID_CONTEXT",
    "a kernel of another context",
    () =>
      clEnqueueNDRangeKernel(
        clCreateCommandQueue(other, device),
        kernelOf(SOURCE, "add", ints(1), int(1)),
        1,
        null,
        [1],
        null,
      ),
  ],
  [
    "clEnqueueNDRangeKernel",
    "CL_INVALID_KERNEL_ARGS",
    "an argument that is not set",
    () => launch("add", 1, null, [1], null),
  ],
  ["clEnqueueNDRangeKernel", "CL_INVALID_WORK_DIMENSION", "no dimensions", () => launch("ids", 0, null, [1], null)],
  [
    "clEnqueueNDRangeKernel",
    "CL_INVALID_WORK_DIMENSION",
    "four dimensions",
    () => launch("ids", 4, null, [1, 1, 1, 1], null),
  ],
  [
    "clEnqueueNDRangeKernel",
    "CL_INVALID_GLOBAL_WORK_SIZE",
    "a dimension without a size",
    () => launch("ids", 2, null, [1], null),
  ],
  [
    "clEnqueueNDRangeKernel",
    "CL_INVALID_GLOBAL_WORK_SIZE",
    "a size that no id has",
    () => launch("ids", 1, null, [2 ** 33], null),
  ],
  [
    "clEnqueueNDRangeKernel",
    "CL_INVALID_GLOBAL_OFFSET",
    "ids that would not fit",
    () => launch("ids", 1, [2 ** 32 - 1], [2], null),
  ],
  [
    "clEnqueueNDRangeKernel",
    "CL_INVALID_WORK_GROUP_SIZE",
    "a size that the kernel does not allow",
    () => launch("eight", 1, null, [8], [4]),
  ],
  [
    "clEnqueueNDRangeKernel",
    "CL_INVALID_WORK_GROUP_SIZE",
    "groups that are too large",
    () => launch("ids", 2, null, [64, 64], [64, 64]),
  ],
  [
    "clEnqueueNDRangeKernel",
    "CL_INVALID_WORK_ITEM_SIZE",
    "a dimension that is too large",
    () => launch("ids", 1, null, [4096], [4096]),
  ],
  [
    "clEnqueueTask",
    "CL_OUT_OF_RESOURCES",
    "more local memory than there is",
    () => clEnqueueTask(queue, kernelOf(SOURCE, "sum", ints(1), ints(1), { localBytes: 2 ** 24 })),
  ],
  [
    "clEnqueueCopyImageToBuffer",
    "CL_INVALID_MEM_OBJECT",
    "the buffer whose bytes the image shows",
    () => {
      const row = clCreateImage(context, 0, RGBA8, rowOf(0));
      return clEnqueueCopyImageToBuffer(queue, row, row.parent as Buffer, [0, 0, 0], [1, 1, 1], 32);
    },
  ],
  [
    "clEnqueueCopyBufferToImage",
    "CL_INVALID_MEM_OBJECT",
    "the buffer whose bytes the image shows",
    () => {
      const row = clCreateImage(context, 0, RGBA8, rowOf(0));
      return clEnqueueCopyBufferToImage(queue, row.parent as Buffer, row, 32, [0, 0, 0], [1, 1, 1]);
    },
  ],
  [
    "clEnqueueNDRangeKernel",
    "CL_OUT_OF_RESOURCES",
    "more local memory than there is",
    () => launch("sum", 1, null, [8], [8], [ints(1), ints(1), { localBytes: 2 ** 24 }]),
  ],
  [
    "clEnqueueNDRangeKernel",
    "CL_INVALID_MEM_OBJECT",
    "a buffer that was released since it was set",
    () => {
      const data = ints(1);
      const kernel = kernelOf(SOURCE, "add", data, int(1));
      clReleaseMemObject(data);
      return clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null);
    },
  ],
  [
    "clEnqueueCopyBuffer",
    "CL_MEM_COPY_OVERLAP",
    "bytes that meet",
    () => {
      const data = ints(1, 2, 3, 4);
      return clEnqueueCopyBuffer(queue, data, data, 0, 4, 8);
    },
  ],
  [
    "clEnqueueCopyImage",
    "CL_IMAGE_FORMAT_MISMATCH",
    "images of two formats",
    () => clEnqueueCopyImage(queue, image(), image(4, context, 1, R32), [0, 0, 0], [0, 0, 0], [1, 1, 1]),
  ],
  [
    "clEnqueueReadImage",
    "CL_INVALID_VALUE",
    "pixels outside of the image",
    () => clEnqueueReadImage(queue, image(), true, [3, 0, 0], [2, 1, 1], 0, 0, new Uint8Array(64)),
  ],
  [
    "clEnqueueReadImage",
    "CL_INVALID_VALUE",
    "rows that are too near",
    () => clEnqueueReadImage(queue, image(), true, [0, 0, 0], [2, 2, 1], 4, 0, new Uint8Array(64)),
  ],
  [
    "clEnqueueWriteImage",
    "CL_INVALID_OPERATION",
    "an image that the host must not write",
    () =>
      clEnqueueWriteImage(
        queue,
        image(4, context, CL_MEM_HOST_READ_ONLY),
        true,
        [0, 0, 0],
        [1, 1, 1],
        0,
        0,
        new Uint8Array(64),
      ),
  ],
  [
    "clEnqueueFillImage",
    "CL_INVALID_VALUE",
    "a colour of two channels",
    () => clEnqueueFillImage(queue, image(), new Float32Array(2), [0, 0, 0], [1, 1, 1]),
  ],
  [
    "clEnqueueMapBuffer",
    "CL_INVALID_VALUE",
    "flags that cannot be combined",
    () => clEnqueueMapBuffer(queue, ints(1), true, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 4),
  ],
  [
    "clEnqueueMapBuffer",
    "CL_INVALID_OPERATION",
    "a buffer that the host must not touch",
    () => clEnqueueMapBuffer(queue, clCreateBuffer(context, CL_MEM_HOST_NO_ACCESS, 4), true, CL_MAP_READ, 0, 4),
  ],
  [
    "clEnqueueMapBuffer",
    "CL_INVALID_OPERATION",
    "bytes that are mapped to be written",
    () => clEnqueueMapBuffer(queue, mapped(CL_MAP_WRITE, 0, 8), true, CL_MAP_WRITE, 4, 8),
  ],
  [
    "clEnqueueMapBuffer",
    "CL_INVALID_OPERATION",
    "bytes that are mapped to be overwritten",
    () =>
      clEnqueueMapBuffer(queue, mapped(CL_MAP_WRITE_INVALIDATE_REGION, 4, 8), true, CL_MAP_READ | CL_MAP_WRITE, 0, 16),
  ],
  [
    "clEnqueueMapImage",
    "CL_INVALID_OPERATION",
    "pixels that are mapped to be written",
    () => {
      const target = image();
      clEnqueueMapImage(queue, target, true, CL_MAP_WRITE, [0, 0, 0], [2, 2, 1]);
      return clEnqueueMapImage(queue, target, true, CL_MAP_WRITE, [1, 1, 0], [2, 2, 1]);
    },
  ],
  [
    "clEnqueueUnmapMemObject",
    "CL_INVALID_VALUE",
    "an array that is no map",
    () => clEnqueueUnmapMemObject(queue, ints(1), new Uint8Array(4)),
  ],
  [
    "clWaitForEvents",
    "CL_INVALID_VALUE",
    "no events",
    () => {
      clWaitForEvents([]);
    },
  ],
  [
    "clWaitForEvents",
    "CL_INVALID_CONTEXT",
    "events of two contexts",
    () => {
      clWaitForEvents([clCreateUserEvent(context), clCreateUserEvent(other)]);
    },
  ],
  [
    "clWaitForEvents",
    "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
    "an event that has failed",
    () => {
      clWaitForEvents([failedEvent()]);
    },
  ],
  [
    "clSetEventCallback",
    "CL_INVALID_VALUE",
    "no function",
    () => {
      clSetEventCallback(failedEvent(), 0, null as unknown as () => void);
    },
  ],
  [
    "clGetEventProfilingInfo",
    "CL_PROFILING_INFO_NOT_AVAILABLE",
    "a user event",
    () => clGetEventProfilingInfo(clCreateUserEvent(context), "CL_PROFILING_COMMAND_END"),
  ],
];

test.each(ROWS)("%s: %s for %s", (call, error, _reason, run) => {
  expectError(run, error, new RegExp(text(`^${call}: `), "u"));
});

test("clEnqueueMapBuffer: maps to read meet as they like, and maps to write side by side", () => {
  const data = mapped(CL_MAP_WRITE, 0, 8);
  clEnqueueMapBuffer(queue, data, true, CL_MAP_READ, 0, 16);
  clEnqueueMapBuffer(queue, data, true, CL_MAP_READ, 4, 8);
  const { array } = clEnqueueMapBuffer(queue, data, true, CL_MAP_WRITE, 8, 8);
  expect(clGetMemObjectInfo(data, "CL_MEM_MAP_COUNT")).toBe(4);
  clEnqueueUnmapMemObject(queue, data, array);
  // What is no longer mapped can be mapped again.
  clEnqueueMapBuffer(queue, data, true, CL_MAP_WRITE, 8, 8);
  clFinish(queue);
});

test("clEnqueueMapImage: rectangles beside each other are mapped to be written", () => {
  const target = image();
  for (const origin of [
    [0, 0, 0],
    [2, 0, 0],
    [0, 2, 0],
    [2, 2, 0],
  ] as const)
    clEnqueueMapImage(queue, target, true, CL_MAP_WRITE, origin, [2, 2, 1]);
  expect(clGetMemObjectInfo(target, "CL_MEM_MAP_COUNT")).toBe(4);
  expectError(
    () => clEnqueueMapImage(queue, target, true, CL_MAP_READ | CL_MAP_WRITE, [1, 1, 0], [1, 1, 1]),
    "CL_INVALID_OPERATION",
    /mapped for writing/u,
  );
});
