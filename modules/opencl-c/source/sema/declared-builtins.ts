// SPDX-License-Identifier: Apache-2.0
// Built-ins that a program declares itself, as headers for other compilers do: the declaration means the built-in.
//
//     void __attribute__((overloadable)) barrier(uint);    a call of it is a call of the built-in
//
// Whether the program defines a function of the name itself is known at its end only. A function that is called and
// only declared, whose parameters and result are those of a built-in, then gets a body that calls the built-in, and is
// inlined everywhere. Cost: one overload resolution for each such function.
import { type BuiltinRow, builtinRows } from "@muxkit/builtin-table";

import { callOverload } from "./builtins.ts";
import { zeroOf } from "./convert.ts";
import type { CType } from "./ctype.ts";
import { knownBuiltin, overloadOf } from "./known-builtins.ts";
import type { Overload } from "./overloads.ts";
import { type FunctionSymbol, type Unit, valueOf } from "./unit.ts";

/** The row of the built-in that a function without a body may mean; undefined: there is none of the name. */
export function declaredRow({ isDefined, name }: FunctionSymbol): BuiltinRow | undefined {
  return isDefined ? undefined : builtinRows(name)[0];
}

/** True for one type, or for pointers that differ in const only. */
function isSame(left: CType | undefined, right: CType | undefined): boolean {
  if (left === right) return true;
  const [a, b] = [left?.target, right?.target];
  return left?.kind === right?.kind && a?.type !== undefined && a.type === b?.type && a.space === b.space;
}

/** The overload that a declaration repeats; null: it is another function. */
function overloadDeclared(unit: Unit, { name, type }: FunctionSymbol): Overload | null {
  const builtin = knownBuiltin(unit, name);
  if (builtin.rows.length === 0) return null;
  const given = type.parameters.map((parameter) => valueOf(parameter.type, zeroOf(parameter.type)));
  const overload = overloadOf(unit, builtin, given);
  if (overload === null || overload === "ambiguous") return null;
  const isMeant =
    isSame(overload.result, type.target?.type) &&
    overload.parameters.every((parameter, i) => isSame(parameter, type.parameters[i]?.type));
  return isMeant ? overload : null;
}

/** The overload whose parameters a declaration has, with another result; null: there is none. */
export function overloadContradicted(unit: Unit, name: string, type: CType): Overload | null {
  if (builtinRows(name).length === 0) return null;
  const builtin = knownBuiltin(unit, name);
  if (builtin.rows.length === 0) return null;
  const given = type.parameters.map((parameter) => valueOf(parameter.type, zeroOf(parameter.type)));
  const overload = overloadOf(unit, builtin, given);
  if (overload === null || overload === "ambiguous") return null;
  const isSameCall = overload.parameters.every((parameter, i) => parameter === type.parameters[i]?.type);
  return isSameCall && overload.result !== type.target?.type ? overload : null;
}

/** Gives functions that are called and only declared the body of the built-in that they repeat. */
export function defineDeclaredBuiltins(unit: Unit): void {
  const called = new Set(unit.functions.flatMap((fn) => [...fn.calls.keys()]));
  const outer = unit.builder.block;
  for (const fn of called) {
    const overload = declaredRow(fn) === undefined ? null : overloadDeclared(unit, fn);
    if (overload === null) continue;
    unit.builder.block = fn.ir.addBlock("entry");
    unit.locate(fn.span);
    const given = fn.type.parameters.map(({ type }, i) => valueOf(type, fn.ir.parameters[i] ?? zeroOf(type)));
    const result = callOverload(unit, overload, given, fn.span);
    unit.builder.return(overload.result.kind === "void" ? null : result.value);
    fn.ir.inline = "always";
    fn.ir.isInternal = true;
    fn.isDefined = true;
  }
  unit.builder.block = outer;
}
