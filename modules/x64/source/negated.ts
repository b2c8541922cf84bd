// SPDX-License-Identifier: Apache-2.0
// Negations without an instruction: a sign that only products and sums use is a form of theirs, and the complement of
// bits that only an `and` uses is `andn`.
import { type Constant, type Instruction, Op, type Value, constantLane, laneCount, scalarOf } from "@muxkit/ir";

import type { Selector } from "./selector.ts";
import { scalarBytes } from "./shape.ts";

/** Whether a constant has all bits of all lanes on. */
function isAllOnes(constant: Constant): boolean {
  const { type } = constant;
  const { kind, bits } = scalarOf(type);
  if (kind !== "int") return false;
  const mask = bits >= 32 ? -1 : 2 ** bits - 1;
  for (let i = 0; i < laneCount(type); i++) {
    const { low, high } = constantLane(constant, i);
    if (((low ^ mask) & mask) !== 0 || (bits === 64 && (high | 0) !== -1)) return false;
  }
  return true;
}

/** What a complement of bits is made of; null: the value is none. */
export function complemented(value: Value): Value | null {
  if (value.kind !== "instruction" || value.op !== Op.XOR) return null;
  const [a, b] = value.operands as [Value, Value];
  if (b.kind === "constant") return isAllOnes(b) ? a : null;
  return a.kind === "constant" && isAllOnes(a) ? b : null;
}

/** Whether a value is a negation that products and sums can do. */
export function isNegation({ op, type }: Instruction): boolean {
  return op === Op.FNEG && scalarBytes(type) >= 4;
}

/** A product and a sum without the negations of its operands, and the instruction that does them. */
export interface SignedProduct {
  readonly name: string;
  readonly operands: readonly [Value, Value, Value];
}

/** Takes negations that are not computed by themselves out of the operands of a multiply-add. */
export function signedProduct(s: Selector, operands: readonly Value[]): SignedProduct {
  const isNegated = operands.map((value) => s.isDeferred(value) && isNegation(value));
  const plain = operands.map((value, i) =>
    isNegated[i] === true ? ((value as Instruction).operands[0] as Value) : value,
  ) as [Value, Value, Value];
  const product = isNegated[0] === isNegated[1] ? "" : "n";
  return { name: `vf${product}m${isNegated[2] === true ? "sub" : "add"}`, operands: plain };
}
