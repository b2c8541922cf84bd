// SPDX-License-Identifier: Apache-2.0
// Reconvergence for non-uniform group operations: the order of blocks in which diverged work-items wait for each other,
// and the loops whose iterations they finish together.
//
// The order is a topological order of the graph without back edges in which the blocks of a loop are contiguous: a
// worklist of blocks whose forward predecessors are all placed, preferring blocks of the innermost current loop.
// Work-items at the earliest block in this order run first, so the others wait at later ones until they have caught up
// (compare the thread-frontier schemes of Diamos et al. 2011). Cost: blocks times the size of the worklist.
import type { Block, IrFunction } from "./function.ts";
import * as Op from "./generated/op.ts";
import { isGroupOperation } from "./group-operations.ts";
import { type Instruction, NON_UNIFORM } from "./instruction.ts";
import { type Loop, loops } from "./loops.ts";
import { reversePostorder } from "./walk.ts";

/** True for a barrier or group operation with the flag `non_uniform`: those take part that arrive together. */
function isNonUniform({ op, flags }: Instruction): boolean {
  return (flags & NON_UNIFORM) !== 0 && (op === Op.BARRIER || isGroupOperation(op));
}

function hasNonUniform(block: Block, known: Map<IrFunction, boolean>): boolean {
  return block.instructions.some(
    (instruction) =>
      isNonUniform(instruction) ||
      (instruction.symbol?.kind === "function" && hasNonUniformGroupOperation(instruction.symbol, known)),
  );
}

/**
 * True when a function or a callee has a group operation with the flag `non_uniform`. `known` caches results.
 *
 * @public
 */
export function hasNonUniformGroupOperation(fn: IrFunction, known: Map<IrFunction, boolean> = new Map()): boolean {
  const cached = known.get(fn);
  if (cached !== undefined) return cached;
  // A cycle of calls is entered once.
  known.set(fn, false);
  const found = fn.blocks.some((block) => hasNonUniform(block, known));
  known.set(fn, found);
  return found;
}

/** How diverged work-items of a function reconverge. @public */
export interface Convergence {
  /** The reachable blocks: each after its predecessors except along back edges, the blocks of a loop contiguous. */
  readonly order: readonly Block[];
  /** Loops with a non-uniform operation: work-items finish an iteration together. */
  readonly loops: readonly Loop[];
}

/** Computes the order and the loops of a function. @public */
export function convergence(fn: IrFunction, known: Map<IrFunction, boolean> = new Map()): Convergence {
  const postorder = reversePostorder(fn);
  const position = new Map(postorder.map((block, i) => [block, i]));
  const forest = loops(fn);
  const isForward = (from: Block, to: Block): boolean => (position.get(to) ?? 0) > (position.get(from) ?? 0);
  const waitsFor = new Map<Block, number>();
  for (const block of postorder)
    for (const successor of block.successors)
      if (isForward(block, successor)) waitsFor.set(successor, (waitsFor.get(successor) ?? 0) + 1);
  const order: Block[] = [];
  const ready = new Set<Block>([fn.entry]);
  let around: Loop | null = null;
  while (ready.size > 0) {
    // Prefer the innermost loop that has a ready block.
    let next: Block | undefined;
    for (let loop: Loop | null = around; next === undefined && loop !== null; loop = loop.parent) {
      const { blocks } = loop;
      next = [...ready].find((block) => blocks.has(block));
    }
    next ??= [...ready][0];
    if (next === undefined) break;
    ready.delete(next);
    order.push(next);
    around = forest.innermost.get(next) ?? null;
    for (const successor of next.successors) {
      if (!isForward(next, successor)) continue;
      const left = (waitsFor.get(successor) ?? 1) - 1;
      waitsFor.set(successor, left);
      if (left === 0) ready.add(successor);
    }
  }
  return { order, loops: forest.loops.filter((loop) => [...loop.blocks].some((block) => hasNonUniform(block, known))) };
}
