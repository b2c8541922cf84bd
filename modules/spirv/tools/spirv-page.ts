// SPDX-License-Identifier: Apache-2.0
// Writes the tables of docs/spirv.md: which instructions are read and written, by class, and why others are refused.
// With `--check` it compares instead.
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

import { type OpName, OP_ROWS, REFUSED_INSTRUCTIONS, isRead, isWritten } from "@muxkit/spirv";

const BEGIN = "<!-- Written by modules/spirv/tools/spirv-page.ts: begin -->";
const END = "<!-- end -->";
const page = resolve(import.meta.dirname, "../../../docs/spirv.md");

const code = (names: readonly OpName[]): string => names.map((name) => `\`${name}\``).join(" ");

function tables(): string {
  const classes = new Map<string, OpName[]>();
  for (const { name, class: of } of OP_ROWS.values()) classes.set(of, [...(classes.get(of) ?? []), name]);
  const all = [...classes.values()].flat();
  const read = all.filter(isRead);
  const lines = [
    `Of ${all.length} instructions of the grammar ${read.length} are read and ${all.length - read.length} are refused.`,
    "",
    "| class | read | refused | instructions that are read |",
    "|---|---|---|---|",
  ];
  for (const [name, list] of classes) {
    const taken = list.filter(isRead);
    lines.push(`| ${name} | ${taken.length} | ${list.length - taken.length} | ${code(taken)} |`);
  }
  const written = all.filter(isWritten);
  lines.push("", `The writer writes ${written.length}:`, "", "| class | written | instructions |", "|---|---|---|");
  for (const [name, list] of classes) {
    const own = list.filter(isWritten);
    if (own.length > 0) lines.push(`| ${name} | ${own.length} | ${code(own)} |`);
  }
  lines.push("", "Refused with a reason of their own:", "", "| instruction | reason |", "|---|---|");
  for (const [name, reason] of Object.entries(REFUSED_INSTRUCTIONS)) lines.push(`| \`${name}\` | ${reason} |`);
  return lines.join("\n");
}

const text = readFileSync(page, "utf8");
const [head = "", rest = ""] = text.split(BEGIN);
const [, tail = ""] = rest.split(END);
const wanted = `${head}${BEGIN}\n\n${tables()}\n\n${END}${tail}`;
if (!process.argv.includes("--check")) writeFileSync(page, wanted);
else if (wanted !== text) {
  console.error("docs/spirv.md is out of date; run node --conditions=source modules/spirv/tools/spirv-page.ts");
  process.exitCode = 1;
}
