// SPDX-License-Identifier: Apache-2.0
// Peephole rules of scalars, by op. A rule looks at one instruction and its operands' definitions and returns an
// existing value, or the instruction itself after changing it, or null. Groups of rules:
//
//   - identities: neutral and absorbing elements, x - x, x & x, not (not x), casts of casts;
//   - canonical form: constants on the right of commutative ops, x - c as x + -c, (x + a) + b as x + (a + b);
//   - strength reduction: unsigned division, remainder and multiplication by powers of two; bit-rules.ts;
//   - comparisons of extended numbers become those of the numbers;
//   - known bits (known-bits.ts): redundant masks, signed ops on non-negative numbers, decided comparisons;
//   - addresses: constant indices and chains of offsets fold into one offset;
//   - loads from constant memory;
//   - vectors: lane-rules.ts.
//
// All hold for every input: integers wrap, and no float rule changes the sign of a zero or a NaN.
import {
  type DataLayout,
  EXACT,
  I1,
  I32,
  type Instruction,
  OPPOSITE_COMPARISONS,
  Op,
  VOLATILE,
  type Value,
  constantInt,
  constantZero,
  evaluate,
  hasEffect,
  scalarOf,
  smallValue,
  withLanesOf,
  copyOf,
  listOf,
} from "@muxkit/ir";

import { rotation, trailingZeros } from "./bit-rules.ts";
import { loadedConstant } from "./constant-memory.ts";
import { isNotNegative, possibleBits } from "./known-bits.ts";
import { buildRule, extractRule, laneRule, permuteRule, shuffleRule } from "./lane-rules.ts";
import { type Rule, defined, isConstant, isInt, operand } from "./rule.ts";

/** x op c is x. */
const neutral =
  (wanted: number): Rule =>
  (instruction) =>
    isInt(operand(instruction, 1), wanted) ? (operand(instruction, 0) ?? null) : null;

/** x | -1 is -1. */
const saturating: Rule = (instruction) => {
  const right = operand(instruction, 1);
  return isInt(right, -1) ? (right ?? null) : null;
};

/** x op 0 is 0. */
const absorbing: Rule = (instruction) => (isInt(operand(instruction, 1), 0) ? constantZero(instruction.type) : null);

/** Moves the constant of a commutative op to the right. */
export function canonical(instruction: Instruction): boolean {
  const [left, right] = instruction.operands;
  if (!hasEffect(instruction.op, "m") || !isConstant(left) || isConstant(right) || right === undefined) return false;
  instruction.operands = listOf<Value>(right, left);
  return true;
}

/** (x + a) + b is x + (a + b): ints wrap, so this always holds. */
const regroup: Rule = (instruction) => {
  const inner = defined(operand(instruction, 0), instruction.op);
  const outer = operand(instruction, 1);
  const first = inner === null ? undefined : operand(inner, 1);
  const base = inner === null ? undefined : operand(inner, 0);
  if (!isConstant(outer) || !isConstant(first) || base === undefined) return null;
  const joined = evaluate(instruction.op, instruction.type, [first, outer]);
  if (joined === null) return null;
  instruction.operands = listOf<Value>(base, joined);
  return instruction;
};

/** x - c is x + -c. */
const subtractConstant: Rule = (instruction) => {
  const [left, right] = instruction.operands;
  if (left === right) return constantZero(instruction.type);
  if (!isConstant(right) || left === undefined) return null;
  const negated = evaluate(Op.SUB, instruction.type, [constantZero(instruction.type), right]);
  if (negated === null) return null;
  instruction.op = Op.ADD;
  instruction.operands = listOf<Value>(left, negated);
  return instruction;
};

/** Power of two of a constant scalar; -1: it is none. */
function powerOfTwo(value: Value | undefined): number {
  if (!isConstant(value) || value.type.kind !== "int" || value.type.bits > 32) return -1;
  const power = Math.log2(value.low);
  return Number.isInteger(power) ? power : -1;
}

