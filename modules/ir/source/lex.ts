// SPDX-License-Identifier: Apache-2.0
// Lexer of the text form. The first error is sticky: from then on every token is the end, so that parsers need no
// checks in between.

/** What is wrong with a text, and where. @public */
export interface ParseError {
  /** Line, from 1. */
  readonly line: number;
  /** Column in UTF-16 units, from 1. */
  readonly column: number;
  /** What was expected there, or is wrong. */
  readonly message: string;
}

/**
 * Kinds of tokens: `%x`, `^x`, `@x` (value without the sigil), words, numbers, strings (without quotes), `x"…"` (the
 * digits), punctuation marks, the end.
 */
export type TokenKind = "value" | "block" | "symbol" | "word" | "number" | "text" | "bytes" | "mark" | "end";

const BLANK = /(?:\s|;[^\n]*)*/uy;
const NAME = /[\w$.]+/uy;
const QUOTED = /"(?:[^"\\\n]|\\.)*"/uy;
const NUMBER = /0x[0-9a-fA-F]+|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/uy;
const WORD = /[A-Za-z_][\w.]*/uy;
const BYTES = /x"[0-9a-f]*"/uy;
const MARK = /->|[(){}[\]<>,:=+]/uy;

const SIGILS: Readonly<Record<string, TokenKind>> = { "%": "value", "^": "block", "@": "symbol" };

/** Reads tokens from a text. */
export class Lexer {
  private readonly text: string;
  private next: number;
  /** Kind of the current token. */
  kind: TokenKind;
  /** Text of the current token, see {@link TokenKind}. */
  value: string;
  /** Offset of the current token. */
  start: number;
  /** True when the current token is the first of its line. */
  beginsLine: boolean;
  /** The first failure; null while all is well. */
  error: ParseError | null;

  constructor(text: string) {
    this.text = text;
    this.next = 0;
    this.kind = "end";
    this.value = "";
    this.start = 0;
    this.beginsLine = true;
    this.error = null;
    this.advance();
  }

  /** Sets the error, unless there is one; reading stops. */
  fail(message: string, offset: number = this.start): void {
    if (this.error === null) {
      const before = this.text.slice(0, offset);
      this.error = { line: before.split("\n").length, column: offset - before.lastIndexOf("\n"), message };
    }
    this.kind = "end";
    this.value = "";
    this.next = this.text.length;
  }

  /** Sets the error that `wanted` was expected instead of the current token. */
  expected(wanted: string): void {
    this.fail(`${wanted} expected, not ${this.shown()}`);
  }

  private shown(): string {
    if (this.kind === "end") return "the end";
    const end = this.text.indexOf("\n", this.start);
    const token = this.text.slice(this.start, Math.min(this.next, end < 0 ? this.text.length : end));
    return token.length > 40 ? `${token.slice(0, 40)}…` : token;
  }

  private match(pattern: RegExp, at: number = this.next): string | null {
    pattern.lastIndex = at;
    return pattern.exec(this.text)?.[0] ?? null;
  }

  private token(kind: TokenKind, value: string, length: number): void {
    this.kind = kind;
    this.value = value;
    this.next = this.start + length;
  }

  private unquoted(quoted: string): string {
    try {
      return String(JSON.parse(quoted));
    } catch {
      this.fail(`${quoted} is not a string with JSON's escapes`);
      return "";
    }
  }

  /** Advances to the next token. */
  advance(): void {
    if (this.error !== null) return;
    const blanks = this.match(BLANK) ?? "";
    this.start = this.next + blanks.length;
    this.beginsLine = this.next === 0 || blanks.includes("\n");
    this.next = this.start;
    const first = this.text[this.start];
    if (first === undefined) {
      this.token("end", "", 0);
      return;
    }
    const sigil = SIGILS[first];
    if (sigil !== undefined) {
      this.name(sigil, first);
      return;
    }
    const bytes = this.match(BYTES);
    const quoted = this.match(QUOTED);
    const number = this.match(NUMBER);
    const word = this.match(WORD);
    const mark = this.match(MARK);
    if (bytes !== null) this.token("bytes", bytes.slice(2, -1), bytes.length);
    else if (quoted !== null) {
      this.token("text", "", quoted.length);
      this.value = this.unquoted(quoted);
    } else if (mark !== null && (mark === "->" || number === null)) this.token("mark", mark, mark.length);
    else if (number !== null) this.token("number", number, number.length);
    else if (word !== null) this.token("word", word, word.length);
    else this.fail(first === '"' ? "a string without closing quote" : `unexpected character ${JSON.stringify(first)}`);
  }

