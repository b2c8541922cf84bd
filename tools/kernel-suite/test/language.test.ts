// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import { Machine, build, firstDifference, runEveryWay } from "@muxkit/kernel-suite";

/**
 * Runs a kernel `k(global int *out)` with one work-item (or `items`) in every way there is, which must agree; returns
 * the first `count` ints.
 */
function run(
  source: string,
  count: number,
  items: readonly number[] = [1],
  local: readonly number[] = [1],
  options = "",
): number[] {
  const [interpreted, ...others] = runEveryWay({
    source,
    kernel: "k",
    options,
    global: items,
    local,
    arguments: [{ contents: new Uint8Array(count * 4) }],
  });
  if (interpreted === undefined) throw new Error("nothing ran");
  for (const other of others) expect(firstDifference(interpreted, other, ["bits"])).toBeNull();
  return [...new Int32Array(interpreted.buffers[0]?.slice().buffer ?? new ArrayBuffer(0))];
}

const expressions: readonly (readonly [expression: string, value: number])[] = [
  ["7 / -2", -3],
  ["7 % -2", 1],
  ["1 / (out[1] * 0)", 0],
  ["(-2147483647 - 1) / (out[1] - 1)", -2147483648],
  ["1 << 33", 2],
  ["-8 >> 1", -4],
  ["(int)(-8u >> 28)", 15],
  ["(uchar)300 + (char)200", -12],
  ["sizeof(float3)", 16],
  ["vec_step(float3) * 10 + vec_step(short8)", 48],
  ["vec_step(out[0])", 1],
  ["sizeof(struct { char a; int b; char c; })", 12],
  ["(int)1e20f", 2147483647],
  ["convert_uchar_sat(300)", 255],
  ["convert_int_rte(2.5f)", 2],
  ["convert_int_rtp(2.1f)", 3],
  ["convert_int_rtn(-2.1f)", -3],
  ["as_int(1.0f)", 0x3f800000],
  ["((int4)(1, 2, 3, 4)).wzyx.x", 4],
  ["((int4)(1, 2, 3, 4)).hi.y", 4],
  ["((int4)(1, 2, 3, 4)).even.y", 3],
  ["any((int2)(0, -1)) + all((int2)(-1, -1))", 2],
  ["((int2)(1, 2) < (int2)(2, 1)).x", -1],
  ["((int2)(1, 2) == (int2)(1, 3)).y", 0],
  ["(out[1] ? (int2)(1, 2) : (int2)(3, 4)).y", 4],
  ["((int2)(-1, 0) ? (int2)(1, 2) : (int2)(3, 4)).x", 1],
  ["max(3, 5) + min(3, 5) + clamp(9, 0, 4)", 12],
  ["abs(-5) + (int)abs_diff(-5, 5)", 15],
  ["add_sat(2147483647, 1)", 2147483647],
  ["sub_sat(-2147483647 - 1, 1)", -2147483648],
  ["hadd(7, 8) + rhadd(7, 8)", 15],
  ["mul_hi(1 << 20, 1 << 20)", 256],
  ["(int)mul_hi(1UL << 40, 1UL << 40)", 65536],
  ["rotate(0x80000001, 1u)", 3],
  ["clz(1) + popcount(255)", 39],
  ["mad24(3, 4, 5) + mul24(6, 7)", 59],
  ["upsample((short)1, (ushort)2)", 65538],
  ["(int)dot((float4)(1, 2, 3, 4), (float4)(1, 1, 1, 1))", 10],
  ["(int)length((float2)(3, 4))", 5],
  ["(int)(fma(2.0f, 3.0f, 4.0f) + fmod(7.5f, 2.0f) * 2.0f)", 13],
  ["isnan(NAN) + isinf(INFINITY) + isfinite(1.0f) + signbit(-1.0f)", 4],
  ["select(1, 2, out[1] == 0)", 2],
  ["(int)bitselect(0xf0u, 0x0fu, 0xffu)", 15],
  ["'A' + '\\n' + '\\x10'", 91],
  ["0x10 + 010 + 0b11", 27],
  ["true + false", 1],
  ["(int)mix((float4)(1, 2, 3, 4), (float4)(5, 6, 7, 8), out[1] + 1).w", 8],
  ["(3, 4)", 4],
  ["out[1] || 5 && 0", 0],
  ["(3 && (int2)(1, 0)).x * 10 + (3 && (int2)(1, 0)).y", -10],
  ["(out[1] && (int2)(1, 0)).x + (out[1] || (int2)(1, 0)).x * 10", -10],
  ["(out[1] + 1 && (out[1] > 0 || (int2)(1, 0))).x", -1],
  ["((0 && (int2)(1, 0)).x || (1 || (int2)(1, 0)).y)", 1],
  ["(int)(half_sqrt(16.0f) + native_recip(0.5f))", 6],
];

