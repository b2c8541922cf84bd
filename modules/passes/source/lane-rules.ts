// SPDX-License-Identifier: Apache-2.0
// Peephole rules of vectors: `extract` through the op that made the vector, `build` of extracted lanes as `shuffle`,
// shuffles of shuffles, permutations by constants.
import {
  type Constant,
  I32,
  type Instruction,
  OPS,
  Op,
  type OpRule,
  type Value,
  constantInt,
  constantLane,
  constantZero,
  evaluate,
  listOf,
  permutedLane,
  scalarOf,
} from "@muxkit/ir";

import { type Rule, isConstant, operand } from "./rule.ts";

/** extract of a shuffle is an extract of one of its operands. */
function extractOfShuffle(instruction: Instruction, { lanes, operands }: Instruction, index: Constant): Value | null {
  const [left, right] = operands;
  if (left === undefined || right === undefined) return null;
  const lane = lanes[index.low % lanes.length] ?? -1;
  if (lane < 0) return constantZero(instruction.type);
  const { count } = left.type;
  instruction.operands = listOf<Value>(lane < count ? left : right, constantInt(I32, lane % count));
  return instruction;
}

/** extract of a build, splat, insert or shuffle. */
export const extractRule: Rule = (instruction) => {
  const [vector, index] = instruction.operands;
  if (vector === undefined || vector.kind !== "instruction" || !isConstant(index)) return null;
  if (vector.op === Op.SPLAT) return operand(vector, 0) ?? null;
  if (vector.op === Op.BUILD) return operand(vector, index.low % vector.operands.length) ?? null;
  if (vector.op === Op.SHUFFLE) return extractOfShuffle(instruction, vector, index);
  if (vector.op === Op.INSERT) {
    const at = operand(vector, 2);
    if (!isConstant(at)) return null;
    if (at.low % vector.type.count === index.low % vector.type.count) return operand(vector, 1) ?? null;
    const rest = operand(vector, 0);
    if (rest === undefined) return null;
    instruction.operands = listOf<Value>(rest, index);
    return instruction;
  }
  return null;
};

/** Typing rules of the ops that compute each lane from the same lanes of their operands. */
const LANE_BY_LANE: ReadonlySet<OpRule> = new Set([
  "unary-int",
  "unary-float",
  "binary-int",
  "binary-float",
  "shift",
  "compare-int",
  "compare-float",
  "convert",
]);
/** Ops that are too expensive to repeat for one lane while the vector may be needed too. */
const COSTLY: ReadonlySet<number> = new Set([Op.SDIV, Op.UDIV, Op.SREM, Op.UREM, Op.FDIV, Op.FREM, Op.FSQRT]);

/** The scalar that a lane of a vector was made from; null: there is none. */
function laneOf(vector: Value, index: Constant): Value | null {
  if (vector.type.kind !== "vector") return null;
  if (isConstant(vector)) return evaluate(Op.EXTRACT, scalarOf(vector.type), [vector, index]);
  if (vector.kind !== "instruction") return null;
  if (vector.op === Op.SPLAT) return operand(vector, 0) ?? null;
  return vector.op === Op.BUILD ? (operand(vector, index.low % vector.operands.length) ?? null) : null;
}

/** extract of a lane-wise op whose operands' lanes exist as scalars becomes the scalar op. */
export const laneRule: Rule = (instruction) => {
  const [vector, index] = instruction.operands;
  if (
    vector === undefined ||
    vector.kind !== "instruction" ||
    !isConstant(index) ||
    COSTLY.has(vector.op) ||
    !LANE_BY_LANE.has(OPS[vector.op]?.rule ?? "build")
  )
    return null;
  const lanes: Value[] = [];
  for (const whole of vector.operands) {
    const lane = laneOf(whole, index);
    if (lane === null) return null;
    lanes.push(lane);
  }
  instruction.op = vector.op;
  instruction.operands = lanes;
  instruction.flags = vector.flags;
  return instruction;
};

/** The lane of a vector that an operand of a build extracts; null: it is none. Zero counts as lane -1. */
function laneTaken(value: Value): { readonly vector: Value | null; readonly lane: number } | null {
  if (isConstant(value)) return value === constantZero(value.type) ? { vector: null, lane: -1 } : null;
  if (value.kind !== "instruction" || value.op !== Op.EXTRACT) return null;
  const [vector, index] = value.operands;
  return vector === undefined || !isConstant(index) ? null : { vector, lane: index.low % vector.type.count };
}

