// SPDX-License-Identifier: Apache-2.0
// Ops on scalars. Integers of 8 and 16 bits lie in 32 bits whose upper part means nothing; an i1 is 0 or 1 in all bits.
// Floats are in the first lane of a vector register.
import { InternalError } from "@muxkit/cargo";
import { type Instruction, OPS, Op, type Type, type Value, hasEffect, NO_NAN, NO_SIGNED_ZERO } from "@muxkit/ir";
import { MEMORY } from "@muxkit/x64-assembler";

import { type Address, form, general, vectorForm } from "./machine-builder.ts";
import { GENERAL } from "./machine-function.ts";
import { MACRO } from "./macros.ts";
import { blend, compareFloatParts, splatMask } from "./masks.ts";
import { chooseMultiplyAdd } from "./multiply-add.ts";
import { complemented } from "./complement.ts";
import type { RegisterOrMemory, Selector } from "./selector.ts";
import { isFloatRegister } from "./shape.ts";
import { voteCondition } from "./votes.ts";

/** Conditions by their numbers in opcodes. */
export const CONDITION = { b: 2, ae: 3, e: 4, ne: 5, be: 6, a: 7, l: 12, ge: 13, le: 14, g: 15 } as const;

const INTEGER_CONDITIONS: Readonly<Record<number, number>> = {
  [Op.EQ]: CONDITION.e,
  [Op.NE]: CONDITION.ne,
  [Op.SLT]: CONDITION.l,
  [Op.SLE]: CONDITION.le,
  [Op.SGT]: CONDITION.g,
  [Op.SGE]: CONDITION.ge,
  [Op.ULT]: CONDITION.b,
  [Op.ULE]: CONDITION.be,
  [Op.UGT]: CONDITION.a,
  [Op.UGE]: CONDITION.ae,
};

/** The same comparison with its operands exchanged, for bits of i1, whose 1 is -1. */
const OF_ONE_BIT: Readonly<Record<number, number>> = {
  [Op.SLT]: Op.UGT,
  [Op.SLE]: Op.UGE,
  [Op.SGT]: Op.ULT,
  [Op.SGE]: Op.ULE,
};

/** Instructions on two integers: with a register or memory, and with a constant of 8 or 32 bits. */
interface PlainForms {
  readonly second: string;
  readonly small: string;
  readonly large: string;
}

function plainForms(name: string): PlainForms {
  return { second: `${name} r, r/m`, small: `${name} r/m, s8`, large: `${name} r/m, s32` };
}

const PLAIN: Readonly<Record<number, PlainForms>> = {
  [Op.ADD]: plainForms("add"),
  [Op.SUB]: plainForms("sub"),
  [Op.MUL]: { second: "imul r, r/m", small: "imul r, r/m, s8", large: "imul r, r/m, s32" },
  [Op.AND]: plainForms("and"),
  [Op.OR]: plainForms("or"),
  [Op.XOR]: plainForms("xor"),
};

/** Forms of an instruction on floats of 32 and 64 bits. */
interface FloatForms {
  readonly single: string;
  readonly double: string;
}

function floatForms(name: string): FloatForms {
  return { single: `${name}ss x, x, x/m32`, double: `${name}sd x, x, x/m64` };
}

const FLOAT: Readonly<Record<number, FloatForms>> = {
  [Op.FADD]: floatForms("vadd"),
  [Op.FSUB]: floatForms("vsub"),
  [Op.FMUL]: floatForms("vmul"),
  [Op.FDIV]: floatForms("vdiv"),
};

/** Modes of roundings that raise nothing. */
export const ROUNDING: Readonly<Record<number, number>> = {
  [Op.FFLOOR]: 9,
  [Op.FCEIL]: 10,
  [Op.FTRUNC]: 11,
  [Op.FRINT]: 8,
};

/** Bits of a general operand of a type: 32 or 64. */
function widthOf(type: Type): 32 | 64 {
  return type.kind === "int" && type.bits === 64 ? 64 : 32;
}

function bitsOf(type: Type): number {
  return type.kind === "int" ? type.bits : type.kind === "float" ? type.bits : 32;
}

function emitFolded(s: Selector, id: number, first: number, second: RegisterOrMemory): number {
  return s.build.emit(id, [first, second.given], second.address);
}

/** A value as 0 or 1 by the flags. */
export function setCondition(s: Selector, condition: number): number {
  return s.extended(s.build.emit(form("setcc r8/m8, cc"), [condition]), 8, false);
}

