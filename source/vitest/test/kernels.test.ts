// SPDX-License-Identifier: Apache-2.0
// Tests of kernels as their authors write them, and what failures say.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { assertWithinUlp, difference, rangeSweep, runKernel, seeded, ulpDistance } from "@muxkit/vitest";

const saxpy = join(import.meta.dirname, "saxpy.cl");

test("a kernel of a file in one line, in ranges of every shape", async () => {
  const { floats } = seeded(1);
  const [x, y] = [floats(100, -1, 1), floats(100, -1, 1)];
  const expected = y.map((value, i) => value + 2 * (x[i] as number));
  const ranges = rangeSweep([[100], [128], [1000]], [[1], [4], [10], [64]]);
  expect(ranges.map(({ global, local }) => `${global.join()}/${local.join()}`)).toEqual([
    "100/1",
    "100/4",
    "100/10",
    "128/1",
    "128/4",
    "128/64",
    "1000/1",
    "1000/4",
    "1000/10",
  ]);
  const results = await Promise.all(ranges.map(async (range) => await runKernel(saxpy, range, { y, x, a: 2, n: 100 })));
  for (const result of results) expect(result["y"]).toBeWithinUlp(expected, 1);
  // What was passed stays as it is.
  expect(y).toEqualBuffer(seeded(1).floats(200, -1, 1).slice(100));
});

test("what differs is shown with index, values and distance", async () => {
  const expected = Float32Array.of(1, 2, 3, 4);
  const actual = Float32Array.of(1, 2.000_000_238_418_579, 3, Number.NaN);
  expect(() => expect(actual).toEqualBuffer(expected, 2)).toThrow(
    "2 of 4 elements differ by more than 0 ULP, the worst by Infinity:\n" +
      "  [0][1]: 2.000000238418579, expected 2 (1 ULP)\n  [1][1]: NaN, expected 4 (Infinity ULP)",
  );
  expect(() => expect(expected).not.toEqualBuffer(expected)).toThrow(
    "no element differs by more than 0 ULP, and some should",
  );
  expect(difference(new Int32Array(20), new Int32Array(20).fill(7))?.message.split("\n").at(-1)).toBe("  and 12 more");
  expect(difference(new Int32Array(2), new Float32Array(3))?.message).toBe(
    "Int32Array of 2 elements, expected Float32Array of 3",
  );
  expect(() => {
    assertWithinUlp(actual, expected);
  }).toThrow(/2 of 4 elements differ/u);
});

const distance = (a: number, b: number): number => ulpDistance(Float32Array.of(a), Float32Array.of(b), 0);

test("distances of floats: neighbours, zeros, signs, infinities, 64 bits", () => {
  expect(distance(1, 1 + 2 ** -23)).toBe(1);
  expect(distance(0, -0)).toBe(0);
  expect(distance(2 ** -149, -(2 ** -149))).toBe(2);
  expect(distance(Infinity, 3.4028234663852886e38)).toBe(1);
  expect(distance(Number.NaN, Number.NaN)).toBe(0);
  expect(ulpDistance(Float64Array.of(1), Float64Array.of(1 + 2 ** -52), 0)).toBe(1);
  expect(ulpDistance(BigInt64Array.of(-5n), BigInt64Array.of(7n), 0)).toBe(12);
});

test("mistakes of tests are one sentence; writes next to a buffer fail", async () => {
  const one = { y: new Float32Array(1), x: new Float32Array(1), a: 1, n: 1 };
  await expect(runKernel(saxpy, 1, { ...one, b: 2 })).rejects.toThrow(
    "the kernel has the parameters y, x, a, n; b is none of them",
  );
  await expect(runKernel(saxpy, 1, { y: one.y })).rejects.toThrow(
    "the kernel has the parameters y, x, a, n; x has no value",
  );
  await expect(runKernel(saxpy, 1, one, { kernel: "saxpi" })).rejects.toThrow("no kernel saxpi; there are saxpy");
  const two = "kernel void f(global int* x) {}\nkernel void g(global int* x) { x[1] = 1; }";
  await expect(runKernel(two, 1, { x: new Int32Array(1) })).rejects.toThrow(
    "the program has the kernels f, g; choose one",
  );
  await expect(runKernel(two, 1, { x: new Int32Array(1) }, { kernel: "g" })).rejects.toThrow(
    /kernel "g" wrote to byte 4/u,
  );
  await expect(runKernel("none.cl", 1, {})).rejects.toThrow(/none\.cl/u);
});

test("node:test runs the README's test", () => {
  const folder = mkdtempSync(join(import.meta.dirname, "../../../out/"));
  try {
    writeFileSync(
      join(folder, "saxpy.test.mjs"),
      `import { test } from "node:test";
import { assertWithinUlp, runKernel } from "@muxkit/vitest/kernels";
test("saxpy", async () => {
  const [y, x] = [Float32Array.of(1, 2), Float32Array.of(3, 4)];
  const result = await runKernel(${JSON.stringify(saxpy)}, 2, { y, x, a: 2, n: 2 });
  assertWithinUlp(result.y, Float32Array.of(7, 10));
});
`,
    );
    const run = spawnSync(process.execPath, ["--conditions=source", "--test", join(folder, "saxpy.test.mjs")], {
      encoding: "utf8",
    });
    expect(run.stdout).toMatch(/pass 1/u);
    expect(run.status).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
