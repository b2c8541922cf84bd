// SPDX-License-Identifier: Apache-2.0
/**
 * Arithmetic that JavaScript's numbers lack: integers of 64 bits as two words, halves, sums that are fused with
 * products, and floats as integers by saturation. Results of 64 bits are written into an array of words, so that
 * nothing is allocated.
 */
import { floatToHalf, halfToFloat } from "@muxkit/cargo";
import { bigintToFloat32, fusedMultiplyAdd } from "@muxkit/ir";

const HALVES: Float32Array = Float32Array.from({ length: 65_536 }, (_, bits) => halfToFloat(bits));

/** The value of a half's bits. */
export function half(bits: number): number {
  return HALVES[bits & 0xffff] as number;
}

/** The bits of a number rounded to a half. */
export const halfBits: (value: number) => number = floatToHalf;

/** The high word of the product of two unsigned words. */
export function highProduct(a: number, b: number): number {
  const [al, ah, bl, bh] = [a & 0xffff, a >>> 16, b & 0xffff, b >>> 16];
  const low = al * bl;
  const middle = ah * bl + (low >>> 16);
  const other = al * bh + (middle % 65_536);
  return (ah * bh + Math.floor(middle / 65_536) + Math.floor(other / 65_536)) | 0;
}

/** The same of signed words. */
export function signedHighProduct(a: number, b: number): number {
  return (highProduct(a, b) - (a < 0 ? b : 0) - (b < 0 ? a : 0)) | 0;
}

/** The signed 64-bit integer of two words. */
export function signed64(low: number, high: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low >>> 0);
}

/** The unsigned one. */
export function unsigned64(low: number, high: number): bigint {
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}

/** Writes a 64-bit integer as two words. */
export function put64(words: Int32Array, at: number, value: bigint): void {
  words[at] = Number(BigInt.asIntN(32, value));
  words[at + 1] = Number(BigInt.asIntN(32, value >> 32n));
}

/** Writes an integer below 2^53 in size. */
export function putNumber(words: Int32Array, at: number, value: number): void {
  words[at] = value;
  words[at + 1] = Math.floor(value / 2 ** 32);
}

/** The high 64 bits of a product. */
export function putHighProduct(words: Int32Array, at: number, a: bigint, b: bigint): void {
  put64(words, at, (a * b) >> 64n);
}

/** A quotient or remainder of unsigned integers; machines give all ones where the divisor is 0. */
export function putUnsignedDivision(
  words: Int32Array,
  at: number,
  isRemainder: boolean,
  al: number,
  ah: number,
  bl: number,
  bh: number,
): void {
  if (bl === 0 && bh === 0) {
    words[at] = words[at + 1] = -1;
  } else if (ah === 0 && bh === 0) {
    words[at] = isRemainder ? (al >>> 0) % (bl >>> 0) : Math.floor((al >>> 0) / (bl >>> 0));
    words[at + 1] = 0;
  } else {
    const [a, b] = [unsigned64(al, ah), unsigned64(bl, bh)];
    put64(words, at, isRemainder ? a % b : a / b);
  }
}

/** The same of signed integers. */
export function putSignedDivision(
  words: Int32Array,
  at: number,
  isRemainder: boolean,
  al: number,
  ah: number,
  bl: number,
  bh: number,
): void {
  if (bl === 0 && bh === 0) {
    words[at] = words[at + 1] = -1;
    return;
  }
  const [a, b] = [signed64(al, ah), signed64(bl, bh)];
  put64(words, at, isRemainder ? a % b : a / b);
}

/** Shifts whose amounts are not below the width give 0, or the sign. */
export function putShiftLeft(words: Int32Array, at: number, low: number, high: number, amount: number): void {
  if (amount >= 64) words[at] = words[at + 1] = 0;
  else if (amount >= 32) {
    words[at + 1] = low << (amount - 32);
    words[at] = 0;
  } else if (amount === 0) {
    words[at] = low;
    words[at + 1] = high;
  } else {
    words[at + 1] = (high << amount) | (low >>> (32 - amount));
    words[at] = low << amount;
  }
}

/** To the right; `fill` is what comes in from above, 0 or -1. */
export function putShiftRight(
  words: Int32Array,
  at: number,
  low: number,
  high: number,
  amount: number,
  fill: number,
): void {
  if (amount >= 64) words[at] = words[at + 1] = fill;
  else if (amount >= 32) {
    const own = amount - 32;
    words[at] = own === 0 ? high : (high >>> own) | (fill << (32 - own));
    words[at + 1] = fill;
  } else if (amount === 0) {
    words[at] = low;
    words[at + 1] = high;
  } else {
    words[at] = (low >>> amount) | (high << (32 - amount));
    words[at + 1] = (high >>> amount) | (fill << (32 - amount));
  }
}

/** The bits of a word in reverse order. */
export function reversed(value: number): number {
  let bits = ((value >>> 1) & 0x55555555) | ((value & 0x55555555) << 1);
  bits = ((bits >>> 2) & 0x33333333) | ((bits & 0x33333333) << 2);
  bits = ((bits >>> 4) & 0x0f0f0f0f) | ((bits & 0x0f0f0f0f) << 4);
  bits = ((bits >>> 8) & 0x00ff00ff) | ((bits & 0x00ff00ff) << 8);
  return (bits >>> 16) | (bits << 16);
}

