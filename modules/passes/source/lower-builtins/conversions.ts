// SPDX-License-Identifier: Apache-2.0
// Conversions between numbers (OpenCL C 6.2): `convert_T[_sat][_rtX]`, `as_T`, and floats rounded to narrower ones in
// each mode. A directed rounding is the nearest one, moved to its neighbour where it is on the wrong side.
import { type FamilyMember } from "@muxkit/builtin-table";
import { Op, type Value, constantInt, constantZero } from "@muxkit/ir";

import { type BuiltinCall, at, boolOf } from "./call.ts";
import { type BuiltinType, FLOAT, HALF, bitsOf, intOf, readType, vectorOf, withElement } from "./types.ts";
import type { Writer } from "./writer.ts";

/** Changes ints and floats of one lane count into one another, to the nearest where that is not exact. */
export function convertNumber(writer: Writer, value: Value, from: BuiltinType, to: BuiltinType): Value {
  const [a, b] = [from.element, to.element];
  if (a === b) return value;
  const { ir } = vectorOf(b, to.lanes);
  if (a.kind === "float") {
    if (b.kind === "float")
      return a.bits === b.bits ? value : writer.op(a.bits < b.bits ? Op.FPEXT : Op.FPTRUNC, ir, value);
    return writer.op(b.isSigned ? Op.FPTOSI : Op.FPTOUI, ir, value);
  }
  if (b.kind === "float") return writer.op(a.isSigned ? Op.SITOFP : Op.UITOFP, ir, value);
  if (a.bits === b.bits) return value;
  if (a.bits > b.bits) return writer.op(Op.TRUNC, ir, value);
  return writer.op(a.isSigned ? Op.SEXT : Op.ZEXT, ir, value);
}

/** Float where a type is half. */
export function floatFor(type: BuiltinType): BuiltinType {
  return type.element === HALF ? withElement(type, FLOAT) : type;
}

/** Moves `rounded` (the nearest narrower float) to the neighbour that the mode asks for. */
export function adjustRounding(
  writer: Writer,
  value: Value,
  from: BuiltinType,
  rounded: Value,
  to: BuiltinType,
  mode: string,
): Value {
  const { ir } = bitsOf(to, true);
  const bool = boolOf(to);
  const back = writer.op(Op.FPEXT, from.ir, rounded);
  const pattern = writer.op(Op.BITCAST, ir, rounded);
  const isAbove = writer.op(Op.FGT, bool, back, value);
  const isBelow = writer.op(Op.FLT, bool, back, value);
  const isNegative = writer.op(Op.FLT, bool, value, constantZero(from.ir));
  // One step up in value is one step of the pattern away from zero for positive numbers, towards zero for negative
  // ones.
  const step = (amount: Value): Value => writer.op(Op.ADD, ir, pattern, amount);
  const plus = constantInt(ir, 1);
  const minus = constantInt(ir, -1);
  const isZero = writer.op(Op.FEQ, bool, rounded, constantZero(to.ir));
  const leastPositive = constantInt(ir, 1);
  const leastNegative = constantInt(ir, (1n << BigInt(to.bits - 1)) + 1n);
  const toward = (atZero: Value, negative: Value, positive: Value): Value =>
    writer.op(Op.SELECT, ir, isZero, atZero, writer.op(Op.SELECT, ir, isNegative, step(negative), step(positive)));
  const up = toward(leastPositive, minus, plus);
  const down = toward(leastNegative, plus, minus);
  let adjusted = pattern;
  if (mode === "rtp") adjusted = writer.op(Op.SELECT, ir, isBelow, up, pattern);
  if (mode === "rtn") adjusted = writer.op(Op.SELECT, ir, isAbove, down, pattern);
  if (mode === "rtz") {
    const tooFar = writer.op(Op.SELECT, bool, isNegative, isBelow, isAbove);
    adjusted = writer.op(Op.SELECT, ir, tooFar, step(minus), pattern);
  }
  return writer.op(Op.BITCAST, to.ir, adjusted);
}

/** Least and greatest number of an int type. */
export function limits({ bits, isSigned }: BuiltinType): { readonly least: bigint; readonly most: bigint } {
  return isSigned
    ? { least: -(1n << BigInt(bits - 1)), most: (1n << BigInt(bits - 1)) - 1n }
    : { least: 0n, most: (1n << BigInt(bits)) - 1n };
}

/** Holds an int in the range of another int type before it is cut. */
function saturate(writer: Writer, value: Value, from: BuiltinType, to: BuiltinType): Value {
  const { ir, isSigned } = from;
  const [source, target] = [limits(from), limits(to)];
  let held = value;
  if (target.most < source.most) held = writer.op(isSigned ? Op.SMIN : Op.UMIN, ir, held, constantInt(ir, target.most));
  if (isSigned && target.least > source.least) held = writer.op(Op.SMAX, ir, held, constantInt(ir, target.least));
  return held;
}

