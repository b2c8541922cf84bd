// What a program may do with half: to store it anywhere, to compute with it where the device has cl_khr_fp16.
import { LAYOUT_32 } from "@muxkit/ir";
import { compileOpenCLC } from "@muxkit/opencl-c";
import { expect, test } from "vitest";

/** Codes of the errors in a kernel's body. */
function errors(parameters: string, body: string, extensions: readonly string[]): readonly string[] {
  const { diagnostics } = compileOpenCLC("half.cl", `kernel void k(${parameters}) { ${body} }\n`, {
    layout: LAYOUT_32, definitions: [], includeDirectories: [], headers: new Map(), readFile: null, standard: "1.2", deviceVersion: 120, extensions, fastRelaxedMath: false, finiteMathOnly: false,
    noSignedZeros: false, unsafeMath: false, singlePrecisionConstant: false, warnings: "default", allowUndefined: false, library: false,
  });
  return diagnostics.all.filter(({ severity }) => severity === "error").map(({ code }) => code);
}

const STORAGE: readonly (readonly [name: string, parameters: string, body: string])[] = [
  ["pointers", "global half *p", "global half *q = p + 1; q[1] = p[0];"],
  ["loads and stores by float", "global half *p", "float4 v = vload_half4(0, p); vstore_half4_rtz(v, 1, p); vstore_half((double)1, 0, p);"],
  ["sizes and arrays", "global int *p", "half h[4]; *p = sizeof(h) + sizeof(half3);"],
];

test.each(STORAGE)("%s need no extension", (_, parameters, body) => {
  expect(errors(parameters, body, [])).toEqual([]);
});

const ARITHMETIC: readonly (readonly [name: string, parameters: string, body: string])[] = [
  ["sums", "global half *p", "*p = *p + *p;"],
  ["sums of vectors", "global half4 *p", "*p = *p * 2;"],
  ["negation", "global half *p", "*p = -*p;"],
  ["literals", "global half *p", "*p = 1.0h;"],
  ["arguments by value", "half h, global half *p", "*p = h;"],
  ["built-in functions", "global half *p", "*p = sin(*p);"],
  ["comparisons", "global half *p, global int *q", "*q = *p < *q;"],
];

test.each(ARITHMETIC)("%s need cl_khr_fp16", (_, parameters, body) => {
  expect(errors(parameters, body, ["cl_khr_fp16"])).toEqual([]);
  expect(errors(parameters, body, [])).toHaveLength(1);
});

test("the constants of half come with the extension", () => {
  expect(errors("global half *p", "*p = HALF_MAX; p[1] = M_PI_H;", ["cl_khr_fp16"])).toEqual([]);
  expect(errors("global int *p", "*p = HALF_DIG;", [])).toHaveLength(1);
});
