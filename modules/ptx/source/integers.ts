// SPDX-License-Identifier: Apache-2.0
/**
 * Ops of ints, scalar by scalar. A table says what PTX has for 32 and 64 bits. Narrow ints are computed in 32 bits:
 * operands that are read with a sign are extended first, results that may have more bits are masked. Where PTX and the
 * IR differ (division by zero, amounts of shifts), instructions around it make the IR's result.
 */
import { InternalError } from "@muxkit/cargo";
import { Op, type Type } from "@muxkit/ir";

import type { Code } from "./code.ts";
import { integerLiteral } from "./literals.ts";

/** How PTX computes an op. */
interface IntegerRow {
  /** The instruction without its type. */
  readonly name: string;
  /** Letter of its types: `s` and `u` say how operands are read, `b` says bits. */
  readonly kind: "s" | "u" | "b";
  /** True where the result of narrow operands may have bits above them. */
  readonly overflows: boolean;
}

function row(name: string, kind: IntegerRow["kind"], overflows: boolean): IntegerRow {
  return { name, kind, overflows };
}

/** Ops of two operands that are one instruction. */
const BINARY: ReadonlyMap<number, IntegerRow> = new Map([
  [Op.ADD, row("add", "s", true)],
  [Op.SUB, row("sub", "s", true)],
  [Op.MUL, row("mul.lo", "s", true)],
  [Op.AND, row("and", "b", false)],
  [Op.OR, row("or", "b", false)],
  [Op.XOR, row("xor", "b", false)],
  [Op.SMIN, row("min", "s", true)],
  [Op.SMAX, row("max", "s", true)],
  [Op.UMIN, row("min", "u", false)],
  [Op.UMAX, row("max", "u", false)],
]);

/** Sums and products have the same low bits however operands are extended. */
const READS_SIGN: ReadonlySet<number> = new Set([Op.SMIN, Op.SMAX]);

/** The same on predicates. */
const PREDICATES: ReadonlyMap<number, string> = new Map([
  [Op.ADD, "xor"],
  [Op.SUB, "xor"],
  [Op.MUL, "and"],
  [Op.AND, "and"],
  [Op.OR, "or"],
  [Op.XOR, "xor"],
  [Op.UMIN, "and"],
  [Op.UMAX, "or"],
  [Op.SMIN, "or"],
  [Op.SMAX, "and"],
]);

/** Divisions: the instruction, and whether a division by zero gives the dividend. */
const DIVISIONS: ReadonlyMap<number, readonly [name: string, kind: "s" | "u", isRemainder: boolean]> = new Map([
  [Op.SDIV, ["div", "s", false]],
  [Op.UDIV, ["div", "u", false]],
  [Op.SREM, ["rem", "s", true]],
  [Op.UREM, ["rem", "u", true]],
]);

const SHIFTS: ReadonlyMap<number, readonly [name: string, kind: "s" | "u" | "b"]> = new Map([
  [Op.SHL, ["shl", "b"]],
  [Op.LSHR, ["shr", "u"]],
  [Op.ASHR, ["shr", "s"]],
]);

const COMPARISONS: ReadonlyMap<number, readonly [relation: string, kind: "s" | "u"]> = new Map([
  [Op.EQ, ["eq", "u"]],
  [Op.NE, ["ne", "u"]],
  [Op.SLT, ["lt", "s"]],
  [Op.SLE, ["le", "s"]],
  [Op.SGT, ["gt", "s"]],
  [Op.SGE, ["ge", "s"]],
  [Op.ULT, ["lt", "u"]],
  [Op.ULE, ["le", "u"]],
  [Op.UGT, ["gt", "u"]],
  [Op.UGE, ["ge", "u"]],
]);

/** Bits of an int or pointer. */
export function integerBits({ kind, bits }: Type): number {
  return kind === "pointer" ? 64 : bits;
}

/** Bits of the register of an int: 64, else 32. */
function registerBits(bits: number): 32 | 64 {
  return bits === 64 ? 64 : 32;
}

function maskOf(bits: number): string {
  return integerLiteral(2 ** bits - 1);
}

/** The low bits of a narrow int; what has 32 or 64 is itself. */
export function truncated(code: Code, register: string, bits: number): string {
  return bits >= 32 ? register : code.into("b32", "and.b32", register, maskOf(bits));
}

