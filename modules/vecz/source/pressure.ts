// SPDX-License-Identifier: Apache-2.0
// Register pressure: how many vector registers are live at once, and what the spills cost where the machine has fewer.
// Live ranges are those of SSA (liveness of blocks, then one backward walk over each); no allocation is done.
import {
  type Block,
  type Instruction,
  type IrFunction,
  type Loop,
  type LoopForest,
  Op,
  type Value,
  liveness,
} from "@muxkit/ir";
import { type MachineTarget, vectorRegistersHeld } from "@muxkit/machine-target";

/** Vector registers of one value: a splat needs one, however many its lanes would fill. */
function registersOfValue(value: Value, machine: MachineTarget): number {
  const held = vectorRegistersHeld(machine, value.type);
  return value.kind === "instruction" && value.op === Op.SPLAT ? Math.min(held, 1) : held;
}

/** Most vector registers that are live at once in straight-line code, after which some values are still live. */
export function mostAlive(
  instructions: readonly Instruction[],
  after: Iterable<Value>,
  machine: MachineTarget,
): number {
  const live = new Map<Value, number>();
  let count = 0;
  const use = (value: Value): void => {
    if (value.kind === "constant" || live.has(value)) return;
    const registers = registersOfValue(value, machine);
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

/** Cost of the spills where so many vector registers are live at once. */
export function spillCost({ costs, registers }: MachineTarget, alive: number): number {
  return costs.spill * Math.max(0, alive - registers.vectors);
}

/** Cost of a block's spills in each execution. */
export type SpillCosts = (block: Block) => number;

/**
 * Values that a loop defines or uses. What is only live through it is spilled once before the loop and does not count
 * in each iteration.
 */
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

/** Computes the cost of spills, block by block. */
export function spillCosts(fn: IrFunction, machine: MachineTarget, forest: LoopForest): SpillCosts {
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
    return spillCost(
      machine,
      mostAlive(block.instructions, [...after, ...block.terminator.successorArguments.flat()], machine),
    );
  };
}
