// SPDX-License-Identifier: Apache-2.0
// Calls: conversions, vectors, records, built-ins, functions of modules, and methods of items, vectors and atomics.
import { ATOMIC_CONSTANTS } from "@muxkit/builtin-table";
import { type ElementType, isGroupFunction } from "@muxkit/kernel-library";
import ts from "typescript";

import { constantNumber } from "./constants.ts";
import type { FunctionContext } from "./context.ts";
import { adapt, convert, indexCount, settle } from "./conversions.ts";
import { type Binding, spanOf } from "./files.ts";
import { functionDeclared, instantiate } from "./functions.ts";
import {
  VOID,
  elementNamed,
  isFloating,
  isInteger,
  lanesOf,
  sameType,
  scalar,
  scalarOf,
  typeName,
  withScalar,
} from "./kernel-type.ts";
import { imageMethod } from "./images.ts";
import { METHODS, binary, vectorOperator } from "./operators.ts";
import { combine } from "./reducers.ts";
import { findSignature, isCallable } from "./signatures.ts";
import type { Expression } from "./tree.ts";
import { bindingOf, recordDeclared } from "./type-nodes.ts";

/** Functions of `Math`, as built-ins of floats; abs, max and min are those of the type. */
const MATH: Readonly<Record<string, string>> = Object.fromEntries([
  ...(
    "acos acosh asin asinh atan atanh atan2 cbrt ceil cos cosh exp " +
    "expm1 floor hypot log log10 log1p log2 pow sin sinh sqrt tan tanh trunc max min"
  )
    .split(" ")
    .map((name) => [name, name]),
  ["abs", "fabs"],
]);

/** Queries of items: what they are called, and whether they take a dimension. `true`: of an NdItem only. */
export const ITEM_QUERIES: Readonly<Record<string, readonly [takesDimension: boolean, needsGroups: boolean]>> = {
  getId: [true, false],
  getRange: [true, false],
  getLinearId: [false, false],
  getGlobalId: [true, true],
  getGlobalRange: [true, true],
  getGlobalLinearId: [false, true],
  getLocalId: [true, true],
  getLocalRange: [true, true],
  getLocalLinearId: [false, true],
  getGroup: [true, true],
  getGroupRange: [true, true],
  getGroupLinearId: [false, true],
};

/** An atomic operation: how many values it takes, and whether floats have it. */
interface AtomicOperation {
  readonly values: number;
  readonly isOfFloats: boolean;
}

/** Atomic operations by their methods. */
const ATOMICS: Readonly<Record<string, AtomicOperation>> = {
  load: { values: 0, isOfFloats: true },
  store: { values: 1, isOfFloats: true },
  exchange: { values: 1, isOfFloats: true },
  compareExchange: { values: 2, isOfFloats: true },
  fetchAdd: { values: 1, isOfFloats: true },
  fetchSub: { values: 1, isOfFloats: true },
  fetchAnd: { values: 1, isOfFloats: false },
  fetchOr: { values: 1, isOfFloats: false },
  fetchXor: { values: 1, isOfFloats: false },
  fetchMin: { values: 1, isOfFloats: true },
  fetchMax: { values: 1, isOfFloats: true },
};

/** Elements that have atomics. */
const ATOMIC_ELEMENTS = /^(?:u?int|u?long|float|double)$/u;

function expression(fn: FunctionContext, node: ts.Expression): Expression {
  return fn.context.walker.expression(fn, node);
}

