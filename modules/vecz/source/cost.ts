// SPDX-License-Identifier: Apache-2.0
// The cost model: what one execution of a function costs on a machine, in simple vector instructions. It compares
// variants of one function, and is good for nothing else.
import {
  type Block,
  type Instruction,
  type IrFunction,
  type Loop,
  type LoopForest,
  Op,
  VOID,
  type Value,
  clearMarks,
  hasEffect,
  laneCount,
  loops,
  scalarOf,
  walk,
} from "@muxkit/ir";

import { type MachineTarget, costOfOp } from "@muxkit/machine-target";

import { Frequencies, type Known, NOTHING_KNOWN } from "./frequency.ts";
import { OperationCosts } from "./operation-costs.ts";
import { spillCost, spillCosts } from "./pressure.ts";

/** Iterations that every loop is assumed to run. */
const ITERATIONS = 8;
const DEEPEST = 4;
/**
 * How much longer a vector stays in a loop that its lanes leave in different iterations than one work-item does: it
 * runs as long as its last lane. Of jobs with such loops (walks over trees, backtracking, searches) the estimate was
 * that much too low, or more.
 */
const LAST_LANE = 1.3;

/** True for a loop that a vector of lanes stays in while any of them does. */
function isDivergent({ blocks }: Loop): boolean {
  return [...blocks].some(({ terminator: { op, operands, successors } }) => {
    const [condition] = operands;
    return (
      op === Op.COND_BR &&
      condition?.kind === "instruction" &&
      condition.op === Op.ANY &&
      successors.some((successor) => !blocks.has(successor))
    );
  });
}

/** How often the blocks of each loop run in one execution of the function; outer loops come first. */
function iterationCounts({ loops: all }: LoopForest): ReadonlyMap<Loop, number> {
  const counts = new Map<Loop, number>();
  for (const loop of all) {
    const around = (loop.parent === null ? undefined : counts.get(loop.parent)) ?? 1;
    counts.set(loop, loop.depth > DEEPEST ? around : around * ITERATIONS * (isDivergent(loop) ? LAST_LANE : 1));
  }
  return counts;
}

/** True for vectors of addresses that are constant distances apart. */
function hasKnownDistances(pointers: Value | undefined): boolean {
  if (pointers?.kind !== "instruction" || pointers.op !== Op.ADDRESS) return false;
  const [base, index] = pointers.operands;
  return base?.type.kind !== "vector" && index?.kind === "constant";
}

/** Lanes that are read or written one by one; `known`: what each costs where no address is computed for it. */
function laneByLane(pointers: Value | undefined, isMasked: boolean, computed: number, known: number): number {
  return laneCount(pointers?.type ?? VOID) * (hasKnownDistances(pointers) && !isMasked ? known : computed);
}

function isAllOn(mask: Value | undefined): boolean {
  return mask?.kind === "constant" && mask.lanes.every(({ low }) => low === 1);
}

/** True for an atomic operation on the address that one lane of several has. */
function isLaneAtomic(op: number, pointer: Value | undefined): boolean {
  return (
    (op === Op.ATOMIC_RMW || op === Op.ATOMIC_COMPARE_EXCHANGE) &&
    pointer?.kind === "instruction" &&
    pointer.op === Op.EXTRACT
  );
}

/** True where all lanes of a shift have one amount. */
function hasOneAmount(amount: Value | undefined): boolean {
  return (
    amount === undefined ||
    laneCount(amount.type) === 1 ||
    (amount.kind === "constant" && amount.lanes.every((lane) => lane === amount.lanes[0])) ||
    (amount.kind === "instruction" && amount.op === Op.SPLAT)
  );
}

/** Cost of one instruction. */
export function instructionCost({ op, type, scale, operands }: Instruction, machine: MachineTarget): number {
  const { costs } = machine;
  const [first, second] = operands;
  if (op === Op.GATHER) return laneByLane(first, !isAllOn(second), costs.gatherLane, costs.gatherKnownLane);
  if (op === Op.SCATTER) return laneByLane(second, false, costs.scatterLane, costs.scatterKnownLane);
  const own = costOfOp(machine, op, {
    type: type === VOID && first !== undefined ? first.type : type,
    pointer: first?.type ?? null,
    amounts: hasOneAmount(second) ? "one" : "own",
  });
  // Each register of a block of lanes is looked into.
  if (op === Op.PERMUTE) return own * Math.max(1, (scale * scalarOf(type).bits) / (8 * machine.registers.vectorBytes));
  return isLaneAtomic(op, first) ? own + costs.atomicLane : own;
}

