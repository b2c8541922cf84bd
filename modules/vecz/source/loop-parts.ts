// SPDX-License-Identifier: Apache-2.0
// Loop distribution (fission) by register pressure, the analysis: which reductions of a loop of one block are
// independent, and how they are grouped into loops whose live vectors fit the registers.
//
// A strand is a set of loop-carried parameters that depend on each other and on no other strand: the connected
// components of the dependence cones (Kennedy and McKinley 1990, loop distribution, here on SSA). Strands that share
// the most loads are put together greedily until the machine's registers are full; the split is kept when its cost,
// with the loads that are repeated, is below the cost of the loop with its spills. Cost: quadratic in strands, hence
// MOST_STRANDS.
import {
  type Block,
  type Instruction,
  type Loop,
  Op,
  type Parameter,
  VOLATILE,
  type Value,
  hasEffect,
} from "@muxkit/ir";

import { type MachineTarget, registersOf, vectorRegistersHeld } from "@muxkit/machine-target";

import { instructionCost, iterationCost } from "./cost.ts";
import { mostAlive } from "./pressure.ts";

/** Reductions of a loop that no other part of it depends on. */
interface Strand {
  /** The loop-carried parameters of this strand alone. */
  readonly parameters: readonly Parameter[];
  /** Its results: its parameters in the next iteration, and values that are live out of the loop. */
  readonly results: readonly Value[];
}

/** A loop of one block with a back edge and an exit. */
export interface OneBlockLoop {
  readonly block: Block;
  /** Its preheader. */
  readonly before: Block;
  /** The block after it. */
  readonly after: Block;
  /** The index of the back edge. */
  readonly back: number;
}

/** One of the loops that a loop becomes. */
export interface LoopPart {
  /** Parameters of the block that it keeps, in their order. */
  readonly parameters: readonly Parameter[];
  /** Its instructions, each right before it is needed; without the branch. */
  readonly instructions: readonly Instruction[];
  /** Values that it alone passes to the code after the loop. */
  readonly outputs: ReadonlySet<Value>;
}

/** Loops with more strands than this are left alone: grouping takes the square of their number. */
const MOST_STRANDS = 64;

/** A loop as a loop of one block; null: it is another kind. */
export function oneBlockLoop({ header, blocks, exits }: Loop, before: readonly Block[]): OneBlockLoop | null {
  const [exit] = exits;
  const entries = before.filter((block) => block !== header);
  const [entry] = entries;
  const { terminator } = header;
  if (
    blocks.size !== 1 ||
    exits.length !== 1 ||
    exit === undefined ||
    entry === undefined ||
    entries.length !== 1 ||
    entry.terminator.op !== Op.BR ||
    terminator.op !== Op.COND_BR
  )
    return null;
  return { block: header, before: entry, after: exit[1], back: terminator.successors.indexOf(header) };
}

/** True for what may be repeated: arithmetic, and loads that nothing in the loop can change. */
function isRepeatable(instruction: Instruction, mayReload: (load: Instruction) => boolean): boolean {
  const { op, flags } = instruction;
  if (op === Op.LOAD) return (flags & VOLATILE) === 0 && mayReload(instruction);
  return instruction.isTerminator || op === Op.DEBUG_VALUE || (hasEffect(op, "s") && op !== Op.SPEC_CONSTANT);
}

/** Finds the parts of one loop. */
export class PartFinder {
  private readonly machine: MachineTarget;
  private readonly block: Block;
  private readonly nexts: ReadonlyMap<Value, Value>;
  private readonly condition: Value;
  private readonly outside: ReadonlySet<Value>;
  private readonly cones = new Map<Value, ReadonlySet<Value>>();

  /** `outside`: values of the block that are used after it. */
  constructor({ block, back }: OneBlockLoop, outside: ReadonlySet<Value>, machine: MachineTarget) {
    this.block = block;
    this.machine = machine;
    this.outside = outside;
    const given = block.terminator.successorArguments[back] ?? [];
    this.nexts = new Map(
      block.parameters.flatMap((parameter, i) => (given[i] === undefined ? [] : [[parameter, given[i]]])),
    );
    this.condition = block.terminator.operands[0] ?? block.terminator;
  }

  private isOwn(value: Value): value is Instruction | Parameter {
    return value.kind !== "constant" && value.block === this.block;
  }

  /** The dependence cone: all values of the block that a value depends on, in this iteration or in earlier ones. */
  private cone(value: Value): ReadonlySet<Value> {
    const known = this.cones.get(value);
    if (known !== undefined) return known;
    const found = new Set<Value>();
    const work: Value[] = [value];
    for (let one = work.pop(); one !== undefined; one = work.pop()) {
      if (!this.isOwn(one) || found.has(one)) continue;
      found.add(one);
      if (one.kind === "instruction") work.push(...one.operands);
      else work.push(this.nexts.get(one) ?? one);
    }
    this.cones.set(value, found);
    return found;
  }

