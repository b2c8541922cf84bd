// SPDX-License-Identifier: Apache-2.0
// Ways through a function's graph, and replacing of values.
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
      // Most blocks have one or two, and a list has just the room of what it is made with; one that is pushed into takes room for many.
      if (list === undefined) result.set(successor, [block]);
      else if (list.length === 1) result.set(successor, [list[0] as Block, block]);
      else list.push(block);
    }
  }
  for (const block of fn.blocks) if (!result.has(block)) result.set(block, []);
  return result;
}

/** The blocks that control can reach, each before its successors except along back edges. @public */
export function reversePostorder(fn: IrFunction): Block[] {
  const order: Block[] = [];
  const seen = filled(fn.blockNumbers, false);
  seen[fn.entry.number] = true;
  const path: Block[] = [fn.entry];
  /** For each block of the path, how many of its successors have been looked at. */
  const looked: number[] = [0];
  while (path.length > 0) {
    const top = path.length - 1;
    const block = path[top] as Block;
    const { successors } = block;
    const next = looked[top] as number;
    if (next === successors.length) {
      order.push(block);
      path.pop();
      looked.pop();
      continue;
    }
    looked[top] = next + 1;
    const successor = successors[next] as Block;
    if (seen[successor.number] === true) continue;
    seen[successor.number] = true;
    path.push(successor);
    looked.push(0);
  }
  return order.toReversed();
}

/** Calls `visit` with every instruction, blocks in their order in the function. `visit` may change the instruction, not the blocks' lists. @public */
export function walk(fn: IrFunction, visit: (instruction: Instruction, block: Block) => void): void {
  for (const block of fn.blocks) {
    const { instructions } = block;
    for (let i = 0; i < instructions.length; i++) visit(instructions[i] as Instruction, block);
  }
}

/** Replaces values wherever they are used, branch arguments included. Replacements are not followed: give final ones. @public */
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
