// SPDX-License-Identifier: Apache-2.0
/**
 * A range of work-items as launches of the GPU. A range whose last groups are smaller is cut into parts of groups of
 * one size, at most two in each dimension; and grids of more than 65,535 groups in y or z into several.
 */
import type { HalRange } from "@muxkit/hal";
import { SIMT_LAUNCH_BYTES, SIMT_LAUNCH_FIELDS, type SimtLaunchField } from "@muxkit/kernel-abi";

/** A launch of groups of one size. */
export interface Part {
  readonly localSize: readonly [number, number, number];
  readonly firstGroup: readonly [number, number, number];
  readonly groups: readonly [number, number, number];
}

/** Groups of a grid in y and z. */
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

/** The launches of a range. */
export function partsOf({ globalSize, localSize, firstGroup, groupCount }: HalRange): readonly Part[] {
  const [x, y, z] = [0, 1, 2].map((axis) =>
    stretches(
      globalSize[axis] ?? 1,
      localSize[axis] ?? 1,
      firstGroup[axis] ?? 0,
      groupCount[axis] ?? 1,
      axis === 0 ? 2 ** 31 - 1 : MOST_GROUPS,
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

/** Writes what a launch says behind the packed arguments. */
export function writeLaunch(
  parameter: Uint8Array,
  at: number,
  range: HalRange,
  { firstGroup }: Part,
  printfArea: number,
): void {
  const view = new DataView(parameter.buffer, parameter.byteOffset + at, SIMT_LAUNCH_BYTES);
  const put = (field: SimtLaunchField, axis: number, value: number): void => {
    const { offset, bytes } = SIMT_LAUNCH_FIELDS[field];
    if (bytes === 8) view.setBigUint64(offset + 8 * axis, BigInt(value), true);
    else view.setUint32(offset + 4 * axis, value, true);
  };
  for (let axis = 0; axis < 3; axis++) {
    const [size, local] = [range.globalSize[axis] ?? 1, range.localSize[axis] ?? 1];
    put("globalOffset", axis, range.globalOffset[axis] ?? 0);
    put("globalSize", axis, size);
    put("firstGroup", axis, firstGroup[axis] ?? 0);
    put("groupCount", axis, range.countsPart ? (range.groupCount[axis] ?? 1) : Math.ceil(size / local));
    put("enqueuedLocalSize", axis, local);
  }
  put("printfArea", 0, printfArea);
  put("dimensions", 0, range.dimensions);
}
