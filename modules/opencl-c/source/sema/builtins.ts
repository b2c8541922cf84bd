// SPDX-License-Identifier: Apache-2.0
// Lowerings of built-in functions: the keys of the table of built-ins to IR. What is not here is a call of the library.
import type { Span } from "@muxkit/report";
import {
  type AtomicKind,
  type BuiltinReference,
  CONSTANT,
  F32,
  I1,
  I32,
  type Instruction,
  LOCAL,
  type MemoryOrder,
  ORDER_GLOBAL,
  ORDER_IMAGE,
  ORDER_LOCAL,
  Op,
  PRIVATE,
  type Type,
  type Value,
  VOLATILE,
  constantFloat,
  constantInt,
  constantZero,
  opNumber,
  scalarOf,
  sizeOf,
  vectorType,
  withLanesOf,
} from "@muxkit/ir";

import { convertArithmetic, convertForBuiltin, fromTruth, splat, withElement } from "./convert.ts";
import {
  type CType,
  FLOAT,
  HALF,
  elementOf,
  imageName,
  intOf,
  isFloating,
  isIntegral,
  lanesOf,
  spaceName,
  vectorOf,
} from "./ctype.ts";
import { type BlockCopy, copyBlock, copyShared } from "./async-copies.ts";
import { groupFunction } from "./group-functions.ts";
import { topBits } from "./operators.ts";
import type { Overload } from "./overloads.ts";
import { type Operand, type Unit, valueOf } from "./unit.ts";

/** A call being lowered: arguments are values of the overload's parameter types. */
interface Call {
  readonly unit: Unit;
  readonly overload: Overload;
  readonly values: readonly Value[];
  /** What stands behind the colon of the lowering's key. */
  readonly detail: string;
  readonly span: Span;
}

type Lowering = (call: Call) => Operand;

function numberOf(name: string): number {
  return opNumber(name) ?? Op.UNREACHABLE;
}

function at(call: Call, index: number): Value {
  return call.values[index] ?? constantInt(I32, 0);
}

/** The argument at `index` with the lanes of T: a scalar next to vectors is spread. */
function generic(call: Call, index: number): Value {
  const value = at(call, index);
  const { generic: type } = call.overload;
  const own = call.overload.parameters[index];
  return type.kind === "vector" && own !== undefined && own.kind !== "vector"
    ? splat(call.unit, value, own, type)
    : value;
}

function result(call: Call, value: Value): Operand {
  return valueOf(call.overload.result, value);
}

function isSigned(call: Call): boolean {
  return elementOf(call.overload.generic).isSigned;
}

const simple: Lowering = (call) => {
  const { unit, overload, detail } = call;
  return result(call, unit.op(numberOf(detail), overload.generic.ir, ...call.values.map((_, i) => generic(call, i))));
};

const one = (call: Call): Value => constantFloat(call.overload.generic.ir, 1);

function pick(call: Call, signed: number, unsigned: number): number {
  return elementOf(call.overload.generic).isSigned ? signed : unsigned;
}

/** The lesser or the greater value. Of floats as 6.12.4 words it, a selection that gives `other` where it is less (greater): unlike fmin and fmax it need not look for NaN. */
function lesserOrGreater(call: Call, isMaximum: boolean, value: Value, other: Value): Value {
  const { generic: type } = call.overload;
  if (!isFloating(type))
    return call.unit.op(isMaximum ? pick(call, Op.SMAX, Op.UMAX) : pick(call, Op.SMIN, Op.UMIN), type.ir, value, other);
  const isOther = call.unit.op(Op.FLT, withLanesOf(I1, type.ir), isMaximum ? value : other, isMaximum ? other : value);
  return call.unit.op(Op.SELECT, type.ir, isOther, other, value);
}

function minMax(call: Call, isMaximum: boolean): Operand {
  return result(call, lesserOrGreater(call, isMaximum, generic(call, 0), generic(call, 1)));
}

function limits(type: CType): { readonly least: bigint; readonly most: bigint } {
  const { bits, isSigned: signed } = elementOf(type);
  return signed
    ? { least: -(1n << BigInt(bits - 1)), most: (1n << BigInt(bits - 1)) - 1n }
    : { least: 0n, most: (1n << BigInt(bits)) - 1n };
}

/** a + b or a - b held in range, by the signs of operands and result. */
function saturatingSum(call: Call, isSubtraction: boolean): Operand {
  const { unit, overload } = call;
  const type = overload.generic;
  const { ir } = type;
  const a = at(call, 0);
  const b = at(call, 1);
  const { least, most } = limits(type);
  const bool = withLanesOf(I1, ir);
  const sum = unit.op(isSubtraction ? Op.SUB : Op.ADD, ir, a, b);
  if (!isSigned(call)) {
    const wrapped = isSubtraction ? unit.op(Op.ULT, bool, a, b) : unit.op(Op.ULT, bool, sum, a);
    return result(call, unit.op(Op.SELECT, ir, wrapped, constantInt(ir, isSubtraction ? 0n : most), sum));
  }
  // The sum wrapped when both terms have a sign that it lacks (for a difference: the second sign turned).
  const differs = unit.op(Op.XOR, ir, a, sum);
  const other = isSubtraction ? unit.op(Op.XOR, ir, a, b) : unit.op(Op.XOR, ir, b, sum);
  const wrapped = unit.op(Op.SLT, bool, unit.op(Op.AND, ir, differs, other), constantInt(ir, 0));
  const bound = unit.op(
    Op.SELECT,
    ir,
    unit.op(Op.SLT, bool, a, constantInt(ir, 0)),
    constantInt(ir, least),
    constantInt(ir, most),
  );
  return result(call, unit.op(Op.SELECT, ir, wrapped, bound, sum));
}

