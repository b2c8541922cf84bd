// SPDX-License-Identifier: Apache-2.0
// Functions that are called and not inlined: their queries of the work-item, their private memory, leaving by the
// cancel word; and the inliner's budget.
import { expect, test } from "vitest";

import { Machine, build, firstDifference, runEveryWay } from "@muxkit/kernel-suite";

/** So long that the inliner leaves it where it is called twice: `count` statements that matter. */
function long(count: number): string {
  return Array.from({ length: count }, (_, i) => `x = x * ${2 * i + 3} + (x >> ${(i % 13) + 1});`).join(" ");
}

/** Runs `k(global int *out)` every way; returns the ints. */
function run(source: string, items: number, local: number): readonly number[] {
  const [reference, ...others] = runEveryWay({
    source,
    kernel: "k",
    global: [items],
    local: [local],
    arguments: [{ contents: new Uint8Array(items * 4) }],
  });
  if (reference === undefined) throw new Error("nothing ran");
  for (const other of others) expect(firstDifference(reference, other, ["bits"])).toBeNull();
  return [...new Int32Array(reference.buffers[0]?.slice().buffer ?? new ArrayBuffer(0))];
}

test("called functions can query their work-item, also through other calls", () => {
  const source = `int deep(int x) {
    ${long(40)} return x * 0 + get_global_id(0) * 100 + get_local_id(0) * 10 + get_group_id(0);
  }
    int twice(int x) { ${long(40)} return deep(x) + deep(x + 1); }
    kernel void k(global int* out) { out[get_global_id(0)] = twice(1) + twice(2); }`;
  expect(run(source, 6, 3)).toEqual([0, 1, 2, 3, 4, 5].map((i) => 4 * (i * 100 + (i % 3) * 10 + Math.floor(i / 3))));
});

/** What the kernel's `sum` returns. */
function sum(n: number): number {
  const a = new Int32Array(8);
  for (let i = 0; i < 8; i++) a[(i * n) & 7] = i + 1;
  return a.reduce((total, value, i) => total + value * i, 0);
}

test("each call has private memory of its own, zero at first", () => {
  const source = `int sum(int n, int x) {
    int a[8];
    ${long(40)} int s = 0;
    for (int i = 0; i < 8; i++) s += a[i];
    for (int i = 0; i < 8; i++) a[(i * n) & 7] = i + 1;
    for (int i = 0; i < 8; i++) s += a[i] * i;
    return s + x * 0;
  }
    int both(int n, int x) {
      int b[4];
      ${long(40)} b[n & 3] = sum(n, x);
      b[(n + 1) & 3] += sum(n + 2, x);
      return b[0] + b[1] + b[2] + b[3];
    }
    kernel void k(global int* out) { int id = get_global_id(0); out[id] = both(id | 1, 3) + both(id | 1, 4); }`;
  expect(run(source, 8, 4)).toEqual(Array.from({ length: 8 }, (_, id) => 2 * (sum(id | 1) + sum((id | 1) + 2))));
});

test("a called function reads local memory and pointers to private memory", () => {
  const source = `void add(int* p, local int* l, int x) { ${long(60)} *p += l[get_local_id(0) ^ 1] + x * 0; }
    kernel void k(global int* out) {
      local int tile[4];
      int id = get_local_id(0);
      tile[id] = id * 5;
      barrier(CLK_LOCAL_MEM_FENCE);
      int v = 1;
      add(&v, tile, 2);
      add(&v, tile, 3);
      out[get_global_id(0)] = v;
    }`;
  expect(run(source, 8, 4)).toEqual([11, 1, 31, 21, 11, 1, 31, 21]);
});

test("an endless loop in a called function is left by the cancel word", () => {
  const source = `int spin(volatile global int* p, int x) { ${long(40)} while (p[0] == 0) x++; return x; }
    kernel void k(global int* out) { out[1] = spin(out, 1) + spin(out, 2); }`;
  const machine = new Machine();
  const image = build(source);
  const out = machine.upload(new Uint8Array(8));
  // The clock answers that it is time.
  expect(() => machine.run(image, "k", [{ buffer: out }], [1], [1], { cancelWord: 1, clock: () => 1 })).toThrow(
    /unreachable/u,
  );
});

/** The body of the function of a number: calls of the ten before it. */
function body(i: number): string {
  return Array.from({ length: 10 }, (_, j) =>
    i - j - 1 < 0 ? `x = x * ${j + 3} + ${i};` : `x += f${i - j - 1}(x + ${j});`,
  ).join(" ");
}

test("200 functions that call ten others each stay within the budget", () => {
  const functions = Array.from(
    { length: 200 },
    (_, i) => `int f${i}(int x) { ${i % 7 === 0 ? long(4) : ""} ${body(i)} return x ^ ${i}; }`,
  ).join("\n");
  const begin = process.cpuUsage();
  const image = build(`${functions}\nkernel void k(global int* out) { out[0] = f199(out[0]); }`, { verifyEach: false });
  const { user, system } = process.cpuUsage(begin);
  expect(image.code[0]?.bytes.length ?? 0).toBeLessThan(300_000);
  // A second on a calm machine; what this guards against takes minutes.
  expect((user + system) / 1000).toBeLessThan(5000);
});
