// SPDX-License-Identifier: Apache-2.0
// The structuriser: which blocks of a control-flow graph become loops and labelled blocks when it is nested along its
// dominator tree (Ramsey, "Beyond Relooper", ICFP 2022).
import { type Block, type Dominators, type IrFunction, dominators, predecessors } from "@muxkit/ir";

/** How a function's blocks are nested. */
export interface Structure {
  readonly tree: Dominators;
  /** Loop headers. */
  readonly loopHeaders: ReadonlySet<Block>;
  /** Blocks reached by several forward edges, or that a table of branches needs a label for. */
  readonly mergeBlocks: ReadonlySet<Block>;
  /** True when some loop has two entries: the graph is irreducible and cannot be nested. */
  readonly isIrreducible: boolean;
}

/** Analyses the graph of a function. `labelled`: blocks that need a label of their own in any case. */
export function structureOf(fn: IrFunction, labelled: ReadonlySet<Block>): Structure {
  const tree = dominators(fn);
  const before = predecessors(fn);
  const loopHeaders = new Set<Block>();
  const mergeBlocks = new Set<Block>(labelled);
  let isIrreducible = false;
  for (const block of tree.order) {
    let forward = 0;
    for (const pred of before.get(block) ?? []) {
      if (tree.position(pred) < 0) continue;
      if (tree.position(pred) < tree.position(block)) forward++;
      else {
        loopHeaders.add(block);
        if (!tree.dominates(block, pred)) isIrreducible = true;
      }
    }
    if (forward > 1) mergeBlocks.add(block);
  }
  return { tree, loopHeaders, mergeBlocks, isIrreducible };
}

/** Children of a block in the dominator tree that need a label, the last in program order first. */
export function mergeChildren(structure: Structure, block: Block): readonly Block[] {
  const { tree, mergeBlocks } = structure;
  return tree
    .children(block)
    .filter((child) => mergeBlocks.has(child))
    .toSorted((a, b) => tree.position(b) - tree.position(a));
}
