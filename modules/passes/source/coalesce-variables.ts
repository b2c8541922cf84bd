// SPDX-License-Identifier: Apache-2.0
// coalesce-variables: private arrays and structs that are copied to one another as wholes share one place where no
// value is lost, so that the copies go (register coalescing, Chaitin 1982, on variables in memory; LLVM moves stack
// slots so). Languages with `inout` parameters copy arrays into a variable before a call and back after it:
//
//   memory_copy %param, %s                     (nothing)
//   %x = load (address %param, %i)       -->   %x = load (address %s, %i)
//   store %y, (address %param, %j)             store %y, (address %s, %j)
//   memory_copy %s, %param                     (nothing)
//
// Phases:
//   1. candidates: variables that are copied whole to or from one of the same type, and are only loaded, stored,
//      filled and copied;
//   2. liveness of their contents: a backward data-flow analysis over blocks. What reads any part of a variable makes
//      it live, what overwrites all of it ends that;
//   3. interference: a write of one variable while the other is live, unless it is the copy of that other one. Writes
//      of what is not live are removed instead;
//   4. copies in their order: the classes of both sides are joined where no variable of one interferes with one of the
//      other (union-find), and the copies within classes are removed.
//
// Cost: linear in instructions, but for the data-flow analysis, whose sets only grow; sets are the bits of an int, so
// there are at most 31 candidates.
import {
  type Block,
  type DataLayout,
  I8,
  type Instruction,
  type IrFunction,
  Op,
  VOLATILE,
  type Value,
  applyReplacements,
  clearMarks,
  replaceLater,
  reversePostorder,
  sizeOf,
} from "@muxkit/ir";

import { variableOf } from "./alias-analysis.ts";
import type { FunctionFrame } from "./pass.ts";

/** Sets of candidates are the bits of an int. */
const MOST_CANDIDATES = 31;

/** What an instruction does to candidates, as sets. */
interface Touch {
  readonly instruction: Instruction;
  readonly reads: number;
  readonly writes: number;
  /** What it writes as a whole. */
  readonly overwrites: number;
}

/** A copy of one whole candidate to another. */
interface WholeCopy {
  readonly instruction: Instruction;
  readonly target: number;
  readonly source: number;
}

const isAggregate = ({ op, elementType }: Instruction): boolean =>
  op === Op.ALLOCA && (elementType?.kind === "array" || elementType?.kind === "struct");

function wholeSize({ elementType }: Instruction, layout: DataLayout): number {
  return sizeOf(layout, elementType ?? I8);
}

/** Two different variables of one type, the first of which a copy writes from the second as wholes; null: others. */
function copiedVariables(
  { op, operands: [target, source, length], flags }: Instruction,
  layout: DataLayout,
): readonly [Instruction, Instruction] | null {
  if (op !== Op.MEMORY_COPY || (flags & VOLATILE) !== 0 || length?.kind !== "constant") return null;
  if (target?.kind !== "instruction" || source?.kind !== "instruction" || target === source) return null;
  return isAggregate(target) &&
    isAggregate(source) &&
    target.elementType === source.elementType &&
    length.low === wholeSize(target, layout)
    ? [target, source]
    : null;
}

class Coalescer {
  private readonly fn: IrFunction;
  private readonly layout: DataLayout;
  private readonly variables: Instruction[] = [];
  private readonly copies: WholeCopy[] = [];
  private readonly touches = new Map<Block, Touch[]>();
  /** Candidates that something else than an access uses. */
  private closed = 0;
  private readonly removed = new Set<Instruction>();

  constructor(fn: IrFunction, layout: DataLayout) {
    this.fn = fn;
    this.layout = layout;
  }

  run(): boolean {
    this.findCandidates();
    if (this.variables.length === 0) return false;
    for (const block of this.fn.blocks) for (const instruction of block.instructions) this.collect(block, instruction);
    const interference = this.interferences(this.liveAtEnds());
    this.join(interference);
    if (this.removed.size === 0) return false;
    for (const block of this.fn.blocks)
      if (this.touches.has(block) || block === this.fn.entry)
        block.instructions = block.instructions.filter((instruction) => !this.removed.has(instruction));
    applyReplacements(this.fn);
    return true;
  }

  /** Numbers the variables that are copied whole; the marks of their allocas are their numbers, from 1 on. */
  private findCandidates(): void {
    const found = new Set<Instruction>();
    for (const { instructions } of this.fn.blocks)
      for (const instruction of instructions)
        for (const variable of copiedVariables(instruction, this.layout) ?? [])
          if (found.size < MOST_CANDIDATES) found.add(variable);
    if (found.size === 0) return;
    clearMarks(this.fn);
    for (const variable of found) {
      this.variables.push(variable);
      variable.mark = this.variables.length;
    }
  }

  /** The number of the candidate that a pointer leads to; -1: to none. */
  private numberOf(pointer: Value | undefined): number {
    return (variableOf(pointer)?.mark ?? 0) - 1;
  }

