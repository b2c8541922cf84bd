// SPDX-License-Identifier: Apache-2.0
// What running a function once costs, in instructions of a machine with vectors of 16 bytes. Good for comparing forms of one function, for nothing else.
import {
  type Block,
  type Instruction,
  type IrFunction,
  Op,
  VOID,
  type Value,
  hasEffect,
  laneCount,
  loops,
  walk,
} from "@muxkit/ir";

import { type MachineTarget, costOfOp } from "@muxkit/machine-target";

import { spillCost, spillCosts } from "./pressure.ts";

/** How often a loop is taken to run. */
const ROUNDS = 8;
const DEEPEST = 4;
/** True for addresses that lie constant distances behind one another. */
function isPlaced(pointers: Value | undefined): boolean {
  if (pointers?.kind !== "instruction" || pointers.op !== Op.ADDRESS) return false;
  const [base, index] = pointers.operands;
  return base?.type.kind !== "vector" && index?.kind === "constant";
}

/** Lanes that are read or written one by one; `known`: what each costs where no address is computed for it. */
function laneByLane(pointers: Value | undefined, isMasked: boolean, computed: number, known: number): number {
  return laneCount(pointers?.type ?? VOID) * (isPlaced(pointers) && !isMasked ? known : computed);
}

function isAllOn(mask: Value | undefined): boolean {
  return mask?.kind === "constant" && mask.lanes.every(({ low }) => low === 1);
}

/** Cost of one instruction. */
export function instructionCost({ op, type, operands }: Instruction, machine: MachineTarget): number {
  const { costs } = machine;
  const [first, second] = operands;
  if (op === Op.GATHER) return laneByLane(first, !isAllOn(second), costs.gatherLane, costs.gatherKnownLane);
  if (op === Op.SCATTER) return laneByLane(second, false, costs.scatterLane, costs.scatterKnownLane);
  return costOfOp(machine, op, type === VOID && first !== undefined ? first.type : type, first?.type ?? null);
}

/** Cost of a round of a loop of one block: of its instructions, of spills where `alive` vectors are alive at once, of going round. */
export function roundCost(machine: MachineTarget, instructions: number, alive: number): number {
  return instructions + spillCost(machine, alive) + machine.costs.iteration;
}

/** What running a function costs. */
export interface Costs {
  readonly all: number;
  /** What of it comes of vectors without a register, in loops. */
  readonly spilled: number;
}

/** The estimate; blocks of loops count as often as a loop is taken to run. @public */
export function costOf(fn: IrFunction, machine: MachineTarget): number {
  return costsOf(fn, machine).all;
}

/** Of functions that nobody said more about. */
const NO_BLOCKS: ReadonlySet<Block> = new Set();

/** The estimate, with what it is made of. Blocks that are `rare` are left out. */
export function costsOf(fn: IrFunction, machine: MachineTarget, rare: ReadonlySet<Block> = NO_BLOCKS): Costs {
  const forest = loops(fn);
  const used = new Set<Value>();
  walk(fn, ({ operands, successorArguments }) => {
    for (const value of operands) used.add(value);
    for (const list of successorArguments) for (const value of list) used.add(value);
  });
  let all = 0;
  let spilled = 0;
  const spills = spillCosts(fn, machine, forest);
  for (const block of fn.blocks) {
    if (rare.has(block)) continue;
    const depth = Math.min(DEEPEST, forest.innermost.get(block)?.depth ?? 0);
    // Going round takes a comparison, a branch, and now and then a look at whether to go on at all.
    let own = forest.innermost.get(block)?.header === block ? machine.costs.iteration : 0;
    if (depth > 0) {
      const more = spills(block);
      own += more;
      spilled += more * ROUNDS ** depth;
    }
    // What nobody uses goes later.
    for (const instruction of block.instructions)
      if (used.has(instruction) || !hasEffect(instruction.op, "s")) own += instructionCost(instruction, machine);
    all += own * ROUNDS ** depth;
  }
  return { all, spilled };
}

/** Cost of the lines of the cache that accesses in loops touch: each run of a function pays it, for one work-item or for all that find their elements side by side. */
export function costOfLines(fn: IrFunction, accesses: readonly Instruction[], { costs }: MachineTarget): number {
  const { innermost } = loops(fn);
  let cost = 0;
  for (const { block } of accesses) {
    const depth = block === null ? 0 : Math.min(DEEPEST, innermost.get(block)?.depth ?? 0);
    if (depth > 0) cost += costs.cacheLine * ROUNDS ** depth;
  }
  return cost;
}
