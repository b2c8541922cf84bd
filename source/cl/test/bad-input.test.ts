// SPDX-License-Identifier: Apache-2.0
// What users get wrong with images, copies, samplers and printf: the error of each call, and the one sentence that
// explains what is wrong.
import {
  CL_MAP_READ,
  CL_MEM_READ_WRITE,
  type ErrorName,
  type Image,
  type ImageDescription,
  type ImageFormat,
  clBuildProgram,
  clCreateContext,
  clCreateImage,
  clCreateProgramWithSource,
  clCreateSampler,
  clEnqueueCopyBuffer,
  clEnqueueCopyBufferRect,
  clEnqueueCopyBufferToImage,
  clEnqueueCopyImage,
  clEnqueueCopyImageToBuffer,
  clEnqueueFillImage,
  clEnqueueMapImage,
  clEnqueueReadBuffer,
  clEnqueueReadBufferRect,
  clEnqueueReadImage,
  clEnqueueWriteImage,
  clGetProgramBuildInfo,
  clReleaseSampler,
  clSetKernelArg,
} from "@muxkit/opencl";
import { describe, expect, test } from "vitest";

import { context, device, errorOf, ints, kernelOf, newQueue } from "./rig.ts";

type Row = readonly [what: string, error: ErrorName, sentence: string, run: () => unknown];

function shows(rows: readonly Row[]): void {
  test.each(rows)("%s: %s", (_, name, sentence, run) => {
    const error = errorOf(run);
    expect(error.message).toBe(`${error.call}: ${sentence} (${name})`);
    expect(error.name).toBe(name);
  });
}

const queue = newQueue();
const RGBA8: ImageFormat = { channelOrder: "CL_RGBA", channelType: "CL_UNORM_INT8" };
const FLAT: ImageDescription = { type: "CL_MEM_OBJECT_IMAGE2D", width: 8, height: 4 };

function image(format: ImageFormat = RGBA8, description: ImageDescription = FLAT): Image {
  return clCreateImage(context, CL_MEM_READ_WRITE, format, description);
}

const flat = image();
const solid = image(RGBA8, { type: "CL_MEM_OBJECT_IMAGE3D", width: 4, height: 4, depth: 4 });
const buffer = ints(1, 2, 3, 4, 5, 6, 7, 8);
const array = new Uint8Array(128);

describe("an image format that there is not", () => {
  shows([
    [
      "channels that do not go with their type",
      "CL_IMAGE_FORMAT_NOT_SUPPORTED",
      "images of CL_RGB with CL_FLOAT are not supported; clGetSupportedImageFormats lists the supported formats",
      () => image({ channelOrder: "CL_RGB", channelType: "CL_FLOAT" }),
    ],
    [
      "an order that there is not",
      "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
      "CL_RGBQ with CL_FLOAT is not an image format",
      () => image({ channelOrder: "CL_RGBQ" as "CL_RGB", channelType: "CL_FLOAT" }),
    ],
    [
      "a type that there is not",
      "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
      "CL_R with CL_QUAD is not an image format",
      () => image({ channelOrder: "CL_R", channelType: "CL_QUAD" as "CL_FLOAT" }),
    ],
    [
      "no format",
      "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
      "a format needs a channel order and a channel type",
      () => clCreateImage(context, CL_MEM_READ_WRITE, null as unknown as ImageFormat, FLAT),
    ],
    [
      "no description",
      "CL_INVALID_IMAGE_DESCRIPTOR",
      "the description is not an object with the type and sizes of the image",
      () => clCreateImage(context, CL_MEM_READ_WRITE, RGBA8, null as unknown as ImageDescription),
    ],
  ]);
});

