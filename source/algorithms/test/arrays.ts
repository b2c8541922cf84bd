// SPDX-License-Identifier: Apache-2.0
// Random arrays for tests: lengths around the sizes of parts, numbers with repetitions and extremes.
import * as fc from "fast-check";
import type { TypedArray } from "muxkit";

/** Lengths: short ones, and ones beyond several parts. */
export const lengths: fc.Arbitrary<number> = fc.oneof(
  fc.integer({ min: 1, max: 70 }),
  fc.integer({ min: 4000, max: 40_000 }),
);

/** A generator of numbers by a seed (xorshift32). */
export function numbers(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

/** Floats of a range. */
export function floats(length: number, seed: number, least: number, greatest: number): Float32Array {
  const next = numbers(seed);
  return Float32Array.from({ length }, () => least + next() * (greatest - least));
}

/** Whole numbers of a range. */
export function ints(length: number, seed: number, least: number, greatest: number): Int32Array {
  const next = numbers(seed);
  return Int32Array.from({ length }, () => least + Math.floor(next() * (greatest - least + 1)));
}

/** The greatest difference of two arrays, in parts of the greatest element. */
export function error(actual: TypedArray, expected: ArrayLike<number>): number {
  let [difference, size] = [0, 1e-30];
  for (let i = 0; i < expected.length; i++) {
    difference = Math.max(difference, Math.abs(Number(actual[i]) - (expected[i] as number)));
    size = Math.max(size, Math.abs(expected[i] as number));
  }
  return difference / size;
}
