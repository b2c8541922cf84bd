// SPDX-License-Identifier: Apache-2.0
// Functions that kernels call: translated at their first call, once for each choice of type arguments.
import ts from "typescript";

import { FunctionContext } from "./context.ts";
import { settle } from "./conversions.ts";
import { type ParsedFile, spanOf } from "./files.ts";
import { ERROR, type KernelType, type MemoryType, VOID, typeName } from "./kernel-type.ts";
import type { DeviceFunction, Expression, Uses, Variable } from "./tree.ts";
import { typeOfNode } from "./type-nodes.ts";

/** A function as it is declared. */
interface Declared {
  readonly file: ParsedFile;
  readonly node: ts.FunctionDeclaration | ts.ArrowFunction | ts.FunctionExpression;
  readonly name: string;
}

/** The function that a declaration makes; null: none. */
export function functionDeclared(node: ts.Node): Declared["node"] | null {
  if (ts.isFunctionDeclaration(node)) return node;
  if (!ts.isVariableDeclaration(node) || node.initializer === undefined) return null;
  const { initializer } = node;
  return ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer) ? initializer : null;
}

/** Where a function is called; what it says of types. */
type CallPlace = ts.Node & Partial<Pick<ts.CallExpression, "typeArguments">>;

/** The function for some arguments; null: it has errors, or calls itself. */
export function instantiate(
  caller: FunctionContext,
  declared: Declared,
  values: readonly Expression[],
  at: CallPlace,
): DeviceFunction | null {
  const { context } = caller;
  const { file, node, name } = declared;
  const typeArguments = inferTypes(caller, declared, values, at);
  if (typeArguments === null) return null;
  const key = `${file.path}:${node.pos}:${[...typeArguments].map(([word, type]) => `${word}=${typeName(type)}`).join(",")}`;
  const known = context.functions.get(key);
  if (known === null) {
    caller.error(at, "recursion", name);
    return null;
  }
  if (known !== undefined) return known;
  context.functions.set(key, null);
  const fn = new FunctionContext(context, file, false, typeArguments);
  const parameters = declareParameters(fn, node.parameters);
  const declaredResult = node.type === undefined ? null : typeOfNode(fn, node.type);
  if (declaredResult !== null) fn.result = declaredResult;
  const body = bodyOf(fn, node);
  const result = fn.result ?? VOID;
  const made: DeviceFunction = {
    cName: context.uniqueName(name),
    span: spanOf(file, node),
    parameters,
    result,
    body,
    uses: fn.uses,
  };
  addUses(fn.uses);
  // What has errors is known too: they are said once.
  context.functions.set(key, made);
  return made.result.kind === "error" ? null : made;
}

/** Types of the type parameters, from the arguments' types. */
function inferTypes(
  caller: FunctionContext,
  { file, node }: Declared,
  values: readonly Expression[],
  at: CallPlace,
): ReadonlyMap<string, KernelType> | null {
  const found = new Map<string, KernelType>();
  for (const [i, parameter] of (node.typeParameters ?? []).entries()) {
    const word = parameter.name.text;
    const given = at.typeArguments?.[i];
    if (given !== undefined) {
      found.set(word, typeOfNode(caller, given));
      continue;
    }
    const matching = node.parameters.flatMap(({ type }, j) =>
      type !== undefined && ts.isTypeReferenceNode(type) && type.typeName.getText(file.syntax) === word
        ? [values[j]]
        : [],
    );
    const exact = matching.find((value) => value !== undefined && value.type.kind !== "literal");
    const type = exact?.type ?? (matching[0] === undefined ? undefined : settle(caller, matching[0], at).type);
    if (type === undefined) {
      caller.error(at, "typeArgument", word);
      return null;
    }
    found.set(word, type);
  }
  return found;
}

/** Names that a reduction has in OpenCL C; `#`: that of the parameter. */
const REDUCTION_NAMES = ["#_partials", "#_scratch", "#_identity", "reduction_id", "reduction_size", "reduction_end"];

/** Declares parameters; ranges of accessors have names made of theirs. */
export function declareParameters(fn: FunctionContext, nodes: readonly ts.ParameterDeclaration[]): readonly Variable[] {
  return nodes.map((node): Variable => {
    const name = ts.isIdentifier(node.name) ? node.name.text : "";
    if (name === "") fn.error(node, "pattern");
    if (node.questionToken !== undefined || node.initializer !== undefined || node.dotDotDotToken !== undefined)
      fn.error(node, "parameterForm", name);
    let type: KernelType = ERROR;
    if (node.type === undefined) fn.error(node, "parameterType", name);
    else type = typeOfNode(fn, node.type);
    const plain = fn.declare(name, type, false);
    if (type.kind === "reducer") for (const part of REDUCTION_NAMES) fn.reserve(part.replace("#", plain.cName));
    if (type.kind === "image" && type.access === "sample") fn.reserve(`${plain.cName}_sampler`);
    if (type.kind !== "memory" || !type.shape.includes("")) return plain;
    const shaped: MemoryType = {
      ...type,
      shape: type.shape.map((size, i) => (size === "" ? `${plain.cName}_range${i}` : size)),
    };
    return fn.redeclare(plain, shaped);
  });
}

/** The body of a function: a block, or one expression that it returns. */
export function bodyOf(fn: FunctionContext, node: Declared["node"]): DeviceFunction["body"] {
  if (
    node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword) === true ||
    node.asteriskToken !== undefined
  )
    fn.error(node, "asyncFunction");
  if (node.body === undefined) return [];
  return fn.context.walker.statements(fn, node.body);
}

/** What callees use is used by their caller too. */
export function addUses(uses: Uses): void {
  for (const { uses: inner } of uses.functions) {
    for (const constant of inner.constants) uses.constants.add(constant);
    for (const table of inner.tables) uses.tables.add(table);
    for (const record of inner.records) uses.records.add(record);
    for (const other of inner.functions) uses.functions.add(other);
    uses.waits ||= inner.waits;
  }
}
