// SPDX-License-Identifier: Apache-2.0
// Ops on vectors: one SIMD instruction for each v128 part where there is one, a sequence (part-ops.ts) or lane by lane
// otherwise.
import { type Instruction, OPS, Op, type Type, type Value, constantFloat, scalarOf, vectorType } from "@muxkit/ir";

import { emitConstantPart } from "./constants.ts";
import type { FunctionEmitter } from "./function-emitter.ts";
import { emitProduct } from "./products.ts";
import { type Push, emitScalarBitcast, emitScalarConvert, emitScalarOp } from "./scalars.ts";
import { compareWide, emitPart } from "./part-ops.ts";
import { emitPermute } from "./permute.ts";
import { emitQuotient } from "./quotients.ts";
import { emitShift } from "./shifts.ts";
import { pushLane, replaceLane, spreadBit } from "./lanes.ts";
import { emitBitwise, isBitwise, leaveMask, pushMask, spreadLowest } from "./masks.ts";
import * as Wasm from "./opcodes.ts";
import { isMask, laneBytes, laneKind } from "./representation.ts";
import * as Simd from "./simd.table.ts";
import { convertAddresses, convertParts, convertsHalf } from "./vector-conversions.ts";

/** Builds the result of an instruction from its lanes. `push` pushes lane `i`. */
function buildLanes(emitter: FunctionEmitter, instruction: Instruction, push: (lane: number) => void): void {
  const { type } = instruction;
  const perPart = 16 / emitter.laneBytesOf(instruction);
  for (let part = 0; part < emitter.partsOf(instruction); part++) {
    // The first lane is splatted, the others replace it.
    push(part * perPart);
    if (isMask(type)) {
      spreadBit(emitter);
      emitter.code.simd(Simd.I32X4_SPLAT);
    } else emitter.code.simd(Simd.SPLAT[laneKind(scalarOf(type))] ?? 0);
    for (let i = 1; i < perPart && part * perPart + i < type.count; i++) {
      push(part * perPart + i);
      replaceLane(emitter, instruction, i);
    }
  }
}

/** A vector whose lanes are computed one by one. */
function laneByLane(
  emitter: FunctionEmitter,
  instruction: Instruction,
  compute: (lanes: readonly Push[]) => void,
): void {
  buildLanes(emitter, instruction, (lane) =>
    compute(instruction.operands.map((value) => () => pushLane(emitter, value, lane))),
  );
}

/** True for shifts and rotations. */
function isShift(op: number): boolean {
  return OPS[op]?.rule === "shift";
}

function elementwise(emitter: FunctionEmitter, instruction: Instruction): void {
  const { op, type } = instruction;
  const scalar = scalarOf(type);
  if (isMask(type)) {
    elementwiseMask(emitter, instruction);
    return;
  }
  if (scalar.kind === "float" && scalar.bits === 16) emitter.refuse(instruction, "f16 is not computed with");
  if (isShift(op) && emitShift(emitter, instruction)) return;
  const { first, end } = emitter.partsNow(instruction);
  for (let part = first; part < end; part++) {
    if (op === Op.MUL && emitProduct(emitter, instruction, part)) continue;
    if (emitQuotient(emitter, instruction, part)) continue;
    if (
      emitPart(
        emitter,
        op,
        scalar,
        instruction.operands.map((value) => () => emitter.push(value, part)),
      )
    )
      continue;
    laneByLane(emitter, instruction, (lanes) => emitScalarOp(emitter, op, scalar, lanes));
    return;
  }
}

function elementwiseMask(emitter: FunctionEmitter, instruction: Instruction): void {
  const { op, type } = instruction;
  if (isBitwise(op)) emitBitwise(emitter, instruction);
  else if (isShift(op)) {
    // Amounts are modulo one bit, so nothing moves; a mask must not be shifted as a number.
    leaveMask(emitter, instruction, emitter.maskBytes(instruction), (part) =>
      pushMask(emitter, emitter.operand(instruction, 0), emitter.maskBytes(instruction), part),
    );
  } else laneByLane(emitter, instruction, (lanes) => emitScalarOp(emitter, op, scalarOf(type), lanes));
}

function compare(emitter: FunctionEmitter, instruction: Instruction): void {
  const { type } = emitter.operand(instruction, 0);
  const scalar = scalarOf(type);
  if (isMask(type)) {
    emitBitwise(emitter, instruction);
    return;
  }
  const simd = Simd.SIMD_COMPARES[instruction.op]?.[laneKind(scalar)] ?? 0;
  leaveMask(emitter, instruction, laneBytes(scalar), (part) => {
    const [x, y] = [0, 1].map(
      (i): Push =>
        () =>
          emitter.push(emitter.operand(instruction, i), part),
    );
    if (x === undefined || y === undefined) return;
    if (simd === 0) {
      compareWide(emitter, instruction.op, scalar, x, y);
      return;
    }
    x();
    y();
    emitter.code.simd(simd);
  });
}

