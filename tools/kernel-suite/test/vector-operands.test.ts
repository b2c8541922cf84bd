// SPDX-License-Identifier: Apache-2.0
// Vector literals within casts, and ?: with vectors and scalars of every width, against what the language defines.
import { expect, test } from "vitest";

import { firstDifference, runEveryWay } from "@muxkit/kernel-suite";

/** Runs one work-item in every way; returns the ints it left. */
function run(body: string, count: number): readonly number[] {
  const [first, ...others] = runEveryWay({
    source: `#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global int* out) { int n = 0; ${body} }`,
    kernel: "k",
    global: [1],
    local: [1],
    widths: [],
    arguments: [{ contents: new Uint8Array(count * 4) }],
  });
  if (first === undefined) throw new Error("nothing ran");
  for (const other of others) expect(firstDifference(first, other, ["bits"])).toBeNull();
  return [...new Int32Array(first.buffers[0]?.slice().buffer ?? new ArrayBuffer(0))];
}

const LITERALS: readonly (readonly [expression: string, value: readonly number[]])[] = [
  ["(int2)(int)3.9f", [3, 3]],
  ["(int2)(char)(300)", [44, 44]],
  ["(int2)(int2)(int2)(1, 2)", [1, 2]],
  ["(int2)(int4)(1, 2, 3, 4).wy", [4, 2]],
  ["(int2)(int)(float4)(1, 2, 3, 4).z", [3, 3]],
  ["(int2)((int2)(5, 6).yx)", [6, 5]],
  ["(int2)((int)(uchar)-1, (int)(char)255)", [255, -1]],
  ["(int2)(int2){ 7, 8 }", [7, 8]],
  ["(int2)(int){ 9 }", [9, 9]],
  ["-(int2)(short)(1 << 15)", [32768, 32768]],
  ["(int2)(1, 2)[1] + (int2)(int)10", [12, 12]],
  // A bool that goes into every component is -1 (6.2.2); one that is a component is 1.
  ["(int2)(bool)n", [0, 0]],
  ["(int2)(bool)(n + 5)", [-1, -1]],
  ["(int2)((bool)5)", [-1, -1]],
  ["convert_int2((float2)(bool)(n + 5))", [-1, -1]],
  ["(int2)((bool)5, (bool)(n + 5))", [1, 1]],
  ["(int2)3 + (bool)(n + 5)", [4, 4]],
];

test.each(LITERALS)("%s", (expression, value) => {
  expect(run(`int2 v = ${expression}; out[0] = v.x; out[1] = v.y;`, 2)).toEqual(value);
});

/** Types of one width: of conditions, and of what is selected. */
const WIDTHS: readonly (readonly [conditions: readonly string[], values: readonly string[]])[] = [
  [
    ["char", "uchar"],
    ["char", "uchar"],
  ],
  [
    ["short", "ushort"],
    ["short", "ushort", "half"],
  ],
  [
    ["int", "uint"],
    ["int", "uint", "float"],
  ],
  [
    ["long", "ulong"],
    ["long", "ulong", "double"],
  ],
];
const NARROWER: Readonly<Record<string, string>> = {
  short: "char",
  ushort: "uchar",
  int: "short",
  uint: "ushort",
  long: "int",
  ulong: "uint",
};

// Top bits decide: of (0, -1, 1, -2) the second and the fourth have one.
const pick = (yes: readonly number[], no: readonly number[]): readonly number[] =>
  yes.map((each, i) => (i % 2 === 1 ? each : (no[i] ?? 0)));

test.each(
  WIDTHS.flatMap(([conditions, values]) =>
    conditions.flatMap((condition) => values.map((value) => [condition, value] as const)),
  ),
)("a vector of %s selects among scalars and vectors of %s", (condition, value) => {
  const narrow = NARROWER[value] ?? value;
  const arms = ["a : b", "v : b", "a : w", "v : w", "a : c", "c : v"];
  const lines = arms.map(
    (arm) => `r = convert_int4(mask ? ${arm}); out[n++] = r.x; out[n++] = r.y; out[n++] = r.z; out[n++] = r.w;`,
  );
  const body = `volatile int one = 1; ${condition}4 mask = convert_${condition}4((int4)(0, -one, one, -one - one));
      ${value} a = 10 + one, b = 20 + one; ${narrow} c = 30 + one;
      ${value}4 v = (${value}4)(41, 42, 43, 44), w = (${value}4)(51, 52, 53, 54); int4 r; ${lines.join("\n")}`;
  const [a, b, c] = [11, 21, 31].map((each) => [each, each, each, each]) as [number[], number[], number[]];
  const [v, w] = [
    [41, 42, 43, 44],
    [51, 52, 53, 54],
  ];
  expect(run(body, 24)).toEqual(
    [
      [a, b],
      [v, b],
      [a, w],
      [v, w],
      [a, c],
      [c, v],
    ].flatMap(([yes = [], no = []]) => pick(yes, no)),
  );
});
