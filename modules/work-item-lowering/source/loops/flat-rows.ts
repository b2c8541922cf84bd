// SPDX-License-Identifier: Apache-2.0
// Vector rows through as many work-groups as follow one another along x, for kernels that know their place in the
// NDRange only (docs/decisions/025-lanes-span-groups.md): the loop over groups is fused with the loop over the row, in
// chunks, so that cancellation is checked.
import { Op } from "@muxkit/ir";

import { writePoll } from "../passes/cancellation-checks.ts";
import { type EntryFrame, index } from "./entry-frame.ts";
import { type GroupRange, setGroup } from "./group-loop.ts";
import { type RowRunner, eachItem } from "./vector-rows.ts";

/** Most work-items of a row between two checks of the cancel word. */
const ROW_CHUNK = 65_536;

/** Runs the work-items of all groups of a range. */
export function eachFlatRow(
  frame: EntryFrame,
  { first, end, counts: [nx, ny], bases: [bx, by, bz] }: GroupRange,
  runner: RowRunner,
): void {
  const { builder, values, fn, kernel } = frame;
  const [head, inside, out] = [fn.addBlock("rows"), fn.addBlock("row"), fn.addBlock("rows.end")];
  const group = head.addParameter(values.type, "index");
  builder.branch(head, first);
  builder.block = head;
  builder.conditionalBranch(builder.compare(Op.ULT, group, end), inside, out);
  builder.block = inside;
  writePoll(builder, values.get("worker"), frame.module);
  const row = builder.same(Op.UDIV, group, nx);
  const column = builder.same(Op.UREM, group, nx);
  const local = values.get("enqueued", 0);
  const chunk = builder.same(Op.UMAX, index(frame, 1), builder.same(Op.UDIV, index(frame, ROW_CHUNK), local));
  const groups = builder.same(
    Op.UMIN,
    builder.same(Op.UMIN, builder.same(Op.SUB, nx, column), builder.same(Op.SUB, end, group)),
    chunk,
  );
  setGroup(frame, 0, builder.same(Op.ADD, bx, column));
  setGroup(frame, 1, builder.same(Op.ADD, by, builder.same(Op.UREM, row, ny)));
  setGroup(frame, 2, builder.same(Op.ADD, bz, builder.same(Op.UDIV, row, ny)));
  const start = builder.same(Op.MUL, values.get("group", 0), local);
  const items = builder.same(Op.MUL, groups, local);
  const isWhole = kernel.specialization?.uniformGroups === true;
  eachItem(
    frame,
    runner,
    isWhole ? items : builder.same(Op.UMIN, items, builder.same(Op.SUB, values.get("global", 0), start)),
  );
  builder.branch(head, builder.same(Op.ADD, group, groups));
  builder.block = out;
}