/** Compares two integers; the flags tell. */
function compareIntegers(s: Selector, type: Type, a: number, b: RegisterOrMemory, constant: number | undefined): void {
  const bits = Math.max(8, bitsOf(type));
  if (constant !== undefined && constant === 0 && bits >= 8) s.build.emit(general("test r/m, r", bits), [a, a]);
  else if (constant !== undefined && constant >= -128 && constant <= 127)
    s.build.emit(general("cmp r/m, s8", bits), [a, constant]);
  else if (constant !== undefined && bits >= 32) s.build.emit(general("cmp r/m, s32", bits), [a, constant]);
  else s.build.emit(general("cmp r, r/m", bits), [a, b.given], b.address);
}

/** Compares floats; yields the condition that tells, or `undefined` for those that two flags tell. */
function compareFloats(s: Selector, op: number, type: Type, a: number, b: number): number | undefined {
  const id = form(type.bits === 64 ? "vucomisd x, x/m64" : "vucomiss x, x/m32");
  const isSwapped = op === Op.FLT || op === Op.FLE;
  s.build.emit(id, isSwapped ? [b, a] : [a, b]);
  if (op === Op.FEQ || op === Op.FNE) return undefined;
  return op === Op.FLT || op === Op.FGT ? CONDITION.a : CONDITION.ae;
}

/** A comparison of scalars as 0 or 1. */
export function compareScalars(s: Selector, op: number, type: Type, a: number, b: number): number {
  if (OPS[op]?.rule === "compare-float") {
    if (type.bits === 16) return compareScalars(s, op, F32_BITS, halfToFloat(s, a), halfToFloat(s, b));
    const condition = compareFloats(s, op, type, a, b);
    if (condition !== undefined) return setCondition(s, condition);
    s.build.pseudo(MACRO.setParity, op === Op.FEQ ? CONDITION.e : CONDITION.ne, 0, []);
    return s.build.addResult(GENERAL, 8);
  }
  const own = type.kind === "int" && type.bits === 1 ? (OF_ONE_BIT[op] ?? op) : op;
  compareIntegers(s, type, a, { given: b, address: null }, undefined);
  return setCondition(s, INTEGER_CONDITIONS[own] as number);
}

/** The scalar float type of 32 bits, for code that only looks at its bits. */
const F32_BITS = { kind: "float", bits: 32 } as Type;

/** Writes what sets the flags for a value of i1; yields the condition under which it is 1. */
export function emitCondition(s: Selector, value: Value): number {
  if (s.isDeferred(value) && OPS[value.op]?.rule.startsWith("compare") === true) {
    const [a, b] = value.operands as [Value, Value];
    if (OPS[value.op]?.rule === "compare-int") {
      const constant = s.immediate(b);
      const first = s.one(a);
      const second = constant === undefined || bitsOf(a.type) < 32 ? s.operand(b) : { given: 0, address: null };
      compareIntegers(s, a.type, first, second, a.type.kind === "int" && a.type.bits === 1 ? undefined : constant);
      const op = a.type.kind === "int" && a.type.bits === 1 ? (OF_ONE_BIT[value.op] ?? value.op) : value.op;
      return INTEGER_CONDITIONS[op] as number;
    }
    const [first, second] = [s.one(a), s.one(b)];
    const condition = compareFloats(s, value.op, a.type, first, second);
    if (condition !== undefined) return condition;
    s.build.pseudo(MACRO.setParity, value.op === Op.FEQ ? CONDITION.e : CONDITION.ne, 0, []);
    const bit = s.build.addResult(GENERAL, 8);
    s.build.emit(form("test r32/m32, r32"), [bit, bit]);
    return CONDITION.ne;
  }
  if (s.isDeferred(value) && (value.op === Op.ANY || value.op === Op.ALL)) return voteCondition(s, value);
  const bit = s.one(value);
  s.build.emit(form("test r32/m32, r32"), [bit, bit]);
  return CONDITION.ne;
}

/** a where the condition holds, else b, for general registers. */
function move(s: Selector, bits: 32 | 64, otherwise: number, value: number, condition: number): number {
  return s.build.emit(general("cmovcc r, r/m, cc", bits), [otherwise, value, condition]);
}

