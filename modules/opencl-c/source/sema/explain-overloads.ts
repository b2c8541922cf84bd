// SPDX-License-Identifier: Apache-2.0
// Why the overloads of a built-in function do not match a call: the nearest few, each with its reason. A generic row is
// shown with the types that it has for the arguments of the call; where those are of no class that the row takes, with
// the nearest that are.
import type { BuiltinRow } from "@muxkit/builtin-table";
import { CONSTANT, GLOBAL } from "@muxkit/ir";
import { type Diagnostic, note } from "@muxkit/report";

import { type CType, FLOAT, HALF, SCALARS, elementOf, lanesOf, plain, pointerTo, vectorOf } from "./ctype.ts";
import { IMAGE, type Pattern, belongs, chooseGeneric, fit, readPattern, typeOf } from "./overloads.ts";
import { spelledName } from "./spelling.ts";
import type { Operand, Unit } from "./unit.ts";

/** Overloads that are listed. */
const MOST_FORMS = 4;

/** Elements of the classes: each, and several of them. */
const CLASSES: Readonly<Record<string, readonly [each: readonly string[], several: string]>> = {
  f: [["float", "double"], "floats or doubles"],
  g: [["float"], "floats"],
  h: [["half"], "halves"],
  i: [["an integer"], "integers"],
  s: [["a signed integer"], "signed integers"],
  u: [["an unsigned integer"], "unsigned integers"],
  w: [["int", "uint"], "ints or uints"],
  l: [["long", "ulong"], "longs or ulongs"],
  n: [["an integer of up to 32 bits"], "integers of up to 32 bits"],
};

/** What an argument of a row's classes may be, in words. */
function classWords(classes: string): string {
  const kinds = classes.split("").flatMap((letter) => {
    const words = CLASSES[letter];
    return words === undefined ? [] : [words];
  });
  const several = `a vector of ${kinds.map(([, word]) => word).join(" or ")}`;
  if (classes.includes("v")) return several;
  const each = kinds.flatMap(([words]) => words);
  const one = each.length === 1 ? each.join("") : `${each.slice(0, -1).join(", ")} or ${each.at(-1) ?? ""}`;
  return classes.includes("c") ? one : each.length === 1 ? `${one} or ${several}` : `${one}, or a vector of these`;
}

const COUNTS: readonly number[] = [1, 2, 3, 4, 8, 16];

/** How far a type is from another: the number of components counts most, then kind, width and sign. */
function distance(from: CType, to: CType): number {
  const [a, b] = [elementOf(from), elementOf(to)];
  const inElement = (a.kind === b.kind ? 0 : 4) + (a.bits === b.bits ? 0 : 2) + (a.isSigned === b.isSigned ? 0 : 1);
  return 8 * Math.abs(lanesOf(from) - lanesOf(to)) + inElement;
}

/** The type of a row's classes that is nearest to another. */
function nearest(type: CType, classes: string): CType {
  if (belongs(type, classes)) return type;
  const types = COUNTS.flatMap((count) => SCALARS.map((element) => vectorOf(element, count)));
  const [first = type] = types
    .filter((candidate) => belongs(candidate, classes))
    .toSorted((a, b) => distance(type, a) - distance(type, b));
  return first;
}

/** What T stands for when a row is shown; null: the row has no T. */
function shownGeneric(pattern: Pattern, given: readonly Operand[], classes: string): CType | null {
  if (classes === "") return null;
  return nearest(chooseGeneric(pattern, given.slice(0, pattern.parameters.length), classes) ?? FLOAT, classes);
}

/** A word of a pattern as a parameter is written; a pointer points into the memory that the argument points into. */
function parameterWord(unit: Unit, word: string, argument: Operand | undefined, generic: CType | null): string {
  const [, use = "", image] = IMAGE.exec(word) ?? [];
  if (image !== undefined) return use === "s" ? `read_only ${image}` : use === "w" ? `write_only ${image}` : image;
  const [, sign = "", inner = word] = /^([*^@]?)(.*)$/u.exec(word) ?? [];
  const type = /^[A-Z]\d*$/u.test(inner) || sign !== "" ? typeOf(unit, inner, generic) : null;
  if (sign === "") return type?.name ?? inner;
  const space = argument?.type.target?.space ?? null;
  const own = sign === "@" || (sign === "*" && space === CONSTANT) ? GLOBAL : space;
  const isConst = sign === "^" && own !== CONSTANT;
  return type === null
    ? `${isConst ? "const " : ""}${inner}*`
    : pointerTo({ ...plain(type), isConst, space: own }).name;
}

