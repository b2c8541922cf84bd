// SPDX-License-Identifier: Apache-2.0
// Formats, layout, regions, single pixels, descriptors.
import { IMAGE_DESCRIPTOR_BYTES } from "@muxkit/kernel-abi";
import {
  CHANNEL_ORDERS,
  CHANNEL_TYPES,
  type Color,
  IMAGE_FORMATS,
  type Image,
  type ImageRequest,
  channelClass,
  checkRegion,
  colorFromBytes,
  copyPixels,
  createImage,
  fillPixels,
  findFormat,
  formatCode,
  hostPitches,
  imageExtent,
  imageView,
  imageStrides,
  packColor,
  packPixel,
  pixelBytes,
  readPixel,
  regionsOverlap,
  samplePixel,
  samplerBits,
  unpackPixel,
  writeImageDescriptor,
} from "@muxkit/libimg";
import * as fc from "fast-check";
import { expect, test } from "vitest";

const LIMITS = { width1d: 64, widthBuffer: 1000, size2d: 64, size3d: 16, layers: 8 };
const FLAT: ImageRequest = {
  type: "2d",
  format: { order: "RGBA", type: "UNORM_INT8" },
  width: 4,
  height: 3,
  depth: 1,
  layers: 1,
  rowPitch: 0,
  slicePitch: 0,
};

function make(request: Partial<ImageRequest>): Image {
  const made = createImage({ ...FLAT, ...request }, LIMITS);
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}

function refusal(request: Partial<ImageRequest>): string {
  const made = createImage({ ...FLAT, ...request }, LIMITS);
  return made.ok ? "accepted" : `${made.error.code}: ${made.error.message}`;
}

test("formats are found by their numbers, which are OpenCL's", () => {
  for (const format of IMAGE_FORMATS) {
    const code = formatCode(format);
    expect(findFormat(code & 0xffff, code >>> 16)).toEqual(format);
  }
  expect(formatCode({ order: "RGBA", type: "FLOAT" })).toBe(0x10de10b5);
  expect(findFormat(0x10b4, 0x10d2)).toBeNull();
  expect(
    new Set([...Object.values(CHANNEL_ORDERS), ...Object.values(CHANNEL_TYPES)].map(({ code }) => code)).size,
  ).toBe(Object.keys(CHANNEL_ORDERS).length + Object.keys(CHANNEL_TYPES).length);
  expect([
    pixelBytes({ order: "RGBA", type: "HALF_FLOAT" }),
    pixelBytes({ order: "RGB", type: "UNORM_SHORT_565" }),
    pixelBytes({ order: "RG", type: "SIGNED_INT32" }),
  ]).toEqual([8, 2, 8]);
});

test("layout is tight unless pitches are given", () => {
  expect(make({})).toMatchObject({ pixelBytes: 4, rowPitch: 16, slicePitch: 48, bytes: 48 });
  expect(make({ rowPitch: 32 })).toMatchObject({ slicePitch: 96, bytes: 96 });
  const layers = make({ type: "1d_array", height: 1, layers: 3, slicePitch: 32 });
  expect([layers.bytes, imageExtent(layers), imageStrides(layers)]).toEqual([96, [4, 3, 1], [32, 32]]);
  const solid = make({ type: "3d", depth: 2 });
  expect([solid.bytes, imageExtent(solid), imageStrides(solid)]).toEqual([96, [4, 3, 2], [16, 48]]);
  expect(imageExtent(make({ type: "2d_array", layers: 5 }))).toEqual([4, 3, 5]);
});

test("sizes and pitches that make no image", () => {
  expect(refusal({ width: 0 })).toBe("size: the width of a 2d image is 1 to 64, not 0");
  expect(refusal({ width: 1.5 })).toMatch(/^size: /u);
  expect(refusal({ height: 65 })).toMatch(/^size: the height/u);
  expect(refusal({ depth: 2 })).toBe("size: the depth of a 2d image is 1 to 1, not 2");
  expect(refusal({ layers: 2 })).toMatch(/^size: the number of layers/u);
  expect(refusal({ type: "1d_buffer", width: 1001, height: 1 })).toMatch(/1 to 1000/u);
  expect(refusal({ rowPitch: 12 })).toBe("pitch: a row pitch is a multiple of 4 bytes, at least 16, not 12");
  expect(refusal({ rowPitch: 18 })).toMatch(/^pitch: /u);
  expect(refusal({ slicePitch: 40 })).toMatch(/^pitch: a slice pitch/u);
  expect(
    createImage({ ...FLAT, type: "3d", width: 4096, height: 4096, depth: 4096 }, { ...LIMITS, size3d: 4096 }),
  ).toMatchObject({ ok: false, error: { code: "size" } });
});

