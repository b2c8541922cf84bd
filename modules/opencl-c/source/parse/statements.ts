// SPDX-License-Identifier: Apache-2.0
// Statements (C99 6.8): recursive descent from tokens to the `Statement` nodes of the syntax tree.
//
// A table maps each keyword to its parser; labels are recognised by one token of lookahead, declarations by
// `startsDeclaration`, which needs the typedef names in scope. `for` and blocks open a scope of names.
//
// Pragmas and attributes before a loop that say how it is unrolled are attached to the loop's node as a hint; before
// any other statement they are reported. Other pragmas are items of their block.
//
// Recovery is panic mode (Aho et al., "Compilers", 4.8): an unexpected token throws `Resynchronize`, `parseCompound`
// catches it, and parsing continues after the next ";" or at the end of the block. A missing "(" or "else" without
// "if" is repaired locally, without discarding tokens.
//
// Cost: linear in the tokens; the depth of nesting is bounded by the cursor.
import { type Span, replace } from "@muxkit/report";

import type {
  CompoundStatement,
  Declaration,
  Expression,
  Pragma,
  Statement,
  StaticAssert,
  UnrollHint,
} from "../ast.ts";
import { report } from "../diagnostics.table.ts";
import { IDENTIFIER, PRAGMA, type Token, STRING } from "../lex/token.ts";
import type { Cursor } from "./cursor.ts";
import { Resynchronize } from "./resynchronize.ts";
import { attributesLength, parseAttributes } from "./attributes.ts";
import { parseDeclaration } from "./declarations.ts";
import { foreignConstruct, foreignStatementWord } from "./foreign-names.ts";
import { parseConditional, parseExpression } from "./expressions.ts";
import { parseStaticAssert } from "./extensions.ts";
import { readLoopDirective } from "./loop-directives.ts";
import { closeBrace, namesBetween, reportMissing } from "./recover.ts";
import { startsDeclaration } from "./starts.ts";

/** Reads `{ … }`. */
export function parseCompound(cursor: Cursor): CompoundStatement {
  cursor.enter();
  // A function whose opening brace is missing, which was reported, begins here.
  const first = cursor.is("{") ? cursor.next() : cursor.peek();
  const { openBlock: outer } = cursor;
  cursor.openBlock = first;
  const items: CompoundStatement["items"][number][] = [];
  cursor.openScope();
  while (!cursor.is("}") && !cursor.isAtEnd) {
    const start = cursor.position;
    const { depth } = cursor;
    try {
      items.push(parseItem(cursor));
    } catch (error) {
      if (!(error instanceof Resynchronize)) throw error;
      cursor.depth = depth;
      const isDeclaration = startsDeclaration(cursor, start - cursor.position);
      cursor.skipStatement();
      if (cursor.position === start) cursor.next();
      if (isDeclaration) for (const name of namesBetween(cursor, start, cursor.position)) cursor.brokenNames.add(name);
    }
  }
  cursor.closeScope();
  closeBrace(cursor, first, "at the end of a block");
  cursor.openBlock = outer;
  cursor.leave();
  return { kind: "compound", items, span: cursor.spanFrom(first) };
}

function parseItem(cursor: Cursor): Statement | Declaration | StaticAssert | Pragma {
  const token = cursor.peek();
  if (token.kind === PRAGMA) {
    const pragma = parsePragma(cursor);
    return unrollOf(pragma) === null || cursor.is("}") || declares(cursor)
      ? pragma
      : withHint(parseStatement(cursor), pragma);
  }
  if (cursor.is("[") && cursor.is("[", 1) && declares(cursor)) parseAttributes(cursor);
  if (token.isReserved) {
    while (cursor.isWord("__extension__") && startsDeclaration(cursor, 1)) cursor.next();
    if (cursor.isWord("_Static_assert")) return parseStaticAssert(cursor);
    if (cursor.isWord("__label__")) return parseLocalLabels(cursor);
  }
  return declares(cursor) ? (parseDeclaration(cursor, false) as Declaration) : parseStatement(cursor);
}

/** GNU's `__label__ a, b;`: labels are known in their whole function anyway. */
function parseLocalLabels(cursor: Cursor): Statement {
  const first = cursor.next();
  do cursor.expectName("after __label__");
  while (cursor.accept(","));
  cursor.expect(";", "after __label__");
  return { kind: "empty", span: first.span };
}

/** Assembly without an instruction, as in `__asm__ volatile("" ::: "memory")`, which holds compilers back: nothing. */
function parseAssembly(cursor: Cursor): Statement {
  const first = cursor.next();
  while (["volatile", "__volatile__", "inline", "goto"].includes(cursor.peek().text)) cursor.next();
  const text = cursor.peek(1);
  if (!cursor.is("(") || text.kind !== STRING || text.text !== '""') {
    report(cursor.diagnostics, "inlineAssembly", first.span);
    throw new Resynchronize();
  }
  cursor.skipBrackets("(", ")");
  cursor.expect(";", "after a statement");
  return { kind: "empty", span: first.span };
}

