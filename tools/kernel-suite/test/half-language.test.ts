// SPDX-License-Identifier: Apache-2.0
// cl_khr_fp16 in the language: types, operators, literals, built-ins, constants, what is refused.
import { expect, test } from "vitest";

import { build, firstDifference, runEveryWay } from "@muxkit/kernel-suite";

import { ENABLE_HALF, rounded, valueOf } from "./half-reference.ts";

/**
 * Runs a kernel `k(global int *out)` with one work-item in every way, which must agree; returns the first `count` ints.
 */
function run(source: string, count: number, options: string = ""): number[] {
  const [interpreted, ...others] = runEveryWay({
    source,
    kernel: "k",
    options,
    global: [1],
    local: [1],
    arguments: [{ contents: new Uint8Array(count * 4) }],
  });
  if (interpreted === undefined) throw new Error("nothing ran");
  for (const other of others) expect(firstDifference(interpreted, other, ["bits"])).toBeNull();
  return [...new Int32Array(interpreted.buffers[0]?.slice().buffer ?? new ArrayBuffer(0))];
}

/** `h`: the half 1.5; `v`: (1, 2, 3, 4); `x`: an int 3; all unknown to the compiler. */
const expressions: readonly (readonly [expression: string, value: number])[] = [
  ["sizeof(half) * 1000 + sizeof(half3) * 100 + sizeof(half16)", 2832],
  ["sizeof(h + 1)", 2],
  ["sizeof(h + 1.0f)", 4],
  ["sizeof(h * 1.0)", 8],
  ["sizeof(1.0h)", 2],
  ["sizeof(h < h)", 4],
  ["sizeof(v < v)", 8],
  ["sizeof(x ? h : x)", 2],
  ["sizeof(-h)", 2],
  ["(int)(h + x)", 4],
  ["(int)((h + 0x1p-11f) * 4096)", 6146],
  ["(int)(h * 2.0h + 0x1p-2H)", 3],
  ["as_ushort((half)65520.0f)", 0x7c00],
  ["as_ushort((half)65519.0f)", 0x7bff],
  ["as_ushort((half)1e-8f)", 0],
  ["as_short(h)", 0x3e00],
  ["as_ushort(1.00048828125h) + as_ushort(1.000488281250000000000001h) * 65536", 0x3c013c00],
  ["as_int(1.000000059604644775390625f) * 2 + as_int(1.00000005960464477539062500001f)", (0x3f80_0000 * 3 + 1) | 0],
  [
    "as_ushort(2.98023223876953125e-8h) + as_ushort(2.980232238769531251e-8h) + " +
      "as_ushort(65520.h) - as_ushort(65519.99999999999999999h)",
    2,
  ],
  ["as_ushort(-h)", 0xbe00],
  ["as_int((half2)(1.0h, h))", 0x3e003c00],
  ["(int)as_half((ushort)0x4900)", 10],
  ["(v < (half4)2).x + (v == v).y * 10 + (v > v).z", -11],
  ["(v != (half4)(1, 0, 3, 0)).w", -1],
  ["(!v).x + (!(v - v)).y", -1],
  ["((v - 1) && v).x + ((v - 1) || v).x * 10", -10],
  ["(int)((v < (half4)2.5h) ? v : -v).z", -3],
  ["(int)((short4)(-1, 0, -1, 0) ? v : (half4)9).y", 9],
  ["(int)(x ? v : -v).w", 4],
  ["h ? 1 : 2", 1],
  ["h && x - 3", 0],
  ["!h + (h || 0)", 1],
  ["(h == 1.5f) + (h == 1.5) * 10", 11],
  ["h < x", 1],
  ["(int)(v * 2 + h).w", 9],
  ["(int)v.wzyx.x + (int)v.hi.y * 10 + (int)v.even.y * 100 + (int)v.s1 * 1000", 2344],
  ["(int)((half8)(v, v.xy, h, 9)).s7", 9],
  ["(int)((half3)(v.xy, 7)).z", 7],
  ["(int)convert_half4((int4)(1, 2, 3, x)).w", 3],
  ["convert_int4_rte(v + 0.5h).y", 2],
  ["(int)convert_float4(v).z + (int)convert_double4(v).y", 5],
  ["as_ushort(convert_half_rtz(65536.0f)) + as_ushort(convert_half_rtp(1e-9)) * 65536", 0x17bff],
  ["as_ushort(convert_half_rtn(70000)) - as_ushort(convert_half_rtp(70000))", -1],
  ["(int)max(h, 2.0h) + (int)min(v, 3.0h).w * 10", 32],
  ["(int)clamp(v, 2.0h, 3.0h).x", 2],
  ["(int)mad(v, v, v).w + (int)fma(h, 2.0h, 1.0h)", 24],
  ["(int)dot(v, v)", 30],
  ["(int)length((half2)(300, 400))", 500],
  ["(int)distance((half3)(1, 2, 3), (half3)(1, 2, 8))", 5],
  ["(int)(normalize((half2)(30000, 40000)).y * 10)", 8],
  ["(int)cross((half3)(1, 0, 0), (half3)(0, 1, 0)).z", 1],
  ["(int)mix(v, v * 3, (half4)0.5h).y", 4],
  ["(int)step(2.0h, v).x + (int)smoothstep(0.0h, 1.0h, h)", 1],
  ["(int)sign(-h) + (int)degrees(M_PI_H)", 179],
  ["(int)(radians((half)180) * 100)", 314],
  ["isequal(h, h) + isequal(v, v).x", 0],
  ["isless(h, 2.0h) + isgreaterequal(h, 1.5h) + islessgreater(h, h) + isunordered(h, (half)NAN)", 3],
  ["(int)select(h, 3.0h, (short)x) + (int)select(v, v * 2, (short4)(-1, 0, 0, 0)).x", 5],
  ["as_ushort(bitselect(h, as_half((ushort)0xffff), as_half((ushort)0x00ff)))", 0x3eff],
  ["(int)shuffle(v, (ushort4)(3, 2, 1, 0)).x + (int)shuffle2(v, v * 10, (ushort2)(0, 7)).y", 44],
  ["vec_step(half3) + vec_step(h)", 5],
  ["ilogb(h) + ilogb((half8)8).s3", 3],
  ["as_ushort(nan((ushort)1)) - as_ushort(nan((ushort)0))", 1],
  ["isnan(nan(1u)) + isnan(nan(1ul)) + isnan(nan((uint2)1)).x", 1],
  ["(int)ldexp(h, 3) + (int)ldexp(v, x).y + (int)ldexp(v, (int4)1).x", 30],
  ["(int)pown(h, 2) + (int)rootn((half)27, 3)", 5],
  ["(int)(sin((half)0) + cos((half)0) + exp((half4)0).w + tgamma((half)5))", 26],
  ["(int)half_sqrt(h * h * 100) + (int)native_recip(0.25f)", 19],
  ["HALF_DIG + HALF_MANT_DIG + HALF_MAX_10_EXP + HALF_MAX_EXP + HALF_MIN_10_EXP + HALF_MIN_EXP + HALF_RADIX", 19],
  ["as_ushort(HALF_MAX) + (as_ushort(HALF_MIN) << 16)", 0x4007bff],
  ["as_ushort(HALF_EPSILON)", 0x1400],
  [
    "(int)(1000 * (float)M_E_H) + (int)(1000 * (M_LOG2E_H - M_LOG10E_H)) + (int)(100 * (M_LN2_H + M_LN10_H))",
    2718 + 1008 + 299,
  ],
  [
    "as_ushort(M_PI_H) - as_ushort(M_PI_2_H) + as_ushort(M_PI_4_H) - as_ushort(M_1_PI_H) + as_ushort(M_2_PI_H)",
    0x400 + 0x3a48 + 0x400,
  ],
  [
    "(int)(1000 * (float)M_2_SQRTPI_H) + (int)(1000 * (float)M_SQRT2_H) + (int)(1000 * (float)M_SQRT1_2_H)",
    1127 + 1414 + 707,
  ],
  ["defined_macro()", 1],
];

