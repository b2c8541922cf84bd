// SPDX-License-Identifier: Apache-2.0
// Text to preprocessing tokens (C99 6.4), line ends included: a hand-written scanner over UTF-16 units that hashes
// words while it reads them, so that a spelling is interned without making a string. Cost: linear.
import type { DiagnosticList, SourceFile } from "@muxkit/report";

import { report } from "../diagnostics.table.ts";
import { Spellings, addToHash } from "./spellings.ts";
import {
  CHARACTER,
  END,
  IDENTIFIER,
  NEWLINE,
  NUMBER,
  PUNCTUATOR,
  PUNCTUATORS,
  SPACE_BEFORE,
  STRAY,
  STRING,
  Token,
  flagsOf,
} from "./token.ts";

/** Other spellings (C99 6.4.6). */
const DIGRAPHS: ReadonlyMap<string, string> = new Map([
  ["<:", "["],
  [":>", "]"],
  ["<%", "{"],
  ["%>", "}"],
  ["%:", "#"],
  ["%:%:", "##"],
  // Trigraphs (C99 5.2.1.1), outside of texts.
  ["??=", "#"],
  ["??(", "["],
  ["??)", "]"],
  ["??<", "{"],
  ["??>", "}"],
  ["??'", "^"],
  ["??!", "|"],
  ["??-", "~"],
]);

/** A punctuator as it is written and as it is meant. */
interface Punctuator {
  readonly spelling: string;
  readonly meaning: string;
  /** Flags of its tokens. */
  readonly flags: number;
}

const SPELLINGS: readonly string[] = [...PUNCTUATORS.filter((text) => text !== ""), ...DIGRAPHS.keys()];

/** Punctuators by the code of their first character, longest first. */
const BY_FIRST: (Punctuator[] | undefined)[] = Array.from({ length: 128 }, () => undefined);
for (const spelling of [...new Set([...SPELLINGS, ...DIGRAPHS.keys()])].toSorted((a, b) => b.length - a.length)) {
  const meaning = DIGRAPHS.get(spelling) ?? spelling;
  (BY_FIRST[spelling.charCodeAt(0)] ??= []).push({ spelling, meaning, flags: flagsOf(PUNCTUATOR, meaning) });
}

/** The punctuator at an offset, of those that begin with its character. */
function punctuatorAt(text: string, at: number, list: readonly Punctuator[]): Punctuator | null {
  for (let i = 0; i < list.length; i++) {
    const candidate = list[i] as Punctuator;
    const { spelling } = candidate;
    let matched = 1;
    while (matched < spelling.length && text.charCodeAt(at + matched) === spelling.charCodeAt(matched)) matched++;
    if (matched === spelling.length) return candidate;
  }
  return null;
}

