// SPDX-License-Identifier: Apache-2.0
// What compilers take besides OpenCL C, and corners of C99 that kernels meet less often, in every way there is to run
// them.
import { firstDifference, runEveryWay } from "@muxkit/kernel-suite";
import { expect, test } from "vitest";

/**
 * Runs a kernel `k(global int *o)` with one work-item in every way, which must agree; returns the first `count` ints.
 */
function run(source: string, count: number): number[] {
  const [interpreted, ...others] = runEveryWay({
    source,
    kernel: "k",
    global: [1],
    local: [1],
    arguments: [{ contents: new Uint8Array(count * 4) }],
  });
  if (interpreted === undefined) throw new Error("nothing ran");
  for (const other of others) expect(firstDifference(interpreted, other, ["bits"])).toBeNull();
  return [...new Int32Array(interpreted.buffers[0]?.slice().buffer ?? new ArrayBuffer(0))];
}

const PROGRAMS: readonly (readonly [name: string, source: string, result: readonly number[]])[] = [
  [
    "statement expressions",
    `#define MAX(a, b) ({ int x_ = (a), y_ = (b); x_ > y_ ? x_ : y_; })
kernel void k(global int *o) {
  int i = 3;
  o[0] = MAX(i++, 2) * 10 + i;
  o[1] = ({ int s = 0; for (int j = 0; j < 4; j++) s += j; s; });
}`,
    [34, 6],
  ],
  [
    "a condition that is its own value",
    `int once(global int *o) { o[1]++; return o[1] - 1; }
kernel void k(global int *o) { o[0] = (once(o) ?: 7) * 10 + (once(o) ?: 9); }`,
    [71, 2],
  ],
  [
    "ranges of cases",
    `kernel void k(global int *o) {
      for (int i = 0; i < 4; i++) switch (i * 30 - 20) {
        case -100 ... -1: o[i] = 1;
        break;
        case 0 ... 12: o[i] = 2;
        break;
        case 70: o[i] = 3;
        break;
        default: o[i] = 4;
      }
    }`,
    [1, 2, 4, 3],
  ],
  [
    "cases of 64 bits",
    `kernel void k(global int *o) {
      for (int i = 0; i < 3; i++) {
        ulong v = i == 0 ? 0xffffffffffffffffUL : i == 1 ? 0xfffffffffffffffeUL : 5;
        switch (v) {
          case -1UL: o[i] = 1;
          break;
          case 0xfffffffffffffffeUL: o[i] = 2;
          break;
          case 1 ... 9: o[i] = 3;
        }
      }
    }`,
    [1, 2, 3],
  ],
  [
    "functions of C before prototypes",
    `int sum(a, b, p) int a, b; global int *p; { return a * 10 + b + p[0]; }
kernel void k(global int *o) { o[0] = 1; o[1] = sum(2, 3, o); }`,
    [1, 24],
  ],
  [
    "components by numbers",
    `kernel void k(global int *o) {
      int4 v = (int4)(1, 2, 3, 4);
      int i = o[3] + 2;
      v[i] = 30;
      v[0]++;
      o[0] = v[i] + v.x;
      o[1] = v.zyx[i];
      o[2] = (v + v)[i + 1];
    }`,
    [32, 2, 8, 0],
  ],
  [
    "vectors in braces",
    `struct s { float4 v; int2 i; };
constant struct s t = { { 1, (float2)(2, 3), 4 }, { 5, 6 } };
kernel void k(global int *o) {
  float2 a = (float2)(1, 2);
  float4 l[2] = { 9, { a, a } };
  struct s w = { { a.yx, a }, 3 };
  o[0] = l[0].w + l[1].z;
  o[1] = w.v.x * 10 + w.i.y;
  o[2] = t.v.z * 10 + t.i.y;
}`,
    [10, 23, 36],
  ],
  [
    "ranges and unnamed members in lists",
    `struct s { int tag; union { int i; struct { short lo, hi; }; }; int end; };
kernel void k(global int *o) {
  int l[8] = { [2 ... 4] = 7, 8 };
  struct s v = { .hi = 1, 5 };
  o[0] = l[1] * 1000 + l[2] * 100 + l[4] * 10 + l[5];
  o[1] = v.i + v.end;
}`,
    [778, 65541],
  ],
  [
    "strings in arrays of arrays",
    `constant char names[2][4] = { "ab", { "xyz" } };
kernel void k(global int *o) {
  char a[][3] = { "pq", "r" };
  o[0] = names[1][2] + names[0][2];
  o[1] = a[1][0];
  o[2] = sizeof(a);
}`,
    [122, 114, 6],
  ],
  [
    "arrays whose length structs define",
    `struct s { int a, b; };
kernel void k(global int *o) {
  struct s v = { 1, 2 }, l[] = { v, 3, 4, v };
  int m[][2] = { 1, 2, 3 };
  o[0] = sizeof(l) / sizeof(l[0]);
  o[1] = l[2].b * 10 + l[1].b;
  o[2] = sizeof(m);
}`,
    [3, 24, 16],
  ],
  [
    "characters of several letters",
    `kernel void k(global int *o) {
      o[0] = 'ab';
      o[1] = 'abcd';
      o[2] = '\\xff';
    }`,
    [24930, 1633837924, -1],
  ],
  [
    "constants that are variables",
    `kernel void k(global int *o) {
      const int n = 3, m = n * 2;
      int a[m];
      switch (o[0]) { case n - 3: a[5] = 4; }
      o[0] = a[5];
      const int *p = &m;
      o[1] = *p + sizeof(a);
    }`,
    [4, 30],
  ],
  [
    "__alignof__, offsetof, _Generic, __typeof__",
    `struct s { char a; double b; struct { char c; int d[3]; } e; };
kernel void k(global int *o) {
  __typeof__(o[0] + 1.0f) f = 2.5f;
  o[0] = __alignof__(float3) * 100 + __builtin_offsetof(struct s, e.d[2]);
  o[1] = _Generic(f, int: 1, float: 2, default: 3) * 10 + (int)(f * 2);
}`,
    [1628, 25],
  ],
  [
    "a vector type by another name makes literals",
    `typedef float4 vec; typedef uint u32;
kernel void k(global int *o) {
  vec v = (vec)(1, 2, 3, 4);
  uint2 w = (uint2)(5, 6);
  o[0] = v.w;
  o[1] = (u32)(w).y;
}`,
    [4, 6],
  ],
  [
    "directives among the arguments of a macro",
    `#define ID(x) x
kernel void k(global int *o) { o[0] = ID(1 +
#ifdef NOTHING
100
#else
2
#endif
); }`,
    [3],
  ],
  [
    "members that are packed alone",
    `struct s { char a; int b __attribute__((packed)); short c; };
kernel void k(global int *o) { struct s v = { 1, 0x01020304, 5 }; o[0] = sizeof(v); o[1] = v.b + v.c; }`,
    [8, 0x01020309],
  ],
  [
    "hints of every type of ints (cl_khr_expect_assume)",
    `#ifndef cl_khr_expect_assume
#error not announced
#endif
kernel void k(global int *o) {
  uchar c = 250;
  o[0] = sizeof(__builtin_expect(c, (uchar)250));
  o[1] = __builtin_expect((uchar)(c + 10), (uchar)0);
  int4 v = __builtin_expect((int4)(1, 2, 3, 4), (int4)(0));
  o[2] = v.w * 10 + v.x;
  ulong2 w = __builtin_expect((ulong2)(5, 6), (ulong2)(5, 6));
  o[3] = (int)w.y;
  __builtin_assume(c > 0);
}`,
    [1, 4, 41, 6],
  ],
  [
    "hints and what cannot be reached",
    `kernel void k(global int *o) {
      if (__builtin_expect(o[0] == 0, 1)) o[0] = 1;
      else __builtin_unreachable();
      __builtin_assume(o[0] == 1);
      o[1] = __builtin_choose_expr(sizeof(int) == 4, 2, 3);
    }`,
    [1, 2],
  ],
];

