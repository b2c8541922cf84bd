// SPDX-License-Identifier: Apache-2.0
// Images and samplers: creation, transfers of every type, maps, arguments, queries, errors.
import {
  type Buffer,
  CL_MAP_READ,
  CL_MAP_WRITE,
  CL_MAP_WRITE_INVALIDATE_REGION,
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_HOST_NO_ACCESS,
  CL_MEM_HOST_READ_ONLY,
  CL_MEM_READ_ONLY,
  CL_MEM_READ_WRITE,
  CL_MEM_USE_HOST_PTR,
  CL_MEM_WRITE_ONLY,
  type Image,
  type ImageDescription,
  type ImageFormat,
  type ImagePosition,
  clCreateBuffer,
  clCreateContext,
  clCreateImage,
  clCreateSampler,
  clCreateSubBuffer,
  clEnqueueCopyBufferToImage,
  clEnqueueCopyImage,
  clEnqueueCopyImageToBuffer,
  clEnqueueFillImage,
  clEnqueueMapImage,
  clEnqueueNDRangeKernel,
  clEnqueueReadBuffer,
  clEnqueueReadImage,
  clEnqueueUnmapMemObject,
  clEnqueueWriteImage,
  clFinish,
  clGetImageInfo,
  clGetKernelArgInfo,
  clGetMemObjectInfo,
  clGetSamplerInfo,
  clGetSupportedImageFormats,
  clReleaseMemObject,
  clReleaseSampler,
  clRetainSampler,
  clSetKernelArg,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { context, device, expectError, int, ints, kernelOf, kernelsOf, newQueue, readInts } from "./rig.ts";

const queue = newQueue();
const RGBA8: ImageFormat = { channelOrder: "CL_RGBA", channelType: "CL_UNORM_INT8" };
const R32I: ImageFormat = { channelOrder: "CL_R", channelType: "CL_SIGNED_INT32" };

const SHAPES: readonly (readonly [description: ImageDescription, whole: ImagePosition])[] = [
  [{ type: "CL_MEM_OBJECT_IMAGE1D", width: 6 }, [6, 1, 1]],
  [{ type: "CL_MEM_OBJECT_IMAGE1D_ARRAY", width: 6, arraySize: 3 }, [6, 3, 1]],
  [{ type: "CL_MEM_OBJECT_IMAGE2D", width: 6, height: 4 }, [6, 4, 1]],
  [{ type: "CL_MEM_OBJECT_IMAGE2D_ARRAY", width: 6, height: 4, arraySize: 2 }, [6, 4, 2]],
  [{ type: "CL_MEM_OBJECT_IMAGE3D", width: 6, height: 4, depth: 2 }, [6, 4, 2]],
];

function counted(count: number): Int32Array<ArrayBuffer> {
  return Int32Array.from({ length: count }, (_, i) => i + 1);
}

function read(image: Image, whole: ImagePosition): number[] {
  const out = new Int32Array(whole[0] * whole[1] * whole[2]);
  clEnqueueReadImage(queue, image, true, [0, 0, 0], whole, 0, 0, out);
  return [...out];
}

test.each(SHAPES)("%o is made of an array, read, written, filled and copied in parts", (description, whole) => {
  const count = whole[0] * whole[1] * whole[2];
  const image = clCreateImage(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, R32I, description, counted(count));
  const all = [...counted(count)];
  expect(read(image, whole)).toEqual(all);
  const origin: ImagePosition = [1, whole[1] > 1 ? 1 : 0, whole[2] > 1 ? 1 : 0];
  const region: ImagePosition = [2, whole[1] > 1 ? 2 : 1, 1];
  const at = [0, 1].flatMap((y) =>
    y < region[1] ? [0, 1].map((x) => (origin[2] * whole[1] + origin[1] + y) * whole[0] + origin[0] + x) : [],
  );
  // The part, with room after each row.
  const part = new Int32Array(4 * region[1]);
  const isLayered = description.type === "CL_MEM_OBJECT_IMAGE1D_ARRAY";
  clEnqueueReadImage(queue, image, true, origin, region, isLayered ? 0 : 16, isLayered ? 16 : 0, part);
  expect([...part]).toEqual(
    Array.from({ length: region[1] }, (_, y) => [...at.slice(y * 2, y * 2 + 2).map((i) => all[i]), 0, 0]).flat(),
  );
  clEnqueueWriteImage(
    queue,
    image,
    false,
    origin,
    region,
    0,
    0,
    Int32Array.from(at, (i) => -i),
  );
  for (const i of at) all[i] = -i;
  expect(read(image, whole)).toEqual(all.map((value) => (Object.is(value, -0) ? 0 : value)));
  clEnqueueFillImage(queue, image, Int32Array.of(77, 1, 2, 3), origin, [1, region[1], 1]);
  for (const i of at.filter((_, j) => j % 2 === 0)) all[i] = 77;
  expect(read(image, whole)).toEqual(all);
  const copy = clCreateImage(context, CL_MEM_READ_WRITE, R32I, description);
  clEnqueueCopyImage(queue, image, copy, [0, 0, 0], [0, 0, 0], whole);
  expect(read(copy, whole)).toEqual(all);
  const buffer = ints(0, ...Array.from({ length: count }, () => 0));
  clEnqueueCopyImageToBuffer(queue, copy, buffer, [0, 0, 0], whole, 4);
  expect(readInts(queue, buffer)).toEqual([0, ...all]);
  clEnqueueCopyBufferToImage(queue, buffer, image, 0, [0, 0, 0], whole);
  expect(read(image, whole)).toEqual([0, ...all.slice(0, -1)]);
});

test("pitches of the first contents", () => {
  const rows = Int32Array.of(1, 2, 0, 0, 3, 4, 0, 0);
  const image = clCreateImage(
    context,
    CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
    R32I,
    { type: "CL_MEM_OBJECT_IMAGE2D", width: 2, height: 2, rowPitch: 16 },
    rows,
  );
  expect(read(image, [2, 2, 1])).toEqual([1, 2, 3, 4]);
  expect(clGetImageInfo(image, "CL_IMAGE_ROW_PITCH")).toBe(8);
});

test("kernels read through samplers, write, and query", () => {
  const kernel = kernelOf(
    `
    kernel void k(read_only image2d_t from, write_only image2d_t to, sampler_t s, global int* out) {
      int2 c = (int2)(get_global_id(0), get_global_id(1));
      write_imagef(to, c, read_imagef(from, s, ((float2)(c.x, c.y) + 0.5f) / (float2)(2.0f, 2.0f)));
      if (c.x == 0 && c.y == 0) {
        out[0] = get_image_width(from) * 10 + get_image_height(to);
        out[1] = get_image_channel_order(from) == CLK_RGBA;
      }
    }`,
    "k",
  );
  const pixels = Uint8Array.of(255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 10, 20, 30, 40);
  const from = clCreateImage(
    context,
    CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
    RGBA8,
    { type: "CL_MEM_OBJECT_IMAGE2D", width: 2, height: 2 },
    pixels,
  );
  const to = clCreateImage(
    context,
    CL_MEM_WRITE_ONLY,
    { channelOrder: "CL_BGRA", channelType: "CL_UNORM_INT8" },
    { type: "CL_MEM_OBJECT_IMAGE2D", width: 4, height: 2 },
  );
  const sampler = clCreateSampler(context, true, "CL_ADDRESS_REPEAT", "CL_FILTER_NEAREST");
  const out = ints(0, 0);
  for (const [i, value] of [from, to, sampler, out].entries()) clSetKernelArg(kernel, i, value);
  clEnqueueNDRangeKernel(queue, kernel, 2, null, [4, 2], null);
  const got = new Uint8Array(32);
  clEnqueueReadImage(queue, to, true, [0, 0, 0], [4, 2, 1], 0, 0, got);
  expect([...got]).toEqual([
    0, 0, 255, 255, 0, 255, 0, 255, 0, 0, 255, 255, 0, 255, 0, 255, 255, 0, 0, 255, 30, 20, 10, 40, 255, 0, 0, 255, 30,
    20, 10, 40,
  ]);
  expect(readInts(queue, out)).toEqual([22, 1]);
  expect([0, 1, 2].map((i) => clGetKernelArgInfo(kernel, i, "CL_KERNEL_ARG_ACCESS_QUALIFIER"))).toEqual([
    "CL_KERNEL_ARG_ACCESS_READ_ONLY",
    "CL_KERNEL_ARG_ACCESS_WRITE_ONLY",
    "CL_KERNEL_ARG_ACCESS_NONE",
  ]);
  expect([0, 1, 2].map((i) => clGetKernelArgInfo(kernel, i, "CL_KERNEL_ARG_TYPE_NAME"))).toEqual([
    "image2d_t",
    "image2d_t",
    "sampler_t",
  ]);
});

test("the same kernel with images of other types and formats, one launch after the other", () => {
  const kernel = kernelOf(
    `kernel void k(read_only image2d_t from, global float4* out) {
      out[0] = read_imagef(from, (int2)(1, 0));
    }`,
    "k",
  );
  const out = clCreateBuffer(context, CL_MEM_READ_WRITE, 16);
  clSetKernelArg(kernel, 1, out);
  const results: number[][] = [];
  const formats: [ImageFormat, ArrayBufferView][] = [
    [RGBA8, Uint8Array.of(0, 0, 0, 0, 255, 255, 0, 255)],
    [{ channelOrder: "CL_R", channelType: "CL_FLOAT" }, Float32Array.of(1, 2.5)],
    [{ channelOrder: "CL_RGB", channelType: "CL_UNORM_SHORT_565" }, Uint16Array.of(0, 0xf800)],
  ];
  // Each more than once: from the second launch of a kind on, code is made for its formats.
  for (const [format, bytes] of [...formats, ...formats, ...formats]) {
    clSetKernelArg(
      kernel,
      0,
      clCreateImage(
        context,
        CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
        format,
        { type: "CL_MEM_OBJECT_IMAGE2D", width: 2, height: 1 },
        bytes,
      ),
    );
    clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null);
    const one = new Float32Array(4);
    clEnqueueReadBuffer(queue, out, true, 0, 16, one);
    results.push([...one]);
  }
  const once = [
    [1, 1, 0, 1],
    [2.5, 0, 0, 1],
    [1, 0, 0, 1],
  ];
  expect(results).toEqual([...once, ...once, ...once]);
});

