// SPDX-License-Identifier: Apache-2.0
// Dominators: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
import { filled } from "@muxkit/cargo";

import { BlockMap } from "./block-map.ts";
import type { Block, IrFunction } from "./function.ts";
import { predecessors, reversePostorder } from "./walk.ts";

const NO_BLOCKS: ReadonlySet<Block> = new Set();
const NONE: readonly Block[] = [];

/** Who dominates whom in one function; stale once its graph changes. @public */
export class Dominators {
  /** Reachable blocks in reverse postorder. */
  readonly order: readonly Block[];
  /** Positions in the order by the blocks' numbers; -1: control cannot reach it. */
  private readonly positions: readonly number[];
  private readonly parents: readonly number[];
  /** Blocks are numbered so that each one's tree is an interval: from `first` to before `last`. */
  private readonly first: number[];
  private readonly last: number[];
  private kids: readonly Block[][] | null;
  private frontiers: BlockMap<ReadonlySet<Block>> | null;

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

  /** Numbers the tree. A parent stands before its children in the order. */
  private number(): void {
    const { first, last, parents } = this;
    const sizes = filled(first.length, 1);
    for (let i = sizes.length - 1; i > 0; i--)
      sizes[parents[i] as number] = (sizes[parents[i] as number] as number) + (sizes[i] as number);
    for (let i = 0; i < sizes.length; i++) {
      const parent = parents[i] as number;
      // While children are numbered, `last` of the parent says which number is free.
      const at = i === 0 ? 0 : (last[parent] as number);
      first[i] = at;
      last[i] = at + 1;
      if (i > 0) last[parent] = at + (sizes[i] as number);
    }
    for (let i = 0; i < sizes.length; i++) last[i] = (first[i] as number) + (sizes[i] as number);
  }

  /** The closest dominator; null for the entry and for blocks that control cannot reach. */
  immediate(block: Block): Block | null {
    const position = this.position(block);
    return position <= 0 ? null : (this.order[this.parents[position] as number] ?? null);
  }

  /** The blocks whose closest dominator this is. */
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

  /** True when every way to `block` leads through `by`; a block dominates itself. False for unreachable blocks. */
  dominates(by: Block, block: Block): boolean {
    const a = this.position(by);
    const b = this.position(block);
    if (a < 0 || b < 0) return false;
    const at = this.first[b] as number;
    return at >= (this.first[a] as number) && at < (this.last[a] as number);
  }

  /**
   * The blocks where the dominance of `block` ends: it dominates one of their predecessors, but not themselves (unless they are `block`).
   * Computed for all blocks at the first call.
   */
  frontier(block: Block): ReadonlySet<Block> {
    this.frontiers ??= this.computeFrontiers();
    return this.frontiers.get(block) ?? NO_BLOCKS;
  }

  private computeFrontiers(): BlockMap<ReadonlySet<Block>> {
    const result = new BlockMap<Set<Block>>((this.order[0] as Block).owner);
    for (const block of this.order) result.set(block, new Set());
    for (const block of this.order) {
      for (const successor of block.successors) {
        const stop = this.immediate(successor);
        for (let runner: Block | null = block; runner !== null && runner !== stop; runner = this.immediate(runner))
          result.get(runner)?.add(successor);
      }
    }
    return result;
  }

  /** Position in reverse postorder; -1 for unreachable blocks. */
  position(block: Block): number {
    return this.positions[block.number] ?? -1;
  }
}

/** The dominator tree of a function. @public */
export function dominators(fn: IrFunction, before: BlockMap<readonly Block[]> = predecessors(fn)): Dominators {
  const order = reversePostorder(fn);
  const positions = filled(fn.blockNumbers, -1);
  for (let i = 0; i < order.length; i++) positions[(order[i] as Block).number] = i;
  const parents = filled(order.length, -1);
  parents[0] = 0;
  const meet = (left: number, right: number): number => {
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
        parent = parent === -1 ? position : meet(parent, position);
      }
      if (parents[i] !== parent) {
        parents[i] = parent;
        changed = true;
      }
    }
  }
  return new Dominators(order, positions, parents);
}
