// SPDX-License-Identifier: Apache-2.0
// Binary16 by its definition: every value in a table, rounding by looking for the neighbours of an exact number. Slow,
// and nothing of it is shared with the compiler.

/** The values of the bits 0x0000 … 0x7bff in order, then 2^16, which rounding takes for infinity. */
const VALUES: readonly number[] = Array.from({ length: 0x7c01 }, (_, bits) => {
  const exponent = bits >> 10;
  const fraction = bits & 1023;
  return exponent === 0 ? fraction / 1024 / 16384 : (1 + fraction / 1024) * 2 ** (exponent - 15);
});

/** The line with which a program may compute with halves. */
export const ENABLE_HALF = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";

/** The quiet NaN that all arithmetic yields. */
export const NAN_HALF = 0x7e00;

/** The number that 16 bits represent. */
export function valueOf(bits: number): number {
  const magnitude = bits & 0x7fff;
  if (magnitude > 0x7c00) return Number.NaN;
  const value = magnitude === 0x7c00 ? Infinity : (VALUES[magnitude] as number);
  return (bits & 0x8000) === 0 ? value : -value;
}

/**
 * The bits of the half nearest to a positive number, ties to even. `compare` returns on which side of a number with at
 * most 12 significant bits the exact one is: negative, 0 or positive when it is less, equal or greater.
 */
export function nearest(compare: (candidate: number) => number): number {
  let low = 0;
  let high = 0x7c00;
  if (compare(VALUES[high] as number) >= 0) return high;
  // VALUES[low] <= exact < VALUES[high]
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (compare(VALUES[middle] as number) >= 0) low = middle;
    else high = middle;
  }
  const side = compare(((VALUES[low] as number) + (VALUES[high] as number)) / 2);
  if (side === 0) return (low & 1) === 0 ? low : high;
  return side > 0 ? high : low;
}

/** The bits of the half nearest to a binary64. */
export function rounded(value: number): number {
  if (Number.isNaN(value)) return NAN_HALF;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  return sign | nearest((candidate) => (magnitude > candidate ? 1 : magnitude < candidate ? -1 : 0));
}

/** The bits of a binary64 in a directed rounding: rtz, rtp or rtn. */
export function directed(value: number, mode: string): number {
  if (Number.isNaN(value)) return NAN_HALF;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  if (magnitude === Infinity) return sign | 0x7c00;
  const isUp = mode === (sign === 0 ? "rtp" : "rtn");
  const above = VALUES.findIndex((candidate) => candidate >= magnitude);
  // Infinity is represented in the table by a number beyond all halves.
  if (above < 0 || above === 0x7c00) return sign | (isUp ? 0x7c00 : 0x7bff);
  return sign | (VALUES[above] === magnitude || isUp ? above : above - 1);
}

/** a / b, rounded once: candidates are compared by their products with b, which are exact. */
export function quotient(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b) || b === 0 || !Number.isFinite(a) || !Number.isFinite(b))
    return rounded(a / b);
  const isNegative = a / b < 0 || Object.is(a / b, -0);
  return (isNegative ? 0x8000 : 0) | nearest((candidate) => Math.abs(a) - candidate * Math.abs(b));
}

/** The square root, rounded once: candidates are compared by their squares. */
export function root(a: number): number {
  if (Number.isNaN(a) || a < 0) return NAN_HALF;
  if (a === 0 || a === Infinity) return rounded(a);
  return nearest((candidate) => a - candidate * candidate);
}

/** A half as an integer times 2^-24. */
function scaled(value: number): bigint {
  return BigInt(value * 2 ** 24);
}

/** a * b + c, rounded once, on integers. */
export function fused(a: number, b: number, c: number): number {
  if (!Number.isFinite(a) || !Number.isFinite(b) || !Number.isFinite(c)) return rounded(a * b + c);
  const exact = scaled(a) * scaled(b) + (scaled(c) << 24n);
  // An exact zero has the sign that the sum of two zeros, or of opposites, has.
  if (exact === 0n) return rounded(a * b + c);
  const magnitude = exact < 0n ? -exact : exact;
  return (
    (exact < 0n ? 0x8000 : 0) |
    nearest((candidate) => {
      const other = BigInt(candidate * 2 ** 26) << 22n;
      return magnitude > other ? 1 : magnitude < other ? -1 : 0;
    })
  );
}

/** A sequence of pseudo-random numbers of 32 bits (xorshift). */
export function sequence(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}
