// SPDX-License-Identifier: Apache-2.0
// Which references are found in comments and documents, and which of them point nowhere.
import { expect, test } from "vitest";

import { findReferences } from "../references/find.ts";
import { Repository, headingsOf } from "../references/repository.ts";

const TEXTS: Readonly<Record<string, string>> = {
  "docs/ir.md": "# The IR\n\n## Ops, and what they do\n\n## Types\n\n## Types\n",
};
const repository = new Repository(
  ["docs/ir.md", "docs/decisions/026-specialisation.md", "modules/ir/source/op.table.ts", "README.md"],
  ["bake", "test"],
  (file) => TEXTS[file] ?? "",
);

/** The problems of a text. */
function problems(file: string, text: string): readonly string[] {
  return findReferences(file, text).flatMap((reference) => repository.problem(file, reference) ?? []);
}

test("files are found by any end of their path, in comments only", () => {
  const text = ["// see op.table.ts and source/op.table.ts", 'import { x } from "./gone.ts";', "f(); // gone.ts"].join(
    "\n",
  );
  expect(problems("modules/ir/source/type.ts", text)).toEqual(['there is no file "gone.ts"']);
  expect(findReferences("a.ts", text).map(({ line }) => line)).toEqual([1, 1, 3]);
});

test("the end of a name is not the name", () => {
  expect(problems("a.ts", "// table.ts")).toEqual(['there is no file "table.ts"']);
});

test("folders count from the root", () => {
  expect(problems("a.md", "`modules/ir/source`, `modules/vecz/source`")).toEqual([
    'there is no file "modules/vecz/source"',
  ]);
});

test("links count from the file's folder, with their headings", () => {
  expect(problems("docs/a.md", "[ops](ir.md#ops-and-what-they-do) [up](../README.md)")).toEqual([]);
  expect(problems("docs/a.md", "[x](ir.md#passes) [y](README.md)")).toEqual([
    '"docs/ir.md" has no heading #passes',
    'there is no file "README.md"',
  ]);
});

test("headings of the same name are numbered", () => {
  expect([...headingsOf(TEXTS["docs/ir.md"] ?? "")]).toEqual(["the-ir", "ops-and-what-they-do", "types", "types-1"]);
});

test("decisions are cited by path", () => {
  expect(problems("a.ts", "// facts (decision 26)\n// decision 99")).toEqual([
    "write the path of decision 26: docs/decisions/026-specialisation.md",
    "there is no decision 99",
  ]);
  expect(problems("a.ts", "// facts (docs/decisions/026-specialisation.md)")).toEqual([]);
  expect(problems("a.ts", "// facts (docs/decisions/026-facts.md)")).toEqual([
    'there is no file "docs/decisions/026-facts.md"',
  ]);
});

test("npm commands exist, in messages too", () => {
  expect(problems("a.ts", 'throw new Error("stale: npm run bake, npm run fake");')).toEqual([
    'there is no script "npm run fake"',
  ]);
});

test("placeholders, globs, declarations and other people's pages are no references", () => {
  const text =
    "`NNN-title.md` `etc/*.api.md` `a.d.ts` `docs/decisions/016-…md` https://example.com/x/gone.md modules/*/x.md";
  expect(problems("a.md", text)).toEqual([]);
});

test("links to the project's own pages are looked up as files", () => {
  const text = "[a](https://github.com/muxkit/muxkit/blob/main/docs/none.md) [b](https://example.org/docs/none.md)";
  expect(findReferences("README.md", text).map(({ kind, target }) => [kind, target])).toEqual([
    ["file", "docs/none.md"],
  ]);
});

test("npx runs the project's own package in documents", () => {
  const text = "npx clc k.cl\nnpx --offline muxkit check k.cl";
  const empty = new Repository([], [], () => "");
  expect(findReferences("README.md", text).map((one) => empty.problem("README.md", one))).toEqual([
    "npx clc runs another's package: write npx muxkit",
    null,
  ]);
});