/** Quotients and remainders by any divisor: what the processor would trap on is divided by 1 and put right after. */
function divide(s: Selector, op: number, type: Type, a: number, b: number): number {
  const { build } = s;
  const isSigned = op === Op.SDIV || op === Op.SREM;
  const isRemainder = op === Op.SREM || op === Op.UREM;
  const bits = widthOf(type);
  const own = bitsOf(type);
  const x = own < 32 ? s.extended(a, own, isSigned) : a;
  const y = own < 32 ? s.extended(b, own, isSigned) : b;
  const one = s.integer(1);
  let divisor: number;
  if (isSigned) {
    // 0 and -1 are those that become 0 and 1 by adding 1.
    const sum = build.emit(form("lea r64, m"), [MEMORY], plain(y, 1));
    build.emit(general("cmp r/m, s8", bits), [sum, 1]);
    divisor = move(s, bits, y, one, CONDITION.be);
  } else {
    build.emit(general("test r/m, r", bits), [y, y]);
    divisor = move(s, bits, y, one, CONDITION.e);
  }
  let high: number;
  if (isSigned) {
    build.emit(form(bits === 64 ? "cqo" : "cdq"), [x]);
    high = build.results[0] as number;
  } else high = s.integer(0);
  build.emit(general(isSigned ? "idiv r/m" : "div r/m", bits), [divisor, x, high]);
  const [quotient, remainder] = build.results as unknown as [number, number];
  if (isRemainder) {
    build.emit(general("test r/m, r", bits), [y, y]);
    return move(s, bits, remainder, x, CONDITION.e);
  }
  if (!isSigned) {
    build.emit(general("test r/m, r", bits), [y, y]);
    return move(s, bits, quotient, s.integer(0), CONDITION.e);
  }
  // By 1 the quotient is the dividend: times 0 or -1 it is what it has to be.
  const product = build.emit(general("imul r, r/m", bits), [quotient, y]);
  const sum = build.emit(form("lea r64, m"), [MEMORY], plain(y, 1));
  build.emit(general("cmp r/m, s8", bits), [sum, 1]);
  return move(s, bits, quotient, product, CONDITION.be);
}

function plain(base: number, displacement: number): Address {
  return { kind: 3, base, index: -1, scale: 0, displacement };
}

function highProduct(s: Selector, op: number, type: Type, a: number, b: number): number {
  const { build } = s;
  const isSigned = op === Op.SMULH;
  const bits = bitsOf(type);
  if (bits === 64) {
    build.emit(form(isSigned ? "imul r64/m64" : "mul r64/m64"), [a, b]);
    return build.results[1] as number;
  }
  const x = s.extended(a, bits, isSigned);
  const y = s.extended(b, bits, isSigned);
  const product = build.emit(general("imul r, r/m", bits === 32 ? 64 : 32), [x, y]);
  return build.emit(general("shr r/m, i8", bits === 32 ? 64 : 32), [product, bits]);
}

function shift(s: Selector, op: number, type: Type, a: number, b: number): number {
  const { build } = s;
  const bits = bitsOf(type);
  const width = widthOf(type);
  if (op === Op.ROTL) return build.emit(general("rol r/m, cl", bits), [a, b]);
  const amount = bits < 32 ? build.emit(form("and r32/m32, s8"), [b, bits - 1]) : b;
  if (op === Op.SHL) return build.emit(general("shlx r, r/m, r", width), [a, amount]);
  const value = bits < 32 ? s.extended(a, bits, op === Op.ASHR) : a;
  return build.emit(general(op === Op.ASHR ? "sarx r, r/m, r" : "shrx r, r/m, r", width), [value, amount]);
}

function shiftBy(s: Selector, op: number, type: Type, a: number, amount: number): number {
  const { build } = s;
  const bits = bitsOf(type);
  const count = amount & (bits - 1);
  if (count === 0) return a;
  if (op === Op.ROTL)
    return bits < 32
      ? build.emit(general("rol r/m, i8", bits), [a, count])
      : build.emit(general("rorx r, r/m, i8", bits), [a, bits - count]);
  if (op === Op.SHL) return build.emit(general("shl r/m, i8", widthOf(type)), [a, count]);
  const value = bits < 32 ? s.extended(a, bits, op === Op.ASHR) : a;
  return build.emit(general(op === Op.ASHR ? "sar r/m, i8" : "shr r/m, i8", widthOf(type)), [value, count]);
}

const MINIMA: Readonly<Record<number, number>> = {
  [Op.SMIN]: CONDITION.g,
  [Op.SMAX]: CONDITION.l,
  [Op.UMIN]: CONDITION.a,
  [Op.UMAX]: CONDITION.b,
};

