// Natural loops: which blocks a back edge encloses, how they nest.
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
  readonly innermost: ReadonlyMap<Block, Loop>;
  /** Edges that go back to a block that does not dominate their start: the graph is irreducible there. */
  readonly irreducible: readonly (readonly [from: Block, to: Block])[];
}

/** Finds the natural loops of a function. @public */
export function loops(fn: IrFunction, tree: Dominators = dominators(fn), before: ReadonlyMap<Block, readonly Block[]> = predecessors(fn)): LoopForest {
  const latchesOf = new Map<Block, Block[]>();
  const irreducible: [Block, Block][] = [];
  for (const block of tree.order) {
    for (const successor of block.successors) {
      if (tree.position(successor) > tree.position(block)) continue;
      if (!tree.dominates(successor, block)) irreducible.push([block, successor]);
      else {
        const list = latchesOf.get(successor);
        if (list === undefined) latchesOf.set(successor, [block]);
        else list.push(block);
      }
    }
  }
  const found: { header: Block; latches: Block[]; blocks: Set<Block> }[] = [];
  for (const [header, latches] of latchesOf) {
    const blocks = new Set<Block>([header]);
    const work = [...latches];
    for (let block = work.pop(); block !== undefined; block = work.pop()) {
      if (blocks.has(block) || tree.position(block) < 0) continue;
      blocks.add(block);
      work.push(...(before.get(block) ?? []));
    }
    found.push({ header, latches, blocks });
  }
  found.sort((a, b) => b.blocks.size - a.blocks.size);
  const made: Loop[] = [];
  const innermost = new Map<Block, Loop>();
  for (const { header, latches, blocks } of found) {
    const parent = innermost.get(header) ?? null;
    const exits = [...blocks].flatMap((block) => block.successors.filter((to) => !blocks.has(to)).map((to): readonly [Block, Block] => [block, to]));
    const loop: Loop = { header, latches, blocks, exits, parent, depth: (parent?.depth ?? 0) + 1 };
    made.push(loop);
    for (const block of blocks) innermost.set(block, loop);
  }
  return { loops: made, innermost, irreducible };
}