/** 64-bit ints: the nearest float goes back to an int (saturated), which shows on which side it is. */
function adjustInteger(
  writer: Writer,
  value: Value,
  from: BuiltinType,
  to: BuiltinType,
  nearest: Value,
  mode: string,
): Value {
  const { isSigned } = from;
  const bits = vectorOf(intOf(to.bits, true), to.lanes).ir;
  const back = writer.op(isSigned ? Op.FPTOSI : Op.FPTOUI, from.ir, nearest);
  const roundTrip = writer.op(isSigned ? Op.SITOFP : Op.UITOFP, to.ir, back);
  // Where the float is beyond the range, going back saturates and comes out as another float or as the top of the
  // range: both mean "above".
  const bool = boolOf(from);
  const isAbove = writer.op(
    Op.OR,
    bool,
    writer.op(isSigned ? Op.SGT : Op.UGT, bool, back, value),
    writer.op(
      Op.AND,
      bool,
      writer.op(Op.EQ, bool, back, constantInt(from.ir, limits(from).most)),
      writer.op(Op.FEQ, bool, roundTrip, nearest),
    ),
  );
  const isBelow = writer.op(isSigned ? Op.SLT : Op.ULT, bool, back, value);
  const isNegative = isSigned ? writer.op(Op.SLT, bool, value, constantInt(from.ir, 0)) : constantInt(bool, 0);
  const pattern = writer.op(Op.BITCAST, bits, nearest);
  const away = writer.op(Op.ADD, bits, pattern, constantInt(bits, 1));
  const towards = writer.op(Op.SUB, bits, pattern, constantInt(bits, 1));
  const down = writer.op(Op.SELECT, bits, isNegative, away, towards);
  const up = writer.op(Op.SELECT, bits, isNegative, towards, away);
  let adjusted = pattern;
  if (mode === "rtn") adjusted = writer.op(Op.SELECT, bits, isAbove, down, pattern);
  if (mode === "rtp") adjusted = writer.op(Op.SELECT, bits, isBelow, up, pattern);
  if (mode === "rtz") {
    const tooFar = writer.op(Op.SELECT, bool, isNegative, isBelow, isAbove);
    adjusted = writer.op(Op.SELECT, bits, tooFar, towards, pattern);
  }
  return writer.op(Op.BITCAST, to.ir, adjusted);
}

/** An int as float in a directed rounding: by way of double where that is exact, else by comparing integers. */
function directedIntToFloat(
  writer: Writer,
  value: Value,
  from: BuiltinType,
  to: BuiltinType,
  nearest: Value,
  mode: string,
): Value {
  const by = (wide: BuiltinType): Value =>
    adjustRounding(writer, convertNumber(writer, value, from, wide), wide, nearest, to, mode);
  // Ints that a float does not hold are beyond all halves, and so is their float.
  if (to.element === HALF) return by(withElement(to, FLOAT));
  if (from.bits <= (to.bits === 64 ? 53 : 24)) return nearest;
  if (from.bits === 32) return by(withElement(to, readType("double", writer.layout)));
  return adjustInteger(writer, value, from, to, nearest, mode);
}

const ROUND_OPS: Readonly<Record<string, number>> = { rte: Op.FRINT, rtp: Op.FCEIL, rtn: Op.FFLOOR, rtz: Op.FTRUNC };

/** `convert_T[_sat][_rtX]` (6.2.3). */
function convert(call: BuiltinCall, { type: name, isSaturated, rounding }: FamilyMember): Value {
  const { writer, generic: from } = call;
  const to = readType(name, writer.layout);
  let value = at(call, 0);
  if (to.kind !== "float") {
    const round = ROUND_OPS[rounding];
    if (from.kind === "float") value = round === undefined ? value : writer.op(round, from.ir, value);
    else if (isSaturated) value = saturate(writer, value, from, to);
    return convertNumber(writer, value, from, to);
  }
  const nearest = convertNumber(writer, value, from, to);
  if (rounding === "" || rounding === "rte") return nearest;
  if (from.kind !== "float") return directedIntToFloat(writer, value, from, to, nearest, rounding);
  return from.bits > to.bits ? adjustRounding(writer, value, from, nearest, to, rounding) : nearest;
}

/** `as_T`: the same bits (6.2.4.2); 3 and 4 lanes of one size are alike. */
function reinterpret(call: BuiltinCall, { type: name }: FamilyMember): Value {
  const { writer, generic: from } = call;
  const { builder, layout } = writer;
  const to = readType(name, layout);
  const cast = (value: Value, type: BuiltinType): Value =>
    value.type === type.ir ? value : writer.op(Op.BITCAST, type.ir, value);
  let value = at(call, 0);
  if (from.lanes === 3 && to.lanes !== 3) value = builder.shuffle(value, value, [0, 1, 2, -1]);
  if (to.lanes !== 3 || from.lanes === 3) return cast(value, to);
  const wide = cast(value, vectorOf(to.element, 4));
  return builder.shuffle(wide, wide, [0, 1, 2]);
}

/** Writes a member of a family whose name gives its type. */
export function lowerFamily(call: BuiltinCall, family: FamilyMember): Value {
  return family.kind === "as" ? reinterpret(call, family) : convert(call, family);
}
