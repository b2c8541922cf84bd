// SPDX-License-Identifier: Apache-2.0
// Ops on vectors: one instruction a part where the tables have one, a sequence, or scalars lane by lane.
import {
  type AtomicKind,
  type Instruction,
  NO_NAN,
  OPS,
  Op,
  type Type,
  type Value,
  hasEffect,
  laneCount,
  scalarOf,
} from "@muxkit/ir";
import { MEMORY } from "@muxkit/x64-assembler";

import { chunkOf } from "./chunks.ts";
import { pickLanes } from "./pick-lanes.ts";
import {
  bitsOfLane,
  buildVector,
  laneBytesOf,
  laneAt,
  laneIndex,
  laneOf,
  laneOfParts,
  scalarBits,
  pickLane,
  splatLoad,
  splatVector,
} from "./lanes.ts";
import { emitLogic } from "./logic.ts";
import { emitComparedMask, FLOAT_PREDICATES, isMaskCompare, wideCompare } from "./mask-compares.ts";
import { form, vectorForm } from "./machine-builder.ts";
import {
  blend,
  compareFloatParts,
  compareIntoMask,
  emitMaskOp,
  keepLanes,
  maskAsLanes,
  maskLaneAt,
  maskOfLanes,
  notMask,
  selectMask,
  withMaskLane,
} from "./masks.ts";
import { chooseMultiplyAdd } from "./multiply-add.ts";
import { ROUNDING, compareScalars, minimum, scalarMask, scalarOp, setCondition, signBytes } from "./scalar-ops.ts";
import type { Selector } from "./selector.ts";
import { LETTERS, binary, column, countBits, emitShift, laneOfNumber, product, three } from "./vector-integers.ts";
import { voteCondition } from "./votes.ts";
import { isFloatRegister, isMask, scalarBytes, vectorBytes } from "./shape.ts";

/** Instructions on vectors of floats, of 32 and of 64 bits. */
const FLOAT: Readonly<Record<number, readonly [single: string, double: string]>> = {
  [Op.FADD]: ["vaddps", "vaddpd"],
  [Op.FSUB]: ["vsubps", "vsubpd"],
  [Op.FMUL]: ["vmulps", "vmulpd"],
  [Op.FDIV]: ["vdivps", "vdivpd"],
};

/** Each part of a value by itself; parts of constants may be one and the same. */
function eachPart(
  s: Selector,
  value: Value,
  make: (part: number, width: number, index: number) => number,
): readonly number[] {
  return s.parts(value).map((part, index) => make(part, s.fn.width[part] as number, index));
}

/** Widths of the parts of a vector. */
function widthsOf(s: Selector, value: Value): readonly number[] {
  return s.widths(vectorBytes(value.type, laneBytesOf(s, value)));
}

/** Lane by lane as scalars. */
function byLanes(s: Selector, instruction: Instruction, compute: (lanes: readonly number[]) => number): void {
  const count = laneCount(instruction.type);
  const lanes = Array.from({ length: count }, (_, lane) =>
    compute(instruction.operands.map((operand) => laneOf(s, operand, lane))),
  );
  s.define(instruction, buildVector(s, instruction.type, s.maskBytesOf(instruction), lanes));
}

function emitInteger(s: Selector, instruction: Instruction): void {
  const { op, type } = instruction;
  if (isMask(type)) {
    if (!s.tier.isWide || !emitComparedMask(s, instruction)) emitMaskOp(s, instruction);
    return;
  }
  const bytes = scalarBytes(type);
  const name = s.tier.integers[op]?.[column(bytes)] ?? "";
  let [a, b] = instruction.operands as [Value, Value];
  if (name !== "") {
    if (hasEffect(op, "m") && (a.kind === "constant" || s.isInMemory(a))) [a, b] = [b, a];
    const first = s.parts(a);
    const widths = widthsOf(s, instruction);
    s.define(
      instruction,
      first.map((part, i) => binary(s, name, part, s.operand(b, i), widths[i] as number)),
    );
    return;
  }
  const rule = OPS[op]?.rule;
  if (rule === "shift" && emitShift(s, instruction, bytes)) return;
  const made = product(s, op, a, b, bytes) ?? countBits(s, op, a, bytes);
  if (made !== null) {
    s.define(instruction, made);
    return;
  }
  if (bytes === 8 && (op === Op.SMIN || op === Op.SMAX || op === Op.UMIN || op === Op.UMAX)) {
    const [x, y] = [s.parts(a), s.parts(b)];
    const isSigned = op === Op.SMIN || op === Op.SMAX;
    const isMinimum = op === Op.SMIN || op === Op.UMIN;
    s.define(
      instruction,
      x.map((part, i) => {
        const other = y[i] as number;
        const greater = compareGreater(s, part, other, 8, isSigned);
        const width = s.fn.width[part] as number;
        return blend(s, isMinimum ? part : other, isMinimum ? other : part, greater, 8, width);
      }),
    );
    return;
  }
  const scalar = scalarOf(type);
  byLanes(s, instruction, (lanes) => scalarOp(s, op, scalar, lanes));
}

