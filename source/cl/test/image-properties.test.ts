// SPDX-License-Identifier: Apache-2.0
// Images at random: any type, format, size, pitch, sampler and coordinate, through the API and every kernel variant,
// against the specification's formulas (OpenCL 8) written plainly here.
import {
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_READ_ONLY,
  CL_MEM_READ_WRITE,
  type ImageDescription,
  type ImageFormat,
  clCreateBuffer,
  clCreateImage,
  clCreateSampler,
  clEnqueueNDRangeKernel,
  clEnqueueReadBuffer,
  clEnqueueReadImage,
  clGetSupportedImageFormats,
  clReleaseKernel,
  clReleaseMemObject,
  clReleaseProgram,
  clReleaseSampler,
  clSetKernelArg,
} from "@muxkit/opencl";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { context, kernelOf, newQueue } from "./rig.ts";

const queue = newQueue();

/** Bits and kind of the channels that have bytes of their own. */
const TYPES: Readonly<
  Record<string, readonly [bytes: number, kind: "unorm" | "snorm" | "int" | "uint" | "half" | "float"]>
> = {
  CL_UNORM_INT8: [1, "unorm"],
  CL_UNORM_INT16: [2, "unorm"],
  CL_SNORM_INT8: [1, "snorm"],
  CL_SNORM_INT16: [2, "snorm"],
  CL_SIGNED_INT8: [1, "int"],
  CL_SIGNED_INT16: [2, "int"],
  CL_SIGNED_INT32: [4, "int"],
  CL_UNSIGNED_INT8: [1, "uint"],
  CL_UNSIGNED_INT16: [2, "uint"],
  CL_UNSIGNED_INT32: [4, "uint"],
  CL_HALF_FLOAT: [2, "half"],
  CL_FLOAT: [4, "float"],
};
/** Where each stored channel goes, and the alpha of the border. */
const ORDERS: Readonly<Record<string, readonly [channels: readonly number[], alpha: number]>> = {
  CL_R: [[0], 1],
  CL_RG: [[0, 1], 1],
  CL_RGBA: [[0, 1, 2, 3], 0],
  CL_BGRA: [[2, 1, 0, 3], 0],
  CL_ARGB: [[3, 0, 1, 2], 0],
  CL_ABGR: [[3, 2, 1, 0], 0],
  CL_A: [[3], 0],
  CL_RA: [[0, 3], 0],
  CL_Rx: [[0], 0],
  CL_RGx: [[0, 1], 0],
};

type Color = [number, number, number, number];

