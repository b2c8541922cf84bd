// SPDX-License-Identifier: Apache-2.0
/**
 * Shuffles by patterns: which instructions put words of 4 bytes from several registers into one.
 *
 * What is wanted is a list: for each word of the result its register and its place there. `JOINS` are the instructions
 * on two registers as lists of the same form, so that all is looked up by comparing lists. In this order: one register
 * is permuted; two are joined as they are wanted, or joined by an instruction that brings all wanted words together and
 * permuted then, or permuted each and blended; of four, pairs are joined first, in ways that other results of the same
 * transposition share (`shared`); more are halved. So a transposition of 4 registers takes 12 instructions, an
 * interleaving of 2 takes 4. Cost: some hundred comparisons of lists a register.
 */
import { form } from "./machine-builder.ts";
import type { Selector } from "./selector.ts";

/** Any word will do. */
export const ANY = -1;

/** An instruction on two registers; words of the second one count from `WORDS` on. */
interface Join {
  readonly name: string;
  /** -1: it has none. */
  readonly immediate: number;
  readonly words: readonly number[];
}

const WORDS = 8;
/** No word of the same half. */
const ELSEWHERE = -2;

/** The same choice in each half of 16 bytes. */
function inHalves(words: number, choice: readonly number[]): readonly number[] {
  return Array.from({ length: words }, (_, i) => (choice[i & 3] as number) + (i & 4));
}

const UNPACKS: readonly (readonly [string, readonly number[]])[] = [
  ["vunpcklps", [0, 8, 1, 9]],
  ["vunpckhps", [2, 10, 3, 11]],
  ["vunpcklpd", [0, 1, 8, 9]],
  ["vunpckhpd", [2, 3, 10, 11]],
];
const HALVES: readonly (readonly [number, readonly number[]])[] = [
  [0x20, [0, 1, 2, 3, 8, 9, 10, 11]],
  [0x31, [4, 5, 6, 7, 12, 13, 14, 15]],
  [0x21, [4, 5, 6, 7, 8, 9, 10, 11]],
  [0x30, [0, 1, 2, 3, 12, 13, 14, 15]],
];

/** Joins whose results other results share; the first ones of `joins`. */
function stagesOf(words: number): readonly Join[] {
  const unpacks = UNPACKS.map(([name, choice]) => ({ name, immediate: -1, words: inHalves(words, choice) }));
  const halves = HALVES.map(([immediate, own]) => ({ name: "vperm2i128", immediate, words: own }));
  return words === 8 ? [...unpacks, ...halves] : unpacks;
}

function joinsOf(words: number): readonly Join[] {
  const blends: Join[] = [];
  for (let immediate = 1; immediate < 2 ** words - 1; immediate++) {
    const own = Array.from({ length: words }, (_, i) => i + (((immediate >> i) & 1) === 0 ? 0 : WORDS));
    blends.push({ name: "vpblendd", immediate, words: own });
  }
  const shuffles: Join[] = [];
  for (let immediate = 0; immediate < 256; immediate++) {
    const choice = [0, 2, 4, 6].map((shift, i) => ((immediate >> shift) & 3) + (i < 2 ? 0 : WORDS));
    shuffles.push({ name: "vshufps", immediate, words: inHalves(words, choice) });
  }
  return [...blends, ...stagesOf(words), ...shuffles];
}

const STAGES: Readonly<Record<number, readonly Join[]>> = { 4: stagesOf(4), 8: stagesOf(8) };
const JOINS: Readonly<Record<number, readonly Join[]>> = { 4: joinsOf(4), 8: joinsOf(8) };

/** Registers whose words are wanted, without repetition. */
function sourcesOf(wanted: readonly number[]): readonly number[] {
  return [...new Set(wanted.filter((word) => word !== ANY).map((word) => Math.floor(word / WORDS)))];
}

/** The same words, with registers numbered as in a list. */
function renumbered(wanted: readonly number[], sources: readonly number[]): readonly number[] {
  return wanted.map((word) =>
    word === ANY ? ANY : sources.indexOf(Math.floor(word / WORDS)) * WORDS + (word % WORDS),
  );
}

function isMade(join: readonly number[], wanted: readonly number[]): boolean {
  return wanted.every((word, i) => word === ANY || join[i] === word);
}

