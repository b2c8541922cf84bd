// SPDX-License-Identifier: Apache-2.0
// Built-ins of numbers that are a few operations: one op of the IR, integer functions (OpenCL C 6.15.3), clamp, min,
// max and mix (6.15.4).
import { I1, Op, type Value, constantFloat, constantInt, withLanesOf } from "@muxkit/ir";

import { type BuiltinCall, type Lowering, at, boolOf, opOf, spread } from "./call.ts";
import { limits } from "./conversions.ts";

/** One op of the IR; scalars next to vectors are spread. */
export const oneOp: Lowering = (call) =>
  call.writer.op(opOf(call.detail), call.generic.ir, ...call.operands.map((_, i) => spread(call, i)));

/** 1 of the type T. */
export function one({ generic }: BuiltinCall): Value {
  return constantFloat(generic.ir, 1);
}

function pick({ generic }: BuiltinCall, signed: number, unsigned: number): number {
  return generic.isSigned ? signed : unsigned;
}

/**
 * The lesser or the greater value. Of floats as 6.15.4 words it, a selection that gives `other` where it is less
 * (greater): unlike fmin and fmax it need not look for NaN.
 */
function lesserOrGreater(call: BuiltinCall, isMaximum: boolean, value: Value, other: Value): Value {
  const { writer, generic } = call;
  const { ir } = generic;
  if (generic.kind !== "float")
    return writer.op(isMaximum ? pick(call, Op.SMAX, Op.UMAX) : pick(call, Op.SMIN, Op.UMIN), ir, value, other);
  const isOther = writer.op(Op.FLT, withLanesOf(I1, ir), isMaximum ? value : other, isMaximum ? other : value);
  return writer.op(Op.SELECT, ir, isOther, other, value);
}

/** a + b or a - b held in range, by the signs of operands and result. */
function saturatingSum(call: BuiltinCall, isSubtraction: boolean): Value {
  const { writer, generic } = call;
  const { ir } = generic;
  const [a, b] = [at(call, 0), at(call, 1)];
  const { least, most } = limits(generic);
  const bool = boolOf(generic);
  const sum = writer.op(isSubtraction ? Op.SUB : Op.ADD, ir, a, b);
  if (!generic.isSigned) {
    const wrapped = isSubtraction ? writer.op(Op.ULT, bool, a, b) : writer.op(Op.ULT, bool, sum, a);
    return writer.op(Op.SELECT, ir, wrapped, constantInt(ir, isSubtraction ? 0n : most), sum);
  }
  // The sum wrapped when both terms have a sign that it lacks (for a difference: the second sign turned).
  const differs = writer.op(Op.XOR, ir, a, sum);
  const other = isSubtraction ? writer.op(Op.XOR, ir, a, b) : writer.op(Op.XOR, ir, b, sum);
  const wrapped = writer.op(Op.SLT, bool, writer.op(Op.AND, ir, differs, other), constantInt(ir, 0));
  const isNegative = writer.op(Op.SLT, bool, a, constantInt(ir, 0));
  const bound = writer.op(Op.SELECT, ir, isNegative, constantInt(ir, least), constantInt(ir, most));
  return writer.op(Op.SELECT, ir, wrapped, bound, sum);
}

/** (a + b) >> 1 without the carry: what both share, plus half of where they differ. */
function halving(call: BuiltinCall, shared: number, combine: number): Value {
  const {
    writer,
    generic: { ir },
  } = call;
  const [a, b] = [at(call, 0), at(call, 1)];
  const half = writer.op(pick(call, Op.ASHR, Op.LSHR), ir, writer.op(Op.XOR, ir, a, b), constantInt(ir, 1));
  return writer.op(combine, ir, writer.op(shared, ir, a, b), half);
}

/** A product of the first two arguments by an op, plus the third. */
function productPlus(call: BuiltinCall, product: number): Value {
  const {
    writer,
    generic: { ir },
  } = call;
  return writer.op(Op.ADD, ir, writer.op(product, ir, at(call, 0), at(call, 1)), at(call, 2));
}

