// SPDX-License-Identifier: Apache-2.0
// Images in every way to run a kernel, against the reference in TypeScript (modules/libimg).
import {
  type Image,
  type ImageFormat,
  type ImageType,
  type Sampler,
  CHANNEL_ORDERS,
  CHANNEL_TYPES,
  IMAGE_FORMATS,
  borderColor,
  channelClass,
  createImage,
  imageExtent,
  packPixel,
  readPixel,
  samplePixel,
  samplePixelAt,
  samplerBits,
} from "@muxkit/libimg";
import { floatToHalf } from "@muxkit/cargo";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { type DifferentialArgument, firstDifference, oneRowIn, runEveryWay } from "@muxkit/kernel-suite";

const LIMITS = { width1d: 4096, widthBuffer: 4096, size2d: 4096, size3d: 4096, layers: 4096 };
/** Small sizes with more than one of everything, so that mixed up axes show. */
const SIZES: Readonly<Record<ImageType, readonly [width: number, height: number, depth: number, layers: number]>> = {
  "1d": [7, 1, 1, 1],
  "1d_array": [7, 1, 1, 3],
  "1d_buffer": [11, 1, 1, 1],
  "2d": [5, 4, 1, 1],
  "2d_array": [5, 4, 1, 3],
  "3d": [5, 4, 3, 1],
};
const RGBA8: ImageFormat = { order: "RGBA", type: "UNORM_INT8" };

function make(type: ImageType, format: ImageFormat): Image {
  const [width, height, depth, layers] = SIZES[type];
  const made = createImage({ type, format, width, height, depth, layers, rowPitch: 0, slicePitch: 0 }, LIMITS);
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}

/** Bytes that differ from pixel to pixel and stay finite as floats and halves. */
function pixels(image: Image): Uint8Array {
  const bytes = new Uint8Array(image.bytes);
  const view = new DataView(bytes.buffer);
  const { type } = image.format;
  for (let i = 0; i < bytes.length; i++) bytes[i] = (i * 37 + (i >> 3) * 11 + 5) & 255;
  if (type === "FLOAT") for (let i = 0; i + 4 <= bytes.length; i += 4) view.setFloat32(i, Math.sin(i) * 10, true);
  if (type === "HALF_FLOAT")
    for (let i = 0; i + 2 <= bytes.length; i += 2) view.setUint16(i, view.getUint16(i, true) & 0xbbff, true);
  return bytes;
}

const letters = { float: "f", signed: "i", unsigned: "ui" } as const;
const elements = { float: "float", signed: "int", unsigned: "uint" } as const;

/** Runs in every way, which must agree; returns the buffers. */
function run(
  source: string,
  list: readonly DifferentialArgument[],
  items: number,
  options = "",
): readonly Uint8Array[] {
  const [interpreted, ...others] = runEveryWay({
    source,
    kernel: "k",
    options,
    arguments: list,
    global: [items],
    local: [1],
  });
  if (interpreted === undefined) throw new Error("nothing ran");
  for (const other of others)
    expect(
      firstDifference(
        interpreted,
        other,
        list.map(() => "f32"),
      ),
    ).toBeNull();
  return interpreted.buffers;
}

function numbers(bytes: Uint8Array | undefined, kind: keyof typeof letters): number[] {
  const { buffer } = bytes?.slice() ?? new Uint8Array(0);
  return [
    ...(kind === "float"
      ? new Float32Array(buffer)
      : kind === "signed"
        ? new Int32Array(buffer)
        : new Uint32Array(buffer)),
  ];
}

/** How coordinates `c` (an int4 or float4) are written for an image type. */
const COORDINATES: Readonly<Record<ImageType, string>> = {
  "1d": "c.x",
  "1d_array": "c.xy",
  "1d_buffer": "c.x",
  "2d": "c.xy",
  "2d_array": "c",
  "3d": "c",
};

function bytesOf(list: Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer>): Uint8Array {
  return new Uint8Array(list.buffer);
}

/** How far two colours are from one another; NaN when one of them has a NaN. */
function distance(own: readonly number[], expected: readonly number[]): number {
  return Math.max(...expected.map((value, i) => Math.abs(value - (own[i] ?? Number.NaN))));
}

/**
 * True when a component is the float that is nearest to the exact one; the specification lets normalised types be 1.5
 * units in the last place away (8.3.1).
 */
function isNearest(own: number, exact: number, kind: keyof typeof letters): boolean {
  return Object.is(own + 0, (kind === "float" ? Math.fround(exact) : exact) + 0);
}

