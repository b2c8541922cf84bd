// SPDX-License-Identifier: Apache-2.0
// Group operations where the lanes of a vector are a sub-group: votes, ballots, reductions, scans and shuffles among
// the lanes that are on, in the order of combination that docs/kernel-abi.md fixes. Everything is written with shuffles
// and selects of SSA vectors: reductions fold halves (log2 of the lanes steps), scans are those of Hillis and Steele
// 1986 (log2 steps of shift and combine), shuffles by a variable lane select by the bits of the lane number (a
// butterfly), or go through memory where there are many lanes.
import { assert } from "@muxkit/cargo";
import {
  type AtomicKind,
  type Constant,
  I1,
  I32,
  Instruction,
  Op,
  PRIVATE,
  STRANDS,
  type Type,
  type Value,
  alignmentOf,
  arrayType,
  combinationOf,
  constantBits,
  constantInt,
  constantSplat,
  constantVector,
  constantZero,
  isFloat,
  laneCount,
  pointerType,
  scalarOf,
  sizeOf,
  vectorType,
} from "@muxkit/ir";

import { clusterOf, laneNumbers } from "./group-shapes.ts";
import { type Packets, concatenate, ramp } from "./packets.ts";

/** The context of a group operation. */
export interface GroupFrame {
  readonly packets: Packets;
  /** Lanes that are on; null: all. */
  readonly mask: Value | null;
}

type Write = (instruction: Instruction, frame: GroupFrame) => void;

function operand({ operands }: Instruction, index: number): Value {
  const value = operands[index];
  assert(value !== undefined, "a group operation has its operands");
  return value;
}

/** Numbers `from`, `from + 1` … */
function count(length: number, from: number = 0): number[] {
  return Array.from({ length }, (_, i) => from + i);
}

/** Lanes of one vector. */
function part({ builder }: Packets, vector: Value, lanes: readonly number[]): Value {
  return builder.shuffle(vector, vector, lanes);
}

const vote: Write = (instruction, { packets, mask }) => {
  const { builder } = packets;
  const value = operand(instruction, 0);
  if (packets.shape(value) === 0) {
    packets.setFirst(instruction, packets.first(value));
    return;
  }
  const votes = packets.vector(value);
  if (instruction.op === Op.GROUP_ANY)
    packets.setFirst(instruction, builder.any(mask === null ? votes : builder.same(Op.AND, votes, mask)));
  else
    packets.setFirst(
      instruction,
      builder.all(mask === null ? votes : builder.same(Op.OR, votes, builder.same(Op.XOR, mask, packets.allOn))),
    );
};

/** Lane `at` of each component, or 0 where it is off or out of range. `at` is uniform. */
function laneAt(parts: readonly Value[], at: Value, { packets, mask }: GroupFrame): Value[] {
  const { builder, width } = packets;
  const isThere =
    mask === null
      ? builder.compare(Op.ULT, at, constantInt(I32, width))
      : builder.any(builder.same(Op.AND, mask, builder.compare(Op.EQ, ramp(I32, width, 1), packets.splat(at))));
  return parts.map((vector) =>
    builder.select(isThere, builder.extract(vector, at), constantZero(scalarOf(vector.type))),
  );
}

/** The first lane that is on, of each component: by pairs of neighbours, then pairs of pairs. */
function firstOn(parts: readonly Value[], { packets, mask }: GroupFrame): Value[] {
  const { builder } = packets;
  if (mask === null) return parts.map((vector) => builder.extract(vector, 0));
  let [list, on] = [parts, mask];
  for (let pairs = packets.width / 2; pairs > 1; pairs /= 2) {
    const [left, right] = [count(pairs).map((pair) => 2 * pair), count(pairs).map((pair) => 2 * pair + 1)];
    const isLeft = part(packets, on, left);
    list = list.map((vector) => builder.select(isLeft, part(packets, vector, left), part(packets, vector, right)));
    on = builder.same(Op.OR, isLeft, part(packets, on, right));
  }
  const isFirst = builder.extract(on, 0);
  return list.map((vector) => builder.select(isFirst, builder.extract(vector, 0), builder.extract(vector, 1)));
}

/** Sets a uniform result by its components. */
function setShared(instruction: Instruction, parts: readonly Value[], packets: Packets): void {
  const [only] = parts;
  assert(only !== undefined, "a value has components");
  packets.setFirst(instruction, laneCount(instruction.type) === 1 ? only : packets.builder.build(parts));
}

const broadcast: Write = (instruction, frame) => {
  const { packets } = frame;
  const [value, id] = [operand(instruction, 0), operand(instruction, 1)];
  const [at] = packets.shape(id) === 0 ? [packets.first(id)] : firstOn([packets.vector(id)], frame);
  assert(at !== undefined, "one id");
  setShared(instruction, laneAt(packets.components(value), at, frame), packets);
};

const first: Write = (instruction, frame) => {
  const { packets } = frame;
  const value = operand(instruction, 0);
  if (packets.shape(value) === 0) packets.setFirst(instruction, packets.first(value));
  else setShared(instruction, firstOn(packets.components(value), frame), packets);
};

