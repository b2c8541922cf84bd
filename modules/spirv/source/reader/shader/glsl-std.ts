// SPDX-License-Identifier: Apache-2.0
// Extended instructions of GLSL.std.450: most are functions of OpenCL C under another name, whose results are at least
// as exact as a shader asks for; the others are written here. What interpolates between corners is for fragments.
import { I32, Op, type Type, type Value, constantFloat, constantInt, constantZero, scalarOf } from "@muxkit/ir";

import { EXTENDED_SETS } from "../../grammar/tables.ts";
import { type Handler, floatFlagsOf } from "../arithmetic.ts";
import { callBuiltin, callByTypes } from "../calls.ts";
import type { FunctionReader } from "../function-reader.ts";
import { storeTo, targetOf } from "../memory.ts";
import { Aggregate } from "../operand.ts";
import { openclName } from "../types.ts";
import { determinant, floats, inverse, spread } from "./matrices.ts";
import {
  FORMATS,
  packDouble,
  packHalf,
  packNormalized,
  unpackDouble,
  unpackHalf,
  unpackNormalized,
} from "./packing.ts";

/** An extended instruction: its operands begin at operand word 2. */
const FIRST = 2;

/** Functions of OpenCL C by the instruction's name, and whether ints are signed. */
const FUNCTIONS: Readonly<Record<string, readonly [name: string, isSigned: boolean]>> = {
  Round: ["rint", true],
  RoundEven: ["rint", true],
  Trunc: ["trunc", true],
  FAbs: ["fabs", true],
  FSign: ["sign", true],
  Floor: ["floor", true],
  Ceil: ["ceil", true],
  Radians: ["radians", true],
  Degrees: ["degrees", true],
  Sin: ["sin", true],
  Cos: ["cos", true],
  Tan: ["tan", true],
  Asin: ["asin", true],
  Acos: ["acos", true],
  Atan: ["atan", true],
  Sinh: ["sinh", true],
  Cosh: ["cosh", true],
  Tanh: ["tanh", true],
  Asinh: ["asinh", true],
  Acosh: ["acosh", true],
  Atanh: ["atanh", true],
  Atan2: ["atan2", true],
  Pow: ["pow", true],
  Exp: ["exp", true],
  Log: ["log", true],
  Exp2: ["exp2", true],
  Log2: ["log2", true],
  Sqrt: ["sqrt", true],
  InverseSqrt: ["rsqrt", true],
  FMin: ["min", true],
  UMin: ["min", false],
  SMin: ["min", true],
  FMax: ["max", true],
  UMax: ["max", false],
  SMax: ["max", true],
  FClamp: ["clamp", true],
  UClamp: ["clamp", false],
  SClamp: ["clamp", true],
  FMix: ["mix", true],
  Step: ["step", true],
  SmoothStep: ["smoothstep", true],
  Fma: ["fma", true],
  Ldexp: ["ldexp", true],
  Length: ["length", true],
  Distance: ["distance", true],
  Cross: ["cross", true],
  Normalize: ["normalize", true],
  NMin: ["fmin", true],
  NMax: ["fmax", true],
};

const operandsOf = (f: FunctionReader): Value[] =>
  Array.from({ length: f.i.count - FIRST }, (_, n) => f.arg(FIRST + n));

/** A call with the flags of the result's decorations. */
function call(f: FunctionReader, name: string, type: Type, values: readonly Value[], isSigned: boolean): Value {
  const { floatFlags } = f.b;
  if (scalarOf(type).kind === "float") f.b.floatFlags = floatFlagsOf(f);
  const made = callByTypes(f, name, type, values, [isSigned]);
  f.b.floatFlags = floatFlags;
  return made;
}

const plain =
  (name: string, isSigned: boolean): Handler =>
  (f) =>
    call(f, name, f.ir, operandsOf(f), isSigned);

