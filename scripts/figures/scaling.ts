// SPDX-License-Identifier: Apache-2.0
// How compute-bound jobs get quicker from one thread to two, and what the machine allows: the hand-written WebAssembly
// on the same threads, and two processes of one thread each at once.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { compileHandWritten, writeHandExecutable } from "../bench/hand-wasm.ts";
import { median } from "../median.ts";

const root = resolve(import.meta.dirname, "..", "..");
const JOBS = ["nbody", "mandelbrot", "sgemm_tiled", "sha256", "conv5x5", "blackscholes"] as const;
/** `npm run bench` makes it. */
const NATIVE = join(root, "node_modules", ".cache", "muxkit", "natrun");
const CLI = join(root, "source/muxkit/dist/program/cli.cjs");

/** Timed runs of a process take so many ms together at least. */
const LEAST_MS = "300";

/** How a job scales: medians of the rounds' ratios. */
export interface Scaling {
  readonly job: string;
  /** Time on one thread over time on two. */
  readonly muxkit: number;
  /** The same of the hand-written WebAssembly, by the same runtime. */
  readonly hand: number;
  /** The same of the hand-written C; NaN where it is not there. */
  readonly native: number;
  /**
   * What two processes of one thread each do in the time of one alone: 2 where they do not disturb each other at all.
   */
  readonly machine: number;
}

/** A process's median time in ms; NaN when it failed. */
function time(command: string, args: readonly string[], threads: number): Promise<number> {
  return new Promise((done) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, OMP_NUM_THREADS: String(threads) },
    });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    child.on("error", () => {
      done(Number.NaN);
    });
    child.on("close", (status) => {
      done(status === 0 ? (JSON.parse(text) as { readonly median_ms: number }).median_ms : Number.NaN);
    });
  });
}

async function oneRound(file: string, hand: string): Promise<Omit<Scaling, "job">> {
  const muxkit = (threads: number, more: readonly string[] = []): Promise<number> =>
    time(
      process.execPath,
      [CLI, "run", file, "--json", "--no-check", "--min-ms", LEAST_MS, "--threads", String(threads), ...more],
      threads,
    );
  const native = (threads: number): Promise<number> =>
    existsSync(NATIVE) ? time(NATIVE, [file], threads) : Promise.resolve(Number.NaN);
  const alone = await muxkit(1);
  const ratios = {
    muxkit: alone / (await muxkit(2)),
    hand: (await muxkit(1, ["--binary", hand])) / (await muxkit(2, ["--binary", hand])),
    native: (await native(1)) / (await native(2)),
  };
  const both = await Promise.all([muxkit(1), muxkit(1)]);
  return { ...ratios, machine: alone / both[0] + alone / both[1] };
}

/** Measures jobs; all when none is named. */
export async function scaling(rounds: number, jobs: readonly string[] = JOBS): Promise<readonly Scaling[]> {
  execFileSync("nx", ["run-many", "-t", "bundle"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  const module = await compileHandWritten();
  const work = mkdtempSync(join(tmpdir(), "muxkit-scaling-"));
  const list: Scaling[] = [];
  // One after the other: each has the machine for itself.
  /* eslint-disable no-await-in-loop */
  for (const job of jobs) {
    const file = join(root, "benchmarks/suite", `${job}.json`);
    const hand = join(work, job);
    writeHandExecutable(file, module, hand);
    const ratios: Omit<Scaling, "job">[] = [];
    for (let round = 0; round < rounds; round++) ratios.push(await oneRound(file, hand));
    const of = (name: keyof Omit<Scaling, "job">): number => median(ratios.map((one) => one[name]));
    list.push({ job, muxkit: of("muxkit"), hand: of("hand"), native: of("native"), machine: of("machine") });
  }
  /* eslint-enable no-await-in-loop */
  rmSync(work, { recursive: true });
  return list;
}
