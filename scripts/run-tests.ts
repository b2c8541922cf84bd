// SPDX-License-Identifier: Apache-2.0
// Runs every suite (or those that the arguments name, by package folder) and ends with one line of true counts.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly success: boolean;
}

const folder = mkdtempSync(join(tmpdir(), "muxkit-tests-"));
const file = join(folder, "report.json");
const projects = process.argv.slice(2).flatMap((name) => ["--project", name]);
console.log("muxkit: running the tests …");
const { status } = spawnSync(
  "vitest",
  ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${file}`, ...projects],
  { stdio: "inherit" },
);
const report: Report = JSON.parse(readFileSync(file, "utf8"));
rmSync(folder, { recursive: true });
console.log(
  `${report.numPassedTests} passed, ${report.numFailedTests} failed, ${report.numPendingTests + report.numTodoTests} skipped`,
);
process.exitCode = status === 0 && report.success ? 0 : 1;
