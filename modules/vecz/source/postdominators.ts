// SPDX-License-Identifier: Apache-2.0
// Postdominators: the dominator algorithm of Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001),
// on the reversed graph of a function with one exit. Cost: nearly linear on reducible graphs.
import type { Block, BlockMap, IrFunction } from "@muxkit/ir";

/** The postdominator tree of a function with one exit. */
export class Postdominators {
  private readonly numbers = new Map<Block, number>();
  private readonly order: Block[] = [];
  private readonly parents: number[] = [];

  /** `exit`: the block that every other one reaches; `before`: predecessors. */
  constructor(fn: IrFunction, exit: Block, before: BlockMap<readonly Block[]>) {
    this.number(exit, before);
    for (const block of this.order) this.parents[this.numberOf(block)] = -1;
    this.parents[0] = 0;
    for (let changed = true; changed;) {
      changed = false;
      for (let i = 1; i < this.order.length; i++) {
        const block = this.order[i];
        let parent = -1;
        for (const successor of block?.successors ?? []) {
          const number = this.numberOf(successor);
          if (number < 0 || this.parents[number] === -1) continue;
          parent = parent === -1 ? number : this.intersect(parent, number);
        }
        if (this.parents[i] !== parent) {
          this.parents[i] = parent;
          changed = true;
        }
      }
    }
    this.isComplete = fn.blocks.every((block) => this.leads(block));
  }

  /** False when some block does not reach the exit. */
  readonly isComplete: boolean;

  /** True when a block reaches the exit. */
  leads(block: Block): boolean {
    return this.numbers.has(block);
  }

  private number(exit: Block, before: BlockMap<readonly Block[]>): void {
    const seen = new Set<Block>([exit]);
    const path: { block: Block; next: number }[] = [{ block: exit, next: 0 }];
    const finished: Block[] = [];
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const pred = (before.get(top.block) ?? [])[top.next++];
      if (pred === undefined) {
        finished.push(top.block);
        path.pop();
      } else if (!seen.has(pred)) {
        seen.add(pred);
        path.push({ block: pred, next: 0 });
      }
    }
    for (const block of finished.toReversed()) {
      this.numbers.set(block, this.order.length);
      this.order.push(block);
    }
  }

  private numberOf(block: Block): number {
    return this.numbers.get(block) ?? -1;
  }

  private intersect(left: number, right: number): number {
    let [a, b] = [left, right];
    while (a !== b) {
      while (a > b) a = this.parents[a] ?? 0;
      while (b > a) b = this.parents[b] ?? 0;
    }
    return a;
  }

  /** The immediate postdominator of a block; null for the exit. */
  immediate(block: Block): Block | null {
    const number = this.numberOf(block);
    return number <= 0 ? null : (this.order[this.parents[number] ?? 0] ?? null);
  }

  /** True when `by` postdominates `block`; a block postdominates itself. */
  postdominates(by: Block, block: Block): boolean {
    const target = this.numberOf(by);
    let number = this.numberOf(block);
    while (number > target) number = this.parents[number] ?? 0;
    return number === target;
  }
}
