// SPDX-License-Identifier: Apache-2.0
// What it takes to compute a value before a function is run.
import { type Instruction, Op, type Parameter, type Value, hasEffect } from "@muxkit/ir";

/** Most instructions that it may take. */
const MOST_WORK = 120;

/** Collects the instructions that computing a value from those parameters takes that are known beforehand; false: more than that is needed. */
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
