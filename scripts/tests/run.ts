// SPDX-License-Identifier: Apache-2.0
// `npm test -- [packages and files] [options of vitest]`: runs the suites and ends with one line of true counts.
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { readTestArguments, type TestRun } from "./command-line.ts";

/** The part of vitest's JSON report that is read here. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly success: boolean;
}

const folders = [...globSync("{modules,source,tools}/*/package.json").map(dirname), "scripts"].filter(
  (folder) => globSync(`${folder}/test/**/*.test.ts`).length > 0,
);

/** Runs vitest until the user stops it. */
function watch({ args }: TestRun): number {
  return spawnSync("vitest", args, { stdio: "inherit" }).status ?? 1;
}

/** Runs vitest once and prints the counts of its report. */
function runOnce({ args, filter, hasReporter }: TestRun): number {
  const folder = mkdtempSync(join(tmpdir(), "muxkit-tests-"));
  const file = join(folder, "report.json");
  const reporters = [...(hasReporter ? [] : ["--reporter=default"]), "--reporter=json", `--outputFile.json=${file}`];
  const { status } = spawnSync("vitest", ["run", ...reporters, ...args], { stdio: "inherit" });
  // No report: vitest did not understand an option and has printed why.
  const report = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Report) : null;
  rmSync(folder, { recursive: true });
  if (report === null) return status === 0 ? 1 : (status ?? 1);
  const skipped = report.numPendingTests + report.numTodoTests;
  console.log(`${report.numPassedTests} passed, ${report.numFailedTests} failed, ${skipped} skipped`);
  if (filter !== null && report.numPassedTests + report.numFailedTests === 0) {
    console.error(`No test has "${filter}" in its name, so nothing ran. Correct -t, or name another package.`);
    return 1;
  }
  return status === 0 && report.success ? 0 : 1;
}

const run = readTestArguments(process.argv.slice(2), folders);
if (run.ok) {
  process.exitCode = run.watch ? watch(run) : runOnce(run);
} else {
  console.error(run.message);
  process.exitCode = 2;
}
