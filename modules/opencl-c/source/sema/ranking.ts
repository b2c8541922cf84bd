// SPDX-License-Identifier: Apache-2.0
// Overload resolution of a built-in when no overload takes the arguments as they are: as in C++ ([over.match.best]) the
// viable candidate is chosen that is no worse for any argument and better for one; conversions rank exact,
// qualification, promotion, conversion. Candidates are all types that T may be. Cost: patterns times types times
// arguments, once for each list of argument types of a name.
import type { BuiltinRow } from "@muxkit/builtin-table";

import { isConvertible } from "./convert.ts";
import { type CType, DOUBLE, FLOAT, HALF, INT, SCALARS, elementOf, isArithmetic, lanesOf, vectorOf } from "./ctype.ts";
import {
  Overload,
  type Pattern,
  belongs,
  chooseOverload,
  fit,
  parameterType,
  readPattern,
  typeOf,
} from "./overloads.ts";
import type { Operand, Unit } from "./unit.ts";

/** How far an argument is from a parameter. */
export const EXACT = 0;
/** A pointer whose target becomes const or volatile. */
export const QUALIFICATION = 0.5;
const PROMOTION = 1;
export const CONVERSION = 2;

interface Candidate {
  readonly overload: Overload;
  readonly ranks: readonly number[];
}

/** Promotions of C: of small ints to int, of float to double; all else that converts is a conversion. */
function rankOf(unit: Unit, word: string, argument: Operand, generic: CType | null): number {
  const { type } = argument;
  const wanted = /^[*^@]/u.test(word) ? null : typeOf(unit, word, generic);
  if (wanted === null || !isArithmetic(type) || (wanted.kind !== "vector" && !isArithmetic(wanted))) {
    const own = fit(unit, word, argument, generic);
    return own <= 0 ? own : CONVERSION;
  }
  // A scalar that goes into every lane is further away than any other scalar.
  if (wanted.kind === "vector") return CONVERSION + 1;
  return isConvertible(argument, wanted) ? rankOfArithmetic(type, wanted) : -1;
}

/** How far a type that converts is from another one. */
export function rankOfArithmetic(type: CType, wanted: CType): number {
  if (type === wanted) return EXACT;
  const isSmall = type.kind === "bool" || (type.kind === "int" && type.bits < 32);
  return (isSmall && wanted === INT) || (type === FLOAT && wanted === DOUBLE) ? PROMOTION : CONVERSION;
}

/** True when the device computes with an element type. */
function isPresent(unit: Unit, element: CType): boolean {
  if (element === HALF) return unit.options.extensions.includes("cl_khr_fp16");
  return element !== DOUBLE || unit.options.layout.nativeF64;
}

/** Types that T may be: the scalars, and vectors as long as those passed; null where a row has no T. */
function genericTypes(unit: Unit, row: BuiltinRow, given: readonly Operand[]): readonly (CType | null)[] {
  if (row.classes === "") return [null];
  const lanes = new Set([1, ...given.map(({ type }) => lanesOf(type.target?.type ?? type))]);
  return SCALARS.filter((element) => isPresent(unit, element))
    .flatMap((element) => [...lanes].map((count) => vectorOf(element, count)))
    .filter((type) => belongs(type, row.classes));
}

function candidate(
  unit: Unit,
  row: BuiltinRow,
  pattern: Pattern,
  generic: CType | null,
  given: readonly Operand[],
): Candidate | null {
  // A scalar goes into the components of a vector next to it, not of one that is not in the source.
  const isGiven = given.some(
    ({ type }, i) =>
      pattern.parameters[i]?.endsWith("T") === true && (type === generic || type.target?.type === generic),
  );
  if (generic?.kind === "vector" && !isGiven) return null;
  const ranks: number[] = [];
  for (let i = 0; i < given.length; i++) {
    const rank = rankOf(unit, pattern.parameters[i] as string, given[i] as Operand, generic);
    if (rank < 0) return null;
    ranks.push(rank);
  }
  const parameters = pattern.parameters.map((word, i) => parameterType(unit, word, given[i] as Operand, generic));
  const result = typeOf(unit, pattern.result, generic);
  if (result === null || parameters.some((type) => !isPresent(unit, elementOf(type)))) return null;
  return { ranks, overload: new Overload(row, generic ?? result, result, parameters, pattern.result) };
}

/** True when no argument fits worse, and one fits better. */
export function isBetter(left: Pick<Candidate, "ranks">, right: Pick<Candidate, "ranks">): boolean {
  return (
    left.ranks.every((rank, i) => rank <= (right.ranks[i] ?? 0)) &&
    left.ranks.some((rank, i) => rank < (right.ranks[i] ?? 0))
  );
}

function sameParameters(left: Candidate, right: Candidate): boolean {
  return left.overload.parameters.every((type, i) => type === right.overload.parameters[i]);
}

/** True when pointers point to what the parameters point to. */
function pointsExactly({ parameters }: Overload, given: readonly Operand[]): boolean {
  return given.every(({ type }, i) => type.target === null || type.target.type === parameters[i]?.target?.type);
}

/** True when every argument is taken as it is. */
function isExact(overload: Overload, given: readonly Operand[]): boolean {
  return (
    given.every(({ type }, i) => type === overload.parameters[i] || type.kind === "pointer") &&
    pointsExactly(overload, given)
  );
}

/** The overload that a call means; "ambiguous": several take it and none is better; null: none takes it. */
export function resolveOverload(
  unit: Unit,
  rows: readonly BuiltinRow[],
  given: readonly Operand[],
): Overload | "ambiguous" | null {
  const chosen = chooseOverload(unit, rows, given);
  if (unit.options.library || (chosen !== null && isExact(chosen, given))) return chosen;
  const found: Candidate[] = [];
  for (const row of rows) {
    for (const text of row.patterns) {
      const pattern = readPattern(text);
      if (pattern.parameters.length !== given.length) continue;
      for (const generic of genericTypes(unit, row, given)) {
        const made = candidate(unit, row, pattern, generic, given);
        if (made !== null && !found.some((other) => sameParameters(made, other))) found.push(made);
      }
    }
  }
  // One that takes a pointer to something else, void or an int of the other sign, is worse than all that do not.
  const exact = found.filter(({ overload }) => pointsExactly(overload, given));
  const viable = exact.length === 0 ? found : exact;
  const best = viable.filter((one) => !viable.some((other) => isBetter(other, one)));
  if (best.length > 1) return "ambiguous";
  return best[0]?.overload ?? null;
}
