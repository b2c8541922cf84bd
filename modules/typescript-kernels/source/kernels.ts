// SPDX-License-Identifier: Apache-2.0
// Kernels of a file: `const name = kernel((item: Item<1>, …) => { … })`.
import type { KernelParameter } from "@muxkit/kernel-library";
import ts from "typescript";

import { constantNumber } from "./constants.ts";
import { type Context, FunctionContext } from "./context.ts";
import { type ParsedFile, spanOf } from "./files.ts";
import { addUses, bodyOf, declareParameters } from "./functions.ts";
import { reducerOf } from "./reducers.ts";
import type { KernelTree, ReducerTree, Variable } from "./tree.ts";
import { isElement } from "./type-nodes.ts";

/** A call of `kernel` or use of `thisModule`, and the kernel that it makes. */
export interface KernelSite {
  readonly call: ts.CallExpression;
  readonly kernel: KernelTree | null;
}

/** Calls of `kernel` in a file, with what they make. */
export function findKernels(context: Context, file: ParsedFile): readonly KernelSite[] {
  const sites: KernelSite[] = [];
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isLibraryCall(context, file, node.expression, "kernel")) {
      const kernel = translateKernel(context, file, node);
      if (kernel !== null && names.has(kernel.name)) context.error(file, node, "twoKernels", kernel.name);
      if (kernel !== null) names.add(kernel.name);
      sites.push({ call: node, kernel });
      return;
    }
    ts.forEachChild(node, visit);
  };
  visit(file.syntax);
  return sites;
}

/** True for a name of the library, by itself or in its namespace. */
export function isLibraryCall(context: Context, file: ParsedFile, node: ts.Expression, name: string): boolean {
  if (ts.isIdentifier(node)) {
    const binding = context.files.resolve(file, node.text);
    return binding?.kind === "library" && binding.name === name;
  }
  if (!ts.isPropertyAccessExpression(node) || !ts.isIdentifier(node.expression) || node.name.text !== name)
    return false;
  return context.files.resolve(file, node.expression.text)?.kind === "library-namespace";
}

function translateKernel(context: Context, file: ParsedFile, call: ts.CallExpression): KernelTree | null {
  const { parent } = call;
  if (
    !ts.isVariableDeclaration(parent) ||
    !ts.isIdentifier(parent.name) ||
    !ts.isSourceFile(parent.parent.parent.parent)
  ) {
    context.error(file, call, "kernelName");
    return null;
  }
  const [node, options] = call.arguments;
  if (node === undefined || !(ts.isArrowFunction(node) || ts.isFunctionExpression(node))) {
    context.error(file, call, "kernelFunction");
    return null;
  }
  const fn = new FunctionContext(context, file, true, new Map());
  const name = parent.name.text;
  const all = declareParameters(fn, node.parameters);
  const [first] = all;
  const item = first?.type.kind === "item" ? first : null;
  const variables = item === null ? all : all.slice(1);
  const reducers = variables.flatMap((variable, i): readonly ReducerTree[] => {
    const made = reducerOf(fn, variable, node.parameters[item === null ? i : i + 1] as ts.ParameterDeclaration, name);
    return made === null ? [] : [made];
  });
  const parameters = variables.flatMap((variable, i) =>
    parameterOf(fn, variable, node.parameters[item === null ? i : i + 1] ?? node, reducers),
  );
  const body = bodyOf(fn, node);
  addUses(fn.uses);
  for (const constant of fn.uses.constants)
    parameters.push({ kind: "constant", name: constant.name, type: constant.type });
  for (const { type } of variables) {
    const element = type.kind === "memory" || type.kind === "reducer" ? type.element : type;
    if (element.kind === "record") fn.uses.records.add(element);
  }
  return {
    name,
    cName: context.uniqueName(name),
    span: spanOf(file, parent),
    item:
      item?.type.kind === "item"
        ? { kind: item.type.item, dimensions: item.type.dimensions, name: item.name }
        : { kind: "none", dimensions: 1, name: "" },
    variables,
    parameters,
    reducers,
    body,
    uses: fn.uses,
    ...sizesOf(context, file, options),
  };
}

function parameterOf(
  fn: FunctionContext,
  { name, type }: Variable,
  node: ts.Node,
  reducers: readonly ReducerTree[],
): readonly KernelParameter[] {
  if (type.kind === "error") return [];
  if (type.kind === "image") {
    const { element, access, dimensions } = type;
    return [{ kind: "image", name, element, dimensions, access }];
  }
  if (type.kind === "reducer") {
    const reducer = reducers.find(({ variable }) => variable.name === name);
    const { element, operator } = type;
    return reducer === undefined ? [] : [{ kind: "reducer", name, element, operator, finish: reducer.finish }];
  }
  if (type.kind === "scalar" && type.name === "bool") {
    fn.error(node, "boolParameter");
    return [];
  }
  if (isElement(type)) return [{ kind: "scalar", name, type }];
  if (type.kind === "memory" && type.origin === "Accessor") {
    const dimensions = type.shape.length as 1 | 2 | 3;
    return [{ kind: "accessor", name, element: type.element, dimensions, access: type.access }];
  }
  if (type.kind === "memory" && type.origin === "Pointer")
    return [{ kind: "pointer", name, element: type.element, access: type.access }];
  if (type.kind === "memory" && type.origin === "LocalArray") return [{ kind: "local", name, element: type.element }];
  if (type.kind === "item") fn.error(node, "itemPlace");
  else fn.error(node, "unknownType", node.getText(fn.file.syntax));
  return [];
}

/** What the options of `kernel` say. */
interface KernelSizes {
  readonly groupSize: readonly number[] | null;
  readonly subGroupSize: number | null;
}

/** `{ groupSize: [16, 16], subGroupSize: 8 }`. */
function sizesOf(context: Context, file: ParsedFile, options: ts.Expression | undefined): KernelSizes {
  const properties = options !== undefined && ts.isObjectLiteralExpression(options) ? options.properties : [];
  const valueOf = (name: string): ts.Expression | null => {
    const found = properties.find((property) => property.name?.getText(file.syntax) === name);
    return found !== undefined && ts.isPropertyAssignment(found) ? found.initializer : null;
  };
  const numberOf = (node: ts.Expression): number => {
    const value = constantNumber(context, file, node);
    if (value === null) context.error(file, node, "notConstant");
    return value ?? 1;
  };
  const [groupSize, subGroupSize] = [valueOf("groupSize"), valueOf("subGroupSize")];
  return {
    groupSize: groupSize !== null && ts.isArrayLiteralExpression(groupSize) ? groupSize.elements.map(numberOf) : null,
    subGroupSize: subGroupSize === null ? null : numberOf(subGroupSize),
  };
}