/** Bytes with all NaNs made alike: a NaN stays one, but which one is not specified. */
function withOneNaN({ type }: ImageFormat, bytes: Uint8Array): number[] {
  const copy = bytes.slice();
  const view = new DataView(copy.buffer);
  if (type === "FLOAT")
    for (let at = 0; at < copy.length; at += 4)
      if (Number.isNaN(view.getFloat32(at, true))) view.setUint32(at, 0x7fc0_0000, true);
  if (type === "HALF_FLOAT")
    for (let at = 0; at < copy.length; at += 2)
      if ((view.getUint16(at, true) & 0x7fff) > 0x7c00) view.setUint16(at, 0x7e00, true);
  return [...copy];
}

/** Every coordinate of an image. */
function places(image: Image): [number, number, number][] {
  const [width, height, depth] = imageExtent(image);
  const list: [number, number, number][] = [];
  for (let z = 0; z < depth; z++) for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) list.push([x, y, z]);
  return list;
}

describe.each(
  IMAGE_FORMATS.filter(({ order }) => order !== "DEPTH").map(
    (format) => [`${format.order} ${format.type}`, format] as const,
  ),
)("%s", (_, format) => {
  const kind = channelClass(format);
  const image = make("2d", format);
  const isCurved = format.order.startsWith("s");

  test("is read as the reference reads it, with and without a sampler, and the border beyond", () => {
    const source = `kernel void k(read_only image2d_t image, global int4 *at, global ${elements[kind]}4 *out, sampler_t s) {
      size_t i = get_global_id(0); int4 c = at[i];
      out[2 * i] = read_image${letters[kind]}(image, s, c.xy);
      out[2 * i + 1] = read_image${letters[kind]}(image, c.xy);
    }`;
    const inside = places(image);
    const at = [...inside, [-1, 0, 0], [2, 4, 0]] as [number, number, number][];
    const bytes = pixels(image);
    const buffers = run(
      source,
      [
        { contents: bytes, image },
        { contents: bytesOf(Int32Array.from(at.flatMap((c) => [...c, 0]))) },
        { contents: new Uint8Array(at.length * 32) },
        { sampler: samplerBits({ normalized: false, addressing: "clamp", filter: "nearest" }) },
      ],
      at.length,
    );
    const got = numbers(buffers[2], kind);
    at.forEach((place, i) => {
      const own = got.slice(i * 8, i * 8 + 4);
      const wanted = readPixel(image, bytes, place);
      const isRight = isCurved
        ? distance(own, wanted) <= 2e-6
        : own.every((value, component) => isNearest(value, wanted[component] ?? Number.NaN, kind));
      expect(isRight, `${place.join(" ")}: ${own.join(", ")}, not ${wanted.join(", ")}`).toBe(true);
    });
    inside.forEach((_place, i) => expect(got.slice(i * 8 + 4, i * 8 + 8)).toEqual(got.slice(i * 8, i * 8 + 4)));
    expect(got.slice(inside.length * 8, inside.length * 8 + 4)).toEqual([...borderColor(format)]);
  });

  test("is written as the reference writes it", () => {
    const source = `kernel void k(write_only image2d_t image, global ${elements[kind]}4 *in) {
      size_t i = get_global_id(0);
      write_image${letters[kind]}(image, (int2)(i % 5, i / 5), in[i]);
    }`;
    const count = 20;
    const extremes =
      kind === "float"
        ? [0, 1, -1, 0.5, -0.25, 2, -3, 1e9, -1e9, 0.001, Number.NaN]
        : [0, 1, -1, 127, 128, 255, 256, -129, 32_767, 65_536, 2_147_483_647];
    const given = Array.from({ length: count * 4 }, (__, i) =>
      i < extremes.length
        ? (extremes[i] ?? 0)
        : kind === "float"
          ? Math.fround(Math.sin(i) * 1.2)
          : Math.trunc(Math.sin(i) * 70_000),
    );
    const colors = kind === "float" ? Float32Array.from(given) : Int32Array.from(given);
    const [written = new Uint8Array(0)] = run(
      source,
      [{ contents: new Uint8Array(image.bytes), image }, { contents: bytesOf(colors) }],
      count,
    );
    const expected = new Uint8Array(image.bytes);
    const view = new DataView(expected.buffer);
    const shown = kind === "unsigned" ? new Uint32Array(colors.buffer) : colors;
    for (let i = 0; i < count; i++)
      packPixel(
        format,
        [shown[i * 4] ?? 0, shown[i * 4 + 1] ?? 0, shown[i * 4 + 2] ?? 0, shown[i * 4 + 3] ?? 0],
        view,
        i * image.pixelBytes,
      );
    expect(withOneNaN(format, written)).toEqual(withOneNaN(format, expected));
  });
});

