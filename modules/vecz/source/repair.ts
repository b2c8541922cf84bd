// SPDX-License-Identifier: Apache-2.0
// After tests were put around blocks: values that are used where control may not have passed their block get zeros on the ways around it.
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

/** Zero of a value's type, as an instruction in front of the end of a block. */
function zeroAtEnd(value: Instruction | Parameter, block: Block): Instruction {
  const zero = constantZero(value.type);
  const made = new Instruction(Op.SELECT, value.type, [constantInt(I1, 1), zero, zero], block.terminator.location);
  made.block = block;
  block.instructions.splice(-1, 0, made);
  return made;
}

/** Makes every value dominate its uses, by parameters of blocks that are zero on the other ways: those around `tests`, blocks that end with a test. Drops what control cannot reach. */
export function repairDominance(fn: IrFunction, tests: ReadonlySet<Block>): void {
  const reached = new Set(reversePostorder(fn));
  fn.blocks = fn.blocks.filter((block) => reached.has(block));
  const tree = dominators(fn);
  const broken = new Map<Instruction | Parameter, CopiedValue>();
  const look = (value: Value, where: Block): void => {
    if (value.kind === "constant" || value.block === null || value.block === where || broken.has(value)) return;
    if (tree.dominates(value.block, where)) return;
    const home = value.block;
    // Around a test there is nothing of an earlier round of a loop either.
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
