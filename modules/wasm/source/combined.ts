// SPDX-License-Identifier: Apache-2.0
// Peephole patterns over SSA: several vector operations that SIMD128 has one instruction for (pmin and pmax, saturating
// sums, absolute values, rounding averages, bit selects). A table by the op of the last operation holds the patterns;
// an inner operation is dropped only where the pattern is its sole user. Cost: linear in instructions.
//
//   %c = flt %b, %a
//   %m = select %c, %b, %a    =>    f32x4.pmin(a, b)
import { type Instruction, type IrFunction, Op, type Value, constantInt, scalarOf, uses } from "@muxkit/ir";

import * as Simd from "./simd.table.ts";

/** One instruction instead of several. */
export interface Combined {
  /** The instruction's number. */
  readonly code: number;
  readonly operands: readonly Value[];
  /** The operations that it does besides the last one. */
  readonly inner: readonly Instruction[];
  /** True where lanes of the operands, the lower one first, are put together to lanes of twice their width. */
  readonly isInterleaved?: boolean;
}

type Pattern = (last: Instruction, bits: number) => Combined | null;

/** Numbers by bits of a lane. */
type ByBits = Readonly<Record<number, number>>;

/** `b < a ? b : a` is pmin(a, b); the number of pmax is one more. */
const PMIN: ByBits = { 32: 0xea, 64: 0xf6 };
const ABSOLUTE: ByBits = { 8: 0x60, 16: 0x80, 32: 0xa0, 64: 0xc0 };
const SIGNED_SUM: ByBits = { 8: 0x6f, 16: 0x8f };
const UNSIGNED_SUM: ByBits = { 8: 0x70, 16: 0x90 };
const SIGNED_DIFFERENCE: ByBits = { 8: 0x72, 16: 0x92 };
const UNSIGNED_DIFFERENCE: ByBits = { 8: 0x73, 16: 0x93 };
const ROUNDED_MEAN: ByBits = { 8: 0x7b, 16: 0x9b };

/** The instruction that defines a value, where it has this op; null: it has another. */
function by(value: Value | undefined, op: number): Instruction | null {
  return value?.kind === "instruction" && value.op === op ? value : null;
}

/** True when every lane is this number. */
function isNumber(value: Value | undefined, wanted: number | bigint): boolean {
  return value?.kind === "constant" && scalarOf(value.type).kind === "int" && value === constantInt(value.type, wanted);
}

/** The operands of a binary instruction, in both orders. */
function bothWays({ operands }: Instruction): readonly (readonly [Value | undefined, Value | undefined])[] {
  return [
    [operands[0], operands[1]],
    [operands[1], operands[0]],
  ];
}

/** True when these are an instruction's operands, in any order. */
function takes(instruction: Instruction, left: Value | undefined, right: Value | undefined): boolean {
  return bothWays(instruction).some(([a, b]) => a === left && b === right);
}

function made(
  code: number | undefined,
  operands: readonly (Value | undefined)[],
  inner: readonly Instruction[],
): Combined | null {
  const all = operands.filter((value) => value !== undefined);
  return code === undefined || all.length < operands.length ? null : { code, operands: all, inner };
}

/** The lesser or the greater of two floats, NaNs and zeros included. */
const extremum: Pattern = ({ type, operands }, bits) => {
  const [condition, whenTrue, whenFalse] = operands;
  const comparison = by(condition, Op.FLT) ?? by(condition, Op.FGT);
  const code = PMIN[bits];
  if (scalarOf(type).kind !== "float" || code === undefined || comparison === null) return null;
  const [less, greater] = comparison.op === Op.FLT ? comparison.operands : comparison.operands.toReversed();
  if (whenTrue === less && whenFalse === greater) return made(code, [whenFalse, whenTrue], [comparison]);
  return whenTrue === greater && whenFalse === less ? made(code + 1, [whenFalse, whenTrue], [comparison]) : null;
};