const SAMPLED = ["1d", "1d_array", "2d", "2d_array", "3d"] as const;

describe.each(SAMPLED)("an image of type %s", (type) => {
  const samplers: Sampler[] = (["nearest", "linear"] as const).flatMap((filter) =>
    (["none", "clamp_to_edge", "clamp", "repeat", "mirrored_repeat"] as const).flatMap((addressing) =>
      [true, false]
        .filter((normalized) => normalized || !addressing.includes("repeat"))
        .map((normalized) => ({ normalized, addressing, filter })),
    ),
  );

  test.each(
    // Each type with half of the samplers, each sampler with half of the types.
    oneRowIn(2, samplers, SAMPLED.indexOf(type)).map(
      (sampler) =>
        [
          `${sampler.filter} ${sampler.addressing} ${sampler.normalized ? "normalised" : "in pixels"}`,
          sampler,
        ] as const,
    ),
  )("is sampled as the reference samples it: %s", (_, sampler) => {
    const image = make(type, RGBA8);
    const bytes = pixels(image);
    const source = `kernel void k(read_only image${type}_t image, global float4 *at, global float4 *out, sampler_t s) {
      size_t i = get_global_id(0);
      float4 c = at[i];
      out[i] = read_imagef(image, s, ${COORDINATES[type]});
    }`;
    const constant = source
      .replace("kernel void", `constant sampler_t fixed = ${samplerBits(sampler)};\nkernel void`)
      .replace("(image, s,", "(image, fixed,");
    // A program of its own for each sampler takes long to build: a sample is tested.
    const isFolded =
      type === "2d" &&
      (sampler.addressing === "clamp" || sampler.addressing === "mirrored_repeat") &&
      sampler.normalized === (sampler.filter === "linear" || sampler.addressing !== "clamp");
    const extent = imageExtent(image);
    const scale = (axis: number): number =>
      sampler.normalized && axis < (type === "3d" ? 3 : type.startsWith("2d") ? 2 : 1) ? 1 : (extent[axis] ?? 1);
    const coordinate = (axis: number): fc.Arbitrary<number> =>
      fc.oneof(
        fc.double({ min: -1.5, max: 2.5, noNaN: true }).map((x) => Math.fround(x * scale(axis))),
        fc.integer({ min: -16, max: 32 }).map((x) => Math.fround((x / 16) * scale(axis))),
        fc.constantFrom(0, -0, Math.fround(scale(axis)), Math.fround(1e9), Math.fround(-1e9), Math.fround(-1e-10)),
      );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(coordinate(0), coordinate(1), coordinate(2)), { minLength: 60, maxLength: 60 }),
        (at) => {
          const list: DifferentialArgument[] = [
            { contents: bytes, image },
            { contents: bytesOf(Float32Array.from(at.flatMap((c) => [...c, 0]))) },
            { contents: new Uint8Array(at.length * 16) },
            { sampler: samplerBits(sampler) },
          ];
          const got = numbers(run(source, list, at.length)[2], "float");
          expect(isFolded ? numbers(run(constant, list, at.length)[2], "float") : got).toEqual(got);
          at.forEach((place, i) => {
            const difference = distance(got.slice(i * 4, i * 4 + 4), samplePixel(image, bytes, sampler, place));
            expect(difference, place.join(" ")).toBeLessThanOrEqual(sampler.filter === "nearest" ? 2e-7 : 1e-5);
          });
        },
      ),
      { numRuns: 1, seed: 5 },
    );
  });

  test.each(["none", "clamp_to_edge", "clamp"] as const)(
    "is sampled at ints with %s, read as signed and unsigned ints, and written",
    (addressing) => {
      for (const kind of ["signed", "unsigned"] as const) {
        const image = make(type, { order: "RGBA", type: kind === "signed" ? "SIGNED_INT16" : "UNSIGNED_INT16" });
        const bytes = pixels(image);
        const sampler: Sampler = { normalized: false, addressing, filter: "nearest" };
        const source = `kernel void k(read_only image${type}_t image, write_only image${type}_t copy, global int4 *at,
            global ${elements[kind]}4 *out, sampler_t s) {
        size_t i = get_global_id(0);
        int4 c = at[i];
        ${elements[kind]}4 v = read_image${letters[kind]}(image, s, ${COORDINATES[type]});
        out[i] = v;
        write_image${letters[kind]}(copy, ${COORDINATES[type]}, v);
      }`;
        const at: [number, number, number][] = [
          ...places(image),
          [-2, 0, 0],
          [0, -1, 0],
          [0, 0, -1],
          [100, 1, 1],
          [1, 100, 1],
          [1, 1, 100],
        ];
        const list: DifferentialArgument[] = [
          { contents: bytes, image },
          { contents: new Uint8Array(image.bytes), image },
          { contents: bytesOf(Int32Array.from(at.flatMap((c) => [...c, 0]))) },
          { contents: new Uint8Array(at.length * 16) },
          { sampler: samplerBits(sampler) },
        ];
        const buffers = run(source, list, at.length);
        const got = numbers(buffers[3], kind);
        at.forEach((place, i) =>
          expect(got.slice(i * 4, i * 4 + 4), String(place)).toEqual([
            ...samplePixelAt(image, bytes, sampler, [
              place[0],
              type === "1d" ? 0 : place[1],
              type.endsWith("d") && type !== "3d" ? 0 : type === "1d_array" ? 0 : place[2],
            ]),
          ]),
        );
        // Every pixel was copied, and nothing beyond the edges was written anywhere.
        expect([...(buffers[1] ?? [])]).toEqual([...bytes]);
      }
    },
  );
});

