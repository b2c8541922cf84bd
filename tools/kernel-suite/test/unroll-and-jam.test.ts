// SPDX-License-Identifier: Apache-2.0
// Unroll-and-jam: vector rows that run together compute the same results as single work-items, for every way that rows
// depend on each other, with sizes that leave rows and columns over.
import type { KernelReport } from "@muxkit/compiler";
import { build, firstDifference, runEveryWay } from "@muxkit/kernel-suite";
import { expect, test } from "vitest";

const PRODUCT = `kernel void k(uint m, uint n, global const int* a, global const int* b, global int* c) {
  uint x = get_global_id(0), y = get_global_id(1);
  if (y >= m || x >= n) return;
  int sum = 0;
  for (uint p = 0; p < n; p++) sum += a[y * n + p] * b[p * n + x];
  c[y * n + x] = sum;
}`;
const TILED = `kernel void k(uint m, uint n, global const int* a, global const int* b, global int* c) {
  local int ta[4][8], tb[4][8];
  uint x = get_local_id(0), y = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
  int sum = 0, kept[3] = {0, 0, 0};
  uint filled = min((uint)get_local_size(0), (uint)get_local_size(1));
  for (uint p0 = 0; p0 < 3; p0++) {
    ta[y][x] = a[(row * 7 + p0 * 4 + x) % 500];
    tb[y][x] = b[((p0 * 4 + y) * 11 + col) % 500];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint p = 0; p < filled; p++) {
      sum += ta[y][p] * tb[p][x];
      kept[p % 3] += tb[p][x] + (int)y;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * get_global_size(0) + col] = sum + kept[0] * 3 + kept[1] * 5 + kept[2] + (int)m + (int)n;
}`;
const MEETING = `kernel void k(uint m, uint n, global const int* a, global const int* b, global int* c) {
  uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), w = get_global_size(0);
  int own[4];
  for (int i = 0; i < 4; i++) own[i] = a[x + i] + (int)(y * m);
  atomic_add(&c[1000], (int)y + own[x & 3]);
  volatile global int* v = (volatile global int*)c;
  v[(z * get_global_size(1) + y) * w + x] = own[y & 3] + b[z] * (int)n;
}`;
const CLAMPED = `kernel void k(uint m, uint n, global const int* a, global const int* b, global int* c) {
  int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
  int sum = 0;
  for (int d = -1; d <= 1; d++) sum += a[clamp(y + d, 0, h - 1) * w + clamp(x + d, 0, w - 1)] * (d + 2);
  if (y == 3 || x == 5) sum = -sum;
  c[y * w + x] = sum;
}`;
/** The same with a known local size. */
const REQUIRED = TILED.replace("kernel void", "kernel __attribute__((reqd_work_group_size(8, 4, 1))) void");
/** Loops over whole tiles are unrolled, so that none is left for rows to share. */
const UNROLLED = REQUIRED.replace("p < filled", "p < 4");
const ALONG_Z = `kernel void k(uint m, uint n, global const int* a, global const int* b, global int* c) {
  uint x = get_global_id(0), z = get_global_id(2);
  int sum = 0;
  for (uint p = 0; p < n; p++) sum += a[p + x] * b[z + p];
  c[z * get_global_size(0) + x] = sum;
}`;

