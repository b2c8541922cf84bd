// SPDX-License-Identifier: Apache-2.0
// The type of peephole rules, and what they have in common.
import { type Constant, type Instruction, type Value, constantInt, scalarOf } from "@muxkit/ir";

/**
 * A peephole rule: returns an existing value that replaces the instruction, the instruction itself when the rule
 * changed it in place, or null when it does not apply.
 */
export type Rule = (instruction: Instruction) => Value | null;

/** True for constants. */
export function isConstant(value: Value | undefined): value is Constant {
  return value !== undefined && value.kind === "constant";
}

/** An operand; undefined: the instruction has fewer. */
export function operand(instruction: Instruction, index: number): Value | undefined {
  return instruction.operands[index];
}

/** The instruction that defines a value, if it has this op; null: it has not. */
export function defined(value: Value | undefined, op: number): Instruction | null {
  return value !== undefined && value.kind === "instruction" && value.op === op ? value : null;
}

/** True when every lane is this small int. */
export function isInt(value: Value | undefined, wanted: number): boolean {
  return isConstant(value) && value === constantInt(value.type, wanted) && scalarOf(value.type).kind === "int";
}
