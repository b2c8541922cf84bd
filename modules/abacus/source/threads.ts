// SPDX-License-Identifier: Apache-2.0
/// <reference lib="dom" />
// Threads that compute with the calling one, in Node and where there are Web workers.
import { type Job, MOST_THREADS } from "./job.ts";
import type { KernelCode } from "./kernel.ts";

/** A message to a thread. Kernels are sent once and then referenced by number. */
export interface Task {
  readonly thread: number;
  readonly memory: WebAssembly.Memory;
  readonly id: number;
  readonly code: KernelCode | null;
  readonly job: Job;
}

/** A thread other than the calling one. */
interface Thread {
  readonly send: (id: number, code: KernelCode, memory: WebAssembly.Memory, job: Job) => void;
  readonly end: () => void;
}

/** A worker of either environment. */
interface Port {
  readonly post: (task: Task) => void;
  readonly end: () => void;
}

let running: readonly Thread[] = [];

/** The threads that were started. */
export function threads(): readonly Thread[] {
  return running;
}

function portOf(worker: { readonly postMessage: (task: Task) => void; readonly terminate: () => unknown }): Port {
  return {
    // Workers have no origin to aim at.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    post: (task) => worker.postMessage(task),
    end: () => void worker.terminate(),
  };
}

/** Starts a worker; the promise is fulfilled when it listens. */
function startWorker(): Promise<Port> {
  return new Promise((resolve, reject) => {
    const { Worker: NodeWorker } = globalThis.process?.getBuiltinModule?.("node:worker_threads") ?? {};
    if (NodeWorker !== undefined) {
      const url = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url);
      // From sources the worker is TypeScript: its own process flags, never those of the user's program.
      const execArgv = url.pathname.endsWith(".ts") ? ["--disable-warning=ExperimentalWarning"] : [];
      const worker = new NodeWorker(url, { execArgv, env: {}, stdin: false });
      worker.once("message", () => {
        worker.unref();
        resolve(portOf(worker));
      });
      worker.once("error", reject);
      return;
    }
    // Bundlers look for these very words, and make a file of their own of the worker and what it imports.
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    worker.addEventListener("message", () => resolve(portOf(worker)), { once: true });
    worker.addEventListener("error", (event) => reject(new Error(event.message)), { once: true });
  });
}

/** A thread over a worker. It is sent each kernel once. */
function threadOver(port: Port, thread: number): Thread {
  const known = new Set<number>();
  return {
    send: (id, code, memory, job) => {
      port.post({ thread, memory, id, code: known.has(id) ? null : code, job });
      known.add(id);
    },
    end: port.end,
  };
}

/**
 * Starts threads, so that batched functions over large arrays are computed by `count` of them, the calling one
 * included; 1 ends the others. They keep no program running. Fulfilled with the number of threads; without shared
 * memory it stays 1. Rejected with a RangeError for another number than 1 to 64, and when a thread cannot start.
 * @public
 */
export async function startThreads(count: number): Promise<number> {
  if (!Number.isInteger(count) || count < 1 || count > MOST_THREADS)
    throw new RangeError(`there can be 1 to ${MOST_THREADS} threads, not ${count}`);
  for (const thread of running) thread.end();
  running = [];
  if (typeof SharedArrayBuffer === "undefined") return 1;
  const ports = await Promise.all(Array.from({ length: count - 1 }, startWorker));
  running = ports.map((port, i) => threadOver(port, i + 1));
  return count;
}
