// SPDX-License-Identifier: Apache-2.0
// The preprocessor (C99 6.10): directives, inclusion, conditional groups. It is a pull stream: the parser takes token
// after token, and each file in work is an entry of a stack of lexers, so that no list of a file's tokens is built.
// Conditions are evaluated by condition.ts, macros expanded by macro.ts. Groups that are skipped are lexed for their
// directives only.
//
// A token takes one of two ways. `plain` returns it at once when it can be neither a directive nor a macro, as for
// most. Otherwise `step` runs the directive, or pushes the expansion on the file's stack of pending tokens, until there
// is output or the innermost file has changed. Conditional groups are a stack of states for each file: whether the
// current branch is live, whether one was taken, whether what surrounds them is live. Before the program, two synthetic
// files are read: predefined macros, and those of the build options.
//
// Cost: linear in the text that is read and in the tokens that macros make, and for each undefined name in a condition
// one search of the macros for a similar name. Depth and number of inclusions are limited.
import {
  type DiagnosticExtra,
  DiagnosticList,
  type SourceFile,
  type Span,
  createSourceFile,
  lineAndColumn,
  nearest,
  note,
  replace,
} from "@muxkit/report";

import { report } from "../diagnostics.table.ts";
import { Lexer } from "../lex/lexer.ts";
import { literalBytes } from "../lex/literal.ts";
import { Spellings } from "../lex/spellings.ts";
import {
  CHARACTER,
  END,
  IDENTIFIER,
  NEWLINE,
  NUMBER,
  PRAGMA,
  PUNCTUATOR,
  SPACE_BEFORE,
  STRAY,
  STRING,
  Token,
  tokenLike,
} from "../lex/token.ts";
import type { FrontEndOptions } from "../options.ts";
import { evaluateCondition } from "./condition.ts";
import { Expander, type Macro, type TokenSource, definedHere } from "./macro.ts";
import { QUESTIONS } from "./questions.ts";
import { definedText, predefinedText } from "./predefined.ts";

const MOST_INCLUDES = 200;
/**
 * Most files that all inclusions together may read: headers that include others twice double what is read at each
 * level.
 */
const MOST_FILES = 10_000;

interface Condition {
  readonly directive: Token;
  /** A branch has been taken. */
  taken: boolean;
  /** The current branch is live. */
  live: boolean;
  /** What surrounds it is live. */
  readonly outer: boolean;
  hasElse: boolean;
}

/** Words after # . */
const DIRECTIVES: readonly string[] = [
  "define",
  "undef",
  "include",
  "if",
  "ifdef",
  "ifndef",
  "elif",
  "else",
  "endif",
  "error",
  "warning",
  "line",
  "pragma",
];

function mend(span: Span, best: string | null): DiagnosticExtra {
  return best === null ? {} : { fix: replace(span, best) };
}

/** The parameters of a macro as they were written. */
interface Parameters {
  readonly parameters: readonly string[] | null;
  readonly rest: string | null;
  /** All of them, the rest included. */
  readonly names: ReadonlySet<string>;
  /** How many tokens they take, parentheses included. */
  readonly length: number;
}

const NO_PARAMETERS: Parameters = { parameters: null, rest: null, names: new Set(), length: 0 };

/** A file being read. */
class FileReader implements TokenSource {
  readonly file: SourceFile;
  private readonly lexer: Lexer;
  /** What `peek` has read. */
  private ahead: Token | null = null;
  /** True when the next token is the first of its line. */
  isAtLineStart = true;
  /** Added to line numbers by #line. */
  lineShift = 0;
  shownName: string;
  readonly conditions: Condition[] = [];
  /** Tokens produced by macros, a stack. */
  readonly pending: Token[] = [];

  private readonly directives: (reader: FileReader) => void;

  constructor(
    file: SourceFile,
    diagnostics: DiagnosticList,
    spellings: Spellings,
    directives: (reader: FileReader) => void,
  ) {
    this.file = file;
    this.directives = directives;
    this.lexer = new Lexer(file, diagnostics, spellings);
    this.shownName = file.name;
  }

  peek(): Token {
    return (this.ahead ??= this.lexer.next());
  }

  next(): Token {
    const token = this.ahead ?? this.lexer.next();
    this.ahead = null;
    this.isAtLineStart = token.kind === NEWLINE;
    return token;
  }

  runDirectives(): void {
    this.directives(this);
  }
}

