// SPDX-License-Identifier: Apache-2.0
// Rules of atomic functions, generic pointers and program variables that depend on what the device has.
import { type FrontEndOptions, compileOpenCLC } from "@muxkit/opencl-c";
import { renderText } from "@muxkit/report";
import { expect, test } from "vitest";

import { frontEndOptions } from "./front-end-options.ts";

const ALL = [
  "atomic_order_acq_rel",
  "atomic_order_seq_cst",
  "atomic_scope_device",
  "atomic_scope_all_devices",
  "generic_address_space",
  "program_scope_global_variables",
];
const LONG = ["cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"];

function messages(
  source: string,
  without: readonly string[] = [],
  options: Partial<FrontEndOptions> = {},
): readonly string[] {
  const features = ALL.filter((name) => !without.includes(name)).map((name) => `__opencl_c_${name}`);
  const extensions = ["cl_khr_fp64", ...LONG].filter((name) => !without.includes(name));
  const { diagnostics } = compileOpenCLC(
    "program.cl",
    source,
    frontEndOptions({ standard: "3.0", deviceVersion: 300, extensions, features, warnings: "none", ...options }),
  );
  const text = renderText(diagnostics.all);
  return [...text.matchAll(/error: (.*) \[CL\d+\]/gu)].map(([, message = ""]) => message);
}

/** True if there is the one expected message, or none if none is expected; else the messages. */
function agrees(said: readonly string[], wanted: string | null): string {
  const isRight = wanted === null ? said.length === 0 : said.length === 1 && said[0]?.includes(wanted) === true;
  return isRight ? "yes" : said.join("; ");
}

const kernel = (body: string): string => `kernel void k(global atomic_int* a, global int* o) { int e = 1; ${body} }`;

/** A body, features that the device lacks, and the text of the message; null: there is none. */
const FEATURES: readonly (readonly [body: string, without: readonly string[], says: string | null])[] = [
  ["*o = atomic_load(a);", [], null],
  ["*o = atomic_load(a);", ["atomic_order_seq_cst"], '"atomic_load" needs __opencl_c_atomic_order_seq_cst'],
  ["*o = atomic_fetch_add(a, 1);", ["atomic_scope_device"], '"atomic_fetch_add" needs __opencl_c_atomic_scope_device'],
  [
    "*o = atomic_load_explicit(a, memory_order_relaxed);",
    ["atomic_scope_device"],
    'atomic_load_explicit without a scope" needs __opencl_c_atomic_scope_device',
  ],
  [
    "*o = atomic_load_explicit(a, memory_order_relaxed, memory_scope_work_group);",
    ["atomic_scope_device", "atomic_order_seq_cst", "atomic_order_acq_rel", "atomic_scope_all_devices"],
    null,
  ],
  [
    "*o = atomic_load_explicit(a, memory_order_acquire, memory_scope_work_group);",
    ["atomic_order_acq_rel"],
    '"memory_order_acquire" needs __opencl_c_atomic_order_acq_rel',
  ],
  [
    "atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group);",
    ["atomic_order_acq_rel"],
    null,
  ],
  [
    "*o = atomic_load_explicit(a, memory_order_seq_cst, memory_scope_work_group);",
    ["atomic_order_seq_cst"],
    '"memory_order_seq_cst" needs __opencl_c_atomic_order_seq_cst',
  ],
  [
    "*o = atomic_load_explicit(a, memory_order_relaxed, memory_scope_device);",
    ["atomic_scope_device"],
    '"memory_scope_device" needs __opencl_c_atomic_scope_device',
  ],
  [
    "*o = atomic_load_explicit(a, memory_order_relaxed, memory_scope_all_devices);",
    ["atomic_scope_all_devices"],
    '"memory_scope_all_devices" needs __opencl_c_atomic_scope_all_devices',
  ],
  [
    "*o = atomic_load_explicit(a, memory_order_relaxed, memory_scope_sub_group);",
    [],
    '"memory_scope_sub_group" needs __opencl_c_subgroups',
  ],
  ["*o = atomic_load_explicit(a, (memory_order)1, memory_scope_device);", [], "the order 1"],
  ["*o = atomic_load_explicit(a, memory_order_relaxed, (memory_scope)9);", [], "the scope 9"],
  ["*o = atomic_load_explicit(a, memory_order_relaxed, memory_scope_work_item);", [], null],
  ["atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_relaxed, memory_scope_work_item);", [], null],
  ["atomic_int p; atomic_init(&p, 1);", [], null],
  [
    "atomic_int p; atomic_init(&p, 1);",
    ["generic_address_space"],
    "no overload of atomic_init takes (atomic_int*, int)",
  ],
  ["int* p = o; *p = 1;", ["generic_address_space"], "a pointer to global memory is not a pointer to private memory"],
  ["*o = *to_global(o);", ["generic_address_space"], '"to_global" needs __opencl_c_generic_address_space'],
  [
    "static int n; *o = n;",
    ["program_scope_global_variables"],
    '"a variable that is static" needs __opencl_c_program_scope_global_variables',
  ],
  ["atomic_long* p = 0; *o = p != 0;", [], null],
  ["atomic_long* p = 0; *o = p != 0;", ["cl_khr_int64_base_atomics"], '"atomic_long" needs cl_khr_int64_base_atomics'],
  ["atomic_size_t* p = 0; *o = p != 0;", LONG, null],
  ["*o = *a;", [], "call atomic_load"],
  ["*a += 1;", [], "call atomic_store"],
  [
    "e = atomic_compare_exchange_strong_explicit(a, &e, 2, memory_order_relaxed, " +
      "memory_order_acquire, memory_scope_device); *o = e;",
    [],
    "memory_order_acquire for a failure",
  ],
  [
    "e = atomic_compare_exchange_strong_explicit(a, &e, 2, memory_order_acq_rel, " +
      "memory_order_release, memory_scope_device); *o = e;",
    [],
    "does not take memory_order_release",
  ],
  [
    "e = atomic_compare_exchange_strong_explicit(a, &e, 2, memory_order_acq_rel, memory_order_acquire); *o = e;",
    [],
    null,
  ],
];

