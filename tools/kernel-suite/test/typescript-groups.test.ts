// SPDX-License-Identifier: Apache-2.0
// Kernels in TypeScript: functions of work-groups and sub-groups, also where not all work-items reach them. Debug
// JavaScript, the interpreter, scalar and vector code have the same bits.
import { BUILTINS } from "@muxkit/builtin-table";
import { expect, test } from "vitest";

import { compare, debugFunctions, runDebug, translated } from "./typescript-rig.ts";

const words = (count: number): Int32Array =>
  Int32Array.from({ length: count }, (_, i) => Math.imul(i + 3, 40_503) % 101);

const names = [...new Set(BUILTINS.map(({ name }) => name))].filter((name) => name.startsWith("sub_group_"));
const OF_BALLOTS = /inverse_ballot|ballot_/u;
const WITH_ID = /broadcast$|shuffle|rotate/u;

/** Calls of a function with a value `a` and, where it takes one, an id that all share. */
function callOf(name: string): string | null {
  if (/barrier|pipe/u.test(name)) return null;
  if (name === "sub_group_elect") return `${name}()`;
  if (name === "sub_group_ballot") return `int(popcount(${name}(a & 1)).x)`;
  if (name === "sub_group_ballot_bit_extract") return `${name}(sub_group_ballot(a & 1), 2)`;
  if (OF_BALLOTS.test(name)) return `int(${name}(sub_group_ballot(a & 3)))`;
  if (name === "sub_group_clustered_rotate") return `${name}(a, 1, 4)`;
  if (name.includes("clustered")) return `${name}(a, 4)`;
  return WITH_ID.test(name) && !name.endsWith("first") ? `${name}(a, 1)` : `${name}(a)`;
}

const calls = names.flatMap((name) => {
  const call = callOf(name);
  return call === null ? [] : [[name, call] as const];
});

test.each(calls)("%s: %s", (_name, call) => {
  const { others, numbers } = compare({
    text: `export const k = kernel((item: NdItem<1>, n: Accessor<int>, o: Accessor<int>) => {
  const a = n[item.getGlobalId()];
  o[item.getGlobalId()] = ${call} + 1000 * int(get_sub_group_local_id());
});`,
    kernel: "k",
    range: [32],
    localRange: [16],
    arguments: [words(32), new Int32Array(32)],
  });
  expect(others).toEqual([]);
  expect(numbers[1]?.at(-1)).not.toBe("0");
});

test.each(["float", "half", "ulong", "uchar"])("reductions, scans and exchanges of %s", (name) => {
  const Types = { float: Float32Array, half: Uint16Array, ulong: BigUint64Array, uchar: Uint8Array };
  const made = new Types[name as keyof typeof Types](16);
  const { others } = compare({
    text: `export const k = kernel((item: NdItem<1>, n: Accessor<${name}>, o: Accessor<${name}, "read_write", 2>) => {
  const i = item.getGlobalId();
  const a = ${name}(i % 5 + 1);
  o[0][i] = sub_group_reduce_max(a) + sub_group_scan_exclusive_add(a);
  o[1][i] = sub_group_non_uniform_reduce_mul(${name}(i % 2 + 1)) + sub_group_shuffle_xor(a, 3);
  o[2][i] = sub_group_scan_inclusive_min(a) + sub_group_clustered_reduce_add(a, 2) + sub_group_rotate(a, -3);
});`,
    kernel: "k",
    range: [16],
    localRange: [16],
    arguments: [made, { data: new Types[name as keyof typeof Types](48), range: [3, 16] }],
  });
  expect(others).toEqual([]);
});

test("queries and masks, with sub-groups of a size that the kernel says and a rest", () => {
  const { numbers, others } = compare({
    text: `export const k = kernel((item: NdItem<2>, o: Accessor<uint, "read_write", 2>) => {
  const i = item.getGlobalLinearId();
  o[i][0] = get_sub_group_size(); o[i][1] = get_max_sub_group_size(); o[i][2] = get_num_sub_groups();
  o[i][3] = get_sub_group_id() * 100 + get_sub_group_local_id();
  o[i][4] = get_sub_group_eq_mask().x; o[i][5] = get_sub_group_ge_mask().x; o[i][6] = get_sub_group_gt_mask().x;
  o[i][7] = get_sub_group_le_mask().x; o[i][8] = get_sub_group_lt_mask().x; o[i][9] = get_enqueued_num_sub_groups();
}, { subGroupSize: 4 });`,
    kernel: "k",
    range: [2, 6],
    localRange: [2, 3],
    arguments: [{ data: new Uint32Array(120), range: [12, 10] }],
  });
  expect(others).toEqual([]);
  expect(numbers[0]?.slice(0, 4)).toEqual(["4", "4", "2", "0"]);
});

test("those that come take part: in branches, loops and functions", () => {
  const { others } = compare({
    text: `const counted = (a: int): int => sub_group_non_uniform_reduce_add(a);
export const k = kernel((item: NdItem<1>, n: Accessor<int>, o: Accessor<int, "read_write", 2>) => {
  const i = item.getGlobalId();
  if ((i & 1) === 0) o[0][i] = counted(n[i]);
  else o[0][i] = sub_group_non_uniform_scan_inclusive_max(n[i]);
  let sum = 0;
  for (let j = 0; j < i % 4; j++) sum += sub_group_non_uniform_reduce_add(1) * 10 + sub_group_broadcast_first(i);
  o[1][i] = sum;
  if (i % 3 !== 0) o[2][i] = int(sub_group_ballot(1).x) + sub_group_elect();
  item.barrier("local", "sub_group");
  o[3][i] = o[1][i] + work_group_reduce_add(1) + work_group_broadcast(i, 5);
});`,
    kernel: "k",
    range: [32],
    localRange: [16],
    arguments: [words(32), { data: new Int32Array(128), range: [4, 32] }],
  });
  expect(others).toEqual([]);
});

test("local memory of a sub-group, with its barriers", () => {
  const { others } = compare({
    text: `export const k = kernel((item: NdItem<1>, n: Accessor<int>, s: LocalArray<int>) => {
  const i = item.getLocalId();
  const first = i - int(get_sub_group_local_id());
  s[i] = n[item.getGlobalId()];
  item.barrier("local", "sub_group");
  const sum = s[first] + s[first + int(get_sub_group_size()) - 1];
  item.barrier("both", "sub_group");
  s[i] = sum;
  item.barrier();
  n[item.getGlobalId()] = s[item.getLocalRange() - 1 - i];
});`,
    kernel: "k",
    range: [24],
    localRange: [12],
    arguments: [words(24), { local: 12 }],
  });
  expect(others).toEqual([]);
});

test("a function that all are to reach says who does not", () => {
  const text = `export const k = kernel((item: NdItem<1>, n: Accessor<int>) => {
  if (item.getLocalId() < 3) n[0] = sub_group_reduce_add(1);
});`;
  const launch = { text, kernel: "k", range: [8], localRange: [8], arguments: [new Int32Array(1)] };
  expect(() => runDebug(translated(text), launch)).toThrow(/3 of 8 work-items wait at sub_group_reduce_add/u);
  const late = text.replace("n[0] = sub_group_reduce_add(1)", "item.barrier()");
  expect(() => runDebug(translated(late), { ...launch, text: late })).toThrow(/3 of 8 work-items wait at a barrier/u);
  expect(Object.keys(debugFunctions(translated(text)))).toEqual(["k"]);
});
