// SPDX-License-Identifier: Apache-2.0
// Where a message points: through macros, into headers, after #line, on several lines; and that warnings are reported
// where they help and nowhere else.
import { type FrontEndOptions, compileOpenCLC } from "@muxkit/opencl-c";
import { LAYOUT_32 } from "@muxkit/ir";
import { renderText } from "@muxkit/report";
import { expect, test } from "vitest";

import { frontEndOptions } from "./front-end-options.ts";

const OPTIONS = frontEndOptions();

function text(source: string, options: Partial<FrontEndOptions> = {}): string {
  return renderText(compileOpenCLC("program.cl", source, { ...OPTIONS, ...options }).diagnostics.all);
}

function codes(source: string, options: Partial<FrontEndOptions> = {}): readonly string[] {
  return compileOpenCLC("program.cl", source, { ...OPTIONS, ...options }).diagnostics.all.map(({ code }) => code);
}

const PLACES: Readonly<Record<string, readonly [source: string, options?: Partial<FrontEndOptions>]>> = {
  "nested-macros": [
    "#define INNER(x) (x + missing)\n#define OUTER(x) INNER(x) * 2\nkernel void k(global int* o) {\n\to[0] = OUTER(1);\n}\n",
  ],
  "macro-argument": [
    "#define TWICE(x) ((x) * 2)\nkernel void k(global int* o) {\n  o[0] = TWICE(TWICE(missing));\n}\n",
  ],
  "macro-operator": [
    "#define REST(a, b) ((a) % (b))\nkernel void k(global float* o) {\n  o[0] = REST(o[1], o[2]);\n}\n",
  ],
  "deep-macros": [
    `${Array.from({ length: 12 }, (_, i) => `#define M${i} ${i === 0 ? "missing" : `M${i - 1}`}\n`).join("")}kernel void k(global int* o) { *o = M11; }\n`,
  ],
  "build-option": [
    "kernel void k(global int* o) { *o = SIZE; }\n",
    { definitions: [{ name: "SIZE", value: "missing" }] },
  ],
  headers: [
    '#include "a.h"\nkernel void k(global int* o) { *o = f(1); }\n',
    {
      headers: new Map([
        ["a.h", '\n#include "b.h"\n'],
        ["b.h", "int f(int n) {\n  return n + missing;\n}\nint g(int n) {\n  return n + absent;\n}\n"],
      ]),
    },
  ],
  line: ['#line 40 "grammar.y"\nkernel void k(global int* o) {\n  *o = missing;\n}\n'],
  "several-lines": [
    "kernel void k(global float* o) {\n  o[0] = o[1]\n    % o[2];\n  o[3] = (float4)(1.0f,\n    2.0f,\n    3.0f);\n}\n",
  ],
  "carriage-returns": ["kernel void k(global int* o) {\r\n\t*o = missing;\r\n}\r\n"],
  wide: ["kernel void k(global int* o) { /* 漢字 */ *o = missing; }\n"],
  overloads: [
    "kernel void k(global float* o, float4 v, int4 w) {\n  *o = dot(v, w);\n  *o = clamp(v.x);\n  vstore4(w, 0, o);\n}\n",
  ],
  "typedef-names": [
    "typedef struct { int a; struct { int b; } in; } pair, *pair_pointer;\ntypedef union { int a; float b; } *box;\nkernel void k(global pair* p, global int* o) {\n  *o = p->c;\n  *o = p->in.c;\n  *o = *p;\n  box b = o;\n}\n",
  ],
  overloadable: [
    "#define MANY __attribute__((overloadable))\nint MANY area(int side);\nfloat MANY area(float2 sides) { return sides.x * sides.y; }\nint area(int side) { return side * side; }\nint MANY area(global int* side) { return *side; }\nkernel void k(global int* o, float4 v, constant int* c) {\n  *o = area(v);\n  *o = area(c);\n  *o = area(1, 2);\n}\n",
  ],
  recursion: [
    "int c(int n);\nint a(int n) { return c(n); }\nint b(int n) { return a(n); }\nint c(int n) { return b(n); }\nkernel void k(global int* o) { *o = a(1); }\n",
  ],
};

test.each(Object.entries(PLACES))("%s", async (name, [source, options]) => {
  await expect(text(source, options)).toMatchFileSnapshot(`golden/places/${name}.txt`);
});

