// SPDX-License-Identifier: Apache-2.0
// One assumption about the lanes of an instruction, and which instructions are candidates for one: a table by op. Each
// takes an operand in steps (lane 0 + i * stride) and, mostly, a uniform one; the claim says what the result is then.
import {
  type Block,
  type Constant,
  type Instruction,
  Op,
  type Type,
  type Value,
  hasEffect,
  isPointer,
} from "@muxkit/ir";
import { addressType } from "@muxkit/machine-target";

import type { Divergence } from "./divergence.ts";
import { MOST_ZEROS, type Shape, UNIFORM, differingBits } from "./shape.ts";

/**
 * What is assumed of an instruction.
 *
 * - `bound`: all lanes are on one side of a uniform bound
 * - `apart`: no lane is equal to a uniform value
 * - `parallel`: both operands have one stride, and no lane wraps around: all compare as lane 0 does
 * - `clamp`: the uniform operand of a minimum or maximum changes nothing
 * - `kept`, `cleared`: the uniform operand has ones, or zeros, in all bits in which lanes differ
 * - `shifted`: all bits in which lanes differ are shifted out
 * - `row`: all lanes have one quotient
 * - `plain`: no lane wraps around, so that a wider integer has the same steps
 * - `chosen`: the condition of a selection has one value, which other assumptions determine
 */
export type Claim =
  | "bound"
  | "apart"
  | "parallel"
  | "clamp"
  | "kept"
  | "cleared"
  | "shifted"
  | "row"
  | "plain"
  | "chosen";

/** One assumption. */
export interface Assumption {
  readonly instruction: Instruction;
  readonly claim: Claim;
  /** The operand that differs from lane to lane, and its stride. */
  readonly moving: Value;
  readonly stride: number;
  /** The other operand, uniform but for `parallel`. */
  readonly fixed: Value;
  /** Low bits of the moving operand's lane 0 that are zero. */
  readonly zeros: number;
  /** The shape of the result. */
  readonly shape: Shape;
}

/** Where candidates are looked for. */
export interface CandidateFrame {
  readonly divergence: Divergence;
  readonly width: number;
  readonly users: ReadonlyMap<Value, readonly Instruction[]>;
  /** What is assumed so far. */
  readonly known: ReadonlyMap<Instruction, Assumption>;
  /** Says that a condition has this value; false: it was said to have the other one. */
  readonly decide: (condition: Instruction, value: boolean) => boolean;
}

type Find = (instruction: Instruction, block: Block, frame: CandidateFrame) => Assumption | null;

/** An instruction with one operand in steps and a uniform one. */
type Pair = Omit<Assumption, "claim" | "shape">;

function pairOf(instruction: Instruction, block: Block, { divergence }: CandidateFrame): Pair | null {
  const [left, right] = instruction.operands;
  if (left === undefined || right === undefined || left.type !== addressType(divergence)) return null;
  const isLeft = divergence.shapeAt(left, block) !== 0;
  const [moving, fixed] = isLeft ? [left, right] : [right, left];
  const stride = divergence.shapeAt(moving, block);
  if (divergence.shapeAt(fixed, block) !== 0 || stride === null || stride === 0) return null;
  return { instruction, moving, stride, fixed, zeros: divergence.lowZeros(moving) };
}

/** Ordered comparisons: with a uniform bound, or of two operands in the same steps. */
const findOrder: Find = (instruction, block, frame) => {
  const pair = pairOf(instruction, block, frame);
  if (pair !== null) return { ...pair, claim: "bound", shape: UNIFORM };
  const [moving, fixed] = instruction.operands;
  if (moving === undefined || fixed === undefined || moving.type !== addressType(frame.divergence)) return null;
  const stride = frame.divergence.shapeAt(moving, block);
  return stride === null || stride === 0 || stride !== frame.divergence.shapeAt(fixed, block)
    ? null
    : { instruction, claim: "parallel", moving, stride, fixed, zeros: 0, shape: UNIFORM };
};

const findEquality: Find = (instruction, block, frame) => {
  const pair = pairOf(instruction, block, frame);
  return pair === null ? null : { ...pair, claim: "apart", shape: UNIFORM };
};

