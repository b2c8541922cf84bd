// SPDX-License-Identifier: Apache-2.0
// Runs a job through the OpenCL API, step by step as benchmarks/oclrun.c does, and reports the same fields.
import { readFileSync } from "node:fs";

import type { HostOptions } from "@muxkit/host";
import {
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
import { type Job, JobError } from "./job.ts";
import { download, inputsOf, setArguments, upload } from "./arguments.ts";
import { type JobReport, type RunOptions, dumpOutputs, reportInputs, reportOutputs, timeRuns } from "./report.ts";
import { reportTimes } from "./statistics.ts";

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
  const reset = (): void => {
    if (job.reset) for (const item of data) if (item.argument.access === "rw") upload(queue, item);
  };
  const { times, contention } = timeRuns(job, run, reset, () => {
    const events = Array.from({ length: job.enqueues }, launch);
    clFinish(queue);
    clWaitForEvents(events);
  });
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
