// SPDX-License-Identifier: Apache-2.0
// Barriers at the exits of loops that contain barriers: the implicit barriers of work-group functions (Jääskeläinen et
// al., "pocl: A Performance-Portable OpenCL Implementation", 2015), here for the size of the code alone.
//
//     loop 1 { barrier }      A region copies all that it reaches without passing a barrier. A loop may run no
//     loop 2 { barrier }      iteration, so that what follows any barrier reaches the heads of all later loops: code
//     loop 3 { barrier }      and time are quadratic in the loops. A barrier behind each loop, where those come too
//                             that run no iteration, ends that.
//
// All work-items of a group run the same iterations of such a loop, so they leave it together. Cost: linear.
import { type Block, type IrFunction, type Loop, Op, loops, predecessors } from "@muxkit/ir";

import { makeBarrier } from "./convergence.ts";

/** Loops with barriers in a kernel, up to which regions reach from one to the next. */
const MOST_LOOPS = 8;

function hasBarrier({ instructions }: Block): boolean {
  return instructions.some(({ op, scope, flags }) => op === Op.BARRIER && scope === "work_group" && flags === 0);
}

/** Blocks from which a barrier is reached. */
function leadingTo(fn: IrFunction, barriers: readonly Block[]): ReadonlySet<Block> {
  const before = predecessors(fn);
  const found = new Set<Block>(barriers);
  const work = [...barriers];
  for (let block = work.pop(); block !== undefined; block = work.pop()) {
    for (const predecessor of before.get(block) ?? []) {
      if (found.has(predecessor)) continue;
      found.add(predecessor);
      work.push(predecessor);
    }
  }
  return found;
}

/**
 * Where the paths after a loop join, also with the path of those that run no iteration; null: another loop begins
 * first.
 */
function joinAfter(exit: Block, before: ReturnType<typeof predecessors>, headers: ReadonlySet<Block>): Block | null {
  const seen = new Set<Block>();
  for (let block = exit; !headers.has(block) && !seen.has(block);) {
    const [next, other] = block.successors;
    if ((before.get(block)?.length ?? 0) > 1 || next === undefined || other !== undefined) return block;
    seen.add(block);
    block = next;
  }
  return null;
}

/** Puts barriers behind loops with barriers, where there are many of them and more barriers follow. */
export function waitAfterLoops(fn: IrFunction): void {
  const barriers = fn.blocks.filter(hasBarrier);
  if (barriers.length <= MOST_LOOPS) return;
  const forest = loops(fn);
  const found = new Set<Loop>();
  for (const block of barriers)
    for (let loop = forest.innermost.get(block) ?? null; loop !== null; loop = loop.parent) found.add(loop);
  if (found.size <= MOST_LOOPS) return;
  const leading = leadingTo(fn, barriers);
  const before = predecessors(fn);
  const headers = new Set(forest.loops.map(({ header }) => header));
  const joins = new Set<Block>();
  for (const { exits } of found) {
    for (const [, to] of exits) {
      const join = joinAfter(to, before, headers);
      if (join !== null && leading.has(join)) joins.add(join);
    }
  }
  for (const join of joins) {
    const barrier = makeBarrier("work_group", 0, join.instructions[0]?.location ?? null);
    barrier.block = join;
    join.instructions.unshift(barrier);
  }
}
