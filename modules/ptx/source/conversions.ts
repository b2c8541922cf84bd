// SPDX-License-Identifier: Apache-2.0
/**
 * Conversions between scalars. Conversions of PTX from floats to ints saturate as the IR's do; a NaN becomes 0
 * for results of 32 bits of floats and halves, and is looked at otherwise. Narrow ints are converted by way of 32 bits.
 */
import { InternalError } from "@muxkit/cargo";
import { GENERIC, LOCAL, Op, PRIVATE, type Type } from "@muxkit/ir";

import type { Code } from "./code.ts";
import { floatClass } from "./floats.ts";
import { integerBits, numberOfPredicate, predicateOfNumber, signExtended, truncated } from "./integers.ts";
import { integerLiteral } from "./literals.ts";

/** The bits of an int or predicate, in a register of 32 or 64 bits, extended as it is read. */
function asNumber(code: Code, operand: string, bits: number, isSigned: boolean): string {
  if (bits === 1) return numberOfPredicate(code, operand, isSigned ? "-1" : "1");
  return isSigned ? signExtended(code, operand, bits) : operand;
}

/** An int of 32 or 64 bits as one of fewer or as many. */
function narrowed(code: Code, operand: string, from: number, to: number): string {
  if (to === 64) return operand;
  const low = from === 64 ? code.into("b32", "cvt.u32.u64", operand) : operand;
  return to === 1 ? predicateOfNumber(code, low) : truncated(code, low, to);
}

function extended(code: Code, operand: string, from: number, to: number, isSigned: boolean): string {
  const number = asNumber(code, operand, from, isSigned);
  if (from === 64) return number;
  if (to === 64) return code.into("b64", isSigned ? "cvt.s64.s32" : "cvt.u64.u32", number);
  return isSigned ? truncated(code, number, to) : number;
}

/** Bounds of narrow ints, for clamping. */
function clamped(code: Code, number: string, bits: number, isSigned: boolean): string {
  const most = 2 ** (isSigned ? bits - 1 : bits) - 1;
  const kind = isSigned ? "s32" : "u32";
  const upper = code.into("b32", `min.${kind}`, number, integerLiteral(most));
  return isSigned ? code.into("b32", "max.s32", upper, String(-most - 1)) : upper;
}

function floatToInteger(code: Code, operand: string, from: number, to: number, isSigned: boolean): string {
  const kind = isSigned ? "s" : "u";
  const [registerClass, bits] = to === 64 ? (["b64", 64] as const) : (["b32", 32] as const);
  const converted = code.into(registerClass, `cvt.rzi.${kind}${bits}.f${from}`, operand);
  const isZeroForNan = bits === 32 && from !== 64;
  const number = isZeroForNan
    ? converted
    : code.into(
        registerClass,
        `selp.b${bits}`,
        "0",
        converted,
        code.into("pred", `setp.nan.f${from}`, operand, operand),
      );
  if (to === 64) return number;
  if (to === 32) return number;
  const bounded = clamped(code, number, to, isSigned);
  if (to === 1) return predicateOfNumber(code, bounded);
  return isSigned ? truncated(code, bounded, to) : bounded;
}

function integerToFloat(code: Code, operand: string, from: number, to: number, isSigned: boolean): string {
  const number = asNumber(code, operand, from, isSigned);
  return code.into(floatClass(to), `cvt.rn.f${to}.${isSigned ? "s" : "u"}${from === 64 ? 64 : 32}`, number);
}

type Convert = (code: Code, operand: string, from: number, to: number) => string;

const CONVERSIONS: ReadonlyMap<number, Convert> = new Map<number, Convert>([
  [Op.TRUNC, (code, operand, from, to) => narrowed(code, operand, from, to)],
  [Op.ZEXT, (code, operand, from, to) => extended(code, operand, from, to, false)],
  [Op.SEXT, (code, operand, from, to) => extended(code, operand, from, to, true)],
  [Op.FPTRUNC, (code, operand, from, to) => code.into(floatClass(to), `cvt.rn.f${to}.f${from}`, operand)],
  [Op.FPEXT, (code, operand, from, to) => code.into(floatClass(to), `cvt.f${to}.f${from}`, operand)],
  [Op.FPTOSI, (code, operand, from, to) => floatToInteger(code, operand, from, to, true)],
  [Op.FPTOUI, (code, operand, from, to) => floatToInteger(code, operand, from, to, false)],
  [Op.SITOFP, (code, operand, from, to) => integerToFloat(code, operand, from, to, true)],
  [Op.UITOFP, (code, operand, from, to) => integerToFloat(code, operand, from, to, false)],
  [Op.PTRTOINT, (code, operand, from, to) => narrowed(code, operand, from, to)],
  [Op.INTTOPTR, (code, operand, from) => extended(code, operand, from, 64, false)],
]);

/** True for conversions that {@link convert} writes. */
export function isConversion(op: number): boolean {
  return CONVERSIONS.has(op);
}

/** A conversion of a scalar. */
export function convert(code: Code, op: number, operand: string, from: Type, to: Type): string {
  const write = CONVERSIONS.get(op);
  if (write === undefined) throw new InternalError(`${op} is no conversion`);
  return write(code, operand, integerBits(from), integerBits(to));
}

/** Address spaces of their own addresses, by PTX's names. */
const WINDOWS: ReadonlyMap<number, string> = new Map([
  [PRIVATE, "local"],
  [LOCAL, "shared"],
]);

/** A pointer in another address space; null stays null. */
export function castAddress(code: Code, operand: string, from: number, to: number): string {
  const [window, name] =
    to === GENERIC ? [WINDOWS.get(from), "cvta"] : from === GENERIC ? [WINDOWS.get(to), "cvta.to"] : [];
  if (window === undefined) return operand;
  const address = code.into("b64", `${name}.${window}.u64`, operand);
  const isNull = code.into("pred", "setp.eq.u64", operand, "0");
  return code.into("b64", "selp.b64", "0", address, isNull);
}

/** The address space that a generic pointer refers to. */
export function addressSpaceOf(code: Code, operand: string): string {
  const isShared = code.into("pred", "isspacep.shared", operand);
  const isLocal = code.into("pred", "isspacep.local", operand);
  const isNull = code.into("pred", "setp.eq.u64", operand, "0");
  const shared = code.into("b32", "selp.b32", "3", "1", isShared);
  const some = code.into("b32", "selp.b32", "0", shared, isLocal);
  return code.into("b32", "selp.b32", "1", some, isNull);
}
