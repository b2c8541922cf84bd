// SPDX-License-Identifier: Apache-2.0
// SSA repair after tests were written around blocks: a value that is used where control may have skipped its definition
// gets a block parameter that is zero on the edges around it (SSA construction for those values, ssa-construction.ts of
// `passes`, Braun et al. 2013).
import {
  type Block,
  I1,
  Instruction,
  type IrFunction,
  Op,
  type Parameter,
  type Value,
  constantInt,
  constantZero,
  dominators,
  reversePostorder,
} from "@muxkit/ir";
import { type CopiedValue, repairUses } from "@muxkit/passes";

/** Zero of a value's type, as an instruction before the terminator of a block. */
function zeroAtEnd(value: Instruction | Parameter, block: Block): Instruction {
  const zero = constantZero(value.type);
  const made = new Instruction(Op.SELECT, value.type, [constantInt(I1, 1), zero, zero], block.terminator.location);
  made.block = block;
  block.instructions.splice(-1, 0, made);
  return made;
}

/**
 * Makes every value dominate its uses, by block parameters that are zero on the edges around `tests`, blocks that end
 * with a test. Removes unreachable blocks.
 */
export function repairDominance(fn: IrFunction, tests: ReadonlySet<Block>): void {
  const reached = new Set(reversePostorder(fn));
  fn.blocks = fn.blocks.filter((block) => reached.has(block));
  const tree = dominators(fn);
  const broken = new Map<Instruction | Parameter, CopiedValue>();
  const look = (value: Value, where: Block): void => {
    if (value.kind === "constant" || value.block === null || value.block === where || broken.has(value)) return;
    if (tree.dominates(value.block, where)) return;
    const home = value.block;
    // On the edge around a test the value of an earlier iteration must not survive either.
    const copies: Instruction[] = [];
    for (let above = tree.immediate(home); above !== null; above = tree.immediate(above))
      if (tests.has(above)) copies.push(zeroAtEnd(value, above));
    broken.set(value, {
      original: value,
      copies,
      home: new Set(fn.blocks.filter((block) => tree.dominates(home, block))),
    });
  };
  for (const block of fn.blocks) {
    for (const { operands, successorArguments } of block.instructions.slice()) {
      for (const value of operands) look(value, block);
      for (const list of successorArguments) for (const value of list) look(value, block);
    }
  }
  repairUses(fn, [...broken.values()]);
}
