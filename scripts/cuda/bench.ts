// SPDX-License-Identifier: Apache-2.0
// `run.sh bench [job…]`: the jobs of the suite by our target and by NVIDIA's OpenCL on the same GPU, in interleaved
// rounds of launches that follow each other. Prints a table for docs/performance.md, and what outputs disagree.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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
import { timingDriver } from "./timing-driver.ts";

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

/** Measures a job: µs of a launch in each round. `between` is called in the midst, with the launches of a round. */
export type Measure = (job: Job, dump: string, between: (launches: number) => void) => readonly number[];

/** Runs jobs by the OpenCL API on the first device of a driver. */
export function ownSide(driver: CudaDriver): Measure {
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
    const launches = launchesFor(timing.replay(LEAST_LAUNCHES));
    const rounds = (): readonly number[] => Array.from({ length: ROUNDS }, () => timing.replay(launches));
    const before = rounds();
    between(launches);
    timing.replay(LEAST_LAUNCHES);
    const times = [...before, ...rounds()];
    for (const { object } of data) clReleaseMemObject(object);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    return times;
  };
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

/** Measures jobs of a copy of the folder `benchmarks`, all or those that are named. True: all ran, and agree. */
export function bench(driver: CudaDriver, benchmarks: string, names: readonly string[]): boolean {
  const work = mkdtempSync(join(tmpdir(), "muxkit-gpu-"));
  const suite = join(benchmarks, "suite");
  const [own, nvidia] = [join(work, "own"), join(work, "nvidia")];
  mkdirSync(own);
  mkdirSync(nvidia);
  const rows: Row[] = [];
  let failures = 0;
  try {
    const place: Place = { runner: compiledRunner(benchmarks, work), suite, own, nvidia };
    const measure = ownSide(driver);
    for (const file of readdirSync(suite).toSorted()) {
      if (!file.endsWith(".json")) continue;
      const job = readJob(join(suite, file));
      if (names.length > 0 && !names.includes(job.name)) continue;
      try {
        rows.push(rowOf(file, job, measure, place));
      } catch (error) {
        failures++;
        console.log(`${job.name}: ${(error instanceof Error ? error.message : String(error)).slice(0, 500)}`);
      }
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  console.log(`\n${benchTable(rows)}\nbench: ${rows.length} passed, ${failures} failed`);
  return failures === 0;
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
