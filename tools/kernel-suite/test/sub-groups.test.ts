// SPDX-License-Identifier: Apache-2.0
// Sub-groups: ids, collective functions and the extensions cl_khr_subgroup_*, in every way, against plain references. A
// sub-group of the host has 8 work-items where a kernel does not specify its size.
import { build } from "@muxkit/kernel-suite";
import { expect, test } from "vitest";

import { SHAPES, type Shape, groupsOf, itemCount, runOver, scattered, subGroupsOf } from "./group-rig.ts";

const SIZE = 8;
const HEAD = "size_t i = get_global_linear_id(); uint id = get_sub_group_local_id();";
const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);

/** Runs `out[i] = …` over ints; returns what each work-item wrote. */
function ints(body: string, input: readonly number[], shape: Shape, per: number = 1, head: string = ""): number[] {
  return [
    ...new Int32Array(
      runOver(
        `${head} kernel void k(global const int* in, global int* out) { ${HEAD} ${body} }`,
        Int32Array.from(input),
        itemCount(shape) * per * 4,
        shape,
        "bits",
        [1],
      ),
    ),
  ];
}

/** The reference result of each work-item: `of` gets its sub-group as values, and its position in it. */
function expected(
  shape: Shape,
  input: readonly number[],
  of: (values: readonly number[], at: number, ids: readonly number[]) => number | readonly number[],
  size: number = SIZE,
): number[] {
  const result: (number | readonly number[])[] = [];
  for (const group of subGroupsOf(shape, size)) {
    const values = group.map((i) => input[i] ?? 0);
    group.forEach((i, at) => {
      result[i] = of(values, at, group);
    });
  }
  return result.flat();
}

test.each([...SHAPES, { global: [5], local: [5] }])("ids and sizes: $global by $local", (shape) => {
  const out = ints(
    `out[i * 6] = get_sub_group_size();
    out[i * 6 + 1] = get_max_sub_group_size();
    out[i * 6 + 2] = get_num_sub_groups();
    out[i * 6 + 3] = get_enqueued_num_sub_groups();
    out[i * 6 + 4] = id;
    out[i * 6 + 5] = get_sub_group_id();`,
    [],
    shape,
    6,
  );
  const whole = shape.local.reduce((a, b) => a * b, 1);
  const wanted: number[][] = [];
  for (const group of groupsOf(shape)) {
    group.forEach((i, at) => {
      const number = Math.floor(at / SIZE);
      wanted[i] = [
        Math.min(SIZE, group.length - number * SIZE),
        Math.min(SIZE, whole),
        Math.ceil(group.length / SIZE),
        Math.ceil(whole / SIZE),
        at % SIZE,
        number,
      ];
    });
  }
  expect(out).toEqual(wanted.flat());
});

test.each(SHAPES)("collective functions of ints: $global by $local", (shape) => {
  const input = scattered(itemCount(shape), 200).map((value) => value - 100);
  const out = ints(
    `int v = in[i];
    out[i * 8] = sub_group_all(v > -90) + 2 * sub_group_any(v > 80);
    out[i * 8 + 1] = sub_group_reduce_add(v);
    out[i * 8 + 2] = sub_group_reduce_min(v);
    out[i * 8 + 3] = sub_group_reduce_max(v);
    out[i * 8 + 4] = sub_group_scan_inclusive_add(v);
    out[i * 8 + 5] = sub_group_scan_exclusive_add(v);
    out[i * 8 + 6] = sub_group_scan_exclusive_max(v);
    out[i * 8 + 7] = sub_group_broadcast(v, get_sub_group_size() - 1);`,
    input,
    shape,
    8,
  );
  expect(out).toEqual(
    expected(shape, input, (v, at) => [
      (v.every((x) => x > -90) ? 1 : 0) + (v.some((x) => x > 80) ? 2 : 0),
      sum(v),
      Math.min(...v),
      Math.max(...v),
      sum(v.slice(0, at + 1)),
      sum(v.slice(0, at)),
      Math.max(-(2 ** 31), ...v.slice(0, at)),
      v.at(-1) ?? 0,
    ]),
  );
});

const byte = (x: number): number => (x << 24) >> 24;
const short = (x: number): number => (x * 300) & 0xffff;

