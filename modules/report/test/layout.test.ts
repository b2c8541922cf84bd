// SPDX-License-Identifier: Apache-2.0
// How lines are drawn: tabs, wide characters, long lines, line ends, several ranges, several lines; where colours are
// wanted; fixes.
import {
  type Diagnostic,
  type SourceFile,
  type Span,
  applyFixes,
  createSourceFile,
  describeFix,
  insertBefore,
  insertAfter,
  note,
  renderJson,
  renderText,
  replace,
  presumedLocation,
  surround,
  wantsColor,
} from "@muxkit/report";
import * as fc from "fast-check";
import { expect, test } from "vitest";

function find(file: SourceFile, words: string): Span {
  const start = file.text.indexOf(words);
  if (start < 0) throw new Error(`"${words}" is not in the text`);
  return { file, start, end: start + words.length };
}

function drawn(text: string, words: string, ...ranges: readonly string[]): readonly string[] {
  const file = createSourceFile("f", text);
  return renderText([{ ...note("n", find(file, words)), ranges: ranges.map((range) => find(file, range)) }])
    .split("\n")
    .slice(1, -1);
}

test("tabs become blanks up to the next stop, in the line and below it", () => {
  expect(drawn("\ta\tbad\tb", "bad")).toEqual(["    1 |     a   bad b", "      |         ^~~"]);
  expect(drawn("x\tbad", "x\tbad")).toEqual(["    1 | x   bad", "      | ^~~~~~~"]);
});

test("wide characters take two columns, those that join take none, pairs are one character", () => {
  expect(drawn("漢字 bad", "bad")).toEqual(["    1 | 漢字 bad", "      |      ^~~"]);
  expect(drawn("字bad", "字b")).toEqual(["    1 | 字bad", "      | ^~~"]);
  expect(drawn("e\u0301 bad", "bad")).toEqual(["    1 | e\u0301 bad", "      |   ^~~"]);
  expect(drawn("😀 bad", "bad")).toEqual(["    1 | 😀 bad", "      |    ^~~"]);
  expect(drawn("𝒳 bad", "bad")).toEqual(["    1 | 𝒳 bad", "      |   ^~~"]);
});

test("what turns the direction of text is not shown", () => {
  expect(drawn("a \u202Ebad", "bad")).toEqual(["    1 | a \uFFFDbad", "      |    ^~~"]);
});

test("the end of a line written \\r\\n is no part of it", () => {
  expect(drawn("one\r\nbad\r\ntwo\r\n", "bad")).toEqual(["    2 | bad", "      | ^~~"]);
  expect(drawn("bad\r\n", "\r\n")).toEqual(["    1 | bad", "      |    ^"]);
});

test("several ranges stand on the line of the caret or on their own", () => {
  expect(drawn("left + right;", "+", "left", "right")).toEqual(["    1 | left + right;", "      | ~~~~ ^ ~~~~~"]);
  expect(drawn("left +\n  right;", "+", "left", "right")).toEqual([
    "    1 | left +",
    "      | ~~~~ ^",
    "    2 |   right;",
    "      |   ~~~~~",
  ]);
  expect(drawn("left\n\n+ right;", "+", "left", "right")).toEqual([
    "    1 | left",
    "      | ~~~~",
    "  ... |",
    "    3 | + right;",
    "      | ^ ~~~~~",
  ]);
});

test("a span over several lines: all of up to four, the first and the last of more", () => {
  expect(drawn("f(a,\n  b)", "f(a,\n  b)")).toEqual(["    1 | f(a,", "      | ^~~~", "    2 |   b)", "      |   ~~"]);
  expect(drawn("f(a,\nb,\nc,\nd,\n  e)", "f(a,\nb,\nc,\nd,\n  e)")).toEqual([
    "    1 | f(a,",
    "      | ^~~~",
    "  ... |",
    "    5 |   e)",
    "      |   ~~",
  ]);
});

test("a very long line is cut around the caret, also where it is wide", () => {
  for (const [before, after] of [
    ["x".repeat(500), "y".repeat(500)],
    ["x".repeat(500), ""],
    ["", "y".repeat(500)],
    ["漢".repeat(500), "字".repeat(500)],
    ["😀".repeat(301), "y".repeat(100_000)],
  ] as const) {
    const [line = "", below = ""] = drawn(`${before}bad${after}`, "bad");
    expect(line.length).toBeLessThan(200);
    expect(line).toContain("bad");
    expect(below).toMatch(/\^~~$/u);
  }
  const [line = "", below = ""] = drawn(`${"x".repeat(500)}bad${"y".repeat(500)}`, "bad");
  expect(line.indexOf("bad")).toBe(below.indexOf("^"));
});

