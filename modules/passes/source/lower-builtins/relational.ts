// SPDX-License-Identifier: Apache-2.0
// Relational functions (OpenCL C 6.15.6): comparisons, tests of floats by their bits, any and all, select, bitselect.
// Truth is 1 for scalars and -1 for the lanes of vectors.
import { I1, I32, Op, type Type, type Value, constantInt, constantZero } from "@muxkit/ir";

import { oneOp } from "./arithmetic.ts";
import { type BuiltinCall, type Lowering, at, boolOf, fromTruth, opOf, parameterAt, topBits } from "./call.ts";
import { fractionBits, infinityBits } from "./geometric.ts";
import { bitsOf } from "./types.ts";

/** A comparison by one op. */
export const compare: Lowering = (call) =>
  fromTruth(call.writer, call.writer.op(opOf(call.detail), boolOf(call.generic), at(call, 0), at(call, 1)), call.type);

/** The magnitude's bits compared with those of infinity, or of the least normal number. */
function magnitudeTest(
  call: BuiltinCall,
  test: (magnitude: Value, infinity: Value, normal: Value, bool: Type) => Value,
): Value {
  const { writer, generic } = call;
  const { ir, bits } = bitsOf(generic, false);
  const value = writer.op(Op.BITCAST, ir, at(call, 0));
  const magnitude = writer.op(Op.AND, ir, value, constantInt(ir, (1n << BigInt(bits - 1)) - 1n));
  const infinity = constantInt(ir, infinityBits(generic));
  const normal = constantInt(ir, 1n << fractionBits(generic));
  return fromTruth(writer, test(magnitude, infinity, normal, boolOf(generic)), call.type);
}

/** Both arguments compared with themselves, which tells a NaN. */
function ordered(call: BuiltinCall, comparison: number, join: number): Value {
  const { writer, type } = call;
  const bool = boolOf(call.generic);
  const own = (i: number): Value => writer.op(comparison, bool, at(call, i), at(call, i));
  return fromTruth(writer, writer.op(join, bool, own(0), own(1)), type);
}

/** The top bits of all lanes in one. */
function reduceBits(call: BuiltinCall, op: number): Value {
  const { writer, generic, type } = call;
  const bits = topBits(writer, at(call, 0), generic);
  if (!generic.isVector) return fromTruth(writer, bits, type);
  let joined = writer.op(Op.EXTRACT, I1, bits, constantInt(I32, 0));
  for (let i = 1; i < generic.lanes; i++)
    joined = writer.op(op, I1, joined, writer.op(Op.EXTRACT, I1, bits, constantInt(I32, i)));
  return fromTruth(writer, joined, type);
}

const FUNCTIONS: Readonly<Record<string, Lowering>> = {
  isfinite: (call) => magnitudeTest(call, (m, infinity, _, bool) => call.writer.op(Op.ULT, bool, m, infinity)),
  isinf: (call) => magnitudeTest(call, (m, infinity, _, bool) => call.writer.op(Op.EQ, bool, m, infinity)),
  isnan: (call) => magnitudeTest(call, (m, infinity, _, bool) => call.writer.op(Op.UGT, bool, m, infinity)),
  isnormal: (call) =>
    magnitudeTest(call, (m, infinity, normal, bool) =>
      call.writer.op(Op.AND, bool, call.writer.op(Op.UGE, bool, m, normal), call.writer.op(Op.ULT, bool, m, infinity)),
    ),
  signbit: (call) => {
    const { writer, generic, type } = call;
    const { ir } = bitsOf(generic, false);
    const value = writer.op(Op.BITCAST, ir, at(call, 0));
    return fromTruth(writer, writer.op(Op.SLT, boolOf(generic), value, constantInt(ir, 0)), type);
  },
  islessgreater: (call) => {
    const { writer, generic, type } = call;
    const bool = boolOf(generic);
    const [a, b] = [at(call, 0), at(call, 1)];
    const differs = writer.op(Op.OR, bool, writer.op(Op.FLT, bool, a, b), writer.op(Op.FGT, bool, a, b));
    return fromTruth(writer, differs, type);
  },
  isordered: (call) => ordered(call, Op.FEQ, Op.AND),
  isunordered: (call) => ordered(call, Op.FNE, Op.OR),
  any: (call) => reduceBits(call, Op.OR),
  all: (call) => reduceBits(call, Op.AND),
};

/** Relational functions by their names. */
export const relational: Lowering = (call) => (FUNCTIONS[call.detail] ?? oneOp)(call);

/** Bits of the second argument where the third has them set, else of the first. */
export const bitselect: Lowering = (call) => {
  const { writer, generic } = call;
  const isFloat = generic.kind === "float";
  const { ir } = isFloat ? bitsOf(generic, false) : generic;
  const bits = (i: number): Value => (isFloat ? writer.op(Op.BITCAST, ir, at(call, i)) : at(call, i));
  const mask = bits(2);
  const kept = writer.op(Op.AND, ir, bits(0), writer.op(Op.XOR, ir, mask, constantInt(ir, -1)));
  const joined = writer.op(Op.OR, ir, kept, writer.op(Op.AND, ir, bits(1), mask));
  return isFloat ? writer.op(Op.BITCAST, generic.ir, joined) : joined;
};

/** Scalars by "not zero", vectors by the top bit of each lane. */
export const select: Lowering = (call) => {
  const { writer, generic } = call;
  const selector = parameterAt(call, 2);
  const bit = generic.isVector
    ? topBits(writer, at(call, 2), selector)
    : writer.op(Op.NE, I1, at(call, 2), constantZero(selector.ir));
  return writer.op(Op.SELECT, generic.ir, bit, at(call, 1), at(call, 0));
};
