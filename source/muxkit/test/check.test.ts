// SPDX-License-Identifier: Apache-2.0
// muxkit check and --diagnostics: the same messages as text, JSON and SARIF; exit codes; colours; headers next to the
// file.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { main } from "../source/command/main.ts";
import { answerOf, clc, muxkit } from "./commands.ts";

const folder = mkdtempSync(join(tmpdir(), "check-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function put(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const right = put(
  "right.cl",
  `#include "size.h"
kernel void k(global int* x) { *x = N; }
`,
);
put("size.h", "#define N 4\n");
const warns = put(
  "warns.cl",
  `kernel void k(global int* x) { int unused = 1; *x = 1; }
`,
);
const wrong = put(
  "wrong.cl",
  `kernel void k(global int* x) { *x = y; }
`,
);

test("a file without mistakes prints nothing and exits with 0", () => {
  expect(muxkit("check", right)).toEqual({ code: 0, out: "", error: "" });
});

test("warnings exit with 0, errors with 1, and -Werror turns warnings into errors", () => {
  expect(muxkit("check", warns)).toMatchObject({
    code: 0,
    error: expect.stringMatching(/warns\.cl:1:36: warning: .*\[CL2050\]/u),
  });
  expect(muxkit("check", wrong, warns)).toMatchObject({
    code: 1,
    error: expect.stringMatching(/\[CL2001\][^]*\[CL2050\]/u),
  });
  expect(muxkit("check", warns, "--options", "-Werror")).toMatchObject({
    code: 1,
    error: expect.stringMatching(/CL1999/u),
  });
  expect(muxkit("check", warns, "--options", "-w")).toEqual({ code: 0, out: "", error: "" });
});

test("takes build options as clc does, and headers and options of one file", () => {
  expect(muxkit("check", warns, "-Werror").code).toBe(1);
  expect(muxkit("check", "-O3", "-w", "-cl-std=CL3.0", warns)).toEqual({ code: 0, out: "", error: "" });
  expect(muxkit("check", wrong, warns, "--options-of", `${warns}=-w`, "-Dy=1")).toEqual({
    code: 0,
    out: "",
    error: "",
  });
  const needs = put("needs.cl", "#include <far.h>\nkernel void k(global int* x) { *x = FAR; }\n");
  const header = put("near.h", "#define FAR 1\n");
  expect(muxkit("check", needs, "--header", `far.h=${header}`)).toEqual({ code: 0, out: "", error: "" });
  expect(muxkit("check", needs).code).toBe(1);
});

test("an option of another command says whose it is", () => {
  expect(muxkit("check", right, "--emit", "ir")).toMatchObject({
    code: 2,
    error: "muxkit check: unknown option --emit; muxkit compile takes it\n",
  });
  expect(muxkit("check", right, "--heade", "x=y").error).toContain("did you mean --header?");
});

test("as JSON and as SARIF", () => {
  expect(JSON.parse(muxkit("check", wrong, "--diagnostics=json").error)).toMatchObject([
    { severity: "error", code: "CL2001", place: { file: wrong, start: { line: 1, column: 37 } } },
  ]);
  expect(JSON.parse(muxkit("check", right, "--diagnostics", "json").error)).toEqual([]);
  expect(JSON.parse(muxkit("check", wrong, warns, "--diagnostics=sarif").error)).toMatchObject({
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "muxkit", rules: [{ id: "CL2001" }, { id: "CL2050" }] } },
        results: [{ ruleId: "CL2001" }, { ruleId: "CL2050" }],
      },
    ],
  });
});

test("clc takes the same option, and continues after warnings", () => {
  expect(clc(warns, "--emit=ir")).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^module /u),
    error: expect.stringMatching(/CL2050/u),
  });
  expect(JSON.parse(clc(wrong, "--diagnostics=json").error)).toMatchObject([{ code: "CL2001" }]);
  expect(clc(wrong, "--diagnostics=xml")).toMatchObject({
    code: 2,
    error: 'clc: --diagnostics takes text, json, sarif, not "xml"\n',
  });
});

test("in colour where the stream wants it", () => {
  expect(answerOf((streams) => main(["check", wrong], streams), true).error).toContain("\u001B[1;31merror: ");
  expect(muxkit("check", wrong).error).not.toContain("\u001B");
});

test("wrong arguments", () => {
  expect(muxkit("check")).toMatchObject({ code: 2, error: expect.stringMatching(/at least one file is required/u) });
  expect(muxkit("check", join(folder, "none.cl"))).toMatchObject({
    code: 1,
    error: expect.stringMatching(/none\.cl cannot be read: there is no such file or folder/u),
  });
  expect(muxkit("check", right, "--options", "-cl-wrong")).toMatchObject({
    code: 2,
    error: expect.stringMatching(/-cl-wrong/u),
  });
});
