// SPDX-License-Identifier: Apache-2.0
// A position in a list of tokens, and the names of types that are in scope there.
import type { DiagnosticList, SourceFile, Span } from "@muxkit/report";

import type { CompoundStatement, Expression, FunctionDefinition, InitializerList, TypeName } from "../ast.ts";
import { report } from "../diagnostics.table.ts";
import { END, IDENTIFIER, PRAGMA, PUNCTUATOR, type Token } from "../lex/token.ts";
import type { TokenStream } from "../preprocess/preprocessor.ts";
import {
  beforeNext,
  canBeInserted,
  reportForeign,
  reportForeignOperator,
  reportMissing,
  takeInstead,
} from "./recover.ts";
import { Resynchronize } from "./resynchronize.ts";
import type { Words } from "./type-words.ts";

/**
 * Levels of nesting that are read: a loop with a block is three. Several times below what a JavaScript stack takes.
 */
const DEEPEST = 1024;

const VECTOR_NAME = /^(?:u?(?:char|short|int|long)|half|float|double)(?:2|3|4|8|16)$/u;

/** A stretch that no macro made. Most nodes of the tree have one, so it holds no more than it must. */
export class PlainSpan implements Span {
  readonly file: SourceFile;
  readonly start: number;
  readonly end: number;
  /** None. */
  declare readonly expansion: null;

  constructor(file: SourceFile, start: number, end: number) {
    this.file = file;
    this.start = start;
    this.end = end;
  }
}

Object.assign(PlainSpan.prototype, { expansion: null });

/** What a declared name is to the grammar. */
export type NameKind = "variable" | "type" | "vector";

/**
 * Rules of the grammar that others need before they are defined: expressions hold types, declarations hold statements.
 */
export interface Grammar {
  readonly typeName: (cursor: Cursor) => TypeName;
  readonly initializerList: (cursor: Cursor) => InitializerList;
  readonly compound: (cursor: Cursor) => CompoundStatement;
  readonly expression: (cursor: Cursor) => Expression;
  readonly assignment: (cursor: Cursor) => Expression;
  readonly conditional: (cursor: Cursor) => Expression;
}

/** Reads tokens one by one. */
export class Cursor {
  private readonly stream: TokenStream;
  /** Tokens from the construct being read on, as far as they were read; the last one returned remains the last. */
  private readonly tokens: Token[];
  /** How many of `tokens` count; those after them are left from earlier declarations and are overwritten. */
  private count = 0;
  /** Index in `tokens` of the next token. */
  private at = 0;
  /** The next token, where it was read already. */
  private current: Token | null = null;
  /** Tokens that were dropped before `tokens`. */
  private dropped = 0;
  /** Nesting depth at the cursor. */
  depth = 0;
  readonly diagnostics: DiagnosticList;
  readonly grammar: Grammar;
  /** The language's words. */
  readonly words: Words;
  /** The brace of the innermost block that is being read. */
  openBlock: Token | null = null;
  /** A block was found to have no end: reported once. */
  hasUnclosedBlock = false;
  /** Functions found within a block whose end is missing. */
  readonly hoisted: FunctionDefinition[] = [];
  /** The words before the tags that were declared: struct, union, enum. */
  readonly tags: Map<string, "struct" | "union" | "enum"> = new Map();
  /** Names of declarations that could not be read. */
  readonly brokenNames: Set<string> = new Set();
  /** What names are here; null: their scope has ended. */
  private readonly names = new Map<string, NameKind | null>();
  /**
   * The names that the open scopes declared, with what they were outside, and where each scope begins in these lists.
   */
  private readonly declared: string[] = [];
  private readonly outside: (NameKind | null)[] = [];
  private readonly scopeStarts: number[] = [];

  constructor(stream: TokenStream, diagnostics: DiagnosticList, grammar: Grammar, words: Words) {
    this.words = words;
    this.stream = stream;
    this.tokens = [];
    this.grammar = grammar;
    this.diagnostics = diagnostics;
  }

  /** The token `ahead` tokens on; after the end, the end token. */
  peek(ahead: number = 0): Token {
    if (ahead === 0) return this.current ?? (this.current = this.read(this.at));
    const index = this.at + ahead;
    return index >= 0 && index < this.count ? (this.tokens[index] as Token) : this.read(index);
  }

  private read(index: number): Token {
    while (index >= this.count) {
      const token = this.stream.next();
      if (token === null) return this.tokens[this.count - 1] as Token;
      this.tokens[this.count++] = token;
    }
    return this.tokens[Math.max(0, index)] as Token;
  }

  /** Takes a token; the end is never taken. */
  next(): Token {
    const token = this.peek();
    if (token.kind === END) return token;
    this.at++;
    this.current = this.at < this.count ? (this.tokens[this.at] as Token) : null;
    return token;
  }

  /** Forgets the tokens that were taken, but for the last one: a declaration is whole. */
  forget(): void {
    const count = this.at - 1;
    if (count <= 0) return;
    for (let i = count; i < this.count; i++) this.tokens[i - count] = this.tokens[i] as Token;
    this.count -= count;
    this.dropped += count;
    this.at = 1;
  }

  /** Position, to detect whether anything was consumed. */
  get position(): number {
    return this.dropped + this.at;
  }

