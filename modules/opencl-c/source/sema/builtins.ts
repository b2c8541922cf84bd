// SPDX-License-Identifier: Apache-2.0
// Calls of built-ins whose overload is chosen: arguments are converted, what the language requires of them beyond their
// types is checked, and a `call_builtin` is emitted, which the pass lower-builtins makes operations of. A call with
// constant arguments is a constant where that pass can fold it.
import type { Span } from "@muxkit/report";
import { type BuiltinReference, CONSTANT, GLOBAL, I32, LOCAL, PRIVATE, type Value, constantInt } from "@muxkit/ir";

import { convertForBuiltin } from "./convert.ts";
import { type CType, type Spelling, lanesOf, spaceName } from "./ctype.ts";
import type { Overload } from "./overloads.ts";
import { sizedSpelling } from "./spelling.ts";
import { type Operand, type Unit, valueOf } from "./unit.ts";

/** The value of calls that have none. */
const NOTHING = constantInt(I32, 0);

function areConstant(values: readonly Value[]): boolean {
  for (let i = 0; i < values.length; i++) if ((values[i] as Value).kind !== "constant") return false;
  return true;
}

/** Emits a call of a built-in, or folds it. `values` are of the types that the reference names. */
export function emitBuiltin(
  unit: Unit,
  reference: BuiltinReference,
  result: CType,
  values: readonly Value[],
  spelling: Spelling | null = null,
): Operand {
  const { foldBuiltin, layout } = unit.options;
  const folded = areConstant(values) ? (foldBuiltin?.(reference, result.ir, values, layout) ?? null) : null;
  if (folded !== null) return valueOf(result, folded, spelling);
  const made = unit.builder.callBuiltin(reference, result.ir, values);
  return valueOf(result, result.kind === "void" ? NOTHING : made, spelling);
}

/** A call that is checked: arguments are values of the overload's parameter types. */
interface CheckedCall {
  readonly unit: Unit;
  readonly overload: Overload;
  readonly values: readonly Value[];
  readonly span: Span;
}

/** What the language requires of arguments beyond their types, by the key of the lowering. */
const CHECKS: Readonly<Record<string, (call: CheckedCall) => void>> = {
  // Work-items share global and local memory, and nothing else.
  atomic: ({ unit, values: [pointer], span }) => {
    const space = pointer?.type.addressSpace;
    if (space === PRIVATE || space === CONSTANT)
      unit.report("addressSpace", span, [spaceName(space), "global or local"]);
  },
  // One side is local memory, the other global memory.
  "async-copy": ({ unit, overload: { row, parameters }, span }) => {
    const isBlock = row.lowering.endsWith("D");
    const [target = 0, source = 0] = [0, isBlock ? 2 : 1].map((i) => parameters[i]?.target?.space ?? 0);
    if (target === LOCAL ? source === GLOBAL : target === GLOBAL && source === LOCAL) return;
    const isTarget = target !== LOCAL && target !== GLOBAL;
    unit.report("addressSpace", span, [
      spaceName(isTarget ? target : source),
      target === LOCAL || isTarget ? "global" : "local",
    ]);
  },
  // A cluster's size is a constant power of two.
  group: ({ unit, overload: { row }, values, span }) => {
    const size = row.name.includes("_clustered_") ? values.at(-1) : undefined;
    if (size === undefined) return;
    if (size.kind !== "constant" || size.low <= 0 || !Number.isInteger(Math.log2(size.low)))
      unit.report("clusterSize", span, [row.name]);
  },
};

/** The part of a lowering before the colon. */
function keyOf(lowering: string): string {
  const colon = lowering.indexOf(":");
  return colon < 0 ? lowering : lowering.slice(0, colon);
}

/** Emits the call of a built-in whose overload is chosen. `given` are values. */
export function callOverload(unit: Unit, overload: Overload, given: readonly Operand[], span: Span): Operand {
  const { row, parameters, generic, reference } = overload;
  const key = keyOf(row.lowering);
  const values: Value[] = [];
  for (let i = 0; i < given.length; i++) {
    const operand = given[i] as Operand;
    values.push(convertForBuiltin(unit, operand, parameters[i] ?? operand.type, span));
  }
  CHECKS[key]?.({ unit, overload, values, span });
  // Like sizeof it is of a type: whatever the value is, the result is a constant.
  if (key === "vec_step")
    return valueOf(overload.result, constantInt(I32, lanesOf(generic) === 3 ? 4 : lanesOf(generic)));
  return emitBuiltin(unit, reference, overload.result, values, sizedSpelling(overload.resultWord));
}
