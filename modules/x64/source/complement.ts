// SPDX-License-Identifier: Apache-2.0
// Complements of bits without an instruction: one that only an `and` uses is `andn`.
import { Op, type Value, constantInt } from "@muxkit/ir";

/** Whether a value is an int constant, or a vector of them, with all bits on. */
export function isAllOnes(value: Value): boolean {
  return value.kind === "constant" && value === constantInt(value.type, -1);
}

/** What a complement of bits is made of; null: the value is none. */
export function complemented(value: Value): Value | null {
  if (value.kind !== "instruction" || value.op !== Op.XOR) return null;
  const [a, b] = value.operands as [Value, Value];
  if (isAllOnes(b)) return a;
  return isAllOnes(a) ? b : null;
}
