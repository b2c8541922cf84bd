// SPDX-License-Identifier: Apache-2.0
// Ops on scalars. They are total as the op table defines them (no traps: guards around divisions, saturating
// conversions). Vectors use them lane by lane where SIMD128 has no instruction.
import { InternalError } from "@muxkit/cargo";
import { type Constant, type Instruction, OPS, Op, type Type, type Value } from "@muxkit/ir";

import type { FunctionEmitter } from "./function-emitter.ts";
import * as Wasm from "./opcodes.ts";
import * as Simd from "./simd.table.ts";
import { scalarType } from "./representation.ts";
import { SCALAR } from "./scalar.table.ts";
import { canonicalNans } from "./vector-conversions.ts";

/** Column of the scalar table. */
function column(type: Type): number {
  return [Wasm.TYPE_I32, Wasm.TYPE_I64, Wasm.TYPE_F32, Wasm.TYPE_F64].indexOf(scalarType(type));
}

/** The instruction of an op. Throws an InternalError where there is none: opcode 0 would be `unreachable`. */
function scalarOpcode(op: number, type: Type): number {
  const opcode = SCALAR[op]?.[column(type)] ?? 0;
  if (opcode === 0)
    throw new InternalError(
      `wasm cannot compute ${OPS[op]?.name ?? op} of ${type.kind} ${type.bits}: add a row to scalar.table.ts, ` +
        "or a sequence to emitScalarOp",
    );
  return opcode;
}

function isNarrow(type: Type): boolean {
  return (type.kind === "int" || type.kind === "float") && type.bits < 32;
}

/** Truncates an i32 on the stack to a narrow int. */
function cut(emitter: FunctionEmitter, type: Type): void {
  if (type.kind !== "int" || type.bits >= 32) return;
  emitter.code.i32(2 ** type.bits - 1);
  emitter.code.op(0x71);
}

/** Extends the sign of a narrow int on the stack. */
function extendSign(emitter: FunctionEmitter, type: Type): void {
  if (type.bits === 8) emitter.code.op(0xc0);
  else if (type.bits === 16) emitter.code.op(0xc1);
  else if (type.bits === 1) {
    emitter.code.i32(31);
    emitter.code.op(0x74);
    emitter.code.i32(31);
    emitter.code.op(0x75);
  }
}

/** An operation on scalars whose operands are pushed by functions, so that vectors can use it lane by lane. */
export type Push = () => void;

const SIGNED_OPS = new Set<number>([
  Op.SDIV,
  Op.SREM,
  Op.ASHR,
  Op.SLT,
  Op.SLE,
  Op.SGT,
  Op.SGE,
  Op.SMIN,
  Op.SMAX,
  Op.SMULH,
]);
/** Ops that set no bits above those of their operands. */
const KEEP_WITHIN = new Set<number>([Op.AND, Op.OR, Op.XOR, Op.LSHR]);
const SHIFT_OPS = new Set<number>([Op.SHL, Op.LSHR, Op.ASHR]);

/** Keeps a pushed value in a local while `use` runs. */
function kept(emitter: FunctionEmitter, type: Type, push: Push, use: (again: Push) => void): void {
  const wasm = scalarType(type);
  const local = emitter.code.local(wasm);
  push();
  emitter.code.set(local);
  use(() => emitter.code.get(local));
}

function zero(emitter: FunctionEmitter, type: Type): void {
  if (scalarType(type) === Wasm.TYPE_I64) emitter.code.i64(0n);
  else emitter.code.i32(0);
}

function minusOne(emitter: FunctionEmitter, type: Type): void {
  if (scalarType(type) === Wasm.TYPE_I64) emitter.code.i64(-1n);
  else emitter.code.i32(-1);
}

