// SPDX-License-Identifier: Apache-2.0
/**
 * Groups of threads that are not the work-groups of a range, for kernels to which those make no difference: starting
 * a group costs the GPU the better part of a nanosecond, however few threads it has, so small ones are put together.
 *
 * And which launches run the form of a kernel in which a thread does several work-items that follow each other in x
 * (coarsen-threads of the compiler): large ones, whose places fit together.
 */
import type { HalArgument, HalRange } from "@muxkit/hal";
import { SIMT_ANY_GROUPS } from "@muxkit/kernel-abi";

import type { Handle } from "./driver.ts";
import type { Part } from "./launch.ts";

/** For which launches a thread does several work-items. @public */
export interface CoarseLaunches {
  /** Threads that a launch has at least then: fewer would leave multiprocessors without work. */
  readonly threads: number;
  /** Threads that a group has at least: a multiprocessor holds a limited number of groups. */
  readonly groupThreads: number;
}

/** Twice what the largest GPUs hold at once; of 2048 threads of a multiprocessor, those of one of its 32 groups. */
export const COARSE_LAUNCHES: CoarseLaunches = { threads: 2 ** 19, groupThreads: 64 };

/** Bytes of which pointers are multiples where a thread does several work-items. */
const ALIGNMENT = 16;
/** Threads up to which groups are put together: eight such groups fill a multiprocessor. */
const FULL_GROUP = 256;
/** Groups that are left at least: fewer are started in no time, and may not reach all multiprocessors. */
const LEAST_GROUPS = 4096;

/** True for a kernel that does not see its work-group. */
export function takesAnyGroups({ engineFeatures }: { readonly engineFeatures: readonly string[] }): boolean {
  return engineFeatures.includes(SIMT_ANY_GROUPS);
}

/** Code of a kernel, as far as its groups matter. */
export interface GroupedCode {
  readonly entry: Handle;
  /** Threads of the largest group. */
  readonly mostItems: number;
  readonly takesAnyGroups: boolean;
}

/** A form of a kernel in which a thread does several work-items. */
export interface CoarseForm extends GroupedCode {
  /** Work-items of a thread. */
  readonly items: number;
  readonly limits: CoarseLaunches;
}

function withGroupsOf(part: Part, count: number, threads: number): Part {
  const [x, y, z] = part.localSize;
  const [groups, ...others] = part.groups;
  const [first, ...rest] = part.firstGroup;
  return {
    localSize: [threads, y, z],
    groups: [groups / count, ...others],
    firstGroup: [first / count, ...rest],
    stride: (part.stride ?? x) * count,
  };
}

function canJoin({ groups, firstGroup }: Part, count: number): boolean {
  return groups[0] % count === 0 && firstGroup[0] % count === 0;
}

/** The part with groups that follow each other in x put together, up to a full one. */
function joined(part: Part, mostItems: number): Part {
  const [x, y, z] = part.localSize;
  const groups = part.groups[0] * part.groups[1] * part.groups[2];
  const most = Math.min(Math.min(FULL_GROUP, mostItems) / (x * y * z), groups / LEAST_GROUPS);
  let count = 1;
  while (2 * count <= most && canJoin(part, 2 * count)) count *= 2;
  return count === 1 ? part : withGroupsOf(part, count, x * count);
}

/** The launch of a range by a coarse form; null: it is not for this range. */
function coarsePart(
  { items, mostItems, limits, takesAnyGroups: isFree }: CoarseForm,
  { globalOffset }: HalRange,
  parts: readonly Part[],
  args: readonly HalArgument[],
): Part | null {
  const [part] = parts;
  if (part === undefined || parts.length > 1 || (globalOffset[0] ?? 0) % items !== 0) return null;
  const { groups, localSize } = part;
  const [x, y, z] = localSize;
  if ((x * y * z * groups[0] * groups[1] * groups[2]) / items < limits.threads) return null;
  if (args.some((argument) => argument.kind === "address" && argument.address % ALIGNMENT !== 0)) return null;
  if (isFree && canJoin(part, items) && x * y * z <= mostItems) return withGroupsOf(part, items, x);
  const threads = (x * y * z) / items;
  if (x % items !== 0 || threads < limits.groupThreads || threads > mostItems) return null;
  return { ...part, localSize: [x / items, y, z], stride: x };
}

/** How parts of a range are launched: their groups, and which code runs. */
export function grouped(
  plain: GroupedCode,
  coarse: CoarseForm | null,
  {
    range,
    parts,
    args,
  }: { readonly range: HalRange; readonly parts: readonly Part[]; readonly args: readonly HalArgument[] },
): { readonly entry: Handle; readonly parts: readonly Part[] } {
  const wide = coarse === null ? null : coarsePart(coarse, range, parts, args);
  const code = wide === null || coarse === null ? plain : coarse;
  const list = wide === null ? parts : [wide];
  return {
    entry: code.entry,
    parts: code.takesAnyGroups ? list.map((part) => joined(part, code.mostItems)) : list,
  };
}
