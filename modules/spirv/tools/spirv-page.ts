// SPDX-License-Identifier: Apache-2.0
// Writes the tables of docs/spirv.md (which instructions are read and written, by class, and why others are refused)
// and of docs/spirv-validation.md (the validator's rules, and where spirv-val says something else). With `--check` it
// compares instead.
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

import {
  LENIENT_RULES,
  type OpName,
  OP_ROWS,
  REFUSED_INSTRUCTIONS,
  VALIDATION_RULES,
  isRead,
  isWritten,
} from "@muxkit/spirv";

import { FLOW_CASES } from "../test/validation-flow.table.ts";
import { GROUP_CASES } from "../test/validation-groups.table.ts";
import { IMAGE_CASES } from "../test/validation-images.table.ts";
import { OFFER_CASES } from "../test/validation-offers.table.ts";
import { FIRST_CASES } from "../test/validation.table.ts";

const BEGIN = "<!-- Written by modules/spirv/tools/spirv-page.ts: begin -->";
const END = "<!-- end -->";
const docs = resolve(import.meta.dirname, "../../../docs");

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

/** Rules of the environments; the others are universal. */
const ENVIRONMENTS: ReadonlySet<string> = new Set(["vulkan", "opencl", "environment"]);

function rules(): string {
  const cases = [...FIRST_CASES, ...FLOW_CASES, ...IMAGE_CASES, ...GROUP_CASES, ...OFFER_CASES];
  const differing = cases.filter(({ difference }) => difference !== undefined);
  const all = Object.entries(VALIDATION_RULES);
  const lenient = new Map<string, string>(Object.entries(LENIENT_RULES));
  const environmental = all.filter(([, { section }]) => ENVIRONMENTS.has(section)).length;
  const lines = [
    `${all.length} rules, ${environmental} of them of environments, with ${cases.length} cases; the reader lets ` +
      `${lenient.size} pass.`,
    `On ${differing.length} cases spirv-val says something else.`,
    "",
    "| rule | section | what it demands |",
    "|---|---|---|",
    ...all.map(([name, { section, what }]) => `| \`${name}\` | ${section} | ${what} |`),
    "",
    "## What the reader lets pass",
    "",
    "| rule | who breaks it |",
    "|---|---|",
    ...[...lenient].map(([name, who]) => `| \`${name}\` | ${who} |`),
    "",
    "## Where spirv-val differs",
    "",
    "| rule | cases | reason |",
    "|---|---|---|",
  ];
  const reasons = new Map<string, number>();
  for (const { rule, difference = "" } of differing) {
    const row = `\`${rule}\` | ${difference}`;
    reasons.set(row, (reasons.get(row) ?? 0) + 1);
  }
  for (const [row, count] of reasons) {
    const [rule = "", reason = ""] = row.split(" | ");
    lines.push(`| ${rule} | ${count} | ${reason} |`);
  }
  return lines.join("\n");
}

const PAGES: readonly (readonly [name: string, write: () => string])[] = [
  ["spirv.md", tables],
  ["spirv-validation.md", rules],
];
for (const [name, write] of PAGES) {
  const page = resolve(docs, name);
  const text = readFileSync(page, "utf8");
  const [head = "", rest = ""] = text.split(BEGIN);
  const [, tail = ""] = rest.split(END);
  const wanted = `${head}${BEGIN}\n\n${write()}\n\n${END}${tail}`;
  if (!process.argv.includes("--check")) writeFileSync(page, wanted);
  else if (wanted !== text) {
    console.error(`docs/${name} is out of date; run node --conditions=source modules/spirv/tools/spirv-page.ts`);
    process.exitCode = 1;
  }
}