interface Reason {
  readonly text: string;
  /** Arguments that fit before the first that does not; -1: their count is wrong. */
  readonly fitting: number;
}

function reasonAgainst(
  unit: Unit,
  row: BuiltinRow,
  pattern: Pattern,
  shown: readonly string[],
  given: readonly Operand[],
): Reason {
  const wanted = pattern.parameters.length;
  if (wanted !== given.length)
    return { text: `it takes ${wanted} argument${wanted === 1 ? "" : "s"}, not ${given.length}`, fitting: -1 };
  const generic = row.classes === "" ? null : chooseGeneric(pattern, given, row.classes);
  const generics = row.classes !== "" && (generic === null || !belongs(generic, row.classes));
  const at = generics
    ? given.findIndex(({ type }, i) => !isOfClass(pattern.parameters[i] ?? "", type, row.classes))
    : given.findIndex((argument, i) => fit(unit, pattern.parameters[i] ?? "", argument, generic) < 0);
  const type = given[at] === undefined ? "" : spelledName(given[at]);
  const least = given[at]?.type.target?.type ?? given[at]?.type;
  // Where the number of components alone is wrong, the form says which is right.
  if (
    generics &&
    at >= 0 &&
    (least === undefined || !belongs(elementOf(least), row.classes.replaceAll(/[vxyz]/gu, "")))
  ) {
    const to = pattern.parameters[at] === "T" ? "" : "a pointer to ";
    return { text: `argument ${at + 1} is ${type}, not ${to}${classWords(row.classes)}`, fitting: 0 };
  }
  if (generic !== null && elementOf(generic) === HALF)
    return { text: "arithmetic on half needs cl_khr_fp16", fitting: given.length };
  if (at < 0)
    return {
      text: "the vector does not match the number and type of components that the pointer points to",
      fitting: given.length,
    };
  return { text: `argument ${at + 1} is ${type}, not ${shown[at] ?? ""}`, fitting: at };
}

/** False for an argument that alone keeps T from being of the classes. */
function isOfClass(word: string, type: CType, classes: string): boolean {
  if (word === "T") return belongs(type, classes);
  return !/^[*^@][TS]$/u.test(word) || (type.target !== null && belongs(type.target.type, classes));
}

/** A note for each of the nearest overloads, and how many more there are. */
export function overloadNotes(
  unit: Unit,
  name: string,
  rows: readonly BuiltinRow[],
  given: readonly Operand[],
): readonly Diagnostic[] {
  const forms = rows
    .flatMap((row) =>
      row.patterns.map((text) => {
        const pattern = readPattern(text);
        const generic = shownGeneric(pattern, given, row.classes);
        const shown = pattern.parameters.map((word, i) => parameterWord(unit, word, given[i], generic));
        const result = parameterWord(unit, pattern.result, undefined, generic);
        return {
          form: `${result} ${name}(${shown.join(", ")})`,
          reason: reasonAgainst(unit, row, pattern, shown, given),
        };
      }),
    )
    .toSorted((a, b) => b.reason.fitting - a.reason.fitting);
  // Two rows may be one form for these arguments: `T clamp(T, T, T)` and `T clamp(T, S, S)` of scalars.
  const different = [...new Map(forms.toReversed().map((one) => [one.form, one])).values()].toReversed();
  const told = different
    .slice(0, MOST_FORMS)
    .map(({ form, reason }) => note(`${form} does not match: ${reason.text}`, null));
  const more = different.length - MOST_FORMS;
  return more > 0 ? [...told, note(`and ${more} more overload${more === 1 ? "" : "s"}`, null)] : told;
}
