// SPDX-License-Identifier: Apache-2.0
// Tokens, of the preprocessor and of the parser alike.
import type { Expansion, ExpansionFrame, SourceFile, Span } from "@muxkit/report";

import { RESERVED_WORDS } from "./reserved-words.ts";

/** Kinds of tokens. */
export const IDENTIFIER = 0;
export const NUMBER = 1;
export const STRING = 2;
export const CHARACTER = 3;
export const PUNCTUATOR = 4;
/** End of a line: directives end here. */
export const NEWLINE = 5;
/** End of the text. */
export const END = 6;
/** A character without meaning; an error unless it is skipped or stringized. */
export const STRAY = 7;
/** A #pragma that the parser sees; its text is what follows the word. */
export const PRAGMA = 8;
/** Placemarker for an empty macro argument next to ##. */
export const PLACEMARKER = 9;

/** Bits of {@link Token.flags}: white space or a line end precedes the token. */
export const SPACE_BEFORE = 1;
/** It is a word of the language, of some version: other names need not be looked up in its tables. */
export const RESERVED = 2;
/** From this bit on the number of a punctuator, an index into {@link PUNCTUATORS}. */
const CODE_SHIFT = 2;

/** The punctuators as they are meant; the number of one is its index here. */
export const PUNCTUATORS: readonly string[] = [
  "",
  "...",
  "<<=",
  ">>=",
  "->",
  "++",
  "--",
  "<<",
  ">>",
  "<=",
  ">=",
  "==",
  "!=",
  "&&",
  "||",
  "*=",
  "/=",
  "%=",
  "+=",
  "-=",
  "&=",
  "^=",
  "|=",
  "##",
  "[",
  "]",
  "(",
  ")",
  "{",
  "}",
  ".",
  "&",
  "*",
  "+",
  "-",
  "~",
  "!",
  "/",
  "%",
  "<",
  ">",
  "^",
  "|",
  "?",
  ":",
  ";",
  "=",
  ",",
  "#",
];
const CODES: ReadonlyMap<string, number> = new Map(PUNCTUATORS.map((text, code) => [text, code]));

/** Number of a punctuator; 0: the text is none. */
export function punctuatorCode(text: string): number {
  return CODES.get(text) ?? 0;
}

/** The entry of a table for each punctuator, by its number; `otherwise` if the table has none. */
export function byPunctuator<T>(table: Readonly<Record<string, T>>, otherwise: T): readonly T[] {
  return PUNCTUATORS.map((text) => (Object.hasOwn(table, text) ? (table[text] as T) : otherwise));
}

/** Flags of a token by its text, without those of its position. */
export function flagsOf(kind: number, text: string): number {
  if (kind === PUNCTUATOR) return punctuatorCode(text) << CODE_SHIFT;
  return kind === IDENTIFIER && RESERVED_WORDS.has(text) ? RESERVED : 0;
}

/** Set of macros that must not be expanded in a token again. */
export interface HideSet {
  readonly name: string;
  readonly next: HideSet | null;
}

/** What macros did to a token. */
class Expanded {
  readonly hide: HideSet | null;
  readonly origin: Token | null;

  constructor(hide: HideSet | null, origin: Token | null) {
    this.hide = hide;
    this.origin = origin;
  }
}

/** Bits that hold the kind of a token, below its flags. */
const KIND_BITS = 4;
const KIND_MASK = (1 << KIND_BITS) - 1;

/** One token. There are many, of which most have never seen a macro: what only those of macros have is apart. */
export class Token implements Expansion, Span {
  /** Kind, and the flags above it. */
  private readonly bits: number;
  readonly text: string;
  readonly file: SourceFile;
  readonly start: number;
  readonly end: number;
  private expanded: Expanded | null;

  constructor(kind: number, text: string, file: SourceFile, start: number, end: number, flags: number) {
    this.bits = kind | (flags << KIND_BITS);
    this.text = text;
    this.file = file;
    this.start = start;
    this.end = end;
    this.expanded = null;
  }

  get kind(): number {
    return this.bits & KIND_MASK;
  }

  /** Bits: {@link SPACE_BEFORE}, {@link RESERVED}, the number of a punctuator. */
  get flags(): number {
    return this.bits >> KIND_BITS;
  }

  /** Macros that must not be expanded in it again. */
  get hide(): HideSet | null {
    return this.expanded === null ? null : this.expanded.hide;
  }

  set hide(hide: HideSet | null) {
    if (hide !== this.hide) this.expanded = new Expanded(hide, this.origin);
  }

  /**
   * The name of the macro whose definition it is from, if expanded; null for a token of the source, also as
   * the argument of a macro.
   */
  get origin(): Token | null {
    return this.expanded === null ? null : this.expanded.origin;
  }

  set origin(origin: Token | null) {
    if (origin !== this.origin) this.expanded = new Expanded(this.hide, origin);
  }

  /** Takes over what macros did to another token. */
  likewise(other: Token): void {
    this.expanded = other.expanded;
  }

  /** White space or a line end precedes it. */
  get spaceBefore(): boolean {
    return (this.flags & SPACE_BEFORE) !== 0;
  }

  /** True for a name that is a word of the language, of some version. */
  get isReserved(): boolean {
    return (this.flags & RESERVED) !== 0;
  }

  /** Number of a punctuator, see {@link byPunctuator}; 0 for all else. */
  get code(): number {
    return this.flags >> CODE_SHIFT;
  }

  /** The token of the source that it came from: itself, or the outermost use of a macro. */
  get outermost(): Token {
    // oxlint-disable-next-line typescript/no-this-alias -- the start of a walk
    let token: Token = this;
    while (token.origin !== null) token = token.origin;
    return token;
  }

  /**
   * Where a diagnostic should point: the outermost macro use for expanded tokens. The way there is found out when
   * it is read.
   */
  get span(): Span {
    if (this.origin === null) return this;
    const { file, start, end } = this.outermost;
    return { file, start, end, expansion: this };
  }

  /** A token of the source comes from no macro. */
  get expansion(): Expansion | null {
    return this.origin === null ? null : this;
  }

  /** The macros that it came through, the one that the source names first. */
  get frames(): readonly ExpansionFrame[] {
    const frames: ExpansionFrame[] = [];
    // oxlint-disable-next-line typescript/no-this-alias -- the start of a walk
    for (let token: Token = this; token.origin !== null; token = token.origin) {
      frames.push({ macro: token.origin.text, span: { file: token.file, start: token.start, end: token.end } });
    }
    return frames.toReversed();
  }
}

/** True when a macro is in a hide set. */
export function isHidden(hide: HideSet | null, name: string): boolean {
  for (let entry = hide; entry !== null; entry = entry.next) if (entry.name === name) return true;
  return false;
}

/** A token like another, with another kind and text. */
export function tokenLike(model: Token, kind: number, text: string): Token {
  const flags =
    kind === model.kind && text === model.text ? model.flags : flagsOf(kind, text) | (model.flags & SPACE_BEFORE);
  const made = new Token(kind, text, model.file, model.start, model.end, flags);
  made.likewise(model);
  return made;
}