function isCovered(join: readonly number[], wanted: readonly number[]): boolean {
  return wanted.every((word) => word === ANY || join.includes(word));
}

/** The same, and pairs stay together: what is left to do needs no constant. */
function isCoveredInPairs(join: readonly number[], wanted: readonly number[]): boolean {
  for (let i = 0; i < wanted.length; i += 2) {
    const [low, high] = [wanted[i], wanted[i + 1]];
    const isThere = join.some(
      (word, k) => (k & 1) === 0 && (low === ANY || low === word) && (high === ANY || high === join[k + 1]),
    );
    if (!isThere) return false;
  }
  return true;
}

function emitJoin(s: Selector, join: Join, words: number, a: number, b: number): number {
  const [v, m] = words === 8 ? ["y", "m256"] : ["x", "m128"];
  const { name, immediate } = join;
  const key = `${name} ${v}, ${v}, ${v}/${m}${immediate === -1 ? "" : ", i8"}`;
  return s.shared(`${key} ${immediate} ${a} ${b}`, () =>
    s.build.emit(form(key), immediate === -1 ? [a, b] : [a, b, immediate]),
  );
}

/** Words of one register in another order. */
function permute(s: Selector, source: number, wanted: readonly number[]): number {
  const { build } = s;
  const words = wanted.length;
  const isInPlace = wanted.every((word, i) => word === ANY || word === i);
  if (isInPlace) return source;
  const wide = words === 8;
  const known = (key: string, make: () => number): number => s.shared(`${key} ${source}`, make);
  if (wide && wanted.every((word) => word === ANY || word === 0))
    return known("word 0", () => build.emit(form("vpbroadcastd y, x/m32"), [source]));
  const choice = [0, 1, 2, 3].map((i) => {
    const own = [wanted[i] ?? ANY, wide ? (wanted[i + 4] as number) : ANY].map((word, half) =>
      word === ANY ? ANY : half === 0 ? word : word < 4 ? ELSEWHERE : word - 4,
    );
    const [low = ANY, high = ANY] = own;
    return low === ANY ? high : high === ANY || high === low ? low : ELSEWHERE;
  });
  if (choice.every((word) => word >= ANY && word < 4)) {
    const immediate = choice.reduce((bits, word, i) => bits | (Math.max(0, word) << (2 * i)), 0);
    const key = wide ? "vpshufd y, y/m256, i8" : "vpshufd x, x/m128, i8";
    return known(`${key} ${immediate}`, () => build.emit(form(key), [source, immediate]));
  }
  if (wide) {
    const pairs = [0, 2, 4, 6].map((i) => {
      const [low, high] = [wanted[i] as number, wanted[i + 1] as number];
      if (low === ANY && high === ANY) return 0;
      const pair = (low === ANY ? high - 1 : low) / 2;
      return Number.isInteger(pair) && (high === ANY || high === 2 * pair + 1) ? pair : -1;
    });
    if (!pairs.includes(-1)) {
      const immediate = pairs.reduce((bits, pair, i) => bits | (pair << (2 * i)), 0);
      return known(`vpermq ${immediate}`, () => build.emit(form("vpermq y, y/m256, i8"), [source, immediate]));
    }
  }
  const places = Array.from({ length: 8 }, (_, i) => Math.max(0, wanted[i] ?? 0));
  const bytes = Uint8Array.from({ length: 32 }, (_, i) => (i % 4 === 0 ? (places[i >> 2] as number) : 0));
  return known(`vpermd ${places.join()}`, () => build.emit(form("vpermd y, y, y/m256"), [s.vector(bytes), source]));
}

/** How two registers are joined. */
interface Found {
  readonly join: Join;
  /** The second register is the join's first. */
  readonly isSwapped: boolean;
}

/** What was found before, by what was wanted. */
const FOUND = new Map<string, Found | null>();
const MOST_FOUND = 4096;

function findJoin(wanted: readonly number[]): Found | null {
  const key = wanted.join();
  const known = FOUND.get(key);
  if (known !== undefined) return known;
  const joins = JOINS[wanted.length] as readonly Join[];
  const swapped = exchanged(wanted);
  let found: Found | null = null;
  for (const fits of [isMade, isCoveredInPairs, isCovered]) {
    for (const join of joins) {
      if (fits(join.words, wanted)) found = { join, isSwapped: false };
      else if (fits(join.words, swapped)) found = { join, isSwapped: true };
      if (found !== null) break;
    }
    if (found !== null) break;
  }
  if (FOUND.size >= MOST_FOUND) FOUND.clear();
  FOUND.set(key, found);
  return found;
}

