// SPDX-License-Identifier: Apache-2.0
// Collective functions of work-groups, in every way, against plain references.
import { runEveryWay } from "@muxkit/kernel-suite";
import { expect, test } from "vitest";

import { SHAPES, type Shape, groupsOf, itemCount, runOver, scattered } from "./group-rig.ts";

const ID = "size_t i = get_global_linear_id();";
const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);

test.each(SHAPES)("votes and sums of ints: $global by $local", (shape) => {
  const n = itemCount(shape);
  const input = Int32Array.from({ length: n }, (_, i) => ((i * 7919) % 101) - 50);
  const source = `kernel void k(global const int* in, global int* out) { ${ID} int v = in[i];
    out[8 * i] = work_group_all(v > -51) + 2 * work_group_all(v > -40) + 4 * work_group_any(v > 45) + 8
        * work_group_any(v > 99);
    out[8 * i + 1] = work_group_reduce_add(v);
    out[8 * i + 2] = work_group_reduce_min(v);
    out[8 * i + 3] = work_group_reduce_max(v);
    out[8 * i + 4] = work_group_scan_inclusive_add(v); out[8 * i + 5] = work_group_scan_exclusive_add(v);
    out[8 * i + 6] = work_group_scan_exclusive_min(v); out[8 * i + 7] = work_group_scan_inclusive_max(v);
  }`;
  const out = new Int32Array(runOver(source, input, n * 32, shape));
  const expected = new Int32Array(n * 8);
  for (const group of groupsOf(shape)) {
    const values = group.map((i) => input[i] ?? 0);
    group.forEach((id, at) => {
      const before = values.slice(0, at);
      const upTo = values.slice(0, at + 1);
      const vote = 1 + (values.every((v) => v > -40) ? 2 : 0) + (values.some((v) => v > 45) ? 4 : 0);
      expected.set(
        [
          vote,
          sum(values),
          Math.min(...values),
          Math.max(...values),
          sum(upTo),
          sum(before),
          Math.min(0x7fff_ffff, ...before),
          Math.max(...upTo),
        ],
        id * 8,
      );
    });
  }
  expect([...out]).toEqual([...expected]);
});

/** Types with their arrays, least and greatest values. */
const TYPES: readonly (readonly [name: string, wide: boolean, signed: boolean])[] = [
  ["int", false, true],
  ["uint", false, false],
  ["long", true, true],
  ["ulong", true, false],
];

test.each(TYPES)("every function of %s", (type, isWide, isSigned) => {
  const bits = isWide ? 64 : 32;
  const shape: Shape = { global: [45], local: [19] };
  const wrap = (value: bigint): bigint => (isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value));
  const values = Array.from({ length: 45 }, (_, i) => wrap(BigInt(i * i) * 0x1234_5678_9abc_def1n));
  const make = (list: readonly bigint[]): ArrayBufferView =>
    isWide
      ? BigUint64Array.from(list, (value) => BigInt.asUintN(64, value))
      : Uint32Array.from(list, (value) => Number(BigInt.asUintN(32, value)));
  const names = ["reduce", "scan_inclusive", "scan_exclusive"].flatMap((form) =>
    ["add", "min", "max"].map((kind) => `work_group_${form}_${kind}`),
  );
  const source = `kernel void k(global const ${type}* in, global ${type}* out) {
    ${ID} ${names.map((name, i) => `out[i * 9 + ${i}] = ${name}(in[i]);`).join(" ")}
  }`;
  const bytes = runOver(source, make(values), 45 * 9 * (bits / 8), shape);
  const out = isWide
    ? [...new BigUint64Array(bytes)].map(wrap)
    : [...new Uint32Array(bytes)].map((value) => wrap(BigInt(value)));
  const [least, most] = isSigned
    ? [-(1n << BigInt(bits - 1)), (1n << BigInt(bits - 1)) - 1n]
    : [0n, (1n << BigInt(bits)) - 1n];
  const total = (list: readonly bigint[]): bigint => wrap(list.reduce((a, b) => a + b, 0n));
  const smallest = (list: readonly bigint[]): bigint => list.reduce((a, b) => (a < b ? a : b), most);
  const largest = (list: readonly bigint[]): bigint => list.reduce((a, b) => (a > b ? a : b), least);
  const expected: bigint[] = [];
  for (const group of groupsOf(shape)) {
    const own = group.map((i) => values[i] ?? 0n);
    group.forEach((_, at) => {
      for (const list of [own, own.slice(0, at + 1), own.slice(0, at)])
        expected.push(total(list), smallest(list), largest(list));
    });
  }
  expect(out).toEqual(expected);
});