describe("a region out of range", () => {
  shows([
    [
      "read beyond a row",
      "CL_INVALID_VALUE",
      "a region of 8 that starts at 4 is not inside the image, which has 8 along x",
      () => clEnqueueReadImage(queue, flat, true, [4, 0, 0], [8, 1, 1], 0, 0, array),
    ],
    [
      "read before the first pixel",
      "CL_INVALID_VALUE",
      "a region of 1 that starts at -1 is not inside the image, which has 8 along x",
      () => clEnqueueReadImage(queue, flat, true, [-1, 0, 0], [1, 1, 1], 0, 0, array),
    ],
    [
      "read a slice that there is not",
      "CL_INVALID_VALUE",
      "a region of 2 that starts at 0 is not inside the image, which has 1 along z",
      () => clEnqueueReadImage(queue, flat, true, [0, 0, 0], [8, 4, 2], 0, 0, array),
    ],
    [
      "read nothing",
      "CL_INVALID_VALUE",
      "a region has at least one pixel along x, not 0",
      () => clEnqueueReadImage(queue, flat, true, [0, 0, 0], [0, 1, 1], 0, 0, array),
    ],
    [
      "read into too short an array",
      "CL_INVALID_VALUE",
      "the array has 127 bytes, but 128 are requested",
      () => clEnqueueReadImage(queue, flat, true, [0, 0, 0], [8, 4, 1], 0, 0, new Uint8Array(127)),
    ],
    [
      "read with too small a pitch",
      "CL_INVALID_VALUE",
      "a row pitch of 16 bytes is less than the 32 of a row",
      () => clEnqueueReadImage(queue, flat, true, [0, 0, 0], [8, 4, 1], 16, 0, array),
    ],
    [
      "write beyond the last row",
      "CL_INVALID_VALUE",
      "a region of 1 that starts at 4 is not inside the image, which has 4 along y",
      () => clEnqueueWriteImage(queue, flat, true, [0, 4, 0], [1, 1, 1], 0, 0, array),
    ],
    [
      "fill beyond a row",
      "CL_INVALID_VALUE",
      "a region of 1 that starts at 8 is not inside the image, which has 8 along x",
      () => clEnqueueFillImage(queue, flat, new Float32Array(4), [8, 0, 0], [1, 1, 1]),
    ],
    [
      "map beyond a row",
      "CL_INVALID_VALUE",
      "a region of 9 that starts at 0 is not inside the image, which has 8 along x",
      () => clEnqueueMapImage(queue, flat, true, CL_MAP_READ, [0, 0, 0], [9, 1, 1]),
    ],
    [
      "copy to what the target has not",
      "CL_INVALID_VALUE",
      "a region of 3 that starts at 2 is not inside the image, which has 4 along x",
      () => clEnqueueCopyImage(queue, flat, solid, [0, 0, 0], [2, 0, 0], [3, 1, 1]),
    ],
    [
      "copy more than the buffer holds",
      "CL_INVALID_VALUE",
      "bytes 0 to 128 are outside the 32 bytes of the buffer",
      () => clEnqueueCopyImageToBuffer(queue, flat, buffer, [0, 0, 0], [8, 4, 1], 0),
    ],
    [
      "copy from past the buffer's end",
      "CL_INVALID_VALUE",
      "bytes 30 to 34 are outside the 32 bytes of the buffer",
      () => clEnqueueCopyBufferToImage(queue, buffer, flat, 30, [0, 0, 0], [1, 1, 1]),
    ],
    [
      "read past the buffer's end",
      "CL_INVALID_VALUE",
      "bytes 16 to 48 are outside the 32 bytes of the buffer",
      () => clEnqueueReadBuffer(queue, buffer, true, 16, 32, array),
    ],
    [
      "read a box that the buffer does not hold",
      "CL_INVALID_VALUE",
      "the region ends at byte 48 of the buffer, which has 32",
      () => clEnqueueReadBufferRect(queue, buffer, true, [0, 0, 0], [0, 0, 0], [16, 3, 1], 0, 0, 0, 0, array),
    ],
  ]);
});

describe("a copy that overlaps", () => {
  shows([
    [
      "within a buffer",
      "CL_MEM_COPY_OVERLAP",
      "source and target overlap; copy through another buffer",
      () => clEnqueueCopyBuffer(queue, buffer, buffer, 0, 4, 8),
    ],
    [
      "of boxes of a buffer",
      "CL_MEM_COPY_OVERLAP",
      "source and target overlap; copy through another buffer",
      () => clEnqueueCopyBufferRect(queue, buffer, buffer, [0, 0, 0], [4, 0, 0], [8, 2, 1], 8, 0, 8, 0),
    ],
    [
      "within an image",
      "CL_MEM_COPY_OVERLAP",
      "source and target overlap; copy through another image",
      () => clEnqueueCopyImage(queue, flat, flat, [0, 0, 0], [1, 1, 0], [4, 2, 1]),
    ],
  ]);
});

/** The error of a build; its message has the log, which is compared apart. */
function logOf(source: string): string {
  const program = clCreateProgramWithSource(context, [source]);
  expect(errorOf(() => clBuildProgram(program)).name).toBe("CL_BUILD_PROGRAM_FAILURE");
  const log = clGetProgramBuildInfo(program, device, "CL_PROGRAM_BUILD_LOG");
  return /^program\.cl:\d+:\d+: (?<said>error: .*) \[CL\d+\]$/mu.exec(log)?.groups?.["said"] ?? log;
}

function refuses(rows: readonly (readonly [what: string, sentence: string, source: string])[]): void {
  test.each(rows)("%s", (_, sentence, source) => {
    expect(logOf(source)).toBe(`error: ${sentence}`);
  });
}

