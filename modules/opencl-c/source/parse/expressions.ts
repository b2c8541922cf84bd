// SPDX-License-Identifier: Apache-2.0
// Expressions: precedence climbing over C's operators (C99 6.5, OpenCL C 6.3), vector literals included.
import { type Span, note } from "@muxkit/report";

import type { Expression } from "../ast.ts";
import { report } from "../diagnostics.table.ts";
import { PRECEDENCE } from "../lex/precedence.ts";
import { CHARACTER, IDENTIFIER, NUMBER, PUNCTUATOR, STRING, type Token, byPunctuator } from "../lex/token.ts";
import { type Cursor, PlainSpan } from "./cursor.ts";
import { Resynchronize } from "./resynchronize.ts";
import { WORD_EXPRESSIONS, parseStatementExpression } from "./extensions.ts";
import { acceptComma, describeNext } from "./recover.ts";
import { isUnknownCast, isUnknownPointer, startsType } from "./starts.ts";

/** Binary operators, by their numbers; 0: none. */
const BINDING: readonly number[] = byPunctuator(PRECEDENCE, 0);

const ASSIGNMENTS: readonly boolean[] = byPunctuator(
  Object.fromEntries(["=", "*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|="].map((text) => [text, true])),
  false,
);
const UNARY: readonly boolean[] = byPunctuator(
  Object.fromEntries(["+", "-", "~", "!", "*", "&", "++", "--"].map((text) => [text, true])),
  false,
);

/** What no expression continues with. */
const ENDS: readonly boolean[] = byPunctuator(
  Object.fromEntries([")", "]", ";", ",", ":"].map((text) => [text, true])),
  false,
);
const POSTFIX: readonly boolean[] = byPunctuator(
  Object.fromEntries(["(", "[", ".", "->", "++", "--"].map((text) => [text, true])),
  false,
);

/** Operators that take a type or an expression. */
const OF_TYPES: Readonly<Record<string, "sizeof" | "vec-step" | "alignof">> = {
  sizeof: "sizeof",
  vec_step: "vec-step",
  __alignof__: "alignof",
  __alignof: "alignof",
  _Alignof: "alignof",
};

/** An expression, comma operator included. */
export function parseExpression(cursor: Cursor): Expression {
  const first = cursor.peek();
  let left = parseAssignment(cursor);
  while (cursor.accept(",")) {
    const right = parseAssignment(cursor);
    left = { kind: "binary", operator: ",", left, right, span: cursor.spanFrom(first) };
  }
  return left;
}

/** An expression without comma operator. */
export function parseAssignment(cursor: Cursor): Expression {
  const first = cursor.peek();
  // A name or number alone, which many are, needs no way down through all operators.
  if ((first.kind === IDENTIFIER ? !first.isReserved : first.kind === NUMBER) && ENDS[cursor.peek(1).code] === true) {
    cursor.next();
    return simpleOperand(first);
  }
  cursor.enter();
  let expression = parseConditional(cursor);
  const token = cursor.peek();
  if (ASSIGNMENTS[token.code] === true) {
    cursor.next();
    const right = parseAssignment(cursor);
    expression = { kind: "assign", operator: token.text, left: expression, right, span: cursor.spanFrom(first) };
  }
  cursor.leave();
  return expression;
}

/** An expression without assignment. A chain `a ? b : c ? d : …` is as deep as it is long, so it is read by a loop. */
export function parseConditional(cursor: Cursor): Expression {
  const open: { readonly first: Token; readonly condition: Expression; readonly whenTrue: Expression | null }[] = [];
  for (;;) {
    const first = cursor.peek();
    const condition = parseBinary(cursor, 1);
    if (!cursor.accept("?")) {
      return open.reduceRight<Expression>(
        (whenFalse, { first: start, ...one }) => ({
          kind: "conditional",
          ...one,
          whenFalse,
          span: cursor.spanFrom(start),
        }),
        condition,
      );
    }
    // GNU's `a ?: b` is `a ? a : b` with a computed once.
    const whenTrue = cursor.is(":") ? null : parseExpression(cursor);
    cursor.expect(":", "in a conditional expression");
    open.push({ first, condition, whenTrue });
  }
}

