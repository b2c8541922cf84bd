// Statements (C99 6.8); after a mistake, reading goes on behind the next ";".
import type { CompoundStatement, Declaration, Expression, Pragma, Statement } from "../ast.ts";
import { report } from "../diagnostics.table.ts";
import { IDENTIFIER, PRAGMA } from "../lex/token.ts";
import { type Cursor, Resynchronize } from "./cursor.ts";
import { parseAttributes, parseDeclaration } from "./declarations.ts";
import { parseConditional, parseExpression } from "./expressions.ts";
import { closeBrace, reportMissing } from "./recover.ts";
import { startsDeclaration } from "./starts.ts";

/** Reads `{ … }`. */
export function parseCompound(cursor: Cursor): CompoundStatement {
  return cursor.nested(() => {
    // A function whose opening brace is missing, which was told, begins with what stands here.
    const first = cursor.is("{") ? cursor.next() : cursor.peek();
    const { openBlock: outer } = cursor;
    cursor.openBlock = first;
    const items: (Statement | Declaration | Pragma)[] = [];
    cursor.openScope();
    while (!cursor.is("}") && !cursor.isAtEnd) {
      const start = cursor.position;
      try {
        items.push(parseItem(cursor));
      } catch (error) {
        if (!(error instanceof Resynchronize)) throw error;
        cursor.skipStatement();
        if (cursor.position === start) cursor.next();
      }
    }
    cursor.closeScope();
    closeBrace(cursor, first, "at the end of a block");
    cursor.openBlock = outer;
    return { kind: "compound", items, span: cursor.spanFrom(first) };
  });
}

function parseItem(cursor: Cursor): Statement | Declaration | Pragma {
  const token = cursor.peek();
  if (token.kind === PRAGMA) {
    cursor.next();
    return { kind: "pragma", text: token.text, span: token.span };
  }
  if (startsDeclaration(cursor) && !(cursor.isWord("__attribute__") && attributeOfStatement(cursor))) return parseDeclaration(cursor, false) as Declaration;
  return parseStatement(cursor);
}

/** `__attribute__((opencl_unroll_hint(4))) for (…)`: the attribute belongs to a statement. */
function attributeOfStatement(cursor: Cursor): boolean {
  return cursor.peek(3).text.includes("unroll");
}

function parseCondition(cursor: Cursor, word: string): Expression {
  const open = cursor.peek();
  if (!cursor.accept("(")) {
    reportMissing(cursor, "(", `behind "${word}"`, null);
    const bare = parseExpression(cursor);
    cursor.accept(")");
    return bare;
  }
  const condition = parseExpression(cursor);
  cursor.expect(")", "behind the condition", open);
  return condition;
}

/** Reads a statement that is no declaration. */
export function parseStatement(cursor: Cursor): Statement {
  return cursor.nested(() => {
    while (cursor.peek().kind === PRAGMA) cursor.next();
    parseAttributes(cursor);
    if (cursor.is("{")) return parseCompound(cursor);
    const first = cursor.peek();
    if (cursor.accept(";")) return { kind: "empty", span: first.span };
    if (first.kind === IDENTIFIER) {
      const parse = STATEMENTS[first.text];
      if (parse !== undefined && Object.hasOwn(STATEMENTS, first.text)) return parse(cursor);
      if (cursor.is(":", 1)) {
        cursor.next();
        cursor.next();
        const body = cursor.is("}") ? ({ kind: "empty", span: first.span } as const) : labelled(cursor);
        return { kind: "label", label: first.text, body, span: cursor.spanFrom(first) };
      }
    }
    const expression = parseExpression(cursor);
    cursor.expect(";", "behind a statement");
    return { kind: "expression", expression, span: cursor.spanFrom(first) };
  });
}

/** What stands behind a label or case; a declaration is taken as a block of its own only by C23, so a block is made around it. */
function labelled(cursor: Cursor): Statement {
  return cursor.is("}") ? { kind: "empty", span: cursor.peek().span } : parseStatement(cursor);
}

const STATEMENTS: Readonly<Record<string, (cursor: Cursor) => Statement>> = {
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
    if (!cursor.acceptWord("while")) cursor.expect("while", "behind the body of \"do\"");
    const condition = parseCondition(cursor, "while");
    cursor.expect(";", "behind \"do … while\"");
    return { kind: "do", condition, body, span: cursor.spanFrom(first) };
  },
  for: (cursor) => {
    const first = cursor.next();
    const open = cursor.expect("(", "behind \"for\"");
    cursor.openScope();
    try {
      let start: Declaration | Expression | null = null;
      if (startsDeclaration(cursor)) start = parseDeclaration(cursor, false) as Declaration;
      else if (!cursor.accept(";")) {
        start = parseExpression(cursor);
        cursor.expect(";", "behind the start of \"for\"");
      }
      const condition = cursor.is(";") ? null : parseExpression(cursor);
      cursor.expect(";", "behind the condition of \"for\"");
      const step = cursor.is(")") ? null : parseExpression(cursor);
      cursor.expect(")", "behind the head of \"for\"", open);
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
    cursor.expect(":", "behind a case");
    return { kind: "case", value, body: labelled(cursor), span: cursor.spanFrom(first) };
  },
  default: (cursor) => {
    const first = cursor.next();
    cursor.expect(":", "behind \"default\"");
    return { kind: "default", body: labelled(cursor), span: cursor.spanFrom(first) };
  },
  break: (cursor) => parseJump(cursor, "break"),
  continue: (cursor) => parseJump(cursor, "continue"),
  return: (cursor) => {
    const first = cursor.next();
    const value = cursor.is(";") ? null : parseExpression(cursor);
    cursor.expect(";", "behind \"return\"");
    return { kind: "return", value, span: cursor.spanFrom(first) };
  },
  goto: (cursor) => {
    const first = cursor.next();
    const label = cursor.expectName("behind \"goto\"");
    cursor.expect(";", "behind \"goto\"");
    return { kind: "goto", label: label.text, span: cursor.spanFrom(first) };
  },
};

function parseJump(cursor: Cursor, kind: "break" | "continue"): Statement {
  const first = cursor.next();
  cursor.expect(";", `behind "${kind}"`);
  return { kind, span: first.span };
}