const PRELUDE = `
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
int defined_macro() {
#ifdef cl_khr_fp16
  return cl_khr_fp16;
#else
  return 0;
#endif
}
`;

test.each(expressions)("%s", (expression, value) => {
  const source = `${PRELUDE}kernel void k(global int *out) {
    int x = out[1] + 3;
    half h = out[1] + 1.5h;
    half4 v = (half4)(1, 2, 3, 4) + out[1];
    out[0] = ${expression};
  }`;
  expect(run(source, 2)[0]).toBe(value);
});

const programs: readonly (readonly [name: string, source: string, result: readonly number[]])[] = [
  [
    "assignment operators, increments",
    `kernel void k(global int *out) {
      half h = 3;
      h += 0.5f;
      h++;
      --h;
      h *= 2;
      h /= 4;
      h -= 1;
      out[0] = h * 100;
      half2 v = 1;
      v += 1;
      v += h;
      v.x *= 3;
      out[1] = v.x * 100;
    }`,
    [75, 825],
  ],
  [
    "functions",
    `half twice(half x) { return x * 2; }
    half4 sum(half4 a, half4 b) { return a + b; }
    kernel void k(global int *out) {
      out[0] = twice(21);
      out[1] = sum((half4)(1, 2, 3, 4), 10).z;
    }`,
    [42, 13],
  ],
  [
    "structs, arrays, unions",
    `typedef struct { char c; half h; half3 v; } S;
    kernel void k(global int *out) {
      S s = { 1, 2.5h, (half3)(1, 2, 3) };
      S t = s;
      t.h += t.v.z;
      out[0] = t.h * 2;
      half a[] = { 1, 2, 3.5f };
      out[1] = sizeof(S) * 100 + sizeof(a);
      union { half h; ushort u; } u;
      u.h = 1;
      out[2] = u.u;
      out[3] = a[2] * 2;
    }`,
    [11, 1606, 0x3c00, 7],
  ],
  [
    "constants at program scope",
    `constant half t[3] = { 1.5h, -2, 0x1p-24h };
    constant half4 v = (half4)(1, 2, 3, 4);
    kernel void k(global int *out) {
      out[0] = t[0] * 2;
      out[1] = t[1];
      out[2] = as_ushort(t[2]);
      out[3] = v.w;
    }`,
    [3, -2, 1, 4],
  ],
  [
    "vloadn and vstoren",
    `kernel void k(global int *out) {
      half a[24];
      for (int i = 0; i < 24; i++) a[i] = i;
      half3 v = vload3(2, a);
      vstore3(v * 2, 0, a);
      half16 w = vload16(0, a);
      vstore2(w.s01 + w.sf, 5, a);
      out[0] = a[0];
      out[1] = a[2];
      out[2] = a[10];
      out[3] = vload8(1, a).s7;
    }`,
    [12, 16, 27, 15],
  ],
  [
    "swizzles as lvalues",
    `kernel void k(global int *out) {
      half4 v = 0;
      v.xz = (half2)(1, 3);
      v.s1 = 2;
      v.hi.y += 4;
      out[0] = v.x;
      out[1] = v.y;
      out[2] = v.z;
      out[3] = v.w;
    }`,
    [1, 2, 3, 4],
  ],
  [
    "loops that carry halves",
    `kernel void k(global int *out) {
      half s = 0;
      half2 v = 0;
      for (int i = 0; i < 3000; i++) {
        s += 1.0h;
        if (i & 1) v += (half2)(0.1h, 1);
        else v = v.yx;
      } out[0] = s;
      out[1] = v.x * 8;
      out[2] = v.y * 8;
    }`,
    [2048, 6216, 6216],
  ],
  [
    "sums are rounded at each step",
    `kernel void k(global int *out) {
      half a = 2048 + out[0], b = 1;
      out[0] = (a + b) - a;
      out[1] = (float)a + b - a;
    }`,
    [0, 1],
  ],
  [
    "selected and moved NaNs keep their bits",
    `kernel void k(global int *out) {
      half a = as_half((ushort)(0x7c01 + out[0])), b = out[0] ? 1.0h : a;
      half2 v = (half2)(b, -b);
      v = v.yx;
      out[0] = as_ushort(b);
      out[1] = as_int(v);
      half c = a;
      for (int i = out[2]; i < 3; i++) c = i == 5 ? c + 1 : a;
      out[2] = as_ushort(c);
      out[3] = as_ushort(c + 1);
    }`,
    [0x7c01, 0x7c01fc01, 0x7c01, 0x7e00],
  ],
  [
    "modf, frexp, sincos, remquo, lgamma_r",
    `kernel void k(global int *out) {
      half w;
      int e;
      half4 q;
      int4 f;
      out[0] = modf(2.75h, &w) * 4 + w * 100;
      out[1] = frexp((half)12, &e) * 100 + e;
      half s = sincos((half)0, &w);
      out[2] = s + w * 5;
      half4 r = frexp((half4)(1, 2, 4, 40), &f);
      out[3] = f.w * 100 + f.z + (int)(r.y * 10);
    }`,
    [203, 79, 5, 608],
  ],
  [
    "an event copies halves",
    `kernel void k(global int *out) {
      local half l[8];
      l[0] = 2;
      global half *g = (global half *)out;
      event_t e = async_work_group_copy(g, l, 2, 0);
      wait_group_events(1, &e);
      prefetch(g, 2);
      out[1] = g[0];
      out[0] = 0;
    }`,
    [0, 2],
  ],
];

