// SPDX-License-Identifier: Apache-2.0
// `npm run performance-chart`: the chart of README.md from the tables of docs/performance.md. With --check, only
// compares.
import { readFileSync, writeFileSync } from "node:fs";

import { chartOf, readGroups } from "./performance/chart.ts";

const CHART = "docs/figures/speed.svg";

const text = chartOf(readGroups(readFileSync("docs/performance.md", "utf8")));
if (!process.argv.includes("--check")) {
  writeFileSync(CHART, text);
} else if (readFileSync(CHART, "utf8") !== text) {
  console.error(`${CHART} is stale: run npm run performance-chart`);
  process.exitCode = 1;
}