/** The typed tree of a call. */
export function call(fn: FunctionContext, node: ts.CallExpression): Expression {
  const callee = ts.isNonNullExpression(node.expression) ? node.expression.expression : node.expression;
  if (ts.isIdentifier(callee)) {
    if (fn.lookup(callee.text) !== null) return fn.invalid(node, "notFunction", callee.text);
    const binding = fn.context.files.resolve(fn.file, callee.text);
    return binding === null ? fn.invalid(callee, "undeclared", callee.text) : callBound(fn, node, binding, callee.text);
  }
  if (!ts.isPropertyAccessExpression(callee)) return fn.invalid(node, "notFunction", callee.getText(fn.file.syntax));
  const method = callee.name.text;
  if (ts.isIdentifier(callee.expression) && fn.lookup(callee.expression.text) === null) {
    const space = callee.expression.text;
    if (space === "Math") return callMath(fn, node, method);
    if (space === "console") return print(fn, node, method);
    const binding = bindingOf(fn, fn.file, callee, false);
    if (binding !== null) return callBound(fn, node, binding, method);
  }
  if (ts.isCallExpression(callee.expression) && isAtomicRef(fn, callee.expression))
    return atomic(fn, node, callee.expression, method);
  const object = expression(fn, callee.expression);
  if (object.type.kind === "error") return object;
  if (object.type.kind === "item") return itemQuery(fn, node, object, method);
  if (object.type.kind === "vector") return vectorMethod(fn, node, object, method);
  if (object.type.kind === "image" && object.op === "variable")
    return imageMethod(fn, node, object, object.type, method);
  if (object.type.kind === "reducer" && object.op === "variable") return combine(fn, node, object, method);
  return fn.invalid(callee.name, "noMethod", typeName(object.type), method);
}

function callBound(fn: FunctionContext, node: ts.CallExpression, binding: Binding, name: string): Expression {
  if (binding.kind === "library") return callLibrary(fn, node, binding.name);
  if (binding.kind === "foreign") return fn.invalid(node, "foreign", name, binding.specifier);
  if (binding.kind === "missing-file") return fn.invalid(node, "missingFile", binding.specifier);
  if (binding.kind === "missing-export") return fn.invalid(node, "notExported", name, binding.specifier);
  if (binding.kind !== "declaration") return fn.invalid(node, "notFunction", name);
  const record = recordDeclared(fn, binding.file, binding.node);
  if (record !== null) return makeRecordValue(fn, node, record);
  const body = functionDeclared(binding.node);
  if (body === null) return fn.invalid(node, "notFunction", name);
  const values = node.arguments.map((argument) => indexCount(fn, expression(fn, argument), argument));
  if (values.some(({ type }) => type.kind === "error")) return invalidLike(fn, node);
  const callee = instantiate(fn, { file: binding.file, node: body, name }, values, node);
  if (callee === null) return invalidLike(fn, node);
  const parameters = callee.parameters;
  if (parameters.length !== values.length)
    return fn.invalid(node, "argumentCount", name, parameters.length, values.length);
  const given = values.map((value, i): Expression => {
    const parameter = parameters[i];
    const at = node.arguments[i] ?? node;
    if (parameter === undefined) return value;
    if (value.op === "literal") return adapt(fn, value, parameter.type, at);
    if (sameType(parameter.type, value.type)) return value;
    return fn.invalid(at, "argumentType", parameter.name, typeName(parameter.type), typeName(value.type));
  });
  fn.uses.functions.add(callee);
  return { op: "call", callee, arguments: given, type: callee.result, span: spanOf(fn.file, node) };
}

function invalidLike(fn: FunctionContext, node: ts.Node): Expression {
  return { op: "invalid", type: { kind: "error" }, span: spanOf(fn.file, node) };
}

function callLibrary(fn: FunctionContext, node: ts.CallExpression, name: string): Expression {
  const type = elementNamed(name);
  if (type !== null) return type.kind === "vector" ? makeVector(fn, node, type) : convertCall(fn, node, type);
  if (name === "privateArray" || name === "localArray")
    return fn.invalid(node, name === "localArray" ? "localPlace" : "objectValue");
  if (name === "atomicRef") return fn.invalid(node, "notInKernel", "atomicRef");
  if (!isCallable(name)) return fn.invalid(node, "notInKernel", name);
  return callBuiltin(fn, node, name);
}

