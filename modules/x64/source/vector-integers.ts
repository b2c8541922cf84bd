// SPDX-License-Identifier: Apache-2.0
// Integers in lanes where AVX2 has no instruction for the op: shifts of all widths, products and their upper halves,
// counts of bits.
import { type Instruction, Op, type Value, constantLane, laneCount } from "@muxkit/ir";
import { MEMORY } from "@muxkit/x64-assembler";

import { narrow, widen } from "./lane-widths.ts";
import { vectorForm } from "./machine-builder.ts";
import type { RegisterOrMemory, Selector } from "./selector.ts";

/** Letters of instructions by bytes of a lane: 1, 2, 4, 8. */
export const LETTERS = "bwdq";

/** Templates by names of instructions. */
const ON_THREE = new Map<string, string>();

/** `name v, v, v/m` for a width. */
export function three(name: string, width: number): number {
  let template = ON_THREE.get(name);
  if (template === undefined) ON_THREE.set(name, (template = `${name} v, v, v/m`));
  return vectorForm(template, width);
}

/** Writes an instruction on two vectors. */
export function binary(s: Selector, name: string, a: number, b: RegisterOrMemory | number, width: number): number {
  return typeof b === "number"
    ? s.build.emit(three(name, width), [a, b])
    : s.build.emit(three(name, width), [a, b.given], b.address);
}

/** Where tables by width have lanes of so many bytes. */
export function column(bytes: number): number {
  return Math.log2(bytes);
}

/** A small number as a lane. */
export function laneOfNumber(value: number, bytes: number): Uint8Array {
  const lane = new Uint8Array(bytes);
  lane[0] = value;
  return lane;
}

/** An instruction on a vector and a constant in all lanes. */
function withLane(s: Selector, name: string, part: number, lane: Uint8Array, width: number): number {
  return binary(s, name, part, { given: MEMORY, address: s.poolAddress(s.repeated(lane, width)) }, width);
}

// Shifts.

const BY_IMMEDIATE: Readonly<Record<number, string>> = { [Op.SHL]: "vpsll", [Op.LSHR]: "vpsrl", [Op.ASHR]: "vpsra" };

/** The one amount of a constant shift. */
function splatAmount(value: Value, bits: number): number | undefined {
  if (value.kind !== "constant") return undefined;
  const first = constantLane(value, 0).low;
  for (let i = 1; i < laneCount(value.type); i++) if (constantLane(value, i).low !== first) return undefined;
  return first & (bits - 1);
}

function shiftPart(s: Selector, op: number, bytes: number, part: number, amount: number): number {
  const key = vectorForm(`${BY_IMMEDIATE[op]}${LETTERS[column(bytes)]} v, v, i8`, s.fn.width[part] as number);
  return s.build.emit(key, [part, amount]);
}

/** One bit of a lane. */
function bitLane(bit: number, bytes: number): Uint8Array {
  const lane = new Uint8Array(bytes);
  lane[bit >> 3] = 1 << (bit & 7);
  return lane;
}

/** Shifts of bytes by one amount: of words, less the bits that came from the byte beside. */
function shiftBytes(s: Selector, op: number, part: number, amount: number, width: number): number {
  if (op === Op.SHL) {
    const shifted = shiftPart(s, Op.SHL, 2, part, amount);
    return withLane(s, "vpand", shifted, Uint8Array.of((0xff << amount) & 0xff), width);
  }
  const shifted = withLane(s, "vpand", shiftPart(s, Op.LSHR, 2, part, amount), Uint8Array.of(0xff >> amount), width);
  return op === Op.LSHR ? shifted : extendSign(s, shifted, 7 - amount, 1, width);
}

/** Lanes whose sign is a lower bit. */
function extendSign(s: Selector, part: number, bit: number, bytes: number, width: number): number {
  const lane = bitLane(bit, bytes);
  return withLane(s, `vpsub${LETTERS[column(bytes)]}`, withLane(s, "vpxor", part, lane, width), lane, width);
}