test("types of every width, vectors in broadcasts", () => {
  const shape: Shape = { global: [21], local: [11] };
  const input = scattered(21, 250);
  const out = ints(
    `char c = (char)in[i];
    ushort s = (ushort)(in[i] * 300);
    ulong l = (ulong)in[i] << 33;
    double d = in[i] + 0.5;
    float f = in[i] * 0.25f;
    out[i * 9] = sub_group_reduce_add(c);
    out[i * 9 + 1] = sub_group_reduce_max(s);
    out[i * 9 + 2] = (int)(sub_group_scan_inclusive_add(l) >> 33);
    out[i * 9 + 3] = (int)(sub_group_reduce_add(d) * 2);
    out[i * 9 + 4] = (int)(sub_group_scan_exclusive_add(f) * 4);
    out[i * 9 + 5] = sub_group_broadcast((char4)(c, 1, 2, 3), 0).x;
    out[i * 9 + 6] = (int)sub_group_broadcast((double2)(d, i), 1).y;
    out[i * 9 + 7] = sub_group_scan_exclusive_min(s);
    out[i * 9 + 8] = (int)sub_group_broadcast((float3)(f, f, i), 2).z;`,
    input,
    shape,
    9,
  );
  expect(out).toEqual(
    expected(shape, input, (v, at, ids) => [
      byte(sum(v)),
      Math.max(...v.map(short)),
      sum(v.slice(0, at + 1)),
      sum(v.map((x) => 2 * x + 1)),
      sum(v.slice(0, at)),
      byte(v[0] ?? 0),
      ids[1] ?? 0,
      Math.min(65_535, ...v.slice(0, at).map(short)),
      ids[2] ?? 0,
    ]),
  );
});

test("sub-groups take different ways, wait for each other at barriers, and have divergent trip counts", () => {
  const shape: Shape = { global: [6, 9], local: [6, 6] };
  const input = scattered(54, 90);
  const body = `local int sums[8]; int v = in[i]; int total = 0;
    if (get_sub_group_id() & 1) {
      total = sub_group_reduce_add(v);
      sub_group_barrier(CLK_LOCAL_MEM_FENCE);
      total += sub_group_scan_exclusive_add(v);
    }
    else for (int round = 0; sub_group_any(v > round * 10); round++) total += sub_group_reduce_max(v ^ round);
    if (id == 0) sums[get_sub_group_id()] = total;
    barrier(CLK_LOCAL_MEM_FENCE);
    int other = sums[(get_sub_group_id() + 1) % get_num_sub_groups()];
    out[i] = total * 1000 + work_group_reduce_add(v) + sub_group_broadcast(other, 0);`;
  const out = ints(body, input, shape);
  // Work-groups are rows 0 to 5 and 6 to 8.
  const wanted: number[] = [];
  for (const [from, end] of [
    [0, 36],
    [36, 54],
  ] as const) {
    const v = input.slice(from, end);
    const subs = Array.from({ length: Math.ceil(v.length / SIZE) }, (_, s) => v.slice(s * SIZE, (s + 1) * SIZE));
    const totals = subs.map((own, s) =>
      own.map((_, at) => {
        if (s % 2 === 1) return sum(own) + sum(own.slice(0, at));
        let total = 0;
        for (let round = 0; own.some((x) => x > round * 10); round++) total += Math.max(...own.map((x) => x ^ round));
        return total;
      }),
    );
    v.forEach((_, at) => {
      const s = Math.floor(at / SIZE);
      wanted[from + at] = (totals[s]?.[at % SIZE] ?? 0) * 1000 + sum(v) + (totals[(s + 1) % subs.length]?.[0] ?? 0);
    });
  }
  expect(out).toEqual(wanted);
});

/** Bits of a ballot below 32. */
const ballot = (bits: readonly boolean[]): number => bits.reduce((word, bit, i) => word | (bit ? 1 << i : 0), 0);