/** build of lanes of one or two vectors of one type is a shuffle of them, or one of them. Not for masks. */
export const buildRule: Rule = (instruction) => {
  const { operands, type } = instruction;
  if (scalarOf(type).bits === 1) return null;
  const sources: Value[] = [];
  const lanes: number[] = [];
  for (const value of operands) {
    const taken = laneTaken(value);
    if (taken === null) return null;
    const { vector, lane } = taken;
    if (vector !== null && !sources.includes(vector)) sources.push(vector);
    lanes.push(vector === null ? -1 : sources.indexOf(vector) * vector.type.count + lane);
  }
  const [left, right = left] = sources;
  // A single lane is a splat or a lane among zeros: there are better instructions for those.
  if (
    left === undefined ||
    right === undefined ||
    sources.length > 2 ||
    left.type !== right.type ||
    new Set(lanes.filter((lane) => lane >= 0)).size < 2
  )
    return null;
  if (left.type === type && lanes.every((lane, i) => lane === i)) return left;
  instruction.op = Op.SHUFFLE;
  instruction.operands = listOf<Value>(left, right);
  instruction.lanes = lanes;
  return instruction;
};

/** Where a lane of a part of a vector comes from: a shuffle that takes fewer lanes than its operands have. */
function laneOfPart(part: Value, lane: number): { readonly vector: Value; readonly lane: number } | null {
  if (part.kind !== "instruction" || part.op !== Op.SHUFFLE) return { vector: part, lane };
  const [first, second] = part.operands;
  if (first === undefined || second === undefined || part.lanes.length >= first.type.count)
    return { vector: part, lane };
  const { count } = first.type;
  const taken = part.lanes[lane] ?? -1;
  return taken < 0 ? null : { vector: taken < count ? first : second, lane: taken % count };
}

/**
 * shuffle that joins parts of one or two vectors of one type takes its lanes from the vectors. Other shuffles of two
 * shuffles are kept: several steps of a transposition are cheaper than the one that they are together.
 */
function shuffleOfParts(instruction: Instruction, left: Value, right: Value): Value | null {
  const { count } = left.type;
  const sources: Value[] = [];
  const lanes = instruction.lanes.map((lane) => {
    const taken = lane < 0 ? null : laneOfPart(lane < count ? left : right, lane % count);
    if (taken === null) return -1;
    if (!sources.includes(taken.vector)) sources.push(taken.vector);
    return sources.indexOf(taken.vector) * taken.vector.type.count + taken.lane;
  });
  const [first, second = first] = sources;
  if (first === undefined || second === undefined || sources.length > 2 || first.type !== second.type) return null;
  if (sources.includes(left) || sources.includes(right)) return null;
  instruction.operands = listOf<Value>(first, second);
  instruction.lanes = lanes;
  return instruction;
}

/** shuffle of a shuffle takes its lanes from the inner operands. */
export const shuffleRule: Rule = (instruction) => {
  const { lanes, type } = instruction;
  const [left, right] = instruction.operands;
  if (left === undefined || right === undefined) return null;
  if (left.type === type && lanes.every((lane, i) => lane === i)) return left;
  const { count } = left.type;
  const isOfLeft = lanes.every((lane) => lane < count);
  if (!isOfLeft && left !== right && lanes.some((lane) => lane >= 0 && lane < count))
    return shuffleOfParts(instruction, left, right);
  const inner = isOfLeft ? left : right;
  if (inner.kind !== "instruction" || inner.op !== Op.SHUFFLE) return null;
  const moved = lanes.map((lane) => (lane < 0 ? -1 : (inner.lanes[lane % count] ?? -1)));
  const [first, second] = inner.operands;
  if (first === undefined || second === undefined) return null;
  instruction.operands = listOf<Value>(first, second);
  instruction.lanes = moved;
  return instruction;
};

/** permute by constant lane numbers is a shuffle. */
export const permuteRule: Rule = (instruction) => {
  const [vector, indices] = instruction.operands;
  if (vector === undefined || !isConstant(indices)) return null;
  const { scale, type } = instruction;
  instruction.op = Op.SHUFFLE;
  instruction.lanes = Array.from({ length: type.count }, (_, i) =>
    permutedLane(i, BigInt(constantLane(indices, i).low >>> 0), scale, vector.type.count),
  );
  instruction.operands = listOf<Value>(vector, vector);
  instruction.scale = 0;
  return instruction;
};
