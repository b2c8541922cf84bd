// SPDX-License-Identifier: Apache-2.0
// Writes modules/kernel-library/source/generated: the scalar and vector types, and every built-in that kernels can call,
// with the types of its overloads, from the table of OpenCL C. With --check, only compares.
import { readFileSync, writeFileSync } from "node:fs";

import { BUILTINS, builtinRows } from "@muxkit/builtin-table";

import { isCallable } from "../source/signatures.ts";

const folder = new URL("../../kernel-library/source/generated/", import.meta.url);
const SCALARS = ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double"];
const LANES = [2, 3, 4, 8, 16];
const HEAD = "// SPDX-License-Identifier: Apache-2.0\n";
const NOTE = "Written by `npm run kernel-library` from the table of built-ins.\n";

function typesText(): string {
  const scalars = SCALARS.map(
    (name) =>
      `/** Values of \`${name}\`. @public */\nexport type ${name} = ScalarValue<"${name}">;\n` +
      `/** The type \`${name}\`, and the conversion to it. @public */\n` +
      `export const ${name}: ScalarType<"${name}"> = /* @__PURE__ */ scalarType("${name}");\n`,
  );
  const vectors = SCALARS.flatMap((name) =>
    LANES.map(
      (lanes) =>
        `/** Vectors of ${lanes} \`${name}\`. @public */\nexport type ${name}${lanes} = Vector<"${name}", ${lanes}>;\n` +
        `/** The type \`${name}${lanes}\`, and what makes its vectors. @public */\n` +
        `export const ${name}${lanes}: VectorType<"${name}", ${lanes}> = /* @__PURE__ */ vectorType("${name}", ${lanes});\n`,
    ),
  );
  return (
    `${HEAD}// The scalar and vector types of kernels, by name. ${NOTE}` +
    `import { type ScalarType, type ScalarValue, scalarType } from "../scalars.ts";\n` +
    `import { type Vector, type VectorType, vectorType } from "../vector.ts";\n\n${scalars.join("\n")}\n${vectors.join("\n")}` +
    `\n/** The type \`bool\`, and the conversion to it. @public */\nexport const bool: ScalarType<"bool"> = /* @__PURE__ */ scalarType("bool");\n` +
    `/** Values of \`bool\`. @public */\nexport type bool = boolean;\n`
  );
}

/** Sets of scalars that rows' classes admit. */
function scalarsOf(classes: string): readonly string[] {
  const of: Readonly<Record<string, readonly string[]>> = {
    f: ["float", "double"],
    g: ["float"],
    h: ["half"],
    i: SCALARS.slice(0, 8),
    s: ["char", "short", "int", "long"],
    u: ["uchar", "ushort", "uint", "ulong"],
    w: ["int", "uint"],
    l: ["long", "ulong"],
    n: SCALARS.slice(0, 6),
  };
  return [...new Set(classes.split("").flatMap((letter) => of[letter] ?? []))];
}

function lanesOf(classes: string): string {
  if (classes.includes("x")) return "3 | 4";
  if (classes.includes("y")) return "2 | 3 | 4";
  return classes.includes("z") ? "2 | 4 | 8 | 16" : "Lanes";
}

/** Words of a pattern for scalars: plain numbers, since operators make such. */
function scalarWord(word: string, value: string, isTruth: boolean): string {
  if (word === "C" || (isTruth && word === "int")) return "boolean";
  if ("TSUIW".includes(word)) return word === "W" && value === "number" ? "number" : value;
  return fixedWord(word);
}

function fixedWord(word: string): string {
  if (word === "void") return "void";
  if (word === "N" || word === "D" || word === "size_t") return "number";
  const [, scalar = word, lanes = ""] = /^([a-z]+?)(2|3|4|8|16)$/u.exec(word) ?? [];
  if (lanes !== "") return `Vector<"${scalar}", ${lanes}>`;
  return scalar === "long" || scalar === "ulong" ? "bigint" : "number";
}

function vectorWord(word: string): string {
  const words: Readonly<Record<string, string>> = {
    T: "Vector<S, N>",
    S: "ScalarValue<S>",
    U: "Vector<UnsignedOf<S>, N>",
    I: "Vector<TruthOf<S>, N>",
    N: 'Vector<"int", N>',
    D: "Vector<TruthOf<S>, N>",
    C: "Vector<TruthOf<S>, N>",
    W: "Vector<WideOf<S>, N>",
  };
  const [, letter, lanes] = /^([SU])(2|3|4|8|16)$/u.exec(word) ?? [];
  if (letter !== undefined) return letter === "S" ? `Vector<S, ${lanes}>` : `Vector<UnsignedOf<S>, ${lanes}>`;
  return words[word] ?? fixedWord(word);
}

