// SPDX-License-Identifier: Apache-2.0
// Kernels over NDRanges: ids, groups, local memory, barriers, arguments, memory that lives on.
import { Memory, interpretCopies, interpretFunction, interpretKernel } from "@muxkit/interpreter";
import { I32, LAYOUT_32, Op, constantInt, parseModule } from "@muxkit/ir";
import { expect, test } from "vitest";

import { buffer, f32, floats, i32, kernelText, moduleOf, numbers, run, value } from "./kernels.ts";

const SAXPY = moduleOf(
  kernelText(
    ["%y: ptr<global>", "%x: ptr<global>", "%a: f32"],
    `^0:
  %i = global_id 0: i32
  %px = address %x, %i {scale 4}: ptr<global>
  %py = address %y, %i {scale 4}: ptr<global>
  %vx = load %px {align 4}: f32
  %vy = load %py {align 4}: f32
  %r = fma %a, %vx, %vy: f32
  store %r, %py {align 4}
  ret`,
  ),
);

test("saxpy changes its buffer in place", () => {
  const y = f32(1, 2, 3, 4, 5);
  expect(
    run(SAXPY, {
      arguments: [buffer(y), buffer(f32(10, 20, 30, 40, 50)), value(f32(0.5))],
      globalSize: [5],
      localSize: [2],
    }),
  ).toBe(40);
  expect(floats(y)).toEqual([6, 12, 18, 24, 30]);
});

test("copies leave the buffers as they are", () => {
  const y = f32(1, 2);
  const result = interpretCopies(SAXPY, "k", { arguments: [buffer(y), buffer(y), value(f32(2))], globalSize: [2] });
  expect(floats(y)).toEqual([1, 2]);
  expect(result.ok && result.value.buffers.map((bytes) => bytes === null || floats(bytes))).toEqual([
    [3, 6],
    [3, 6],
    true,
  ]);
  expect(result.ok && result.value.buffers[0] === result.value.buffers[1]).toBe(true);
});

/** A kernel that stores the result of one query in two dimensions, at its global linear id. */
function queries(...lines: string[]): ReturnType<typeof moduleOf> {
  const stores = lines
    .map(
      (line, i) =>
        `  %q${i} = ${line}: i32\n  %p${i} = address %row {offset ${i * 4}}: ptr<global>\n  ` +
        `store %q${i}, %p${i} {align 4}`,
    )
    .join("\n");
  return moduleOf(
    kernelText(
      ["%out: ptr<global>"],
      `^0:\n  %id = global_linear_id: i32\n  %row = address %out, %id {scale ` +
        `${lines.length * 4}}: ptr<global>\n${stores}\n  ret`,
    ),
  );
}

test("ids, sizes and offsets in two dimensions with ragged groups", () => {
  const module = queries(
    "global_id 0",
    "global_id 1",
    "local_id 0",
    "group_id 0",
    "local_size 0",
    "enqueued_local_size 0",
    "num_groups 0",
    "local_linear_id",
    "work_dim",
    "global_offset 1",
    "global_size 2",
    "global_id 3",
  );
  const out = new Uint8Array(12 * 4 * 6);
  run(module, { arguments: [buffer(out)], globalSize: [3, 2], localSize: [2, 2], globalOffset: [10, 20] });
  const rows = Array.from({ length: 6 }, (_, i) => numbers(out).slice(12 * i, 12 * i + 12));
  expect(rows).toEqual([
    [10, 20, 0, 0, 2, 2, 2, 0, 2, 20, 1, 0],
    [11, 20, 1, 0, 2, 2, 2, 1, 2, 20, 1, 0],
    [12, 20, 0, 1, 1, 2, 2, 0, 2, 20, 1, 0],
    [10, 21, 0, 0, 2, 2, 2, 2, 2, 20, 1, 0],
    [11, 21, 1, 0, 2, 2, 2, 3, 2, 20, 1, 0],
    [12, 21, 0, 1, 1, 2, 2, 1, 2, 20, 1, 0],
  ]);
});

test("queries from dimension 3 on", () => {
  const module = queries(
    "global_id 3",
    "local_id 4",
    "group_id -1",
    "global_offset 3",
    "global_size 3",
    "local_size 3",
    "enqueued_local_size 7",
    "num_groups 3",
  );
  const out = new Uint8Array(32);
  run(module, { arguments: [buffer(out)], globalSize: [1, 1, 1], globalOffset: [0, 0, 0] });
  expect(numbers(out)).toEqual([0, 0, 0, 0, 1, 1, 1, 1]);
});

/**
 * Each item stores its value, waits, and takes its neighbour's; the barrier is in a function that is called in a loop.
 */