function half(bits: number): number {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

function channel(view: DataView, at: number, type: string): number {
  const [bytes, kind] = TYPES[type] ?? [1, "uint"];
  if (kind === "float") return view.getFloat32(at, true);
  if (kind === "half") return half(view.getUint16(at, true));
  const isSigned = kind === "int" || kind === "snorm";
  const stored =
    bytes === 1
      ? isSigned
        ? view.getInt8(at)
        : view.getUint8(at)
      : bytes === 2
        ? isSigned
          ? view.getInt16(at, true)
          : view.getUint16(at, true)
        : isSigned
          ? view.getInt32(at, true)
          : view.getUint32(at, true);
  if (kind === "unorm") return stored / (2 ** (8 * bytes) - 1);
  return kind === "snorm" ? Math.max(-1, stored / (2 ** (8 * bytes - 1) - 1)) : stored;
}

/** An image as rows of pixels without gaps, and its sizes: width, height, depth or layers. */
interface Pixels {
  readonly format: ImageFormat;
  readonly size: readonly [number, number, number];
  readonly bytes: Uint8Array;
}

function texel(
  { format: { channelOrder, channelType }, size: [w, h, d], bytes }: Pixels,
  x: number,
  y: number,
  z: number,
): Color {
  const [channels, alpha] = ORDERS[channelOrder] ?? [[], 0];
  const [width] = TYPES[channelType] ?? [1];
  if (x < 0 || y < 0 || z < 0 || x >= w || y >= h || z >= d) return [0, 0, 0, alpha];
  const color: Color = [0, 0, 0, 1];
  channels.forEach((component, i) => {
    color[component] = channel(
      new DataView(bytes.buffer),
      (((z * h + y) * w + x) * channels.length + i) * width,
      channelType,
    );
  });
  return color;
}

interface Sampling {
  readonly normalized: boolean;
  readonly addressing:
    | "CL_ADDRESS_CLAMP"
    | "CL_ADDRESS_CLAMP_TO_EDGE"
    | "CL_ADDRESS_REPEAT"
    | "CL_ADDRESS_MIRRORED_REPEAT";
  readonly filter: "CL_FILTER_NEAREST" | "CL_FILTER_LINEAR";
}

const { fround, floor } = Math;
const hold = (i: number, from: number, to: number): number => Math.min(Math.max(i, from), to);

/** The neighbours of one axis with their weights (8.2); of a nearest filter there is one. */
function along(
  c: number,
  size: number,
  { normalized, addressing, filter }: Sampling,
): readonly (readonly [index: number, weight: number])[] {
  let u = c;
  if (normalized && addressing === "CL_ADDRESS_REPEAT") u = fround(fround(c - floor(c)) * size);
  else if (normalized && addressing === "CL_ADDRESS_MIRRORED_REPEAT")
    u = fround(Math.abs(fround(c - 2 * Math.round(c / 2))) * size);
  else if (normalized) u = fround(c * size);
  const place = (i: number): number => {
    if (addressing === "CL_ADDRESS_REPEAT") return ((i % size) + size) % size;
    return addressing === "CL_ADDRESS_CLAMP" ? hold(i, -1, size) : hold(i, 0, size - 1);
  };
  if (filter === "CL_FILTER_NEAREST") return [[place(floor(u)), 1]];
  const low = floor(u - 0.5);
  const weight = u - 0.5 - low;
  return [
    [place(low), 1 - weight],
    [place(low + 1), weight],
  ];
}

function layer(c: number, layers: number): readonly (readonly [number, number])[] {
  const below = floor(c);
  const nearest = c - below > 0.5 || (c - below === 0.5 && below % 2 !== 0) ? below + 1 : below;
  return [[hold(nearest, 0, layers - 1), 1]];
}

function sample(pixels: Pixels, axes: number, isArray: boolean, sampling: Sampling, c: readonly number[]): Color {
  const [w, h, d] = pixels.size;
  const xs = along(c[0] ?? 0, w, sampling);
  const ys = axes > 1 ? along(c[1] ?? 0, h, sampling) : [[0, 1] as const];
  const zs = axes > 2 ? along(c[2] ?? 0, d, sampling) : isArray ? layer(c[axes] ?? 0, d) : [[0, 1] as const];
  const sum: Color = [0, 0, 0, 0];
  for (const [z, c3] of zs)
    for (const [y, c2] of ys)
      for (const [x, c1] of xs)
        texel(pixels, x, y, z).forEach((value, i) => {
          if (c1 * c2 * c3 !== 0) sum[i] = (sum[i] ?? 0) + c1 * c2 * c3 * value;
        });
  return sum;
}

/** Image types: description, words of the language, axes that are filtered. */
const SHAPES = [
  { type: "CL_MEM_OBJECT_IMAGE1D", word: "image1d_t", at: "c.x", axes: 1, isArray: false },
  { type: "CL_MEM_OBJECT_IMAGE1D_ARRAY", word: "image1d_array_t", at: "c.xy", axes: 1, isArray: true },
  { type: "CL_MEM_OBJECT_IMAGE2D", word: "image2d_t", at: "c.xy", axes: 2, isArray: false },
  { type: "CL_MEM_OBJECT_IMAGE2D_ARRAY", word: "image2d_array_t", at: "c", axes: 2, isArray: true },
  { type: "CL_MEM_OBJECT_IMAGE3D", word: "image3d_t", at: "c", axes: 3, isArray: false },
] as const;

/** Formats that are in both tables. */
const FORMATS = clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, "CL_MEM_OBJECT_IMAGE2D").filter(
  ({ channelOrder, channelType }) => channelOrder in ORDERS && channelType in TYPES,
);

const sampling: fc.Arbitrary<Sampling> = fc
  .record({
    normalized: fc.boolean(),
    addressing: fc.constantFrom(
      "CL_ADDRESS_CLAMP",
      "CL_ADDRESS_CLAMP_TO_EDGE",
      "CL_ADDRESS_REPEAT",
      "CL_ADDRESS_MIRRORED_REPEAT",
    ),
    filter: fc.constantFrom("CL_FILTER_NEAREST", "CL_FILTER_LINEAR"),
  })
  .filter(({ normalized, addressing }) => normalized || !addressing.includes("REPEAT"));

const COUNT = 64;
const one = fc.record({
  shape: fc.constantFrom(...SHAPES),
  format: fc.constantFrom(...FORMATS),
  sampling,
  size: fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 4 })),
  padding: fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 2 })),
  seed: fc.nat(1e6),
  at: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat()), { minLength: COUNT, maxLength: COUNT }),
  launches: fc.integer({ min: 1, max: 2 }),
});

/**
 * An image with contents at random, and what it is made of: an array with room after rows and slices, which the image
 * does not have.
 */
