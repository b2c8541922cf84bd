// SPDX-License-Identifier: Apache-2.0
// Data of modules that kernels read: tables of constants, and specialization constants.
import type { ScalarElement } from "@muxkit/kernel-library";
import ts from "typescript";

import { constantOf } from "./constants.ts";
import { type FunctionContext, cName } from "./context.ts";
import { literalAs } from "./conversions.ts";
import type { ParsedFile } from "./files.ts";
import { type KernelType, elementNamed } from "./kernel-type.ts";
import type { ConstantTable, Literal, SpecConstant } from "./tree.ts";
import { bindingOf, typeToken } from "./type-nodes.ts";

/** The table that a declaration makes: an array of numbers; null: none. */
export function tableOf(fn: FunctionContext, file: ParsedFile, node: ts.Node): ConstantTable | null {
  const known = fn.context.tables.get(node);
  if (known !== undefined) return known;
  const made = makeTable(fn, file, node);
  fn.context.tables.set(node, made);
  return made;
}

function makeTable(fn: FunctionContext, file: ParsedFile, node: ts.Node): ConstantTable | null {
  if (!ts.isVariableDeclaration(node) || !ts.isIdentifier(node.name) || node.initializer === undefined) return null;
  if ((node.parent.flags & ts.NodeFlags.Const) === 0) return null;
  let list: ts.Expression = node.initializer;
  while (ts.isAsExpression(list) || ts.isSatisfiesExpression(list) || ts.isParenthesizedExpression(list))
    list = list.expression;
  if (!ts.isArrayLiteralExpression(list) || list.elements.length === 0) return null;
  const literals = list.elements.map((element): Literal | null => {
    const constant = constantOf(fn.context, file, element);
    return constant?.kind === "number" ? constant.literal : null;
  });
  const element = declaredElement(fn, file, node.type) ?? usualElement(literals);
  const values = literals.map((literal) => (literal === null ? null : literalAs(literal, element.name)));
  if (values.includes(null)) return null;
  return { cName: fn.context.uniqueName(node.name.text), element, values: values as Literal[] };
}

/** The element of `readonly uint[]`. */
function declaredElement(fn: FunctionContext, file: ParsedFile, type: ts.TypeNode | undefined): ScalarElement | null {
  const list = type !== undefined && ts.isTypeOperatorNode(type) ? type.type : type;
  if (list === undefined || !ts.isArrayTypeNode(list) || !ts.isTypeReferenceNode(list.elementType)) return null;
  const binding = bindingOf(fn, file, list.elementType.typeName, true);
  const element: KernelType | null = binding?.kind === "library" ? elementNamed(binding.name) : null;
  return element?.kind === "scalar" ? element : null;
}

function usualElement(literals: readonly (Literal | null)[]): ScalarElement {
  const isFloat = literals.some((literal) => literal?.type.kind === "literal" && literal.type.isFloat);
  return {
    kind: "scalar",
    name: literals.some((literal) => typeof literal?.value === "bigint") ? "long" : isFloat ? "float" : "int",
  };
}

/** The specialization constant of a name: `specConstant(int, 3)` or `new SpecConstant(int, 3)`; null: none. */
export function specConstantOf(fn: FunctionContext, node: ts.Identifier): SpecConstant | null {
  const binding = bindingOf(fn, fn.file, node, false);
  if (binding?.kind !== "declaration") return null;
  const known = fn.context.constants.get(binding.node);
  if (known !== undefined) return known;
  const made = makeConstant(fn, binding.file, binding.node);
  fn.context.constants.set(binding.node, made);
  return made;
}

function makeConstant(fn: FunctionContext, file: ParsedFile, node: ts.Node): SpecConstant | null {
  if (!ts.isVariableDeclaration(node) || !ts.isIdentifier(node.name) || node.initializer === undefined) return null;
  const made = node.initializer;
  if (!ts.isCallExpression(made) && !ts.isNewExpression(made)) return null;
  const callee = bindingOf(fn, file, made.expression, false);
  if (callee?.kind !== "library" || !/^specConstant$/iu.test(callee.name)) return null;
  const [token, value] = made.arguments ?? [];
  const type = token === undefined ? null : typeToken(fn, token, file);
  const constant = value === undefined ? null : constantOf(fn.context, file, value);
  const literal =
    type?.kind === "scalar" && constant?.kind === "number" ? literalAs(constant.literal, type.name) : null;
  if (type?.kind !== "scalar" || type.name === "bool" || literal === null) {
    fn.context.error(file, made, "specForm");
    return null;
  }
  const name = node.name.text;
  const plain = typeof literal.value === "bigint" ? String(literal.value) : Number(literal.value);
  return { name, type, value: plain, macro: `SPEC_${cName(name)}`, cName: fn.context.uniqueName(name) };
}