/** A sum that is the greatest number where it wrapped around. */
const unsignedSum: Pattern = ({ operands }, bits) => {
  const [condition, bound, last] = operands;
  const [wrapped, sum] = [by(condition, Op.ULT), by(last, Op.ADD)];
  if (wrapped === null || sum === null || !isNumber(bound, -1) || wrapped.operands[0] !== sum) return null;
  return sum.operands.includes(wrapped.operands[1] as Value)
    ? made(UNSIGNED_SUM[bits], sum.operands, [wrapped, sum])
    : null;
};

/** A difference that is zero where it wrapped around. */
const unsignedDifference: Pattern = ({ operands }, bits) => {
  const [condition, bound, last] = operands;
  const [wrapped, difference] = [by(condition, Op.ULT), by(last, Op.SUB)];
  if (wrapped === null || difference === null || !isNumber(bound, 0)) return null;
  return wrapped.operands[0] === difference.operands[0] && wrapped.operands[1] === difference.operands[1]
    ? made(UNSIGNED_DIFFERENCE[bits], difference.operands, [wrapped, difference])
    : null;
};

/** A signed sum or difference that is the bound of its first term's sign where it wrapped around. */
const signedSum: Pattern = ({ operands }, bits) => {
  const [condition, bound, last] = operands;
  const [wrapped, choice, sum] = [by(condition, Op.SLT), by(bound, Op.SELECT), by(last, Op.ADD) ?? by(last, Op.SUB)];
  const signs = by(wrapped?.operands[0], Op.AND);
  const sign = by(choice?.operands[0], Op.SLT);
  if (wrapped === null || choice === null || sum === null || signs === null || sign === null) return null;
  const [a, b] = sum.operands;
  const [first, second] = [by(signs.operands[0], Op.XOR), by(signs.operands[1], Op.XOR)];
  if (
    first === null ||
    second === null ||
    sign.operands[0] !== a ||
    !isNumber(wrapped.operands[1], 0) ||
    !isNumber(sign.operands[1], 0)
  )
    return null;
  if (!isNumber(choice.operands[1], -(2 ** (bits - 1))) || !isNumber(choice.operands[2], 2 ** (bits - 1) - 1))
    return null;
  const isSum = sum.op === Op.ADD;
  const differ = [
    [first, second],
    [second, first],
  ].some(([x, y]) => x !== undefined && y !== undefined && takes(x, a, sum) && takes(y, b, isSum ? sum : a));
  return differ
    ? made((isSum ? SIGNED_SUM : SIGNED_DIFFERENCE)[bits], [a, b], [wrapped, choice, sum, signs, sign, first, second])
    : null;
};

/** The lesser of x and -x without signs. */
const absolute: Pattern = (last, bits) => {
  for (const [x, other] of bothWays(last)) {
    const negated = by(other, Op.SUB);
    if (negated !== null && negated.operands[1] === x && isNumber(negated.operands[0], 0))
      return made(ABSOLUTE[bits], [x], [negated]);
  }
  return null;
};

/** (a | b) - ((a ^ b) >> 1). */
const roundedMean: Pattern = ({ operands }, bits) => {
  const [either, half] = [by(operands[0], Op.OR), by(operands[1], Op.LSHR)];
  const difference = by(half?.operands[0], Op.XOR);
  if (either === null || half === null || difference === null || !isNumber(half.operands[1], 1)) return null;
  return takes(difference, either.operands[0], either.operands[1])
    ? made(ROUNDED_MEAN[bits], either.operands, [either, half, difference])
    : null;
};

/** x & ~m as its two parts. */
function without(
  value: Value | undefined,
): { readonly whole: Instruction; readonly kept: Value; readonly mask: Value; readonly inverted: Instruction } | null {
  const whole = by(value, Op.AND);
  for (const [kept, other] of whole === null ? [] : bothWays(whole)) {
    const inverted = by(other, Op.XOR);
    const mask = inverted?.operands[0];
    if (
      whole !== null &&
      inverted !== null &&
      kept !== undefined &&
      mask !== undefined &&
      isNumber(inverted.operands[1], -1)
    )
      return { whole, kept, mask, inverted };
  }
  return null;
}

