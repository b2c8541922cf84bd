// SPDX-License-Identifier: Apache-2.0
// Vectors, and structs and arrays as values: they are held member by member, so that taking one apart costs nothing.
import { I32, Op, type Value, constantZero, laneCount, scalarOf, vectorType } from "@muxkit/ir";

import { type HandlerTable } from "./arithmetic.ts";
import { compositeOf } from "./constants.ts";
import { truncated } from "./narrow.ts";
import type { FunctionReader } from "./function-reader.ts";
import { Aggregate, type Operand } from "./operand.ts";
import { type SpirvType, partType } from "./types.ts";

/** A lane; one that a vector was built of is used as it was. */
export function lane(f: FunctionReader, vector: Value, index: number): Value {
  if (vector.type.kind !== "vector" && index === 0) return vector;
  if (index >= laneCount(vector.type) || vector.type.kind !== "vector")
    return f.refuse(`${vector.type.text} has no lane ${index}`);
  if (vector.kind === "constant") return vector.lanes[index] ?? constantZero(scalarOf(vector.type));
  if (vector.kind === "instruction" && vector.op === Op.BUILD) return vector.operands[index] ?? vector;
  return f.b.extract(vector, index);
}

function construct(f: FunctionReader): Operand {
  const { i, type, m } = f;
  const parts = Array.from({ length: i.count }, (_, n) => f.operand(i.word(n)));
  if (type.kind !== "vector") return compositeOf(m, type, parts);
  const lanes: Value[] = [];
  for (const part of parts) {
    const value = f.valueOf(part);
    if (value.type.kind !== "vector") lanes.push(value);
    else for (let n = 0; n < value.type.count; n++) lanes.push(lane(f, value, n));
  }
  if (lanes.length !== type.count || lanes.some((value) => value.type !== type.element?.ir))
    return f.refuse(`a vector of ${type.count} lanes is made of as many of its element's type`);
  return vectorOfLanes(f, lanes);
}

/** Lanes as a vector; one alone is a vector of one lane. */
export function vectorOfLanes(f: FunctionReader, lanes: readonly Value[]): Value {
  const [single] = lanes;
  return lanes.length === 1 && single !== undefined ? single : f.b.build(lanes);
}

/** The member at a path of numbers. */
function memberAt(f: FunctionReader, operand: Operand, type: SpirvType, from: number): Operand {
  let found = operand;
  let own = type;
  for (let n = from; n < f.i.count; n++) {
    const index = f.i.word(n);
    own = partType(f.m, own, index);
    if (found.kind === "aggregate") found = found.parts[index] ?? f.refuse(`there is no member ${index}`);
    else found = lane(f, f.valueOf(found), index);
  }
  return found;
}

/** The lanes of a vector where they are known; null: they are not. */
function lanesOf(vector: Value): readonly Value[] | null {
  if (vector.kind === "instruction") return vector.op === Op.BUILD ? vector.operands : null;
  return vector.kind === "constant" && vector.type.kind === "vector" ? vector.lanes : null;
}

/** The operand with the member at a path replaced. */
function replaced(f: FunctionReader, operand: Operand, type: SpirvType, from: number, part: Operand): Operand {
  if (from >= f.i.count) return part;
  const index = f.i.word(from);
  const inner = partType(f.m, type, index);
  if (operand.kind !== "aggregate") {
    const vector = f.valueOf(operand);
    if (type.count === 1 && vector.type === inner.ir) return f.valueOf(part);
    const known = lanesOf(vector);
    if (known !== null) {
      const lanes = [...known];
      const value = f.valueOf(part);
      if (value.type !== inner.ir || index >= lanes.length)
        return f.refuse("the part is of another type than the lane");
      lanes[index] = value;
      return f.b.build(lanes);
    }
    return f.b.insertLane(vector, f.valueOf(part), index);
  }
  const parts = [...operand.parts];
  parts[index] = replaced(f, operand.parts[index] ?? part, inner, from + 1, part);
  return new Aggregate(parts);
}