function parseBinary(cursor: Cursor, least: number): Expression {
  const first = cursor.peek();
  let left = parseUnary(cursor);
  for (;;) {
    const token = cursor.peek();
    const precedence = BINDING[token.code] as number;
    if (precedence < least) return left;
    cursor.next();
    cursor.enter();
    const right = parseBinary(cursor, precedence + 1);
    cursor.leave();
    left = { kind: "binary", operator: token.text, left, right, span: cursor.spanFrom(first) };
  }
}

function parseUnary(cursor: Cursor): Expression {
  const token = cursor.peek();
  if (token.kind === PUNCTUATOR ? token.text !== "(" && UNARY[token.code] !== true : !token.isReserved)
    return parsePostfix(cursor, parsePrimary(cursor));
  if (UNARY[token.code] === true) {
    cursor.next();
    const operand = parseOperand(cursor);
    return {
      kind: "unary",
      operator: token.text as Extract<Expression, { kind: "unary" }>["operator"],
      operand,
      span: cursor.spanFrom(token),
    };
  }
  if (token.kind === IDENTIFIER && Object.hasOwn(OF_TYPES, token.text)) {
    const kind = OF_TYPES[token.text] ?? "sizeof";
    cursor.next();
    if (cursor.is("(") && (startsType(cursor, 1) || isUnknownPointer(cursor, 1))) {
      cursor.next();
      const type = cursor.grammar.typeName(cursor);
      cursor.expect(")", "after the type");
      return { kind, type, operand: null, span: cursor.spanFrom(token) };
    }
    const operand = parseOperand(cursor);
    return { kind, type: null, operand, span: cursor.spanFrom(token) };
  }
  if (cursor.acceptWord("__extension__")) return parseUnary(cursor);
  if (token.kind !== PUNCTUATOR) return parsePostfix(cursor, parsePrimary(cursor));
  const isCast = startsType(cursor, 1) || isUnknownCast(cursor);
  if (!isCast && !cursor.is("{", 1)) return parsePostfix(cursor, parsePrimary(cursor));
  cursor.enter();
  const expression = isCast ? parseCast(cursor) : parsePostfix(cursor, parseStatementExpression(cursor));
  cursor.leave();
  return expression;
}

/** The operand of a unary operator. */
function parseOperand(cursor: Cursor): Expression {
  cursor.enter();
  const operand = parseUnary(cursor);
  cursor.leave();
  return operand;
}

/** `(type)` and what follows: a cast, a vector literal, a compound literal. */
function parseCast(cursor: Cursor): Expression {
  const first = cursor.next();
  const type = cursor.grammar.typeName(cursor);
  cursor.expect(")", "after the type");
  if (cursor.is("{")) {
    const value = cursor.grammar.initializerList(cursor);
    return parsePostfix(cursor, { kind: "compound-literal", type, value, span: cursor.spanFrom(first) });
  }
  const { base } = type.specifiers;
  // One that is unknown is a vector if that was meant.
  const isVector = base.kind === "named" && type.declarator.kind === "name" && cursor.isVectorName(base.name);
  // `(float4)(a, b)` is a literal; `(float4)(a).x` is one too: its components are taken. `(float4)(float)a` is a cast
  // of a cast.
  if (isVector && cursor.is("(") && !startsType(cursor, 1)) {
    const elements = parseVectorElements(cursor);
    return parsePostfix(cursor, { kind: "vector", type, elements, span: cursor.spanFrom(first) });
  }
  const operand = parseUnary(cursor);
  return { kind: "cast", type, operand, span: cursor.spanFrom(first) };
}

/** The elements between parentheses after a vector type. */
function parseVectorElements(cursor: Cursor): readonly Expression[] {
  const open = cursor.expect("(", "at the start of a vector literal");
  const elements: Expression[] = [];
  do elements.push(parseAssignment(cursor));
  while (acceptComma(cursor, "between the components of a vector literal"));
  cursor.expect(")", "at the end of a vector literal", open);
  return elements;
}