/** Preludes that are remembered: as many as a process has devices and versions of the language, mostly. */
const MOST_PRELUDES = 8;
/**
 * The macros of preludes, by their texts: reading one takes an eighth of a warm front end's time for a usual program.
 */
const PRELUDES = new Map<string, readonly Macro[]>();

class Preprocessor {
  private readonly options: FrontEndOptions;
  private readonly diagnostics: DiagnosticList;
  private readonly expander: Expander;
  /** The words of all files. */
  private readonly spellings = new Spellings();
  /** Files that are open, the innermost last. */
  private readonly files: FileReader[] = [];
  /** The innermost file. */
  private reader: FileReader | null = null;
  /** Tokens produced and not yet consumed. */
  private readonly output: Token[] = [];
  private given = 0;
  /** Files that inclusions have read. */
  private included = 0;
  private counter = 0;
  private readonly once = new Set<string>();

  constructor(options: FrontEndOptions, diagnostics: DiagnosticList) {
    this.options = options;
    this.diagnostics = diagnostics;
    this.expander = new Expander(diagnostics, createSourceFile("<pasted>", ""), this.spellings);
  }

  /** Reads the prelude of every program, then opens the program. */
  open(file: SourceFile): void {
    this.predefine(predefinedText(this.options));
    this.readAll(createSourceFile("<build options>", definedText(this.options)));
    this.enter(file);
  }

  /** Reads a file that has directives alone. */
  private readAll(given: SourceFile): void {
    this.enter(given);
    while (this.next() !== null);
  }

  /** Defines what a text of the prelude does, which the same device and options have given before, mostly. */
  private predefine(text: string): void {
    const { macros } = this.expander;
    const known = PRELUDES.get(text);
    if (known !== undefined) {
      for (const macro of known) macros.set(macro.name, macro);
      return;
    }
    this.readAll(createSourceFile("<predefined>", text));
    const [oldest] = PRELUDES.keys();
    if (oldest !== undefined && PRELUDES.size >= MOST_PRELUDES) PRELUDES.delete(oldest);
    // Those that depend on their place are made for each file anew, and keep theirs in the order.
    PRELUDES.set(
      text,
      [...macros.values()].map((macro) => (macro.dynamic === null ? macro : { ...macro, dynamic: null })),
    );
  }

  /** The next token; the last one is the end. */
  next(): Token | null {
    while (this.given >= this.output.length) {
      if (this.given > 0) {
        this.output.length = 0;
        this.given = 0;
      }
      const { reader } = this;
      if (reader === null) return null;
      const token = this.plain(reader);
      if (token !== null) return token;
    }
    return this.output[this.given++] as Token;
  }

  /** The next token if it is passed on unchanged, as most are; null: see the output. */
  private plain(reader: FileReader): Token | null {
    const { pending, conditions } = reader;
    if (pending.length > 0 || (conditions.length > 0 && conditions[conditions.length - 1]?.live === false)) {
      this.step(reader, null, false);
      return null;
    }
    for (;;) {
      const { isAtLineStart } = reader;
      const token = reader.next();
      switch (token.kind) {
        case NEWLINE:
          continue;
        case PUNCTUATOR:
          if (!isAtLineStart || token.text !== "#") return token;
          break;
        case IDENTIFIER:
          if (!this.expander.macros.has(token.text) && !(token.isReserved && token.text === "_Pragma")) return token;
          break;
        case NUMBER:
        case STRING:
        case CHARACTER:
          return token;
        default:
      }
      this.step(reader, token, isAtLineStart);
      return null;
    }
  }

  private defineDynamic(reader: FileReader): void {
    const define = (name: string, dynamic: (use: Token) => Token): void => {
      this.expander.macros.set(name, { name, parameters: null, rest: null, body: [], span: null, dynamic });
    };
    define("__LINE__", (use) => {
      const outermost = use.outermost;
      return tokenLike(use, NUMBER, String(lineAndColumn(outermost.file, outermost.start).line + reader.lineShift));
    });
    define("__FILE__", (use) => tokenLike(use, STRING, JSON.stringify(reader.shownName)));
    define("__COUNTER__", (use) => tokenLike(use, NUMBER, String(this.counter++)));
  }

  private enter(file: SourceFile): void {
    const reader = new FileReader(file, this.diagnostics, this.spellings, (own) => {
      this.runDirectives(own);
    });
    this.files.push(reader);
    this.reader = reader;
    this.defineDynamic(reader);
  }

