// SPDX-License-Identifier: Apache-2.0
// Normal form for linearisation: one returning block, reducible control flow, one latch for each loop (LLVM:
// loop-simplify and unify-function-exit-nodes).
import { type Block, Instruction, type IrFunction, Op, VOID, loops, reversePostorder } from "@muxkit/ir";

import { makeReducible } from "./reducible.ts";

function branchTo(target: Block, values: Instruction["operands"], location: Instruction["location"]): Instruction {
  const branch = new Instruction(Op.BR, VOID, [], location);
  branch.successors = [target];
  branch.successorArguments = [values];
  return branch;
}

/** Merges all returns into one block. The result: that block; null when the function never returns. */
function uniteReturns(fn: IrFunction): Block | null {
  const returning = fn.blocks.filter((block) => block.terminator.op === Op.RET);
  const [first] = returning;
  if (first === undefined) return null;
  if (returning.length === 1 && first !== fn.entry) return first;
  const out = fn.addBlock("return");
  const isVoid = fn.returnType === VOID;
  if (!isVoid) out.addParameter(fn.returnType, "result");
  for (const block of returning) {
    const end = block.instructions.pop();
    if (end !== undefined) block.append(branchTo(out, isVoid ? [] : [...end.operands], end.location));
  }
  out.append(new Instruction(Op.RET, VOID, [...out.parameters], first.terminator.location));
  return out;
}

/** Gives every loop a single latch. */
function uniteLatches(fn: IrFunction): void {
  for (const { header, latches } of loops(fn).loops) {
    const [only] = latches;
    const edges = latches.flatMap((latch) => latch.terminator.successors.filter((target) => target === header));
    if (edges.length === 1 && only !== undefined) continue;
    const way = fn.addBlock(`${header.name}.again`);
    const values = header.parameters.map((parameter) => way.addParameter(parameter.type, parameter.name));
    for (const { terminator } of latches)
      terminator.successors = terminator.successors.map((target) => (target === header ? way : target));
    way.append(branchTo(header, values, latches[0]?.terminator.location ?? null));
  }
}

/**
 * Removes unreachable blocks and merges returns, latches and entries of loops. The result: the returning block; null:
 * there is none.
 */
export function normalize(fn: IrFunction): Block | null {
  const reached = new Set(reversePostorder(fn));
  fn.blocks = fn.blocks.filter((block) => reached.has(block));
  makeReducible(fn);
  const out = uniteReturns(fn);
  uniteLatches(fn);
  return out;
}