const INTEGER: Readonly<Record<string, Lowering>> = {
  abs: (call) => {
    const { unit, overload } = call;
    const { ir } = overload.generic;
    if (!isSigned(call)) return result(call, at(call, 0));
    return result(call, unit.op(Op.UMIN, ir, at(call, 0), unit.op(Op.SUB, ir, constantInt(ir, 0), at(call, 0))));
  },
  abs_diff: (call) => {
    const { unit, overload } = call;
    const { ir } = overload.generic;
    const [a, b] = [at(call, 0), at(call, 1)];
    const most = unit.op(isSigned(call) ? Op.SMAX : Op.UMAX, ir, a, b);
    const least = unit.op(isSigned(call) ? Op.SMIN : Op.UMIN, ir, a, b);
    return result(call, unit.op(Op.SUB, ir, most, least));
  },
  add_sat: (call) => saturatingSum(call, false),
  sub_sat: (call) => saturatingSum(call, true),
  // (a + b) >> 1 without the carry: what both share, plus half of where they differ.
  hadd: (call) => halving(call, Op.AND, Op.ADD),
  rhadd: (call) => halving(call, Op.OR, Op.SUB),
  mul_hi: (call) =>
    result(
      call,
      call.unit.op(isSigned(call) ? Op.SMULH : Op.UMULH, call.overload.generic.ir, at(call, 0), at(call, 1)),
    ),
  mad_hi: (call) => {
    const { ir } = call.overload.generic;
    return result(
      call,
      call.unit.op(
        Op.ADD,
        ir,
        call.unit.op(isSigned(call) ? Op.SMULH : Op.UMULH, ir, at(call, 0), at(call, 1)),
        at(call, 2),
      ),
    );
  },
  mul24: (call) => result(call, call.unit.op(Op.MUL, call.overload.generic.ir, at(call, 0), at(call, 1))),
  mad24: (call) => {
    const { ir } = call.overload.generic;
    return result(call, call.unit.op(Op.ADD, ir, call.unit.op(Op.MUL, ir, at(call, 0), at(call, 1)), at(call, 2)));
  },
  upsample: (call) => {
    const { unit, overload } = call;
    const { bits } = elementOf(overload.generic);
    const wide = overload.result.ir;
    const high = unit.op(Op.SHL, wide, unit.op(Op.ZEXT, wide, at(call, 0)), constantInt(wide, bits));
    return result(call, unit.op(Op.OR, wide, high, unit.op(Op.ZEXT, wide, at(call, 1))));
  },
};

function halving(call: Call, shared: number, combine: number): Operand {
  const { unit, overload } = call;
  const { ir } = overload.generic;
  const [a, b] = [at(call, 0), at(call, 1)];
  const half = unit.op(isSigned(call) ? Op.ASHR : Op.LSHR, ir, unit.op(Op.XOR, ir, a, b), constantInt(ir, 1));
  return result(call, unit.op(combine, ir, unit.op(shared, ir, a, b), half));
}

/** Sum of products of lanes, in lane order. */
function dot(unit: Unit, a: Value, b: Value, type: CType): Value {
  const element = elementOf(type).ir;
  if (type.kind !== "vector") return unit.op(Op.FMUL, element, a, b);
  const products = unit.op(Op.FMUL, type.ir, a, b);
  let sum = unit.op(Op.EXTRACT, element, products, constantInt(I32, 0));
  for (let i = 1; i < type.count; i++)
    sum = unit.op(Op.FADD, element, sum, unit.op(Op.EXTRACT, element, products, constantInt(I32, i)));
  return sum;
}

/** The root of the sum of squares; squares may overflow or vanish. */
function fastLength(unit: Unit, value: Value, type: CType): Value {
  return unit.op(
    type.kind === "vector" ? Op.FSQRT : Op.FABS,
    elementOf(type).ir,
    type.kind === "vector" ? dot(unit, value, value, type) : value,
  );
}

/** A vector times a power of two that brings its largest component between 1 and 2, or near it, and the power that undoes this. */
interface Scaled {
  readonly value: Value;
  readonly inverse: Value;
  /** Bits of the largest component's exponent. */
  readonly exponent: Value;
}

function everywhere(unit: Unit, value: Value, type: CType): Value {
  return type.kind === "vector" ? unit.op(Op.SPLAT, withLanesOf(value.type, type.ir), value) : value;
}

/** Bits of an infinity, of a float type. */
function infinityBits(type: CType): bigint {
  const fraction = fractionBits(type);
  return ((1n << (BigInt(elementOf(type).bits) - 1n - fraction)) - 1n) << fraction;
}

