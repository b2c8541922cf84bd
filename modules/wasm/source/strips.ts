// SPDX-License-Identifier: Apache-2.0
// Strip mining of straight-line vector code. A vector of many lanes is several v128, its parts. A chain of elementwise
// operations on such vectors, written operation by operation, keeps all parts of each step alive at once:
//
//   a0 a1 a2 a3, then b0 b1 b2 b3 …    as strips:    a0 b0 …, a1 b1 …, a2 b2 …, a3 b3 …
//
// Where a chain would need more registers than there are, it is written strip by strip: a strip is as many lanes as the
// widest lanes of the chain have in one part. Narrower lanes have parts of several strips: such a part is written with
// the first of its strips where it comes from outside, with the last of them where it is made of wider lanes.
//
// Phases: cut each block into segments, which end where something needs the whole of a result, writes memory or would
// have to wait for a later strip; estimate how many registers are live at once; leave the segment as it is, or make it
// strips. What else is in a segment comes before the strips. Cost: linear in instructions.
import { type Block, type Instruction, type IrFunction, Op, VOLATILE, type Value, hasEffect } from "@muxkit/ir";

/** An operation of a chain. */
export interface StripMember {
  readonly instruction: Instruction;
  /** Lanes of its result that are written at once. */
  readonly step: number;
  /** Written with the last strip of those lanes, after what they are made of; with the first one otherwise. */
  readonly isLate: boolean;
}

/** A chain of operations, each of which computes lane `i` of its result from lanes `i`. */
export interface Strips {
  readonly members: readonly StripMember[];
  /** Lanes of all values. */
  readonly lanes: number;
  /** Lanes of a strip. */
  readonly step: number;
}

/** What a block does next. */
export type Step = Instruction | Strips;

/** What the generator knows of instructions. */
export interface StripFacts {
  /**
   * Lanes of the result (of a store, of what is stored) that can be written at once, at least; 0: all have to be. Such
   * an instruction computes lane `i` from lanes `i`.
   */
  readonly stepOf: (instruction: Instruction) => number;
  /** Operands, as the generator takes them: none where an instruction is dropped. */
  readonly operandsOf: (instruction: Instruction) => readonly Value[];
  /** True for instructions that are not written where they stand. */
  readonly isLeftOut: (instruction: Instruction) => boolean;
  /** Parts of a value that have a local of their own. */
  readonly partsOf: (value: Value) => number;
}

/**
 * Registers that a segment may need before it becomes strips. V8 has 15 for values; where a few more are needed, two
 * strips that are computed side by side gain more than the spills cost.
 */
const MOST_ALIVE = 20;

/** Parts that may be computed before a chain that they come after: they are alive meanwhile. */
const MOST_AHEAD = 8;

/** Cuts the blocks of a function. */
class Planner {
  private readonly facts: StripFacts;
  /** Values that other blocks use. */
  private readonly escaping = new Set<Value>();
  /** Where each value is used last in its block. */
  private readonly lastUse = new Map<Value, number>();
  private steps: Step[] = [];
  private hasStrips = false;
  /** The segment: what it is made of, in order, and where it begins. */
  private all: Instruction[] = [];
  private ahead: Instruction[] = [];
  private members = new Map<Value, StripMember>();
  private lanes = 0;
  private partsAhead = 0;

  constructor(fn: IrFunction, facts: StripFacts) {
    this.facts = facts;
    for (const block of fn.blocks) {
      for (const user of block.instructions) {
        for (const value of user.operands)
          if (value.type.kind === "vector" && value.kind === "instruction" && value.block !== block)
            this.escaping.add(value);
        for (const list of user.successorArguments) for (const value of list) this.escaping.add(value);
      }
    }
  }

  /** The steps of a block; null: those of its instructions, in order. */
  plan({ instructions }: Block): readonly Step[] | null {
    const { facts, lastUse } = this;
    lastUse.clear();
    instructions.forEach((user, at) => {
      for (const value of facts.operandsOf(user)) if (value.type.kind === "vector") lastUse.set(value, at);
    });
    this.steps = [];
    this.hasStrips = false;
    instructions.forEach((instruction, at) => {
      if (instruction.isTerminator) return;
      if (!facts.isLeftOut(instruction)) this.add(instruction, at);
      // It is computed where it is used, which must be after the chain.
      else if (this.takesMembers(instruction)) this.end(at);
    });
    this.end(instructions.length);
    return this.hasStrips ? this.steps : null;
  }