describe("a sampler of the wrong kind", () => {
  const kernel = kernelOf(
    `kernel void k(read_only image2d_t i, sampler_t s, global float4* o) {
      o[0] = read_imagef(i, s, (int2)(0, 0));
    }`,
    "k",
  );
  const wanted = "argument 1 (sampler_t s) requires a sampler";
  const released = clCreateSampler(context, false, "CL_ADDRESS_CLAMP", "CL_FILTER_NEAREST");
  clReleaseSampler(released);
  const foreign = clCreateSampler(clCreateContext([device]), false, "CL_ADDRESS_CLAMP", "CL_FILTER_NEAREST");
  shows([
    [
      "an image",
      "CL_INVALID_SAMPLER",
      wanted,
      () => {
        clSetKernelArg(kernel, 1, flat);
      },
    ],
    [
      "the bits of one",
      "CL_INVALID_SAMPLER",
      wanted,
      () => {
        clSetKernelArg(kernel, 1, Int32Array.of(20));
      },
    ],
    [
      "nothing",
      "CL_INVALID_SAMPLER",
      wanted,
      () => {
        clSetKernelArg(kernel, 1, null);
      },
    ],
    [
      "one that was released",
      "CL_INVALID_SAMPLER",
      "this sampler has been released; create a new one",
      () => {
        clSetKernelArg(kernel, 1, released);
      },
    ],
    [
      "one of another context",
      "CL_INVALID_SAMPLER",
      "the sampler for argument 1 (sampler_t s) belongs to another context",
      () => {
        clSetKernelArg(kernel, 1, foreign);
      },
    ],
    [
      "one where an image is taken",
      "CL_INVALID_ARG_VALUE",
      "argument 0 (image2d_t i) requires an image",
      () => {
        clSetKernelArg(kernel, 0, foreign);
      },
    ],
    [
      "one that repeats pixels",
      "CL_INVALID_VALUE",
      "CL_ADDRESS_REPEAT requires normalised coordinates",
      () => clCreateSampler(context, false, "CL_ADDRESS_REPEAT", "CL_FILTER_NEAREST"),
    ],
    [
      "an addressing mode that there is not",
      "CL_INVALID_VALUE",
      "CL_ADDRESS_WRAP is not an addressing mode; the modes are CL_ADDRESS_NONE, " +
        "CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT, " +
        "CL_ADDRESS_MIRRORED_REPEAT",
      () => clCreateSampler(context, true, "CL_ADDRESS_WRAP" as "CL_ADDRESS_CLAMP", "CL_FILTER_NEAREST"),
    ],
    [
      "a filter that there is not",
      "CL_INVALID_VALUE",
      "CL_FILTER_CUBIC is not a filter mode; the modes are CL_FILTER_NEAREST, CL_FILTER_LINEAR",
      () => clCreateSampler(context, true, "CL_ADDRESS_CLAMP", "CL_FILTER_CUBIC" as "CL_FILTER_LINEAR"),
    ],
  ]);
  const read = "kernel void k(read_only image2d_t i, global float4* o, int n)";
  refuses([
    [
      "an int that is no sampler's value",
      "12345 is not the value of a sampler: join one CLK_NORMALIZED_COORDS_, one " +
        "CLK_ADDRESS_ and one CLK_FILTER_ constant by | (OpenCL C 6.12.14.1)",
      `constant sampler_t s = 12345; ${read} { *o = read_imagef(i, s, (float2)(0)); }`,
    ],
    [
      "a value that is not constant",
      "a sampler in a program must be const and have a constant value made of CLK_ constants (OpenCL C 6.12.14.1)",
      `${read} { const sampler_t s = n; *o = read_imagef(i, s, (float2)(0)); }`,
    ],
    [
      "a variable of ints",
      "no overload of read_imagef takes (image2d_t, int, float2)",
      `${read} { int s = n; *o = read_imagef(i, s, (float2)(0)); }`,
    ],
  ]);
});

function print(text: string, value: string = "n"): string {
  return `kernel void k(int n, float4 v, global char* f) { printf(${text}, ${value}); }`;
}

describe("a format that printf does not support", () => {
  const cannot = "invalid printf format: ";
  refuses([
    ["%n", `${cannot}%n is not allowed in OpenCL C`, print('"%n"')],
    [
      "a width from the arguments",
      `${cannot}a width or precision of * is not allowed in OpenCL C: write the number`,
      print('"%*d"'),
    ],
    ["vectors of five", `${cannot}a vector has 2, 3, 4, 8 or 16 lanes, not 5`, print('"%v5hlf"', "v")],
    ["a format in memory", `${cannot}it must be a string literal, because it is read at compile time`, print("f")],
    ["an argument of another kind", "%s prints a string in constant memory, not int", print('"%s"')],
    ["a vector without its lanes", "%f prints double, not float4", print('"%f"', "v")],
    ["too few arguments", "%d has no argument: the format needs 2, got 1", print('"%d %d"')],
  ]);
});
