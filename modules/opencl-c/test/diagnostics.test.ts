// SPDX-License-Identifier: Apache-2.0
// Every message with its location, line and caret; recovery; text that is no program.
import { type FrontEndOptions, DIAGNOSTICS, compileOpenCLC } from "@muxkit/opencl-c";
import { renderText } from "@muxkit/report";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { frontEndOptions } from "./front-end-options.ts";
import { SOURCES, TWENTY, UNREACHED } from "./sources.ts";

const OPTIONS = frontEndOptions({ features: ["__opencl_c_images"] });

function report(
  source: string,
  options: Partial<FrontEndOptions> = {},
): { readonly text: string; readonly codes: readonly string[]; readonly isModule: boolean } {
  const { module, diagnostics } = compileOpenCLC("program.cl", source, { ...OPTIONS, ...options });
  return {
    text: renderText(diagnostics.all),
    codes: diagnostics.all.map(({ code }) => code),
    isModule: module !== null,
  };
}

const FEATURES = [
  "atomic_order_acq_rel",
  "atomic_order_seq_cst",
  "atomic_scope_device",
  "atomic_scope_all_devices",
  "generic_address_space",
  "program_scope_global_variables",
  "subgroups",
  "work_group_collective_functions",
  "pipes",
].map((name) => `__opencl_c_${name}`);
const EXTENSIONS = ["cl_khr_fp64", "cl_khr_subgroup_clustered_reduce"];

/** The option that a source requests in a comment on its first line. */
function asked(source: string): Partial<FrontEndOptions> {
  if (source.startsWith("// -Wextra")) return { extraWarnings: true };
  if (source.startsWith("// cl_khr_fp16")) return { extensions: ["cl_khr_fp16"] };
  return source.startsWith("// -cl-std=CL3.0") ? { standard: "3.0", features: FEATURES, extensions: EXTENSIONS } : {};
}

test.each(Object.entries(SOURCES))("%s", async (code, source) => {
  const { text, codes } = report(source, asked(source));
  expect(codes).toContain(code);
  expect(text).not.toContain("<error>");
  // One mistake, one message.
  expect(codes, text).toHaveLength(1);
  const shown = source.length > 400 ? `${source.slice(0, 60)} … ${source.slice(-40)}` : source;
  await expect(
    `${shown.trimEnd()}\n\n${text.length > 2000 ? `${text.slice(0, 100)} …` : text.trimEnd()}\n`,
  ).toMatchFileSnapshot(`golden/${code}.txt`);
});

test("every code of the table has a source, or a reason", () => {
  expect(
    DIAGNOSTICS.map(({ code }) => code).filter((code) => SOURCES[code] === undefined && UNREACHED[code] === undefined),
  ).toEqual([]);
});

test("codes are unique", () => {
  const codes = DIAGNOSTICS.map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
});

test("warnings: off with -w, errors with -Werror, none where a program has errors or the value fits", () => {
  const source = SOURCES["CL2050"] ?? "";
  expect(report(source)).toMatchObject({ codes: ["CL2050"], isModule: true });
  expect(report(source, { warnings: "none" })).toMatchObject({ codes: [], isModule: true });
  expect(report(source, { warnings: "error" })).toMatchObject({ codes: ["CL2050", "CL1999"], isModule: false });
  expect(report("kernel void k(global int* x) { int unused; *x = y; }").codes).toEqual(["CL2001"]);
});

test.each([
  ["char c = 300;", true],
  ["char c = 200;", false],
  ["uchar c = -1;", false],
  ["int i = 1.5f;", true],
  ["int i = 2.0f;", false],
  ["float f = 0.1;", false],
  ["int i = l;", true],
  ["uint i = (uint)l;", false],
  ["float f = d;", true],
  ["double e = f0;", false],
  ["float f = i0;", false],
  ["double e = l;", false],
  ["float f = l;", true],
  ["short s = i0;", false],
  ["long m = i0;", false],
  ["int i = f0;", true],
  ["float4 v = f0;", false],
  ["i0 += f0;", true],
])("%s loses bits: %s", (statement, loses) => {
  const { codes, isModule } = report(
    `kernel void k(global int* x, long l, double d, float f0, int i0) { ${statement} *x = 1; }`,
  );
  expect(isModule).toBe(true);
  expect(codes.includes("CL2051")).toBe(loses);
});

