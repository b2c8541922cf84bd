// SPDX-License-Identifier: Apache-2.0
// Threads of JavaScript: handles stay in the thread that made them, with a clear error elsewhere; threads with contexts
// of their own do not disturb each other.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MessageChannel, Worker } from "node:worker_threads";

import { build } from "esbuild";
import {
  CL_MEM_READ_WRITE,
  clCreateBuffer,
  clCreateImage,
  clCreateProgramWithSource,
  clCreateSampler,
  clCreateSubDevices,
  clCreateUserEvent,
  clBuildProgram,
  clCreateKernel,
  clEnqueueMarkerWithWaitList,
  clGetProgramInfo,
} from "@muxkit/opencl";
import { afterAll, expect, test } from "vitest";

import { SOURCE, context, device, newQueue, platform } from "./rig.ts";

const THREADS = 64;
const ROUNDS = 20;
const folder = mkdtempSync(join(tmpdir(), "muxkit-threads-"));

afterAll(() => {
  rmSync(folder, { recursive: true });
});

const queue = newQueue();
const program = clCreateProgramWithSource(context, [SOURCE]);
clBuildProgram(program);

test.each([
  ["a platform", platform],
  ["a device", device],
  ["a part of a device", clCreateSubDevices(device, { CL_DEVICE_PARTITION_EQUALLY: 1 })[0]],
  ["a context", context],
  ["a queue", queue],
  ["a program", program],
  ["a kernel", clCreateKernel(program, "add")],
  ["a buffer", clCreateBuffer(context, CL_MEM_READ_WRITE, 64)],
  [
    "an image",
    clCreateImage(
      context,
      CL_MEM_READ_WRITE,
      { channelOrder: "CL_R", channelType: "CL_FLOAT" },
      { type: "CL_MEM_OBJECT_IMAGE2D", width: 2, height: 2 },
    ),
  ],
  ["a sampler", clCreateSampler(context, true, "CL_ADDRESS_CLAMP", "CL_FILTER_NEAREST")],
  ["an event", clEnqueueMarkerWithWaitList(queue)],
  ["a user event", clCreateUserEvent(context)],
] as const)("%s cannot be sent to another thread, and the error says what to do", (_what, handle) => {
  const refusal =
    /an OpenCL object cannot leave its thread: create a context in the other thread; it\) could not be cloned/u;
  expect(() => structuredClone(handle)).toThrow(refusal);
  const { port1 } = new MessageChannel();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  expect(() => {
    port1.postMessage({ deep: [handle] });
  }).toThrow(refusal);
  port1.close();
});

function run(file: string, binary: Uint8Array, value: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(file, { workerData: { binary, value, rounds: ROUNDS } });
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}

test(
  `${THREADS} threads with a context of their own each run kernels at the same time`,
  { timeout: 240_000 },
  async () => {
    const file = join(folder, "child.mjs");
    await build({
      entryPoints: [join(import.meta.dirname, "threads-child.ts")],
      outfile: file,
      bundle: true,
      platform: "node",
      format: "esm",
      conditions: ["source"],
      logLevel: "error",
    });
    const [binary = new Uint8Array(0)] = clGetProgramInfo(program, "CL_PROGRAM_BINARIES");
    const answers = await Promise.all(Array.from({ length: THREADS }, (_, thread) => run(file, binary, thread + 1)));
    expect(answers).toEqual(Array.from({ length: THREADS }, (_, thread) => [(thread + 1) * ROUNDS]));
  },
);