test("a double literal without double support is reported with its suffix; the option for float literals is respected", () => {
  const layout = { ...LAYOUT_32, nativeF64: false };
  const source = "kernel void k(global float* o) { *o = *o * 2.0; }\n";
  expect(text(source, { layout, extensions: [] })).toContain(
    "2.0 is a double, which this device does not support: it is treated as a float [CL2078]",
  );
  expect(text(source, { layout, extensions: [] })).toContain("= fix: insert `f`");
  expect(codes(source, { layout, extensions: [], singlePrecisionConstant: true })).toEqual([]);
});

const HEAD = "kernel void k(global int* x, local int* tile, int n, uint u, uchar c, float f, float4 v) {";

/** Statements, and the warnings that they are worth. */
const WARNINGS: readonly (readonly [statements: string, ...codes: readonly string[]])[] = [
  ["if (n == 3) *x = 1;"],
  ["if ((n = x[1])) *x = n;"],
  ["if (n = x[1]) *x = n;", "CL2064"],
  ["while (n = x[n]) ++*x;", "CL2064"],
  ["for (; n = n - 1;) ++*x;", "CL2064"],
  ["do ++*x; while (n = 0);", "CL2064"],
  ["if (n & 1) *x = 1;"],
  ["if ((n & 1) == 0) *x = 1;"],
  ["if (n & (1 == 0)) *x = 1;"],
  ["*x = n > 1 & n < 3;"],
  ["*x = n & 3 == u;", "CL2065"],
  ["*x = n << 1 + u;", "CL2065"],
  ["*x = n << (1 + u);"],
  ["*x = (n << 1) + u;"],
  ["*x = 0 < n < 3;", "CL2065"],
  ["*x = !n == 3;", "CL2065"],
  ["*x = !n == !u;"],
  ["*x = !(n == 3);"],
  ["*x = !n & 4;", "CL2065"],
  ["*x = (!n) & 4;"],
  ["if (u < 0) *x = 1;", "CL2066"],
  ["if (0 <= u) *x = 1;", "CL2066"],
  ["if (u > 0) *x = 1;"],
  ["if (c > 255) *x = 1;", "CL2066"],
  ["if (c < 255) *x = 1;"],
  ["if (c == 256) *x = 1;", "CL2066"],
  ["if (c != -1) *x = 1;", "CL2066"],
  ["if (n < 0) *x = 1;"],
  ["if (u == -1) *x = 1;"],
  ["*x = n / 2;"],
  ["*x = n / 0;", "CL2067"],
  ["*x = n % 0;", "CL2067"],
  ["*x /= 0;", "CL2067"],
  ["x[0] = (int)(f / 0);"],
  ["*x = n << 31;"],
  ["*x = n << 32;", "CL2068"],
  ["*x = n >> -1;", "CL2068"],
  ["*x <<= 40;", "CL2068"],
  ["long l = n; *x = (int)(l << 40);"],
  ["int a[3]; a[2] = 1; *x = a[2];"],
  ["int a[3]; a[3] = 1; *x = a[0];", "CL2069"],
  ["int a[3]; a[0] = 1; *x = a[-1];", "CL2069"],
  ["int a[3]; int* e = &a[3]; a[0] = 1; *x = e - a;"],
  ["n = n; *x = n;", "CL2101"],
  ["x[n] = x[n];", "CL2101"],
  ["x[n] = x[n + 1];"],
  ["x[n++] = x[n++];"],
  ["n;", "CL2102"],
  ["n + 1;", "CL2102"],
  ["max(n, 3);", "CL2102"],
  ["(void)n;"],
  ["n++;"],
  ["n == 3;", "CL2102"],
  ["n > 3 && (*x = 1);"],
  ["f;", "CL2102"],
  ["atomic_inc(x);"],
  ["if (n);", "CL2063"],
  ["if (n); else *x = 1;"],
  ["while (*x < n);"],
  ["while (*x < n); { *x = 1; }", "CL2063"],
  ["for (n = 0; x[n] != 0; ++n); *x = n;"],
  ["return; *x = 1;", "CL2062"],
  ["for (;;) { break; *x = 1; }", "CL2062"],
  ["switch (n) { case 1: *x = 1; break; case 2: *x = 2; }"],
  ["goto end; end: *x = 1;"],
  ["end: *x = 1;", "CL2104"],
  ["again: if (--n > 0) goto again; *x = n;"],
  ["v = (1.0f, 2.0f, 3.0f, 4.0f); *x = v.x > f;", "CL2079"],
  ["v = (f); *x = v.x > f;"],
  ["barrier(CLK_LOCAL_MEM_FENCE);"],
  ["if (n > 3) barrier(CLK_LOCAL_MEM_FENCE);"],
  ["if (get_local_id(0) == 0) barrier(CLK_LOCAL_MEM_FENCE);", "CL2076"],
  ["if (get_group_id(0) == 0) barrier(CLK_LOCAL_MEM_FENCE);"],
  [
    "for (int s = get_local_size(0) / 2; s > 0; s >>= 1) { if (get_local_id(0) < s) " +
      "tile[get_local_id(0)] += tile[get_local_id(0) + s]; barrier(CLK_LOCAL_MEM_FENCE); }",
  ],
  ["int i = get_global_id(0); for (int j = i; j < n; j += 4) { *x = j; barrier(CLK_LOCAL_MEM_FENCE); }", "CL2076"],
  ["int i = get_global_id(0); for (int j = 0; j < n; j += 4) { *x = i + j; barrier(CLK_LOCAL_MEM_FENCE); }"],
  ["if (get_global_id(0) >= n) return; barrier(CLK_LOCAL_MEM_FENCE);", "CL2077"],
  ["if (n > 3) return; barrier(CLK_LOCAL_MEM_FENCE);"],
  ["if (get_global_id(0) >= n) { *x = 1; } barrier(CLK_LOCAL_MEM_FENCE);"],
  ["for (int j = 0; j < n; ++j) { barrier(CLK_LOCAL_MEM_FENCE); if (x[get_global_id(0)] == j) break; }", "CL2076"],
  ["for (int j = 0; j < n; ++j) { barrier(CLK_LOCAL_MEM_FENCE); if (x[get_global_id(0)] == j) return; }", "CL2077"],
  ["int a = 0; if (get_local_id(0) > 3) a = 1; if (a) barrier(CLK_LOCAL_MEM_FENCE);", "CL2076"],
  ["int a = n; if (get_local_id(0) > 3) *x = a; if (a) barrier(CLK_LOCAL_MEM_FENCE);"],
  ["int a[2] = { 0, 0 }; a[n] = get_local_id(0); if (a[0]) barrier(CLK_LOCAL_MEM_FENCE);", "CL2076"],
  ["tile[0] = get_local_id(0); barrier(CLK_LOCAL_MEM_FENCE); if (tile[0] > 2) barrier(CLK_LOCAL_MEM_FENCE);"],
  ["if (tile[get_local_id(0)] > 2) barrier(CLK_LOCAL_MEM_FENCE);", "CL2076"],
  ["int a = atomic_inc(x); if (a == 0) barrier(CLK_LOCAL_MEM_FENCE);", "CL2076"],
  ["switch (n) { case 1: case 2: *x = 1; default: *x = 2; }", "CL2106"],
  ["switch (n) { case 1: ; case 2: *x = 1; break; default: *x = 2; }"],
  ["switch (n) { case 1: *x = 1; // falls through\n case 2: *x = 2; }"],
  ["switch (n) { case 1: *x = 1; /* FALL-THRU */ case 2: *x = 2; }"],
  ["switch (n) { case 1: *x = 1; __attribute__((fallthrough)); case 2: *x = 2; }"],
  ["switch (n) { case 1: *x = 1; [[fallthrough]]; case 2: *x = 2; }"],
  ["switch (n) { case 1: { *x = 1; break; } case 2: *x = 2; }"],
  ["switch (n) { case 1: { *x = 1; } case 2: *x = 2; }", "CL2106"],
  ["switch (n) { case 1: if (u) break; else return; case 2: *x = 2; }"],
  ["switch (n) { case 1: if (u) break; case 2: *x = 2; }", "CL2106"],
  ["switch (n) { int a; case 1: a = 2; *x = a; }"],
  ["switch (n) { case 1: for (;;) { if (--n < 0) return; } case 2: *x = 2; }"],
  ["while (n) switch (n--) { case 1: *x = 1; continue; case 2: goto end; case 3: *x = 2; } end:;"],
  ["switch (n) { case 1: *x = 1; /* fall */ case 2: *x = 2; /* through */ case 3: *x = 3; }", "CL2106", "CL2106"],
  ["int a __attribute__((unused)) = 1;"],
  ["__attribute__((unused)) int a;"],
  ["get_local_id(0) > 1 ? barrier(CLK_LOCAL_MEM_FENCE) : (void)0;", "CL2076"],
  ["switch (get_local_id(0)) { case 0: barrier(CLK_LOCAL_MEM_FENCE); }", "CL2076"],
];