/** A shift of all lanes by one amount that is neither 0 nor too large. */
function shiftBy(s: Selector, op: number, bytes: number, part: number, amount: number, width: number): number {
  const bits = 8 * bytes;
  const { isWide } = s.tier;
  if (isWide && op === Op.ROTL && bytes >= 4)
    return s.build.emit(vectorForm(`vprol${LETTERS[column(bytes)]} v, v/m, i8`, width), [part, amount]);
  if (isWide && op === Op.ASHR && bytes === 8)
    return s.build.emit(vectorForm("vpsraq v, v/m, i8", width), [part, amount]);
  if (op === Op.ROTL) {
    if (amount % 8 === 0) {
      const control = Uint8Array.from({ length: width }, (_, i) => {
        const at = i & 15;
        return at - (at % bytes) + (((at % bytes) + bytes - amount / 8) % bytes);
      });
      return binary(s, "vpshufb", part, { given: MEMORY, address: s.poolAddress(control) }, width);
    }
    const left = shiftBy(s, Op.SHL, bytes, part, amount, width);
    return binary(s, "vpor", left, shiftBy(s, Op.LSHR, bytes, part, bits - amount, width), width);
  }
  if (bytes === 1) return shiftBytes(s, op, part, amount, width);
  if (op !== Op.ASHR || bytes < 8) return shiftPart(s, op, bytes, part, amount);
  return extendSign(s, shiftPart(s, Op.LSHR, 8, part, amount), 63 - amount, 8, width);
}

/** Shifts that need no lanes; false for others. */
export function emitShift(s: Selector, instruction: Instruction, bytes: number): boolean {
  const { op } = instruction;
  const [a, b] = instruction.operands as [Value, Value];
  const bits = 8 * bytes;
  const amount = splatAmount(b, bits);
  if (amount !== undefined) {
    const parts = s.parts(a).map((part) => {
      const width = s.fn.width[part] as number;
      return amount === 0 ? part : shiftBy(s, op, bytes, part, amount, width);
    });
    s.define(instruction, parts);
    return true;
  }
  const least = s.tier.isWide ? 2 : 4;
  if (bytes < least && op === Op.ROTL) return false;
  const lanes = laneCount(instruction.type);
  const own = Math.max(bytes, least);
  const values = bytes < least ? widen(s, s.parts(a), lanes, bytes, least, op === Op.ASHR) : s.parts(a);
  const amounts = bytes < least ? widen(s, s.parts(b), lanes, bytes, least, false) : s.parts(b);
  const made = values.map((part, i) => {
    const width = s.fn.width[part] as number;
    const count = withLane(s, "vpand", amounts[i] as number, laneOfNumber(bits - 1, own), width);
    return shiftByLanes(s, op, own, part, count, width);
  });
  s.define(instruction, bytes < least ? narrow(s, made, lanes, least, bytes, false) : made);
  return true;
}

/** A shift by amounts in lanes of 4 or 8 bytes, in wide tiers of 2 too, that are not too large. */
function shiftByLanes(s: Selector, op: number, bytes: number, part: number, count: number, width: number): number {
  const letter = LETTERS[column(bytes)];
  if (s.tier.isWide && (op !== Op.ROTL || bytes >= 4)) {
    const name = op === Op.ROTL ? "vprol" : (BY_IMMEDIATE[op] as string);
    return binary(s, `${name}v${letter}`, part, count, width);
  }
  if (op === Op.ASHR && bytes === 8) {
    // The sign comes down with the value, and is extended from there.
    const sign = binary(s, "vpsrlvq", s.vector(s.repeated(bitLane(63, 8), width)), count, width);
    const shifted = binary(s, "vpsrlvq", part, count, width);
    return binary(s, "vpsubq", binary(s, "vpxor", shifted, sign, width), sign, width);
  }
  if (op !== Op.ROTL) return binary(s, `${BY_IMMEDIATE[op]}v${letter}`, part, count, width);
  const rest = binary(s, `vpsub${letter}`, s.vector(s.repeated(laneOfNumber(8 * bytes, bytes), width)), count, width);
  // A shift by all bits gives 0, as it has to.
  const left = binary(s, `vpsllv${letter}`, part, count, width);
  return binary(s, "vpor", left, binary(s, `vpsrlv${letter}`, part, rest, width), width);
}

// Products.

/** Products modulo 2^64 from those of halves. */
function multiply64(s: Selector, a: number, b: number): number {
  const { build } = s;
  const width = s.fn.width[a] as number;
  const shift = (name: string, value: number): number => build.emit(vectorForm(`${name} v, v, i8`, width), [value, 32]);
  const low = binary(s, "vpmuludq", a, b, width);
  const first = binary(s, "vpmuludq", shift("vpsrlq", a), b, width);
  const second = binary(s, "vpmuludq", a, shift("vpsrlq", b), width);
  return binary(s, "vpaddq", low, shift("vpsllq", binary(s, "vpaddq", first, second, width)), width);
}