function picture(
  shape: (typeof SHAPES)[number],
  format: ImageFormat,
  [w, h, d]: readonly [number, number, number],
  padding: readonly [number, number],
  seed: number,
): { readonly pixels: Pixels; readonly host: Uint8Array; readonly description: ImageDescription } {
  const kind = TYPES[format.channelType]?.[1] ?? "uint";
  const height = shape.axes > 1 ? h : 1;
  const depth = shape.axes > 2 || shape.isArray ? d : 1;
  const pixelBytes = (TYPES[format.channelType]?.[0] ?? 1) * (ORDERS[format.channelOrder]?.[0].length ?? 1);
  const rowPitch = w * pixelBytes + padding[0] * pixelBytes;
  const slicePitch = rowPitch * (height + padding[1]);
  const host = new Uint8Array(slicePitch * depth);
  let state = seed + 1;
  for (let i = 0; i < host.length; i++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    host[i] = state >>> 16;
  }
  const view = new DataView(host.buffer);
  if (kind === "float")
    for (let i = 0; i + 4 <= host.length; i += 4) view.setFloat32(i, (view.getInt32(i, true) % 1000) / 64, true);
  if (kind === "half")
    for (let i = 0; i + 2 <= host.length; i += 2) view.setUint16(i, view.getUint16(i, true) & 0xb7ff, true);
  const bytes = new Uint8Array(w * height * depth * pixelBytes);
  for (let z = 0; z < depth; z++)
    for (let y = 0; y < height; y++)
      bytes.set(
        host.subarray(z * slicePitch + y * rowPitch, z * slicePitch + y * rowPitch + w * pixelBytes),
        (z * height + y) * w * pixelBytes,
      );
  const pixels: Pixels = { format, size: [w, height, depth], bytes };
  const description: ImageDescription = {
    type: shape.type,
    width: w,
    ...(shape.axes > 1 ? { height } : {}),
    ...(shape.axes > 2 ? { depth } : {}),
    ...(shape.isArray ? { arraySize: depth } : {}),
    rowPitch,
    ...(shape.axes > 2 || shape.isArray ? { slicePitch } : {}),
  };
  return { pixels, host, description };
}

test("kernels read what the specification defines", () => {
  expect(FORMATS.length).toBeGreaterThan(50);
  fc.assert(
    fc.property(one, ({ shape, format, sampling: how, size, padding, seed, at, launches }) => {
      const kind = TYPES[format.channelType]?.[1] ?? "uint";
      const isInt = kind === "int" || kind === "uint";
      const filtered: Sampling = isInt ? { ...how, filter: "CL_FILTER_NEAREST" } : how;
      const { pixels, host, description } = picture(shape, format, size, padding, seed);
      const [w, height, depth] = pixels.size;
      const image = clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, format, description, host);
      const back = new Uint8Array(pixels.bytes.length);
      clEnqueueReadImage(
        queue,
        image,
        true,
        [0, 0, 0],
        shape.isArray && shape.axes === 1 ? [w, depth, 1] : [w, height, depth],
        0,
        0,
        back,
      );
      expect([...back]).toEqual([...pixels.bytes]);
      // Eighths of pixels are exact in floats; with normalised coordinates they are of the size.
      const places = at.map((triple) =>
        triple.map((value, axis) => {
          const extent = [w, shape.axes > 1 ? height : depth, depth][axis] ?? 1;
          const isLayer = shape.isArray && axis === shape.axes;
          return how.normalized && !isLayer
            ? fround(((value % 97) - 32) / 32)
            : ((value % (8 * (extent + 6))) - 24) / 8;
        }),
      );
      const out = clCreateBuffer(context, CL_MEM_READ_WRITE, COUNT * 16);
      const list = clCreateBuffer(
        context,
        CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
        COUNT * 16,
        Float32Array.from(places.flatMap((c) => [...c, 0])),
      );
      const [letters, element] = isInt
        ? [kind === "int" ? "i" : "ui", kind === "int" ? "int4" : "uint4"]
        : ["f", "float4"];
      const sampler = clCreateSampler(context, filtered.normalized, filtered.addressing, filtered.filter);
      const kernel = kernelOf(
        `kernel void k(read_only ${shape.word} image, sampler_t s, global const float4* at, global ${element}* out) {
          size_t i = get_global_id(0);
          float4 c = at[i];
          out[i] = read_image${letters}(image, s, ${shape.at});
        }`,
        "k",
        image,
        sampler,
        list,
        out,
      );
      clSetKernelArg(kernel, 3, out);
      // The second launch runs the variant that is specialised for format and sampler.
      for (let i = 0; i < launches; i++) clEnqueueNDRangeKernel(queue, kernel, 1, null, [COUNT], null);
      const got = new ArrayBuffer(COUNT * 16);
      clEnqueueReadBuffer(queue, out, true, 0, COUNT * 16, new Uint8Array(got));
      const numbers =
        kind === "int" ? new Int32Array(got) : kind === "uint" ? new Uint32Array(got) : new Float32Array(got);
      const most = kind === "float" ? 16 : 1;
      const wrong = places.flatMap((c, i) => {
        const wanted = sample(pixels, shape.axes, shape.isArray, filtered, c);
        const own = [...numbers.subarray(i * 4, i * 4 + 4)];
        const limit = isInt ? 0 : (filtered.filter === "CL_FILTER_LINEAR" ? 2e-6 : 2e-7) * most;
        return own.every((value, component) => Math.abs(value - (wanted[component] ?? 0)) <= limit)
          ? []
          : [
              `${shape.word} ${format.channelOrder} ${format.channelType} ` +
                `${JSON.stringify(filtered)} ${w}×${height}×${depth} at ${c.join(" ")}: ` +
                `${own.join(" ")}, not ${wanted.join(" ")}`,
            ];
      });
      for (const object of [image, out, list]) clReleaseMemObject(object);
      clReleaseSampler(sampler);
      clReleaseKernel(kernel);
      clReleaseProgram(kernel.program);
      expect(wrong).toEqual([]);
    }),
    { numRuns: 40, seed: 7 },
  );
});
