// SPDX-License-Identifier: Apache-2.0
// What each version of the language has and lacks, and what features of the device decide.
import { type FrontEndOptions, compileOpenCLC } from "@muxkit/opencl-c";
import { renderText } from "@muxkit/report";
import { expect, test } from "vitest";

import { frontEndOptions } from "./front-end-options.ts";

type Standard = FrontEndOptions["standard"];

const ALL = [
  "atomic_order_acq_rel",
  "atomic_order_seq_cst",
  "atomic_scope_device",
  "atomic_scope_all_devices",
  "generic_address_space",
  "program_scope_global_variables",
  "fp64",
  "int64",
].map((name) => `__opencl_c_${name}`);

function compile(
  source: string,
  standard: Standard,
  features: readonly string[] = ALL,
  extensions: readonly string[] = ["cl_khr_fp64", "cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"],
): { readonly codes: readonly string[]; readonly text: string } {
  const { diagnostics } = compileOpenCLC(
    "program.cl",
    source,
    frontEndOptions({ standard, deviceVersion: 300, extensions, features, warnings: "none" }),
  );
  return { codes: diagnostics.all.map(({ code }) => code), text: renderText(diagnostics.all) };
}

const STANDARDS: readonly Standard[] = ["1.0", "1.1", "1.2", "2.0", "3.0"];

/** What a program needs, and the versions that have it. */
const SINCE: readonly (readonly [source: string, first: Standard])[] = [
  ["kernel void k(global float4* x) { *x = sqrt(*x); }", "1.0"],
  ["kernel void k(global int* x) { atom_add(x, 1); }", "1.0"],
  ["kernel void k(global long* x) { atom_max(x, 1L); }", "1.0"],
  ["kernel void k(global int3* x) { x[1].y = 1; }", "1.1"],
  ["kernel void k(global int* x) { atomic_add(x, 1); }", "1.1"],
  ["kernel void k(global int* x) { *x = get_global_offset(0); }", "1.1"],
  ["kernel void k(global int2* x) { *x = shuffle(*x, (uint2)(1, 0)); }", "1.1"],
  ["kernel void k(global int* x) { *x = popcount(*x); }", "1.2"],
  ["kernel void k(global int* x) { *x = ctz(*x); }", "2.0"],
  ["kernel void k(global int* x) { *x = get_global_linear_id(); }", "2.0"],
  ["kernel void k(global int* x) { work_group_barrier(CLK_LOCAL_MEM_FENCE); *x = 1; }", "2.0"],
];

test.each(
  SINCE.flatMap(([source, first]) =>
    STANDARDS.map((standard) => [standard, source, STANDARDS.indexOf(standard) >= STANDARDS.indexOf(first)] as const),
  ),
)("CL%s: %s", (standard, source, isValid) => {
  const { codes, text } = compile(source, standard);
  expect(codes, text).toEqual(isValid ? [] : ["CL2037"]);
});

test("words of later versions are names that a program may use in earlier ones", () => {
  const source = `typedef struct { int x; } queue_t;
    typedef int atomic_int;
    int generic(int pipe) {
      atomic_int atomic_load = pipe;
      return atomic_load;
    }
    kernel void k(global int* x) {
      queue_t q = { 3 };
      int generic_too = generic(q.x);
      *x = generic_too;
    }`;
  const { codes, text } = compile(source, "1.2");
  expect(codes, text).toEqual([]);
});

test("the device's features are announced by macros in 3.0, and decide in 2.0 too", () => {
  const macro = "#ifdef __opencl_c_generic_address_space\n#error seen\n#endif\nkernel void k(void) {}";
  expect(STANDARDS.map((standard) => compile(macro, standard).codes)).toEqual([[], [], [], [], ["CL1108"]]);
  expect(compile(macro, "3.0", []).codes).toEqual([]);
});

test("atomics of 64 bits need their extensions", () => {
  expect(
    compile("kernel void k(global long* x) { atom_add(x, 1L); }", "1.2", ALL, ["cl_khr_int64_extended_atomics"]).text,
  ).toContain('"atom_add" needs cl_khr_int64_base_atomics, which this device does not have');
  expect(
    compile("kernel void k(global long* x) { atom_min(x, 1L); }", "1.2", ALL, ["cl_khr_int64_base_atomics"]).text,
  ).toContain('"atom_min" needs cl_khr_int64_extended_atomics');
  expect(compile("kernel void k(global long* x) { atomic_add(x, 1L); }", "1.2").codes).toEqual(["CL2012"]);
});

/** Device-side enqueue is refused by name, once each. */
test.each([
  "kernel void k(global int* x) { queue_t q; *x = 1; }",
  "kernel void k(global int* x) { clk_event_t e; *x = 1; }",
  "kernel void k(global int* x) { if (get_default_queue() == 0) *x = 1; }",
  "kernel void k(global int* x) { enqueue_marker(0, 0, 0, 0); *x = 1; }",
  "kernel void k(global int* x) { enqueue_kernel(0, 0, ndrange_1D(4), ^{ *x = 1; }); *x = 2; }",
  "kernel void k(global int* x) { void (^block)(void) = ^{ *x = 1; }; *x = 2; }",
  "kernel void k(global int* x) { int (^block)(int) = ^(int a) { return a; }; *x = 2; }",
  "kernel void k(global int* x) { *x = CLK_ENQUEUE_FLAGS_NO_WAIT; }",
])("%s", (source) => {
  const { codes, text } = compile(source, "3.0");
  expect(codes, text).toEqual(["CL2037"]);
  expect(text).toContain("needs __opencl_c_device_enqueue, which this device does not have");
  expect(compile(source, "1.2").text).toContain("needs OpenCL C 2.0");
});
