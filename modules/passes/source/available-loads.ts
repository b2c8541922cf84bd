// SPDX-License-Identifier: Apache-2.0
// What is known of memory at a point of a function: the values last stored to or loaded from addresses, until something may have changed them.
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
  isOwn,
  mayAlias,
  memoryEffect,
} from "./alias-analysis.ts";

/** Most addresses that are remembered at a point: each write is compared with all of them. */
const MOST_KNOWN = 32;
/** Most blocks between a join and what dominates it that are looked through for writes. */
const MOST_BLOCKS = 100;

interface Known {
  readonly access: Access;
  readonly value: Value;
}

/** For each block, by its position, the instructions that write memory. Blocks are marked with their position. */
export function writesByBlock(fn: IrFunction): readonly (readonly Instruction[])[] {
  return fn.blocks.map((block, i) => {
    block.mark = i;
    return block.instructions.filter((instruction) => {
      const effect = memoryEffect(instruction);
      return effect === "writes" || effect === "anything";
    });
  });
}

/** Memory along a walk over the dominator tree, parents before children. */
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

  /** Begins a block with what held at the end of its dominator and is not changed on any way from there. */
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

  /** Writes on the ways from the end of a dominator to the start of a block; null: too many to tell. */
  private writesBetween(above: Block, block: Block): readonly Instruction[] | null {
    const found: Instruction[] = [];
    const seen = new Set<Block>([above]);
    const work = [...(this.before.get(block) ?? [])];
    for (let next = work.pop(); next !== undefined; next = work.pop()) {
      if (seen.has(next)) continue;
      if (seen.size > MOST_BLOCKS) return null;
      seen.add(next);
      found.push(...(this.writes[next.mark] ?? []));
      work.push(...(this.before.get(next) ?? []));
    }
    return found;
  }

  /** Ends a block. */
  leave(block: Block): void {
    this.atEnd[block.mark] = this.known;
  }

  /** The value that a load gives; null: it is not known, and is from now on. */
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

  /** Something is written: what it may have changed is not known any more, what a store leaves is. */
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
    this.known = this.known.filter(({ access }) => {
      if (isConstantMemory(access.pointer)) return true;
      return own === null ? isOwn(access.pointer, facts) : !mayAlias(own, access, facts);
    });
  }
}
