// SPDX-License-Identifier: Apache-2.0
// The output of `clc` and `muxkit check` as SARIF, against the schema of the standard: every kind of diagnostic, from
// real programs.
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { DiagnosticList, createSourceFile, note, renderSarif, replace } from "@muxkit/report";
import { afterAll, expect, test } from "vitest";

import { COMPILE } from "../source/command/compile.ts";
import { main, runCommand } from "../source/command/main.ts";
import { violations } from "./sarif-schema.ts";

const folder = mkdtempSync(join(tmpdir(), "sarif test-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function put(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
  return path;
}

interface Place {
  readonly physicalLocation: {
    readonly artifactLocation: { readonly uri: string };
    readonly region: { readonly startLine: number };
  };
  readonly message?: { readonly text: string };
}

interface Outcome {
  readonly ruleId?: string;
  readonly level: string;
  readonly message: { readonly text: string };
  readonly locations?: readonly Place[];
  readonly relatedLocations?: readonly Place[];
  readonly fixes?: readonly unknown[];
}

/** The results of a log that the schema has nothing against. */
function results(log: string): readonly Outcome[] {
  expect(violations(log)).toEqual([]);
  return (JSON.parse(log) as { readonly runs: readonly [{ readonly results: readonly Outcome[] }] }).runs[0].results;
}

function clc(...args: readonly string[]): readonly Outcome[] {
  let out = "";
  runCommand("clc", COMPILE, [...args, "-n", "--emit", "sarif"], {
    out: (text) => {
      out += text;
    },
    error: () => undefined,
  });
  return results(out);
}

const PLAIN = `kernel void k(global int* x) { *x = 1; }
`;

test("the schema finds what is wrong, and nothing in a log with everything that there can be", () => {
  const file = createSourceFile("C:\\include\\size #1.h", "int a = b;\nint c = d + e;\n");
  const at = (start: number, end: number): { file: typeof file; start: number; end: number } => ({ file, start, end });
  const list = new DiagnosticList();
  list.error("CL2001", '"b" is not declared', at(8, 9), {
    fix: replace(at(8, 9), "c"),
    notes: [note("declared here", at(4, 5)), note("no place", null)],
  });
  list.warning("CL2050", "never used", at(15, 16), { ranges: [at(19, 20), at(23, 24)] });
  list.error("", "nothing has a place", null);
  list.note("by the way", null);
  const log = renderSarif(list.all, { name: "muxkit", version: "1" });
  expect(violations(log)).toEqual([]);
  expect(violations(renderSarif([], { name: "muxkit", version: "1" }))).toEqual([]);
  for (const [right, wrong, message] of [
    ['"name": "muxkit"', '"called": "muxkit"', /required property 'name'/u],
    ['"level": "error"', '"level": "fatal"', /allowed values/u],
    ['"startLine": 1', '"startLine": 0', />= 1/u],
    ['"uri": "', '"uri": "a b ', /uri-reference/u],
    ['"text": ', '"words": ', /additional properties/u],
  ] as const) {
    expect(log).toContain(right);
    expect(violations(log.replace(right, wrong)).join("\n")).toMatch(message);
  }
});

test.each<readonly [kind: string, source: string, words: readonly string[], wanted: readonly unknown[]]>([
  ["nothing", PLAIN, [], []],
  [
    "an error with a fix",
    `kernel void k(global int* counter) { *countr = 1; }
`,
    [],
    [
      {
        ruleId: "CL2001",
        level: "error",
        locations: [{ physicalLocation: { region: { startLine: 1, startColumn: 39 } } }],
        fixes: [{}],
      },
    ],
  ],
  [
    "a warning",
    `kernel void k(global int* x) { int unused = 1; *x = 1; }
`,
    [],
    [{ ruleId: "CL2050", level: "warning" }],
  ],
  [
    "warnings that are errors",
    `kernel void k(global int* x) { int unused = 1; *x = 1; }
`,
    ["-Werror"],
    [{ level: "warning" }, { ruleId: "CL1999", level: "error" }],
  ],
  [
    "a location in two headers",
    `#include "deep/one.h"
kernel void k(global int* x) { *x = 1; }
`,
    [],
    [
      {
        level: "error",
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: expect.stringMatching(/sarif%20test-.*deep\/two%231\.h$/u) as string },
            },
          },
        ],
        relatedLocations: [{ message: { text: "included from here" } }, { message: { text: "included from here" } }],
      },
    ],
  ],
  [
    "a location in macros",
    `#define INNER(a) (a + missing)
#define OUTER(a) INNER(a) * 2
kernel void k(global int* x) { *x = OUTER(1); }
`,
    [],
    [
      {
        ruleId: "CL2001",
        relatedLocations: [
          { message: { text: 'expanded from the macro "OUTER"' } },
          { message: { text: 'expanded from the macro "INNER"' } },
        ],
      },
    ],
  ],
  [
    "a location that #line names",
    `#line 100 "else where.cl"
kernel void k(global int* x) { *x = missing; }
`,
    [],
    [{ ruleId: "CL2001" }],
  ],
  [
    "the end of the text",
    `kernel void k(global int* x) {
    *x = 1;`,
    [],
    [{ level: "error" }],
  ],
  ["an empty line at the end of a program that is none", "int\n\n", [], [{ level: "error" }]],
  ["notes of the vectoriser", PLAIN, ["-cl-wfv=auto"], [{ level: "note" }]],
  [
    "what no file has",
    `int f(int x);
kernel void k(global int* x) { *x = f(1); }
`,
    [],
    [{ ruleId: "CL3001", level: "error", locations: [{}] }],
  ],
])("%s", (_, source, words, wanted) => {
  put("deep/one.h", '\n#include "two#1.h"\n');
  put("deep/two#1.h", "int f( {\n");
  expect(clc(put("k.cl", source), ...words)).toMatchObject(wanted);
});

test("errors without a location: of objects whose text is not available", () => {
  const file = put(
    "open.cl",
    `int f(int x);
kernel void k(global int* x) { *x = f(1); }
`,
  );
  expect(runCommand("clc", COMPILE, ["-c", file], { out: () => undefined, error: () => undefined })).toBe(0);
  const [result, ...more] = clc(`${file}.o`);
  expect(more).toEqual([]);
  expect(result).toMatchObject({
    ruleId: "CL3001",
    level: "error",
    message: {
      text: expect.stringMatching(/"f" is called at .*open\.cl:2:37, but nothing that is linked defines it/u) as string,
    },
  });
  expect(result).not.toHaveProperty("locations");
});

test("every diagnostic of the front end that has an example", () => {
  const golden = join(import.meta.dirname, "../../../modules/opencl-c/test/golden");
  const files = readdirSync(golden)
    .filter((name) => /^CL\d+\.txt$/u.test(name))
    .map((name) => {
      // The source, then the messages on it.
      const text = readFileSync(join(golden, name), "utf8");
      return put(`${name.slice(0, -4)}.cl`, text.slice(0, text.lastIndexOf("\n\nprogram.cl:")));
    });
  expect(files.length).toBeGreaterThan(130);
  let error = "";
  main(["check", ...files, "--diagnostics", "sarif"], {
    out: () => undefined,
    error: (text) => {
      error += text;
    },
  });
  const found = results(error);
  expect(new Set(found.map(({ ruleId }) => ruleId)).size).toBeGreaterThan(120);
  expect(found.filter(({ fixes }) => fixes !== undefined).length).toBeGreaterThan(10);
  expect(found.filter(({ relatedLocations }) => relatedLocations !== undefined).length).toBeGreaterThan(10);
});
