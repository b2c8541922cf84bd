// SPDX-License-Identifier: Apache-2.0
// Random arrays for tests: lengths around the sizes of parts, numbers with repetitions and extremes.
import * as fc from "fast-check";
import { type ArrayType, type Device, type TypedArray, openDeviceSync } from "muxkit";

import { seeded } from "@muxkit/vitest/kernels";

/** Lengths: short ones, and ones beyond several parts. */
export const lengths: fc.Arbitrary<number> = fc.oneof(
  fc.integer({ min: 1, max: 70 }),
  fc.integer({ min: 4000, max: 40_000 }),
);

/** The typed arrays of numbers. */
export const TYPES = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  BigInt64Array,
  BigUint64Array,
  Float32Array,
  Float64Array,
] as unknown as readonly ArrayType<TypedArray>[];

/** The processor, taken for a GPU: it runs what GPUs would. */
export function likeGpu(): Device {
  return Object.defineProperty(openDeviceSync(), "type", { value: "gpu" });
}

/** Floats of a range. */
export function floats(length: number, seed: number, least: number, greatest: number): Float32Array {
  return seeded(seed).floats(length, least, greatest);
}

/** Whole numbers of a range. */
export function ints(length: number, seed: number, least: number, greatest: number): Int32Array {
  return seeded(seed).ints(length, least, greatest);
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
