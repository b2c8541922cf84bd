// SPDX-License-Identifier: Apache-2.0
// Operators of numbers: both operands have one type, which the result has too. Vectors have methods.
import type { ElementType } from "@muxkit/kernel-library";
import ts from "typescript";

import { foldBinary, foldUnary, literalOf } from "./constants.ts";
import type { FunctionContext } from "./context.ts";
import { adapt, isNumber, settle } from "./conversions.ts";
import { spanOf } from "./files.ts";
import {
  FACTS,
  type KernelType,
  isFloating,
  isInteger,
  isLong,
  scalar,
  scalarOf,
  typeName,
  withScalar,
} from "./kernel-type.ts";
import type { BinaryOperator, Expression } from "./tree.ts";

/** What operands an operator takes. */
type Operands = "number" | "integer" | "bool" | "any";

interface OperatorRow {
  readonly operator: BinaryOperator;
  readonly operands: Operands;
  readonly isComparison: boolean;
}

const row = (operator: BinaryOperator, operands: Operands, isComparison: boolean = false): OperatorRow => ({
  operator,
  operands,
  isComparison,
});

/** Operators of TypeScript. `/`, `>>>` and `**` are more than a row. */
const OPERATORS: Readonly<Record<string, OperatorRow>> = {
  "+": row("+", "number"),
  "-": row("-", "number"),
  "*": row("*", "number"),
  "/": row("/", "number"),
  "%": row("%", "number"),
  "<<": row("<<", "integer"),
  ">>": row(">>", "integer"),
  ">>>": row(">>", "integer"),
  "&": row("&", "integer"),
  "|": row("|", "integer"),
  "^": row("^", "integer"),
  "<": row("<", "number", true),
  "<=": row("<=", "number", true),
  ">": row(">", "number", true),
  ">=": row(">=", "number", true),
  "==": row("==", "any", true),
  "===": row("==", "any", true),
  "!=": row("!=", "any", true),
  "!==": row("!=", "any", true),
  "&&": row("&&", "bool", true),
  "||": row("||", "bool", true),
};

/** Methods of vectors that are operators. */
export const METHODS: Readonly<Record<string, BinaryOperator>> = {
  add: "+",
  sub: "-",
  mul: "*",
  div: "/",
  mod: "%",
  and: "&",
  or: "|",
  xor: "^",
  shl: "<<",
  shr: ">>",
  lt: "<",
  le: "<=",
  gt: ">",
  ge: ">=",
  eq: "==",
  ne: "!=",
};

function fits(type: KernelType, operands: Operands): boolean {
  if (operands === "bool") return type.kind === "scalar" && type.name === "bool";
  if (operands === "integer") return isInteger(type);
  return isInteger(type) || isFloating(type) || (operands === "any" && type.kind === "scalar");
}

const INVALID = (expression: Expression): Expression => ({
  op: "invalid",
  type: { kind: "error" },
  span: expression.span,
});

/** `left operator right`; `isWhole`: the quotient of integers is meant, since it is converted to one. */
export function binary(
  fn: FunctionContext,
  operator: string,
  left: Expression,
  right: Expression,
  node: ts.Node,
  isWhole: boolean = false,
): Expression {
  if (left.type.kind === "error" || right.type.kind === "error") return INVALID(left);
  if (
    left.op === "literal" &&
    right.op === "literal" &&
    left.type.kind === "literal" &&
    right.type.kind === "literal"
  ) {
    const folded = foldBinary(operator, left, right);
    if (folded !== null) return literalOf(folded.value, folded.isFloat, spanOf(fn.file, node));
  }
  if (operator === "**") return power(fn, left, right, node);
  const known = OPERATORS[operator];
  if (known === undefined) return fn.invalid(node, "expression", `\`${operator}\``);
  if (left.type.kind === "vector" || right.type.kind === "vector") {
    const method = Object.keys(METHODS).find((name) => METHODS[name] === known.operator) ?? "select";
    return fn.invalid(node, "vectorOperator", operator, method);
  }
  const isShift = known.operator === "<<" || known.operator === ">>";
  const [a, b] = isShift ? [settle(fn, left, node), settle(fn, right, node)] : meet(fn, operator, left, right, node);
  if (a.type.kind === "error" || b.type.kind === "error") return INVALID(a);
  if (!isShift && typeName(a.type) !== typeName(b.type))
    return fn.invalid(
      node,
      "mixed",
      operator,
      typeName(a.type),
      typeName(b.type),
      isFloating(b.type) ? typeName(b.type) : typeName(a.type),
    );
  const wrong = [a, b].find(({ type }) => !fits(type, known.operands));
  if (wrong !== undefined)
    return known.operands === "bool"
      ? fn.invalid(node, "condition", typeName(wrong.type))
      : fn.invalid(node, "operandType", operator, typeName(wrong.type));
  // Bigints have whole quotients in JavaScript, too.
  if (known.operator === "/" && isInteger(a.type) && !isLong(a.type) && !isWhole)
    return fn.invalid(node, "intDivision", typeName(a.type));
  const span = spanOf(fn.file, node);
  if (operator === ">>>") return logicalShift(fn, a, b, node);
  return {
    op: "binary",
    operator: known.operator,
    left: a,
    right: b,
    type: known.isComparison ? scalar("bool") : a.type,
    span,
  };
}