test.each([
  [
    `kernel void k(read_only image2d_t from, sampler_t s, global float* out) {
      out[0] = read_imagef(from, s, (float2)(-0.5f, 0.5f)).x;
    }`,
    [
      [0, 3, 5],
      [0, 3, 5],
      [0, 3, 5],
    ],
  ],
  // A variable of the program lives on from launch to launch.
  [
    `global int n = 0;
    kernel void k(read_only image2d_t from, sampler_t s, global float* out) {
      out[0] = read_imagef(from, s, (float2)(-0.5f, 0.5f)).x + n++;
    }`,
    [
      [0, 4, 7],
      [3, 7, 10],
      [6, 10, 13],
    ],
  ],
] as const)("samplers and formats of launches that come again are compiled in: %s", (source, wanted) => {
  const [kernel] = kernelsOf(source, "-cl-std=CL3.0", ["k"]);
  if (kernel === undefined) throw new Error("there is no kernel");
  const from = clCreateImage(
    context,
    CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
    { channelOrder: "CL_R", channelType: "CL_FLOAT" },
    { type: "CL_MEM_OBJECT_IMAGE2D", width: 2, height: 1 },
    Float32Array.of(3, 5),
  );
  const out = clCreateBuffer(context, CL_MEM_READ_WRITE, 4);
  const samplers = (
    [
      [false, "CL_ADDRESS_CLAMP"],
      [false, "CL_ADDRESS_CLAMP_TO_EDGE"],
      [true, "CL_ADDRESS_REPEAT"],
    ] as const
  ).map(([isNormalized, addressing]) => clCreateSampler(context, isNormalized, addressing, "CL_FILTER_NEAREST"));
  const results = [0, 1, 2].map(() =>
    samplers.map((sampler) => {
      for (const [i, value] of [from, sampler, out].entries()) clSetKernelArg(kernel, i, value);
      clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null);
      const one = new Float32Array(1);
      clEnqueueReadBuffer(queue, out, true, 0, 4, one);
      return one[0];
    }),
  );
  expect(results).toEqual(wanted);
});

