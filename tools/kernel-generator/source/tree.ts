// SPDX-License-Identifier: Apache-2.0
// The tree of a generated program: text with holes. It holds what the reducer needs: which text is an expression of
// which type, and which a statement.
import type { ValueType } from "./generate/types.ts";

/** An expression of exactly this type. */
export interface Expression {
  readonly kind: "expression";
  readonly type: ValueType;
  /** Text and operands, in the order in which they are written. */
  parts: (string | Expression)[];
}

/** A statement, a declaration or a function. */
export interface Statement {
  readonly kind: "statement";
  /** Text, expressions and inner blocks. A block writes its own lines, without braces. */
  parts: (string | Expression | Block)[];
}

/** Statements one after the other. */
export interface Block {
  readonly kind: "block";
  statements: Statement[];
}

/** A part of a tree. */
export type Part = string | Expression | Statement | Block;

/** Writes an expression as a tagged template: `` code(INT)`(${a} + ${b})` ``. */
export function code(
  type: ValueType,
): (text: TemplateStringsArray, ...holes: readonly (string | Expression)[]) => Expression {
  return (text, ...holes) => ({ kind: "expression", type, parts: weave(text, holes) });
}

/** Writes a statement as a tagged template. */
export function statement(text: TemplateStringsArray, ...holes: readonly (string | Expression | Block)[]): Statement {
  return { kind: "statement", parts: weave(text, holes) };
}

/** Statements as a block. */
export function block(statements: Statement[]): Block {
  return { kind: "block", statements };
}

function weave<T>(text: readonly string[], holes: readonly T[]): (string | T)[] {
  return text.flatMap((piece, i) => {
    const hole = holes[i];
    const before = piece === "" ? [] : [piece];
    return hole === undefined ? before : [...before, hole];
  });
}

/** The text of a part of a tree. */
export function render(part: Part, indent = ""): string {
  if (typeof part === "string") return part;
  if (part.kind === "block") return part.statements.map((inner) => `${render(inner, indent)}\n`).join("");
  const pieces = part.parts.map((piece) =>
    typeof piece !== "string" && piece.kind === "block" ? `\n${render(piece, `${indent}  `)}${indent}` : render(piece),
  );
  return (part.kind === "statement" ? indent : "") + pieces.join("");
}