/** A shuffle where a vector has one lane. */
function shuffleLanes(f: FunctionReader, left: Value, right: Value): Value {
  const { i, ir } = f;
  const first = laneCount(left.type);
  const scalar = scalarOf(ir);
  const lanes = Array.from({ length: i.count - 2 }, (_, n) => {
    const number = i.word(n + 2);
    if (number === 0xffff_ffff) return constantZero(scalar);
    return number < first ? lane(f, left, number) : lane(f, right, number - first);
  });
  if (lanes.length !== laneCount(ir) || lanes.some(({ type }) => type !== scalar))
    return f.refuse("the operands and the result must be vectors of one element type");
  return vectorOfLanes(f, lanes);
}

/** Lanes of two vectors, which may have different numbers of them. */
function shuffle(f: FunctionReader): Operand {
  const { i, ir } = f;
  const [left, right] = [f.arg(0), f.arg(1)];
  const [a, b] = [laneCount(left.type), laneCount(right.type)];
  if (a === 1 || b === 1 || ir.kind !== "vector") return shuffleLanes(f, left, right);
  if (i.count - 2 !== laneCount(ir) || ir.kind !== "vector")
    return f.refuse("the result has other lanes than there are numbers");
  const width = Math.max(a, b);
  const lanes = Array.from({ length: i.count - 2 }, (_, n) => {
    const number = i.word(n + 2);
    if (number === 0xffff_ffff) return -1;
    if (number >= a + b) return f.refuse(`there is no lane ${number}`);
    return number < a ? number : width + number - a;
  });
  const widened = (vector: Value): Value =>
    laneCount(vector.type) === width
      ? vector
      : f.b.shuffle(
          vector,
          vector,
          Array.from({ length: width }, (_, n) => (n < laneCount(vector.type) ? n : -1)),
        );
  if (
    left.type.kind !== "vector" ||
    scalarOf(left.type) !== scalarOf(right.type) ||
    vectorType(scalarOf(left.type), lanes.length) !== ir
  )
    return f.refuse("the operands and the result must be vectors of one element type");
  return knownLanes(f, left, right) ?? f.b.shuffle(widened(left), widened(right), lanes);
}

/** A shuffle of vectors whose lanes are known, as those are that are inserted one by one; null: some are not. */
function knownLanes(f: FunctionReader, left: Value, right: Value): Value | null {
  const [first, second] = [lanesOf(left), lanesOf(right)];
  if (first === null || second === null) return null;
  const all = [...first, ...second];
  const zero = constantZero(scalarOf(f.ir));
  const lanes = Array.from({ length: f.i.count - 2 }, (_, n) => all[f.i.word(n + 2)] ?? zero);
  const [single = zero] = lanes;
  return lanes.every((value) => value === single) ? f.b.splat(single, lanes.length) : f.b.build(lanes);
}

/** A number of a lane as the IR takes it. */
export const index32 = (f: FunctionReader, value: Value): Value =>
  value.type.bits > 32 ? truncated(f, value, I32) : value.type.bits < 32 ? f.op(Op.ZEXT, I32, value) : value;

/** Rows of composites. */
export const COMPOSITES: HandlerTable = {
  OpVectorExtractDynamic: (f) => {
    const vector = f.arg(0);
    return f.argType(0).count === 1 ? vector : f.b.extract(vector, index32(f, f.arg(1)));
  },
  OpVectorInsertDynamic: (f) =>
    f.type.count === 1 ? f.arg(1) : f.b.insertLane(f.arg(0), f.arg(1), index32(f, f.arg(2))),
  OpVectorShuffle: shuffle,
  OpCompositeConstruct: construct,
  OpCompositeExtract: (f) => memberAt(f, f.operand(f.i.word(0)), f.argType(0), 1),
  OpCompositeInsert: (f) => replaced(f, f.operand(f.i.word(1)), f.argType(1), 2, f.operand(f.i.word(0))),
};