function callBuiltin(fn: FunctionContext, node: ts.CallExpression, name: string): Expression {
  // A truth value is an int in OpenCL C.
  const values = node.arguments.map((argument) => asInt(expression(fn, argument)));
  if (values.some(({ type }) => type.kind === "error")) return invalidLike(fn, node);
  const signature = findSignature(
    name,
    values.map(({ type }) => type),
  );
  if (signature === null)
    return fn.invalid(node, "noOverload", name, values.map(({ type }) => typeName(type)).join(", "));
  const given = values.map((value, i) =>
    adapt(fn, value, signature.parameters[i] ?? value.type, node.arguments[i] ?? node),
  );
  if (given.some(({ type }) => type.kind === "error")) return invalidLike(fn, node);
  if (isGroupFunction(name)) fn.uses.waits = true;
  return { op: "builtin", name, arguments: given, type: signature.result, span: spanOf(fn.file, node) };
}

function asInt(value: Expression): Expression {
  return value.type.kind === "scalar" && value.type.name === "bool"
    ? { op: "convert", operand: value, type: scalar("int"), span: value.span }
    : value;
}

function callMath(fn: FunctionContext, node: ts.CallExpression, method: string): Expression {
  if (method === "imul" || method === "fround") {
    const values = node.arguments.map((argument) => expression(fn, argument));
    const [first, second] = values;
    if (method === "fround" && first !== undefined) return convert(fn, first, scalar("float"), node);
    if (first !== undefined && second !== undefined)
      return binary(fn, "*", convert(fn, first, scalar("int"), node), convert(fn, second, scalar("int"), node), node);
  }
  const name = MATH[method];
  return name === undefined ? fn.invalid(node, "notInKernel", `Math.${method}`) : callBuiltin(fn, node, name);
}

/** `int(a / b)` of integers is the whole quotient; everything else is a conversion. */
function convertCall(fn: FunctionContext, node: ts.CallExpression, type: ElementType): Expression {
  const [argument] = node.arguments;
  if (argument === undefined || node.arguments.length !== 1)
    return fn.invalid(node, "argumentCount", typeName(type), 1, node.arguments.length);
  let plain = argument;
  while (ts.isParenthesizedExpression(plain)) plain = plain.expression;
  if (ts.isBinaryExpression(plain) && plain.operatorToken.kind === ts.SyntaxKind.SlashToken && isInteger(type)) {
    const [left, right] = [expression(fn, plain.left), expression(fn, plain.right)];
    if (left.type.kind !== "literal" || right.type.kind !== "literal")
      return convert(fn, binary(fn, "/", left, right, plain, true), type, node);
  }
  return convert(fn, expression(fn, argument), type, node);
}

function makeVector(fn: FunctionContext, node: ts.CallExpression, type: ElementType & { kind: "vector" }): Expression {
  const values = node.arguments.map((argument) => expression(fn, argument));
  if (values.some((value) => value.type.kind === "error")) return invalidLike(fn, node);
  const [only] = values;
  if (values.length === 1 && only !== undefined && only.type.kind === "vector") return convert(fn, only, type, node);
  const parts = values.map((value, i): Expression => {
    const at = node.arguments[i] ?? node;
    if (value.type.kind !== "vector") return adapt(fn, value, scalar(type.scalar), at);
    return scalarOf(value.type) === type.scalar
      ? value
      : fn.invalid(at, "assignType", typeName(value.type), type.scalar);
  });
  if (parts.some((part) => part.type.kind === "error")) return invalidLike(fn, node);
  const count = parts.reduce((sum, part) => sum + lanesOf(part.type), 0);
  if (count !== type.lanes && parts.length !== 1)
    return fn.invalid(node, "vectorParts", typeName(type), type.lanes, count);
  return parts.length === 0
    ? fn.invalid(node, "vectorParts", typeName(type), type.lanes, 0)
    : { op: "vector", arguments: parts, type, span: spanOf(fn.file, node) };
}