/** Ops on i1 by those on bits. */
function oneBit(s: Selector, op: number, a: number, b: number): number {
  const { build } = s;
  switch (op) {
    case Op.ADD:
    case Op.SUB:
    case Op.XOR:
      return build.emit(form("xor r32, r32/m32"), [a, b]);
    case Op.MUL:
    case Op.AND:
    case Op.SDIV:
    case Op.UDIV:
    case Op.SMAX:
    case Op.UMIN:
      return build.emit(form("and r32, r32/m32"), [a, b]);
    case Op.OR:
    case Op.SMIN:
    case Op.UMAX:
      return build.emit(form("or r32, r32/m32"), [a, b]);
    case Op.SREM:
    case Op.UREM:
      return build.emit(form("andn r32, r32, r32/m32"), [b, a]);
    case Op.CLZ:
    case Op.CTZ:
      return build.emit(form("xor r32/m32, s8"), [a, 1]);
    case Op.SMULH:
    case Op.UMULH:
      return s.integer(0);
    default:
      // Shifts and rotations count modulo 1; a population count of one bit is the bit.
      return a;
  }
}

/** An integer op on scalars in registers; `b` is absent for unary ops. */
export function integerOp(s: Selector, op: number, type: Type, a: number, b: number = -1): number {
  const { build } = s;
  if (type.kind === "int" && type.bits === 1) return oneBit(s, op, a, b);
  const bits = bitsOf(type);
  const width = widthOf(type);
  const plainOp = PLAIN[op];
  if (plainOp !== undefined) return build.emit(general(plainOp.second, width), [a, b]);
  const exchanged = MINIMA[op];
  if (exchanged !== undefined) {
    const isSigned = op === Op.SMIN || op === Op.SMAX;
    const x = bits < 32 ? s.extended(a, bits, isSigned) : a;
    const y = bits < 32 ? s.extended(b, bits, isSigned) : b;
    build.emit(general("cmp r, r/m", width), [x, y]);
    return move(s, width, x, y, exchanged);
  }
  switch (op) {
    case Op.SDIV:
    case Op.UDIV:
    case Op.SREM:
    case Op.UREM:
      return divide(s, op, type, a, b);
    case Op.SMULH:
    case Op.UMULH:
      return highProduct(s, op, type, a, b);
    case Op.CLZ: {
      const count = build.emit(general("lzcnt r, r/m", width), [bits < 32 ? s.extended(a, bits, false) : a]);
      return bits < 32 ? build.emit(form("sub r32/m32, s8"), [count, 32 - bits]) : count;
    }
    case Op.CTZ: {
      const stopped = bits < 32 ? build.emit(form("bts r32/m32, i8"), [a, bits]) : a;
      return build.emit(general("tzcnt r, r/m", width), [stopped]);
    }
    case Op.POPCOUNT:
      return build.emit(general("popcnt r, r/m", width), [bits < 32 ? s.extended(a, bits, false) : a]);
    default:
      return shift(s, op, type, a, b);
  }
}

// Floats.

/** A half's bits as a float. */
export function halfToFloat(s: Selector, half: number): number {
  return s.build.emit(form("vcvtph2ps x, x/m64"), [s.build.emit(form("vmovd x, r32/m32"), [half])]);
}

/** Floats of which those that are no numbers are the one quiet NaN: halves show the payload that a conversion keeps. */
export function withPlainNans(s: Selector, value: number, width: number): number {
  const isNan = compareFloatParts(s, "ps", value, { given: value, address: null }, 3, width);
  const nan = s.poolAddress(s.repeated(Uint8Array.of(0, 0, 0xc0, 0x7f), width));
  if (s.tier.isWide)
    return s.build.emitMasked(vectorForm("vpblendmd v, v, v/m", width), [value, MEMORY], isNan, false, nan);
  return s.build.emit(vectorForm("vblendvps v, v, v/m, v", width), [value, MEMORY, isNan], nan);
}

/** A float as a half's bits. */
export function floatToHalf(s: Selector, value: number): number {
  const half = s.build.emit(form("vcvtps2ph x/m64, x, i8"), [withPlainNans(s, value, 16), 0]);
  return s.build.emit(form("vmovd r32/m32, x"), [half]);
}

/** Sixteen bytes: the sign bit of each lane, or all bits but it. */
export function signBytes(bits: number, isSign: boolean, width: number): Uint8Array {
  const bytes = bits / 8;
  return Uint8Array.from({ length: width }, (_, i) =>
    i % bytes === bytes - 1 ? (isSign ? 0x80 : 0x7f) : isSign ? 0 : 0xff,
  );
}

