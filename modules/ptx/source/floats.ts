// SPDX-License-Identifier: Apache-2.0
/**
 * Ops of floats, scalar by scalar. Each says its rounding, so ptxas fuses nothing: only the pass `contract` does.
 * Halves are added, multiplied and compared as they are; other ops compute them in binary32, whose results, rounded
 * once more, are the right halves (24 bits are at least 2 * 11 + 2).
 */
import { InternalError } from "@muxkit/cargo";
import { APPROXIMATE, type Instruction, NO_NAN, Op, type Type, type Value } from "@muxkit/ir";

import type { Code } from "./code.ts";
import type { RegisterClass } from "./registers.ts";

/** Names by the bits of the float; absent: computed in binary32. */
type ByBits = Readonly<Partial<Record<16 | 32 | 64, string>>>;

function rounded(name: string): ByBits {
  return { 16: `${name}.rn.f16`, 32: `${name}.rn.f32`, 64: `${name}.rn.f64` };
}

function wide(name: string): ByBits {
  return { 32: `${name}.f32`, 64: `${name}.f64` };
}

const INSTRUCTIONS: ReadonlyMap<number, ByBits> = new Map([
  [Op.FADD, rounded("add")],
  [Op.FSUB, rounded("sub")],
  [Op.FMUL, rounded("mul")],
  [Op.FMA, rounded("fma")],
  [Op.FDIV, { 32: "div.rn.f32", 64: "div.rn.f64" }],
  [Op.FSQRT, { 32: "sqrt.rn.f32", 64: "sqrt.rn.f64" }],
  [Op.FMIN, wide("min")],
  [Op.FMAX, wide("max")],
  [Op.FFLOOR, { 32: "cvt.rmi.f32.f32", 64: "cvt.rmi.f64.f64" }],
  [Op.FCEIL, { 32: "cvt.rpi.f32.f32", 64: "cvt.rpi.f64.f64" }],
  [Op.FTRUNC, { 32: "cvt.rzi.f32.f32", 64: "cvt.rzi.f64.f64" }],
  [Op.FRINT, { 32: "cvt.rni.f32.f32", 64: "cvt.rni.f64.f64" }],
]);

/** What a program may get that allows 2.5 ULP for divisions and 3 for square roots (OpenCL C 7.4). */
const APPROXIMATE_INSTRUCTIONS: ReadonlyMap<number, string> = new Map([
  [Op.FDIV, "div.full.f32"],
  [Op.FSQRT, "sqrt.approx.f32"],
]);

/** The numerators of reciprocals, whose instructions are shorter than those of divisions. */
const ONES: Readonly<Record<number, string>> = { 32: "0f3f800000", 64: "0d3ff0000000000000" };

const COMPARISONS: ReadonlyMap<number, string> = new Map([
  [Op.FEQ, "eq"],
  // True with a NaN.
  [Op.FNE, "neu"],
  [Op.FLT, "lt"],
  [Op.FLE, "le"],
  [Op.FGT, "gt"],
  [Op.FGE, "ge"],
]);

/** Ops that take a NaN for a NaN, whatever its sign and payload. */
const BLIND_TO_NANS: ReadonlySet<number> = new Set([
  Op.FADD,
  Op.FSUB,
  Op.FMUL,
  Op.FDIV,
  Op.FMA,
  Op.FSQRT,
  ...COMPARISONS.keys(),
  Op.FPTOSI,
  Op.FPTOUI,
]);

const CLASSES: Readonly<Record<number, RegisterClass>> = { 16: "b16", 32: "f32", 64: "f64" };

/** The class of a float of so many bits. */
export function floatClass(bits: number): RegisterClass {
  const found = CLASSES[bits];
  if (found === undefined) throw new InternalError(`there is no float of ${bits} bits`);
  return found;
}

function single(code: Code, value: string): string {
  return code.into("f32", "cvt.f32.f16", value);
}

function half(code: Code, value: string): string {
  return code.into("b16", "cvt.rn.f16.f32", value);
}