/** Division and remainder, total: no divisor traps. `divisor`: the IR value when it is known not to need guards. */
function divide(emitter: FunctionEmitter, op: number, type: Type, a: Push, b: Push): void {
  const { code } = emitter;
  const wasm = scalarType(type);
  const isSigned = op === Op.SDIV || op === Op.SREM;
  const isRemainder = op === Op.SREM || op === Op.UREM;
  const extended =
    (push: Push): Push =>
    () => {
      push();
      if (isSigned && isNarrow(type)) extendSign(emitter, type);
    };
  kept(emitter, type, extended(a), (x) => {
    kept(emitter, type, extended(b), (y) => {
      y();
      code.op(wasm === Wasm.TYPE_I64 ? 0x50 : 0x45);
      code.open(Wasm.IF, wasm);
      if (isRemainder) x();
      else zero(emitter, type);
      code.op(Wasm.ELSE);
      if (op === Op.SDIV) {
        y();
        minusOne(emitter, type);
        code.op(wasm === Wasm.TYPE_I64 ? 0x51 : 0x46);
        code.open(Wasm.IF, wasm);
        zero(emitter, type);
        x();
        code.op(wasm === Wasm.TYPE_I64 ? 0x7d : 0x6b);
        code.op(Wasm.ELSE);
      }
      x();
      y();
      code.op(scalarOpcode(op, type));
      if (op === Op.SDIV) code.end();
      code.end();
    });
  });
  cut(emitter, type);
}

/** minNum and maxNum: a number replaces a NaN. */
function floatMinMax(emitter: FunctionEmitter, op: number, type: Type, a: Push, b: Push): void {
  const { code } = emitter;
  const notEqual = scalarOpcode(Op.FNE, type);
  kept(emitter, type, a, (x) => {
    kept(emitter, type, b, (y) => {
      y();
      x();
      x();
      y();
      code.op(scalarOpcode(op, type));
      y();
      y();
      code.op(notEqual);
      code.op(Wasm.SELECT);
      x();
      x();
      code.op(notEqual);
      code.op(Wasm.SELECT);
    });
  });
}

const MIN_MAX: Readonly<Record<number, number>> = {
  [Op.SMIN]: Op.SLT,
  [Op.SMAX]: Op.SGT,
  [Op.UMIN]: Op.ULT,
  [Op.UMAX]: Op.UGT,
};

function intMinMax(emitter: FunctionEmitter, op: number, type: Type, a: Push, b: Push): void {
  kept(emitter, type, a, (x) => {
    kept(emitter, type, b, (y) => {
      x();
      y();
      const ordered =
        (push: Push): Push =>
        () => {
          push();
          if (SIGNED_OPS.has(op) && isNarrow(type)) extendSign(emitter, type);
        };
      ordered(x)();
      ordered(y)();
      emitter.code.op(scalarOpcode(MIN_MAX[op] ?? Op.ULT, type));
      emitter.code.op(Wasm.SELECT);
    });
  });
}

/** High half of a product of at most 32 bits, through 64. */
function multiplyHigh(emitter: FunctionEmitter, op: number, type: Type, a: Push, b: Push): void {
  const { code } = emitter;
  for (const push of [a, b]) {
    push();
    if (op === Op.SMULH && isNarrow(type)) extendSign(emitter, type);
    code.op(op === Op.SMULH ? 0xac : 0xad);
  }
  code.op(0x7e);
  code.i64(BigInt(type.bits));
  code.op(0x88);
  code.op(0xa7);
  cut(emitter, type);
}

function countZeros(emitter: FunctionEmitter, op: number, type: Type, a: Push): void {
  const { code } = emitter;
  a();
  if (isNarrow(type) && op === Op.CTZ) {
    code.i32(2 ** type.bits);
    code.op(0x72);
  }
  code.op(scalarOpcode(op, type));
  if (isNarrow(type) && op === Op.CLZ) {
    code.i32(32 - type.bits);
    code.op(0x6b);
  }
}

function rotateNarrow(emitter: FunctionEmitter, type: Type, a: Push, b: Push): void {
  const { code } = emitter;
  kept(emitter, type, a, (x) => {
    kept(emitter, type, b, (y) => {
      const amount = (): void => {
        y();
        code.i32(type.bits - 1);
        code.op(0x71);
      };
      x();
      amount();
      code.op(0x74);
      x();
      code.i32(type.bits);
      amount();
      code.op(0x6b);
      code.op(0x76);
      code.op(0x72);
    });
  });
  cut(emitter, type);
}