/**
 * Each lane gets the lane that its index names, an index below the number of lanes: a select for each bit of the index,
 * over pairs of lanes, then pairs of pairs.
 */
function choose(vector: Value, ids: Value, packets: Packets): Value {
  const { builder, width } = packets;
  const isSet = count(Math.log2(width)).map((bit) =>
    builder.compare(
      Op.NE,
      builder.same(Op.AND, ids, packets.splat(constantInt(I32, 2 ** bit))),
      constantZero(ids.type),
    ),
  );
  // One half after the other, so that few values are live at once.
  const among = (from: number, level: number): Value => {
    const condition = isSet[level - 1];
    if (condition === undefined)
      return part(
        packets,
        vector,
        count(width).map(() => from),
      );
    const low = among(from, level - 1);
    return builder.select(condition, among(from + 2 ** (level - 1), level - 1), low);
  };
  return among(0, isSet.length);
}

/** The same through memory. */
function chooseInMemory(vector: Value, ids: Value, packets: Packets): Value {
  const { builder, width, layout } = packets;
  const element = scalarOf(vector.type);
  const { entry } = builder.block.owner;
  const table = new Instruction(Op.ALLOCA, pointerType(PRIVATE), [], builder.location);
  table.elementType = arrayType(element, width);
  table.alignment = 16;
  table.block = entry;
  entry.instructions.unshift(table);
  builder.store(vector, table, 16);
  const pointers = builder.address(
    builder.splat(table, width),
    builder.same(Op.AND, ids, packets.splat(constantInt(I32, width - 1))),
    sizeOf(layout, element),
    0,
  );
  return builder.gather(vector.type, pointers, packets.allOn, alignmentOf(layout, element));
}

/** Each lane gets the lane that its index names; 0 where that lane is off or out of range. */
function lookUp(vector: Value, ids: Value, { packets, mask }: GroupFrame): Value {
  const { builder, width } = packets;
  const nothing = constantZero(vector.type);
  const shown = mask === null ? vector : builder.select(mask, vector, nothing);
  const found =
    width > packets.machine.limits.selectedLanes ? chooseInMemory(shown, ids, packets) : choose(shown, ids, packets);
  return builder.select(builder.compare(Op.ULT, ids, packets.splat(constantInt(I32, width))), found, nothing);
}

const shuffle: Write = (instruction, frame) => {
  const { packets, mask } = frame;
  const { builder, width, divergence } = packets;
  const [value, id] = [operand(instruction, 0), operand(instruction, 1)];
  const parts = packets.components(value);
  if (packets.shape(id) === 0) {
    setShared(instruction, laneAt(parts, packets.first(id), frame), packets);
    return;
  }
  const numbers = laneNumbers(id, {
    width,
    shapeOf: (other) => packets.shape(other),
    zerosOf: (other) => divergence.lowZeros(other),
  });
  if (numbers === null) {
    packets.setParts(
      instruction,
      parts.map((vector) => lookUp(vector, packets.vector(id), frame)),
    );
    return;
  }
  // Lanes out of range come from a second vector, of zeros.
  const lanes = numbers.map((number) => Math.min(number, width));
  const moved = (vector: Value): Value => builder.shuffle(vector, constantZero(vector.type), lanes);
  const on = mask === null ? null : moved(mask);
  packets.setParts(
    instruction,
    parts.map((vector) => (on === null ? moved(vector) : builder.select(on, moved(vector), constantZero(vector.type)))),
  );
};

/** Bits of a word of a ballot. */
const WORD = 32;

const ballot: Write = (instruction, { packets, mask }) => {
  const { builder, width } = packets;
  const votes = packets.vector(operand(instruction, 0));
  const on = mask === null ? votes : builder.same(Op.AND, votes, mask);
  const words = count(4).map((word) => {
    const own = Math.min(WORD, width - word * WORD);
    if (own <= 0) return constantInt(I32, 0);
    const bits = constantVector(
      vectorType(I32, own),
      count(own).map((bit) => constantInt(I32, 2 ** bit)),
    );
    return builder.reduce(
      "or",
      builder.select(own === width ? on : part(packets, on, count(own, word * WORD)), bits, constantZero(bits.type)),
    );
  });
  setShared(instruction, words, packets);
};

/** The combining op of a reduction or scan, on vectors. */
export interface Combining {
  readonly combine: (left: Value, right: Value) => Value;
  readonly neutral: Constant;
  /** The first item of an exclusive scan: the identity. */
  readonly first: Constant;
}

function combining({ atomicKind, type }: Instruction, packets: Packets): Combining {
  return combiningBy(atomicKind, type, packets);
}

/** How values of a scalar type are combined by a kind. */
export function combiningBy(kind: AtomicKind, type: Type, { builder }: Packets): Combining {
  const { op, neutral, first: start } = combinationOf(kind, type.bits);
  const constant = (bits: bigint): Constant => constantBits(type, Number(bits & 0xffff_ffffn), Number(bits >> 32n));
  return {
    combine: (left, right) => builder.same(op, left, right),
    neutral: constant(neutral),
    first: constant(start),
  };
}