/** An op of floats with as many operands as it has. */
export function floatOp(
  code: Code,
  { op, flags }: Pick<Instruction, "op" | "flags">,
  type: Type,
  operands: readonly string[],
): string {
  const { bits } = type;
  const [first, second] = operands;
  if (op === Op.FDIV && bits !== 16 && first === ONES[bits] && second !== undefined) {
    const isApproximate = bits === 32 && (flags & APPROXIMATE) !== 0;
    return code.into(floatClass(bits), `rcp.${isApproximate ? "approx" : "rn"}.f${bits}`, second);
  }
  const approximate = bits === 32 && (flags & APPROXIMATE) !== 0 ? APPROXIMATE_INSTRUCTIONS.get(op) : undefined;
  const names = INSTRUCTIONS.get(op);
  const name = approximate ?? names?.[bits as 16 | 32 | 64];
  if (name !== undefined) return code.into(floatClass(bits), name, ...operands);
  if (bits !== 16 || names?.[32] === undefined) throw new InternalError(`op ${op} on ${type.text} must be lowered`);
  return half(code, code.into("f32", names[32], ...operands.map((operand) => single(code, operand))));
}

/** True for ops that {@link floatOp} writes. */
export function isFloatOp(op: number): boolean {
  return INSTRUCTIONS.has(op);
}

/** A comparison of floats. */
export function compareFloats(code: Code, op: number, bits: number, left: string, right: string): string {
  const relation = COMPARISONS.get(op);
  if (relation === undefined) throw new InternalError(`${op} compares no floats`);
  return code.into("pred", `setp.${relation}.f${bits}`, left, right);
}

/** True for comparisons of floats. */
export function isFloatComparison(op: number): boolean {
  return COMPARISONS.has(op);
}

/** Masks of a float's sign, as bits of its width. */
const SIGNS: Readonly<Record<number, readonly [sign: string, rest: string]>> = {
  16: ["0x8000", "0x7fff"],
  32: ["0x80000000", "0x7fffffff"],
  64: ["0x8000000000000000", "0x7fffffffffffffff"],
};

/** The bits of a float as those of an int; a half has them already. */
export function bitsOfFloat(code: Code, bits: number, operand: string): string {
  return bits === 16 ? operand : code.into(bits === 64 ? "b64" : "b32", `mov.b${bits}`, operand);
}

/** The float with the bits of an int. */
export function floatOfBits(code: Code, bits: number, operand: string): string {
  return bits === 16 ? operand : code.into(floatClass(bits), `mov.b${bits}`, operand);
}

function bitwise(code: Code, name: string, bits: number, left: string, right: string): string {
  return code.into(bits === 64 ? "b64" : bits === 32 ? "b32" : "b16", `${name}.b${bits}`, left, right);
}

/** True where nobody can tell the NaN that an instruction gives from another. */
function isBlindToNans(instruction: Instruction, users: readonly Value[]): boolean {
  if ((instruction.flags & NO_NAN) !== 0) return true;
  return users.every((user) => user.kind === "instruction" && BLIND_TO_NANS.has(user.op));
}

/**
 * The sign of a float, flipped or cleared, by bits: PTX's own instructions may change a NaN. Where all users are
 * arithmetic they are taken, since they cost nothing as a part of it.
 */
export function changeSign(
  code: Code,
  instruction: Instruction,
  type: Type,
  operand: string,
  users: readonly Value[],
): string {
  const { bits } = type;
  const isNegation = instruction.op === Op.FNEG;
  if (bits !== 16 && isBlindToNans(instruction, users))
    return code.into(floatClass(bits), `${isNegation ? "neg" : "abs"}.f${bits}`, operand);
  const [sign, rest] = SIGNS[bits] as readonly [string, string];
  const from = bitsOfFloat(code, bits, operand);
  return floatOfBits(code, bits, bitwise(code, isNegation ? "xor" : "and", bits, from, isNegation ? sign : rest));
}

/** The first operand with the sign of the second. */
export function copySign(code: Code, { bits }: Type, magnitude: string, sign: string): string {
  const [signMask, rest] = SIGNS[bits] as readonly [string, string];
  const kept = bitwise(code, "and", bits, bitsOfFloat(code, bits, magnitude), rest);
  const taken = bitwise(code, "and", bits, bitsOfFloat(code, bits, sign), signMask);
  return floatOfBits(code, bits, bitwise(code, "or", bits, kept, taken));
}
