// Ops on vectors: one SIMD instruction a part where there is one, lane by lane otherwise.
import { type Constant, type Instruction, OPS, Op, type Type, type Value, constantLane, scalarOf } from "@muxkit/ir";

import { emitConstantPart } from "./constants.ts";
import type { FunctionEmitter } from "./function-emitter.ts";
import { type Push, emitScalarBitcast, emitScalarConvert, emitScalarOp } from "./scalars.ts";
import { pushAsLanes, pushMask } from "./masks.ts";
import * as Wasm from "./opcodes.ts";
import { laneBytes, laneKind, lanesPerPart, partCount } from "./representation.ts";
import * as Simd from "./simd.table.ts";
import { convertAddresses, convertParts } from "./vector-conversions.ts";

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
  const perPart = lanesPerPart(type);
  const scalar = scalarOf(type);
  emitter.push(value, Math.floor(lane / perPart));
  emitter.code.lane(Simd.EXTRACT[laneKind(scalar)] ?? 0, lane % perPart);
  if (scalar.bits === 1) {
    emitter.code.i32(1);
    emitter.code.op(0x71);
  }
}

/** Turns the i1 on the stack into a lane mask. */
function spreadBit(emitter: FunctionEmitter, scalar: Type): void {
  if (scalar.bits !== 1) return;
  emitter.code.i32(31);
  emitter.code.op(0x74);
  emitter.code.i32(31);
  emitter.code.op(0x75);
}

/** Builds a vector from its lanes. `push` puts lane `i` on the stack; null: the lane is zero. */
export function buildLanes(emitter: FunctionEmitter, type: Type, push: (lane: number) => (() => void) | null): void {
  const { code } = emitter;
  const scalar = scalarOf(type);
  const kind = laneKind(scalar);
  const perPart = lanesPerPart(type);
  for (let part = 0; part < partCount(type); part++) {
    code.v128(new Uint8Array(16));
    for (let i = 0; i < perPart && part * perPart + i < type.count; i++) {
      const lane = push(part * perPart + i);
      if (lane === null) continue;
      lane();
      spreadBit(emitter, scalar);
      code.lane(Simd.REPLACE[kind] ?? 0, i);
    }
  }
}

/** A vector whose lanes are computed one by one. */
function laneByLane(emitter: FunctionEmitter, instruction: Instruction, compute: (lanes: readonly Push[]) => void): void {
  buildLanes(emitter, instruction.type, (lane) => () => compute(instruction.operands.map((value) => () => pushLane(emitter, value, lane))));
}

/** The scalar that all lanes of a shift amount are; null: they may differ. */
function uniformAmount(value: Value): Constant | "lane" | null {
  if (value.kind === "constant") {
    const first = constantLane(value, 0);
    return value.lanes.every((lane) => lane === first) ? first : null;
  }
  return value.kind === "instruction" && value.op === Op.SPLAT ? "lane" : null;
}

function shift(emitter: FunctionEmitter, instruction: Instruction): boolean {
  const scalar = scalarOf(instruction.type);
  const op = Simd.SIMD_SHIFTS[instruction.op]?.[laneKind(scalar)] ?? 0;
  const amount = emitter.operand(instruction, 1);
  const uniform = uniformAmount(amount);
  if (op === 0 || uniform === null) return false;
  for (let part = 0; part < partCount(instruction.type); part++) {
    emitter.push(emitter.operand(instruction, 0), part);
    if (uniform === "lane") pushLane(emitter, amount, 0);
    else emitConstantPart(emitter.code, uniform, 0);
    if (scalar.bits === 64) emitter.code.op(0xa7);
    emitter.code.simd(op);
  }
  return true;
}

/** Arithmetic of single bits as masks have it. */
const MASK_OPS: Readonly<Record<number, number>> = { [Op.ADD]: Op.XOR, [Op.SUB]: Op.XOR, [Op.MUL]: Op.AND };

/** fmin and fmax of two parts: a NaN gives way to a number. */
function floatMinMax(emitter: FunctionEmitter, op: number, scalar: Type, x: Push, y: Push): void {
  const { code } = emitter;
  const is64 = scalar.bits === 64;
  const notEqual = is64 ? 0x48 : 0x42;
  const pick = (op === Op.FMIN ? 0xe8 : 0xe9) + (is64 ? 0x0c : 0);
  for (const push of [y, x, x, y]) push();
  code.simd(pick);
  for (const push of [y, x]) {
    push();
    push();
    code.simd(notEqual);
    code.simd(Simd.BITSELECT);
  }
}

