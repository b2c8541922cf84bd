// SPDX-License-Identifier: Apache-2.0
// Inputs of tests: ranges of all shapes, and random numbers of a seed.

/** A range with a local size, which divides the global one. @public */
export interface SweepRange {
  /** Work-items in each dimension. */
  readonly global: readonly number[];
  /** Work-items of a group in each dimension. */
  readonly local: readonly number[];
}

/**
 * All pairs of these global and local sizes that OpenCL allows (a local size divides its global one and is not
 * greater), in as many dimensions as each has numbers: `rangeSweep([[1], [7], [64, 3]], [[1], [4], [8, 1]])`.
 *
 * @public
 */
export function rangeSweep(
  globals: readonly (readonly number[])[],
  locals: readonly (readonly number[])[],
): readonly SweepRange[] {
  return globals.flatMap((global) =>
    locals
      .filter(
        (local) => local.length === global.length && local.every((size, axis) => (global[axis] as number) % size === 0),
      )
      .map((local) => ({ global, local })),
  );
}

/** Random numbers of a seed: the same ones on every machine. @public */
export interface SeededNumbers {
  /** A number from 0 to before 1. */
  readonly next: () => number;
  /** Floats from `least` to before `greatest`. */
  readonly floats: (length: number, least?: number, greatest?: number) => Float32Array;
  /** Doubles from `least` to before `greatest`. */
  readonly doubles: (length: number, least?: number, greatest?: number) => Float64Array;
  /** Whole numbers from `least` to `greatest`. */
  readonly ints: (length: number, least?: number, greatest?: number) => Int32Array;
  /** Bytes. */
  readonly bytes: (length: number) => Uint8Array;
}

/** Numbers of a seed, by Marsaglia's xorshift with three shifts. @public */
export function seeded(seed: number): SeededNumbers {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
  return {
    next,
    floats: (length, least = 0, greatest = 1) =>
      Float32Array.from({ length }, () => least + next() * (greatest - least)),
    doubles: (length, least = 0, greatest = 1) =>
      Float64Array.from({ length }, () => least + next() * (greatest - least)),
    ints: (length, least = 0, greatest = 2 ** 31 - 1) =>
      Int32Array.from({ length }, () => least + Math.floor(next() * (greatest - least + 1))),
    bytes: (length) => Uint8Array.from({ length }, () => next() * 256),
  };
}