/** Call signatures of a name. */
function signatures(name: string): readonly string[] {
  const made = new Set<string>();
  const put = (types: readonly string[], result: string, generic: string): void => {
    made.add(`${generic}(${types.map((type, i) => `${"abcdefgh"[i]}: ${type}`).join(", ")}): ${result};`);
  };
  for (const { patterns, classes, lowering } of builtinRows(name))
    for (const pattern of patterns) {
      const [, result = "", list = ""] = /^(\S+)\((.*)\)$/u.exec(pattern) ?? [];
      const words = list === "" ? [] : list.split(", ");
      if (pattern === "" || words.some((word) => /[*^@:]|\.\.\./u.test(word))) continue;
      const scalars = scalarsOf(classes);
      const isTruth = /^(compare|relational):/u.test(lowering);
      const isVectorOnly = /[vx]/u.test(classes);
      if (classes === "") put(words.map(fixedWord), isTruth && result === "int" ? "boolean" : fixedWord(result), "");
      else if (scalars.length > 0) {
        if (!isVectorOnly && !words.includes("S")) {
          const numbers = scalars.filter((one) => !one.endsWith("long"));
          if (numbers.length > 0)
            put(
              words.map((word) => scalarWord(word, "number", false)),
              scalarWord(result, "number", isTruth),
              "",
            );
          if (numbers.length < scalars.length)
            put(
              words.map((word) => scalarWord(word, "bigint", false)),
              scalarWord(result, "bigint", isTruth),
              "",
            );
        }
        if (!classes.includes("c"))
          put(
            words.map(vectorWord),
            isTruth && result === "int" ? "boolean" : vectorWord(result),
            `<S extends ${scalars.map((one) => `"${one}"`).join(" | ")}, N extends ${lanesOf(classes)}>`,
          );
      }
    }
  return [...made];
}

function overloads(name: string): string {
  const rows = builtinRows(name).flatMap(({ patterns }) =>
    patterns.filter((pattern) => !/[*^@:]|\.\.\./u.test(pattern) && pattern !== ""),
  );
  return [...new Set(rows)].map((pattern) => `\`${pattern}\``).join(", ");
}

function builtinsText(): string {
  const names = [...new Set(BUILTINS.map(({ name }) => name))]
    .filter((name) => isCallable(name) && !name.startsWith("__") && signatures(name).length > 0)
    .toSorted();
  const shapes = new Map<string, string>();
  const functions = names.map((name) => {
    const text = signatures(name).join("\n  ");
    let shape = shapes.get(text);
    if (shape === undefined) shapes.set(text, (shape = `Builtin${shapes.size}`));
    const isOfIntegers = builtinRows(name).some(({ classes }) => /[isuwn]/u.test(classes));
    return `/** ${overloads(name)}. @public */\nexport const ${name}: ${shape} = /* @__PURE__ */ builtin("${name}", ${isOfIntegers});\n`;
  });
  const casts = SCALARS.map((name) => {
    const result = name.endsWith("long") ? "bigint" : "number";
    return `/** The same bits as a \`${name}\`. @public */\nexport const as_${name}: (value: number | bigint) => ${result} = /* @__PURE__ */ builtin("as_${name}", true);\n`;
  });
  const interfaces = [...shapes].map(
    ([text, name]) => `/** Overloads of built-ins. @public */\nexport interface ${name} {\n${signatureDocs(text)}\n}\n`,
  );
  return (
    `${HEAD}// Built-in functions that kernels call. ${NOTE}` +
    `import { builtin } from "../builtin-calls.ts";\n` +
    `import type { ScalarValue } from "../scalars.ts";\n` +
    `import type { Lanes } from "../translated.ts";\n` +
    `import type { TruthOf, UnsignedOf, Vector, WideOf } from "../vector.ts";\n\n` +
    `${interfaces.join("\n")}\n${functions.join("\n")}\n${casts.join("\n")}`
  );
}

function signatureDocs(text: string): string {
  return text
    .split("\n  ")
    .map((line) => `  /** One of the overloads. */\n  ${line}`)
    .join("\n");
}

for (const [file, text] of [
  ["types.ts", typesText()],
  ["builtins.ts", builtinsText()],
] as const) {
  const path = new URL(file, folder);
  let old = "";
  try {
    old = readFileSync(path, "utf8");
  } catch {
    // It is written for the first time.
  }
  if (old === text) continue;
  if (process.argv.includes("--check")) {
    console.error(`modules/kernel-library/source/generated/${file} is stale: run npm run kernel-library`);
    process.exitCode = 1;
  } else writeFileSync(path, text);
}
