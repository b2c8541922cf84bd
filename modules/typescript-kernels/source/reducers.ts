// SPDX-License-Identifier: Apache-2.0
// Reducers: parameters of kernels that combine values of all work-items, by an operator or a function of the module.
import type { ReductionOperator } from "@muxkit/kernel-library";
import ts from "typescript";

import type { FunctionContext } from "./context.ts";
import { adapt } from "./conversions.ts";
import { spanOf } from "./files.ts";
import { functionDeclared, instantiate } from "./functions.ts";
import { type ReducerType, VOID, sameType, typeName } from "./kernel-type.ts";
import type { BinaryOperator, Combination, Expression, ReducerTree, Variable } from "./tree.ts";
import { bindingOf } from "./type-nodes.ts";

const INFIX: Readonly<Partial<Record<ReductionOperator, BinaryOperator>>> = {
  plus: "+",
  multiplies: "*",
  bit_and: "&",
  bit_or: "|",
  bit_xor: "^",
};

/** The reducer that a parameter is; null: it is none, or was refused. */
export function reducerOf(
  fn: FunctionContext,
  variable: Variable,
  node: ts.ParameterDeclaration,
  kernelName: string,
): ReducerTree | null {
  const { type } = variable;
  if (type.kind !== "reducer") return null;
  const combination = type.operator === "function" ? byFunction(fn, type, node) : byOperator(type, type.operator);
  if (combination === null) return null;
  fn.reducers.set(variable.name, combination);
  const finish = fn.context.uniqueName(`${kernelName}_${variable.name}_finish`);
  return { variable, element: type.element, combination, finish };
}

function byOperator({ element: type }: ReducerType, operator: ReductionOperator): Combination {
  const infix = INFIX[operator];
  return (left, right) =>
    infix === undefined
      ? { op: "builtin", name: operator === "minimum" ? "min" : "max", arguments: [left, right], type, span: left.span }
      : { op: "binary", operator: infix, left, right, type, span: left.span };
}

/** `typeof f`: the function takes two elements, and gives one. */
function byFunction(fn: FunctionContext, { element }: ReducerType, node: ts.ParameterDeclaration): Combination | null {
  const query = node.type !== undefined && ts.isTypeReferenceNode(node.type) ? node.type.typeArguments?.[1] : undefined;
  const name = query !== undefined && ts.isTypeQueryNode(query) ? query.exprName : null;
  const binding = name === null ? null : bindingOf(fn, fn.file, name, false);
  const declared = binding?.kind === "declaration" ? functionDeclared(binding.node) : null;
  const refused = (): null => {
    fn.error(node.type ?? node, "reducerForm", typeName(element));
    return null;
  };
  if (name === null || binding?.kind !== "declaration" || declared === null) return refused();
  const value: Expression = { op: "invalid", type: element, span: spanOf(fn.file, node) };
  const text = name.getText(fn.file.syntax);
  const callee = instantiate(fn, { file: binding.file, node: declared, name: text }, [value, value], name);
  if (callee === null) return null;
  const isRight =
    callee.parameters.length === 2 &&
    callee.parameters.every(({ type }) => sameType(type, element)) &&
    sameType(callee.result, element) &&
    !callee.uses.waits &&
    callee.uses.constants.size === 0;
  if (!isRight) return refused();
  fn.uses.functions.add(callee);
  return (left, right) => ({ op: "call", callee, arguments: [left, right], type: element, span: left.span });
}

/** `sum.combine(x)`. */
export function combine(
  fn: FunctionContext,
  node: ts.CallExpression,
  object: Expression & { readonly op: "variable" },
  method: string,
): Expression {
  const { variable } = object;
  const { type } = variable;
  if (type.kind !== "reducer" || method !== "combine") return fn.invalid(node, "noMethod", typeName(type), method);
  const [argument] = node.arguments;
  if (argument === undefined || node.arguments.length !== 1)
    return fn.invalid(node, "argumentCount", method, 1, node.arguments.length);
  const value = adapt(fn, fn.context.walker.expression(fn, argument), type.element, argument);
  const combination = fn.reducers.get(variable.name);
  // What is wrong with the parameter was said.
  if (value.type.kind === "error" || combination === undefined)
    return { op: "invalid", type: { kind: "error" }, span: object.span };
  return { op: "combine", variable, value, combination, type: VOID, span: spanOf(fn.file, node) };
}
