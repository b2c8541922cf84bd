// SPDX-License-Identifier: Apache-2.0
// How expressions meet types: numbers adapt, everything else has the type or is an error; conversions are written.
import { type ElementType, type ScalarName, wrap } from "@muxkit/kernel-library";
import type ts from "typescript";

import type { FunctionContext } from "./context.ts";
import { ERROR, FACTS, type KernelType, isLong, lanesOf, sameType, scalar, scalarOf, typeName } from "./kernel-type.ts";
import type { Expression, Literal } from "./tree.ts";

/** The least and greatest value of an integer type. */
export function rangeOf(name: ScalarName): readonly [bigint, bigint] {
  const { bits, isSigned } = FACTS[name];
  return isSigned ? [-(1n << BigInt(bits - 1)), (1n << BigInt(bits - 1)) - 1n] : [0n, (1n << BigInt(bits)) - 1n];
}

/** A number as a value of a scalar; null: the type has no such value. */
export function literalAs(literal: Literal, name: ScalarName): Literal | null {
  const { value } = literal;
  if (typeof value === "boolean") return name === "bool" ? literal : null;
  const type = scalar(name);
  if (FACTS[name].isFloat) {
    if (typeof value === "bigint") return null;
    return { ...literal, value: wrap(name, value), type };
  }
  if (name === "bool" || (typeof value === "number" && !Number.isInteger(value))) return null;
  // A literal with a point stays one of floating point, whatever its value.
  if (literal.type.kind === "literal" && literal.type.isFloat) return null;
  if (typeof value === "bigint" && !isLong(type)) return null;
  const whole = BigInt(value);
  const [least, greatest] = rangeOf(name);
  // Bits of a hexadecimal number may be those of a negative one.
  if (whole < least || whole > greatest) return null;
  return { ...literal, value: isLong(type) ? whole : Number(whole), type };
}

/** An expression where a type is needed. Reports what does not fit. */
export function adapt(fn: FunctionContext, expression: Expression, type: KernelType, node: ts.Node): Expression {
  if (expression.type.kind === "error" || type.kind === "error")
    return { op: "invalid", type: ERROR, span: expression.span };
  if (sameType(expression.type, type)) return expression;
  if (expression.op === "literal" && type.kind === "scalar") {
    const literal = literalAs(expression, type.name);
    if (literal !== null) return literal;
    if (expression.type.kind === "literal")
      return fn.invalid(node, "literalRange", String(expression.value), typeName(type));
  }
  if (expression.op === "conditional" && expression.numbers !== undefined && type.kind === "scalar") {
    const [whenTrue, whenFalse] = expression.numbers.map((number) => adapt(fn, number, type, node));
    if (whenTrue !== undefined && whenFalse !== undefined) return { ...expression, whenTrue, whenFalse, type };
  }
  return fn.invalid(node, "assignType", typeName(expression.type), typeName(type));
}

/** A number that takes the type of what it meets, or one of two such. */
export function isNumber(value: Expression): boolean {
  return (
    (value.op === "literal" && value.type.kind === "literal") ||
    (value.op === "conditional" && value.numbers !== undefined)
  );
}

/** An expression with a type of its own: numbers are `int` or `float`. */
export function settle(fn: FunctionContext, expression: Expression, node: ts.Node): Expression {
  if (expression.op !== "literal" || expression.type.kind !== "literal") return expression;
  const name = typeof expression.value === "bigint" ? "long" : expression.type.isFloat ? "float" : "int";
  return adapt(fn, expression, scalar(name), node);
}

/** A conversion that is written: `float(x)`, `int4(v)`. */
export function convert(fn: FunctionContext, operand: Expression, type: ElementType, node: ts.Node): Expression {
  if (operand.type.kind === "error") return operand;
  if (operand.op === "literal" && type.kind === "scalar" && typeof operand.value !== "boolean") {
    const literal = literalAs(operand, type.name) ?? convertedLiteral(operand, type.name);
    if (literal !== null) return literal;
  }
  const from = settle(fn, operand, node);
  if (sameType(from.type, type)) return from;
  if (scalarOf(from.type) === null || scalarOf(type) === null || lanesOf(from.type) !== lanesOf(type))
    return fn.invalid(node, "conversion", typeName(from.type), typeName(type));
  return { op: "convert", operand: from, type, span: from.span };
}

/** Numbers convert as JavaScript's typed arrays do: whole numbers wrap, fractions are cut off. */
function convertedLiteral(literal: Literal, name: ScalarName): Literal | null {
  const { value } = literal;
  if (typeof value === "boolean" || name === "bool") return null;
  const type = scalar(name);
  if (FACTS[name].isFloat) return { ...literal, value: wrap(name, Number(value)), type };
  if (typeof value === "number" && !Number.isFinite(value)) return null;
  const { bits, isSigned } = FACTS[name];
  const whole = typeof value === "bigint" ? value : BigInt(Math.trunc(value));
  const wrapped = isSigned ? BigInt.asIntN(bits, whole) : BigInt.asUintN(bits, whole);
  return { ...literal, value: isLong(type) ? wrapped : Number(wrapped), type };
}

/** Says that indices are missing. */
export function indexCount(fn: FunctionContext, place: Expression, node: ts.Node): Expression {
  if (place.op !== "index" || place.type.kind !== "memory") return place;
  const name = place.memory.op === "variable" ? place.memory.variable.name : "the memory";
  return fn.invalid(node, "indexCount", name, place.indices.length + place.type.shape.length, place.indices.length);
}