/** The same words, with the two registers exchanged. */
function exchanged(wanted: readonly number[]): readonly number[] {
  return wanted.map((word) => (word === ANY ? ANY : (word + WORDS) % (2 * WORDS)));
}

/** Two registers in one instruction, or in one and a permutation; -1 when they cannot. */
function joined(s: Selector, a: number, b: number, wanted: readonly number[]): number {
  const found = findJoin(wanted);
  if (found === null) return -1;
  const { join, isSwapped } = found;
  const made = isSwapped ? emitJoin(s, join, wanted.length, b, a) : emitJoin(s, join, wanted.length, a, b);
  return rest(s, made, join, isSwapped ? exchanged(wanted) : wanted);
}

/** What is left to do after a join that has all the words. */
function rest(s: Selector, made: number, join: Join, wanted: readonly number[]): number {
  return permute(
    s,
    made,
    wanted.map((word, i) => {
      if (word === ANY) return ANY;
      const own = join.words.findIndex((one, k) => one === word && (k & 1) === (i & 1));
      return join.words[i] === word ? i : own === -1 ? join.words.indexOf(word) : own;
    }),
  );
}

/** What is wanted of the results of two joins of pairs: the first two registers, and the others. */
function afterStages(wanted: readonly number[], low: readonly number[], high: readonly number[]): readonly number[] {
  return wanted.map((word) => {
    if (word === ANY) return ANY;
    return word < 2 * WORDS ? low.indexOf(word) : WORDS + high.indexOf(word - 2 * WORDS);
  });
}

const NO_JOIN: Join = { name: "", immediate: -1, words: [0, 1, 2, 3, 4, 5, 6, 7] };

/** Three or four registers, pairs first; -1 when no two stages do it. */
function inStages(s: Selector, registers: readonly number[], wanted: readonly number[]): number {
  const words = wanted.length;
  const [a, b, c, d] = registers as [number, number, number, number];
  const ofLow = wanted.filter((word) => word !== ANY && word < 2 * WORDS);
  const ofHigh = wanted.filter((word) => word >= 2 * WORDS).map((word) => word - 2 * WORDS);
  const stages = STAGES[words] as readonly Join[];
  const lows = stages.filter((join) => isCovered(join.words, ofLow));
  const highs = registers.length === 3 ? [NO_JOIN] : stages.filter((join) => isCovered(join.words, ofHigh));
  for (const fits of [isMade, isCovered]) {
    for (const low of lows) {
      for (const high of highs) {
        const after = afterStages(wanted, low.words, high.words);
        if (!stages.some((join) => fits(join.words, after))) continue;
        const first = emitJoin(s, low, words, a, b);
        return joined(s, first, registers.length === 3 ? c : emitJoin(s, high, words, c, d), after);
      }
    }
  }
  return -1;
}

/**
 * A register of 4 or 8 words, each of which is a register of `registers` times 8, plus a place there. Registers of 16
 * bytes have places up to 3.
 */
export function pickWords(s: Selector, registers: readonly number[], wanted: readonly number[]): number {
  const sources = sourcesOf(wanted);
  const own = sources.map((source) => registers[source] as number);
  const places = renumbered(wanted, sources);
  if (own.length === 1) return permute(s, own[0] as number, places);
  if (own.length === 2) {
    const made = joined(s, own[0] as number, own[1] as number, places);
    if (made !== -1) return made;
  } else if (own.length <= 4) {
    const made = inStages(s, own, places);
    if (made !== -1) return made;
  }
  // Each half of the registers brings its words to their places.
  const middle = own.length >> 1;
  const part = (isLow: boolean): number =>
    pickWords(
      s,
      own,
      places.map((word) => (word !== ANY && Math.floor(word / WORDS) < middle === isLow ? word : ANY)),
    );
  const blend = places.map((word, i) => (word === ANY || Math.floor(word / WORDS) < middle ? i : i + WORDS));
  return joined(s, part(true), part(false), blend);
}
