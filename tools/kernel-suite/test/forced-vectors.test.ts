// SPDX-License-Identifier: Apache-2.0
// Every job of the benchmark suite runs several work-items at once when that is forced, between all of its barriers.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import type { KernelReport } from "@muxkit/compiler";
import { build } from "@muxkit/kernel-suite";
import { expect, test } from "vitest";

import { loadJob } from "../../../benchmarks/src/job.mjs";

const suite = join(import.meta.dirname, "../../../benchmarks/suite/tiny");

/** Jobs that run one by one even so, with the reason. */
const ONE_BY_ONE: Readonly<Record<string, string>> = {};

/** What prevents forcing a job's kernel; empty: nothing. */
function obstacles(file: string): string {
  const { kernel, sourcePath, options } = loadJob(join(suite, file));
  const reports: KernelReport[] = [];
  build(readFileSync(sourcePath, "utf8"), {
    options: `${options} -cl-wfv=always`,
    report: (report) => reports.push(report),
  });
  const report = reports.find((one) => one.kernel === kernel);
  if (report === undefined) return "there is no such kernel";
  return report.regions
    .filter(({ width }) => width === 1)
    .map(({ refusal, reason }) => refusal?.reason ?? reason)
    .join("; ");
}

test.each(readdirSync(suite).filter((name) => name.endsWith(".json")))("%s", (file) => {
  expect(obstacles(file)).toBe(ONE_BY_ONE[file.replace(".json", "")] ?? "");
});

test("a uniform loop with exits inside and outside of a divergent loop", () => {
  const reports: KernelReport[] = [];
  const source = `kernel void k(global char4* out) {
    uint id = get_global_id(0);
    char4 v = (char4)(0);
    for (int i = 1; i > 0; i -= 2) {
      int n = 0;
    again:
      if (++n < 2) goto again;
      if (++n < 4) {
        if (n == 0) return;
        v.hi = (char2)(0);
        goto again;
      }
      if ((float)id != 0.0f) break;
    }
    out[id] = v;
  }`;
  build(source, { options: "-cl-wfv=always", report: (report) => reports.push(report) });
  expect(reports.flatMap(({ regions }) => regions.map(({ width }) => width > 1))).toEqual([true]);
});
