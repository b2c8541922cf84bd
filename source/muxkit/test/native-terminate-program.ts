// SPDX-License-Identifier: Apache-2.0
// A program of `native-start.test.ts`: a thread of its own runs a kernel that never ends, as machine code, with a
// deadline, and is terminated before that has come. Prints how long the termination took, in ms.
import { Worker, isMainThread, parentPort } from "node:worker_threads";

import { openDeviceSync } from "muxkit";

const DEADLINE_MS = 1500;

if (isMainThread) {
  const worker = new Worker(new URL(import.meta.url), { execArgv: process.execArgv });
  worker.on("message", () => {
    setTimeout(() => {
      const begin = performance.now();
      void worker.terminate().then((code) => {
        console.log(JSON.stringify({ code, isStopped: performance.now() - begin < 10 * DEADLINE_MS }));
      });
    }, DEADLINE_MS / 5);
  });
} else {
  const device = openDeviceSync({ deadline: DEADLINE_MS, engine: { native: "on" } });
  const { spin } = device.build("kernel void spin(volatile global int *x) { while (x[0] == 0) { x[1]++; } }");
  const words = device.array(Int32Array, 2);
  // The device's threads are there, and the code is made.
  words.write(Int32Array.of(1, 0));
  spin(1, words);
  words.readSync();
  words.write(Int32Array.of(0, 0));
  // Threads have no origin to aim at.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort?.postMessage("running");
  spin(1, words);
  words.readSync();
  throw new Error("the kernel has ended");
}