test.each(expressions)("%s", (expression, value) => {
  expect(run(`kernel void k(global int *out) { out[0] = ${expression}; }`, 2)[0]).toBe(value);
});

test.each(expressions)("%s, not optimised", (expression, value) => {
  expect(run(`kernel void k(global int *out) { out[0] = ${expression}; }`, 2, [1], [1], "-cl-opt-disable")[0]).toBe(
    value,
  );
});

const programs: readonly (readonly [name: string, source: string, result: readonly number[]])[] = [
  [
    "swizzles as lvalues",
    `kernel void k(global int *out) {
      int4 v = 0;
      v.xz = (int2)(1, 3);
      v.s1 = 2;
      v.hi.y += 4;
      vstore4(v, 0, out);
    }`,
    [1, 2, 3, 4],
  ],
  [
    "structs by value, nested, in arrays",
    `typedef struct { int a; struct { int b, c; } d; } S;
    S make(int x) {
      S s = { x, { x + 1, .c = x + 2 } };
      return s;
    }
    int sum(S s) {
      s.a += 100;
      return s.a + s.d.b + s.d.c;
    }
    kernel void k(global int *out) {
      S l[2];
      l[1] = make(5);
      out[0] = sum(l[1]);
      out[1] = l[1].a;
      out[2] = l[0].a;
    }`,
    [118, 5, 0],
  ],
  [
    "unions",
    `kernel void k(global int *out) {
    union { float f; int i; } u;
    u.f = 1.0f;
    out[0] = u.i;
  }`,
    [0x3f800000],
  ],
  [
    "switch with fall-through",
    `kernel void k(global int *out) {
      for (int i = 0; i < 4; i++) {
        int r = 0;
        switch (i) {
          case 0: r += 1;
          case 1: r += 10;
          break;
          case 2: r = 7;
          break;
          default: r = -1;
        } out[i] = r;
      }
    }`,
    [11, 10, 7, -1],
  ],
  [
    "goto into and out of loops",
    `kernel void k(global int *out) {
      int i = 0;
      again: i++;
      if (i < 5) goto again;
      for (int j = 0; j < 10; j++) { if (j == 3) goto done; }
      done: out[0] = i;
    }`,
    [5],
  ],
  [
    "an irreducible graph",
    `kernel void k(global int *out) {
      int i = out[0], n = 0;
      if (i == 0) goto b;
      a: n += 1;
      b: n += 10;
      if (n < 35) goto a;
      out[0] = n;
    }`,
    [43],
  ],
  [
    "do, while, continue",
    `kernel void k(global int *out) {
      int s = 0, i = 0;
      do {
        i++;
        if (i % 2) continue;
        s += i;
      } while (i < 10);
      out[0] = s;
      while (1) { if (s-- < 20) break; }
      out[1] = s;
    }`,
    [30, 18],
  ],
  [
    "pointers and arrays",
    `int at(__private int *p, int i) { return p[i]; }
    kernel void k(global int *out) {
      int a[4] = { 1, 2, 3 };
      int *p = a + 1;
      *p++ = 20;
      out[0] = a[1];
      out[1] = *p;
      out[2] = (int)(p - a);
      out[3] = at(a, 3);
    }`,
    [20, 3, 2, 0],
  ],
  [
    "multidimensional arrays",
    `constant int t[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
    kernel void k(global int *out) {
      int b[2][2] = { 9, 8, 7, 6 };
      out[0] = t[1][2];
      out[1] = b[1][0];
      out[2] = sizeof(t) / sizeof(t[0]);
    }`,
    [6, 7, 2],
  ],
  [
    "program-scope pointers",
    `constant int x = 5;
    constant int y[3] = { 7, 8, 9 };
    constant int *constant p[2] = { &x, &y[2] };
    kernel void k(global int *out) {
      out[0] = *p[0];
      out[1] = *p[1];
    }`,
    [5, 9],
  ],
  [
    "strings",
    `kernel void k(global int *out) {
      constant char *s = "ab" "c";
      out[0] = s[2];
      out[1] = s[3];
      char t[] = "xyz";
      out[2] = sizeof(t);
      out[3] = t[1];
    }`,
    [99, 0, 4, 121],
  ],
  [
    "enums and sizeof",
    `enum E { A, B = 5, C };
    kernel void k(global int *out) {
      out[0] = A + B + C;
      out[1] = sizeof(enum E);
    }`,
    [11, 4],
  ],
  [
    "constants of enums beyond an int",
    `enum { A = 0x428a2f98d728ae22UL, B, LITTLE = 3 };
enum u { C = 0xfffffffeu, D };
enum { MINUS = -1, E = 0x100000000L };
constant ulong table[2] = { A, B };
kernel void k(global int *out) {
  ulong a = table[out[0]], b = table[1 - out[0]];
  out[0] = (int)(a >> 32);
  out[1] = (int)b;
  out[2] = sizeof(A) * 100 + sizeof(LITTLE) * 10 + sizeof(enum u);
  out[3] = (int)(E >> 32) + (MINUS < 0) + (D > 0) * 10;
}`,
    [0x428a2f98, 0xd728ae23 | 0, 844, 12],
  ],
  [
    "macros",
    `#define ADD(a, b) ((a) + (b))
#define CAT(a, b) a##b
#define STR(x) #x
#if defined(N) && N > 2
#define V ADD(N, 1)
#else
#define V 0
#endif
kernel void k(global int *out) { int CAT(x, 1) = V; out[0] = x1; out[1] = sizeof(STR(a b)); out[2] = __LINE__; }`,
    [4, 4, 9],
  ],
  [
    "kernels that call kernels",
    `kernel void inner(global int *out, int v) { out[v] = v; }
    kernel void k(global int *out) {
      inner(out, 1);
      inner(out, 2);
    }`,
    [0, 1, 2],
  ],
  [
    "evaluation order of && and side effects",
    `int f(global int *p) {
      p[1]++;
      return 1;
    }
    kernel void k(global int *out) { out[0] = (0 && f(out)) + (1 || f(out)) + (1 && f(out)); }`,
    [2, 1],
  ],
  [
    "64-bit integers",
    `kernel void k(global int *out) {
      long a = 0x100000001L * 3;
      ulong b = -1L;
      out[0] = (int)(a >> 32);
      out[1] = (int)(b / 0x100000000UL);
      out[2] = (int)(a % 1000);
    }`,
    [3, -1, 891],
  ],
  [
    "vectors of every lane count",
    `kernel void k(global int *out) {
      char16 c = (char16)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
      short8 s = convert_short8(c.lo) * (short8)2;
      int3 i = convert_int3(s.s456);
      out[0] = i.x + i.y + i.z;
      out[1] = c.sf + c.s0;
      double2 d = (double2)(1.5, 2.5) * 2.0;
      out[2] = (int)(d.x + d.y);
      uchar4 u = as_uchar4(0x04030201);
      out[3] = u.w * 10 + u.x;
    }`,
    [36, 17, 8, 41],
  ],
  [
    "functions that share a name",
    `#define MANY __attribute__((overloadable))
int MANY f(int x);
float MANY f(float x) { return x * 2; }
int4 MANY f(int4 v) { return v * 3; }
int MANY f(global int *p) { return *p + 5; }
int MANY f(int x) { return x + 1; }
static int MANY f(int x, int y) { return f(x) * f(y); }
typedef struct { int a, b; } pair;
pair MANY f(pair p) {
  pair r = { p.b, p.a };
  return r;
}
kernel void k(global int *out) {
  pair p = { 8, 9 };
  out[0] = f(1);
  out[1] = f(1.5f);
  out[2] = f((int4)(1, 2, 3, 4)).w;
  out[3] = f(out) + f(2, 3) * 100 + f(p).a * 10000;
}`,
    [2, 3, 12, 91207],
  ],
  [
    "half in memory",
    `kernel void k(global int *out) {
      struct { half h[4]; } s;
      private half* h = s.h;
      vstore_half4((float4)(1.5f, -2.0f, 65504.0f, 0.1f), 0, h);
      float4 v = vload_half4(0, h);
      out[0] = (int)(v.x * 2);
      out[1] = (int)v.y;
      out[2] = (int)v.z;
      out[3] = ((private ushort*)h)[3];
    }`,
    [3, -2, 65504, 0x2e66],
  ],
  [
    "values after a designator continue from there, out of nested aggregates too",
    `typedef struct { int a[3]; int b; union { int u; float f; } c; int d; } S;
    kernel void k(global int *out) {
      S s = { .a[1] = 5, 6, 7, 8, 9 };
      int m[2][2] = { [0][1] = 1, 2, [1] = { 4 } };` +
      `out[0] = s.a[0] * 100000 + s.a[1] * 10000 + s.a[2] * 1000 + s.b * 100 + s.c.u * 10 + s.d;
      out[1] = m[0][0] * 1000 + m[0][1] * 100 + m[1][0] * 10 + m[1][1];
    }`,
    [56789, 140],
  ],
];

