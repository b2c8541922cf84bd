// SPDX-License-Identifier: Apache-2.0
// The loop over the work-groups of a call: from linear number to ids, and what follows from them.
import { Op, type Value } from "@muxkit/ir";

import { writePoll } from "../passes/cancellation-checks.ts";
import { countedLoop } from "./counted-loop.ts";
import type { EntryFrame } from "./entry-frame.ts";

/** The work-groups of a call: linear numbers in a box of groups, x fastest. All values have the index type. */
export interface GroupRange {
  readonly first: Value;
  readonly end: Value;
  /** Groups of the box along x and y. */
  readonly counts: readonly [Value, Value];
  /** Ids of the box's first group. */
  readonly bases: readonly [Value, Value, Value];
}

/** Sets group id, first global id and actual size of one axis. */
export function setGroup({ builder, values, kernel }: EntryFrame, axis: number, id: Value): void {
  const known = kernel.specialization;
  const enqueued = values.get("enqueued", axis);
  const start = builder.same(Op.MUL, id, enqueued);
  values.set("group", axis, id);
  values.set("base", axis, builder.same(Op.ADD, start, values.get("offset", axis)));
  values.set(
    "size",
    axis,
    known?.uniformGroups === true
      ? enqueued
      : builder.same(Op.UMIN, enqueued, builder.same(Op.SUB, values.get("global", axis), start)),
  );
}

/** Runs code for each group of a range; the cancel word is checked before. */
export function eachGroup(
  frame: EntryFrame,
  { first, end, counts: [nx, ny], bases: [bx, by, bz] }: GroupRange,
  run: () => void,
): void {
  const { builder, values, module } = frame;
  countedLoop(builder, first, end, (group) => {
    writePoll(builder, values.get("worker"), module);
    const row = builder.same(Op.UDIV, group, nx);
    setGroup(frame, 0, builder.same(Op.ADD, bx, builder.same(Op.UREM, group, nx)));
    setGroup(frame, 1, builder.same(Op.ADD, by, builder.same(Op.UREM, row, ny)));
    setGroup(frame, 2, builder.same(Op.ADD, bz, builder.same(Op.UDIV, row, ny)));
    run();
  });
}
