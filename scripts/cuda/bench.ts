// SPDX-License-Identifier: Apache-2.0
// `run.sh bench [--data 4] [job…]`: the jobs of the suite, or larger ones, by our target and by NVIDIA's OpenCL on the
// same GPU, in interleaved rounds of launches that follow each other. Prints a table for docs/performance.md, and what
// outputs disagree. `run.sh jobs [--data 4] [--tiny] [job…]`: our side alone, each job a few times, for
// compute-sanitizer.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { CUDA_COMPILER } from "@muxkit/cuda-compiler";
import { type CudaDriver, cudaTargetOf } from "@muxkit/cuda";
import { registerTarget } from "@muxkit/mux";
import {
  CL_DEVICE_TYPE_ALL,
  addCompilers,
  clBuildProgram,
  clCreateCommandQueue,
  clCreateContext,
  clCreateKernel,
  clCreateProgramWithSource,
  clEnqueueNDRangeKernel,
  clFinish,
  clGetDeviceIDs,
  clGetPlatformIDs,
  clReleaseKernel,
  clReleaseMemObject,
  clReleaseProgram,
} from "@muxkit/opencl";

import { compareDirs } from "../../benchmarks/src/compare.mjs";
import { download, inputsOf, setArguments, upload } from "../../source/muxkit/source/job/arguments.ts";
import { type Job, readJob } from "../../source/muxkit/source/job/job.ts";
import { dumpOutputs } from "../../source/muxkit/source/job/report.ts";
import { geometricMean } from "../bench/interleaved-runs.ts";
import { table } from "../bench/table.ts";
import { median } from "../median.ts";
import { writeLargerJobs } from "./larger-jobs.ts";
import { type TimingDriver, timingDriver } from "./timing-driver.ts";

/** Launches of a round: at least so many, and for at least so long. */
const LEAST_LAUNCHES = 20;
const MOST_LAUNCHES = 200;
const ROUND_US = 20_000;
/** Rounds on each side of NVIDIA's, whose process runs as many. */
const ROUNDS = 3;
/** Launches before the timed ones: a kernel may be made again for the arguments that come again. */
const WARM_UP = 4;

/** A job's µs of a launch on both sides. */
interface Row {
  readonly job: string;
  readonly own: number;
  readonly nvidia: number;
}

function launchesFor(microseconds: number): number {
  return Math.max(LEAST_LAUNCHES, Math.min(MOST_LAUNCHES, Math.round(ROUND_US / microseconds)));
}

/** µs of a launch by NVIDIA's OpenCL, of `launches` that follow each other. The first one's outputs go to a folder. */
function nvidiaTime(runner: string, file: string, launches: number, dump: string): number {
  const text = execFileSync(
    runner,
    `${file} --platform NVIDIA --enqueues ${launches} --runs ${2 * ROUNDS} --warmup 1 --dump ${dump}`.split(" "),
    { encoding: "utf8", maxBuffer: 2 ** 26 },
  );
  const { median_ms: ms } = JSON.parse(text) as { readonly median_ms: number };
  return (ms * 1000) / launches;
}

/**
 * Measures a job: µs of a launch in each round. `between` is called in the midst, with the launches of a round; null:
 * the job only runs.
 */
type Measure = (job: Job, dump: string, between: ((launches: number) => void) | null) => readonly number[];

/** Runs jobs by the OpenCL API on the first device of a driver. */
function ownSide(driver: CudaDriver): Measure {
  const timing = timingDriver(driver);
  registerTarget(cudaTargetOf(timing.driver));
  addCompilers({ compilers: [CUDA_COMPILER] });
  const [device] = clGetPlatformIDs().flatMap((platform) => clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL));
  if (device === undefined) throw new Error("the target lists no device");
  const context = clCreateContext([device]);
  const queue = clCreateCommandQueue(context, device);
  return (job, dump, between) => {
    const program = clCreateProgramWithSource(context, [readFileSync(job.source, "utf8")]);
    clBuildProgram(program, null, job.options);
    const kernel = clCreateKernel(program, job.kernel);
    const data = setArguments(job, context, queue, kernel, inputsOf(job));
    const launch = (): void => {
      timing.forget();
      clEnqueueNDRangeKernel(queue, kernel, job.global.length, null, job.global, job.local);
      clFinish(queue);
    };
    launch();
    // What is read and written holds the first launch's result; the others that of the code that is timed.
    const isRepeatable = data.every(({ argument }) => argument.access !== "rw");
    for (const item of data) if (!isRepeatable) download(queue, item);
    for (let i = 0; i < WARM_UP; i++) launch();
    for (const item of data) if (isRepeatable) download(queue, item);
    dumpOutputs(job, data, dump);
    // Sums of many launches leave the range of what the kernel is for.
    for (const item of data) if (item.argument.access === "rw") upload(queue, item);
    const times = between === null ? [] : timesOf(timing, between);
    for (const { object } of data) clReleaseMemObject(object);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    return times;
  };
}

/** µs of a launch in each round, half of them before what comes between. */
function timesOf({ replay }: TimingDriver, between: (launches: number) => void): readonly number[] {
  const launches = launchesFor(replay(LEAST_LAUNCHES));
  const rounds = (): readonly number[] => Array.from({ length: ROUNDS }, () => replay(launches));
  const before = rounds();
  between(launches);
  replay(LEAST_LAUNCHES);
  return [...before, ...rounds()];
}

