// SPDX-License-Identifier: Apache-2.0
// Writes docs/built-ins.md from the table of built-in functions. With --check, only compares.
import { readFileSync, writeFileSync } from "node:fs";

import { BUILTINS } from "../source/index.ts";

type Row = (typeof BUILTINS)[number];

const page = new URL("../../../docs/built-ins.md", import.meta.url);

/** Classes of the table, as words. */
const CLASSES: Readonly<Record<string, string>> = {
  f: "float, double",
  g: "float",
  h: "half",
  i: "every int type",
  s: "signed ints",
  u: "unsigned ints",
  w: "int, uint",
  l: "long, ulong",
  n: "ints of 8 to 32 bits",
  v: "vectors only",
  c: "scalars only",
  x: "3 or 4 components",
  y: "up to 4 components",
  z: "not 3 components",
};

/** Where a function's code is. */
function formOf(lowering: string): string {
  if (lowering.startsWith("library"))
    return lowering === "library-whole" ? "library, as it is" : "library, lane by lane";
  return /^(op|compare|integer|clamp|maximum|minimum|select|shuffle|bitselect|vload|vstore|relational|geometric|common|mad|reciprocal)/u.test(
    lowering,
  )
    ? "operations on whole vectors"
    : "the compiler";
}

function propertiesOf({ isPure, isConvergent, uniformity, since, needs }: Row): string {
  const version =
    since > 100
      ? [`from OpenCL C ${since / 100}`.replace(/^(.*\d)$/u, (text) => (since % 100 === 0 ? `${text}.0` : text))]
      : [];
  return [
    ...version,
    ...needs.map((need) => `\`${need}\``),
    ...(isPure ? [] : ["has effects"]),
    ...(isConvergent ? ["all of the group together"] : []),
    ...(uniformity === "uniform"
      ? ["the same for a group"]
      : uniformity === "varying"
        ? ["differs between work-items"]
        : []),
  ].join("; ");
}

/** Rows that differ in nothing but their names are one line. */
function lines(): readonly string[] {
  const made = new Map<string, string[]>();
  for (const row of BUILTINS) {
    const types =
      row.classes === ""
        ? ""
        : row.classes
            .split("")
            .map((letter) => CLASSES[letter] ?? letter)
            .join(", ");
    const patterns = row.patterns.filter((pattern) => pattern !== "");
    const shown =
      patterns.length > 8
        ? `${patterns
            .slice(0, 4)
            .map((pattern) => `\`${pattern}\``)
            .join(" ")} and ${patterns.length - 4} more`
        : patterns.map((pattern) => `\`${pattern}\``).join(" ");
    const rest = `| ${shown} | ${types} | ${formOf(row.lowering)} | ${propertiesOf(row)} |`;
    const names = made.get(rest);
    if (names === undefined) made.set(rest, [row.name]);
    else if (!names.includes(row.name)) names.push(row.name);
  }
  return [...made].map(([rest, names]) => `| ${names.map((name) => `\`${name}\``).join(" ")} ${rest}`);
}

const text = `# Built-in functions of OpenCL C

Every built-in function that the compiler knows, ${new Set(BUILTINS.map(({ name }) => name)).size} names, besides the families \`convert_T[_sat][_rtX]\` and \`as_T\`. In the overloads \`T\` is the type at hand, \`S\` its scalar, \`U\` and \`I\` its unsigned and signed twin,
\`N\` an int with its lanes, \`C\` what a comparison of it gives, \`W\` the type of twice its width; \`*X\` a pointer in any address space, \`^X\` one to const, \`@X\` one into global memory; \`s:\`, \`f:\`, \`w:\`, \`q:\` an image that is sampled, read without
a sampler, written, asked. A function with a name behind it in the last column is there when that macro is.

This page is written by \`npm run builtins-page\` from \`modules/builtin-table/source\`, which the front end and the compiler read too.

| functions | overloads | T | code | besides |
|---|---|---|---|---|
${lines().join("\n")}
`;

if (process.argv.includes("--check")) {
  if (readFileSync(page, "utf8") !== text) {
    console.error("docs/built-ins.md is stale: run npm run builtins-page");
    process.exitCode = 1;
  }
} else writeFileSync(page, text);
