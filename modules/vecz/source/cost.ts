// SPDX-License-Identifier: Apache-2.0
// What running a function once costs, in instructions of a machine with vectors of 16 bytes. Good for comparing forms of one function, for nothing else.
import {
  type Block,
  type DataLayout,
  type Instruction,
  type IrFunction,
  LOCAL,
  Op,
  type Type,
  VOID,
  type Value,
  hasEffect,
  laneCount,
  loops,
  scalarOf,
  walk,
} from "@muxkit/ir";

import { registersOf, spillCost, spillCosts } from "./pressure.ts";

/** How often a loop is taken to run. */
const ROUNDS = 8;
const DEEPEST = 4;
/** What a round of a loop costs beside its instructions. */
const ROUND = 4;
/** What a call costs beside what it calls. */
const CALL = 20;

/** Vector registers that an instruction works on. */
function registers(type: Type, layout: DataLayout): number {
  return type === VOID ? 1 : registersOf(type, layout);
}

/** Ops that cost more than one instruction a register. */
const DEAR: ReadonlyMap<number, number> = new Map([
  [Op.FDIV, 6],
  [Op.FSQRT, 6],
  [Op.FPTOSI, 2],
  [Op.FPTOUI, 3],
  [Op.UITOFP, 2],
  [Op.FMIN, 3],
  [Op.FMAX, 3],
  [Op.ROTL, 3],
]);
/** Machines put the product of two vectors of longs together from three products of halves. */
const LONG_PRODUCT = 8;
/** Ops without vector form: each lane is taken out, computed and put back. */
const BY_LANE: ReadonlyMap<number, number> = new Map([
  [Op.SDIV, 20],
  [Op.UDIV, 20],
  [Op.SREM, 20],
  [Op.UREM, 20],
  [Op.CLZ, 1],
  [Op.CTZ, 1],
  [Op.SMULH, 2],
  [Op.UMULH, 2],
  [Op.FREM, 30],
]);
/** What it costs to come back to a line of the cache in each round of a loop, since rounds before and other work-items have used others. */
const LINE = 4;
/** Taking a lane out of a vector and putting one in. */
const EXCHANGE = 2;

/** An address taken out, a load that waits for it, a lane put in: twice what the load of one work-item costs in a loop, as measured. */
const GATHERED = 8;
/** A lane that lies a known distance behind lane 0: no address is computed for it. */
const PLACED = 3;

/** True for addresses that lie constant distances behind one another. */
function isPlaced(pointers: Value | undefined): boolean {
  if (pointers?.kind !== "instruction" || pointers.op !== Op.ADDRESS) return false;
  const [base, index] = pointers.operands;
  return base?.type.kind !== "vector" && index?.kind === "constant";
}

/** Lanes that are read or written one by one. */
function laneByLane(pointers: Value | undefined, isMasked: boolean, dear: number): number {
  return laneCount(pointers?.type ?? VOID) * (isPlaced(pointers) && !isMasked ? Math.min(dear, PLACED) : dear);
}

function isAllOn(mask: Value | undefined): boolean {
  return mask?.kind === "constant" && mask.lanes.every(({ low }) => low === 1);
}

/** Cost of one instruction. */
export function instructionCost(instruction: Instruction, layout: DataLayout): number {
  const { op, type, operands } = instruction;
  const [first] = operands;
  const shape = type === VOID && first !== undefined ? first.type : type;
  const lanes = laneCount(shape);
  const byLane = BY_LANE.get(op);
  if (byLane !== undefined) return lanes === 1 ? byLane : lanes * (byLane + EXCHANGE);
  switch (op) {
    case Op.GATHER:
      return laneByLane(first, !isAllOn(operands[1]), GATHERED);
    case Op.SCATTER:
      return laneByLane(operands[1], false, EXCHANGE + 1);
    case Op.MASKED_STORE:
      return 4 + registers(shape, layout);
    case Op.MASKED_LOAD:
      return 2 * registers(shape, layout);
    case Op.BUILD:
      return lanes;
    case Op.EXTRACT:
    case Op.INSERT:
    case Op.SPLAT:
      return 1;
    case Op.SHUFFLE:
      return 2 * registers(shape, layout);
    case Op.PERMUTE:
      return 4 * registers(shape, layout);
    case Op.ANY:
    case Op.ALL:
      return 2;
    case Op.CALL:
      return CALL;
    // In local memory only one thread works: what is atomic there is an access before and one after.
    case Op.ATOMIC_RMW:
    case Op.ATOMIC_COMPARE_EXCHANGE:
      return first?.type.addressSpace === LOCAL ? 3 : CALL;
    case Op.MUL:
      return (lanes > 1 && scalarOf(shape).bits === 64 ? LONG_PRODUCT : 1.5) * registers(shape, layout);
    // What a plain branch leads to mostly comes next.
    case Op.DEBUG_VALUE:
    case Op.BR:
      return 0;
    default:
      return (DEAR.get(op) ?? 1) * registers(shape, layout);
  }
}

/** Cost of a round of a loop of one block: of its instructions, of spills where `alive` vectors are alive at once, of going round. */
export function roundCost(instructions: number, alive: number): number {
  return instructions + spillCost(alive) + ROUND;
}

/** What running a function costs. */
export interface Costs {
  readonly all: number;
  /** What of it comes of vectors without a register, in loops. */
  readonly spilled: number;
}

/** The estimate; blocks of loops count as often as a loop is taken to run. @public */
export function costOf(fn: IrFunction, layout: DataLayout): number {
  return costsOf(fn, layout).all;
}

/** Of functions that nobody said more about. */
const NO_BLOCKS: ReadonlySet<Block> = new Set();

/** The estimate, with what it is made of. Blocks that are `rare` are left out. */
export function costsOf(fn: IrFunction, layout: DataLayout, rare: ReadonlySet<Block> = NO_BLOCKS): Costs {
  const forest = loops(fn);
  const used = new Set<Value>();
  walk(fn, ({ operands, successorArguments }) => {
    for (const value of operands) used.add(value);
    for (const list of successorArguments) for (const value of list) used.add(value);
  });
  let all = 0;
  let spilled = 0;
  const spills = spillCosts(fn, layout, forest);
  for (const block of fn.blocks) {
    if (rare.has(block)) continue;
    const depth = Math.min(DEEPEST, forest.innermost.get(block)?.depth ?? 0);
    // Going round takes a comparison, a branch, and now and then a look at whether to go on at all.
    let own = forest.innermost.get(block)?.header === block ? ROUND : 0;
    if (depth > 0) {
      const more = spills(block);
      own += more;
      spilled += more * ROUNDS ** depth;
    }
    // What nobody uses goes later.
    for (const instruction of block.instructions)
      if (used.has(instruction) || !hasEffect(instruction.op, "s")) own += instructionCost(instruction, layout);
    all += own * ROUNDS ** depth;
  }
  return { all, spilled };
}

/** Cost of the lines of the cache that accesses in loops touch: each run of a function pays it, for one work-item or for all that find their elements side by side. */
export function costOfLines(fn: IrFunction, accesses: readonly Instruction[]): number {
  const { innermost } = loops(fn);
  let cost = 0;
  for (const { block } of accesses) {
    const depth = block === null ? 0 : Math.min(DEEPEST, innermost.get(block)?.depth ?? 0);
    if (depth > 0) cost += LINE * ROUNDS ** depth;
  }
  return cost;
}
