// SPDX-License-Identifier: Apache-2.0
// Narrowing of ints. Ids and sizes of a 64-bit module are 64 bits wide, though the device's are 32: an index is
// computed in 32 bits as far as that is seen from the instructions that it was made by.
import { I32, Op, type Type, type Value, constantBits, constantInt, intType } from "@muxkit/ir";

import type { FunctionReader } from "./function-reader.ts";

/** The operand of an instruction of an op; null: the value is none. */
export function operandOf(value: Value, op: number, index: number): Value | null {
  return value.kind === "instruction" && value.op === op ? (value.operands[index] ?? null) : null;
}

/** An int as a narrower one; what was extended is used as it was. */
export function truncated(f: FunctionReader, value: Value, type: Type): Value {
  if (value.type === type) return value;
  const inner = operandOf(value, Op.ZEXT, 0) ?? operandOf(value, Op.SEXT, 0);
  if (inner?.type === type) return inner;
  if (value.kind === "constant" && value.lanes.length === 0) return constantBits(type, value.low, value.high);
  return f.op(Op.TRUNC, type, value);
}

/** Ops that the lower half of a result follows from the lower halves of the operands. */
const LOW_OPS: ReadonlySet<number> = new Set([Op.ADD, Op.SUB, Op.MUL, Op.AND, Op.OR, Op.XOR]);
const MOST_NARROWED = 12;

/** The lower half of a 64-bit number, computed in 32 bits. */
export function narrowed(f: FunctionReader, value: Value): Value {
  if (value.type !== intType(64)) return value;
  let budget = MOST_NARROWED;
  const narrow = (wide: Value): Value => {
    if (wide.kind === "instruction" && budget-- > 0) {
      const [left, right] = wide.operands;
      if (LOW_OPS.has(wide.op) && left !== undefined && right !== undefined)
        return f.op(wide.op, I32, narrow(left), narrow(right));
      if (wide.op === Op.SHL && left !== undefined && right?.kind === "constant" && right.high === 0 && right.low < 32)
        return f.op(Op.SHL, I32, narrow(left), constantInt(I32, right.low));
      const narrower = wide.op === Op.ZEXT || wide.op === Op.SEXT ? left : undefined;
      if (narrower !== undefined && narrower.type.bits < 32) return f.op(wide.op, I32, narrower);
    }
    return truncated(f, wide, I32);
  };
  return narrow(value);
}
