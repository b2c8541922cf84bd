// SPDX-License-Identifier: Apache-2.0
/**
 * Masks of lanes in both forms: as lanes of all ones or zeros, and as registers of masks (`tier.ts`).
 *
 * In both forms a mask has a part for each register of the lanes that it is made for, which `bytes` says: so what
 * compares lanes and what selects among lanes of the same width need no instruction in between. What is behind the last
 * lane is anything; `limitedMask` makes zeros of it where that matters.
 */
import { type Constant, type Instruction, Op, type Value, constantLane, laneCount } from "@muxkit/ir";
import { MEMORY } from "@muxkit/x64-assembler";

import { narrow, widen } from "./lane-widths.ts";
import { form, vectorForm } from "./machine-builder.ts";
import { PLAIN } from "./machine-function.ts";
import type { RegisterOrMemory, Selector } from "./selector.ts";

const LETTER: Readonly<Record<number, string>> = { 1: "b", 2: "w", 4: "d", 8: "q" };
/** Lanes that the largest part has when they have one byte. */
const MOST = 64;

const AND = form("kandq k, k, k");
/** Not the first, and the second. */
const AND_NOT = form("kandnq k, k, k");
const OR = form("korq k, k, k");
const XOR = form("kxorq k, k, k");
const NOT = form("knotq k, k");
const SHIFT_RIGHT = form("kshiftrq k, k, i8");
const TO_BITS = form("kmovq r64, k");
const FROM_BITS = form("kmovq k, r64");
/** The second one's lanes, then those of the first one, by bytes of the wider lanes. */
const JOIN: Readonly<Record<number, number>> = {
  8: form("kunpckbw k, k, k"),
  4: form("kunpckwd k, k, k"),
  2: form("kunpckdq k, k, k"),
};

// Registers of masks.

/** A number of 32 bits with its first bits set. */
function firstBits(count: number): number {
  return count >= 32 ? -1 : (1 << Math.max(0, count)) - 1;
}

/** The constant mask with its first lanes on. */
export function firstLanes(s: Selector, count: number): number {
  return s.maskBits(firstBits(count), firstBits(count - 32));
}

/** A constant mask in registers of masks, for lanes of so many bytes. */
export function maskConstant(s: Selector, constant: Constant, bytes: number): readonly number[] {
  const lanes = laneCount(constant.type);
  return s.widths(lanes * bytes).map((_, part) => {
    const halves = [0, 0] as [number, number];
    const first = (part * MOST) / bytes;
    for (let i = first; i < Math.min(lanes, first + MOST / bytes); i++)
      if (constantLane(constant, i).low !== 0) {
        const half = (i - first) >> 5;
        halves[half] = (halves[half] as number) | (1 << ((i - first) & 31));
      }
    return s.maskBits(halves[0], halves[1]);
  });
}

/** All lanes in one register: masks have at most 64. */
function whole(s: Selector, parts: readonly number[], lanes: number, bytes: number): number {
  return resizeMask(s, parts, lanes, bytes, 1)[0] as number;
}

/** A mask register's bits in a general register. */
function bitsOf(s: Selector, mask: number): number {
  return s.shared(`bits ${mask}`, () => s.build.emit(TO_BITS, [mask]));
}

function resizeRegisters(s: Selector, parts: readonly number[], lanes: number, from: number, to: number): number[] {
  if (from < to) {
    return s.widths(lanes * to).map((_, i) => {
      const first = (i * MOST) / to;
      const source = parts[Math.floor((first * from) / MOST)] as number;
      const by = first % (MOST / from);
      return by === 0 ? source : s.build.emit(SHIFT_RIGHT, [source, by]);
    });
  }
  let current = [...parts];
  for (let bytes = from; bytes > to; bytes /= 2) {
    const joined: number[] = [];
    for (let i = 0; i < current.length; i += 2) {
      const [low, high] = [current[i] as number, current[i + 1]];
      joined.push(high === undefined ? low : s.build.emit(JOIN[bytes] as number, [high, low]));
    }
    current = joined;
  }
  return current;
}