test.each(SHAPES)("votes, ballots and masks where ways part: $global by $local", (shape) => {
  const input = scattered(itemCount(shape), 40);
  const out = ints(
    `int v = in[i]; int r[10] = { 0 };
    if (v > 20) {
      r[0] = sub_group_elect();
      r[1] = sub_group_non_uniform_all(v > 22) + 2 * sub_group_non_uniform_any(v > 37) + 4
          * sub_group_non_uniform_all_equal(v / 30);
      uint4 b = sub_group_ballot(v & 1); r[2] = b.x; r[3] = b.y | b.z | b.w;
      r[4] = sub_group_inverse_ballot(b) + 2 * sub_group_ballot_bit_extract(b, 1);
      r[5] = sub_group_ballot_bit_count(b);
      r[6] = sub_group_ballot_inclusive_scan(b) * 100 + sub_group_ballot_exclusive_scan(b);
      r[7] = sub_group_ballot_find_lsb(b) * 1000 + sub_group_ballot_find_msb(b); r[8] = sub_group_broadcast_first(v);
    } else r[9] = sub_group_ballot(1).x;
    for (int j = 0; j < 10; j++) out[i * 10 + j] = r[j];`,
    input,
    shape,
    10,
  );
  expect(out).toEqual(
    expected(shape, input, (v, at) => {
      const own = v[at] ?? 0;
      const active = v.map((x) => x > 20);
      if (own <= 20) return [0, 0, 0, 0, 0, 0, 0, 0, 0, ballot(active.map((bit) => !bit))];
      const those = v.filter((x) => x > 20);
      const bits = v.map((x) => x > 20 && (x & 1) === 1);
      const count = (to: number): number => bits.filter((bit, j) => bit && j < to).length;
      const vote =
        (those.every((x) => x > 22) ? 1 : 0) +
        (those.some((x) => x > 37) ? 2 : 0) +
        (those.every((x) => x >= 30) || those.every((x) => x < 30) ? 4 : 0);
      const ends = bits.includes(true) ? bits.indexOf(true) * 1000 + bits.lastIndexOf(true) : 128_128;
      return [
        active.indexOf(true) === at ? 1 : 0,
        vote,
        ballot(bits),
        0,
        (bits[at] === true ? 1 : 0) + (bits[1] === true ? 2 : 0),
        count(SIZE),
        count(at + 1) * 100 + count(at),
        ends,
        those[0] ?? 0,
        0,
      ];
    }),
  );
  const masks = ints(
    `out[i * 5] = get_sub_group_eq_mask().x;
    out[i * 5 + 1] = get_sub_group_ge_mask().x;
    out[i * 5 + 2] = get_sub_group_gt_mask().x;
    out[i * 5 + 3] = get_sub_group_le_mask().x;
    out[i * 5 + 4] = get_sub_group_lt_mask().x;`,
    [],
    shape,
    5,
  );
  const most = Math.min(
    SIZE,
    shape.local.reduce((a, b) => a * b, 1),
  );
  const mask = (test_: (bit: number) => boolean): number =>
    ballot(Array.from({ length: most }, (_, bit) => test_(bit)));
  expect(masks).toEqual(
    expected(shape, [], (_, at) => [
      mask((bit) => bit === at),
      mask((bit) => bit >= at),
      mask((bit) => bit > at),
      mask((bit) => bit <= at),
      mask((bit) => bit < at),
    ]),
  );
});

const ARITHMETIC: readonly (readonly [kind: string, combine: (a: number, b: number) => number, first: number])[] = [
  ["add", (a, b) => (a + b) | 0, 0],
  ["mul", (a, b) => Math.imul(a, b), 1],
  ["min", (a, b) => Math.min(a, b), 2 ** 31 - 1],
  ["max", (a, b) => Math.max(a, b), -(2 ** 31)],
  ["and", (a, b) => a & b, -1],
  ["or", (a, b) => a | b, 0],
  ["xor", (a, b) => a ^ b, 0],
  ["logical_and", (a, b) => (a !== 0 && b !== 0 ? 1 : 0), 1],
  ["logical_or", (a, b) => (a !== 0 || b !== 0 ? 1 : 0), 0],
  ["logical_xor", (a, b) => ((a !== 0) !== (b !== 0) ? 1 : 0), 0],
];

