// SPDX-License-Identifier: Apache-2.0
// Macros: their definitions and their expansion (C99 6.10.3), by hide sets (D. Prosser's algorithm for the ANSI
// committee, 1986): each token carries the names of the macros that it came out of, and is not expanded by them again.
//
// A use pops its tokens from a stack of pending tokens and pushes its expansion: arguments are expanded first, # and ##
// are applied to them as they were written, and the result is rescanned together with what follows. Tokens of a
// function-like use get the intersection of the hide sets of name and closing parenthesis, with the macro's name added.
//
// Cost: linear in the tokens made; their number and the depth of nesting are limited, since each macro can double the
// one before.
import { type Diagnostic, type DiagnosticList, type SourceFile, type Span, note } from "@muxkit/report";

import { report } from "../diagnostics.table.ts";
import { tokenize } from "../lex/lexer.ts";
import type { Spellings } from "../lex/spellings.ts";
import {
  type HideSet,
  IDENTIFIER,
  NEWLINE,
  PLACEMARKER,
  PUNCTUATOR,
  SPACE_BEFORE,
  STRING,
  Token,
  isHidden,
  tokenLike,
} from "../lex/token.ts";

/** One macro. */
export interface Macro {
  readonly name: string;
  /** Names of the parameters; null: an object-like macro. */
  readonly parameters: readonly string[] | null;
  /** The parameter that takes the rest: `__VA_ARGS__`, or a name of its own (`list...`); null without `...`. */
  readonly rest: string | null;
  readonly body: readonly Token[];
  /** Where it is defined; null: built in. */
  readonly span: Span | null;
  /** A macro whose text depends on where it is used: __LINE__, __FILE__. */
  readonly dynamic: ((use: Token) => Token) | null;
}

/** Where the expander takes tokens from. */
export interface TokenSource {
  /** The next token, not taken. */
  peek(): Token;
  /** Takes a token. */
  next(): Token;
  /** Runs directives among the arguments of a macro, so that `peek` returns a token of the arguments. */
  runDirectives(): void;
}

function union(left: HideSet | null, right: HideSet | null): HideSet | null {
  // Tokens of a body hide nothing yet: they share what their macro hides.
  if (left === null) return right;
  let result = left;
  for (let entry = right; entry !== null; entry = entry.next)
    if (!isHidden(result, entry.name)) result = { name: entry.name, next: result };
  return result;
}

function intersection(left: HideSet | null, right: HideSet | null): HideSet | null {
  let result: HideSet | null = null;
  for (let entry = left; entry !== null; entry = entry.next)
    if (isHidden(right, entry.name)) result = { name: entry.name, next: result };
  return result;
}

/**
 * Most tokens that the macros of a program may make, and most characters that they may paste and put into strings: each
 * macro can double the one before.
 */
const MOST_MADE = 1 << 19;
/** Most uses of macros in the arguments of one another. */
const MOST_NESTED = 500;

/** Expands macros over a stack of pending tokens. */
export class Expander {
  readonly macros: Map<string, Macro> = new Map();
  private readonly diagnostics: DiagnosticList;
  private readonly scratchFile: SourceFile;
  private readonly spellings: Spellings;
  private made = 0;
  private depth = 0;
  /** Too much was made: from here on macros stay as they are written. */
  private isStopped = false;

  /** `spellings` are those of the files: a table for each pasted token would take longer than all else of it. */
  constructor(diagnostics: DiagnosticList, scratchFile: SourceFile, spellings: Spellings) {
    this.diagnostics = diagnostics;
    this.scratchFile = scratchFile;
    this.spellings = spellings;
  }

  /** Fully expanded copies of a complete token list (a macro argument, a directive's line). */
  expandAll(tokens: readonly Token[]): Token[] {
    const pending = tokens.toReversed();
    const result: Token[] = [];
    this.depth++;
    while (pending.length > 0) {
      const token = pending.pop() as Token;
      if (!this.tryExpand(token, pending, null)) result.push(token);
    }
    this.depth--;
    return result;
  }

  /** Counts the tokens that macros produce; reports, once, when the limit is exceeded. */
  private count(amount: number, use: Token): void {
    this.made += amount;
    if (this.isStopped || (this.made <= MOST_MADE && this.depth <= MOST_NESTED)) return;
    this.isStopped = true;
    report(this.diagnostics, "macroTooLarge", use.span, [use.text]);
  }

