// SPDX-License-Identifier: Apache-2.0
// Functions for another kind of format than the image has, of which the specification says nothing: they move the bits,
// as most devices do. So read_imagei is as_int4 of read_imagef, and write_imagei of as_int4 writes what write_imagef
// writes, whatever the format is; programs store doubles in images of floats so.
import {
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_READ_WRITE,
  type Image,
  type ImageFormat,
  type Kernel,
  clCreateBuffer,
  clCreateImage,
  clEnqueueNDRangeKernel,
  clEnqueueReadBuffer,
  clEnqueueReadImage,
  clGetImageInfo,
  clGetSupportedImageFormats,
  clReleaseMemObject,
  clSetKernelArg,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { context, kernelsOf, newQueue } from "./rig.ts";

const WIDTH = 5;
const queue = newQueue();
const SOURCE = `
constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
kernel void reads(read_only image2d_t from, global int4* out) {
  int i = get_global_id(0);
  out[6 * i] = as_int4(read_imagef(from, s, (int2)(i, 0)));
  out[6 * i + 1] = read_imagei(from, s, (int2)(i, 0));
  out[6 * i + 2] = as_int4(read_imageui(from, s, (int2)(i, 0)));
  out[6 * i + 3] = as_int4(read_imagef(from, (int2)(i, 0)));
  out[6 * i + 4] = read_imagei(from, (int2)(i, 0));
  out[6 * i + 5] = as_int4(read_imageui(from, s, (float2)(i + 0.5f, 0.5f)));
}
kernel void writes(write_only image2d_t to, global const float4* in, int how) {
  int i = get_global_id(0);
  int2 c = (int2)(i, 0);
  if (how == 0) write_imagef(to, c, in[i]);
  else if (how == 1) write_imagei(to, c, as_int4(in[i]));
  else write_imageui(to, c, as_uint4(in[i]));
}
kernel void doubles(read_only image2d_t from, global double* out) {
  int i = get_global_id(0);
  out[i] = as_double2(read_imagei(from, s, (int2)(i, 0))).y;
}`;
const [reads, writes, doubles] = kernelsOf(SOURCE, "-cl-std=CL3.0", ["reads", "writes", "doubles"]) as readonly [
  Kernel,
  Kernel,
  Kernel,
];

function imageOf(format: ImageFormat, bytes: Uint8Array | null): Image {
  return clCreateImage(
    context,
    CL_MEM_READ_WRITE | (bytes === null ? 0 : CL_MEM_COPY_HOST_PTR),
    format,
    { type: "CL_MEM_OBJECT_IMAGE2D", width: WIDTH, height: 1 },
    bytes,
  );
}

function pixelBytes(format: ImageFormat): number {
  const probe = imageOf(format, null);
  const size = clGetImageInfo(probe, "CL_IMAGE_ELEMENT_SIZE");
  clReleaseMemObject(probe);
  return size;
}

const FORMATS = clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, "CL_MEM_OBJECT_IMAGE2D")
  .filter(({ channelOrder }) => channelOrder !== "CL_DEPTH")
  .map((format): [order: string, type: string, format: ImageFormat] => [
    format.channelOrder,
    format.channelType,
    format,
  ]);
const LAUNCHES = 4; // the later ones run code that was made for the format

test.each(FORMATS)(
  "read_imagef, read_imagei and read_imageui of %s with %s: the same bits",
  (_order, _type, format) => {
    // Bytes below 0x40 make no NaN.
    const size = pixelBytes(format) * WIDTH;
    const image = imageOf(
      format,
      Uint8Array.from({ length: size }, (_, i) => (i * 7 + 3) % 64),
    );
    const out = clCreateBuffer(context, CL_MEM_READ_WRITE, WIDTH * 6 * 16);
    clSetKernelArg(reads, 0, image);
    clSetKernelArg(reads, 1, out);
    const found = new Int32Array(WIDTH * 6 * 4);
    for (let i = 0; i < LAUNCHES; i++) {
      clEnqueueNDRangeKernel(queue, reads, 1, null, [WIDTH], null);
      clEnqueueReadBuffer(queue, out, true, 0, found.byteLength, found);
      for (let pixel = 0; pixel < WIDTH; pixel++) {
        const [first, ...others] = Array.from({ length: 6 }, (_, row) => [
          ...found.subarray((6 * pixel + row) * 4, (6 * pixel + row + 1) * 4),
        ]);
        expect(others).toEqual(others.map(() => first));
        expect(first?.some((bits) => bits !== 0)).toBe(true);
      }
    }
    clReleaseMemObject(image);
    clReleaseMemObject(out);
  },
);

test.each(FORMATS)(
  "write_imagef, write_imagei and write_imageui of %s with %s: the same pixels",
  (_order, _type, format) => {
    const size = pixelBytes(format) * WIDTH;
    const colours = Float32Array.from({ length: WIDTH * 4 }, (_, i) => (i % 3 === 0 ? i / 20 : 1 / (i + 1)));
    const values = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, colours.byteLength, colours);
    clSetKernelArg(writes, 1, values);
    const [floats, ...others] = [0, 1, 2].map((how) => {
      const image = imageOf(format, new Uint8Array(size));
      clSetKernelArg(writes, 0, image);
      clSetKernelArg(writes, 2, Int32Array.of(how));
      clEnqueueNDRangeKernel(queue, writes, 1, null, [WIDTH], null);
      const pixels = new Uint8Array(size);
      clEnqueueReadImage(queue, image, true, [0, 0, 0], [WIDTH, 1, 1], 0, 0, pixels);
      clReleaseMemObject(image);
      return [...pixels];
    });
    expect(others).toEqual([floats, floats]);
    expect(floats?.some((byte) => byte !== 0)).toBe(true);
    clReleaseMemObject(values);
  },
);

test("doubles that are stored in an image of CL_RGBA and CL_FLOAT are read by read_imagei", () => {
  const values = Float64Array.from({ length: WIDTH * 2 }, (_, i) => Math.PI * (i - 3));
  const image = imageOf({ channelOrder: "CL_RGBA", channelType: "CL_FLOAT" }, new Uint8Array(values.buffer));
  const out = clCreateBuffer(context, CL_MEM_READ_WRITE, WIDTH * 8);
  clSetKernelArg(doubles, 0, image);
  clSetKernelArg(doubles, 1, out);
  const found = new Float64Array(WIDTH);
  for (let i = 0; i < LAUNCHES; i++) {
    clEnqueueNDRangeKernel(queue, doubles, 1, null, [WIDTH], null);
    clEnqueueReadBuffer(queue, out, true, 0, found.byteLength, found);
    expect([...found]).toEqual(Array.from({ length: WIDTH }, (_, pixel) => values[2 * pixel + 1]));
  }
});