// Classes of ASCII characters: 1 starts an identifier, 2 digit, 4 blank.
const CLASSES = new Uint8Array(128);
for (const [number, characters] of [
  [1, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$"],
  [2, "0123456789"],
  [4, " \t\r\f\v"],
] as const) {
  for (let i = 0; i < characters.length; i++) CLASSES[characters.charCodeAt(i)] = number;
}

function classOf(code: number): number {
  return code < 128 ? (CLASSES[code] as number) : 0;
}

/** Removes backslash-newline pairs. Offsets of what follows on spliced lines shift; only such files pay. */
function spliced(text: string): string {
  return text.includes("\\\n") || text.includes("\\\r\n") ? text.replaceAll(/\\\r?\n/gu, "") : text;
}

/** Letters of names (C99 6.4.2.1, annex D). */
const NAME_START = /\p{XID_Start}/u;
const FOREIGN_NAME = /[\p{XID_Start}_$][\p{XID_Continue}$]*/uy;

const BLANK = 32;
const BACKSLASH = 92;
/** `L` before a quote: a wide character (C99 6.4.4.4). */
const WIDE = 76;

/** Length of a backslash and line end at an offset; 0: there is none. */
function spliceAt(text: string, at: number): number {
  if (text.charCodeAt(at) !== BACKSLASH) return 0;
  if (text.charCodeAt(at + 1) === 10) return 2;
  return text.charCodeAt(at + 1) === 13 && text.charCodeAt(at + 2) === 10 ? 3 : 0;
}

/**
 * Reads a file token by token, so that only tokens in use are alive. A spliced line (backslash at its
 * end) is read as one.
 */
export class Lexer {
  private readonly file: SourceFile;
  private readonly text: string;
  private readonly diagnostics: DiagnosticList;
  private readonly spellings: Spellings;
  private readonly newline: Token;
  private at = 0;
  /** Flags of the position: white space comes before the next token. */
  private space = 0;
  /** The line end after the text was returned. */
  private isDone = false;

  constructor(file: SourceFile, diagnostics: DiagnosticList, spellings: Spellings) {
    this.file = file;
    this.spellings = spellings;
    // The position of a line end is never used: one shared token represents all of them.
    this.newline = new Token(NEWLINE, "\n", file, 0, 0, SPACE_BEFORE);
    this.text = file.text;
    this.diagnostics = diagnostics;
  }

  /** The next token; after the text a line end, and the end again and again. */
  // eslint-disable-next-line complexity -- one loop over characters, one arm for each kind of token
  next(): Token {
    const { text } = this;
    const { length } = text;
    let i = this.at;
    while (i < length) {
      const c = text.charCodeAt(i);
      const kind = classOf(c);
      if (kind === 4) {
        this.space = SPACE_BEFORE;
        do i++;
        while (text.charCodeAt(i) === BLANK);
      } else if (kind === 1) return this.name(i, c);
      else if (c === 10) {
        this.space = SPACE_BEFORE;
        this.at = i + 1;
        return this.newline;
      } else if (kind === 2 || (c === 46 && classOf(text.charCodeAt(i + 1)) === 2)) return this.number(i);
      else if (c === 47 && text.charCodeAt(i + 1) === 47) {
        while (i < length && text.charCodeAt(i) !== 10) i += Math.max(1, spliceAt(text, i));
        this.space = SPACE_BEFORE;
      } else if (c === 47 && text.charCodeAt(i + 1) === 42) {
        const end = text.indexOf("*/", i + 2);
        if (end < 0) report(this.diagnostics, "unterminatedComment", { file: this.file, start: i, end: i + 2 });
        i = end < 0 ? length : end + 2;
        this.space = SPACE_BEFORE;
      } else if (spliceAt(text, i) > 0) i += spliceAt(text, i);
      else if (c === 34 || c === 39) {
        const end = literalEnd(text, i, c);
        if (end >= 0) return this.token(c === 34 ? STRING : CHARACTER, i, end);
        // Skipped groups and #error may hold a lone apostrophe: an error only where the text is used.
        const stop = text.indexOf("\n", i);
        return this.token(STRAY, i, stop < 0 ? length : stop);
      } else {
        if (c > 127 && NAME_START.test(String.fromCodePoint(text.codePointAt(i) ?? 0))) return this.foreignName(i);
        const list = c < 128 ? BY_FIRST[c] : undefined;
        if (list === undefined) return this.token(STRAY, i, i + ((text.codePointAt(i) ?? 0) > 0xffff ? 2 : 1));
        const found = punctuatorAt(text, i, list);
        if (found === null) return this.token(STRAY, i, i + 1);
        const made = new Token(
          PUNCTUATOR,
          found.meaning,
          this.file,
          i,
          i + found.spelling.length,
          found.flags | this.space,
        );
        this.space = 0;
        this.at = made.end;
        return made;
      }
    }
    this.at = length;
    const isLineEnd = !this.isDone;
    this.isDone = true;
    return isLineEnd ? this.newline : new Token(END, "", this.file, length, length, SPACE_BEFORE);
  }

  /** A name, whose first character is known. */
  private name(start: number, first: number): Token {
    const { text } = this;
    let end = start + 1;
    let hash = first;
    for (; end < text.length; end++) {
      const code = text.charCodeAt(end);
      if ((classOf(code) & 3) === 0) {
        if (code === BACKSLASH && spliceAt(text, end) > 0) return this.splicedName(start, end);
        if (code > 127) return this.foreignName(start);
        break;
      }
      hash = addToHash(hash, code);
    }
    if (first === WIDE && end === start + 1 && text.charCodeAt(end) === 39) {
      const after = literalEnd(text, end, 39);
      if (after >= 0) return this.token(CHARACTER, start, after);
    }
    const { spellings } = this;
    const spelling = spellings.at(text, start, end, hash);
    const made = new Token(IDENTIFIER, spelling, this.file, start, end, spellings.lastFlags | this.space);
    this.space = 0;
    this.at = end;
    return made;
  }

  /** A name with letters of other alphabets. */
  private foreignName(start: number): Token {
    FOREIGN_NAME.lastIndex = start;
    const end = start + (FOREIGN_NAME.exec(this.text)?.[0].length ?? 1);
    return this.token(
      IDENTIFIER,
      start,
      end,
      this.text.slice(start, end),
      flagsOf(IDENTIFIER, this.text.slice(start, end)),
    );
  }

  /** A name that continues after a spliced line. */
  private splicedName(start: number, from: number): Token {
    const { text } = this;
    let end = from;
    while (end < text.length) {
      const splice = spliceAt(text, end);
      if (splice > 0) end += splice;
      else if ((classOf(text.charCodeAt(end)) & 3) !== 0) end++;
      else break;
    }
    const spelling = spliced(text.slice(start, end));
    return this.token(IDENTIFIER, start, end, spelling, flagsOf(IDENTIFIER, spelling));
  }

  private number(start: number): Token {
    const { text } = this;
    const end = numberEnd(text, start);
    let hash = 0;
    for (let i = start; i < end; i++) hash = addToHash(hash, text.charCodeAt(i));
    return this.token(NUMBER, start, end, this.spellings.at(text, start, end, hash));
  }

  private token(
    kind: number,
    start: number,
    end: number,
    spelling: string = spliced(this.text.slice(start, end)),
    flags: number = 0,
  ): Token {
    const made = new Token(kind, spelling, this.file, start, end, flags | this.space);
    this.space = 0;
    this.at = end;
    return made;
  }
}

/** All tokens of a file, the end included. `spellings` has words of the files around it. */
export function tokenize(
  file: SourceFile,
  diagnostics: DiagnosticList,
  spellings: Spellings = new Spellings(),
): Token[] {
  const lexer = new Lexer(file, diagnostics, spellings);
  const tokens: Token[] = [];
  do tokens.push(lexer.next());
  while (tokens.at(-1)?.kind !== END);
  return tokens;
}

/** End of a preprocessing number: digits, letters, dots, and signs after e or p. */
function numberEnd(text: string, start: number): number {
  let end = start + 1;
  for (; end < text.length; end++) {
    const c = text.charCodeAt(end);
    if ((classOf(c) & 3) !== 0 || c === 46) continue;
    if (c !== 43 && c !== 45) break;
    // 0xe+1 is one number too, and a wrong one (C99 6.4.8).
    const before = text.charCodeAt(end - 1) | 32;
    if (before !== 112 && before !== 101) break;
  }
  return end;
}

/** One after the closing quote; -1 when the line ends before. */
function literalEnd(text: string, start: number, quote: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === quote) return i + 1;
    if (c === 92) i += text.startsWith("\r\n", i + 1) ? 2 : 1;
    else if (c === 10) return -1;
  }
  return -1;
}
