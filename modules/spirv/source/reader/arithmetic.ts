// SPDX-License-Identifier: Apache-2.0
// Arithmetic, comparisons, bits and conversions: rows from instructions to ops of the IR.
//
// In modules of 64-bit addressing ids and sizes are 64 bits wide, though the device's are 32: what is computed with
// them is narrowed where that cannot be seen: a comparison of two numbers that were both extended from 32 bits compares
// these, and a shift to and fro that extends the lower half is an extension of it.
import {
  APPROXIMATE,
  CONTRACT,
  type Constant,
  F16,
  I1,
  I32,
  I8,
  type Instruction,
  NO_INFINITY,
  NO_NAN,
  NO_SIGNED_WRAP,
  NO_SIGNED_ZERO,
  NO_UNSIGNED_WRAP,
  Op,
  REASSOCIATE,
  RECIPROCAL,
  type Type,
  type Value,
  constantFloat,
  constantInt,
  constantZero,
  intType,
  laneCount,
  pointerType,
  scalarOf,
  vectorType,
  withLanesOf,
} from "@muxkit/ir";

import type { OpName } from "../generated/names.ts";
import { callByTypes } from "./calls.ts";
import type { FunctionReader } from "./function-reader.ts";
import { Aggregate, type Operand } from "./operand.ts";
import { narrowed, operandOf, truncated } from "./narrow.ts";
import { isOddInt, openclName } from "./types.ts";

/** Writes an instruction; what it returns is the result. */
export type Handler = (f: FunctionReader) => Operand | undefined;
/** Handlers by instruction. */
export type HandlerTable = Partial<Record<OpName, Handler>>;

/** Bits of FPFastMathMode and what they are in the IR. */
const FAST_MATH: readonly (readonly [bit: number, flags: number])[] = [
  [1, NO_NAN],
  [2, NO_INFINITY],
  [4, NO_SIGNED_ZERO],
  [8, RECIPROCAL],
  [16, NO_NAN | NO_INFINITY | NO_SIGNED_ZERO | RECIPROCAL | REASSOCIATE | APPROXIMATE | CONTRACT],
  [0x10000, CONTRACT],
  [0x20000, REASSOCIATE],
  [0x40000, REASSOCIATE | CONTRACT],
];

/** The flags that a result's decorations give an operation on floats. */
export function floatFlagsOf(f: FunctionReader): number {
  const { m, i } = f;
  let flags = f.b.floatFlags;
  if (!m.decorations.isDecorated(i.result)) return flags;
  const [mode = 0] = m.decoration(i.result, "FPFastMathMode") ?? [];
  for (const [bit, own] of FAST_MATH) if ((mode & bit) !== 0) flags |= own;
  return m.hasDecoration(i.result, "NoContraction") ? flags & ~CONTRACT : flags;
}

function wrapFlags(f: FunctionReader): number {
  const { m, i } = f;
  if (!m.decorations.isDecorated(i.result) || isOddInt(f.type)) return 0;
  return (
    (m.hasDecoration(i.result, "NoSignedWrap") ? NO_SIGNED_WRAP : 0) |
    (m.hasDecoration(i.result, "NoUnsignedWrap") ? NO_UNSIGNED_WRAP : 0)
  );
}

/** Ops whose results follow from the signs of their operands. */
const SIGNED_OPS: ReadonlySet<number> = new Set([
  Op.SDIV,
  Op.SREM,
  Op.ASHR,
  Op.SLT,
  Op.SLE,
  Op.SGT,
  Op.SGE,
  Op.SEXT,
  Op.SITOFP,
]);

/** The type of both operands, which must be the same. */
function alike(f: FunctionReader, left: Value, right: Value): Type {
  return left.type === right.type
    ? left.type
    : f.refuse(`the operands are of two types, ${left.type.text} and ${right.type.text}`);
}

function expectKind(f: FunctionReader, value: Value, kind: "int" | "float"): Value {
  const { kind: own } = scalarOf(value.type);
  return own === kind ? value : f.refuse(`the operand must be of ${kind}s, not ${value.type.text}`);
}

/** Operand word `index`, extended as an op takes it where its width is none of the IR's. */
function extendedArg(f: FunctionReader, op: number, index: number): Value {
  return SIGNED_OPS.has(op) ? f.signExtended(index) : f.zeroExtended(index);
}

