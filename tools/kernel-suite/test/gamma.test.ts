// SPDX-License-Identifier: Apache-2.0
// lgamma, lgamma_r, tgamma of float, double and half, in every way, against integers of 1200 bits.
import { expect, test } from "vitest";

import { firstDifference, runEveryWay } from "@muxkit/kernel-suite";

import { distance, exponential, fixed, log } from "./exact.ts";
import { logGamma } from "./gamma-reference.ts";
import { ENABLE_HALF, rounded, sequence, valueOf } from "./half-reference.ts";

interface Results {
  readonly gamma: readonly number[];
  readonly log: readonly number[];
  readonly sign: readonly number[];
}

const WIDTHS = { float: Float32Array, double: Float64Array } as const;

/** All three functions of numbers, two lanes at a time. */
function compute(type: "float" | "double", numbers: Float32Array | Float64Array): Results {
  const source = `kernel void k(global const ${type} *x, global ${type} *g, global ${type} *l, global int *s) {
    size_t i = get_global_id(0);
    int2 sign;
    vstore2(tgamma(vload2(i, x)), i, g);
    ${type}2 r = lgamma_r(vload2(i, x), &sign);
    vstore2(sign, i, s);
    ${type} a = lgamma(x[2 * i]), b = lgamma(x[2 * i + 1]);
    l[2 * i] = as_${type === "float" ? "int" : "long"}(a) == as_${type === "float" ? "int" : "long"}(r.x) ? a : 12345;
    l[2 * i + 1] = as_${type === "float" ? "int" : "long"}(b) == as_${type === "float" ? "int" : "long"}(r.y) ? b
        : 12345;
  }`;
  const size = numbers.length;
  const bytes = size * numbers.BYTES_PER_ELEMENT;
  const [first, ...others] = runEveryWay({
    source,
    kernel: "k",
    global: [size / 2],
    local: [1],
    arguments: [
      { contents: new Uint8Array(numbers.slice().buffer) },
      { contents: new Uint8Array(bytes) },
      { contents: new Uint8Array(bytes) },
      { contents: new Uint8Array(size * 4) },
    ],
  });
  if (first === undefined) throw new Error("nothing ran");
  const kind = type === "float" ? "f32" : "f64";
  for (const other of others) expect(firstDifference(first, other, [kind, kind, kind, "bits"])).toBeNull();
  const [, g, l, s] = first.buffers.map((buffer) => buffer.slice().buffer);
  return {
    gamma: [...new WIDTHS[type](g ?? new ArrayBuffer(0))],
    log: [...new WIDTHS[type](l ?? new ArrayBuffer(0))],
    sign: [...new Int32Array(s ?? new ArrayBuffer(0))],
  };
}

/**
 * Numbers in the range of gamma, near its poles, near the zeros of its logarithm, tiny and huge ones; an even count.
 */
function samples(): number[] {
  const random = sequence(5);
  const real = (low: number, high: number): number => low + ((high - low) * (random() + random() / 2 ** 32)) / 2 ** 32;
  const list: number[] = [];
  for (let i = 0; i < 60; i++) {
    list.push(real(0, 12), real(-12, 0), real(11, 171.6), real(-184, -11), real(0.5, 2.5), real(-3, 3));
    list.push(
      1 + real(-1, 1) * 2 ** -(i % 50),
      2 + real(-1, 1) * 2 ** -(i % 50),
      -(i + 1) + real(-1, 1) * 2 ** -((i % 40) + 2),
      real(1, 2) * 2 ** -(i * 17),
      real(1, 2) * 2 ** (i * 17),
    );
  }
  return [
    ...list,
    0.5,
    1.5,
    2.5,
    -0.5,
    -1.5,
    171.62,
    170.5,
    11,
    10.999,
    0.4999999,
    -184.2,
    -177.5,
    3,
    4,
    20,
    23,
    100,
    34,
    35,
    36.1,
    1e-310,
    -1e-310,
    5e-324,
    -5e-324,
  ].filter((x) => x !== 0 && (x > 0 || Math.floor(x) !== x));
}

/** Greatest error in units in the last place of what is finite. */
function worst(
  numbers: readonly number[],
  results: readonly number[],
  exact: (x: number) => { readonly mantissa: bigint; readonly power: number },
  precision: number,
  leastExponent: number,
): number {
  return numbers.reduce((most, x, i) => {
    const { mantissa, power } = exact(x);
    const limit = precision === 53 ? 1024 : 128;
    if (power >= limit) return Math.abs(results[i] ?? 0) === Infinity ? most : Infinity;
    return Math.max(most, distance(results[i] ?? Number.NaN, mantissa, power, precision, leastExponent));
  }, 0);
}

function exactGamma(x: number): { readonly mantissa: bigint; readonly power: number } {
  const { value, sign } = logGamma(x);
  const { mantissa, power } = exponential(value);
  return { mantissa: BigInt(sign) * mantissa, power };
}

/** Units in the last place between a number and gamma(x). */
function gammaError(x: number, value: number): number {
  const { mantissa, power } = exactGamma(x);
  return distance(value, mantissa, power, 53, -1074);
}

test("the reference matches known values", () => {
  expect(gammaError(5, 24)).toBeLessThan(1e-15);
  expect(gammaError(23, 1_124_000_727_777_607_680_000)).toBeLessThan(0.5);
  expect(gammaError(0.5, Math.sqrt(Math.PI))).toBeLessThan(1);
  expect(gammaError(-1.5, (4 / 3) * Math.sqrt(Math.PI))).toBeLessThan(1);
  expect(logGamma(-0.5).sign).toBe(-1);
  expect(Number(logGamma(1e10).value >> 1100n) / 2 ** 100 / 220_258_509_288.811).toBeCloseTo(1, 12);
});

