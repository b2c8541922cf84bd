// SPDX-License-Identifier: Apache-2.0
// The structuriser: which blocks of a control-flow graph become loops and labelled blocks when it is nested along its
// dominator tree (Ramsey, "Beyond Relooper", ICFP 2022).
//
// A block that a loop dominates and that is not part of it would stand inside of the loop's construct. Here it follows
// the construct of the outermost loop that it has left, so that a construct holds what repeats and nothing else: from a
// construct's text engines see what a loop changes. Cost: blocks times nesting depth of loops.
import { type Block, type Dominators, type IrFunction, dominators, loops, predecessors } from "@muxkit/ir";

/** How a function's blocks are nested. */
export interface Structure {
  readonly tree: Dominators;
  /** Loop headers. */
  readonly loopHeaders: ReadonlySet<Block>;
  /** Blocks that need a label: several forward edges reach them, a table of branches does, or they follow a loop. */
  readonly mergeBlocks: ReadonlySet<Block>;
  /** Blocks that follow the construct of a loop, by its header; the last in program order first. */
  readonly behindLoops: ReadonlyMap<Block, readonly Block[]>;
  /** Children of blocks in the dominator tree that need a label and follow no loop; the last first as well. */
  readonly mergeChildren: ReadonlyMap<Block, readonly Block[]>;
  /** True when some loop has two entries: the graph is irreducible and cannot be nested. */
  readonly isIrreducible: boolean;
}

/** Analyses the graph of a function. `labelled`: blocks that need a label of their own in any case. */
export function structureOf(fn: IrFunction, labelled: ReadonlySet<Block>): Structure {
  const tree = dominators(fn);
  const before = predecessors(fn);
  const forest = loops(fn, tree, before);
  const mergeBlocks = new Set<Block>(labelled);
  const behindLoops = new Map<Block, Block[]>();
  const mergeChildren = new Map<Block, Block[]>();
  const { order } = tree;
  for (let at = order.length - 1; at >= 0; at--) {
    const block = order[at] as Block;
    const parent = tree.immediate(block);
    if (parent === null) continue;
    let left: Block | null = null;
    for (let loop = forest.innermost.get(parent) ?? null; loop !== null && !loop.blocks.has(block); loop = loop.parent)
      left = loop.header;
    if (left !== null) {
      mergeBlocks.add(block);
      addTo(behindLoops, left, block);
    } else if (mergeBlocks.has(block) || hasSeveralForwardEdges(tree, before.get(block) ?? [], at)) {
      mergeBlocks.add(block);
      addTo(mergeChildren, parent, block);
    }
  }
  return {
    tree,
    loopHeaders: new Set(forest.loops.map(({ header }) => header)),
    mergeBlocks,
    behindLoops,
    mergeChildren,
    isIrreducible: forest.irreducible.length > 0,
  };
}

/** True for more than one predecessor before a position. */
function hasSeveralForwardEdges(tree: Dominators, before: readonly Block[], at: number): boolean {
  let forward = 0;
  for (let i = 0; i < before.length; i++) {
    const position = tree.position(before[i] as Block);
    if (position >= 0 && position < at) forward++;
  }
  return forward > 1;
}

function addTo(lists: Map<Block, Block[]>, key: Block, block: Block): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [block]);
  else list.push(block);
}
