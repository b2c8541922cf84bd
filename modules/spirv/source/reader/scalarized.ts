// SPDX-License-Identifier: Apache-2.0
// Vectors of lanes that the IR has not, as <6 x i32>: LLVM's optimiser makes them where it takes a part of a lane, and
// its translator writes them though SPIR-V has none. Such a vector is held lane by lane, like an array.
//
// Scalarisation as compilers for scalar machines do it: an instruction that works lane by lane is written once for each
// lane by its own handler, which sees scalars. The few that mix lanes have handlers of their own here. All others
// refuse such operands, as they refuse arrays. Cost: one instruction of the IR for each lane.
import { I32, Op, type Type, type Value, constantInt, intType, vectorType } from "@muxkit/ir";

import { opcodeOf } from "../grammar/tables.ts";
import type { OpName } from "../generated/names.ts";
import { ARITHMETIC, type Handler } from "./arithmetic.ts";
import { index32, lane, vectorOfLanes } from "./composites.ts";
import { zeroOf } from "./constants.ts";
import type { FunctionReader } from "./function-reader.ts";
import { Aggregate, type Operand } from "./operand.ts";
import { type SpirvType, isScalarized } from "./types.ts";

/** The lanes of an operand. */
function lanesOf(f: FunctionReader, operand: Operand): readonly Value[] {
  if (operand.kind === "aggregate") return operand.parts.map((part) => f.valueOf(part));
  const value = f.valueOf(operand);
  return value.type.kind === "vector"
    ? Array.from({ length: value.type.count }, (_, index) => lane(f, value, index))
    : [value];
}

/** Lanes as a value of the result's type. */
function ofLanes(f: FunctionReader, lanes: readonly Value[]): Operand {
  const { type } = f;
  if (lanes.length !== type.count || lanes.some((one) => one.type !== type.element?.ir))
    return f.refuse(`a vector of ${type.count} lanes is made of as many of its element's type`);
  return isScalarized(type) ? new Aggregate(lanes) : vectorOfLanes(f, lanes);
}

/** The type of an operand, where an id has one. */
function operandType(f: FunctionReader, index: number): SpirvType | undefined {
  return f.m.operandType(f.i.word(index));
}

/** Writes the instruction once for each lane, with the lanes of scalarised operands in their place. */
function laneByLane(f: FunctionReader, handler: Handler): Operand {
  const { i, type } = f;
  const { element } = type;
  if (element === null) return f.refuse("a vector has an element type");
  const vectors: { id: number; type: SpirvType; whole: Operand; lanes: readonly Value[] }[] = [];
  for (let index = 0; index < i.count; index++) {
    const own = operandType(f, index);
    const id = i.word(index);
    if (own === undefined || !isScalarized(own) || vectors.some((vector) => vector.id === id)) continue;
    if (own.count !== type.count) return f.refuse("the operand has other lanes than the result");
    const whole = f.operand(id);
    vectors.push({ id, type: own, whole, lanes: lanesOf(f, whole) });
  }
  const made: Value[] = [];
  for (let number = 0; number < type.count; number++) {
    for (const { id, type: own, lanes } of vectors) {
      const value = lanes[number];
      if (own.element !== null && value !== undefined) f.define(id, own.element, value);
    }
    const result = f.withType(element, () => {
      const part = handler(f);
      return part === undefined ? part : f.result(part);
    });
    made.push(f.valueOf(result ?? zeroOf(f.m, element)));
  }
  for (const { id, type: own, whole } of vectors) f.define(id, own, whole);
  return ofLanes(f, made);
}

const asBits = (f: FunctionReader, value: Value): Value =>
  value.type.kind === "int" ? value : f.op(Op.BITCAST, intType(value.type.bits), value);

/** Lanes of ints as lanes of other widths; the first ones are the lowest bits. */
function regrouped(f: FunctionReader, lanes: readonly Value[], to: Type): Value[] {
  const from = lanes[0]?.type.bits ?? to.bits;
  if (from === to.bits) return [...lanes];
  if (from > to.bits) {
    const parts = vectorType(to, from / to.bits);
    return lanes.flatMap((one) => {
      const split = f.op(Op.BITCAST, parts, one);
      return Array.from({ length: parts.count }, (_, index) => f.b.extract(split, index));
    });
  }
  const count = to.bits / from;
  return Array.from({ length: lanes.length / count }, (_, group) =>
    f.op(Op.BITCAST, to, f.b.build(lanes.slice(group * count, (group + 1) * count))),
  );
}

