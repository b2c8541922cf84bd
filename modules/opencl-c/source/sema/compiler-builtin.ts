// SPDX-License-Identifier: Apache-2.0
// What the built-ins of compilers have in common: how one is described, its arguments, calls of the language's own
// functions.
import { I32, constantInt } from "@muxkit/ir";

import type { Expression } from "../ast.ts";
import { callOverload } from "./builtins.ts";
import { convertImplicitly, errorOperand, rvalue } from "./convert.ts";
import { type CType, VOID_TYPE } from "./ctype.ts";
import { knownBuiltin, overloadOf } from "./known-builtins.ts";
import { writtenList } from "./spelling.ts";
import { type Operand, type Unit, valueOf } from "./unit.ts";

/** A call. */
export type CallNode = Extract<Expression, { kind: "call" }>;

/** A built-in of a compiler. */
export interface CompilerBuiltin {
  /** How many arguments it takes; null: any number. */
  readonly count: number | null;
  readonly write: (unit: Unit, node: CallNode, first: Expression, second: Expression, third: Expression) => Operand;
}

/** One by its name. */
export type NamedBuiltin = readonly [name: string, row: CompilerBuiltin];

/** No result. */
export function nothing(): Operand {
  return valueOf(VOID_TYPE, constantInt(I32, 0));
}

/** The value of an argument. */
export function valueOfNode(unit: Unit, node: Expression): Operand {
  return rvalue(unit, unit.parts.expression(unit, node));
}

/** Reports a call whose arguments are of other types than it takes. */
export function refuseTypes(unit: Unit, name: string, given: readonly Operand[], node: CallNode): Operand {
  if (given.every(({ type }) => type.kind !== "error"))
    unit.report("noOverload", node.span, [name, writtenList(given)]);
  return errorOperand();
}

/** A call of a built-in of the language with values of these types. */
export function callByName(unit: Unit, name: string, given: readonly Operand[], node: CallNode): Operand {
  const overload = overloadOf(unit, knownBuiltin(unit, name), given);
  if (overload !== null && overload !== "ambiguous") return callOverload(unit, overload, given, node.span);
  unit.report("noOverload", node.span, [name, given.map(({ type }) => type.name).join(", ")]);
  return errorOperand();
}

/** The arguments of a call, each converted to one type. */
export function argumentsAs(unit: Unit, node: CallNode, type: CType): readonly Operand[] {
  return node.arguments.map((argument) =>
    valueOf(type, convertImplicitly(unit, valueOfNode(unit, argument), type, argument.span)),
  );
}

/** The bits of a result as another type of their width. */
export function retyped({ type, value }: Operand, wanted: CType): Operand {
  return type.kind === "error" ? errorOperand() : valueOf(wanted, value);
}
