// SPDX-License-Identifier: Apache-2.0
// Byte order, and bit casts between number formats.

/** True on little-endian machines. @public */
export const isLittleEndian: boolean = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** 16 bits with their bytes reversed, unsigned. @public */
export function byteSwap16(value: number): number {
  return ((value & 0xff) << 8) | ((value >>> 8) & 0xff);
}

/** 32 bits with their bytes reversed, unsigned. @public */
export function byteSwap32(value: number): number {
  return ((byteSwap16(value) << 16) | byteSwap16(value >>> 16)) >>> 0;
}

/** 64 bits with their bytes reversed, unsigned. @public */
export function byteSwap64(value: bigint): bigint {
  scratch.setBigUint64(0, BigInt.asUintN(64, value), true);
  return scratch.getBigUint64(0);
}

const scratch = new DataView(new ArrayBuffer(8));

interface NumberFormat {
  readonly bits: 8 | 16 | 32 | 64;
  readonly put: (value: never) => void;
  readonly take: () => number | bigint;
}

function format<T extends number | bigint>(
  bits: NumberFormat["bits"],
  put: (value: T) => void,
  take: () => T,
): { readonly bits: NumberFormat["bits"]; readonly put: (value: T) => void; readonly take: () => T } {
  return { bits, put, take };
}

const FORMATS = {
  i8: format<number>(
    8,
    (v) => scratch.setInt8(0, v),
    () => scratch.getInt8(0),
  ),
  u8: format<number>(
    8,
    (v) => scratch.setUint8(0, v),
    () => scratch.getUint8(0),
  ),
  i16: format<number>(
    16,
    (v) => scratch.setInt16(0, v),
    () => scratch.getInt16(0),
  ),
  u16: format<number>(
    16,
    (v) => scratch.setUint16(0, v),
    () => scratch.getUint16(0),
  ),
  i32: format<number>(
    32,
    (v) => scratch.setInt32(0, v),
    () => scratch.getInt32(0),
  ),
  u32: format<number>(
    32,
    (v) => scratch.setUint32(0, v),
    () => scratch.getUint32(0),
  ),
  i64: format<bigint>(
    64,
    (v) => scratch.setBigInt64(0, v),
    () => scratch.getBigInt64(0),
  ),
  u64: format<bigint>(
    64,
    (v) => scratch.setBigUint64(0, v),
    () => scratch.getBigUint64(0),
  ),
  f32: format<number>(
    32,
    (v) => scratch.setFloat32(0, v),
    () => scratch.getFloat32(0),
  ),
  f64: format<number>(
    64,
    (v) => scratch.setFloat64(0, v),
    () => scratch.getFloat64(0),
  ),
} satisfies Readonly<Record<string, NumberFormat>>;

/** Formats of numbers of 32 bits. @public */
export type NumberFormat32 = "i32" | "u32" | "f32";
/** Formats of numbers of 64 bits that are bigint. @public */
export type IntegerFormat64 = "i64" | "u64";

/** Reinterprets the bits of a number in another format of the same size. NaN payloads may be lost. @public */
export function bitCast(value: number, from: "i8" | "u8", to: "i8" | "u8"): number;
/** For 16 bits. @public */
export function bitCast(value: number, from: "i16" | "u16", to: "i16" | "u16"): number;
/** For 32 bits. @public */
export function bitCast(value: number, from: NumberFormat32, to: NumberFormat32): number;
/** From a binary64 to 64 bits. @public */
export function bitCast(value: number, from: "f64", to: IntegerFormat64): bigint;
/** From 64 bits to a binary64. @public */
export function bitCast(value: bigint, from: IntegerFormat64, to: "f64"): number;
/** Between signed and unsigned 64 bits. @public */
export function bitCast(value: bigint, from: IntegerFormat64, to: IntegerFormat64): bigint;
export function bitCast(value: number | bigint, from: keyof typeof FORMATS, to: keyof typeof FORMATS): number | bigint {
  // The overloads have matched value and format.
  FORMATS[from].put(value as never);
  return FORMATS[to].take();
}
