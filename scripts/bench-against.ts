// SPDX-License-Identifier: Apache-2.0
// `npm run bench:against -- DIR`: the benchmark suite on this checkout and on another one, in interleaved rounds.
// A refactoring is held to it: the geometric mean of the ratios stays at 1.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { GROUPS, jobsOrExit } from "./bench/groups.ts";
import { geometricMean, medianOf, ratioOf, reasonOf, runRounds } from "./bench/interleaved-runs.ts";
import { openCheckouts } from "./bench/sides.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string" },
    group: { type: "string", default: "suite" },
    rounds: { type: "string", default: "5" },
    threads: { type: "string" },
    runs: { type: "string" },
    "min-ms": { type: "string" },
  },
});
const [other] = positionals;
if (other === undefined || !existsSync(join(other, "node_modules"))) {
  console.error(
    `usage: npm run bench:against -- DIR [--group ${GROUPS.map(({ name }) => name).join(",")}] [--only NAME,NAME] ` +
      "[--rounds N] [--threads N] [--runs N] [--min-ms T]\n" +
      "DIR is another checkout of this project, with its dependencies installed (npm ci).",
  );
  process.exit(2);
}

const jobs = jobsOrExit({ groups: values.group, only: values.only, isTiny: false });
const work = mkdtempSync(join(tmpdir(), "muxkit-bench-"));
const passed = (["runs", "min-ms"] as const).flatMap((name) =>
  values[name] === undefined ? [] : [`--${name}`, values[name]],
);
const ratios: number[] = [];
let failures = 0;
try {
  const sides = openCheckouts(resolve(other), { work, threads: values.threads ?? null, passed });
  console.log("job              before ms     now ms   before / now  spread");
  for (const { name, path } of jobs) {
    const rounds = runRounds(name, path, sides, Number(values.rounds), (side) => join(work, `${name}.${side}`));
    const reason = reasonOf(rounds, "muxkit") ?? reasonOf(rounds, "before");
    const ratio = ratioOf(rounds, "before", "muxkit");
    if (reason !== null || ratio === null) {
      failures++;
      console.log(`${name.padEnd(16)} ${reason ?? "no times"}`);
      continue;
    }
    ratios.push(ratio.median);
    const [before, now] = (["before", "muxkit"] as const).map((side) =>
      (medianOf(rounds, side, ({ median_ms: ms }) => ms) ?? Number.NaN).toPrecision(4).padStart(9),
    );
    console.log(
      `${name.padEnd(16)} ${before ?? ""}  ${now ?? ""}  ` +
        `${ratio.median.toFixed(3).padStart(12)}  ${ratio.spread.toFixed(2).padStart(6)}`,
    );
    for (const side of sides) rmSync(join(work, `${name}.${side.name}`), { recursive: true, force: true });
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
console.log(
  `\n${jobs.length} jobs, ${failures} could not run; geometric mean of before / now ` +
    geometricMean(ratios).toFixed(3),
);
process.exitCode = failures > 0 ? 1 : 0;
