// SPDX-License-Identifier: Apache-2.0
// Expressions: syntax to typed trees.
import type { Lanes } from "@muxkit/kernel-library";
import type { Span } from "@muxkit/report";
import ts from "typescript";

import { call } from "./calls.ts";
import { lanesNamed } from "./components.ts";
import {
  type Constant,
  constantOf,
  declaredConstant,
  literalOf,
  hasFraction,
  mathConstant,
  memberOf,
} from "./constants.ts";
import type { FunctionContext } from "./context.ts";
import { adapt, indexCount, isNumber, settle } from "./conversions.ts";
import { type Binding, spanOf } from "./files.ts";
import { type KernelType, isFloating, isInteger, sameType, scalar, typeName, vector } from "./kernel-type.ts";
import { binary, unary } from "./operators.ts";
import { specConstantOf, tableOf } from "./module-data.ts";
import type { Expression } from "./tree.ts";

type Rule<N extends ts.Node> = (fn: FunctionContext, node: N) => Expression;

type Inner = ts.ParenthesizedExpression | ts.NonNullExpression | ts.AsExpression | ts.SatisfiesExpression;

function innerOf(fn: FunctionContext, node: Inner): Expression {
  return expression(fn, node.expression);
}

/** Expressions by their syntax. */
const RULES: Readonly<Partial<Record<ts.SyntaxKind, Rule<never>>>> = {
  [ts.SyntaxKind.ParenthesizedExpression]: innerOf,
  [ts.SyntaxKind.NonNullExpression]: innerOf,
  [ts.SyntaxKind.AsExpression]: innerOf,
  [ts.SyntaxKind.SatisfiesExpression]: innerOf,
  [ts.SyntaxKind.NumericLiteral]: (fn: FunctionContext, node: ts.NumericLiteral) =>
    literalOf(Number(node.text), hasFraction(node.getText(fn.file.syntax)), spanOf(fn.file, node)),
  [ts.SyntaxKind.BigIntLiteral]: (fn: FunctionContext, node: ts.BigIntLiteral) =>
    literalOf(BigInt(node.text.slice(0, -1)), false, spanOf(fn.file, node)),
  [ts.SyntaxKind.TrueKeyword]: (fn: FunctionContext, node: ts.Node) => literalOf(true, false, spanOf(fn.file, node)),
  [ts.SyntaxKind.FalseKeyword]: (fn: FunctionContext, node: ts.Node) => literalOf(false, false, spanOf(fn.file, node)),
  [ts.SyntaxKind.Identifier]: identifier,
  [ts.SyntaxKind.PrefixUnaryExpression]: prefix,
  [ts.SyntaxKind.PostfixUnaryExpression]: (fn: FunctionContext, node: ts.PostfixUnaryExpression) =>
    step(fn, node, false),
  [ts.SyntaxKind.BinaryExpression]: binaryExpression,
  [ts.SyntaxKind.ConditionalExpression]: conditional,
  [ts.SyntaxKind.ElementAccessExpression]: (fn: FunctionContext, node: ts.ElementAccessExpression) =>
    element(fn, node, "read"),
  [ts.SyntaxKind.PropertyAccessExpression]: property,
  [ts.SyntaxKind.CallExpression]: call,
};

/** Expressions that kernels do not have, by what they are called. */
const REFUSED: Readonly<Partial<Record<ts.SyntaxKind, string>>> = {
  [ts.SyntaxKind.NewExpression]: "`new`",
  [ts.SyntaxKind.ThisKeyword]: "`this`",
  [ts.SyntaxKind.NullKeyword]: "`null`",
  [ts.SyntaxKind.TypeOfExpression]: "`typeof`",
  [ts.SyntaxKind.DeleteExpression]: "`delete`",
  [ts.SyntaxKind.VoidExpression]: "`void`",
  [ts.SyntaxKind.SpreadElement]: "spreads",
  [ts.SyntaxKind.RegularExpressionLiteral]: "regular expressions",
  [ts.SyntaxKind.ClassExpression]: "classes",
};