test.each(programs)("%s", (_, source, result) => {
  expect(run(`${ENABLE_HALF}${source}`, Math.max(4, result.length)).slice(0, result.length)).toEqual(result);
});

/** Numbers as the bytes of halfs. */
function halvesOf(...numbers: readonly number[]): Uint8Array {
  return new Uint8Array(Uint16Array.from(numbers.map(rounded)).buffer);
}

test("halves as arguments of kernels, by value", () => {
  const source = `${ENABLE_HALF}typedef struct { half a; half2 b; } S;
  kernel void k(half h, half3 v, S s, global float *out) {
    out[0] = h;
    out[1] = v.z;
    out[2] = s.a + s.b.y;
  }`;
  const outcomes = runEveryWay({
    source,
    kernel: "k",
    global: [1],
    local: [1],
    arguments: [
      { value: halvesOf(1.5) },
      { value: halvesOf(1, 2, 3, 0) },
      { value: halvesOf(10, 0, 20, 30) },
      { contents: new Uint8Array(12) },
    ],
  });
  for (const { way, buffers } of outcomes)
    expect([...new Float32Array(buffers[0]?.slice().buffer ?? new ArrayBuffer(0))], way).toEqual([1.5, 3, 40]);
});

test("halves are printed as the numbers that they are", () => {
  const source = `${ENABLE_HALF}kernel void k(global half *p) {
    half h = *p + 1.5h;
    printf("%f %g %v4hf %v2hlf", h, HALF_MAX, (half4)(1, -2, 0.1h, h), (float2)1);
  }`;
  const texts = runEveryWay({
    source,
    kernel: "k",
    global: [1],
    local: [1],
    arguments: [{ contents: new Uint8Array(2) }],
  }).map(({ printed }) => printed);
  expect(new Set(texts)).toEqual(new Set(["1.500000 65504 1.000000,-2.000000,0.099976,1.500000 1.000000,1.000000"]));
});

