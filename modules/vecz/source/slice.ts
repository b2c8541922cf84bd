// SPDX-License-Identifier: Apache-2.0
// Backward slices: the instructions that compute a value from parameters, so that it can be computed before the
// function.
import { type Instruction, Op, type Parameter, type Value, hasEffect } from "@muxkit/ir";

/** Most instructions of a slice. */
const MOST_WORK = 120;

/**
 * Collects the instructions that compute a value from the parameters that are known beforehand; false: it depends on
 * more than those, or on too many instructions.
 */
export function slice(
  value: Value,
  found: Set<Instruction>,
  isKnown: (parameter: Parameter) => boolean = () => true,
): boolean {
  if (value.kind === "constant") return true;
  if (value.kind === "parameter") return value.owner !== null && isKnown(value);
  if (found.has(value)) return true;
  if (!hasEffect(value.op, "s") || value.op === Op.CALL || found.size > MOST_WORK) return false;
  if (!value.operands.every((operand) => slice(operand, found, isKnown))) return false;
  found.add(value);
  return true;
}
