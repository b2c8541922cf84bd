// SPDX-License-Identifier: Apache-2.0
// Jobs of the suite with more data: they stay within their buffers, which the interpreter of PTX looks at to the byte.
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { ptxDriver } from "@muxkit/ptx-interpreter";
import { expect, test } from "vitest";

import { runJobs } from "../cuda/bench.ts";
import { largerJob, writeLargerJobs } from "../cuda/larger-jobs.ts";

const BENCHMARKS = resolve(import.meta.dirname, "../../benchmarks");
const SUITE = join(BENCHMARKS, "suite");

type JobFile = NonNullable<Parameters<typeof largerJob>[0]>;

const jobs = readdirSync(SUITE)
  .filter((file) => file.endsWith(".json"))
  .map((file) => JSON.parse(readFileSync(join(SUITE, file), "utf8")) as JobFile);

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Elements of all buffers and images. */
function elements({ args }: JobFile): number {
  return sum(
    args.map(({ count, image2d }) => {
      const { width = 0, height = 0 } = (image2d ?? {}) as { readonly width?: number; readonly height?: number };
      return Number(count ?? 0) + width * height;
    }),
  );
}

test("once the data is the job itself", () => {
  for (const job of jobs) expect([job, null]).toContainEqual(largerJob(job, 1));
});

test("four times the data: every job but the empty one has more, and at most four times", () => {
  const grown = jobs.map((job) => largerJob(job, 4));
  expect(jobs.filter((_, i) => grown[i] === null).map(({ name }) => name)).toEqual(["null_launch"]);
  for (const [i, job] of jobs.entries()) {
    const more = grown[i] ?? null;
    if (more === null) continue;
    expect(more.global.length, job.name).toBe(job.global.length);
    const [items, before] = [more, job].map(({ global }) => global.reduce((product, size) => product * size, 1));
    expect((items ?? 0) / (before ?? 0), job.name).toBeGreaterThanOrEqual(2);
    expect(elements(more) / elements(job), job.name).toBeLessThanOrEqual(4);
    // What has nothing but groups has no more data.
    const least = job.name === "null_manygroups" ? 1 : 2;
    expect(elements(more) / elements(job), job.name).toBeGreaterThanOrEqual(least);
  }
});

/** One of each kind: the others grow in the same way as one of these. */
const KINDS: readonly string[] = [
  "blackscholes",
  "conv5x5",
  "fft2_stage",
  "hist_local",
  "img_blur5",
  "mandelbrot",
  "nbody",
  "reduce_sum",
  "saxpy_half",
  "sgemm_tiled",
  "sha256",
  "spmv_csr",
  "stencil7",
  "transpose",
];

test("small jobs with four times the data run, and stay within their buffers", () => {
  expect(runJobs(ptxDriver(), BENCHMARKS, ["--tiny", "--data", "4", ...KINDS])).toBe(true);
});

test("--data takes squares only, and says so", () => {
  const folder = mkdtempSync(join(tmpdir(), "muxkit-larger-"));
  try {
    for (const times of [0, 2, -4, 2.25, Number.NaN])
      expect(() => writeLargerJobs(SUITE, folder, times)).toThrow(/--data must be the square of a whole number/u);
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  expect(() => runJobs(ptxDriver(), BENCHMARKS, ["--tiny", "nothing"])).toThrow(
    /there is no job nothing; there are .*sha256/u,
  );
});