/** x / 2^n and x % 2^n of unsigned ints, x * 2^n. */
const byPowerOfTwo: Rule = (instruction) => {
  const [left, right] = instruction.operands;
  const power = powerOfTwo(right);
  if (power < 0 || left === undefined) return null;
  if (power === 0) return instruction.op === Op.UREM ? constantZero(instruction.type) : left;
  if (instruction.op === Op.UREM) {
    instruction.op = Op.AND;
    instruction.operands = listOf<Value>(left, constantInt(instruction.type, 2 ** power - 1));
  } else {
    instruction.op = instruction.op === Op.UDIV ? Op.LSHR : Op.SHL;
    instruction.operands = listOf<Value>(left, constantInt(instruction.type, power));
    instruction.flags &= ~EXACT;
  }
  return instruction;
};

/** ext(i1) != 0 is the i1, ext(i1) == 0 its complement. */
const compareWidened: Rule = (instruction) => {
  const widened = defined(operand(instruction, 0), Op.ZEXT) ?? defined(operand(instruction, 0), Op.SEXT);
  const bit = widened === null ? undefined : operand(widened, 0);
  if (bit === undefined || scalarOf(bit.type) !== I1 || !isInt(operand(instruction, 1), 0)) return null;
  if (instruction.op === Op.NE) return bit;
  instruction.op = Op.XOR;
  instruction.operands = listOf<Value>(bit, constantInt(bit.type, 1));
  return instruction;
};

/** Unsigned comparisons by the signed ones: numbers that are extended with zeros have no sign. */
const UNSIGNED: Readonly<Record<number, number>> = {
  [Op.SLT]: Op.ULT,
  [Op.SLE]: Op.ULE,
  [Op.SGT]: Op.UGT,
  [Op.SGE]: Op.UGE,
};

/** The 32 bits that a number of 64 bits extends by an op, as a constant may do too; null: it does not. */
function extendedBy(value: Value | undefined, op: number): Value | null {
  if (isConstant(value)) {
    const { type, low, high } = value;
    const isExtended =
      type.kind === "int" && type.bits === 64 && high === (op === Op.ZEXT ? 0 : ((low | 0) >> 31) >>> 0);
    return isExtended ? constantInt(I32, low) : null;
  }
  const narrow = defined(value, op)?.operands[0];
  return narrow !== undefined && scalarOf(narrow.type) === I32 && scalarOf(value?.type ?? I32).bits === 64
    ? narrow
    : null;
}

/** A comparison of numbers of 64 bits that are extended from 32 is that of the 32 bits: sizes are compared so. */
const compareExtended: Rule = (instruction) => {
  const [left, right] = instruction.operands;
  for (const op of [Op.ZEXT, Op.SEXT]) {
    if (defined(left, op) === null && defined(right, op) === null) continue;
    const [a, b] = [extendedBy(left, op), extendedBy(right, op)];
    if (a === null || b === null || a.type !== b.type) continue;
    if (op === Op.ZEXT) instruction.op = UNSIGNED[instruction.op] ?? instruction.op;
    instruction.operands = listOf<Value>(a, b);
    return instruction;
  }
  return null;
};

const same: Rule = (instruction) =>
  operand(instruction, 0) === operand(instruction, 1) ? (operand(instruction, 0) ?? null) : null;

/** The other operand of a binary instruction; undefined: `value` is not one of its operands. */
function otherOperand(instruction: Instruction | null, value: Value | undefined): Value | undefined {
  const at = value === undefined ? -1 : (instruction?.operands.indexOf(value) ?? -1);
  return at < 0 ? undefined : instruction?.operands[1 - at];
}

/** True for the complement of a value. */
function isComplement(value: Value | undefined, of: Value | undefined): boolean {
  const inverted = defined(value, Op.XOR);
  return of !== undefined && inverted !== null && operand(inverted, 0) === of && isInt(operand(inverted, 1), -1);
}

