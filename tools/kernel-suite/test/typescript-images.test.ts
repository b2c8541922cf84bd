// SPDX-License-Identifier: Apache-2.0
// Images of kernels in TypeScript: debug JavaScript, the interpreter, scalar and vector code read and write the same
// pixels. What is filtered is compared in eighths, which have no error.
import type { ImageFormatName, ImageSampler } from "@muxkit/kernel-library";
import { describe, expect, test } from "vitest";

import { compare } from "./typescript-rig.ts";

const bytes = (count: number): Uint8Array => Uint8Array.from({ length: count }, (_, i) => (i * 37 + 11) % 251);
const eighths = (count: number): Float32Array => Float32Array.from({ length: count }, (_, i) => ((i * 5) % 64) / 8);

const COLORS: readonly (readonly [format: ImageFormatName, color: string, pixelBytes: number])[] = [
  ["r8g8b8a8_unorm", "float4", 4],
  ["b8g8r8a8_unorm", "float4", 4],
  ["r16g16b16a16_unorm", "float4", 8],
  ["r8_unorm", "float4", 1],
  ["r8g8b8a8_sint", "int4", 4],
  ["r16g16b16a16_sint", "int4", 8],
  ["r32g32b32a32_sint", "int4", 16],
  ["r8g8b8a8_uint", "uint4", 4],
  ["r16g16b16a16_uint", "uint4", 8],
  ["r32g32b32a32_uint", "uint4", 16],
];

test.each(COLORS)("%s is read and written as %s", (format, color, size) => {
  const { numbers, others } = compare({
    text: `type From = ImageAccessor<${color}, "read">;
type To = ImageAccessor<${color}, "write">;
export const k = kernel((item: Item<2>, from: From, to: To) => {
  const [y, x] = [item.getId(0), item.getId(1)];
  const at = int2(x, y);
  // One row and column are outside.
  to.write(at, from.read(int2(from.getRange(0) - 1 - x, y)).xwzy);
});`,
    kernel: "k",
    range: [5, 7],
    arguments: [
      { format, data: bytes(6 * 4 * size), range: [6, 4] },
      { format, data: new Uint8Array(6 * 4 * size), range: [6, 4] },
    ],
  });
  expect(others).toEqual([]);
  expect(numbers[1]?.some((number) => number !== "0")).toBe(true);
});

const SAMPLERS: readonly ImageSampler[] = [
  {},
  { addressing: "clamp" },
  { addressing: "clamp", filtering: "linear" },
  { addressing: "clamp_to_edge", filtering: "linear", coordinates: "normalized" },
  { addressing: "repeat", coordinates: "normalized" },
  { addressing: "mirrored_repeat", filtering: "linear", coordinates: "normalized" },
];

describe.each(SAMPLERS)("sampled with %o", (sampler) => {
  test.each([1, 2, 3] as const)("in %i dimensions", (dimensions) => {
    const range = [8, 4, 2].slice(0, dimensions);
    const place = dimensions === 1 ? "u" : dimensions === 2 ? "float2(u, v)" : "float3(u, v, 0.25)";
    const scale = sampler.coordinates === "normalized" ? "0.125" : "1.0";
    const count = range.reduce((product, size) => product * size, 4);
    const { others, numbers } = compare({
      text: `type Sampled = SampledImageAccessor<float4, ${dimensions}>;
const sampled = (image: Sampled, u: float, v: float): float4 => image.read(${place});
export const k = kernel((item: Item<2>, image: Sampled, out: Accessor<float4, "write">) => {
  const u = (float(item.getId(1)) - 2.25) * ${scale};
  const v = (float(item.getId(0)) - 1.75) * ${scale};
  out[item.getLinearId()] = sampled(image, u, v).add(float(image.getRange(${dimensions - 1})));
});`,
      kernel: "k",
      range: [8, 12],
      arguments: [
        { format: "r32g32b32a32_sfloat", data: eighths(count), range, sampler },
        new Float32Array(8 * 12 * 4),
      ],
    });
    expect(others).toEqual([]);
    expect(new Set(numbers[1]).size).toBeGreaterThan(4);
  });
});

test("halves, single channels and three dimensions", () => {
  const { others } = compare({
    text: `type To = ImageAccessor<float4, "write", 3>;
type Line = ImageAccessor<float4, "write", 1>;
export const k = kernel((item: Item<3>, from: ImageAccessor<float4, "read", 3>, to: To, line: Line) => {
  const at = int3(item.getId(2), item.getId(1), item.getId(0));
  const color = from.read(at).mul(0.5);
  to.write(at, color);
  line.write(item.getLinearId(), color.wzyx);
});`,
    kernel: "k",
    range: [2, 3, 4],
    arguments: [
      {
        format: "r16g16b16a16_sfloat",
        data: Uint16Array.from({ length: 96 }, (_, i) => 0x3c00 + i * 16),
        range: [4, 3, 2],
      },
      { format: "r16g16b16a16_sfloat", data: new Uint16Array(96), range: [4, 3, 2] },
      { format: "r32_sfloat", data: new Float32Array(24), range: [24] },
    ],
  });
  expect(others).toEqual([]);
});