test.each(ARITHMETIC)("reductions and scans by %s of those that come together", (kind, combine, first) => {
  const shape: Shape = { global: [45], local: [23] };
  const input = scattered(45, 11).map((value) => value - 4);
  const body = ["reduce", "scan_inclusive", "scan_exclusive"]
    .map((form, j) => `out[i * 4 + ${j}] = sub_group_non_uniform_${form}_${kind}(v);`)
    .join(" ");
  const out = ints(
    `int v = in[i];
    if (v > 4) out[i * 4] = out[i * 4 + 1] = out[i * 4 + 2] = 77;
    else { ${body} }
    out[i * 4 + 3] = sub_group_clustered_reduce_${kind}(v, 4);`,
    input,
    shape,
    4,
  );
  const all = (list: readonly number[]): number => list.reduce(combine, first);
  expect(out).toEqual(
    expected(shape, input, (v, at) => {
      const cluster = all(v.slice(at - (at % 4), at - (at % 4) + 4));
      if ((v[at] ?? 0) > 4) return [77, 77, 77, cluster];
      const active = (to: number): number[] => v.slice(0, to).filter((x) => x <= 4);
      return [all(active(v.length)), all(active(at + 1)), all(active(at)), cluster];
    }),
  );
});

test.each([
  ["shuffle(v, (id * 3 + 1) % n)", (at: number, n: number) => (at * 3 + 1) % n],
  ["shuffle_xor(v, 3)", (at: number) => at ^ 3],
  ["shuffle_up(v, 2)", (at: number) => at - 2],
  ["shuffle_down(v, 1)", (at: number) => at + 1],
  ["rotate(v, 3)", (at: number) => (at + 3) % SIZE],
  ["rotate(v, -1)", (at: number) => (at + SIZE - 1) % SIZE],
  ["clustered_rotate(v, 1, 4)", (at: number) => (at & ~3) | ((at + 1) & 3)],
  ["clustered_rotate(v, -3, 4)", (at: number) => (at & ~3) | ((at + 1) & 3)],
  ["non_uniform_broadcast(v, n - 1)", (_: number, n: number) => n - 1],
] as const)("sub_group_%s", (call, source) => {
  const shape: Shape = { global: [43], local: [19] };
  const input = scattered(43, 1 << 20);
  for (const type of ["int", "long", "char", "double"]) {
    const factor = type === "char" ? 1 : 3;
    const out = ints(
      `${type} v = (${type})(in[i] ${type === "char" ? "& 127" : ""});
      uint n = get_sub_group_size();
      out[i] = (int)(sub_group_${call} * ${factor});`,
      input,
      shape,
    );
    expect(out).toEqual(
      expected(shape, input, (v, at) => {
        // One that is not there has no value: here it is zero, in every way.
        const from = v[source(at, v.length)] ?? 0;
        return type === "char" ? from & 127 : from * factor;
      }),
    );
  }
});

test("loops with divergent trip counts: the remaining work-items continue together, and reconverge after the loop", () => {
  const shape: Shape = { global: [40], local: [20] };
  const input = scattered(40, 7);
  const out = ints(
    `int v = in[i]; int sum = 0;
    for (int round = 0; round < v; round++) {
      if ((v + round) & 1) {
        sum += sub_group_ballot(1).x;
        if (v == 5) continue;
        sum += 1000 * sub_group_non_uniform_reduce_add(1);
      }
      else if (v == 6 && round == 4) break;
      sum ^= sub_group_ballot(v > 3).x;
    }
    out[i] = sum * 2 + (sub_group_ballot(1).x == (1u << get_sub_group_size()) - 1u);`,
    input,
    shape,
  );
  expect(out).toEqual(
    expected(shape, input, (values, at) => {
      const items = values.map((v) => ({ v, sum: 0, left: false }));
      const mask = (list: readonly (typeof items)[number][]): number =>
        ballot(items.map((item) => list.includes(item)));
      for (let round = 0; round < 7; round++) {
        const inside = items.filter((item) => !item.left && round < item.v);
        const odd = inside.filter(({ v }) => ((v + round) & 1) === 1);
        for (const item of odd) item.sum = (item.sum + mask(odd)) | 0;
        const counted = odd.filter(({ v }) => v !== 5);
        for (const item of counted) item.sum = (item.sum + 1000 * counted.length) | 0;
        for (const item of inside) if (!odd.includes(item) && item.v === 6 && round === 4) item.left = true;
        const last = inside.filter((item) => !item.left && !(odd.includes(item) && item.v === 5));
        for (const item of last) item.sum ^= mask(last.filter(({ v }) => v > 3));
      }
      return ((items[at]?.sum ?? 0) * 2 + 1) | 0;
    }),
  );
});