/** (x & a) | (x & ~a) is x. */
const joinMasked: Rule = (instruction) => {
  const [left, right] = [defined(operand(instruction, 0), Op.AND), defined(operand(instruction, 1), Op.AND)];
  for (const shared of left?.operands ?? [])
    if (
      isComplement(otherOperand(left, shared), otherOperand(right, shared)) ||
      isComplement(otherOperand(right, shared), otherOperand(left, shared))
    )
      return shared;
  return null;
};

const cancelled: Rule = (instruction) =>
  operand(instruction, 0) === operand(instruction, 1) ? constantZero(instruction.type) : null;

/** not (not x); not of a comparison is the other comparison. */
const negatedComparison: Rule = (instruction) => {
  const inner = operand(instruction, 0);
  if (
    scalarOf(instruction.type) !== I1 ||
    !isInt(operand(instruction, 1), 1) ||
    inner === undefined ||
    inner.kind !== "instruction"
  )
    return null;
  const opposite = OPPOSITE_COMPARISONS[inner.op];
  if (opposite === undefined) return null;
  instruction.op = opposite;
  instruction.operands = copyOf(inner.operands);
  instruction.flags = inner.flags;
  return instruction;
};

/** True for comparisons of the same values of which exactly one holds. */
function areOpposite(left: Value | undefined, right: Value | undefined): boolean {
  return (
    left?.kind === "instruction" &&
    right?.kind === "instruction" &&
    OPPOSITE_COMPARISONS[left.op] === right.op &&
    left.operands[0] === right.operands[0] &&
    left.operands[1] === right.operands[1]
  );
}

/**
 * A choice between truth values knows its condition in both arms, and conditions are written without `not`: what is
 * left of `a || b` and `a && b` in the form that short-circuit evaluation has, `select a, 1, b` and `select a, b, 0`.
 */
const logicRule: Rule = (instruction) => {
  const [condition, yes, no] = instruction.operands;
  if (condition === undefined || yes === undefined || no === undefined || condition.type !== I1) return null;
  const inverted = defined(condition, Op.XOR);
  const plain = inverted === null || !isInt(operand(inverted, 1), 1) ? undefined : operand(inverted, 0);
  if (plain !== undefined) {
    instruction.operands = listOf<Value>(plain, no, yes);
    return instruction;
  }
  if (instruction.type !== I1) return null;
  const [always, never] = [constantInt(I1, 1), constantInt(I1, 0)];
  if (no === condition) instruction.operands = listOf<Value>(condition, yes, never);
  else if (yes === condition) instruction.operands = listOf<Value>(condition, always, no);
  else if (areOpposite(condition, no)) instruction.operands = listOf<Value>(no, always, yes);
  else if (areOpposite(condition, yes)) instruction.operands = listOf<Value>(yes, no, never);
  else return null;
  return instruction;
};

const selectRule: Rule = (instruction) => {
  const [condition, yes, no] = instruction.operands;
  if (yes === no && yes !== undefined) return yes;
  if (isConstant(condition) && condition.type === I1) return (condition.low !== 0 ? yes : no) ?? null;
  if (condition === undefined || !isInt(no, 0) || condition.type !== withLanesOf(I1, instruction.type)) return null;
  if (instruction.type === condition.type) return isInt(yes, 1) ? condition : null;
  // A choice of -1 or 1 is the condition, extended.
  if (!isInt(yes, -1) && !isInt(yes, 1)) return null;
  instruction.op = isInt(yes, 1) ? Op.ZEXT : Op.SEXT;
  instruction.operands = listOf<Value>(condition);
  instruction.flags = 0;
  return instruction;
};

const MOST_OFFSET = 0x7fff_ffff;