function scaled(unit: Unit, value: Value, type: CType): Scaled {
  const element = elementOf(type);
  const ints = intOf(element.bits, false).ir;
  const least = 1n << fractionBits(type);
  const infinity = infinityBits(type);
  const exponents = unit.op(
    Op.AND,
    withLanesOf(ints, type.ir),
    unit.op(Op.BITCAST, withLanesOf(ints, type.ir), value),
    constantInt(withLanesOf(ints, type.ir), infinity),
  );
  let exponent = type.kind === "vector" ? unit.op(Op.EXTRACT, ints, exponents, constantInt(I32, 0)) : exponents;
  for (let i = 1; i < lanesOf(type); i++)
    exponent = unit.op(Op.UMAX, ints, exponent, unit.op(Op.EXTRACT, ints, exponents, constantInt(I32, i)));
  // The two powers of two are normal numbers for every exponent between these.
  const held = unit.op(
    Op.UMIN,
    ints,
    unit.op(Op.UMAX, ints, exponent, constantInt(ints, least)),
    constantInt(ints, infinity - 2n * least),
  );
  const factor = unit.op(Op.BITCAST, element.ir, unit.op(Op.SUB, ints, constantInt(ints, infinity - least), held));
  return {
    value: unit.op(Op.FMUL, type.ir, value, everywhere(unit, factor, type)),
    inverse: unit.op(Op.BITCAST, element.ir, held),
    exponent,
  };
}

/** Without overflow, and without loss where squares would vanish (6.15.5). */
function length(unit: Unit, value: Value, type: CType): Value {
  if (type.kind !== "vector") return unit.op(Op.FABS, type.ir, value);
  const { value: part, inverse } = scaled(unit, value, type);
  return unit.op(
    Op.FMUL,
    elementOf(type).ir,
    unit.op(Op.FSQRT, elementOf(type).ir, dot(unit, part, part, type)),
    inverse,
  );
}

const gap = (call: Call): Value => call.unit.op(Op.FSUB, call.overload.generic.ir, at(call, 0), at(call, 1));

/** A vector over its length; the zero vector stays itself. */
function divided(call: Call, value: Value, size: Value): Operand {
  const { unit, overload } = call;
  const type = overload.generic;
  const all = everywhere(unit, size, type);
  const isZero = unit.op(Op.FEQ, withLanesOf(I1, type.ir), all, constantZero(type.ir));
  return result(call, unit.op(Op.SELECT, type.ir, isZero, at(call, 0), unit.op(Op.FDIV, type.ir, value, all)));
}

const GEOMETRIC: Readonly<Record<string, Lowering>> = {
  dot: (call) => result(call, dot(call.unit, at(call, 0), at(call, 1), call.overload.generic)),
  length: (call) => result(call, length(call.unit, at(call, 0), call.overload.generic)),
  fast_length: (call) => result(call, fastLength(call.unit, at(call, 0), call.overload.generic)),
  distance: (call) => result(call, length(call.unit, gap(call), call.overload.generic)),
  fast_distance: (call) => result(call, fastLength(call.unit, gap(call), call.overload.generic)),
  fast_normalize: (call) => divided(call, at(call, 0), fastLength(call.unit, at(call, 0), call.overload.generic)),
  normalize: (call) => {
    const { unit, overload } = call;
    const type = overload.generic;
    const given = at(call, 0);
    const { value, exponent } = scaled(unit, given, type);
    // Where a component is infinite, infinite ones count as 1 and the others as 0; a NaN stays one (7.5.1).
    const ints = exponent.type;
    const infinity = constantFloat(type.ir, Number.POSITIVE_INFINITY);
    const isInfinite = unit.op(Op.FEQ, withLanesOf(I1, type.ir), unit.op(Op.FABS, type.ir, given), infinity);
    const limit = unit.op(
      Op.SELECT,
      type.ir,
      isInfinite,
      unit.op(Op.FCOPYSIGN, type.ir, one(call), given),
      unit.op(Op.FMUL, type.ir, given, constantZero(type.ir)),
    );
    const isHuge = unit.op(Op.EQ, I1, exponent, constantInt(ints, infinityBits(type)));
    const held = unit.op(Op.SELECT, type.ir, isHuge, limit, value);
    return divided(call, held, fastLength(unit, held, type));
  },
  cross: (call) => {
    const { unit, overload } = call;
    const { ir, count } = overload.generic;
    const lanes = (order: readonly number[]): readonly number[] => (count === 4 ? [...order, 3] : order);
    const [a, b] = [at(call, 0), at(call, 1)];
    const turned = (value: Value, order: readonly number[]): Value => unit.builder.shuffle(value, value, lanes(order));
    const left = unit.op(Op.FMUL, ir, turned(a, [1, 2, 0]), turned(b, [2, 0, 1]));
    const right = unit.op(Op.FMUL, ir, turned(a, [2, 0, 1]), turned(b, [1, 2, 0]));
    const difference = unit.op(Op.FSUB, ir, left, right);
    const zero = constantZero(elementOf(overload.generic).ir);
    return result(call, count === 4 ? unit.op(Op.INSERT, ir, difference, zero, constantInt(I32, 3)) : difference);
  },
};

/** Bits of a float as ints of its width. */
function bitsOf(call: Call, index: number): { readonly value: Value; readonly type: CType } {
  const type = call.overload.generic;
  const ints = vectorOf(intOf(elementOf(type).bits, false), lanesOf(type));
  return { value: call.unit.op(Op.BITCAST, ints.ir, at(call, index)), type: ints };
}

