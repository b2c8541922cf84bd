// SPDX-License-Identifier: Apache-2.0
// Critical edges: from a block with several successors to a block with several predecessors. Code for such an edge has
// no place of its own until the edge is split.
import { Block, type IrFunction } from "./function.ts";
import * as Op from "./generated/op.ts";
import { Instruction } from "./instruction.ts";
import { VOID } from "./type.ts";
import { predecessors } from "./walk.ts";

/**
 * Splits every critical edge with a new block, which follows the edge's source in the list of blocks and passes on the
 * edge's arguments. Returns the new blocks.
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