  /**
   * Expands `token` if it is a macro: its expansion is pushed onto `pending` (a stack). `more` returns the tokens after
   * `pending`.
   */
  tryExpand(token: Token, pending: Token[], more: TokenSource | null): boolean {
    if (token.kind !== IDENTIFIER) return false;
    const macro = this.macros.get(token.text);
    return macro !== undefined && !isHidden(token.hide, token.text) && this.expand(macro, token, pending, more);
  }

  /** The use of a macro, apart from the question whether there is one: most names are none. */
  private expand(macro: Macro, token: Token, pending: Token[], more: TokenSource | null): boolean {
    // After the limit is exceeded no macro is expanded any more: the rest would only cause follow-on errors.
    if (this.isStopped) return macro.parameters === null;
    if (macro.dynamic !== null) {
      pending.push(macro.dynamic(token));
      return true;
    }
    if (macro.parameters === null) {
      this.pushBody(this.substitute(macro, [], token), { name: macro.name, next: token.hide }, token, pending);
      return true;
    }
    const skipped: Token[] = [];
    const peek = (): Token | null => pending.at(-1) ?? more?.peek() ?? null;
    const take = (): Token => pending.pop() ?? (more as TokenSource).next();
    for (let next = peek(); next !== null && next.kind === NEWLINE; next = peek()) skipped.push(take());
    const open = peek();
    if (open === null || open.text !== "(" || open.kind !== PUNCTUATOR) {
      // The name alone is no use of the macro; the line ends go back.
      while (skipped.length > 0) pending.push(skipped.pop() as Token);
      return false;
    }
    take();
    const peekArgument = (): Token | null => {
      if (pending.length === 0) more?.runDirectives();
      return peek();
    };
    const collected = this.collectArguments(macro, token, peekArgument, take, pending);
    if (collected === null) return true;
    const hide = { name: macro.name, next: intersection(token.hide, collected.close.hide) };
    this.pushBody(this.substitute(macro, collected.list, token), hide, token, pending);
    return true;
  }

  private pushBody(body: readonly Token[], hide: HideSet | null, use: Token, pending: Token[]): void {
    for (let i = body.length - 1; i >= 0; i--) {
      const token = i === 0 ? withSpace(body[i] as Token, use.spaceBefore) : (body[i] as Token);
      token.hide = union(token.hide, hide);
      pending.push(token);
    }
  }

  private collectArguments(
    macro: Macro,
    use: Token,
    peek: () => Token | null,
    take: () => Token,
    pending: Token[],
  ): { readonly list: Token[][]; readonly close: Token } | null {
    const parameters = macro.parameters ?? [];
    const list: Token[][] = [[]];
    const commas: Token[] = [];
    let depth = 0;
    for (;;) {
      const token = peek();
      if (token === null || token.text === "") {
        report(this.diagnostics, "macroUnterminated", use.span, [macro.name], { notes: definedHere(macro) });
        // Everything to the end of the file was taken for arguments: it goes back, for most of it is right.
        const taken = list.flatMap((argument, i) => [...argument, ...commas.slice(i, i + 1)]);
        while (taken.length > 0) pending.push(taken.pop() as Token);
        return null;
      }
      take();
      if (token.kind === NEWLINE) continue;
      if (token.kind === PUNCTUATOR) {
        if (token.text === ")" && depth === 0) {
          const given =
            list.length === 1 && list[0]?.length === 0 && parameters.length === 0 && macro.rest === null ? [] : list;
          const wanted = parameters.length;
          if (given.length !== wanted && !(macro.rest !== null && given.length >= wanted)) {
            report(this.diagnostics, "macroArguments", use.span, [macro.name, wanted, given.length], {
              notes: definedHere(macro),
            });
            return null;
          }
          return { list: given, close: token };
        }
        if (token.text === "(") depth++;
        if (token.text === ")") depth--;
        if (token.text === "," && depth === 0 && !(macro.rest !== null && list.length > parameters.length)) {
          list.push([]);
          commas.push(token);
          continue;
        }
      }
      (list.at(-1) as Token[]).push(token);
    }
  }