/** Numbers take the type of the other operand. */
function meet(
  fn: FunctionContext,
  operator: string,
  left: Expression,
  right: Expression,
  node: ts.Node,
): readonly [Expression, Expression] {
  if (isNumber(left) && isNumber(right)) return [settle(fn, left, node), settle(fn, right, node)];
  if (isNumber(left) && right.type.kind === "scalar")
    return [adaptOperand(fn, left, right.type, operator, node), right];
  if (isNumber(right) && left.type.kind === "scalar") return [left, adaptOperand(fn, right, left.type, operator, node)];
  return [left, right];
}

/** A fraction beside an integer is a mixture, not a number out of range. */
function adaptOperand(
  fn: FunctionContext,
  number: Expression,
  type: ElementType,
  operator: string,
  node: ts.Node,
): Expression {
  if (number.type.kind === "literal" && number.type.isFloat && !isFloating(type))
    return fn.invalid(node, "mixed", operator, "a number with a fraction", typeName(type), "float");
  return adapt(fn, number, type, node);
}

function logicalShift(fn: FunctionContext, left: Expression, right: Expression, node: ts.Node): Expression {
  const name = scalarOf(left.type);
  if (isLong(left.type) || (name !== "int" && name !== "uint"))
    return fn.invalid(node, "shiftUnsigned", typeName(left.type));
  const type = scalar("uint");
  const unsigned: Expression = name === "uint" ? left : { op: "convert", operand: left, type, span: left.span };
  return { op: "binary", operator: ">>", left: unsigned, right, type, span: spanOf(fn.file, node) };
}

/** `a ** b` is `pow` of floats. */
function power(fn: FunctionContext, left: Expression, right: Expression, node: ts.Node): Expression {
  const [a, b] = meet(fn, "**", left, right, node);
  if (a.type.kind === "error" || b.type.kind === "error") return INVALID(a);
  if (!isFloating(a.type) || typeName(a.type) !== typeName(b.type))
    return fn.invalid(node, "mixed", "**", typeName(a.type), typeName(b.type), "float");
  return { op: "builtin", name: "pow", arguments: [a, b], type: a.type, span: spanOf(fn.file, node) };
}

/** `-a`, `~a`, `!a`, `+a`. */
export function unary(
  fn: FunctionContext,
  operator: ts.PrefixUnaryOperator,
  operand: Expression,
  node: ts.Node,
): Expression {
  if (operand.type.kind === "error") return operand;
  const span = spanOf(fn.file, node);
  if (operator === ts.SyntaxKind.ExclamationToken) {
    const { type } = operand;
    if (type.kind !== "scalar" || type.name !== "bool") return fn.invalid(node, "condition", typeName(type));
    return { op: "unary", operator: "!", operand, type, span };
  }
  if (operand.op === "literal" && typeof operand.value !== "boolean" && operand.type.kind === "literal") {
    const folded = foldUnary(operator, operand.value);
    if (folded !== null) return { ...operand, value: folded, span };
  }
  const isMinus = operator === ts.SyntaxKind.MinusToken;
  if (operator === ts.SyntaxKind.PlusToken && (isInteger(operand.type) || isFloating(operand.type))) return operand;
  if (
    isMinus
      ? isInteger(operand.type) || isFloating(operand.type)
      : operator === ts.SyntaxKind.TildeToken && isInteger(operand.type)
  )
    return { op: "unary", operator: isMinus ? "-" : "~", operand, type: operand.type, span };
  return fn.invalid(node, "operandType", isMinus ? "-" : "~", typeName(operand.type));
}

/** A method of a vector that is an operator: `a.add(b)`, with a scalar for all lanes where there is one. */
export function vectorOperator(
  fn: FunctionContext,
  vectorValue: Expression,
  method: string,
  argument: Expression,
  node: ts.Node,
): Expression {
  const { type } = vectorValue;
  const name = scalarOf(type);
  const operator = METHODS[method];
  if (type.kind !== "vector" || name === null || operator === undefined) return INVALID(vectorValue);
  const isBits = ["&", "|", "^", "<<", ">>"].includes(operator);
  if ((isBits && FACTS[name].isFloat) || (operator === "%" && FACTS[name].isFloat))
    return fn.invalid(node, "operandType", method, typeName(type));
  const right = argument.type.kind === "vector" ? adapt(fn, argument, type, node) : splat(fn, argument, type, node);
  if (right.type.kind === "error") return right;
  const isComparison = ["<", "<=", ">", ">=", "==", "!="].includes(operator);
  const bits = ({ 8: "char", 16: "short", 32: "int", 64: "long" } as const)[FACTS[name].bits as 8 | 16 | 32 | 64];
  return {
    op: "binary",
    operator,
    left: vectorValue,
    right,
    type: isComparison ? withScalar(type, bits) : type,
    span: spanOf(fn.file, node),
  };
}

/** A scalar in all lanes. */
export function splat(fn: FunctionContext, value: Expression, type: ElementType, node: ts.Node): Expression {
  const name = scalarOf(type);
  const part = name === null ? value : adapt(fn, value, scalar(name), node);
  return part.type.kind === "error" ? part : { op: "vector", arguments: [part], type, span: part.span };
}
