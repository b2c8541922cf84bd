// SPDX-License-Identifier: Apache-2.0
// Kernels of the benchmark suite by way of SPIR-V beside the same ones compiled directly: processor time of one thread,
// launches in turn in one process, on the same buffers: where data lie can make a tenth of the time.
// `npm run bench:spirv` writes the table of docs/spirv.md; `-- --print` only prints, `--only TEXT` measures jobs with
// this in their names, `--min-ms T` says for how long each.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { compileToSpirv, missingTools, producerOf } from "@muxkit/kernel-suite";
import {
  type CommandQueue,
  type Context,
  type Kernel,
  clBuildProgram,
  clCreateCommandQueue,
  clCreateContext,
  clCreateKernel,
  clCreateProgramWithIL,
  clCreateProgramWithSource,
  clEnqueueNDRangeKernel,
  clFinish,
  clReleaseKernel,
  clReleaseMemObject,
  clReleaseProgram,
  clSetKernelArg,
} from "@muxkit/opencl";
import { assemble, bytesOfWords, disassemble, parseModule } from "@muxkit/spirv";

import { COMPILER_PART } from "../../source/compiler-part.ts";
import { hostDeviceFor } from "../../source/host-platform.ts";
import { inputsOf, setArguments, upload } from "../../source/job/arguments.ts";
import { type Job, readJob } from "../../source/job/job.ts";
import { useHostCompiler } from "../../source/late-compiler.ts";

const root = resolve(import.meta.dirname, "../../../..");
const suite = join(root, "benchmarks", "suite");
const PAGE = join(root, "docs", "spirv.md");
const [BEGIN, END] = ["<!-- speed: begin -->", "<!-- speed: end -->"];
/**
 * How a program becomes SPIR-V; `contracted`: without the mode that forbids to fuse products with sums. The first one
 * is the same program once more, which tells how far two copies differ.
 */
const WAYS = [
  { name: "a copy", way: "", contracted: false },
  { name: "-O0", way: "O0", contracted: false },
  { name: "-O2", way: "O2", contracted: false },
  { name: "-O2, 32 bits", way: "O2-32", contracted: false },
  { name: "-O2, contracted", way: "O2", contracted: true },
] as const;
const LANGUAGE = "-cl-std=CL3.0";
/** Launches before the measured ones: at least so many, and for a part of the time of a row. */
const WARMUP = 4;
const LEAST_ROUNDS = 15;
/** Of sorted times that share is smaller than the one that is taken: what disturbs a launch makes it longer. */
const QUANTILE = 0.25;
const CONTRACTION_OFF = /OpExecutionMode %\S+ ContractionOff\n/gu;

/** Milliseconds of the processor that this process has used. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Where jobs run. */
interface Place {
  readonly context: Context;
  readonly queue: CommandQueue;
}

/** A kernel of one of the ways, and its launches. */
interface Runner {
  readonly kernel: Kernel;
  readonly run: () => number;
  readonly release: () => void;
}

function openRunner({ context, queue }: Place, job: Job, code: string | Uint8Array): Runner {
  const isSource = typeof code === "string";
  const program = isSource ? clCreateProgramWithSource(context, [code]) : clCreateProgramWithIL(context, code);
  clBuildProgram(program, null, isSource ? `${LANGUAGE} ${job.options}` : "");
  const kernel = clCreateKernel(program, job.kernel);
  return {
    kernel,
    run: () => {
      const begin = processorTime();
      for (let i = 0; i < job.enqueues; i++)
        clEnqueueNDRangeKernel(queue, kernel, job.global.length, null, job.global, job.local);
      clFinish(queue);
      return processorTime() - begin;
    },
    release: () => {
      clReleaseKernel(kernel);
      clReleaseProgram(program);
    },
  };
}

