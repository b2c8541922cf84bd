// SPDX-License-Identifier: Apache-2.0
// Register pressure: what it costs that more vectors are alive at once than the machine has registers for.
import {
  type Block,
  type DataLayout,
  type Instruction,
  type IrFunction,
  type Loop,
  type LoopForest,
  Op,
  type Type,
  VOID,
  type Value,
  laneCount,
  liveness,
  scalarOf,
  sizeOf,
} from "@muxkit/ir";

/** Bytes of a vector register. */
export const REGISTER_BYTES = 16;
/** Vector registers that the engine hands out: of the sixteen of x86-64 it keeps one for itself. */
export const REGISTERS = 15;
/** A vector that finds no register is written to memory once and read once, and what takes it waits. */
const SPILL = 3;

/** Vector registers that the lanes of a value fill. */
export function registersOf(type: Type, layout: DataLayout): number {
  const element = scalarOf(type);
  const bytes = element.kind === "int" && element.bits === 1 ? 4 : sizeOf(layout, element);
  return Math.max(1, Math.ceil((laneCount(type) * bytes) / REGISTER_BYTES));
}

/** Vector registers that values of a type hold while they are alive: whole numbers and pointers that are no vectors have registers of their own. */
export function registersHeld(type: Type, layout: DataLayout): number {
  return type === VOID || (laneCount(type) === 1 && type.kind !== "float") ? 0 : registersOf(type, layout);
}

/** What one value holds: where all lanes are the same, one register stands for all. */
function registersOfValue(value: Value, layout: DataLayout): number {
  const held = registersHeld(value.type, layout);
  return value.kind === "instruction" && value.op === Op.SPLAT ? Math.min(held, 1) : held;
}

/** Vector registers that are needed at once in a row of instructions behind which some values are alive. */
export function mostAlive(instructions: readonly Instruction[], after: Iterable<Value>, layout: DataLayout): number {
  const live = new Map<Value, number>();
  let count = 0;
  const use = (value: Value): void => {
    if (value.kind === "constant" || live.has(value)) return;
    const registers = registersOfValue(value, layout);
    live.set(value, registers);
    count += registers;
  };
  for (const value of after) use(value);
  let most = count;
  for (let i = instructions.length - 1; i >= 0; i--) {
    const instruction = instructions[i];
    if (instruction === undefined || instruction.op === Op.DEBUG_VALUE) continue;
    count -= live.get(instruction) ?? 0;
    live.delete(instruction);
    instruction.operands.forEach(use);
    most = Math.max(most, count);
  }
  return most;
}

/** What spills cost where so many vector registers are needed at once. */
export function spillCost(alive: number): number {
  return SPILL * Math.max(0, alive - REGISTERS);
}

/** What a block's spills cost each time that it is run. */
export type SpillCosts = (block: Block) => number;

/** Values that the blocks of a loop make or use: what others hold is written to memory in front of the loop. */
function valuesOf({ blocks }: Loop): ReadonlySet<Value> {
  const found = new Set<Value>();
  for (const { parameters, instructions } of blocks) {
    for (const parameter of parameters) found.add(parameter);
    for (const instruction of instructions) {
      found.add(instruction);
      for (const list of [instruction.operands, ...instruction.successorArguments])
        for (const value of list) found.add(value);
    }
  }
  return found;
}

/** Finds what spills cost, block by block. */
export function spillCosts(fn: IrFunction, layout: DataLayout, forest: LoopForest): SpillCosts {
  const { liveOut } = liveness(fn);
  const known = new Map<Loop, ReadonlySet<Value>>();
  return (block) => {
    const loop = forest.innermost.get(block);
    let values = loop === undefined ? undefined : known.get(loop);
    if (loop !== undefined && values === undefined) {
      values = valuesOf(loop);
      known.set(loop, values);
    }
    const after = [...(liveOut.get(block) ?? [])].filter((value) => values === undefined || values.has(value));
    return spillCost(mostAlive(block.instructions, [...after, ...block.terminator.successorArguments.flat()], layout));
  };
}
