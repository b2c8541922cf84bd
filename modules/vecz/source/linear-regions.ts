// SPDX-License-Identifier: Apache-2.0
// Regions with a single entry and a single exit that are linearised (Johnson, Pearson, Pingali 1994, program structure
// tree, here only around divergence): each begins at a divergent branch, or at the header of a divergent loop, and ends
// at the postdominator where all lanes have converged. A region grows until no edge enters or leaves it elsewhere, and
// until it holds every loop that begins in it. Uniform parts inside keep their branches (`unitFrom`). Cost: linear in
// blocks for each region that grows.
import type { Block, Loop } from "@muxkit/ir";

import type { Divergence } from "./divergence.ts";

/** Blocks that are reachable from `entry` without passing `exit`, `entry` included. */
export function blocksBetween(entry: Block, exit: Block | null): Set<Block> {
  const found = new Set<Block>([entry]);
  const work = [entry];
  for (let block = work.pop(); block !== undefined; block = work.pop()) {
    for (const successor of block.successors) {
      if (successor === exit || found.has(successor)) continue;
      found.add(successor);
      work.push(successor);
    }
  }
  return found;
}

/** Entries of linearised regions, with their exits. */
export class LinearRegions {
  private readonly exits = new Map<Block, Block>();
  private readonly divergence: Divergence;

  constructor(divergence: Divergence) {
    this.divergence = divergence;
    for (const loop of divergence.loops) this.close(loop.header, this.blockAfter(loop));
    for (const block of divergence.branches) {
      const exit = divergence.postdominators.immediate(block);
      // The exits of a divergent loop belong to the region of the loop.
      if (exit !== null && this.leavesNoLoop(block, exit)) this.close(block, exit);
    }
  }

  private leavesNoLoop(block: Block, exit: Block): boolean {
    const { forest, loops } = this.divergence;
    for (let loop = forest.innermost.get(block) ?? null; loop !== null; loop = loop.parent)
      if (loops.has(loop) && (!loop.blocks.has(exit) || exit === loop.header)) return false;
    return true;
  }

  /** The first block after a loop that all lanes reach. */
  private blockAfter(loop: Loop): Block {
    const { postdominators, exit } = this.divergence;
    let block = postdominators.immediate(loop.header);
    while (block !== null && loop.blocks.has(block)) block = postdominators.immediate(block);
    return block ?? exit;
  }

  /** Makes the region larger until nothing enters it but at its entry. */
  private close(start: Block, end: Block): void {
    const { dominators, postdominators } = this.divergence;
    let [entry, exit] = [start, end];
    for (let foreign: Block | undefined = start; foreign !== undefined;) {
      const inside: Set<Block> = blocksBetween(entry, exit);
      // A loop that begins inside ends inside: otherwise control returns to its header from after the exit.
      while (this.cutsLoop(inside, entry)) {
        const below = postdominators.immediate(exit);
        if (below === null) break;
        exit = below;
        for (const block of blocksBetween(entry, exit)) inside.add(block);
      }
      foreign = [...inside].find((block) => !dominators.dominates(entry, block));
      if (foreign === undefined) break;
      for (let above: Block | null = entry; above !== null && !dominators.dominates(above, foreign);) {
        above = dominators.immediate(above);
        if (above !== null) entry = above;
      }
      for (
        let below: Block | null = exit;
        below !== null && (below === entry || !postdominators.postdominates(below, entry));
      ) {
        below = postdominators.immediate(below);
        if (below !== null) exit = below;
      }
    }
    if (!this.leavesNoLoop(entry, exit) && entry !== start) return;
    const known = this.exits.get(entry);
    if (known === undefined || postdominators.postdominates(exit, known)) this.exits.set(entry, exit);
  }

  /**
   * True when some of these blocks are a loop's header and others of its blocks are not among them. `but`: a header
   * that may.
   */
  private cutsLoop(inside: ReadonlySet<Block>, but: Block | null): boolean {
    return this.divergence.forest.loops.some(
      ({ header, blocks }) => header !== but && inside.has(header) && ![...blocks].every((block) => inside.has(block)),
    );
  }

  /** The exit of the region that begins with a block; null: no region begins there. */
  exitOf(block: Block): Block | null {
    return this.exits.get(block) ?? null;
  }

  /**
   * The furthest block such that nothing between `entry` and it is entered or left elsewhere, and all of it is in
   * `allowed`; null: there is none. Loops and regions that begin between them end there. The blocks between can keep
   * their branches.
   */
  unitFrom(entry: Block, allowed: ReadonlySet<Block>, stop: Block | null): Block | null {
    const { dominators, postdominators } = this.divergence;
    let found: Block | null = null;
    for (
      let exit = postdominators.immediate(entry);
      exit !== null && (exit === stop || allowed.has(exit));
      exit = postdominators.immediate(exit)
    ) {
      const inside = blocksBetween(entry, exit);
      if (![...inside].every((block) => allowed.has(block) && dominators.dominates(entry, block))) break;
      const isClosed =
        !this.cutsLoop(inside, null) &&
        [...inside].every((block) => {
          const close = this.exitOf(block);
          return close === null || close === exit || inside.has(close);
        });
      if (isClosed) found = exit;
      if (exit === stop) break;
    }
    return found;
  }
}
