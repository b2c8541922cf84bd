// Register pressure: what it costs that more vectors are alive at once than the machine has registers for.
import { type Block, type DataLayout, type IrFunction, Op, type Type, VOID, type Value, laneCount, liveness, scalarOf, sizeOf } from "@muxkit/ir";

/** Bytes of a vector register. */
export const REGISTER_BYTES = 16;
/** Vector registers that the engine hands out: of the sixteen of x86-64 it keeps one for itself. */
const REGISTERS = 15;
/** A vector that finds no register is written to memory once and read once. */
const SPILL = 2;

/** Vector registers that the lanes of a value fill. */
export function registersOf(type: Type, layout: DataLayout): number {
  const element = scalarOf(type);
  const bytes = element.kind === "int" && element.bits === 1 ? 4 : sizeOf(layout, element);
  return Math.max(1, Math.ceil((laneCount(type) * bytes) / REGISTER_BYTES));
}

/** Vector registers that a value holds while it is alive: whole numbers and pointers that are no vectors have registers of their own. */
function registersHeld(type: Type, layout: DataLayout): number {
  return type === VOID || (laneCount(type) === 1 && type.kind !== "float") ? 0 : registersOf(type, layout);
}

/** What a block's spills cost each time that it is run. */
export type SpillCosts = (block: Block) => number;

/** Finds what spills cost, block by block. */
export function spillCosts(fn: IrFunction, layout: DataLayout): SpillCosts {
  const { liveOut } = liveness(fn);
  return (block) => {
    const live = new Map<Value, number>();
    let count = 0;
    const use = (value: Value): void => {
      if (value.kind === "constant" || live.has(value)) return;
      const registers = registersHeld(value.type, layout);
      live.set(value, registers);
      count += registers;
    };
    const end = (value: Value): void => {
      count -= live.get(value) ?? 0;
      live.delete(value);
    };
    for (const value of liveOut.get(block) ?? []) use(value);
    for (const list of block.terminator.successorArguments) list.forEach(use);
    let most = count;
    for (let i = block.instructions.length - 1; i >= 0; i--) {
      const instruction = block.instructions[i];
      if (instruction === undefined || instruction.op === Op.DEBUG_VALUE) continue;
      end(instruction);
      instruction.operands.forEach(use);
      most = Math.max(most, count);
    }
    return SPILL * Math.max(0, most - REGISTERS);
  };
}
