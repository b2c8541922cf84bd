// SPDX-License-Identifier: Apache-2.0
// Recovery: files of many mistakes have one error for each, on its line, and no others; one mistake in a right program
// is reported on its line only; applying an offered fix removes the error.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { compileOpenCLC } from "@muxkit/opencl-c";
import { type Diagnostic, type Fix, applyFixes, createSourceFile, lineAndColumn, renderText } from "@muxkit/report";
import { expect, test } from "vitest";

import { frontEndOptions } from "./front-end-options.ts";
import { SOURCES } from "./sources.ts";

const OPTIONS = frontEndOptions();

function diagnose(source: string): readonly Diagnostic[] {
  return compileOpenCLC("program.cl", source, OPTIONS).diagnostics.all;
}

function errorsOf(list: readonly Diagnostic[]): string[] {
  return list.flatMap(({ severity, code, span }) =>
    severity === "error" && span !== null ? [`${lineAndColumn(span.file, span.start).line} ${code}`] : [],
  );
}

const folder = join(import.meta.dirname, "recovery");

test.each(readdirSync(folder))("%s: every mistake that is marked, and nothing else", (name) => {
  const source = readFileSync(join(folder, name), "utf8");
  const marked = source.split("\n").flatMap((line, i) =>
    (line.split("//!")[1] ?? "")
      .trim()
      .split(" ")
      .filter((code) => code !== "")
      .map((code) => `${i + 1} ${code}`),
  );
  expect(marked.length).toBeGreaterThanOrEqual(20);
  const list = diagnose(source);
  expect(errorsOf(list).toSorted(), renderText(list)).toEqual(marked.toSorted());
});

const VALID = `constant int table[3] = { 1, 2, 3 };
struct pair { int a; float4 b; };
int helper(int n) {
  int sum = n;
  for (int i = 0; i < 3; ++i) sum += table[i];
  return sum;
}
kernel void k(global int* out, global const float* in, local int* tile, float4 v, int n) {
  int lid = get_local_id(0);
  struct pair p = { helper(3), v.wzyx };
  float scale = 0.5f;
  tile[lid] = p.a;
  barrier(CLK_LOCAL_MEM_FENCE);
  switch (p.a & 3) {
    case 0:
      out[0] = 1;
      break;
    default:
      out[1] = (int)p.b.x;
  }
  if (n > 2 && lid < 7) {
    out[2] = max(tile[0], n);
  } else {
    out[3] = tile[1];
  }
  float4 w = (float4)(scale, in[0], 1.0f, 2.0f);
  out[4] = (int)dot(w, v) + (n > 2 ? 1 : 0);
  while (n > 0) n -= 2;
  out[5] = n;
}
`;

test("the valid program is valid", () => {
  expect(renderText(diagnose(VALID))).toBe("");
});

/**
 * A kind of mistake: a statement of the program as it is, and as somebody might write it instead. All diagnostics must
 * be on its line.
 */
const MISTAKES: readonly (readonly [kind: string, right: string, wrong: string])[] = [
  ["a semicolon is missing", "int sum = n;", "int sum = n"],
  ["a semicolon is missing after a call", "barrier(CLK_LOCAL_MEM_FENCE);", "barrier(CLK_LOCAL_MEM_FENCE)"],
  ["a semicolon is missing after return", "return sum;", "return sum"],
  ["a parenthesis is missing in a condition", "if (n > 2 && lid < 7) {", "if (n > 2 && lid < 7 {"],
  ["a parenthesis is missing in a call", "out[2] = max(tile[0], n);", "out[2] = max(tile[0], n;"],
  ["a parenthesis too many", "tile[lid] = p.a;", "tile[lid] = p.a);"],
  ["a bracket is missing", "out[3] = tile[1];", "out[3 = tile[1];"],
  ["a comma is missing", "out[2] = max(tile[0], n);", "out[2] = max(tile[0] n);"],
  ["an operand is missing", "out[3] = tile[1];", "out[3] = tile[1] + ;"],
  ["a misspelt type", "float scale = 0.5f;", "flaot scale = 0.5f;"],
  ["a misspelt type of a pointer parameter", "global const float* in", "global const flota* in"],
  ["a misspelt kernel", "kernel void k(", "kernal void k("],
  ["a misspelt address space", "local int* tile", "locl int* tile"],
  ["a misspelt variable", "out[5] = n;", "out[5] = nn;"],
  ["a misspelt function", "int lid = get_local_id(0);", "int lid = get_lcoal_id(0);"],
  ["a misspelt member", "tile[lid] = p.a;", "tile[lid] = p.aa;"],
  ["a misspelt constant", "barrier(CLK_LOCAL_MEM_FENCE);", "barrier(CLK_LOCL_MEM_FENCE);"],
  ["an arrow for a point", "tile[lid] = p.a;", "tile[lid] = p->a;"],
  ["a wrong component", "out[1] = (int)p.b.x;", "out[1] = (int)p.b.q;"],
  ["a pointer for a value", "out[5] = n;", "out[5] = out;"],
  ["too many arguments", "{ helper(3), v.wzyx }", "{ helper(3, 4), v.wzyx }"],
  ["too few components", "(float4)(scale, in[0], 1.0f, 2.0f);", "(float4)(scale, in[0], 1.0f);"],
  ["a store to const", "out[4] =", "in[4] ="],
  ["no such form", "(int)dot(w, v)", "(int)dot(w, tile)"],
  ["a stray character", "out[0] = 1;", "out[0] = 1 @;"],
  ["a string without end", "out[0] = 1;", 'out[0] = "1;'],
  ["a wrong number", "float scale = 0.5f;", "float scale = 0.5g;"],
  ["a case twice", "    default:", "    case 0:"],
  ["a declaration twice", "float scale = 0.5f;", "float scale = 0.5f, scale = 1.0f;"],
  ["break without a loop", "float scale = 0.5f;", "float scale = 0.5f; break;"],
  ["goto nowhere", "out[0] = 1;", "goto nowhere;"],
  ["an array of unknown size", "int sum = n;", "int sum = n; int list[n];"],
  ["a condition without parentheses", "while (n > 0) n -= 2;", "while n > 0 n -= 2;"],
  ["an else without if", "while (n > 0) n -= 2;", "else n -= 2;"],
  ["an initialiser that is broken", "float scale = 0.5f;", "float scale = 0.5f * * ;"],
  ["a parameter without type", "float4 v, int n) {", "float4 v, n) {"],
  ["a comma too many", "float4 v, int n) {", "float4 v, int n, ) {"],
  ["a list that is too long", "{ 1, 2, 3 };", "{ 1, 2, 3, 4 };"],
  ["a struct without its semicolon", "struct pair { int a; float4 b; };", "struct pair { int a; float4 b; }"],
  ["a member without its semicolon", "{ int a; float4 b; };", "{ int a float4 b; };"],
];