test("groups combine halves", () => {
  const source = `${ENABLE_HALF}kernel void k(global half *p) {
    size_t i = get_local_id(0);
    half h = i + 1;
    p[i] = work_group_reduce_add(h * h);
    p[i + 16] = work_group_scan_inclusive_add(h);
    p[i + 32] = work_group_scan_exclusive_max(-h);
    p[i + 48] = sub_group_reduce_min(h) + work_group_broadcast(h, 3);
  }`;
  for (const { way, buffers } of runEveryWay({
    source,
    kernel: "k",
    options: "-cl-std=CL3.0",
    global: [16],
    local: [16],
    arguments: [{ contents: new Uint8Array(128) }],
  })) {
    const numbers = [...new Uint16Array(buffers[0]?.slice().buffer ?? new ArrayBuffer(0))].map(valueOf);
    const items = Array.from({ length: 16 }, (_, i) => i);
    expect(numbers.slice(0, 16), way).toEqual(items.map(() => 1496));
    expect(numbers.slice(16, 32), way).toEqual(items.map((i) => ((i + 1) * (i + 2)) / 2));
    expect(numbers.slice(32, 48), way).toEqual(items.map((i) => (i === 0 ? -Infinity : -1)));
    expect(numbers.slice(48), way).toEqual(items.map((i) => (i < 8 ? 1 : 9) + 4));
  }
});

const mistakes: readonly (readonly [name: string, statement: string, message: RegExp])[] = [
  ["a remainder", "h % h", /"%"/u],
  ["bits", "h & 1", /"&"/u],
  ["the complement", "~h", /"~"/u],
  ["a shift", "h << 1", /"<<"/u],
  ["vectors of two types", "v + (float4)1", /half4 and float4/u],
  ["a saturated conversion to half", "convert_half_sat(1.0f)", /convert_half_sat/u],
  ["as_half of 32 bits", "as_half(1.0f)", /as_half/u],
  ["native functions of half vectors", "native_sin(v)", /native_sin/u],
  ["a half as an index", "out[h]", /half/u],
];

test("without the pragma half is refused", () => {
  const source = `kernel void k(global int *out) {
    half h = 3;
    h *= h;
    out[0] = h;
  }`;
  expect(() => build(source)).toThrow(
    "a variable of type half needs the extension cl_khr_fp16, which this program does not enable",
  );
  expect(run(`${ENABLE_HALF}${source}`, 1)).toEqual([9]);
});

test.each(mistakes)("%s of half is refused", (_, expression, message) => {
  expect(() =>
    build(`${ENABLE_HALF}kernel void k(global int *out) {
      half h = out[0];
      half4 v = h;
      ${expression};
    }`),
  ).toThrow(message);
});
