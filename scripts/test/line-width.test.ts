// SPDX-License-Identifier: Apache-2.0
// Lines over 120 columns, and how comments are wrapped.
import { expect, test } from "vitest";

import { LINE_WIDTH, wideLines, wrapComments } from "../line-width/line-width.ts";

const long = (words: number): string => Array.from({ length: words }, () => "word").join(" ");

test("tables and single words may be wide", () => {
  const word = "x".repeat(130);
  expect(wideLines("a.md", [`| ${long(30)} |`, long(30), word, `- ${word}`, long(24)].join("\n"))).toEqual([2]);
  expect(wideLines("a.ts", `| ${long(30)} |`)).toEqual([1]);
});

test("regular expressions, titles of tests and templates with expressions may be wide", () => {
  const lines = [
    `  /^${long(30)}$/u,`,
    `test("${long(30)}", () => {`,
    `  return \`\${a} ${long(30)}\`;`,
    `  "${long(30)}";`,
  ];
  expect(wideLines("a.ts", lines.join("\n"))).toEqual([4]);
});

test("a paragraph is filled from its first wide line on", () => {
  const text = [`// ${long(30)}`, "// and more", "//", "// another"].join("\n");
  expect(wrapComments(text)).toBe([`// ${long(23)}`, `// ${long(7)} and more`, "//", "// another"].join("\n"));
});

test("list items, tags and code keep their lines", () => {
  const text = ["  /**", `   * - ${long(30)}`, "   * - item", "   * @public", "   */"].join("\n");
  const wrapped = wrapComments(text).split("\n");
  expect(wrapped.slice(2)).toEqual([`   *   ${long(8)}`, "   * - item", "   * @public", "   */"]);
  expect(wrapComments(`const text = "// ${long(30)}";`)).toBe(`const text = "// ${long(30)}";`);
});

test("a documentation comment of one line gets three, with its tag last", () => {
  expect(wrapComments(`/** ${long(30)}. @public */`)).toBe(
    ["/**", ` * ${long(23)}`, ` * ${long(7)}.`, " *", " * @public", " */"].join("\n"),
  );
});

test("nothing is wide afterwards, and nothing is lost", () => {
  const text = `  // ${long(90)} \`a b c\` {@link x y}`;
  const wrapped = wrapComments(text);
  expect(wrapped.split("\n").every((line) => line.length <= LINE_WIDTH)).toBe(true);
  expect(wrapped.replaceAll(/\n\s*\/\//gu, "").trim()).toBe(text.trim());
});