/** The same bits in other lanes. */
function bitcast(f: FunctionReader): Operand {
  const lanes = lanesOf(f, f.operand(f.i.word(0)));
  const scalar = f.type.element?.ir ?? f.ir;
  const [first] = lanes;
  if (
    first === undefined ||
    [first.type, scalar].some(({ kind, bits }) => bits < 8 || (kind !== "int" && kind !== "float"))
  )
    return f.refuse("a cast of a vector is one to numbers of as many bits");
  if (first.type.bits * lanes.length !== scalar.bits * Math.max(1, f.type.count))
    return f.refuse("the operand has other bits than the result");
  const grouped = regrouped(
    f,
    lanes.map((one) => asBits(f, one)),
    intType(scalar.bits),
  );
  const made = grouped.map((one) => (one.type === scalar ? one : f.op(Op.BITCAST, scalar, one)));
  const [single] = made;
  return f.type.kind !== "vector" && single !== undefined ? single : ofLanes(f, made);
}

/** The lane of a number that is computed: one choice after another. */
function extracted(f: FunctionReader): Operand {
  const [first, ...others] = lanesOf(f, f.operand(f.i.word(0)));
  if (first === undefined) return f.refuse("a vector has lanes");
  const index = index32(f, f.arg(1));
  return others.reduce((found, one, before) => f.b.select(isAt(f, index, before + 1), one, found), first);
}

function inserted(f: FunctionReader): Operand {
  const part = f.arg(1);
  const index = index32(f, f.arg(2));
  const lanes = lanesOf(f, f.operand(f.i.word(0)));
  if (lanes.some(({ type }) => type !== part.type)) return f.refuse("the part is of another type than the lane");
  return ofLanes(
    f,
    lanes.map((one, number) => f.b.select(isAt(f, index, number), part, one)),
  );
}

const isAt = (f: FunctionReader, index: Value, number: number): Value =>
  f.b.compare(Op.EQ, index, constantInt(I32, number));

function shuffled(f: FunctionReader): Operand {
  const { i, type } = f;
  const lanes = [0, 1].flatMap((index) => lanesOf(f, f.operand(i.word(index))));
  const scalar = type.element;
  if (scalar === null) return f.refuse("a shuffle makes a vector");
  return ofLanes(
    f,
    Array.from({ length: i.count - 2 }, (_, n) => {
      const number = i.word(n + 2);
      if (number === 0xffff_ffff) return f.valueOf(zeroOf(f.m, scalar));
      return lanes[number] ?? f.refuse(`there is no lane ${number}`);
    }),
  );
}

const constructed: Handler = (f) =>
  ofLanes(f, Array.from({ length: f.i.count }, (_, index) => lanesOf(f, f.operand(f.i.word(index)))).flat());

/** What mixes lanes, with the number of operands that are ids of vectors. */
const ROWS: Partial<Record<OpName, readonly [handler: Handler, operands: number]>> = {
  OpBitcast: [bitcast, 1],
  OpVectorExtractDynamic: [extracted, 1],
  OpVectorInsertDynamic: [inserted, 1],
  OpVectorShuffle: [shuffled, 2],
  OpCompositeConstruct: [constructed, Infinity],
};

const MIXING = new Map(Object.entries(ROWS).map(([name, row]) => [opcodeOf(name as OpName), row]));
const LANE_WISE = new Set(Object.keys(ARITHMETIC).map((name) => opcodeOf(name as OpName)));

/** The handler of an instruction in a module that has vectors of lanes that the IR has not. */
export function scalarizing(f: FunctionReader, opcode: number, handler: Handler): Handler {
  const row = MIXING.get(opcode);
  if (row === undefined) return LANE_WISE.has(opcode) && isScalarized(f.type) ? () => laneByLane(f, handler) : handler;
  const [own, operands] = row;
  if (isScalarized(f.type)) return own;
  // A struct takes such a vector as the member that it is.
  if (f.type.ir === null) return handler;
  for (let index = 0; index < Math.min(operands, f.i.count); index++) {
    const type = operandType(f, index);
    if (type !== undefined && isScalarized(type)) return own;
  }
  return handler;
}
