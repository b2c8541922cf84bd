// SPDX-License-Identifier: Apache-2.0
// Work-items that wait for each other: group operations, sub-groups, which continue first, and errors.
import { expect, test } from "vitest";

import { buffer, i32, kernelText, moduleOf, numbers, run, sentence } from "./kernels.ts";

const OUT = ["%out: ptr<global>"];

/** A kernel that stores `%r` at the work-item's global id. */
function storing(body: string): string {
  return kernelText(
    OUT,
    `^0:
  %id = global_id 0: i32
  ${body}
  %p = address %out, %id {scale 4}: ptr<global>
  store %r, %p {align 4}
  ret`,
  );
}

function outcome(body: string, items: number, local: number, subGroupSize: number = 4): number[][] {
  const module = moduleOf(storing(body));
  return (["forward", "backward"] as const).map((order) => {
    const out = i32(...Array.from({ length: items }, () => -1));
    run(module, { arguments: [buffer(out)], globalSize: [items], localSize: [local], subGroupSize, order });
    return numbers(out);
  });
}

test.each([
  ["%r = group_reduce %id {add, work_group}: i32", [15, 15, 15, 15, 15, 15]],
  ["%r = group_reduce %id {add, sub_group}: i32", [6, 6, 6, 6, 9, 9]],
  ["%r = group_reduce %id, 2 {umax, sub_group}: i32", [1, 1, 3, 3, 5, 5]],
  ["%r = group_scan_inclusive %id {add, work_group}: i32", [0, 1, 3, 6, 10, 15]],
  ["%r = group_scan_exclusive %id {mul, sub_group}: i32", [1, 0, 0, 0, 1, 4]],
  ["%r = group_broadcast %id, 1: i32 {sub_group}: i32", [1, 1, 1, 1, 5, 5]],
  ["%n = xor %id, 1: i32\n  %r = group_shuffle %id, %n {work_group}: i32", [1, 0, 3, 2, 5, 4]],
  ["%n = add %id, 1: i32\n  %r = group_shuffle %id, %n {work_group}: i32", [1, 2, 3, 4, 5, 0]],
  ["%r = group_broadcast_first %id {sub_group, non_uniform}: i32", [0, 0, 0, 0, 4, 4]],
  [
    "%b = ugt %id, 2: i32: i1\n  %v = group_ballot %b {sub_group, non_uniform}: <4 x " +
      "i32>\n  %r = extract %v, 0: i32: i32",
    [8, 8, 8, 8, 3, 3],
  ],
  ["%b = ugt %id, 3: i32: i1\n  %a = group_all %b {sub_group}: i1\n  %r = zext %a: i32", [0, 0, 0, 0, 1, 1]],
  ["%b = eq %id, 5: i32: i1\n  %a = group_any %b {work_group}: i1\n  %r = zext %a: i32", [1, 1, 1, 1, 1, 1]],
  ["%r = sub_group_size: i32", [4, 4, 4, 4, 2, 2]],
  ["%r = num_sub_groups: i32", [2, 2, 2, 2, 2, 2]],
] as const)("%s", (body, expected) => {
  for (const result of outcome(body, 6, 6)) expect(result).toEqual(expected);
});

test("those that are less far continue first: divergent branches reconverge, iterations of a loop end together", () => {
  const body = `%odd = and %id, 1: i32
  %is = eq %odd, 1: i32: i1
  cond_br %is, ^loop(0: i32, 0: i32), ^join(100: i32)
^loop(%i: i32, %sum: i32):
  %one = group_reduce 1: i32 {add, sub_group, non_uniform}: i32
  %next = add %sum, %one: i32
  %j = add %i, 1: i32
  %more = ult %j, %id: i1
  cond_br %more, ^loop(%j: i32, %next: i32), ^join(%next: i32)
^join(%own: i32):
  %all = group_reduce 10000: i32 {add, sub_group, non_uniform}: i32
  %r = add %all, %own: i32`;
  // Of the four, 1 runs one iteration and 3 three: together at first, then alone.
  for (const result of outcome(body, 4, 4)) expect(result).toEqual([40_100, 40_002, 40_100, 40_004]);
});

test("an operation for all that some do not reach names both", () => {
  const module = moduleOf(
    kernelText(
      OUT,
      `^0:
  %id = local_id 0: i32
  %in = ult %id, 2: i32: i1
  cond_br %in, ^some, ^others
^some:
  %a = group_reduce %id {add, sub_group}: i32
  ret
^others:
  %b = group_reduce %id {add, sub_group}: i32
  ret`,
    ),
  );
  expect(sentence(module, { arguments: [{ kind: "null" }], globalSize: [4], localSize: [4] })).toContain(
    "work-item (0, 0, 0) of the group waits at this barrier, work-item (2, 0, 0) at another",
  );
});

test("a broadcast is from one work-item", () => {
  const module = moduleOf(storing("%r = group_broadcast %id, %id {work_group}: i32"));
  expect(sentence(module, { arguments: [buffer(i32(0, 0))], globalSize: [2], localSize: [2] })).toContain(
    "broadcasts from another work-item",
  );
});

test("sizes that sub-groups cannot have", () => {
  const module = moduleOf(storing("%r = sub_group_id: i32"));
  for (const subGroupSize of [0, 129, 1.5])
    expect(
      sentence(module, { arguments: [buffer(i32(0, 0))], globalSize: [2], localSize: [2], subGroupSize }),
    ).toContain("a sub-group has 1 to 128 work-items");
});

test.each([
  [false, 5],
  [true, 2],
])("a part of a range, whose groups are counted: %s", (isCounted, count) => {
  const module = moduleOf(storing("%r = num_groups 0: i32"));
  const out = i32(-1, -1, -1, -1, -1);
  const groups = { first: [1, 0, 0], count: [2, 1, 1], isCounted } as const;
  run(module, { arguments: [buffer(out)], globalSize: [5], localSize: [1], groups });
  expect(numbers(out)).toEqual([-1, count, count, -1, -1]);
});
