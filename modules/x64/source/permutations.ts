// SPDX-License-Identifier: Apache-2.0
/**
 * Shuffles where a permutation takes any lanes of two registers of 64 bytes (`vpermt2`).
 *
 * What is wanted is a list, as in `shuffles.ts`. In this order: one register as it is, a part of it, or by an
 * immediate; two registers joined without a constant; then a permutation of one or two registers, whose lanes are a
 * constant; of more registers each half is permuted, and the halves are blended. Bytes, which need another feature,
 * are brought to their places within halves of 16. Cost: linear in lanes and registers.
 */
import { chunkOf, fromChunks, fromPieces } from "./chunks.ts";
import { pickBytes, shuffleBytes, withZeros } from "./pick-bytes.ts";
import { vectorForm, form } from "./machine-builder.ts";
import type { Selector } from "./selector.ts";

/** Any lane will do. */
const ANY = -1;
/** Bytes of the largest part. */
const PART = 64;
const LETTER: Readonly<Record<number, string>> = { 2: "w", 4: "d" };

/** Lanes of `unit` bytes that lists of bytes are made of; null where bytes of one come from several places. */
function unitsOf(picks: readonly number[], unit: number): readonly number[] | null {
  const units: number[] = [];
  for (let i = 0; i < picks.length; i += unit) {
    const known = picks.slice(i, i + unit).findIndex((pick) => pick >= 0);
    if (known === -1) {
      units.push(ANY);
      continue;
    }
    const first = (picks[i + known] as number) - known;
    for (let k = 0; k < unit; k++) {
      const pick = picks[i + k] as number;
      if (pick >= 0 && pick !== first + k) return null;
    }
    if (first % unit !== 0) return null;
    units.push(first / unit);
  }
  return units;
}

/** Lanes of 2 or 4 bytes picked from registers: what is wanted, and from which registers. */
interface Request {
  readonly unit: number;
  /** The registers that have lanes of the result. */
  readonly sources: readonly number[];
  /** For each lane of the result: the number of its register times the lanes of a part, plus its place; or ANY. */
  readonly wanted: readonly number[];
}

function isAll(wanted: readonly number[], rule: (i: number) => number): boolean {
  return wanted.every((lane, i) => lane === ANY || lane === rule(i));
}

/** Bytes that an instruction must work on to reach the lanes that are wanted, and to write all of the result. */
function reach({ unit, wanted }: Request): number {
  const most = PART / unit;
  const highest = Math.max(0, ...wanted.map((lane) => (lane === ANY ? 0 : lane % most)));
  return [16, 32, 64].find((bytes) => bytes >= wanted.length * unit && highest * unit < bytes) as number;
}

/** The numbers of lanes as a constant of so many bytes; registers count from `second` on where there are two. */
function numbers({ unit, wanted }: Request, bytes: number): Uint8Array {
  const most = PART / unit;
  const control = new Uint8Array(bytes);
  wanted.forEach((lane, i) => {
    if (lane === ANY) return;
    control[i * unit] = (lane % most) + (lane >= most ? bytes / unit : 0);
  });
  return control;
}

/** The same choice of four words in each half of 16 bytes, as an immediate; -1 where it is not that. */
function choiceInHalves(wanted: readonly number[]): number {
  let immediate = 0;
  for (let i = 0; i < 4; i++) {
    let choice = ANY;
    for (let k = i; k < wanted.length; k += 4) {
      const lane = wanted[k] as number;
      if (lane === ANY) continue;
      const own = lane - (k - i);
      if (own < 0 || own > 3 || (choice !== ANY && own !== choice)) return -1;
      choice = own;
    }
    immediate |= Math.max(0, choice) << (2 * i);
  }
  return immediate;
}

