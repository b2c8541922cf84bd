// Dominators: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
import type { Block, IrFunction } from "./function.ts";
import { predecessors, reversePostorder } from "./walk.ts";

const NO_BLOCKS: ReadonlySet<Block> = new Set();

/** Who dominates whom in one function; stale once its graph changes. @public */
export class Dominators {
  /** Reachable blocks in reverse postorder. */
  readonly order: readonly Block[];
  private readonly numbers: ReadonlyMap<Block, number>;
  private readonly parents: Int32Array;
  private readonly kids: readonly Block[][];
  private readonly first: Int32Array;
  private readonly last: Int32Array;
  private frontiers: ReadonlyMap<Block, ReadonlySet<Block>> | null;

  /** @internal */
  constructor(order: readonly Block[], numbers: ReadonlyMap<Block, number>, parents: Int32Array) {
    this.order = order;
    this.numbers = numbers;
    this.parents = parents;
    this.kids = order.map(() => []);
    for (let i = 1; i < order.length; i++) this.kids[parents[i] as number]?.push(order[i] as Block);
    this.first = new Int32Array(order.length);
    this.last = new Int32Array(order.length);
    this.frontiers = null;
    this.number();
  }

  /** Numbers the tree so that dominance is an interval test. */
  private number(): void {
    let clock = 0;
    const stack: [number, number][] = [[0, 0]];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const [block, next] = top;
      if (next === 0) this.first[block] = clock++;
      const child = this.kids[block]?.[next];
      top[1]++;
      if (child === undefined) {
        this.last[block] = clock;
        stack.pop();
      } else stack.push([this.numbers.get(child) ?? 0, 0]);
    }
  }

  /** The closest dominator; null for the entry and for blocks that control cannot reach. */
  immediate(block: Block): Block | null {
    const number = this.numbers.get(block);
    return number === undefined || number === 0 ? null : (this.order[this.parents[number] as number] ?? null);
  }

  /** The blocks whose closest dominator this is. */
  children(block: Block): readonly Block[] {
    const number = this.numbers.get(block);
    return number === undefined ? [] : (this.kids[number] ?? []);
  }

  /** True when every way to `block` leads through `by`; a block dominates itself. False for unreachable blocks. */
  dominates(by: Block, block: Block): boolean {
    const a = this.numbers.get(by);
    const b = this.numbers.get(block);
    if (a === undefined || b === undefined) return false;
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

  private computeFrontiers(): ReadonlyMap<Block, ReadonlySet<Block>> {
    const result = new Map<Block, Set<Block>>(this.order.map((block) => [block, new Set()]));
    for (const block of this.order) {
      for (const successor of block.successors) {
        const stop = this.immediate(successor);
        for (let runner: Block | null = block; runner !== null && runner !== stop; runner = this.immediate(runner)) result.get(runner)?.add(successor);
      }
    }
    return result;
  }

  /** Position in reverse postorder; -1 for unreachable blocks. */
  position(block: Block): number {
    return this.numbers.get(block) ?? -1;
  }
}

/** The dominator tree of a function. @public */
export function dominators(fn: IrFunction, before: ReadonlyMap<Block, readonly Block[]> = predecessors(fn)): Dominators {
  const order = reversePostorder(fn);
  const numbers = new Map<Block, number>();
  for (const block of order) numbers.set(block, numbers.size);
  const parents = new Int32Array(order.length).fill(-1);
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
  for (let changed = true; changed; ) {
    changed = false;
    for (let i = 1; i < order.length; i++) {
      let parent = -1;
      for (const pred of before.get(order[i] as Block) ?? []) {
        const number = numbers.get(pred);
        if (number === undefined || parents[number] === -1) continue;
        parent = parent === -1 ? number : meet(parent, number);
      }
      if (parents[i] !== parent) {
        parents[i] = parent;
        changed = true;
      }
    }
  }
  return new Dominators(order, numbers, parents);
}