/** How many bits of a word are set. */
export function countOnes(value: number): number {
  const pairs = value - ((value >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** A field of a word, extended; `position` and `length` are taken modulo 256. */
export function bitField(value: number, position: number, length: number, isSigned: boolean): number {
  const [from, bits] = [position & 255, length & 255];
  if (bits === 0) return 0;
  const sign = isSigned ? value >> 31 : 0;
  const shifted = from >= 32 ? sign : isSigned ? value >> from : value >>> from;
  // A field that reaches beyond the word has its sign, or zeros, above.
  return bits >= 32 ? shifted : isSigned ? (shifted << (32 - bits)) >> (32 - bits) : shifted & (2 ** bits - 1);
}

/** A word with a field replaced. */
export function withField(field: number, value: number, position: number, length: number): number {
  const [from, bits] = [position & 255, length & 255];
  if (from >= 32 || bits === 0) return value;
  const mask = (bits >= 32 ? -1 : 2 ** bits - 1) << from;
  return (value & ~mask) | ((field << from) & mask);
}

/** Bytes of two words, chosen by the digits of a selector (PTX `prmt`, default mode). */
export function permutedBytes(a: number, b: number, selector: number): number {
  let result = 0;
  for (let i = 0; i < 4; i++) {
    const digit = (selector >>> (4 * i)) & 15;
    const byte = ((digit & 4) === 0 ? a : b) >>> (8 * (digit & 3));
    const own = (digit & 8) === 0 ? byte & 255 : (byte & 128) === 0 ? 0 : 255;
    result |= own << (8 * i);
  }
  return result;
}

/** Any function of three bits, by its truth table (PTX `lop3`). */
export function logic3(a: number, b: number, c: number, table: number): number {
  let result = 0;
  for (let i = 0; i < 8; i++)
    if ((table >>> i) & 1) result |= ((i & 4) === 0 ? ~a : a) & ((i & 2) === 0 ? ~b : b) & ((i & 1) === 0 ? ~c : c);
  return result;
}

/** `a * b + c` of binary32 numbers, rounded once; the store into an array of floats is the last rounding. */
export function fuse32(a: number, b: number, c: number): number {
  const product = a * b;
  const sum = product + c;
  const other = sum - product;
  const error = product - (sum - other) + (c - other);
  // The product is exact. A sum that is rounded twice is wrong only where it was rounded to the middle between two
  // numbers.
  if (error !== 0 && error - error === 0) {
    const near = Math.fround(sum);
    const far = 2 * sum - near;
    if (near !== sum && Math.fround(far) === far) return fusedMultiplyAdd(a, b, c, 32);
  }
  return sum;
}

/** `a * b + c` of binary64 numbers, rounded once. */
export function fuse64(a: number, b: number, c: number): number {
  return fusedMultiplyAdd(a, b, c, 64);
}

/** The same of halves. */
export function fuse16(a: number, b: number, c: number): number {
  return fusedMultiplyAdd(a, b, c, 16);
}

/** The lesser number; a NaN is no number. */
export function least(a: number, b: number): number {
  return a !== a ? b : b !== b ? a : Math.min(a, b);
}

/** The greater number. */
export function greatest(a: number, b: number): number {
  return a !== a ? b : b !== b ? a : Math.max(a, b);
}

/** Rounded to a whole number, ties to even. */
export function roundedEven(value: number): number {
  if (!(Math.abs(value) < 2 ** 52)) return value;
  const magnitude = Math.abs(value) + 2 ** 52 - 2 ** 52;
  return value < 0 || Object.is(value, -0) ? -magnitude : magnitude;
}

/** Subnormal numbers as zeros of their sign. */
export function flushed(value: number): number {
  if (Math.abs(value) >= 2 ** -126 || value !== value) return value;
  return value < 0 || Object.is(value, -0) ? -0 : 0;
}

/** Between 0 and 1; a NaN is 0. */
export function saturated(value: number): number {
  return value > 0 ? Math.min(value, 1) : 0;
}

/** A 64-bit integer as a number, rounded once to binary64. */
export function number64(low: number, high: number, isSigned: boolean): number {
  return (isSigned ? high : high >>> 0) * 2 ** 32 + (low >>> 0);
}

/** The same to binary32. */
export function single64(low: number, high: number, isSigned: boolean): number {
  const wide = number64(low, high, isSigned);
  if (Math.abs(wide) < 2 ** 53) return wide;
  return bigintToFloat32(isSigned ? signed64(low, high) : unsigned64(low, high));
}

/** A whole number within bounds; `nan` stands for a NaN. */
export function clamped(value: number, lowest: number, highest: number, nan: number): number {
  return value !== value ? nan : value < lowest ? lowest : value > highest ? highest : value;
}

/** A whole number as 64 bits, within their bounds. NaNs are 2^63. */
export function putSaturated(words: Int32Array, at: number, value: number, isSigned: boolean): void {
  if (value !== value) {
    words[at] = 0;
    words[at + 1] = -(2 ** 31);
  } else if (Math.abs(value) < 2 ** 53 && (isSigned || value >= 0)) putNumber(words, at, value);
  else {
    const [low, high] = isSigned ? [-(2n ** 63n), 2n ** 63n - 1n] : [0n, 2n ** 64n - 1n];
    const exact = value === Infinity ? high : value === -Infinity ? low : BigInt(value);
    put64(words, at, exact < low ? low : exact > high ? high : exact);
  }
}