/** A number as a constant in every lane. */
function numbers(f: FunctionReader, type: Type, value: number): Value {
  return spread(f, constantFloat(scalarOf(type), value), type);
}

function dot(f: FunctionReader, left: Value, right: Value): Value {
  return call(f, "dot", scalarOf(left.type), [left, right], true);
}

const isNegative = (f: FunctionReader, value: Value): Value => f.b.compare(Op.SLT, value, constantZero(value.type));

/** The sign of ints: -1, 0 or 1. */
const sign: Handler = (f) => {
  const value = f.arg(FIRST);
  const positive = f.op(Op.ZEXT, value.type, f.b.compare(Op.SGT, value, constantZero(value.type)));
  return f.b.select(isNegative(f, value), constantInt(value.type, -1), positive);
};

const absolute: Handler = (f) => {
  const value = f.arg(FIRST);
  return f.b.select(isNegative(f, value), f.op(Op.SUB, value.type, constantZero(value.type), value), value);
};

/** The number of the highest bit; -1: there is none. */
function highestBit(f: FunctionReader, value: Value): Value {
  return f.op(
    Op.SUB,
    value.type,
    constantInt(value.type, scalarOf(value.type).bits - 1),
    f.op(Op.CLZ, value.type, value),
  );
}

function wholePart(f: FunctionReader, value: Value): Value {
  return call(f, "trunc", value.type, [value], true);
}

/** Writes what a second result is to the memory that operand word `index` points to. */
function storeSecond(f: FunctionReader, index: number, value: Value): void {
  const type = f.targets.get(f.i.word(index)) ?? targetOf(f, f.argType(index));
  storeTo(f, type, value, f.arg(index), { alignment: 0, isVolatile: false });
}

/** A fraction of 0.5 to 1 and an exponent of an int of 32 bits. */
function fractionAndExponent(f: FunctionReader, exponent: Type): readonly [fraction: Value, exponent: Value] {
  const value = f.arg(FIRST);
  if (scalarOf(exponent) !== I32) return f.refuse("an exponent has 32 bits");
  const memory = f.allocateOf(exponent, "exponent");
  const names = [openclName(value.type, true), `${openclName(exponent, true)}*`];
  const fraction = callBuiltin(f, "frexp", names, value.type, [value, memory]);
  return [fraction, f.b.load(exponent, memory, 4)];
}

const second = (f: FunctionReader): Type =>
  f.type.members[1]?.ir ?? f.refuse("the result must be a struct of two members");

const reflect: Handler = (f) => {
  const [incident, normal] = [f.arg(FIRST), f.arg(FIRST + 1)];
  const product = dot(f, normal, incident);
  const twice = floats(f, Op.FMUL, constantFloat(product.type, 2), product);
  return floats(f, Op.FSUB, incident, floats(f, Op.FMUL, spread(f, twice, normal.type), normal));
};

/** Zero where nothing passes. */
const refract: Handler = (f) => {
  const [incident, normal, given] = [f.arg(FIRST), f.arg(FIRST + 1), f.arg(FIRST + 2)];
  const { type } = incident;
  const scalar = scalarOf(type);
  const eta =
    given.type === scalar ? given : f.op(given.type.bits < scalar.bits ? Op.FPEXT : Op.FPTRUNC, scalar, given);
  const one = constantFloat(scalar, 1);
  const product = dot(f, normal, incident);
  const rest = floats(f, Op.FSUB, one, floats(f, Op.FMUL, product, product));
  const k = floats(f, Op.FSUB, one, floats(f, Op.FMUL, floats(f, Op.FMUL, eta, eta), rest));
  const root = call(f, "sqrt", scalar, [k], true);
  const factor = floats(f, Op.FADD, floats(f, Op.FMUL, eta, product), root);
  const through = floats(
    f,
    Op.FSUB,
    floats(f, Op.FMUL, spread(f, eta, type), incident),
    floats(f, Op.FMUL, spread(f, factor, type), normal),
  );
  return f.b.select(f.b.compare(Op.FLT, k, constantFloat(scalar, 0)), numbers(f, type, 0), through);
};

