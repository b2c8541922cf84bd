// SPDX-License-Identifier: Apache-2.0
/**
 * Where diverged ways meet again: immediate post-dominators of blocks, by iteration over the reversed graph (Cooper,
 * Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", 2001). Blocks from which no way leads to the end meet
 * nowhere.
 *
 * Cost: quadratic in the worst case, linear in practice.
 */
import { END } from "./warp.ts";

/** Blocks in an order in which each comes after those that it leads to, from the end backwards. */
function backwards(successors: readonly (readonly number[])[]): readonly number[] {
  const before: number[][] = successors.map(() => []);
  successors.forEach((list, block) => {
    for (const successor of list) before[successor]?.push(block);
  });
  const seen = new Uint8Array(successors.length);
  const order: number[] = [];
  successors.forEach((list, last) => {
    if (list.length > 0) return;
    // Depth first without recursion: a block is done when all of its predecessors are.
    const stack: [block: number, next: number][] = [[last, 0]];
    seen[last] = 1;
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const [block, next] = top;
      const predecessor = before[block]?.[next];
      top[1]++;
      if (predecessor === undefined) {
        order.push(block);
        stack.pop();
      } else if (seen[predecessor] === 0) {
        seen[predecessor] = 1;
        stack.push([predecessor, 0]);
      }
    }
  });
  return order.toReversed();
}

/** The immediate post-dominator of each block, or {@link END}. */
export function postDominators(successors: readonly (readonly number[])[]): Int32Array {
  const end = successors.length;
  const order = backwards(successors);
  const rank = new Int32Array(end + 1).fill(-1);
  rank[end] = 0;
  order.forEach((block, i) => {
    rank[block] = i + 1;
  });
  const UNKNOWN = -2;
  const found = new Int32Array(end + 1).fill(UNKNOWN);
  found[end] = end;
  const meet = (a: number, b: number): number => {
    let [x, y] = [a, b];
    while (x !== y) {
      while ((rank[x] as number) > (rank[y] as number)) x = found[x] as number;
      while ((rank[y] as number) > (rank[x] as number)) y = found[y] as number;
    }
    return x;
  };
  for (let changed = true; changed;) {
    changed = false;
    for (const block of order) {
      const list = successors[block] as readonly number[];
      let own = list.length === 0 ? end : UNKNOWN;
      for (const successor of list) {
        if (found[successor] === UNKNOWN) continue;
        own = own === UNKNOWN ? successor : meet(own, successor);
      }
      if (own !== found[block]) {
        found[block] = own;
        changed = true;
      }
    }
  }
  return Int32Array.from(successors, (_, block) => {
    const own = found[block] as number;
    return own === end || own === UNKNOWN ? END : own;
  });
}
