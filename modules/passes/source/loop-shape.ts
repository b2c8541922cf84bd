// SPDX-License-Identifier: Apache-2.0
// Helpers of the loop passes: preheaders, blocks on edges, sizes.
import {
  Block,
  type BlockMap,
  Instruction,
  type IrFunction,
  type Loop,
  type LoopForest,
  Op,
  VOID,
  type Value,
  hasEffect,
  NO_OPERANDS,
  listOf,
  walk,
} from "@muxkit/ir";

import { isIndependentCall } from "./builtin-facts.ts";

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

/** True when a block holds a convergent op: a barrier, a group operation or a call of what may hold one. */
export function isConvergent(block: Block): boolean {
  return block.instructions.some((instruction) => hasEffect(instruction.op, "c") && !isIndependentCall(instruction));
}

/** Instructions of several blocks. */
export function sizeOfBlocks(blocks: Iterable<Block>): number {
  let size = 0;
  for (const { instructions } of blocks) size += instructions.length;
  return size;
}

/** Values that are defined in an innermost loop and used outside of it. */
export function usedOutside(fn: IrFunction, { innermost }: LoopForest): ReadonlySet<Value> {
  const used = new Set<Value>();
  const visit = (list: readonly Value[], block: Block): void => {
    for (let i = 0; i < list.length; i++) {
      const value = list[i] as Value;
      if (value.kind === "constant" || value.block === null || value.block === block) continue;
      if (innermost.get(value.block)?.blocks.has(block) === false) used.add(value);
    }
  };
  walk(fn, ({ operands, successorArguments }, block) => {
    visit(operands, block);
    for (let edge = 0; edge < successorArguments.length; edge++) visit(successorArguments[edge] as Value[], block);
  });
  return used;
}
