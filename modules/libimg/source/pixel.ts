// SPDX-License-Identifier: Apache-2.0
// Conversion of one pixel between four components and bytes (OpenCL 8.3), for the host and for tests. The library of
// built-ins does the same in kernels.
import { floatToHalf, halfToFloat } from "@muxkit/cargo";

import { CHANNEL_ORDERS, CHANNEL_TYPES, type ChannelType, type ImageFormat } from "./format.ts";

/** Red, green, blue, alpha. @public */
export type Color = readonly [number, number, number, number];

/** Greatest stored value of the normalised types: one. */
const ONE: Readonly<Partial<Record<ChannelType, number>>> = {
  SNORM_INT8: 127,
  SNORM_INT16: 32_767,
  UNORM_INT8: 255,
  UNORM_INT16: 65_535,
};
/** Least and greatest value of the others. */
const RANGES: Readonly<Partial<Record<ChannelType, readonly [number, number]>>> = {
  SNORM_INT8: [-128, 127],
  SNORM_INT16: [-32_768, 32_767],
  UNORM_INT8: [0, 255],
  UNORM_INT16: [0, 65_535],
  SIGNED_INT8: [-128, 127],
  SIGNED_INT16: [-32_768, 32_767],
  SIGNED_INT32: [-2_147_483_648, 2_147_483_647],
  UNSIGNED_INT8: [0, 255],
  UNSIGNED_INT16: [0, 65_535],
  UNSIGNED_INT32: [0, 4_294_967_295],
};

type Getter = "getInt8" | "getInt16" | "getInt32" | "getUint8" | "getUint16" | "getUint32" | "getFloat32";

const GETTERS: Readonly<Partial<Record<ChannelType, Getter>>> = {
  SNORM_INT8: "getInt8",
  SNORM_INT16: "getInt16",
  UNORM_INT8: "getUint8",
  UNORM_INT16: "getUint16",
  SIGNED_INT8: "getInt8",
  SIGNED_INT16: "getInt16",
  SIGNED_INT32: "getInt32",
  UNSIGNED_INT8: "getUint8",
  UNSIGNED_INT16: "getUint16",
  UNSIGNED_INT32: "getUint32",
  HALF_FLOAT: "getUint16",
  FLOAT: "getFloat32",
};

function isLinearized({ order }: ImageFormat): boolean {
  return order === "sRGBA" || order === "sBGRA";
}

/** sRGB to linear light. */
function linear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

/** Linear light to sRGB. */
function encoded(value: number): number {
  if (!(value > 0)) return 0;
  if (value >= 1) return 1;
  return value < 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
}

/** To the nearest integer, halves to the even one; NaN is 0. */
export function roundEven(value: number): number {
  if (Number.isNaN(value)) return 0;
  const below = Math.floor(value);
  const rest = value - below;
  if (rest !== 0.5) return rest < 0.5 ? below : below + 1;
  return below % 2 === 0 ? below : below + 1;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

/** Stored channels of a pixel as numbers, in memory order. */
function load(format: ImageFormat, view: DataView, offset: number): number[] {
  const { bytes, packed } = CHANNEL_TYPES[format.type];
  const { components } = CHANNEL_ORDERS[format.order];
  if (packed !== null) {
    const word = bytes === 2 ? view.getUint16(offset, true) : view.getUint32(offset, true);
    return packed.map(([shift, width]) => Math.fround(((word >>> shift) & (2 ** width - 1)) / (2 ** width - 1)));
  }
  const getter = GETTERS[format.type] ?? "getUint8";
  const one = ONE[format.type];
  return components.map((_, i) => {
    const stored = view[getter](offset + i * bytes, true);
    if (format.type === "HALF_FLOAT") return halfToFloat(stored);
    return one === undefined ? stored : Math.max(-1, Math.fround(stored / one));
  });
}

/** The components of a pixel; components that are not stored have defaults (6.12.14.6). @public */
export function unpackPixel(format: ImageFormat, view: DataView, offset: number): Color {
  const { components } = CHANNEL_ORDERS[format.order];
  const stored = load(format, view, offset);
  const [first = 0] = stored;
  if (format.order === "INTENSITY") return [first, first, first, first];
  if (format.order === "LUMINANCE") return [first, first, first, 1];
  const color: [number, number, number, number] = [0, 0, 0, 1];
  components.forEach((component, i) => {
    const value = stored[i] ?? 0;
    color[component] = component < 3 && isLinearized(format) ? Math.fround(linear(value)) : value;
  });
  return color;
}

function store(format: ImageFormat, view: DataView, offset: number, value: number): void {
  const { type } = format;
  const one = ONE[type];
  if (type === "FLOAT") view.setFloat32(offset, value, true);
  else if (type === "HALF_FLOAT") view.setUint16(offset, floatToHalf(value), true);
  else {
    const [least = 0, most = 0] = RANGES[type] ?? [];
    const number = clamp(roundEven(one === undefined ? value : Math.fround(Math.fround(value) * one)), least, most);
    if (CHANNEL_TYPES[type].bytes === 1) view.setUint8(offset, number & 255);
    else if (CHANNEL_TYPES[type].bytes === 2) view.setUint16(offset, number & 65_535, true);
    else view.setUint32(offset, number >>> 0, true);
  }
}

/**
 * Stores a colour as a pixel: floats are rounded to nearest even, values are clamped to the type's range (8.3.1).
 *
 * @public
 */
export function packPixel(format: ImageFormat, color: Color, view: DataView, offset: number): void {
  const { bytes, packed } = CHANNEL_TYPES[format.type];
  const { components } = CHANNEL_ORDERS[format.order];
  const values = components.map((component) =>
    component < 3 && isLinearized(format) ? encoded(color[component] ?? 0) : (color[component] ?? 0),
  );
  if (packed === null) {
    values.forEach((value, i) => store(format, view, offset + i * bytes, value));
    return;
  }
  let word = 0;
  packed.forEach(([shift, width], i) => {
    const most = 2 ** width - 1;
    word |= clamp(roundEven(Math.fround(Math.fround(values[i] ?? 0) * most)), 0, most) << shift;
  });
  if (bytes === 2) view.setUint16(offset, word, true);
  else view.setUint32(offset, word >>> 0, true);
}

/** The border colour: the value outside of an image with `CLK_ADDRESS_CLAMP` (6.12.14.2). @public */
export function borderColor(format: ImageFormat): Color {
  return [0, 0, 0, CHANNEL_ORDERS[format.order].isBorderOpaque ? 1 : 0];
}
