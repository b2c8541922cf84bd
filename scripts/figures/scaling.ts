// How compute-bound jobs get quicker from one thread to two: interleaved rounds of processes, with hand-written C as a yardstick of what the machine can give.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

import { median } from "../median.ts";

const root = resolve(import.meta.dirname, "..", "..");
const JOBS = ["nbody", "mandelbrot", "sgemm_tiled", "sha256", "conv5x5", "blackscholes"] as const;
/** `npm run bench` makes it. */
const NATIVE = join(root, "node_modules", ".cache", "muxkit", "natrun");

/** How a job scales, as the median of the rounds' ratios. */
export interface Scaling {
  readonly job: string;
  readonly muxkit: number;
  /** NaN where the C is not there. */
  readonly native: number;
}

function time(command: string, args: readonly string[], threads: number): number {
  const { status, stdout } = spawnSync(command, args, { cwd: root, encoding: "utf8", env: { ...process.env, OMP_NUM_THREADS: String(threads) } });
  return status === 0 ? (JSON.parse(stdout) as { readonly median_ms: number }).median_ms : Number.NaN;
}

/** Measures jobs; all when none is named. */
export function scaling(rounds: number, jobs: readonly string[] = JOBS): readonly Scaling[] {
  const runner = join(root, "source/muxkit/dist/program/cli.cjs");
  return jobs.map((job) => {
    const file = join(root, "benchmarks/suite", `${job}.json`);
    const ratios: { muxkit: number; native: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      const muxkit = (threads: number): number => time(process.execPath, [runner, "run", file, "--json", "--no-check", "--threads", String(threads)], threads);
      const native = (threads: number): number => (existsSync(NATIVE) ? time(NATIVE, [file], threads) : Number.NaN);
      ratios.push({ muxkit: muxkit(1) / muxkit(2), native: native(1) / native(2) });
    }
    return { job, muxkit: median(ratios.map((one) => one.muxkit)), native: median(ratios.map((one) => one.native)) };
  });
}
