// SPDX-License-Identifier: Apache-2.0
// Critical edges: from a block with several successors to one with several predecessors, where nothing can be put.
import { Block, type IrFunction } from "./function.ts";
import * as Op from "./generated/op.ts";
import { Instruction } from "./instruction.ts";
import { VOID } from "./type.ts";
import { predecessors } from "./walk.ts";

/**
 * Puts a block of its own on every critical edge; the new blocks stand behind the block that the edge leaves and hand the edge's arguments on.
 * Returns the new blocks.
 *
 * @public
 */
export function splitCriticalEdges(fn: IrFunction): Block[] {
  const before = predecessors(fn);
  const made: Block[] = [];
  const placed: Block[] = [];
  for (const block of fn.blocks) {
    placed.push(block);
    const { terminator } = block;
    if (terminator.successors.length < 2) continue;
    terminator.successors.forEach((successor, i) => {
      if ((before.get(successor)?.length ?? 0) < 2) return;
      const middle = new Block(fn, "edge");
      const branch = new Instruction(Op.BR, VOID, [], terminator.location);
      branch.successors = [successor];
      branch.successorArguments = [terminator.successorArguments[i] ?? []];
      middle.append(branch);
      terminator.successors[i] = middle;
      terminator.successorArguments[i] = [];
      placed.push(middle);
      made.push(middle);
    });
  }
  fn.blocks = placed;
  return made;
}