/** True when a declaration starts here: attributes alone may belong to a statement. */
function declares(cursor: Cursor): boolean {
  const ahead = attributesLength(cursor);
  return startsDeclaration(cursor, ahead) && !(ahead > 0 && cursor.is(":", ahead + 1));
}

const LOOPS: ReadonlySet<string> = new Set(["for", "while", "do"]);

/** Reads a pragma; those for loops precede one. */
function parsePragma(cursor: Cursor): Pragma {
  const { text, span } = cursor.next();
  const directive = readLoopDirective(text);
  if (directive !== null) {
    if (directive.problem !== null) report(cursor.diagnostics, "attribute", span, [directive.problem]);
    checkLoop(cursor, directive.name, cursor.peek().span);
  }
  return { kind: "pragma", text, span };
}

/** Reports a loop hint that no loop follows. */
function checkLoop(cursor: Cursor, what: string, span: Span): void {
  let ahead = 0;
  while (cursor.peek(ahead).kind === PRAGMA) ahead++;
  if (attributesLength(cursor) === 0 && !LOOPS.has(cursor.peek(ahead).text))
    report(cursor.diagnostics, "loopExpected", span, [what]);
}

function parseCondition(cursor: Cursor, word: string): Expression {
  const open = cursor.peek();
  if (!cursor.accept("(")) {
    reportMissing(cursor, "(", `after "${word}"`, null);
    const bare = parseExpression(cursor);
    cursor.accept(")");
    return bare;
  }
  const condition = parseExpression(cursor);
  cursor.expect(")", "after the condition", open);
  return condition;
}

/** What a directive means for the loop after it; null: nothing, or it is no directive for a loop. */
function unrollOf({ text }: Pragma): UnrollHint | null {
  return readLoopDirective(text)?.unroll ?? null;
}

/** Attaches the hint of a directive to the loop after it; other statements are unchanged. */
function withHint(statement: Statement, pragma: Pragma): Statement {
  const unroll = unrollOf(pragma);
  const isLoop = statement.kind === "for" || statement.kind === "while" || statement.kind === "do";
  return isLoop && unroll !== null && statement.unroll === undefined ? { ...statement, unroll } : statement;
}

/** Reads a statement that is no declaration. */
export function parseStatement(cursor: Cursor): Statement {
  return cursor.peek().kind === PRAGMA ? afterPragma(cursor, parsePragma(cursor)) : parsePlain(cursor);
}

function afterPragma(cursor: Cursor, pragma: Pragma): Statement {
  return withHint(parseStatement(cursor), pragma);
}

function parsePlain(cursor: Cursor): Statement {
  cursor.enter();
  const statement = parseUnhinted(cursor);
  cursor.leave();
  return statement;
}

function parseUnhinted(cursor: Cursor): Statement {
  if (attributesLength(cursor) > 0) return parseAttributed(cursor);
  if (cursor.is("{")) return parseCompound(cursor);
  const first = cursor.peek();
  if (cursor.accept(";")) return { kind: "empty", span: first.span };
  if (first.kind === IDENTIFIER) {
    const parse = first.isReserved ? STATEMENTS.get(first.text) : undefined;
    if (parse !== undefined) return parse(cursor);
    if (cursor.is(":", 1)) {
      cursor.next();
      if (cursor.is(":", 1)) refuseScope(cursor);
      cursor.next();
      return { kind: "label", label: first.text, body: labelled(cursor), span: cursor.spanFrom(first) };
    }
  }
  const expression = parseExpression(cursor);
  if (!cursor.is(";") && refuseStatementWord(cursor, first)) return { kind: "empty", span: first.span };
  cursor.expect(";", "after expression");
  return { kind: "expression", expression, span: cursor.spanFrom(first) };
}

/** Reports `std::vector<int> v;`: what the statement declares is not reported again. */
function refuseScope(cursor: Cursor): never {
  report(cursor.diagnostics, "foreignWord", cursor.peek().span, [foreignConstruct("namespace") ?? ""]);
  const start = cursor.position;
  cursor.skipStatement();
  for (const name of namesBetween(cursor, start, cursor.position)) cursor.brokenNames.add(name);
  throw new Resynchronize();
}

/** Reports `elif (…)` and `then`: what follows is read as a statement of its own. False: it is no such word. */
function refuseStatementWord(cursor: Cursor, { text, span }: Token): boolean {
  const own = cursor.isDeclared(text) ? null : foreignStatementWord(text);
  if (own === null) return false;
  const advice = own === "" ? "remove it" : `write "${own}"`;
  report(cursor.diagnostics, "foreignWord", span, [`"${text}": ${advice}`], { fix: replace(span, own) });
  return true;
}