/** The int or float that a lane that is on becomes. */
function pushLaneOfOne(emitter: FunctionEmitter, op: number, to: Type): void {
  const { code } = emitter;
  if (to.kind === "int") code.v128(onesByLane(laneBytes(to)));
  else emitConstantPart(code, constantFloat(vectorType(to, 16 / laneBytes(to)), op === Op.SITOFP ? -1 : 1), 0);
}

/** A mask to ints or floats: its lanes and the converted 1. */
function convertMask(emitter: FunctionEmitter, instruction: Instruction, mask: Value): void {
  const { op, type } = instruction;
  const to = scalarOf(type);
  const { first, end } = emitter.partsNow(instruction);
  for (let part = first; part < end; part++) {
    pushMask(emitter, mask, laneBytes(to), part);
    // All ones are -1.
    if (op === Op.SEXT) continue;
    pushLaneOfOne(emitter, op, to);
    emitter.code.simd(Simd.V128_AND);
  }
}

function convert(emitter: FunctionEmitter, instruction: Instruction): void {
  const { op, type } = instruction;
  const operand = emitter.operand(instruction, 0);
  const from = scalarOf(operand.type);
  const to = scalarOf(type);
  const isHalf = (from.kind === "float" && from.bits === 16) || (to.kind === "float" && to.bits === 16);
  if (isHalf && !convertsHalf(emitter, op, from, to)) emitter.refuse(instruction, "f16 is not computed with");
  if (isMask(operand.type)) convertMask(emitter, instruction, operand);
  else if (op === Op.TRUNC && isMask(type)) {
    leaveMask(emitter, instruction, laneBytes(from), (part) => {
      emitter.push(operand, part);
      spreadLowest(emitter.code, laneBytes(from));
    });
  } else if (from.kind === "pointer" || to.kind === "pointer") convertAddresses(emitter, type, operand, from, to);
  else if (!convertParts(emitter, instruction, operand, from, to)) {
    laneByLane(emitter, instruction, ([lane]) => {
      if (lane !== undefined) emitScalarConvert(emitter, op, from, to, lane);
    });
  }
}

function onesByLane(bytes: number): Uint8Array {
  return Uint8Array.from({ length: 16 }, (_, i) => (i % bytes === 0 ? 1 : 0));
}

function bitcast(emitter: FunctionEmitter, instruction: Instruction): void {
  const { type } = instruction;
  const operand = emitter.operand(instruction, 0);
  if (type.kind === "vector" && operand.type.kind === "vector") {
    const { first, end } = emitter.partsNow(instruction);
    for (let part = first; part < end; part++) emitter.push(operand, part);
    return;
  }
  if (type.kind === "vector") {
    emitter.push(operand);
    emitter.code.simd(Simd.SPLAT[laneKind(operand.type)] ?? 0);
    return;
  }
  emitter.push(operand, 0);
  emitter.code.lane(Simd.EXTRACT[laneKind(type)] ?? 0, 0);
  if (type.kind === "float" && type.bits === 16) emitScalarBitcast(emitter, type, type, () => undefined);
}

function select(emitter: FunctionEmitter, instruction: Instruction): void {
  const { code } = emitter;
  const { type } = instruction;
  const condition = emitter.operand(instruction, 0);
  const isScalar = condition.type.kind !== "vector";
  const chosen = isScalar ? code.local(Wasm.TYPE_I32) : -1;
  if (isScalar) {
    emitter.push(condition);
    code.set(chosen);
  }
  const bytes = emitter.laneBytesOf(instruction);
  const push = (value: Value, part: number): void => {
    if (isMask(type)) pushMask(emitter, value, bytes, part);
    else emitter.push(value, part);
  };
  const [, whenTrue, whenFalse] = instruction.operands;
  const { first, end } = emitter.partsNow(instruction);
  for (let part = first; part < end; part++) {
    if (whenTrue === undefined || whenFalse === undefined) return;
    if (!isScalar && (isZero(whenTrue) || isZero(whenFalse))) {
      // One side is zero: the other is masked.
      push(isZero(whenTrue) ? whenFalse : whenTrue, part);
      pushMask(emitter, condition, bytes, part);
      code.simd(isZero(whenTrue) ? Simd.V128_ANDNOT : Simd.V128_AND);
      continue;
    }
    push(whenTrue, part);
    push(whenFalse, part);
    if (isScalar) {
      code.get(chosen);
      code.op(Wasm.SELECT);
    } else {
      pushMask(emitter, condition, bytes, part);
      // Lanes are all ones or zeros: the relaxed instruction computes the same, in one instruction of the machine.
      code.simd(emitter.uses("relaxed-simd") ? (Simd.LANE_SELECT[bytes] ?? 0) : Simd.BITSELECT);
    }
  }
}