const ROTATE = `global @tile: [8 x i32] local align 4
func @exchange(%mine: i32) -> i32 {
^0:
  %id = local_id 0: i32
  %base = global_address @tile: ptr<local>
  %p = address %base, %id {scale 4}: ptr<local>
  store %mine, %p {align 4}
  barrier {work_group, semantics 1}
  %size = local_size 0: i32
  %next = add %id, 1: i32
  %other = urem %next, %size: i32
  %q = address %base, %other {scale 4}: ptr<local>
  %theirs = load %q {align 4}: i32
  barrier {work_group, semantics 1}
  ret %theirs
}
${kernelText(
  ["%out: ptr<global>", "%times: i32"],
  `^0:
  %id = global_id 0: i32
  %p = address %out, %id {scale 4}: ptr<global>
  %first = load %p {align 4}: i32
  br ^head(0: i32, %first: i32)
^head(%i: i32, %v: i32):
  %more = ult %i, %times: i1
  cond_br %more, ^body, ^done
^body:
  %got = call @exchange %v: i32
  %j = add %i, 1: i32
  br ^head(%j: i32, %got: i32)
^done:
  store %v, %p {align 4}
  ret`,
)}`;

test("barriers in functions and loops, local memory for each group", () => {
  const module = moduleOf(ROTATE);
  for (const order of ["forward", "backward"] as const) {
    const out = i32(0, 1, 2, 3, 10, 11, 12, 13, 20, 21);
    run(module, { arguments: [buffer(out), value(i32(3))], globalSize: [10], localSize: [4], order });
    expect(numbers(out)).toEqual([3, 0, 1, 2, 13, 10, 11, 12, 21, 20]);
  }
});

test("work-items that have returned take no part in a barrier", () => {
  const module = moduleOf(
    kernelText(
      ["%out: ptr<global>"],
      `^0:
  %id = global_id 0: i32
  %in = ult %id, 3: i32: i1
  cond_br %in, ^work, ^leave
^leave:
  ret
^work:
  barrier {work_group, semantics 3}
  %p = address %out, %id {scale 4}: ptr<global>
  store 1: i32, %p {align 4}
  ret`,
    ),
  );
  const out = i32(0, 0, 0, 0);
  run(module, { arguments: [buffer(out)], globalSize: [4], localSize: [4] });
  expect(numbers(out)).toEqual([1, 1, 1, 0]);
});

test("in sub-groups of one, a barrier does not wait", () => {
  const module = moduleOf(
    kernelText(
      ["%out: ptr<global>"],
      `^0:
  %id = local_id 0: i32
  %first = eq %id, 0: i32: i1
  cond_br %first, ^one, ^all
^one:
  barrier {sub_group, semantics 1}
  br ^all
^all:
  ret`,
    ),
  );
  expect(run(module, { arguments: [{ kind: "null" }], globalSize: [4], localSize: [4], subGroupSize: 1 })).toBe(18);
});

test("an order of work-items that matters is a race that both orders show", () => {
  const module = moduleOf(
    kernelText(
      ["%out: ptr<global>"],
      `^0:
  %id = global_id 0: i32
  store %id, %out {align 4}
  ret`,
    ),
  );
  const last = (["forward", "backward"] as const).map((order) => {
    const out = i32(-1);
    run(module, { arguments: [buffer(out)], globalSize: [6], localSize: [2], order });
    return numbers(out)[0];
  });
  expect(last).toEqual([5, 0]);
});

test("atomics of all work-items add up", () => {
  const module = moduleOf(
    kernelText(
      ["%out: ptr<global>"],
      `^0:
  %id = global_id 0: i32
  %old = atomic_rmw %out, %id {add, relaxed, device}: i32
  ret`,
    ),
  );
  const out = i32(0);
  run(module, { arguments: [buffer(out)], globalSize: [100], localSize: [7] });
  expect(numbers(out)).toEqual([4950]);
});

test("local arguments are the group's, and empty at its start", () => {
  const module = moduleOf(
    kernelText(
      ["%out: ptr<global>", "%scratch: ptr<local>"],
      `^0:
  %old = atomic_rmw %scratch, 1 {add, relaxed, work_group}: i32
  barrier {work_group, semantics 1}
  %sum = load %scratch {align 4}: i32
  %id = global_id 0: i32
  %p = address %out, %id {scale 4}: ptr<global>
  store %sum, %p {align 4}
  ret`,
    ),
  );
  const out = i32(0, 0, 0, 0, 0);
  run(module, { arguments: [buffer(out), { kind: "local", size: 4 }], globalSize: [5], localSize: [3] });
  expect(numbers(out)).toEqual([3, 3, 3, 2, 2]);
});