/** A scalar of i1 in all lanes of a mask register. */
function splatRegister(s: Selector, scalar: number): number {
  return s.shared(`mask of ${scalar}`, () => s.build.emit(FROM_BITS, [s.build.emit(form("neg r64/m64"), [scalar])]));
}

/** A mask register from scalars of i1: each is one bit of a number. */
function registerOf(s: Selector, lanes: readonly number[]): number {
  let bits = lanes.at(-1) as number;
  for (let i = lanes.length - 2; i >= 0; i--)
    bits = s.build.emit(form("lea r64, m"), [MEMORY], {
      kind: PLAIN,
      base: lanes[i] as number,
      index: bits,
      scale: 1,
      displacement: 0,
    });
  return s.build.emit(FROM_BITS, [bits]);
}

/** A mask register's bits from one on, in a general register. */
export function maskBitsFrom(s: Selector, mask: number, first: number): number {
  const bits = bitsOf(s, mask);
  return first === 0 ? bits : s.build.emit(form("shr r64/m64, i8"), [bits, first]);
}

/** The lane of a mask at a number, as 0 or 1. */
export function maskLane(s: Selector, parts: readonly number[], bytes: number, lane: number): number {
  const within = lane % (MOST / bytes);
  const shifted = maskBitsFrom(s, parts[Math.floor((lane * bytes) / MOST)] as number, within);
  return s.build.emit(form("and r32/m32, s8"), [shifted, 1]);
}

/** The lane of a mask at an index, as 0 or 1. */
export function maskLaneAt(s: Selector, value: Value, index: number): number {
  const lanes = laneCount(value.type);
  const bits = bitsOf(s, whole(s, s.parts(value), lanes, s.maskBytesOf(value)));
  const shifted = s.build.emit(form("shrx r64, r64/m64, r64"), [bits, index]);
  return s.build.emit(form("and r32/m32, s8"), [shifted, 1]);
}

/** A mask with another lane at an index: a constant's number, or a register. */
export function withMaskLane(
  s: Selector,
  parts: readonly number[],
  lanes: number,
  bytes: number,
  scalar: number,
  index: { readonly lane: number } | { readonly register: number },
): readonly number[] {
  const { build } = s;
  const all = splatRegister(s, scalar);
  const replaced = (old: number, place: number): number =>
    build.emit(OR, [build.emit(AND, [all, place]), build.emit(AND_NOT, [place, old])]);
  if ("lane" in index) {
    const part = Math.floor((index.lane * bytes) / MOST);
    const within = index.lane % (MOST / bytes);
    const place = within < 32 ? s.maskBits(1 << within) : s.maskBits(0, 1 << (within - 32));
    return parts.map((old, i) => (i === part ? replaced(old, place) : old));
  }
  const bit = build.emit(form("shlx r64, r64/m64, r64"), [s.integer(1), index.register]);
  const made = replaced(whole(s, parts, lanes, bytes), build.emit(FROM_BITS, [bit]));
  return resizeMask(s, [made], lanes, 1, bytes);
}

// Both forms.

/** A mask with lanes of another width. */
export function resizeMask(
  s: Selector,
  parts: readonly number[],
  lanes: number,
  from: number,
  to: number,
): readonly number[] {
  if (from === to) return parts;
  let made: readonly number[] | null = null;
  const resized = (): readonly number[] => {
    if (made === null) {
      if (s.tier.isWide) made = resizeRegisters(s, parts, lanes, from, to);
      else made = from < to ? widen(s, parts, lanes, from, to, true) : narrow(s, parts, lanes, from, to, true);
    }
    return made;
  };
  return s
    .widths(lanes * to)
    .map((_, i) => s.shared(`mask ${parts.join()} ${from} ${to} ${i}`, () => resized()[i] as number));
}

/** A mask's part as lanes of all ones or zeros. */
export function maskAsLanes(s: Selector, part: number, bytes: number, width: number): number {
  if (!s.tier.isWide) return part;
  return s.shared(`lanes ${part} ${bytes} ${width}`, () =>
    s.build.emit(vectorForm(`vpmovm2${LETTER[bytes]} v, k`, width), [part]),
  );
}