const forFragments: Handler = (f) => f.refuse("only fragment shaders interpolate");

const OTHERS: Readonly<Record<string, Handler>> = {
  SAbs: absolute,
  SSign: sign,
  Fract: (f) => {
    const value = f.arg(FIRST);
    return floats(f, Op.FSUB, value, call(f, "floor", value.type, [value], true));
  },
  Determinant: determinant(FIRST),
  MatrixInverse: inverse(FIRST),
  Modf: (f) => {
    const value = f.arg(FIRST);
    const whole = wholePart(f, value);
    storeSecond(f, FIRST + 1, whole);
    return floats(f, Op.FSUB, value, whole);
  },
  ModfStruct: (f) => {
    const value = f.arg(FIRST);
    const whole = wholePart(f, value);
    return new Aggregate([floats(f, Op.FSUB, value, whole), whole]);
  },
  Frexp: (f) => {
    const { ir } = targetOf(f, f.argType(FIRST + 1));
    if (ir === null) return f.refuse("an exponent is an int");
    const [fraction, exponent] = fractionAndExponent(f, ir);
    storeSecond(f, FIRST + 1, exponent);
    return fraction;
  },
  FrexpStruct: (f) => new Aggregate(fractionAndExponent(f, second(f))),
  FaceForward: (f) => {
    const [normal, incident, reference] = [f.arg(FIRST), f.arg(FIRST + 1), f.arg(FIRST + 2)];
    const product = dot(f, reference, incident);
    const isBehind = f.b.compare(Op.FLT, product, constantFloat(product.type, 0));
    return f.b.select(isBehind, normal, floats(f, Op.FNEG, normal));
  },
  Reflect: reflect,
  Refract: refract,
  FindILsb: (f) => {
    const value = f.arg(FIRST);
    const isZero = f.b.compare(Op.EQ, value, constantZero(value.type));
    return f.b.select(isZero, constantInt(value.type, -1), f.op(Op.CTZ, value.type, value));
  },
  FindSMsb: (f) => {
    const value = f.arg(FIRST);
    const { type } = value;
    const flipped = f.op(Op.XOR, type, value, constantInt(type, -1));
    return highestBit(f, f.b.select(isNegative(f, value), flipped, value));
  },
  FindUMsb: (f) => highestBit(f, f.arg(FIRST)),
  NClamp: (f) => {
    const [value, least, most] = [f.arg(FIRST), f.arg(FIRST + 1), f.arg(FIRST + 2)];
    return call(f, "fmin", value.type, [call(f, "fmax", value.type, [value, least], true), most], true);
  },
  PackHalf2x16: packHalf,
  UnpackHalf2x16: unpackHalf,
  PackDouble2x32: packDouble,
  UnpackDouble2x32: unpackDouble,
  InterpolateAtCentroid: forFragments,
  InterpolateAtSample: forFragments,
  InterpolateAtOffset: forFragments,
};

function handlerOf(name: string): Handler | undefined {
  const own = FUNCTIONS[name];
  if (own !== undefined) return plain(...own);
  const format = FORMATS[name.replace(/^(?:Unp|P)ack/u, "")];
  if (format !== undefined) return name.startsWith("P") ? packNormalized(format) : unpackNormalized(format);
  return OTHERS[name];
}

const BY_NUMBER = new Map<number, Handler>();
for (const [number, { name }] of EXTENDED_SETS.get("GLSL.std.450")?.rows ?? []) {
  const handler = handlerOf(name);
  if (handler !== undefined) BY_NUMBER.set(number, handler);
}

/** The handler of an instruction of GLSL.std.450; undefined: there is none. */
export function glslInstruction(number: number): Handler | undefined {
  return BY_NUMBER.get(number);
}
