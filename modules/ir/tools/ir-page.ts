// SPDX-License-Identifier: Apache-2.0
// Writes the op tables of docs/ir.md from the op table, between two markers. With --check, only compares.
import { readFileSync, writeFileSync } from "node:fs";

import { OP_SECTIONS } from "../source/op.table.ts";

const BEGIN = "<!-- Written by `npm run ir-page` from modules/ir/source/op.table.ts: begin -->\n";
const END = "<!-- end -->\n";
const page = new URL("../../../docs/ir.md", import.meta.url);

const tables = OP_SECTIONS.map(({ title, ops }) => {
  const rows = ops.map(({ name, rule, effects, doc }) => {
    const letters = effects === "" ? "" : `\`${effects}\``;
    return `| \`${name}\` | \`${rule}\` | ${letters} | ${doc.replaceAll("|", "\\|")} |\n`;
  });
  return `### ${title}\n\n| op | rule | effects | result |\n|---|---|---|---|\n${rows.join("")}`;
});

const old = readFileSync(page, "utf8");
const [before, rest] = old.split(BEGIN);
const after = rest?.split(END)[1];
if (before === undefined || after === undefined) throw new Error("docs/ir.md has lost the markers of its op tables");
const text = `${before}${BEGIN}\n${tables.join("\n")}\n${END}${after}`;
if (process.argv.includes("--check")) {
  if (old !== text) {
    console.error("docs/ir.md is stale: run npm run ir-page");
    process.exitCode = 1;
  }
} else writeFileSync(page, text);