  private name(kind: TokenKind, sigil: string): void {
    const name = this.match(NAME, this.start + 1);
    if (name !== null) {
      this.token(kind, name, name.length + 1);
      return;
    }
    const quoted = kind === "symbol" ? this.match(QUOTED, this.start + 1) : null;
    if (quoted === null) this.fail(`a name expected after ${sigil}`);
    else {
      this.token(kind, "", quoted.length + 1);
      this.value = this.unquoted(quoted);
    }
  }

  /** The raw text after the current token up to `mark`, which must be on this line; advances to the token after it. */
  rawUntil(mark: string): string {
    const end = this.text.indexOf(mark, this.next);
    const raw = this.text.slice(this.next, end < 0 ? this.next : end);
    if (this.error !== null) return "";
    if (end < 0 || raw.includes("\n")) {
      this.fail(`${JSON.stringify(mark)} expected in this line`, this.next);
      return "";
    }
    this.next = end + mark.length;
    this.advance();
    return raw;
  }

  /** A string, or what matches `pattern`, after the current token; advances to the token after it. */
  rawText(pattern: RegExp): string {
    if (this.error !== null) return "";
    const blanks = (this.match(BLANK) ?? "").length;
    const quoted = this.match(QUOTED, this.next + blanks);
    const raw = quoted ?? this.match(pattern, this.next + blanks) ?? "";
    this.next += blanks + raw.length;
    this.advance();
    return quoted === null ? raw.trim() : this.unquoted(quoted);
  }

  /** True for a mark or word. */
  at(kind: "mark" | "word", value: string): boolean {
    return this.kind === kind && this.value === value;
  }

  /** Advances if the current token is this one. */
  accept(kind: "mark" | "word", value: string): boolean {
    const isHere = this.at(kind, value);
    if (isHere) this.advance();
    return isHere;
  }

  /** Advances over this mark or word; fails if another token is here. */
  expect(kind: "mark" | "word", value: string): void {
    if (!this.accept(kind, value)) this.expected(`\`${value}\``);
  }

  /** The value of a token of a kind; fails and returns an empty string if another token is here. */
  take(kind: TokenKind, wanted: string): string {
    const { value } = this;
    if (this.kind !== kind) {
      this.expected(wanted);
      return "";
    }
    this.advance();
    return value;
  }

  /** One of some words, as it is. */
  oneOf<T extends string>(words: readonly T[], wanted: string): T | null {
    const found = this.kind === "word" ? (words.find((word) => word === this.value) ?? null) : null;
    if (found === null) this.expected(wanted);
    else this.advance();
    return found;
  }

  /** An integer within bounds. */
  integer(wanted: string, least: number = 0, most: number = 0xffff_ffff): number {
    const value = this.kind === "number" ? Number(this.value) : Number.NaN;
    if (!Number.isInteger(value) || value < least || value > most) {
      this.expected(`${wanted}${this.kind === "number" ? ` (a whole number from ${least} to ${most})` : ""}`);
      return least;
    }
    this.advance();
    return value;
  }

  /** A list in a pair of marks, separated by commas; may be empty. */
  list(open: string, close: string, item: () => void): void {
    this.expect("mark", open);
    if (this.accept("mark", close)) return;
    for (;;) {
      item();
      if (this.error !== null || this.accept("mark", close)) return;
      this.expect("mark", ",");
    }
  }
}