/** The lesser or greater of two vectors of floats, of scalars too: `suffix` is ps or pd. */
export function minimum(
  s: Selector,
  op: number,
  suffix: string,
  width: number,
  a: number,
  b: number,
  flags: number,
): number {
  const { build } = s;
  const name = op === Op.FMIN ? "vmin" : "vmax";
  const three = (mnemonic: string): number => vectorForm(`${mnemonic}${suffix} v, v, v/m`, width);
  const isNan = (value: number): number =>
    compareFloatParts(s, suffix, value, { given: value, address: null }, 3, width);
  const replaced = (no: number, yes: number, mask: number): number =>
    s.tier.isWide
      ? blend(s, no, yes, mask, suffix === "pd" ? 8 : 4, width)
      : build.emit(vectorForm(`vblendv${suffix} v, v, v/m, v`, width), [no, yes, mask]);
  let result = build.emit(three(name), [a, b]);
  if ((flags & NO_SIGNED_ZERO) === 0)
    result = build.emit(three(op === Op.FMIN ? "vor" : "vand"), [result, build.emit(three(name), [b, a])]);
  else if ((flags & NO_NAN) === 0) {
    // The second operand is what comes of an operand that is no number: only the first can be wrong.
    return replaced(result, a, isNan(b));
  }
  if ((flags & NO_NAN) !== 0) return result;
  result = replaced(result, b, isNan(a));
  return replaced(result, a, isNan(b));
}

/** A float op on scalars in registers. Halves are computed as floats. */
export function floatOp(s: Selector, op: number, type: Type, operands: readonly number[], flags: number = 0): number {
  const { build } = s;
  const [a, b] = operands as [number, number];
  if (type.bits === 16) {
    if (op === Op.FNEG) return build.emit(form("xor r32/m32, s32"), [a, 0x8000]);
    if (op === Op.FABS) return build.emit(form("and r32/m32, s32"), [a, 0x7fff]);
    if (op === Op.FCOPYSIGN) {
      const sign = build.emit(form("and r32/m32, s32"), [b, 0x8000]);
      return build.emit(form("or r32, r32/m32"), [build.emit(form("and r32/m32, s32"), [a, 0x7fff]), sign]);
    }
    if (op === Op.FMA) throw new InternalError("multiply-adds of halves are lowered before");
    // Sums, products, quotients and roots of halves are right when they are rounded from those of floats.
    return floatToHalf(
      s,
      floatOp(
        s,
        op,
        F32_BITS,
        operands.map((operand) => halfToFloat(s, operand)),
        flags,
      ),
    );
  }
  const isDouble = type.bits === 64;
  const ss = isDouble ? "sd" : "ss";
  const ps = isDouble ? "pd" : "ps";
  const m = isDouble ? "m64" : "m32";
  const forms = FLOAT[op];
  if (forms !== undefined) return build.emit(form(isDouble ? forms.double : forms.single), [a, b]);
  const rounding = ROUNDING[op];
  if (rounding !== undefined) return build.emit(form(`vround${ss} x, x, x/${m}, i8`), [a, a, rounding]);
  const bytes = (isSign: boolean): { given: number; address: Address } => ({
    given: MEMORY,
    address: s.poolAddress(signBytes(type.bits, isSign, 16)),
  });
  const bitwise = (mnemonic: string, x: number, isSign: boolean): number => {
    const { given, address } = bytes(isSign);
    return build.emit(form(`${mnemonic}${ps} x, x, x/m128`), [x, given], address);
  };
  switch (op) {
    case Op.FMIN:
    case Op.FMAX:
      return minimum(s, op, ps, 16, a, b, flags);
    case Op.FSQRT:
      return build.emit(form(`vsqrt${ss} x, x, x/${m}`), [a, a]);
    case Op.FNEG:
      return bitwise("vxor", a, true);
    case Op.FABS:
      return bitwise("vand", a, false);
    case Op.FCOPYSIGN:
      return build.emit(form(`vor${ps} x, x, x/m128`), [bitwise("vand", a, false), bitwise("vand", b, true)]);
    default:
      throw new InternalError(`x64 has no instructions for ${OPS[op]?.name ?? op} of scalars`);
  }
}

