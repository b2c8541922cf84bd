// SPDX-License-Identifier: Apache-2.0
// What the language lets programs do with images and samplers (OpenCL C 6.6, 6.9 b, 6.12.14), and the descriptions of
// them.
import { type FrontEndOptions, compileOpenCLC } from "@muxkit/opencl-c";
import { describeVerifierError, verifyModule } from "@muxkit/ir";
import { renderText } from "@muxkit/report";
import { expect, test } from "vitest";

import { frontEndOptions } from "./front-end-options.ts";

const OPTIONS = frontEndOptions({
  extensions: ["cl_khr_fp64", "cl_khr_3d_image_writes", "cl_khr_depth_images"],
  features: ["__opencl_c_images", "__opencl_c_read_write_images"],
  warnings: "none",
});

function compile(
  source: string,
  options: Partial<FrontEndOptions> = {},
): {
  readonly codes: readonly string[];
  readonly text: string;
  readonly module: ReturnType<typeof compileOpenCLC>["module"];
} {
  const { module, diagnostics } = compileOpenCLC("image.cl", source, { ...OPTIONS, ...options });
  return { codes: diagnostics.all.map(({ code }) => code), text: renderText(diagnostics.all), module };
}

const SAMPLER = "CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST";

test.each([
  `constant sampler_t s = ${SAMPLER}; kernel void k(image2d_t i, global float4 *o) { *o = read_imagef(i, s, (float2)(0)); }`,
  `const sampler_t s = ${SAMPLER}; kernel void k(image2d_t i, global float4 *o) { *o = read_imagef(i, s, (int2)(0)); }`,
  `kernel void k(image2d_t i, global float4 *o) { const sampler_t s = ${SAMPLER}; *o = read_imagef(i, s, (int2)(0)); }`,
  `kernel void k(image2d_t i, global float4 *o) { constant sampler_t s = ${SAMPLER}; *o = read_imagef(i, s, (int2)(0)); }`,
  `kernel void k(image2d_t i, global float4 *o) { sampler_t s = ${SAMPLER}; *o = read_imagef(i, s, (int2)(0)); }`,
  `kernel void k(image2d_t i, global float4 *o) { *o = read_imagef(i, ${SAMPLER}, (int2)(0)); }`,
  `constant sampler_t a = ${SAMPLER}; kernel void k(image2d_t i, global float4 *o) { const sampler_t b = a; *o = read_imagef(i, b, (int2)(0)); }`,
  "typedef image2d_t picture; kernel void k(write_only picture i) { write_imageui(i, (int2)(0), (uint4)(1)); }",
  `float4 f(image2d_t i, sampler_t s) {
    return read_imagef(i, s, (float2)(0));
  }
  kernel void k(image2d_t i, sampler_t s, global float4 *o) {
    *o = f(i, s);
  }`,
  `void f(write_only image3d_t i);
  void f(write_only image3d_t i) {
    write_imagei(i, (int4)(0), (int4)(1));
  }
  kernel void k(__write_only image3d_t i) {
    f(i);
  }`,
  `kernel void k(image1d_t i, image1d_array_t a, image1d_buffer_t b, image3d_t t, sampler_t s, global int4 *o) {
    *o = read_imagei(i, s, 0.5f) + read_imagei(a, s, (int2)(0)) + read_imagei(b, 3) + read_imagei(t, s, (float4)(0));
  }`,
  `kernel void k(image2d_t i, image2d_t j, sampler_t s, sampler_t t, global float4 *o, int n) {
    *o = read_imagef(n > 1 ? i : j, n ? s : t, (int2)(0));
  }`,
  "#ifndef __IMAGE_SUPPORT__\n#error no images\n#endif\n#ifdef cl_khr_3d_image_writes\nkernel void k(void) {}\n#endif",
])("%s", (source) => {
  const { text, module } = compile(source);
  expect(text).toBe("");
  if (module === null) throw new Error("no module");
  expect(verifyModule(module).map(describeVerifierError)).toEqual([]);
});