const LAUNCHES: readonly (readonly [
  name: string,
  source: string,
  global: readonly number[],
  local: readonly number[],
  offset: readonly number[],
])[] = [
  ["a product", PRODUCT, [24, 16, 1], [8, 8, 1], [0, 0, 0]],
  ["a product with borders and rows left over", PRODUCT, [21, 21, 1], [7, 7, 1], [0, 0, 0]],
  ["a product in groups of odd size", PRODUCT, [22, 19, 1], [8, 5, 1], [1, 2, 0]],
  ["tiles between barriers", TILED, [16, 8, 1], [8, 4, 1], [0, 0, 0]],
  ["tiles in groups that are not whole", TILED, [18, 7, 1], [8, 4, 1], [0, 0, 0]],
  ["unrolled tiles of a size that is required", UNROLLED, [16, 8, 1], [8, 4, 1], [0, 0, 0]],
  ["tiles of a size that is required in groups that are not whole", REQUIRED, [18, 7, 1], [8, 4, 1], [0, 0, 0]],
  ["atomics, volatile accesses and arrays", MEETING, [8, 6, 2], [4, 6, 1], [0, 0, 0]],
  ["clamped indices and equalities", CLAMPED, [16, 12, 1], [8, 4, 1], [0, 0, 0]],
  ["rows along z", ALONG_Z, [8, 1, 8], [4, 1, 8], [0, 0, 0]],
];

function ints(count: number, seed: number): Uint8Array {
  return new Uint8Array(Int32Array.from({ length: count }, (_, i) => ((i + seed) * 7919) % 1013).buffer);
}

function word(value: number): Uint8Array {
  return new Uint8Array(Uint32Array.of(value).buffer);
}

test.each(LAUNCHES.flatMap((launch) => [2, 4].map((rows) => [...launch, rows] as const)))(
  "%s",
  (_, source, global, local, offset, rows) => {
    const launch = {
      source,
      kernel: "k",
      options: "-cl-std=CL3.0",
      global,
      local,
      offset,
      rows,
      widths: [4, 4, 8, 8, 2, 16],
      arguments: [
        { value: word(18) },
        { value: word(20) },
        { contents: ints(700, 1) },
        { contents: ints(700, 2) },
        { contents: new Uint8Array(1024 * 4) },
      ],
    };
    const [reference, ...others] = runEveryWay(launch);
    if (reference === undefined) throw new Error("nothing ran");
    expect(others.map((other) => firstDifference(reference, other, []))).toEqual(others.map(() => null));
  },
);

/** How many rows run together in each region of a kernel. */
function rowsOf(source: string, more: Parameters<typeof build>[1] = {}): readonly number[] {
  const reports: KernelReport[] = [];
  build(source, { options: "-cl-std=CL3.0", ...more, report: (report) => reports.push(report) });
  return reports.flatMap(({ regions }) => regions.map(({ rows }) => rows));
}

test("rows are jammed where that is forced and they go the same way, for any local size", () => {
  for (const source of [PRODUCT, MEETING, CLAMPED]) expect(rowsOf(source, { width: 4, rows: 2 })).toEqual([2]);
  expect(
    rowsOf(ALONG_Z, {
      width: 4,
      rows: 4,
      specialization: { localSize: [4, 1, 8], uniformGroups: true, zeroOffset: true },
    }),
  ).toEqual([4]);
  expect(rowsOf(TILED, { width: 8, rows: 4 })).toContain(4);
});

test("rows are jammed unasked where they share loads in a loop or in what one was unrolled to, and not where they share none", () => {
  expect(rowsOf(PRODUCT)).toEqual([4]);
  // Without divisions, so that no region gathers.
  expect(rowsOf(UNROLLED.replaceAll(" % 500", ""))).toEqual([1, 4, 1]);
  expect(
    rowsOf(
      `kernel void k(global int* p) {
        size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
        p[i] += 3;
      }`,
    ),
  ).toEqual([1]);
  const stencil = `kernel void k(global const int* p, global int* o) {
      int w = get_global_size(0), i = get_global_id(1) * w + get_global_id(0);
      o[i] = p[i] + p[i + 1] + p[i + 2] + p[i + w] + p[i + w + 1] + p[i + 2 * w] + p[i + 2 * w + 1] + p[i + 3
          * w] + p[i + 4 * w];
    }`;
  expect(rowsOf(stencil)).toEqual([1]);
  expect(
    rowsOf(
      `kernel void k(global int* p, int n) {
        size_t i = get_global_id(0);
        for (int j = 0; j < n; j++) p[i] += p[j];
      }`,
    ),
  ).toEqual([1]);
});