function ofOne(s: Selector, request: Request): number {
  const { unit, wanted, sources } = request;
  const source = sources[0] as number;
  const width = wanted.length * unit;
  const perChunk = 16 / unit;
  if (isAll(wanted, (i) => i)) return source;
  const known = (key: string, make: () => number): number => s.shared(`${key} ${source}`, make);
  if (isAll(wanted, () => 0))
    return known(`first ${unit} ${width}`, () =>
      s.build.emit(vectorForm(`vpbroadcast${LETTER[unit]} v, x/m${8 * unit}`, width), [source]),
    );
  const first = wanted.findIndex((lane) => lane !== ANY);
  const start = (wanted[first] as number) - first;
  if (start > 0 && start % wanted.length === 0 && isAll(wanted, (i) => start + i)) {
    if (width === 16) return chunkOf(s, [source], start / perChunk);
    if (width === 32) return known("upper", () => s.build.emit(form("vextracti64x4 y/m256, z, i8"), [source, 1]));
  }
  const immediate = unit === 4 ? choiceInHalves(wanted) : -1;
  if (immediate !== -1)
    return known(`vpshufd ${immediate} ${width}`, () =>
      s.build.emit(vectorForm("vpshufd v, v/m, i8", width), [source, immediate]),
    );
  // Words of 4 bytes are permuted by 32 bytes at least.
  const bytes = unit === 4 ? Math.max(32, reach(request)) : reach(request);
  const control = s.vector(numbers(request, bytes));
  return known(`perm${unit} ${control}`, () =>
    s.build.emit(vectorForm(`vperm${LETTER[unit]} v, v, v/m`, bytes), [control, source]),
  );
}

/** Joins of two registers, of which words are taken in the same way in each half of 16 bytes. */
const UNPACKS: readonly (readonly [name: string, choice: readonly number[]])[] = [
  ["vunpcklps", [0, 16, 1, 17]],
  ["vunpckhps", [2, 18, 3, 19]],
  ["vunpcklpd", [0, 1, 16, 17]],
  ["vunpckhpd", [2, 3, 18, 19]],
];

/** Two registers joined by an instruction that needs no constant; -1 where none does. */
function joinWithoutConstant(s: Selector, { sources, wanted }: Request, isSwapped: boolean): number {
  const width = wanted.length * 4;
  const [a, b] = (isSwapped ? sources.toReversed() : sources) as [number, number];
  const own = isSwapped ? wanted.map((lane) => (lane === ANY ? ANY : (lane + 16) % 32)) : wanted;
  for (const [name, choice] of UNPACKS)
    if (isAll(own, (i) => (choice[i & 3] as number) + (i & ~3)))
      return s.shared(`${name} ${width} ${a} ${b}`, () => s.build.emit(vectorForm(`${name} v, v, v/m`, width), [a, b]));
  const half = own.length / 2;
  if (own.length > 4 && isAll(own, (i) => (i < half ? i : 16 + i - half)))
    return width === 64
      ? s.build.emit(form("vinserti64x4 z, z, y/m256, i8"), [a, b, 1])
      : s.build.emit(form("vinserti128 y, y, x/m128, i8"), [a, b, 1]);
  const choice = choiceInHalves(own.map((lane, i) => (lane === ANY || (i & 2) === 0 ? lane : lane - 16)));
  const isShuffle = own.every((lane, i) => lane === ANY || lane >= 16 === ((i & 2) !== 0));
  if (choice === -1 || !isShuffle) return -1;
  return s.shared(`vshufps ${choice} ${width} ${a} ${b}`, () =>
    s.build.emit(vectorForm("vshufps v, v, v/m, i8", width), [a, b, choice]),
  );
}

/** Lanes of the first register, or of the second one where they are wanted from there, which are in place. */
function blendLanes(s: Selector, { unit, sources, wanted }: Request): number {
  const most = PART / unit;
  let low = 0;
  wanted.forEach((lane, i) => {
    if (lane >= most) low |= 1 << i;
  });
  const key = vectorForm(`vpblendm${LETTER[unit]} v, v, v/m`, wanted.length * unit);
  return s.build.emitMasked(key, sources, s.maskBits(low), false);
}

function ofTwo(s: Selector, request: Request): number {
  const { unit, sources, wanted } = request;
  const most = PART / unit;
  if (wanted.every((lane, i) => lane === ANY || lane % most === i)) return blendLanes(s, request);
  for (const isSwapped of unit === 4 ? [false, true] : []) {
    const made = joinWithoutConstant(s, request, isSwapped);
    if (made !== -1) return made;
  }
  const bytes = reach(request);
  const control = s.vector(numbers(request, bytes));
  const [a, b] = sources as [number, number];
  return s.shared(`permt2 ${unit} ${control} ${a} ${b}`, () =>
    s.build.emit(vectorForm(`vpermt2${LETTER[unit]} v, v, v/m`, bytes), [a, control, b]),
  );
}

