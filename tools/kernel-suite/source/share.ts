// SPDX-License-Identifier: Apache-2.0
// What `npm test` runs of the suite: a share, which texts and positions decide, so that every run takes the same one.
// vitest.config.ts asks for it (KERNEL_SUITE=slice); the step of `.ci/run` with 64-bit pointers runs all of it
// (KERNEL_SUITE=whole), and so does everything that asks for nothing, as `npm run differential`.

/** True where a share runs. */
export const IS_SLICE: boolean = process.env["KERNEL_SUITE"] === "slice";

/** A number that every letter of a text changes. */
export function hashOf(text: string): number {
  let hash = 0;
  for (const letter of text) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0;
  return hash;
}

/** True where all runs, and for one text in `count` where a share does. */
export function isOneIn(count: number, text: string): boolean {
  return !IS_SLICE || hashOf(text) % count === 0;
}

/** All rows, or one in `count` of them where a share runs, the first being that at `from`. */
export function oneRowIn<T>(count: number, rows: readonly T[], from = 0): readonly T[] {
  return IS_SLICE ? rows.filter((_, at) => at % count === from % count) : rows;
}