/** The reverse, for registers of masks: lanes of all ones or zeros as a mask's part. */
export function maskOfLanes(s: Selector, lanes: number, bytes: number, width: number): number {
  return s.build.emit(vectorForm(`vpmov${LETTER[bytes]}2m k, v`, width), [lanes]);
}

/** Lanes of `yes` where a mask is on, else of `no`. */
export function blend(s: Selector, no: number, yes: number, mask: number, bytes: number, width: number): number {
  return s.tier.isWide
    ? s.build.emitMasked(vectorForm(`vpblendm${LETTER[bytes]} v, v, v/m`, width), [no, yes], mask, false)
    : s.build.emit(vectorForm("vpblendvb v, v, v/m, v", width), [no, yes, mask]);
}

/** Lanes of a value where a mask is on, else zeros. */
export function keepLanes(
  s: Selector,
  { given, address }: RegisterOrMemory,
  mask: number,
  bytes: number,
  width: number,
): number {
  return s.tier.isWide
    ? s.build.emitMasked(vectorForm(`vmovdqu${8 * bytes} v, v/m`, width), [given], mask, true, address)
    : s.build.emit(vectorForm("vpand v, v, v/m", width), [mask, given], address);
}

/** A mask's part of which only the first lanes count: the others are off. */
export function limitedMask(s: Selector, part: number, lanes: number, bytes: number, width: number): number {
  if (lanes * bytes >= width) return part;
  if (s.tier.isWide) return s.build.emit(AND, [part, firstLanes(s, lanes)]);
  const keep = Uint8Array.from({ length: width }, (_, i) => (i < lanes * bytes ? 255 : 0));
  return s.build.emit(vectorForm("vpand v, v, v/m", width), [part, MEMORY], s.poolAddress(keep));
}

/** A scalar of i1 in all lanes of each part of a mask. */
export function splatMask(s: Selector, lanes: number, bytes: number, scalar: number): readonly number[] {
  return s.widths(lanes * bytes).map(() => splatRegister(s, scalar));
}

/** A mask from scalars of i1, in registers of masks. */
export function buildMask(s: Selector, lanes: readonly number[], bytes: number): readonly number[] {
  const each = MOST / bytes;
  return s.widths(lanes.length * bytes).map((_, part) => registerOf(s, lanes.slice(part * each, (part + 1) * each)));
}

/** Ops on single bits, as those that combine masks. */
const ON_BITS: Readonly<Record<number, "and" | "or" | "xor">> = {
  [Op.ADD]: "xor",
  [Op.SUB]: "xor",
  [Op.XOR]: "xor",
  [Op.MUL]: "and",
  [Op.AND]: "and",
  [Op.SDIV]: "and",
  [Op.UDIV]: "and",
  [Op.SMAX]: "and",
  [Op.UMIN]: "and",
  [Op.OR]: "or",
  [Op.SMIN]: "or",
  [Op.UMAX]: "or",
};
const COMBINE = { and: AND, or: OR, xor: XOR } as const;

function combine(s: Selector, how: "and" | "or" | "xor" | "andn", a: number, b: number, width: number): number {
  if (!s.tier.isWide) return s.build.emit(vectorForm(`vp${how} v, v, v/m`, width), [a, b]);
  return s.build.emit(how === "andn" ? AND_NOT : COMBINE[how], [a, b]);
}

/** Lanes of a mask register that another one has not. */
export function andNotMask(s: Selector, off: number, on: number): number {
  return s.build.emit(AND_NOT, [off, on]);
}

/** The lanes of a mask turned. */
export function notMask(s: Selector, part: number, width: number): number {
  if (s.tier.isWide) return s.build.emit(NOT, [part]);
  return combine(s, "xor", part, s.vector(new Uint8Array(width).fill(255)), width);
}