/**
 * Cost of one iteration of a loop of one block: of its instructions, of spills where `alive` vector registers are live
 * at once, and of the back edge.
 */
export function iterationCost(machine: MachineTarget, instructions: number, alive: number): number {
  return instructions + spillCost(machine, alive) + machine.costs.iteration;
}

/** What one execution of a function costs. @public */
export interface Costs {
  /** The whole of it. */
  readonly all: number;
  /** The part of it that spills in loops cause. */
  readonly spilled: number;
  /** The operations that it comes from. */
  readonly operations: OperationCosts;
}

/**
 * The estimate; blocks of loops count once an assumed iteration, more of them where lanes leave one by one, and blocks
 * behind branches as often as they are likely to run. Unit: one simple vector instruction.
 *
 * @public
 */
export function costOf(fn: IrFunction, machine: MachineTarget): number {
  return costsOf(fn, machine).all;
}

/** What each edge hands to the parameters of a block. */
function argumentsInto(fn: IrFunction): ReadonlyMap<Block, readonly (readonly Value[])[]> {
  const lists = new Map<Block, (readonly Value[])[]>();
  for (const { terminator } of fn.blocks)
    terminator.successors.forEach((successor, edge) => {
      const list = lists.get(successor) ?? [];
      lists.set(successor, list);
      list.push(terminator.successorArguments[edge] ?? []);
    });
  return lists;
}

/**
 * Marks what effects and branches need. What is only handed on, as from lanes to a block parameter that nobody reads,
 * stays unmarked: `dce` removes it later.
 */
function markNeeded(fn: IrFunction): void {
  clearMarks(fn);
  const into = argumentsInto(fn);
  const waiting: Value[] = [];
  const need = (value: Value): void => {
    if (value.kind === "constant" || value.mark === 1) return;
    value.mark = 1;
    waiting.push(value);
  };
  walk(fn, (instruction) => {
    if (instruction.isTerminator || !hasEffect(instruction.op, "s")) need(instruction);
  });
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (value.kind === "instruction") value.operands.forEach(need);
    else if (value.kind === "parameter" && value.block !== null) {
      const index = value.block.parameters.indexOf(value);
      for (const list of into.get(value.block) ?? []) {
        const argument = list[index];
        if (argument !== undefined) need(argument);
      }
    }
  }
}

/** The estimate and its parts, with what is known of blocks. @internal */
export function costsOf(fn: IrFunction, machine: MachineTarget, known: Known = NOTHING_KNOWN): Costs {
  const forest = loops(fn);
  const frequencies = new Frequencies(fn, forest, known);
  markNeeded(fn);
  let all = 0;
  const operations = new OperationCosts();
  const spills = spillCosts(fn, machine, forest);
  const counts = iterationCounts(forest);
  /** The most that a block of each loop costs by its spills, in one iteration. */
  const most = new Map<Loop, number>();
  for (const block of fn.blocks) {
    const frequency = frequencies.of(block);
    if (frequency === 0) continue;
    const loop = forest.innermost.get(block);
    const iterations = (loop === undefined ? undefined : counts.get(loop)) ?? 1;
    let own = loop?.header === block ? machine.costs.iteration : 0;
    if (loop !== undefined) most.set(loop, Math.max(most.get(loop) ?? 0, spills(block) * frequency));
    // Dead code costs nothing: dce removes it later.
    for (const instruction of block.instructions) {
      if (instruction.mark === 0 && hasEffect(instruction.op, "s")) continue;
      const cost = instructionCost(instruction, machine);
      own += cost;
      operations.add(instruction, cost * frequency * iterations);
    }
    const branches = frequencies.mistakes(block) * machine.limits.predicatedInstructions;
    operations.add(block.terminator, branches * iterations);
    all += (own * frequency + branches) * iterations;
  }
  // What finds no register is written and read once an iteration, through however many blocks it is live.
  let spilled = 0;
  for (const [loop, cost] of most) spilled += cost * (counts.get(loop) ?? 1);
  all += spilled;
  operations.addSpills(spilled);
  return { all, spilled, operations };
}

/**
 * Cost of the cache lines that accesses in loops touch. Each execution of a function pays it, whether for one work-item
 * or for a vector of them whose elements are contiguous.
 */
export function costOfLines(
  { innermost }: LoopForest,
  accesses: readonly Instruction[],
  { costs }: MachineTarget,
): number {
  let cost = 0;
  for (const { block } of accesses) {
    const depth = block === null ? 0 : Math.min(DEEPEST, innermost.get(block)?.depth ?? 0);
    if (depth > 0) cost += costs.cacheLine * ITERATIONS ** depth;
  }
  return cost;
}