function makeRecordValue(
  fn: FunctionContext,
  node: ts.CallExpression,
  type: ElementType & { kind: "record" },
): Expression {
  const [given] = node.arguments;
  if (given === undefined || !ts.isObjectLiteralExpression(given))
    return fn.invalid(node, "argumentCount", type.name, 1, node.arguments.length);
  fn.uses.records.add(type);
  const values = new Map<string, Expression>();
  for (const property of given.properties) {
    const name = property.name !== undefined && ts.isIdentifier(property.name) ? property.name.text : "";
    const field = type.fields.find((one) => one.name === name);
    if (field === undefined) return fn.invalid(property, "noField", type.name, name);
    const written = ts.isPropertyAssignment(property)
      ? property.initializer
      : ts.isShorthandPropertyAssignment(property)
        ? property.name
        : null;
    if (written === null) return fn.invalid(property, "expression", "methods of records");
    values.set(name, adapt(fn, expression(fn, written), field.type, written));
  }
  const list = type.fields.map(({ name }) => values.get(name));
  if (list.some((value) => value === undefined))
    return fn.invalid(node, "argumentCount", type.name, type.fields.length, values.size);
  if (list.some((value) => value?.type.kind === "error")) return invalidLike(fn, node);
  return { op: "record", arguments: list as Expression[], type, span: spanOf(fn.file, node) };
}

function itemQuery(fn: FunctionContext, node: ts.CallExpression, object: Expression, method: string): Expression {
  const { type } = object;
  if (type.kind !== "item") return object;
  const span = spanOf(fn.file, node);
  if (method === "barrier") {
    if (type.item !== "nd-item") return fn.invalid(node, "itemKind", method);
    const [fenceNode, scopeNode] = node.arguments;
    const fence = wordOf(fenceNode, "both");
    const scope = wordOf(scopeNode, "work_group");
    if (fence !== "local" && fence !== "global" && fence !== "both")
      return fn.invalid(fenceNode ?? node, "barrierWord", fence, "fence");
    if (scope !== "work_group" && scope !== "sub_group")
      return fn.invalid(scopeNode ?? node, "barrierWord", scope, "scope");
    fn.uses.waits = true;
    return { op: "barrier", fence, scope, type: VOID, span };
  }
  const known = Object.hasOwn(ITEM_QUERIES, method) ? ITEM_QUERIES[method] : undefined;
  if (known === undefined) return fn.invalid(node, "noMethod", typeName(type), method);
  const [takesDimension, needsGroups] = known;
  if (needsGroups && type.item !== "nd-item") return fn.invalid(node, "itemKind", method);
  if (!takesDimension)
    return { op: "item", query: method, dimension: null, userDimension: null, type: scalar("int"), span };
  const [argument] = node.arguments;
  const dimension = argument === undefined ? 0 : constantNumber(fn.context, fn.file, argument);
  if (dimension === null) return fn.invalid(argument ?? node, "notConstant");
  if (!(dimension >= 0 && dimension < type.dimensions))
    return fn.invalid(node, "dimension", dimension, type.dimensions);
  return {
    op: "item",
    query: method,
    dimension: type.dimensions - 1 - dimension,
    userDimension: dimension,
    type: scalar("int"),
    span,
  };
}

function vectorMethod(fn: FunctionContext, node: ts.CallExpression, object: Expression, method: string): Expression {
  const { type } = object;
  if (method === "neg" && node.arguments.length === 0)
    return { op: "unary", operator: "-", operand: object, type, span: spanOf(fn.file, node) };
  if (method === "not" && node.arguments.length === 0 && !/^(?:float|double)/u.test(typeName(type)))
    return { op: "unary", operator: "~", operand: object, type, span: spanOf(fn.file, node) };
  const [argument] = node.arguments;
  if (!Object.hasOwn(METHODS, method)) return fn.invalid(node, "noMethod", typeName(type), method);
  if (argument === undefined || node.arguments.length !== 1)
    return fn.invalid(node, "argumentCount", method, 1, node.arguments.length);
  const value = expression(fn, argument);
  return value.type.kind === "error" ? value : vectorOperator(fn, object, method, value, node);
}

function isAtomicRef(fn: FunctionContext, node: ts.CallExpression): boolean {
  const binding = bindingOf(fn, fn.file, node.expression, false);
  return binding?.kind === "library" && binding.name === "atomicRef";
}

