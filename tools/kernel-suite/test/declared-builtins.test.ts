// SPDX-License-Identifier: Apache-2.0
// Built-ins that a program declares itself mean the built-ins; those that it defines are its own.
import { expect, test } from "vitest";

import { firstDifference, runEveryWay } from "@muxkit/kernel-suite";

const OVERLOADABLE = "__attribute__((overloadable))";

/** Runs four work-items in every way; returns the ints they left. */
function run(source: string): readonly number[] {
  const [first, ...others] = runEveryWay({
    source,
    kernel: "k",
    global: [4],
    local: [4],
    arguments: [{ contents: new Uint8Array(16) }],
  });
  if (first === undefined) throw new Error("nothing ran");
  for (const other of others) expect(firstDifference(first, other, ["bits"])).toBeNull();
  return [...new Int32Array(first.buffers[0]?.slice().buffer ?? new ArrayBuffer(0))];
}

const ID = `size_t ${OVERLOADABLE} get_global_id(uint);`;

test.each<readonly [declarations: string, body: string, values: readonly number[]]>([
  [
    `void ${OVERLOADABLE} barrier(uint); ${ID}`,
    "local int t[4]; int i = get_global_id(0); t[i] = i * i; barrier(CLK_LOCAL_MEM_FENCE); out[i] = t[3 - i];",
    [9, 4, 1, 0],
  ],
  [
    "size_t get_global_id(uint dimension); extern uint get_work_dim(void);",
    "out[get_global_id(0)] = get_work_dim() + get_global_id(0);",
    [1, 2, 3, 4],
  ],
  [
    `float ${OVERLOADABLE} sqrt(float); float4 ${OVERLOADABLE} sqrt(float4); ${ID}`,
    "float f = get_global_id(0) * get_global_id(0); out[get_global_id(0)] = sqrt(f) + sqrt((float4)(f * 4)).w;",
    [0, 3, 6, 9],
  ],
  [
    `int2 ${OVERLOADABLE} vload2(size_t, const global int*); int ${OVERLOADABLE} atomic_add(volatile global int*, int); ${ID}`,
    "atomic_add(out + get_global_id(0), 7); out[get_global_id(0)] += vload2(0, out + (get_global_id(0) & ~1)).y * 0;",
    [7, 7, 7, 7],
  ],
  [
    `int ${OVERLOADABLE} max(int a, int b) { return a * 10 + b; } float ${OVERLOADABLE} max(float, float); ${ID}`,
    "out[get_global_id(0)] = max(1, 2) + (int)max(1.5f, 30.0f);",
    [42, 42, 42, 42],
  ],
  [
    "int mul24(int a, int b); int twice(int a) { return mul24(a, 2); } int mul24(int a, int b) { return a + b; }",
    "out[get_global_id(0)] = twice(5);",
    [7, 7, 7, 7],
  ],
  ["int printf(constant char* format, ...);", 'printf("%d", 5); out[get_global_id(0)] = 1;', [1, 1, 1, 1]],
])("%s", (declarations, body, values) => {
  expect(run(`${declarations}\nkernel void k(global int* out) { ${body} }`)).toEqual(values);
});
