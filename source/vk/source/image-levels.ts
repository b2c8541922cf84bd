// SPDX-License-Identifier: Apache-2.0
// Where levels of images lie: below each other, with one row pitch, in each layer or slice. So a level of all layers is
// an image of the runtime by itself, with the pitches of the whole, and a view from any level on finds the next ones by
// the same rule (modules/builtins/source/opencl/sampling.cl).
//
//     layer 0   level 0   level 1   level 2   layer 1   level 0   …
//
// Memory is twice that of level 0 instead of 4/3 of it: levels have no pitches of their own.
import type { VkExtent3D } from "./generated/structures.ts";

/** The size of a side at a level. */
export const sideAt = (size: number, level: number): number => Math.max(1, Math.floor(size / 2 ** level));

/** The sizes of a level; layers are no depth. */
export const extentAt = ({ width, height, depth }: VkExtent3D, level: number): VkExtent3D => ({
  width: sideAt(width, level),
  height: sideAt(height, level),
  depth: sideAt(depth, level),
});

/** Rows above a level. */
export function rowsAbove(height: number, level: number): number {
  let rows = 0;
  for (let i = 0; i < level; i++) rows += sideAt(height, i);
  return rows;
}

/** The most levels that an image can have. */
export const mostLevels = ({ width, height, depth }: VkExtent3D): number =>
  Math.floor(Math.log2(Math.max(width, height, depth))) + 1;
