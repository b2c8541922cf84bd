// SPDX-License-Identifier: Apache-2.0
// Helpers of the loop passes: preheaders, blocks on edges, sizes.
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

/**
 * A block with nothing but a branch to `target`, which takes the arguments of an edge. It is in no function's list yet.
 */
export function branchBlock(fn: IrFunction, name: string, target: Block, branch: Instruction, edge: number): Block {
  const made = new Block(fn, name);
  const jump = new Instruction(Op.BR, VOID, NO_OPERANDS, branch.location);
  jump.successors = listOf(target);
  jump.successorArguments = listOf(branch.successorArguments[edge] ?? []);
  made.append(jump);
  return made;
}

/** The preheader of a loop: its header's only predecessor from outside, whose only successor is the header. Or null. */
export function preheaderOf(loop: Loop, before: BlockMap<readonly Block[]>): Block | null {
  const outside = (before.get(loop.header) ?? []).filter((block) => !loop.blocks.has(block));
  const [only] = outside;
  return only !== undefined && outside.length === 1 && only.successors.length === 1 ? only : null;
}

/** True when a block holds a convergent op: a barrier, a group operation or a call. */
export function isConvergent(block: Block): boolean {
  return block.instructions.some(({ op }) => hasEffect(op, "c"));
}

/** Instructions of several blocks. */
export function sizeOfBlocks(blocks: Iterable<Block>): number {
  let size = 0;
  for (const { instructions } of blocks) size += instructions.length;
  return size;
}
