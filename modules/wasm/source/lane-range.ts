// SPDX-License-Identifier: Apache-2.0
// Between which numbers the lanes of an int vector are, as far as few steps back in SSA tell: shifts, masks, bounds and
// extensions. Numbers are signed. Cost: at most 2^DEEPEST steps for a value.
import { type Constant, Op, type Value, constantLane, scalarOf, signedValue } from "@muxkit/ir";

/** Least and greatest number, both included. */
export interface LaneRange {
  readonly low: number;
  readonly high: number;
}

const DEEPEST = 4;

const union = (a: LaneRange, b: LaneRange): LaneRange => ({
  low: Math.min(a.low, b.low),
  high: Math.max(a.high, b.high),
});

function all(bits: number): LaneRange {
  return { low: -(2 ** (bits - 1)), high: 2 ** (bits - 1) - 1 };
}

function rangeOfConstant(constant: Constant): LaneRange {
  let [low, high] = [Infinity, -Infinity];
  for (let lane = 0; lane < constant.type.count; lane++) {
    const number = signedValue(constantLane(constant, lane));
    [low, high] = [Math.min(low, number), Math.max(high, number)];
  }
  return { low, high };
}

/** The numbers that the lanes of a vector of ints of at most 32 bits may be. */
export function laneRange(value: Value, depth: number = 0): LaneRange {
  const { bits } = scalarOf(value.type);
  const whole = all(bits);
  if (value.kind === "constant") return rangeOfConstant(value);
  if (value.kind !== "instruction" || depth === DEEPEST) return whole;
  const of = (index: number): LaneRange => {
    const operand = value.operands[index];
    return operand === undefined ? whole : laneRange(operand, depth + 1);
  };
  const from = scalarOf(value.operands[0]?.type ?? value.type);
  switch (value.op) {
    case Op.ZEXT:
      return { low: 0, high: 2 ** from.bits - 1 };
    case Op.SEXT:
      return all(from.bits);
    case Op.AND: {
      const limits = [of(0), of(1)].filter(({ low }) => low >= 0).map(({ high }) => high);
      return limits.length === 0 ? whole : { low: 0, high: Math.min(...limits) };
    }
    case Op.LSHR:
    case Op.ASHR: {
      const [a, by] = [of(0), of(1)];
      // One amount for all lanes; it is taken modulo the bits.
      if (by.low !== by.high || by.low <= 0 || by.low >= bits) return whole;
      const [low, high] = [Math.floor(a.low / 2 ** by.low), Math.floor(a.high / 2 ** by.low)];
      return value.op === Op.LSHR && a.low < 0 ? { low: 0, high: 2 ** (bits - by.low) - 1 } : { low, high };
    }
    case Op.SMIN:
      return { low: Math.min(of(0).low, of(1).low), high: Math.min(of(0).high, of(1).high) };
    case Op.SMAX:
      return { low: Math.max(of(0).low, of(1).low), high: Math.max(of(0).high, of(1).high) };
    case Op.UMIN: {
      const limits = [of(0), of(1)].filter(({ low }) => low >= 0).map(({ high }) => high);
      return limits.length === 0 ? whole : { low: 0, high: Math.min(...limits) };
    }
    case Op.SELECT:
      return union(of(1), of(2));
    default:
      return whole;
  }
}
