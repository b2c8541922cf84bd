// SPDX-License-Identifier: Apache-2.0
// The local size of a launch whose caller does not specify one.

/**
 * Work-items of a group that a launch aims at: enough to make calls of a group cheap, few enough for all threads to
 * have some.
 */
const WANTED_ITEMS = 64;

function largestDivisor(size: number, limit: number): number {
  for (let divisor = Math.min(size, limit); divisor > 1; divisor--) if (size % divisor === 0) return divisor;
  return 1;
}

/**
 * The local size of a launch without one: divides the global size in every dimension, longest along x, where neighbours
 * are next to each other in memory. `limits` are the device's, by dimension; `hint` is taken when it fits.
 *
 * @public
 */
export function chooseLocalSize(
  globalSize: readonly number[],
  limits: readonly number[],
  hint: readonly number[] | null,
): readonly [number, number, number] {
  const sizes: [number, number, number] = [1, 1, 1];
  if (hint !== null && globalSize.every((size, axis) => size % (hint[axis] ?? 1) === 0))
    return [hint[0] ?? 1, hint[1] ?? 1, hint[2] ?? 1];
  let left = WANTED_ITEMS;
  for (const axis of [0, 1, 2] as const) {
    const size = globalSize[axis];
    if (size === undefined) break;
    sizes[axis] = largestDivisor(size, Math.min(left, limits[axis] ?? 1));
    left = Math.floor(left / sizes[axis]);
  }
  return sizes;
}