test("images over buffers share their bytes", () => {
  const buffer = ints(...counted(64));
  const line = clCreateImage(context, CL_MEM_READ_WRITE, R32I, {
    type: "CL_MEM_OBJECT_IMAGE1D_BUFFER",
    width: 64,
    buffer,
  });
  const part: Buffer = clCreateSubBuffer(buffer, CL_MEM_READ_WRITE, { origin: 128, size: 128 });
  const plane = clCreateImage(context, CL_MEM_READ_WRITE, R32I, {
    type: "CL_MEM_OBJECT_IMAGE2D",
    width: 3,
    height: 2,
    rowPitch: 32,
    buffer: part,
  });
  expect(read(plane, [3, 2, 1])).toEqual([33, 34, 35, 41, 42, 43]);
  const kernel = kernelOf(
    `kernel void k(write_only image1d_buffer_t line) {
      int i = get_global_id(0);
      write_imagei(line, i, (int4)(2 * i + 2));
    }`,
    "k",
    line,
  );
  clEnqueueNDRangeKernel(queue, kernel, 1, null, [64], null);
  expect(read(plane, [3, 2, 1])).toEqual([66, 68, 70, 82, 84, 86]);
  const { array, rowPitch } = clEnqueueMapImage(queue, plane, true, CL_MAP_WRITE, [1, 1, 0], [1, 1, 1]);
  new DataView(array.buffer, array.byteOffset).setInt32(0, 5, true);
  clEnqueueUnmapMemObject(queue, plane, array);
  expect(rowPitch).toBe(32);
  expect(readInts(queue, buffer).slice(40, 43)).toEqual([82, 5, 86]);
  expect(clGetImageInfo(line, "CL_IMAGE_BUFFER")).toBe(buffer);
  expect(clGetMemObjectInfo(plane, "CL_MEM_ASSOCIATED_MEMOBJECT")).toBe(part);
  for (const object of [line, plane, part, buffer]) clReleaseMemObject(object);
});

