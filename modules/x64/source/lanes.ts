// SPDX-License-Identifier: Apache-2.0
// Lanes of vectors as scalars: taken out, put together, spread, found by an index.
import { InternalError } from "@muxkit/cargo";
import { Op, type Type, type Value, laneCount, scalarOf } from "@muxkit/ir";
import { MEMORY } from "@muxkit/x64-assembler";

import { chunkOf, fromChunks } from "./chunks.ts";
import { type Address, form, vectorForm } from "./machine-builder.ts";
import { buildMask, compareIntoMask, keepLanes, maskLane, splatMask } from "./masks.ts";
import type { Selector } from "./selector.ts";
import { isFloatRegister, isMask, scalarBytes } from "./shape.ts";

const LETTER: Readonly<Record<number, string>> = { 1: "b", 2: "w", 4: "d", 8: "q" };

const EXTRACT: Readonly<Record<number, string>> = {
  1: "vpextrb r32/m8, x, i8",
  2: "vpextrw r32, x, i8",
  4: "vpextrd r32/m32, x, i8",
  8: "vpextrq r64/m64, x, i8",
};
const INSERT: Readonly<Record<number, string>> = {
  1: "vpinsrb x, x, r32/m8, i8",
  2: "vpinsrw x, x, r32/m16, i8",
  4: "vpinsrd x, x, r32/m32, i8",
  8: "vpinsrq x, x, r64/m64, i8",
};

/** The bits of a lane of a chunk in a general register. */
export function bitsOfLane(s: Selector, chunk: number, lane: number, bytes: number): number {
  if (lane === 0 && bytes === 4) return s.build.emit(form("vmovd r32/m32, x"), [chunk]);
  if (lane === 0 && bytes === 8) return s.build.emit(form("vmovq r64/m64, x"), [chunk]);
  return s.build.emit(form(EXTRACT[bytes] as string), [chunk, lane]);
}

/** Bytes of the lanes of a value in registers. */
export function laneBytesOf(s: Selector, value: Value): number {
  return isMask(value.type) ? s.maskBytesOf(value) : scalarBytes(value.type);
}

/** A lane of a vector as a scalar. */
export function laneOf(s: Selector, value: Value, lane: number): number {
  return laneOfParts(s, s.parts(value), value.type, laneBytesOf(s, value), lane);
}

/** The same of a vector in registers. */
export function laneOfParts(s: Selector, parts: readonly number[], type: Type, bytes: number, lane: number): number {
  if (isMask(type) && s.tier.isWide) return maskLane(s, parts, bytes, lane);
  const scalar = scalarOf(type);
  const perChunk = 16 / bytes;
  const chunk = chunkOf(s, parts, Math.floor(lane / perChunk));
  const within = lane % perChunk;
  if (isFloatRegister(scalar)) {
    if (within === 0) return chunk;
    return bytes === 8
      ? s.build.emit(form("vunpckhpd x, x, x/m128"), [chunk, chunk])
      : s.build.emit(form("vpshufd x, x/m128, i8"), [chunk, within]);
  }
  const bits = bitsOfLane(s, chunk, within, bytes);
  return isMask(type) ? s.build.emit(form("and r32/m32, s8"), [bits, 1]) : bits;
}

/** A vector from scalars. */
export function buildVector(s: Selector, type: Type, maskBytes: number, lanes: readonly number[]): readonly number[] {
  if (isMask(type) && s.tier.isWide) return buildMask(s, lanes, maskBytes);
  const bytes = isMask(type) ? maskBytes : scalarBytes(type);
  const isFloat = isFloatRegister(scalarOf(type));
  const perChunk = 16 / bytes;
  const chunks: number[] = [];
  for (let first = 0; first < lanes.length; first += perChunk) {
    const own = lanes.slice(first, first + perChunk);
    chunks.push(isFloat ? floatChunk(s, own, bytes) : integerChunk(s, own, bytes, isMask(type)));
  }
  return fromChunks(s, chunks, lanes.length * bytes);
}

function floatChunk(s: Selector, lanes: readonly number[], bytes: number): number {
  let chunk = lanes[0] as number;
  for (let i = 1; i < lanes.length; i++) {
    chunk =
      bytes === 8
        ? s.build.emit(form("vunpcklpd x, x, x/m128"), [chunk, lanes[i] as number])
        : s.build.emit(form("vinsertps x, x, x/m32, i8"), [chunk, lanes[i] as number, i << 4]);
  }
  return chunk;
}

function integerChunk(s: Selector, lanes: readonly number[], bytes: number, isMaskLane: boolean): number {
  const lane = (value: number): number =>
    isMaskLane ? s.build.emit(bytes === 8 ? form("neg r64/m64") : form("neg r32/m32"), [value]) : value;
  let chunk = s.build.emit(form(bytes === 8 ? "vmovq x, r64" : "vmovd x, r32/m32"), [lane(lanes[0] as number)]);
  for (let i = 1; i < lanes.length; i++)
    chunk = s.build.emit(form(INSERT[bytes] as string), [chunk, lane(lanes[i] as number), i]);
  return chunk;
}

