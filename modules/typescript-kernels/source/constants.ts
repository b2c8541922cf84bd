// SPDX-License-Identifier: Apache-2.0
// Constants of modules: numbers that fold, objects and arrays "as const", enums. Nothing of the program runs.
import type { Span } from "@muxkit/report";
import ts from "typescript";

import type { Context } from "./context.ts";
import { type ParsedFile, spanOf } from "./files.ts";
import { scalar } from "./kernel-type.ts";
import type { Literal } from "./tree.ts";

/** What a constant is: a number, or something with members. */
export type Constant =
  | { readonly kind: "number"; readonly literal: Literal }
  | {
      readonly kind: "members";
      readonly file: ParsedFile;
      readonly node: ts.ObjectLiteralExpression | ts.ArrayLiteralExpression | ts.EnumDeclaration;
    };

/** How deep constants may refer to one another. */
const DEPTH = 100;

/** A number that adapts. */
export function literalOf(value: number | bigint | boolean, isFloat: boolean, span: Span): Literal {
  if (typeof value === "boolean") return { op: "literal", value, type: scalar("bool"), span };
  return { op: "literal", value, type: { kind: "literal", isFloat, isBig: typeof value === "bigint" }, span };
}

/** True for the text of a number that is one of floating point. */
export function hasFraction(text: string): boolean {
  return !/^0[xob]/iu.test(text) && /[.e]/iu.test(text);
}

const PLAIN_MATH: Readonly<Record<string, number>> = {
  PI: Math.PI,
  E: Math.E,
  LN2: Math.LN2,
  LN10: Math.LN10,
  LOG2E: Math.LOG2E,
  LOG10E: Math.LOG10E,
  SQRT2: Math.SQRT2,
  SQRT1_2: Math.SQRT1_2,
};

/** A constant of `Math`, or null. */
export function mathConstant(node: ts.Expression): number | null {
  return ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === "Math"
    ? (PLAIN_MATH[node.name.text] ?? null)
    : null;
}

/** What an expression of a module is; null: no constant. */
export function constantOf(
  context: Context,
  file: ParsedFile,
  node: ts.Expression,
  depth: number = 0,
): Constant | null {
  if (depth > DEPTH) return null;
  const plain = plainConstant(file, node);
  if (plain !== null) return plain;
  const of = (inner: ts.Expression): Constant | null => constantOf(context, file, inner, depth + 1);
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node))
    return of(node.expression);
  if (ts.isPrefixUnaryExpression(node) || ts.isBinaryExpression(node)) return computedConstant(file, node, of);
  if (ts.isElementAccessExpression(node)) {
    const [object, index] = [of(node.expression), of(node.argumentExpression)];
    return object?.kind === "members" && index?.kind === "number"
      ? memberOf(context, object, String(index.literal.value), depth)
      : null;
  }
  if (ts.isPropertyAccessExpression(node)) {
    const space = ts.isIdentifier(node.expression) ? context.files.resolve(file, node.expression.text) : null;
    if (space?.kind === "namespace") {
      const binding = context.files.exported(space.file, node.name.text);
      return binding?.kind === "declaration" ? declaredConstant(context, binding.file, binding.node, depth) : null;
    }
    const object = of(node.expression);
    return object?.kind === "members" ? memberOf(context, object, node.name.text, depth) : null;
  }
  if (!ts.isIdentifier(node)) return null;
  const binding = context.files.resolve(file, node.text);
  return binding?.kind === "declaration" ? declaredConstant(context, binding.file, binding.node, depth) : null;
}

function numberConstant(file: ParsedFile, node: ts.Node, value: number | bigint | boolean, isFloat: boolean): Constant {
  return { kind: "number", literal: literalOf(value, isFloat, spanOf(file, node)) };
}

/** A literal. */
function plainConstant(file: ParsedFile, node: ts.Expression): Constant | null {
  if (ts.isNumericLiteral(node))
    return numberConstant(file, node, Number(node.text), hasFraction(node.getText(file.syntax)));
  if (ts.isBigIntLiteral(node)) return numberConstant(file, node, BigInt(node.text.slice(0, -1)), false);
  if (node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword)
    return numberConstant(file, node, node.kind === ts.SyntaxKind.TrueKeyword, false);
  if (ts.isObjectLiteralExpression(node) || ts.isArrayLiteralExpression(node)) return { kind: "members", file, node };
  const math = mathConstant(node);
  return math === null ? null : numberConstant(file, node, math, true);
}

function computedConstant(
  file: ParsedFile,
  node: ts.PrefixUnaryExpression | ts.BinaryExpression,
  of: (inner: ts.Expression) => Constant | null,
): Constant | null {
  if (ts.isPrefixUnaryExpression(node)) {
    const operand = of(node.operand);
    if (operand?.kind !== "number" || typeof operand.literal.value === "boolean") return null;
    const folded = foldUnary(node.operator, operand.literal.value);
    return folded === null ? null : numberConstant(file, node, folded, isFloatLiteral(operand.literal));
  }
  const [left, right] = [of(node.left), of(node.right)];
  if (left?.kind !== "number" || right?.kind !== "number") return null;
  const folded = foldBinary(node.operatorToken.getText(file.syntax), left.literal, right.literal);
  return folded === null ? null : numberConstant(file, node, folded.value, folded.isFloat);
}