const intOp =
  (op: number): Handler =>
  (f) => {
    const left = expectKind(f, extendedArg(f, op, 0), "int");
    const right = extendedArg(f, op, 1);
    const made = f.op(op, alike(f, left, right), left, right);
    made.flags = wrapFlags(f);
    return made;
  };

const floatOp =
  (op: number): Handler =>
  (f) => {
    const operands = [f.arg(0), f.arg(1)] as const;
    const made = f.op(op, alike(f, expectKind(f, operands[0], "float"), operands[1]), ...operands);
    made.flags = floatFlagsOf(f);
    return made;
  };

/** Amounts may have another width than what is shifted. */
function fitted(f: FunctionReader, value: Value, type: Type): Value {
  if (value.type === type) return value;
  const [from, to] = [scalarOf(value.type), scalarOf(type)];
  if (from.kind !== "int" || to.kind !== "int" || laneCount(value.type) !== laneCount(type))
    return f.refuse(`${value.type.text} does not go with ${type.text}`);
  return f.op(from.bits > to.bits ? Op.TRUNC : Op.ZEXT, type, value);
}

const isConstant32 = (value: Value | null): boolean =>
  value?.kind === "constant" && value.low === 32 && value.high === 0 && value.lanes.length === 0;

const shiftOp =
  (op: number): Handler =>
  (f) => {
    const value = extendedArg(f, op, 0);
    const amount = fitted(f, f.zeroExtended(1), value.type);
    // x << 32 >> 32 extends the lower half.
    const moved = operandOf(value, Op.SHL, 0);
    if (
      op !== Op.SHL &&
      moved !== null &&
      value.type === intType(64) &&
      isConstant32(amount) &&
      isConstant32(operandOf(value, Op.SHL, 1))
    )
      return f.op(op === Op.ASHR ? Op.SEXT : Op.ZEXT, value.type, truncated(f, moved, I32));
    return f.op(op, value.type, value, amount);
  };

/** A 64-bit number as the 32-bit one that it was extended from by an op, or as a constant; null: it was not. */
function halfOf(value: Value, op: number): Value | null {
  const inner = operandOf(value, op, 0);
  if (inner?.type === I32) return inner;
  if (value.kind !== "constant" || value.type !== intType(64)) return null;
  const fits = op === Op.ZEXT ? value.high === 0 : value.high === ((value.low | 0) >> 31) >>> 0;
  return fits ? constantInt(I32, value.low) : null;
}

/** Unsigned twins of signed comparisons. */
const UNSIGNED: Readonly<Record<number, number>> = {
  [Op.SLT]: Op.ULT,
  [Op.SLE]: Op.ULE,
  [Op.SGT]: Op.UGT,
  [Op.SGE]: Op.UGE,
};
const SIGNED: ReadonlySet<number> = new Set([Op.SLT, Op.SLE, Op.SGT, Op.SGE, Op.EQ, Op.NE]);

const compareInt =
  (op: number): Handler =>
  (f) => {
    const [left, right] = [extendedArg(f, op, 0), extendedArg(f, op, 1)];
    alike(f, left, right);
    const [a, b] = [halfOf(left, Op.ZEXT), halfOf(right, Op.ZEXT)];
    if (a !== null && b !== null) return f.b.compare(UNSIGNED[op] ?? op, a, b);
    const [c, d] = [halfOf(left, Op.SEXT), halfOf(right, Op.SEXT)];
    if (c !== null && d !== null && SIGNED.has(op)) return f.b.compare(op, c, d);
    return f.b.compare(op, left, right);
  };

function compareFloats(f: FunctionReader, op: number, left: Value, right: Value): Instruction {
  alike(f, expectKind(f, left, "float"), right);
  const made = f.b.compare(op, left, right);
  made.flags = floatFlagsOf(f) & (NO_NAN | NO_INFINITY | NO_SIGNED_ZERO);
  return made;
}

function inverted(f: FunctionReader, value: Value): Value {
  return f.op(Op.XOR, value.type, value, constantInt(value.type, 1));
}

const ordered =
  (op: number): Handler =>
  (f) =>
    compareFloats(f, op, f.arg(0), f.arg(1));

