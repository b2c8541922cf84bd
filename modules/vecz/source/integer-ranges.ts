// SPDX-License-Identifier: Apache-2.0
// Value range analysis of 32-bit integers: the least and greatest number that each instruction can give, by one forward
// walk over SSA (Harrison 1977; LLVM: LazyValueInfo, ConstantRange). Block parameters are unknown, so one walk is
// enough and no widening is needed: C's promotions of bytes and shorts are what it is for.
import {
  type Constant,
  type Instruction,
  type IrFunction,
  Op,
  type Value,
  reversePostorder,
  scalarOf,
  signedValue,
} from "@muxkit/ir";

/** Least and greatest number, signed, both included. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

const LEAST = -(2 ** 31);
const GREATEST = 2 ** 31 - 1;
/** Nothing is known. */
export const WHOLE: Range = { low: LEAST, high: GREATEST };

function range(low: number, high: number): Range {
  // A result that may wrap around can be anything.
  return low < LEAST || high > GREATEST ? WHOLE : { low, high };
}

/** Bits from the lowest up to the highest that numbers from 0 to `high` set. */
export function unsignedBits(high: number): number {
  return 32 - Math.clz32(high);
}

/** Bits that the numbers of a range need: no sign bit when none is negative. */
export function bitsOf({ low, high }: Range): number {
  return low >= 0 ? unsignedBits(high) : 1 + Math.max(unsignedBits(high), unsignedBits(-1 - low));
}

/** Bits that the numbers of a range need including a sign bit. */
export function signedBits(of: Range): number {
  return of.low >= 0 ? 1 + unsignedBits(of.high) : bitsOf(of);
}

/** True for a 32-bit integer or a vector of them. */
export function isInt32({ type }: Value): boolean {
  const scalar = scalarOf(type);
  return scalar.kind === "int" && scalar.bits === 32;
}

/** The amount of a shift; -1: unknown, or not the same for all lanes. */
export function shiftAmount(amount: Value | undefined): number {
  if (amount?.kind !== "constant") return -1;
  const [first = amount] = amount.lanes;
  return amount.lanes.every((lane) => lane === first) ? first.low & 31 : -1;
}

function rangeOfConstant(constant: Constant): Range {
  const numbers = constant.lanes.length === 0 ? [signedValue(constant)] : constant.lanes.map(signedValue);
  return { low: Math.min(...numbers), high: Math.max(...numbers) };
}

type Rule = (a: Range, b: Range, instruction: Instruction, rangeOf: (value: Value | undefined) => Range) => Range;

const union = (a: Range, b: Range): Range => ({ low: Math.min(a.low, b.low), high: Math.max(a.high, b.high) });
const first: Rule = (a) => a;

function extended(instruction: Instruction, isSigned: boolean): Range {
  const bits = scalarOf(instruction.operands[0]?.type ?? instruction.type).bits;
  if (bits > 31) return WHOLE;
  return isSigned ? { low: -(2 ** (bits - 1)), high: 2 ** (bits - 1) - 1 } : { low: 0, high: 2 ** bits - 1 };
}

/** True for 0 - x of an x. */
function isNegated(value: Value | undefined, of: Value | undefined): boolean {
  return (
    value?.kind === "instruction" &&
    value.op === Op.SUB &&
    value.operands[1] === of &&
    value.operands[0]?.kind === "constant" &&
    bitsOf(rangeOfConstant(value.operands[0])) === 0
  );
}

/** True for x and -x, one of which is |x|; the least number has no opposite. */
function isMagnitude(a: Range, left: Value | undefined, right: Value | undefined): boolean {
  return a.low > LEAST && (isNegated(right, left) || isNegated(left, right));
}

function shifted(a: Range, instruction: Instruction, op: (number: number, by: number) => number): Range {
  const by = shiftAmount(instruction.operands[1]);
  return by < 0 ? WHOLE : range(op(a.low, by), op(a.high, by));
}

const allBits = (a: Range, b: Range): Range =>
  a.low >= 0 && b.low >= 0 ? { low: 0, high: 2 ** unsignedBits(Math.max(a.high, b.high)) - 1 } : WHOLE;

