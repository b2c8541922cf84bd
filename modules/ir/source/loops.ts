// SPDX-License-Identifier: Apache-2.0
// Natural loops and the loop forest (Aho, Sethi, Ullman, section 10.4).
//
// An edge to a dominator of its source is a back edge; its target is the header of a loop whose blocks are found by a
// backward walk from the latches to the header. Back edges with one header form one loop. Sorted by size, larger loops
// come first, which yields the nesting. An edge backwards in reverse postorder whose target does not dominate its
// source enters an irreducible cycle: it is listed, and is part of no loop. Cost: blocks times nesting depth.
import { BlockMap } from "./block-map.ts";
import type { Block, IrFunction } from "./function.ts";
import { type Dominators, dominators } from "./dominators.ts";
import { predecessors } from "./walk.ts";

/** One natural loop. @public */
export interface Loop {
  /** The block through which it is entered. */
  readonly header: Block;
  /** Blocks that branch back to the header. */
  readonly latches: readonly Block[];
  /** Its blocks, the header and those of inner loops included. */
  readonly blocks: ReadonlySet<Block>;
  /** Edges that leave it. */
  readonly exits: readonly (readonly [from: Block, to: Block])[];
  /** The next loop around it; null at the outside. */
  readonly parent: Loop | null;
  /** 1 at the outside. */
  readonly depth: number;
}

/** The loops of a function. @public */
export interface LoopForest {
  /** Every loop, outer ones before inner ones. */
  readonly loops: readonly Loop[];
  /** The innermost loop of each block that is in one. */
  readonly innermost: BlockMap<Loop>;
  /** Edges that go back to a block that does not dominate their start: the graph is irreducible there. */
  readonly irreducible: readonly (readonly [from: Block, to: Block])[];
}

/** Computes the loop forest of a function. @public */
export function loops(
  fn: IrFunction,
  tree: Dominators = dominators(fn),
  before: BlockMap<readonly Block[]> = predecessors(fn),
): LoopForest {
  const found: { header: Block; latches: Block[]; blocks: Set<Block> }[] = [];
  const latchesOf = new BlockMap<Block[]>(fn);
  const irreducible: [Block, Block][] = [];
  const { order } = tree;
  for (let at = 0; at < order.length; at++) {
    const block = order[at] as Block;
    const { successors } = block;
    for (let i = 0; i < successors.length; i++) {
      const successor = successors[i] as Block;
      if (tree.position(successor) > at) continue;
      if (!tree.dominates(successor, block)) {
        irreducible.push([block, successor]);
        continue;
      }
      const list = latchesOf.get(successor);
      if (list !== undefined) list.push(block);
      else {
        const latches = [block];
        latchesOf.set(successor, latches);
        found.push({ header: successor, latches, blocks: new Set([successor]) });
      }
    }
  }
  for (const { latches, blocks } of found) {
    const work = [...latches];
    for (let block = work.pop(); block !== undefined; block = work.pop()) {
      if (blocks.has(block) || tree.position(block) < 0) continue;
      blocks.add(block);
      const preds = before.get(block) ?? [];
      for (let i = 0; i < preds.length; i++) work.push(preds[i] as Block);
    }
  }
  found.sort((a, b) => b.blocks.size - a.blocks.size);
  const made: Loop[] = [];
  const innermost = new BlockMap<Loop>(fn);
  for (const { header, latches, blocks } of found) {
    const parent = innermost.get(header) ?? null;
    const exits: (readonly [Block, Block])[] = [];
    for (const block of blocks) {
      const { successors } = block;
      for (let i = 0; i < successors.length; i++) {
        const to = successors[i] as Block;
        if (!blocks.has(to)) exits.push([block, to]);
      }
    }
    const loop: Loop = { header, latches, blocks, exits, parent, depth: (parent?.depth ?? 0) + 1 };
    made.push(loop);
    for (const block of blocks) innermost.set(block, loop);
  }
  return { loops: made, innermost, irreducible };
}