/** The typed tree of an expression. */
export function expression(fn: FunctionContext, node: ts.Expression): Expression {
  const rule = RULES[node.kind] as Rule<ts.Expression> | undefined;
  if (rule !== undefined) return rule(fn, node);
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) return fn.invalid(node, "stringValue");
  if (ts.isObjectLiteralExpression(node) || ts.isArrayLiteralExpression(node)) return fn.invalid(node, "objectValue");
  if (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) return fn.invalid(node, "closure");
  if (ts.isAwaitExpression(node) || ts.isYieldExpression(node)) return fn.invalid(node, "asyncFunction");
  return fn.invalid(node, "expression", REFUSED[node.kind] ?? `\`${node.getText(fn.file.syntax).slice(0, 40)}\``);
}

/** A condition. */
export function condition(fn: FunctionContext, node: ts.Expression): Expression {
  const value = expression(fn, node);
  if (value.type.kind === "error" || (value.type.kind === "scalar" && value.type.name === "bool")) return value;
  return fn.invalid(node, "condition", typeName(value.type));
}

function identifier(fn: FunctionContext, node: ts.Identifier): Expression {
  const span = spanOf(fn.file, node);
  const variable = fn.lookup(node.text);
  if (variable !== null)
    return variable.value === undefined
      ? { op: "variable", variable, type: variable.type, span }
      : { ...variable.value, span };
  if (node.text === "NaN" || node.text === "Infinity") return literalOf(Number(node.text), true, span);
  const binding = fn.context.files.resolve(fn.file, node.text);
  if (binding === null) return fn.invalid(node, "undeclared", node.text);
  return bound(fn, node, binding, node.text);
}

/** What a name of a module is worth. */
function bound(fn: FunctionContext, node: ts.Expression, binding: Binding, name: string): Expression {
  if (binding.kind === "foreign") return fn.invalid(node, "foreign", name, binding.specifier);
  if (binding.kind === "missing-file") return fn.invalid(node, "missingFile", binding.specifier);
  if (binding.kind === "missing-export") return fn.invalid(node, "notExported", name, binding.specifier);
  if (binding.kind !== "declaration") return fn.invalid(node, "notInKernel", name);
  const table = tableOf(fn, binding.file, binding.node);
  if (table !== null) {
    fn.uses.tables.add(table);
    const type: KernelType = {
      kind: "memory",
      element: table.element,
      space: "constant",
      shape: [table.values.length],
      access: "read",
      origin: "array",
    };
    return { op: "table", table, type, span: spanOf(fn.file, node) };
  }
  const constant = declaredConstant(fn.context, binding.file, binding.node);
  if (constant?.kind === "number") return annotated(fn, constant, binding, node);
  const isVariable = ts.isVariableDeclaration(binding.node) && (binding.node.parent.flags & ts.NodeFlags.Const) === 0;
  return fn.invalid(node, isVariable ? "captured" : "notNumber", name);
}

/** A constant whose declaration says its type has that one. */
function annotated(
  fn: FunctionContext,
  { literal }: Constant & { kind: "number" },
  binding: Binding & { kind: "declaration" },
  node: ts.Expression,
): Expression {
  const span = spanOf(fn.file, node);
  const declared = ts.isVariableDeclaration(binding.node) ? binding.node.type : undefined;
  const name =
    declared !== undefined && ts.isTypeReferenceNode(declared) && ts.isIdentifier(declared.typeName)
      ? binding.file.imports.get(declared.typeName.text)?.exported
      : undefined;
  const type = name === undefined || name === null ? null : typeOfName(name);
  return type === null ? { ...literal, span } : adapt(fn, { ...literal, span }, type, node);
}

function typeOfName(name: string): KernelType | null {
  return /^(?:u?(?:char|short|int|long)|half|float|double)$/u.test(name) ? scalar(name as "int") : null;
}

