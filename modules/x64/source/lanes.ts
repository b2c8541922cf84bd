// SPDX-License-Identifier: Apache-2.0
// Vectors by chunks of 16 bytes and by lanes: taking apart, putting together, shuffles, other widths of lanes.
import { InternalError } from "@muxkit/cargo";
import { Op, type Type, type Value, laneCount, scalarOf } from "@muxkit/ir";
import { MEMORY } from "@muxkit/x64-assembler";

import { type Address, form, vectorForm } from "./machine-builder.ts";
import { buildMask, compareIntoMask, keepLanes, maskLane, splatMask } from "./masks.ts";
import { pickWide } from "./permutations.ts";
import type { Selector } from "./selector.ts";
import { ANY, pickWords } from "./shuffles.ts";
import { isFloatRegister, isMask, scalarBytes } from "./shape.ts";

/** A byte behind the last lane. */
const ANY_BYTE = -2;
const LETTER: Readonly<Record<number, string>> = { 1: "b", 2: "w", 4: "d", 8: "q" };

/** Chunk `chunk` of 16 bytes of a vector. */
export function chunkOf(s: Selector, parts: readonly number[], chunk: number): number {
  const perPart = s.tier.partBytes / 16;
  const part = parts[Math.floor(chunk / perPart)] as number;
  const within = chunk % perPart;
  if (within === 0) return part;
  const key = within > 1 ? "vextracti32x4 x/m128, z, i8" : "vextracti128 x/m128, y, i8";
  return s.shared(`chunk ${within} ${part}`, () => s.build.emit(form(key), [part, within]));
}

/** Some bytes of a vector, in the low bytes of a register: 32 or fewer that do not go beyond a register. */
export function bytesAt(s: Selector, parts: readonly number[], start: number, bytes: number): number {
  const { partBytes } = s.tier;
  const part = parts[Math.floor(start / partBytes)] as number;
  if (start % partBytes === 0) return part;
  if (bytes === 32)
    return s.shared(`upper ${part}`, () => s.build.emit(form("vextracti64x4 y/m256, z, i8"), [part, 1]));
  const chunk = chunkOf(s, parts, start >> 4);
  return (start & 15) === 0 ? chunk : s.build.emit(form("vpsrldq x, x, i8"), [chunk, start & 15]);
}

/** A vector of `bytes` bytes from chunks. */
export function fromChunks(s: Selector, chunks: readonly number[], bytes: number): readonly number[] {
  const pair = (at: number): number => {
    const low = chunks[at] as number;
    const high = chunks[at + 1];
    return high === undefined ? low : s.build.emit(form("vinserti128 y, y, x/m128, i8"), [low, high, 1]);
  };
  return s.widths(bytes).map((width, part) => {
    const first = (s.tier.partBytes / 16) * part;
    if (width === 16) return chunks[first] as number;
    if (width === 32) return pair(first);
    return s.build.emit(form("vinserti64x4 z, z, y/m256, i8"), [pair(first), pair(first + 2), 1]);
  });
}

/** How many chunks a vector of so many bytes has. */
export function chunkCount(bytes: number): number {
  return Math.ceil(bytes / 16);
}

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

/** Bytes picked from chunks: byte i of the result is byte `picks[i]` of all chunks in a row; -1 is 0. */
export function pickBytes(s: Selector, chunk: (index: number) => number, picks: readonly number[]): number {
  const sources = [...new Set(picks.filter((pick) => pick >= 0).map((pick) => pick >> 4))];
  if (sources.length === 0) return s.zero(16);
  const unpacked = sources.length === 2 ? unpack(s, chunk, sources, picks) : -1;
  if (unpacked !== -1) return unpacked;
  let result = -1;
  for (const source of sources) {
    const control = Uint8Array.from({ length: 16 }, (_, i) => {
      const pick = picks[i] ?? -1;
      return pick >= 0 && pick >> 4 === source ? pick & 15 : 0x80;
    });
    const own = shuffleBytes(s, chunk(source), control);
    result = result === -1 ? own : s.build.emit(form("vpor x, x, x/m128"), [result, own]);
  }
  return result;
}

/** Bytes of a part in another order within each half; 128 is 0. */
export function shuffleBytes(s: Selector, part: number, control: Uint8Array): number {
  if (control.every((byte, i) => byte === (i & 15))) return part;
  return s.build.emit(vectorForm("vpshufb v, v, v/m", control.length), [part, MEMORY], s.poolAddress(control));
}

/** Lanes of 1 or 2 bytes of two chunks in turns; -1 where they are not. */
function unpack(
  s: Selector,
  chunk: (index: number) => number,
  sources: readonly number[],
  picks: readonly number[],
): number {
  for (const [bytes, letters] of [
    [1, "bw"],
    [2, "wd"],
  ] as const) {
    for (const start of [0, 8]) {
      for (const [a, b] of [sources, [sources[1], sources[0]]] as [number, number][]) {
        const isMade = picks.every((pick, i) => {
          const lane = Math.floor(i / bytes);
          const at = start + (lane >> 1) * bytes + (i % bytes);
          return pick === ((lane & 1) === 0 ? a : b) * 16 + at;
        });
        if (isMade && picks.length === 16)
          return s.build.emit(form(`vpunpck${start === 0 ? "l" : "h"}${letters} x, x, x/m128`), [chunk(a), chunk(b)]);
      }
    }
  }
  return -1;
}