test("clCreateImage: flags that are not set come from the buffer whose bytes it shows", () => {
  const closed = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 256);
  const plane = clCreateImage(context, 0, R32I, { type: "CL_MEM_OBJECT_IMAGE2D", width: 4, height: 4, buffer: closed });
  expect(clGetMemObjectInfo(plane, "CL_MEM_FLAGS")).toBe(CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS);
  expectError(
    () => clEnqueueReadImage(queue, plane, true, [0, 0, 0], [1, 1, 1], 0, 0, new Int32Array(1)),
    "CL_INVALID_OPERATION",
    /do not allow the host to read it/u,
  );
  const open = clCreateBuffer(context, CL_MEM_HOST_READ_ONLY, 256);
  const narrow = clCreateImage(context, CL_MEM_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS, R32I, {
    type: "CL_MEM_OBJECT_IMAGE1D_BUFFER",
    width: 4,
    buffer: open,
  });
  expect(clGetMemObjectInfo(narrow, "CL_MEM_FLAGS")).toBe(CL_MEM_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS);
  for (const object of [plane, closed, narrow, open]) clReleaseMemObject(object);
});

test("maps show the pixels, of own memory and of the caller's array", () => {
  const description: ImageDescription = { type: "CL_MEM_OBJECT_IMAGE3D", width: 2, height: 2, depth: 2 };
  const own = clCreateImage(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, R32I, description, counted(8));
  const { array, rowPitch, slicePitch } = clEnqueueMapImage(
    queue,
    own,
    true,
    CL_MAP_READ | CL_MAP_WRITE,
    [0, 1, 0],
    [2, 1, 2],
  );
  expect([rowPitch, slicePitch, array.length]).toEqual([8, 16, 24]);
  const view = new Int32Array(array.buffer, array.byteOffset, 6);
  expect([...view]).toEqual([3, 4, 5, 6, 7, 8]);
  view[0] = 30;
  expect(clGetMemObjectInfo(own, "CL_MEM_MAP_COUNT")).toBe(1);
  clEnqueueUnmapMemObject(queue, own, array);
  expect(read(own, [2, 2, 2])).toEqual([1, 2, 30, 4, 5, 6, 7, 8]);
  const theirs = counted(12);
  const user = clCreateImage(
    context,
    CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
    R32I,
    { type: "CL_MEM_OBJECT_IMAGE2D", width: 2, height: 3, rowPitch: 16 },
    theirs,
  );
  expect(read(user, [2, 3, 1])).toEqual([1, 2, 5, 6, 9, 10]);
  clEnqueueFillImage(queue, user, Int32Array.of(-1, 0, 0, 0), [1, 1, 0], [1, 2, 1]);
  const mapped = clEnqueueMapImage(queue, user, true, CL_MAP_READ, [0, 0, 0], [2, 3, 1]);
  expect([...theirs]).toEqual([1, 2, 3, 4, 5, -1, 7, 8, 9, -1, 11, 12]);
  expect([mapped.rowPitch, mapped.slicePitch]).toEqual([16, 0]);
  clEnqueueUnmapMemObject(queue, user, mapped.array);
  expectError(() => clEnqueueUnmapMemObject(queue, user, mapped.array), "CL_INVALID_VALUE", /not a mapping/u);
  clFinish(queue);
});