test.each([
  ["UNORM_INT8", 255, 256],
  ["UNORM_INT16", 65_535, 4096],
] as const)(
  "an integer that is stored as %s comes back when the fraction is multiplied by its greatest, %i",
  (channelType, greatest, count) => {
    const made = createImage(
      {
        type: "1d",
        format: { order: "R", type: channelType },
        width: count,
        height: 1,
        depth: 1,
        layers: 1,
        rowPitch: 0,
        slicePitch: 0,
      },
      LIMITS,
    );
    if (!made.ok) throw new Error(made.error.message);
    const stored = Array.from({ length: count }, (_, i) => (greatest === 255 ? i : i * 16 + ((i * 7) & 15)));
    const contents = new Uint8Array((greatest === 255 ? Uint8Array.from(stored) : Uint16Array.from(stored)).buffer);
    const [, out] = run(
      `kernel void k(read_only image1d_t image, global float *out) {
        int i = get_global_id(0);
        out[i] = read_imagef(image, i).x * ${greatest}.0f;
      }`,
      [{ contents, image: made.value }, { contents: new Uint8Array(count * 4) }],
      count,
    );
    expect(numbers(out, "float")).toEqual(stored);
  },
);

test("a colour of one number is that number in every component", () => {
  const image = make("2d", RGBA8);
  const [out] = run(
    `kernel void k(write_only image2d_t image) {
      write_imagef(image, (int2)(get_global_id(0), 0), 0.2);
    }`,
    [{ contents: new Uint8Array(image.bytes), image }],
    2,
  );
  expect([...(out?.slice(0, 9) ?? [])]).toEqual([51, 51, 51, 51, 51, 51, 51, 51, 0]);
});

test("images over buffers, questions, constants, functions that take images and samplers", () => {
  const source = `
    constant sampler_t global_sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    const sampler_t other_sampler = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    float4 pick(read_only image2d_t image, sampler_t s, float2 c) { return read_imagef(image, s, c); }
    int area(image2d_t image) { int2 d = get_image_dim(image); return d.x * d.y; }
    kernel void k(global int *out, image1d_buffer_t b, image2d_t i, read_only image2d_array_t a,
        __read_only image3d_t t, image1d_array_t l) {
      const sampler_t own = CLK_ADDRESS_NONE | CLK_FILTER_NEAREST | CLK_NORMALIZED_COORDS_FALSE;
      out[0] = get_image_width(b); out[1] = get_image_width(i) * 100 + get_image_height(i); out[2] = area(i);
      out[3] = get_image_array_size(a) * 100 + get_image_width(a) * 10 + get_image_height(a);
      out[4] = get_image_depth(t) + get_image_dim(t).z * 10;
      out[5] = get_image_array_size(l);
      out[6] = (get_image_channel_order(i) == CLK_RGBA) * 10 + (get_image_channel_data_type(i) == CLK_UNORM_INT8);
      out[7] = read_imageui(b, 3).x; out[8] = convert_int_rte(pick(i, own, (float2)(1.5f, 1.5f)).x * 255.0f);
      out[9] = convert_int_rte(pick(i, global_sampler, (float2)(1.5f, 1.5f)).x * 255.0f);
      out[10] = convert_int_rte(pick(i, other_sampler, (float2)(0.3f, 0.3f)).x * 255.0f);
      out[11] = convert_int_rte(read_imagef(i, CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP, (int2)(1, 1)).x
          * 255.0f);
    }`;
  const over = make("1d_buffer", { order: "R", type: "UNSIGNED_INT8" });
  const flat = make("2d", RGBA8);
  const images = [over, flat, make("2d_array", RGBA8), make("3d", RGBA8), make("1d_array", RGBA8)];
  const [out] = run(
    source,
    [{ contents: new Uint8Array(48) }, ...images.map((image) => ({ contents: pixels(image), image }))],
    1,
  );
  const red = pixels(flat)[(1 * 5 + 1) * 4];
  expect(numbers(out, "signed")).toEqual([11, 504, 20, 354, 33, 3, 11, pixels(over)[3], red, red, red, red]);
});