/** The constant that a declaration makes. */
export function declaredConstant(
  context: Context,
  file: ParsedFile,
  node: ts.Node,
  depth: number = 0,
): Constant | null {
  if (ts.isEnumDeclaration(node)) return { kind: "members", file, node };
  if (!ts.isVariableDeclaration(node) || node.initializer === undefined) return null;
  if ((node.parent.flags & ts.NodeFlags.Const) === 0) return null;
  return constantOf(context, file, node.initializer, depth + 1);
}

/** A member of an object, array or enum. */
export function memberOf(
  context: Context,
  { file, node }: Constant & { kind: "members" },
  name: string,
  depth: number = 0,
): Constant | null {
  if (ts.isArrayLiteralExpression(node)) {
    const element = node.elements[Number(name)];
    return element === undefined ? null : constantOf(context, file, element, depth + 1);
  }
  if (ts.isObjectLiteralExpression(node)) {
    const found = node.properties.find((property) => property.name !== undefined && nameText(property.name) === name);
    if (found === undefined) return null;
    if (ts.isPropertyAssignment(found)) return constantOf(context, file, found.initializer, depth + 1);
    return ts.isShorthandPropertyAssignment(found) ? constantOf(context, file, found.name, depth + 1) : null;
  }
  let next = 0;
  for (const member of node.members) {
    let value = next;
    if (member.initializer !== undefined) {
      const constant = constantOf(context, file, member.initializer, depth + 1);
      if (constant?.kind !== "number" || typeof constant.literal.value !== "number") return null;
      value = constant.literal.value;
    }
    if (nameText(member.name) === name)
      return { kind: "number", literal: literalOf(value, false, spanOf(file, member)) };
    next = value + 1;
  }
  return null;
}

function nameText(name: ts.PropertyName): string {
  return ts.isIdentifier(name) || ts.isStringLiteral(name) || ts.isNumericLiteral(name) ? name.text : "";
}

/** The number of a constant expression; null: it is none. */
export function constantNumber(context: Context, file: ParsedFile, node: ts.Expression): number | null {
  const constant = constantOf(context, file, node);
  return constant?.kind === "number" && typeof constant.literal.value === "number" ? constant.literal.value : null;
}

function isFloatLiteral({ type }: Literal): boolean {
  return type.kind === "literal" && type.isFloat;
}

/** The value of an operator of one number. */
export function foldUnary(operator: ts.PrefixUnaryOperator, value: number | bigint): number | bigint | null {
  if (operator === ts.SyntaxKind.MinusToken) return -value;
  if (operator === ts.SyntaxKind.PlusToken) return value;
  return operator === ts.SyntaxKind.TildeToken ? ~value : null;
}

type Fold<T> = Readonly<Record<string, (a: T, b: T) => T>>;

const NUMBERS: Fold<number> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
  "**": (a, b) => a ** b,
  "<<": (a, b) => a << b,
  ">>": (a, b) => a >> b,
  ">>>": (a, b) => a >>> b,
  "&": (a, b) => a & b,
  "|": (a, b) => a | b,
  "^": (a, b) => a ^ b,
};

const BIGINTS: Fold<bigint> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => (b === 0n ? 0n : a / b),
  "%": (a, b) => (b === 0n ? 0n : a % b),
  "<<": (a, b) => a << b,
  ">>": (a, b) => a >> b,
  "&": (a, b) => a & b,
  "|": (a, b) => a | b,
  "^": (a, b) => a ^ b,
};

const COMPARISONS: Readonly<Record<string, (a: number | bigint, b: number | bigint) => boolean>> = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "===": (a, b) => a === b,
  "!==": (a, b) => a !== b,
};

/** The value of an operator of two numbers that adapt, or of two bigints; null: it has none. */
export function foldBinary(
  operator: string,
  left: Literal,
  right: Literal,
): { readonly value: number | bigint | boolean; readonly isFloat: boolean } | null {
  const [a, b] = [left.value, right.value];
  if (typeof a === "boolean" || typeof b === "boolean") return null;
  const compare = COMPARISONS[operator];
  if (compare !== undefined) return { value: compare(a, b), isFloat: false };
  if (typeof a === "bigint" && typeof b === "bigint") {
    const value = BIGINTS[operator]?.(a, b);
    return value === undefined ? null : { value, isFloat: false };
  }
  if (typeof a !== "number" || typeof b !== "number") return null;
  const value = NUMBERS[operator]?.(a, b);
  if (value === undefined) return null;
  return { value, isFloat: isFloatLiteral(left) || isFloatLiteral(right) || !Number.isInteger(value) };
}
