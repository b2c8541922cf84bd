// SPDX-License-Identifier: Apache-2.0
// Which launches run the form of a kernel in which a thread does several work-items that follow each other in x
// (coarsen-threads of the compiler): large ones, whose places fit together.
import type { HalArgument, HalRange } from "@muxkit/hal";

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

/** Such a form of a kernel. */
export interface CoarseForm {
  readonly entry: Handle;
  /** Work-items of a thread. */
  readonly items: number;
  /** Threads of the largest group. */
  readonly mostItems: number;
  readonly limits: CoarseLaunches;
}

/** The launch of a range by such a form: its groups have fewer threads. Null: it is not for this range. */
export function coarsePart(
  { items, mostItems, limits }: CoarseForm,
  { globalOffset }: HalRange,
  parts: readonly Part[],
  args: readonly HalArgument[],
): Part | null {
  const [part] = parts;
  if (part === undefined || parts.length > 1) return null;
  const { groups, localSize } = part;
  const [x, y, z] = localSize;
  const threads = (x * y * z) / items;
  const isFit =
    x % items === 0 &&
    (globalOffset[0] ?? 0) % items === 0 &&
    threads <= mostItems &&
    threads >= limits.groupThreads &&
    threads * groups[0] * groups[1] * groups[2] >= limits.threads &&
    args.every((argument) => argument.kind !== "address" || argument.address % ALIGNMENT === 0);
  return isFit ? { ...part, localSize: [x / items, y, z] } : null;
}