// Comparisons.

/** A part with the sign bits of its lanes turned, by which comparisons become those of signed lanes. */
function turned(s: Selector, part: number, bytes: number, width: number): number {
  const sign = { given: MEMORY, address: s.poolAddress(signBytes(8 * bytes, true, width)) };
  return s.shared(`turned ${part} ${bytes} ${width}`, () => binary(s, "vpxor", part, sign, width));
}

function compareGreater(s: Selector, a: number, b: number, bytes: number, isSigned: boolean): number {
  const width = s.fn.width[a] as number;
  const name = `vpcmpgt${LETTERS[column(bytes)]}`;
  if (isSigned) return binary(s, name, a, b, width);
  return binary(s, name, turned(s, a, bytes, width), turned(s, b, bytes, width), width);
}

function emitCompare(s: Selector, instruction: Instruction): void {
  const { op } = instruction;
  const [a, b] = instruction.operands as [Value, Value];
  const scalar = scalarOf(a.type);
  if (!isMaskCompare(instruction)) {
    byLanes(s, instruction, (lanes) => compareScalars(s, op, scalar, lanes[0] as number, lanes[1] as number));
    return;
  }
  if (s.tier.isWide) {
    s.define(instruction, wideCompare(s, instruction, false, null));
    return;
  }
  const bytes = scalarBytes(a.type);
  const first = s.parts(a);
  const widths = widthsOf(s, a);
  if (OPS[op]?.rule === "compare-float") {
    const suffix = bytes === 8 ? "pd" : "ps";
    const predicate = FLOAT_PREDICATES[op] as number;
    s.define(
      instruction,
      first.map((part, i) => compareFloatParts(s, suffix, part, s.operand(b, i), predicate, widths[i] as number)),
    );
    return;
  }
  const constant = turnedConstant(s, op, a, b, bytes);
  if (constant !== null) {
    s.define(instruction, constant);
    return;
  }
  const second = s.parts(b);
  s.define(
    instruction,
    first.map((part, i) => compareIntegers(s, op, part, second[i] as number, bytes, widths[i] as number)),
  );
}

/** An unsigned comparison with a constant, whose sign bits are turned beforehand; null for others. */
function turnedConstant(s: Selector, op: number, a: Value, b: Value, bytes: number): readonly number[] | null {
  const isFirst = a.kind === "constant";
  const constant = isFirst ? a : b;
  if ((op !== Op.ULT && op !== Op.UGT) || constant.kind !== "constant") return null;
  const own = s.constantBytes(constant, bytes);
  for (let i = bytes - 1; i < own.length; i += bytes) own[i] = (own[i] as number) ^ 0x80;
  return s.parts(isFirst ? b : a).map((part, i) => {
    const width = s.fn.width[part] as number;
    const other = new Uint8Array(width);
    other.set(own.subarray(32 * i, 32 * i + width));
    const operands = [s.vector(other), turned(s, part, bytes, width)];
    const [x, y] = (op === Op.UGT) === isFirst ? operands : operands.toReversed();
    return binary(s, `vpcmpgt${LETTERS[column(bytes)]}`, x as number, y as number, width);
  });
}