test("an image that is read and written in one kernel, and depth images", () => {
  const image = make("2d", { order: "R", type: "FLOAT" });
  const depth = make("2d", { order: "DEPTH", type: "UNORM_INT16" });
  const bytes = pixels(image);
  const source = `kernel void k(read_write image2d_t image, image2d_depth_t depth, write_only image2d_depth_t copy,
      sampler_t s) {
    int2 c = (int2)(get_global_id(0) % 5, get_global_id(0) / 5); write_imagef(image, c, read_imagef(image, c) * 2.0f);
    write_imagef(copy, c, read_imagef(depth, s, c) * 0.5f + read_imagef(depth, c) * 0.5f); }`;
  const buffers = run(
    source,
    [
      { contents: bytes, image },
      { contents: pixels(depth), image: depth },
      { contents: new Uint8Array(depth.bytes), image: depth },
      { sampler: samplerBits({ normalized: false, addressing: "clamp", filter: "nearest" }) },
    ],
    20,
    "-cl-std=CL3.0",
  );
  expect(numbers(buffers[0], "float")).toEqual([...new Float32Array(bytes.slice().buffer)].map((x) => x * 2));
  expect([...(buffers[2] ?? [])]).toEqual([...pixels(depth)]);
});

test("every order and type has its word in the language", () => {
  const words = [...Object.entries(CHANNEL_ORDERS), ...Object.entries(CHANNEL_TYPES)];
  const source = `kernel void k(global int *out) { ${words.map(([name], i) => `out[${i}] = CLK_${name};`).join(" ")} }`;
  expect(numbers(run(source, [{ contents: new Uint8Array(words.length * 4) }], 1)[0], "signed")).toEqual(
    words.map(([, { code }]) => code),
  );
});

test("half reads and writes go through floats", () => {
  const image = make("2d", RGBA8);
  const bytes = pixels(image);
  const source = `#pragma OPENCL EXTENSION cl_khr_fp16 : enable
    kernel void k(read_only image2d_t from, write_only image2d_t to, global half4 *out, sampler_t s) {
      int2 c = (int2)(get_global_id(0) % 5, get_global_id(0) / 5);
      half4 v = read_imageh(from, s, c);
      out[get_global_id(0)] = v;
      write_imageh(to, c, v);
    }`;
  const buffers = run(
    source,
    [
      { contents: bytes, image },
      { contents: new Uint8Array(image.bytes), image },
      { contents: new Uint8Array(20 * 8) },
      { sampler: samplerBits({ normalized: false, addressing: "clamp", filter: "nearest" }) },
    ],
    20,
  );
  const halves = new Uint16Array(buffers[2]?.slice().buffer ?? new ArrayBuffer(0));
  places(image).forEach((place, i) => {
    expect(Array.from(halves.slice(i * 4, i * 4 + 4))).toEqual(readPixel(image, bytes, place).map(floatToHalf));
  });
  // Eleven bits of a half distinguish the 256 values of a byte.
  expect([...(buffers[1] ?? [])]).toEqual([...bytes]);
});