function fractionBits(type: CType): bigint {
  const { bits } = elementOf(type);
  return bits === 64 ? 52n : bits === 32 ? 23n : 10n;
}

/** The magnitude's bits compared with those of infinity, or of the least normal number. */
function magnitudeTest(
  call: Call,
  test: (magnitude: Value, infinity: Value, normal: Value, bool: Type) => Value,
): Operand {
  const { unit, overload } = call;
  const { value, type } = bitsOf(call, 0);
  const fraction = fractionBits(overload.generic);
  const { bits } = elementOf(type);
  const magnitude = unit.op(Op.AND, type.ir, value, constantInt(type.ir, (1n << BigInt(bits - 1)) - 1n));
  const infinity = constantInt(type.ir, ((1n << (BigInt(bits) - 1n - fraction)) - 1n) << fraction);
  return fromTruth(
    unit,
    test(magnitude, infinity, constantInt(type.ir, 1n << fraction), withLanesOf(I1, type.ir)),
    overload.result,
  );
}

const RELATIONAL: Readonly<Record<string, Lowering>> = {
  isfinite: (call) => magnitudeTest(call, (m, infinity, _, bool) => call.unit.op(Op.ULT, bool, m, infinity)),
  isinf: (call) => magnitudeTest(call, (m, infinity, _, bool) => call.unit.op(Op.EQ, bool, m, infinity)),
  isnan: (call) => magnitudeTest(call, (m, infinity, _, bool) => call.unit.op(Op.UGT, bool, m, infinity)),
  isnormal: (call) =>
    magnitudeTest(call, (m, infinity, normal, bool) =>
      call.unit.op(Op.AND, bool, call.unit.op(Op.UGE, bool, m, normal), call.unit.op(Op.ULT, bool, m, infinity)),
    ),
  signbit: (call) => {
    const { value, type } = bitsOf(call, 0);
    return fromTruth(
      call.unit,
      call.unit.op(Op.SLT, withLanesOf(I1, type.ir), value, constantInt(type.ir, 0)),
      call.overload.result,
    );
  },
  islessgreater: (call) => {
    const { unit, overload } = call;
    const bool = withLanesOf(I1, overload.generic.ir);
    const [a, b] = [at(call, 0), at(call, 1)];
    return fromTruth(
      unit,
      unit.op(Op.OR, bool, unit.op(Op.FLT, bool, a, b), unit.op(Op.FGT, bool, a, b)),
      overload.result,
    );
  },
  isordered: (call) => ordered(call, Op.FEQ, Op.AND),
  isunordered: (call) => ordered(call, Op.FNE, Op.OR),
  any: (call) => reduceBits(call, Op.OR),
  all: (call) => reduceBits(call, Op.AND),
};

function ordered(call: Call, compare: number, join: number): Operand {
  const { unit, overload } = call;
  const bool = withLanesOf(I1, overload.generic.ir);
  const own = (i: number): Value => unit.op(compare, bool, at(call, i), at(call, i));
  return fromTruth(unit, unit.op(join, bool, own(0), own(1)), overload.result);
}

function reduceBits(call: Call, op: number): Operand {
  const { unit, overload } = call;
  const type = overload.generic;
  const bits = topBits(unit, at(call, 0), type);
  if (type.kind !== "vector") return fromTruth(unit, bits, overload.result);
  let joined = unit.op(Op.EXTRACT, I1, bits, constantInt(I32, 0));
  for (let i = 1; i < type.count; i++)
    joined = unit.op(op, I1, joined, unit.op(Op.EXTRACT, I1, bits, constantInt(I32, i)));
  return fromTruth(unit, joined, overload.result);
}

/** `p + offset * lanes` elements, and the alignment that the language promises: that of an element (6.12.7). */
function elementAddress(
  call: Call,
  offsetIndex: number,
  pointerIndex: number,
  lanes: number,
  element: Type,
): { readonly address: Value; readonly alignment: number } {
  const size = sizeOf(call.unit.options.layout, element);
  return {
    address: call.unit.builder.address(at(call, pointerIndex), at(call, offsetIndex), size * lanes, 0),
    alignment: size,
  };
}

function isVolatilePointer(call: Call, index: number): boolean {
  return call.overload.parameters[index]?.target?.isVolatile === true;
}

function marked(instruction: Instruction, isVolatile: boolean): Instruction {
  if (isVolatile) instruction.flags |= VOLATILE;
  return instruction;
}

/** Lanes and whether the aligned form is meant, from a name such as `vloada_half3`. */
function halfForm(name: string): { readonly lanes: number; readonly stride: number } {
  const match = /half(\d*)/u.exec(name);
  const lanes = Number(match?.[1] === "" || match === null ? 1 : match[1]);
  return { lanes, stride: name.includes("a_half") && lanes === 3 ? 4 : lanes };
}

const vloadHalf: Lowering = (call) => {
  const { unit, detail } = call;
  const { lanes, stride } = halfForm(detail);
  const { address } = elementAddress(call, 0, 1, stride, HALF.ir);
  const type = lanes === 1 ? HALF.ir : vectorType(HALF.ir, lanes);
  const load = marked(unit.builder.load(type, address, 2), isVolatilePointer(call, 1));
  return result(call, unit.op(Op.FPEXT, lanes === 1 ? F32 : vectorType(F32, lanes), load));
};