test.each(MISTAKES)("%s: reported on its line only", (_, right, wrong) => {
  const at = VALID.indexOf(right);
  expect(at).toBeGreaterThanOrEqual(0);
  const source = VALID.slice(0, at) + wrong + VALID.slice(at + right.length);
  const line = VALID.slice(0, at).split("\n").length;
  const list = diagnose(source);
  expect(
    list.map(({ severity, span }) => `${severity} ${span === null ? 0 : lineAndColumn(span.file, span.start).line}`),
    renderText(list),
  ).toEqual([`error ${line}`]);
});

/** Mistakes after which the type of a name is unknown: errors in its uses cannot be reported. */
const HIDING: ReadonlySet<string> = new Set([
  "an initialiser that is broken",
  "a parameter without type",
  "a misspelt type",
]);

interface Place {
  readonly kind: string;
  readonly at: number;
  readonly right: string;
  readonly wrong: string;
  readonly line: number;
}

const PLACED: readonly Place[] = MISTAKES.map(([kind, right, wrong]) => {
  const at = VALID.indexOf(right);
  return { kind, at, right, wrong, line: VALID.slice(0, at).split("\n").length };
});

/** The lines of the errors that two mistakes cause. */
function linesOfBoth(pair: readonly Place[]): readonly number[] {
  const source = pair
    .toSorted((a, b) => b.at - a.at)
    .reduce((text, { at, right, wrong }) => text.slice(0, at) + wrong + text.slice(at + right.length), VALID);
  return diagnose(source)
    .filter(({ severity }) => severity === "error")
    .map(({ span }) => (span === null ? 0 : lineAndColumn(span.file, span.start).line));
}

test.each(PLACED)("$kind, and any other mistake on another line: two errors on these lines", (first) => {
  for (const second of PLACED) {
    if (second.line === first.line) continue;
    const lines = linesOfBoth([first, second]);
    const wanted = [first.line, second.line].toSorted((a, b) => a - b);
    const about = `${first.kind} and ${second.kind}`;
    // No line too many, ever; none too few, but for what a mistake hides.
    expect(wanted, about).toEqual(expect.arrayContaining([...lines]));
    expect(lines.length, about).toBeGreaterThanOrEqual(HIDING.has(first.kind) || HIDING.has(second.kind) ? 1 : 2);
  }
});

/** What a fix of a diagnostic, its own or one of its notes, makes of the program. */
function fixesOf(diagnostic: Diagnostic): readonly Fix[] {
  return [...(diagnostic.fix === null ? [] : [diagnostic.fix]), ...diagnostic.notes.flatMap(fixesOf)];
}

const FIXED = Object.entries(SOURCES).flatMap(([code, source]) =>
  source.startsWith("// -cl-std")
    ? []
    : diagnose(source).flatMap((diagnostic) => fixesOf(diagnostic).map((fix, i) => ({ code, i, source, fix }))),
);

test("fixes are offered", () => {
  expect(new Set(FIXED.map(({ code }) => code)).size).toBeGreaterThanOrEqual(18);
});

test.each(FIXED)("the fix $i of $code mends what it is for", ({ code, source, fix }) => {
  const file = fix.edits[0]?.span.file ?? createSourceFile("program.cl", source);
  expect(file.text).toBe(source);
  const mended = applyFixes(file, [fix]);
  const list = diagnose(mended);
  expect(
    list.map((diagnostic) => diagnostic.code),
    `${mended}\n${renderText(list)}`,
  ).not.toContain(code);
  expect(
    list.filter(({ severity }) => severity === "error").map((diagnostic) => diagnostic.code),
    mended,
  ).toEqual([]);
});

test("the arguments of a macro that never end take nothing of the program along", () => {
  const source =
    "#define TWICE(a, b) ((a) * (b))\nint f(int x) { return TWICE(x, 2; }\ntypedef int " +
    "Number;\nNumber g(Number n) { return n + f(n, 1) + h(n); }\n";
  expect(errorsOf(diagnose(source))).toEqual(["2 CL1111", "4 CL2004", "4 CL2001"]);
});
