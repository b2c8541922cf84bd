// SPDX-License-Identifier: Apache-2.0
/**
 * A range of work-items as launches of the GPU. A range whose last groups are smaller is cut into parts of groups of
 * one size, at most two in each dimension; and grids of more than 65,535 groups in y or z into several.
 */
import type { HalRange } from "@muxkit/hal";
import { SIMT_LAUNCH_FIELDS } from "@muxkit/kernel-abi";

/** A launch of groups of one size. */
export interface Part {
  readonly localSize: readonly [number, number, number];
  readonly firstGroup: readonly [number, number, number];
  readonly groups: readonly [number, number, number];
  /** Work-items in x from one group to the next, where groups are not those of the range. */
  readonly stride?: number;
}

/** Groups of a grid in x, and in y and z. */
const MOST_GROUPS_X = 2 ** 31 - 1;
const MOST_GROUPS = 65_535;

interface Stretch {
  readonly first: number;
  readonly groups: number;
  readonly size: number;
}

/** Groups of one dimension as stretches of one size. */
function stretches(global: number, local: number, first: number, count: number, most: number): readonly Stretch[] {
  const whole = Math.floor(global / local);
  const list: Stretch[] = [];
  const end = Math.min(first + count, whole);
  for (let from = first; from < end; from += most)
    list.push({ first: from, groups: Math.min(most, end - from), size: local });
  if (first <= whole && whole < first + count && global % local !== 0)
    list.push({ first: whole, groups: 1, size: global % local });
  return list;
}

/** The one launch of a range of whole groups; null: it takes several. */
function wholePart({ globalSize, localSize, firstGroup, groupCount }: HalRange): Part | null {
  for (let axis = 0; axis < 3; axis++) {
    const [global, local] = [globalSize[axis] ?? 1, localSize[axis] as number];
    const count = groupCount[axis] as number;
    if (global % local !== 0 || ((firstGroup[axis] as number) + count) * local > global) return null;
    if (count > (axis === 0 ? MOST_GROUPS_X : MOST_GROUPS)) return null;
  }
  return { localSize, firstGroup, groups: groupCount };
}

/** The launches of a range. */
export function partsOf(range: HalRange): readonly Part[] {
  const whole = wholePart(range);
  return whole === null ? stretchedParts(range) : [whole];
}

function stretchedParts({ globalSize, localSize, firstGroup, groupCount }: HalRange): readonly Part[] {
  const [x, y, z] = [0, 1, 2].map((axis) =>
    stretches(
      globalSize[axis] ?? 1,
      localSize[axis] ?? 1,
      firstGroup[axis] ?? 0,
      groupCount[axis] ?? 1,
      axis === 0 ? MOST_GROUPS_X : MOST_GROUPS,
    ),
  ) as [readonly Stretch[], readonly Stretch[], readonly Stretch[]];
  return z.flatMap((c) =>
    y.flatMap((b) =>
      x.map((a): Part => ({
        localSize: [a.size, b.size, c.size],
        firstGroup: [a.first, b.first, c.first],
        groups: [a.groups, b.groups, c.groups],
      })),
    ),
  );
}

const FIELDS = SIMT_LAUNCH_FIELDS;

/** Writes a number of 64 bits. */
export function putWide(view: DataView, at: number, value: number): void {
  view.setUint32(at, value % 2 ** 32, true);
  view.setUint32(at + 4, Math.floor(value / 2 ** 32), true);
}

/** Writes what a launch says behind the packed arguments. */
export function writeLaunch(
  view: DataView,
  at: number,
  range: HalRange,
  { firstGroup, stride }: Part,
  printfArea: number,
): void {
  const { globalSize, globalOffset, localSize, groupCount, countsPart, dimensions } = range;
  for (let axis = 0; axis < 3; axis++) {
    const [size, local] = [globalSize[axis] ?? 1, localSize[axis] as number];
    const count = countsPart ? (groupCount[axis] as number) : Math.ceil(size / local);
    putWide(view, at + FIELDS.globalOffset.offset + 8 * axis, globalOffset[axis] ?? 0);
    putWide(view, at + FIELDS.globalSize.offset + 8 * axis, size);
    view.setUint32(at + FIELDS.firstGroup.offset + 4 * axis, firstGroup[axis] as number, true);
    view.setUint32(at + FIELDS.groupCount.offset + 4 * axis, count, true);
    const own = axis === 0 ? (stride ?? local) : local;
    view.setUint32(at + FIELDS.enqueuedLocalSize.offset + 4 * axis, own, true);
  }
  putWide(view, at + FIELDS.printfArea.offset, printfArea);
  view.setUint32(at + FIELDS.dimensions.offset, dimensions, true);
}
