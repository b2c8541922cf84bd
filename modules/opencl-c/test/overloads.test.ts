// SPDX-License-Identifier: Apache-2.0
// Overloads of built-ins that depend on what the device has: what is absent is no candidate.
import { LAYOUT_32 } from "@muxkit/ir";
import { type FrontEndOptions, compileOpenCLC } from "@muxkit/opencl-c";
import { expect, test } from "vitest";

import { frontEndOptions } from "./front-end-options.ts";

const DOTS = ["cl_khr_fp64", "cl_khr_integer_dot_product"];
const WITHOUT_DOUBLES: Partial<FrontEndOptions> = {
  extensions: [],
  layout: { ...LAYOUT_32, nativeF64: false },
  warnings: "none",
};

/** The codes of errors, and the overloads that are called. */
function compile(body: string, options: Partial<FrontEndOptions>): readonly string[] {
  const source = `void k(float4 v, int4 n, uchar4 b, int i, float f, global half* h, global float* o) { ${body} }`;
  const { module, diagnostics } = compileOpenCLC("program.cl", source, frontEndOptions(options));
  const errors = diagnostics.all.filter(({ severity }) => severity === "error").map(({ code }) => code ?? "");
  const calls = [...(module?.functions.values() ?? [])]
    .flatMap(({ blocks }) => blocks)
    .flatMap(({ instructions }) => instructions)
    .flatMap(({ symbol }) => (symbol?.kind === "builtin" ? [`${symbol.name}(${symbol.parameters.join(", ")})`] : []));
  return [...errors, ...calls];
}

test.each<readonly [body: string, options: Partial<FrontEndOptions>, calls: readonly string[]]>([
  ["o[0] = dot(v, 1.0f);", {}, ["dot(float4, float4)"]],
  ["o[0] = dot(v, 1.0f);", { extensions: DOTS }, ["dot(float4, float4)"]],
  ["o[0] = dot(1, v);", { extensions: DOTS }, ["dot(float4, float4)"]],
  ["o[0] = dot(b, b);", { extensions: DOTS }, ["dot(uchar4, uchar4)"]],
  ["o[0] = dot(b, 1);", { extensions: DOTS }, ["CL2013"]],
  ["o[0] = dot(n, n);", { extensions: DOTS }, ["CL2012"]],
  ["o[0] = sqrt(i);", {}, ["CL2013"]],
  ["o[0] = sqrt(i);", WITHOUT_DOUBLES, ["sqrt(float)"]],
  ["o[0] = pow(f, i);", {}, ["pow(float, float)"]],
  ["vstore_half(i, 0, h);", {}, ["CL2013"]],
  ["vstore_half(i, 0, h);", WITHOUT_DOUBLES, ["vstore_half(float, uint, half*)"]],
  ["vstore3(i, 0, o);", {}, ["vstore3(float3, uint, float*)"]],
])("%s with %o: %s", (body, options, calls) => {
  expect(compile(body, options)).toEqual(calls);
});