/** All lanes equal to a scalar. */
export function splatVector(s: Selector, type: Type, maskBytes: number, scalar: number): readonly number[] {
  const { build } = s;
  const bytes = isMask(type) ? maskBytes : scalarBytes(type);
  const isBits = !isFloatRegister(scalarOf(type));
  const suffix = LETTER[bytes] as string;
  if (s.tier.isWide && isBits) {
    if (isMask(type)) return splatMask(s, laneCount(type), maskBytes, scalar);
    const key = `vpbroadcast${suffix} v, r${bytes === 8 ? 64 : 32}`;
    return s
      .widths(laneCount(type) * bytes)
      .map((width) => s.shared(`${key} ${scalar} ${width}`, () => build.emit(vectorForm(key, width), [scalar])));
  }
  const low = (): number => {
    if (!isBits) return scalar;
    const bits = isMask(type) ? build.emit(form("neg r64/m64"), [scalar]) : scalar;
    return build.emit(form(bytes === 8 ? "vmovq x, r64" : "vmovd x, r32/m32"), [bits]);
  };
  const key = `splat ${isMask(type)} ${suffix} ${scalar}`;
  return s
    .widths(laneCount(type) * bytes)
    .map((width) =>
      s.shared(`${key} ${width}`, () =>
        build.emit(vectorForm(`vpbroadcast${suffix} v, x/m${bytes * 8}`, width), [s.shared(`${key} low`, low)]),
      ),
    );
}

/** All lanes equal to a scalar in memory. */
export function splatLoad(s: Selector, type: Type, address: Address): readonly number[] {
  const bytes = scalarBytes(type);
  const widths = s.widths(laneCount(type) * bytes);
  const key = `vpbroadcast${LETTER[bytes]} v, x/m${bytes * 8}`;
  const made = s.build.emit(vectorForm(key, widths[0] as number), [MEMORY], address);
  // The first half of it is what a shorter part needs.
  return widths.map(() => made);
}

/** One bit for each byte of a chunk. */
export function byteBits(s: Selector, chunk: number): number {
  return s.build.emit(form("vpmovmskb r32, x"), [chunk]);
}

/** An index modulo the lanes of a vector, in 64 bits. */
export function laneIndex(s: Selector, index: number, lanes: number): number {
  const { build } = s;
  if ((lanes & (lanes - 1)) === 0) return build.emit(form("and r32/m32, s8"), [index, lanes - 1]);
  if (lanes > 64) throw new InternalError("a vector has at most 64 lanes");
  build.emit(form("div r32/m32"), [s.integer(lanes), index, s.integer(0)]);
  return build.emit(form("mov r32, r32/m32"), [build.results[1] as number]);
}

/** The numbers of lanes, in lanes of `bytes` bytes, from `first` on. */
function laneNumbers(first: number, bytes: number, width: number): Uint8Array {
  return Uint8Array.from({ length: width }, (_, i) => (i % bytes === 0 ? first + i / bytes : 0));
}

/** A mask that is on in the lane at an index, and off in the others. */
export function laneAt(s: Selector, index: number, lanes: number, bytes: number): readonly number[] {
  const { build } = s;
  const { isWide, partBytes } = s.tier;
  const letter = LETTER[bytes];
  const low = isWide ? index : build.emit(form(bytes === 8 ? "vmovq x, r64" : "vmovd x, r32/m32"), [index]);
  const source = isWide ? `r${bytes === 8 ? 64 : 32}` : `x/m${8 * bytes}`;
  return s.widths(lanes * bytes).map((width, part) => {
    const wanted = build.emit(vectorForm(`vpbroadcast${letter} v, ${source}`, width), [low]);
    const numbers = s.poolAddress(laneNumbers((partBytes * part) / bytes, bytes, width));
    if (isWide) return compareIntoMask(s, Op.EQ, wanted, { given: MEMORY, address: numbers }, bytes, width);
    return build.emit(vectorForm(`vpcmpeq${letter} v, v, v/m`, width), [wanted, MEMORY], numbers);
  });
}

/** The bits of the lane at an index, in the first lane of a vector. */
export function pickLane(s: Selector, parts: readonly number[], index: number, lanes: number, bytes: number): number {
  const { build } = s;
  let found = -1;
  const widths = s.widths(lanes * bytes);
  laneAt(s, index, lanes, bytes).forEach((mask, i) => {
    const own = keepLanes(s, { given: parts[i] as number, address: null }, mask, bytes, widths[i] as number);
    found = found === -1 ? own : build.emit(vectorForm("vpor v, v, v/m", widths[0] as number), [found, own]);
  });
  // All other lanes are 0: joined from half to half, the lane comes to the front.
  if (widths[0] === 64)
    found = build.emit(form("vpor y, y, y/m256"), [found, build.emit(form("vextracti64x4 y/m256, z, i8"), [found, 1])]);
  if (lanes * bytes > 16)
    found = build.emit(form("vpor x, x, x/m128"), [found, build.emit(form("vextracti128 x/m128, y, i8"), [found, 1])]);
  for (let half = 8; half >= bytes; half /= 2)
    found = build.emit(form("vpor x, x, x/m128"), [found, build.emit(form("vpsrldq x, x, i8"), [found, half])]);
  return found;
}

/** A scalar's bits in a general register. */
export function scalarBits(s: Selector, type: Type, value: number): number {
  if (!isFloatRegister(type)) return value;
  return s.build.emit(form(type.bits === 64 ? "vmovq r64/m64, x" : "vmovd r32/m32, x"), [value]);
}

/** A scalar from its bits. */
export function scalarFromBits(s: Selector, type: Type, bits: number): number {
  if (!isFloatRegister(type)) return bits;
  return s.build.emit(form(type.bits === 64 ? "vmovq x, r64" : "vmovd x, r32/m32"), [bits]);
}