function compiledRunner(benchmarks: string, into: string): string {
  const path = join(into, "oclrun");
  execFileSync("cc", ["-O2", "-ffp-contract=off", "-w", "-o", path, "oclrun.c", "-lOpenCL", "-lm"], {
    cwd: benchmarks,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return path;
}

function digits(number: number): string {
  return number.toPrecision(number < 100 ? 3 : 4);
}

/** Folders and programs of a measurement. */
interface Place {
  readonly runner: string;
  readonly suite: string;
  readonly own: string;
  readonly nvidia: string;
}

/** Measures one job, and says what outputs disagree. */
function rowOf(file: string, job: Job, measure: Measure, { runner, suite, own, nvidia }: Place): Row {
  let other = Number.NaN;
  const times = measure(job, own, (launches) => {
    other = nvidiaTime(runner, join(suite, file), launches, nvidia);
  });
  const row: Row = { job: job.name, own: median(times), nvidia: other };
  console.log(
    `${job.name.padEnd(18)} NVIDIA ${digits(row.nvidia).padStart(7)}  own ${digits(row.own).padStart(7)}  ` +
      `NVIDIA / own ${(row.nvidia / row.own).toFixed(2)}`,
  );
  const wrong = compareDirs(suite, nvidia, own, [job.name]).filter(({ ok }) => !ok);
  if (wrong.length > 0)
    throw new Error(
      wrong.map((one) => `argument ${one.arg}: ${one.outside} of ${one.count} outside of the tolerance`).join("; "),
    );
  return row;
}

/** What the words behind `bench` and `jobs` say. */
interface Choice {
  /** The folder of the jobs. */
  readonly suite: string;
  /** Their job files, in order. */
  readonly files: readonly string[];
}

/** Throws where there is no such option or job. */
function chosen(benchmarks: string, work: string, words: readonly string[]): Choice {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: { data: { type: "string", default: "1" }, tiny: { type: "boolean", default: false } },
  });
  const own = join(benchmarks, "suite", values.tiny ? "tiny" : "");
  const times = Number(values.data);
  const suite = times === 1 ? own : writeLargerJobs(own, join(work, "jobs"), times);
  const files = readdirSync(suite)
    .filter((file) => file.endsWith(".json"))
    .toSorted();
  const known = files.map((file) => file.slice(0, -".json".length));
  const missing = positionals.filter((name) => !known.includes(name));
  if (missing.length > 0) throw new Error(`there is no job ${missing.join(", ")}; there are ${known.join(", ")}`);
  return { suite, files: files.filter((_, i) => positionals.length === 0 || positionals.includes(known[i] as string)) };
}

/** Does something with each chosen job; returns how many threw, after it has said why. */
function eachJob({ suite, files }: Choice, act: (file: string, job: Job) => void): number {
  let failures = 0;
  for (const file of files) {
    try {
      act(file, readJob(join(suite, file)));
    } catch (error) {
      failures++;
      console.log(`${file}: ${(error instanceof Error ? error.message : String(error)).slice(0, 500)}`);
    }
  }
  return failures;
}

/** Calls with a folder that is gone afterwards. */
function inFolder<T>(act: (folder: string) => T): T {
  const work = mkdtempSync(join(tmpdir(), "muxkit-gpu-"));
  try {
    return act(work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Measures jobs of a copy of the folder `benchmarks`, all or those that are named. True: all ran, and agree. */
export function bench(driver: CudaDriver, benchmarks: string, words: readonly string[]): boolean {
  return inFolder((work) => {
    const choice = chosen(benchmarks, work, words);
    const [own, nvidia] = [join(work, "own"), join(work, "nvidia")];
    const place: Place = { runner: compiledRunner(benchmarks, work), suite: choice.suite, own, nvidia };
    const measure = ownSide(driver);
    const rows: Row[] = [];
    const failures = eachJob(choice, (file, job) => {
      // Outputs of large jobs are large.
      for (const folder of [own, nvidia]) {
        rmSync(folder, { recursive: true, force: true });
        mkdirSync(folder);
      }
      rows.push(rowOf(file, job, measure, place));
    });
    console.log(`\n${benchTable(rows)}\nbench: ${rows.length} passed, ${failures} failed`);
    return failures === 0;
  });
}

/** Runs jobs a few times each, without measuring or comparing anything. */
export function runJobs(driver: CudaDriver, benchmarks: string, words: readonly string[]): boolean {
  return inFolder((work) => {
    const choice = chosen(benchmarks, work, words);
    const measure = ownSide(driver);
    const failures = eachJob(choice, (_, job) => {
      measure(job, work, null);
    });
    console.log(`jobs: ${choice.files.length - failures} passed, ${failures} failed`);
    return failures === 0;
  });
}

/** The rows as a table for docs/performance.md. */
export function benchTable(rows: readonly Row[]): string {
  const ratios = rows.map(({ own, nvidia }) => nvidia / own);
  return [
    table(
      ["job", "NVIDIA's OpenCL, µs", "Muxkit, µs", "NVIDIA / Muxkit"],
      rows.map(({ job, own, nvidia }, i) => [job, digits(nvidia), digits(own), (ratios[i] as number).toFixed(2)]),
      [0],
    ),
    `Geometric mean of NVIDIA / Muxkit: ${geometricMean(ratios).toFixed(2)}, least ${Math.min(...ratios).toFixed(2)}.`,
  ].join("\n");
}
