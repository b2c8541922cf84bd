// SPDX-License-Identifier: Apache-2.0
// Patterns: `const [a, b] = [x, y]`, `const { x, y } = vector`, `[a, b] = [b, a]`. All values are computed before one
// of them is given a name or a place.
import ts from "typescript";

import type { FunctionContext } from "./context.ts";
import { adapt, settle } from "./conversions.ts";
import { expression, member, target } from "./expressions.ts";
import { spanOf } from "./files.ts";
import { ERROR, type KernelType, typeName } from "./kernel-type.ts";
import type { Expression, Statement, Variable } from "./tree.ts";

/** What a pattern can give a name: scalars, vectors and records. */
function isValue({ kind }: KernelType): boolean {
  return kind === "scalar" || kind === "vector" || kind === "record";
}

/** Declares a variable with a value. */
function declared(fn: FunctionContext, name: string, value: Expression, isConst: boolean): Statement {
  const { type, span } = value;
  if (type.kind === "record") fn.uses.records.add(type);
  return { op: "declare", variable: fn.declare(name, type, isConst), value, span };
}

function named(variable: Variable, { type, span }: Expression): Expression {
  return { op: "variable", variable, type, span };
}

/** Names of what is not understood are known, so that their uses say nothing more. */
function refuse(fn: FunctionContext, pattern: ts.BindingPattern): readonly Statement[] {
  fn.error(pattern, "pattern");
  const declare = (node: ts.BindingName): void => {
    if (ts.isIdentifier(node)) fn.declare(node.text, ERROR, true);
    else for (const element of node.elements) if (!ts.isOmittedExpression(element)) declare(element.name);
  };
  declare(pattern);
  return [];
}

/** A declaration by a pattern. */
export function patternDeclaration(
  fn: FunctionContext,
  pattern: ts.BindingPattern,
  initializer: ts.Expression | undefined,
  isConst: boolean,
): readonly Statement[] {
  if (initializer === undefined) return refuse(fn, pattern);
  return ts.isArrayBindingPattern(pattern)
    ? listDeclaration(fn, pattern, initializer, isConst)
    : memberDeclaration(fn, pattern, initializer, isConst);
}

/** `const [a, b] = [x, y]`. */
function listDeclaration(
  fn: FunctionContext,
  pattern: ts.ArrayBindingPattern,
  initializer: ts.Expression,
  isConst: boolean,
): readonly Statement[] {
  const names = pattern.elements.flatMap((element) =>
    ts.isBindingElement(element) && isPlain(element) && ts.isIdentifier(element.name) ? [element.name.text] : [],
  );
  if (
    !ts.isArrayLiteralExpression(initializer) ||
    names.length !== pattern.elements.length ||
    initializer.elements.length !== names.length ||
    initializer.elements.some((element) => ts.isSpreadElement(element) || ts.isOmittedExpression(element))
  )
    return refuse(fn, pattern);
  const values = initializer.elements.map((element) => valueOf(fn, element));
  return names.flatMap((name, i): readonly Statement[] => {
    const value = values[i];
    if (value !== undefined && value.type.kind !== "error") return [declared(fn, name, value, isConst)];
    fn.declare(name, ERROR, isConst);
    return [];
  });
}

/** `const { x, y: b } = value`. */
function memberDeclaration(
  fn: FunctionContext,
  pattern: ts.ObjectBindingPattern,
  initializer: ts.Expression,
  isConst: boolean,
): readonly Statement[] {
  if (!pattern.elements.every((element) => isPlain(element) && ts.isIdentifier(element.name)))
    return refuse(fn, pattern);
  const whole = valueOf(fn, initializer);
  const made: Statement[] = [];
  let source = whole;
  if (whole.op !== "variable" && whole.type.kind !== "error") {
    const kept = declared(fn, "whole", whole, true);
    made.push(kept);
    if (kept.op === "declare") source = named(kept.variable, whole);
  }
  for (const element of pattern.elements) {
    if (!ts.isIdentifier(element.name)) continue;
    const wanted = element.propertyName ?? element.name;
    const value = ts.isIdentifier(wanted)
      ? member(fn, source, wanted, spanOf(fn.file, element))
      : fn.invalid(wanted, "pattern");
    if (value.type.kind === "error") fn.declare(element.name.text, ERROR, isConst);
    else made.push(declared(fn, element.name.text, value, isConst));
  }
  return made;
}

function isPlain({ initializer, dotDotDotToken }: ts.BindingElement): boolean {
  return initializer === undefined && dotDotDotToken === undefined;
}

function valueOf(fn: FunctionContext, node: ts.Expression): Expression {
  const value = settle(fn, expression(fn, node), node);
  return value.type.kind === "error" || isValue(value.type)
    ? value
    : fn.invalid(node, "assignType", typeName(value.type), "a variable");
}

/** `[a, b] = [b, a]` as a statement; null: it is none. */
export function patternAssignment(fn: FunctionContext, node: ts.Expression): Statement | null {
  if (
    !ts.isBinaryExpression(node) ||
    node.operatorToken.kind !== ts.SyntaxKind.EqualsToken ||
    !ts.isArrayLiteralExpression(node.left) ||
    !ts.isArrayLiteralExpression(node.right) ||
    node.left.elements.length !== node.right.elements.length
  )
    return null;
  const { left, right } = node;
  return {
    op: "block",
    span: spanOf(fn.file, node),
    body: fn.inScope(() => {
      const places = left.elements.map((element) => target(fn, element, false));
      const values = right.elements.map((element, i) =>
        adapt(fn, expression(fn, element), places[i]?.type ?? ERROR, element),
      );
      if ([...places, ...values].some(({ type }) => type.kind === "error")) return [];
      const kept = values.map((value, i) => declared(fn, `kept${i}`, value, true));
      return [
        ...kept,
        ...kept.flatMap((one, i): readonly Statement[] => {
          const [place, value] = [places[i], values[i]];
          if (one.op !== "declare" || place === undefined || value === undefined) return [];
          const { type, span } = place;
          return [
            {
              op: "expression",
              value: { op: "assign", target: place, value: named(one.variable, value), type, span },
              span,
            },
          ];
        }),
      ];
    }),
  };
}
