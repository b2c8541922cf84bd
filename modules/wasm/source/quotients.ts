// SPDX-License-Identifier: Apache-2.0
// Division of vectors by constants: the upper half of a product with a scaled reciprocal, then a shift (T. Granlund,
// P. Montgomery, "Division by invariant integers using multiplication", 1994; H. S. Warren, "Hacker's Delight",
// chapter 10). SIMD128 has no division, and the way through doubles takes four times the instructions.
//
//   x / 255  =  umulh(x, 0x80808081) >> 7
import {
  type Instruction,
  Op,
  type Type,
  type Value,
  constantInt,
  constantLane,
  scalarOf,
  vectorType,
} from "@muxkit/ir";

import { emitConstantPart } from "./constants.ts";
import type { FunctionEmitter } from "./function-emitter.ts";
import * as Wasm from "./opcodes.ts";
import { emitPart } from "./part-ops.ts";
import { laneKind } from "./representation.ts";
import type { Push } from "./scalars.ts";
import * as Simd from "./simd.table.ts";

/** How a number without sign is divided by a constant. */
export interface UnsignedReciprocal {
  /** By how much the dividend is shifted before, because the divisor is even. */
  readonly before: number;
  readonly factor: bigint;
  readonly shift: number;
  /** True when the reciprocal has one bit more than a lane, which `factor` leaves out. */
  readonly isLong: boolean;
}

/** How a signed number is divided by a constant. */
export interface SignedReciprocal {
  /** Signed. */
  readonly factor: bigint;
  readonly shift: number;
  /** Multiple of the dividend that the product lacks: -1, 0 or 1. */
  readonly rest: number;
}

/** Bits of a number. */
function lengthOf(value: bigint): number {
  return value.toString(2).length;
}

/** The reciprocal of a divisor of at least 2 in lanes of so many bits. */
export function unsignedReciprocal(divisor: bigint, bits: number): UnsignedReciprocal {
  const tryShifts = (odd: bigint, before: number): UnsignedReciprocal | null => {
    for (let shift = 0; shift < lengthOf(odd); shift++) {
      const power = 1n << BigInt(bits + shift);
      const factor = power / odd + 1n;
      // The product is too large by less than a step of the quotient, for all dividends of the bits that are left.
      if (factor < 1n << BigInt(bits) && factor * odd - power <= 1n << BigInt(shift + before))
        return { before, factor, shift, isLong: false };
    }
    return null;
  };
  const short = tryShifts(divisor, 0);
  if (short !== null) return short;
  let before = 0;
  while (((divisor >> BigInt(before)) & 1n) === 0n) before++;
  const even = before === 0 ? null : tryShifts(divisor >> BigInt(before), before);
  if (even !== null) return even;
  const shift = lengthOf(divisor - 1n);
  const factor = (1n << BigInt(bits + shift)) / divisor + 1n - (1n << BigInt(bits));
  return { before: 0, factor, shift, isLong: true };
}

/** The reciprocal of a signed divisor whose magnitude is at least 2. */
export function signedReciprocal(divisor: bigint, bits: number): SignedReciprocal {
  const magnitude = divisor < 0n ? -divisor : divisor;
  const least = (1n << BigInt(bits - 1)) + (divisor < 0n ? 1n : 0n);
  const bound = least - 1n - (least % magnitude);
  let exponent = BigInt(bits);
  let rest = magnitude - ((1n << exponent) % magnitude);
  while (1n << exponent <= bound * rest) {
    exponent++;
    rest = magnitude - ((1n << exponent) % magnitude);
  }
  const whole = ((1n << exponent) + rest) / magnitude;
  const factor = BigInt.asIntN(bits, divisor < 0n ? -whole : whole);
  const isTurned = factor < 0n !== divisor < 0n;
  return { factor, shift: Number(exponent) - bits, rest: isTurned ? (divisor < 0n ? -1 : 1) : 0 };
}

const DIVISIONS: ReadonlySet<number> = new Set([Op.UDIV, Op.UREM, Op.SDIV, Op.SREM]);