test("arguments: vectors, structs through pointers, offsets into buffers, null", () => {
  const module = moduleOf(
    kernelText(
      ["%out: ptr<global>", "%v: <3 x i32>", "%s: ptr<private>", "%n: ptr<global>"],
      `^0:
  %a = extract %v, 2: i32: i32
  store %a, %out {align 4}
  %field = address %s {offset 8}: ptr<private>
  %b = load %field {align 4}: i32
  %p = address %out {offset 4}: ptr<global>
  store %b, %p {align 4}
  %none = eq %n, null: ptr<global>: i1
  %c = zext %none: i32
  %q = address %out {offset 8}: ptr<global>
  store %c, %q {align 4}
  ret`,
    ),
  );
  const out = i32(9, 0, 0, 0);
  run(module, {
    arguments: [buffer(out, 4), value(i32(1, 2, 3, 0)), value(i32(4, 5, 6)), { kind: "null" }],
    globalSize: [1],
  });
  expect(numbers(out)).toEqual([9, 3, 6, 1]);
});

test("the required work-group size is the local size", () => {
  const module = moduleOf(
    kernelText(
      ["%out: ptr<global>"],
      `^0:
  %n = local_size 0: i32
  store %n, %out {align 4}
  ret`,
      " reqd_work_group_size(3, 1, 1)",
    ),
  );
  const out = i32(0);
  run(module, { arguments: [buffer(out)], globalSize: [3] });
  expect(numbers(out)).toEqual([3]);
});

test("program-scope variables live on in a memory, and a stored pointer stays good", () => {
  const module = moduleOf(`global @kept: ptr<global> global align 4
${kernelText(
  ["%out: ptr<global>", "%first: i32"],
  `^0:
  %g = global_address @kept: ptr<global>
  %is = ne %first, 0: i32: i1
  cond_br %is, ^keep, ^use
^keep:
  store %out, %g {align 4}
  ret
^use:
  %p = load %g {align 4}: ptr<global>
  store 77: i32, %p {align 4}
  ret`,
)}`);
  const memory = new Memory(LAYOUT_32);
  const kept = i32(0);
  run(module, { arguments: [buffer(kept), value(i32(1))], globalSize: [1], memory });
  run(module, { arguments: [{ kind: "null" }, value(i32(0))], globalSize: [1], memory });
  expect(numbers(kept)).toEqual([77]);
  const global = module.globals.get("kept");
  expect(global === undefined ? null : numbers(memory.contents(global))).toEqual([memory.buffer(kept, "").base]);
});

test("specialisation constants", () => {
  const module = moduleOf("func @f() -> i32 {\n^0:\n  %c = spec_constant 4: i32 {offset 3}\n  ret %c\n}");
  expect(interpretFunction(module, "f", [])).toEqual({ ok: true, value: constantInt(I32, 4) });
  expect(interpretFunction(module, "f", [], { specialization: new Map([[3, constantInt(I32, 9)]]) })).toEqual({
    ok: true,
    value: constantInt(I32, 9),
  });
});

test("pointers of 64 bits, and the other byte order", () => {
  const parsed = parseModule(`module "m" pointers 8 8 8 8 8 size_t 64 big_endian
${kernelText(
  ["%out: ptr<global>"],
  `^0:
  %id = global_id 0: i64
  %bits = ptrtoint %out: i64
  %big = add %bits, %id: i64
  %p = inttoptr %big: ptr<global>
  store 258: i16, %p {align 1}
  ret`,
)}`);
  if (!parsed.ok) throw new Error(parsed.error.message);
  const out = new Uint8Array(2);
  expect(interpretKernel(parsed.value, "k", { arguments: [buffer(out)], globalSize: [1] }).ok).toBe(true);
  expect([...out]).toEqual([1, 2]);
});

test("a hook sees every instruction with its work-item, and can end the launch", () => {
  const launch = {
    arguments: [buffer(f32(1, 2, 3)), buffer(f32(10, 20, 30)), value(f32(0.5))],
    globalSize: [3],
    localSize: [2],
  };
  const seen: string[] = [];
  const steps = run(SAXPY, {
    ...launch,
    onInstruction: ({ op }, { globalId: [global], localId: [local], groupId: [group] }) => {
      if (op === Op.FMA) seen.push(`${global} = ${group} * 2 + ${local}`);
    },
  });
  expect(seen).toEqual(["0 = 0 * 2 + 0", "1 = 0 * 2 + 1", "2 = 1 * 2 + 0"]);
  let count = 0;
  expect(run(SAXPY, { ...launch, onInstruction: () => void count++ })).toBe(steps);
  expect(count).toBe(steps);
  expect(() =>
    run(SAXPY, {
      ...launch,
      onInstruction: () => {
        throw new RangeError("out of cycles");
      },
    }),
  ).toThrow("out of cycles");
});
