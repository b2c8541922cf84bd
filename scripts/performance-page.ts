// SPDX-License-Identifier: Apache-2.0
// `npm run performance-page`: every chapter of docs/performance.md, one after the other, then the chart of README.md,
// for a quiet machine and some hours. `-- --rounds N` sets the rounds of jobs.
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const root = resolve(import.meta.dirname, "..");
const PAGE = "docs/performance.md";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });
const rounds = ["--rounds", values.rounds];

/** The commands of its chapters and of the chart: script and words. */
const COMMANDS: readonly (readonly [script: string, ...words: readonly string[]])[] = [
  ["bench.ts", "--group", "suite", ...rounds, "--markdown", PAGE],
  ["bench.ts", "--group", "wider,set-aside", ...rounds, "--markdown", PAGE],
  ["bench.ts", "--first", "--markdown", PAGE],
  ["figures.ts", "starts", "queues", "driver", "--write"],
  ["figures.ts", "vulkan", "--write", ...rounds],
  ["performance-chart.ts"],
];

const failed = COMMANDS.filter(([script, ...words]) => {
  console.log(`\n== ${script} ${words.join(" ")}`);
  const { status } = spawnSync(process.execPath, [...process.execArgv, join(root, "scripts", script), ...words], {
    cwd: root,
    stdio: "inherit",
  });
  return status !== 0;
});
for (const [script, ...words] of failed)
  console.error(`!! ${script} ${words.join(" ")} failed; what it writes is as it was`);
process.exitCode = failed.length > 0 ? 1 : 0;
