// SPDX-License-Identifier: Apache-2.0
// Walks over a function's graph: predecessors, reverse postorder, instructions.
import { filled } from "@muxkit/cargo";

import { BlockMap } from "./block-map.ts";
import type { Block, IrFunction } from "./function.ts";
import type { Instruction } from "./instruction.ts";
import type { Value } from "./value.ts";

/** For each block, the blocks that branch to it; one entry for each edge. @public */
export function predecessors(fn: IrFunction): BlockMap<Block[]> {
  const result = new BlockMap<Block[]>(fn);
  for (const block of fn.blocks) {
    const { successors } = block;
    for (let i = 0; i < successors.length; i++) {
      const successor = successors[i] as Block;
      const list = result.get(successor);
      // Most blocks have one or two predecessors: a literal has exactly that capacity, a list that is pushed into more.
      if (list === undefined) result.set(successor, [block]);
      else if (list.length === 1) result.set(successor, [list[0] as Block, block]);
      else list.push(block);
    }
  }
  for (const block of fn.blocks) if (!result.has(block)) result.set(block, []);
  return result;
}

/** The reachable blocks in reverse postorder: each before its successors except along back edges. @public */
export function reversePostorder(fn: IrFunction): Block[] {
  const order: Block[] = [];
  const seen = filled(fn.blockNumbers, false);
  seen[fn.entry.number] = true;
  const path: Block[] = [fn.entry];
  /** For each block of the path, how many of its successors have been visited. */
  const visited: number[] = [0];
  while (path.length > 0) {
    const top = path.length - 1;
    const block = path[top] as Block;
    const { successors } = block;
    const next = visited[top] as number;
    if (next === successors.length) {
      order.push(block);
      path.pop();
      visited.pop();
      continue;
    }
    visited[top] = next + 1;
    const successor = successors[next] as Block;
    if (seen[successor.number] === true) continue;
    seen[successor.number] = true;
    path.push(successor);
    visited.push(0);
  }
  return order.toReversed();
}

/**
 * Calls `visit` with every instruction, blocks in their order in the function. `visit` may change the instruction, not
 * the blocks' lists.
 *
 * @public
 */
export function walk(fn: IrFunction, visit: (instruction: Instruction, block: Block) => void): void {
  for (const block of fn.blocks) {
    const { instructions } = block;
    for (let i = 0; i < instructions.length; i++) visit(instructions[i] as Instruction, block);
  }
}

/** Replaces values in operands and branch arguments. Chains of replacements are not followed. @public */
export function replaceUses(fn: IrFunction, replacements: ReadonlyMap<Value, Value>): void {
  if (replacements.size === 0) return;
  const replaceIn = (list: Value[]): void => {
    for (let i = 0; i < list.length; i++) {
      const other = replacements.get(list[i] as Value);
      if (other !== undefined) list[i] = other;
    }
  };
  for (const { instructions } of fn.blocks) {
    for (let i = 0; i < instructions.length; i++) {
      const { operands, successorArguments } = instructions[i] as Instruction;
      replaceIn(operands);
      for (let edge = 0; edge < successorArguments.length; edge++) replaceIn(successorArguments[edge] as Value[]);
    }
  }
}