/** By which op a comparison that equal operands pass is made. */
const BOUND: Readonly<Record<number, number>> = {
  [Op.SLE]: Op.SMIN,
  [Op.ULE]: Op.UMIN,
  [Op.SGE]: Op.SMAX,
  [Op.UGE]: Op.UMAX,
};

function compareIntegers(s: Selector, op: number, a: number, b: number, bytes: number, width: number): number {
  const not = (mask: number): number => notMask(s, mask, width);
  switch (op) {
    case Op.EQ:
      return binary(s, `vpcmpeq${LETTERS[column(bytes)]}`, a, b, width);
    case Op.NE:
      return not(binary(s, `vpcmpeq${LETTERS[column(bytes)]}`, a, b, width));
    case Op.SGT:
    case Op.UGT:
      return compareGreater(s, a, b, bytes, op === Op.SGT);
    case Op.SLT:
    case Op.ULT:
      return compareGreater(s, b, a, bytes, op === Op.SLT);
    default: {
      // The lesser or greater one is the first one.
      const least = s.tier.integers[BOUND[op] as number]?.[column(bytes)] ?? "";
      if (least !== "") return binary(s, `vpcmpeq${LETTERS[column(bytes)]}`, binary(s, least, a, b, width), a, width);
      const isLess = op === Op.SLE || op === Op.ULE;
      return not(compareGreater(s, isLess ? a : b, isLess ? b : a, bytes, op === Op.SLE || op === Op.SGE));
    }
  }
}

// Floats.

function multiplyAdd(
  s: Selector,
  suffix: string,
  given: readonly Value[],
  widths: readonly number[],
): readonly number[] {
  const { name, operands } = chooseMultiplyAdd(s, given);
  const [first, second, last] = operands;
  const [x, y] = [s.parts(first), s.parts(second)];
  return widths.map((width, i) => {
    const { given: memory, address } = s.operand(last, i);
    return s.build.emit(three(`${name}${suffix}`, width), [x[i] as number, y[i] as number, memory], address);
  });
}

function emitFloat(s: Selector, instruction: Instruction): void {
  const { op, type, flags } = instruction;
  const bytes = scalarBytes(type);
  const scalar = scalarOf(type);
  if (bytes === 2) {
    byLanes(s, instruction, (lanes) => scalarOp(s, op, scalar, lanes, flags));
    return;
  }
  const suffix = bytes === 8 ? "pd" : "ps";
  let [a, b] = instruction.operands as [Value, Value];
  const widths = widthsOf(s, instruction);
  const name = FLOAT[op]?.[bytes === 8 ? 1 : 0];
  if (name !== undefined && hasEffect(op, "m") && s.isInMemory(a)) [a, b] = [b, a];
  const bits = (name_: string, part: number, isSign: boolean, width: number): number =>
    binary(
      s,
      `${name_}${suffix}`,
      part,
      { given: MEMORY, address: s.poolAddress(signBytes(8 * bytes, isSign, width)) },
      width,
    );
  if (op === Op.FMA) {
    s.define(instruction, multiplyAdd(s, suffix, instruction.operands, widths));
    return;
  }
  const parts = s.parts(a);
  const make = (part: number, i: number): number => {
    const width = widths[i] as number;
    if (name !== undefined) return binary(s, name, part, s.operand(b, i), width);
    const mode = ROUNDING[op];
    if (mode !== undefined) return s.build.emit(vectorForm(`vround${suffix} v, v/m, i8`, width), [part, mode]);
    switch (op) {
      case Op.FMIN:
      case Op.FMAX:
        return minimum(s, op, suffix, width, part, s.parts(b)[i] as number, flags);
      case Op.FSQRT:
        return s.build.emit(vectorForm(`vsqrt${suffix} v, v/m`, width), [part]);
      case Op.FNEG:
        return bits("vxor", part, true, width);
      case Op.FABS:
        return bits("vand", part, false, width);
      case Op.FCOPYSIGN:
        return binary(
          s,
          `vor${suffix}`,
          bits("vand", part, false, width),
          bits("vand", s.parts(b)[i] as number, true, width),
          width,
        );
      default:
        return s.refuse(instruction, "an op that the target must lower reached the code generator");
    }
  };
  s.define(instruction, parts.map(make));
}