  private leave(reader: FileReader): void {
    for (const { directive } of reader.conditions)
      report(this.diagnostics, "unterminatedIf", directive.span, [directive.text]);
    this.files.pop();
    const outer = this.files.at(-1);
    this.reader = outer ?? null;
    const { file } = reader;
    const end = file.text.trimEnd().length;
    if (outer === undefined) this.output.push(new Token(END, "", file, end, end, SPACE_BEFORE));
    else this.defineDynamic(outer);
  }

  /**
   * Reads on in the innermost file, from a token that was taken already, until there is a token to return, or the file
   * is left or another one entered.
   */
  private step(reader: FileReader, taken: Token | null, isFirst: boolean): void {
    const { conditions, pending } = reader;
    let given = taken;
    while (this.output.length === 0) {
      const atStart = given === null ? pending.length === 0 && reader.isAtLineStart : isFirst;
      const token = given ?? pending.pop() ?? reader.next();
      given = null;
      if (token.kind === END) {
        this.leave(reader);
        return;
      }
      if (atStart && token.kind === PUNCTUATOR && token.text === "#") {
        this.directive(reader, token, conditions, false);
        if (this.reader !== reader) return;
        continue;
      }
      if (token.kind === NEWLINE || conditions.at(-1)?.live === false) continue;
      if (token.kind === IDENTIFIER && token.text === "_Pragma") {
        this.pragmaOperator(token, pending, reader);
        continue;
      }
      if (this.expander.tryExpand(token, pending, reader)) continue;
      if (token.kind === STRAY) this.stray(token);
      else this.output.push(token);
    }
  }

  /** Directives among the arguments of a macro, which C leaves undefined and compilers run (C99 6.10.3, 11). */
  private runDirectives(reader: FileReader): void {
    const { conditions } = reader;
    for (;;) {
      const token = reader.peek();
      if (token.kind === END) return;
      if (reader.isAtLineStart && token.kind === PUNCTUATOR && token.text === "#")
        this.directive(reader, reader.next(), conditions, true);
      else if (conditions.at(-1)?.live === false) reader.next();
      else return;
    }
  }

  private stray(token: Token): void {
    const row = token.text.startsWith('"')
      ? "unterminatedString"
      : token.text.startsWith("'")
        ? "unterminatedCharacter"
        : "strayCharacter";
    report(this.diagnostics, row, token.span, [token.text]);
    // What the quote was meant to hold is not known; that there is a value is.
    if (row !== "strayCharacter") this.output.push(tokenLike(token, STRING, '""'));
  }

