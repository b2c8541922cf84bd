// SPDX-License-Identifier: Apache-2.0
// A kernel that reads or writes an image by functions for another kind of format is reported once: which kernel,
// argument, function and format; also through functions, from binaries and in command buffers. Others are not.
import {
  CL_MEM_READ_WRITE,
  type ImageFormat,
  type Kernel,
  type Program,
  clBuildProgram,
  clCreateImage,
  clCreateKernel,
  clCreateProgramWithBinary,
  clCreateProgramWithSource,
  clEnqueueNDRangeKernel,
  clFinish,
  clGetProgramInfo,
  clReleaseKernel,
  clSetKernelArg,
} from "@muxkit/opencl";
import { beforeEach, expect, test } from "vitest";

import { context, device, newQueue, told } from "./rig.ts";

const queue = newQueue();

const SOURCE = `
constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
int4 inner(read_only image2d_t i) { return read_imagei(i, s, (int2)(0)); }
int4 outer(int n, read_only image2d_t i) { return n > 0 ? inner(i) : (int4)(1); }
kernel void through(read_only image2d_t a, read_only image2d_t b, write_only image2d_t to) {
  write_imagef(to, (int2)(0), as_float4(outer(1, b)) + read_imagef(a, s, (int2)(0)));
}
kernel void both(read_only image2d_t a, write_only image2d_t to) {
  write_imageui(to, (int2)(0), as_uint4(read_imagei(a, s, (int2)(0)) + as_int4(read_imageui(a, s, (int2)(0)))));
}
kernel void asks(read_only image2d_t a, write_only image2d_t to) {
  write_imagef(to, (int2)(0), (float4)(get_image_width(a)));
}
`;

const FLOATS: ImageFormat = { channelOrder: "CL_RGBA", channelType: "CL_FLOAT" };
const BYTES: ImageFormat = { channelOrder: "CL_RGBA", channelType: "CL_UNORM_INT8" };
const INTS: ImageFormat = { channelOrder: "CL_RGBA", channelType: "CL_SIGNED_INT32" };
const UINTS: ImageFormat = { channelOrder: "CL_RGBA", channelType: "CL_UNSIGNED_INT16" };

function image(format: ImageFormat): ReturnType<typeof clCreateImage> {
  return clCreateImage(context, CL_MEM_READ_WRITE, format, { type: "CL_MEM_OBJECT_IMAGE2D", width: 2, height: 2 });
}

function built(): Program {
  const program = clCreateProgramWithSource(context, [SOURCE]);
  clBuildProgram(program);
  return program;
}

function launch(kernel: Kernel, formats: readonly ImageFormat[]): void {
  formats.forEach((format, i) => {
    clSetKernelArg(kernel, i, image(format));
  });
  clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null);
}

beforeEach(() => {
  told.length = 0;
});

test("through functions, once for a kernel's argument, whatever the kernel object", () => {
  const program = built();
  const kernel = clCreateKernel(program, "through");
  launch(kernel, [FLOATS, INTS, BYTES]);
  expect(told).toEqual([]);
  launch(kernel, [FLOATS, FLOATS, BYTES]);
  const message =
    'the kernel "through" calls read_imagei for argument 1 ("b"), an image of CL_FLOAT, which has floats: the result ' +
    "is undefined in OpenCL, and has the bits of the pixels here; read_imagef is for this format";
  expect(told).toEqual([message]);
  launch(kernel, [FLOATS, BYTES, BYTES]);
  launch(clCreateKernel(program, "through"), [FLOATS, FLOATS, BYTES]);
  expect(told).toEqual([message]);
  launch(kernel, [UINTS, INTS, INTS]);
  const calls = 'the kernel "through" calls ';
  expect(told.slice(1).map((text) => text.slice(calls.length, text.indexOf(":")))).toEqual([
    'read_imagef for argument 0 ("a"), an image of CL_UNSIGNED_INT16, which has unsigned integers',
    'write_imagef for argument 2 ("to"), an image of CL_SIGNED_INT32, which has signed integers',
  ]);
  clFinish(queue);
});

test("an argument that is read in two ways is wrong for every format; a query takes all", () => {
  const program = built();
  const both = clCreateKernel(program, "both");
  launch(both, [INTS, UINTS]);
  expect(told).toHaveLength(1);
  expect(told[0]).toContain('calls read_imageui for argument 0 ("a"), an image of CL_SIGNED_INT32');
  told.length = 0;
  const asks = clCreateKernel(program, "asks");
  for (const format of [FLOATS, INTS, UINTS]) launch(asks, [format, BYTES]);
  expect(told).toEqual([]);
  clFinish(queue);
  clReleaseKernel(asks);
});

test("the binary of a program says it too", () => {
  const [binary] = clGetProgramInfo(built(), "CL_PROGRAM_BINARIES");
  const program = clCreateProgramWithBinary(context, [device], [binary as Uint8Array]);
  clBuildProgram(program);
  launch(clCreateKernel(program, "both"), [UINTS, UINTS]);
  expect(told).toHaveLength(1);
  expect(told[0]).toContain("calls read_imagei for argument 0");
  clFinish(queue);
});