/** The order in which floats are added, written once more: 16 strands, then halves. */
function addStrands(values: readonly number[], round: (value: number) => number): number {
  const strands = Array.from({ length: 16 }, (_, k) =>
    values.filter((_value, i) => i % 16 === k).reduce((a, b) => round(a + b), -0),
  );
  for (const step of [8, 4, 2, 1])
    for (let k = 0; k < step; k++) strands[k] = round((strands[k] ?? 0) + (strands[k + step] ?? 0));
  return strands[0] ?? 0;
}

test.each([
  ["float", 4],
  ["double", 8],
] as const)("sums of %s have one order; minima pass over NaN", (type, size) => {
  const shape: Shape = { global: [100], local: [50] };
  const round = size === 4 ? Math.fround : (value: number): number => value;
  const values = scattered(100, 1 << 20).map((value, i) => round((value - 500_000) * 10 ** ((i % 7) - 3)));
  values[60] = Number.NaN;
  const input = size === 4 ? Float32Array.from(values) : Float64Array.from(values);
  const source = `kernel void k(global const ${type}* in, global ${type}* out) { ${ID}
    out[i * 5] = work_group_reduce_add(in[i]);
    out[i * 5 + 1] = work_group_reduce_min(in[i]);
    out[i * 5 + 2] = work_group_reduce_max(in[i]);
    out[i * 5 + 3] = work_group_scan_exclusive_max(in[i]); out[i * 5 + 4] = work_group_scan_exclusive_add(in[i]); }`;
  const bytes = runOver(source, input, 500 * size, shape, size === 4 ? "f32" : "f64");
  const out = [...(size === 4 ? new Float32Array(bytes) : new Float64Array(bytes))];
  for (const group of groupsOf(shape)) {
    const own = group.map((i) => values[i] ?? 0);
    const numbers = own.filter((value) => !Number.isNaN(value));
    let running = 0;
    group.forEach((id, at) => {
      expect(out[id * 5]).toEqual(addStrands(own, round));
      expect([out[id * 5 + 1], out[id * 5 + 2]]).toEqual([Math.min(...numbers), Math.max(...numbers)]);
      expect(out[id * 5 + 3]).toBe(Math.max(...own.slice(0, at).filter((value) => !Number.isNaN(value))));
      // The second group holds a NaN: from there on its sums are NaN.
      const error = Math.abs((out[id * 5 + 4] ?? 0) - running);
      expect(Number.isNaN(running) ? Number.isNaN(error) : error <= Math.max(1, Math.abs(running)) * 0.01).toBe(true);
      running += own[at] ?? 0;
    });
    expect(Object.is(out[(group[0] ?? 0) * 5 + 4], 0)).toBe(true);
  }
});

