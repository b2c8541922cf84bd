// SPDX-License-Identifier: Apache-2.0
// The suite's kernels in TypeScript have the results of their OpenCL C versions, and become the same instructions.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { type Device, openDevice } from "muxkit";

import { clc } from "./commands.ts";
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

const folder = mkdtempSync(join(tmpdir(), "muxkit-suite-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** How often a kernel has each operation when it is optimised, before it is lowered to work-groups. */
function operations(name: string, text: string): Readonly<Record<string, number>> {
  const file = join(folder, "kernel.cl");
  writeFileSync(file, text);
  const { error } = clc(file, "-cl-std=CL3.0", "-n", "--print-after=gvn");
  const [, body = ""] =
    new RegExp(`^kernel @${name}\\((.*?)^\\}`, "msu").exec(error.split("; after ").at(-1) ?? "") ?? [];
  const counts: Record<string, number> = {};
  for (const [, op = ""] of body.matchAll(/^ {2}(?:%\d+ = )?([a-z_]+) /gmu))
    if (op !== "argument") counts[op] = (counts[op] ?? 0) + 1;
  return counts;
}

/** What else a kernel has in TypeScript: a private array begins with zeros, of which one is left. */
const MORE: Readonly<Record<string, Readonly<Record<string, number>>>> = { sha256: { store: 1 } };

test.each(suiteJobs(1).map((job) => [job.name, job] as const))("%s: the operations of OpenCL C", (name, job) => {
  const own = operations(name, ownSource(job));
  expect(Object.keys(own).length).toBeGreaterThan(3);
  const more = Object.entries(MORE[name] ?? {}).map(([op, count]) => [op, (own[op] ?? 0) + count] as const);
  expect(operations(name, translatedSource())).toEqual({ ...own, ...Object.fromEntries(more) });
});
