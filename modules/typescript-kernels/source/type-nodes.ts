// SPDX-License-Identifier: Apache-2.0
// Types as they are written: annotations, records, and the tokens of types (`float`, `Body`) that are values.
import {
  type AccessMode,
  type ElementType,
  type ImageAccess,
  type RecordElement,
  type ReductionOperator,
  layoutRecord,
} from "@muxkit/kernel-library";
import ts from "typescript";

import type { FunctionContext } from "./context.ts";
import { constantNumber } from "./constants.ts";
import { type Binding, type ParsedFile, typeKey } from "./files.ts";
import { ERROR, FACTS, type KernelType, VOID, elementNamed, scalar, scalarOf, typeName } from "./kernel-type.ts";

const ACCESS: ReadonlySet<string> = new Set(["read", "write", "read_write"]);

/** Where a type is written: a function's file, or another one that it was followed to. */
interface Place {
  readonly fn: FunctionContext;
  readonly file: ParsedFile;
}

/** The type of an annotation. */
export function typeOfNode(fn: FunctionContext, node: ts.TypeNode, file: ParsedFile = fn.file): KernelType {
  const place = { fn, file };
  if (ts.isParenthesizedTypeNode(node)) return typeOfNode(fn, node.type, file);
  if (node.kind === ts.SyntaxKind.VoidKeyword) return VOID;
  if (node.kind === ts.SyntaxKind.BooleanKeyword) return scalar("bool");
  if (node.kind === ts.SyntaxKind.NumberKeyword || node.kind === ts.SyntaxKind.BigIntKeyword)
    return wrong(place, node, "numberType");
  if (node.kind === ts.SyntaxKind.AnyKeyword || node.kind === ts.SyntaxKind.UnknownKeyword)
    return wrong(place, node, "anyType", node.getText(file.syntax));
  if (!ts.isTypeReferenceNode(node)) return wrong(place, node, "unknownType", node.getText(file.syntax));
  return referencedType(place, node);
}

function wrong(
  { fn, file }: Place,
  node: ts.Node,
  name: "numberType" | "anyType" | "unknownType" | "recordForm" | "reducerForm" | "notConstant",
  ...values: readonly string[]
): KernelType {
  fn.context.error(file, node, name, ...values);
  return ERROR;
}

/** The binding of `name` or `namespace.name`. */
export function bindingOf(fn: FunctionContext, file: ParsedFile, node: ts.Node, asType: boolean): Binding | null {
  const { files } = fn.context;
  if (ts.isIdentifier(node)) {
    const own = asType ? file.declarations.get(typeKey(node.text)) : undefined;
    return own === undefined ? files.resolve(file, node.text) : { kind: "declaration", file, node: own };
  }
  const [left, right] = ts.isQualifiedName(node)
    ? [node.left, node.right.text]
    : ts.isPropertyAccessExpression(node)
      ? [node.expression, node.name.text]
      : [null, ""];
  if (left === null || !ts.isIdentifier(left)) return null;
  const space = files.resolve(file, left.text);
  if (space?.kind === "library-namespace") return { kind: "library", name: right };
  return space?.kind === "namespace"
    ? ((asType ? files.exported(space.file, typeKey(right)) : null) ?? files.exported(space.file, right))
    : null;
}

function referencedType(place: Place, node: ts.TypeReferenceNode): KernelType {
  const { fn, file } = place;
  const text = node.typeName.getText(file.syntax);
  const generic = ts.isIdentifier(node.typeName) ? fn.typeArguments.get(text) : undefined;
  if (generic !== undefined) return generic;
  const binding = bindingOf(fn, file, node.typeName, true);
  if (binding?.kind === "library") return libraryType(place, node, binding.name);
  if (binding?.kind === "declaration") {
    // What is exported as a type may share its name with a value.
    const declared = ts.isIdentifier(node.typeName)
      ? binding.file.declarations.get(typeKey(binding.node.name?.getText() ?? ""))
      : undefined;
    const target = declared ?? binding.node;
    if (ts.isTypeAliasDeclaration(target)) return typeOfNode(fn, target.type, binding.file);
  }
  return wrong(place, node, "unknownType", node.getText(file.syntax));
}

