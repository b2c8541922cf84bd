// SPDX-License-Identifier: Apache-2.0
import {
  err,
  join,
  ok,
  split,
  splitAll,
  splitAllOf,
  splitOf,
  splitWithQuotes,
  trim,
  trimLeft,
  trimRight,
} from "@muxkit/cargo";
import * as fc from "fast-check";
import { expect, test } from "vitest";

test("texts are split", () => {
  expect(splitAll("a,,b,", ",")).toEqual(["a", "", "b", ""]);
  expect(split("a,,b,", ",")).toEqual(["a", "b"]);
  expect([splitAll("", ","), split("", ","), split("ab", "")]).toEqual([[""], [], ["ab"]]);
  expect(splitAllOf("a b\tc", " \t")).toEqual(["a", "b", "c"]);
  expect([splitAllOf(" a  b"), splitOf(" a  b\n")]).toEqual([
    ["", "a", "", "b"],
    ["a", "b"],
  ]);
});

test("joining undoes splitting", () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 1, maxLength: 2 }), (text, delimiter) => {
      expect(join(splitAll(text, delimiter), delimiter)).toBe(text);
    }),
  );
});

test.each<[string, readonly string[]]>([
  ["", []],
  ["  -cl-mad-enable\t -DN=4 ", ["-cl-mad-enable", "-DN=4"]],
  ['-DX="a b" -I "C:\\dir"', ["-DX=a b", "-I", "C:\\dir"]],
  ["-DS='\"x\\y\"'", ['-DS="x\\y"']],
  ['-DQ=\\"x\\"', ['-DQ="x"']],
  ['"a\\"b" "" c""d', ['a"b', "", "cd"]],
  ["it\\'s \"it's\"", ["it's", "it's"]],
  ["back\\\\slash end\\", ["back\\slash", "end\\"]],
])("the words of %j", (text, words) => {
  expect(splitWithQuotes(text)).toEqual(ok(words));
});

test("an open quote is an error that names its position", () => {
  expect(splitWithQuotes('-I "dir')).toEqual(
    err({ code: "bad_argument", message: 'the quote " at character 3 is never closed' }),
  );
  expect(splitWithQuotes("'")).toMatchObject({ ok: false });
});

test("words that are quoted come back", () => {
  const word = fc.string({ unit: fc.constantFrom("a", " ", '"', "'", "\\", "\t") });
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const line = words.map((w) => `"${w.replaceAll(/["\\]/gu, (c) => `\\${c}`)}"`).join(" ");
      expect(splitWithQuotes(line)).toEqual(ok(words));
    }),
  );
});

test("texts are trimmed", () => {
  expect([trim(" \ta b\r\n"), trimLeft("  a "), trimRight(" a  "), trim("   "), trim("xxaxx", "x")]).toEqual([
    "a b",
    "a ",
    " a",
    "",
    "a",
  ]);
});