/** A narrow int with its sign, in 32 bits; what has 32 or 64 is itself. */
export function signExtended(code: Code, operand: string, bits: number): string {
  if (bits >= 32) return operand;
  return code.into("b32", "bfe.s32", operand, "0", String(bits));
}

/** An i1 as a number of 32 bits: `one` where it is set. */
export function numberOfPredicate(code: Code, predicate: string, one: string = "1"): string {
  return code.into("b32", "selp.b32", one, "0", predicate);
}

/** True where the lowest bit is set. */
export function predicateOfNumber(code: Code, number: string): string {
  return code.into("pred", "setp.ne.u32", code.into("b32", "and.b32", number, "1"), "0");
}

function classOfBits(bits: number): "b32" | "b64" {
  return bits === 64 ? "b64" : "b32";
}

function divide(code: Code, op: number, bits: number, left: string, right: string, isNonZero: boolean): string {
  const found = DIVISIONS.get(op);
  if (found === undefined) throw new InternalError(`${op} is no division`);
  const [name, kind, isRemainder] = found;
  const extend = (operand: string): string => (kind === "s" ? signExtended(code, operand, bits) : operand);
  const width = registerBits(bits);
  const divided = code.into(classOfBits(bits), `${name}.${kind}${width}`, extend(left), extend(right));
  const quotient = kind === "s" ? truncated(code, divided, bits) : divided;
  if (isNonZero) return quotient;
  const isZero = code.into("pred", `setp.eq.u${width}`, right, "0");
  return code.into(classOfBits(bits), `selp.b${width}`, isRemainder ? left : "0", quotient, isZero);
}

/** The amount of a shift as PTX wants it, 32 bits, modulo the bits of a lane. `constant`: when it is known. */
function amountOf(code: Code, amount: string, bits: number, constant: number | null): string {
  if (constant !== null) return String(constant % bits);
  const narrow = bits === 64 ? code.into("b32", "cvt.u32.u64", amount) : amount;
  return code.into("b32", "and.b32", narrow, String(bits - 1));
}

/** A rotation of 64 bits: of its halves, which change places from 32 on. */
function rotateHalves(code: Code, value: string, amount: string): string {
  const [low, high] = [code.registers.take("b32"), code.registers.take("b32")];
  code.emit("mov.b64", `{${low}, ${high}}`, value);
  let [first, second] = [low, high];
  const known = Number(amount);
  if (known >= 32) [first, second] = [high, low];
  else if (Number.isNaN(known)) {
    const isFar = code.into("pred", "setp.gt.u32", amount, "31");
    first = code.into("b32", "selp.b32", high, low, isFar);
    second = code.into("b32", "selp.b32", low, high, isFar);
  }
  const lower = code.into("b32", "shf.l.wrap.b32", second, first, amount);
  const upper = code.into("b32", "shf.l.wrap.b32", first, second, amount);
  return code.into("b64", "mov.b64", `{${lower}, ${upper}}`);
}

function rotate(code: Code, bits: number, value: string, amount: string): string {
  if (bits === 64) return rotateHalves(code, value, amount);
  if (bits === 32) return code.into("b32", "shf.l.wrap.b32", value, value, amount);
  const name = registerBits(bits);
  const left = code.into(classOfBits(bits), `shl.b${name}`, value, amount);
  // Modulo the bits: a rotation by 0 shifts by 0 both ways.
  const back = code.into("b32", "and.b32", code.into("b32", "sub.s32", String(bits), amount), String(bits - 1));
  const right = code.into(classOfBits(bits), `shr.u${name}`, value, back);
  return truncated(code, code.into(classOfBits(bits), `or.b${name}`, left, right), bits);
}

function shift(code: Code, op: number, bits: number, value: string, amount: string): string {
  const [name, kind] = SHIFTS.get(op) as readonly [string, string];
  const operand = op === Op.ASHR ? signExtended(code, value, bits) : value;
  const shifted = code.into(classOfBits(bits), `${name}.${kind}${registerBits(bits)}`, operand, amount);
  return op === Op.LSHR ? shifted : truncated(code, shifted, bits);
}

function highProduct(code: Code, op: number, bits: number, left: string, right: string): string {
  const kind = op === Op.SMULH ? "s" : "u";
  if (bits >= 32) return code.into(classOfBits(bits), `mul.hi.${kind}${bits}`, left, right);
  const extend = (operand: string): string => (kind === "s" ? signExtended(code, operand, bits) : operand);
  const product = code.into("b32", `mul.lo.${kind}32`, extend(left), extend(right));
  return truncated(code, code.into("b32", `shr.${kind}32`, product, String(bits)), bits);
}

