// SPDX-License-Identifier: Apache-2.0
// Built-ins of compilers that take types: __builtin_astype, __builtin_convertvector, __builtin_types_compatible_p.
import { I32, constantInt, sizeOf } from "@muxkit/ir";

import type { Expression } from "../ast.ts";
import { emitBuiltin } from "./builtins.ts";
import { errorOperand, rvalue } from "./convert.ts";
import { type CType, INT, isFloating, isIntegral, lanesOf } from "./ctype.ts";
import { typeOfName } from "./types.ts";
import { type Operand, type Unit, valueOf } from "./unit.ts";

type Node = Extract<Expression, { kind: "builtin-of-types" }>;

/** True for numbers and vectors of them. */
function isNumeric(type: CType): boolean {
  return isIntegral(type) || isFloating(type);
}

/** Whether a value of one type can become one of another, by the name of the built-in. */
const FITS: Readonly<Record<string, (unit: Unit, from: CType, to: CType) => boolean>> = {
  __builtin_astype: ({ options: { layout } }, from, to) =>
    isNumeric(from) && isNumeric(to) && sizeOf(layout, from.ir) === sizeOf(layout, to.ir),
  __builtin_convertvector: (_, from, to) =>
    from.kind === "vector" && to.kind === "vector" && lanesOf(from) === lanesOf(to),
};

/** The functions of the language that do the same. */
const PREFIXES: Readonly<Record<string, string>> = { __builtin_astype: "as_", __builtin_convertvector: "convert_" };

/** Writes the call of such a built-in. */
export function builtinOfTypes(unit: Unit, { name, operand, types, span }: Node): Operand {
  const named = types.map((type) => typeOfName(unit, type).type);
  const [to, other] = named;
  const count = operand === null ? 2 : 1;
  if (to === undefined || named.length !== count) {
    unit.report("argumentCount", span, [name, 2, named.length + 2 - count]);
    return errorOperand();
  }
  if (operand === null) return valueOf(INT, constantInt(I32, to === other ? 1 : 0));
  const { type: from, value } = rvalue(unit, unit.parts.expression(unit, operand));
  if (from.kind === "error" || to.kind === "error") return errorOperand();
  if (FITS[name]?.(unit, from, to) !== true) {
    unit.report("noOverload", span, [name, `${from.name}, ${to.name}`]);
    return errorOperand();
  }
  if (from === to) return valueOf(to, value);
  return emitBuiltin(
    unit,
    { kind: "builtin", name: `${PREFIXES[name] ?? ""}${to.name}`, parameters: [from.name] },
    to,
    [value],
  );
}