// Selection and lanes.

/** Whether a value is a constant of zero bits only. */
function isZero(value: Value): boolean {
  return value.kind === "constant" && value.lanes.every(({ low, high }) => low === 0 && high === 0);
}

function emitVectorSelect(s: Selector, instruction: Instruction): void {
  const { type } = instruction;
  const [condition, yes, no] = instruction.operands as [Value, Value, Value];
  const bytes = isMask(type) ? s.maskBytesOf(instruction) : scalarBytes(type);
  const widths = s.widths(laneCount(type) * bytes);
  const mask =
    condition.type.kind === "vector"
      ? s.mask(condition, bytes)
      : widths.map((width) => scalarMask(s, condition, width));
  const plain = mask.map((part, i) => {
    const width = widths[i] as number;
    if (isMask(type) && s.tier.isWide)
      return selectMask(s, s.mask(no, bytes)[i] as number, s.mask(yes, bytes)[i] as number, part);
    if (isZero(no)) return keepLanes(s, { given: s.mask(yes, bytes)[i] as number, address: null }, part, bytes, width);
    if (isZero(yes) && !s.tier.isWide) return binary(s, "vpandn", part, s.mask(no, bytes)[i] as number, width);
    return blend(s, s.mask(no, bytes)[i] as number, s.mask(yes, bytes)[i] as number, part, bytes, width);
  });
  s.define(instruction, plain);
}

function emitExtract(s: Selector, instruction: Instruction): void {
  const [vector, index] = instruction.operands as [Value, Value];
  const lanes = laneCount(vector.type);
  if (index.kind === "constant") {
    s.define(instruction, [laneOf(s, vector, (index.low >>> 0) % lanes)]);
    return;
  }
  if (isMask(vector.type) && s.tier.isWide) {
    s.define(instruction, [maskLaneAt(s, vector, laneIndex(s, s.one(index), lanes))]);
    return;
  }
  const bytes = laneBytesOf(s, vector);
  const found = pickLane(s, s.parts(vector), laneIndex(s, s.one(index), lanes), lanes, bytes);
  if (isFloatRegister(instruction.type)) {
    s.define(instruction, [found]);
    return;
  }
  const bits = bitsOfLane(s, found, 0, bytes);
  s.define(instruction, [isMask(vector.type) ? s.build.emit(form("and r32/m32, s8"), [bits, 1]) : bits]);
}

function emitInsert(s: Selector, instruction: Instruction): void {
  const { build } = s;
  const { type } = instruction;
  const [vector, value, index] = instruction.operands as [Value, Value, Value];
  const lanes = laneCount(type);
  const bytes = isMask(type) ? s.maskBytesOf(instruction) : scalarBytes(type);
  const parts = s.mask(vector, bytes);
  if (isMask(type) && s.tier.isWide) {
    const place =
      index.kind === "constant" ? { lane: (index.low >>> 0) % lanes } : { register: laneIndex(s, s.one(index), lanes) };
    s.define(instruction, withMaskLane(s, parts, lanes, bytes, s.one(value), place));
    return;
  }
  const scalar = isMask(type)
    ? build.emit(form("neg r64/m64"), [s.one(value)])
    : scalarBits(s, scalarOf(type), s.one(value));
  if (index.kind === "constant") {
    const lane = (index.low >>> 0) % lanes;
    const at = lane * bytes;
    const key = {
      1: "vpinsrb x, x, r32/m8, i8",
      2: "vpinsrw x, x, r32/m16, i8",
      4: "vpinsrd x, x, r32/m32, i8",
      8: "vpinsrq x, x, r64/m64, i8",
    }[bytes] as string;
    const { partBytes } = s.tier;
    const part = Math.floor(at / partBytes);
    const chunk = build.emit(form(key), [chunkOf(s, parts, at >> 4), scalar, (at & 15) / bytes]);
    const old = parts[part] as number;
    const width = s.widths(lanes * bytes)[part] as number;
    const into = width === 64 ? "vinserti32x4 z, z, x/m128, i8" : "vinserti128 y, y, x/m128, i8";
    const made = width === 16 ? chunk : build.emit(form(into), [old, chunk, (at % partBytes) >> 4]);
    s.define(
      instruction,
      parts.map((own, i) => (i === part ? made : own)),
    );
    return;
  }
  const place = laneAt(s, laneIndex(s, s.one(index), lanes), lanes, bytes);
  const spread = splatVector(s, type, bytes, s.one(value));
  const widths = s.widths(lanes * bytes);
  s.define(
    instruction,
    parts.map((part, i) => blend(s, part, spread[i] as number, place[i] as number, bytes, widths[i] as number)),
  );
}

