// SPDX-License-Identifier: Apache-2.0
// Single lanes of vectors, as scalars.
import { type Instruction, type Value, constantLane, scalarOf } from "@muxkit/ir";

import { emitConstantPart } from "./constants.ts";
import type { FunctionEmitter } from "./function-emitter.ts";
import { isMask, laneKind } from "./representation.ts";
import * as Simd from "./simd.table.ts";

/** Index of ints in the vector tables, by the bytes of a lane. */
const KIND_OF_BYTES: Readonly<Record<number, number>> = { 1: 0, 2: 1, 4: 2, 8: 3 };

/** Puts one lane of a value on the stack as a scalar; a scalar is its own only lane. */
export function pushLane(emitter: FunctionEmitter, value: Value, lane: number): void {
  const { type } = value;
  if (value.kind === "constant") {
    emitConstantPart(emitter.code, constantLane(value, lane), 0);
    return;
  }
  if (type.kind !== "vector") {
    emitter.push(value);
    return;
  }
  const bytes = emitter.laneBytesOf(value);
  const perPart = 16 / bytes;
  emitter.push(value, Math.floor(lane / perPart));
  if (!isMask(type)) {
    emitter.code.lane(Simd.EXTRACT[laneKind(scalarOf(type))] ?? 0, lane % perPart);
    return;
  }
  // Of a wide mask, half a lane is enough.
  if (bytes === 8) emitter.code.lane(Simd.EXTRACT_I32, (lane % perPart) * 2);
  else emitter.code.lane(Simd.EXTRACT[KIND_OF_BYTES[bytes] ?? 0] ?? 0, lane % perPart);
  emitter.code.i32(1);
  emitter.code.op(0x71);
}

/** Turns the i1 on the stack into a word of a lane mask. */
export function spreadBit(emitter: FunctionEmitter): void {
  emitter.code.i32(31);
  emitter.code.op(0x74);
  emitter.code.i32(31);
  emitter.code.op(0x75);
}

/** Puts the scalar on the stack into a lane of the part below it. */
export function replaceLane(emitter: FunctionEmitter, vector: Instruction, lane: number): void {
  const { code } = emitter;
  const { type } = vector;
  const bytes = emitter.laneBytesOf(vector);
  let kind = laneKind(scalarOf(type));
  if (isMask(type)) {
    spreadBit(emitter);
    if (bytes === 8) code.op(0xac);
    kind = KIND_OF_BYTES[bytes] ?? 0;
  }
  code.lane(Simd.REPLACE[kind] ?? 0, lane % (16 / bytes));
}
