// SPDX-License-Identifier: Apache-2.0
// Inputs for the front end, each decided by a seed: bytes, token soup, changed kernels, bombs.
import { render } from "../tree.ts";
import { generate } from "../generate/program.ts";
import { type Random, randomFrom } from "../generate/random.ts";
import { bomb } from "./bombs.ts";
import { DIRECTIVES, OPENINGS, WORDS } from "./vocabulary.ts";

/** A source for the front end, and the standard that it is read in. */
export interface FrontEndInput {
  readonly kind: string;
  readonly text: string;
  readonly standard: "1.0" | "1.1" | "1.2" | "2.0" | "3.0";
}

const MOST_TOKENS = 150;

function bytes(random: Random): string {
  const length = random.below(400);
  const most = random.pick([128, 128, 256, 0x3000]);
  return String.fromCodePoint(...Array.from({ length }, () => random.below(most)));
}

function word(random: Random): string {
  return random.chance(8) ? `\n${random.pick(DIRECTIVES)}\n` : random.pick(WORDS);
}

function soup(random: Random): string {
  return (
    random.pick(OPENINGS) +
    Array.from({ length: 1 + random.below(80) }, () => word(random)).join(random.chance(80) ? " " : "")
  );
}

/** Splits text into what looks like tokens, blanks and lines kept. */
function tokensOf(text: string): string[] {
  return (
    text.match(
      /[A-Za-z_]\w*|0[xX][\da-fA-F.pP+-]+\w*|[\d.]+\w*|"[^"\n]*"|'[^'\n]*'|\n|[ \t]+|<<=|>>=|[-+*/%&|^!=<>]=|&&|\|\||<<|>>|\+\+|--|->|./gu,
    ) ?? []
  );
}

const PAIRS: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** Where the bracket that opens at `at` closes; `at` when it opens none. */
function closing(tokens: readonly string[], at: number): number {
  const open = tokens[at] ?? "";
  const close = PAIRS[open];
  if (close === undefined) return at;
  let depth = 0;
  for (let i = at; i < tokens.length; i++) {
    if (tokens[i] === open) depth++;
    else if (tokens[i] === close && --depth === 0) return i;
  }
  return at;
}

/** A run of tokens: one, some, or all from a bracket to the one that closes it. */
function run(random: Random, tokens: readonly string[]): readonly [from: number, to: number] {
  const from = random.below(Math.max(1, tokens.length));
  const brackets = tokens.flatMap((token, i) => (token in PAIRS ? [i] : []));
  if (brackets.length > 0 && random.chance(50)) {
    const at = random.pick(brackets);
    return [at, closing(tokens, at) + 1];
  }
  return [from, from + 1 + (random.chance(30) ? random.below(8) : 0)];
}

type Change = (random: Random, tokens: readonly string[], other: readonly string[]) => string[];

const CHANGES: readonly Change[] = [
  (random, tokens) => {
    const [from, to] = run(random, tokens);
    return [...tokens.slice(0, from), ...tokens.slice(to)];
  },
  (random, tokens) => {
    const [from, to] = run(random, tokens);
    return [...tokens.slice(0, to), ...tokens.slice(from, to), ...tokens.slice(to)];
  },
  (random, tokens) => {
    const [from, to] = run(random, tokens);
    return [...tokens.slice(0, from), word(random), ...tokens.slice(to)];
  },
  (random, tokens) => {
    const at = random.below(tokens.length + 1);
    return [...tokens.slice(0, at), word(random), ...tokens.slice(at)];
  },
  // A part of one kernel instead of a part of another.
  (random, tokens, other) => {
    const [from, to] = run(random, tokens);
    const [first, last] = run(random, other);
    return [...tokens.slice(0, from), ...other.slice(first, last), ...tokens.slice(to)];
  },
  (random, tokens) => {
    const [a, b] = [random.below(tokens.length), random.below(tokens.length)];
    return tokens.map((token, i) => (i === a ? (tokens[b] ?? "") : i === b ? (tokens[a] ?? "") : token));
  },
  (random, tokens) => tokens.slice(0, random.below(tokens.length + 1)),
  // Another name or type of the same program.
  (random, tokens) => {
    const names = tokens.filter((token) => /^[A-Za-z_]/u.test(token));
    const at = tokens.flatMap((token, i) => (/^[A-Za-z_]/u.test(token) ? [i] : []));
    if (at.length === 0) return [...tokens];
    const place = random.pick(at);
    return tokens.map((token, i) => (i === place ? random.pick(names) : token));
  },
];

/** Real kernels and parts of them. */
export type Corpus = readonly string[];

function realText(random: Random, corpus: Corpus): string {
  if (random.chance(25) || corpus.length === 0) return render(generate(random.below(1_000_000)).tree);
  return random.pick(corpus);
}

function changed(random: Random, corpus: Corpus): string {
  const all = tokensOf(realText(random, corpus));
  const other = tokensOf(random.pick(corpus.length === 0 ? ["kernel void k(void) {}"] : corpus));
  // A window keeps inputs short; kernels begin in the middle of something then, which is an input too.
  const start = all.length > MOST_TOKENS * 2 && random.chance(50) ? random.below(all.length - MOST_TOKENS) : 0;
  let tokens = start === 0 && all.length < MOST_TOKENS * 10 ? all : all.slice(start, start + MOST_TOKENS * 2);
  for (let count = 1 + random.below(4); count > 0 && tokens.length > 0; count--)
    tokens = random.pick(CHANGES)(random, tokens, other);
  return tokens.join("");
}

const KINDS = [
  { weight: 20, kind: "bytes", make: bytes },
  { weight: 40, kind: "soup", make: soup },
  { weight: 38, kind: "changed kernel", make: changed },
  { weight: 2, kind: "bomb", make: bomb },
] as const;

/** The input of a seed. */
export function frontEndInput(seed: number, corpus: Corpus): FrontEndInput {
  const random = randomFrom(seed ^ 0x5bd1_e995);
  const { kind, make } = random.weighted(KINDS);
  return { kind, text: make(random, corpus), standard: random.pick(["1.2", "1.2", "1.2", "3.0", "2.0", "1.1", "1.0"]) };
}