function emitShuffle(s: Selector, instruction: Instruction): void {
  const [a, b] = instruction.operands as [Value, Value];
  const bytes = isMask(instruction.type) ? s.maskBytesOf(instruction) : scalarBytes(instruction.type);
  const count = laneCount(a.type);
  if (!isMask(instruction.type) || !s.tier.isWide) {
    s.define(instruction, pickLanes(s, [s.mask(a, bytes), s.mask(b, bytes)], count, bytes, instruction.lanes));
    return;
  }
  const own = s.widths(count * bytes);
  const asLanes = (mask: Value): readonly number[] =>
    s.mask(mask, bytes).map((part, i) => maskAsLanes(s, part, bytes, own[i] as number));
  const widths = s.widths(instruction.lanes.length * bytes);
  const picked = pickLanes(s, [asLanes(a), asLanes(b)], count, bytes, instruction.lanes);
  s.define(
    instruction,
    picked.map((part, i) => maskOfLanes(s, part, bytes, widths[i] as number)),
  );
}

function emitPermute(s: Selector, instruction: Instruction): void {
  const { type, scale } = instruction;
  const [vector, indices] = instruction.operands as [Value, Value];
  // There are as many results as indices; both may be more or fewer than the lanes to choose from.
  const lanes = laneCount(type);
  const count = laneCount(vector.type);
  const bytes = scalarBytes(type);
  const parts = s.parts(vector);
  const lane = laneOfNumber(scale - 1, bytes);
  const places = eachPart(s, indices, (part, width) =>
    binary(s, "vpand", part, { given: MEMORY, address: s.poolAddress(s.repeated(lane, width)) }, width),
  );
  if (s.tier.isWide && bytes >= 2 && count * bytes <= 64) {
    // Each block of indices counts from its own first lane.
    const letter = LETTERS[column(bytes)];
    let at = 0;
    const made = places.map((place) => {
      const width = s.fn.width[place] as number;
      const starts = new Uint8Array(width);
      for (let i = 0; i < width; i += bytes, at++) starts[i] = (at - (at % scale)) % count;
      const index = binary(s, `vpadd${letter}`, place, { given: MEMORY, address: s.poolAddress(starts) }, width);
      const own = Math.max(width, s.fn.width[parts[0] as number] as number, bytes === 2 ? 16 : 32);
      return s.build.emit(vectorForm(`vperm${letter} v, v, v/m`, own), [index, parts[0] as number]);
    });
    s.define(instruction, made);
    return;
  }
  if (!s.tier.isWide && bytes === 4 && scale === 8 && lanes % 8 === 0) {
    s.define(
      instruction,
      places.map((place, i) => s.build.emit(form("vpermd y, y, y/m256"), [place, parts[i % parts.length] as number])),
    );
    return;
  }
  // Lane j of every block where the index is j, for each j.
  let result: readonly number[] = [];
  for (let j = 0; j < scale; j++) {
    const from = Array.from({ length: lanes }, (_, i) => ((i - (i % scale)) % count) + j);
    const picked = pickLanes(s, [parts], count, bytes, from);
    result = picked.map((part, i) => {
      const width = s.fn.width[places[i] as number] as number;
      const wanted = s.vector(s.repeated(laneOfNumber(j, bytes), width));
      const place = places[i] as number;
      const isHere = s.tier.isWide
        ? compareIntoMask(s, Op.EQ, place, { given: wanted, address: null }, bytes, width)
        : binary(s, `vpcmpeq${LETTERS[column(bytes)]}`, place, wanted, width);
      const own = keepLanes(s, { given: part, address: null }, isHere, bytes, width);
      return j === 0 ? own : binary(s, "vpor", result[i] as number, own, width);
    });
  }
  s.define(instruction, result);
}

