// SPDX-License-Identifier: Apache-2.0
// Geometric functions (OpenCL C 6.15.5). Lengths neither overflow nor lose what squares would: a vector is scaled by
// the power of two that brings its largest component near 1, and the length is scaled back.
import { I1, I32, Op, type Value, constantFloat, constantInt, constantZero, withLanesOf } from "@muxkit/ir";

import { oneOp, one } from "./arithmetic.ts";
import { type BuiltinCall, type Lowering, at, boolOf } from "./call.ts";
import { type BuiltinType, intOf } from "./types.ts";
import type { Writer } from "./writer.ts";

/** Bits of the fraction of a float type. */
export function fractionBits({ bits }: BuiltinType): bigint {
  return bits === 64 ? 52n : bits === 32 ? 23n : 10n;
}

/** Bits of an infinity, of a float type. */
export function infinityBits(type: BuiltinType): bigint {
  const fraction = fractionBits(type);
  return ((1n << (BigInt(type.bits) - 1n - fraction)) - 1n) << fraction;
}

/** Sum of products of lanes, in lane order. */
function dot(writer: Writer, a: Value, b: Value, type: BuiltinType): Value {
  const { ir: element } = type.element;
  if (!type.isVector) return writer.op(Op.FMUL, element, a, b);
  const products = writer.op(Op.FMUL, type.ir, a, b);
  let sum = writer.op(Op.EXTRACT, element, products, constantInt(I32, 0));
  for (let i = 1; i < type.lanes; i++)
    sum = writer.op(Op.FADD, element, sum, writer.op(Op.EXTRACT, element, products, constantInt(I32, i)));
  return sum;
}

/** The root of the sum of squares; squares may overflow or vanish. */
function fastLength(writer: Writer, value: Value, type: BuiltinType): Value {
  return type.isVector
    ? writer.op(Op.FSQRT, type.element.ir, dot(writer, value, value, type))
    : writer.op(Op.FABS, type.ir, value);
}

/**
 * A vector times a power of two that brings its largest component between 1 and 2, or near it, and the power that
 * undoes this.
 */
interface Scaled {
  readonly value: Value;
  readonly inverse: Value;
  /** Bits of the largest component's exponent. */
  readonly exponent: Value;
}

/** A scalar in every lane of a type. */
function everywhere(writer: Writer, value: Value, type: BuiltinType): Value {
  return type.isVector ? writer.op(Op.SPLAT, withLanesOf(value.type, type.ir), value) : value;
}

function scaled(writer: Writer, value: Value, type: BuiltinType): Scaled {
  const { element } = type;
  const ints = intOf(element.bits, false).ir;
  const wide = withLanesOf(ints, type.ir);
  const least = 1n << fractionBits(type);
  const infinity = infinityBits(type);
  const exponents = writer.op(Op.AND, wide, writer.op(Op.BITCAST, wide, value), constantInt(wide, infinity));
  let exponent = type.isVector ? writer.op(Op.EXTRACT, ints, exponents, constantInt(I32, 0)) : exponents;
  for (let i = 1; i < type.lanes; i++)
    exponent = writer.op(Op.UMAX, ints, exponent, writer.op(Op.EXTRACT, ints, exponents, constantInt(I32, i)));
  // The two powers of two are normal numbers for every exponent between these.
  const held = writer.op(
    Op.UMIN,
    ints,
    writer.op(Op.UMAX, ints, exponent, constantInt(ints, least)),
    constantInt(ints, infinity - 2n * least),
  );
  const factor = writer.op(Op.BITCAST, element.ir, writer.op(Op.SUB, ints, constantInt(ints, infinity - least), held));
  return {
    value: writer.op(Op.FMUL, type.ir, value, everywhere(writer, factor, type)),
    inverse: writer.op(Op.BITCAST, element.ir, held),
    exponent,
  };
}

/** Without overflow, and without loss where squares would vanish. */
function length(writer: Writer, value: Value, type: BuiltinType): Value {
  if (!type.isVector) return writer.op(Op.FABS, type.ir, value);
  const { value: part, inverse } = scaled(writer, value, type);
  const { ir } = type.element;
  return writer.op(Op.FMUL, ir, writer.op(Op.FSQRT, ir, dot(writer, part, part, type)), inverse);
}

const gap = (call: BuiltinCall): Value => call.writer.op(Op.FSUB, call.generic.ir, at(call, 0), at(call, 1));

/** A vector over its length; the zero vector stays itself. */
function divided(call: BuiltinCall, value: Value, size: Value): Value {
  const { writer, generic } = call;
  const all = everywhere(writer, size, generic);
  const isZero = writer.op(Op.FEQ, boolOf(generic), all, constantZero(generic.ir));
  return writer.op(Op.SELECT, generic.ir, isZero, at(call, 0), writer.op(Op.FDIV, generic.ir, value, all));
}

/** Where a component is infinite, infinite ones count as 1 and the others as 0; a NaN stays one (7.5.1). */
const normalize: Lowering = (call) => {
  const { writer, generic } = call;
  const { ir } = generic;
  const given = at(call, 0);
  const { value, exponent } = scaled(writer, given, generic);
  const infinity = constantFloat(ir, Number.POSITIVE_INFINITY);
  const isInfinite = writer.op(Op.FEQ, boolOf(generic), writer.op(Op.FABS, ir, given), infinity);
  const limit = writer.op(
    Op.SELECT,
    ir,
    isInfinite,
    writer.op(Op.FCOPYSIGN, ir, one(call), given),
    writer.op(Op.FMUL, ir, given, constantZero(ir)),
  );
  const isHuge = writer.op(Op.EQ, I1, exponent, constantInt(exponent.type, infinityBits(generic)));
  const held = writer.op(Op.SELECT, ir, isHuge, limit, value);
  return divided(call, held, fastLength(writer, held, generic));
};

const cross: Lowering = (call) => {
  const { writer, generic } = call;
  const { ir, lanes: count } = generic;
  const lanes = (order: readonly number[]): readonly number[] => (count === 4 ? [...order, 3] : order);
  const [a, b] = [at(call, 0), at(call, 1)];
  const turned = (value: Value, order: readonly number[]): Value => writer.builder.shuffle(value, value, lanes(order));
  const left = writer.op(Op.FMUL, ir, turned(a, [1, 2, 0]), turned(b, [2, 0, 1]));
  const right = writer.op(Op.FMUL, ir, turned(a, [2, 0, 1]), turned(b, [1, 2, 0]));
  const difference = writer.op(Op.FSUB, ir, left, right);
  const zero = constantZero(generic.element.ir);
  return count === 4 ? writer.op(Op.INSERT, ir, difference, zero, constantInt(I32, 3)) : difference;
};

const FUNCTIONS: Readonly<Record<string, Lowering>> = {
  dot: (call) => dot(call.writer, at(call, 0), at(call, 1), call.generic),
  length: (call) => length(call.writer, at(call, 0), call.generic),
  fast_length: (call) => fastLength(call.writer, at(call, 0), call.generic),
  distance: (call) => length(call.writer, gap(call), call.generic),
  fast_distance: (call) => fastLength(call.writer, gap(call), call.generic),
  fast_normalize: (call) => divided(call, at(call, 0), fastLength(call.writer, at(call, 0), call.generic)),
  normalize,
  cross,
};

/** Geometric functions by their names. */
export const geometric: Lowering = (call) => (FUNCTIONS[call.detail] ?? oneOp)(call);
