// SPDX-License-Identifier: Apache-2.0
// 2-D images of 2-D images (OpenCL 2.0, 5.3.1.2): the same pixels with another order of channels.
import {
  CL_MAP_READ,
  CL_MAP_WRITE,
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_HOST_NO_ACCESS,
  CL_MEM_HOST_READ_ONLY,
  CL_MEM_HOST_WRITE_ONLY,
  CL_MEM_READ_ONLY,
  CL_MEM_READ_WRITE,
  CL_MEM_USE_HOST_PTR,
  CL_MEM_WRITE_ONLY,
  type ErrorName,
  type Image,
  type ImageDescription,
  type ImageFormat,
  clCreateBuffer,
  clCreateContext,
  clCreateImage,
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
  clGetMemObjectInfo,
  clReleaseMemObject,
  clSetKernelArg,
  clSetMemObjectDestructorCallback,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { context, device, expectError, ints, kernelOf, newQueue, readInts } from "./rig.ts";

const queue = newQueue();

function format(order: string, type: string): ImageFormat {
  return { channelOrder: `CL_${order}`, channelType: `CL_${type}` } as ImageFormat;
}

const RGBA = format("RGBA", "UNORM_INT8");
const SRGBA = format("sRGBA", "UNORM_INT8");
const FLAT: ImageDescription = { type: "CL_MEM_OBJECT_IMAGE2D", width: 2, height: 2 };
const PIXELS = Uint8Array.from({ length: 16 }, (_, i) => 10 * i);

function flat(pixels: ImageFormat = RGBA, flags: number = CL_MEM_READ_WRITE): Image {
  return clCreateImage(context, flags, pixels, FLAT);
}

function viewOf(image: Image, pixels: ImageFormat = SRGBA, flags: number = 0): Image {
  return clCreateImage(context, flags, pixels, { ...FLAT, image });
}

function read(image: Image): number[] {
  const bytes = new Uint8Array(16);
  clEnqueueReadImage(queue, image, true, [0, 0, 0], [2, 2, 1], 0, 0, bytes);
  return [...bytes];
}

const WRITE = `kernel void write(write_only image2d_t to, float value) {
    write_imagef(to, (int2)(get_global_id(0), get_global_id(1)), (float4)(value));
  }`;
const READ = `kernel void read(read_only image2d_t from, global float* to) {
    to[get_global_id(1) * 2 + get_global_id(0)] = read_imagef(from, (int2)(get_global_id(0),
        get_global_id(1))).x;
  }`;
const READ_DEPTH = `kernel void read(read_only image2d_depth_t from, global float* to) {
    to[get_global_id(1) * 2 + get_global_id(0)] = read_imagef(from, (int2)(get_global_id(0), get_global_id(1)));
  }`;
const MIDDLE = 128 / 255;
/** The light of sRGB's middle. */
const LIGHT = ((MIDDLE + 0.055) / 1.055) ** 2.4;

test.each([
  ["RGBA", "sRGBA", "UNORM_INT8", MIDDLE, LIGHT],
  ["sRGBA", "RGBA", "UNORM_INT8", LIGHT, MIDDLE],
  ["BGRA", "sBGRA", "UNORM_INT8", MIDDLE, LIGHT],
  ["sBGRA", "BGRA", "UNORM_INT8", LIGHT, MIDDLE],
  ["R", "DEPTH", "FLOAT", 0.3, 0.3],
  ["R", "DEPTH", "UNORM_INT16", 0.2, 0.2],
])("of CL_%s as CL_%s of CL_%s: a kernel reads what another one wrote", (from, to, type, written, wanted) => {
  const image = flat(format(from, type));
  const view = viewOf(image, format(to, type));
  const out = clCreateBuffer(context, CL_MEM_READ_WRITE, 16);
  const writes = kernelOf(WRITE, "write", image);
  const reads = kernelOf(to === "DEPTH" ? READ_DEPTH : READ, "read", view, out);
  // More than once: from the second launch of a kind on, code is made for its formats.
  for (let i = 1; i <= 3; i++) {
    for (const [kernel, value] of [
      [writes, written / i],
      [writes, written],
    ] as const) {
      clSetKernelArg(kernel, 1, Float32Array.of(value));
      clEnqueueNDRangeKernel(queue, kernel, 2, null, [2, 2], null);
    }
    clEnqueueNDRangeKernel(queue, reads, 2, null, [2, 2], null);
    const got = new Float32Array(4);
    clEnqueueReadBuffer(queue, out, true, 0, 16, got);
    for (const value of got) expect(value).toBeCloseTo(wanted, 4);
  }
});

test("writing through a view as sRGB changes the image", () => {
  const image = flat();
  const kernel = kernelOf(WRITE, "write", viewOf(image), Float32Array.of(LIGHT));
  clEnqueueNDRangeKernel(queue, kernel, 2, null, [2, 2], null);
  // Alpha is no light.
  expect(read(image)).toEqual([0, 1, 2, 3].flatMap(() => [128, 128, 128, Math.round(LIGHT * 255)]));
});

test("transfers, fills, copies and maps of both", () => {
  const image = clCreateImage(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, RGBA, FLAT, PIXELS);
  const view = viewOf(image);
  expect(read(view)).toEqual([...PIXELS]);
  clEnqueueWriteImage(queue, view, true, [1, 0, 0], [1, 1, 1], 0, 0, Uint8Array.of(1, 2, 3, 4));
  expect(read(image)).toEqual([0, 10, 20, 30, 1, 2, 3, 4, ...PIXELS.slice(8)]);
  clEnqueueFillImage(queue, image, Float32Array.of(1, 0, 1, 0), [0, 1, 0], [1, 1, 1]);
  expect(read(view).slice(8, 12)).toEqual([255, 0, 255, 0]);
  const buffer = ints(0, 0, 7, 0);
  clEnqueueCopyImageToBuffer(queue, view, buffer, [0, 1, 0], [1, 1, 1], 4);
  expect(readInts(queue, buffer)).toEqual([0, 0x00ff00ff, 7, 0]);
  clEnqueueCopyBufferToImage(queue, buffer, view, 8, [1, 1, 0], [1, 1, 1]);
  expect(read(image).slice(12)).toEqual([7, 0, 0, 0]);
  const written = clEnqueueMapImage(queue, view, true, CL_MAP_WRITE, [1, 1, 0], [1, 1, 1]);
  written.array.set([9, 8, 7, 6]);
  clEnqueueUnmapMemObject(queue, view, written.array);
  const seen = clEnqueueMapImage(queue, image, true, CL_MAP_READ, [0, 1, 0], [2, 1, 1]);
  expect([...seen.array]).toEqual([255, 0, 255, 0, 9, 8, 7, 6]);
  clEnqueueUnmapMemObject(queue, image, seen.array);
  clFinish(queue);
  expect([image, view].map((one) => clGetMemObjectInfo(one, "CL_MEM_MAP_COUNT"))).toEqual([0, 0]);
});

test("copies between an image and its views: other formats cannot be combined, and the same pixels overlap", () => {
  const image = clCreateImage(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, RGBA, FLAT, PIXELS);
  const view = viewOf(image);
  const again = viewOf(view, RGBA);
  expectError(
    () => clEnqueueCopyImage(queue, image, view, [0, 0, 0], [1, 0, 0], [1, 1, 1]),
    "CL_IMAGE_FORMAT_MISMATCH",
    /CL_sRGBA/u,
  );
  expectError(
    () => clEnqueueCopyImage(queue, image, again, [0, 0, 0], [1, 0, 0], [2, 2, 1]),
    "CL_INVALID_VALUE",
    /is not inside the image/u,
  );
  expectError(
    () => clEnqueueCopyImage(queue, image, again, [0, 0, 0], [0, 0, 0], [2, 1, 1]),
    "CL_MEM_COPY_OVERLAP",
    /overlap/u,
  );
  clEnqueueCopyImage(queue, again, image, [0, 0, 0], [0, 1, 0], [2, 1, 1]);
  expect(read(view)).toEqual([...PIXELS.slice(0, 8), ...PIXELS.slice(0, 8)]);
});

test("the caller's array is shown with its pitch, and maps of a view are parts of it", () => {
  const theirs = new Uint8Array(32).fill(5);
  const image = clCreateImage(
    context,
    CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
    RGBA,
    { ...FLAT, rowPitch: 16 },
    theirs,
  );
  const pitched = clCreateImage(context, 0, SRGBA, {
    ...FLAT,
    rowPitch: clGetImageInfo(image, "CL_IMAGE_ROW_PITCH"),
    slicePitch: clGetImageInfo(image, "CL_IMAGE_SLICE_PITCH"),
    image,
  });
  const view = viewOf(image);
  expect([pitched, view].map((one) => clGetImageInfo(one, "CL_IMAGE_ROW_PITCH"))).toEqual([16, 16]);
  clEnqueueWriteImage(queue, view, true, [0, 0, 0], [2, 2, 1], 0, 0, PIXELS);
  expect(read(pitched)).toEqual([...PIXELS]);
  const { array, rowPitch } = clEnqueueMapImage(queue, view, true, CL_MAP_READ, [0, 0, 0], [2, 2, 1]);
  expect(rowPitch).toBe(16);
  expect(array.buffer).toBe(theirs.buffer);
  expect([...theirs]).toEqual([
    ...PIXELS.slice(0, 8),
    5,
    5,
    5,
    5,
    5,
    5,
    5,
    5,
    ...PIXELS.slice(8),
    5,
    5,
    5,
    5,
    5,
    5,
    5,
    5,
  ]);
  clEnqueueUnmapMemObject(queue, view, array);
  expect(clGetMemObjectInfo(view, "CL_MEM_HOST_PTR")).toBeNull();
});

test("an image of an image of a part of a buffer shows that part", () => {
  const buffer = ints(...Array.from({ length: 64 }, (_, i) => i));
  const part = clCreateSubBuffer(buffer, CL_MEM_READ_WRITE, { origin: 128, size: 128 });
  const plane = clCreateImage(context, 0, RGBA, { ...FLAT, rowPitch: 32, buffer: part });
  const view = viewOf(viewOf(plane), RGBA);
  const words = new Int32Array(4);
  clEnqueueReadImage(queue, view, true, [0, 0, 0], [2, 2, 1], 0, 0, words);
  expect([...words]).toEqual([32, 33, 40, 41]);
  const kernel = kernelOf(WRITE, "write", view, Float32Array.of(1));
  clEnqueueNDRangeKernel(queue, kernel, 2, null, [1, 2], null);
  expect(readInts(queue, buffer).flatMap((value, i) => (value === i ? [] : [[i, value]]))).toEqual([
    [32, -1],
    [40, -1],
  ]);
  expect([plane, view].map((one) => clGetImageInfo(one, "CL_IMAGE_BUFFER"))).toEqual([part, null]);
});

test("queries: the image that is shown, the view's own format, flags of both", () => {
  const image = flat(RGBA, CL_MEM_WRITE_ONLY | CL_MEM_HOST_READ_ONLY);
  const view = viewOf(image);
  const hidden = viewOf(view, RGBA, CL_MEM_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS);
  expect([image, view, hidden].map((one) => clGetMemObjectInfo(one, "CL_MEM_ASSOCIATED_MEMOBJECT"))).toEqual([
    null,
    image,
    view,
  ]);
  expect([image, view, hidden].map((one) => clGetMemObjectInfo(one, "CL_MEM_FLAGS"))).toEqual([
    CL_MEM_WRITE_ONLY | CL_MEM_HOST_READ_ONLY,
    CL_MEM_WRITE_ONLY | CL_MEM_HOST_READ_ONLY,
    CL_MEM_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS,
  ]);
  expect([image, view, hidden].map((one) => clGetImageInfo(one, "CL_IMAGE_FORMAT"))).toEqual([RGBA, SRGBA, RGBA]);
  expect(
    [image, view].map((one) =>
      (["CL_MEM_TYPE", "CL_MEM_SIZE", "CL_MEM_OFFSET"] as const).map((token) => clGetMemObjectInfo(one, token)),
    ),
  ).toEqual([0, 1].map(() => ["CL_MEM_OBJECT_IMAGE2D", 16, 0]));
  expectError(() => read(hidden), "CL_INVALID_OPERATION", /do not allow the host to read it/u);
});

test.each([
  ["the image first", [0, 1, 2]],
  ["the views first", [2, 1, 0]],
  ["the middle first", [1, 0, 2]],
] as const)("released in any order, %s: an image ends after its views", (_order, released) => {
  const ended: number[] = [];
  const image = clCreateImage(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, RGBA, FLAT, PIXELS);
  const view = viewOf(image);
  const all = [image, view, viewOf(view, RGBA)];
  for (const [i, one] of all.entries())
    clSetMemObjectDestructorCallback(one, () => {
      ended.push(i);
    });
  const left = new Set(all);
  for (const i of released) {
    for (const one of left) expect(read(one)).toEqual([...PIXELS]);
    const one = all[i] as Image;
    clReleaseMemObject(one);
    left.delete(one);
  }
  clFinish(queue);
  expect(ended).toEqual([2, 1, 0]);
});

const solid: ImageDescription = { type: "CL_MEM_OBJECT_IMAGE3D", width: 2, height: 2, depth: 2 };
const foreign = clCreateContext([device]);

function makes(
  description: Partial<ImageDescription>,
  pixels: ImageFormat = SRGBA,
  flags: number = 0,
  array: Uint8Array | null = null,
): () => Image {
  return () => clCreateImage(context, flags, pixels, { ...FLAT, image: flat(), ...description }, array);
}

const WRONG: readonly (readonly [what: string, error: ErrorName, message: RegExp, run: () => unknown])[] = [
  ["another width", "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR", /has 2 by 2 pixels, not 1 by 2/u, makes({ width: 1 })],
  ["another height", "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR", /has 2 by 2 pixels, not 2 by 3/u, makes({ height: 3 })],
  ["another row pitch", "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR", /the row pitch 8 .* 16 and 0/u, makes({ rowPitch: 16 })],
  [
    "a slice pitch",
    "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
    /no slices.* 8 and 16/u,
    makes({ rowPitch: 8, slicePitch: 16 }),
  ],
  [
    "the same order",
    "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
    /CL_RGBA can use the pixels of an image of CL_sRGBA, not CL_RGBA/u,
    makes({}, RGBA),
  ],
  [
    "an order of other channels",
    "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
    /CL_sBGRA can use the pixels of an image of CL_BGRA/u,
    makes({}, format("sBGRA", "UNORM_INT8")),
  ],
  [
    "an order that shows none",
    "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
    /CL_ARGB can use the pixels of no other channel order/u,
    makes({}, format("ARGB", "UNORM_INT8")),
  ],
  [
    "CL_R of CL_DEPTH",
    "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
    /CL_R can use the pixels of no other channel order/u,
    makes({ image: flat(format("DEPTH", "FLOAT")) }, format("R", "FLOAT")),
  ],
  [
    "another type of channels",
    "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
    /CL_SIGNED_INT8 cannot be read as CL_UNORM_INT8/u,
    makes({ image: flat(format("RGBA", "SIGNED_INT8")) }),
  ],
  [
    "a type that sRGB does not have",
    "CL_IMAGE_FORMAT_NOT_SUPPORTED",
    /CL_sRGBA with CL_FLOAT/u,
    makes({ image: flat(format("RGBA", "FLOAT")) }, format("sRGBA", "FLOAT")),
  ],
  [
    "a line that shows an image",
    "CL_INVALID_IMAGE_DESCRIPTOR",
    /type CL_MEM_OBJECT_IMAGE1D cannot/u,
    makes({ type: "CL_MEM_OBJECT_IMAGE1D" }),
  ],
  [
    "a line of a buffer that shows an image",
    "CL_INVALID_IMAGE_DESCRIPTOR",
    /type CL_MEM_OBJECT_IMAGE1D_BUFFER cannot/u,
    makes({ type: "CL_MEM_OBJECT_IMAGE1D_BUFFER" }),
  ],
  [
    "an image with slices",
    "CL_INVALID_IMAGE_DESCRIPTOR",
    /type CL_MEM_OBJECT_IMAGE3D/u,
    makes({ image: clCreateImage(context, 0, RGBA, solid) }),
  ],
  ["an image and a buffer", "CL_INVALID_IMAGE_DESCRIPTOR", /not both/u, makes({ buffer: ints(1, 2, 3, 4) })],
  [
    "a buffer instead of an image",
    "CL_INVALID_IMAGE_DESCRIPTOR",
    /the image that provides the bytes is not valid/u,
    makes({ image: ints(1, 2, 3, 4) as unknown as Image }),
  ],
  [
    "an image that was released",
    "CL_INVALID_IMAGE_DESCRIPTOR",
    /released/u,
    () => {
      const image = flat();
      clReleaseMemObject(image);
      viewOf(image);
    },
  ],
  [
    "a buffer that was released",
    "CL_INVALID_IMAGE_DESCRIPTOR",
    /released/u,
    () => {
      const buffer = ints(1, 2, 3, 4);
      clReleaseMemObject(buffer);
      clCreateImage(context, 0, RGBA, { ...FLAT, buffer });
    },
  ],
  [
    "an image of another context",
    "CL_INVALID_CONTEXT",
    /another context/u,
    makes({ image: clCreateImage(foreign, 0, RGBA, FLAT) }),
  ],
  [
    "more access of kernels than the image has",
    "CL_INVALID_VALUE",
    /allows kernels more access than its parent/u,
    makes({ image: flat(RGBA, CL_MEM_READ_ONLY) }, SRGBA, CL_MEM_READ_WRITE),
  ],
  [
    "more access of the host than the image has",
    "CL_INVALID_VALUE",
    /allows the host more access than its parent/u,
    makes({ image: flat(RGBA, CL_MEM_HOST_READ_ONLY) }, SRGBA, CL_MEM_HOST_WRITE_ONLY),
  ],
  [
    "bytes of its own",
    "CL_INVALID_VALUE",
    /which come from the parent/u,
    makes({}, SRGBA, CL_MEM_COPY_HOST_PTR, PIXELS),
  ],
  ["an array without a flag", "CL_INVALID_HOST_PTR", /is allowed only with/u, makes({}, SRGBA, 0, PIXELS)],
];

test.each(WRONG)("clCreateImage of an image: %s", (_what, error, message, run) => {
  expectError(run, error, message);
});