/** An op on scalars. `type` is that of its first operand. */
export function emitScalarOp(emitter: FunctionEmitter, op: number, type: Type, operands: readonly Push[]): void {
  const { code } = emitter;
  const [a, b] = operands;
  if (a === undefined) return;
  if (b !== undefined) {
    if (op === Op.SDIV || op === Op.UDIV || op === Op.SREM || op === Op.UREM) return divide(emitter, op, type, a, b);
    if (op === Op.FMIN || op === Op.FMAX) return floatMinMax(emitter, op, type, a, b);
    if (op in MIN_MAX) return intMinMax(emitter, op, type, a, b);
    if (op === Op.SMULH || op === Op.UMULH) return multiplyHigh(emitter, op, type, a, b);
    if (op === Op.ROTL && isNarrow(type)) return rotateNarrow(emitter, type, a, b);
  }
  if (op === Op.CLZ || op === Op.CTZ) return countZeros(emitter, op, type, a);
  const narrow = isNarrow(type);
  a();
  if (narrow && SIGNED_OPS.has(op)) extendSign(emitter, type);
  if (b !== undefined) {
    b();
    if (SHIFT_OPS.has(op)) {
      if (narrow) {
        code.i32(type.bits - 1);
        code.op(0x71);
      }
    } else if (narrow && SIGNED_OPS.has(op)) extendSign(emitter, type);
  }
  code.op(scalarOpcode(op, type));
  if (narrow && !KEEP_WITHIN.has(op) && !hasCompareRule(op)) cut(emitter, type);
}

function hasCompareRule(op: number): boolean {
  return OPS[op]?.rule === "compare-int" || OPS[op]?.rule === "compare-float";
}

/** A conversion of a scalar. */
export function emitScalarConvert(emitter: FunctionEmitter, op: number, from: Type, to: Type, push: Push): void {
  const { code } = emitter;
  push();
  const a = scalarType(from);
  const b = scalarType(to);
  switch (op) {
    case Op.TRUNC:
    case Op.PTRTOINT:
    case Op.INTTOPTR:
    case Op.ZEXT:
      if (a === Wasm.TYPE_I64 && b === Wasm.TYPE_I32) code.op(0xa7);
      if (a === Wasm.TYPE_I32 && b === Wasm.TYPE_I64) code.op(0xad);
      if (op === Op.TRUNC || op === Op.PTRTOINT) cut(emitter, to);
      return;
    case Op.SEXT:
      extendSign(emitter, from);
      if (b === Wasm.TYPE_I64) code.op(0xac);
      else cut(emitter, to);
      return;
    case Op.FPTRUNC:
      if (to.bits === 16) demoteToHalf(emitter);
      else code.op(0xb6);
      return;
    case Op.FPEXT:
      if (from.bits === 16) promoteHalf(emitter);
      else code.op(0xbb);
      return;
    case Op.SITOFP:
    case Op.UITOFP: {
      const isSigned = op === Op.SITOFP;
      if (isSigned) extendSign(emitter, from);
      const base = b === Wasm.TYPE_F32 ? 0xb2 : 0xb7;
      code.op(base + (a === Wasm.TYPE_I64 ? 2 : 0) + (isSigned ? 0 : 1));
      return;
    }
    case Op.FPTOSI:
    case Op.FPTOUI:
      floatToInt(emitter, op === Op.FPTOSI, a, to);
      return;
    default:
      // addrspacecast: all address spaces are one memory.
      return;
  }
}

/** The bits of a half to binary32, by a lane of a vector. */
function promoteHalf({ code }: FunctionEmitter): void {
  code.simd(Simd.SPLAT[1]);
  code.simd(Simd.PROMOTE_LOW_F16);
  code.lane(Simd.EXTRACT[4], 0);
}