/** True also for NaNs: the opposite comparison is not true. */
const unordered =
  (opposite: number): Handler =>
  (f) =>
    inverted(f, compareFloats(f, opposite, f.arg(0), f.arg(1)));

const lessOrGreater =
  (isOrdered: boolean): Handler =>
  (f) => {
    const [left, right] = [f.arg(0), f.arg(1)];
    const less = compareFloats(f, Op.FLT, left, right);
    const both = f.op(Op.OR, less.type, less, compareFloats(f, Op.FGT, left, right));
    return isOrdered ? both : inverted(f, both);
  };

const areNumbers =
  (op: number, join: number): Handler =>
  (f) => {
    const [left, right] = [f.arg(0), f.arg(1)];
    const first = f.b.compare(op, left, left);
    return f.op(join, first.type, first, f.b.compare(op, right, right));
  };

/** Compares the magnitude of a float with a constant. */
function magnitude(f: FunctionReader, op: number, limit: (type: Type) => Constant): Value {
  const value = expectKind(f, f.arg(0), "float");
  return f.b.compare(op, f.op(Op.FABS, value.type, value), limit(value.type));
}

const infinity = (type: Type): Constant => constantFloat(type, Infinity);
const LEAST_NORMAL: Readonly<Record<number, number>> = { 16: 2 ** -14, 32: 2 ** -126, 64: 2 ** -1022 };
const leastNormal = (type: Type): Constant => constantFloat(type, LEAST_NORMAL[scalarOf(type).bits] ?? 0);

/** A remainder with the sign of the divisor. */
const modulo =
  (remainder: number, isFloat: boolean): Handler =>
  (f) => {
    const [left, right] = [f.arg(0), f.arg(1)];
    const type = alike(f, left, right);
    const rest = f.op(remainder, type, left, right);
    const zero = constantZero(type);
    const isOther = isFloat
      ? f.op(
          Op.AND,
          withLanesOf(I1, type),
          f.b.compare(Op.FNE, rest, zero),
          f.op(Op.XOR, withLanesOf(I1, type), f.b.compare(Op.FLT, rest, zero), f.b.compare(Op.FLT, right, zero)),
        )
      : f.op(
          Op.AND,
          withLanesOf(I1, type),
          f.b.compare(Op.NE, rest, zero),
          f.b.compare(Op.SLT, f.op(Op.XOR, type, rest, right), zero),
        );
    return f.b.select(isOther, f.op(isFloat ? Op.FADD : Op.ADD, type, rest, right), rest);
  };

function requirePair(f: FunctionReader, type: Type): void {
  const { members } = f.type;
  if (members.length !== 2 || members.some(({ ir }) => ir !== type))
    f.refuse("the result must be a struct of two members of the operands' type");
}

/** Results that are a struct of two numbers. */
const carry =
  (op: number, overflow: number): Handler =>
  (f) => {
    const [left, right] = [f.arg(0), f.arg(1)];
    const type = alike(f, left, right);
    requirePair(f, type);
    const result = f.op(op, type, left, right);
    const isOver = op === Op.ADD ? f.b.compare(overflow, result, left) : f.b.compare(overflow, left, right);
    return new Aggregate([result, f.op(Op.ZEXT, type, isOver)]);
  };

const extended =
  (high: number): Handler =>
  (f) => {
    const [left, right] = [f.arg(0), f.arg(1)];
    const type = alike(f, left, right);
    requirePair(f, type);
    return new Aggregate([f.op(Op.MUL, type, left, right), f.op(high, type, left, right)]);
  };

const selectOf: Handler = (f) => {
  const { type } = f;
  const [yes, no] = [f.operand(f.i.word(1)), f.operand(f.i.word(2))];
  const condition = f.arg(0);
  if (scalarOf(condition.type) !== I1) return f.refuse("the condition must be of truth values");
  const left = f.flatten(yes);
  const right = f.flatten(no);
  const chosen = left.map((value, n) => {
    const other = right[n];
    return other?.type === value.type
      ? f.b.select(condition, value, other)
      : f.refuse("both values must be of the result's type");
  });
  return f.unflatten(type, chosen);
};

const not: Handler = (f) => {
  const value = expectKind(f, f.zeroExtended(0), "int");
  return f.op(Op.XOR, value.type, value, constantInt(value.type, scalarOf(value.type) === I1 ? 1 : -1));
};