/** A float as half in another rounding than nearest even: the nearest one, moved by one where it lies on the wrong side. */
function roundedHalf(unit: Unit, value: Value, from: CType, mode: string): Value {
  const lanes = lanesOf(from);
  const half = vectorOf(HALF, lanes);
  const nearest = unit.op(Op.FPTRUNC, half.ir, value);
  return mode === "" || mode === "rte" ? nearest : adjustRounding(unit, value, from, nearest, half, mode);
}

/** Moves `rounded` (a narrower float) to the neighbour that the mode asks for. */
export function adjustRounding(unit: Unit, value: Value, from: CType, rounded: Value, to: CType, mode: string): Value {
  const bits = vectorOf(intOf(elementOf(to).bits, true), lanesOf(to));
  const bool = withLanesOf(I1, to.ir);
  const back = unit.op(Op.FPEXT, from.ir, rounded);
  const pattern = unit.op(Op.BITCAST, bits.ir, rounded);
  const isAbove = unit.op(Op.FGT, bool, back, value);
  const isBelow = unit.op(Op.FLT, bool, back, value);
  const isNegative = unit.op(Op.FLT, bool, value, constantZero(from.ir));
  // One step up in value is one step of the pattern away from zero for positive numbers, towards zero for negative ones.
  const step = (amount: Value): Value => unit.op(Op.ADD, bits.ir, pattern, amount);
  const plus = constantInt(bits.ir, 1);
  const minus = constantInt(bits.ir, -1);
  const isZero = unit.op(Op.FEQ, bool, rounded, constantZero(to.ir));
  const leastPositive = constantInt(bits.ir, 1);
  const leastNegative = constantInt(bits.ir, (1n << BigInt(elementOf(to).bits - 1)) + 1n);
  const up = unit.op(
    Op.SELECT,
    bits.ir,
    isZero,
    leastPositive,
    unit.op(Op.SELECT, bits.ir, isNegative, step(minus), step(plus)),
  );
  const down = unit.op(
    Op.SELECT,
    bits.ir,
    isZero,
    leastNegative,
    unit.op(Op.SELECT, bits.ir, isNegative, step(plus), step(minus)),
  );
  let adjusted = pattern;
  if (mode === "rtp") adjusted = unit.op(Op.SELECT, bits.ir, isBelow, up, pattern);
  if (mode === "rtn") adjusted = unit.op(Op.SELECT, bits.ir, isAbove, down, pattern);
  if (mode === "rtz") {
    const tooFar = unit.op(Op.SELECT, bool, isNegative, isBelow, isAbove);
    adjusted = unit.op(Op.SELECT, bits.ir, tooFar, step(minus), pattern);
  }
  return unit.op(Op.BITCAST, to.ir, adjusted);
}

const vstoreHalf: Lowering = (call) => {
  const { unit, detail, overload } = call;
  const { lanes, stride } = halfForm(detail);
  const mode = /_(rt[eznp])$/u.exec(detail)?.[1] ?? "";
  const { address } = elementAddress(call, 1, 2, stride, HALF.ir);
  const from = overload.parameters[0] ?? FLOAT;
  marked(
    unit.builder.store(roundedHalf(unit, at(call, 0), vectorOf(elementOf(from), lanes), mode), address, 2),
    isVolatilePointer(call, 2),
  );
  return result(call, constantInt(I32, 0));
};

const ATOMIC_KINDS: Readonly<Record<string, readonly [signed: AtomicKind, unsigned: AtomicKind]>> = {
  add: ["add", "add"],
  sub: ["sub", "sub"],
  xchg: ["exchange", "exchange"],
  and: ["and", "and"],
  or: ["or", "or"],
  xor: ["xor", "xor"],
  min: ["smin", "umin"],
  max: ["smax", "umax"],
};

const RELAXED: MemoryOrder = "relaxed";

const atomic: Lowering = (call) => {
  const { unit, overload, detail } = call;
  const pointer = at(call, 0);
  const type = overload.result;
  const { addressSpace } = pointer.type;
  // Work-items share global and local memory, and nothing else.
  if (addressSpace === PRIVATE || addressSpace === CONSTANT)
    unit.report("addressSpace", call.span, [spaceName(addressSpace), "global or local"]);
  if (detail === "cmpxchg")
    return result(call, unit.builder.atomicCompareExchange(pointer, at(call, 1), at(call, 2), RELAXED, "device"));
  if (detail === "inc" || detail === "dec")
    return result(
      call,
      unit.builder.atomicReadModifyWrite(
        detail === "inc" ? "add" : "sub",
        pointer,
        constantInt(type.ir, 1),
        RELAXED,
        "device",
      ),
    );
  const kinds = ATOMIC_KINDS[detail] ?? ATOMIC_KINDS["add"];
  if (type.kind === "float") {
    const bits = intOf(type.bits, false);
    const old = unit.builder.atomicReadModifyWrite(
      "exchange",
      pointer,
      unit.op(Op.BITCAST, bits.ir, at(call, 1)),
      RELAXED,
      "device",
    );
    return result(call, unit.op(Op.BITCAST, type.ir, old));
  }
  return result(
    call,
    unit.builder.atomicReadModifyWrite(
      kinds?.[type.isSigned ? 0 : 1] ?? "add",
      pointer,
      at(call, 1),
      RELAXED,
      "device",
    ),
  );
};

