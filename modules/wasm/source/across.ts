// SPDX-License-Identifier: Apache-2.0
// All lanes of a vector to one value: votes of masks and reductions.
import { type Instruction, Op, type Type, type Value, combinationOf, reduceLanes, scalarOf } from "@muxkit/ir";

import type { FunctionEmitter } from "./function-emitter.ts";
import { pushMask } from "./masks.ts";
import * as Wasm from "./opcodes.ts";
import { emitPart, hasPart } from "./part-ops.ts";
import { laneBytes, laneKind, lanesPerPart, partCount } from "./representation.ts";
import { type Push, emitScalarOp } from "./scalars.ts";
import * as Simd from "./simd.table.ts";
import { pushLane } from "./lanes.ts";

/** True for a mask whose lanes are all known to be on. */
export function isAllOn(mask: Value): boolean {
  return mask.kind === "constant" && mask.lanes.every(({ low }) => low === 1);
}

/** Fills the unused lanes after the last lane of a mask, whose content is undefined, with ones or zeros. */
function behindEnd(lanes: number, bytes: number, byte: number): Uint8Array {
  return Uint8Array.from({ length: 16 }, (_, i) => (i < lanes * bytes ? 0xff - byte : byte));
}

/** Puts all parts of a mask on the stack as one: lanes on in some part (or) or in all parts (and). */
function pushJoined(emitter: FunctionEmitter, mask: Value, isAny: boolean): void {
  const { code } = emitter;
  const bytes = emitter.maskBytes(mask);
  const count = mask.type.count;
  const perPart = 16 / bytes;
  for (let part = 0; part * perPart < count; part++) {
    pushMask(emitter, mask, bytes, part);
    const lanes = Math.min(perPart, count - part * perPart);
    if (lanes < perPart) {
      code.v128(behindEnd(lanes, bytes, isAny ? 0 : 0xff));
      code.simd(isAny ? Simd.V128_AND : Simd.V128_OR);
    }
    if (part > 0) code.simd(isAny ? Simd.V128_OR : Simd.V128_AND);
  }
}

/** Puts 1 on the stack when a lane of a mask is on. */
export function pushAny(emitter: FunctionEmitter, mask: Value): void {
  pushJoined(emitter, mask, true);
  emitter.code.simd(Simd.ANY_TRUE);
}

/** Puts 1 on the stack when all lanes of a mask are on. */
export function pushAll(emitter: FunctionEmitter, mask: Value): void {
  pushJoined(emitter, mask, false);
  emitter.code.simd(Simd.ALL_TRUE[emitter.maskBytes(mask)] ?? 0);
}

/** any, all. */
export function emitVote(emitter: FunctionEmitter, instruction: Instruction): void {
  const mask = emitter.operand(instruction, 0);
  if (instruction.op === Op.ANY) pushAny(emitter, mask);
  else pushAll(emitter, mask);
}

/** Stores the top of the stack in a local that is used until the function ends. */
function kept(emitter: FunctionEmitter, locals: number[]): Push {
  const local = emitter.code.local(Wasm.TYPE_V128);
  locals.push(local);
  emitter.code.set(local);
  return () => emitter.code.get(local);
}

/** Reduces whole parts, then the halves of one; false: there is no instruction for it. */
function reduceParts(emitter: FunctionEmitter, op: number, scalar: Type, value: Value): boolean {
  const { code } = emitter;
  const { count } = value.type;
  const perPart = lanesPerPart(value.type);
  if (!Number.isInteger(Math.log2(count)) || scalar.bits === 1 || !hasPart(op, laneKind(scalar))) return false;
  const locals: number[] = [];
  const pushes = Array.from(
    { length: partCount(value.type) },
    (_, part): Push =>
      () =>
        emitter.push(value, part),
  );
  const combine = (x: Push, y: Push): Push => {
    emitPart(emitter, op, scalar, [x, y]);
    return kept(emitter, locals);
  };
  let whole = reduceLanes(pushes, combine);
  const bytes = laneBytes(scalar);
  for (let half = Math.min(count, perPart) / 2; half >= 1; half /= 2) {
    whole();
    whole();
    code.shuffle(Array.from({ length: 16 }, (_, i) => (i < half * bytes ? i + half * bytes : i)));
    const upper = kept(emitter, locals);
    whole = combine(whole, upper);
  }
  whole();
  code.lane(Simd.EXTRACT[laneKind(scalar)] ?? 0, 0);
  return true;
}

/** reduce. */
export function emitReduce(emitter: FunctionEmitter, instruction: Instruction): void {
  const value = emitter.operand(instruction, 0);
  const scalar = scalarOf(value.type);
  const { op } = combinationOf(instruction.atomicKind, scalar.bits);
  if (reduceParts(emitter, op, scalar, value)) return;
  const lanes = Array.from(
    { length: value.type.count },
    (_, lane): Push =>
      () =>
        pushLane(emitter, value, lane),
  );
  reduceLanes(lanes, (x, y) => () => emitScalarOp(emitter, op, scalar, [x, y]))();
}
