// SPDX-License-Identifier: Apache-2.0
// divide-by-constant: quotients and remainders of lanes by a constant become products with its reciprocal, of which the
// high half is kept (strength reduction; Granlund and Montgomery, "Division by Invariant Integers using
// Multiplication", PLDI 1994; Warren, Hacker's Delight, chapter 10). Machines divide vectors lane by lane or through
// doubles. Divisions of scalars stay: code generators and engines do the same for them.
//
//   unsigned   x / d  =  umulh(x >> k, m) >> s          where m has no more bits than a lane
//                        (t + ((x - t) >> 1)) >> (s - 1), t = umulh(x, m)     elsewhere
//   signed     x / d  =  (smulh(x, m) [+ x]) >> s, and one more where that is negative
//   remainder  x - x / d * d
//
// Cost: a walk over the instructions; each division becomes at most eight.
import {
  type Block,
  type Constant,
  Instruction,
  type IrFunction,
  Op,
  type Type,
  type Value,
  applyReplacements,
  constantInt,
  listOf,
  replaceLater,
  scalarOf,
} from "@muxkit/ir";

import { isConstant } from "./rule.ts";

/** Lanes of which machines have the high half of a product. */
const LANE_BITS: ReadonlySet<number> = new Set([16, 32]);

/** How lanes are divided by a constant of at least 2: by a product, and shifts before and after it. */
interface UnsignedReciprocal {
  /** The factor, modulo 2^bits. */
  readonly factor: bigint;
  /** True: the factor has one bit more than a lane. */
  readonly isLong: boolean;
  readonly before: number;
  readonly after: number;
}

/** The least exponent of two that gives at least a number. */
function ceilLog2(value: bigint): number {
  return value > 1n ? (value - 1n).toString(2).length : 0;
}

/** Reciprocal of a divisor that is no power of two, for unsigned lanes of so many bits. */
function unsignedReciprocal(divisor: bigint, bits: number): UnsignedReciprocal {
  const whole = 1n << BigInt(bits);
  let before = 0;
  // An odd divisor first; for an even one that needs a long factor, the dividend has as many bits less.
  for (let odd = divisor; ; before++, odd >>= 1n) {
    for (let after = 0; after < bits; after++) {
      const scaled = whole << BigInt(after);
      const factor = (scaled + odd - 1n) / odd;
      if (factor < whole && factor * odd - scaled <= 1n << BigInt(after + before))
        return { factor, isLong: false, before, after };
    }
    if ((odd & 1n) === 1n) break;
  }
  const after = ceilLog2(divisor);
  return { factor: (whole * ((1n << BigInt(after)) - divisor)) / divisor + 1n, isLong: true, before: 0, after };
}

/** Factor, modulo 2^bits, and shift for signed lanes and a divisor that is no power of two. */
function signedReciprocal(divisor: bigint, bits: number): { readonly factor: bigint; readonly after: number } {
  for (let after = 0; ; after++) {
    const scaled = 1n << BigInt(bits + after);
    const factor = scaled / divisor + 1n;
    // The error of the factor, times any dividend, stays below one part of the divisor.
    if (factor * divisor - scaled <= 1n << BigInt(after + 1)) return { factor, after };
  }
}

/** Writes instructions in front of one of a block. */
class Steps {
  readonly list: Instruction[] = [];
  private readonly replaced: Instruction;

  constructor(replaced: Instruction) {
    this.replaced = replaced;
  }

  get type(): Type {
    return this.replaced.type;
  }

  get bits(): number {
    return scalarOf(this.type).bits;
  }

  number(value: bigint): Value {
    return constantInt(this.type, value);
  }

  add(op: number, left: Value, right: Value): Value {
    const made = new Instruction(op, this.type, listOf(left, right), this.replaced.location);
    made.block = this.replaced.block;
    this.list.push(made);
    return made;
  }

  shift(op: number, value: Value, amount: number): Value {
    return amount === 0 ? value : this.add(op, value, this.number(BigInt(amount)));
  }
}

function isPowerOfTwo(value: bigint): boolean {
  return (value & (value - 1n)) === 0n;
}