const findClamp: Find = (instruction, block, frame) => {
  const pair = pairOf(instruction, block, frame);
  return pair === null ? null : { ...pair, claim: "clamp", shape: pair.stride };
};

/** The bits in which lanes differ at least: those of a lane 0 whose bits there are zero. */
function leastBits({ stride }: Pair, { width }: CandidateFrame): number {
  return differingBits(Math.abs(stride), width, MOST_ZEROS) ?? 0;
}

function isMinusOne(value: Value): value is Constant {
  return value.kind === "constant" && (value.low | 0) === -1;
}

/** The claim that a mask looks made for; null: nothing is known of it. */
function likelyClaim(mask: Value, least: number): "kept" | "cleared" | null {
  if (mask.kind === "constant")
    return (mask.low & least) === least ? "kept" : (mask.low & least) === 0 ? "cleared" : null;
  if (mask.kind !== "instruction") return null;
  const { op, operands } = mask;
  const [left, right] = operands;
  if (left === undefined || right === undefined) return null;
  // `n - 1`, of a power of two.
  if (op === Op.ADD && (isMinusOne(right) || isMinusOne(left))) return "kept";
  if (op === Op.SUB && right.kind === "constant" && right.low === 1) return "kept";
  if (op === Op.LSHR && isMinusOne(left)) return "kept";
  // `-n`, `1 << n`, `-1 << n`.
  if (op === Op.SUB && left.kind === "constant" && left.low === 0) return "cleared";
  if (op === Op.SHL) return "cleared";
  if (op !== Op.XOR || !(isMinusOne(right) || isMinusOne(left))) return null;
  return (likelyClaim(isMinusOne(right) ? left : right, least) ?? "kept") === "kept" ? "cleared" : "kept";
}

/** True when a value is only compared with 0: a test of bits. */
function isBitTest(value: Instruction, { users }: CandidateFrame): boolean {
  const list = users.get(value) ?? [];
  return list.every(
    ({ op, operands }) =>
      (op === Op.EQ || op === Op.NE) && operands.some((operand) => operand.kind === "constant" && operand.low === 0),
  );
}

const findAnd: Find = (instruction, block, frame) => {
  const pair = pairOf(instruction, block, frame);
  if (pair === null || !matters(instruction, frame)) return null;
  const claim = likelyClaim(pair.fixed, leastBits(pair, frame));
  // No lanes agree on a constant that has both ones and zeros there.
  if (claim === null && pair.fixed.kind === "constant") return null;
  const isCleared = claim === null ? isBitTest(instruction, frame) : claim === "cleared";
  return isCleared ? { ...pair, claim: "cleared", shape: UNIFORM } : { ...pair, claim: "kept", shape: pair.stride };
};

/** Where lanes differ in no bit that is set or flipped, they keep their steps. */
const findOr: Find = (instruction, block, frame) => {
  const pair = pairOf(instruction, block, frame);
  if (pair === null || !matters(instruction, frame)) return null;
  const isPossible = pair.fixed.kind !== "constant" || (pair.fixed.low & leastBits(pair, frame)) === 0;
  return isPossible ? { ...pair, claim: "cleared", shape: pair.stride } : null;
};

const findShift: Find = (instruction, block, frame) => {
  const pair = pairOf(instruction, block, frame);
  if (pair === null || pair.moving !== instruction.operands[0] || !matters(instruction, frame)) return null;
  const { fixed } = pair;
  const isPossible = fixed.kind !== "constant" || leastBits(pair, frame) >>> (fixed.low & 31) === 0;
  return isPossible ? { ...pair, claim: "shifted", shape: UNIFORM } : null;
};

const findDivision: Find = (instruction, block, frame) => {
  const pair = pairOf(instruction, block, frame);
  if (pair === null || pair.moving !== instruction.operands[0] || pair.stride < 0) return null;
  const { fixed, stride } = pair;
  const span = stride * (frame.width - 1);
  if (fixed.kind === "constant" && ((fixed.low | 0) <= span || fixed.low === 0)) return null;
  const isQuotient = instruction.op === Op.UDIV || instruction.op === Op.SDIV;
  return { ...pair, claim: "row", shape: isQuotient ? UNIFORM : stride };
};