test.each([
  [
    "",
    "get_local_size(0) - 1",
    [30],
    [7],
    (_x: number, _y: number, _z: number, [sx]: number[]) => [(sx ?? 1) - 1, 0, 0],
  ],
  [
    "",
    "1, 2",
    [9, 7],
    [4, 3],
    (_x: number, _y: number, _z: number, size: number[]) => [1, 2, 0].map((at, d) => (at < (size[d] ?? 1) ? at : -1)),
  ],
  [
    "",
    "0, 1, 1",
    [4, 5, 3],
    [2, 2, 2],
    (_x: number, _y: number, _z: number, size: number[]) => [0, 1, 1].map((at, d) => (at < (size[d] ?? 1) ? at : -1)),
  ],
] as const)("broadcasts from %s (%s)", (_, id, global, local, pick) => {
  const shape: Shape = { global, local };
  const n = itemCount(shape);
  const input = Float32Array.from({ length: n }, (_value, i) => i + 0.25);
  const source = `kernel void k(global const float* in, global float* out) {
    ${ID} out[i] = work_group_broadcast(in[i], ${id});
  }`;
  const out = new Float32Array(runOver(source, input, n * 4, shape));
  const [width = 1, height = 1] = global;
  for (const group of groupsOf(shape)) {
    const first = group[0] ?? 0;
    const base = [first % width, Math.floor(first / width) % height, Math.floor(first / width / height)];
    const size = [0, 1, 2].map((d) => Math.min(local[d] ?? 1, (global[d] ?? 1) - (base[d] ?? 0)));
    const at = pick(0, 0, 0, size);
    // In a ragged group the one that is meant may not be there: any value will do then.
    if (at.includes(-1)) continue;
    const source0 =
      ((base[2] ?? 0) + (at[2] ?? 0)) * width * height +
      ((base[1] ?? 0) + (at[1] ?? 0)) * width +
      (base[0] ?? 0) +
      (at[0] ?? 0);
    for (const i of group) expect(out[i]).toBe(input[source0]);
  }
});

test("in loops, between barriers, after some have returned, and in functions", () => {
  const source = `int total(int v) { return work_group_reduce_add(v); }
  kernel void k(global const int* in, global int* out) { local int tile[32];
    int id = get_local_id(0);
    int n = get_local_size(0);
    size_t i = get_global_id(0);
    int v = in[i];
    int keep[2] = { v, id };
    if (id >= n - 2 && n > 4) { out[i] = -1; return; }
    for (int round = 0; work_group_any(v > round * 10); round++) {
      tile[id] = v;
      barrier(CLK_LOCAL_MEM_FENCE);
      int other = tile[id ^ 1] + work_group_scan_exclusive_add(id);
      keep[round & 1] += total(other & 7);
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = keep[0] * 1000 + keep[1] + work_group_broadcast(v, 1);
  }`;
  const shape: Shape = { global: [44], local: [12] };
  const input = Int32Array.from(scattered(44, 60));
  const out = [...new Int32Array(runOver(source, input, 44 * 4, shape))];
  const expected = Array.from({ length: 44 }, () => -1);
  for (const group of groupsOf(shape)) {
    const n = group.length;
    const living = n > 4 ? group.slice(0, n - 2) : group;
    const v = living.map((i) => input[i] ?? 0);
    const keep = living.map((_, id) => [v[id] ?? 0, id]);
    const rounds = v.some((value) => value > 0) ? Math.ceil(Math.max(...v) / 10) : 0;
    for (let round = 0; round < rounds; round++) {
      const totals = living.map((_, id) => ((v[id ^ 1] ?? 0) + (id * (id - 1)) / 2) & 7);
      for (const own of keep) own[round & 1] = (own[round & 1] ?? 0) + sum(totals);
    }
    living.forEach((i, id) => {
      expected[i] = (keep[id]?.[0] ?? 0) * 1000 + (keep[id]?.[1] ?? 0) + (v[1] ?? 0);
    });
  }
  expect(out).toEqual(expected);
});

function refused(options: string, call: string): void {
  runEveryWay({
    source: `kernel void k(global int* in, global int* out) { ${call}; }`,
    kernel: "k",
    options,
    global: [1],
    local: [1],
    arguments: [],
  });
}