test.each([
  ["int v; if (n > 0) v = 1; *x = v;", false],
  ["int v; while (n-- > 0) { if (n < 3) *x = v; v = n; }", false],
  ["for (int i = 0; i < n; ++i) { int v; x[i] = v; v = i; }", true],
  ["int v; if (n > 0) { *x = v; } else { v = 2; *x = v; }", true],
  ["int v; int* p = &v; *p = 3; *x = v;", false],
  ["int4 v; v.x = 1; *x = v.x;", false],
  ["int v; goto set; use: *x = v; return; set: v = 4; goto use;", false],
  ["float v; v *= 2.0f; *x = (int)v;", true],
  ["int v; switch (n) { case 1: v = 5; break; default: v = 6; } *x = v;", false],
  ["int v; return; *x = v;", false],
  ["int v = 0; *x = v;", false],
])("%s reads before it stores: %s", (body, reads) => {
  const { codes, isModule, text } = report(`kernel void k(global int* x, int n) { ${body} }`);
  expect(isModule, text).toBe(true);
  expect(
    codes.filter((code) => code !== "CL2062"),
    text,
  ).toEqual(reads ? ["CL2053"] : []);
});

test.each([
  ["kernel void k(event_t e) {}", "CL2023"],
  ["kernel void k(global event_t* e) {}", "CL2023"],
  [
    `kernel void k(global int* a, global int* b) {
      event_t e = async_work_group_copy(a, b, 4, 0);
      wait_group_events(1, &e);
    }`,
    "CL2024",
  ],
  ["kernel void k(void) { event_t e = 5; wait_group_events(1, &e); }", "CL2005"],
  ["kernel void k(global float* o, float4 v) { *o = shuffle(v.x, (uint2)(1, 0)).x; }", "CL2012"],
])("%s: %s", (source, code) => {
  expect(report(source).codes).toEqual([code]);
});

const GENERIC = "with -cl-std=CL3.0 it points to global, local or private memory";

test.each([
  ["void f(int* p) { *p = 1; } kernel void k(global int* o) { f(o); }", true],
  ["void f(int* p) { *p = 1; } kernel void k(local int* o) { f(o); }", true],
  ["kernel void k(global int* o) { int* p = o; *p = 1; }", true],
  ["kernel void k(global int* o) { int* p = 0; p = o; *p = 1; }", true],
  ["kernel void k(global int* o) { int* p = (int*)o; *p = 1; }", true],
  ["int* f(global int* o) { return o; } kernel void k(global int* o) { *f(o) = 1; }", true],
  ["kernel void k(constant int* o, global int* x) { const int* p = o; *x = *p; }", false],
  ["kernel void k(constant int* o, global int* x) { const global int* p = o; *x = *p; }", false],
  ["void f(int** p) { **p = 1; } kernel void k(global int* o) { f(&o); }", false],
])("%s: -cl-std=CL3.0 is named: %s", (source, isNamed) => {
  const features = ["__opencl_c_generic_address_space"];
  const { codes, text, isModule } = report(source, { features });
  expect(codes).toEqual(["CL2024"]);
  expect(text.includes(GENERIC)).toBe(isNamed);
  expect(isModule).toBe(false);
  expect(report(source).text).not.toContain(GENERIC);
  expect(report(source, { features, standard: "3.0" }).codes).toEqual(isNamed ? [] : ["CL2024"]);
});

test.each([
  ["foo* p = x; *p = 1; p[2] = 3; p->y = 1; x = p;", 1],
  ['foo p[3]; p[0] = 1; dot(p, p); f(p); printf("%d", p);', 1],
  ["foo* q; q + q; dot(q, v); v = q; q = v; f(q); sqrt(q); as_float(q); convert_int(q);", 1],
  ["global foo* q; x = q; *x = *q; vstore4(v, 0, q); if (q) ; -q; !q; f(q ? 1 : q);", 1],
  ["foo a[2]; a + v; a[0][1] = v; f(a[1]); atomic_add(a, 1); a[0]++;", 1],
  ["typedef foo bar; bar* b; x = b; int c = b; f(c); bar e[2]; x = e;", 1],
  ["struct { foo* a; } s; s.a = x; s.a->x = 1; f(s.a);", 1],
  ["g(x, x); g(v, v); h(x); h(1)[1] = 2; x = h(1);", 0],
])("%s: the unknown type is reported where it is named, and nothing else: %i", (body, count) => {
  const functions = "int f(int a) { return a; } int g(foo* a, foo b[]) { return a; } foo* h(foo a) { return 1; }";
  const { codes, text } = report(`${functions} kernel void k(global int* x, float4 v) { ${body} }`);
  expect(codes, text).toEqual(Array.from({ length: 4 + count }, () => "CL1209"));
});

