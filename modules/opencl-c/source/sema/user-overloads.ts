// SPDX-License-Identifier: Apache-2.0
// Several functions of a program under one name: `__attribute__((overloadable))`, as clang has it.
import { type Diagnostic, type Span, note } from "@muxkit/report";

import { isConvertible } from "./convert.ts";
import { type CType, VOID_TYPE, areCompatible } from "./ctype.ts";
import { CONVERSION, EXACT, QUALIFICATION, isBetter, rankOfArithmetic } from "./ranking.ts";
import { spelledName } from "./spelling.ts";
import type { FunctionSymbol, Operand, Unit } from "./unit.ts";

/** True when two functions have the same parameters, and so cannot be two. */
function sameParameters(left: CType, right: CType): boolean {
  return (
    left.parameters.length === right.parameters.length &&
    left.parameters.every((parameter, i) => areCompatible(parameter.type, right.parameters[i]?.type ?? parameter.type))
  );
}

/** True for the same parameters and result. */
function sameFunction(left: CType, right: CType): boolean {
  return left.target?.type === right.target?.type && sameParameters(left, right);
}

/**
 * What a new declaration is to the functions of its name: one of them, one more of them, or (null) in conflict with the
 * one that comes second.
 */
export interface Relation {
  readonly known: FunctionSymbol | null;
  readonly conflict: FunctionSymbol | null;
}

/** Looks at the functions of a name: those with the attribute, and at most one without it. */
export function relationTo(
  unit: Unit,
  overloads: readonly FunctionSymbol[],
  type: CType,
  isOverloadable: boolean,
  span: Span,
): Relation {
  const alike = overloads.find((other) => sameParameters(other.type, type));
  if (alike === undefined) {
    const plain = isOverloadable ? undefined : overloads.find((other) => !other.isOverloadable);
    return {
      known: null,
      conflict:
        plain ?? (isOverloadable || overloads.some((other) => other.isOverloadable) ? null : (overloads[0] ?? null)),
    };
  }
  if (!sameFunction(alike.type, type)) return { known: null, conflict: alike };
  if (alike.isOverloadable !== isOverloadable) {
    unit.report(
      "attribute",
      span,
      [`either every declaration of "${alike.name}" has the attribute overloadable, or none`],
      {
        notes: [note("the first one is here", alike.span)],
      },
    );
  }
  return { known: alike, conflict: null };
}

/** The mangled name: it distinguishes functions of one name by their parameters, across objects. */
export function mangledName(name: string, type: CType): string {
  return `_Z${name.length}${name}(${type.parameters.map((parameter) => parameter.type.name).join(",")})`;
}

/** How far a pointer is from a parameter: what it points to may become const or generic, and void takes all. */
function rankOfPointer(argument: Operand, wanted: CType): number {
  const [from, to] = [argument.type.target, wanted.target];
  if (from === null || to === null) return CONVERSION;
  if (from.type !== to.type || from.space !== to.space) return CONVERSION;
  return from.isConst && !to.isConst ? -1 : QUALIFICATION;
}

/** How far an argument is from a parameter; -1: it cannot be one. */
function rankOf(argument: Operand, wanted: CType): number {
  const { type } = argument;
  if (type === wanted) return EXACT;
  if (!isConvertible(argument, wanted)) return -1;
  if (wanted.kind === "pointer") return pointsAlike(type, wanted) ? rankOfPointer(argument, wanted) : -1;
  // A scalar that goes into every lane is further away than any other scalar.
  return wanted.kind === "vector" ? CONVERSION + 1 : rankOfArithmetic(type, wanted);
}

/** True for the null pointer, and for pointers to what the parameter points to, or to void. */
function pointsAlike(type: CType, { target }: CType): boolean {
  return (
    type.target === null ||
    type.target.type === target?.type ||
    target?.type === VOID_TYPE ||
    type.target.type === VOID_TYPE
  );
}

/**
 * The function that a call means: the one that no other is better than, argument by argument. A string explains why
 * there is none.
 */
export function chooseFunction(
  overloads: readonly FunctionSymbol[],
  given: readonly Operand[],
): FunctionSymbol | "noOverload" | "ambiguous" {
  const viable = overloads.flatMap((fn) => {
    const { parameters } = fn.type;
    const ranks =
      parameters.length === given.length
        ? given.map((argument, i) => rankOf(argument, parameters[i]?.type ?? argument.type))
        : [-1];
    return ranks.includes(-1) ? [] : [{ fn, ranks }];
  });
  const best = viable.filter((one) => !viable.some((other) => isBetter(other, one)));
  const [only] = best;
  if (only === undefined) return "noOverload";
  return best.length > 1 ? "ambiguous" : only.fn;
}

/** The functions of a name, for a call that means none of them. */
export function functionNotes(overloads: readonly FunctionSymbol[]): readonly Diagnostic[] {
  return overloads.map(({ type, span }) =>
    note(`an overload takes (${type.parameters.map(spelledName).join(", ")})`, span),
  );
}
