// SPDX-License-Identifier: Apache-2.0
// Small programs, one for each rule of the language, judged by us and by clang: both must accept or refuse them, and
// name the same line.
import { describe, expect, test } from "vitest";

import { type Case, hashOf, readCases } from "./cases.ts";
import { loadClang, readRecord } from "./clang.ts";
import { DIFFERENCES } from "./differences.ts";
import { judge } from "./ours.ts";

const CASES = readCases();
const RECORD = readRecord();

/** One of so many cases goes through clang itself in each run; `npm run clang:check` takes all of them. */
const SLICE = 40;

const show = (line: number | null): string => (line === null ? "ok" : `error in line ${line}`);

describe.each([...new Set(CASES.map(({ chapter }) => chapter))])("%s", (chapter) => {
  test.each(CASES.filter((item) => item.chapter === chapter).map((item): [string, Case] => [item.name, item]))(
    "%s",
    (_, item) => {
      const { line, message, text } = judge(item);
      // The type of what has been reported is named nowhere.
      expect(text).not.toContain("<error>");
      expect(show(line), message).toBe(show(item.expected.line));
    },
  );
});

test("there are many cases, and no two of one name", () => {
  expect(CASES.length).toBeGreaterThanOrEqual(400);
  expect(CASES.map(({ name }) => name).filter((name, i, names) => names.indexOf(name) !== i)).toEqual([]);
});

test("the record holds every case and nothing else (npm run clang:record)", () => {
  expect([...RECORD.keys()].toSorted()).toEqual(CASES.map(hashOf).toSorted());
});

test("clang, as recorded, expects the same of each case, but for the differences that are meant", () => {
  const differing = CASES.filter((item) => RECORD.get(hashOf(item)) !== item.expected.line).map(({ name }) => name);
  expect(differing.toSorted()).toEqual(Object.keys(DIFFERENCES).toSorted());
});

test("a slice of the record, by clang itself", async ({ skip }) => {
  const clang = await loadClang();
  if (typeof clang === "string") {
    process.stderr.write(`SKIPPED: clang cannot be loaded (${clang}); its record was not checked\n`);
    skip(clang);
    return;
  }
  const slice = CASES.filter((_, i) => i % SLICE === 0);
  const lines = await clang.judgeAll(slice);
  expect(lines.map((line, i) => `${slice[i]?.name ?? ""}: ${show(line)}`)).toEqual(
    slice.map((item) => `${item.name}: ${show(RECORD.get(hashOf(item)) ?? null)}`),
  );
});