const WRONG: readonly (readonly [source: string, code: string])[] = [
  ["kernel void k(image2d_t i) { image2d_t *p = 0; }", "CL2070"],
  ["struct S { image2d_t i; }; kernel void k(global int *o) { *o = 1; }", "CL2070"],
  ["union S { sampler_t s; }; kernel void k(global int *o) { *o = 1; }", "CL2070"],
  ["image2d_t f(image2d_t i) { return i; } kernel void k(global int *o) { *o = 1; }", "CL2070"],
  ["kernel void k(image2d_t i[2]) { }", "CL2070"],
  ["kernel void k(global image2d_t *i) { }", "CL2070"],
  ["constant image2d_t i = 0; kernel void k(global int *o) { *o = 1; }", "CL2070"],
  ["kernel void k(global int *o) { local sampler_t s; *o = 1; }", "CL2070"],
  ["kernel void k(image2d_t i) { i = i; }", "CL2007"],
  ["kernel void k(image2d_t i, global int *o) { *o = i + 1; }", "CL2006"],
  ["kernel void k(image2d_t i, global int *o) { *o = (int)i; }", "CL2005"],
  ["kernel void k(image2d_t i, global int *o) { if (i) *o = 1; }", "CL2005"],
  ["kernel void k(read_only int i) { }", "CL2071"],
  [
    "kernel void k(write_only image2d_t i, sampler_t s, global float4 *o) { *o = read_imagef(i, s, (int2)(0)); }",
    "CL2072",
  ],
  ["kernel void k(image2d_t i) { write_imagef(i, (int2)(0), (float4)(0)); }", "CL2072"],
  ["void f(write_only image2d_t i) { } kernel void k(read_only image2d_t i) { f(i); }", "CL2005"],
  ["kernel void k(image2d_t i, sampler_t s, global float4 *o) { *o = read_imagef(i, s, 1.0f); }", "CL2013"],
  ["kernel void k(image1d_buffer_t i, sampler_t s, global float4 *o) { *o = read_imagef(i, s, 1); }", "CL2012"],
  ["kernel void k(image2d_t i, global int *o) { *o = get_image_depth(i); }", "CL2012"],
  ["kernel void k(image2d_t i, global float4 *o) { const sampler_t s; *o = read_imagef(i, s, (int2)(0)); }", "CL2073"],
  ["sampler_t s = 0; kernel void k(global int *o) { *o = 1; }", "CL2073"],
  ["kernel void k(read_write image2d_t i) { }", "CL2037"],
  ["kernel void k(image2d_t i, global half4 *o) { o[0] = read_imageh(i, (int2)(0)); }", "CL2037"],
];

test.each(WRONG)("%s is refused", (source, code) => {
  const { codes, text, module } = compile(source);
  expect(codes, text).toEqual([code]);
  expect(module).toBeNull();
});

test("read_write images in OpenCL C 3.0: read without a sampler, and written", () => {
  const image = "kernel void k(read_write image2d_t i, sampler_t s) {";
  expect(compile(`${image} write_imagef(i, (int2)(0), read_imagef(i, (int2)(1))); }`, { standard: "3.0" }).text).toBe(
    "",
  );
  expect(
    compile(`${image} write_imagef(i, (int2)(0), read_imagef(i, s, (int2)(1))); }`, { standard: "3.0" }).codes,
  ).toEqual(["CL2072"]);
});

test("on a device without images their use is diagnosed", () => {
  expect(compile("kernel void k(image2d_t i) { }", { features: [] }).codes).toEqual(["CL2037"]);
  expect(
    compile("#ifdef __IMAGE_SUPPORT__\n#error images\n#endif\nkernel void k(void) { }", { features: [] }).codes,
  ).toEqual([]);
});

test("kernel descriptions have the access and type of images and samplers", () => {
  const { module } = compile(
    `typedef image2d_t picture;
    kernel void k(image2d_t a, write_only image3d_t b, read_write image1d_buffer_t c, sampler_t s,
      read_only picture d, global float4 *o) {
    }`,
    { standard: "3.0" },
  );
  expect(
    module?.kernels[0]?.kernel?.arguments.map(({ name, typeName, kind, access }) => [name, typeName, kind, access]),
  ).toEqual([
    ["a", "image2d_t", "image", "read_only"],
    ["b", "image3d_t", "image", "write_only"],
    ["c", "image1d_buffer_t", "image", "read_write"],
    ["s", "sampler_t", "sampler", "none"],
    ["d", "picture", "image", "read_only"],
    ["o", "float4*", "pointer", "none"],
  ]);
});
