// SPDX-License-Identifier: Apache-2.0
// Why the overloads of a built-in function do not match a call: the nearest few, each with its reason.
import type { BuiltinRow } from "@muxkit/builtin-table";
import { type Diagnostic, note } from "@muxkit/report";

import { HALF, elementOf } from "./ctype.ts";
import { IMAGE, chooseGeneric, belongs, fit, readPattern } from "./overloads.ts";
import type { Operand, Unit } from "./unit.ts";

/** Overloads that are listed. */
const MOST_FORMS = 4;

const CLASSES: Readonly<Record<string, string>> = {
  f: "float or double",
  h: "half",
  i: "an integer",
  s: "a signed integer",
  u: "an unsigned integer",
  w: "int or uint",
  l: "long or ulong",
  n: "an integer of up to 32 bits",
};

/** What T may be, in words. */
function classWords(classes: string): string {
  const words = classes.split("").flatMap((letter) => CLASSES[letter] ?? []);
  const shape = classes.includes("c") ? ", a scalar" : classes.includes("v") ? ", a vector" : " or a vector of it";
  return `${words.join(", ")}${shape}`;
}

/** A word of a pattern as a parameter is written. */
function parameterWord(word: string): string {
  const [, use = "", image] = IMAGE.exec(word) ?? [];
  if (image !== undefined) return use === "s" ? `read_only ${image}` : use === "w" ? `write_only ${image}` : image;
  if (word.startsWith("*")) return `${word.slice(1)}*`;
  return word.startsWith("^") ? `const ${word.slice(1)}*` : word;
}

interface Reason {
  readonly text: string;
  /** Arguments that fit before the first that does not; -1: their count is wrong. */
  readonly fitting: number;
}

function reasonAgainst(unit: Unit, row: BuiltinRow, text: string, given: readonly Operand[]): Reason {
  const pattern = readPattern(text);
  const wanted = pattern.parameters.length;
  if (wanted !== given.length)
    return { text: `it takes ${wanted} argument${wanted === 1 ? "" : "s"}, not ${given.length}`, fitting: -1 };
  const generic = row.classes === "" ? null : chooseGeneric(pattern, given, row.classes);
  if (row.classes !== "" && (generic === null || !belongs(generic, row.classes))) {
    const at = given.findIndex(({ type }) => type === generic || type.target?.type === generic);
    return {
      text:
        "T is " +
        `${classWords(row.classes)}${generic === null ? "" : `, and argument ${at + 1} makes it ${generic.name}`}`,
      fitting: 0,
    };
  }
  if (generic !== null && elementOf(generic) === HALF)
    return { text: "arithmetic on half needs cl_khr_fp16", fitting: given.length };
  const at = given.findIndex((argument, i) => fit(unit, pattern.parameters[i] ?? "", argument, generic) < 0);
  if (at < 0)
    return {
      text: "the vector does not match the number and type of components that the pointer points to",
      fitting: given.length,
    };
  const own = generic === null ? "" : ` where T is ${generic.name}`;
  return {
    text:
      `argument ${at + 1} is ${given[at]?.type.name ?? ""}, not ` +
      `${parameterWord(pattern.parameters[at] ?? "")}${own}`,
    fitting: at,
  };
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
        const { result, parameters } = readPattern(text);
        return {
          form: `${result} ${name}(${parameters.map(parameterWord).join(", ")})`,
          reason: reasonAgainst(unit, row, text, given),
        };
      }),
    )
    .toSorted((a, b) => b.reason.fitting - a.reason.fitting);
  const told = forms
    .slice(0, MOST_FORMS)
    .map(({ form, reason }) => note(`${form} does not match: ${reason.text}`, null));
  return forms.length > MOST_FORMS ? [...told, note(`and ${forms.length - MOST_FORMS} more overloads`, null)] : told;
}