/** The operand for all lanes, with the identity in those that are off. */
function members(instruction: Instruction, { packets, mask }: GroupFrame, neutral: Constant): Value {
  const vector = packets.vector(operand(instruction, 0));
  return mask === null ? vector : packets.builder.select(mask, vector, constantSplat(vector.type, neutral));
}

/** Lanes of a vector in one: half by half. */
export function fold(vector: Value, kind: AtomicKind, { combine }: Combining, packets: Packets): Value {
  const { builder } = packets;
  const { kind: scalar, bits } = scalarOf(vector.type);
  // Code generators take no reductions of halves and of single bits.
  if (scalar === "float" ? bits > 16 : bits > 1) return builder.reduce(kind, vector);
  let result = vector;
  for (let half = laneCount(vector.type) / 2; half > 1; half /= 2)
    result = combine(part(packets, result, count(half)), part(packets, result, count(half, half)));
  return combine(builder.extract(result, 0), builder.extract(result, 1));
}

const reduce: Write = (instruction, frame) => {
  const { packets } = frame;
  const { width } = packets;
  const how = combining(instruction, packets);
  const cluster = clusterOf(instruction, width);
  const strands = Math.min(STRANDS, cluster);
  let vector = members(instruction, frame, how.neutral);
  if (cluster === width) {
    let result = strands === width ? vector : part(packets, vector, count(strands));
    for (let from = strands; from < width; from += strands)
      result = how.combine(result, part(packets, vector, count(strands, from)));
    packets.setFirst(
      instruction,
      width === 1 ? packets.builder.extract(result, 0) : fold(result, instruction.atomicKind, how, packets),
    );
    return;
  }
  // After each step the first lane of each cluster is right; at the end all lanes take its result.
  const moved = (from: Value, step: number): Value =>
    part(
      packets,
      from,
      count(width).map((lane) => (lane + step) % width),
    );
  const all = vector;
  for (let from = strands; from < cluster; from += strands) vector = how.combine(vector, moved(all, from));
  for (let step = strands / 2; step >= 1; step /= 2) vector = how.combine(vector, moved(vector, step));
  packets.setParts(instruction, [
    part(
      packets,
      vector,
      count(width).map((lane) => lane - (lane % cluster)),
    ),
  ]);
};

/** Each lane gets the value of the lane `step` before it; the first ones get `fill`. */
export function shiftedUp({ builder }: Packets, vector: Value, fill: Constant, step: number): Value {
  const lanes = laneCount(vector.type);
  return builder.shuffle(
    constantSplat(vector.type, fill),
    vector,
    count(lanes).map((lane) => (lane < step ? lane : lanes + lane - step)),
  );
}

/** Each lane gets the lanes up to it, combined. */
export function scanInclusive(vector: Value, { combine, neutral }: Combining, packets: Packets): Value {
  const { builder, width } = packets;
  const strands = Math.min(STRANDS, width);
  const blocks: Value[] = [];
  for (let from = 0; from < width; from += strands) {
    let block = strands === width ? vector : part(packets, vector, count(strands, from));
    for (let step = 1; step < strands; step *= 2) block = combine(shiftedUp(packets, block, neutral, step), block);
    const before = blocks.at(-1);
    blocks.push(
      before === undefined ? block : combine(builder.splat(builder.extract(before, strands - 1), strands), block),
    );
  }
  return concatenate(builder, blocks);
}

const scan: Write = (instruction, frame) => {
  const { packets, mask } = frame;
  const { builder, width } = packets;
  const how = combining(instruction, packets);
  const scanned = scanInclusive(members(instruction, frame, how.neutral), how, packets);
  if (instruction.op === Op.GROUP_SCAN_INCLUSIVE) {
    packets.setParts(instruction, [scanned]);
    return;
  }
  let result = shiftedUp(packets, scanned, how.first, 1);
  if (mask !== null && isFloat(instruction.type)) {
    // The lane before is the nearest that is on; lanes that are off hold partial results in another order.
    let found = shiftedUp(packets, mask, constantInt(I1, 1), 1);
    for (let step = 1; step < width; step *= 2) {
      result = builder.select(found, result, shiftedUp(packets, result, how.first, step));
      found = builder.same(Op.OR, found, shiftedUp(packets, found, constantInt(I1, 1), step));
    }
  }
  packets.setParts(instruction, [result]);
};

const WRITERS: Readonly<Record<number, Write>> = {
  [Op.GROUP_ALL]: vote,
  [Op.GROUP_ANY]: vote,
  [Op.GROUP_BROADCAST]: broadcast,
  [Op.GROUP_SHUFFLE]: shuffle,
  [Op.GROUP_BROADCAST_FIRST]: first,
  [Op.GROUP_BALLOT]: ballot,
  [Op.GROUP_REDUCE]: reduce,
  [Op.GROUP_SCAN_INCLUSIVE]: scan,
  [Op.GROUP_SCAN_EXCLUSIVE]: scan,
};

/** Writes a group operation for all lanes, which are a sub-group. */
export function packGroupOperation(instruction: Instruction, frame: GroupFrame): void {
  const write = WRITERS[instruction.op];
  assert(write !== undefined, "a group operation");
  write(instruction, frame);
}