/** Any op on scalars in registers whose operands and result are of one type. */
export function scalarOp(s: Selector, op: number, type: Type, operands: readonly number[], flags: number = 0): number {
  const rule = OPS[op]?.rule ?? "";
  if (rule.endsWith("-float")) return floatOp(s, op, type, operands, flags);
  return integerOp(s, op, type, operands[0] as number, operands[1]);
}

/** Arithmetic of scalars as the IR has it: with constants and operands in memory. */
export function emitScalar(s: Selector, instruction: Instruction): void {
  const { op, type } = instruction;
  let [a, b] = instruction.operands as [Value, Value | undefined];
  if (op === Op.AND && b !== undefined) {
    const off = s.isDeferred(a) ? complemented(a) : null;
    const other = off === null && s.isDeferred(b) ? complemented(b) : null;
    if (off !== null || other !== null) {
      const first = s.one((off ?? other) as Value);
      s.define(instruction, [
        emitFolded(s, general("andn r, r, r/m", widthOf(type)), first, s.operand(off === null ? a : b)),
      ]);
      return;
    }
  }
  if (b !== undefined && hasEffect(op, "m") && (a.kind === "constant" || (s.isInMemory(a) && !s.isDeferred(b))))
    [a, b] = [b, a];
  s.define(instruction, [scalar(s, instruction, op, type, a, b)]);
}

function multiplyAdd(s: Selector, type: Type, given: readonly Value[]): number {
  const { name, operands } = chooseMultiplyAdd(s, given);
  const [first, second, last] = operands;
  const registers = [s.one(first), s.one(second)];
  const { given: memory, address } = s.operand(last);
  const key = type.bits === 64 ? `${name}sd x, x, x/m64` : `${name}ss x, x, x/m32`;
  return s.build.emit(form(key), [...registers, memory], address);
}

function scalar(s: Selector, instruction: Instruction, op: number, type: Type, a: Value, b: Value | undefined): number {
  const forms = PLAIN[op];
  const isInt = type.kind === "int" && type.bits > 1;
  const constant = isInt ? s.immediate(b) : undefined;
  if (constant !== undefined) {
    if (OPS[op]?.rule === "shift") return shiftBy(s, op, type, s.one(a), constant);
    if (forms !== undefined) {
      const power = op === Op.MUL && constant > 0 ? Math.log2(constant) : 0.5;
      if (Number.isInteger(power)) return shiftBy(s, Op.SHL, type, s.one(a), power);
      const isSmall = constant >= -128 && constant <= 127;
      return s.build.emit(general(isSmall ? forms.small : forms.large, widthOf(type)), [s.one(a), constant]);
    }
  }
  if (isInt && type.bits >= 32 && forms !== undefined && b !== undefined) {
    const first = s.one(a);
    return emitFolded(s, general(forms.second, widthOf(type)), first, s.operand(b));
  }
  const floats = FLOAT[op];
  if (floats !== undefined && isFloatRegister(type) && b !== undefined) {
    const first = s.one(a);
    return emitFolded(s, form(type.bits === 64 ? floats.double : floats.single), first, s.operand(b));
  }
  if (op === Op.FMA && isFloatRegister(type)) return multiplyAdd(s, type, instruction.operands);
  return scalarOp(
    s,
    op,
    type,
    instruction.operands.map((operand) => s.one(operand)),
    instruction.flags,
  );
}

/** A selection of scalars by a scalar. */
export function emitSelect(s: Selector, instruction: Instruction): void {
  const [condition, yes, no] = instruction.operands as [Value, Value, Value];
  const { type } = instruction;
  if (!isFloatRegister(type)) {
    const [a, b] = [s.one(yes), s.one(no)];
    const flags = emitCondition(s, condition);
    s.define(instruction, [move(s, widthOf(type), b, a, flags)]);
    return;
  }
  const mask = scalarMask(s, condition, 16);
  const made = s.tier.isWide
    ? blend(s, s.one(no), s.one(yes), mask, 4, 16)
    : s.build.emit(form("vblendvps x, x, x/m128, x"), [s.one(no), s.one(yes), mask]);
  s.define(instruction, [made]);
}

/** A mask that is on in all lanes where a scalar condition is 1, else off. */
export function scalarMask(s: Selector, condition: Value, width: number): number {
  const { build } = s;
  if (s.tier.isWide) return splatMask(s, 1, 1, s.one(condition))[0] as number;
  const bits = build.emit(form("neg r32/m32"), [s.one(condition)]);
  const lane = build.emit(form("vmovd x, r32/m32"), [bits]);
  return build.emit(vectorForm("vpbroadcastd v, x/m32", width), [lane]);
}