/** A part of a result: by words of 4 bytes; null where bytes of a word come from several places. */
export function wordsOf(picks: readonly number[]): readonly number[] | null {
  const words: number[] = [];
  for (let i = 0; i < picks.length; i += 4) {
    const own = picks.slice(i, i + 4);
    const known = own.findIndex((pick) => pick >= 0);
    if (known === -1) {
      words.push(ANY);
      continue;
    }
    const first = (own[known] as number) - known;
    if ((first & 3) !== 0 || own.some((pick, k) => pick >= 0 && pick !== first + k)) return null;
    words.push(first >> 2);
  }
  return words;
}

/** Zeros where nothing was picked. */
export function withZeros(s: Selector, part: number, picks: readonly number[], width: number): number {
  if (picks.every((pick) => pick >= 0)) return part;
  const keep = Uint8Array.from({ length: width }, (_, i) => ((picks[i] ?? -1) < 0 ? 0 : 255));
  return s.build.emit(vectorForm("vpand v, v, v/m", width), [part, MEMORY], s.poolAddress(keep));
}

/** Words of 4 bytes of a part of `width` bytes, where `picks` count bytes in parts of 32. */
function pickPart(s: Selector, parts: readonly number[], words: readonly number[], width: number): number {
  const first = words.find((word) => word !== ANY) as number;
  const isOfOne = words.every((word) => word === ANY || word >> 3 === first >> 3);
  const isOfBothHalves = words.some((word) => word !== ANY && word >> 2 !== first >> 2);
  if (width === 32 || (isOfOne && isOfBothHalves)) return pickWords(s, parts, words);
  // Halves of 16 bytes, each as a register.
  const chunks: number[] = [];
  const own = words.map((word) => {
    if (word === ANY) return ANY;
    const chunk = word >> 2;
    if (!chunks.includes(chunk)) chunks.push(chunk);
    return chunks.indexOf(chunk) * 8 + (word & 3);
  });
  return pickWords(
    s,
    chunks.map((chunk) => chunkOf(s, parts, chunk)),
    own,
  );
}

/** Every second lane of 1 or 2 bytes of two parts in a row; -1 where it is not that. */
function everySecond(s: Selector, parts: readonly number[], bytes: number, picks: readonly number[]): number {
  const first = picks[0] as number;
  const offset = first & 31;
  if (bytes > 2 || (offset !== 0 && offset !== bytes)) return -1;
  if (picks.some((pick, i) => pick !== first + 2 * bytes * Math.floor(i / bytes) + (i % bytes))) return -1;
  const [low, high] = [parts[first >> 5] as number, parts[(first >> 5) + 1] as number];
  const shifted = (part: number): number =>
    offset === 0 ? part : s.build.emit(form(`vpsrl${bytes === 1 ? "w" : "d"} y, y, i8`), [part, 8 * bytes]);
  const packed =
    offset === 0
      ? halve(s, 2 * bytes, low, high, false, true)
      : s.build.emit(form(`${bytes === 1 ? "vpackuswb" : "vpackusdw"} y, y, y/m256`), [shifted(low), shifted(high)]);
  return s.build.emit(form("vpermq y, y/m256, i8"), [packed, 0xd8]);
}

/** Lanes picked from several vectors in a row, each of `count` lanes of `bytes` bytes; -1 is 0. */
export function pickLanes(
  s: Selector,
  vectors: readonly (readonly number[])[],
  count: number,
  bytes: number,
  lanes: readonly number[],
): readonly number[] {
  const { partBytes, isWide } = s.tier;
  // Bytes count through parts of 32 or 64 bytes, of which the last of a vector may be shorter.
  const perVector = s.widths(count * bytes).length * partBytes;
  const parts = vectors.flat();
  const picks = lanes.flatMap((lane) =>
    Array.from({ length: bytes }, (_, k) =>
      lane < 0 ? -1 : Math.floor(lane / count) * perVector + (lane % count) * bytes + k,
    ),
  );
  let at = 0;
  return s.widths(picks.length).map((width) => {
    const own = Array.from({ length: width }, (_, i) => picks[at + i] ?? ANY_BYTE);
    at += width;
    if (own.every((pick) => pick < 0)) return s.zero(width);
    if (isWide) return pickWide(s, parts, own, width);
    const words = wordsOf(own);
    if (words !== null) {
      const zeros = own.map((pick) => (pick === ANY_BYTE ? 0 : pick));
      return withZeros(s, pickPart(s, parts, words, width), zeros, width);
    }
    const every = width === 32 ? everySecond(s, parts, bytes, own) : -1;
    if (every !== -1) return every;
    const low = own.slice(0, 16).map((pick) => Math.max(pick, -1));
    const high = own.slice(16).map((pick) => Math.max(pick, -1));
    const chunk = (index: number): number => chunkOf(s, parts, index);
    if (width === 16) return pickBytes(s, chunk, low);
    const source = Math.max(...low) >> 5;
    const isInPlace = low.every((pick) => pick < 0 || pick >> 4 === 2 * source);
    if (source >= 0 && isInPlace && high.every((pick) => pick < 0 || pick >> 4 === 2 * source + 1)) {
      const control = Uint8Array.from([...low, ...high], (pick) => (pick < 0 ? 0x80 : pick & 15));
      return shuffleBytes(s, parts[source] as number, control);
    }
    const halves = [pickBytes(s, chunk, low), pickBytes(s, chunk, high)];
    return s.build.emit(form("vinserti128 y, y, x/m128, i8"), [halves[0] as number, halves[1] as number, 1]);
  });
}

