// SPDX-License-Identifier: Apache-2.0
// Runs a job through the OpenCL API, step by step as benchmarks/oclrun.c does, and reports the same fields.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { HostOptions } from "@muxkit/host";
import {
  type CommandQueue,
  clBuildProgram,
  clCreateCommandQueue,
  clCreateContext,
  clCreateKernel,
  clCreateProgramWithBinary,
  clCreateProgramWithSource,
  clEnqueueNDRangeKernel,
  clFinish,
  clGetDeviceInfo,
  clGetPlatformInfo,
  clReleaseCommandQueue,
  clReleaseContext,
  clReleaseKernel,
  clReleaseMemObject,
  clReleaseProgram,
  clWaitForEvents,
} from "@muxkit/opencl";

import { fileReason } from "../command/file-reason.ts";
import { deviceWith, hostDeviceFor } from "../host-platform.ts";
import { makeFolder } from "../make-folder.ts";
import { type ContentionReport, beginContention } from "./contention.ts";
import { type Job, JobError } from "./job.ts";
import { type DataArgumentObject, download, inputsOf, setArguments, upload } from "./arguments.ts";
import { type OutputReport, type TimesReport, fnv1a, reportOutput, reportTimes } from "./statistics.ts";

/** What a run may change of its job. */
export interface RunOptions {
  /** Folder for the outputs of the first run; null: none. */
  readonly dump: string | null;
  readonly runs: number | null;
  readonly warmup: number | null;
  /** Goes on until the timed runs took so many ms together. */
  readonly minMs: number;
  /** A part of a device's name; null: this machine's processor. */
  readonly device: string | null;
  /** Threads of the processor; null: the default. */
  readonly threads: number | null;
  /** True: the device chooses the local size. */
  readonly localAuto: boolean;
  /** File of an executable that is run instead of the job's source; null: the source is built. */
  readonly binary: string | null;
  /** Build options instead of the job's. */
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
  readonly inputs?: readonly {
    readonly arg: number;
    readonly type: string;
    readonly count: number;
    readonly fnv1a: string;
  }[];
}

/** Most timed runs. */
const MOST_RUNS = 2000;

/** Runs a job. `whenBuilt` is told before the first launch. Throws a {@link JobError} or an OpenCLError. */
export function runJob(job: Job, run: RunOptions, whenBuilt: () => void): JobReport {
  const inputsBegin = performance.now();
  const inputs = inputsOf(job);
  const source = contents(job, run.binary ?? job.source, run.binary === null ? "source" : "executable");
  const options = run.options ?? job.options;
  const host: HostOptions = run.threads === null ? {} : { threads: run.threads };

  const begin = performance.now();
  const device = run.device === null ? hostDeviceFor(host) : deviceWith(run.device, host);
  const context = clCreateContext([device]);
  const queue = clCreateCommandQueue(context, device);
  const ready = performance.now();
  const program =
    run.binary === null
      ? clCreateProgramWithSource(context, [new TextDecoder().decode(source)])
      : clCreateProgramWithBinary(context, [device], [source]);
  clBuildProgram(program, null, options);
  const kernel = clCreateKernel(program, job.kernel);
  const built = performance.now();
  whenBuilt();
  const data = setArguments(job, context, queue, kernel, inputs);
  const uploaded = performance.now();

  const local = run.localAuto ? null : job.local;
  const launch = (): ReturnType<typeof clEnqueueNDRangeKernel> =>
    clEnqueueNDRangeKernel(queue, kernel, job.global.length, null, job.global, local);
  clWaitForEvents([launch()]);
  const first = performance.now();
  for (const item of data) download(queue, item);
  const read = performance.now();

  if (run.dump !== null) dumpOutputs(job, data, run.dump);
  const { times, contention } = timeRuns(job, run, queue, launch, data);
  const report: JobReport = {
    name: job.name,
    platform: clGetPlatformInfo(device.platform, "CL_PLATFORM_NAME"),
    device: clGetDeviceInfo(device, "CL_DEVICE_NAME"),
    driver: clGetDeviceInfo(device, "CL_DRIVER_VERSION"),
    options,
    enqueues: job.enqueues,
    input_ms: begin - inputsBegin,
    setup_ms: ready - begin,
    build_ms: built - ready,
    upload_ms: uploaded - built,
    first_ms: first - uploaded,
    read_ms: read - first,
    ...reportTimes(times),
    ...contention,
    threads: clGetDeviceInfo(device, "CL_DEVICE_MAX_COMPUTE_UNITS"),
    ...(run.check ? { outputs: reportOutputs(job, data) } : {}),
    ...(run.inputs ? { inputs: reportInputs(data) } : {}),
  };
  for (const { object } of data) clReleaseMemObject(object);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return report;
}

function contents(job: Job, path: string, what: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new JobError(`${job.name}: the ${what} ${path} cannot be read: ${fileReason(cause)}`, { cause });
  }
}

function timeRuns(
  job: Job,
  run: RunOptions,
  queue: CommandQueue,
  launch: () => ReturnType<typeof clEnqueueNDRangeKernel>,
  data: readonly DataArgumentObject[],
): { readonly times: readonly number[]; readonly contention: ContentionReport } {
  const runs = run.runs ?? job.runs;
  const once = (): number => {
    if (job.reset) for (const item of data) if (item.argument.access === "rw") upload(queue, item);
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

function dumpOutputs(job: Job, data: readonly DataArgumentObject[], folder: string): void {
  try {
    makeFolder(folder);
    for (const { index, output, argument } of data)
      if (output !== null)
        writeFileSync(join(folder, `${job.name}.arg${index}.${argument.type}.bin`), new Uint8Array(output.buffer));
  } catch (cause) {
    throw new JobError(`the outputs cannot be written to the folder ${folder}: ${fileReason(cause)}`, { cause });
  }
}

function reportOutputs(job: Job, data: readonly DataArgumentObject[]): readonly OutputReport[] {
  return data.flatMap(({ index, output, argument }) =>
    output === null ? [] : [reportOutput(index, argument.type, output, job.first)],
  );
}

function reportInputs(data: readonly DataArgumentObject[]): NonNullable<JobReport["inputs"]> {
  return data.map(({ index, input, argument }) => ({
    arg: index,
    type: argument.type,
    count: input.length,
    fnv1a: fnv1a(input),
  }));
}
