// SPDX-License-Identifier: Apache-2.0
// Writes docs/diagnostics.md from the table of diagnostics, what to do about them, and the golden tests, which are the
// examples. With --check, only compares.
import { existsSync, readFileSync, writeFileSync } from "node:fs";

import { DIAGNOSTICS } from "../source/diagnostics.table.ts";

const page = new URL("../../../docs/diagnostics.md", import.meta.url);

/** Ranges of codes. */
const PARTS: readonly (readonly [from: string, title: string])[] = [
  ["CL1000", "Characters and tokens"],
  ["CL1100", "The preprocessor"],
  ["CL1200", "Syntax"],
  ["CL2000", "Meaning"],
  ["CL3000", "Linking"],
];

/** The source of a golden test and its diagnostics. */
function exampleOf(code: string): string {
  const golden = new URL(`../test/golden/${code}.txt`, import.meta.url);
  return existsSync(golden) ? `\n\`\`\`\n${readFileSync(golden, "utf8").trimEnd()}\n\`\`\`\n` : "";
}

function section({ code, name = "", severity, template, help = "" }: (typeof DIAGNOSTICS)[number]): string {
  return (
    `### ${code} ${name}\n\n${severity}: ` +
    `${template.replaceAll(/[*_<>#]/gu, String.raw`\$&`).replaceAll(/\{\d+\}/gu, "…")}\n` +
    (help === "" ? "" : `\n${help.replaceAll(/[*_<>#]/gu, String.raw`\$&`)}\n`) +
    exampleOf(code)
  );
}

const rows = DIAGNOSTICS.toSorted((a, b) => a.code.localeCompare(b.code));
const parts = PARTS.map(([from, title], i) => {
  const until = PARTS[i + 1]?.[0] ?? "CL9999";
  return `## ${title}\n\n${rows
    .filter(({ code }) => code >= from && code < until)
    .map(section)
    .join("\n")}`;
});
const text = `# Diagnostics of OpenCL C

Everything that the front end can say, by code. Codes never change their meaning. Errors keep a program from
being built; warnings do not, unless \`-Werror\` asks for that, and
\`-w\` turns them off. \`muxkit check FILE.cl --diagnostics=text|json|sarif\` tells them in the form that is asked for.

This page is written by \`npm run diagnostics-page\` from \`modules/opencl-c/source/diagnostics.table.ts\`. The
examples are the golden tests; "…" stands for what is named.

${parts.join("\n")}`;

if (process.argv.includes("--check")) {
  if (readFileSync(page, "utf8") !== text) {
    console.error("docs/diagnostics.md is stale: run npm run diagnostics-page");
    process.exitCode = 1;
  }
} else writeFileSync(page, text);
