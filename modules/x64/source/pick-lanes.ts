// SPDX-License-Identifier: Apache-2.0
// Lanes of several vectors in any order: by words, by bytes, or by permutations of wide registers.
import { chunkOf } from "./chunks.ts";
import { halve } from "./lane-widths.ts";
import { form } from "./machine-builder.ts";
import { pickWide } from "./permutations.ts";
import { pickBytes, shuffleBytes, withZeros } from "./pick-bytes.ts";
import type { Selector } from "./selector.ts";
import { ANY, pickWords } from "./shuffles.ts";

/** A byte behind the last lane. */
const ANY_BYTE = -2;

/** A part of a result: by words of 4 bytes; null where bytes of a word come from several places. */
function wordsOf(picks: readonly number[]): readonly number[] | null {
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

/** The same for lanes of words: how many lanes a vector has, words from one vector to the next, and words of a lane. */
function pickWholeWords(
  s: Selector,
  parts: readonly number[],
  shape: { readonly count: number; readonly perVector: number; readonly perLane: number },
  lanes: readonly number[],
): readonly number[] {
  const { count, perVector, perLane } = shape;
  const words: number[] = [];
  for (const lane of lanes) {
    const first = Math.floor(lane / count) * perVector + (lane % count) * perLane;
    for (let k = 0; k < perLane; k++) words.push(first + k);
  }
  let at = 0;
  return s.widths(4 * words.length).map((width) => {
    const own = words.slice(at, at + width / 4);
    at += width / 4;
    while (own.length < width / 4) own.push(ANY);
    return pickPart(s, parts, own, width);
  });
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
  if (bytes >= 4 && !isWide && lanes.every((lane) => lane >= 0))
    return pickWholeWords(s, parts, { count, perVector: perVector / 4, perLane: bytes / 4 }, lanes);
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