/** An op on masks. */
export function emitMaskOp(s: Selector, instruction: Instruction): void {
  const { op } = instruction;
  const bytes = s.maskBytesOf(instruction);
  const [a, b] = instruction.operands as [Value, Value | undefined];
  const first = s.mask(a, bytes);
  const second = b === undefined ? [] : s.mask(b, bytes);
  const widths = s.widths(laneCount(instruction.type) * bytes);
  s.define(
    instruction,
    first.map((part, i) => {
      const width = widths[i] as number;
      const other = second[i] as number;
      const how = ON_BITS[op];
      if (how !== undefined) return combine(s, how, part, other, width);
      if (op === Op.SREM || op === Op.UREM) return combine(s, "andn", other, part, width);
      if (op === Op.CLZ || op === Op.CTZ) return notMask(s, part, width);
      if (op === Op.SMULH || op === Op.UMULH) return s.tier.isWide ? s.maskBits(0) : s.zero(width);
      return part;
    }),
  );
}

/** A selection among registers of masks. */
export function selectMask(s: Selector, no: number, yes: number, mask: number): number {
  return s.build.emit(OR, [s.build.emit(AND, [mask, yes]), s.build.emit(AND_NOT, [mask, no])]);
}

// Comparisons and votes.

/** Predicates of comparisons of integers into masks. */
export const INTEGER_PREDICATES: Readonly<Record<number, number>> = {
  [Op.EQ]: 0,
  [Op.NE]: 4,
  [Op.SLT]: 1,
  [Op.ULT]: 1,
  [Op.SLE]: 2,
  [Op.ULE]: 2,
  [Op.SGE]: 5,
  [Op.UGE]: 5,
  [Op.SGT]: 6,
  [Op.UGT]: 6,
};
const UNSIGNED: ReadonlySet<number> = new Set([Op.ULT, Op.ULE, Op.UGE, Op.UGT]);

/** The instruction that compares integers of so many bytes into a mask register. */
export function integerCompareName(op: number, bytes: number): string {
  return `vpcmp${UNSIGNED.has(op) ? "u" : ""}${LETTER[bytes]}`;
}

/** A comparison of integers into a mask register. */
export function compareIntoMask(
  s: Selector,
  op: number,
  a: number,
  { given, address }: RegisterOrMemory,
  bytes: number,
  width: number,
): number {
  const key = vectorForm(`${integerCompareName(op, bytes)} k, v, v/m, i8`, width);
  return s.build.emit(key, [a, given, INTEGER_PREDICATES[op] as number], address);
}

/** A comparison of floats (`ps` or `pd`) by a predicate of the processor. */
export function compareFloatParts(
  s: Selector,
  suffix: string,
  a: number,
  { given, address }: RegisterOrMemory,
  predicate: number,
  width: number,
): number {
  const target = s.tier.isWide ? "k" : "v";
  return s.build.emit(vectorForm(`vcmp${suffix} ${target}, v, v/m, i8`, width), [a, given, predicate], address);
}

const NOT_EQUAL = 5;
const BELOW = 2;
/** Sets ZF where no lane of so many is on, and CF where all are. */
const TEST: Readonly<Record<number, number>> = {
  8: form("kortestb k, k"),
  16: form("kortestw k, k"),
  32: form("kortestd k, k"),
  64: form("kortestq k, k"),
};

/** Votes by mask registers: sets the flags and yields the condition under which the vote is 1. */
export function voteByRegisters(s: Selector, instruction: Instruction): number {
  const [vector] = instruction.operands as [Value];
  const isAny = instruction.op === Op.ANY;
  const parts = s.parts(vector);
  const lanes = laneCount(vector.type);
  const most = MOST / s.maskBytesOf(vector);
  const slots = parts.length === 1 && TEST[lanes] !== undefined ? lanes : most;
  const counted = parts.map((part, i) => {
    const own = Math.min(slots, lanes - i * most);
    if (own === slots) return part;
    // What lies behind the last lane does not count: it is off for `any`, and on for `all`.
    const first = firstLanes(s, own);
    return isAny ? s.build.emit(AND, [part, first]) : s.build.emit(OR, [part, s.build.emit(NOT, [first])]);
  });
  const joined = counted.reduce((all, part) => s.build.emit(isAny ? OR : AND, [all, part]));
  s.build.emit(TEST[slots] as number, [joined, joined]);
  return isAny ? NOT_EQUAL : BELOW;
}
