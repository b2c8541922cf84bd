// SPDX-License-Identifier: Apache-2.0
// The loops over the sub-groups of a work-group that are vectors, along the linear local id. Sub-groups lie along rows
// of x, or continue across the ends of rows, or either, as the launch has it; the last one may be partial and runs
// under a mask.
import { type Builder, Op, type Value, constantVector, vectorType } from "@muxkit/ir";

import { hasPartialSubGroups } from "../vector/sub-groups.ts";
import type { SubGroupPlan } from "../vector/vector-plan.ts";
import { type WorkItemValues, groupItems, linearId } from "../work-item-values.ts";
import { countedLoop } from "./counted-loop.ts";
import type { EntryFrame } from "./entry-frame.ts";

/** Lanes of a sub-group that are work-items of the group. */
function membersFrom({ builder, values }: EntryFrame, first: Value, items: Value, width: number): Value {
  const type = vectorType(values.type, width);
  const lanes = constantVector(
    type,
    Array.from({ length: width }, (_, lane) => values.constant(lane)),
  );
  return builder.compare(Op.ULT, lanes, builder.splat(builder.same(Op.SUB, items, first), width));
}

/**
 * Runs code for each sub-group of a work-group, with the work-item values of its work-items. `run` gets the mask of
 * those that there are; null: all.
 */
export function eachSubGroup(frame: EntryFrame, plan: SubGroupPlan, run: (members: Value | null) => void): void {
  const { builder, values, kernel } = frame;
  const { placement, width } = plan;
  const { owner } = builder.block;
  const isRagged = hasPartialSubGroups(kernel.specialization, width);
  const zero = values.constant(0);
  const items = groupItems(builder, values, "size");
  const main = builder.same(Op.AND, items, values.constant(-width));
  if (placement === "across") {
    countedLoop(
      builder,
      zero,
      isRagged ? main : items,
      (first) => {
        setAcross(frame, width, first);
        run(null);
      },
      false,
      width,
    );
    if (isRagged)
      part(builder, main, items, () => {
        setAcross(frame, width, main);
        run(membersFrom(frame, main, items, width));
      });
    return;
  }
  if (placement === "rows") {
    rows(frame, width, run);
    if (isRagged)
      part(builder, main, items, () => {
        setIds(values, [main, zero, zero], main);
        run(membersFrom(frame, main, items, width));
      });
    return;
  }
  const isOneRow = builder.compare(
    Op.EQ,
    builder.same(Op.MUL, values.get("size", 1), values.get("size", 2)),
    values.constant(1),
  );
  const isWhole = builder.compare(Op.EQ, builder.same(Op.AND, values.get("size", 0), values.constant(width - 1)), zero);
  const inRows = builder.same(Op.OR, isOneRow, isWhole);
  const [along, rest] = [owner.addBlock("rows"), owner.addBlock("rest")];
  builder.conditionalBranch(inRows, along, rest);
  builder.block = along;
  rows(frame, width, run);
  builder.branch(rest);
  builder.block = rest;
  countedLoop(
    builder,
    builder.select(inRows, main, zero),
    items,
    (first) => {
      setAcross(frame, width, first);
      run(membersFrom(frame, first, items, width));
    },
    false,
    width,
  );
}

/** Code that is run where `from` is below `end`. */
function part(builder: Builder, from: Value, end: Value, write: () => void): void {
  const { owner } = builder.block;
  const [some, out] = [owner.addBlock("rest"), owner.addBlock("rest.end")];
  builder.conditionalBranch(builder.compare(Op.ULT, from, end), some, out);
  builder.block = some;
  write();
  builder.branch(out);
  builder.block = out;
}

function setIds(values: WorkItemValues, local: readonly Value[], linear: Value): void {
  local.forEach((id, axis) => values.set("local", axis, id));
  values.set("linear", 0, linear);
}

/** Whole sub-groups along rows of x. */
function rows({ builder, values }: EntryFrame, width: number, run: (members: null) => void): void {
  const zero = values.constant(0);
  const end = builder.same(Op.AND, values.get("size", 0), values.constant(-width));
  countedLoop(builder, zero, values.get("size", 2), (z) => {
    countedLoop(builder, zero, values.get("size", 1), (y) => {
      countedLoop(
        builder,
        zero,
        end,
        (x) => {
          setIds(values, [x, y, z], zero);
          values.set("linear", 0, linearId(builder, values));
          run(null);
        },
        false,
        width,
      );
    });
  });
}

/** The work-item values of a sub-group that may go over the ends of rows: ids are vectors where work-items differ. */
function setAcross({ builder, values, kernel }: EntryFrame, width: number, first: Value): void {
  const zero = values.constant(0);
  const one = values.constant(1);
  const sizes = [values.get("size", 0), values.get("size", 1)] as const;
  const row = builder.same(Op.UDIV, first, sizes[0]);
  let [x, y, z]: [Value, Value, Value] = [
    builder.same(Op.UREM, first, sizes[0]),
    builder.same(Op.UREM, row, sizes[1]),
    builder.same(Op.UDIV, row, sizes[1]),
  ];
  const lanes: [Value[], Value[], Value[]] = [[x], [y], [z]];
  /** The next id of an axis, and whether it begins anew. */
  const next = (id: Value, isStep: Value | null, size: Value): readonly [id: Value, isNew: Value] => {
    const after = builder.same(Op.ADD, id, isStep === null ? one : builder.convert(Op.ZEXT, isStep, values.type));
    const isNew = builder.compare(Op.EQ, after, size);
    return [builder.select(isNew, zero, after), isNew];
  };
  for (let lane = 1; lane < width; lane++) {
    const [nextX, isNewRow] = next(x, null, sizes[0]);
    const [nextY, isNewPlane] = next(y, isNewRow, sizes[1]);
    [x, y, z] = [nextX, nextY, builder.same(Op.ADD, z, builder.convert(Op.ZEXT, isNewPlane, values.type))];
    [x, y, z].forEach((id, axis) => lanes[axis]?.push(id));
  }
  setIds(
    values,
    lanes.map((list, axis) => (kernel.specialization?.localSize[axis] === 1 ? zero : builder.build(list))),
    first,
  );
}
