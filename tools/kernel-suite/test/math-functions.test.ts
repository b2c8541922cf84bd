// SPDX-License-Identifier: Apache-2.0
// Every function of section 6.12.2, by the overloads that the specification lists: for float, double and half; those of
// half are near the true values.
import { expect, test } from "vitest";

import { build, runEveryWay } from "@muxkit/kernel-suite";

import { ENABLE_HALF, rounded, valueOf } from "./half-reference.ts";

/**
 * `T`: the current type; `S`: its scalar; `N`: ints; `U`: unsigned ints of its width. Results go into `r`, of type T.
 */
const FORMS: readonly (readonly [names: string, call: string])[] = [
  [
    "acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erf " +
      "erfc exp exp2 exp10 expm1 fabs floor lgamma log log2 log10 log1p logb rint round " +
      "rsqrt sin sinh sinpi sqrt tan tanh tanpi tgamma trunc",
    "r = F(x)",
  ],
  ["atan2 atan2pi copysign fdim fmax fmin fmod hypot maxmag minmag nextafter pow powr remainder", "r = F(x, x)"],
  ["fmax fmin", "r = F(x, s)"],
  ["fma mad", "r = F(x, x, x)"],
  ["fract modf sincos", "T p; r = F(x, &p); r += p"],
  ["frexp lgamma_r", "N e; r = F(x, &e); n += e"],
  ["remquo", "N e; r = F(x, x, &e); n += e"],
  ["ilogb", "n += F(x)"],
  ["ldexp pown rootn", "r = F(x, n)"],
  ["ldexp", "r = F(x, 3)"],
  ["nan", "r = F(u)"],
];
const FLOAT_FORMS: readonly (readonly [names: string, call: string])[] = ["half", "native"].flatMap((prefix) => [
  [
    "cos exp exp2 exp10 log log2 log10 recip rsqrt sin sqrt tan"
      .split(" ")
      .map((name) => `${prefix}_${name}`)
      .join(" "),
    "r = F(x)",
  ] as const,
  [
    "divide powr"
      .split(" ")
      .map((name) => `${prefix}_${name}`)
      .join(" "),
    "r = F(x, x)",
  ] as const,
]);

const INTS: Readonly<Record<string, string>> = { float: "uint", double: "ulong", half: "ushort" };

test.each(["float", "double", "half"])("each has its forms for %s", (type) => {
  for (const lanes of [1, 2]) {
    const suffix = lanes === 1 ? "" : String(lanes);
    const forms = type === "float" ? [...FORMS, ...FLOAT_FORMS] : FORMS;
    const calls = forms.flatMap(([names, call]) =>
      names.split(" ").map(
        (name) =>
          `{ ${call
            .replace("F(", `${name}(`)
            .replaceAll(/\bT\b/gu, type + suffix)
            .replaceAll(/\bN\b/gu, `int${suffix}`)}; *out += r; }`,
      ),
    );
    const source = `${ENABLE_HALF}kernel void k(global ${type}${suffix} *out, global int${suffix} *q, ${type} s) {
      ${type}${suffix} x = *out, r;
      int${suffix} n = 1;
      ${INTS[type] ?? ""}${suffix} u = 1;
      ${calls.join("\n")} *q = n;
    }`;
    const { kernels } = build(source, { options: "-cl-opt-disable -Werror" });
    expect(kernels.map(({ name }) => name)).toEqual(["k"]);
  }
});

const turn =
  (f: (x: number) => number) =>
  (x: number): number =>
    f((x - 2 * Math.round(x / 2)) * Math.PI);

/** What functions of one half are, in binary64. */
const FUNCTIONS: Readonly<Record<string, (x: number) => number>> = {
  acos: Math.acos,
  acosh: Math.acosh,
  asin: Math.asin,
  asinh: Math.asinh,
  atan: Math.atan,
  atanh: Math.atanh,
  cbrt: Math.cbrt,
  cos: Math.cos,
  cosh: Math.cosh,
  exp: Math.exp,
  expm1: Math.expm1,
  log: Math.log,
  log10: Math.log10,
  log1p: Math.log1p,
  log2: Math.log2,
  sin: Math.sin,
  sinh: Math.sinh,
  tan: Math.tan,
  tanh: Math.tanh,
  exp2: (x) => 2 ** x,
  exp10: (x) => 10 ** x,
  rsqrt: (x) => 1 / Math.sqrt(x),
  acospi: (x) => Math.acos(x) / Math.PI,
  asinpi: (x) => Math.asin(x) / Math.PI,
  atanpi: (x) => Math.atan(x) / Math.PI,
  sinpi: turn(Math.sin),
  cospi: turn(Math.cos),
  degrees: (x) => (x * 180) / Math.PI,
  radians: (x) => (x * Math.PI) / 180,
};

/** Position of a half in the order of halfs, so that neighbours differ by 1. */
const place = (bits: number): number => ((bits & 0x8000) === 0 ? bits : -(bits & 0x7fff));

test.each(Object.keys(FUNCTIONS))("half %s is within one unit in the last place", (name) => {
  const halves = Uint16Array.from({ length: 640 }, (_, i) => (i * 103) & 0xffff);
  const source = `kernel void k(global const half *x, global half *r) {
    size_t i = get_global_id(0);
    vstore4(${name}(vload4(i, x)), i, r);
  }`;
  for (const { way, buffers } of runEveryWay({
    source,
    kernel: "k",
    global: [halves.length / 4],
    local: [1],
    arguments: [{ contents: new Uint8Array(halves.buffer) }, { contents: new Uint8Array(halves.length * 2) }],
  })) {
    const results = new Uint16Array(buffers[1]?.slice().buffer ?? new ArrayBuffer(0));
    const wrong = [...halves].flatMap((bits, i) => {
      const exact = FUNCTIONS[name]?.(valueOf(bits)) ?? 0;
      const wanted = rounded(Math.abs(exact) < 1e-15 ? 0 : exact);
      const given = results[i] ?? 0;
      const isNear = Number.isNaN(exact) ? Number.isNaN(valueOf(given)) : Math.abs(place(given) - place(wanted)) <= 1;
      return isNear ? [] : [`${name}(${valueOf(bits)}) is ${valueOf(given)}, not ${valueOf(wanted)}`];
    });
    expect(wrong, way).toEqual([]);
  }
});
