// SPDX-License-Identifier: Apache-2.0
// What passes over loops share: preheaders, and the size of a loop.
import {
  Block,
  type BlockMap,
  Instruction,
  type IrFunction,
  type Loop,
  Op,
  VOID,
  hasEffect,
  NO_OPERANDS,
  listOf,
} from "@muxkit/ir";

/** A block that holds nothing but a branch, with its arguments. It stands nowhere yet. */
export function branchBlock(fn: IrFunction, name: string, target: Block, branch: Instruction, edge: number): Block {
  const made = new Block(fn, name);
  const jump = new Instruction(Op.BR, VOID, NO_OPERANDS, branch.location);
  jump.successors = listOf(target);
  jump.successorArguments = listOf(branch.successorArguments[edge] ?? []);
  made.append(jump);
  return made;
}

/** The one block outside of a loop that goes to its header and nowhere else; null: there is none. */
export function preheaderOf(loop: Loop, before: BlockMap<readonly Block[]>): Block | null {
  const outside = (before.get(loop.header) ?? []).filter((block) => !loop.blocks.has(block));
  const [only] = outside;
  return only !== undefined && outside.length === 1 && only.successors.length === 1 ? only : null;
}

/** True when a block holds what work-items must reach together. */
export function isConvergent(block: Block): boolean {
  return block.instructions.some(({ op }) => hasEffect(op, "c"));
}

/** Instructions of several blocks. */
export function sizeOfBlocks(blocks: Iterable<Block>): number {
  let size = 0;
  for (const { instructions } of blocks) size += instructions.length;
  return size;
}
