// SPDX-License-Identifier: Apache-2.0
// Generic pointers, atomic types and their functions, atomics of 64 bits: every way to run a kernel must agree, and
// with what is written here.
import { openclC } from "@muxkit/compiler";
import { hostModule } from "@muxkit/host-compiler";
import { type BaseModule } from "@muxkit/compiler-base";
import { hostDeviceInfo } from "@muxkit/host";
import { readExecutable } from "@muxkit/metadata";
import { expect, test } from "vitest";

import { Machine, firstDifference, runEveryWay } from "@muxkit/kernel-suite";

/** Runs `k(global int *out)` in every way there is; returns the ints that it leaves. */
function run(
  source: string,
  count: number,
  {
    items = [1],
    local = [1],
    options = "-cl-std=CL3.0",
  }: { readonly items?: readonly number[]; readonly local?: readonly number[]; readonly options?: string } = {},
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

const generic: readonly (readonly [name: string, source: string, result: readonly number[]])[] = [
  [
    "one function for all spaces",
    `int sum(int *p, int n) {
      int s = 0;
      for (int i = 0; i < n; i++) s += p[i];
      return s;
    }
    kernel void k(global int *out) {
      local int l[2];
      int p[2] = { 1, 2 };
      l[0] = 10;
      l[1] = 20;
      out[1] = 100;
      out[2] = 200;
      out[0] = sum(p, 2) + sum(l, 2) + sum(out + 1, 2);
    }`,
    [333, 100, 200],
  ],
  [
    "stores, increments and vectors through generic pointers",
    `void fill(int4 *p) {
      *p = (int4)(1, 2, 3, 4);
      p->yw += 10;
    }
    kernel void k(global int *out) {
      int4 a;
      local int4 b;
      fill(&a);
      fill(&b);
      vstore4(a + b, 0, out);
      int *q = out;
      ++*q;
      q[1]--;
    }`,
    [3, 23, 6, 28],
  ],
  [
    "to_global, to_local and to_private",
    `kernel void k(global int *out) {
      local int l;
      int p;
      int *all[3] = { &p, &l, out };
      for (int i = 0; i < 3; i++)
        out[i] = (to_private(all[i]) != 0) + 2 * (to_local(all[i]) != 0) + 4 * (to_global(all[i]) != 0);
      l = 7;
      p = 8;
      out[3] = *to_local(all[1]) * 10 + *to_private(all[0]);
    }`,
    [1, 2, 4, 78],
  ],
  [
    "results of the four functions for null, parts and structs",
    `typedef struct { int a, b; } S;
    kernel void k(global int *out) {
      local S l[4];
      private S p[3];
      S *s = &l[2];
      int *inner = &s->b;
      out[0] = to_local(inner) == &l[2].b;
      out[1] = get_fence(inner) == CLK_LOCAL_MEM_FENCE;
      out[2] = get_fence((int *)out) == CLK_GLOBAL_MEM_FENCE;
      int *none = 0;
      out[3] = to_local(none) == 0 && to_global(none) == 0 && to_private(none) == 0;
      const S *q = &p[1];
      out[4] = to_private(q) == &p[1] && to_local(q) == NULL;
    }`,
    [1, 1, 1, 1, 1],
  ],
  [
    "casts both ways, comparisons, differences and ternaries",
    `kernel void k(global int *out) {
      int *g = out + 2;
      global int *back = (global int *)g;
      *back = 5;
      out[0] = g == out + 2 && back == g && g != 0 && g - out == 2 && out < g;
      local int l;
      int *m = out[0] ? g : out;
      *m += 1;
      l = 3;
      int *n = out[0] ? &l : g;
      out[1] = *n + *(local int *)n;
    }`,
    [1, 6, 6],
  ],
  [
    "members, arrays and results that are generic pointers",
    `typedef struct { int *at; int n; } View;
    int *pick(View v, int i) { return v.at + i; }
    kernel void k(global int *out) {
      local int l[3];
      int p[3] = { 1, 2, 3 };
      for (int i = 0; i < 3; i++) l[i] = 10 * i;
      View v[2] = { { p, 3 }, { l, 3 } };
      int s = 0;
      for (int i = 0; i < 2; i++) for (int j = 0; j < v[i].n; j++) s += *pick(v[i], j);
      out[0] = s;
      View *w = &v[1];
      w->at[2] = 40;
      out[1] = l[2];
      out[2] = sizeof(View) / sizeof(int *);
    }`,
    [36, 40, 2],
  ],
  [
    "pointers to pointers",
    `void set(int **pp, int *to) { *pp = to; }
    kernel void k(global int *out) {
      int a = 4;
      int *p = 0;
      set(&p, &a);
      out[0] = *p;
      set(&p, out);
      *p += 1;
      out[1] = p == out;
    }`,
    [5, 1],
  ],
  [
    "library functions with pointers",
    `void split(float x, float *f, int *e) { *f = frexp(x, e); }
    kernel void k(global int *out) {
      float f;
      local int e;
      int *q = &e;
      split(12.0f, &f, q);
      float whole;
      float rest = modf(3.25f, &whole);
      out[0] = (int)(f * 100);
      out[1] = e;
      out[2] = (int)(rest * 100 + whole);
    }`,
    [75, 4, 28],
  ],
];

test.each(generic)("%s", (_, source, result) => {
  expect(run(source, result.length)).toEqual(result);
  expect(run(source, result.length, { options: "-cl-std=CL2.0" })).toEqual(result);
  expect(run(source, result.length, { options: "-cl-std=CL3.0 -cl-opt-disable" })).toEqual(result);
});

test("generic pointers across barriers, in work-groups of several work-items", () => {
  const source = `int take(int *p, int i) { return p[i]; }
  kernel void k(global int *out) {
    local int tile[8]; int own[2]; int lid = get_local_id(0);
    int *view = lid & 1 ? (int *)tile : own;
    tile[lid] = lid; own[0] = 100 + lid; own[1] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int seen = take(view, lid & 1 ? (lid + 1) % 8 : 0);
    int where = to_local(view) != 0 ? 1000 : to_private(view) != 0 ? 2000 : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = seen + where + (*to_global((int *)out) >= 0 ? 10000 : 0);
  }`;
  const expected = Array.from({ length: 16 }, (_, id) => {
    const lid = id % 8;
    return 10000 + (lid % 2 === 1 ? 1000 + ((lid + 1) % 8) : 2000 + 100 + lid);
  });
  expect(run(source, 16, { items: [16], local: [8] })).toEqual(expected);
});

/** Each on a global, a local and (by a generic pointer) either variable. */
const SPACES: readonly (readonly [space: string, declare: string])[] = [
  ["global", "global atomic_int *a = (global atomic_int *)(out + 12);"],
  ["local", "local atomic_int cell; local atomic_int *a = &cell;"],
  ["generic to global", "atomic_int *a = (global atomic_int *)(out + 12);"],
  ["generic to local", "local atomic_int cell; atomic_int *a = &cell;"],
];

const BODY = `atomic_init(a, 5);
atomic_store(a, 6);
out[0] = atomic_load(a);
out[1] = atomic_exchange_explicit(a, 9, memory_order_acq_rel);
  out[2] = atomic_fetch_add(a, 4) + 100 * atomic_fetch_sub_explicit(a, 3, memory_order_relaxed,
      memory_scope_work_group);
  out[3] = atomic_fetch_or(a, 0x31) + 100 * atomic_fetch_xor(a, 0x11) + 10000 * atomic_fetch_and(a, 0x2c);
  out[4] = atomic_fetch_min(a, -7) + 100 * atomic_fetch_max_explicit(a, 3, memory_order_seq_cst,
      memory_scope_all_devices);
  int guess = 4;
  out[5] = atomic_compare_exchange_strong(a, &guess, 50);
  out[6] = guess;
  out[7] = atomic_compare_exchange_weak_explicit(a, &guess, 60, memory_order_acq_rel, memory_order_acquire,
      memory_scope_device);
  out[8] = guess;
  out[9] = atomic_load_explicit(a, memory_order_acquire);
  atomic_store_explicit(a, -1, memory_order_release);
  out[10] = atomic_load_explicit(a, memory_order_relaxed, memory_scope_work_group);`;

test.each(SPACES)("atomic functions on %s memory", (_, declare) => {
  const source = `kernel void k(global int *out) { ${declare} ${BODY} out[12] = 0; }`;
  // 9 + 4 - 3 = 10; 10 | 0x31 = 59; 59 ^ 0x11 = 42; 42 & 0x2c = 40.
  const expected = [6, 6, 9 + 100 * 13, 10 + 100 * 59 + 10000 * 42, 40 + 100 * -7, 0, 3, 1, 3, 60, -1, 0, 0];
  expect(run(source, 13)).toEqual(expected);
  expect(
    run(source, 13, { options: "-cl-std=CL2.0".replace("2.0", source.includes("all_devices") ? "3.0" : "2.0") }),
  ).toEqual(expected);
  expect(run(source, 13, { options: "-cl-std=CL3.0 -cl-opt-disable" })).toEqual(expected);
});

const ATOMICS: readonly (readonly [name: string, source: string, result: readonly number[]])[] = [
  [
    "unsigned minimum and maximum",
    `kernel void k(global int *out) {
      local atomic_uint a;
      atomic_init(&a, 0xfffffff0u);
      out[0] = atomic_fetch_min(&a, 5u);
      out[1] = atomic_fetch_max(&a, 0x80000000u);
      out[2] = (int)atomic_load(&a);
    }`,
    [-16, 5, -2147483648],
  ],
  [
    "64 bits",
    `kernel void k(global int *out) {
      local atomic_long a;
      local atomic_ulong b;
      atomic_init(&a, -5L);
      atomic_init(&b, 1UL << 40);
      long old = atomic_fetch_add(&a, 1L << 33);
      out[0] = (int)old;
      out[1] = (int)(atomic_load(&a) >> 32);
      ulong guess = 1UL << 40;
      out[2] = atomic_compare_exchange_strong(&b, &guess, 7UL);
      out[3] = (int)atomic_fetch_max(&b, 1UL << 36);
      out[4] = (int)(atomic_exchange(&b, 0UL) >> 32);
      out[5] = (int)atomic_fetch_min(&a, -9L);
      out[6] = (int)atomic_load(&a);
    }`,
    [-5, 1, 1, 7, 16, -5, -9],
  ],
  [
    "floats",
    `kernel void k(global int *out) {
      local atomic_float a;
      local atomic_double d;
      atomic_init(&a, 1.5f);
      atomic_store(&d, 2.5);
      float old = atomic_exchange(&a, -2.0f);
      out[0] = (int)(old * 10);
      float guess = -2.0f;
      out[1] = atomic_compare_exchange_strong(&a, &guess, 8.0f);
      out[2] = (int)atomic_load(&a);
      double want = 1.0;
      out[3] = atomic_compare_exchange_weak(&d, &want, 9.0);
      out[4] = (int)(want * 10);
    }`,
    [15, 1, 8, 0, 25],
  ],
  [
    "types as wide as a pointer",
    `kernel void k(global int *out) {
      local atomic_size_t s;
      local atomic_ptrdiff_t d;
      local atomic_intptr_t i;
      local atomic_uintptr_t u;
      atomic_init(&s, 4);
      atomic_init(&d, -4);
      atomic_init(&i, 2);
      atomic_init(&u, 3);
      ptrdiff_t by = -1;
      out[0] = atomic_fetch_add(&i, by);
      out[1] = atomic_load(&i);
      out[2] = atomic_fetch_sub(&u, by) + (int)atomic_load(&u);
      out[3] = (int)(atomic_load(&s) + atomic_load(&d));
      out[4] = sizeof(atomic_size_t) == sizeof(size_t);
    }`,
    [2, 1, 7, 0, 1],
  ],
  [
    "flags",
    `kernel void k(global int *out) {
      local atomic_flag f;
      atomic_flag_clear(&f);
      out[0] = atomic_flag_test_and_set(&f);
      out[1] = atomic_flag_test_and_set_explicit(&f, memory_order_acquire);
      atomic_flag_clear_explicit(&f, memory_order_release, memory_scope_work_group);
      out[2] = atomic_flag_test_and_set_explicit(&f, memory_order_relaxed, memory_scope_device);
    }`,
    [0, 1, 0],
  ],
  [
    "orders and scopes that are dynamic",
    `int load(atomic_int *a, memory_order o, memory_scope s) {
      return atomic_load_explicit(a, o, s);
    }
    kernel void k(global int *out) {
      local atomic_int a;
      atomic_init(&a, 3);
      memory_order o = out[0] == 0 ? memory_order_acquire : memory_order_relaxed;
      out[1] = load(&a, o, memory_scope_work_group);
      atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, o, memory_scope_work_group);
      atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_acq_rel,
          memory_scope_device);
      out[2] = atomic_fetch_add_explicit(&a, 2, o);
      out[3] = atomic_load(&a);
    }`,
    [0, 3, 3, 5],
  ],
  [
    "a failed exchange leaves what it read in any space",
    `kernel void k(global int *out) {
      local atomic_int a;
      local int l;
      atomic_init(&a, 11);
      l = 1;
      out[0] = 2;
      int p = 3;
      out[1] = atomic_compare_exchange_strong(&a, &l, 0) + atomic_compare_exchange_strong(&a, out, 0)
          + atomic_compare_exchange_strong(&a, &p, 0);
      out[2] = l * 10000 + p;
    }`,
    [11, 0, 110011],
  ],
  [
    "members of structs and arrays",
    `typedef struct { int n; atomic_int count; atomic_uint many[3]; } S;
    kernel void k(global int *out) {
      local S s;
      atomic_init(&s.count, 1);
      for (int i = 0; i < 3; i++) atomic_init(s.many + i, i);
      s.n = 5;
      atomic_fetch_add(&s.count, s.n);
      atomic_fetch_add(&s.many[2], 7u);
      out[0] = atomic_load(&s.count);
      out[1] = (int)atomic_load(&s.many[2]);
      out[2] = sizeof(S);
    }`,
    [6, 9, 20],
  ],
];

test.each(ATOMICS)("atomics: %s", (_, source, result) => {
  expect(run(source, result.length)).toEqual(result);
  expect(run(source, result.length, { options: "-cl-std=CL3.0 -cl-opt-disable" })).toEqual(result);
});

test("work-items of several groups count together", () => {
  const source = `kernel void k(global int *out) {
    local atomic_int in_group; if (get_local_id(0) == 0) atomic_init(&in_group, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add(&in_group, (int)get_local_id(0) + 1);
    atomic_fetch_add((global atomic_int *)out, 1);
    atomic_fetch_max((global atomic_int *)out + 1, (int)get_global_id(0));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) out[2 + get_group_id(0)] = atomic_load(&in_group);
  }`;
  expect(run(source, 6, { items: [32], local: [8] })).toEqual([32, 31, 36, 36, 36, 36]);
});

test("64-bit atomics of the extensions, on global and local memory", () => {
  const source = `#if !defined(cl_khr_int64_base_atomics) || !defined(cl_khr_int64_extended_atomics)
  #error not announced
  #endif
  #pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
  kernel void k(global int *out) {
    local long l; local ulong u; global long *g = (global long *)(out + 12); l = 1; u = 2; *g = 3;
    out[0] = (int)(atom_add(&l, 1L << 32) + atom_sub(g, -5L)); out[1] = (int)(l >> 32) * 100 + (int)*g;
    out[2] = (int)atom_xchg(&u, 1UL << 50);
    out[3] = (int)(atom_inc(&u) >> 48);
    out[4] = (int)(atom_dec(g) + atom_dec(g));
    out[5] = (int)atom_cmpxchg(g, 6L, -1L); out[6] = (int)*g; atom_min(g, -5000000000L); out[7] = (int)(*g / 1000000);
    atom_max(&u, 1UL << 63);
    out[8] = (int)(u >> 60);
    atom_and(&u, ~0UL >> 2);
    atom_or(&u, 6UL);
    atom_xor(&u, 3UL);
    out[9] = (int)u;
    out[10] = (int)(u >> 32);
    *g = 0;
  }`;
  expect(run(source, 14, { options: "" })).toEqual([4, 108, 2, 4, 15, 6, -1, -5000, 8, 5, 0, 0, 0, 0]);
});

/** Variables of floats by their space: how they are declared and reached. */
const FLOAT_SPACES: readonly (readonly [space: string, declare: (type: string, atomic: string) => string])[] = [
  ["global", (_type, atomic) => `global ${atomic} *a = (global ${atomic} *)(out + 12);`],
  ["local", (_type, atomic) => `local ${atomic} cell; local ${atomic} *a = &cell;`],
  ["generic", (_type, atomic) => `${atomic} *a = (global ${atomic} *)(out + 12);`],
];
const FLOATS: readonly (readonly [type: string, atomic: string])[] = [
  ["float", "atomic_float"],
  ["double", "atomic_double"],
];

test.each(
  FLOAT_SPACES.flatMap(([space, declare]) => FLOATS.map(([type, atomic]) => [space, type, atomic, declare] as const)),
)(
  "atomics of floats in %s memory: sums, differences, the smaller and the larger %s (cl_ext_float_atomics)",
  (_space, type, atomic, declare) => {
    const source = `#if !defined(cl_ext_float_atomics) || !defined(__opencl_c_ext_fp32_global_atomic_add) || \\
  !defined(__opencl_c_ext_fp32_local_atomic_min_max) || \\
  !defined(__opencl_c_ext_fp64_global_atomic_min_max)
  #error not announced
  #endif
  kernel void k(global int *out) {
    ${declare(type, atomic)}
    atomic_init(a, (${type})1.5);
    out[0] = (int)(atomic_fetch_add(a, (${type})2.25) * 100);
    out[1] = (int)(atomic_fetch_sub(a, (${type})0.5) * 100);
    out[2] = (int)(atomic_load(a) * 100);
    out[3] = (int)(atomic_fetch_min_explicit(a, (${type})-4, memory_order_relaxed) * 100);
    out[4] = (int)(atomic_fetch_max_explicit(a, (${type})8, memory_order_acq_rel, memory_scope_device) * 100);
    out[5] = (int)(atomic_exchange(a, (${type})3) * 100);
    out[6] = (int)(atomic_fetch_min(a, (${type})5));
    out[7] = (int)(atomic_fetch_max(a, (${type})-5));
    out[8] = (int)atomic_load(a);
    atomic_store(a, (${type})0);
  }`;
    expect(run(source, 14)).toEqual([150, 375, 325, 325, -400, 800, 3, 3, 3, 0, 0, 0, 0, 0]);
  },
);

const bitsOf = (value: number): number => new Int32Array(Float32Array.of(value).buffer)[0] as number;

test("work-items add floats to one variable of the device and to one of their group", () => {
  const source = `kernel void k(global int *out) {
    local atomic_float in_group; global atomic_float *all = (global atomic_float *)out;
    if (get_local_id(0) == 0) atomic_init(&in_group, 0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add(&in_group, (float)get_local_id(0) + 0.5f);
    atomic_fetch_add(all, 0.25f);
    if (get_global_id(0) & 1) atomic_fetch_max((global atomic_float *)(out + 1), (float)get_global_id(0));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) out[2 + get_group_id(0)] = (int)atomic_load(&in_group);
  }`;
  expect(run(source, 6, { items: [32], local: [8] })).toEqual([bitsOf(8), bitsOf(31), 32, 32, 32, 32]);
});

/** Runs kernels one after the other on `k(global int *out)`'s arguments; their program's variables live on. */
function runAll(
  source: string,
  count: number,
  kernels: readonly string[],
  options = "-cl-std=CL3.0",
  items: readonly number[] = [1],
): number[] {
  const [kernel = "k", ...next] = kernels;
  const [interpreted, ...others] = runEveryWay({
    source,
    kernel,
    next,
    options,
    global: items,
    local: [1],
    arguments: [{ contents: new Uint8Array(count * 4) }],
  });
  if (interpreted === undefined) throw new Error("nothing ran");
  for (const other of others) expect(firstDifference(interpreted, other, ["bits"])).toBeNull();
  return [...new Int32Array(interpreted.buffers[0]?.slice().buffer ?? new ArrayBuffer(0))];
}

const variables: readonly (readonly [
  name: string,
  source: string,
  kernels: readonly string[],
  result: readonly number[],
])[] = [
  [
    "two launches of one kernel",
    `int count;
    global int step = 3;
    kernel void k(global int *out) {
      count += step;
      step++;
      out[0] = count;
      out[1] = step;
    }`,
    ["k", "k", "k"],
    [12, 6],
  ],
  [
    "two kernels share them",
    `int count = 10;
    void up(void) { count++; }
    kernel void a(global int *out) {
      up();
      out[0] = count;
    }
    kernel void b(global int *out) {
      count *= 2;
      out[1] = count;
    }`,
    ["a", "b", "a"],
    [23, 22],
  ],
  [
    "static variables of functions, each its own",
    `int next(void) {
      static int n = 5;
      return n++;
    }
    int other(void) {
      static int n;
      n += 100;
      return n;
    }
    kernel void k(global int *out) {
      static global int calls;
      out[0] = next();
      out[1] = other() + next();
      out[2] = ++calls;
    }`,
    ["k", "k"],
    [7, 208, 2],
  ],
  [
    "zero without an initialiser, also in arrays and structs",
    `typedef struct { int a; float4 b; int c[3]; } S;
    S s;
    global int many[100];
    static S two[2] = { [1] = { .a = 4, .c = { 1, 2 } } };
    kernel void k(global int *out) {
      int sum = s.a + (int)s.b.w + s.c[2];
      for (int i = 0; i < 100; i++) sum += many[i];
      out[0] = sum;
      out[1] = two[0].a + two[1].a * 10 + two[1].c[1] + two[1].c[2];
      s.c[2] = 1;
      many[99] = 2;
    }`,
    ["k", "k"],
    [3, 42],
  ],
  [
    "pointers to other variables in the initial values",
    `global int x = 7;
    int y[4] = { 1, 2, 3, 4 };
    constant int c = 9;
    typedef struct { global int *at; int n; constant int *to; } Entry;
    Entry table[2] = { { &x, 1, &c }, { y + 2, 2, &c } };
    int *generic_one = &y[3];
    global int *global *pp = &table[1].at;
    kernel void k(global int *out) {
      out[0] = *table[0].at + *table[1].at * 10 + *table[1].to * 100;
      *table[0].at += 1;
      *generic_one += 1;
      out[1] = y[3];
      out[2] = **pp;
      pp = &table[0].at;
    }`,
    ["k", "k"],
    [938, 6, 9],
  ],
  [
    "extern, and declared again",
    `extern global int later;
    int first(void) { return later; }
    global int later = 6;
    extern int later;
    extern int open[];
    int open[3] = { 1, 2, 3 };
    kernel void k(global int *out) {
      extern int later;
      out[0] = first() + later;
      out[1] = open[2] + sizeof(open);
      later++;
    }`,
    ["k", "k"],
    [14, 15],
  ],
  [
    "atomic variables with initial values",
    `atomic_int hits = ATOMIC_VAR_INIT(5);
    global atomic_flag once = ATOMIC_FLAG_INIT;
    global atomic_uint many[2] = { 1, 2 };
    kernel void k(global int *out) {
      out[0] = atomic_fetch_add(&hits, 2);
      out[1] += atomic_flag_test_and_set(&once);
      out[2] = (int)atomic_fetch_add(&many[1], 3u);
    }`,
    ["k", "k"],
    [7, 1, 5],
  ],
  [
    "const and constant ones, and library functions next to them",
    `const int n = 4;
    constant float f[2] = { 0.5f, 2.0f };
    global float state = 1.0f;
    static double quarter(double x, int *q) {
      *q = 1;
      return x * 4;
    }
    kernel void k(global int *out) {
      int q;
      state = exp2(f[1]) + pow(f[0], 2.0f) + state;
      out[0] = (int)(state * 100);
      out[1] = n + (int)quarter(sin(0.0), &q) + q;
    }`,
    ["k", "k"],
    [950, 5],
  ],
  [
    "addresses as ints",
    `global int x;
    uintptr_t at = (uintptr_t)&x;
    kernel void k(global int *out) {
      out[0] = at == (uintptr_t)&x;
      out[1] = *(global int *)at;
      x = 3;
    }`,
    ["k", "k"],
    [1, 3],
  ],
];

test.each(variables)("variables of the program: %s", (_, source, kernels, result) => {
  expect(runAll(source, result.length, kernels)).toEqual(result);
  expect(runAll(source, result.length, kernels, "-cl-std=CL2.0")).toEqual(result);
});

test("all work-items see one variable", () => {
  const source = `global atomic_int sum;
    kernel void k(global int *out) {
      atomic_fetch_add(&sum, (int)get_global_id(0));
      out[get_global_id(0)] = 1;
    }
    kernel void read(global int *out) { if (get_global_id(0) == 0) out[0] = atomic_load(&sum); }`;
  expect(runAll(source, 16, ["k", "k", "read"], "-cl-std=CL3.0", [16])[0]).toBe(240);
});

/** Objects that are compiled apart. */
function object(source: string): BaseModule {
  const module = hostModule({ device: hostDeviceInfo({}, 1), request: { verifyEach: true } });
  const done = [module.parseOptions("-cl-std=CL3.0", "compile"), module.compile(openclC(source))];
  if (done.some(({ ok }) => !ok)) throw new Error(module.log);
  return module;
}

function link(...sources: readonly string[]): BaseModule | string {
  const linked = object(`kernel void unused(void) {}`);
  linked.clear();
  const result = linked.link(sources.map(object));
  return result.ok ? linked : result.error.diagnostics.map(({ code, message }) => `${code} ${message}`).join("\n");
}

test("objects share external variables and keep static ones, strings and local memory to themselves", () => {
  const linked = link(
    `extern global int shared;
    extern int table[];
    static int own = 1;
    static int bump(void) { return ++own; }
    int other(void);
    int never(void);
    kernel void a(global int *out) {
      local int l;
      l = own;
      constant char *s = "ab";
      out[0] = bump() + l + s[1];
      out[1] = ++shared;
      out[2] = table[2] + other();
    }`,
    `global int shared = 40;
    int table[3] = { 1, 2, 3 };
    static int own = 100;
    static int bump(void) { return own += 100; }
    int other(void) { return bump(); }
    kernel void b(global int *out) {
      local int l;
      l = 5;
      constant char *s = "xyz";
      out[3] = bump() + l + s[1];
      out[4] = ++shared;
    }`,
  );
  if (typeof linked === "string") throw new Error(linked);
  const finalized = linked.finalize();
  const binary = linked.createBinary();
  if (!finalized.ok || !binary.ok) throw new Error("no binary");
  const image = readExecutable(binary.value);
  if (!image.ok) throw new Error(image.error.message);
  const machine = new Machine();
  const out = machine.upload(new Uint8Array(20));
  for (const name of ["a", "b", "a"]) machine.run(image.value, name, [{ buffer: out }], [1], [1]);
  // own of the first object: 1, 2, 3; of the second: 100, 200, 300, 400.
  expect([...new Int32Array(machine.memory.buffer, out, 5)]).toEqual([3 + 2 + 98, 43, 3 + 400, 300 + 5 + 121, 42]);
});

test("the errors of impossible links explain why", () => {
  const user = `extern global int shared;
  kernel void a(global int *out) { *out = shared; }`;
  const outcomes = [
    [
      [user],
      /^CL3001 "shared" is declared extern and used at program\.cl:2:43, but nothing that is linked defines it: define it, or /u,
    ],
    [
      [user, "global float shared;"],
      /^CL3003 "shared" is a variable i32 in program\.cl, but a variable f32 in program\.cl: declare it with one type$/u,
    ],
    [
      ["global int shared = 1;", "global int shared = 2;", user],
      /^CL3002 "shared" is defined twice, in program\.cl and in program\.cl: remove one, or /u,
    ],
    [
      [
        `int f(int x);
kernel void a(global int *out) { *out = f(1); }`,
        "int f(float x) { return 1; }",
      ],
      /^CL3003 "f" is i32 \(i32\) in program\.cl, but i32 \(f32\) at program\.cl:1:5: declare it with one type$/u,
    ],
  ] as const;
  for (const [sources, message] of outcomes) expect(link(...sources), sources.join("\n")).toMatch(message);
  expect(
    typeof link(`extern global int unused;
    int unused_too(int x);
    kernel void a(global int *out) { *out = 1; }`),
  ).toBe("object");
});