/** Float where a type is half. */
function floatFor(type: CType): CType {
  return elementOf(type) === HALF ? withElement(type, FLOAT) : type;
}

/** A library function that also writes through a pointer: scalar by scalar, by way of a private variable. */
const libraryPointer: Lowering = (call) => {
  const { unit, overload } = call;
  const { row, generic: type, parameters } = overload;
  const pointerAt = parameters.length - 1;
  const target = parameters[pointerAt]?.target?.type;
  if (target === undefined) return result(call, at(call, 0));
  // Where the library has no function for halves it computes in float, what it writes too.
  const inFloats = (part: CType): CType => (call.detail === "own" ? part : floatFor(part));
  const inner = elementOf(inFloats(target));
  const size = sizeOf(unit.options.layout, inner.ir);
  const place = unit.variable(inner.ir, size, row.name);
  const results: Value[] = [];
  const written: Value[] = [];
  const lanes = lanesOf(type);
  for (let lane = 0; lane < lanes; lane++) {
    const scalars = parameters.slice(0, pointerAt).map((parameter, i) => {
      const own = elementOf(parameter);
      const scalar =
        parameter.kind === "vector" ? unit.op(Op.EXTRACT, own.ir, at(call, i), constantInt(I32, lane)) : at(call, i);
      return convertArithmetic(unit, scalar, own, inFloats(own));
    });
    const names = parameters.slice(0, pointerAt).map((parameter) => inFloats(elementOf(parameter)).name);
    const reference: BuiltinReference = { kind: "builtin", name: row.name, parameters: [...names, `${inner.name}*`] };
    const given = elementOf(overload.result);
    results.push(
      convertArithmetic(
        unit,
        unit.builder.callBuiltin(reference, inFloats(given).ir, [...scalars, place]),
        inFloats(given),
        given,
      ),
    );
    written.push(convertArithmetic(unit, unit.builder.load(inner.ir, place, size), inner, elementOf(target)));
  }
  const join = (parts: readonly Value[], whole: CType): Value =>
    lanes === 1 ? (parts[0] ?? at(call, 0)) : unit.op(Op.BUILD, whole.ir, ...parts);
  unit.builder.store(join(written, target), at(call, pointerAt), sizeOf(unit.options.layout, target.ir));
  return result(call, join(results, overload.result));
};

/** A call that stays a call until the target links the library. Names of `half_` and `native_` functions lose `detail` letters at their front. */
const library: Lowering = (call) => {
  const { unit, overload, detail } = call;
  const { row, parameters } = overload;
  const name = detail === "" ? row.name : row.name.slice(Number(detail));
  const lanes = lanesOf(overload.generic);
  const spread = parameters.map((parameter, i) => {
    const type = lanesOf(parameter) === lanes ? parameter : vectorOf(parameter, lanes);
    return { value: type === parameter ? at(call, i) : splat(unit, at(call, i), parameter, type), type };
  });
  const reference: BuiltinReference = { kind: "builtin", name, parameters: spread.map(({ type }) => type.name) };
  return result(
    call,
    unit.builder.callBuiltin(
      reference,
      overload.result.ir,
      spread.map(({ value }) => value),
    ),
  );
};

/** A library function that takes and gives vectors as they are. */
function wholeCall(
  call: Call,
  name: string,
  values: readonly Value[],
  parameters: readonly string[],
  type: Type,
): Value {
  return call.unit.builder.callBuiltin({ kind: "builtin", name, parameters }, type, values);
}

/** Reads and writes of halves go through floats: image data is converted from and to float anyway. */
const imageHalf: Lowering = (call) => {
  const { unit, overload, values, detail } = call;
  const names = overload.parameters.map(imageName);
  if (detail === "read_imageh")
    return result(
      call,
      unit.op(Op.FPTRUNC, overload.result.ir, wholeCall(call, "read_imagef", values, names, vectorType(F32, 4))),
    );
  const wide = unit.op(Op.FPEXT, vectorType(F32, 4), at(call, 2));
  return result(
    call,
    wholeCall(
      call,
      "write_imagef",
      [...values.slice(0, 2), wide],
      [...names.slice(0, 2), "float4"],
      overload.result.ir,
    ),
  );
};

/** Runs a lowering in float where T is half: its steps have more places than a half, and the result is rounded once. */
function inFloat(lower: Lowering): Lowering {
  return (call) => {
    const { unit, overload } = call;
    if (elementOf(overload.generic) !== HALF) return lower(call);
    const parameters = overload.parameters.map(floatFor);
    const values = call.values.map((value, i) =>
      convertArithmetic(unit, value, overload.parameters[i] ?? overload.generic, parameters[i] ?? overload.generic),
    );
    const made = lower({
      ...call,
      overload: { ...overload, generic: floatFor(overload.generic), result: floatFor(overload.result), parameters },
      values,
    });
    return result(call, convertArithmetic(unit, made.value, floatFor(overload.result), overload.result));
  };
}

