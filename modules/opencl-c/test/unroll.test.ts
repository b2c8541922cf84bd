// SPDX-License-Identifier: Apache-2.0
// Hints for loops: the source's hint is recorded at the loop's first block.
import { compileOpenCLC } from "@muxkit/opencl-c";
import { UNROLL_FULLY } from "@muxkit/ir";
import { lineAndColumn } from "@muxkit/report";
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
  ["\n#pragma GCC unroll 4\n", 4],
  ["\n#pragma clang loop unroll(full)\n", UNROLL_FULLY],
  ["\n#pragma clang loop unroll(enable)\n", UNROLL_FULLY],
  ["\n#pragma clang loop unroll(disable) vectorize(enable)\n", 1],
  ["\n#pragma clang loop vectorize(enable)\n#pragma clang loop unroll_count(4)\n", 4],
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

/** The codes and lines of errors. */
function errors(text: string): readonly string[] {
  const { diagnostics } = compileOpenCLC("program.cl", text, OPTIONS);
  return diagnostics.all.map(
    ({ message, span }) => `${span === null ? 0 : lineAndColumn(span.file, span.start).line}: ${message}`,
  );
}
const LOOP = "for (int i = 0; i < 4; i++) o[i] = 1;";

test.each([
  ["clang loop unroll(full)", "o[0] = 1;", "3: #pragma clang loop must be followed by a loop"],
  ["clang loop vectorize(enable)", "int x = 1; o[0] = x;", "3: #pragma clang loop must be followed by a loop"],
  ["clang loop unroll_count(4)", "", "4: #pragma clang loop must be followed by a loop"],
  ["GCC unroll 4", "o[0] = 1;", "3: #pragma unroll must be followed by a loop"],
  ["clang loop wrong(1)", LOOP, '2: #pragma clang loop has the options vectorize, .*, distribute, not "wrong"'],
  ["clang loop", LOOP, "2: #pragma clang loop needs an option: vectorize, .*, distribute"],
  ["clang loop unroll", LOOP, "2: #pragma clang loop needs a value in brackets after unroll"],
  ["clang loop unroll(maybe)", LOOP, '2: #pragma clang loop takes enable, disable, full in unroll, not "maybe"'],
  ["clang loop unroll_count(0)", LOOP, "2: #pragma clang loop takes a positive number in unroll_count, not 0"],
  ["clang loop unroll(full) unroll(full)", LOOP, "2: #pragma clang loop has unroll twice"],
  [
    "clang loop unroll(full) unroll_count(4)",
    LOOP,
    "2: #pragma clang loop cannot have unroll\\(full\\) and unroll_count\\(4\\)",
  ],
])("#pragma %s before %s is refused", (directive, statement, message) => {
  expect(errors(`kernel void k(global int* o) {\n#pragma ${directive}\n${statement}\n}\n`)).toEqual([
    expect.stringMatching(new RegExp(`^${message}$`, "u")) as string,
  ]);
});

test.each(["unroll", "nounroll", "clang loop unroll(full)", "GCC unroll 2"])(
  "#pragma %s outside of functions is refused",
  (directive) => {
    expect(errors(`#pragma ${directive}\nkernel void k(global int* o) { ${LOOP} }\n`)).toEqual([
      expect.stringMatching(/^1: #pragma (?:\w+|clang loop) must be followed by a loop$/u) as string,
    ]);
  },
);
