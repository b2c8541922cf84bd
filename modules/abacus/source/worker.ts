// SPDX-License-Identifier: Apache-2.0
/// <reference lib="dom" />
// The worker of the batched functions: it computes parts of each call announced to it.
import { pageOf, work } from "./job.ts";
import { type RunAt, instantiate, layOutPage } from "./kernel.ts";
import type { Task } from "./threads.ts";

const kernels = new Map<number, RunAt>();

function compute({ thread, memory, id, code, job }: Task): void {
  if (kernels.size === 0) layOutPage(memory.buffer, pageOf(thread));
  const run = code === null ? kernels.get(id) : instantiate(code, memory, pageOf(thread));
  if (run === undefined) return;
  kernels.set(id, run);
  work(run, memory, thread, job);
}

const { parentPort } = globalThis.process?.getBuiltinModule?.("node:worker_threads") ?? {};
if (parentPort !== undefined && parentPort !== null) {
  parentPort.on("message", compute);
  // Workers have no origin to aim at.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort.postMessage("listening");
} else {
  addEventListener("message", ({ data }: MessageEvent<Task>) => compute(data));
  postMessage("listening");
}