test.each(FEATURES)("%s without %s: %s", (body, without, says) => {
  expect(agrees(messages(kernel(body), without), says)).toBe("yes");
});

/** Mistakes with program-scope variables: each is reported once. */
test.each([
  ["global int x = 1; global float x; kernel void k(global int* o) { *o = 1; }", "was declared with a different type"],
  ["int x; int x = 1; int x; kernel void k(global int* o) { *o = x; }", null],
  ["int x = 1; int x = 1; kernel void k(global int* o) { *o = x; }", "is declared twice"],
  ["int x(void) { return 1; } int x; kernel void k(global int* o) { *o = x(); }", "is declared twice"],
  ["extern int x[]; kernel void k(global int* o) { *o = x[2]; }", null],
  ["int x[]; kernel void k(global int* o) { *o = x[2]; }", "has no definition"],
  ["int x = *(&x); kernel void k(global int* o) { *o = x; }", "compile-time constant"],
  ["int y; int x = y; kernel void k(global int* o) { *o = x; }", "compile-time constant"],
  ["int x[2]; int* p = &x[1] + 1; long q = (long)&x; kernel void k(global int* o) { *o = p == 0 || q == 0; }", null],
  ["int x[2]; short q = (short)(uintptr_t)&x; kernel void k(global int* o) { *o = q; }", "compile-time constant"],
  ["kernel void k(global int* o) { static int n = get_global_id(0); *o = n; }", "compile-time constant"],
  ["kernel void k(global int* o) { static private int n; *o = n; }", "not in private memory"],
  ["void f(void) { extern int z; z = 1; } int z = 2; kernel void k(global int* o) { f(); *o = z; }", null],
])("%s: %s", (source, says) => {
  expect(agrees(messages(source), says)).toBe("yes");
});
