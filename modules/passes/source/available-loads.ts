// SPDX-License-Identifier: Apache-2.0
// Available loads: which value memory is known to hold at an address, for redundant-load elimination and store-to-load
// forwarding in GVN.
//
// State: a list of (access, value) pairs, the last loads and stores whose result still holds. A load of the same
// address and type is replaced by the value; a write removes every pair that it may alias (alias-analysis.ts), a call,
// barrier, fence or ordered atomic every pair but those of constant memory and of unescaped variables.
//
// Blocks are visited in preorder of the dominator tree. A block starts with the pairs that held at the end of its
// immediate dominator, minus those that a write on any path from there kills: a backward walk over the predecessors
// collects those writes, loops included. So a pair is available on every path, without a data-flow fixpoint.
//
// Bounds: 32 pairs at a point (a write is compared with each), 100 blocks for a walk (more: all pairs are dropped).
// Compare Cranelift's alias_analysis.rs (last stores by category) and available expressions (Cocke 1970).
import {
  type Block,
  type BlockMap,
  type DataLayout,
  type Dominators,
  type Instruction,
  type IrFunction,
  Op,
  type Value,
  resolved,
  VOLATILE,
} from "@muxkit/ir";

import {
  type Access,
  type AliasFacts,
  accessOf,
  isConstantMemory,
  isUnescaped,
  mayAlias,
  memoryEffect,
} from "./alias-analysis.ts";

/** Most available pairs at a point: each write is compared with all of them. */
const MOST_KNOWN = 32;
/** Most blocks between a join and its immediate dominator that are searched for writes. */
const MOST_BLOCKS = 100;

interface Known {
  readonly access: Access;
  readonly value: Value;
}

/** For each block, by its position, the instructions that write memory. Sets the blocks' marks to their positions. */
export function writesByBlock(fn: IrFunction): readonly (readonly Instruction[])[] {
  return fn.blocks.map((block, i) => {
    block.mark = i;
    return block.instructions.filter((instruction) => {
      const effect = memoryEffect(instruction);
      return effect === "writes" || effect === "anything";
    });
  });
}

/** Available loads during a preorder walk over the dominator tree. */
export class AvailableLoads {
  private readonly facts: AliasFacts;
  private readonly layout: DataLayout;
  private readonly before: BlockMap<readonly Block[]>;
  private readonly writes: readonly (readonly Instruction[])[];
  private readonly tree: Dominators;
  private readonly atEnd: (readonly Known[])[] = [];
  private known: Known[] = [];

  constructor(
    facts: AliasFacts,
    layout: DataLayout,
    before: BlockMap<readonly Block[]>,
    writes: readonly (readonly Instruction[])[],
    tree: Dominators,
  ) {
    this.facts = facts;
    this.layout = layout;
    this.before = before;
    this.writes = writes;
    this.tree = tree;
  }

  /** Starts a block with the pairs of its immediate dominator that no path from there kills. */
  enter(block: Block): void {
    const above = this.tree.immediate(block);
    this.known = above === null ? [] : (this.atEnd[above.mark] ?? []).slice();
    const preds = this.before.get(block) ?? [];
    if (above === null || this.known.length === 0 || (preds.length === 1 && preds[0] === above)) return;
    for (const write of this.writesBetween(above, block) ?? [null]) {
      if (write === null) this.known = this.known.filter(({ access }) => isConstantMemory(access.pointer));
      else this.clobber(write);
      if (this.known.length === 0) return;
    }
  }

  /** Writes on the paths from the end of a dominator to the start of a block; null: there are too many blocks. */
  private writesBetween(above: Block, block: Block): readonly Instruction[] | null {
    const found: Instruction[] = [];
    const seen = new Set<Block>([above]);
    const work = [...(this.before.get(block) ?? [])];
    for (let next = work.pop(); next !== undefined; next = work.pop()) {
      if (seen.has(next)) continue;
      if (seen.size > MOST_BLOCKS) return null;
      seen.add(next);
      for (const write of this.writes[next.mark] ?? []) found.push(write);
      for (const pred of this.before.get(next) ?? []) work.push(pred);
    }
    return found;
  }

  /** Ends a block: its state is kept for the blocks that it dominates. */
  leave(block: Block): void {
    this.atEnd[block.mark] = this.known;
  }

  /** The value that replaces a load; null: there is none, and the load's own result becomes available. */
  load(instruction: Instruction): Value | null {
    const access = accessOf(instruction, this.layout);
    if (access === null) return null;
    const known = this.find(access, instruction);
    if (known !== null) return known;
    this.remember(access, instruction);
    return null;
  }

  private find({ pointer }: Access, { type }: Instruction): Value | null {
    const address = resolved(pointer);
    for (let i = this.known.length - 1; i >= 0; i--) {
      const entry = this.known[i];
      if (entry !== undefined && entry.value.type === type && resolved(entry.access.pointer) === address)
        return resolved(entry.value);
    }
    return null;
  }

  private remember(access: Access, value: Value): void {
    if (this.known.length >= MOST_KNOWN) this.known.shift();
    this.known.push({ access, value });
  }

  /** Applies a write: kills the pairs that it may alias; the value of a plain store becomes available. */
  write(instruction: Instruction): void {
    this.clobber(instruction);
    const [value] = instruction.operands;
    const access =
      instruction.op === Op.STORE && (instruction.flags & VOLATILE) === 0 ? accessOf(instruction, this.layout) : null;
    if (access !== null && value !== undefined) this.remember(access, value);
  }

  private clobber(instruction: Instruction): void {
    const { facts } = this;
    const written = memoryEffect(instruction) === "anything" ? null : accessOf(instruction, this.layout);
    const own = written === null ? null : { ...written, pointer: resolved(written.pointer) };
    // A block's list is its own: it is changed in place.
    const { known } = this;
    let kept = 0;
    for (let i = 0; i < known.length; i++) {
      const entry = known[i] as Known;
      const { access } = entry;
      const stays =
        isConstantMemory(access.pointer) ||
        (own === null ? isUnescaped(access.pointer, facts) : !mayAlias(own, access, facts));
      if (stays) known[kept++] = entry;
    }
    known.length = kept;
  }
}