/** Folds constant indices and chains of constant offsets into one offset. */
const addressRule: Rule = (instruction) => {
  const [base, index] = instruction.operands;
  let changed = false;
  const number = isConstant(index) && index.type.kind === "int" ? smallValue(index) : null;
  // With more bits only where the offset stays one of 32.
  if (number !== null && (index?.type.bits !== 64 || Math.abs(number * instruction.scale) <= MOST_OFFSET)) {
    instruction.offset += number * instruction.scale;
    instruction.operands = instruction.operands.slice(0, 1);
    instruction.scale = 0;
    changed = true;
  }
  const inner = defined(base, Op.ADDRESS);
  const root = inner === null ? undefined : operand(inner, 0);
  if (inner !== null && root !== undefined && instruction.operands.length === 1) {
    // base + i * s + a, then + b: the outer address takes the inner one's index.
    instruction.operands = copyOf(inner.operands);
    instruction.scale = inner.scale;
    instruction.offset += inner.offset;
    changed = true;
  } else if (inner !== null && root !== undefined && inner.operands.length === 1) {
    instruction.operands = listOf<Value>(root, ...instruction.operands.slice(1));
    instruction.offset += inner.offset;
    changed = true;
  }
  if (instruction.operands.length === 1 && instruction.offset === 0) return operand(instruction, 0) ?? null;
  return changed ? instruction : null;
};

/** index + c: c * scale moves into the offset when the index is as wide as an address, so that it wraps like one. */
export function indexRule(pointerBits: number): Rule {
  return (instruction) => {
    const [base, index] = instruction.operands;
    const sum = defined(index, Op.ADD);
    const constant = sum === null ? undefined : operand(sum, 1);
    const rest = sum === null ? undefined : operand(sum, 0);
    if (base === undefined || rest === undefined || !isConstant(constant) || constant.type.bits !== pointerBits)
      return null;
    const offset = (smallValue(constant) ?? Number.NaN) * instruction.scale;
    if (!(Math.abs(offset) <= MOST_OFFSET) || Math.abs(instruction.offset + offset) > MOST_OFFSET) return null;
    instruction.operands = listOf<Value>(base, rest);
    instruction.offset += offset;
    return instruction;
  };
}

/** A load from constant memory at a known offset is what the module says is there. */
export function loadRule(layout: DataLayout): Rule {
  return (instruction) =>
    (instruction.flags & VOLATILE) === 0 ? loadedConstant(operand(instruction, 0), instruction.type, layout) : null;
}

const bitcastRule: Rule = (instruction) => {
  const value = operand(instruction, 0);
  if (value === undefined) return null;
  if (value.type === instruction.type) return value;
  const inner = defined(value, Op.BITCAST);
  const root = inner === null ? undefined : operand(inner, 0);
  if (root === undefined) return null;
  if (root.type === instruction.type) return root;
  instruction.operands = listOf<Value>(root);
  return instruction;
};

/** trunc (ext x) to the type of x is x. */
const truncRule: Rule = (instruction) => {
  const widened = defined(operand(instruction, 0), Op.ZEXT) ?? defined(operand(instruction, 0), Op.SEXT);
  const narrow = widened === null ? undefined : operand(widened, 0);
  if (narrow === undefined) return null;
  if (narrow.type === instruction.type) return narrow;
  return null;
};

/** x & c is x when c has every bit that may be set in x, 0 when it has none of them. */
const maskRule: Rule = (instruction) => {
  const [left, mask] = instruction.operands;
  if (left === undefined || !isConstant(mask) || mask.type.kind !== "int" || mask.type.bits > 32) return null;
  const possible = possibleBits(left);
  if ((possible & ~mask.low) === 0) return left;
  return (possible & mask.low) === 0 ? constantZero(instruction.type) : null;
};

/** Signed ops on non-negative numbers become the unsigned ones: they are cheaper, and more bits of them are known. */
const asUnsigned =
  (unsigned: number): Rule =>
  (instruction) => {
    const isShift = instruction.op === Op.ASHR || instruction.op === Op.SEXT;
    if (!isNotNegative(operand(instruction, 0)) || !(isShift || isNotNegative(operand(instruction, 1)))) return null;
    instruction.op = unsigned;
    return instruction;
  };