test.each(programs)("%s", (_, source, result) => {
  expect(run(source, result.length, [1], [1], "-DN=3")).toEqual(result);
});

test("ids, sizes and offsets in three dimensions", () => {
  const machine = new Machine();
  const out = machine.upload(new Uint8Array(4 * 4 * 24));
  const image = build(
    `kernel void k(global int4 *out) {
      size_t i = (get_global_id(2) * 3 + get_global_id(1) - 5) * 4 + get_global_id(0);
      out[i] = (int4)(get_local_id(0) + 10 * get_local_id(1), get_group_id(0) * 100 + get_num_groups(0),
          get_global_size(1) + get_local_size(0) * 10, get_work_dim() + get_global_offset(1));
    }`,
  );
  machine.run(image, "k", [{ buffer: out }], [4, 3, 2], [2, 3, 1], { offset: [0, 5, 0] });
  const view = new Int32Array(machine.memory.buffer, out, 96);
  expect([...view.subarray(0, 4)]).toEqual([0, 2, 23, 8]);
  expect([...view.subarray(4 * 11, 4 * 12)]).toEqual([21, 102, 23, 8]);
});

/** What a work-item of the test below writes. */
function reference(lid: number): number {
  const tile = [0, 1, 2, 3, 4, 5];
  const own = [lid, lid + 1, lid + 2];
  let state = tile;
  for (let step = 1; step < 3; step++) {
    const current = state;
    const next = current.map((_, i) => current[(i + step) % 6] ?? 0);
    state = next;
    own[step] = (own[step] ?? 0) + (next[lid] ?? 0);
  }
  const sum = state.reduce((a, b) => a + b, 0);
  return sum * 1000 + lid * 3 + (own[0] ?? 0) + (own[1] ?? 0) * 10 + (own[2] ?? 0) * 100;
}