test("what #line said is shown, the text is that of the file", () => {
  const file = createSourceFile("f.cl", 'a\n#line 100 "g.y"\nbad\n');
  file.marks.push({ offset: file.text.indexOf("bad"), shift: 97, name: "g.y" });
  expect(renderText([note("n", find(file, "bad"))])).toBe("g.y:100:1: note: n\n  100 | bad\n      | ^~~\n");
  expect(presumedLocation(file, 0)).toEqual({ name: "f.cl", line: 1, column: 1 });
});

test("the chain of inclusions is printed once for consecutive diagnostics", () => {
  const outer = createSourceFile("f.cl", '#include "a.h"\n');
  const middle = createSourceFile("a.h", '\n#include "b.h"\n', find(outer, '"a.h"'));
  const inner = createSourceFile("b.h", "bad worse", find(middle, '"b.h"'));
  const text = renderText([note("one", find(inner, "bad")), note("two", find(inner, "worse"))]);
  expect(text).toBe(
    `in a file included from a.h:2:10:
in a file included from f.cl:1:10:
b.h:1:1: note: one
    1 | bad worse
      | ^~~
b.h:1:5: note: two
    1 | bad worse
      |     ^~~~~
`,
  );
  expect(JSON.parse(renderJson([note("one", find(inner, "bad"))]))).toMatchObject([
    {
      place: {
        file: "b.h",
        includedFrom: [
          { file: "a.h", line: 2, column: 10 },
          { file: "f.cl", line: 1, column: 10 },
        ],
      },
    },
  ]);
});

test.each([
  [{}, true, true],
  [{}, false, false],
  [{ NO_COLOR: "1" }, true, false],
  [{ NO_COLOR: "" }, true, true],
  [{ FORCE_COLOR: "1" }, false, true],
  [{ FORCE_COLOR: "" }, false, true],
  [{ FORCE_COLOR: "0" }, true, false],
  [{ FORCE_COLOR: "false" }, true, false],
  [{ FORCE_COLOR: "3", NO_COLOR: "1" }, false, true],
  [{ TERM: "dumb" }, true, false],
])("%o on a terminal %s: colour %s", (environment, isTerminal, wanted) => {
  expect(wantsColor(environment, isTerminal)).toBe(wanted);
});

test("fixes in words, and done", () => {
  const file = createSourceFile("f", "if (a = b) return");
  const condition = find(file, "a = b");
  const fixes = [
    replace(find(file, "="), "=="),
    surround(condition, "(", ")"),
    insertAfter(find(file, "return"), ";"),
    replace(find(file, "if "), ""),
    insertBefore(find(file, "return"), "{ "),
  ];
  expect(fixes.map(describeFix)).toEqual([
    "write `==` instead of `=`",
    "insert `(`, insert `)`",
    "insert `;`",
    "remove `if `",
    "insert `{ `",
  ]);
  expect(fixes.map((fix) => applyFixes(file, [fix]))).toEqual([
    "if (a == b) return",
    "if ((a = b)) return",
    "if (a = b) return;",
    "(a = b) return",
    "if (a = b) { return",
  ]);
  expect(applyFixes(file, fixes)).toBe("((a == b)) { return;");
});

test("a fix for another line has its location", () => {
  const file = createSourceFile("f", "int f(int* p);\nf(q);");
  const diagnostic: Diagnostic = { ...note("n", find(file, "q")), fix: insertBefore(find(file, "int* p"), "global ") };
  expect(renderText([diagnostic])).toContain("= fix: insert `global ` at f:1:7\n");
});

test("fixes that overlap an earlier one are left out; those that do not are all done", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(20), fc.nat(5), fc.constantFrom("", "A", "BC"))), (list) => {
      const file = createSourceFile("f", "abcdefghijklmnopqrstuvwxyz");
      const fixes = list.map(([start, length, text]) => replace({ file, start, end: start + length }, text));
      const done = applyFixes(file, fixes);
      expect(
        done
          .replaceAll(/[ABC]/gu, "")
          .split("")
          .every((letter, i, all) => i === 0 || letter > (all[i - 1] ?? "")),
      ).toBe(true);
      expect(done).toContain(list[0]?.[2] ?? "");
    }),
  );
});
