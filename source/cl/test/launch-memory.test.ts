// SPDX-License-Identifier: Apache-2.0
// Launches leak nothing: neither on the heap nor among the runtime's objects.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { type Buffer, clEnqueueNDRangeKernel, clFinish, clSetKernelArg } from "@muxkit/opencl";
import { expect, test } from "vitest";

import { SOURCE, int, ints, kernelOf, newQueue, readInts } from "./rig.ts";

const FIRST = 10_000;
const ALL = 60_000;
/** Far less than the smallest object for each launch. */
const BYTES_A_LAUNCH = 20;

test("fifty thousand tiny launches take no room on the heap", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const queue = newQueue();
  const buffers = [ints(0), ints(0)] as const;
  const add = kernelOf(SOURCE, "add", buffers[0], int(1));
  let done = 0;
  const upTo = (count: number): number => {
    for (; done < count; done++) {
      // Arguments that come back, and now and then one that does not.
      clSetKernelArg(add, 0, buffers[done % 2] as Buffer);
      clSetKernelArg(add, 1, int(done % 10 === 0 ? done : 1));
      clEnqueueNDRangeKernel(queue, add, 1, null, [1], [1]);
      if (done % 1000 === 999) clFinish(queue);
    }
    clFinish(queue);
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = upTo(FIRST);
  const after = upTo(ALL);
  expect(after - before).toBeLessThan((ALL - FIRST) * BYTES_A_LAUNCH);
  expect(readInts(queue, buffers[1])).toEqual([ALL / 2]);
});