  /** The body with arguments instead of parameters; # and ## done. All tokens are fresh. */
  private substitute(macro: Macro, given: readonly Token[][], use: Token): Token[] {
    const { body } = macro;
    const names = macro.parameters ?? [];
    const argumentOf = (token: Token): Token[] | null => {
      if (token.kind !== IDENTIFIER || macro.parameters === null) return null;
      if (token.text === macro.rest) return given[names.length] ?? [];
      const position = names.indexOf(token.text);
      return position < 0 ? null : (given[position] ?? []);
    };
    const result: Token[] = [];
    this.count(body.length, use);
    for (let i = 0; i < body.length; i++) {
      if (this.isStopped) return [];
      const token = body[i] as Token;
      const next = body[i + 1];
      const isHash = token.kind === PUNCTUATOR && token.text === "#" && macro.parameters !== null;
      if (isHash && next !== undefined) {
        const tokens = argumentOf(next);
        if (tokens !== null) {
          this.append(result, [fromBody(this.stringize(tokens, token), use)], body, i);
          i++;
          continue;
        }
      }
      if (token.kind === PUNCTUATOR && token.text === "##") continue;
      const replacement = argumentOf(token);
      if (replacement === null) {
        this.append(result, [fromBody(tokenLike(token, token.kind, token.text), use)], body, i);
        continue;
      }
      // GNU: ", ## __VA_ARGS__" pastes nothing; the comma goes when there is no rest.
      const isRest = token.text === macro.rest && isPaste(body[i - 1]) && body[i - 2]?.text === ",";
      if (isRest && replacement.length === 0) result.pop();
      const isPasted = isPaste(next) || (isPaste(body[i - 1]) && !isRest);
      const expanded = isPasted ? replacement : this.expandAll(replacement);
      this.count(expanded.length, use);
      let copies = expanded.map((t) => tokenLike(t, t.kind, t.text));
      if (copies.length === 0 && isPasted) copies = [tokenLike(use, PLACEMARKER, "")];
      const [first] = copies;
      if (first !== undefined) copies[0] = withSpace(first, token.spaceBefore);
      if (isRest) pushAll(result, copies);
      else this.append(result, copies, body, i);
    }
    return result.filter((token) => token.kind !== PLACEMARKER);
  }

  /** Appends tokens; pastes the first one to the last of `result` when ## precedes position `i` of the body. */
  private append(result: Token[], tokens: readonly Token[], body: readonly Token[], i: number): void {
    const left = result.at(-1);
    const [right] = tokens;
    if (right === undefined) return;
    if (isPaste(body[i - 1]) && left !== undefined) result[result.length - 1] = this.paste(left, right);
    else result.push(right);
    pushAll(result, tokens, 1);
  }

  private paste(left: Token, right: Token): Token {
    if (left.kind === PLACEMARKER) return right;
    if (right.kind === PLACEMARKER) return left;
    const text = left.text + right.text;
    this.count(text.length, left);
    const made = text === "/*" ? [] : tokenize({ ...this.scratchFile, text }, this.diagnostics, this.spellings);
    const [only, end] = made;
    if (only === undefined || end === undefined || end.kind !== NEWLINE) {
      report(this.diagnostics, "badPaste", left.span, [text]);
      return left;
    }
    const token = tokenLike(left, only.kind, text);
    token.hide = intersection(left.hide, right.hide);
    return token;
  }

  private stringize(tokens: readonly Token[], hash: Token): Token {
    let text = "";
    tokens.forEach((token, i) => {
      if (i > 0 && token.spaceBefore) text += " ";
      text +=
        token.kind === STRING || token.text.startsWith("'")
          ? token.text.replaceAll(/["\\]/gu, String.raw`\$&`)
          : token.text;
    });
    this.count(text.length, hash);
    return tokenLike(hash, STRING, `"${text}"`);
  }
}

/** Pushes tokens from a position on; a call with all of them as arguments could be too large. */
function pushAll(list: Token[], tokens: readonly Token[], from = 0): void {
  for (let i = from; i < tokens.length; i++) list.push(tokens[i] as Token);
}

/** The token with or without white space before it. */
function withSpace(token: Token, spaceBefore: boolean): Token {
  if (token.spaceBefore === spaceBefore) return token;
  const made = new Token(token.kind, token.text, token.file, token.start, token.end, token.flags ^ SPACE_BEFORE);
  made.likewise(token);
  return made;
}

/** Where a macro is defined, as a note. */
export function definedHere({ span }: Macro): readonly Diagnostic[] {
  return span === null ? [] : [note("it is defined here", span)];
}

/** Marks a fresh token as one of the definition of the macro that is used. */
function fromBody(token: Token, use: Token): Token {
  token.origin = use;
  return token;
}

function isPaste(token: Token | undefined): boolean {
  return token !== undefined && token.kind === PUNCTUATOR && token.text === "##";
}