/** The arguments of async_work_group_copy_2D2D and _3D3D. */
function blockOf(call: Call, isSolid: boolean): BlockCopy {
  const [target, targetAt, source, sourceAt, elementBytes, elements, lines] = [0, 1, 2, 3, 4, 5, 6].map((i) =>
    at(call, i),
  ) as [Value, Value, Value, Value, Value, Value, Value];
  const single = constantInt(I32, 1);
  const rest = (i: number): Value => at(call, i);
  return {
    target,
    targetAt,
    source,
    sourceAt,
    elementBytes,
    elements,
    lines,
    planes: isSolid ? rest(7) : single,
    sourceSteps: isSolid ? [rest(8), rest(9)] : [rest(7), single],
    targetSteps: isSolid ? [rest(10), rest(11)] : [rest(8), single],
  };
}

const LOWERINGS: Readonly<Record<string, Lowering>> = {
  op: simple,
  library: inFloat(library),
  "library-own": library,
  "library-whole": (call) =>
    result(
      call,
      wholeCall(
        call,
        call.overload.row.name,
        call.values,
        call.overload.parameters.map(imageName),
        call.overload.result.ir,
      ),
    ),
  "image-half": imageHalf,
  "library-pointer": libraryPointer,
  "work-item": (call) => {
    const { unit, overload, values } = call;
    const dimension = values[0] ?? null;
    return result(call, unit.builder.workItem(numberOf(call.detail), overload.result.ir, dimension));
  },
  barrier: (call) => {
    const flags = at(call, 0);
    const bits = flags.kind === "constant" ? flags.low : ORDER_LOCAL | ORDER_GLOBAL | ORDER_IMAGE;
    call.unit.builder.barrier("work_group", bits);
    return result(call, constantInt(I32, 0));
  },
  "sub-group-barrier": (call) => {
    const flags = at(call, 0);
    call.unit.builder.barrier(
      "sub_group",
      flags.kind === "constant" ? flags.low : ORDER_LOCAL | ORDER_GLOBAL | ORDER_IMAGE,
    );
    return result(call, constantInt(I32, 0));
  },
  group: groupFunction,
  fence: (call) => {
    call.unit.builder.fence("acq_rel", "work_group");
    return result(call, constantInt(I32, 0));
  },
  mad: (call) => {
    const { ir } = call.overload.generic;
    return result(call, call.unit.op(Op.FADD, ir, call.unit.op(Op.FMUL, ir, at(call, 0), at(call, 1)), at(call, 2)));
  },
  reciprocal: (call) => result(call, call.unit.op(Op.FDIV, call.overload.generic.ir, one(call), at(call, 0))),
  "reciprocal-root": inFloat((call) => {
    const { ir } = call.overload.generic;
    return result(call, call.unit.op(Op.FDIV, ir, one(call), call.unit.op(Op.FSQRT, ir, at(call, 0))));
  }),
  integer: (call) => (INTEGER[call.detail] ?? simple)(call),
  clamp: (call) => {
    // The least value first: where x is a NaN, it is what is left.
    const raised = lesserOrGreater(call, true, generic(call, 1), generic(call, 0));
    return result(call, lesserOrGreater(call, false, raised, generic(call, 2)));
  },
  maximum: (call) => minMax(call, true),
  minimum: (call) => minMax(call, false),
  common: inFloat((call) => {
    // mix: a + (b - a) * t
    const { ir } = call.overload.generic;
    const [a, b, t] = [generic(call, 0), generic(call, 1), generic(call, 2)];
    return result(call, call.unit.op(Op.FADD, ir, a, call.unit.op(Op.FMUL, ir, call.unit.op(Op.FSUB, ir, b, a), t)));
  }),
  geometric: inFloat((call) => (GEOMETRIC[call.detail] ?? simple)(call)),
  compare: (call) =>
    fromTruth(
      call.unit,
      call.unit.op(numberOf(call.detail), withLanesOf(I1, call.overload.generic.ir), at(call, 0), at(call, 1)),
      call.overload.result,
    ),
  relational: (call) => (RELATIONAL[call.detail] ?? simple)(call),
  bitselect: (call) => {
    const { unit, overload } = call;
    const type = overload.generic;
    const ints = isIntegral(type) ? type : vectorOf(intOf(elementOf(type).bits, false), lanesOf(type));
    const bits = (i: number): Value => (ints === type ? at(call, i) : unit.op(Op.BITCAST, ints.ir, at(call, i)));
    const mask = bits(2);
    const kept = unit.op(Op.AND, ints.ir, bits(0), unit.op(Op.XOR, ints.ir, mask, constantInt(ints.ir, -1)));
    const joined = unit.op(Op.OR, ints.ir, kept, unit.op(Op.AND, ints.ir, bits(1), mask));
    return result(call, ints === type ? joined : unit.op(Op.BITCAST, type.ir, joined));
  },
  select: (call) => {
    const { unit, overload } = call;
    const type = overload.generic;
    const selector = overload.parameters[2] ?? type;
    // Scalars by "not zero", vectors by the top bit of each lane (6.12.6).
    const bit =
      type.kind === "vector"
        ? topBits(unit, at(call, 2), selector)
        : unit.op(Op.NE, I1, at(call, 2), constantZero(selector.ir));
    return result(call, unit.op(Op.SELECT, type.ir, bit, at(call, 1), at(call, 0)));
  },
  shuffle: shuffleLanes,
  "async-copy": (call) => {
    const { unit, overload, detail } = call;
    const isBlock = detail === "2D2D" || detail === "3D3D";
    const [target, source] = [0, isBlock ? 2 : 1].map((i) => overload.parameters[i]?.target?.space ?? 0);
    // One side is local memory, the other is not.
    if ((target === LOCAL) === (source === LOCAL))
      unit.report("addressSpace", call.span, [spaceName(source ?? 0), target === LOCAL ? "global" : "local"]);
    if (isBlock) copyBlock(unit, blockOf(call, detail === "3D3D"));
    else
      copyShared(unit, {
        element: overload.generic,
        target: at(call, 0),
        source: at(call, 1),
        count: at(call, 2),
        stride: detail === "strided" ? at(call, 3) : null,
      });
    // The event that was given, or the null event: all copies of a group are complete at the next wait.
    return result(call, call.values.at(-1) ?? constantZero(overload.result.ir));
  },
  "wait-events": (call) => {
    call.unit.builder.barrier("work_group", ORDER_LOCAL | ORDER_GLOBAL);
    return result(call, constantInt(I32, 0));
  },
  vload_half: vloadHalf,
  vstore_half: vstoreHalf,
  atomic,
  nothing: (call) => result(call, constantInt(I32, 0)),
  vec_step: (call) =>
    result(call, constantInt(I32, lanesOf(call.overload.generic) === 3 ? 4 : lanesOf(call.overload.generic))),
  constant: (call) =>
    result(call, constantFloat(call.overload.result.ir, call.detail === "inf" ? Number.POSITIVE_INFINITY : Number.NaN)),
};

