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

/** Lowerings that compute with operations on whole vectors. */
const WHOLE_VECTORS: ReadonlySet<string> = new Set(
  (
    "op compare integer clamp maximum minimum select shuffle bitselect vload vload_half vstore vstore_half " +
    "relational geometric common mad reciprocal reciprocal-root"
  ).split(" "),
);

/** Where a function's code comes from. */
function codeOf(lowering: string): string {
  if (lowering.startsWith("library"))
    return lowering === "library-whole" ? "library, whole vectors" : "library, lane by lane";
  return WHOLE_VECTORS.has(lowering.split(":")[0] ?? "") ? "operations on whole vectors" : "the compiler";
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
    ...(isConvergent ? ["convergent"] : []),
    ...(uniformity === "uniform" ? ["uniform"] : uniformity === "varying" ? ["varying"] : []),
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
    const rest = `| ${shown} | ${types} | ${codeOf(row.lowering)} | ${propertiesOf(row)} |`;
    const names = made.get(rest);
    if (names === undefined) made.set(rest, [row.name]);
    else if (!names.includes(row.name)) names.push(row.name);
  }
  return [...made].map(([rest, names]) => `| ${names.map((name) => `\`${name}\``).join(" ")} ${rest}`);
}

const names = new Set(BUILTINS.map(({ name }) => name)).size;
const text = `# Built-in functions of OpenCL C

Every built-in function that the compiler has, ${names} names, in addition to the families
\`convert_T[_sat][_rtX]\` and \`as_T\`. In the overloads \`T\` is the type of the column T, \`S\` its scalar,
\`U\` and \`I\` its unsigned and signed counterpart, \`N\` an int with its lanes, \`C\` the result of its
comparisons, \`W\` the type of twice its width; \`*X\` is a pointer in any address space, \`^X\` one to const,
\`@X\` one to global memory; \`s:\`, \`f:\`, \`w:\`, \`q:\` is an image that is sampled, read without a
sampler, written, queried.

The last column has the first version of OpenCL C, macros that a function requires, and properties: convergent
(all work-items of the group must execute it together), uniform (the result is the same for a work-group), varying
(it differs between work-items); otherwise the result varies as the arguments do.

This page is written by \`npm run builtins-page\` from \`modules/builtin-table/source\`, which the front end and
the compiler read too.

| functions | overloads | T | code | requirements and properties |
|---|---|---|---|---|
${lines().join("\n")}
`;

if (process.argv.includes("--check")) {
  if (readFileSync(page, "utf8") !== text) {
    console.error("docs/built-ins.md is stale: run npm run builtins-page");
    process.exitCode = 1;
  }
} else writeFileSync(page, text);
