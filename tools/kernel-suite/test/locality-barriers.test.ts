// SPDX-License-Identifier: Apache-2.0
// Barrier insertion for locality: where barriers keep the work-items of a group on the same rows of memory, and that
// every way to run the kernels computes the same results.
import type { KernelReport } from "@muxkit/compiler";
import { build, firstDifference, runEveryWay } from "@muxkit/kernel-suite";
import { expect, test } from "vitest";

const PARAMETERS = "uint n, global const int* a, global const int* b, global int* c, local int* t";

/** A kernel whose work-items read rows with `body` and write `sum`. */
function kernel(body: string): string {
  return `kernel void k(${PARAMETERS}) {
  uint id = get_local_id(0), size = get_local_size(0), base = get_group_id(0) * size * 4 + id;
  int sum = 0;
  ${body}
  c[get_global_id(0)] = sum;
}`;
}

const ROWS = kernel("for (uint k = 0; k < 4; k++) sum += a[base + k * size];");
const BOUNDED = kernel("for (uint k = 0; k < 4; k++) { uint i = base + k * size; if (i < n) sum += a[i]; }");
const PRODUCTS = kernel("for (uint k = 0; k < 4; k++) { uint i = base + k * size; sum += a[i] * b[i]; }");
const TREE = kernel(`for (uint k = 0; k < 4; k++) sum += a[base + k * size];
  t[id] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint h = size >> 1; h > 0; h >>= 1) {
    if (id < h) t[id] += t[id + h];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  sum = id == 0 ? t[0] : -1;`);
const BEHIND_A_RETURN = kernel("if (base >= n) return; for (uint k = 0; k < 4; k++) sum += a[base + k * size];");
const TOO_MUCH = kernel(
  `int x = a[base], y = a[base + size], z = a[base + 2 * size], w = a[base + 3 * size];
  sum = x * y + z * w + x % (z | 1) + y % (w | 1);`,
);
const OVERLAPPING = kernel("for (uint k = 0; k < 4; k++) sum += a[base + k];");

const LAUNCHES: readonly (readonly [name: string, source: string, regions: number])[] = [
  ["rows of which all are read", ROWS, 4],
  ["rows of which some are read", BOUNDED, 4],
  ["rows of two buffers", PRODUCTS, 4],
  // One more before the tree, one for its first step, one for all others.
  ["rows and a tree", TREE, 6],
  ["rows after a return", BEHIND_A_RETURN, 1],
  ["rows of which too much is kept", TOO_MUCH, 1],
  ["windows that overlap", OVERLAPPING, 1],
];

const LOCAL = 64;

function ints(count: number, seed: number): Uint8Array {
  return new Uint8Array(Int32Array.from({ length: count }, (_, i) => ((i + seed) * 7919) % 1013).buffer);
}

test.each(LAUNCHES)("%s: pieces between barriers", (_, source, regions) => {
  let report: KernelReport | null = null as KernelReport | null;
  build(source, {
    specialization: { localSize: [LOCAL, 1, 1], uniformGroups: true, zeroOffset: true },
    report: (told) => (report = told),
  });
  expect(report?.regions.length).toBe(regions);
});

test.each(LAUNCHES)("%s: all ways leave the same", (_, source) => {
  for (const global of [LOCAL * 3, LOCAL * 3 + 10]) {
    const n = Uint32Array.of(LOCAL * 4 + 31);
    const [reference, ...others] = runEveryWay({
      source,
      kernel: "k",
      options: "-cl-std=CL3.0",
      global: [global],
      local: [LOCAL],
      arguments: [
        { value: new Uint8Array(n.buffer) },
        { contents: ints(LOCAL * 20, 1) },
        { contents: ints(LOCAL * 20, 5) },
        { contents: ints(LOCAL * 4, 0) },
        { local: LOCAL * 4 },
      ],
    });
    if (reference === undefined) throw new Error("nothing ran");
    expect(others.map((other) => firstDifference(reference, other, []))).toEqual(others.map(() => null));
  }
});

test("rows are not separated where the local size is unknown, or rows are short", () => {
  for (const localSize of [null, [32, 1, 1], [64, 2, 1]] as const) {
    let report: KernelReport | null = null as KernelReport | null;
    build(ROWS, {
      ...(localSize === null ? {} : { specialization: { localSize, uniformGroups: true, zeroOffset: true } }),
      report: (told) => (report = told),
    });
    expect(report?.regions.length).toBe(1);
  }
});