test("regions and the pitches of plain memory", () => {
  const image = make({});
  expect(checkRegion(image, [1, 1, 0], [3, 2, 1]).ok).toBe(true);
  for (const [origin, region] of [
    [
      [2, 0, 0],
      [3, 1, 1],
    ],
    [
      [0, 0, 0],
      [0, 1, 1],
    ],
    [
      [0, 0, 1],
      [1, 1, 1],
    ],
    [
      [-1, 0, 0],
      [1, 1, 1],
    ],
    [
      [0, 0, 0],
      [1, 1, 2],
    ],
    [
      [0.5, 0, 0],
      [1, 1, 1],
    ],
  ] as const)
    expect(checkRegion(image, origin, region)).toMatchObject({ ok: false, error: { code: "region" } });
  expect(hostPitches(image, [2, 2, 1], 0, 0)).toMatchObject({ value: [8, 16] });
  expect(hostPitches(image, [2, 2, 1], 20, 0)).toMatchObject({ value: [20, 40] });
  expect(hostPitches(image, [2, 2, 1], 4, 0)).toMatchObject({ ok: false, error: { code: "pitch" } });
  expect(hostPitches(image, [2, 2, 1], 8, 12)).toMatchObject({ ok: false, error: { code: "pitch" } });
  const layers = make({ type: "1d_array", height: 1, layers: 3 });
  expect(hostPitches(layers, [2, 3, 1], 0, 12)).toMatchObject({ value: [12, 36] });
  expect(hostPitches(layers, [2, 3, 1], 16, 12)).toMatchObject({ ok: false, error: { code: "pitch" } });
  expect([regionsOverlap([0, 0, 0], [1, 1, 0], [2, 2, 1]), regionsOverlap([0, 0, 0], [2, 0, 0], [2, 2, 1])]).toEqual([
    true,
    false,
  ]);
});

test("copies move their region, within one image in either direction too", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 }),
      fc.integer({ min: 0, max: 2 }),
      fc.integer({ min: 0, max: 2 }),
      fc.integer({ min: 0, max: 2 }),
      (x0, y0, x1, y1) => {
        const image = make({ width: 5, height: 5 });
        const bytes = Uint8Array.from({ length: image.bytes }, (_, i) => i);
        const before = bytes.slice();
        copyPixels(imageView(image, bytes, 0, [x0, y0, 0]), imageView(image, bytes, 0, [x1, y1, 0]), 3 * 4, [3, 3, 1]);
        const wanted = before.slice();
        for (let y = 0; y < 3; y++)
          for (let i = 0; i < 12; i++) wanted[(y1 + y) * 20 + x1 * 4 + i] = before[(y0 + y) * 20 + x0 * 4 + i] ?? 0;
        expect([...bytes]).toEqual([...wanted]);
      },
    ),
  );
  const image = make({ width: 3, height: 2, type: "3d", depth: 2 });
  const bytes = new Uint8Array(image.bytes);
  fillPixels(Uint8Array.of(1, 2, 3, 4), imageView(image, bytes, 0, [1, 1, 0]), [2, 1, 2]);
  expect(bytes.filter((value) => value !== 0)).toHaveLength(16);
  expect(readPixel(image, bytes, [2, 1, 1])).toEqual([1, 2, 3, 4].map((value) => Math.fround(value / 255)));
});

test.each(IMAGE_FORMATS.map((format) => [`${format.order} ${format.type}`, format] as const))(
  "what a pixel of %s holds comes back as it went in",
  (_, format) => {
    const size = pixelBytes(format);
    const { components } = CHANNEL_ORDERS[format.order];
    fc.assert(
      fc.property(fc.uint8Array({ minLength: size, maxLength: size }), (bytes) => {
        const color = unpackPixel(format, new DataView(bytes.buffer, bytes.byteOffset), 0);
        // The bits of a NaN, and of the second stored form of -1, are not kept.
        fc.pre(!color.some(Number.isNaN));
        const again = packColor(format, color, size);
        expect(unpackPixel(format, new DataView(again.buffer), 0)).toEqual(color);
        // Intensity and luminance spread their one channel; of the others, what is not stored is black and opaque.
        const isSpread = format.order === "INTENSITY" || format.order === "LUMINANCE";
        const missing = [0, 1, 2, 3].filter((component) => !isSpread && !components.includes(component));
        expect(missing.map((component) => color[component])).toEqual(
          missing.map((component) => (component === 3 ? 1 : 0)),
        );
      }),
      { numRuns: 30 },
    );
  },
);

