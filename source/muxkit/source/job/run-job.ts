// Runs a job through the OpenCL API, step by step as benchmarks/oclrun.c does, and reports the same fields.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { HostOptions } from "@muxkit/host";
import {
  CL_MEM_READ_ONLY, CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, type Buffer, type CommandQueue, type Context, type Kernel, clBuildProgram, clCreateBuffer, clCreateCommandQueue, clCreateContext, clCreateKernel,
  clCreateProgramWithSource, clEnqueueNDRangeKernel, clEnqueueReadBuffer, clEnqueueWriteBuffer, clFinish, clGetDeviceInfo, clGetPlatformInfo, clReleaseCommandQueue, clReleaseContext, clReleaseKernel,
  clReleaseMemObject, clReleaseProgram, clSetKernelArg, clWaitForEvents,
} from "@muxkit/opencl";

import { hostDeviceFor } from "../host-platform.ts";
import { packValue } from "../value.ts";
import { type ContentionReport, beginContention } from "./contention.ts";
import { ARRAYS, type Elements, makeElements } from "./inputs.ts";
import { type Job, JobError } from "./job.ts";
import { type OutputReport, type TimesReport, fnv1a, reportOutput, reportTimes } from "./statistics.ts";

/** What a run may change of its job. */
export interface RunOptions {
  /** Folder for the outputs of the first run; null: none. */
  readonly dump: string | null;
  readonly runs: number | null;
  readonly warmup: number | null;
  /** Goes on until the timed runs took so many ms together. */
  readonly minMs: number;
  /** Threads; null: the default. */
  readonly threads: number | null;
  /** True: the device chooses the local size. */
  readonly localAuto: boolean;
  /** Build options in place of the job's. */
  readonly options: string | null;
  /** False leaves the figures of outputs out. */
  readonly check: boolean;
  /** True adds checksums of the inputs. */
  readonly inputs: boolean;
}

/** What a run reports; times in ms. */
export interface JobReport extends TimesReport, Partial<ContentionReport> {
  readonly name: string;
  readonly platform: string;
  readonly device: string;
  readonly driver: string;
  readonly options: string;
  readonly enqueues: number;
  /** Making the inputs: no part of any other time. */
  readonly input_ms: number;
  readonly setup_ms: number;
  readonly build_ms: number;
  readonly upload_ms: number;
  readonly first_ms: number;
  readonly read_ms: number;
  readonly threads: number;
  readonly outputs?: readonly OutputReport[];
  readonly inputs?: readonly { readonly arg: number; readonly type: string; readonly count: number; readonly fnv1a: string }[];
}

/** Most timed runs. */
const MOST_RUNS = 2000;

interface Place {
  readonly index: number;
  readonly input: Elements;
  readonly output: Elements | null;
  readonly buffer: Buffer;
}

const FLAGS = { r: CL_MEM_READ_ONLY, w: CL_MEM_WRITE_ONLY, rw: CL_MEM_READ_WRITE } as const;

function inputsOf(job: Job): ReadonlyMap<number, Elements> {
  const inputs = new Map<number, Elements>();
  for (const [i, argument] of job.arguments.entries()) if (argument.kind === "buffer") inputs.set(i, makeElements(argument.type, argument.count, argument.init, job.folder));
  return inputs;
}

function setArguments(job: Job, context: Context, queue: CommandQueue, kernel: Kernel, inputs: ReadonlyMap<number, Elements>): readonly Place[] {
  const places: Place[] = [];
  for (const [index, argument] of job.arguments.entries()) {
    if (argument.kind === "image" || argument.kind === "sampler") throw new JobError(`${job.name}: argument ${index} is of kind ${argument.kind}, which the device does not have yet`);
    if (argument.kind === "local") clSetKernelArg(kernel, index, { localBytes: argument.bytes });
    if (argument.kind === "scalar") {
      const { typeName = argument.type, size = 0 } = kernel.info.arguments[index] ?? {};
      const packed = packValue(`${argument.type}${argument.values.length === 1 ? "" : argument.values.length}`, size, argument.values);
      if (typeof packed === "string") throw new JobError(`${job.name}: argument ${index} (${typeName}) ${packed}`);
      clSetKernelArg(kernel, index, packed);
    }
    const input = inputs.get(index);
    if (argument.kind !== "buffer" || input === undefined) continue;
    const buffer = clCreateBuffer(context, FLAGS[argument.access], input.byteLength);
    clSetKernelArg(kernel, index, buffer);
    clEnqueueWriteBuffer(queue, buffer, true, 0, input.byteLength, input);
    places.push({ index, input, buffer, output: argument.access === "r" ? null : new ARRAYS[argument.type](argument.count) });
  }
  return places;
}

