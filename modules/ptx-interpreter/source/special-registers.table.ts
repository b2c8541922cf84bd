// SPDX-License-Identifier: Apache-2.0
// Special registers (PTX ISA 7.8, chapter 10): how each is known from a work-item's place.
import type { Three } from "./launch.ts";

/** Where a work-item is. */
export interface Place {
  readonly lane: number;
  readonly warp: number;
  readonly localSize: Three;
  readonly groups: Three;
  readonly group: Three;
}

function localId(axis: 0 | 1 | 2): (place: Place) => number {
  return ({ lane, warp, localSize: [x, y] }) => {
    const item = warp * 32 + lane;
    return axis === 0 ? item % x : axis === 1 ? Math.floor(item / x) % y : Math.floor(item / (x * y));
  };
}

/** Values by name. */
export const SPECIAL_REGISTERS: ReadonlyMap<string, (place: Place) => number> = new Map([
  ["%laneid", ({ lane }: Place) => lane],
  ["%warpid", ({ warp }: Place) => warp],
  ["%nwarpid", () => 32],
  ["%lanemask_eq", ({ lane }: Place) => 1 << lane],
  ["%lanemask_lt", ({ lane }: Place) => (1 << lane) - 1],
  ["%lanemask_le", ({ lane }: Place) => (2 << lane) - 1],
  ["%lanemask_gt", ({ lane }: Place) => ~((2 << lane) - 1)],
  ["%lanemask_ge", ({ lane }: Place) => ~((1 << lane) - 1)],
  ...(["x", "y", "z"] as const).flatMap((name, i) => {
    const axis = i as 0 | 1 | 2;
    return [
      [`%tid.${name}`, localId(axis)],
      [`%ntid.${name}`, ({ localSize }: Place) => localSize[axis]],
      [`%ctaid.${name}`, ({ group }: Place) => group[axis]],
      [`%nctaid.${name}`, ({ groups }: Place) => groups[axis]],
    ] as const;
  }),
]);

/** Those that differ from group to group. */
export const GROUP_REGISTERS: ReadonlySet<string> = new Set(["%ctaid.x", "%ctaid.y", "%ctaid.z"]);