/** A module without the mode `ContractionOff`; null: it does not have it. */
function contracted(module: Uint8Array): Uint8Array | null {
  const parsed = parseModule(module);
  const text = parsed.ok ? disassemble(parsed.value, { names: "raw" }) : null;
  if (text === null || !text.ok) throw new Error("a module of the suite cannot be printed");
  const changed = text.value.replaceAll(CONTRACTION_OFF, "");
  if (changed === text.value) return null;
  const words = assemble(changed);
  if (!words.ok) throw new Error(words.error.message);
  return bytesOfWords(words.value);
}

function quantile(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * QUANTILE)] ?? Number.NaN;
}

/** The time of the second runner over that of the first, on the same data. */
function ratioOf(runners: readonly [Runner, Runner], reset: () => void, milliseconds: number): number {
  const times: readonly [number[], number[]] = [[], []];
  for (const { run } of runners) {
    const end = performance.now() + milliseconds / 3;
    for (let i = 0; i < WARMUP || performance.now() < end; i++) {
      reset();
      run();
    }
  }
  const end = performance.now() + milliseconds;
  for (let round = 0; round < LEAST_ROUNDS || performance.now() < end; round++) {
    // Each begins in every other round.
    for (const i of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      reset();
      times[i].push(runners[i].run());
    }
  }
  return quantile(times[1]) / quantile(times[0]);
}

/** The line of a job: its ratios, empty where a way changes nothing. */
function lineOf(place: Place, name: string, milliseconds: number): readonly string[] {
  const job = readJob(join(suite, `${name}.json`));
  const source = readFileSync(job.source, "utf8");
  const inputs = inputsOf(job);
  const direct = openRunner(place, job, source);
  const data = setArguments(job, place.context, place.queue, direct.kernel, inputs);
  const reset = (): void => {
    if (job.reset) for (const item of data) if (item.argument.access === "rw") upload(place.queue, item);
  };
  const cells = WAYS.map(({ way, contracted: isContracted }): string => {
    const producer = producerOf(way);
    const made =
      producer === null ? `${source}\n// again\n` : compileToSpirv(source, `${LANGUAGE} ${job.options}`, producer);
    const code = isContracted && typeof made !== "string" ? contracted(made) : made;
    if (code === null) return "";
    const other = openRunner(place, job, code);
    const own = setArguments(job, place.context, place.queue, other.kernel, inputs);
    for (const { index, object } of data) clSetKernelArg(other.kernel, index, object);
    for (const { object } of own) clReleaseMemObject(object);
    const ratio = ratioOf([direct, other], reset, milliseconds);
    other.release();
    return ratio.toFixed(2);
  });
  direct.release();
  for (const { object } of data) clReleaseMemObject(object);
  return [name, ...cells];
}

const { values } = parseArgs({
  options: {
    print: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    "min-ms": { type: "string", default: "1500" },
  },
});
const missing = missingTools({ isOptimized: false });
if (missing.length > 0) throw new Error(`there is no ${missing.join(", ")}`);
useHostCompiler(() => COMPILER_PART, null, null);
const device = hostDeviceFor({ threads: 1 });
const context = clCreateContext([device]);
const place: Place = { context, queue: clCreateCommandQueue(context, device) };
const lines = readdirSync(suite)
  .filter((name) => name.endsWith(".json") && name.includes(values.only))
  .toSorted()
  .map((name) => {
    const line = lineOf(place, name.slice(0, -".json".length), Number(values["min-ms"]));
    console.log(`| ${line.join(" | ")} |`);
    return line;
  });
if (!values.print) {
  const page = readFileSync(PAGE, "utf8");
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${PAGE} has no place for the table`);
  const head = `| kernel | ${WAYS.map(({ name }) => name).join(" | ")} |\n|---|${"--:|".repeat(WAYS.length)}`;
  const text = [head, ...lines.map((line) => `| ${line.join(" | ")} |`)].join("\n");
  writeFileSync(PAGE, `${page.slice(0, begin)}${BEGIN}\n\n${text}\n\n${page.slice(end)}`);
}
process.exit();