const findWidening: Find = (instruction, block, { divergence }) => {
  const [moving] = instruction.operands;
  if (moving === undefined || moving.type !== addressType(divergence)) return null;
  const stride = divergence.shapeAt(moving, block);
  return stride === null || stride === 0
    ? null
    : { instruction, claim: "plain", moving, stride, fixed: moving, zeros: 0, shape: stride };
};

/**
 * A selection between values of different steps, as neighbours beyond an edge are written: the condition has the value
 * that takes the one in steps.
 */
const findSelection: Find = (instruction, block, frame) => {
  const { divergence, known, decide } = frame;
  const [condition, whenTrue, whenFalse] = instruction.operands;
  if (condition?.kind !== "instruction" || whenTrue === undefined || whenFalse === undefined) return null;
  const claim = known.get(condition)?.claim;
  if ((claim !== "bound" && claim !== "apart") || !matters(instruction, frame)) return null;
  const [left, right] = [divergence.shapeAt(whenTrue, block), divergence.shapeAt(whenFalse, block)];
  if (left === null || right === null) return null;
  const isTrue = claim === "apart" ? condition.op === Op.NE : left > right;
  if (claim === "bound" && !decide(condition, isTrue)) return null;
  const shape = isTrue ? left : right;
  return { instruction, claim: "chosen", moving: condition, stride: 0, fixed: condition, zeros: 0, shape };
};

const FINDS: Readonly<Record<number, Find>> = {
  [Op.ULT]: findOrder,
  [Op.ULE]: findOrder,
  [Op.UGT]: findOrder,
  [Op.UGE]: findOrder,
  [Op.SLT]: findOrder,
  [Op.SLE]: findOrder,
  [Op.SGT]: findOrder,
  [Op.SGE]: findOrder,
  [Op.EQ]: findEquality,
  [Op.NE]: findEquality,
  [Op.SMIN]: findClamp,
  [Op.SMAX]: findClamp,
  [Op.UMIN]: findClamp,
  [Op.UMAX]: findClamp,
  [Op.AND]: findAnd,
  [Op.OR]: findOr,
  [Op.XOR]: findOr,
  [Op.LSHR]: findShift,
  [Op.ASHR]: findShift,
  [Op.UDIV]: findDivision,
  [Op.UREM]: findDivision,
  [Op.SDIV]: findDivision,
  [Op.SREM]: findDivision,
  [Op.ZEXT]: findWidening,
  [Op.SEXT]: findWidening,
  [Op.SELECT]: findSelection,
};

/** Instructions of a function that may be assumed, in the order of its blocks. */
export function candidates(frame: CandidateFrame): Assumption[] {
  const { divergence, known } = frame;
  const found: Assumption[] = [];
  for (const block of divergence.fn.blocks) {
    for (const instruction of block.instructions) {
      if (known.has(instruction) || divergence.shapeOf(instruction) !== null) continue;
      const one = FINDS[instruction.op]?.(instruction, block, frame) ?? null;
      if (one !== null) found.push(one);
    }
  }
  return found;
}

/** True for what addresses and branches are made of. */
function isIndex(type: Type): boolean {
  return (type.kind === "int" && type.bits > 1) || isPointer(type);
}

/**
 * True when a value decides addresses or conditions. What only becomes data is one vector instruction, and a test would
 * gain nothing.
 */
function matters(value: Instruction, { users }: CandidateFrame): boolean {
  const seen = new Set<Value>();
  const work: Value[] = [value];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    for (const user of users.get(next) ?? []) {
      const isCondition = user.isTerminator && user.op !== Op.RET && user.operands.includes(next);
      if (user.op === Op.ADDRESS || user.type.bits === 1 || isCondition) return true;
      if (hasEffect(user.op, "s") && isIndex(user.type)) work.push(user);
      user.successors.forEach((target, edge) =>
        user.successorArguments[edge]?.forEach((given, i) => {
          const parameter = target.parameters[i];
          if (given === next && parameter !== undefined) work.push(parameter);
        }),
      );
    }
  }
  return false;
}