/** The constant that all lanes are divided by; null: there is none, or none that a product stands for. */
function divisorOf({ op, operands: [, divisor] }: Instruction): bigint | null {
  if (!DIVISIONS.has(op) || divisor?.kind !== "constant" || divisor.type.kind !== "vector") return null;
  const first = constantLane(divisor, 0);
  const { bits } = first.type;
  if (bits > 32) return null;
  for (let lane = 1; lane < divisor.type.count; lane++) if (constantLane(divisor, lane) !== first) return null;
  const isSigned = op === Op.SDIV || op === Op.SREM;
  const value = isSigned ? BigInt.asIntN(bits, BigInt(first.low)) : BigInt.asUintN(bits, BigInt(first.low));
  return value < 2n && value > -2n ? null : value;
}

/** True for divisions by a constant that {@link emitQuotient} writes. */
export function isByConstant(instruction: Instruction): boolean {
  return divisorOf(instruction) !== null;
}

/** Writes ops on lanes of one type. */
class LaneWriter {
  private readonly emitter: FunctionEmitter;
  private readonly scalar: Type;

  constructor(emitter: FunctionEmitter, scalar: Type) {
    this.emitter = emitter;
    this.scalar = scalar;
  }

  constant(value: bigint): Push {
    const { scalar } = this;
    const lanes = vectorType(scalar, 128 / scalar.bits);
    const whole = constantInt(lanes, BigInt.asIntN(scalar.bits, value));
    return () => emitConstantPart(this.emitter.code, whole, 0);
  }

  /** Keeps the top of the stack; the result pushes it. */
  kept(): Push {
    const { code } = this.emitter;
    const local = code.local(Wasm.TYPE_V128);
    code.set(local);
    return () => code.get(local);
  }

  op(op: number, ...operands: readonly Push[]): void {
    emitPart(this.emitter, op, this.scalar, operands);
  }

  /** Combines what is on the stack. */
  top(op: number): void {
    this.emitter.code.simd(Simd.SIMD_OPS[op]?.[laneKind(this.scalar)] ?? 0);
  }

  shift(op: number, by: number): void {
    if (by === 0) return;
    this.emitter.code.i32(by);
    this.emitter.code.simd(Simd.SIMD_SHIFTS[op]?.[laneKind(this.scalar)] ?? 0);
  }
}

function writeUnsigned(writer: LaneWriter, x: Push, reciprocal: UnsignedReciprocal): void {
  const { before, factor, shift, isLong } = reciprocal;
  let dividend = x;
  if (before > 0) {
    x();
    writer.shift(Op.LSHR, before);
    dividend = writer.kept();
  }
  writer.op(Op.UMULH, dividend, writer.constant(factor));
  if (!isLong) {
    writer.shift(Op.LSHR, shift);
    return;
  }
  // (x - t) / 2 + t is the sum of x and t, halved, without the bit that the sum would need.
  const product = writer.kept();
  writer.op(Op.SUB, x, product);
  writer.shift(Op.LSHR, 1);
  product();
  writer.top(Op.ADD);
  writer.shift(Op.LSHR, shift - 1);
}

function writeSigned(writer: LaneWriter, x: Push, { factor, shift, rest }: SignedReciprocal, bits: number): void {
  writer.op(Op.SMULH, x, writer.constant(factor));
  if (rest !== 0) {
    x();
    writer.top(rest > 0 ? Op.ADD : Op.SUB);
  }
  writer.shift(Op.ASHR, shift);
  const rounded = writer.kept();
  // Quotients are rounded to zero: those below it are one too small.
  rounded();
  rounded();
  writer.shift(Op.LSHR, bits - 1);
  writer.top(Op.ADD);
}

/** Writes a part of a quotient or remainder of a vector and a constant; false: it is not one. */
export function emitQuotient(emitter: FunctionEmitter, instruction: Instruction, part: number): boolean {
  const divisor = divisorOf(instruction);
  if (divisor === null) return false;
  const { op } = instruction;
  const scalar = scalarOf(instruction.type);
  const dividend: Value = emitter.operand(instruction, 0);
  const writer = new LaneWriter(emitter, scalar);
  const x = (): void => emitter.push(dividend, part);
  if (op === Op.UDIV || op === Op.UREM) writeUnsigned(writer, x, unsignedReciprocal(divisor, scalar.bits));
  else writeSigned(writer, x, signedReciprocal(divisor, scalar.bits), scalar.bits);
  if (op === Op.UDIV || op === Op.SDIV) return true;
  const quotient = writer.kept();
  x();
  writer.op(Op.MUL, quotient, writer.constant(divisor));
  writer.top(Op.SUB);
  return true;
}