/** A binary32 to the bits of the nearest half, by a lane of a vector. */
function demoteToHalf(emitter: FunctionEmitter): void {
  const { code } = emitter;
  code.simd(Simd.SPLAT[4]);
  code.simd(Simd.DEMOTE_F32_ZERO);
  canonicalNans(emitter);
  code.lane(Simd.EXTRACT[1], 0);
}

function floatToInt(emitter: FunctionEmitter, isSigned: boolean, from: number, to: Type): void {
  const { code } = emitter;
  const isWide = scalarType(to) === Wasm.TYPE_I64;
  // V8 writes a scalar conversion as a comparison with what was converted back, and a branch: a chain of dependent
  // moves between register files, 2 to 5 times slower in loops than one lane of a vector's conversion.
  if (isWide) code.op(Wasm.MISC + 4 + (from === Wasm.TYPE_F64 ? 2 : 0) + (isSigned ? 0 : 1));
  else {
    const isDouble = from === Wasm.TYPE_F64;
    code.simd(Simd.SPLAT[isDouble ? 5 : 4]);
    code.simd((isDouble ? Simd.I32X4_TRUNC_SAT_F64X2_ZERO : Simd.I32X4_TRUNC_SAT_F32X4) + (isSigned ? 0 : 1));
    code.lane(Simd.EXTRACT[2], 0);
  }
  if (isWide || to.bits === 32) return;
  // Narrow ints: saturated to 32 bits, then clamped to the range.
  const most = isSigned ? 2 ** (to.bits - 1) - 1 : 2 ** to.bits - 1;
  const clamp = (bound: number, compare: number): void => {
    const local = code.local(Wasm.TYPE_I32);
    code.tee(local);
    code.i32(bound);
    code.get(local);
    code.i32(bound);
    code.op(compare);
    code.op(Wasm.SELECT);
  };
  clamp(most, isSigned ? 0x48 : 0x49);
  if (isSigned) clamp(-(2 ** (to.bits - 1)), 0x4a);
  cut(emitter, to);
}

/** The same bits as another scalar type. */
export function emitScalarBitcast(emitter: FunctionEmitter, from: Type, to: Type, push: Push): void {
  push();
  const key = `${scalarType(from)}>${scalarType(to)}`;
  const table: Readonly<Record<string, number>> = {
    [`${Wasm.TYPE_F32}>${Wasm.TYPE_I32}`]: 0xbc,
    [`${Wasm.TYPE_F64}>${Wasm.TYPE_I64}`]: 0xbd,
    [`${Wasm.TYPE_I32}>${Wasm.TYPE_F32}`]: 0xbe,
    [`${Wasm.TYPE_I64}>${Wasm.TYPE_F64}`]: 0xbf,
  };
  const op = table[key];
  if (op !== undefined) emitter.code.op(op);
}

/** The bytes that a constant index adds. */
export function scaledConstant(index: Constant, scale: number): number {
  const { bits } = index.type;
  return Math.imul(bits >= 32 ? index.low : (index.low << (32 - bits)) >> (32 - bits), scale);
}

/** Pushes the bytes that a scalar index adds. */
export function pushScaled(emitter: FunctionEmitter, index: Value, scale: number): void {
  const { code } = emitter;
  if (index.kind === "constant") {
    code.i32(scaledConstant(index, scale));
    return;
  }
  emitter.push(index);
  if (index.type.bits === 64) code.op(0xa7);
  else extendSign(emitter, index.type);
  if (scale === 1) return;
  const shift = Math.log2(scale);
  code.i32(Number.isInteger(shift) ? shift : scale);
  code.op(Number.isInteger(shift) ? 0x74 : 0x6c);
}

/** base + index * scale + offset; `withOffset` false: a memory access adds the offset itself. */
export function emitAddress(emitter: FunctionEmitter, instruction: Instruction, withOffset: boolean): void {
  const { code } = emitter;
  emitter.push(emitter.operand(instruction, 0));
  const index = instruction.operands[1];
  if (index !== undefined) {
    pushScaled(emitter, index, instruction.scale);
    code.op(0x6a);
  }
  if (withOffset && instruction.offset !== 0) {
    code.i32(instruction.offset);
    code.op(0x6a);
  }
}