function prefix(fn: FunctionContext, node: ts.PrefixUnaryExpression): Expression {
  if (node.operator === ts.SyntaxKind.PlusPlusToken || node.operator === ts.SyntaxKind.MinusMinusToken)
    return step(fn, node, true);
  return unary(fn, node.operator, expression(fn, node.operand), node);
}

function step(
  fn: FunctionContext,
  node: ts.PrefixUnaryExpression | ts.PostfixUnaryExpression,
  isPrefix: boolean,
): Expression {
  const place = target(fn, node.operand, true);
  if (place.type.kind === "error") return place;
  if (!isInteger(place.type) && !isFloating(place.type))
    return fn.invalid(node, "operandType", "++", typeName(place.type));
  const by = node.operator === ts.SyntaxKind.PlusPlusToken ? 1 : -1;
  return { op: "step", target: place, by, isPrefix, type: place.type, span: spanOf(fn.file, node) };
}

function binaryExpression(fn: FunctionContext, node: ts.BinaryExpression): Expression {
  const operator = node.operatorToken.getText(fn.file.syntax);
  if (operator === ",") return fn.invalid(node, "expression", "comma operators");
  if (node.operatorToken.kind === ts.SyntaxKind.EqualsToken) {
    const place = target(fn, node.left, false);
    const value = adapt(fn, expression(fn, node.right), place.type, node.right);
    return assign(fn, place, value, node);
  }
  const compound = /^(\+|-|\*|\/|%|\*\*|<<|>>|>>>|&|\||\^)=$/u.exec(operator)?.[1];
  if (compound === undefined) return binary(fn, operator, expression(fn, node.left), expression(fn, node.right), node);
  const place = target(fn, node.left, true);
  const made = binary(fn, compound, place, expression(fn, node.right), node);
  return assign(fn, place, adapt(fn, made, place.type, node), node);
}

function assign(fn: FunctionContext, place: Expression, value: Expression, node: ts.Node): Expression {
  if (place.type.kind === "error" || value.type.kind === "error")
    return { op: "invalid", type: { kind: "error" }, span: place.span };
  return { op: "assign", target: place, value, type: place.type, span: spanOf(fn.file, node) };
}

function conditional(fn: FunctionContext, node: ts.ConditionalExpression): Expression {
  const test = condition(fn, node.condition);
  let [yes, no] = [expression(fn, node.whenTrue), expression(fn, node.whenFalse)];
  const numbers = isNumber(yes) && isNumber(no) ? ([yes, no] as const) : null;
  if (isNumber(yes) && !isNumber(no) && no.type.kind === "scalar") yes = adapt(fn, yes, no.type, node.whenTrue);
  else if (isNumber(no) && !isNumber(yes) && yes.type.kind === "scalar") no = adapt(fn, no, yes.type, node.whenFalse);
  else if (numbers !== null) {
    const usual = new Set([yes, no].map((one) => typeName(settle(fn, one, node).type)));
    const type = scalar(usual.has("float") ? "float" : usual.has("int") ? "int" : "long");
    [yes, no] = [adapt(fn, yes, type, node), adapt(fn, no, type, node)];
  }
  if ([test, yes, no].some(({ type }) => type.kind === "error"))
    return { op: "invalid", type: { kind: "error" }, span: test.span };
  if (!sameType(yes.type, no.type)) return fn.invalid(node, "arms", typeName(yes.type), typeName(no.type));
  return {
    op: "conditional",
    condition: test,
    whenTrue: yes,
    whenFalse: no,
    type: yes.type,
    span: spanOf(fn.file, node),
    ...(numbers === null ? {} : { numbers }),
  };
}