const FORMS = "int4 w, float4 v, global float* f, const global float* c, global int* o";

test.each([
  ["dot(v, w)", "float dot(float4, float4) does not match: argument 2 is int4, not float4"],
  ["popcount(v)", "int4 popcount(int4) does not match: argument 1 is float4, not an integer or a vector of integers"],
  ["clamp(v.x)", "float clamp(float, float, float) does not match: it takes 3 arguments, not 1"],
  ["sqrt(v, v)", "float4 sqrt(float4) does not match: it takes 1 argument, not 2"],
  ["vstore4(w, 0, f)", "void vstore4(float4, size_t, global float*) does not match: argument 1 is int4, not float4"],
  ["vstore4(v, 0, c)", "argument 3 is global const float*, not global float*"],
  ["cross(v.xy, v.xy)", "float3 cross(float3, float3) does not match: argument 1 is float2, not float3"],
  ["select(v, v, v)", "float4 select(float4, float4, int4) does not match: argument 3 is float4, not int4"],
  ["modf(v, f)", "float4 modf(float4, global float4*) does not match: argument 2 is global float*, not global float4*"],
  [
    "atomic_add(f, 1)",
    "int atomic_add(global int*, int) does not match: argument 1 is global float*, not a pointer to",
  ],
  ["upsample(w, w)", "long4 upsample(int4, uint4) does not match: argument 2 is int4, not uint4"],
])("the overloads of %s are shown with the types of the call", (expression, shown) => {
  const { text } = report(`kernel void k(${FORMS}) { ${expression}; }`);
  expect(text).toContain(shown);
  expect(text).not.toMatch(/[( ]([TSUINCW]\d*)[,)*]| where T|note: [TSUINCW] /u);
});

test("a header that includes itself ends at a depth", () => {
  const { codes } = report('#include "me.h"\nkernel void k(void) {}\n', {
    headers: new Map([["me.h", '#include "me.h"\n']]),
  });
  expect(codes).toEqual(["CL1107"]);
});

/** The codes that a source causes, each once; it may include a header that includes itself twice. */
function codesOf(source: string): readonly string[] {
  return [
    ...new Set(report(source, { headers: new Map([["twice.h", '#include "twice.h"\n#include "twice.h"\n']]) }).codes),
  ];
}

const body = (text: string): string => `kernel void k(global int* x, int y) { ${text} }\n`;

test("chains of operators may have any length, and nests a thousand levels", () => {
  expect(codesOf(body(`*x = ${"y + ".repeat(20_000)}1;`))).toEqual([]);
  expect(codesOf(body(`*x = ${"y - 1 && ".repeat(5000)}1;`))).toEqual([]);
  expect(codesOf(body(`*x = ${Array.from({ length: 5000 }, (_, i) => `y < ${i} ? ${i} : `).join("")}1;`))).toEqual([]);
  expect(codesOf(body(`*x = ${Array.from({ length: 5000 }, (_, i) => `y < ${i} ? : `).join("")}1;`))).toEqual([]);
  const [comma, end] = ["y = 1, ".repeat(5000), "*x = y;"];
  expect(codesOf(body(`${comma}y = 2; ${end}`))).toEqual([]);
  const loops = Array.from({ length: 300 }, (_, i) => `for (int i${i} = 0; i${i} < y; i${i}++) {`);
  expect(codesOf(body(`${loops.join(" ")} *x += 1; ${"}".repeat(300)}`))).toEqual([]);
  const ifs = Array.from({ length: 300 }, (_, i) => `if (y > ${i}) {`);
  expect(codesOf(body(`${ifs.join(" ")} *x += 1; ${"}".repeat(300)}`))).toEqual([]);
  expect(codesOf(body(`*x = ${"(".repeat(450)}y${")".repeat(450)};`))).toEqual([]);
});

