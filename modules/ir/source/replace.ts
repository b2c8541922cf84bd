// Replacing of values without a map: the value itself says what takes its place, and one walk over the function puts that everywhere.
import { assert } from "@muxkit/cargo";

import type { IrFunction } from "./function.ts";
import type { Instruction } from "./instruction.ts";
import type { Parameter, Value } from "./value.ts";

/** Puts `by` in the place of `value` at the next {@link applyReplacements}; chains are followed. @public */
export function replaceLater(value: Instruction | Parameter, by: Value): void {
  assert(value !== by, "a value does not replace itself");
  value.forward = by;
}

/** What stands for a value after all replacements that are known so far. @public */
export function resolved(value: Value): Value {
  if (value.kind === "constant" || value.forward === null) return value;
  let last: Value = value.forward;
  while (last.kind !== "constant" && last.forward !== null) last = last.forward;
  value.forward = last;
  return last;
}

/**
 * Does what {@link replaceLater} announced, operands and branch arguments alike, and takes replaced instructions out of their blocks.
 * Replaced parameters of blocks stay; who replaced them takes them away.
 *
 * @public
 */
export function applyReplacements(fn: IrFunction): void {
  for (const block of fn.blocks) {
    const { instructions } = block;
    let kept = 0;
    for (let i = 0; i < instructions.length; i++) {
      const instruction = instructions[i];
      if (instruction === undefined || instruction.forward !== null) continue;
      instructions[kept++] = instruction;
      const { operands, successorArguments } = instruction;
      for (let j = 0; j < operands.length; j++) {
        const value = operands[j];
        if (value !== undefined && value.kind !== "constant" && value.forward !== null) operands[j] = resolved(value);
      }
      for (const list of successorArguments) {
        for (let j = 0; j < list.length; j++) {
          const value = list[j];
          if (value !== undefined && value.kind !== "constant" && value.forward !== null) list[j] = resolved(value);
        }
      }
    }
    instructions.length = kept;
  }
}

/** Sets the scratch number of every value of a function to 0. @public */
export function clearMarks(fn: IrFunction): void {
  for (const parameter of fn.parameters) parameter.mark = 0;
  for (const block of fn.blocks) {
    for (const parameter of block.parameters) parameter.mark = 0;
    for (const instruction of block.instructions) instruction.mark = 0;
  }
}