test("barriers in divergent shapes: loops, early returns, values that live across", () => {
  const source = `kernel void k(global int *out) {
    local int tile[8]; local int sum;
    int lid = get_local_id(0), keep = lid * 3, own[3] = { lid, lid + 1, lid + 2 };
    if (lid >= 6) return;
    tile[lid] = lid;
    for (int step = 1; step < 3; step++) {
      barrier(CLK_LOCAL_MEM_FENCE);
      int next = tile[(lid + step) % 6];
      barrier(CLK_LOCAL_MEM_FENCE);
      tile[lid] = next;
      own[step] += next;
    }
    if (lid == 0) sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sum, tile[lid]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sum * 1000 + keep + own[0] + own[1] * 10 + own[2] * 100;
  }`;
  const expected = [0, 1].flatMap(() => [0, 1, 2, 3, 4, 5, 6, 7].map((lid) => (lid < 6 ? reference(lid) : 0)));
  expect(run(source, 16, [16], [8])).toEqual(expected);
  expect(run(source, 16, [16], [8], "-cl-opt-disable")).toEqual(expected);
});

const alignedVariables: readonly (readonly [name: string, declare: string, alignment: number])[] = [
  ["of sixteen doubles", "double16 v", 128],
  ["of sixteen doubles after a char, in a structure", "struct { char c; double16 v; } v", 128],
  ["of eight floats", "float8 v", 32],
  ["of an array of eight ints", "int8 v[3]", 32],
  ["that says so itself", "char v __attribute__((aligned(64)))", 64],
];

for (const [name, declare, alignment] of alignedVariables) {
  test(`private variables ${name} are at multiples of ${alignment} bytes, across barriers and in calls too`, () => {
    const source = `
      __attribute__((noinline)) uint there(uint depth, global int *out) {
        char before[5] = { 1 }; ${declare}; *(private char *)&v = (char)depth;
        uint wrong = (uint)(uintptr_t)&v % ${alignment};
        before[depth % 5] = (char)wrong;
        return wrong + (*(private char *)&v != (char)depth) + (before[depth % 5] != (char)wrong);
      }
      kernel void k(global int *out) {
        int id = get_global_id(0); char before[3] = { 7, 7, 7 }; ${declare}; *(private char *)&v = (char)id;
        uint wrong = (uint)(uintptr_t)&v % ${alignment} + there(id, out);
        barrier(CLK_GLOBAL_MEM_FENCE);
        for (int i = 0; i < 3; i++) wrong += there(id + i, out);
        out[id] = (int)(wrong + (*(private char *)&v != (char)id) + (uint)(uintptr_t)&v % ${alignment}
            + before[id % 3]);
      }`;
    expect(run(source, 16, [16], [8])).toEqual(Array.from({ length: 16 }, () => 7));
  });
}