test("halves are combined in half, in the same order", () => {
  const shape: Shape = { global: [40], local: [20] };
  const input = Float32Array.from(scattered(40, 2000), (value) => value / 8 - 100);
  const source = `#pragma OPENCL EXTENSION cl_khr_fp16 : enable
  kernel void k(global const float* in, global float* out) { ${ID} half h = (half)in[i];
    out[i * 4] = work_group_reduce_add(h);
    out[i * 4 + 1] = work_group_reduce_min(h);
    out[i * 4 + 2] = sub_group_scan_exclusive_max(h);
    out[i * 4 + 3] = sub_group_shuffle_xor(h, 1u);
  }`;
  const out = new Float32Array(runOver(source, input, 640, shape, "f32"));
  const bits = new DataView(new ArrayBuffer(8));
  // A float of 11 significant bits, by way of the bits of a double.
  const round = (value: number): number => {
    bits.setFloat64(0, value);
    const low = bits.getBigUint64(0);
    const rest = low & ((1n << 42n) - 1n);
    const half = 1n << 41n;
    const up = rest > half || (rest === half && ((low >> 42n) & 1n) === 1n);
    bits.setBigUint64(0, low - rest + (up ? 1n << 42n : 0n));
    return bits.getFloat64(0);
  };
  for (const group of groupsOf(shape)) {
    const own = group.map((i) => round(input[i] ?? 0));
    group.forEach((i, at) => {
      const sub = own.slice(at - (at % 8), at - (at % 8) + 8);
      expect([out[i * 4], out[i * 4 + 1], out[i * 4 + 2], out[i * 4 + 3]]).toEqual([
        addStrands(own, round),
        Math.min(...own),
        Math.max(...sub.slice(0, at % 8)),
        sub[(at % 8) ^ 1] ?? 0,
      ]);
    });
  }
});

test("narrow ints are promoted; what is no number is refused", () => {
  const out = new Int32Array(
    runOver(
      `kernel void k(global const int* in, global int* out) {
        char c = (char)in[get_global_id(0)];
        out[get_global_id(0)] = work_group_reduce_add(c);
      }`,
      Int32Array.of(100, 100, 100),
      12,
      { global: [3], local: [3] },
    ),
  );
  expect([...out]).toEqual([300, 300, 300]);
  expect(() => refused("-cl-std=CL3.0", "work_group_reduce_add((int2)(1, 2))")).toThrow("CL2012");
  expect(() => refused("-cl-std=CL1.2", "work_group_all(1)")).toThrow("needs OpenCL C 2.0");
});

test("what a work-group decides together decides loops with barriers, too", () => {
  const shape: Shape = { global: [51], local: [17] };
  const input = Int32Array.from(scattered(51, 60));
  const source = `kernel void k(global const int* in, global int* out) {
    ${ID} local int tile[17];
    uint l = get_local_linear_id(), n = (uint)get_local_size(0);
    int v = in[i], total = 0;
    for (int round = 0; work_group_any(v > round * 10); round++) {
      tile[l] = v + round; barrier(CLK_LOCAL_MEM_FENCE);
      total += tile[(l + 1) % n] + work_group_reduce_max(v ^ round); barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int o = 1; o < 8; o <<= 1) total += work_group_broadcast(v, (size_t)o) * work_group_all(v >= o);
    out[i] = total;
  }`;
  const expected: number[] = [];
  for (const group of groupsOf(shape)) {
    const own = group.map((i) => input[i] ?? 0);
    own.forEach((_, at) => {
      let total = 0;
      for (let round = 0; own.some((v) => v > round * 10); round++)
        total += (own[(at + 1) % own.length] ?? 0) + round + Math.max(...own.map((v) => v ^ round));
      for (const o of [1, 2, 4]) total += own.every((v) => v >= o) ? (own[o] ?? 0) : 0;
      expected.push(total);
    });
  }
  expect([...new Int32Array(runOver(source, input, 51 * 4, shape))]).toEqual(expected);
});