/** Types of the library by name. */
function libraryType(place: Place, node: ts.TypeReferenceNode, name: string): KernelType {
  const { file } = place;
  const args = node.typeArguments ?? ts.factory.createNodeArray<ts.TypeNode>();
  const element = elementNamed(name);
  if (element !== null) return element;
  if (name === "Item" || name === "NdItem") {
    const dimensions = args[0] === undefined ? 1 : numberOf(place, args[0]);
    if (dimensions !== 1 && dimensions !== 2 && dimensions !== 3)
      return wrong(place, node, "unknownType", node.getText(file.syntax));
    return { kind: "item", item: name === "Item" ? "item" : "nd-item", dimensions };
  }
  if (name === "ImageAccessor" || name === "SampledImageAccessor") return imageType(place, node, name, args);
  if (name === "Reducer") return reducerType(place, node, args);
  if (name === "RecordOf") return args[0] === undefined ? ERROR : recordOfQuery(place, args[0]);
  if (name === "Accessor" || name === "LocalArray" || name === "Pointer" || name === "PrivateArray")
    return memoryType(place, node, name);
  return wrong(place, node, "unknownType", node.getText(file.syntax));
}

/** Memory: an accessor, a pointer, or an array. */
function memoryType(
  place: Place,
  node: ts.TypeReferenceNode,
  name: "Accessor" | "LocalArray" | "Pointer" | "PrivateArray",
): KernelType {
  const { fn, file } = place;
  const args = node.typeArguments ?? ts.factory.createNodeArray<ts.TypeNode>();
  const of = args[0] === undefined ? wrong(place, node, "unknownType", name) : typeOfNode(fn, args[0], file);
  if (!isElement(of))
    return of.kind === "error" ? of : wrong(place, args[0] ?? node, "unknownType", node.getText(file.syntax));
  if (name === "LocalArray" || name === "PrivateArray") {
    const shape = args
      .slice(1)
      .map((size, i) => (i === 0 && name === "LocalArray" ? numberOf(place, size) : numberOf(place, size)));
    return {
      kind: "memory",
      element: of,
      space: name === "LocalArray" ? "local" : "private",
      shape: shape.length === 0 ? [null] : shape,
      access: "read_write",
      origin: name === "LocalArray" ? "LocalArray" : "privateArray",
    };
  }
  const access = args[1] === undefined ? "read_write" : textOf(args[1]);
  const dimensions = args[2] === undefined ? 1 : numberOf(place, args[2]);
  if (!ACCESS.has(access) || !(dimensions >= 1 && dimensions <= 3))
    return wrong(place, node, "unknownType", node.getText(file.syntax));
  return {
    kind: "memory",
    element: of,
    space: "global",
    // The names of the ranges are those of the parameter: who declares it puts them here.
    shape: [null, "", ""].slice(0, dimensions),
    access: access as AccessMode,
    origin: name,
  };
}

/** `ImageAccessor<float4, "write", 2>`, `SampledImageAccessor<float4, 2>`. */
function imageType(
  place: Place,
  node: ts.TypeNode,
  name: "ImageAccessor" | "SampledImageAccessor",
  args: readonly ts.TypeNode[],
): KernelType {
  const [colorNode, ...rest] = args;
  const element = colorNode === undefined ? ERROR : typeOfNode(place.fn, colorNode, place.file);
  const isSampled = name === "SampledImageAccessor";
  const [accessNode, dimensionNode] = isSampled ? [undefined, rest[0]] : rest;
  const access = isSampled ? "sample" : accessNode === undefined ? "read" : textOf(accessNode);
  const dimensions = dimensionNode === undefined ? 2 : numberOf(place, dimensionNode);
  if (
    element.kind !== "vector" ||
    !/^(?:float|int|uint)4$/u.test(typeName(element)) ||
    !["read", "write", "sample"].includes(access) ||
    !(dimensions >= 1 && dimensions <= 3)
  )
    return element.kind === "error" ? element : wrong(place, node, "unknownType", node.getText(place.file.syntax));
  return { kind: "image", element, access: access as ImageAccess, dimensions: dimensions as 1 | 2 | 3 };
}

