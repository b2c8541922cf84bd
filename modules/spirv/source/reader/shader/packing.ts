// SPDX-License-Identifier: Apache-2.0
// Numbers in parts of an int: pack and unpack of GLSL.std.450. A normalized number of n bits is a fraction of the
// greatest int of n bits, with its sign of 2^(n-1) - 1; rounded to nearest, ties to even.
import { F16, F32, F64, I32, Op, type Type, type Value, constantFloat, intType, vectorType } from "@muxkit/ir";

import type { Handler } from "../arithmetic.ts";
import { callByTypes } from "../calls.ts";
import type { FunctionReader } from "../function-reader.ts";
import { floats } from "./matrices.ts";

/** An extended instruction: its operands begin at operand word 2. */
const FIRST = 2;

interface Format {
  readonly lanes: number;
  readonly isSigned: boolean;
}

/** The int of each part, and what 1.0 is in it. */
function partOf({ lanes, isSigned }: Format): readonly [part: Type, one: number] {
  const bits = 32 / lanes;
  return [intType(bits), 2 ** (isSigned ? bits - 1 : bits) - 1];
}

function splatOf(f: FunctionReader, type: Type, value: number): Value {
  return f.b.splat(constantFloat(F32, value), type.count);
}

/** Floats of 32 bits to normalized ints. */
export const packNormalized =
  (format: Format): Handler =>
  (f) => {
    const value = f.arg(FIRST);
    const { type } = value;
    if (type !== vectorType(F32, format.lanes)) return f.refuse(`the operand has ${format.lanes} floats`);
    const [part, one] = partOf(format);
    const least = splatOf(f, type, format.isSigned ? -1 : 0);
    const clamped = callByTypes(f, "clamp", type, [value, least, splatOf(f, type, 1)], [true]);
    const scaled = floats(f, Op.FMUL, clamped, splatOf(f, type, one));
    const rounded = callByTypes(f, "rint", type, [scaled], [true]);
    const wide = f.op(Op.FPTOSI, vectorType(I32, format.lanes), rounded);
    return f.op(Op.BITCAST, I32, f.op(Op.TRUNC, vectorType(part, format.lanes), wide));
  };

/** Normalized ints to floats of 32 bits. */
export const unpackNormalized =
  (format: Format): Handler =>
  (f) => {
    const [part, one] = partOf(format);
    const type = vectorType(F32, format.lanes);
    const parts = f.op(Op.BITCAST, vectorType(part, format.lanes), f.arg(FIRST));
    const numbers = f.op(format.isSigned ? Op.SITOFP : Op.UITOFP, type, parts);
    const divided = floats(f, Op.FDIV, numbers, splatOf(f, type, one));
    if (!format.isSigned) return divided;
    return callByTypes(f, "clamp", type, [divided, splatOf(f, type, -1), splatOf(f, type, 1)], [true]);
  };

export const packHalf: Handler = (f) => f.op(Op.BITCAST, I32, f.op(Op.FPTRUNC, vectorType(F16, 2), f.arg(FIRST)));

export const unpackHalf: Handler = (f) =>
  f.op(Op.FPEXT, vectorType(F32, 2), f.op(Op.BITCAST, vectorType(F16, 2), f.arg(FIRST)));

export const packDouble: Handler = (f) => f.op(Op.BITCAST, F64, f.arg(FIRST));

export const unpackDouble: Handler = (f) => f.op(Op.BITCAST, vectorType(I32, 2), f.arg(FIRST));

/** Formats by the end of the instruction's name. */
export const FORMATS: Readonly<Record<string, Format>> = {
  Snorm4x8: { lanes: 4, isSigned: true },
  Unorm4x8: { lanes: 4, isSigned: false },
  Snorm2x16: { lanes: 2, isSigned: true },
  Unorm2x16: { lanes: 2, isSigned: false },
};
