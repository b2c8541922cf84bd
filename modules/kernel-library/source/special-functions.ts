// SPDX-License-Identifier: Apache-2.0
// Functions that JavaScript's Math lacks, in double precision: erf by its series and its continued fraction, gamma by
// Lanczos' approximation (g = 7), the fused multiply-add in exact integers.
import { floatToHalf, halfToFloat } from "@muxkit/cargo";

import type { ScalarName } from "./translated.ts";

/** Half-way cases go to the even neighbour. */
export function roundEven(x: number): number {
  if (!(Math.abs(x) < 2 ** 52)) return x;
  const big = x < 0 || Object.is(x, -0) ? -(2 ** 52) : 2 ** 52;
  const rounded = x + big - big;
  return rounded === 0 ? (big < 0 ? -0 : 0) : rounded;
}

/** The remainder of the nearest whole quotient. */
export function remainder(x: number, y: number): number {
  if (!Number.isFinite(x) || Number.isNaN(y) || y === 0) return Number.NaN;
  if (!Number.isFinite(y)) return x;
  const size = Math.abs(y);
  let rest = Math.abs(x) % (2 * size);
  if (rest > size || (2 * size === Infinity && rest > size / 2 && rest - size > -size / 2)) rest -= size;
  if (rest > size / 2 || (rest === size / 2 && Math.abs(Math.abs(x) % (2 * size)) > size)) rest -= size;
  const signed = x < 0 || Object.is(x, -0) ? -rest : rest;
  return signed === 0 ? (x < 0 || Object.is(x, -0) ? -0 : 0) : signed;
}