  get isAtEnd(): boolean {
    return this.peek().kind === END;
  }

  /** True when the next token is this punctuator. */
  is(text: string, ahead: number = 0): boolean {
    const token = this.peek(ahead);
    return token.kind === PUNCTUATOR && token.text === text;
  }

  /** True when the next token is this word. */
  isWord(text: string, ahead: number = 0): boolean {
    const token = this.peek(ahead);
    return token.kind === IDENTIFIER && token.text === text;
  }

  /** Takes the punctuator if it is next. */
  accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.next();
    return true;
  }

  /** Takes the word if it is next. */
  acceptWord(text: string): boolean {
    if (!this.isWord(text)) return false;
    this.next();
    return true;
  }

  /**
   * Takes the punctuator, or reports that it is missing: where nothing else is possible, parsing continues, else the
   * construct is left.
   */
  expect(text: string, where: string, opener: Token | null = null): Token {
    if (this.is(text)) return this.next();
    if (text === ";" && this.is(":") && where === "after expression") return takeInstead(this, text, where);
    if (reportForeign(this) || reportForeignOperator(this)) throw new Resynchronize();
    reportMissing(this, text, where, opener);
    if (canBeInserted(this, text)) return this.peek(-1);
    throw new Resynchronize();
  }

  /** Takes a name, or reports that one is missing and leaves the construct. */
  expectName(where: string): Token {
    if (this.peek().kind === IDENTIFIER) return this.next();
    report(this.diagnostics, "expected", this.peek().span, ["a name", where, beforeNext(this)]);
    throw new Resynchronize();
  }

  /** The span from a token to the one taken last. */
  spanFrom(first: Token): Span {
    const last = this.at > 0 ? (this.tokens[this.at - 1] as Token) : first;
    if (first.origin === null && last.origin === null && first.file === last.file)
      return new PlainSpan(first.file, first.start, last.end > first.start ? last.end : first.end);
    const from = first.outermost;
    const to = last.outermost;
    const { file, start } = from;
    const expansion = first.origin === null ? (last.origin === null ? null : last) : first;
    return { file, start, end: to.file === file && to.end > start ? to.end : from.end, expansion };
  }

  /** Enters one nesting level. The handler of a {@link Resynchronize} restores the depth. */
  enter(): void {
    if (this.depth >= DEEPEST) {
      report(this.diagnostics, "nesting", this.peek().span, [DEEPEST]);
      throw new Resynchronize();
    }
    this.depth++;
  }

  /** Comes back from a level. */
  leave(): void {
    this.depth--;
  }

  /** Opens a scope of names. */
  openScope(): void {
    this.scopeStarts.push(this.declared.length);
  }

  /** Closes the innermost scope. */
  closeScope(): void {
    const start = this.scopeStarts.pop() ?? 0;
    while (this.declared.length > start) this.names.set(this.declared.pop() as string, this.outside.pop() ?? null);
  }

  /** Declares the kind of a name from here on. */
  declare(name: string, kind: NameKind): void {
    this.declared.push(name);
    this.outside.push(this.names.get(name) ?? null);
    this.names.set(name, kind);
  }

  /** The declared kind of a name; null: no declaration is visible. */
  kindOf(name: string): NameKind | null {
    return this.names.get(name) ?? null;
  }

  /** True when a declaration of the name is visible. */
  isDeclared(name: string): boolean {
    return this.kindOf(name) !== null;
  }

  /** Every name that is a type here. */
  typeNames(): string[] {
    return [
      ...this.words.types(),
      ...[...this.names].flatMap(([name, kind]) => (kind === null || kind === "variable" ? [] : [name])),
    ];
  }

  /** True when the token names a type. */
  isTypeName(token: Token): boolean {
    if (token.kind !== IDENTIFIER) return false;
    const kind = this.kindOf(token.text);
    return kind === null ? token.isReserved && this.words.isType(token.text) : kind !== "variable";
  }

  /** True when a type name denotes a vector: the parentheses after it are a vector literal. */
  isVectorName(name: string): boolean {
    const kind = this.kindOf(name);
    return kind === null ? VECTOR_NAME.test(name) : kind === "vector";
  }

  /**
   * True when the token would name a type in another version of the language or on another device, and nothing else
   * here.
   */
  isMissingType(token: Token): boolean {
    return token.isReserved && this.words.isMissingType(token.text) && !this.isDeclared(token.text);
  }

  /** Skips from an opening bracket to after the one that closes it. */
  skipBrackets(open: string, close: string): void {
    let depth = 0;
    do {
      if (this.is(open)) depth++;
      if (this.is(close)) depth--;
      this.next();
    } while (depth > 0 && !this.isAtEnd);
  }

  /** Skips to after the next ";" of this level, or before its "}"; pragmas are skipped too. */
  skipStatement(): void {
    let depth = 0;
    while (!this.isAtEnd) {
      const token = this.peek();
      if (token.kind === PUNCTUATOR) {
        if (token.text === "{") depth++;
        if (token.text === "}") {
          if (depth === 0) return;
          depth--;
          if (depth === 0) {
            this.next();
            return;
          }
        }
        if (token.text === ";" && depth === 0) {
          this.next();
          return;
        }
      } else if (token.kind === PRAGMA && depth === 0) return;
      this.next();
    }
  }
}
