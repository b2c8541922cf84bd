// SPDX-License-Identifier: Apache-2.0
// Loops that are split, so that their sums fit in registers, compute what whole ones compute: in every way, with sums
// of several types, in groups with rows and columns left over.
import type { KernelReport } from "@muxkit/compiler";
import { type DifferentialArgument, type ElementKind, build, firstDifference, runEveryWay } from "@muxkit/kernel-suite";
import { expect, test } from "vitest";

/** A product of tiles in local memory, 4 by 4 sums a work-item. */
const TILES = (
  type: string,
  attribute: string,
): string => `kernel ${attribute} void k(uint steps, global const ${type}* a, global const ${type}* b, global ${type}* c) {
  local ${type} ta[16][32], tb[16][32];
  uint x = get_local_id(0), y = get_local_id(1), id = y * get_local_size(0) + x, items = get_local_size(0)
      * get_local_size(1);
  ${type} sum[4][4];
  for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) sum[i][j] = 0;
  for (uint step = 0; step < steps; step++) {
    for (uint t = id; t < 512; t += items) {
      ta[t / 32][t % 32] = a[(t * 3 + step * 5 + get_group_id(0)) % 600];
      tb[t / 32][t % 32] = b[(t * 7 + step + get_group_id(1)) % 600];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint p = 0; p < 16; p++) {
      ${type} u[4], v[4];
      for (int i = 0; i < 4; i++) u[i] = ta[p][y + 4 * i];
      for (int j = 0; j < 4; j++) v[j] = tb[p][x + 8 * j];
      for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) sum[i][j] += u[i] * v[j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  uint w = get_global_size(0), h = get_global_size(1);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) c[((i * 4 + j) * h + get_global_id(1)) * w + get_global_id(0)] = sum[i][j];
}`;

/**
 * Sums over values in global memory, in a loop of few iterations; what is taken after the loop is of several of
 * them, and of a counter.
 */
const SUMS = `kernel void k(uint steps, global const float* a, global const float* b, global float* c) {
  uint x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), at = x;
  float s[14], last = 0;
  for (int j = 0; j < 14; j++) s[j] = j;
  #pragma unroll 1
  for (uint p = 0; p < 40; p++) {
    float v = a[p * 8 + x];
    for (int j = 0; j < 14; j++) s[j] = fma(v, b[p + j], s[j]);
    last = s[3] + s[4];
    at += p;
  }
  float all = last;
  for (int j = 0; j < 14; j++) all = all * 0.5f + s[j];
  c[y * w + x] = all + at * steps;
}`;

const REQUIRED = "__attribute__((reqd_work_group_size(8, 4, 1)))";
const KINDS: Readonly<Record<string, readonly [kind: ElementKind, bytes: number]>> = {
  int: ["bits", 4],
  float: ["f32", 4],
  double: ["f64", 8],
};

function numbers(type: string, count: number, seed: number): Uint8Array {
  const values = Array.from({ length: count }, (_, i) => (((i + seed) * 7919) % 1013) - 500);
  const array =
    type === "int"
      ? Int32Array.from(values)
      : type === "float"
        ? Float32Array.from(values, (value) => value / 8)
        : Float64Array.from(values, (value) => value / 8);
  return new Uint8Array(array.buffer);
}

const LAUNCHES: readonly (readonly [name: string, type: string, source: string, global: readonly number[]])[] = [
  ["floats", "float", TILES("float", REQUIRED), [16, 8, 1]],
  ["floats in groups that are not whole", "float", TILES("float", REQUIRED), [13, 6, 1]],
  ["floats in groups of any size", "float", TILES("float", ""), [16, 8, 1]],
  ["ints", "int", TILES("int", REQUIRED), [16, 8, 1]],
  ["doubles", "double", TILES("double", REQUIRED), [16, 8, 1]],
  ["sums of a short loop", "float", SUMS, [17, 5, 1]],
];

test.each(LAUNCHES)("%s", (_, type, source, global) => {
  const [kind, bytes] = KINDS[type] ?? ["bits", 4];
  const steps: DifferentialArgument = { value: new Uint8Array(Uint32Array.of(3).buffer) };
  const launch = {
    source,
    kernel: "k",
    options: "-cl-std=CL3.0",
    global,
    local: [8, 4, 1],
    rows: 2,
    widths: [8, 4],
    arguments: [
      steps,
      { contents: numbers(type, 600, 1) },
      { contents: numbers(type, 600, 2) },
      { contents: new Uint8Array(2048 * bytes) },
    ],
  };
  const [reference, ...others] = runEveryWay(launch);
  if (reference === undefined) throw new Error("nothing ran");
  expect(others.map((other) => firstDifference(reference, other, [kind, kind, kind]))).toEqual(others.map(() => null));
});

/** Remarks on a kernel's regions. */
function reasonsOf(source: string): readonly string[] {
  const reports: KernelReport[] = [];
  build(source, { options: "-cl-std=CL3.0", report: (report) => reports.push(report) });
  return reports.flatMap(({ regions }) => regions.map(({ reason }) => reason));
}

test("it is reported where a loop was split", () => {
  const split = /a loop is split in \d+, so that its sums find registers/u;
  expect(reasonsOf(TILES("float", REQUIRED)).map((reason) => split.test(reason))).toEqual([false, true, false]);
  expect(reasonsOf(SUMS).map((reason) => split.test(reason))).toEqual([true]);
  expect(
    reasonsOf(
      `kernel void k(global float* p, int n) {
        float s = 0;
        for (int i = 0; i < n; i++) s += p[i * 8 + get_global_id(0)];
        p[get_global_id(0)] = s;
      }`,
    ).map((reason) => split.test(reason)),
  ).toEqual([false]);
});
