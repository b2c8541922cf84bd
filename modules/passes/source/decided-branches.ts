// SPDX-License-Identifier: Apache-2.0
// decided-branches: below one side of a branch, its condition is known.
//
//   cond_br c, yes, no                 cond_br c, yes, no
// yes:                               yes:
//   ...                        -->     ...
//   cond_br c, again, never            cond_br true, again, never
//
// A block that only one edge enters, from a conditional branch, and all that it dominates know the condition; they use
// the constant instead. simplify-cfg then removes the branch. Such branches come from loops whose test does not change
// in them: rotation and unrolling copy the test. ptxas 12.9 to 13.3 makes wrong code of some of those that stay: it
// moves the constants that a loop stores behind the stores of the iterations that it peels off.
//
// The dominator tree is walked in preorder; the marks of conditions say what is known in the current subtree. Compare
// the propagation of equalities in LLVM's GVN. Cost: linear in instructions.
import {
  type Block,
  type Constant,
  type Instruction,
  type IrFunction,
  Op,
  type Parameter,
  type Value,
  clearMarks,
  constantInt,
} from "@muxkit/ir";

import type { FunctionFrame } from "./pass.ts";

/** Marks of conditions that are known to hold, and not to hold. */
const HOLDS = 1;
const FAILS = 2;

/** A condition that can become known. */
type Condition = Instruction | Parameter;

/** What a value is known to be; null: nothing is. */
function knownValue(value: Value): Constant | null {
  if (value.kind === "constant" || (value.mark !== HOLDS && value.mark !== FAILS)) return null;
  return constantInt(value.type, value.mark === HOLDS ? 1 : 0);
}

function replaceKnown(values: Value[]): boolean {
  let changed = false;
  for (let i = 0; i < values.length; i++) {
    const known = knownValue(values[i] as Value);
    if (known === null) continue;
    values[i] = known;
    changed = true;
  }
  return changed;
}

function visitBlock({ instructions }: Block): boolean {
  let changed = false;
  for (const { op, operands, successorArguments } of instructions) {
    if (op === Op.DEBUG_VALUE) continue;
    changed = replaceKnown(operands) || changed;
    for (const values of successorArguments) changed = replaceKnown(values) || changed;
  }
  return changed;
}

/** Marks the condition that a block's only edge decides; the condition, or null when there is none. */
function enter(block: Block, parent: Block | null): Condition | null {
  if (parent?.terminator.op !== Op.COND_BR) return null;
  const [condition] = parent.terminator.operands;
  if (condition === undefined || condition.kind === "constant" || condition.mark !== 0) return null;
  condition.mark = parent.terminator.successors[0] === block ? HOLDS : FAILS;
  return condition;
}

/** Replaces conditions by what the branches that lead to their uses say of them. */
export function decidedBranches(fn: IrFunction, { analyses }: FunctionFrame): boolean {
  const tree = analyses.get("dominators");
  const before = analyses.get("predecessors");
  clearMarks(fn);
  let changed = false;
  // An explicit stack: dominator trees of generated code can be deep. A condition's own frame ends its scope.
  const stack: (Block | { readonly leaves: Condition })[] = [fn.entry];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if ("leaves" in next) {
      next.leaves.mark = 0;
      continue;
    }
    const decided = before.get(next)?.length === 1 ? enter(next, tree.immediate(next)) : null;
    if (decided !== null) stack.push({ leaves: decided });
    changed = visitBlock(next) || changed;
    for (const child of tree.children(next)) stack.push(child);
  }
  return changed;
}
