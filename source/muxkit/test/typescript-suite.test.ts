// SPDX-License-Identifier: Apache-2.0
// The suite's kernels in TypeScript have the results of their OpenCL C versions.
import { afterAll, beforeAll, expect, test } from "vitest";

import { type Device, openDevice } from "muxkit";

import { ownSource, suiteJobs, translatedSource } from "./suite/jobs.ts";
import { prepare } from "./suite/ways.ts";

let device: Device;
beforeAll(async () => {
  device = await openDevice();
});
afterAll(() => {
  device.close();
});

/** The largest difference, relative to the larger of two numbers and one. */
function difference(a: readonly (Float32Array | Uint32Array)[], b: readonly (Float32Array | Uint32Array)[]): number {
  let worst = 0;
  for (const [i, left] of a.entries())
    for (const [j, value] of left.entries()) {
      const other = b[i]?.[j] ?? Number.NaN;
      worst = Math.max(worst, Math.abs(value - other) / Math.max(1, Math.abs(value), Math.abs(other)));
    }
  return worst;
}

test.each(suiteJobs(1).map((job) => [job.name, job] as const))("%s", (_name, job) => {
  const own = prepare(device, device.program(ownSource(job)), job);
  const translated = prepare(device, device.program(translatedSource()), job);
  own.run();
  translated.run();
  const results = own.results();
  expect(
    results.some((array, i) =>
      array.some(
        (value, j) => value !== (job.arguments.filter((one) => ArrayBuffer.isView(one))[i] as Float32Array)[j],
      ),
    ),
  ).toBe(true);
  expect(difference(results, translated.results())).toBeLessThanOrEqual(job.tolerance);
  own.release();
  translated.release();
});