/** LLVM counts lanes of a mask so, as an int of as many bits. */
const bitCount: Handler = (f) => f.op(Op.POPCOUNT, f.ir, expectKind(f, f.zeroExtended(0), "int"));

/** Reverses the bits of each lane: by halves, quarters and so on. */
const bitReverse: Handler = (f) => {
  let value = expectKind(f, f.arg(0), "int");
  const { type } = value;
  const bits = scalarOf(type).bits;
  for (let step = bits / 2; step >= 1; step /= 2) {
    let mask = 0n;
    for (let bit = 0; bit < bits; bit++) if (Math.floor(bit / step) % 2 === 0) mask |= 1n << BigInt(bit);
    const [amount, low] = [constantInt(type, step), constantInt(type, mask)];
    value = f.op(
      Op.OR,
      type,
      f.op(Op.AND, type, f.op(Op.LSHR, type, value, amount), low),
      f.op(Op.SHL, type, f.op(Op.AND, type, value, low), amount),
    );
  }
  return value;
};

/** A mask of `count` low bits of a type; all where the count is its width or more. */
function lowBits(f: FunctionReader, type: Type, count: Value): Value {
  const bits = constantInt(type, scalarOf(type).bits);
  const mask = f.op(Op.SUB, type, f.op(Op.SHL, type, constantInt(type, 1), count), constantInt(type, 1));
  return f.b.select(f.b.compare(Op.UGE, count, bits), constantInt(type, -1), mask);
}

/** A scalar amount in every lane of a type. */
function amountOf(f: FunctionReader, value: Value, type: Type): Value {
  const scalar = fitted(f, value, scalarOf(type));
  return type.kind === "vector" ? f.b.splat(scalar, type.count) : scalar;
}

const bitField =
  (isSigned: boolean): Handler =>
  (f) => {
    const base = f.arg(0);
    const { type } = base;
    const [offset, count] = [amountOf(f, f.arg(1), type), amountOf(f, f.arg(2), type)];
    const field = f.op(Op.AND, type, f.op(Op.LSHR, type, base, offset), lowBits(f, type, count));
    if (!isSigned) return field;
    const rest = f.op(Op.SUB, type, constantInt(type, scalarOf(type).bits), count);
    const moved = f.op(Op.ASHR, type, f.op(Op.SHL, type, field, rest), rest);
    return f.b.select(f.b.compare(Op.EQ, count, constantZero(type)), constantZero(type), moved);
  };

const bitFieldInsert: Handler = (f) => {
  const [base, insert] = [f.arg(0), f.arg(1)];
  const { type } = base;
  const [offset, count] = [amountOf(f, f.arg(2), type), amountOf(f, f.arg(3), type)];
  const mask = f.op(Op.SHL, type, lowBits(f, type, count), offset);
  const kept = f.op(Op.AND, type, base, f.op(Op.XOR, type, mask, constantInt(type, -1)));
  const added = f.op(Op.AND, type, f.op(Op.SHL, type, insert, offset), mask);
  return f.b.select(f.b.compare(Op.EQ, count, constantZero(type)), base, f.op(Op.OR, type, kept, added));
};

const ROUNDINGS: readonly string[] = ["_rte", "_rtz", "_rtp", "_rtn"];

/** A conversion of numbers: an op, or where decorations say more, OpenCL's function of that name. */
const conversion =
  (op: number, fromSigned: boolean, toSigned: boolean): Handler =>
  (f) => {
    const value = extendedArg(f, op, 0);
    const { m, i, ir } = f;
    const isSaturated = m.hasDecoration(i.result, "SaturatedConversion");
    const rounding = m.decoration(i.result, "FPRoundingMode")?.[0];
    if (!isSaturated && (rounding === undefined || (rounding === 0 && scalarOf(ir).kind === "float")))
      return f.op(op, ir, value);
    if (openclName(ir, toSigned) === "" || isOddInt(f.type)) return f.refuse(`there is no conversion to ${ir.text}`);
    const name = `convert_${openclName(ir, toSigned)}${isSaturated ? "_sat" : ""}${rounding === undefined ? "" : (ROUNDINGS[rounding] ?? "")}`;
    return callByTypes(f, name, ir, [value], [fromSigned]);
  };