/** An op of two parts, or one, whole; false: it has no form for lanes of this type. The pushers may be used several times. */
export function emitPart(emitter: FunctionEmitter, op: number, scalar: Type, operands: readonly Push[]): boolean {
  const [x, y] = operands;
  if ((op === Op.FMIN || op === Op.FMAX) && scalar.kind === "float" && x !== undefined && y !== undefined) {
    floatMinMax(emitter, op, scalar, x, y);
    return true;
  }
  const simd = Simd.SIMD_OPS[scalar.bits === 1 ? (MASK_OPS[op] ?? op) : op]?.[laneKind(scalar)] ?? 0;
  if (simd === 0) return false;
  for (const push of operands) push();
  emitter.code.simd(simd);
  return true;
}

/** True for shifts and rotations. */
function isShift(op: number): boolean {
  return OPS[op]?.rule === "shift";
}

function elementwise(emitter: FunctionEmitter, instruction: Instruction): void {
  const { op, type } = instruction;
  const scalar = scalarOf(type);
  if (scalar.bits === 1 && isShift(op)) {
    // Amounts count modulo one bit: nothing moves, and a mask is not to be shifted.
    for (let part = 0; part < partCount(type); part++) emitter.push(emitter.operand(instruction, 0), part);
    return;
  }
  if (scalar.kind === "float" && scalar.bits === 16) emitter.refuse(instruction, "f16 is not computed with");
  if (op in Simd.SIMD_SHIFTS && shift(emitter, instruction)) return;
  for (let part = 0; part < partCount(type); part++) {
    if (emitPart(emitter, op, scalar, instruction.operands.map((value) => () => emitter.push(value, part)))) continue;
    laneByLane(emitter, instruction, (lanes) => emitScalarOp(emitter, op, scalar, lanes));
    return;
  }
}

function compare(emitter: FunctionEmitter, instruction: Instruction): void {
  const operand = emitter.operand(instruction, 0);
  const { type } = operand;
  const scalar = scalarOf(type);
  const simd = scalar.bits === 1 ? 0 : (Simd.SIMD_COMPARES[instruction.op]?.[laneKind(scalar)] ?? 0);
  if (simd === 0) {
    laneByLane(emitter, instruction, (lanes) => emitScalarOp(emitter, instruction.op, scalar, lanes));
    return;
  }
  const { code } = emitter;
  const parts = Array.from({ length: partCount(type) }, (_, part) => {
    for (const value of instruction.operands) emitter.push(value, part);
    code.simd(simd);
    const local = code.scratch(Wasm.TYPE_V128);
    code.set(local);
    return local;
  });
  pushAsLanes(emitter, parts, laneBytes(scalar), partCount(instruction.type));
  for (const local of parts) code.release(Wasm.TYPE_V128, local);
}

function convert(emitter: FunctionEmitter, instruction: Instruction): void {
  const { op, type } = instruction;
  const operand = emitter.operand(instruction, 0);
  const from = scalarOf(operand.type);
  const to = scalarOf(type);
  const { code } = emitter;
  if (from.bits === 1 && (op === Op.SEXT || op === Op.ZEXT)) {
    for (let part = 0; part < partCount(type); part++) {
      pushMask(emitter, operand, laneBytes(to), part);
      if (op === Op.SEXT) continue;
      code.v128(onesByLane(laneBytes(to)));
      code.simd(0x4e);
    }
    return;
  }
  if (from.kind === "pointer" || to.kind === "pointer") {
    convertAddresses(emitter, type, operand, from, to);
    return;
  }
  if ((from.kind === "float" && from.bits === 16) || (to.kind === "float" && to.bits === 16)) emitter.refuse(instruction, "f16 is not computed with");
  if (convertParts(emitter, instruction, operand, from, to)) return;
  laneByLane(emitter, instruction, ([lane]) => {
    if (lane !== undefined) emitScalarConvert(emitter, op, from, to, lane);
  });
}

function onesByLane(bytes: number): Uint8Array {
  return Uint8Array.from({ length: 16 }, (_, i) => (i % bytes === 0 ? 1 : 0));
}