test("queries", () => {
  const image = clCreateImage(context, CL_MEM_READ_ONLY, RGBA8, {
    type: "CL_MEM_OBJECT_IMAGE2D_ARRAY",
    width: 5,
    height: 3,
    arraySize: 2,
  });
  expect(
    (
      [
        "CL_IMAGE_WIDTH",
        "CL_IMAGE_HEIGHT",
        "CL_IMAGE_DEPTH",
        "CL_IMAGE_ARRAY_SIZE",
        "CL_IMAGE_ELEMENT_SIZE",
        "CL_IMAGE_ROW_PITCH",
        "CL_IMAGE_SLICE_PITCH",
        "CL_IMAGE_NUM_MIP_LEVELS",
        "CL_IMAGE_NUM_SAMPLES",
      ] as const
    ).map((token) => clGetImageInfo(image, token)),
  ).toEqual([5, 3, 0, 2, 4, 20, 60, 0, 0]);
  expect(clGetImageInfo(image, "CL_IMAGE_FORMAT")).toEqual(RGBA8);
  expect(clGetImageInfo(image, "CL_IMAGE_BUFFER")).toBeNull();
  expect(clGetMemObjectInfo(image, "CL_MEM_TYPE")).toBe("CL_MEM_OBJECT_IMAGE2D_ARRAY");
  expect(clGetMemObjectInfo(image, "CL_MEM_SIZE")).toBe(120);
  const line = clCreateImage(context, 0, RGBA8, { type: "CL_MEM_OBJECT_IMAGE1D", width: 5 });
  expect(
    (["CL_IMAGE_HEIGHT", "CL_IMAGE_DEPTH", "CL_IMAGE_ARRAY_SIZE", "CL_IMAGE_SLICE_PITCH"] as const).map((token) =>
      clGetImageInfo(line, token),
    ),
  ).toEqual([0, 0, 0, 0]);
  const sampler = clCreateSampler(context, false, "CL_ADDRESS_CLAMP", "CL_FILTER_LINEAR");
  clRetainSampler(sampler);
  expect(
    (
      [
        "CL_SAMPLER_REFERENCE_COUNT",
        "CL_SAMPLER_NORMALIZED_COORDS",
        "CL_SAMPLER_ADDRESSING_MODE",
        "CL_SAMPLER_FILTER_MODE",
      ] as const
    ).map((token) => clGetSamplerInfo(sampler, token)),
  ).toEqual([2, false, "CL_ADDRESS_CLAMP", "CL_FILTER_LINEAR"]);
  clReleaseSampler(sampler);
  clReleaseSampler(sampler);
  expectError(() => clGetSamplerInfo(sampler, "CL_SAMPLER_CONTEXT"), "CL_INVALID_SAMPLER", /released/u);
});

test("the formats that the specification demands are there", () => {
  const required = [
    ...[
      "UNORM_INT8",
      "UNORM_INT16",
      "SIGNED_INT8",
      "SIGNED_INT16",
      "SIGNED_INT32",
      "UNSIGNED_INT8",
      "UNSIGNED_INT16",
      "UNSIGNED_INT32",
      "HALF_FLOAT",
      "FLOAT",
    ].flatMap((type) => ["R", "RG", "RGBA"].map((order) => `CL_${order} CL_${type}`)),
    "CL_BGRA CL_UNORM_INT8",
  ];
  for (const [{ type }] of SHAPES) {
    const names = new Set(
      clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, type).map(
        ({ channelOrder, channelType }) => `${channelOrder} ${channelType}`,
      ),
    );
    expect(required.filter((name) => !names.has(name))).toEqual([]);
    expect(names.has("CL_DEPTH CL_FLOAT")).toBe(type.includes("IMAGE2D"));
  }
});