  private add(instruction: Instruction, at: number): void {
    const step = this.facts.stepOf(instruction);
    const lanes = (instruction.op === Op.STORE ? instruction.operands[0] : instruction)?.type.count ?? 0;
    if (step > 0 && this.members.size > 0 && lanes === this.lanes && this.join(instruction, step, at)) return;
    if (this.takesMembers(instruction) || !mayComeBefore(instruction)) this.end(at);
    if (step > 0 && instruction.op !== Op.STORE && this.facts.partsOf(instruction) > 1) {
      this.end(at);
      this.lanes = lanes;
      this.join(instruction, step, at);
    } else if (this.members.size === 0) this.steps.push(instruction);
    else {
      this.partsAhead += instruction.type.kind === "vector" ? this.newParts(instruction) : 0;
      this.all.push(instruction);
      this.ahead.push(instruction);
      if (this.partsAhead > MOST_AHEAD) this.end(at + 1);
    }
  }

  /** Registers that a vector takes besides those of its operands: none where it repeats the parts of another one. */
  private newParts(instruction: Instruction): number {
    const [whole] = instruction.operands;
    const isRepetition =
      instruction.op === Op.SHUFFLE &&
      whole !== undefined &&
      instruction.lanes.every((lane, i) => lane === i % whole.type.count);
    return isRepetition ? 0 : this.facts.partsOf(instruction);
  }

  private takesMembers(instruction: Instruction): boolean {
    return this.facts.operandsOf(instruction).some((value) => this.members.has(value));
  }

  /** Makes an instruction part of the chain; false: it needs what is only there after a later strip. */
  private join(instruction: Instruction, step: number, at: number): boolean {
    let isLate = instruction.op === Op.STORE;
    for (const value of this.facts.operandsOf(instruction)) {
      const member = this.members.get(value);
      if (member === undefined) continue;
      if (member.isLate && member.step > step) return false;
      isLate ||= member.isLate || member.step < step;
    }
    if (instruction.op === Op.STORE && !this.members.has(instruction.operands[0] as Value)) return false;
    this.members.set(instruction, { instruction, step, isLate });
    this.all.push(instruction);
    // Later loads may read what a store writes.
    if (instruction.op === Op.STORE) this.end(at + 1);
    return true;
  }

  /** Ends the segment before position `at` of the block. */
  private end(at: number): void {
    if (this.all.length === 0) return;
    const members = [...this.members.values()];
    const step = members.reduce((least, member) => Math.min(least, member.step), this.lanes);
    if (members.length > 1 && step < this.lanes && this.mostAlive(at) > MOST_ALIVE) {
      const loads = members.filter(({ instruction }) => instruction.op === Op.LOAD);
      const isStored = members.at(-1)?.instruction.op === Op.STORE;
      this.steps.push(...this.ahead);
      // A store of an earlier strip must not come before a load of a later one.
      if (isStored) this.steps.push(...loads.map(({ instruction }) => instruction));
      const own = isStored ? members.filter((member) => !loads.includes(member)) : members;
      this.steps.push({ members: own, lanes: this.lanes, step });
      this.hasStrips = true;
    } else for (const instruction of this.all) this.steps.push(instruction);
    this.all = [];
    this.ahead = [];
    this.members = new Map();
    this.partsAhead = 0;
  }

  /** Most registers that the segment's values and operands take at once as it is. */
  private mostAlive(end: number): number {
    const { facts, lastUse } = this;
    const alive = new Set<Value>();
    let count = 0;
    const use = (value: Value): void => {
      if (value.kind === "constant" || value.type.kind !== "vector" || alive.has(value)) return;
      alive.add(value);
      count += facts.partsOf(value);
    };
    for (const value of this.all) if (this.escaping.has(value) || (lastUse.get(value) ?? -1) >= end) use(value);
    let most = count;
    for (let i = this.all.length - 1; i >= 0; i--) {
      const instruction = this.all[i] as Instruction;
      if (alive.delete(instruction)) count -= facts.partsOf(instruction);
      for (const value of facts.operandsOf(instruction)) use(value);
      most = Math.max(most, count);
    }
    return most;
  }
}

/** True for instructions that a chain does not notice when they come before it. */
function mayComeBefore({ op, flags }: Instruction): boolean {
  return hasEffect(op, "s") || ((op === Op.LOAD || op === Op.GATHER) && (flags & VOLATILE) === 0);
}

/** Steps of the blocks that have chains in strips. */
export function planStrips(fn: IrFunction, facts: StripFacts): ReadonlyMap<Block, readonly Step[]> {
  const plans = new Map<Block, readonly Step[]>();
  const isWide = ({ instructions }: Block): boolean =>
    instructions.some((instruction) => instruction.type.kind === "vector" && facts.partsOf(instruction) > 1);
  const wide = fn.blocks.filter(isWide);
  if (wide.length === 0) return plans;
  const planner = new Planner(fn, facts);
  for (const block of wide) {
    const steps = planner.plan(block);
    if (steps !== null) plans.set(block, steps);
  }
  return plans;
}
