// SPDX-License-Identifier: Apache-2.0
// Calls of a function's variants: for one work-item, for the lanes of a vector, for the lanes of a sub-group.
import type { IrFunction, Value } from "@muxkit/ir";
import type { VectorVariants } from "@muxkit/vecz";

import { assert } from "@muxkit/cargo";

import { eachSubGroup } from "./sub-group-loops.ts";
import type { SubGroupPlan } from "../vector/vector-plan.ts";
import type { WorkItemValues } from "../work-item-values.ts";
import type { EntryFrame } from "./entry-frame.ts";
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
  const several = (variants: VectorVariants): SeveralRunner => ({
    width: variants.general.width,
    run: (values) => callVariant(frame, variants, operands(values), after),
  });
  const [variants, unrollAndJam, range] = [
    vectors.variants.get(fn),
    vectors.unrollAndJamPlans.get(fn),
    vectors.ranges.get(fn),
  ];
  const test = unrollAndJam?.writeTest ?? null;
  return {
    one: (values) => after(builder.call(fn, operands(values))),
    several: variants === undefined ? null : several(variants),
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
            several: several(unrollAndJam.variants),
          },
  };
}

/** Calls the variant without masks where the vector passes its test, else the general one. */
function callVariant(
  { builder, fn }: EntryFrame,
  { general, tested }: VectorVariants,
  operands: readonly Value[],
  after: (result: Value) => void,
): void {
  if (tested === null) {
    after(builder.call(general.fn, operands));
    return;
  }
  const [inner, border, out] = [fn.addBlock("inner"), fn.addBlock("border"), fn.addBlock("vector.end")];
  builder.conditionalBranch(tested.writeTest(builder, operands), inner, border);
  builder.block = inner;
  after(builder.call(tested.fn, operands));
  builder.branch(out);
  builder.block = border;
  after(builder.call(general.fn, operands));
  builder.branch(out);
  builder.block = out;
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