/** An i1 has no instructions for ops that make little sense on it: they are computed in 32 bits. */
function ofPredicates(code: Code, op: number, left: string, right: string): string {
  const name = PREDICATES.get(op);
  if (name !== undefined) return code.into("pred", `${name}.pred`, left, right);
  const [x, y] = [numberOfPredicate(code, left), numberOfPredicate(code, right)];
  return predicateOfNumber(code, binaryInteger(code, { op, bits: 1, left: x, right: y, constant: null }));
}

/** A binary op on ints. */
export interface BinaryInteger {
  readonly op: number;
  /** Bits of the operands. */
  readonly bits: number;
  readonly left: string;
  readonly right: string;
  /** The value of the right operand, where it is a constant of at most 32 bits. */
  readonly constant: number | null;
}

/** The register of a binary op on ints that are no predicates. */
export function binaryInteger(code: Code, { op, bits, left, right, constant }: BinaryInteger): string {
  const simple = BINARY.get(op);
  if (simple !== undefined) {
    const extend = (operand: string): string => (READS_SIGN.has(op) ? signExtended(code, operand, bits) : operand);
    const { name, kind, overflows } = simple;
    const made = code.into(classOfBits(bits), `${name}.${kind}${registerBits(bits)}`, extend(left), extend(right));
    return overflows ? truncated(code, made, bits) : made;
  }
  if (DIVISIONS.has(op)) return divide(code, op, bits, left, right, constant !== null && constant !== 0);
  if (op === Op.ROTL) return rotate(code, bits, left, amountOf(code, right, bits, constant));
  if (SHIFTS.has(op)) return shift(code, op, bits, left, amountOf(code, right, bits, constant));
  if (op === Op.SMULH || op === Op.UMULH) return highProduct(code, op, bits, left, right);
  throw new InternalError(`${op} is no op of two ints`);
}

/** A binary op on ints or predicates. */
export function binaryOfInts(code: Code, request: BinaryInteger): string {
  return request.bits === 1
    ? ofPredicates(code, request.op, request.left, request.right)
    : binaryInteger(code, request);
}

/** True for binary ops on ints. */
export function isBinaryInteger(op: number): boolean {
  return op >= Op.ADD && op <= Op.UMULH;
}

/** A comparison of ints, predicates or pointers. */
export function compareIntegers(code: Code, op: number, bits: number, left: string, right: string): string {
  const [relation, kind] = COMPARISONS.get(op) as readonly [string, "s" | "u"];
  if (bits === 1) {
    const one = kind === "s" ? "-1" : "1";
    const [x, y] = [numberOfPredicate(code, left, one), numberOfPredicate(code, right, one)];
    return code.into("pred", `setp.${relation}.${kind}32`, x, y);
  }
  const extend = (operand: string): string => (kind === "s" ? signExtended(code, operand, bits) : operand);
  return code.into("pred", `setp.${relation}.${kind}${registerBits(bits)}`, extend(left), extend(right));
}

function countInNumber(code: Code, op: number, bits: number, operand: string): string {
  const width = registerBits(bits);
  const widen = (count: string): string => (bits === 64 ? code.into("b64", "cvt.u64.u32", count) : count);
  if (op === Op.POPCOUNT) return widen(code.into("b32", `popc.b${width}`, operand));
  if (op === Op.CLZ) {
    const count = code.into("b32", `clz.b${width}`, operand);
    return bits < 32 ? code.into("b32", "sub.s32", count, String(32 - bits)) : widen(count);
  }
  // A bit above the lane ends the count of a zero.
  const bounded = bits < 32 ? code.into("b32", "or.b32", operand, integerLiteral(2 ** bits)) : operand;
  return widen(code.into("b32", `clz.b${width}`, code.into(classOfBits(bits), `brev.b${width}`, bounded)));
}

/** Counts of bits: `clz`, `ctz`, `popcount`. */
export function countBits(code: Code, op: number, bits: number, operand: string): string {
  return bits === 1
    ? predicateOfNumber(code, countInNumber(code, op, 1, numberOfPredicate(code, operand)))
    : countInNumber(code, op, bits, operand);
}
