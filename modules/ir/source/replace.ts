// SPDX-License-Identifier: Apache-2.0
// Replacement of values without a map: a value's `forward` field holds its replacement (as in a union-find structure,
// with path compression), and one walk over the function updates all uses.
import { assert } from "@muxkit/cargo";

import type { Block, IrFunction } from "./function.ts";
import type { Instruction } from "./instruction.ts";
import type { Parameter, Value } from "./value.ts";

/** Replaces `value` by `by` at the next {@link applyReplacements}; chains are followed. @public */
export function replaceLater(value: Instruction | Parameter, by: Value): void {
  assert(value !== by, "a value does not replace itself");
  value.forward = by;
}

/** The value after all pending replacements. @public */
export function resolved(value: Value): Value {
  if (value.kind === "constant" || value.forward === null) return value;
  let last: Value = value.forward;
  while (last.kind !== "constant" && last.forward !== null) last = last.forward;
  value.forward = last;
  return last;
}

function resolveAll(list: Value[]): void {
  for (let i = 0; i < list.length; i++) {
    const value = list[i] as Value;
    if (value.kind !== "constant" && value.forward !== null) list[i] = resolved(value);
  }
}

/**
 * Applies the pending replacements of {@link replaceLater} to operands and branch arguments, and removes replaced
 * instructions from their blocks. Replaced block parameters stay: the caller removes them with their arguments.
 *
 * @public
 */
export function applyReplacements(fn: IrFunction): void {
  // A hot path: lists are walked by index, because iterators are objects where the engine does not optimise them away.
  const { blocks } = fn;
  for (let at = 0; at < blocks.length; at++) {
    const { instructions } = blocks[at] as Block;
    let kept = 0;
    for (let i = 0; i < instructions.length; i++) {
      const instruction = instructions[i] as Instruction;
      if (instruction.forward !== null) continue;
      if (kept !== i) instructions[kept] = instruction;
      kept++;
      resolveAll(instruction.operands);
      const { successorArguments } = instruction;
      for (let edge = 0; edge < successorArguments.length; edge++) resolveAll(successorArguments[edge] as Value[]);
    }
    if (kept !== instructions.length) instructions.length = kept;
  }
}

/** Sets the scratch number of every value of a function to 0. @public */
export function clearMarks(fn: IrFunction): void {
  for (const parameter of fn.parameters) parameter.mark = 0;
  const { blocks } = fn;
  for (let at = 0; at < blocks.length; at++) {
    const { parameters, instructions } = blocks[at] as Block;
    for (let i = 0; i < parameters.length; i++) (parameters[i] as Parameter).mark = 0;
    for (let i = 0; i < instructions.length; i++) (instructions[i] as Instruction).mark = 0;
  }
}
