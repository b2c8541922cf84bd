// SPDX-License-Identifier: Apache-2.0
// fma by the relaxed multiply-add, on engines where it rounds once. Scalars use it through a vector, so that they get
// the same bits as a lane (docs/decisions/017-contraction.md).
import { type Instruction, Op, type Type, type Value, scalarOf } from "@muxkit/ir";

import type { FunctionEmitter } from "./function-emitter.ts";
import { laneKind } from "./representation.ts";
import * as Simd from "./simd.table.ts";

/** The operand of a negation; null for other values. */
function negatedOf(value: Value): Value | null {
  return value.kind === "instruction" && value.op === Op.FNEG ? (value.operands[0] ?? null) : null;
}

function pushSpread(emitter: FunctionEmitter, value: Value, part: number, type: Type): void {
  emitter.push(value, part);
  if (type.kind !== "vector") emitter.code.simd(Simd.SPLAT[laneKind(type)] ?? 0);
}

/** Writes a * b + c. */
export function emitMultiplyAdd(emitter: FunctionEmitter, instruction: Instruction): void {
  const { code } = emitter;
  const { type } = instruction;
  const scalar = scalarOf(type);
  const row = Simd.MULTIPLY_ADD[scalar.bits];
  if (row === undefined || !emitter.uses("fused-madd") || !emitter.uses("relaxed-simd"))
    emitter.refuse(instruction, "an op that the target must lower reached the code generator");
  const [a, b, c] = [0, 1, 2].map((i) => emitter.operand(instruction, i)) as [Value, Value, Value];
  const negated = negatedOf(a) ?? negatedOf(b);
  const factors = negated === null ? [a, b] : [negated, negatedOf(a) === null ? a : b];
  const { first, end } = emitter.partsNow(instruction);
  for (let part = first; part < end; part++) {
    for (const value of [...factors, c]) pushSpread(emitter, value, part, type);
    code.simd(row[negated === null ? 0 : 1]);
  }
  if (type.kind !== "vector") code.lane(Simd.EXTRACT[laneKind(type)] ?? 0, 0);
}
