// SPDX-License-Identifier: Apache-2.0
// Writes the lists of docs/typescript-kernels.md: built-ins from the table of OpenCL C, and diagnostics. With --check,
// only compares. The table of speed is `npm run bench:typescript`'s.
import { readFileSync, writeFileSync } from "node:fs";

import { BUILTINS, builtinRows } from "@muxkit/builtin-table";

import { DIAGNOSTICS } from "../source/diagnostics.table.ts";
import { isCallable } from "../source/signatures.ts";

const PAGE = new URL("../../../docs/typescript-kernels.md", import.meta.url);

/** Built-ins that share their overloads are one line. */
function builtinLines(): string {
  const lines = new Map<string, string[]>();
  const names = [...new Set(BUILTINS.map(({ name }) => name))].filter(
    (name) => isCallable(name) && !name.startsWith("__"),
  );
  for (const name of names) {
    const overloads = builtinRows(name).flatMap(({ patterns, classes }) =>
      patterns
        .filter((pattern) => pattern !== "" && !/[*^@:]|\.\.\./u.test(pattern))
        .map((pattern) => `\`${pattern}\`${classes === "" ? "" : ` (${classes})`}`),
    );
    const key = [...new Set(overloads)].join(" ");
    const list = lines.get(key);
    if (list === undefined) lines.set(key, [name]);
    else list.push(name);
  }
  return [
    "| built-ins | overloads |",
    "|---|---|",
    ...[...lines].map(([overloads, list]) => `| ${list.map((name) => `\`${name}\``).join(" ")} | ${overloads} |`),
  ].join("\n");
}

function diagnosticLines(): string {
  const rows = DIAGNOSTICS.map(
    ({ code, template, help = "" }) =>
      `| ${code} | ${template.replaceAll("|", String.raw`\|`).replaceAll(/\{\d\}/gu, "…")} | ${help.replaceAll("|", String.raw`\|`).replaceAll(/\{\d\}/gu, "…")} |`,
  );
  return ["| code | what is wrong | what to do |", "|---|---|---|", ...rows].join("\n");
}

function replacePart(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  return `${page.slice(0, page.indexOf(begin))}${begin}\n${text}\n${page.slice(page.indexOf(end))}`;
}

const old = readFileSync(PAGE, "utf8");
const made = replacePart(replacePart(old, "built-ins", builtinLines()), "diagnostics", diagnosticLines());
if (made !== old) {
  if (process.argv.includes("--check")) {
    console.error("docs/typescript-kernels.md is stale: run npm run typescript-kernels-page");
    process.exitCode = 1;
  } else writeFileSync(PAGE, made);
}
