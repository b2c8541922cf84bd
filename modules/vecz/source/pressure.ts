// SPDX-License-Identifier: Apache-2.0
// Register pressure: what it costs that more vectors are alive at once than the machine has registers for.
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

/** What one value holds: where all lanes are the same, one register stands for all. */
function registersOfValue(value: Value, machine: MachineTarget): number {
  const held = vectorRegistersHeld(machine, value.type);
  return value.kind === "instruction" && value.op === Op.SPLAT ? Math.min(held, 1) : held;
}

/** Vector registers that are needed at once in a row of instructions behind which some values are alive. */
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

/** What spills cost where so many vector registers are needed at once. */
export function spillCost({ costs, registers }: MachineTarget, alive: number): number {
  return costs.spill * Math.max(0, alive - registers.vectors);
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
