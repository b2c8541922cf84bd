// SPDX-License-Identifier: Apache-2.0
// What rules of the algebra of the ops are, and what they ask of instructions.
import type { Constant, Instruction, Value } from "@muxkit/ir";

/**
 * What a rule makes of an instruction: a value that is there already, or null. Rules may change the instruction itself
 * and say so with the instruction.
 */
export type Rule = (instruction: Instruction) => Value | null;

/** True for constants. */
export function isConstant(value: Value | undefined): value is Constant {
  return value !== undefined && value.kind === "constant";
}

/** An operand; undefined: there are not so many. */
export function operand(instruction: Instruction, index: number): Value | undefined {
  return instruction.operands[index];
}

/** The instruction that gives a value, where it is this op; null: it is none. */
export function defined(value: Value | undefined, op: number): Instruction | null {
  return value !== undefined && value.kind === "instruction" && value.op === op ? value : null;
}