  private pragmaOperator(token: Token, pending: Token[], reader: FileReader): void {
    const take = (): Token => pending.pop() ?? reader.next();
    const parts = [take(), take(), take()];
    const text = parts[1];
    if (parts[0]?.text !== "(" || text?.kind !== STRING || parts[2]?.text !== ")")
      report(this.diagnostics, "expected", token.span, ['("…")', "after _Pragma", ""]);
    else this.output.push(tokenLike(token, PRAGMA, text.text.slice(1, -1).replaceAll(/\\(["\\])/gu, "$1")));
  }

  private restOfLine(reader: FileReader): Token[] {
    const line: Token[] = [];
    while (reader.peek().kind !== NEWLINE && reader.peek().kind !== END) line.push(reader.next());
    return line;
  }

  private directive(reader: FileReader, hash: Token, conditions: Condition[], isInArguments: boolean): void {
    const [word, ...line] = this.restOfLine(reader);
    if (word === undefined) return;
    const current = conditions.at(-1);
    const live = current?.live !== false;
    if (word.kind === IDENTIFIER && this.conditional(word, line, conditions, current, live)) return;
    if (!live) return;
    if (isInArguments && (word.text === "include" || word.text === "pragma")) {
      report(this.diagnostics, "directiveInArguments", word.span, [word.text]);
      return;
    }
    // What compilers write themselves: # 12 "name".
    if (word.kind === NUMBER) {
      this.line(reader, word, [word, ...line]);
      return;
    }
    switch (word.text) {
      case "define":
        this.define(word, line);
        return;
      case "undef":
        if (line[0]?.kind === IDENTIFIER) this.expander.macros.delete(line[0].text);
        else report(this.diagnostics, "macroName", word.span, ["undef"]);
        return;
      case "include":
        this.include(word, line);
        return;
      case "error":
      case "warning":
        report(this.diagnostics, word.text === "error" ? "userError" : "userWarning", word.span, [textOf(line)]);
        return;
      case "line":
        this.line(reader, word, line);
        return;
      case "pragma":
        if (line[0]?.text === "once") this.once.add(reader.file.name);
        else this.output.push(tokenLike(hash, PRAGMA, textOf(line)));
        return;
      default:
        report(
          this.diagnostics,
          "unknownDirective",
          word.span,
          [word.text],
          mend(word.span, nearest(word.text, DIRECTIVES)),
        );
    }
  }

  /** #if and its family; true when `word` was one of them. */
  private conditional(
    word: Token,
    line: readonly Token[],
    conditions: Condition[],
    current: Condition | undefined,
    live: boolean,
  ): boolean {
    const isDefined = (): boolean => {
      const [name] = line;
      if (name?.kind !== IDENTIFIER) report(this.diagnostics, "macroName", word.span, [word.text]);
      return name !== undefined && this.isMacro(name.text);
    };
    const open = (holds: boolean): void => {
      conditions.push({ directive: word, taken: holds, live: live && holds, outer: live, hasElse: false });
    };
    switch (word.text) {
      case "if":
        open(live && this.condition(line, word));
        return true;
      case "ifdef":
        open(live && isDefined());
        return true;
      case "ifndef":
        open(live && !isDefined());
        return true;
      case "elif":
      case "else":
        if (current === undefined || current.hasElse) {
          report(
            this.diagnostics,
            "elseWithoutIf",
            word.span,
            [word.text],
            current === undefined
              ? {}
              : { notes: [note(`the #else of this #${current.directive.text} has been`, current.directive.span)] },
          );
          return true;
        }
        current.hasElse = word.text === "else";
        current.live = current.outer && !current.taken && (word.text === "else" || this.condition(line, word));
        current.taken ||= current.live;
        return true;
      case "endif":
        if (conditions.pop() === undefined) report(this.diagnostics, "elseWithoutIf", word.span, ["endif"]);
        return true;
      default:
        return false;
    }
  }

  /** The value of `defined NAME` or `defined(NAME)`, whose other tokens `take` returns; null: malformed. */
  private definedValue(token: Token, take: () => Token | undefined): Token | null {
    const first = take();
    const hasParenthesis = first?.text === "(";
    const name = hasParenthesis ? take() : first;
    if (name?.kind === IDENTIFIER && (!hasParenthesis || take()?.text === ")"))
      return tokenLike(token, NUMBER, this.isMacro(name.text) ? "1" : "0");
    report(this.diagnostics, "conditionForm", token.span, ["defined needs the name of a macro"]);
    return null;
  }

  /** True for macros, and for questions to the compiler. */
  private isMacro(name: string): boolean {
    return this.expander.macros.has(name) || QUESTIONS.has(name);
  }

  /** The answer to `__has_builtin(NAME)` and its kin, whose other tokens `take` returns; null: malformed. */
  private answer(token: Token, ask: (name: string) => boolean, take: () => Token | undefined): Token | null {
    const name = take()?.text === "(" ? take() : undefined;
    if (name?.kind === IDENTIFIER && take()?.text === ")") return tokenLike(token, NUMBER, ask(name.text) ? "1" : "0");
    report(this.diagnostics, "conditionForm", token.span, [`${token.text} needs a name in parentheses`]);
    return null;
  }

  private condition(given: readonly Token[], word: Token): boolean {
    let line = given;
    // First those in the line itself, whose names must not be expanded, then those that macros bring.
    for (const expands of [false, true]) {
      const pending = line.toReversed();
      const tokens: Token[] = [];
      while (pending.length > 0) {
        const token = pending.pop() as Token;
        const ask = this.expander.macros.has(token.text) ? undefined : QUESTIONS.get(token.text);
        if (ask !== undefined) {
          const value = this.answer(token, ask, () => pending.pop());
          if (value === null) return false;
          tokens.push(value);
        } else if (token.kind === IDENTIFIER && token.text === "defined") {
          const value = this.definedValue(token, () => pending.pop());
          if (value === null) return false;
          tokens.push(value);
        } else if (!expands || !this.expander.tryExpand(token, pending, null)) tokens.push(token);
      }
      line = tokens;
    }
    for (const token of line) if (token.kind === IDENTIFIER) this.checkUndefined(token);
    return evaluateCondition(line, word, this.diagnostics);
  }

  /** A name in #if that no macro has counts as 0: worth a word where it looks like one that there is. */
  private checkUndefined({ text, span }: Token): void {
    if (text.length < 5) return;
    const best = nearest(text, this.expander.macros.keys());
    // Names that differ in a number or their first letter belong to a family.
    if (
      best === null ||
      best.charAt(0) !== text.charAt(0) ||
      best.replaceAll(/\d/gu, "") === text.replaceAll(/\d/gu, "")
    )
      return;
    report(this.diagnostics, "undefinedInCondition", span, [text], mend(span, best));
  }

  private define(word: Token, line: readonly Token[]): void {
    const [name, ...rest] = line;
    if (name?.kind !== IDENTIFIER || name.text === "defined") {
      report(this.diagnostics, "macroName", (name ?? word).span, ["define"]);
      return;
    }
    const [open] = rest;
    const head = open?.text === "(" && !open.spaceBefore ? this.parameters(name, rest) : NO_PARAMETERS;
    if (head === null) return;
    const body = rest.slice(head.length);
    if (head.parameters !== null) {
      const stray = body.find(
        (token, at) => token.text === "#" && token.kind === PUNCTUATOR && !head.names.has(body[at + 1]?.text ?? ""),
      );
      if (stray !== undefined) {
        report(this.diagnostics, "hashParameter", stray.span);
        return;
      }
    }
    const edge = [body[0], body.at(-1)].find((token) => token?.kind === PUNCTUATOR && token.text === "##");
    if (edge !== undefined) {
      report(this.diagnostics, "pasteAtEdge", edge.span, [name.text]);
      return;
    }
    const old = this.expander.macros.get(name.text);
    if (
      old !== undefined &&
      (textOf(old.body) !== textOf(body) ||
        String(old.parameters) !== String(head.parameters) ||
        old.rest !== head.rest)
    )
      report(this.diagnostics, "macroRedefined", name.span, [name.text], { notes: definedHere(old) });
    const macro: Macro = {
      name: name.text,
      parameters: head.parameters,
      rest: head.rest,
      body,
      span: name.span,
      dynamic: null,
    };
    this.expander.macros.set(name.text, macro);
  }

  /** The parameters after the name of a macro; null after an error. */
  private parameters(name: Token, line: readonly Token[]): Parameters | null {
    const parameters: string[] = [];
    let rest: string | null = null;
    const wrong = (token: Token | undefined): null => {
      report(this.diagnostics, "macroParameters", (token ?? name).span, [name.text]);
      return null;
    };
    let i = 1;
    for (; ; i++) {
      const token = line[i];
      if (token?.text === ")" && parameters.length === 0 && rest === null) break;
      if (token?.text === "...") rest = "__VA_ARGS__";
      else if (token?.kind === IDENTIFIER && line[i + 1]?.text === "...") {
        rest = token.text;
        i++;
      } else if (token?.kind === IDENTIFIER && token.text !== "__VA_ARGS__" && !parameters.includes(token.text))
        parameters.push(token.text);
      else return wrong(token);
      i++;
      if (line[i]?.text === ")") break;
      if (line[i]?.text !== "," || rest !== null) return wrong(line[i]);
    }
    return { parameters, rest, names: new Set(rest === null ? parameters : [...parameters, rest]), length: i + 1 };
  }

  private include(word: Token, line: readonly Token[]): void {
    let tokens = line;
    if (tokens[0]?.kind !== STRING && tokens[0]?.text !== "<") tokens = this.expander.expandAll(tokens);
    const [first] = tokens;
    let name: string | null = null;
    if (first?.kind === STRING) name = first.text.slice(1, -1);
    else if (first?.text === "<") {
      const end = tokens.findIndex((token) => token.text === ">");
      const last = tokens[end];
      if (last !== undefined) name = first.file.text.slice(first.end, last.start);
    }
    if (name === null) {
      report(this.diagnostics, "includeForm", word.span);
      return;
    }
    const found = this.findHeader(name, (first ?? word).span, first?.kind === STRING);
    if (found === null) {
      report(
        this.diagnostics,
        "includeNotFound",
        (first ?? word).span,
        [name],
        first?.kind === STRING
          ? mend(
              { ...first.span, start: first.start + 1, end: first.end - 1 },
              nearest(name, this.options.headers.keys()),
            )
          : {},
      );
      return;
    }
    if (this.once.has(found.name)) return;
    if (this.included > MOST_FILES) return;
    if (this.files.length > MOST_INCLUDES || this.included === MOST_FILES) {
      report(this.diagnostics, "includeDepth", word.span, [MOST_INCLUDES, MOST_FILES]);
      // After the first such error nothing more is included: the others would repeat it.
      this.included = MOST_FILES + 1;
      return;
    }
    this.included++;
    this.enter(found);
  }

  /**
   * A header that was passed, or a file: for a name in quotes next to the file that includes it first, then in the
   * folders of -I.
   */
  private findHeader(name: string, from: Span, isQuoted: boolean): SourceFile | null {
    const folder = isQuoted ? /^.*\//u.exec(from.file.name)?.[0] : undefined;
    const nearby = folder === undefined ? null : this.readHeader(folder + name, from);
    if (nearby !== null) return nearby;
    const given = this.options.headers.get(name);
    if (given !== undefined) return createSourceFile(name, given, from);
    if (/^(?:\/|[A-Za-z]:[/\\])/u.test(name)) return this.readHeader(name, from);
    for (const directory of this.options.includeDirectories) {
      const found = this.readHeader(`${directory}/${name}`, from);
      if (found !== null) return found;
    }
    return null;
  }

  private readHeader(path: string, from: Span): SourceFile | null {
    const text = this.options.headers.get(path) ?? this.options.readFile?.(path) ?? null;
    return text === null ? null : createSourceFile(path, text, from);
  }

  private line(reader: FileReader, word: Token, line: readonly Token[]): void {
    const [number, name] = this.expander.expandAll(line);
    if (number?.kind !== NUMBER || !/^\d+$/u.test(number.text) || (name !== undefined && name.kind !== STRING)) {
      report(this.diagnostics, "lineForm", word.span);
      return;
    }
    reader.lineShift = Number(number.text) - (lineAndColumn(word.file, word.start).line + 1);
    if (name !== undefined) {
      reader.shownName = new TextDecoder().decode(literalBytes(name.text).bytes);
    }
    reader.file.marks.push({ offset: word.end, shift: reader.lineShift, name: reader.shownName });
  }
}

function textOf(tokens: readonly Token[]): string {
  return tokens.map((token, i) => (i > 0 && token.spaceBefore ? " " : "") + token.text).join("");
}

/**
 * Returns the tokens of a program one by one: all directives done, all macros expanded. The last one is the end, null
 * after it.
 */
export interface TokenStream {
  next(): Token | null;
}

/** Runs the preprocessor over a file, as far as its tokens are consumed. */
export function preprocess(file: SourceFile, options: FrontEndOptions, diagnostics: DiagnosticList): TokenStream {
  const preprocessor = new Preprocessor(options, diagnostics);
  preprocessor.open(file);
  return preprocessor;
}

/** True when two tokens that were not adjacent would be read as something else if they did. */
function wouldJoin(left: Token, right: Token, spellings: Spellings): boolean {
  if (left.file === right.file && left.end === right.start) return false;
  const joined = createSourceFile("<joined>", left.text + right.text);
  return new Lexer(joined, new DiagnosticList(), spellings).next().text !== left.text;
}

/** The preprocessed program as text, a line for a line where that is possible. @public */
export function preprocessToText(
  name: string,
  text: string,
  options: FrontEndOptions,
  diagnostics: DiagnosticList,
): string {
  let result = "";
  let line = 1;
  let before: Token | null = null;
  const spellings = new Spellings();
  const stream = preprocess(createSourceFile(name, text), options, diagnostics);
  for (let token = stream.next(); token !== null && token.kind !== END; token = stream.next()) {
    const { span } = token;
    const here = lineAndColumn(span.file, span.start).line;
    if (token.spaceBefore && span.file.name === name && here > line) {
      result += "\n".repeat(here - line);
      line = here;
    } else if (before !== null && (token.kind === PRAGMA || before.kind === PRAGMA)) result += "\n";
    else if (before !== null && (token.spaceBefore || wouldJoin(before, token, spellings))) result += " ";
    result += token.kind === PRAGMA ? `#pragma ${token.text}` : token.text;
    before = token;
  }
  return `${result}\n`;
}