  private collect(block: Block, instruction: Instruction): void {
    const { op, operands, successorArguments, flags } = instruction;
    if (op === Op.ADDRESS || op === Op.DEBUG_VALUE) return;
    let [reads, writes, overwrites] = [0, 0, 0];
    for (let i = 0; i < operands.length; i++) {
      const number = this.numberOf(operands[i]);
      if (number < 0) continue;
      const bit = 1 << number;
      const isCopy = op === Op.MEMORY_COPY;
      const isWrite = (op === Op.STORE && i === 1) || ((op === Op.MEMORY_FILL || isCopy) && i === 0);
      if ((flags & VOLATILE) !== 0) this.closed |= bit;
      else if (op === Op.LOAD || (isCopy && i === 1)) reads |= bit;
      else if (isWrite) {
        writes |= bit;
        if (this.isWhole(instruction, number)) overwrites |= bit;
      } else this.closed |= bit;
    }
    for (const list of successorArguments)
      for (const value of list) {
        const number = this.numberOf(value);
        if (number >= 0) this.closed |= 1 << number;
      }
    if ((reads | writes) === 0) return;
    const touch = { instruction, reads, writes, overwrites };
    const own = this.touches.get(block);
    if (own === undefined) this.touches.set(block, [touch]);
    else own.push(touch);
    const pair = copiedVariables(instruction, this.layout);
    if (pair === null) return;
    const [target, source] = pair.map(({ mark }) => mark - 1);
    if (target !== undefined && source !== undefined && target >= 0 && source >= 0)
      this.copies.push({ instruction, target, source });
  }

  /** True for a write of all of a candidate. */
  private isWhole({ op, operands }: Instruction, number: number): boolean {
    const variable = this.variables[number];
    const [target, , length] = operands;
    return (
      (op === Op.MEMORY_FILL || op === Op.MEMORY_COPY) &&
      variable !== undefined &&
      target === variable &&
      length?.kind === "constant" &&
      length.low === wholeSize(variable, this.layout)
    );
  }

  /** What is live at the end of each block. */
  private liveAtEnds(): ReadonlyMap<Block, number> {
    const atStart = new Map<Block, number>();
    const atEnd = new Map<Block, number>();
    const order = reversePostorder(this.fn).toReversed();
    for (let isChanged = true; isChanged;) {
      isChanged = false;
      for (const block of order) {
        let live = 0;
        for (const successor of block.terminator.successors) live |= atStart.get(successor) ?? 0;
        atEnd.set(block, live);
        const own = this.touches.get(block) ?? [];
        for (let i = own.length - 1; i >= 0; i--) {
          const { overwrites, reads } = own[i] as Touch;
          live = (live & ~overwrites) | reads;
        }
        if (live === (atStart.get(block) ?? 0)) continue;
        atStart.set(block, live);
        isChanged = true;
      }
    }
    return atEnd;
  }

  /** For each candidate the others that it interferes with. Writes of what is not live are removed. */
  private interferences(liveAtEnds: ReadonlyMap<Block, number>): number[] {
    const found = this.variables.map(() => 0);
    const sources = new Map(this.copies.map(({ instruction, source }) => [instruction, source]));
    for (const [block, own] of this.touches) {
      let live = liveAtEnds.get(block) ?? 0;
      for (let i = own.length - 1; i >= 0; i--) {
        const { instruction, reads, writes, overwrites } = own[i] as Touch;
        if (writes !== 0 && (writes & (live | this.closed)) === 0) {
          this.removed.add(instruction);
          continue;
        }
        const source = sources.get(instruction);
        const others = source === undefined ? live : live & ~(1 << source);
        for (let number = 0; number < found.length; number++)
          if ((writes & (1 << number)) !== 0) found[number] = (found[number] ?? 0) | (others & ~(1 << number));
        live = (live & ~overwrites) | reads;
      }
    }
    for (let one = 0; one < found.length; one++)
      for (let other = 0; other < found.length; other++)
        if (((found[one] ?? 0) & (1 << other)) !== 0) found[other] = (found[other] ?? 0) | (1 << one);
    return found;
  }

  /** Joins the classes of what is copied, and removes the copies within classes. */
  private join(interference: readonly number[]): void {
    const leader = this.variables.map((_, number) => number);
    const members = this.variables.map((_, number) => 1 << number);
    const conflicts = [...interference];
    for (const { instruction, target, source } of this.copies) {
      const [into, from] = [leader[source] ?? source, leader[target] ?? target];
      if (((members[into] ?? 0) & this.closed) !== 0 || ((members[from] ?? 0) & this.closed) !== 0) continue;
      if (into !== from) {
        if (((conflicts[into] ?? 0) & (members[from] ?? 0)) !== 0) continue;
        conflicts[into] = (conflicts[into] ?? 0) | (conflicts[from] ?? 0);
        members[into] = (members[into] ?? 0) | (members[from] ?? 0);
        for (let number = 0; number < leader.length; number++) if (leader[number] === from) leader[number] = into;
      }
      this.removed.add(instruction);
    }
    for (const [number, variable] of this.variables.entries()) {
      const kept = this.variables[leader[number] ?? number];
      if (kept === undefined || kept === variable) continue;
      kept.alignment = Math.max(kept.alignment, variable.alignment);
      replaceLater(variable, kept);
      this.removed.add(variable);
    }
  }
}

/** Lets variables that are copied to one another share a place where no value is lost; true when any do. */
export function coalesceVariables(fn: IrFunction, { module }: FunctionFrame): boolean {
  return new Coalescer(fn, module.layout).run();
}