function make(
  flags: number,
  format: ImageFormat,
  description: ImageDescription,
  array: ArrayBufferView | null = null,
): () => Image {
  return () => clCreateImage(context, flags, format, description, array);
}

test("what makes no image", () => {
  const flat: ImageDescription = { type: "CL_MEM_OBJECT_IMAGE2D", width: 2, height: 2 };
  expectError(
    make(0, { channelOrder: "CL_RGB", channelType: "CL_UNORM_INT8" }, flat),
    "CL_IMAGE_FORMAT_NOT_SUPPORTED",
    /CL_RGB with CL_UNORM_INT8/u,
  );
  expectError(
    make(0, { channelOrder: "CL_XYZ" as "CL_R", channelType: "CL_FLOAT" }, flat),
    "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
    /not an image format/u,
  );
  expectError(make(0, RGBA8, { ...flat, height: 0 }), "CL_INVALID_IMAGE_DESCRIPTOR", /no pixels/u);
  expectError(
    make(0, RGBA8, { ...flat, type: "CL_MEM_OBJECT_IMAGE4D" as "CL_MEM_OBJECT_IMAGE3D" }),
    "CL_INVALID_IMAGE_DESCRIPTOR",
    /not an image type/u,
  );
  expectError(make(0, RGBA8, { ...flat, width: 2 ** 20 }), "CL_INVALID_IMAGE_SIZE", /width of a 2d image/u);
  expectError(make(0, RGBA8, { ...flat, rowPitch: 16 }), "CL_INVALID_IMAGE_DESCRIPTOR", /neither was passed/u);
  expectError(
    make(CL_MEM_COPY_HOST_PTR, RGBA8, { ...flat, rowPitch: 6 }, new Uint8Array(64)),
    "CL_INVALID_IMAGE_DESCRIPTOR",
    /row pitch/u,
  );
  expectError(make(CL_MEM_COPY_HOST_PTR, RGBA8, flat), "CL_INVALID_HOST_PTR", /require an array/u);
  expectError(
    make(CL_MEM_COPY_HOST_PTR, RGBA8, flat, new Uint8Array(15)),
    "CL_INVALID_HOST_PTR",
    /15 bytes, the image needs 16/u,
  );
  expectError(
    make(CL_MEM_USE_HOST_PTR, RGBA8, { ...flat, rowPitch: 16 }, new Uint8Array(31)),
    "CL_INVALID_HOST_PTR",
    /31 bytes, the image needs 32/u,
  );
  expectError(
    make(0, RGBA8, { type: "CL_MEM_OBJECT_IMAGE1D_BUFFER", width: 4 }),
    "CL_INVALID_IMAGE_DESCRIPTOR",
    /uses the bytes of a buffer/u,
  );
  expectError(
    make(0, RGBA8, { type: "CL_MEM_OBJECT_IMAGE1D_BUFFER", width: 4, buffer: ints(1, 2) }),
    "CL_INVALID_IMAGE_SIZE",
    /8 bytes, the image needs 16/u,
  );
  expectError(make(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, RGBA8, flat), "CL_INVALID_VALUE", /cannot be combined/u);
  expectError(
    () => clCreateSampler(context, false, "CL_ADDRESS_REPEAT", "CL_FILTER_NEAREST"),
    "CL_INVALID_VALUE",
    /requires normalised coordinates/u,
  );
  expectError(
    () => clCreateSampler(context, true, "CL_ADDRESS_TWICE" as "CL_ADDRESS_CLAMP", "CL_FILTER_NEAREST"),
    "CL_INVALID_VALUE",
    /not an addressing mode/u,
  );
});