/** The registers of a list, of which only those are kept that it wants lanes of. */
function requestOf(unit: number, registers: readonly number[], wanted: readonly number[]): Request {
  const most = PART / unit;
  const used = [...new Set(wanted.filter((lane) => lane !== ANY).map((lane) => Math.floor(lane / most)))].toSorted(
    (a, b) => a - b,
  );
  return {
    unit,
    sources: used.map((source) => registers[source] as number),
    wanted: wanted.map((lane) => (lane === ANY ? ANY : used.indexOf(Math.floor(lane / most)) * most + (lane % most))),
  };
}

function pickUnits(s: Selector, unit: number, registers: readonly number[], wanted: readonly number[]): number {
  const request = requestOf(unit, registers, wanted);
  const { sources } = request;
  if (sources.length === 1) return ofOne(s, request);
  if (sources.length === 2) return ofTwo(s, request);
  const most = PART / unit;
  const middle = (sources.length + 1) >> 1;
  const isLow = (lane: number): boolean => lane < middle * most;
  const part = (low: boolean): number =>
    pickUnits(
      s,
      unit,
      sources,
      request.wanted.map((lane) => (lane !== ANY && isLow(lane) === low ? lane : ANY)),
    );
  const first = part(true);
  // A single register is permuted while it is joined.
  const isSingle = sources.length - middle === 1;
  const second = isSingle ? (sources[middle] as number) : part(false);
  return ofTwo(s, {
    unit,
    sources: [first, second],
    wanted: request.wanted.map((lane, i) => {
      if (lane === ANY) return ANY;
      return isLow(lane) ? i : most + (isSingle ? lane % most : i);
    }),
  });
}

/** Every second byte of registers in a row; -1 where it is not that. */
function everySecondByte(s: Selector, parts: readonly number[], picks: readonly number[]): number {
  const first = picks[0] as number;
  const offset = first % PART;
  if (picks.length < 32 || (offset !== 0 && offset !== 1) || picks.some((pick, i) => pick !== first + 2 * i)) return -1;
  const start = Math.floor(first / PART);
  const pieces = Array.from({ length: (2 * picks.length) / PART }, (_, i) => {
    const own = parts[start + i] as number;
    const shifted = offset === 0 ? own : s.build.emit(vectorForm("vpsrlw v, v, i8", PART), [own, 8]);
    return s.build.emit(form("vpmovwb y/m256, z"), [shifted]);
  });
  return fromPieces(s, pieces, 32, picks.length)[0] as number;
}

/**
 * A register of bytes, each of which is the number of its register in `parts` times 64, plus its place; -1 is 0, -2
 * anything.
 */
export function pickWide(s: Selector, parts: readonly number[], picks: readonly number[], width: number): number {
  for (const unit of [4, 2]) {
    const wanted = unitsOf(picks, unit);
    if (wanted === null) continue;
    const zeros = picks.map((pick) => (pick === -2 ? 0 : pick));
    return withZeros(s, pickUnits(s, unit, parts, wanted), zeros, width);
  }
  const source = Math.max(...picks.map((pick) => Math.floor(pick / PART)));
  const isInPlace = picks.every((pick, i) => pick < 0 || pick >> 4 === (source * PART + i) >> 4);
  if (isInPlace) {
    const control = Uint8Array.from(picks, (pick) => (pick < 0 ? 0x80 : pick & 15));
    return shuffleBytes(s, parts[source] as number, control);
  }
  const every = everySecondByte(s, parts, picks);
  if (every !== -1) return every;
  const chunks: number[] = [];
  for (let at = 0; at < width; at += 16) {
    const own = picks.slice(at, at + 16).map((pick) => Math.max(pick, -1));
    chunks.push(pickBytes(s, (chunk) => chunkOf(s, parts, chunk), own));
  }
  return fromChunks(s, chunks, width)[0] as number;
}