function parseAttributed(cursor: Cursor): Statement {
  const first = cursor.peek();
  const attributes = parseAttributes(cursor);
  const hint = attributes.find(({ name }) => name === "opencl_unroll_hint");
  if (hint !== undefined) checkLoop(cursor, "opencl_unroll_hint", hint.span);
  const body = parseStatement(cursor);
  return attributes.length === 0 ? body : { kind: "attributed", attributes, body, span: cursor.spanFrom(first) };
}

/** What follows a label or case; before a declaration, as C23 allows it, the label is a statement of its own. */
function labelled(cursor: Cursor): Statement {
  return cursor.is("}") || declares(cursor) ? { kind: "empty", span: cursor.peek().span } : parseStatement(cursor);
}

const STATEMENTS: ReadonlyMap<string, (cursor: Cursor) => Statement> = new Map(
  Object.entries<(cursor: Cursor) => Statement>({
    __asm__: parseAssembly,
    __asm: parseAssembly,
    if: (cursor) => {
      const first = cursor.next();
      const condition = parseCondition(cursor, "if");
      const whenTrue = parseStatement(cursor);
      const whenFalse = cursor.acceptWord("else") ? parseStatement(cursor) : null;
      return { kind: "if", condition, whenTrue, whenFalse, span: cursor.spanFrom(first) };
    },
    else: (cursor) => {
      report(cursor.diagnostics, "elseAlone", cursor.next().span);
      return parseStatement(cursor);
    },
    while: (cursor) => {
      const first = cursor.next();
      const condition = parseCondition(cursor, "while");
      const body = parseStatement(cursor);
      return { kind: "while", condition, body, span: cursor.spanFrom(first) };
    },
    do: (cursor) => {
      const first = cursor.next();
      const body = parseStatement(cursor);
      if (!cursor.acceptWord("while")) cursor.expect("while", 'after the body of "do"');
      const condition = parseCondition(cursor, "while");
      cursor.expect(";", 'after "do … while"');
      return { kind: "do", condition, body, span: cursor.spanFrom(first) };
    },
    for: (cursor) => {
      const first = cursor.next();
      const open = cursor.expect("(", 'after "for"');
      cursor.openScope();
      try {
        let start: Declaration | Expression | null = null;
        if (startsDeclaration(cursor)) start = parseDeclaration(cursor, false) as Declaration;
        else if (!cursor.accept(";")) {
          start = parseExpression(cursor);
          cursor.expect(";", 'after the start of "for"');
        }
        const condition = cursor.is(";") ? null : parseExpression(cursor);
        cursor.expect(";", 'after the condition of "for"');
        const step = cursor.is(")") ? null : parseExpression(cursor);
        cursor.expect(")", 'after the head of "for"', open);
        const body = parseStatement(cursor);
        return { kind: "for", start, condition, step, body, span: cursor.spanFrom(first) };
      } finally {
        cursor.closeScope();
      }
    },
    switch: (cursor) => {
      const first = cursor.next();
      const value = parseCondition(cursor, "switch");
      const body = parseStatement(cursor);
      return { kind: "switch", value, body, span: cursor.spanFrom(first) };
    },
    case: (cursor) => {
      const first = cursor.next();
      const value = parseConditional(cursor);
      const last = cursor.accept("...") ? parseConditional(cursor) : null;
      cursor.expect(":", "after a case");
      return { kind: "case", value, last, body: labelled(cursor), span: cursor.spanFrom(first) };
    },
    default: (cursor) => {
      const first = cursor.next();
      cursor.expect(":", 'after "default"');
      return { kind: "default", body: labelled(cursor), span: cursor.spanFrom(first) };
    },
    break: (cursor) => parseJump(cursor, "break"),
    continue: (cursor) => parseJump(cursor, "continue"),
    return: (cursor) => {
      const first = cursor.next();
      const value = cursor.is(";") || cursor.is("}") ? null : parseExpression(cursor);
      cursor.expect(";", "after return statement");
      return { kind: "return", value, span: cursor.spanFrom(first) };
    },
    goto: (cursor) => {
      const first = cursor.next();
      const label = cursor.expectName('after "goto"');
      cursor.expect(";", 'after "goto"');
      return { kind: "goto", label: label.text, span: cursor.spanFrom(first) };
    },
  }),
);

function parseJump(cursor: Cursor, kind: "break" | "continue"): Statement {
  const first = cursor.next();
  cursor.expect(";", `after "${kind}"`);
  return { kind, span: first.span };
}
