// SPDX-License-Identifier: Apache-2.0
// Image formats: the channels of a pixel, their storage, and the numbers of the API (OpenCL 5.3.1.1).

/** Order of the channels of a pixel, as the API names it. @public */
export type ChannelOrder =
  | "R"
  | "A"
  | "RG"
  | "RA"
  | "RGB"
  | "RGBA"
  | "BGRA"
  | "ARGB"
  | "INTENSITY"
  | "LUMINANCE"
  | "Rx"
  | "RGx"
  | "RGBx"
  | "DEPTH"
  | "sRGBA"
  | "sBGRA"
  | "ABGR";

/** How a channel is stored. @public */
export type ChannelType =
  | "SNORM_INT8"
  | "SNORM_INT16"
  | "UNORM_INT8"
  | "UNORM_INT16"
  | "UNORM_SHORT_565"
  | "UNORM_SHORT_555"
  | "UNORM_INT_101010"
  | "SIGNED_INT8"
  | "SIGNED_INT16"
  | "SIGNED_INT32"
  | "UNSIGNED_INT8"
  | "UNSIGNED_INT16"
  | "UNSIGNED_INT32"
  | "HALF_FLOAT"
  | "FLOAT"
  | "UNORM_INT_101010_2";

/** Type of a channel's value when it is read: a float, a signed or an unsigned integer. @public */
export type ChannelClass = "float" | "signed" | "unsigned";

/** A row of the table of orders. @public */
export interface ChannelOrderRow {
  /** Number in the API and in kernels (`CLK_R` …). */
  readonly code: number;
  /** For each stored channel in memory order, the component (0 red to 3 alpha) that it is. */
  readonly components: readonly number[];
  /** True when the border colour is opaque black, false when it is transparent black. */
  readonly isBorderOpaque: boolean;
}

/** A row of the table of channel types. @public */
export interface ChannelTypeRow {
  /** Number in the API and in kernels (`CLK_UNORM_INT8` …). */
  readonly code: number;
  /** Bytes of a channel; of the whole pixel where it is packed. */
  readonly bytes: number;
  /** Packed types: lowest bit and width of each stored channel; null: every channel has bytes of its own. */
  readonly packed: readonly (readonly [shift: number, width: number])[] | null;
  /** Type of the values that are read. */
  readonly class: ChannelClass;
}

function order(code: number, components: readonly number[], isBorderOpaque: boolean = false): ChannelOrderRow {
  return { code, components, isBorderOpaque };
}

/** The channel orders by name. @public */
export const CHANNEL_ORDERS: Readonly<Record<ChannelOrder, ChannelOrderRow>> = {
  R: order(0x10b0, [0], true),
  A: order(0x10b1, [3]),
  RG: order(0x10b2, [0, 1], true),
  RA: order(0x10b3, [0, 3]),
  RGB: order(0x10b4, [0, 1, 2], true),
  RGBA: order(0x10b5, [0, 1, 2, 3]),
  BGRA: order(0x10b6, [2, 1, 0, 3]),
  ARGB: order(0x10b7, [3, 0, 1, 2]),
  INTENSITY: order(0x10b8, [0]),
  LUMINANCE: order(0x10b9, [0], true),
  Rx: order(0x10ba, [0]),
  RGx: order(0x10bb, [0, 1]),
  RGBx: order(0x10bc, [0, 1, 2]),
  DEPTH: order(0x10bd, [0], true),
  sRGBA: order(0x10c1, [0, 1, 2, 3]),
  sBGRA: order(0x10c2, [2, 1, 0, 3]),
  ABGR: order(0x10c3, [3, 2, 1, 0]),
};

function channels(
  code: number,
  bytes: number,
  kind: ChannelClass,
  packed: ChannelTypeRow["packed"] = null,
): ChannelTypeRow {
  return { code, bytes, class: kind, packed };
}