function emitVote(s: Selector, instruction: Instruction): void {
  s.define(instruction, [setCondition(s, voteCondition(s, instruction))]);
}

/** Ops by which lanes are combined. */
export const COMBINING: Readonly<Partial<Record<AtomicKind, number>>> = {
  add: Op.ADD,
  mul: Op.MUL,
  and: Op.AND,
  or: Op.OR,
  xor: Op.XOR,
  smin: Op.SMIN,
  smax: Op.SMAX,
  umin: Op.UMIN,
  umax: Op.UMAX,
  fadd: Op.FADD,
  fmul: Op.FMUL,
  fmin: Op.FMIN,
  fmax: Op.FMAX,
};

/** The instruction that combines two vectors; empty where there is none. */
function combiningName(s: Selector, op: number, type: Type): string {
  if (type.kind !== "float") return s.tier.integers[op]?.[column(scalarBytes(type))] ?? "";
  return type.bits === 16 ? "" : (FLOAT[op]?.[type.bits === 64 ? 1 : 0] ?? "");
}

/** Combines the halves of a vector until one lane is left, in the order of the scalar form; false where it cannot. */
function reduceByHalves(s: Selector, instruction: Instruction, vector: Value, op: number): boolean {
  const { build } = s;
  const { type } = instruction;
  const count = laneCount(vector.type);
  const bytes = laneBytesOf(s, vector);
  const name = isMask(vector.type) ? "" : combiningName(s, op, type);
  if (name === "" || (count & (count - 1)) !== 0 || count * bytes < 8) return false;
  let parts = s.parts(vector);
  for (; parts.length > 1;) {
    const half = parts.length / 2;
    const own = parts;
    parts = own.slice(0, half).map((part, i) => binary(s, name, part, own[half + i] as number, s.tier.partBytes));
  }
  let rest = parts[0] as number;
  let left = Math.min(s.tier.partBytes, count * bytes);
  if (left === 64) {
    const high = build.emit(form("vextracti64x4 y/m256, z, i8"), [rest, 1]);
    rest = binary(s, name, rest, high, 32);
    left = 32;
  }
  if (left === 32) {
    const high = build.emit(form("vextracti128 x/m128, y, i8"), [rest, 1]);
    rest = binary(s, name, rest, high, 16);
    left = 16;
  }
  for (left /= 2; left >= bytes; left /= 2) {
    const high = build.emit(form("vpsrldq x, x, i8"), [rest, left]);
    rest = binary(s, name, rest, high, 16);
  }
  s.define(instruction, [isFloatRegister(type) ? rest : bitsOfLane(s, rest, 0, bytes)]);
  return true;
}

function emitReduce(s: Selector, instruction: Instruction): void {
  const [vector] = instruction.operands as [Value];
  const op = COMBINING[instruction.atomicKind];
  if (op === undefined) s.refuse(instruction, "lanes are not combined so");
  if (reduceByHalves(s, instruction, vector, op)) return;
  const count = laneCount(vector.type);
  const parts = s.parts(vector);
  const bytes = laneBytesOf(s, vector);
  const lanes = Array.from({ length: count }, (_, lane) => laneOfParts(s, parts, vector.type, bytes, lane));
  let half = 1;
  while (half * 2 < count) half *= 2;
  for (; half > 0; half >>= 1)
    for (let k = 0; k + half < count && k < half; k++)
      lanes[k] = scalarOp(
        s,
        op,
        instruction.type,
        [lanes[k] as number, lanes[k + half] as number],
        instruction.flags & NO_NAN,
      );
  s.define(instruction, [lanes[0] as number]);
}