test("commands that make no sense", () => {
  const image = clCreateImage(context, CL_MEM_READ_WRITE, R32I, { type: "CL_MEM_OBJECT_IMAGE2D", width: 4, height: 4 });
  const other = clCreateImage(context, CL_MEM_READ_WRITE, RGBA8, {
    type: "CL_MEM_OBJECT_IMAGE2D",
    width: 4,
    height: 4,
  });
  const hidden = clCreateImage(context, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, R32I, {
    type: "CL_MEM_OBJECT_IMAGE2D",
    width: 4,
    height: 4,
  });
  const out = new Int32Array(16);
  expectError(
    () => clEnqueueReadImage(queue, image, true, [2, 0, 0], [3, 1, 1], 0, 0, out),
    "CL_INVALID_VALUE",
    /is not inside the image, which has 4 along x/u,
  );
  expectError(
    () => clEnqueueReadImage(queue, image, true, [0, 0, 0], [1, 1, 2], 0, 0, out),
    "CL_INVALID_VALUE",
    /along z/u,
  );
  expectError(
    () => clEnqueueReadImage(queue, image, true, [0, 0, 0], [4, 4, 1], 8, 0, out),
    "CL_INVALID_VALUE",
    /row pitch of 8 bytes/u,
  );
  expectError(
    () => clEnqueueWriteImage(queue, image, true, [0, 0, 0], [4, 4, 1], 0, 0, out.subarray(1)),
    "CL_INVALID_VALUE",
    /60 bytes, but 64/u,
  );
  expectError(
    () => clEnqueueReadImage(queue, hidden, true, [0, 0, 0], [4, 4, 1], 0, 0, out),
    "CL_INVALID_OPERATION",
    /do not allow the host to read/u,
  );
  expectError(
    () => clEnqueueMapImage(queue, hidden, true, CL_MAP_WRITE, [0, 0, 0], [4, 4, 1]),
    "CL_INVALID_OPERATION",
    /do not allow the host to write/u,
  );
  expectError(
    () => clEnqueueMapImage(queue, image, true, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, [0, 0, 0], [4, 4, 1]),
    "CL_INVALID_VALUE",
    /cannot be combined/u,
  );
  expectError(() => clEnqueueFillImage(queue, image, int(1), [0, 0, 0], [4, 4, 1]), "CL_INVALID_VALUE", /16 bytes/u);
  expectError(
    () => clEnqueueCopyImage(queue, image, other, [0, 0, 0], [0, 0, 0], [1, 1, 1]),
    "CL_IMAGE_FORMAT_MISMATCH",
    /CL_RGBA/u,
  );
  expectError(
    () => clEnqueueCopyImage(queue, image, image, [0, 0, 0], [1, 1, 0], [2, 2, 1]),
    "CL_MEM_COPY_OVERLAP",
    /overlap/u,
  );
  expectError(
    () => clEnqueueCopyImageToBuffer(queue, image, ints(1), [0, 0, 0], [2, 1, 1], 0),
    "CL_INVALID_VALUE",
    /the 4 bytes of the buffer/u,
  );
  const kernel = kernelOf(
    `kernel void k(write_only image2d_t to, image3d_t solid, sampler_t s, image2d_depth_t depth) {}`,
    "k",
  );
  expectError(() => clSetKernelArg(kernel, 0, ints(1)), "CL_INVALID_ARG_VALUE", /requires an image/u);
  expectError(
    () =>
      clSetKernelArg(
        kernel,
        0,
        clCreateImage(context, CL_MEM_READ_ONLY, R32I, { type: "CL_MEM_OBJECT_IMAGE2D", width: 1, height: 1 }),
      ),
    "CL_INVALID_ARG_VALUE",
    /read-only/u,
  );
  expectError(
    () => clSetKernelArg(kernel, 1, image),
    "CL_INVALID_ARG_VALUE",
    /requires an image of type CL_MEM_OBJECT_IMAGE3D/u,
  );
  expectError(() => clSetKernelArg(kernel, 2, image), "CL_INVALID_SAMPLER", /requires a sampler/u);
  expectError(() => clSetKernelArg(kernel, 3, image), "CL_INVALID_ARG_VALUE", /CL_DEPTH/u);
  const foreign = clCreateContext([device]);
  const far = clCreateImage(foreign, CL_MEM_READ_WRITE, R32I, { type: "CL_MEM_OBJECT_IMAGE2D", width: 1, height: 1 });
  expectError(() => clSetKernelArg(kernel, 0, far), "CL_INVALID_MEM_OBJECT", /another context/u);
  expectError(
    () => clEnqueueReadImage(queue, far, true, [0, 0, 0], [1, 1, 1], 0, 0, out),
    "CL_INVALID_CONTEXT",
    /different contexts/u,
  );
  clReleaseMemObject(image);
  expectError(
    () => clEnqueueReadImage(queue, image, true, [0, 0, 0], [1, 1, 1], 0, 0, out),
    "CL_INVALID_MEM_OBJECT",
    /released/u,
  );
});
