// SPDX-License-Identifier: Apache-2.0
// A program for trace.test.ts: each entry point once, with arguments that are right; those that are refused by
// specification fail.
import { CL_QUEUE_PROFILING_ENABLE, clEnqueueNDRangeKernel, clFinish } from "@muxkit/opencl";

import { ENTRY_POINTS } from "./generated/entry-points.ts";
import { SOURCE, int, ints, kernelOf, newQueue } from "./rig.ts";
import { VALID, entryPoint } from "./valid-calls.ts";

const failed: string[] = [];
for (const [call] of ENTRY_POINTS) {
  try {
    entryPoint(call)(...(VALID[call]?.() ?? []));
  } catch {
    failed.push(call);
  }
}
const queue = newQueue(CL_QUEUE_PROFILING_ENABLE);
clEnqueueNDRangeKernel(
  queue,
  kernelOf(SOURCE, "add", ints(...Array.from({ length: 64 }, (_, i) => i)), int(1)),
  2,
  null,
  [32, 2],
  [8, 1],
);
clFinish(queue);
process.stdout.write(JSON.stringify(failed));
process.exit(0);