/** The error function: a series of positive terms up to 3, its complement beyond. */
export function erf(x: number): number {
  const size = Math.abs(x);
  if (size > 3 || Number.isNaN(x)) return Number.isNaN(x) ? x : Math.sign(x) * (1 - erfc(size));
  let term = x;
  let sum = x;
  for (let n = 1; Math.abs(term) > Math.abs(sum) * 1e-18; n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

/** The complement of the error function: a continued fraction from 2 on, evaluated from its end. */
export function erfc(x: number): number {
  if (x < 2) return 1 - erf(x);
  if (Number.isNaN(x) || x > 28) return Number.isNaN(x) ? x : 0;
  let fraction = 0;
  for (let n = 120; n >= 1; n--) fraction = n / 2 / (x + fraction);
  // exp(-x²) of a square that is split, so that its rounding does not count.
  const head = Math.fround(x);
  return (Math.exp(-head * head) * Math.exp((head - x) * (head + x))) / (Math.sqrt(Math.PI) * (x + fraction));
}

const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

function lanczos(x: number): number {
  return LANCZOS.reduce((sum, coefficient, i) => sum + (i === 0 ? coefficient : coefficient / (x + i)), 0);
}

/** The sine of a multiple of pi, exact where that is. */
export function sinPi(x: number): number {
  if (!Number.isFinite(x)) return Number.NaN;
  const turn = x - 2 * Math.round(x / 2);
  if (Number.isInteger(turn)) return x < 0 ? -0 : 0;
  return Math.abs(turn) <= 0.25
    ? Math.sin(Math.PI * turn)
    : turn > 0
      ? turn <= 0.75
        ? Math.cos(Math.PI * (0.5 - turn))
        : Math.sin(Math.PI * (1 - turn))
      : -sinPi(-turn);
}

/** The gamma function. */
export function gamma(x: number): number {
  if (Number.isInteger(x)) {
    if (x <= 0) return x === 0 ? 1 / x : Number.NaN;
    if (x < 171) {
      let product = 1;
      for (let i = 2; i < x; i++) product *= i;
      return product;
    }
  }
  if (x === -Infinity) return Number.NaN;
  if (x < 0.5) return Math.PI / (sinPi(x) * gamma(1 - x));
  if (x > 172) return Number.isNaN(x) ? x : Infinity;
  const shifted = x - 1;
  const base = shifted + 7.5;
  const half = base ** ((shifted + 0.5) / 2);
  return Math.sqrt(2 * Math.PI) * half * Math.exp(-base) * half * lanczos(shifted);
}

/** The logarithm of the gamma function's magnitude. */
export function logGamma(x: number): number {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? x : Infinity;
  if (x <= 0 && Number.isInteger(x)) return Infinity;
  if (x < 0.5) return Math.log(Math.PI / Math.abs(sinPi(x))) - logGamma(1 - x);
  if (x < 20) return Math.log(Math.abs(gamma(x)));
  // Stirling's series.
  const square = 1 / (x * x);
  return (
    (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + (1 / 12 - (1 / 360 - (1 / 1260) * square) * square) / x
  );
}

const VIEW = new DataView(new ArrayBuffer(8));

/** The least positive numbers. */
const LEAST: Readonly<Partial<Record<ScalarName, number>>> = {
  half: 2 ** -24,
  float: 2 ** -149,
  double: Number.MIN_VALUE,
};

/** The neighbour of a number towards another. */
export function nextAfter(name: ScalarName, x: number, y: number): number {
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN;
  if (x === y) return y;
  const isUp = y > x;
  if (x === 0) return (isUp ? 1 : -1) * (LEAST[name] ?? 0);
  const by = x > 0 === isUp ? 1 : -1;
  if (name === "half") return halfToFloat(floatToHalf(x) + by);
  if (name === "float") {
    VIEW.setFloat32(0, x);
    VIEW.setUint32(0, VIEW.getUint32(0) + by);
    return VIEW.getFloat32(0);
  }
  VIEW.setFloat64(0, x);
  VIEW.setBigUint64(0, VIEW.getBigUint64(0) + BigInt(by));
  return VIEW.getFloat64(0);
}

/** `a * b + c` of floats, rounded once: the product is exact in double; the sum is rounded to odd, then to float. */
export function fmaFloat(a: number, b: number, c: number): number {
  const product = a * b;
  const sum = product + c;
  if (!Number.isFinite(sum)) return Math.fround(sum);
  const other = sum - product;
  const error = product - (sum - other) + (c - other);
  if (error === 0) return Math.fround(sum);
  VIEW.setFloat64(0, sum);
  if ((VIEW.getUint8(7) & 1) === 1) return Math.fround(sum);
  return Math.fround(nextAfter("double", sum, error > 0 ? Infinity : -Infinity));
}

/** A finite double as a whole number times a power of two. */
function parts(x: number): readonly [bigint, number] {
  VIEW.setFloat64(0, x);
  const bits = VIEW.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const size = exponent === 0 ? fraction : fraction | (1n << 52n);
  return [bits >> 63n === 1n ? -size : size, Math.max(exponent, 1) - 1075];
}

/** `a * b + c` of doubles, rounded once: exact in integers. */
export function fma(a: number, b: number, c: number): number {
  if (!Number.isFinite(a) || !Number.isFinite(b) || !Number.isFinite(c) || a === 0 || b === 0) return a * b + c;
  const [[m, e], [n, f], [k, g]] = [parts(a), parts(b), parts(c)];
  const scale = Math.min(e + f, g);
  const sum = ((m * n) << BigInt(e + f - scale)) + (k << BigInt(g - scale));
  if (sum === 0n) return a * b + c;
  const size = sum < 0n ? -sum : sum;
  // To 54 bits and one that says whether there were more: no later rounding sees a tie that is none.
  const length = size.toString(2).length;
  const drop = Math.max(length - 55, 0);
  const kept = size >> BigInt(drop);
  const isInexact = kept << BigInt(drop) !== size;
  const odd = isInexact ? kept | 1n : kept;
  const exponent = scale + drop;
  // Subnormal results round where their last bit is.
  const last = Math.max(exponent, -1074 - 1);
  const shift = last - exponent;
  const rest = shift > 0 ? (odd >> BigInt(shift)) | (BigInt.asUintN(shift, odd) === 0n ? 0n : 1n) : odd;
  const value = scaled(roundToDouble(rest), last);
  return sum < 0n ? -value : value;
}

function roundToDouble(value: bigint): number {
  return Number(value);
}

function scaled(value: number, exponent: number): number {
  return exponent < -1000
    ? value * 2 ** -1000 * 2 ** (exponent + 1000)
    : exponent > 900
      ? value * 2 ** 900 * 2 ** (exponent - 900)
      : value * 2 ** exponent;
}