/** The number that a value becomes in a channel. */
function store(type: "UNORM_INT8" | "SNORM_INT8" | "SIGNED_INT16" | "UNSIGNED_INT8", value: number): number {
  const view = new DataView(new ArrayBuffer(4));
  packPixel({ order: "R", type }, [value, 0, 0, 0], view, 0);
  return type === "SNORM_INT8" ? view.getInt8(0) : type === "SIGNED_INT16" ? view.getInt16(0, true) : view.getUint8(0);
}

test("rounding to the nearest, ties to even, held in range", () => {
  expect([0.5, 1, 2, -1, Number.NaN, 1.5 / 255, 2.5 / 255].map((value) => store("UNORM_INT8", value))).toEqual([
    128, 255, 255, 0, 0, 2, 2,
  ]);
  expect([-1, -2, 0.5].map((value) => store("SNORM_INT8", value))).toEqual([-127, -128, 64]);
  expect([70_000, -70_000, -5].map((value) => store("SIGNED_INT16", value))).toEqual([32_767, -32_768, -5]);
  expect([300, -1].map((value) => store("UNSIGNED_INT8", value))).toEqual([255, 0]);
});

test("sRGB is read as linear light and stored back", () => {
  const format = { order: "sRGBA", type: "UNORM_INT8" } as const;
  const view = new DataView(Uint8Array.of(188, 0, 255, 128).buffer);
  const [red, green, blue, alpha] = unpackPixel(format, view, 0);
  expect(red).toBeCloseTo(0.5028, 3);
  expect([green, blue, alpha]).toEqual([0, 1, Math.fround(128 / 255)]);
});

function colorOf(type: "FLOAT" | "SIGNED_INT8" | "UNSIGNED_INT8", bytes: ArrayBufferView): Color {
  return colorFromBytes({ order: "RGBA", type }, new Uint8Array(bytes.buffer));
}

test("a fill's colour is read by the format's class", () => {
  expect(colorOf("FLOAT", Float32Array.of(1, 2, 3, 4))).toEqual([1, 2, 3, 4]);
  expect(colorOf("SIGNED_INT8", Int32Array.of(-1, 2, 3, 4))).toEqual([-1, 2, 3, 4]);
  expect(colorOf("UNSIGNED_INT8", Int32Array.of(-1, 2, 3, 4))).toEqual([4_294_967_295, 2, 3, 4]);
  expect(colorFromBytes({ order: "DEPTH", type: "FLOAT" }, new Uint8Array(Float32Array.of(0.5).buffer))).toEqual([
    0.5, 0, 0, 0,
  ]);
  expect(channelClass({ order: "R", type: "UNSIGNED_INT32" })).toBe("unsigned");
});

test("descriptors and sampler bits are those of the kernel ABI", () => {
  const view = new DataView(new ArrayBuffer(IMAGE_DESCRIPTOR_BYTES + 4));
  writeImageDescriptor(
    view,
    4,
    make({ type: "2d_array", layers: 7, format: { order: "BGRA", type: "UNORM_INT8" }, rowPitch: 32 }),
    0x12340,
  );
  expect(Array.from({ length: 13 }, (_, i) => view.getUint32(i * 4, true))).toEqual([
    0, 0x12340, 4, 3, 7, 32, 96, 0x10b6, 0x10d2, 4, 4, 0, 0,
  ]);
  writeImageDescriptor(view, 4, make({ type: "1d", width: 1, height: 1 }), 0x7_0001_2340);
  expect([view.getUint32(4, true), view.getUint32(44, true)]).toEqual([0x12340, 7]);
  expect(samplerBits({ normalized: true, addressing: "mirrored_repeat", filter: "linear" })).toBe(0x29);
  expect(samplerBits({ normalized: false, addressing: "none", filter: "nearest" })).toBe(0x10);
  const comparing = { normalized: true, addressing: "none", filter: "nearest", comparison: "less_or_equal" } as const;
  expect(samplerBits(comparing)).toBe(0x711);
});

test("a linear filter between two pixels, over the edge, and repeated", () => {
  const image = make({ type: "1d", width: 2, height: 1, format: { order: "R", type: "FLOAT" } });
  const bytes = new Uint8Array(Float32Array.of(10, 20).buffer);
  const red = (x: number, addressing: "clamp" | "clamp_to_edge" | "repeat", normalized: boolean): number =>
    samplePixel(image, bytes, { normalized, addressing, filter: "linear" }, [x, 0, 0])[0];
  expect([
    red(1, "clamp_to_edge", false),
    red(0.75, "clamp_to_edge", false),
    red(0, "clamp_to_edge", false),
    red(0, "clamp", false),
    red(0, "repeat", true),
  ]).toEqual([15, 12.5, 10, 5, 15]);
});