/** shuffle and shuffle2: lanes of one or two vectors by the low bits of the mask's lanes (6.12.12). */
function shuffleLanes(call: Call): Operand {
  const { unit, overload } = call;
  const count = lanesOf(overload.generic);
  const hasTwo = call.values.length === 3;
  const mask = at(call, call.values.length - 1);
  const [left, right] = [at(call, 0), hasTwo ? at(call, 1) : at(call, 0)];
  const maskElement = elementOf(overload.parameters.at(-1) ?? overload.generic);
  const lanes = lanesOf(overload.result);
  if (mask.kind === "constant") {
    const picked = Array.from(
      { length: lanes },
      (_, i) => ((mask.lanes[i] ?? mask).low >>> 0) % (hasTwo ? 2 * count : count),
    );
    return result(call, unit.builder.shuffle(left, right, picked));
  }
  // As ints of the mask's width: what is moved is bits.
  const ints = (value: Value): Value =>
    scalarOf(value.type) === maskElement.ir ? value : unit.op(Op.BITCAST, vectorType(maskElement.ir, count), value);
  const both = hasTwo
    ? unit.builder.shuffle(
        ints(left),
        ints(right),
        Array.from({ length: 2 * count }, (_, i) => i),
      )
    : ints(left);
  const picked = unit.builder.permute(both, mask, hasTwo ? 2 * count : count);
  return result(call, picked.type === overload.result.ir ? picked : unit.op(Op.BITCAST, overload.result.ir, picked));
}

/** vloadN and vstoreN: their vector type is not T but N lanes of it. */
function loadVector(call: Call, lanes: number): Operand {
  const element = elementOf(call.overload.generic);
  const { address, alignment } = elementAddress(call, 0, 1, lanes, element.ir);
  const type = vectorOf(element, lanes);
  return valueOf(type, marked(call.unit.builder.load(type.ir, address, alignment), isVolatilePointer(call, 1)));
}

function storeVector(call: Call, lanes: number): Operand {
  const element = elementOf(call.overload.generic);
  const { address, alignment } = elementAddress(call, 1, 2, lanes, element.ir);
  marked(call.unit.builder.store(at(call, 0), address, alignment), isVolatilePointer(call, 2));
  return result(call, constantInt(I32, 0));
}

/** Writes the call of a built-in whose overload is chosen. `given` are values. */
export function lowerBuiltin(unit: Unit, overload: Overload, given: readonly Operand[], span: Span): Operand {
  const [key, detail] = keyOf(overload.row.lowering);
  if (key === "vstore") {
    // The data argument is a vector of the pointer's element; it comes as it is.
    const values = given.map((operand, i) =>
      i === 0 ? operand.value : convertForBuiltin(unit, operand, overload.parameters[i] ?? operand.type, span),
    );
    return storeVector({ unit, overload, values, detail, span }, Number(detail));
  }
  const values: Value[] = [];
  for (let i = 0; i < given.length; i++) {
    const operand = given[i] as Operand;
    values.push(convertForBuiltin(unit, operand, overload.parameters[i] ?? operand.type, span));
  }
  const call: Call = { unit, overload, values, detail, span };
  if (key === "vload") return loadVector(call, Number(detail));
  return (LOWERING_OF.get(key) ?? LIBRARY)(call);
}

const LOWERING_OF: ReadonlyMap<string, Lowering> = new Map(Object.entries(LOWERINGS));
const LIBRARY = inFloat(library);

const keys = new Map<string, readonly [key: string, detail: string]>();

/** What stands before and behind the colon of a lowering. */
function keyOf(lowering: string): readonly [key: string, detail: string] {
  let parts = keys.get(lowering);
  if (parts === undefined) {
    const [key = "", detail = ""] = lowering.split(":");
    parts = [key, detail];
    keys.set(lowering, parts);
  }
  return parts;
}
