// SPDX-License-Identifier: Apache-2.0
// Regions of memory: bytes of a block of memory, or a box of an image's texels there; where two meet, and what a
// smaller one leaves of a larger one.
import type { Image } from "../image.ts";
import type { DeviceMemory } from "../memory.ts";

/** A box of texels: least corner and greatest corner, exclusive; layers are the last axis. */
export type TexelBox = readonly [least: readonly number[], most: readonly number[]];

/** Bytes of a block of memory. */
export interface ByteRange {
  readonly memory: DeviceMemory;
  /** First byte, and the byte behind the last. */
  readonly start: number;
  readonly end: number;
}

/** Bytes, or texels of an image in them. */
export interface Region extends ByteRange {
  /** Two boxes of an image that do not overlap do not meet, whatever their bytes. Null: all the bytes. */
  readonly part: { readonly image: Image; readonly box: TexelBox } | null;
}

const overlaps = (a: ByteRange, b: ByteRange): boolean => a.memory === b.memory && a.start < b.end && b.start < a.end;

/** True where two regions have bytes in common. */
export function meet(a: Region, b: Region): boolean {
  if (!overlaps(a, b)) return false;
  if (a.part === null || b.part === null || a.part.image !== b.part.image) return true;
  const [[leastA, mostA], [leastB, mostB]] = [a.part.box, b.part.box];
  return leastA.every((low, axis) => low < (mostB[axis] ?? 0) && (leastB[axis] ?? 0) < (mostA[axis] ?? 0));
}

/** True where one region has all bytes of another. */
export function covers(whole: Region, part: Region): boolean {
  if (whole.memory !== part.memory || whole.start > part.start || whole.end < part.end) return false;
  if (whole.part === null) return true;
  if (whole.part.image !== part.part?.image) return false;
  const [[least, most], [low, high]] = [whole.part.box, part.part.box];
  return least.every((own, axis) => own <= (low[axis] ?? 0) && (most[axis] ?? 0) >= (high[axis] ?? 0));
}

/** True where a box is all of its image. */
function isWhole({ image, box: [least, most] }: NonNullable<Region["part"]>): boolean {
  const { extent, arrayLayers } = image.info;
  const size = [extent.width, extent.height, extent.depth, arrayLayers];
  return least.every((low, axis) => low === 0 && most[axis] === size[axis]);
}

/** What is inside of a region, null where nothing is, and the rest in pieces. */
export interface Carved<T extends Region> {
  readonly inside: T | null;
  readonly outside: readonly T[];
}

const WITHOUT_ANY = { inside: null } as const;

/**
 * Cuts what is in a region out of another. Texels of one image are cut axis by axis, bytes at both ends. Of a box that
 * is not its whole image nobody knows the bytes, so nothing else is inside of it.
 */
export function carve<T extends Region>(one: T, by: Region): Carved<T> {
  if (!meet(one, by)) return { ...WITHOUT_ANY, outside: [one] };
  if (covers(by, one)) return { inside: one, outside: [] };
  if (one.part !== null && by.part?.image === one.part.image) return carveBox(one, one.part, by.part.box);
  if (by.part !== null && !isWhole(by.part)) return { ...WITHOUT_ANY, outside: [one] };
  const [start, end] = [Math.max(one.start, by.start), Math.min(one.end, by.end)];
  const outside: T[] = [];
  if (one.start < start) outside.push({ ...one, end: start });
  if (end < one.end) outside.push({ ...one, start: end });
  return { inside: { ...one, start, end }, outside };
}

function carveBox<T extends Region>(one: T, part: NonNullable<Region["part"]>, [from, to]: TexelBox): Carved<T> {
  const outside: T[] = [];
  const [least, most] = [[...part.box[0]], [...part.box[1]]];
  const piece = (low: readonly number[], high: readonly number[]): T => ({
    ...one,
    part: { image: part.image, box: [[...low], [...high]] },
  });
  for (let axis = 0; axis < least.length; axis++) {
    const [low, high] = [Math.max(least[axis] ?? 0, from[axis] ?? 0), Math.min(most[axis] ?? 0, to[axis] ?? 0)];
    if ((least[axis] ?? 0) < low) outside.push(piece(least, most.with(axis, low)));
    if (high < (most[axis] ?? 0)) outside.push(piece(least.with(axis, high), most));
    [least[axis], most[axis]] = [low, high];
  }
  return { inside: piece(least, most), outside };
}