const INTEGER: Readonly<Record<string, Lowering>> = {
  abs: (call) => {
    const { writer, generic } = call;
    const { ir } = generic;
    if (!generic.isSigned) return at(call, 0);
    return writer.op(Op.UMIN, ir, at(call, 0), writer.op(Op.SUB, ir, constantInt(ir, 0), at(call, 0)));
  },
  abs_diff: (call) => {
    const {
      writer,
      generic: { ir },
    } = call;
    const [a, b] = [at(call, 0), at(call, 1)];
    const most = writer.op(pick(call, Op.SMAX, Op.UMAX), ir, a, b);
    const least = writer.op(pick(call, Op.SMIN, Op.UMIN), ir, a, b);
    return writer.op(Op.SUB, ir, most, least);
  },
  add_sat: (call) => saturatingSum(call, false),
  sub_sat: (call) => saturatingSum(call, true),
  hadd: (call) => halving(call, Op.AND, Op.ADD),
  rhadd: (call) => halving(call, Op.OR, Op.SUB),
  mul_hi: (call) => call.writer.op(pick(call, Op.SMULH, Op.UMULH), call.generic.ir, at(call, 0), at(call, 1)),
  mad_hi: (call) => productPlus(call, pick(call, Op.SMULH, Op.UMULH)),
  mul24: (call) => call.writer.op(Op.MUL, call.generic.ir, at(call, 0), at(call, 1)),
  mad24: (call) => productPlus(call, Op.MUL),
  upsample: (call) => {
    const { writer, generic, type } = call;
    const high = writer.op(Op.SHL, type, writer.op(Op.ZEXT, type, at(call, 0)), constantInt(type, generic.bits));
    return writer.op(Op.OR, type, high, writer.op(Op.ZEXT, type, at(call, 1)));
  },
};

/** Integer functions by their names. */
export const integer: Lowering = (call) => (INTEGER[call.detail] ?? oneOp)(call);

/** The greater or the lesser of two values. */
export const extremum =
  (isMaximum: boolean): Lowering =>
  (call) =>
    lesserOrGreater(call, isMaximum, spread(call, 0), spread(call, 1));

/** A value held between two others. */
export const clamp: Lowering = (call) => {
  // The least value first: where x is a NaN, it is what is left.
  const [least, value] = [spread(call, 1), spread(call, 0)];
  const raised = lesserOrGreater(call, true, least, value);
  return lesserOrGreater(call, false, raised, spread(call, 2));
};

/** a * b + c, rounded as it comes. */
export const multiplyAdd: Lowering = (call) => {
  const {
    writer,
    generic: { ir },
  } = call;
  return writer.op(Op.FADD, ir, writer.op(Op.FMUL, ir, at(call, 0), at(call, 1)), at(call, 2));
};

/** 1 / x. */
export const reciprocal: Lowering = (call) => call.writer.op(Op.FDIV, call.generic.ir, one(call), at(call, 0));

/** 1 / sqrt(x). */
export const reciprocalRoot: Lowering = (call) => {
  const {
    writer,
    generic: { ir },
  } = call;
  return writer.op(Op.FDIV, ir, one(call), writer.op(Op.FSQRT, ir, at(call, 0)));
};

/** a + (b - a) * t. */
export const mix: Lowering = (call) => {
  const {
    writer,
    generic: { ir },
  } = call;
  const [a, b, t] = [spread(call, 0), spread(call, 1), spread(call, 2)];
  return writer.op(Op.FADD, ir, a, writer.op(Op.FMUL, ir, writer.op(Op.FSUB, ir, b, a), t));
};

/** A constant of the result's type. */
export const constant: Lowering = ({ type, detail }) =>
  constantFloat(type, detail === "inf" ? Number.POSITIVE_INFINITY : Number.NaN);