/** The channel types by name. @public */
export const CHANNEL_TYPES: Readonly<Record<ChannelType, ChannelTypeRow>> = {
  SNORM_INT8: channels(0x10d0, 1, "float"),
  SNORM_INT16: channels(0x10d1, 2, "float"),
  UNORM_INT8: channels(0x10d2, 1, "float"),
  UNORM_INT16: channels(0x10d3, 2, "float"),
  UNORM_SHORT_565: channels(0x10d4, 2, "float", [
    [11, 5],
    [5, 6],
    [0, 5],
  ]),
  UNORM_SHORT_555: channels(0x10d5, 2, "float", [
    [10, 5],
    [5, 5],
    [0, 5],
  ]),
  UNORM_INT_101010: channels(0x10d6, 4, "float", [
    [20, 10],
    [10, 10],
    [0, 10],
  ]),
  SIGNED_INT8: channels(0x10d7, 1, "signed"),
  SIGNED_INT16: channels(0x10d8, 2, "signed"),
  SIGNED_INT32: channels(0x10d9, 4, "signed"),
  UNSIGNED_INT8: channels(0x10da, 1, "unsigned"),
  UNSIGNED_INT16: channels(0x10db, 2, "unsigned"),
  UNSIGNED_INT32: channels(0x10dc, 4, "unsigned"),
  HALF_FLOAT: channels(0x10dd, 2, "float"),
  FLOAT: channels(0x10de, 4, "float"),
  UNORM_INT_101010_2: channels(0x10e0, 4, "float", [
    [22, 10],
    [12, 10],
    [2, 10],
    [0, 2],
  ]),
};

/** A pixel: its channels and how they are stored. @public */
export interface ImageFormat {
  /** Which channels, in which order. */
  readonly order: ChannelOrder;
  /** How each is stored. */
  readonly type: ChannelType;
}

const ALL_TYPES = Object.keys(CHANNEL_TYPES) as ChannelType[];
const WHOLE = ALL_TYPES.filter((type) => CHANNEL_TYPES[type].packed === null);
const FLOATS: readonly ChannelType[] = [
  "SNORM_INT8",
  "SNORM_INT16",
  "UNORM_INT8",
  "UNORM_INT16",
  "HALF_FLOAT",
  "FLOAT",
];
const BYTES: readonly ChannelType[] = ["SNORM_INT8", "UNORM_INT8", "SIGNED_INT8", "UNSIGNED_INT8"];
const PACKED: readonly ChannelType[] = ["UNORM_SHORT_565", "UNORM_SHORT_555", "UNORM_INT_101010"];

/** Which types go with which order. */
const ALLOWED: Readonly<Record<ChannelOrder, readonly ChannelType[]>> = {
  R: WHOLE,
  Rx: WHOLE,
  A: WHOLE,
  RG: WHOLE,
  RGx: WHOLE,
  RA: WHOLE,
  RGBA: [...WHOLE, "UNORM_INT_101010_2"],
  RGB: PACKED,
  RGBx: PACKED,
  BGRA: BYTES,
  ARGB: BYTES,
  ABGR: BYTES,
  INTENSITY: FLOATS,
  LUMINANCE: FLOATS,
  DEPTH: ["UNORM_INT16", "FLOAT"],
  sRGBA: ["UNORM_INT8"],
  sBGRA: ["UNORM_INT8"],
};

/** Every format that images can have. @public */
export const IMAGE_FORMATS: readonly ImageFormat[] = (Object.keys(CHANNEL_ORDERS) as ChannelOrder[]).flatMap((name) =>
  ALLOWED[name].map((type): ImageFormat => ({ order: name, type })),
);

const BY_CODE = new Map<number, ImageFormat>(IMAGE_FORMATS.map((format) => [formatCode(format), format]));

/** One number for a format: the order in the low 16 bits, the type in the high ones, as mux has it. @public */
export function formatCode({ order: name, type }: ImageFormat): number {
  return ((CHANNEL_TYPES[type].code << 16) | CHANNEL_ORDERS[name].code) >>> 0;
}

/** The format of two numbers of the API; null: no image has it. @public */
export function findFormat(orderCode: number, typeCode: number): ImageFormat | null {
  return BY_CODE.get(((typeCode << 16) | orderCode) >>> 0) ?? null;
}

/** Bytes of a pixel. @public */
export function pixelBytes({ order: name, type }: ImageFormat): number {
  const row = CHANNEL_TYPES[type];
  return row.packed === null ? row.bytes * CHANNEL_ORDERS[name].components.length : row.bytes;
}

/** Type of a pixel's values when it is read. @public */
export function channelClass({ type }: ImageFormat): ChannelClass {
  return CHANNEL_TYPES[type].class;
}