const resize =
  (extend: number): Handler =>
  (f) => {
    if (f.m.hasDecoration(f.i.result, "SaturatedConversion"))
      return saturated(extend === Op.SEXT, extend === Op.SEXT)(f);
    const value = expectKind(f, extendedArg(f, extend, 0), "int");
    const { ir } = f;
    if (value.type === ir) return value;
    if (laneCount(value.type) !== laneCount(ir)) return f.refuse("the operand has other lanes than the result");
    // What ids and sizes of 64 bits were only computed in is computed in 32: the vectoriser sees what it is made of.
    if (f.m.isWide && ir === I32 && value.type === intType(64)) return narrowed(f, value);
    return scalarOf(value.type).bits > scalarOf(ir).bits ? truncated(f, value, ir) : f.op(extend, ir, value);
  };

const resizeFloat: Handler = (f) => {
  const value = expectKind(f, f.arg(0), "float");
  const { ir } = f;
  if (value.type === ir) return value;
  const isNarrower = scalarOf(value.type).bits > scalarOf(ir).bits;
  return conversion(isNarrower ? Op.FPTRUNC : Op.FPEXT, true, true)(f);
};

const saturated =
  (fromSigned: boolean, toSigned: boolean): Handler =>
  (f) => {
    const name = openclName(f.ir, toSigned);
    if (name === "" || isOddInt(f.type)) return f.refuse(`there is no conversion to ${f.ir.text}`);
    return callByTypes(f, `convert_${name}_sat`, f.ir, [f.arg(0)], [fromSigned]);
  };

const quantize: Handler = (f) => {
  const value = expectKind(f, f.arg(0), "float");
  return f.op(Op.FPEXT, value.type, f.op(Op.FPTRUNC, withLanesOf(F16, value.type), value));
};

/** The same bits as another type; pointers as ints and back too. */
const bitcast: Handler = (f) => {
  const value = f.arg(0);
  const { ir } = f;
  if (value.type === ir) return value;
  const [from, to] = [value.type.kind, ir.kind];
  if (from === "pointer" && to === "pointer") return f.refuse("a cast between storage classes has its own instruction");
  if (from === "pointer" && to === "int") return f.op(Op.PTRTOINT, ir, value);
  if (to === "pointer") return pointerOf(f, value);
  if (scalarOf(value.type) === I1 && to === "int") return bitsOfMask(f, value);
  if (bitsOf(value.type) !== bitsOf(ir)) return f.refuse(`${value.type.text} has other bits than ${ir.text}`);
  return f.op(Op.BITCAST, ir, value);
};

/** A vector of truth values as an int with a bit for each, as LLVM's optimiser makes it. */
function bitsOfMask(f: FunctionReader, mask: Value): Value {
  const { ir, type } = f;
  if (type.bits !== laneCount(mask.type)) return f.refuse(`${mask.type.text} has other bits than the result`);
  let bits: Value = constantZero(ir);
  for (let lane = 0; lane < type.bits; lane++) {
    const bit = f.op(Op.ZEXT, ir, mask.type.kind === "vector" ? f.b.extract(mask, lane) : mask);
    bits = f.op(Op.OR, ir, bits, f.op(Op.SHL, ir, bit, constantInt(ir, lane)));
  }
  return bits;
}

/** Bits of a number or a vector of numbers. */
function bitsOf(type: Type): number {
  return scalarOf(type).bits * laneCount(type);
}

function pointerOf(f: FunctionReader, value: Value): Value {
  return f.op(Op.INTTOPTR, f.ir, f.m.isWide ? narrowed(f, value) : value);
}

/** A pointer into another storage class; a handle, which LLVM has as a pointer, is the same in all of them. */
function spaceCast(f: FunctionReader, to: Type): Value {
  const value = f.arg(0);
  if (value.type === to) return value;
  if (value.type.kind !== "pointer" || to.kind !== "pointer") return f.refuse("the operand must be a pointer");
  return f.op(Op.ADDRSPACECAST, to, value);
}

/** A reservation of a number: that of all ones, which producers write for none, is 0 here. */
function reservation(f: FunctionReader): Value {
  const value = expectKind(f, f.arg(0), "int");
  const isNone = f.b.compare(Op.EQ, value, constantInt(value.type, -1));
  const own = value.type === f.ir ? value : f.op(Op.ZEXT, f.ir, value);
  return f.b.select(isNone, constantZero(f.ir), own);
}