/** (x & ~m) | (y & m). */
const chosenBits: Pattern = (last) => {
  for (const [left, right] of bothWays(last)) {
    const [outside, inside] = [without(left), by(right, Op.AND)];
    if (outside === null || inside === null) continue;
    for (const [chosen, mask] of bothWays(inside))
      if (mask === outside.mask)
        return made(Simd.BITSELECT, [chosen, outside.kept, mask], [outside.whole, outside.inverted, inside]);
  }
  return null;
};

const keptBits: Pattern = (last) => {
  const parts = without(last);
  return parts === null ? null : made(Simd.V128_ANDNOT, [parts.kept, parts.mask], [parts.inverted]);
};

/** What is widened with zeros to twice its width. */
function widened(value: Value | undefined, bits: number): Instruction | null {
  const found = by(value, Op.ZEXT);
  return found !== null && scalarOf(found.operands[0]?.type ?? found.type).bits * 2 === bits ? found : null;
}

/** (high << half) | low, of lanes of half the width. */
const interleaved: Pattern = (last, bits) => {
  if (bits < 16) return null;
  for (const [left, right] of bothWays(last)) {
    const shifted = by(left, Op.SHL);
    const [high, low] = [widened(shifted?.operands[0], bits), widened(right, bits)];
    if (shifted === null || high === null || low === null || !isNumber(shifted.operands[1], bits / 2)) continue;
    const found = made(Simd.SHUFFLE, [low.operands[0], high.operands[0]], [shifted, high, low]);
    return found === null ? null : { ...found, isInterleaved: true };
  }
  return null;
};

/** Patterns by the op of the last operation. */
const PATTERNS: Readonly<Record<number, readonly Pattern[]>> = {
  [Op.SELECT]: [extremum, unsignedSum, unsignedDifference, signedSum],
  [Op.UMIN]: [absolute],
  [Op.SUB]: [roundedMean],
  [Op.OR]: [chosenBits, interleaved],
  [Op.ADD]: [interleaved],
  [Op.AND]: [keptBits],
};

function combinedOf(last: Instruction): Combined | null {
  const { bits } = scalarOf(last.type);
  if (last.type.kind !== "vector" || bits < 8) return null;
  for (const pattern of PATTERNS[last.op] ?? []) {
    const found = pattern(last, bits);
    if (found !== null) return found;
  }
  return null;
}

/** The combined instructions, by their last operation; and the operations that have no other user. */
export function combine(fn: IrFunction): {
  readonly combined: ReadonlyMap<Instruction, Combined>;
  readonly unneeded: ReadonlySet<Instruction>;
} {
  const combined = new Map<Instruction, Combined>();
  const unneeded = new Set<Instruction>();
  for (const { instructions } of fn.blocks) {
    for (const instruction of instructions) {
      const found = PATTERNS[instruction.op] === undefined ? null : combinedOf(instruction);
      if (found === null) continue;
      combined.set(instruction, found);
      for (const inner of found.inner) unneeded.add(inner);
    }
  }
  if (combined.size === 0) return { combined, unneeded };
  const users = uses(fn);
  // A combined instruction takes operands of the operations that it replaces, which the IR does not list as its uses.
  for (const [last, { operands }] of combined)
    for (const value of operands) if (value.kind === "instruction" && unneeded.has(value)) users.get(value)?.push(last);
  const isDone = (user: Instruction, value: Instruction): boolean =>
    unneeded.has(user) || combined.get(user)?.operands.includes(value) === false;
  // An operation with another user keeps its operands.
  for (let before = -1; before !== unneeded.size;) {
    before = unneeded.size;
    for (const value of unneeded)
      if (!(users.get(value) ?? []).every((user) => isDone(user, value))) unneeded.delete(value);
  }
  return { combined, unneeded };
}
