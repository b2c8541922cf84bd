// SPDX-License-Identifier: Apache-2.0
// What a program may do with half: to point to it anywhere, to compute with it where the device has cl_khr_fp16 and the
// program has enabled it.
import { compileOpenCLC } from "@muxkit/opencl-c";
import { expect, test } from "vitest";

import { frontEndOptions } from "./front-end-options.ts";

const FP16 = "cl_khr_fp16";
const ENABLE = `#pragma OPENCL EXTENSION ${FP16} : enable\n`;

/** Codes of the errors in a kernel's body, `head` before it. */
function errors(parameters: string, body: string, extensions: readonly string[], head = ""): readonly string[] {
  const { diagnostics } = compileOpenCLC(
    "half.cl",
    `${head}kernel void k(${parameters}) { ${body} }\n`,
    frontEndOptions({ extensions }),
  );
  return diagnostics.all.filter(({ severity }) => severity === "error").map(({ code }) => code);
}

const STORAGE: readonly (readonly [name: string, parameters: string, body: string])[] = [
  ["pointers", "global half *p", "global half *q = p + 1; vstore_half(vload_half(0, p), 1, q);"],
  [
    "loads and stores by float",
    "global half *p",
    "float4 v = vload_half4(0, p); vstore_half4_rtz(v, 1, p); vstore_half((double)1, 0, p);",
  ],
  ["sizes", "global int *p, global half *h", "*p = sizeof(*h) + sizeof(half) + sizeof(half3);"],
  [
    "members",
    "global int *p",
    "struct pair { half x; half y[3]; }; union all { struct pair p; long l; } u; u.l = " +
      "*p; vstore_half(1.0f, 2, u.p.y); *p = vload_half(0, &u.p.x) > 1.0f;",
  ],
];

test.each(STORAGE)("%s need no extension", (_, parameters, body) => {
  expect(errors(parameters, body, [])).toEqual([]);
  expect(errors(parameters, body, [FP16])).toEqual([]);
});

const ARITHMETIC: readonly (readonly [name: string, parameters: string, body: string])[] = [
  ["sums", "global half *p", "*p = *p + *p;"],
  ["sums of vectors", "global half4 *p", "*p = *p * 2;"],
  ["negation", "global half *p", "*p = -*p;"],
  ["literals", "global half *p", "*p = 1.0h;"],
  ["arguments by value", "half h, global half *p", "*p = h;"],
  ["built-in functions", "global half *p", "*p = sin(*p);"],
  ["loads", "global half *p, global float *q", "*q = *p;"],
  ["stores", "global half *p, global float *q", "*p = *q;"],
  ["copies", "global half *p", "p[1] = p[0];"],
  ["components", "global half4 *p, global float *q", "*q = p->x;"],
  ["casts", "global float *q", "*q = (float)(half)*q;"],
  ["variables", "global half *p", "half h;"],
  ["arrays", "global half *p", "half h[2][2];"],
  ["arrays in local memory", "global half *p", "local half h[4]; vstore_half(1.0f, 0, h);"],
  ["comparisons", "global half *p, global int *q", "*q = *p < *q;"],
];

test.each(ARITHMETIC)("%s need cl_khr_fp16", (_, parameters, body) => {
  expect(errors(parameters, body, [FP16], ENABLE)).toEqual([]);
  // One line is missing, so one message comes, however many uses there are.
  expect(errors(parameters, body + body.replaceAll("half h", "half i"), [])).toEqual(["CL2032"]);
});

test.each(ARITHMETIC.filter(([name]) => name !== "sums of vectors"))(
  "%s need the extension to be enabled",
  (_, parameters, body) => {
    expect(errors(parameters, body, [FP16])).toEqual(["CL2124"]);
    expect(errors(parameters, body, [FP16], `${ENABLE}#pragma OPENCL EXTENSION ${FP16} : disable\n`)).toEqual([
      "CL2124",
    ]);
    expect(errors(parameters, body, [FP16], `${ENABLE}#pragma OPENCL EXTENSION all : disable\n`)).toEqual(["CL2124"]);
    expect(errors(parameters, body, [], ENABLE)).toEqual(["CL2032"]);
  },
);

test("the constants of half come with the extension", () => {
  expect(errors("global half *p", "*p = HALF_MAX; p[1] = M_PI_H;", [FP16], ENABLE)).toEqual([]);
  expect(errors("global int *p", "*p = HALF_DIG;", [])).toHaveLength(1);
});
