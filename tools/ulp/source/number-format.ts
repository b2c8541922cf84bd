// SPDX-License-Identifier: Apache-2.0
// Binary floating-point formats: bits to numbers and back, neighbours, and the unit in the last place.
import type { MathType } from "@muxkit/abacus";

/** A format. Numbers of it are JavaScript's, which hold all of them. */
export interface NumberFormat {
  readonly type: MathType;
  /** Bits of a number. */
  readonly bits: 16 | 32 | 64;
  /** Bits of the significand, the hidden one included. */
  readonly precision: number;
  /** Exponents of the least and the greatest normal number. */
  readonly least: number;
  readonly greatest: number;
}

/** The formats by OpenCL's names. */
export const FORMATS: Readonly<Record<MathType, NumberFormat>> = {
  half: { type: "half", bits: 16, precision: 11, least: -14, greatest: 15 },
  float: { type: "float", bits: 32, precision: 24, least: -126, greatest: 127 },
  double: { type: "double", bits: 64, precision: 53, least: -1022, greatest: 1023 },
};

/** Bits of numbers, in the array that a kernel takes. */
export type BitArray = Uint16Array | Uint32Array | BigUint64Array;

/** An array for `count` numbers of a format. */
export function bitArray({ bits }: NumberFormat, count: number): BitArray {
  if (bits === 64) return new BigUint64Array(count);
  return bits === 32 ? new Uint32Array(count) : new Uint16Array(count);
}

const scratch = new DataView(new ArrayBuffer(8));

/** The number that bits encode. */
export function numberOf({ bits }: NumberFormat, value: number | bigint): number {
  if (bits === 64) {
    scratch.setBigUint64(0, BigInt(value));
    return scratch.getFloat64(0);
  }
  const word = Number(value);
  if (bits === 32) {
    scratch.setUint32(0, word);
    return scratch.getFloat32(0);
  }
  const exponent = (word >> 10) & 31;
  const fraction = word & 1023;
  const sign = (word & 0x8000) === 0 ? 1 : -1;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (fraction + 1024) * 2 ** (exponent - 25));
}

/** The bits of a number, rounded to nearest even where the format does not have it. */
export function bitsOf({ bits, precision, least, greatest }: NumberFormat, value: number): bigint {
  if (bits === 64) {
    scratch.setFloat64(0, value);
    return scratch.getBigUint64(0);
  }
  if (bits === 32) {
    scratch.setFloat32(0, value);
    return BigInt(scratch.getUint32(0));
  }
  const sign = Object.is(value, -0) || value < 0 ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00n;
  if (magnitude >= 2 ** (greatest + 1) * (1 - 2 ** -(precision + 1))) return BigInt(sign | 0x7c00);
  const exponent = Math.max(exponentOf(magnitude), least);
  const steps = roundToEven(magnitude / 2 ** (exponent - precision + 1));
  return BigInt(sign | (((exponent - least) << (precision - 1)) + steps));
}

/** Bits as a text that names one input exactly. */
export function hexOf({ bits }: NumberFormat, value: number | bigint): string {
  return `0x${value.toString(16).padStart(bits / 4, "0")}`;
}

/** The exponent of a positive number: 2^e <= value < 2^(e + 1); -1074 for zero. */
export function exponentOf(value: number): number {
  scratch.setFloat64(0, value);
  const field = (scratch.getUint32(0) >>> 20) & 2047;
  if (field !== 0) return field - 1023;
  return value === 0 ? -1074 : exponentOf(value * 2 ** 60) - 60;
}

/** A whole number next to `value`; the even one of two. */
export function roundToEven(value: number): number {
  const down = Math.floor(value);
  const rest = value - down;
  if (rest !== 0.5) return rest < 0.5 ? down : down + 1;
  return down % 2 === 0 ? down : down + 1;
}

/**
 * The unit in the last place at |reference| (OpenCL C, section 7.4): the distance of the two numbers of the format
 * around it; at a power of two, which is one itself, that of the nearer neighbour. `isPower`: the reference is exactly
 * a power of two.
 */
export function unitAt({ precision, least, greatest }: NumberFormat, reference: number, isPower: boolean): number {
  const exponent = Number.isFinite(reference) ? exponentOf(Math.abs(reference)) - (isPower ? 1 : 0) : greatest;
  return 2 ** (Math.min(Math.max(exponent, least), greatest) - precision + 1);
}