/** Runs a job. Throws a {@link JobError} or an OpenCLError. */
export function runJob(job: Job, run: RunOptions): JobReport {
  const inputsBegin = performance.now();
  const inputs = inputsOf(job);
  let source: string;
  try {
    source = readFileSync(job.source, "utf8");
  } catch (cause) {
    throw new JobError(`${job.name}: the source ${job.source} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  const options = run.options ?? job.options;
  const host: HostOptions = run.threads === null ? {} : { threads: run.threads };

  const begin = performance.now();
  const device = hostDeviceFor(host);
  const context = clCreateContext([device]);
  const queue = clCreateCommandQueue(context, device);
  const ready = performance.now();
  const program = clCreateProgramWithSource(context, [source]);
  clBuildProgram(program, null, options);
  const kernel = clCreateKernel(program, job.kernel);
  const built = performance.now();
  const places = setArguments(job, context, queue, kernel, inputs);
  const uploaded = performance.now();

  const local = run.localAuto ? null : job.local;
  const launch = (): ReturnType<typeof clEnqueueNDRangeKernel> => clEnqueueNDRangeKernel(queue, kernel, job.global.length, null, job.global, local);
  clWaitForEvents([launch()]);
  const first = performance.now();
  for (const { output, buffer } of places) if (output !== null) clEnqueueReadBuffer(queue, buffer, true, 0, output.byteLength, output);
  const read = performance.now();

  if (run.dump !== null) dumpOutputs(job, places, run.dump);
  const { times, contention } = timeRuns(job, run, queue, launch, places);
  const report: JobReport = {
    name: job.name, platform: clGetPlatformInfo(device.platform, "CL_PLATFORM_NAME"), device: clGetDeviceInfo(device, "CL_DEVICE_NAME"), driver: clGetDeviceInfo(device, "CL_DRIVER_VERSION"), options,
    enqueues: job.enqueues, input_ms: begin - inputsBegin, setup_ms: ready - begin, build_ms: built - ready, upload_ms: uploaded - built, first_ms: first - uploaded, read_ms: read - first,
    ...reportTimes(times), ...contention, threads: clGetDeviceInfo(device, "CL_DEVICE_MAX_COMPUTE_UNITS"),
    ...(run.check ? { outputs: reportOutputs(job, places) } : {}), ...(run.inputs ? { inputs: reportInputs(job, inputs) } : {}),
  };
  for (const { buffer } of places) clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return report;
}

function timeRuns(job: Job, run: RunOptions, queue: CommandQueue, launch: () => ReturnType<typeof clEnqueueNDRangeKernel>, places: readonly Place[]): { readonly times: readonly number[]; readonly contention: ContentionReport } {
  const runs = run.runs ?? job.runs;
  const once = (): number => {
    if (job.reset) for (const { input, output, buffer, index } of places) if (output !== null && isReset(job, index)) clEnqueueWriteBuffer(queue, buffer, true, 0, input.byteLength, input);
    const start = performance.now();
    const events = Array.from({ length: job.enqueues }, launch);
    clFinish(queue);
    const time = performance.now() - start;
    clWaitForEvents(events);
    return time;
  };
  for (let i = 0; i < (run.warmup ?? job.warmup); i++) once();
  const end = beginContention();
  const times: number[] = [];
  let total = 0;
  while (times.length < runs || (total < run.minMs && times.length < MOST_RUNS)) {
    const time = once();
    times.push(time);
    total += time;
  }
  return { times, contention: end() };
}

function isReset(job: Job, index: number): boolean {
  const argument = job.arguments[index];
  return argument?.kind === "buffer" && argument.access === "rw";
}

function dumpOutputs(job: Job, places: readonly Place[], folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const { index, output } of places) {
    const argument = job.arguments[index];
    if (output !== null && argument?.kind === "buffer") writeFileSync(join(folder, `${job.name}.arg${index}.${argument.type}.bin`), new Uint8Array(output.buffer));
  }
}

function reportOutputs(job: Job, places: readonly Place[]): readonly OutputReport[] {
  return places.flatMap(({ index, output }) => {
    const argument = job.arguments[index];
    if (output === null || argument?.kind !== "buffer") return [];
    return [reportOutput(index, argument.type, output, job.first)];
  });
}

function reportInputs(job: Job, inputs: ReadonlyMap<number, Elements>): NonNullable<JobReport["inputs"]> {
  return [...inputs].map(([arg, elements]) => {
    const argument = job.arguments[arg];
    return { arg, type: argument?.kind === "buffer" ? argument.type : "", count: elements.length, fnv1a: fnv1a(elements) };
  });
}
