// SPDX-License-Identifier: Apache-2.0
// A cache of the built-ins that a program calls: filled at the first call of a name, and for each row of
// argument types the overload that they mean.
import { type BuiltinRow, type FamilyMember, builtinRows, parseFamily } from "@muxkit/builtin-table";

import { whatIsMissing } from "../language.ts";
import { isNull } from "./convert.ts";
import type { CType } from "./ctype.ts";
import type { Overload } from "./overloads.ts";
import { resolveOverload } from "./ranking.ts";
import type { Operand, Unit } from "./unit.ts";

/** A call whose overload was found. */
interface ResolvedCall {
  readonly types: readonly CType[];
  /** Bit i: argument i is the constant 0, which is a null pointer too. */
  readonly nulls: number;
  readonly overload: Overload | "ambiguous" | null;
}

/** A name that is called and that the program does not declare. */
export interface KnownBuiltin {
  /** `convert_T` and `as_T` are fully determined by their name; null: it is no such name. */
  readonly family: FamilyMember | null;
  /** Rows of the table; none: there is no such built-in. */
  readonly known: readonly BuiltinRow[];
  /** Those that version and device have. */
  readonly rows: readonly BuiltinRow[];
  readonly calls: ResolvedCall[];
}

/** Rows of argument types that are kept for a name. */
const MOST_CALLS = 32;

/** The cache entry of a name. */
export function knownBuiltin(unit: Unit, name: string): KnownBuiltin {
  let builtin = unit.builtins.get(name);
  if (builtin === undefined) {
    const known = builtinRows(name);
    // The library is compiled once for all programs.
    const rows = unit.options.library ? known : known.filter((row) => whatIsMissing(unit.options, row) === null);
    builtin = { family: parseFamily(name), known, rows, calls: [] };
    unit.builtins.set(name, builtin);
  }
  return builtin;
}

/** True when the type of an argument, and whether it is 0, determine the choice of the overload. */
function isPlain({ type: { kind } }: Operand): boolean {
  return kind === "int" || kind === "float" || kind === "bool" || kind === "vector" || kind === "pointer";
}

function takes({ types, nulls }: ResolvedCall, given: readonly Operand[], wanted: number): boolean {
  if (types.length !== given.length || nulls !== wanted) return false;
  for (let i = 0; i < types.length; i++) if (types[i] !== (given[i] as Operand).type) return false;
  return true;
}

/** The overload that a call means, see {@link resolveOverload}. */
export function overloadOf(
  unit: Unit,
  { rows, calls }: KnownBuiltin,
  given: readonly Operand[],
): Overload | "ambiguous" | null {
  let nulls = 0;
  for (let i = 0; i < given.length; i++) {
    const operand = given[i] as Operand;
    if (!isPlain(operand)) return resolveOverload(unit, rows, given);
    if (isNull(operand)) nulls |= 1 << i;
  }
  for (let i = 0; i < calls.length; i++) {
    const call = calls[i] as ResolvedCall;
    if (takes(call, given, nulls)) return call.overload;
  }
  const overload = resolveOverload(unit, rows, given);
  if (calls.length < MOST_CALLS) calls.push({ types: given.map(({ type }) => type), nulls, overload });
  return overload;
}
