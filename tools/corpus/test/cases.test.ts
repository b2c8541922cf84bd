// SPDX-License-Identifier: Apache-2.0
// Small programs, one for each rule of the language and each habit of those who write kernels, judged by us and by two
// clangs: what one of these takes we take, and we name the line that one of them names.
import { MEANT_DIFFERENCES, type Case, differs, judgeCase, linesOf, readCases, readVerdicts } from "@muxkit/corpus";
import { describe, expect, test } from "vitest";

const CASES = readCases();
const VERDICTS = readVerdicts();

const show = (line: number | null): string => (line === null ? "ok" : `error in line ${line}`);

describe.each([...new Set(CASES.map(({ chapter }) => chapter))])("%s", (chapter) => {
  test.each(CASES.filter((item) => item.chapter === chapter).map((item): [string, Case] => [item.name, item]))(
    "%s",
    (_, item) => {
      const { line, message, text } = judgeCase(item);
      // The type of what has been reported is named nowhere.
      expect(text).not.toContain("<error>");
      expect(show(line), message).toBe(show(item.expected.line));
    },
  );
});

test("there are many cases, and no two of one name", () => {
  expect(CASES.length).toBeGreaterThanOrEqual(1300);
  expect(CASES.map(({ name }) => name).filter((name, i, names) => names.indexOf(name) !== i)).toEqual([]);
});

test("each case is judged by two clangs at least, or fails one of them (npm run clang:record)", () => {
  expect(VERDICTS.size).toBeGreaterThanOrEqual(2);
  expect(CASES.filter((item) => linesOf(VERDICTS, item).size === 0).map(({ name }) => name)).toEqual([]);
});

test("cases differ from both clangs where the list of meant differences says so, and nowhere else", () => {
  const differing = CASES.filter((item) => differs(item, linesOf(VERDICTS, item))).map(({ name }) => name);
  expect(differing.toSorted()).toEqual(MEANT_DIFFERENCES.flatMap(({ cases }) => cases).toSorted());
});

test("the page of meant differences", async () => {
  const rows = MEANT_DIFFERENCES.map(({ construct, reason }) => `| ${construct} | ${reason} |`);
  const page = [
    "# Differences from clang",
    "",
    "What clang 14 and 22 take of OpenCL C is taken here, and what they refuse is refused or warned of, with these",
    "exceptions. `tools/corpus/source/meant-differences.table.ts` has them with what both compilers say;",
    "`npm test -- corpus -t meant --update` writes this page.",
    "",
    "| Construct | Why we differ |",
    "| --------- | ------------- |",
    ...rows,
    "",
  ].join("\n");
  await expect(page).toMatchFileSnapshot("../../../docs/clang.md");
});
