// SPDX-License-Identifier: Apache-2.0
// Splits edges that carry arguments and must not set their target's parameters where they begin.
import { type Block, Instruction, type IrFunction, Op, VOID, loops } from "@muxkit/ir";

/** True for an edge that is split; `index` is that of the successor. */
type IsSplit = (block: Block, index: number) => boolean;

/** Puts a block on each edge that has arguments and is chosen; returns whether there was one. */
function splitEdges(fn: IrFunction, isSplit: IsSplit): boolean {
  let any = false;
  for (const block of fn.blocks.slice()) {
    const { terminator } = block;
    for (let i = 0; i < terminator.successors.length; i++) {
      const target = terminator.successors[i] as Block;
      const values = terminator.successorArguments[i] ?? [];
      if (values.length === 0 || !isSplit(block, i)) continue;
      const between = fn.addBlock("");
      const branch = new Instruction(Op.BR, VOID, [], terminator.location);
      branch.successors = [target];
      branch.successorArguments = [values];
      between.append(branch);
      terminator.successors[i] = between;
      terminator.successorArguments[i] = [];
      any = true;
    }
  }
  return any;
}

/** Splits edges of switches that carry arguments (critical edges), so that `br_table` can target every block. */
export function splitSwitchEdges(fn: IrFunction): void {
  splitEdges(fn, ({ terminator }) => terminator.op === Op.SWITCH);
}

/**
 * Splits edges that leave a loop with arguments: what they set is then written behind the loop's code. Engines make a
 * phi of every local that a loop's code sets, also of one that only its exits set, and count it when they decide
 * whether to unroll the loop (V8: src/compiler/turboshaft/loop-unrolling-reducer.h).
 */
export function splitExitEdges(fn: IrFunction): void {
  const { loops: list, innermost } = loops(fn);
  if (list.length === 0) return;
  splitEdges(fn, (block, i) => {
    const loop = innermost.get(block);
    return loop !== undefined && !loop.blocks.has(block.terminator.successors[i] as Block);
  });
}
