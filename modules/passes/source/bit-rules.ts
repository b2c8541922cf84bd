// SPDX-License-Identifier: Apache-2.0
// Peephole rules of idioms that C writes for operations on bits which machines have (Warren, Hacker's Delight):
//
//   popcount((x & -x) - 1), popcount(~x & (x - 1))   trailing zeros
//   (x << n) | (x >> (bits - n))                     rotations; also with + and ^ where n is not 0
import { type Constant, Op, type Value, constantInt, copyOf, evaluate, listOf, scalarOf } from "@muxkit/ir";

import { type Rule, defined, isConstant, isInt, operand } from "./rule.ts";

/** The value whose complement is computed. */
function complemented(value: Value | undefined): Value | undefined {
  const inverted = defined(value, Op.XOR);
  return inverted !== null && isInt(operand(inverted, 1), -1) ? operand(inverted, 0) : undefined;
}

/** The value that is negated. */
function negation(value: Value | undefined): Value | undefined {
  const difference = defined(value, Op.SUB);
  return difference !== null && isInt(operand(difference, 0), 0) ? operand(difference, 1) : undefined;
}

/** The value that one is subtracted from, in canonical form. */
function decremented(value: Value | undefined): Value | undefined {
  const sum = defined(value, Op.ADD);
  return sum !== null && isInt(operand(sum, 1), -1) ? operand(sum, 0) : undefined;
}

/**
 * The set bits of (x & -x) - 1 and of ~x & (x - 1) are the trailing zeros of x, of 0 all (Warren, Hacker's Delight,
 * section 5-4).
 */
export const trailingZeros: Rule = (instruction) => {
  const bits = operand(instruction, 0);
  const [lowest, below] = [defined(decremented(bits), Op.AND), defined(bits, Op.AND)];
  for (const at of [0, 1]) {
    const counted =
      (lowest !== null && negation(operand(lowest, at)) === operand(lowest, 1 - at) && operand(lowest, 1 - at)) ||
      (below !== null &&
        complemented(operand(below, at)) === decremented(operand(below, 1 - at)) &&
        complemented(operand(below, at)));
    if (counted === undefined || counted === false) continue;
    instruction.op = Op.CTZ;
    instruction.operands = listOf<Value>(counted);
    return instruction;
  }
  return null;
};

/** Amount of lanes' bits that is taken modulo their number: zero where a shift by it is none. */
function modulo(amount: Constant): Constant | null {
  return evaluate(Op.AND, amount.type, [amount, constantInt(amount.type, scalarOf(amount.type).bits - 1)]);
}

/** How two amounts of shifts add up to a whole turn: `always`, unless both are none (`or none`), or not known: null. */
function wholeTurn(left: Value | undefined, right: Value | undefined): "always" | "or none" | null {
  if (isConstant(left) && isConstant(right)) {
    const sum = evaluate(Op.ADD, left.type, [left, right]);
    if (sum === null || !isInt(modulo(sum) ?? undefined, 0)) return null;
    const shifts = modulo(left);
    return shifts !== null && [shifts, ...shifts.lanes].every(({ low, lanes }) => low !== 0 || lanes.length > 0)
      ? "always"
      : "or none";
  }
  for (const [amount, other] of [
    [left, right],
    [right, left],
  ]) {
    const rest = defined(amount, Op.SUB);
    const whole = rest === null ? undefined : operand(rest, 0);
    if (rest !== null && operand(rest, 1) === other && isConstant(whole) && isInt(modulo(whole) ?? undefined, 0))
      return "or none";
  }
  return null;
}

/** (x << n) | (x >> (bits - n)) is a rotation; so is the sum of the two, or their exclusive or, unless n may be 0. */
export const rotation: Rule = (instruction) => {
  for (const at of [0, 1]) {
    const up = defined(operand(instruction, at), Op.SHL);
    const down = defined(operand(instruction, 1 - at), Op.LSHR);
    if (up === null || down === null || operand(up, 0) !== operand(down, 0)) continue;
    const turn = wholeTurn(operand(up, 1), operand(down, 1));
    if (turn === null || (turn === "or none" && instruction.op !== Op.OR)) continue;
    instruction.op = Op.ROTL;
    instruction.operands = copyOf(up.operands);
    instruction.flags = 0;
    return instruction;
  }
  return null;
};
