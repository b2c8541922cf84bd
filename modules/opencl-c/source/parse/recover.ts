// SPDX-License-Identifier: Apache-2.0
// Error recovery of the parser. A missing punctuator is inserted where the next token can follow it (phrase-level
// recovery); otherwise the construct is abandoned and tokens are skipped up to one that ends or begins a statement or
// declaration (panic mode, see Aho et al., Compilers, 4.1.4). Each mistake is reported once: what only follows from a
// reported one is silent.
import { type Diagnostic, type Span, insertBefore, insertAfter, nearest, note, replace } from "@muxkit/report";

import type { BaseType } from "../ast.ts";
import { report } from "../diagnostics.table.ts";
import { END, IDENTIFIER, NUMBER, PRAGMA, PUNCTUATOR, type Token } from "../lex/token.ts";
import type { Cursor } from "./cursor.ts";
import { foreignConstruct, foreignOperator, foreignSpecifier, foreignType } from "./foreign-names.ts";
import { Resynchronize } from "./resynchronize.ts";
import { STATEMENT_WORDS } from "./type-words.ts";

/** The position after the token that was taken last. */
function behindLast(cursor: Cursor): Span {
  const { file, end } = cursor.peek(-1).outermost;
  return { file, start: end, end };
}

/** The token at the cursor, for a message. */
export function describeNext(cursor: Cursor): string {
  const token = cursor.peek();
  if (token.kind === END) return "the end of the file";
  return token.kind === PRAGMA ? "#pragma" : `"${token.text}"`;
}

/** The end of a sentence about something that is missing before the token at the cursor. */
export function beforeNext(cursor: Cursor): string {
  return `, before ${describeNext(cursor)}`;
}

/**
 * Takes the punctuator of a statement or list that was written instead of another one, and reports it: ":" for ";",
 * ";" for ",".
 */
export function takeInstead(cursor: Cursor, text: string, where: string): Token {
  const token = cursor.next();
  report(cursor.diagnostics, "expected", token.span, [`"${text}"`, where, `, not "${token.text}"`], {
    fix: replace(token.span, text),
  });
  return token;
}

/**
 * Reports what another language has, where the word before the cursor begins it; false: it is no such word. The
 * construct is left.
 */
export function reportForeign(cursor: Cursor): boolean {
  const { text, span, kind } = cursor.peek(-1);
  if (kind !== IDENTIFIER || cursor.isDeclared(text)) return false;
  const construct = foreignConstruct(text);
  if (construct !== null) report(cursor.diagnostics, "foreignWord", span, [construct]);
  return construct !== null;
}

/** Reports `a and b` and `not a`, where the operator is before or behind the cursor; false: there is none. */
export function reportForeignOperator(cursor: Cursor): boolean {
  const token = [cursor.peek(), cursor.peek(-1)].find(
    ({ kind, text }) => kind === IDENTIFIER && !cursor.isDeclared(text) && foreignOperator(text) !== null,
  );
  if (token === undefined) return false;
  const { text, span } = token;
  const own = foreignOperator(text) ?? "";
  report(cursor.diagnostics, "foreignWord", span, [`"${text}": write ${own}`], { fix: replace(span, own) });
  return true;
}

/** True when the next token is on a later line than the one taken last. */
export function isOnNewLine(cursor: Cursor): boolean {
  const last = cursor.peek(-1).outermost;
  const next = cursor.peek().outermost;
  if (cursor.peek().kind === END) return true;
  return last.file !== next.file || last.file.text.slice(last.end, next.start).includes("\n");
}

/**
 * True when parsing continues as if the missing punctuator were there: what comes next cannot belong to what
 * is before.
 */
export function canBeInserted(cursor: Cursor, text: string): boolean {
  const next = cursor.peek();
  switch (text) {
    case ";":
      return (
        isOnNewLine(cursor) ||
        next.text === "}" ||
        (next.kind === IDENTIFIER &&
          (STATEMENT_WORDS.has(next.text) || cursor.isTypeName(next) || cursor.words.isDeclaration(next.text)))
      );
    case ")":
      return (
        isOnNewLine(cursor) ||
        (next.kind === PUNCTUATOR && (next.text === ";" || next.text === "{" || next.text === "}"))
      );
    case ":":
      return isOnNewLine(cursor);
    default:
      return false;
  }
}

/** Reports a punctuator that is missing, with the opening one that it belongs to. */
export function reportMissing(cursor: Cursor, text: string, where: string, opener: Token | null): void {
  const span = behindLast(cursor);
  const notes: Diagnostic[] = [];
  if (opener !== null) notes.push(note(`to match this "${opener.text}"`, opener.span));
  const isAtPlace = [";", ")", "]", ",", ":"].includes(text);
  const fix = isAtPlace ? insertAfter(span, text) : text === "(" ? insertBefore(cursor.peek().span, text) : null;
  report(
    cursor.diagnostics,
    "expected",
    isAtPlace ? span : cursor.peek().span,
    [`"${text}"`, where, text === ";" ? "" : beforeNext(cursor)],
    { notes, fix },
  );
}