/** uitofp of a non-negative number becomes sitofp, which machines have as one instruction. */
const asSigned: Rule = (instruction) => {
  const number = operand(instruction, 0);
  if (defined(number, Op.ZEXT) === null && !isNotNegative(number)) return null;
  instruction.op = Op.SITOFP;
  return instruction;
};

/** Folds a comparison with a constant that the known bits of the other operand decide. */
const rangeRule: Rule = (instruction) => {
  const [left, right] = instruction.operands;
  if (left === undefined || isConstant(left) || !isConstant(right) || right.type.kind !== "int" || right.type.bits > 32)
    return null;
  const possible = possibleBits(left);
  const { low } = right;
  const boolean = (value: boolean): Value => constantInt(instruction.type, value ? 1 : 0);
  // The largest possible value has all possible bits set.
  if (instruction.op === Op.ULT && (possible < low || low === 0)) return boolean(low !== 0);
  if (instruction.op === Op.ULE && possible <= low) return boolean(true);
  if (instruction.op === Op.UGT && possible <= low) return boolean(false);
  if (instruction.op === Op.UGE && (possible < low || low === 0)) return boolean(low === 0);
  if ((instruction.op === Op.EQ || instruction.op === Op.NE) && (low & ~possible) !== 0)
    return boolean(instruction.op === Op.NE);
  return null;
};

/** Rules by op, tried in order. */
export const RULES: Readonly<Record<number, readonly Rule[]>> = {
  [Op.ADD]: [neutral(0), rotation, regroup],
  [Op.SUB]: [neutral(0), subtractConstant],
  [Op.MUL]: [neutral(1), absorbing, byPowerOfTwo, regroup],
  [Op.UDIV]: [neutral(1), byPowerOfTwo],
  [Op.SDIV]: [neutral(1), asUnsigned(Op.UDIV)],
  [Op.SREM]: [asUnsigned(Op.UREM)],
  [Op.SEXT]: [asUnsigned(Op.ZEXT)],
  [Op.ULT]: [compareExtended, rangeRule],
  [Op.ULE]: [compareExtended, rangeRule],
  [Op.UGT]: [compareExtended, rangeRule],
  [Op.UGE]: [compareExtended, rangeRule],
  [Op.SLT]: [compareExtended],
  [Op.SLE]: [compareExtended],
  [Op.SGT]: [compareExtended],
  [Op.SGE]: [compareExtended],
  [Op.UREM]: [byPowerOfTwo],
  [Op.AND]: [absorbing, neutral(-1), same, maskRule, regroup],
  [Op.OR]: [neutral(0), saturating, same, joinMasked, rotation, regroup],
  [Op.XOR]: [neutral(0), cancelled, negatedComparison, rotation, regroup],
  [Op.SHL]: [neutral(0)],
  [Op.LSHR]: [neutral(0)],
  [Op.ASHR]: [neutral(0), asUnsigned(Op.LSHR)],
  [Op.NE]: [compareWidened, compareExtended, rangeRule],
  [Op.EQ]: [compareWidened, compareExtended, rangeRule],
  [Op.SELECT]: [selectRule, logicRule],
  [Op.ADDRESS]: [addressRule],
  [Op.EXTRACT]: [extractRule, laneRule],
  [Op.ROTL]: [neutral(0)],
  [Op.POPCOUNT]: [trailingZeros],
  [Op.BUILD]: [buildRule],
  [Op.SHUFFLE]: [shuffleRule],
  [Op.PERMUTE]: [permuteRule],
  [Op.BITCAST]: [bitcastRule],
  [Op.TRUNC]: [truncRule],
  [Op.UITOFP]: [asSigned],
};
