// SPDX-License-Identifier: Apache-2.0
// Hints for loops: the source's hint is recorded at the loop's first block.
import { compileOpenCLC } from "@muxkit/opencl-c";
import { UNROLL_FULLY } from "@muxkit/ir";
import { expect, test } from "vitest";

import { frontEndOptions } from "./front-end-options.ts";

const OPTIONS = frontEndOptions({
  extensions: ["cl_khr_fp64", "cl_khr_3d_image_writes", "cl_khr_depth_images"],
  features: ["__opencl_c_images", "__opencl_c_read_write_images"],
  warnings: "none",
});

function hints(body: string): readonly number[] {
  const { module, diagnostics } = compileOpenCLC(
    "program.cl",
    `#define N 8\nkernel void k(global int* p, int n) { ${body} }`,
    OPTIONS,
  );
  expect(diagnostics.all).toEqual([]);
  return [...(module?.functions.get("k")?.blocks ?? [])].map(({ unroll }) => unroll).filter((unroll) => unroll > 0);
}

test.each([
  ["__attribute__((opencl_unroll_hint(4)))", 4],
  ["__attribute__((opencl_unroll_hint(N / 2)))", 4],
  ["__attribute__((opencl_unroll_hint))", UNROLL_FULLY],
  ["__attribute__((opencl_unroll_hint(1)))", 1],
  ["\n#pragma unroll\n", UNROLL_FULLY],
  ["\n#pragma unroll 4\n", 4],
  ["\n#pragma unroll (4)\n", 4],
  ["\n#pragma nounroll\n", 1],
  ['_Pragma("unroll 4")', 4],
])("%s", (hint, unroll) => {
  expect(hints(`${hint} for (int i = 0; i < n; i++) p[i] = i;`)).toEqual([unroll]);
  expect(hints(`int i = 0; ${hint} while (i < n) p[i] = i++;`)).toEqual([unroll]);
  expect(hints(`int i = 0; ${hint} do p[i] = i; while (++i < n);`)).toEqual([unroll]);
});

test("a hint belongs to the loop after it and to no other", () => {
  expect(
    hints(
      "__attribute__((opencl_unroll_hint(2))) for (int i = 0; i < n; i++) for (int j = 0; " +
        "j < n; j++) p[i] = j; for (int i = 0; i < n; i++) p[i] = i;",
    ),
  ).toEqual([2]);
  expect(hints("if (n) __attribute__((opencl_unroll_hint(2))) for (int i = 0; i < n; i++) p[i] = i;")).toEqual([2]);
  expect(hints("if (n)\n#pragma unroll 2\nfor (int i = 0; i < n; i++) p[i] = i;")).toEqual([2]);
});