/**
 * Takes the brace that closes a block or list. A missing one is reported once, however many blocks are open, and
 * parsing continues after them.
 */
export function closeBrace(cursor: Cursor, opener: Token, where: string): void {
  if (cursor.accept("}")) return;
  if (cursor.hasUnclosedBlock) return;
  cursor.hasUnclosedBlock = true;
  reportMissing(cursor, "}", where, opener);
}

/**
 * True when an expression begins at the cursor on the line of what was taken last: a comma or an operator is missing
 * between them.
 */
export function isOperandHere(cursor: Cursor): boolean {
  const next = cursor.peek();
  return (
    (next.kind === NUMBER || (next.kind === IDENTIFIER && !cursor.words.isKeyword(next.text))) && !isOnNewLine(cursor)
  );
}

/**
 * Takes a comma between the entries of a list; one that is missing before another entry is reported and assumed.
 * False: the list ends.
 */
export function acceptComma(cursor: Cursor, where: string): boolean {
  if (cursor.accept(",")) return true;
  if (!isOperandHere(cursor)) return false;
  reportMissing(cursor, ",", where, null);
  return true;
}

/** The type that a name was meant to be; null: none is near. */
export function meantType(cursor: Cursor, name: string): string | null {
  return foreignType(name) ?? nearest(name, cursor.typeNames());
}

/** Takes a word found where a type is expected, and reports it: the type that was meant, if one is near. */
export function unknownType(cursor: Cursor): BaseType {
  const { text, span } = cursor.next();
  if (reportForeign(cursor)) throw new Resynchronize();
  // It was to be declared where something could not be read.
  if (cursor.brokenNames.has(text)) return { kind: "missing", span };
  const word = cursor.tags.get(text);
  if (word !== undefined) {
    report(cursor.diagnostics, "unknownType", span, [text], { fix: insertBefore(span, `${word} `) });
    return word === "enum"
      ? { kind: "enum", tag: text, values: null, attributes: [], span }
      : { kind: "record", isUnion: word === "union", tag: text, members: null, asserts: [], attributes: [], span };
  }
  const best = meantType(cursor, text);
  report(cursor.diagnostics, "unknownType", span, [text], best === null ? {} : { fix: replace(span, best) });
  return best === null ? { kind: "missing", span } : { kind: "named", name: best, span };
}

/** Words that may precede a type and may be misspelt. */
const SPECIFIERS = [
  "kernel",
  "__kernel",
  "static",
  "inline",
  "const",
  "volatile",
  "restrict",
  "global",
  "__global",
  "local",
  "__local",
  "constant",
  "__constant",
  "private",
  "__private",
  "typedef",
  "extern",
  "struct",
  "union",
  "enum",
  "unsigned",
  "signed",
  "read_only",
  "write_only",
];

/** Takes a word before a type that means nothing, and reports it: the specifier that was meant, if one is near. */
export function unknownSpecifier(cursor: Cursor): string | null {
  const { text, span } = cursor.next();
  if (reportForeign(cursor)) throw new Resynchronize();
  const own = foreignSpecifier(text);
  if (own !== null) {
    const advice = own === "" ? "remove it" : `write ${own}`;
    report(cursor.diagnostics, "foreignWord", span, [`"${text}": ${advice}`], { fix: replace(span, own) });
    return own === "" ? null : own;
  }
  const best = nearest(text, SPECIFIERS);
  report(cursor.diagnostics, "unknownType", span, [text], best === null ? {} : { fix: replace(span, best) });
  return best;
}

/**
 * Skips to the comma or parenthesis that ends an entry of a list. False: the list ends otherwise, and nothing is
 * skipped beyond.
 */
export function skipEntry(cursor: Cursor): boolean {
  for (let depth = 0; !cursor.isAtEnd && !cursor.is("{") && !cursor.is(";"); cursor.next()) {
    if (depth === 0 && (cursor.is(",") || cursor.is(")"))) return true;
    if (cursor.is("(")) depth++;
    if (cursor.is(")")) depth--;
  }
  return false;
}

/** After a brace too many: on to what begins at the left edge of a line, as functions do. */
export function skipToEdge(cursor: Cursor): void {
  while (!cursor.isAtEnd) {
    cursor.next();
    const token = cursor.peek();
    const { file, start } = token.outermost;
    const isAtEdge = start === 0 || file.text.charCodeAt(start - 1) === 10;
    if (
      token.kind === PRAGMA ||
      (isAtEdge && token.kind === IDENTIFIER && (cursor.words.isDeclaration(token.text) || cursor.isTypeName(token)))
    )
      return;
  }
}

/**
 * Names in a declaration that could not be read: that they are not declared is not reported. For a function those of
 * its head.
 */
export function namesBetween(cursor: Cursor, from: number, to: number): string[] {
  const names: string[] = [];
  for (let at = from; at < to; at++) {
    const token = cursor.peek(at - cursor.position);
    if (token.kind === PUNCTUATOR && token.text === "{" && cursor.peek(at - 1 - cursor.position).text === ")") break;
    if (token.kind === IDENTIFIER && !cursor.words.isKeyword(token.text)) names.push(token.text);
  }
  return names;
}
