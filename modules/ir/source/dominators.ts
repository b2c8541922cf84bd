// SPDX-License-Identifier: Apache-2.0
// The dominator tree: K. Cooper, T. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
//
// Immediate dominators are computed on reverse-postorder numbers by iterating idom(b) = intersection of the
// predecessors' dominators, to a fixpoint; reducible graphs need two iterations. Then one pass numbers the tree in
// preorder, so that dominance is an interval test in constant time. Dominance frontiers (the same paper) are computed
// at the first request. Cost: about linear in practice, quadratic at worst.
import { filled } from "@muxkit/cargo";

import { BlockMap } from "./block-map.ts";
import type { Block, IrFunction } from "./function.ts";
import { predecessors, reversePostorder } from "./walk.ts";

const NONE: readonly Block[] = [];

/** The dominator tree of a function; stale once its graph changes. @public */
export class Dominators {
  /** Reachable blocks in reverse postorder. */
  readonly order: readonly Block[];
  /** Positions in the order by the blocks' numbers; -1: the block is unreachable. */
  private readonly positions: readonly number[];
  private readonly parents: readonly number[];
  /** Preorder numbers: the subtree of a block is the interval from `first` up to, not including, `last`. */
  private readonly first: number[];
  private readonly last: number[];
  private kids: readonly Block[][] | null;
  private frontiers: BlockMap<Block[]> | null;

  /** @internal */
  constructor(order: readonly Block[], positions: readonly number[], parents: readonly number[]) {
    this.order = order;
    this.positions = positions;
    this.parents = parents;
    this.first = filled(order.length, 0);
    this.last = filled(order.length, 0);
    this.kids = null;
    this.frontiers = null;
    this.number();
  }

  /** Numbers the tree in preorder. A parent precedes its children in reverse postorder. */
  private number(): void {
    const { first, last, parents } = this;
    const sizes = filled(first.length, 1);
    for (let i = sizes.length - 1; i > 0; i--)
      sizes[parents[i] as number] = (sizes[parents[i] as number] as number) + (sizes[i] as number);
    for (let i = 0; i < sizes.length; i++) {
      const parent = parents[i] as number;
      // While children are numbered, the parent's `last` is the next free number.
      const at = i === 0 ? 0 : (last[parent] as number);
      first[i] = at;
      last[i] = at + 1;
      if (i > 0) last[parent] = at + (sizes[i] as number);
    }
    for (let i = 0; i < sizes.length; i++) last[i] = (first[i] as number) + (sizes[i] as number);
  }

  /** The immediate dominator; null for the entry and for unreachable blocks. */
  immediate(block: Block): Block | null {
    const position = this.position(block);
    return position <= 0 ? null : (this.order[this.parents[position] as number] ?? null);
  }

  /** The children in the tree: the blocks whose immediate dominator this is. */
  children(block: Block): readonly Block[] {
    this.kids ??= this.listChildren();
    return this.kids[this.position(block)] ?? NONE;
  }

  private listChildren(): Block[][] {
    const kids: Block[][] = [];
    for (let i = 0; i < this.order.length; i++) {
      const block = this.order[i] as Block;
      const list = i === 0 ? undefined : kids[this.parents[i] as number];
      if (list !== undefined) list.push(block);
      else if (i > 0) kids[this.parents[i] as number] = [block];
    }
    return kids;
  }

  /** True when every path to `block` passes `by`; a block dominates itself. False for unreachable blocks. */
  dominates(by: Block, block: Block): boolean {
    const a = this.position(by);
    const b = this.position(block);
    if (a < 0 || b < 0) return false;
    const at = this.first[b] as number;
    return at >= (this.first[a] as number) && at < (this.last[a] as number);
  }

  /**
   * The dominance frontier: blocks that `block` does not strictly dominate although it dominates one of their
   * predecessors. Computed for all blocks at the first call.
   */
  frontier(block: Block): readonly Block[] {
    this.frontiers ??= this.computeFrontiers();
    return this.frontiers.get(block) ?? NONE;
  }

  private computeFrontiers(): BlockMap<Block[]> {
    const { owner } = this.order[0] as Block;
    const result = new BlockMap<Block[]>(owner);
    const before = predecessors(owner);
    for (let at = 0; at < this.order.length; at++) {
      const join = this.order[at] as Block;
      const preds = before.get(join) ?? NONE;
      const stop = at === 0 ? -1 : (this.parents[at] as number);
      for (let i = 0; i < preds.length; i++) {
        let runner = this.position(preds[i] as Block);
        while (runner >= 0 && runner !== stop) {
          const block = this.order[runner] as Block;
          const list = result.get(block);
          // Joins come one after the other: a repetition is the last of the list, and so are those above it.
          if (list === undefined) result.set(block, [join]);
          else if (list.at(-1) === join) break;
          else list.push(join);
          runner = runner === 0 ? -1 : (this.parents[runner] as number);
        }
      }
    }
    return result;
  }

  /** Number in preorder of the tree; -1 for unreachable blocks. */
  preorder(block: Block): number {
    const position = this.position(block);
    return position < 0 ? -1 : (this.first[position] as number);
  }

  /**
   * The blocks that a reachable block dominates have the numbers in preorder from its own up to, not including, this.
   */
  subtreeEnd(block: Block): number {
    return this.last[this.position(block)] as number;
  }

  /** Position in reverse postorder; -1 for unreachable blocks. */
  position(block: Block): number {
    return this.positions[block.number] ?? -1;
  }
}

/** Computes the dominator tree of a function. @public */
export function dominators(fn: IrFunction, before: BlockMap<readonly Block[]> = predecessors(fn)): Dominators {
  const order = reversePostorder(fn);
  const positions = filled(fn.blockNumbers, -1);
  for (let i = 0; i < order.length; i++) positions[(order[i] as Block).number] = i;
  const parents = filled(order.length, -1);
  parents[0] = 0;
  const intersect = (left: number, right: number): number => {
    let a = left;
    let b = right;
    while (a !== b) {
      while (a > b) a = parents[a] as number;
      while (b > a) b = parents[b] as number;
    }
    return a;
  };
  for (let changed = true; changed;) {
    changed = false;
    for (let i = 1; i < order.length; i++) {
      let parent = -1;
      const preds = before.get(order[i] as Block) ?? NONE;
      for (let j = 0; j < preds.length; j++) {
        const position = positions[(preds[j] as Block).number] as number;
        if (position < 0 || parents[position] === -1) continue;
        parent = parent === -1 ? position : intersect(parent, position);
      }
      if (parents[i] !== parent) {
        parents[i] = parent;
        changed = true;
      }
    }
  }
  return new Dominators(order, positions, parents);
}
