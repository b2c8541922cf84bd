// SPDX-License-Identifier: Apache-2.0
// Calls of a function's variants: for one work-item, for the lanes of a vector, for the lanes of a sub-group.
import { type IrFunction, Op, type Value } from "@muxkit/ir";
import type { VectorVariants } from "@muxkit/vecz";

import { assert } from "@muxkit/cargo";

import { eachSubGroup } from "./sub-group-loops.ts";
import type { SubGroupPlan } from "../vector/vector-plan.ts";
import type { WorkItemValues } from "../work-item-values.ts";
import { countedLoop } from "./counted-loop.ts";
import { type EntryFrame, index, setLocalId } from "./entry-frame.ts";
import type { RowRunner, SeveralRunner } from "./vector-rows.ts";

/**
 * Runs a function for one work-item, and its vectorised variants for several. `after` gets the result, which is a
 * vector when work-items differ.
 */
export function variantRunner(
  frame: EntryFrame,
  fn: IrFunction,
  operands: (values: WorkItemValues) => Value[],
  after: (result: Value) => void,
): RowRunner {
  const { builder, kernel } = frame;
  const { vectors } = kernel;
  const call = (values: WorkItemValues, called: IrFunction): void => after(builder.call(called, operands(values)));
  const one = (values: WorkItemValues): void => call(values, fn);
  const several = (variants: VectorVariants, isFailingAlone: boolean): SeveralRunner => {
    const { general, tested } = variants;
    const { width } = general;
    const outside = (values: WorkItemValues): void => {
      if (isFailingAlone) eachLane(frame, width, one);
      else call(values, general.fn);
    };
    if (tested === null) return { width, run: outside, stretch: null };
    const { writeReach } = tested;
    const test = (values: WorkItemValues): Value => tested.writeTest(builder, operands(values));
    const inside = (values: WorkItemValues): void => call(values, tested.fn);
    return {
      width,
      run: (values) =>
        ifElse(
          frame,
          test(values),
          () => inside(values),
          () => outside(values),
        ),
      stretch:
        writeReach === null
          ? null
          : { test, reach: (values) => writeReach(builder, operands(values)) ?? index(frame, -1), inside, outside },
    };
  };
  const [variants, unrollAndJam, range] = [
    vectors.variants.get(fn),
    vectors.unrollAndJamPlans.get(fn),
    vectors.ranges.get(fn),
  ];
  const test = unrollAndJam?.writeTest ?? null;
  return {
    one,
    oneByOne: vectors.unsure.has(fn) ? frame.oneByOne : null,
    several: variants === undefined ? null : several(variants, vectors.failingAlone.has(fn)),
    range:
      range === undefined
        ? null
        : {
            write: (values, length) => range.write(builder, operands(values), length),
            outside: (values) => after(builder.call(range.outside, operands(values))),
          },
    unrollAndJam:
      unrollAndJam === undefined
        ? null
        : {
            axis: unrollAndJam.axis,
            rows: unrollAndJam.rows,
            test: test === null ? null : (values) => test(builder, operands(values)),
            several: several(unrollAndJam.variants, false),
          },
  };
}

/** Writes both sides of a condition. */
function ifElse({ builder, fn }: EntryFrame, condition: Value, inside: () => void, outside: () => void): void {
  const [inner, border, out] = [fn.addBlock("inner"), fn.addBlock("border"), fn.addBlock("vector.end")];
  builder.conditionalBranch(condition, inner, border);
  builder.block = inner;
  inside();
  builder.branch(out);
  builder.block = border;
  outside();
  builder.branch(out);
  builder.block = out;
}

/** Runs the work-items of a vector one by one; the work-item values are the first one's. */
function eachLane(frame: EntryFrame, width: number, one: (values: WorkItemValues) => void): void {
  const { builder, values, kernel } = frame;
  const { axis } = kernel.vectors;
  const first = values.get("local", axis);
  countedLoop(
    builder,
    first,
    builder.same(Op.ADD, first, index(frame, width)),
    (id) => {
      setLocalId(frame, axis, id);
      one(values);
    },
    true,
  );
  setLocalId(frame, axis, first);
}

/** Runs a function for all work-items of a group, a sub-group at a time; `after` gets the result of each. */
export function runSubGroupVariants(
  frame: EntryFrame,
  plan: SubGroupPlan,
  source: IrFunction,
  operands: () => Value[],
  after: (result: Value) => void,
): void {
  const { builder } = frame;
  const variants = plan.variants.get(source);
  assert(variants !== undefined, "a variant of each function");
  const { whole, masked } = variants;
  eachSubGroup(frame, plan, (members) => {
    if (members === null) {
      after(builder.call(whole.fn, operands()));
      return;
    }
    assert(masked !== null, "a variant for sub-groups that are not whole");
    after(builder.call(masked.fn, [...operands(), members]));
  });
}