/** Addresses in lanes. */
function emitAddresses(s: Selector, instruction: Instruction): void {
  const { type, scale, offset } = instruction;
  const [base, index] = instruction.operands as [Value, Value | undefined];
  const count = laneCount(type);
  const lanes = Array.from({ length: count }, (_, lane) => {
    const own = base.type.kind === "vector" ? laneOf(s, base, lane) : s.one(base);
    let sum = own;
    if (index !== undefined) {
      let by = index.type.kind === "vector" ? laneOf(s, index, lane) : s.one(index);
      const { bits } = scalarOf(index.type);
      if (bits < 32) by = s.extended(by, bits, true);
      by = s.build.emit(form("imul r32, r32/m32, s32"), [by, scale]);
      sum = s.build.emit(form("add r32, r32/m32"), [sum, by]);
    }
    return offset === 0 ? sum : s.build.emit(form("add r32/m32, s32"), [sum, offset]);
  });
  s.define(instruction, buildVector(s, type, 0, lanes));
}

/** The same with four and eight lanes at once, where the index has 32 bits. */
function emitWideAddresses(s: Selector, instruction: Instruction): boolean {
  const { type, scale, offset } = instruction;
  const [base, index] = instruction.operands as [Value, Value | undefined];
  if (index !== undefined && scalarOf(index.type).bits !== 32) return false;
  const widths = s.widths(laneCount(type) * 4);
  const spread = (value: Value): readonly number[] =>
    value.type.kind === "vector" ? s.parts(value) : splatVector(s, type, 0, s.one(value));
  const power = Math.log2(scale);
  const bases = spread(base);
  const indices = index === undefined ? [] : spread(index);
  s.define(
    instruction,
    widths.map((width, i) => {
      let sum = bases[i] as number;
      if (index !== undefined) {
        let by = indices[i] as number;
        if (!Number.isInteger(power))
          by = binary(
            s,
            "vpmulld",
            by,
            { given: MEMORY, address: s.poolAddress(s.repeated(bytesOf32(scale), width)) },
            width,
          );
        else if (power > 0) by = s.build.emit(vectorForm("vpslld v, v, i8", width), [by, power]);
        sum = binary(s, "vpaddd", sum, by, width);
      }
      return offset === 0
        ? sum
        : binary(
            s,
            "vpaddd",
            sum,
            { given: MEMORY, address: s.poolAddress(s.repeated(bytesOf32(offset), width)) },
            width,
          );
    }),
  );
  return true;
}

function bytesOf32(value: number): Uint8Array {
  return Uint8Array.of(value, value >> 8, value >> 16, value >> 24);
}

/** Any op that has a vector among its operands or as its result, but accesses and conversions. */
export function emitVector(s: Selector, instruction: Instruction): void {
  const { op, type } = instruction;
  const rule = OPS[op]?.rule;
  switch (rule) {
    case "binary-int":
      if (emitLogic(s, instruction)) return;
      emitInteger(s, instruction);
      return;
    case "unary-int":
    case "shift":
      emitInteger(s, instruction);
      return;
    case "unary-float":
    case "binary-float":
    case "ternary-float":
      emitFloat(s, instruction);
      return;
    case "compare-int":
    case "compare-float":
      emitCompare(s, instruction);
      return;
    case "select":
      emitVectorSelect(s, instruction);
      return;
    case "splat": {
      const [scalar] = instruction.operands as [Value];
      s.define(
        instruction,
        s.isDeferred(scalar) && scalar.op === Op.LOAD
          ? splatLoad(s, type, s.address(scalar.operands[0] as Value))
          : splatVector(s, type, s.maskBytesOf(instruction), s.one(scalar)),
      );
      return;
    }
    case "build":
      s.define(
        instruction,
        buildVector(
          s,
          type,
          s.maskBytesOf(instruction),
          instruction.operands.map((operand) => s.one(operand)),
        ),
      );
      return;
    case "extract":
      emitExtract(s, instruction);
      return;
    case "insert":
      emitInsert(s, instruction);
      return;
    case "shuffle":
      emitShuffle(s, instruction);
      return;
    case "permute":
      emitPermute(s, instruction);
      return;
    case "lanes-vote":
      emitVote(s, instruction);
      return;
    case "lanes-reduce":
      emitReduce(s, instruction);
      return;
    case "address":
      if (!emitWideAddresses(s, instruction)) emitAddresses(s, instruction);
      return;
    default:
      s.refuse(instruction, "an op that the target must lower reached the code generator");
  }
}

/** The scalar type of lanes. */
export function laneType(type: Type): Type {
  return scalarOf(type);
}
