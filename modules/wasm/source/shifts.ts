// SPDX-License-Identifier: Apache-2.0
// Shifts and rotations of vectors by one amount for all lanes.
import { type Constant, type Instruction, Op, type Value, constantLane, scalarOf } from "@muxkit/ir";

import type { FunctionEmitter } from "./function-emitter.ts";
import { laneBytes, laneKind } from "./representation.ts";
import { pushLane } from "./lanes.ts";
import * as Simd from "./simd.table.ts";

/** True for shifts and rotations of all lanes by one amount. */
export function isByOneAmount(emitter: FunctionEmitter, instruction: Instruction): boolean {
  return uniformAmount(emitter, emitter.operand(instruction, 1)) !== null;
}

/** The amount for all lanes: a constant, or the operand of a splat; null: lanes may differ. */
function uniformAmount(emitter: FunctionEmitter, value: Value): Constant | Value | null {
  if (value.kind === "constant") {
    const first = constantLane(value, 0);
    return value.lanes.every((lane) => lane === first) ? first : null;
  }
  if (value.kind !== "instruction" || value.op !== Op.SPLAT) return null;
  const [scalar = null] = value.operands;
  return scalar !== null && emitter.isSpreadLoad(scalar) ? value : scalar;
}

/** Pushes an amount, which the machine takes modulo the bits of a lane; negated for the right shift of a rotation. */
function pushAmount(emitter: FunctionEmitter, amount: Value, isNegated: boolean): void {
  const { code } = emitter;
  if (amount.kind === "constant") {
    code.i32(isNegated ? -amount.low : amount.low);
    return;
  }
  if (isNegated) code.i32(0);
  pushLane(emitter, amount, 0);
  if (scalarOf(amount.type).bits === 64) code.op(0xa7);
  if (isNegated) code.op(0x6b);
}

/** Byte numbers that rotate each lane left by whole bytes. */
function turned(bytes: number, by: number): readonly number[] {
  return Array.from({ length: 16 }, (_, i) => i - (i % bytes) + ((i + bytes - by) % bytes));
}

/** Writes a shift or rotation; false: the amounts may differ from lane to lane. */
export function emitShift(emitter: FunctionEmitter, instruction: Instruction): boolean {
  const { code } = emitter;
  const { op, type } = instruction;
  const scalar = scalarOf(type);
  const kind = laneKind(scalar);
  const value = emitter.operand(instruction, 0);
  const amount = uniformAmount(emitter, emitter.operand(instruction, 1));
  if (amount === null) return false;
  const bytes = laneBytes(scalar);
  const turn = amount.kind === "constant" ? amount.low % scalar.bits : 1;
  const { first, end } = emitter.partsNow(instruction);
  for (let part = first; part < end; part++) {
    emitter.push(value, part);
    if (op !== Op.ROTL) {
      pushAmount(emitter, amount, false);
      code.simd(Simd.SIMD_SHIFTS[op]?.[kind] ?? 0);
    } else if (turn % 8 === 0) {
      if (turn === 0) continue;
      emitter.push(value, part);
      code.shuffle(turned(bytes, turn / 8));
    } else {
      pushAmount(emitter, amount, false);
      code.simd(Simd.SIMD_SHIFTS[Op.SHL]?.[kind] ?? 0);
      emitter.push(value, part);
      pushAmount(emitter, amount, true);
      code.simd(Simd.SIMD_SHIFTS[Op.LSHR]?.[kind] ?? 0);
      code.simd(Simd.V128_OR);
    }
  }
  return true;
}