/** An element of memory, or a member of a constant. */
function element(fn: FunctionContext, node: ts.ElementAccessExpression, use: "read" | "write" | "both"): Expression {
  const folded =
    ts.isIdentifier(node.expression) && fn.lookup(node.expression.text) === null
      ? constantOf(fn.context, fn.file, node)
      : null;
  const isTable = folded?.kind === "number" && ts.isIdentifier(node.expression);
  const object = isTable ? null : inner(fn, node.expression, use);
  if (object === null)
    return folded?.kind === "number"
      ? { ...folded.literal, span: spanOf(fn.file, node) }
      : fn.invalid(node, "notConstant");
  const index = settle(fn, expression(fn, node.argumentExpression), node.argumentExpression);
  if (object.type.kind === "error" || index.type.kind === "error")
    return { op: "invalid", type: { kind: "error" }, span: index.span };
  if (object.type.kind === "vector")
    return lane(fn, node, use === "read" ? object : target(fn, node.expression, use === "both"), index);
  if (object.type.kind !== "memory") return fn.invalid(node, "operandType", "[…]", typeName(object.type));
  if (!isInteger(index.type)) return fn.invalid(node.argumentExpression, "indexType", typeName(index.type));
  const { shape, element: of, access } = object.type;
  const [memory, indices] = object.op === "index" ? [object.memory, [...object.indices, index]] : [object, [index]];
  const name = memory.op === "variable" ? memory.variable.name : node.expression.getText(fn.file.syntax);
  if (shape.length === 1) {
    if (use !== "write" && access === "write") return fn.invalid(node, "writeOnly", name);
    if (use !== "read" && access === "read") return fn.invalid(node, "readOnly", name);
  }
  const type: KernelType = shape.length === 1 ? of : { ...object.type, shape: shape.slice(1) };
  return { op: "index", memory, indices, type, span: spanOf(fn.file, node) };
}

/** A component of a vector by its number: `v[2]`, `v[i]`. */
function lane(
  fn: FunctionContext,
  node: ts.ElementAccessExpression,
  object: Expression,
  index: Expression,
): Expression {
  const { type } = object;
  if (type.kind !== "vector") return object;
  const span = spanOf(fn.file, node);
  if (!isInteger(index.type)) return fn.invalid(node.argumentExpression, "indexType", typeName(index.type));
  const made = scalar(type.scalar);
  if (index.op !== "literal") return { op: "lane", object, index, type: made, span };
  const number = Number(index.value);
  return number >= 0 && number < type.lanes
    ? { op: "swizzle", object, lanes: [number], type: made, span }
    : fn.invalid(node.argumentExpression, "noComponent", typeName(type), String(number));
}

function inner(fn: FunctionContext, node: ts.Expression, use: "read" | "write" | "both"): Expression {
  const plain = ts.isNonNullExpression(node) || ts.isParenthesizedExpression(node) ? node.expression : node;
  return ts.isElementAccessExpression(plain) ? element(fn, plain, use) : expression(fn, plain);
}

function property(fn: FunctionContext, node: ts.PropertyAccessExpression): Expression {
  const name = node.name.text;
  const span = spanOf(fn.file, node);
  const math = mathConstant(node);
  if (math !== null) return literalOf(math, true, span);
  if (ts.isIdentifier(node.expression) && fn.lookup(node.expression.text) === null) {
    const spec = specConstantOf(fn, node.expression);
    if (spec !== null && name === "value") {
      fn.uses.constants.add(spec);
      return { op: "spec-constant", constant: spec, type: spec.type, span };
    }
    const binding = fn.context.files.resolve(fn.file, node.expression.text);
    if (binding?.kind === "namespace") {
      const found = fn.context.files.exported(binding.file, name);
      return found === null ? fn.invalid(node, "notExported", name, binding.file.path) : bound(fn, node, found, name);
    }
    const constant = binding?.kind === "declaration" ? declaredConstant(fn.context, binding.file, binding.node) : null;
    if (constant?.kind === "members") {
      const found = memberOf(fn.context, constant, name);
      return found?.kind === "number"
        ? { ...found.literal, span }
        : fn.invalid(node, "notNumber", node.getText(fn.file.syntax));
    }
  }
  const nested = constantOf(fn.context, fn.file, node);
  if (nested?.kind === "number" && !isLocalChain(fn, node)) return { ...nested.literal, span };
  return member(fn, expression(fn, node.expression), node.name, span);
}