test("short inputs that need much time or memory end with one error", () => {
  expect(codesOf('#include "twice.h"\nkernel void k(void) {}\n')).toEqual(["CL1107"]);
  expect(codesOf(`#if ${"(".repeat(5000)}1${")".repeat(5000)}\n#endif\nkernel void k(void) {}\n`)).toEqual(["CL1114"]);
  expect(
    codesOf(
      `#define P(x) x ## x\n#define Q(x) P(x)\nkernel void k(void) { int ${"Q(".repeat(30)}a${")".repeat(30)}; }\n`,
    ),
  ).toContain("CL1120");
  const nested = Array.from({ length: 60 }, (_, i) => `struct S${i + 1} { struct S${i} a; struct S${i} b; };\n`).join(
    "",
  );
  expect(codesOf(`kernel void k(int2 v, global int* x) { *x = v${".yx".repeat(20_000)}.x; }\n`)).toEqual(["CL1204"]);
  expect(
    codesOf(
      `#define A0 x x x\n` +
        `${Array.from({ length: 40 }, (_, i) => `#define A${i + 1} A${i} A${i}\n`).join("")}A40\n` +
        `kernel void k(void) {}\n`,
    ),
  ).not.toEqual([]);
  expect(codesOf("int f(void) { if (1) goto missing; }\nkernel void k(void) {}\n")).toContain("CL2020");
  expect(codesOf(`struct S0 { int a; };\n${nested}kernel void k(void) {}\n`)).toContain("CL2110");
});

test("structs within structs are laid out once each", () => {
  expect(
    report(
      `kernel void k(global int* x) { ${"struct { ".repeat(60)}int a; ${"} a; ".repeat(60)}a${".a".repeat(60)} = 1; *x = a${".a".repeat(60)}; }\n`,
    ).codes,
  ).toEqual([]);
});

test("twenty-one independent mistakes cause twenty-one messages and no follow-on errors", () => {
  const { text } = report(TWENTY);
  const lines = [...text.matchAll(/^program\.cl:(\d+):\d+: error: /gmu)].map(([, line]) => Number(line));
  const wanted = [1, ...Array.from({ length: 20 }, (_, i) => i + 4)];
  expect(
    lines.toSorted((a, b) => a - b),
    text,
  ).toEqual(wanted);
});

const VALID = `constant int table[3] = { 1, 2, 3 };
struct pair { int a; float4 b; };
int helper(int n) { for (int i = 0; i < 3; ++i) n += table[i]; return n; }
kernel void k(global int* out, local int* tile, float4 v) {
  struct pair p = { helper(3), v.wzyx };
  tile[get_local_id(0)] = p.a; barrier(CLK_LOCAL_MEM_FENCE);
  switch (p.a & 3) { case 0: out[0] = 1; break; case 1: out[0] = 2; /* falls through */ default: out[1] = (int)p.b.x; }
  out[get_global_id(0)] = tile[0] + (p.a > 2 ? 1 : 0);
}
`;

test("the valid program is valid", () => {
  expect(report(VALID)).toMatchObject({ text: "", isModule: true });
});

test("programs that were cut, or in which a character was changed, never throw: they compile or are diagnosed", () => {
  fc.assert(
    fc.property(
      fc.nat(VALID.length),
      fc.nat(VALID.length - 1),
      fc.constantFrom(
        "",
        "(",
        ")",
        "{",
        "}",
        ";",
        "*",
        "#",
        '"',
        "'",
        "0",
        "x",
        "\\",
        "\n",
        "/*",
        "\u0000",
        "é",
        "->",
        "<<=",
      ),
      fc.boolean(),
      (end, at, text, cuts) => {
        const source = cuts ? VALID.slice(0, end) : VALID.slice(0, at) + text + VALID.slice(at + 1);
        const { codes, isModule } = report(source);
        expect(isModule || codes.length > 0).toBe(true);
      },
    ),
    { numRuns: 600 },
  );
});

test("random text never throws", () => {
  const words = [
    "kernel",
    "void",
    "int",
    "float4",
    "k",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    "=",
    "+",
    "*",
    "1",
    "0x1p3",
    '"s"',
    "struct",
    "if",
    "else",
    "for",
    "#define A(x) x",
    "\n",
    "A",
    "case",
    "goto",
    "...",
    "##",
    "local",
    "?",
    ":",
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...words), { maxLength: 60 }), (list) => {
      const { codes, isModule } = report(list.join(" "));
      expect(isModule || codes.length > 0).toBe(true);
    }),
    { numRuns: 400 },
  );
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (source) => {
      const { codes, isModule } = report(source);
      expect(isModule || codes.length > 0).toBe(true);
    }),
    { numRuns: 300 },
  );
});
