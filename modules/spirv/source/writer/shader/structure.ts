// SPDX-License-Identifier: Apache-2.0
// Structured control flow of a reducible graph: nested conditions, switches and endless loops with breaks, as shaders
// must have it.
//
// After N. Ramsey, "Beyond Relooper" (2022), over the dominator tree, for a language that has no labelled blocks: a
// block with one way in is nested where that way is; one with several comes after the code of its immediate dominator.
// Whoever branches to it says so in a variable, and where more than one block may come next, the block is guarded by a
// test of it. A branch out of the innermost loop is a break, one to its header a continue; blocks that a loop dominates
// without containing come after it. Where it is known what comes next nothing is tested and nothing is said. Each block
// is written once; cost: the number of edges times the nesting.
import {
  type Block,
  type BlockMap,
  type Instruction,
  type IrFunction,
  Op,
  dominators,
  loops,
  predecessors,
} from "@muxkit/ir";

/** A part of structured code. */
export type Part =
  /** The instructions of a block but the last. */
  | { readonly kind: "code"; readonly block: Block }
  /** An edge is taken: its arguments become the parameters of its block, which may have to be said. */
  | { readonly kind: "edge"; readonly from: Instruction; readonly index: number; readonly to: Block }
  | { readonly kind: "if"; readonly from: Instruction; readonly yes: Sequence; readonly no: Sequence }
  | { readonly kind: "switch"; readonly from: Instruction; readonly arms: readonly Sequence[] }
  | { readonly kind: "loop"; readonly header: Block; readonly body: Sequence }
  /** Only where one of these blocks comes next. */
  | { readonly kind: "guard"; readonly blocks: readonly Block[]; readonly body: Sequence }
  | { readonly kind: "break" | "continue" }
  /** The function returns, or control does not come here. */
  | { readonly kind: "end"; readonly from: Instruction };

/** Parts in their order. */
export type Sequence = Part[];

/** The structure of a function. */
export interface Structure {
  readonly body: Sequence;
  /** Blocks of which it must be said that they come next. */
  readonly said: ReadonlySet<Block>;
  /** The sequences in which each block is, from the outside. */
  readonly scopes: ReadonlyMap<Block, readonly Sequence[]>;
}

/** A loop that is being written. */
interface OpenLoop {
  readonly header: Block;
  readonly blocks: ReadonlySet<Block>;
}

/** Code, and the blocks that may come next where it ends. */
interface Piece {
  readonly parts: Sequence;
  readonly next: Set<Block>;
}

class Structurer {
  readonly said = new Set<Block>();
  private readonly children = new Map<Block, Block[]>();
  private readonly order: readonly Block[];
  private readonly position = new Map<Block, number>();
  private readonly before: BlockMap<readonly Block[]>;
  private readonly loopOf = new Map<Block, OpenLoop>();
  private readonly parent = new Map<Block, Block>();

  constructor(fn: IrFunction) {
    const tree = dominators(fn);
    this.before = predecessors(fn);
    this.order = tree.order;
    this.order.forEach((block, n) => this.position.set(block, n));
    for (const block of this.order) {
      const parent = tree.immediate(block);
      if (parent === null) continue;
      this.parent.set(block, parent);
      this.children.set(parent, [...(this.children.get(parent) ?? []), block]);
    }
    for (const { header, blocks } of loops(fn, tree, this.before).loops) this.loopOf.set(header, { header, blocks });
  }

  private at(block: Block): number {
    return this.position.get(block) ?? -1;
  }

  /** True for a block with one way in, which is not the way back of a loop. */
  private isInline(block: Block, from: Block): boolean {
    let ways = 0;
    for (const one of this.before.get(block) ?? [])
      for (const successor of one.successors) if (successor === block && this.at(one) < this.at(block)) ways++;
    return ways === 1 && this.parent.get(block) === from;
  }

  /** Several blocks may come next: each branch to one of them must say so. */
  private noted(next: Set<Block>): Set<Block> {
    if (next.size > 1) for (const block of next) this.said.add(block);
    return next;
  }

  /** A block with all that it dominates inside of the loop. */
  tree(block: Block, loop: OpenLoop | null): Piece {
    const own = this.loopOf.get(block);
    if (own === undefined || own === loop) return this.region(block, loop);
    const { parts: body } = this.region(block, own);
    const exits = new Set<Block>();
    for (const inside of own.blocks)
      for (const successor of inside.successors) if (!own.blocks.has(successor)) exits.add(successor);
    const parts: Sequence = [{ kind: "loop", header: block, body }];
    const after = this.order.filter(
      (one) =>
        !own.blocks.has(one) && own.blocks.has(this.parent.get(one) ?? one) && (loop === null || loop.blocks.has(one)),
    );
    return { parts, next: this.follow(parts, this.noted(exits), after, loop) };
  }