function unsignedQuotient(steps: Steps, x: Value, divisor: bigint): Value {
  if (isPowerOfTwo(divisor)) return steps.shift(Op.LSHR, x, ceilLog2(divisor));
  const { factor, isLong, before, after } = unsignedReciprocal(divisor, steps.bits);
  const high = steps.add(Op.UMULH, steps.shift(Op.LSHR, x, before), steps.number(factor));
  if (!isLong) return steps.shift(Op.LSHR, high, after);
  const rest = steps.shift(Op.LSHR, steps.add(Op.SUB, x, high), 1);
  return steps.shift(Op.LSHR, steps.add(Op.ADD, rest, high), after - 1);
}

function signedQuotient(steps: Steps, x: Value, divisor: bigint): Value {
  const { bits } = steps;
  const size = divisor < 0n ? -divisor : divisor;
  let quotient: Value;
  if (isPowerOfTwo(size)) {
    // Negative dividends are rounded towards zero.
    const places = ceilLog2(size);
    const sign = steps.shift(Op.ASHR, x, bits - 1);
    const bias = places === 0 ? null : steps.shift(Op.LSHR, sign, bits - places);
    quotient = bias === null ? x : steps.shift(Op.ASHR, steps.add(Op.ADD, x, bias), places);
  } else {
    const { factor, after } = signedReciprocal(size, bits);
    let high = steps.add(Op.SMULH, x, steps.number(factor));
    // As a signed number the factor is 2^bits less.
    if (factor >> BigInt(bits - 1) === 1n) high = steps.add(Op.ADD, high, x);
    quotient = steps.add(Op.SUB, steps.shift(Op.ASHR, high, after), steps.shift(Op.ASHR, x, bits - 1));
  }
  return divisor < 0n ? steps.add(Op.SUB, steps.number(0n), quotient) : quotient;
}

/** The one number that lanes are divided by; null: there are several, or it is zero. */
function divisorOf({ op, operands, type }: Instruction): bigint | null {
  const [, divisor] = operands;
  if (!isConstant(divisor) || type.kind !== "vector" || !LANE_BITS.has(scalarOf(type).bits)) return null;
  const [first, ...rest]: readonly Constant[] = divisor.lanes;
  if (first === undefined || rest.some((lane) => lane !== first)) return null;
  const { bits } = scalarOf(type);
  const isSigned = op === Op.SDIV || op === Op.SREM;
  const number = isSigned ? BigInt.asIntN(bits, BigInt(first.low)) : BigInt.asUintN(bits, BigInt(first.low));
  return number === 0n ? null : number;
}

/** The steps that compute a division by a constant, the result last; null: it is none. */
function reduced(instruction: Instruction): { readonly steps: Steps; readonly result: Value } | null {
  const { op, operands } = instruction;
  const [x] = operands;
  if (x === undefined || (op !== Op.UDIV && op !== Op.UREM && op !== Op.SDIV && op !== Op.SREM)) return null;
  const divisor = divisorOf(instruction);
  if (divisor === null) return null;
  const steps = new Steps(instruction);
  const isSigned = op === Op.SDIV || op === Op.SREM;
  const quotient = isSigned ? signedQuotient(steps, x, divisor) : unsignedQuotient(steps, x, divisor);
  if (op === Op.UDIV || op === Op.SDIV) return { steps, result: quotient };
  const product = steps.add(Op.MUL, quotient, steps.number(divisor));
  return { steps, result: steps.add(Op.SUB, x, product) };
}

function reduceBlock(block: Block): boolean {
  let changed = false;
  block.instructions = block.instructions.flatMap((instruction) => {
    const made = reduced(instruction);
    if (made === null) return instruction;
    changed = true;
    replaceLater(instruction, made.result);
    return made.steps.list;
  });
  return changed;
}

/** Multiplies lanes by reciprocals where they are divided by constants. */
export function divideByConstant(fn: IrFunction): boolean {
  let changed = false;
  for (const block of fn.blocks) changed = reduceBlock(block) || changed;
  if (changed) applyReplacements(fn);
  return changed;
}
