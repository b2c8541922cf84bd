// SPDX-License-Identifier: Apache-2.0
// The clock that threads share. Bun and Deno run programs for Node, but count from the start of each thread.
import { Worker } from "node:worker_threads";

import { expect, test } from "vitest";

import { nodeSystem } from "../source/system.ts";

/** This process as one of a runtime, whose own monotonic clock starts with the thread. */
function processOf(runtime: string): NodeJS.Process {
  return {
    ...process,
    versions: { ...process.versions, [runtime]: "1.0.0" },
    hrtime: Object.assign((): [number, number] => [0, 5], { bigint: () => 5n }),
  };
}

/** What the clock of a thread that has just been started says. */
function nowOfThread(): Promise<number> {
  const worker = new Worker(
    "const { parentPort } = require('node:worker_threads');\n" +
      "parentPort.postMessage(performance.timeOrigin + performance.now());",
    { eval: true },
  );
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}

test.each(["bun", "deno"])("moments of two threads can be compared in %s", async (runtime) => {
  const { now } = nodeSystem(processOf(runtime));
  const milliseconds = (): number => now()[0] * 1000 + now()[1] / 1e6;
  const before = milliseconds();
  const between = await nowOfThread();
  const after = milliseconds();
  // The clocks are read apart, and origins have been rounded.
  expect(between).toBeGreaterThan(before - 5);
  expect(between).toBeLessThan(after + 5);
});

test("the clock of Node is the system's", () => {
  const { now } = nodeSystem({ ...process, versions: process.versions, hrtime: process.hrtime });
  const [seconds] = process.hrtime();
  expect(Math.abs(now()[0] - seconds)).toBeLessThanOrEqual(1);
});