/** `atomicRef(memory, index, order?, scope?).fetchAdd(value)`. */
function atomic(
  fn: FunctionContext,
  node: ts.CallExpression,
  reference: ts.CallExpression,
  method: string,
): Expression {
  const [memoryNode, indexNode, orderNode, scopeNode] = reference.arguments;
  if (memoryNode === undefined || indexNode === undefined)
    return fn.invalid(reference, "argumentCount", "atomicRef", 2, reference.arguments.length);
  const operation = Object.hasOwn(ATOMICS, method) ? ATOMICS[method] : undefined;
  if (operation === undefined) return fn.invalid(node, "noMethod", "an atomic", method);
  if (node.arguments.length !== operation.values)
    return fn.invalid(node, "argumentCount", method, operation.values, node.arguments.length);
  const memory = expression(fn, memoryNode);
  const index = settle(fn, expression(fn, indexNode), indexNode);
  if (memory.type.kind === "error" || index.type.kind === "error") return invalidLike(fn, node);
  const { type } = memory;
  const name = scalarOf(type.kind === "memory" ? type.element : type);
  if (
    type.kind !== "memory" ||
    type.element.kind !== "scalar" ||
    !ATOMIC_ELEMENTS.test(name ?? "") ||
    (type.space !== "global" && type.space !== "local")
  )
    return fn.invalid(memoryNode, "atomicType", typeName(type.kind === "memory" ? type.element : type));
  if (isFloating(type.element) && !operation.isOfFloats)
    return fn.invalid(node, "atomicBits", method, typeName(type.element));
  if (type.shape.length !== 1)
    return fn.invalid(memoryNode, "indexCount", memoryNode.getText(fn.file.syntax), type.shape.length, 1);
  if (!isInteger(index.type)) return fn.invalid(indexNode, "indexType", typeName(index.type));
  if (type.access === "read") return fn.invalid(memoryNode, "readOnly", memoryNode.getText(fn.file.syntax));
  const order = wordOf(orderNode, "relaxed");
  const scope = wordOf(scopeNode, type.space === "local" ? "work_group" : "device");
  const constantOfScope = scope === "system" ? "all_devices" : scope;
  if (!ATOMIC_CONSTANTS.has(`memory_order_${order}`))
    return fn.invalid(orderNode ?? node, "atomicOrder", order, "order");
  if (!ATOMIC_CONSTANTS.has(`memory_scope_${constantOfScope}`))
    return fn.invalid(scopeNode ?? node, "atomicOrder", scope, "scope");
  const values = node.arguments.map((argument) => adapt(fn, expression(fn, argument), type.element, argument));
  if (values.some((value) => value.type.kind === "error")) return invalidLike(fn, node);
  const span = spanOf(fn.file, node);
  const place: Expression =
    memory.op === "index"
      ? { ...memory, indices: [...memory.indices, index], type: type.element }
      : { op: "index", memory, indices: [index], type: type.element, span };
  return {
    op: "atomic",
    operation: method,
    target: place,
    arguments: values,
    order,
    scope: constantOfScope,
    type: method === "store" ? VOID : type.element,
    span,
  };
}

function wordOf(node: ts.Expression | undefined, usual: string): string {
  if (node === undefined) return usual;
  return ts.isStringLiteralLike(node) ? node.text : node.getText();
}

/** `console.log("text", value)`: text and values, with blanks between them. */
function print(fn: FunctionContext, node: ts.CallExpression, method: string): Expression {
  if (method !== "log") return fn.invalid(node, "notInKernel", `console.${method}`);
  const parts: (string | Expression)[] = [];
  for (const argument of node.arguments) {
    if (ts.isStringLiteralLike(argument)) parts.push(argument.text);
    else if (ts.isSpreadElement(argument)) return fn.invalid(argument, "printForm");
    else {
      const value = settle(fn, asInt(expression(fn, argument)), argument);
      if (value.type.kind === "error") return value;
      const name = scalarOf(value.type);
      if (name === null) return fn.invalid(argument, "printForm");
      // A half is printed as the float that it is.
      parts.push(name === "half" ? convert(fn, value, withScalar(value.type, "float"), argument) : value);
    }
  }
  return { op: "print", parts, type: VOID, span: spanOf(fn.file, node) };
}