/** Trip count of the loop in the function below. */
const given = (x: number): number => ((x & 1) === 1 ? x : x + 1) & 3;

test("in functions that are called where ways part, and after some have returned", () => {
  const shape: Shape = { global: [32], local: [16] };
  const input = scattered(32, 10);
  const head = `int together(int v) {
      int n = sub_group_non_uniform_reduce_add(1);
      for (int j = 0; j < (v & 3); j++) n += 10 * sub_group_ballot(1).x;
      return n;
    }
    int outer(int v) { return v & 1 ? together(v) : together(v + 1) + 100000; }`;
  const out = ints(
    `int v = in[i];
    if (v > 7) {
      out[i] = -1;
      return;
    }
    int n = v > 4 ? outer(v) : 0;
    out[i] = n + sub_group_reduce_add(1) * 1000000;`,
    input,
    shape,
    1,
    head,
  );
  expect(out).toEqual(
    expected(shape, input, (v, at) => {
      const own = v[at] ?? 0;
      const living = v.filter((x) => x <= 7).length;
      if (own > 7) return -1;
      if (own <= 4) return living * 1_000_000;
      const peers = v.map((x) => x > 4 && x <= 7 && (x & 1) === (own & 1));
      let n = peers.filter(Boolean).length + ((own & 1) === 1 ? 0 : 100_000);
      for (let j = 0; j < given(own); j++) n += 10 * ballot(v.map((x, k) => peers[k] === true && given(x) > j));
      return n + living * 1_000_000;
    }),
  );
});

test.each([
  ["intel_reqd_sub_group_size", 1],
  ["intel_reqd_sub_group_size", 4],
  ["reqd_sub_group_size", 16],
  ["intel_reqd_sub_group_size", 32],
  ["intel_reqd_sub_group_size", 128],
] as const)("%s(%i)", (attribute, size) => {
  const shape: Shape = { global: [150], local: [75] };
  const input = scattered(150, 1000);
  const source = `__attribute__((${attribute}(${size}))) kernel void k(global const int* in, global int* out) {
    ${HEAD} int v = in[i];
    out[i * 4] = sub_group_reduce_add(v);
    out[i * 4 + 1] = sub_group_scan_inclusive_max(v);
    uint4 b = sub_group_ballot(v > 500);
    out[i * 4 + 2] = (v & 1) ? (int)b.y : (int)b.x;
    out[i * 4 + 3] = sub_group_clustered_reduce_max(v, ${Math.min(size, 8)});
  }`;
  const out = [...new Int32Array(runOver(source, Int32Array.from(input), 150 * 16, shape))];
  expect(out).toEqual(
    expected(
      shape,
      input,
      (v, at) => {
        const bits = v.map((x) => x > 500);
        const from = at - (at % Math.min(size, 8));
        return [
          sum(v),
          Math.max(...v.slice(0, at + 1)),
          ((v[at] ?? 0) & 1) === 1 ? ballot(bits.slice(32, 64)) : ballot(bits.slice(0, 32)),
          Math.max(...v.slice(from, from + Math.min(size, 8))),
        ];
      },
      size,
    ),
  );
  expect(build(source, { options: "-cl-std=CL3.0" }).kernels[0]?.variants[0]?.subGroupSize).toBe(size);
});

test("sizes that sub-groups cannot have are refused", () => {
  for (const size of [3, 256, 0])
    expect(() =>
      build(`__attribute__((intel_reqd_sub_group_size(${size}))) kernel void k(global int* out) { *out = 1; }`),
    ).toThrow("takes a power of two up to 128");
  expect(() => build(`kernel void k(global int* out) { *out = get_sub_group_size(); }`)).toThrow("needs OpenCL C 2.0");
});
