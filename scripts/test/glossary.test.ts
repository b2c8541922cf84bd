// SPDX-License-Identifier: Apache-2.0
// docs/glossary.md is a table in alphabetical order, each term once.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

import { expect, test } from "vitest";

const rows = readFileSync(resolve(import.meta.dirname, "../../docs/glossary.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .slice(1)
  .map((line) => line.split(" | ").map((cell) => cell.replaceAll(/^\| | \|$/gu, "")));

test("each row has a term, a sentence and a place", () => {
  expect(rows.length).toBeGreaterThan(80);
  for (const row of rows) {
    expect(row).toHaveLength(3);
    expect(row[1]).toMatch(/^[A-Z].*\.$/u);
  }
});

test("terms are in alphabetical order, each once", () => {
  const terms = rows.map(([term = ""]) => term.toLowerCase().replaceAll("-", " "));
  expect(terms).toEqual([...new Set(terms)].toSorted());
});