/** Greatest error of lgamma, in units in the last place; where it crosses zero, at least in units of `least`. */
function worstLog(
  numbers: readonly number[],
  results: readonly number[],
  precision: number,
  least: (x: number) => number,
): number {
  return Math.max(
    ...numbers.map((x, i) => distance(results[i] ?? Number.NaN, logGamma(x).value, 0, precision, least(x))),
  );
}

test("double: tgamma within 6 units in the last place, lgamma within 8", () => {
  const numbers = samples();
  const { gamma, log: logarithm, sign } = compute("double", Float64Array.from(numbers));
  expect(worst(numbers, gamma, exactGamma, 53, -1074)).toBeLessThan(6);
  expect(worstLog(numbers, logarithm, 53, (x) => (x > 0 ? -1074 : -52))).toBeLessThan(8);
  expect(sign).toEqual(numbers.map((x) => logGamma(x).sign));
});

test("float: both within one unit in the last place", () => {
  const numbers = [...Float32Array.from(samples())]
    .filter((x) => Math.abs(x) < 2e36 && x !== 0 && (x > 0 || Math.floor(x) !== x))
    .filter((_, i, list) => i < 2 * Math.floor(list.length / 2));
  const { gamma, log: logarithm, sign } = compute("float", Float32Array.from(numbers));
  expect(worst(numbers, gamma, exactGamma, 24, -149)).toBeLessThan(1);
  expect(worstLog(numbers, logarithm, 24, (x) => (x > 0 ? -149 : -52))).toBeLessThan(1);
  expect(sign).toEqual(numbers.map((x) => logGamma(x).sign));
});

test("poles, infinities and NaN", () => {
  for (const type of ["float", "double"] as const) {
    const {
      gamma,
      log: logarithm,
      sign,
    } = compute(type, WIDTHS[type].from([0, -0, -1, -2, -1e20, Infinity, -Infinity, Number.NaN, 1, 2]));
    expect(gamma).toEqual([
      Infinity,
      -Infinity,
      Number.NaN,
      Number.NaN,
      Number.NaN,
      Infinity,
      Number.NaN,
      Number.NaN,
      1,
      1,
    ]);
    expect(logarithm).toEqual([Infinity, Infinity, Infinity, Infinity, Infinity, Infinity, Infinity, Number.NaN, 0, 0]);
    expect(sign).toEqual([1, -1, 1, 1, 1, 1, 1, 1, 1, 1]);
  }
});

test("half: rounded once from float", () => {
  const bits = Uint16Array.from({ length: 630 }, (_, i) => i * 104).filter(
    (half) =>
      Number.isFinite(valueOf(half)) &&
      valueOf(half) !== 0 &&
      (valueOf(half) > 0 || Math.floor(valueOf(half)) !== valueOf(half)),
  );
  const source = `${ENABLE_HALF}kernel void k(global const half *x, global half *g, global half *l) {
    size_t i = get_global_id(0);
    int s;
    g[i] = tgamma(x[i]);
    l[i] = lgamma_r(x[i], &s);
    if (as_short(lgamma(x[i])) != as_short(l[i])) l[i] = 0;
  }`;
  const buffer = (): { contents: Uint8Array } => ({ contents: new Uint8Array(bits.length * 2) });
  const reference = [...bits].map((half): readonly [gamma: number, log: number] => {
    const x = valueOf(half);
    const exact = exactGamma(x);
    // 53 bits of the exact result: enough for a half, unless it is a tie, which none of these is.
    const gamma = (Number(exact.mantissa >> 1100n) / 2 ** 100) * 2 ** Math.max(-1000, Math.min(1000, exact.power));
    return [rounded(gamma), rounded(Number(logGamma(x).value >> 1100n) / 2 ** 100)];
  });
  for (const { way, buffers } of runEveryWay({
    source,
    kernel: "k",
    global: [bits.length],
    local: [1],
    arguments: [{ contents: new Uint8Array(bits.slice().buffer) }, buffer(), buffer()],
  })) {
    const [, gamma = [], logarithm = []] = buffers.map((bytes) => new Uint16Array(bytes.slice().buffer));
    expect([...gamma], way).toEqual(reference.map(([value]) => value));
    expect([...logarithm], way).toEqual(reference.map(([, value]) => value));
  }
});

function doubles(list: readonly number[]): { readonly contents: Uint8Array } {
  return { contents: new Uint8Array(Float64Array.from(list).buffer) };
}

test("pow of doubles within 6 units in the last place", () => {
  const random = sequence(21);
  const real = (low: number, high: number): number => low + ((high - low) * random()) / 2 ** 32;
  const pairs = Array.from({ length: 400 }, (_, i): readonly [number, number] => {
    const x = i % 2 === 0 ? real(0.5, 2) : Math.exp(real(-20, 20));
    return [x, real(-700, 700) / Math.max(1, Math.abs(Math.log(x)))];
  });
  const source = `kernel void k(global const double *x, global const double *y, global double *r) {
      size_t i = get_global_id(0);
      r[i] = pow(x[i], y[i]);
    }`;
  const [first] = runEveryWay({
    source,
    kernel: "k",
    global: [pairs.length],
    local: [1],
    arguments: [doubles(pairs.map(([x]) => x)), doubles(pairs.map(([, y]) => y)), doubles(pairs.map(() => 0))],
  });
  const results = new Float64Array(first?.buffers[2]?.slice().buffer ?? new ArrayBuffer(0));
  const errors = pairs.map(([x, y], i) => {
    const { mantissa, power } = exponential((log(fixed(x)) * fixed(y)) >> 1200n);
    return distance(results[i] ?? Number.NaN, mantissa, power, 53, -1074);
  });
  expect(Math.max(...errors)).toBeLessThan(6);
});