/** Lanes of integers made wider. */
export function widen(
  s: Selector,
  parts: readonly number[],
  lanes: number,
  from: number,
  to: number,
  isSigned: boolean,
): readonly number[] {
  const { build } = s;
  const factor = to / from;
  return s.widths(lanes * to).map((width, part) => {
    const own = width / factor;
    const source = bytesAt(s, parts, (s.tier.partBytes * part) / factor, own);
    const name = `vpmov${isSigned ? "s" : "z"}x${LETTER[from]}${LETTER[to]}`;
    return build.emit(vectorForm(`${name} v, ${own === 32 ? "y" : "x"}/m${own * 8}`, width), [source]);
  });
}

/** Lanes of integers made narrower: their low bits. Of masks the lanes are kept by saturation. */
export function narrow(
  s: Selector,
  parts: readonly number[],
  lanes: number,
  from: number,
  to: number,
  isOfMask: boolean,
): readonly number[] {
  if (s.tier.isWide) return truncate(s, parts, lanes, from, to);
  let current = parts;
  for (let bytes = from; bytes > to; bytes /= 2) {
    const step = bytes;
    const own = current;
    const widths = s.widths(lanes * step);
    current = s.widths((lanes * step) / 2).map((width, i) => {
      const low = own[2 * i] as number;
      if (width === 32) {
        const high = own[2 * i + 1] as number;
        return s.build.emit(form("vpermq y, y/m256, i8"), [halve(s, step, low, high, isOfMask, true), 0xd8]);
      }
      if (widths[2 * i] === 16) return halve(s, step, low, low, isOfMask, false);
      return halve(s, step, low, chunkOf(s, own, 4 * i + 1), isOfMask, false);
    });
  }
  return current;
}

/** The same by one instruction for each register, whose results are put together. */
function truncate(s: Selector, parts: readonly number[], lanes: number, from: number, to: number): readonly number[] {
  const factor = from / to;
  const pieces = s.widths(lanes * from).map((width, i) => {
    const own = width / factor;
    const key = `vpmov${LETTER[from]}${LETTER[to]} ${own === 32 ? "y" : "x"}/m${8 * own}, v`;
    return s.build.emit(vectorForm(key, width), [parts[i] as number]);
  });
  return fromPieces(s, pieces, s.tier.partBytes / factor, lanes * to);
}

/** A vector of `bytes` bytes from registers of which each has `each` (8, 16 or 32) of them, the last one maybe fewer. */
export function fromPieces(s: Selector, pieces: readonly number[], each: number, bytes: number): readonly number[] {
  const paired = (key: string, immediate: readonly number[]): readonly number[] => {
    const made: number[] = [];
    for (let i = 0; i < pieces.length; i += 2) {
      const [low, high] = [pieces[i] as number, pieces[i + 1]];
      made.push(high === undefined ? low : s.build.emit(form(key), [low, high, ...immediate]));
    }
    return made;
  };
  if (each === 32) return paired("vinserti64x4 z, z, y/m256, i8", [1]);
  return fromChunks(s, each === 16 ? pieces : paired("vpunpcklqdq x, x, x/m128", []), bytes);
}

/**
 * Two registers of lanes of half the width; each half of 16 bytes has that of the first, then that of the second one.
 */
function halve(s: Selector, bytes: number, low: number, high: number, isOfMask: boolean, isWide: boolean): number {
  const { build } = s;
  const [v, m] = isWide ? ["y", "m256"] : ["x", "m128"];
  const three = (name: string): number => form(`${name} ${v}, ${v}, ${v}/${m}`);
  if (bytes === 8) return build.emit(form(`vshufps ${v}, ${v}, ${v}/${m}, i8`), [low, high, 0x88]);
  if (isOfMask) return build.emit(three(bytes === 4 ? "vpackssdw" : "vpacksswb"), [low, high]);
  const keep = Uint8Array.from({ length: isWide ? 32 : 16 }, (_, i) => (i % bytes < bytes / 2 ? 255 : 0));
  const masked = (part: number): number =>
    s.shared(`low ${bytes} ${v} ${part}`, () => build.emit(three("vpand"), [part, MEMORY], s.poolAddress(keep)));
  return build.emit(three(bytes === 4 ? "vpackusdw" : "vpackuswb"), [masked(low), masked(high)]);
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
