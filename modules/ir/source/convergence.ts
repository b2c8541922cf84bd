// SPDX-License-Identifier: Apache-2.0
// Where work-items that took different ways meet again: the order of blocks by which the ones behind catch up, and the loops whose iterations they finish together.
import type { Block, IrFunction } from "./function.ts";
import * as Op from "./generated/op.ts";
import { isGroupOperation } from "./group-operations.ts";
import { type Instruction, NON_UNIFORM } from "./instruction.ts";
import { type Loop, loops } from "./loops.ts";
import { reversePostorder } from "./walk.ts";

/** True for a barrier or group operation at which those go on together that come to it together. */
function isTogether({ op, flags }: Instruction): boolean {
  return (flags & NON_UNIFORM) !== 0 && (op === Op.BARRIER || isGroupOperation(op));
}

function holdsTogether(block: Block, known: Map<IrFunction, boolean>): boolean {
  return block.instructions.some(
    (instruction) =>
      isTogether(instruction) ||
      (instruction.symbol?.kind === "function" && hasNonUniformGroupOperation(instruction.symbol, known)),
  );
}

/** True for a function that has, or calls what has, a group operation with the flag `non_uniform`. `known` keeps answers. @public */
export function hasNonUniformGroupOperation(fn: IrFunction, known: Map<IrFunction, boolean> = new Map()): boolean {
  const answer = known.get(fn);
  if (answer !== undefined) return answer;
  // A circle of calls is entered once.
  known.set(fn, false);
  const found = fn.blocks.some((block) => holdsTogether(block, known));
  known.set(fn, found);
  return found;
}

/** How work-items of a function catch up. @public */
export interface Convergence {
  /** The blocks that control can reach: each behind its predecessors but for back edges, the blocks of a loop side by side. */
  readonly order: readonly Block[];
  /** Loops in which work-items meet: they finish an iteration together. */
  readonly loops: readonly Loop[];
}

/** The order and the loops of a function. @public */
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
    // Stay in the innermost loop that has a block to offer.
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
  return { order, loops: forest.loops.filter((loop) => [...loop.blocks].some((block) => holdsTogether(block, known))) };
}