  /** The strands; null: the trip count, or a value that is live out, depends on all of them. */
  private strands(): Strand[] | null {
    const { parameters } = this.block;
    // Counters and pointers are repeated in every part; what fills registers, and what depends on it, belongs to one.
    const full = parameters.filter(({ type }) => vectorRegistersHeld(this.machine, type) > 0);
    const bound = parameters.filter((parameter) => full.some((other) => this.cone(parameter).has(other)));
    const isBound = new Set<Value>(bound);
    if (bound.length > MOST_STRANDS || [...this.cone(this.condition)].some((value) => isBound.has(value))) return null;
    const leaders = new Map<Value, Value>(bound.map((parameter) => [parameter, parameter]));
    const leader = (value: Value): Value => {
      const next = leaders.get(value) ?? value;
      return next === value ? value : leader(next);
    };
    const join = (values: readonly Value[]): void => {
      const [first, ...others] = values;
      if (first !== undefined) for (const other of others) leaders.set(leader(other), leader(first));
    };
    const boundIn = (value: Value): Value[] => [...this.cone(value)].filter((one) => isBound.has(one));
    for (const parameter of bound) join([parameter, ...boundIn(parameter)]);
    for (const output of this.outside) join(boundIn(output));
    const found = new Map<Value, { parameters: Parameter[]; results: Value[] }>();
    for (const parameter of bound) {
      const strand = found.get(leader(parameter)) ?? { parameters: [], results: [] };
      found.set(leader(parameter), strand);
      strand.parameters.push(parameter);
      strand.results.push(this.nexts.get(parameter) ?? parameter);
    }
    for (const output of this.outside) {
      const [first] = boundIn(output);
      if (first !== undefined) found.get(leader(first))?.results.push(output);
    }
    return [...found.values()];
  }

  /** A loop with some of the strands. `more`: further values that it passes on. */
  private part(strands: readonly Strand[], more: readonly Value[]): LoopPart {
    const results = [...strands.flatMap((strand) => strand.results), ...more];
    const needed = new Set(
      [...results, ...strands.flatMap((strand) => strand.parameters), this.condition].flatMap((value) => [
        ...this.cone(value),
      ]),
    );
    const parameters = this.block.parameters.filter((parameter) => needed.has(parameter));
    const instructions: Instruction[] = [];
    const visited = new Set<Value>();
    const visit = (value: Value): void => {
      if (value.kind !== "instruction" || value.block !== this.block || visited.has(value)) return;
      visited.add(value);
      for (const operand of value.operands) visit(operand);
      instructions.push(value);
    };
    for (const value of [
      ...results,
      ...parameters.map((parameter) => this.nexts.get(parameter) ?? parameter),
      this.condition,
    ])
      visit(value);
    return {
      parameters,
      instructions,
      outputs: new Set(
        strands.flatMap((strand) =>
          strand.results
            .filter((value) => this.outside.has(value))
            .concat(strand.parameters.filter((parameter) => this.outside.has(parameter))),
        ),
      ),
    };
  }

  /** Vector registers that are live at once in a part. */
  private alive({ parameters, instructions, outputs }: LoopPart): number {
    const own = new Set<Value>(instructions);
    const taken = instructions.flatMap(({ operands }) =>
      operands.filter((operand) => operand.kind !== "constant" && !own.has(operand) && !this.isOwn(operand)),
    );
    return mostAlive(
      instructions,
      [...outputs, ...taken, ...parameters.map((parameter) => this.nexts.get(parameter) ?? parameter)],
      this.machine,
    );
  }

  private cost(part: LoopPart): number {
    return iterationCost(
      this.machine,
      part.instructions.reduce((sum, instruction) => sum + instructionCost(instruction, this.machine), 0),
      this.alive(part),
    );
  }

  /** Groups strands that share the most loads, at most so many in each group. `loadsOf`: the loads of each strand. */
  private fill(strands: readonly Strand[], most: number, loadsOf: ReadonlyMap<Strand, ReadonlySet<Value>>): Strand[][] {
    const rest = new Set(strands);
    const filled: Strand[][] = [];
    for (const first of rest) {
      const chosen = [first];
      const has = new Set(loadsOf.get(first));
      rest.delete(first);
      while (chosen.length < most) {
        let best: Strand | null = null;
        let highest = -1;
        for (const strand of rest) {
          let gain = 0;
          for (const load of loadsOf.get(strand) ?? []) if (has.has(load)) gain += registersOf(this.machine, load.type);
          if (gain > highest) [best, highest] = [strand, gain];
        }
        if (best === null || this.alive(this.part([...chosen, best], [])) > this.machine.registers.vectors) break;
        chosen.push(best);
        rest.delete(best);
        for (const load of loadsOf.get(best) ?? []) has.add(load);
      }
      filled.push(chosen);
    }
    return filled;
  }

  private loadsOf(strand: Strand): ReadonlySet<Value> {
    return new Set(this.part([strand], []).instructions.filter(({ op }) => op === Op.LOAD));
  }

  /**
   * The parts that the loop is split into, in their order; null: it stays as it is. `mayReload`: whether a load may be
   * repeated in each part.
   */
  find(mayReload: (load: Instruction) => boolean): readonly LoopPart[] | null {
    if (
      mostAlive(this.block.instructions, this.block.terminator.successorArguments.flat(), this.machine) <=
        this.machine.registers.vectors ||
      !this.block.instructions.every((instruction) => isRepeatable(instruction, mayReload))
    )
      return null;
    const strands = this.strands();
    if (strands === null || strands.length < 2) return null;
    const shared = [...this.outside].filter(
      (value) =>
        ![...this.cone(value)].some((one) => strands.some(({ parameters }) => parameters.includes(one as Parameter))),
    );
    const whole = this.part(strands, shared);
    if (this.alive(whole) <= this.machine.registers.vectors) return null;
    const loadsOf = new Map(strands.map((strand) => [strand, this.loadsOf(strand)]));
    const few = this.fill(strands, MOST_STRANDS, loadsOf);
    // All of about the same length: in a short loop each iteration waits for the one before.
    const filled = this.fill(strands, Math.ceil(strands.length / few.length), loadsOf);
    const parts = filled.map((chosen, i) => this.part(chosen, i === filled.length - 1 ? shared : []));
    return parts.length > 1 && parts.reduce((sum, part) => sum + this.cost(part), 0) < this.cost(whole) ? parts : null;
  }
}
