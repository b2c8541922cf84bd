// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies (OpenCL C 6.15.11, cl_khr_extended_async_copies): what arrives, in both directions, whichever of
// the group copies it.
import { expect, test } from "vitest";

import { firstDifference, runEveryWay } from "@muxkit/kernel-suite";

import { ENABLE_HALF } from "./half-reference.ts";

/** Runs `k(in, out)` in every way, which must agree; returns what is in `out`. */
function run(
  source: string,
  input: Uint8Array,
  outputBytes: number,
  global: readonly number[],
  local: readonly number[],
): Uint8Array {
  const [first, ...others] = runEveryWay({
    source,
    kernel: "k",
    options: "-cl-std=CL3.0",
    global,
    local,
    arguments: [{ contents: input }, { contents: new Uint8Array(outputBytes).fill(255) }],
  });
  if (first === undefined) throw new Error("nothing ran");
  for (const other of others) expect(firstDifference(first, other, ["bits", "bits"])).toBeNull();
  return first.buffers[1] ?? new Uint8Array(0);
}

function counted(bytes: number): Uint8Array {
  return Uint8Array.from({ length: bytes }, (_, i) => (i * 37 + (i >> 8)) % 251);
}

/** Types with the bytes of an element; one of three lanes takes as much as one of four. */
const TYPES = [
  ["char", 1],
  ["uchar3", 4],
  ["ushort", 2],
  ["half2", 4],
  ["int", 4],
  ["float3", 16],
  ["float16", 64],
  ["long2", 16],
  ["double", 8],
  ["ulong", 8],
] as const;
const GROUPS = [
  [[8], [8]],
  [
    [12, 2],
    [3, 2],
  ],
  [[7], [7]],
] as const;

test.each(TYPES)("copies of %s", (type, size) => {
  for (const [global, local] of GROUPS) {
    const groups = global.reduce((product: number, items, axis) => product * (items / (local[axis] ?? 1)), 1);
    const count = 10;
    // In as neighbours, out every second; in every third, out as neighbours.
    const source = `${ENABLE_HALF}kernel void k(global const ${type} *in, global ${type} *out) {
      local ${type} near[10], apart[10];
      size_t group = get_group_id(1) * get_num_groups(0) + get_group_id(0);
      event_t e = async_work_group_copy(near, in + group * 10, 10, 0);
      e = async_work_group_strided_copy(apart, in + group, 10, 3, e);
      wait_group_events(1, &e);
      prefetch(in, 4);
      event_t f[2];
      f[0] = async_work_group_strided_copy(out + group * 30, near, 10, 2, 0);
      f[1] = async_work_group_copy(out + group * 30 + 20, apart, 10, 0);
      wait_group_events(2, f);
    }`;
    const input = counted(groups * 30 * size);
    const wanted = new Uint8Array(groups * 30 * size).fill(255);
    const take = (to: number, from: number): void =>
      wanted.set(input.subarray(from * size, (from + 1) * size), to * size);
    for (let group = 0; group < groups; group++) {
      for (let i = 0; i < count; i++) {
        take(group * 30 + 2 * i, group * 10 + i);
        take(group * 30 + 20 + i, group + 3 * i);
      }
    }
    const got = run(source, input, wanted.length, global, local);
    // The fourth lane of a vector of three holds nothing.
    const counts = (at: number): boolean => !type.endsWith("3") || at % size < (size / 4) * 3;
    expect([...got].filter((_, at) => counts(at))).toEqual([...wanted].filter((_, at) => counts(at)));
  }
});

test("blocks of lines and planes go to and from local memory", () => {
  const size = 4;
  const input = counted(8 * 6 * 5 * size);
  const source = `kernel void k(global const int *in, global int *out) {
    local int flat[64], solid[64];
    // 3 of each line of 8, 4 lines, from (2, 1) on: lines of 5 in local memory. Then 2 × 3 × 2 out of planes of 48.
    event_t e = async_work_group_copy_2D2D(flat, 1, in, 8 + 2, sizeof(int), 3, 4, 8, 5, 0);
    e = async_work_group_copy_3D3D(solid, 2, in, 48 + 8 + 1, sizeof(int), 2, 3, 2, 8, 48, 3, 11, e);
    wait_group_events(1, &e);
    e = async_work_group_copy_2D2D(out, 0, flat, 1, sizeof(int), 3, 4, 5, 3, 0);
    e = async_work_group_copy_3D3D(out, 20, solid, 2, sizeof(int), 2, 3, 2, 3, 11, 2, 7, e);
    wait_group_events(1, &e);
  }`;
  const wanted = new Uint8Array(40 * size).fill(255);
  const take = (to: number, from: number): void =>
    wanted.set(input.subarray(from * size, (from + 1) * size), to * size);
  for (let y = 0; y < 4; y++) for (let x = 0; x < 3; x++) take(y * 3 + x, (y + 1) * 8 + 2 + x);
  for (let z = 0; z < 2; z++)
    for (let y = 0; y < 3; y++)
      for (let x = 0; x < 2; x++) take(20 + z * 7 + y * 2 + x, (z + 1) * 48 + (y + 1) * 8 + 1 + x);
  for (const local of [[1], [5], [16]])
    expect([...run(source, input, wanted.length, local, local)]).toEqual([...wanted]);
});