/** The span of an expression up to the token that was taken last. */
function through(cursor: Cursor, span: Span): Span {
  const last = cursor.peek(-1);
  const { file, end } = last.origin === null ? last : cursor.spanFrom(last);
  if (file !== span.file || end <= span.start) return span;
  const expansion = span.expansion ?? null;
  return expansion === null ? new PlainSpan(file, span.start, end) : { file, start: span.start, end, expansion };
}

function parsePostfix(cursor: Cursor, start: Expression): Expression {
  let expression = start;
  const { span } = start;
  for (;;) {
    const token = cursor.peek();
    if (POSTFIX[token.code] !== true) return expression;
    if (token.text === "(") {
      cursor.next();
      const list: Expression[] = [];
      if (!cursor.is(")")) {
        do list.push(parseAssignment(cursor));
        while (acceptComma(cursor, "between the arguments of a call"));
      }
      cursor.expect(")", "after the arguments of a call", token);
      expression = { kind: "call", callee: expression, arguments: list, span: through(cursor, span) };
    } else if (token.text === "[") {
      cursor.next();
      const index = parseExpression(cursor);
      cursor.expect("]", "after an index", token);
      expression = { kind: "index", base: expression, index, span: through(cursor, span) };
    } else if (token.text === "." || token.text === "->") {
      cursor.next();
      const name = cursor.expectName(`after "${token.text}"`);
      expression = {
        kind: "member",
        base: expression,
        name: name.text,
        isArrow: token.text === "->",
        nameSpan: name.span,
        span: through(cursor, span),
      };
    } else if (token.text === "++" || token.text === "--") {
      cursor.next();
      expression = { kind: "postfix", operator: token.text, operand: expression, span: through(cursor, span) };
    } else return expression;
  }
}

/** `^{ … }` is code for device-side enqueue. */
export function refuseBlock(cursor: Cursor): never {
  report(cursor.diagnostics, "needsFeature", cursor.peek().span, [
    "^",
    cursor.words.missing("queue_t") ?? "a device that enqueues kernels itself",
  ]);
  cursor.next();
  // What belongs to the block goes with it, so that the rest of its statement can be skipped.
  if (cursor.is("(")) cursor.skipBrackets("(", ")");
  if (cursor.is("{")) cursor.skipBrackets("{", "}");
  throw new Resynchronize();
}

/** A name or a number. */
function simpleOperand({ kind, text, span }: Token): Expression {
  return kind === NUMBER ? { kind: "number", text, span } : { kind: "name", name: text, span };
}

function parsePrimary(cursor: Cursor): Expression {
  const token = cursor.peek();
  switch (token.kind) {
    case NUMBER:
      cursor.next();
      return simpleOperand(token);
    case CHARACTER:
      cursor.next();
      return { kind: "character", text: token.text, span: token.span };
    case STRING: {
      const texts: string[] = [];
      while (cursor.peek().kind === STRING) texts.push(cursor.next().text);
      return { kind: "string", texts, span: cursor.spanFrom(token) };
    }
    case IDENTIFIER:
      if (!token.isReserved) {
        cursor.next();
        return simpleOperand(token);
      }
      if (token.text === "asm" || token.text === "__asm__" || token.text === "__asm") {
        report(cursor.diagnostics, "inlineAssembly", token.span);
        throw new Resynchronize();
      }
      if (Object.hasOwn(WORD_EXPRESSIONS, token.text)) {
        const parse = WORD_EXPRESSIONS[token.text];
        if (parse !== undefined) return parse(cursor);
      }
      if (!cursor.words.isKeyword(token.text)) {
        cursor.next();
        return { kind: "name", name: token.text, span: token.span };
      }
      break;
    case PUNCTUATOR:
      if (token.text === "^") refuseBlock(cursor);
      if (token.text === "(") {
        cursor.next();
        const inner = parseExpression(cursor);
        cursor.expect(")", "after an expression", token);
        return inner;
      }
      break;
    default:
      break;
  }
  const notes = cursor.is("{")
    ? [note("a list in braces follows a type here: (float4)(…) for a vector, (struct s){…} for a struct", null)]
    : [];
  report(cursor.diagnostics, "expectedExpression", token.span, [describeNext(cursor)], { notes });
  throw new Resynchronize();
}