const OPERATORS: ReadonlySet<string> = new Set([
  "plus",
  "multiplies",
  "minimum",
  "maximum",
  "bit_and",
  "bit_or",
  "bit_xor",
]);

/** `Reducer<float, "plus">`, `Reducer<Body, typeof heavier>`. */
function reducerType(place: Place, node: ts.TypeNode, [elementNode, by]: readonly ts.TypeNode[]): KernelType {
  const element = elementNode === undefined ? ERROR : typeOfNode(place.fn, elementNode, place.file);
  if (element.kind === "error") return element;
  const operator = by === undefined ? "" : ts.isTypeQueryNode(by) ? "function" : textOf(by);
  const isRight =
    isElement(element) &&
    (operator === "function" ||
      (OPERATORS.has(operator) &&
        element.kind !== "record" &&
        !(operator.startsWith("bit_") && FACTS[scalarOf(element) ?? "float"].isFloat)));
  if (!isRight) return wrong(place, node, "reducerForm", typeName(element));
  return { kind: "reducer", element, operator: operator as ReductionOperator | "function" };
}

/** True for what memory can hold. */
export function isElement(type: KernelType): type is ElementType {
  return (type.kind === "scalar" && type.name !== "bool") || type.kind === "vector" || type.kind === "record";
}

function textOf(node: ts.TypeNode): string {
  return ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal) ? node.literal.text : "";
}

function numberOf(place: Place, node: ts.TypeNode): number {
  if (ts.isLiteralTypeNode(node) && ts.isNumericLiteral(node.literal)) return Number(node.literal.text);
  if (ts.isTypeQueryNode(node) && ts.isIdentifier(node.exprName)) {
    const value = constantNumber(place.fn.context, place.file, node.exprName);
    if (value !== null) return value;
  }
  wrong(place, node, "notConstant");
  return 1;
}

function recordOfQuery(place: Place, node: ts.TypeNode): KernelType {
  if (!ts.isTypeQueryNode(node)) return wrong(place, node, "recordForm");
  const binding = bindingOf(place.fn, place.file, node.exprName, false);
  if (binding?.kind !== "declaration") return wrong(place, node, "recordForm");
  return recordDeclared(place.fn, binding.file, binding.node) ?? wrong(place, node, "recordForm");
}

/** The record that a declaration makes; null: it makes none. */
export function recordDeclared(fn: FunctionContext, file: ParsedFile, node: ts.Node): RecordElement | null {
  const { records } = fn.context;
  const known = records.get(node);
  if (known !== undefined) return known;
  // A record within itself finds null here, and is refused.
  records.set(node, null);
  const made = makeRecord(fn, file, node);
  records.set(node, made);
  return made;
}

function makeRecord(fn: FunctionContext, file: ParsedFile, node: ts.Node): RecordElement | null {
  if (!ts.isVariableDeclaration(node) || !ts.isIdentifier(node.name) || node.initializer === undefined) return null;
  const call = node.initializer;
  if (!ts.isCallExpression(call)) return null;
  const callee = bindingOf(fn, file, call.expression, false);
  const [fields] = call.arguments;
  if (
    callee?.kind !== "library" ||
    callee.name !== "record" ||
    fields === undefined ||
    !ts.isObjectLiteralExpression(fields)
  )
    return null;
  const list: { readonly name: string; readonly type: ElementType }[] = [];
  for (const field of fields.properties) {
    if (!(ts.isPropertyAssignment(field) || ts.isShorthandPropertyAssignment(field)) || !ts.isIdentifier(field.name))
      return null;
    const type = typeToken(fn, ts.isPropertyAssignment(field) ? field.initializer : field.name, file);
    if (type === null) return null;
    list.push({ name: field.name.text, type });
  }
  return list.length === 0 ? null : layoutRecord(fn.context.uniqueName(node.name.text), list);
}

/** The type that a value such as `float`, `float4` or a record names; null: none. */
export function typeToken(fn: FunctionContext, node: ts.Expression, file: ParsedFile = fn.file): ElementType | null {
  const binding = bindingOf(fn, file, node, false);
  if (binding?.kind === "library") return elementNamed(binding.name);
  return binding?.kind === "declaration" ? recordDeclared(fn, binding.file, binding.node) : null;
}
