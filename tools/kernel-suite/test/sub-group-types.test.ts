// SPDX-License-Identifier: Apache-2.0
// Sub-groups of every size over every type, in whole and parted ones, in every way: what vectors do among their lanes
// is what work-items do one by one.
import { IS_SLICE, build, firstDifference, runEveryWay } from "@muxkit/kernel-suite";
import { expect, test } from "vitest";

import { type Shape, itemCount, scattered } from "./group-rig.ts";

/** Types with their bytes, and how their values are made of an int. */
const TYPES: readonly (readonly [type: string, bytes: number, kind: "bits" | "f32" | "f64", make: string])[] = [
  ["char", 1, "bits", "(char)x"],
  ["uchar", 1, "bits", "(uchar)x"],
  ["short", 2, "bits", "(short)(x * 7)"],
  ["ushort", 2, "bits", "(ushort)(x * 7)"],
  ["int", 4, "bits", "x * 70001"],
  ["uint", 4, "bits", "(uint)x * 70001u"],
  ["long", 8, "bits", "(long)x * 0x1000003L << 20"],
  ["ulong", 8, "bits", "(ulong)x * 0x1000003UL << 20"],
  ["half", 2, "bits", "(half)x / 16"],
  ["float", 4, "f32", "x * 1.37f"],
  ["double", 8, "f64", "x * 1.37"],
];

const SHAPES: readonly Shape[] = [
  { global: [3], local: [1] },
  { global: [9], local: [3] },
  { global: [51], local: [17] },
  { global: [96], local: [32] },
  { global: [12, 8], local: [6, 4] },
  { global: [10, 6, 4], local: [5, 3, 2] },
  { global: [21, 5], local: [8, 2] },
  { global: [100], local: [64] },
];

const SIZES = [2, 4, 8, 16, 32, 64] as const;

/** Results that all work-items of a sub-group compute together, then those of some of them. */
function calls(type: string): readonly string[] {
  const forms = ["reduce", "scan_inclusive", "scan_exclusive"];
  const isInteger = !["half", "float", "double"].includes(type);
  const whole = forms.flatMap((form) => ["add", "min", "max"].map((kind) => `sub_group_${form}_${kind}(v)`));
  const kinds = ["add", "mul", "min", "max", ...(isInteger ? ["and", "or", "xor"] : [])];
  const parted = forms.flatMap((form) => kinds.map((kind) => `sub_group_non_uniform_${form}_${kind}(v)`));
  const clusters = kinds.map((kind, i) => `sub_group_clustered_reduce_${kind}(v, ${2 ** ((i % 2) + 1) > 2 ? "M" : 2})`);
  return [
    ...whole,
    "sub_group_broadcast(v, get_sub_group_size() / 2)",
    ...[
      ...parted,
      ...clusters,
      "sub_group_broadcast_first(v)",
      "sub_group_shuffle(v, x & 15)",
      "sub_group_shuffle_xor(v, 1)",
      "sub_group_shuffle_up(v, 1)",
      "sub_group_shuffle_down(v, n)",
      "sub_group_rotate(v, n + 1)",
      "sub_group_clustered_rotate(v, 1, 2)",
      "sub_group_non_uniform_broadcast(v, n)",
      `(${type})sub_group_non_uniform_all_equal(v)`,
    ].map((call) => `x % 3 != 0 ? (${call}) : v`),
  ];
}

function sourceOf(type: string, make: string, size: number): string {
  const list = calls(type);
  return `#pragma OPENCL EXTENSION cl_khr_fp16 : enable
  #define M ${Math.min(4, size)}
  __attribute__((intel_reqd_sub_group_size(${size}))) kernel void k(global const int* in, global ${type}* out,
      int n) {
    size_t i = get_global_linear_id(); int x = in[i]; ${type} v = ${make};
    ${list.map((call, j) => `out[i * ${list.length} + ${j}] = ${call};`).join("\n    ")}
  }`;
}

const OPTIONS = "-cl-std=CL3.0";
const chosen = (list: readonly Shape[], at: number): readonly Shape[] =>
  list.filter((_, i) => i % SIZES.length === at % SIZES.length || i % SIZES.length === (at + 3) % SIZES.length);

/** Each type in two sizes, each size with several types; in one size where a share of the suite runs. */
const CASES = TYPES.flatMap(([type, bytes, kind, make], row) =>
  SIZES.flatMap((size, column) =>
    (row + column) % (IS_SLICE ? SIZES.length : 3) === 0
      ? [{ type, bytes, kind, make, size, shapes: chosen(SHAPES, row + column) }]
      : [],
  ),
);

test.each(CASES)("$type in sub-groups of $size", ({ type, bytes, kind, make, size, shapes }) => {
  const source = sourceOf(type, make, size);
  for (const { global, local } of shapes) {
    const count = itemCount({ global, local });
    const input = Int32Array.from(scattered(count, 251), (value) => value - 125);
    const [first, ...others] = runEveryWay({
      source,
      kernel: "k",
      options: OPTIONS,
      global,
      local,
      widths: [],
      arguments: [
        { contents: new Uint8Array(input.buffer) },
        { contents: new Uint8Array(count * bytes * calls(type).length) },
        { value: Uint8Array.of(1, 0, 0, 0) },
      ],
    });
    if (first === undefined) throw new Error("nothing ran");
    for (const other of others)
      expect(firstDifference(first, other, ["bits", kind]), `${local.join(" × ")} of ${global.join(" × ")}`).toBeNull();
  }
  expect(build(source, { options: OPTIONS }).kernels[0]?.variants[0]).toMatchObject({
    vectorWidth: size,
    subGroupSize: size,
  });
});

test("vectors are off, values have no vector type, sub-groups have one work-item or too many: the size stays what it is", () => {
  const body = `int v = in[get_global_id(0)];
    out[get_global_id(0)] = sub_group_reduce_add(v) + (int)get_sub_group_size() * 1000;`;
  const kernel = (size: number, more: string): string =>
    `__attribute__((intel_reqd_sub_group_size(${size}))) kernel void k(global const int* in, global int* out) {
      ${body} ${more}
    }`;
  const wide = "int16 w = (int16)(v) * vload16(0, in); out[get_global_id(0)] += sub_group_broadcast(w, 1).s3;";
  for (const [size, options, more] of [
    [8, `${OPTIONS} -cl-wfv=never`, ""],
    [1, OPTIONS, ""],
    [128, OPTIONS, ""],
    [16, OPTIONS, wide],
  ] as const) {
    expect(build(kernel(size, more), { options }).kernels[0]?.variants[0]).toMatchObject({
      vectorWidth: 1,
      subGroupSize: size,
    });
    const input = Int32Array.from(scattered(300, 1000));
    const [first, ...others] = runEveryWay({
      source: kernel(size, more),
      kernel: "k",
      options,
      global: [300],
      local: [150],
      arguments: [{ contents: new Uint8Array(input.buffer) }, { contents: new Uint8Array(1200) }],
    });
    if (first === undefined) throw new Error("nothing ran");
    for (const other of others) expect(firstDifference(first, other, [])).toBeNull();
  }
});
