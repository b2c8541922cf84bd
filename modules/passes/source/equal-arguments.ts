// SPDX-License-Identifier: Apache-2.0
// Equal arguments: a block parameter that every predecessor passes the same computation becomes that computation.
//
//   yes:                            yes:
//     j = add i, 1                    br join
//     br join(j)                    no:
//   no:               -->             br join
//     k = add i, 1                  join:
//     br join(k)                      j = add i, 1
//   join(n):
//
// Compilers that hoist into branches, or unroll before, leave such parameters behind. Where one carries the counter of
// a loop, the loop is none that counts: it is not unrolled, and its lanes' trip counts are selected iteration by
// iteration. This is the opposite of partial redundancy elimination (compare LLVM's GVNSink).
//
// The operands are the same values for all predecessors, so they dominate the block. What is used elsewhere too is
// computed twice from then on: that is done only for what costs no more than a parameter. Arguments that are dead then
// are left to dce. Cost: linear in arguments.
import {
  type Block,
  type BlockMap,
  type Instruction,
  type IrFunction,
  Op,
  type Parameter,
  type Value,
  cloneInstruction,
  replaceLater,
  resolved,
  uses,
} from "@muxkit/ir";

import { removeParameters } from "./block-parameters.ts";
import { isSameComputation, isShareable } from "./equal-computations.ts";

/** Ops that cost no more than a parameter does. */
const CHEAP: ReadonlySet<number> = new Set([Op.ADD, Op.SUB, Op.ZEXT, Op.SEXT, Op.TRUNC, Op.ADDRESS]);

/** The values that a block's predecessors pass for a parameter; pending replacements are taken into account. */
function argumentsOf(block: Block, position: number, before: readonly Block[]): readonly Value[] {
  return [...new Set(before)].flatMap(({ terminator: { successors, successorArguments } }) =>
    successors.flatMap((target, edge) => {
      const value = target === block ? successorArguments[edge]?.[position] : undefined;
      return value === undefined ? [] : [resolved(value)];
    }),
  );
}

/** The computation that all of several different values are; empty: they are not equal computations. */
function equalComputations(values: readonly Value[]): readonly Instruction[] {
  const [first] = values;
  if (first?.kind !== "instruction" || first.op === Op.CALL_BUILTIN || !isShareable(first)) return [];
  const found = [...new Set(values)].filter(
    (value): value is Instruction => value.kind === "instruction" && isSameComputation(first, value),
  );
  // One value for all is a trivial parameter, which other passes drop.
  return found.length > 1 && values.every((value) => found.some((one) => one === value)) ? found : [];
}

/**
 * Computes in a block what all its predecessors pass it. Replacements are left pending, and the parameters have been
 * removed; true when there were any.
 */
export function shareArguments(fn: IrFunction, before: BlockMap<readonly Block[]>): boolean {
  let users: ReadonlyMap<Value, readonly Instruction[]> | null = null;
  const isUsedOnce = (value: Instruction): boolean => {
    users ??= uses(fn);
    return users.get(value)?.length === 1;
  };
  const replaced = new Set<Parameter>();
  for (const block of fn.blocks) {
    const preds = before.get(block) ?? [];
    if (preds.length < 2) continue;
    block.parameters.forEach((parameter, position) => {
      const [first, ...others] = equalComputations(argumentsOf(block, position, preds));
      if (first === undefined || !(CHEAP.has(first.op) || [first, ...others].every(isUsedOnce))) return;
      const made = cloneInstruction(first);
      made.block = block;
      block.instructions.unshift(made);
      replaceLater(parameter, made);
      replaced.add(parameter);
    });
  }
  removeParameters(fn, (parameter) => replaced.has(parameter));
  return replaced.size > 0;
}