function bitcast(emitter: FunctionEmitter, instruction: Instruction): void {
  const { type } = instruction;
  const operand = emitter.operand(instruction, 0);
  if (type.kind === "vector" && operand.type.kind === "vector") {
    for (let part = 0; part < partCount(type); part++) emitter.push(operand, part);
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
  const chosen = isScalar ? code.scratch(Wasm.TYPE_I32) : -1;
  if (isScalar) {
    emitter.push(condition);
    code.set(chosen);
  }
  for (let part = 0; part < partCount(type); part++) {
    emitter.push(emitter.operand(instruction, 1), part);
    emitter.push(emitter.operand(instruction, 2), part);
    if (isScalar) {
      code.get(chosen);
      code.op(Wasm.SELECT);
    } else {
      pushMask(emitter, condition, laneBytes(scalarOf(type)), part);
      code.simd(Simd.BITSELECT);
    }
  }
  if (isScalar) code.release(Wasm.TYPE_I32, chosen);
}

function splat(emitter: FunctionEmitter, instruction: Instruction): void {
  const { code } = emitter;
  const scalar = scalarOf(instruction.type);
  emitter.push(emitter.operand(instruction, 0));
  spreadBit(emitter, scalar);
  code.simd(Simd.SPLAT[laneKind(scalar)] ?? 0);
  const parts = partCount(instruction.type);
  if (parts === 1) return;
  const local = code.scratch(Wasm.TYPE_V128);
  code.set(local);
  for (let part = 0; part < parts; part++) code.get(local);
  code.release(Wasm.TYPE_V128, local);
}

/** An index modulo the lanes, in a local while `use` runs. */
function withIndex(emitter: FunctionEmitter, index: Value, lanes: number, use: (local: number) => void): void {
  const { code } = emitter;
  const local = code.scratch(Wasm.TYPE_I32);
  emitter.push(index);
  code.i32(lanes);
  code.op(0x70);
  code.set(local);
  use(local);
  code.release(Wasm.TYPE_I32, local);
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
  const perPart = lanesPerPart(type);
  if (index.kind === "constant") {
    const lane = index.low % type.count;
    for (let part = 0; part < partCount(type); part++) {
      emitter.push(vector, part);
      if (part !== Math.floor(lane / perPart)) continue;
      emitter.push(scalar);
      spreadBit(emitter, scalarOf(type));
      code.lane(Simd.REPLACE[laneKind(scalarOf(type))] ?? 0, lane % perPart);
    }
    return;
  }
  const pushScalar = emitter.reusable(scalar);
  withIndex(emitter, index, type.count, (local) => {
    buildLanes(emitter, type, (lane) => () => {
      pushScalar();
      pushLane(emitter, vector, lane);
      code.get(local);
      code.i32(lane);
      code.op(0x46);
      code.op(Wasm.SELECT);
    });
  });
}

function shuffle(emitter: FunctionEmitter, instruction: Instruction): void {
  const { type, lanes } = instruction;
  const left = emitter.operand(instruction, 0);
  const right = emitter.operand(instruction, 1);
  const { count } = left.type;
  const perPart = lanesPerPart(left.type);
  const source = (lane: number): { readonly value: Value; readonly part: number; readonly at: number } => {
    const within = lane % count;
    return { value: lane < count ? left : right, part: Math.floor(within / perPart), at: within % perPart };
  };
  if (type.kind !== "vector") {
    pushLane(emitter, (lanes[0] ?? 0) < count ? left : right, (lanes[0] ?? 0) % count);
    return;
  }
  for (let part = 0; part < partCount(type); part++) {
    const wanted = lanes.slice(part * perPart, (part + 1) * perPart);
    const sources = wanted.map(source);
    const [first] = sources;
    const second = sources.find((s) => s.value !== first?.value || s.part !== first.part);
    const isOneShuffle = first !== undefined && wanted.every((lane) => lane >= 0) && sources.every((s) => [first, second].some((t) => t !== undefined && t.value === s.value && t.part === s.part));
    if (isOneShuffle) {
      emitter.push(first.value, first.part);
      emitter.push((second ?? first).value, (second ?? first).part);
      emitter.code.simd(Simd.SHUFFLE);
      const bytes = laneBytes(scalarOf(type));
      for (let i = 0; i < perPart; i++) {
        const s = sources[i] ?? first;
        const base = (s.value === first.value && s.part === first.part ? 0 : 16) + s.at * bytes;
        for (let j = 0; j < bytes; j++) emitter.code.bytes.u8(base + j);
      }
    } else {
      const scalar = scalarOf(type);
      emitter.code.v128(new Uint8Array(16));
      wanted.forEach((lane, i) => {
        if (lane < 0) return;
        const s = source(lane);
        pushLane(emitter, s.value, s.part * perPart + s.at);
        spreadBit(emitter, scalar);
        emitter.code.lane(Simd.REPLACE[laneKind(scalar)] ?? 0, i);
      });
    }
  }
}

/** Writes an op that gives or takes a vector. */
export function emitVector(emitter: FunctionEmitter, instruction: Instruction): void {
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
      buildLanes(emitter, instruction.type, (lane) => () => emitter.push(emitter.operand(instruction, lane)));
      return;
    case "extract":
      extract(emitter, instruction);
      return;
    case "insert":
      insert(emitter, instruction);
      return;
    case "shuffle":
      shuffle(emitter, instruction);
      return;
    default:
      emitter.refuse(instruction, "an op that the target must lower reached the code generator");
  }
}