const RULES: Readonly<Record<number, Rule>> = {
  [Op.ZEXT]: (_a, _b, instruction) => extended(instruction, false),
  [Op.SEXT]: (_a, _b, instruction) => extended(instruction, true),
  [Op.ADD]: (a, b) => range(a.low + b.low, a.high + b.high),
  [Op.SUB]: (a, b) => range(a.low - b.high, a.high - b.low),
  [Op.MUL]: (a, b) => {
    const products = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high];
    return range(Math.min(...products), Math.max(...products));
  },
  [Op.SHL]: (a, _b, instruction) => shifted(a, instruction, (number, by) => number * 2 ** by),
  [Op.ASHR]: (a, _b, instruction) => shifted(a, instruction, (number, by) => number >> by),
  [Op.LSHR]: (a, _b, instruction) => {
    const by = shiftAmount(instruction.operands[1]);
    if (a.low >= 0) return shifted(a, instruction, (number, amount) => number >> amount);
    return by < 1 ? WHOLE : { low: 0, high: 2 ** (32 - by) - 1 };
  },
  [Op.AND]: (a, b) => {
    const limits = [a, b].filter(({ low }) => low >= 0).map(({ high }) => high);
    return limits.length === 0 ? WHOLE : { low: 0, high: Math.min(...limits) };
  },
  [Op.OR]: allBits,
  [Op.XOR]: allBits,
  [Op.SMIN]: (a, b) => ({ low: Math.min(a.low, b.low), high: Math.min(a.high, b.high) }),
  [Op.SMAX]: (a, b, { operands: [left, right] }) => ({
    low: Math.max(a.low, b.low, isMagnitude(a, left, right) ? 0 : LEAST),
    high: Math.max(a.high, b.high),
  }),
  [Op.UMIN]: (a, b, { operands: [left, right] }) => {
    if (isMagnitude(a, left, right)) return { low: 0, high: Math.max(a.high, b.high) };
    const limits = [a, b].filter(({ low }) => low >= 0);
    return limits.length === 0
      ? union(a, b)
      : { low: limits.length === 2 ? Math.min(a.low, b.low) : 0, high: Math.min(...limits.map(({ high }) => high)) };
  },
  [Op.UMAX]: (a, b) =>
    a.low >= 0 && b.low >= 0 ? { low: Math.max(a.low, b.low), high: Math.max(a.high, b.high) } : union(a, b),
  [Op.SELECT]: (_a, b, { operands }, rangeOf) => union(b, rangeOf(operands[2])),
  [Op.EXTRACT]: first,
  [Op.PERMUTE]: first,
  [Op.SPLAT]: first,
  // A shuffle fills lanes without a source with 0.
  [Op.SHUFFLE]: (a, b) => union(union(a, b), { low: 0, high: 0 }),
  [Op.BUILD]: (_a, _b, { operands }, rangeOf) => operands.map(rangeOf).reduce(union),
};

/** The range of any value, by the result of {@link integerRanges}. */
export function rangeIn(known: ReadonlyMap<Value, Range>, value: Value | undefined): Range {
  return value?.kind === "constant" && isInt32(value)
    ? rangeOfConstant(value)
    : (value !== undefined && known.get(value)) || WHOLE;
}

/** Ranges of the results of a function's 32-bit instructions; an instruction without an entry can be anything. */
export function integerRanges(fn: IrFunction): ReadonlyMap<Value, Range> {
  const known = new Map<Value, Range>();
  const rangeOf = (value: Value | undefined): Range => rangeIn(known, value);
  for (const block of reversePostorder(fn)) {
    for (const instruction of block.instructions) {
      const rule = RULES[instruction.op];
      if (rule === undefined || !isInt32(instruction)) continue;
      const found = rule(rangeOf(instruction.operands[0]), rangeOf(instruction.operands[1]), instruction, rangeOf);
      if (found.low !== LEAST || found.high !== GREATEST) known.set(instruction, found);
    }
  }
  return known;
}