  /** A block, what is nested in its branch, and the blocks with several ways in that it dominates. */
  private region(block: Block, loop: OpenLoop | null): Piece {
    const parts: Sequence = [{ kind: "code", block }];
    const next = this.branch(block, loop, parts);
    const merges = (this.children.get(block) ?? [])
      .filter((child) => !this.isInline(child, block) && (loop === null || loop.blocks.has(child)))
      .toSorted((a, b) => this.at(a) - this.at(b));
    return { parts, next: this.follow(parts, next, merges, loop) };
  }

  private branch(block: Block, loop: OpenLoop | null, parts: Sequence): Set<Block> {
    const { terminator } = block;
    const { successors, op } = terminator;
    if (successors.length === 0) {
      parts.push({ kind: "end", from: terminator });
      return new Set();
    }
    const arms = successors.map((to, index) => this.arm(terminator, index, to, block, loop));
    const next = this.noted(new Set(arms.flatMap((arm) => [...arm.next])));
    const [first, second] = arms.map((arm) => arm.parts);
    if (op === Op.COND_BR && first !== undefined && second !== undefined)
      parts.push({ kind: "if", from: terminator, yes: first, no: second });
    else if (op === Op.SWITCH && arms.length > 1)
      parts.push({ kind: "switch", from: terminator, arms: arms.map((arm) => arm.parts) });
    else parts.push(...(first ?? []));
    return next;
  }

  private arm(from: Instruction, index: number, to: Block, block: Block, loop: OpenLoop | null): Piece {
    const parts: Sequence = [{ kind: "edge", from, index, to }];
    if (loop !== null && to === loop.header) parts.push({ kind: "continue" });
    else if (loop !== null && !loop.blocks.has(to)) parts.push({ kind: "break" });
    else if (this.isInline(to, block)) {
      const inner = this.tree(to, loop);
      parts.push(...inner.parts);
      return { parts, next: inner.next };
    } else return { parts, next: new Set([to]) };
    return { parts, next: new Set() };
  }

  /** Puts blocks behind code after which some blocks may come; what may come after them. */
  private follow(parts: Sequence, first: Set<Block>, blocks: readonly Block[], loop: OpenLoop | null): Set<Block> {
    let next = this.leave(parts, first, loop);
    for (const block of blocks) {
      if (!next.has(block)) continue;
      const isSure = next.size === 1;
      const inner = this.tree(block, loop);
      if (isSure) parts.push(...inner.parts);
      else parts.push({ kind: "guard", blocks: [block], body: inner.parts });
      next.delete(block);
      next = this.noted(new Set([...next, ...inner.next]));
    }
    return next;
  }

  /** Behind an inner loop: blocks outside of this loop, and its header, are reached by leaving and by going on. */
  private leave(parts: Sequence, next: Set<Block>, loop: OpenLoop | null): Set<Block> {
    if (loop === null) return next;
    const back = [...next].filter((block) => block === loop.header);
    const out = [...next].filter((block) => !loop.blocks.has(block));
    const rest = new Set([...next].filter((block) => block !== loop.header && loop.blocks.has(block)));
    let left = next.size;
    for (const [kind, blocks] of [
      ["continue", back],
      ["break", out],
    ] as const) {
      if (blocks.length === 0) continue;
      if (blocks.length === left) parts.push({ kind });
      else parts.push({ kind: "guard", blocks, body: [{ kind }] });
      left -= blocks.length;
    }
    return rest;
  }
}

function place(sequence: Sequence, outer: readonly Sequence[], scopes: Map<Block, readonly Sequence[]>): void {
  const own = [...outer, sequence];
  for (const part of sequence)
    if (part.kind === "code") scopes.set(part.block, own);
    else if (part.kind === "if") {
      place(part.yes, own, scopes);
      place(part.no, own, scopes);
    } else if (part.kind === "switch") for (const arm of part.arms) place(arm, own, scopes);
    else if (part.kind === "loop" || part.kind === "guard") place(part.body, own, scopes);
}

/** The structure of a function; null: its control flow is irreducible. */
export function structureOf(fn: IrFunction): Structure | null {
  if (loops(fn).irreducible.length > 0) return null;
  const structurer = new Structurer(fn);
  const { parts: body } = structurer.tree(fn.entry, null);
  const scopes = new Map<Block, readonly Sequence[]>();
  place(body, [], scopes);
  return { body, said: structurer.said, scopes };
}