/** Products of ints, lane by lane, in a wider type, summed up. */
const integerDot =
  (leftSigned: boolean, rightSigned: boolean, isSaturated: boolean): Handler =>
  (f) => {
    const { ir } = f;
    const lanesOf = (value: Value): Value => (value.type === I32 ? f.op(Op.BITCAST, vectorType(I8, 4), value) : value);
    const [left, right] = [lanesOf(f.arg(0)), lanesOf(f.arg(1))];
    const wide = intType(Math.max(32, scalarOf(ir).bits));
    let sum: Value | null = null;
    for (let lane = 0; lane < laneCount(left.type); lane++) {
      const widened = (vector: Value, isSigned: boolean): Value => {
        const element = f.b.extract(vector, lane);
        return element.type.bits >= wide.bits ? element : f.op(isSigned ? Op.SEXT : Op.ZEXT, wide, element);
      };
      const product: Value = f.op(Op.MUL, wide, widened(left, leftSigned), widened(right, rightSigned));
      sum = sum === null ? product : f.op(Op.ADD, wide, sum, product);
    }
    if (sum === null) return f.refuse("a dot product takes vectors");
    const total = truncated(f, sum, ir);
    if (!isSaturated) return total;
    const isSigned = leftSigned || rightSigned;
    return callByTypes(f, "add_sat", ir, [total, f.arg(2)], [isSigned, isSigned]);
  };

const generic = pointerType(4);