/** True for a constant whose bits are all zero. */
function isZero(value: Value): boolean {
  return value.kind === "constant" && value.lanes.every(({ low, high }) => low === 0 && high === 0);
}

/** Pushes one part: all are equal. */
function splat(emitter: FunctionEmitter, instruction: Instruction): void {
  const { code } = emitter;
  const scalar = scalarOf(instruction.type);
  emitter.push(emitter.operand(instruction, 0));
  if (isMask(instruction.type)) spreadBit(emitter);
  code.simd(Simd.SPLAT[laneKind(scalar)] ?? 0);
}

/** An index modulo the lanes, in a local while `use` runs. */
function withIndex(emitter: FunctionEmitter, index: Value, lanes: number, use: (local: number) => void): void {
  const { code } = emitter;
  const local = code.local(Wasm.TYPE_I32);
  emitter.push(index);
  code.i32(lanes);
  code.op(0x70);
  code.set(local);
  use(local);
}

function extract(emitter: FunctionEmitter, instruction: Instruction): void {
  const { code } = emitter;
  const vector = emitter.operand(instruction, 0);
  const index = emitter.operand(instruction, 1);
  const { count } = vector.type;
  if (index.kind === "constant") {
    pushLane(emitter, vector, index.low % count);
    return;
  }
  withIndex(emitter, index, count, (local) => {
    pushLane(emitter, vector, 0);
    for (let lane = 1; lane < count; lane++) {
      pushLane(emitter, vector, lane);
      code.get(local);
      code.i32(lane);
      code.op(0x47);
      code.op(Wasm.SELECT);
    }
  });
}

function insert(emitter: FunctionEmitter, instruction: Instruction): void {
  const { code } = emitter;
  const { type } = instruction;
  const vector = emitter.operand(instruction, 0);
  const scalar = emitter.operand(instruction, 1);
  const index = emitter.operand(instruction, 2);
  const bytes = emitter.laneBytesOf(instruction);
  if (index.kind === "constant") {
    const lane = index.low % type.count;
    for (let part = 0; part < emitter.partsOf(instruction); part++) {
      if (isMask(type)) pushMask(emitter, vector, bytes, part);
      else emitter.push(vector, part);
      if (part !== Math.floor((lane * bytes) / 16)) continue;
      emitter.push(scalar);
      replaceLane(emitter, instruction, lane);
    }
    return;
  }
  const pushScalar = emitter.reusable(scalar);
  withIndex(emitter, index, type.count, (local) => {
    buildLanes(emitter, instruction, (lane) => {
      pushScalar();
      pushLane(emitter, vector, lane);
      code.get(local);
      code.i32(lane);
      code.op(0x46);
      code.op(Wasm.SELECT);
    });
  });
}

/** Bytes that put lanes of `bytes` bytes of two parts side by side: of the low or the high halves of the parts. */
function sideBySide(half: number, bytes: number): readonly number[] {
  return Array.from({ length: 16 }, (_, i) => {
    const lane = Math.floor(i / bytes);
    return (lane & 1) * 16 + half * 8 + (lane >> 1) * bytes + (i % bytes);
  });
}

/** Writes an op with a vector operand or result. */
export function emitVector(emitter: FunctionEmitter, instruction: Instruction): void {
  const combined = emitter.combined.get(instruction);
  if (combined !== undefined) {
    const { first, end } = emitter.partsNow(instruction);
    for (let part = first; part < end; part++) {
      if (combined.isInterleaved === true) {
        for (const operand of combined.operands) emitter.push(operand, part >> 1);
        emitter.code.shuffle(sideBySide(part & 1, laneBytes(scalarOf(instruction.type)) / 2));
        continue;
      }
      for (const operand of combined.operands) emitter.push(operand, part);
      emitter.code.simd(combined.code);
    }
    return;
  }
  switch (OPS[instruction.op]?.rule) {
    case "unary-int":
    case "unary-float":
    case "binary-int":
    case "binary-float":
    case "shift":
      elementwise(emitter, instruction);
      return;
    case "compare-int":
    case "compare-float":
      compare(emitter, instruction);
      return;
    case "convert":
      convert(emitter, instruction);
      return;
    case "bitcast":
      bitcast(emitter, instruction);
      return;
    case "select":
      select(emitter, instruction);
      return;
    case "splat":
      splat(emitter, instruction);
      return;
    case "build":
      buildLanes(emitter, instruction, (lane) => emitter.push(emitter.operand(instruction, lane)));
      return;
    case "extract":
      extract(emitter, instruction);
      return;
    case "insert":
      insert(emitter, instruction);
      return;
    case "shuffle":
      emitter.shuffles.emit(instruction);
      return;
    case "permute":
      emitPermute(emitter, instruction);
      return;
    default:
      emitter.refuse(instruction, "an op that the target must lower reached the code generator");
  }
}