function isLocalChain(fn: FunctionContext, node: ts.Expression): boolean {
  let root: ts.Expression = node;
  while (ts.isPropertyAccessExpression(root) || ts.isElementAccessExpression(root)) root = root.expression;
  return ts.isIdentifier(root) && fn.lookup(root.text) !== null;
}

/** A component of a vector or a field of a record. */
export function member(
  fn: FunctionContext,
  object: Expression,
  node: ts.Identifier | ts.PrivateIdentifier,
  span: Span,
): Expression {
  const name = node.text;
  const { type } = object;
  if (type.kind === "error") return object;
  if (type.kind === "vector") {
    const lanes = lanesNamed(name, type.lanes);
    if (lanes === null) return fn.invalid(node, "noComponent", typeName(type), name);
    const made = lanes.length === 1 ? scalar(type.scalar) : vector(type.scalar, lanes.length as Lanes);
    return { op: "swizzle", object, lanes, type: made, span };
  }
  if (type.kind === "record") {
    const field = type.fields.find((one) => one.name === name);
    return field === undefined
      ? fn.invalid(node, "noField", type.name, name)
      : { op: "field", object, name, type: field.type, span };
  }
  return fn.invalid(node, "noMethod", typeName(type), name);
}

/** What is assigned: `isRead`, too. */
export function target(fn: FunctionContext, node: ts.Expression, isRead: boolean): Expression {
  if (ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node)) return target(fn, node.expression, isRead);
  if (ts.isElementAccessExpression(node)) {
    const place = element(fn, node, isRead ? "both" : "write");
    if (isRead && place.op === "index" && !place.indices.every(isSimple)) return fn.invalid(node, "sideEffect");
    if (place.op === "lane") {
      if (isRead && !isSimple(place.index)) return fn.invalid(node, "sideEffect");
      if (!isPlace(place.object)) return fn.invalid(node, "notAssignable");
    }
    if (place.type.kind === "memory") return indexCount(fn, place, node);
    return place;
  }
  if (ts.isPropertyAccessExpression(node)) {
    const object = target(fn, node.expression, isRead);
    const place = member(fn, object, node.name, spanOf(fn.file, node));
    if (place.op === "swizzle" && new Set(place.lanes).size < place.lanes.length)
      return fn.invalid(node, "repeatedComponent", node.name.text);
    return place;
  }
  if (!ts.isIdentifier(node)) return fn.invalid(node, "notAssignable");
  const variable = fn.lookup(node.text);
  if (variable === null) {
    const binding = fn.context.files.resolve(fn.file, node.text);
    return fn.invalid(node, binding === null ? "undeclared" : "captured", node.text);
  }
  if (variable.type.kind === "memory") return fn.invalid(node, "notAssignable");
  // A component of a `const` vector is assigned as in TypeScript: the variable keeps its vector.
  const isPart = ts.isPropertyAccessExpression(node.parent) || ts.isElementAccessExpression(node.parent);
  if (variable.isConst && !isPart) return fn.invalid(node, "readOnly", node.text);
  return { op: "variable", variable, type: variable.type, span: spanOf(fn.file, node) };
}

/** Something whose parts can be assigned: a variable, an element, and fields of them. */
function isPlace(value: Expression): boolean {
  if (value.op === "field") return isPlace(value.object);
  return value.op === "variable" || value.op === "index";
}

/** Doing it twice does nothing else than doing it once. */
function isSimple(value: Expression): boolean {
  if (value.op === "literal" || value.op === "variable" || value.op === "item" || value.op === "spec-constant")
    return true;
  if (value.op === "binary") return isSimple(value.left) && isSimple(value.right);
  if (value.op === "unary" || value.op === "convert") return isSimple(value.operand);
  if (value.op === "swizzle" || value.op === "field") return isSimple(value.object);
  if (value.op === "index") return value.indices.every(isSimple);
  if (value.op === "lane") return isSimple(value.object) && isSimple(value.index);
  return (
    value.op === "conditional" && isSimple(value.condition) && isSimple(value.whenTrue) && isSimple(value.whenFalse)
  );
}
