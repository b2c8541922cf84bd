// SPDX-License-Identifier: Apache-2.0
// Bits of numbers: alignment, casts, halves, 64-bit integers, checked arithmetic.

/** The least multiple of `alignment` (a positive integer, any) that is not below `value`; exact up to 2^53. @public */
export function alignUp(value: number, alignment: number): number {
  const rest = value % alignment;
  return rest === 0 ? value : value - rest + (rest > 0 ? alignment : 0);
}

/** True for 1, 2, 4, 8, … up to 2^52. @public */
export function isPowerOfTwo(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0 && Number.isInteger(Math.log2(value));
}

const scratch = new DataView(new ArrayBuffer(8));

/** The bits of a number rounded to binary32, unsigned. @public */
export function float32Bits(value: number): number {
  scratch.setFloat32(0, value);
  return scratch.getUint32(0);
}

/** The binary32 with these bits. NaN payloads may not survive. @public */
export function float32FromBits(bits: number): number {
  scratch.setUint32(0, bits);
  return scratch.getFloat32(0);
}

/** The bits of a number as binary64. @public */
export function float64Bits(value: number): bigint {
  scratch.setFloat64(0, value);
  return scratch.getBigUint64(0);
}

/** The binary64 with these bits. @public */
export function float64FromBits(bits: bigint): number {
  scratch.setBigUint64(0, BigInt.asUintN(64, bits));
  return scratch.getFloat64(0);
}

/** 2^(10 - e) for the exponents -14 … 15 of normal halves: it brings a value into 1024 … 2048. */
const HALF_SCALES: readonly number[] = Array.from({ length: 30 }, (_, i) => 2 ** (24 - i));

/** A number rounded once to binary16, ties to even: its 16 bits. @public */
export function floatToHalf(value: number): number {
  if (Number.isNaN(value)) return 0x7e00;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  if (magnitude >= 65520) return sign | 0x7c00;
  if (magnitude < 2 ** -14) return sign | roundEven(magnitude * 2 ** 24);
  scratch.setFloat64(0, magnitude);
  const exponent = (scratch.getUint32(0) >>> 20) - 1023;
  // A fraction that rounds up to 2048 carries into the exponent, which is right.
  return sign | (((exponent + 14) << 10) + roundEven(magnitude * (HALF_SCALES[exponent + 14] as number)));
}

/** Below 2^51: adding 2^52 leaves no bit for a fraction, so the sum is rounded once, to nearest even. */
function roundEven(value: number): number {
  return value + 2 ** 52 - 2 ** 52;
}

/** The value of binary16 bits. @public */
export function halfToFloat(bits: number): number {
  const sign = (bits & 0x8000) === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** The unsigned halves of a 64-bit integer. @public */
export function split64(value: bigint): { readonly low: number; readonly high: number } {
  return { low: Number(BigInt.asUintN(32, value)), high: Number(BigInt.asUintN(32, value >> 32n)) };
}

/** The unsigned 64-bit integer of two unsigned halves. @public */
export function join64(low: number, high: number): bigint {
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}

/** The sum of two non-negative integers; null when it is no safe integer or an operand is none. @public */
export function checkedAdd(left: number, right: number): number | null {
  if (!isCount(left) || !isCount(right)) return null;
  const sum = left + right;
  return Number.isSafeInteger(sum) ? sum : null;
}

/** The product of two non-negative integers; null when it is no safe integer or an operand is none. @public */
export function checkedMultiply(left: number, right: number): number | null {
  if (!isCount(left) || !isCount(right)) return null;
  const product = left * right;
  return Number.isSafeInteger(product) ? product : null;
}

/** True for 0, 1, 2, … up to 2^53 - 1. @public */
export function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** FNV-1a over bytes, 32 bits, unsigned. @public */
export function fnv1a(bytes: Uint8Array, seed: number = 0x811c9dc5): number {
  let hash = seed;
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193);
  return hash >>> 0;
}

/**
 * FNV-1a over bytes, 64 bits. To skip bytes or to hash in parts, pass the hash of what came before as `seed`.
 *
 * @public
 */
export function fnv1a64(bytes: Uint8Array, seed: bigint = 0xcbf29ce484222325n): bigint {
  let low = Number(seed & 0xffffffffn);
  let high = Number(seed >> 32n);
  // The prime is 2^40 + 0x1b3; two 32-bit halves are many times faster than bigint.
  for (let i = 0; i < bytes.length; i++) {
    const mixed = (low ^ (bytes[i] as number)) >>> 0;
    const product = mixed * 0x1b3;
    low = product >>> 0;
    high = (Math.imul(high, 0x1b3) + (product - low) / 2 ** 32 + (mixed << 8)) >>> 0;
  }
  return join64(low, high);
}
