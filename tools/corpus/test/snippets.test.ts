// SPDX-License-Identifier: Apache-2.0
// Tables of snippets: what they make is one line each, and the front end ends on a sample of all of them.
import { SNIPPET_TABLES, batchText, judgeHere } from "@muxkit/corpus";
import { expect, test } from "vitest";

/** Snippets of a table that are judged in a test run, spread over it. */
const SAMPLE = 40;

test.each(SNIPPET_TABLES.map((table) => [table.name, table] as const))("%s", (_, { make, versions }) => {
  const snippets = [...make()];
  expect(snippets.length).toBeGreaterThan(100);
  expect(snippets.filter(({ text }) => text.includes("\n"))).toEqual([]);
  const sample = snippets.filter((_snippet, i) => i % Math.ceil(snippets.length / SAMPLE) === 0);
  const failed = sample.filter((snippet) => judgeHere(snippet, versions.at(-1) ?? "").outcome === "failed");
  expect(failed).toEqual([]);
});

test("verdicts of our front end on snippets, with the names of the prelude", () => {
  const outcomes = [
    "void f#(S s, half h) { s.a = h; }",
    "void f#(S s) { s.c = 1; }",
    "void g#(int); void f#(void) { g#(1); }",
  ].map((text) => judgeHere({ rule: "", text }, "1.2").outcome);
  expect(outcomes).toEqual(["accepted", "refused", "accepted"]);
});

test("a batch has a line for each snippet, with its number", () => {
  const text = batchText([
    { rule: "", text: "int a#;" },
    { rule: "", text: "int b#, c#;" },
  ]);
  expect(text.endsWith("\nint a0;\nint b1, c1;\n")).toBe(true);
});