/** Products of bytes: those of words, of which each half has the one of its byte. */
function multiplyBytes(s: Selector, a: number, b: number): number {
  const width = s.fn.width[a] as number;
  const high = (part: number): number => shiftPart(s, Op.LSHR, 2, part, 8);
  const upper = shiftPart(s, Op.SHL, 2, binary(s, "vpmullw", high(a), high(b), width), 8);
  const lower = withLane(s, "vpand", binary(s, "vpmullw", a, b, width), Uint8Array.of(0xff, 0), width);
  return binary(s, "vpor", upper, lower, width);
}

/** Upper halves of products of 32 bits: of lanes with even numbers, and of the others. */
function multiplyHigh(s: Selector, a: number, b: number, isSigned: boolean): number {
  const width = s.fn.width[a] as number;
  const name = isSigned ? "vpmuldq" : "vpmuludq";
  const odd = (part: number): number => s.shared(`odd ${part}`, () => shiftPart(s, Op.LSHR, 8, part, 32));
  const even = shiftPart(s, Op.LSHR, 8, binary(s, name, a, b, width), 32);
  const others = binary(s, name, odd(a), odd(b), width);
  if (s.tier.isWide)
    return s.build.emitMasked(vectorForm("vpblendmd v, v, v/m", width), [even, others], s.maskBits(0xaaaa), false);
  return s.build.emit(vectorForm("vpblendd v, v, v/m, i8", width), [even, others, 0xaa]);
}

/** Products that have no instruction; null for others. */
export function product(s: Selector, op: number, a: Value, b: Value, bytes: number): readonly number[] | null {
  const isHigh = (op === Op.SMULH || op === Op.UMULH) && bytes === 4;
  if (!isHigh && !(op === Op.MUL && (bytes === 8 || bytes === 1))) return null;
  const [x, y] = [s.parts(a), s.parts(b)];
  return x.map((part, i) => {
    const other = y[i] as number;
    if (isHigh) return multiplyHigh(s, part, other, op === Op.SMULH);
    return bytes === 8 ? multiply64(s, part, other) : multiplyBytes(s, part, other);
  });
}

// Counts of bits.

/** How many bits each half of a byte has. */
const NIBBLES: Uint8Array = Uint8Array.of(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);

/** Bits that are set: of halves of bytes by a table, then sums of bytes. */
function populationCount(s: Selector, part: number, bytes: number, width: number): number {
  const table = s.vector(s.repeated(NIBBLES, width));
  const low = withLane(s, "vpand", part, Uint8Array.of(15), width);
  const high = withLane(s, "vpand", shiftPart(s, Op.LSHR, 2, part, 4), Uint8Array.of(15), width);
  const count = (nibbles: number): number => binary(s, "vpshufb", table, nibbles, width);
  const counts = binary(s, "vpaddb", count(low), count(high), width);
  if (bytes === 1) return counts;
  if (bytes === 8) return binary(s, "vpsadbw", counts, s.zero(width), width);
  const words = withLane(s, "vpmaddubsw", counts, Uint8Array.of(1), width);
  return bytes === 2 ? words : withLane(s, "vpmaddwd", words, Uint8Array.of(1, 0), width);
}

/** Counts of bits; null for other ops. */
export function countBits(s: Selector, op: number, a: Value, bytes: number): readonly number[] | null {
  if (op !== Op.POPCOUNT && op !== Op.CTZ && op !== Op.CLZ) return null;
  // Bytes have no shifts of their own, by which leading bits are spread.
  if (op === Op.CLZ && bytes === 1) return null;
  if (op === Op.CLZ && bytes >= 4 && s.tier.isWide)
    return s
      .parts(a)
      .map((part) =>
        s.build.emit(vectorForm(`vplzcnt${LETTERS[column(bytes)]} v, v/m`, s.fn.width[part] as number), [part]),
      );
  return s.parts(a).map((part) => {
    const width = s.fn.width[part] as number;
    const ones = s.vector(new Uint8Array(width).fill(255));
    if (op === Op.POPCOUNT) return populationCount(s, part, bytes, width);
    if (op === Op.CTZ) {
      // The zeros below the last one, as ones.
      const less = binary(s, `vpadd${LETTERS[column(bytes)]}`, part, ones, width);
      return populationCount(s, binary(s, "vpandn", part, less, width), bytes, width);
    }
    let spread = part;
    for (let by = 1; by < 8 * bytes; by *= 2)
      spread = binary(s, "vpor", spread, shiftPart(s, Op.LSHR, bytes, spread, by), width);
    return populationCount(s, binary(s, "vpxor", spread, ones, width), bytes, width);
  });
}