test("whatever a program does that the language does not define, nothing outside of the image is read or written", () => {
  const image = make("3d", { order: "RGBA", type: "FLOAT" });
  const wild = [Number.NaN, Infinity, -Infinity, 1e30, -1e30, 2 ** 31, -(2 ** 31), 1e-42, -0.5, 100.25];
  const at = wild.flatMap((x) =>
    wild.map((y) => [x, y, wild[(Math.abs(Math.trunc(x + y)) || 0) % wild.length] ?? 0, 0]),
  );
  const source = `kernel void k(read_only image3d_t from, write_only image3d_t to,
    global float4 *at, global float4 *out,
      sampler_t s) {
    size_t i = get_global_id(0);
    float4 c = at[i];
    out[i] = read_imagef(from, s, c) + read_imagef(from, convert_int4_sat(c));
    write_imagef(to, convert_int4_sat(c), c);
  }`;
  for (const addressing of ["none", "clamp_to_edge", "clamp", "repeat", "mirrored_repeat"] as const) {
    for (const filter of ["nearest", "linear"] as const) {
      for (const normalized of [false, true]) {
        const list: DifferentialArgument[] = [
          { contents: pixels(image), image },
          { contents: new Uint8Array(image.bytes), image },
          { contents: bytesOf(Float32Array.from(at.flat())) },
          { contents: new Uint8Array(at.length * 16) },
          { sampler: samplerBits({ normalized, addressing, filter }) },
        ];
        // The interpreter faults on every access outside of objects.
        expect(run(source, list, at.length)).toHaveLength(4);
      }
    }
  }
});

test("a choice between images and samplers", () => {
  const [first, second] = [make("2d", RGBA8), make("2d", { order: "R", type: "FLOAT" })];
  const source = `kernel void k(read_only image2d_t a, read_only image2d_t b, global float4 *out) {
    const sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    const sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    int i = get_global_id(0); out[i] = read_imagef(i & 1 ? b : a, i & 2 ? border : edge, (int2)(-1, 0)); }`;
  const [bytes, floats] = [pixels(first), pixels(second)];
  const buffers = run(
    source,
    [{ contents: bytes, image: first }, { contents: floats, image: second }, { contents: new Uint8Array(64) }],
    4,
  );
  const wanted = [
    ...readPixel(first, bytes, [0, 0, 0]),
    ...readPixel(second, floats, [0, 0, 0]),
    ...borderColor(first.format),
    ...borderColor(second.format),
  ];
  expect(distance(numbers(buffers[2], "float"), wanted)).toBeLessThanOrEqual(2e-7);
});

test("images across barriers, through functions that are not inlined, and in kernels that call kernels", () => {
  const image = make("2d", { order: "R", type: "UNSIGNED_INT8" });
  const bytes = pixels(image);
  const source = `
    __attribute__((noinline)) uint pick(read_only image2d_t from, sampler_t s, int2 c) {
      return read_imageui(from, s, c).x;
    }
    uint twice(read_only image2d_t from, int2 c) {
      return pick(from, CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST, c) * 2;
    }
    kernel void inner(read_only image2d_t from, write_only image2d_t to, int x) {
      write_imageui(to, (int2)(x, 3), (uint4)(twice(from, (int2)(x, 0))));
    }
    kernel void k(read_only image2d_t from, write_only image2d_t to, sampler_t s, global uint *out) {
      local uint row[5]; int x = get_local_id(0); uint sum = 0;
      for (int y = 0; y < 4; y++) {
        row[x] = pick(from, s, (int2)(x, y));
        barrier(CLK_LOCAL_MEM_FENCE);
        sum = sum * 3 + row[(x + y) % 5];
        barrier(CLK_LOCAL_MEM_FENCE);
        switch (get_image_channel_order(from)) { case CLK_R: sum += 1; break; default: sum = 0; }
      }
      out[x] = sum; inner(from, to, x);
    }`;
  const outcomes = runEveryWay({
    source,
    kernel: "k",
    global: [5],
    local: [5],
    arguments: [
      { contents: bytes, image },
      { contents: new Uint8Array(image.bytes), image },
      { sampler: samplerBits({ normalized: false, addressing: "clamp", filter: "nearest" }) },
      { contents: new Uint8Array(20) },
    ],
  });
  const expected = Array.from({ length: 5 }, (_, x) => {
    let sum = 0;
    for (let y = 0; y < 4; y++) sum = sum * 3 + (bytes[y * 5 + ((x + y) % 5)] ?? 0) + 1;
    return sum;
  });
  for (const { way, buffers } of outcomes) {
    expect(numbers(buffers[2], "unsigned"), way).toEqual(expected);
    expect([...(buffers[1] ?? [])].slice(15), way).toEqual(
      Array.from(bytes.slice(0, 5), (value) => Math.min(255, value * 2)),
    );
  }
});
