// SPDX-License-Identifier: Apache-2.0
// Work-groups that are not all of one size (OpenCL C 2.0 and later): what work-items see of it, in every way.
import { build } from "@muxkit/kernel-suite";
import { expect, test } from "vitest";

import { type Shape, groupsOf, itemCount, runOver } from "./group-rig.ts";

const SHAPES: readonly Shape[] = [
  { global: [10], local: [4] },
  { global: [3], local: [8] },
  { global: [7, 5], local: [4, 2] },
  { global: [5, 4, 3], local: [2, 3, 2] },
];

const size = (axis: number, of: readonly number[]): number => of[axis] ?? 1;

test.each(SHAPES)("actual and enqueued sizes, ids and counts: $global by $local", (shape) => {
  const n = itemCount(shape);
  const source = `kernel void k(global const int* in, global int* out) {
    size_t i = get_global_linear_id();
    uint d = in[0];
    out[i * 12 + 0] = get_local_size(0); out[i * 12 + 1] = get_local_size(1); out[i * 12 + 2] = get_local_size(2);
    out[i * 12 + 3] = get_enqueued_local_size(0);
    out[i * 12 + 4] = get_enqueued_local_size(1);
    out[i * 12 + 5] = get_enqueued_local_size(2);
    out[i * 12 + 6] = get_num_groups(d);
    out[i * 12 + 7] = get_local_linear_id();
    out[i * 12 + 8] = get_local_size(3) * 10 + get_enqueued_local_size(d + 3);
    out[i * 12 + 9] = get_group_id(0) * get_enqueued_local_size(0) + get_local_id(0);
    out[i * 12 + 10] = get_global_size(d);
    out[i * 12 + 11] = get_local_size(d);
  }`;
  for (const d of [0, 1, 2]) {
    const out = [...new Int32Array(runOver(source, Int32Array.of(d), n * 48, shape))];
    const expected: number[][] = [];
    for (const group of groupsOf(shape)) {
      const first = group[0] ?? 0;
      const base = [
        first % size(0, shape.global),
        Math.floor(first / size(0, shape.global)) % size(1, shape.global),
        Math.floor(first / size(0, shape.global) / size(1, shape.global)),
      ];
      const actual = [0, 1, 2].map((axis) =>
        Math.min(size(axis, shape.local), size(axis, shape.global) - (base[axis] ?? 0)),
      );
      group.forEach((i, at) => {
        const counts = Math.ceil(size(d, shape.global) / size(d, shape.local));
        expected[i] = [
          ...actual,
          ...[0, 1, 2].map((axis) => size(axis, shape.local)),
          counts,
          at,
          11,
          i % size(0, shape.global),
          size(d, shape.global),
          actual[d] ?? 1,
        ];
      });
    }
    expect(out).toEqual(expected.flat());
  }
});

test("barriers and local memory of a ragged group", () => {
  const shape: Shape = { global: [5, 7], local: [4, 4] };
  const input = Int32Array.from({ length: 35 }, (_, i) => i * i);
  const source = `kernel void k(global const int* in, global int* out) {
    local int tile[16];
    size_t i = get_global_linear_id();
    size_t id = get_local_linear_id();
    size_t n = get_local_size(0) * get_local_size(1);
    tile[id] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (size_t j = 0; j < n; ++j) sum += tile[j];
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[id] = sum + (int)id;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[n - 1 - id];
  }`;
  const out = [...new Int32Array(runOver(source, input, 140, shape))];
  for (const group of groupsOf(shape)) {
    const sum = group.reduce((total, i) => total + (input[i] ?? 0), 0);
    group.forEach((i, at) => {
      expect(out[i]).toBe(sum + group.length - 1 - at);
    });
  }
});

test.each([
  ["", true],
  ["-cl-std=CL1.1", true],
  ["-cl-std=CL2.0", false],
  ["-cl-std=CL3.0", false],
  ["-cl-std=CL3.0 -cl-uniform-work-group-size", true],
] as const)("with %s groups are all of one size: %s", (options, isUniform) => {
  expect(build(`kernel void k(global int* x) { *x = 1; }`, { options }).kernels[0]?.uniformWorkGroups).toBe(isUniform);
});