/** Rows of arithmetic, bits, comparisons and conversions. */
export const ARITHMETIC: HandlerTable = {
  OpIAdd: intOp(Op.ADD),
  OpISub: intOp(Op.SUB),
  OpIMul: intOp(Op.MUL),
  OpUDiv: intOp(Op.UDIV),
  OpSDiv: intOp(Op.SDIV),
  OpUMod: intOp(Op.UREM),
  OpSRem: intOp(Op.SREM),
  OpSMod: modulo(Op.SREM, false),
  OpFAdd: floatOp(Op.FADD),
  OpFSub: floatOp(Op.FSUB),
  OpFMul: floatOp(Op.FMUL),
  OpFDiv: floatOp(Op.FDIV),
  OpFRem: floatOp(Op.FREM),
  OpFMod: modulo(Op.FREM, true),
  OpSNegate: (f) => {
    const value = expectKind(f, f.zeroExtended(0), "int");
    return f.op(Op.SUB, value.type, constantZero(value.type), value);
  },
  OpFNegate: (f) => {
    const value = expectKind(f, f.arg(0), "float");
    return f.op(Op.FNEG, value.type, value);
  },
  OpIAddCarry: carry(Op.ADD, Op.ULT),
  OpISubBorrow: carry(Op.SUB, Op.ULT),
  OpUMulExtended: extended(Op.UMULH),
  OpSMulExtended: extended(Op.SMULH),
  OpVectorTimesScalar: (f) => {
    const [vector, factor] = [f.arg(0), f.arg(1)];
    if (vector.type.kind !== "vector" || factor.type !== scalarOf(vector.type) || factor.type.kind !== "float")
      return f.refuse("the operands must be a vector of floats and a float of the same width");
    const made = f.op(Op.FMUL, vector.type, vector, f.b.splat(factor, vector.type.count));
    made.flags = floatFlagsOf(f);
    return made;
  },
  OpDot: (f) => {
    if (f.ir.kind !== "float") return f.refuse("OpDot takes floats; for ints there are OpSDot, OpUDot and OpSUDot");
    return callByTypes(f, "dot", f.ir, [f.arg(0), f.arg(1)], [true, true]);
  },
  OpSDot: integerDot(true, true, false),
  OpUDot: integerDot(false, false, false),
  OpSUDot: integerDot(true, false, false),
  OpSDotAccSat: integerDot(true, true, true),
  OpUDotAccSat: integerDot(false, false, true),
  OpSUDotAccSat: integerDot(true, false, true),

  OpShiftRightLogical: shiftOp(Op.LSHR),
  OpShiftRightArithmetic: shiftOp(Op.ASHR),
  OpShiftLeftLogical: shiftOp(Op.SHL),
  OpBitwiseOr: intOp(Op.OR),
  OpBitwiseXor: intOp(Op.XOR),
  OpBitwiseAnd: intOp(Op.AND),
  OpNot: not,
  OpBitCount: bitCount,
  OpBitReverse: bitReverse,
  OpBitFieldInsert: bitFieldInsert,
  OpBitFieldSExtract: bitField(true),
  OpBitFieldUExtract: bitField(false),

  OpAny: (f) => f.b.any(f.arg(0)),
  OpAll: (f) => f.b.all(f.arg(0)),
  OpLogicalAnd: intOp(Op.AND),
  OpLogicalOr: intOp(Op.OR),
  OpLogicalEqual: (f) => inverted(f, f.op(Op.XOR, alike(f, f.arg(0), f.arg(1)), f.arg(0), f.arg(1))),
  OpLogicalNotEqual: intOp(Op.XOR),
  OpLogicalNot: not,
  OpSelect: selectOf,
  OpIEqual: compareInt(Op.EQ),
  OpINotEqual: compareInt(Op.NE),
  OpUGreaterThan: compareInt(Op.UGT),
  OpSGreaterThan: compareInt(Op.SGT),
  OpUGreaterThanEqual: compareInt(Op.UGE),
  OpSGreaterThanEqual: compareInt(Op.SGE),
  OpULessThan: compareInt(Op.ULT),
  OpSLessThan: compareInt(Op.SLT),
  OpULessThanEqual: compareInt(Op.ULE),
  OpSLessThanEqual: compareInt(Op.SLE),
  OpFOrdEqual: ordered(Op.FEQ),
  OpFUnordEqual: lessOrGreater(false),
  OpFOrdNotEqual: lessOrGreater(true),
  OpLessOrGreater: lessOrGreater(true),
  OpFUnordNotEqual: ordered(Op.FNE),
  OpFOrdLessThan: ordered(Op.FLT),
  OpFUnordLessThan: unordered(Op.FGE),
  OpFOrdGreaterThan: ordered(Op.FGT),
  OpFUnordGreaterThan: unordered(Op.FLE),
  OpFOrdLessThanEqual: ordered(Op.FLE),
  OpFUnordLessThanEqual: unordered(Op.FGT),
  OpFOrdGreaterThanEqual: ordered(Op.FGE),
  OpFUnordGreaterThanEqual: unordered(Op.FLT),
  OpOrdered: areNumbers(Op.FEQ, Op.AND),
  OpUnordered: areNumbers(Op.FNE, Op.OR),
  OpIsNan: (f) => f.b.compare(Op.FNE, f.arg(0), f.arg(0)),
  OpIsInf: (f) => magnitude(f, Op.FEQ, infinity),
  OpIsFinite: (f) => magnitude(f, Op.FLT, infinity),
  OpIsNormal: (f) => {
    const least = magnitude(f, Op.FGE, leastNormal);
    return f.op(Op.AND, least.type, least, magnitude(f, Op.FLT, infinity));
  },
  OpSignBitSet: (f) => {
    const value = expectKind(f, f.arg(0), "float");
    const ints = withLanesOf(intType(scalarOf(value.type).bits), value.type);
    return f.b.compare(Op.SLT, f.op(Op.BITCAST, ints, value), constantZero(ints));
  },

  OpConvertFToU: conversion(Op.FPTOUI, true, false),
  OpConvertFToS: conversion(Op.FPTOSI, true, true),
  OpConvertSToF: conversion(Op.SITOFP, true, true),
  OpConvertUToF: conversion(Op.UITOFP, false, true),
  OpUConvert: resize(Op.ZEXT),
  OpSConvert: resize(Op.SEXT),
  OpFConvert: resizeFloat,
  OpQuantizeToF16: quantize,
  OpSatConvertSToU: saturated(true, false),
  OpSatConvertUToS: saturated(false, true),
  OpConvertPtrToU: (f) => f.op(Op.PTRTOINT, f.ir, f.arg(0)),
  OpConvertUToPtr: (f) => (f.type.kind === "reserve-id" ? reservation(f) : pointerOf(f, f.arg(0))),
  OpPtrCastToGeneric: (f) => spaceCast(f, f.type.kind === "pointer" ? generic : f.ir),
  OpGenericCastToPtr: (f) => spaceCast(f, f.ir),
  OpBitcast: bitcast,
};
