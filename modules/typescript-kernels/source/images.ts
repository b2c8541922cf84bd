// SPDX-License-Identifier: Apache-2.0
// Methods of images: `image.read(int2(x, y))`, `image.write(int2(x, y), color)`, `image.getRange(0)`.
import type ts from "typescript";

import { constantNumber } from "./constants.ts";
import type { FunctionContext } from "./context.ts";
import { adapt } from "./conversions.ts";
import { spanOf } from "./files.ts";
import { type ImageKernelType, VOID, elementNamed, scalar, typeName } from "./kernel-type.ts";
import type { Expression } from "./tree.ts";

/** The call of a method. */
export function imageMethod(
  fn: FunctionContext,
  node: ts.CallExpression,
  object: Expression & { readonly op: "variable" },
  type: ImageKernelType,
  method: string,
): Expression {
  const { access, dimensions, element } = type;
  const made = { op: "image", image: object.variable, span: spanOf(fn.file, node) } as const;
  if (method === "getRange") return rangeOf(fn, node, made, dimensions);
  const isWrite = method === "write";
  if ((method !== "read" && !isWrite) || isWrite !== (access === "write"))
    return fn.invalid(node, "noMethod", typeName(type), method);
  const count = isWrite ? 2 : 1;
  if (node.arguments.length !== count) return fn.invalid(node, "argumentCount", method, count, node.arguments.length);
  const name = access === "sample" ? "float" : "int";
  const wanted = [elementNamed(dimensions === 1 ? name : `${name}${dimensions}`) ?? element, element];
  const given = node.arguments.map((argument, i) =>
    adapt(fn, fn.context.walker.expression(fn, argument), wanted[i] ?? element, argument),
  );
  if (given.some((value) => value.type.kind === "error"))
    return { op: "invalid", type: { kind: "error" }, span: made.span };
  return { ...made, operation: isWrite ? "write" : "read", arguments: given, type: isWrite ? VOID : element };
}

function rangeOf(
  fn: FunctionContext,
  node: ts.CallExpression,
  made: Pick<Expression & { readonly op: "image" }, "op" | "image" | "span">,
  dimensions: number,
): Expression {
  const [argument] = node.arguments;
  const dimension = argument === undefined ? 0 : constantNumber(fn.context, fn.file, argument);
  if (dimension === null) return fn.invalid(argument ?? node, "notConstant");
  if (!(dimension >= 0 && dimension < dimensions)) return fn.invalid(node, "dimension", dimension, dimensions);
  const type = scalar("int");
  const literal: Expression = { op: "literal", value: dimension, type, span: made.span };
  return { ...made, operation: "range", arguments: [literal], type };
}