test.each(WARNINGS)("%s", (statements, ...wanted) => {
  const source = `${HEAD}\n  ${statements}\n}\n`;
  expect(codes(source), text(source)).toEqual(wanted);
});

/** Programs of several functions, and the warnings that they are worth. */
const PROGRAMS: readonly (readonly [source: string, ...codes: readonly string[]])[] = [
  [
    "void sync(void) { barrier(CLK_LOCAL_MEM_FENCE); }\nkernel void k(int n) { if (get_local_id(0)) sync(); }",
    "CL2076",
  ],
  ["void sync(void) { barrier(CLK_LOCAL_MEM_FENCE); }\nkernel void k(int n) { if (n) sync(); }"],
  [
    "int mine(void) { return get_local_id(0); }\nkernel void k(void) { if (mine()) barrier(CLK_LOCAL_MEM_FENCE); }",
    "CL2076",
  ],
  ["int twice(int n) { return 2 * n; }\nkernel void k(int n) { if (twice(n)) barrier(CLK_LOCAL_MEM_FENCE); }"],
  [
    "int twice(int n) { return 2 * n; }\nkernel void k(int n) { if " +
      "(twice(get_local_id(0))) barrier(CLK_LOCAL_MEM_FENCE); }",
    "CL2076",
  ],
  [
    "void set(int* p) { *p = get_local_id(0); }\nkernel void k(void) { int a = 0; " +
      "set(&a); if (a) barrier(CLK_LOCAL_MEM_FENCE); }",
  ],
  ["int f(int n) { if (n) return 1; return 2; }\nkernel void k(global int* x) { *x = f(*x); }"],
  ["int f(int n) { if (n) return 1; else return 2; }\nkernel void k(global int* x) { *x = f(*x); }"],
  ["int f(int n) { while (1) { if (n++ > 4) return n; } }\nkernel void k(global int* x) { *x = f(*x); }"],
  [
    "int f(int n) { switch (n) { case 1: return 1; default: return 2; } }\nkernel void k(global int* x) { *x = f(*x); }",
  ],
  ["int f(int n) { switch (n) { case 1: return 1; } }\nkernel void k(global int* x) { *x = f(*x); }", "CL2061"],
  ["int f(int n) { for (; n < 3; ++n) if (n == 2) return n; }\nkernel void k(global int* x) { *x = f(*x); }", "CL2061"],
  ["static int f(int n) { return n; }\nkernel void k(global int* x) { *x = f(*x); }"],
  ["static inline int f(int n) { return n; }\nkernel void k(global int* x) { *x = 1; }"],
  ["#define CHECK(a) if (a < 0) *x = 1\nkernel void k(global int* x, uint n) { CHECK(n); }"],
  ["#if UNKNOWN_THING\n#endif\nkernel void k(void) {}"],
  ["#define HAS_V2 1\n#if HAS_V3\n#endif\nkernel void k(void) {}"],
  ["#pragma OPENCL EXTENSION cl_khr_fp64 : enable\nkernel void k(void) {}"],
  ["#pragma OPENCL EXTENSION cl_khr_fp64 : enabled\nkernel void k(void) {}", "CL2075"],
  ["#pragma OPENCL EXTENSION cl_vendor_thing : enable\nkernel void k(void) {}"],
  [
    "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void k(global int* x) { __attribute__((opencl_unroll_hint(2))) for (int i = 0; i < 4; ++i) x[i] = i; }",
  ],
];

test.each(PROGRAMS)("%s", (source, ...wanted) => {
  expect(codes(source), text(source)).toEqual(wanted);
  expect(codes(source, { warnings: "none" })).toEqual([]);
});

/** Heads of functions, and the warnings of -Wextra on their parameters. */
const HEADS: readonly (readonly [head: string, ...codes: readonly string[]])[] = [
  ["void f(int a)", "CL2105"],
  ["kernel void k(global int* x, int n)", "CL2105", "CL2105"],
  ["void f(int a, int)", "CL2105"],
  ["void f(int a __attribute__((unused)))"],
  ["void f(__attribute__((unused)) int a)"],
  ["kernel void k(read_only image2d_t i)"],
];

test.each(HEADS)("parameters of %s", (head, ...wanted) => {
  const options = { extraWarnings: true, features: ["__opencl_c_images"] };
  expect(codes(`${head} {}\n`, options)).toEqual(wanted);
  expect(codes(`${head} {}\n`, { ...options, extraWarnings: false })).toEqual([]);
  expect(codes(`${head};\n`, options)).toEqual([]);
});