test.each(PROGRAMS)("%s", (_, source, result) => {
  expect(run(source, result.length)).toEqual(result);
});

/** A product of two bytes, each with or without a sign. */
const DOT_FORMS: readonly (readonly [
  form: string,
  result: "int" | "uint",
  left: "char4" | "uchar4",
  right: "char4" | "uchar4",
])[] = [
  ["uu_uint", "uint", "uchar4", "uchar4"],
  ["ss_int", "int", "char4", "char4"],
  ["us_int", "int", "uchar4", "char4"],
  ["su_int", "int", "char4", "uchar4"],
];
const DOT_WORDS = [0, 1, 0xffff_ffff, 0x8080_8080, 0x7f7f_7f7f, 0x0102_0304, 0x80ff_017f, 0xdead_beef, 0x1234_5678];
const DOT_SUMS = [0, 5, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x7fff_0000];

const signedByte = (word: number, index: number, isSigned: boolean): number => {
  const byte = (word >>> (index * 8)) & 255;
  return isSigned && byte > 127 ? byte - 256 : byte;
};

test.each(DOT_FORMS)("dot products of bytes: %s (cl_khr_integer_dot_product)", (form, result, left, right) => {
  const pairs = DOT_WORDS.flatMap((a) => DOT_WORDS.flatMap((b) => DOT_SUMS.map((sum) => [a, b, sum] as const)));
  const source = `#ifndef cl_khr_integer_dot_product
#error not announced
#endif
kernel void k(global ${result} *o, global const uint *a, global const uint *b, global const ${result} *sums) {
  size_t i = get_global_id(0);
  o[i * 4] = dot(as_${left}(a[i]), as_${right}(b[i]));
  o[i * 4 + 1] = dot_4x8packed_${form}(a[i], b[i]);
  o[i * 4 + 2] = dot_acc_sat(as_${left}(a[i]), as_${right}(b[i]), sums[i]);
  o[i * 4 + 3] = dot_acc_sat_4x8packed_${form}(a[i], b[i], sums[i]);
}`;
  const column = (index: 0 | 1 | 2): Uint8Array =>
    new Uint8Array(Uint32Array.from(pairs.map((row) => row[index])).buffer);
  const runs = runEveryWay({
    source,
    kernel: "k",
    global: [pairs.length],
    local: [pairs.length % 6 === 0 ? 6 : 1],
    arguments: [
      { contents: new Uint8Array(pairs.length * 16) },
      { contents: column(0) },
      { contents: column(1) },
      { contents: column(2) },
    ],
  });
  const isUnsigned = result === "uint";
  const expected = pairs.flatMap(([a, b, sum]) => {
    const dot = [0, 1, 2, 3].reduce(
      (total, index) => total + signedByte(a, index, left === "char4") * signedByte(b, index, right === "char4"),
      0,
    );
    const total = dot + (isUnsigned ? sum : sum | 0);
    const kept = isUnsigned ? Math.min(total, 0xffff_ffff) : Math.max(-0x8000_0000, Math.min(total, 0x7fff_ffff));
    return [dot | 0, dot | 0, kept | 0, kept | 0];
  });
  for (const { buffers } of runs)
    expect([...new Int32Array(buffers[0]?.slice().buffer ?? new ArrayBuffer(0))]).toEqual(expected);
});
