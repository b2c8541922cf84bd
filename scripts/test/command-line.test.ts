// SPDX-License-Identifier: Apache-2.0
// How `npm test` reads its arguments.
import { expect, test } from "vitest";

import { readTestArguments } from "../tests/command-line.ts";

const FOLDERS = ["modules/passes", "modules/ir", "source/cl", "scripts"];

function argumentsOf(...words: readonly string[]): readonly string[] {
  const run = readTestArguments(words, FOLDERS);
  if (!run.ok) throw new Error(run.message);
  return run.args;
}

test("without arguments everything runs", () => {
  expect(readTestArguments([], FOLDERS)).toEqual({
    ok: true,
    args: [],
    watch: false,
    hasReporter: false,
    filter: null,
  });
});

test("a package is named by its folder, its path or its name", () => {
  for (const name of ["passes", "modules/passes", "./modules/passes/", "@muxkit/passes"])
    expect(argumentsOf(name)).toEqual(["--project", "passes"]);
});

test("several packages, a file, and options of vitest", () => {
  expect(argumentsOf("passes", "ir", "test/inline.test.ts", "-t", "licm", "--retry", "2")).toEqual([
    "--project",
    "passes",
    "--project",
    "ir",
    "test/inline.test.ts",
    "-t",
    "licm",
    "--retry",
    "2",
  ]);
});

test("words after the first option are values of options, not packages", () => {
  expect(argumentsOf("-t", "passes")).toEqual(["-t", "passes"]);
});

test("the filter of names is found in each way to write it", () => {
  for (const words of [
    ["-t", "licm"],
    ["--retry", "2", "-t=licm"],
    ["--testNamePattern", "licm"],
  ])
    expect(readTestArguments(["passes", ...words], FOLDERS)).toMatchObject({ filter: "licm" });
});

test("watching and reporters are found", () => {
  expect(readTestArguments(["passes", "--watch"], FOLDERS)).toMatchObject({ watch: true, hasReporter: false });
  expect(readTestArguments(["--reporter=dot"], FOLDERS)).toMatchObject({ watch: false, hasReporter: true });
});

test("coverage is the first word", () => {
  expect(argumentsOf("--coverage", "passes")).toEqual(["--project", "passes", "--coverage.enabled"]);
});

test("an unknown package is one sentence that names the packages", () => {
  expect(readTestArguments(["pases", "ir"], FOLDERS)).toEqual({
    ok: false,
    message:
      'There is no package "pases" with tests. Packages: cl, ir, passes, scripts. A test ' +
      "file is named by its path, a test by -t.",
  });
});
