// SPDX-License-Identifier: Apache-2.0
// Built-in functions of scalars in plain JavaScript, by name. Floats compute in double and are rounded at the end;
// integers do what their width says. Lanes of vectors come here one by one.
import { floatToHalf, halfToFloat } from "@muxkit/cargo";

import {
  erf,
  erfc,
  fma,
  fmaFloat,
  gamma,
  logGamma,
  nextAfter,
  remainder,
  roundEven,
  sinPi,
} from "./special-functions.ts";
import { bitsOf, convertScalar, isReal, isSignedInteger, isWide, wrap } from "./scalars.ts";
import type { ScalarName } from "./translated.ts";

type Scalar = number | bigint;

/** A function of scalars: the type of its arguments, and they. */
export type ScalarFunction = (name: ScalarName, ...values: Scalar[]) => Scalar | boolean;

/** Functions of one and of two real numbers, rounded to the type. */
const unary =
  (compute: (x: number) => number): ScalarFunction =>
  (name, x = 0) =>
    wrap(name, compute(Number(x)));
const binary =
  (compute: (x: number, y: number) => number): ScalarFunction =>
  (name, x = 0, y = 0) =>
    wrap(name, compute(Number(x), Number(y)));

const test =
  (holds: (...values: number[]) => boolean): ScalarFunction =>
  (_name, ...values) =>
    holds(...values.map(Number));

/** A function of whole numbers: computed in bigints, wrapped to the type. */
const whole =
  (compute: (bits: bigint, ...values: bigint[]) => bigint): ScalarFunction =>
  (name, ...values) =>
    wrap(name, narrow(name, compute(BigInt(bitsOf(name)), ...values.map(BigInt))));

function narrow(name: ScalarName, value: bigint): Scalar {
  return isWide(name) ? value : Number(BigInt.asIntN(32, value));
}

/** A whole number clamped to the type. */
function saturate(name: ScalarName, value: bigint): Scalar {
  const bits = BigInt(bitsOf(name));
  const [least, greatest] = isSignedInteger(name)
    ? [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n]
    : [0n, (1n << bits) - 1n];
  return wrap(name, narrow(name, value < least ? least : value > greatest ? greatest : value));
}

const saturated =
  (compute: (...values: bigint[]) => bigint): ScalarFunction =>
  (name, ...values) =>
    saturate(name, compute(...values.map(BigInt)));

const unsigned = (bits: bigint, value: bigint): bigint => BigInt.asUintN(Number(bits), value);
const PI = Math.PI;

function cosPi(x: number): number {
  if (!Number.isFinite(x)) return Number.NaN;
  const turn = Math.abs(x - 2 * Math.round(x / 2));
  if (turn === 0.5) return 0;
  return turn <= 0.25 ? Math.cos(PI * turn) : turn < 0.75 ? Math.sin(PI * (0.5 - turn)) : -Math.cos(PI * (1 - turn));
}

/** `pow` of C: one to anything is one. */
function power(x: number, y: number): number {
  if (x === 1 || (x === -1 && !Number.isFinite(y) && !Number.isNaN(y))) return 1;
  return x ** y;
}

function powerOfPositive(x: number, y: number): number {
  if (x < 0 || Number.isNaN(x) || Number.isNaN(y)) return Number.NaN;
  if ((x === 0 && y === 0) || (x === Infinity && y === 0) || (x === 1 && !Number.isFinite(y))) return Number.NaN;
  return Math.abs(x) ** y;
}

function root(x: number, n: number): number {
  if (n === 0 || (x < 0 && n % 2 === 0)) return Number.NaN;
  if (x === 0)
    return n < 0 ? (n % 2 === 0 ? Infinity : x === 0 && Object.is(x, -0) ? -Infinity : Infinity) : n % 2 === 0 ? 0 : x;
  return Math.sign(x) * Math.abs(x) ** (1 / n);
}

function exponent(x: number): number {
  if (x === 0) return -Infinity;
  if (!Number.isFinite(x)) return Number.isNaN(x) ? Number.NaN : Infinity;
  let guess = Math.floor(Math.log2(Math.abs(x)));
  while (2 ** guess > Math.abs(x)) guess--;
  while (2 ** (guess + 1) <= Math.abs(x)) guess++;
  return guess;
}

const fmin = (a: number, b: number): number => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : b < a ? b : a);
const fmax = (a: number, b: number): number => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : b > a ? b : a);
const magnitude =
  (prefer: (a: number, b: number) => number, isFirst: (a: number, b: number) => boolean) =>
  (a: number, b: number): number =>
    isFirst(Math.abs(a), Math.abs(b)) ? a : isFirst(Math.abs(b), Math.abs(a)) ? b : prefer(a, b);

function lesser(a: Scalar, b: Scalar): Scalar {
  return b < a ? b : a;
}

/** Numbers of all kinds: floating point by its own, integers by order. */
const ordered =
  (isSecond: (a: Scalar, b: Scalar) => boolean): ScalarFunction =>
  (name, a = 0, b = 0) =>
    wrap(name, isSecond(a, b) ? b : a);

/** Functions of the names that only differ in how exact they are. */
const REAL_UNARY: Readonly<Record<string, (x: number) => number>> = {
  acos: Math.acos,
  acosh: Math.acosh,
  acospi: (x) => Math.acos(x) / PI,
  asin: Math.asin,
  asinh: Math.asinh,
  asinpi: (x) => Math.asin(x) / PI,
  atan: Math.atan,
  atanh: Math.atanh,
  atanpi: (x) => Math.atan(x) / PI,
  cbrt: Math.cbrt,
  cos: Math.cos,
  cosh: Math.cosh,
  cospi: cosPi,
  erf,
  erfc,
  exp: Math.exp,
  exp2: (x) => 2 ** x,
  exp10: (x) => 10 ** x,
  expm1: Math.expm1,
  lgamma: logGamma,
  log: Math.log,
  log2: Math.log2,
  log10: Math.log10,
  log1p: Math.log1p,
  logb: exponent,
  round: (x) =>
    Math.abs(x) < 2 ** 52
      ? Math.sign(x) * Math.floor(Math.abs(x) + (Math.abs(x) === 0.49999999999999994 ? 0 : 0.5)) ||
        (x < 0 || Object.is(x, -0) ? -0 : 0)
      : x,
  sin: Math.sin,
  sinh: Math.sinh,
  sinpi: sinPi,
  tan: Math.tan,
  tanh: Math.tanh,
  tanpi: (x) => sinPi(x) / cosPi(x),
  tgamma: gamma,
  fabs: Math.abs,
  ceil: Math.ceil,
  floor: Math.floor,
  trunc: Math.trunc,
  rint: roundEven,
  sqrt: Math.sqrt,
  rsqrt: (x) => 1 / Math.sqrt(x),
  recip: (x) => 1 / x,
  degrees: (x) => (180 / PI) * x,
  radians: (x) => (PI / 180) * x,
  sign: (x) => (Number.isNaN(x) ? 0 : Math.sign(x)),
};

const REAL_BINARY: Readonly<Record<string, (x: number, y: number) => number>> = {
  atan2: Math.atan2,
  atan2pi: (y, x) => Math.atan2(y, x) / PI,
  fdim: (x, y) => (Number.isNaN(x) || Number.isNaN(y) ? Number.NaN : x > y ? x - y : 0),
  hypot: Math.hypot,
  pow: power,
  pown: power,
  powr: powerOfPositive,
  rootn: root,
  ldexp: (x, n) =>
    n > 1000
      ? x * 2 ** 1000 * 2 ** Math.min(n - 1000, 1000)
      : n < -1000
        ? x * 2 ** -1000 * 2 ** Math.max(n + 1000, -1000)
        : x * 2 ** n,
  fmin,
  fmax,
  fmod: (x, y) => x % y,
  remainder,
  copysign: (x, y) => (y < 0 || Object.is(y, -0) ? -Math.abs(x) : Math.abs(x)),
  maxmag: magnitude(fmax, (a, b) => a > b),
  minmag: magnitude(fmin, (a, b) => a < b),
  divide: (x, y) => x / y,
};

/** The functions of a table, which have fast ones beside them. */
function withFast<F>(
  table: Readonly<Record<string, F>>,
  make: (compute: F) => ScalarFunction,
): readonly (readonly [string, ScalarFunction])[] {
  return Object.entries(table).flatMap(([name, compute]) =>
    ["", "native_", "half_"].map((prefix) => [prefix + name, make(compute)] as const),
  );
}

/** The least positive numbers that are normal. */
const LEAST_NORMALS: Readonly<Partial<Record<ScalarName, number>>> = {
  half: 2 ** -14,
  float: 2 ** -126,
  double: 2 ** -1022,
};

/** Functions by their names in OpenCL C. @internal */
export const SCALAR_FUNCTIONS: Readonly<Record<string, ScalarFunction>> = {
  ...Object.fromEntries([...withFast(REAL_UNARY, unary), ...withFast(REAL_BINARY, binary)]),
  fma: (name, a = 0, b = 0, c = 0) => wrap(name, (name === "float" ? fmaFloat : fma)(Number(a), Number(b), Number(c))),
  mad: (name, a = 0, b = 0, c = 0) => wrap(name, Number(wrap(name, Number(a) * Number(b))) + Number(c)),
  mix: (name, a = 0, b = 0, t = 0) =>
    wrap(name, Number(a) + Number(wrap(name, Number(wrap(name, Number(b) - Number(a))) * Number(t)))),
  step: (name, edge = 0, x = 0) => wrap(name, x < edge ? 0 : 1),
  smoothstep: (name, from = 0, to = 0, x = 0) => {
    const t = fmax(0, fmin(1, (Number(x) - Number(from)) / (Number(to) - Number(from))));
    return wrap(name, t * t * (3 - 2 * t));
  },
  nextafter: (name, x = 0, y = 0) => nextAfter(name, Number(x), Number(y)),
  ilogb: (_name, x = 0) =>
    Number(x) === 0 ? -0x80000000 : Number.isFinite(Number(x)) ? exponent(Number(x)) : 0x7fffffff,
  nan: () => Number.NaN,
  // Integers
  abs: (name, x = 0) =>
    wrap(isWide(name) ? "ulong" : name.startsWith("u") ? name : (`u${name}` as ScalarName), x < 0 ? -x : x),
  abs_diff: (name, a = 0, b = 0) => {
    const difference = BigInt(a) - BigInt(b);
    const type = name.startsWith("u") ? name : (`u${name}` as ScalarName);
    return wrap(type, narrow(type, difference < 0n ? -difference : difference));
  },
  add_sat: saturated((a = 0n, b = 0n) => a + b),
  sub_sat: saturated((a = 0n, b = 0n) => a - b),
  hadd: whole((_bits, a = 0n, b = 0n) => (a + b) >> 1n),
  rhadd: whole((_bits, a = 0n, b = 0n) => (a + b + 1n) >> 1n),
  clz: whole((bits, x = 0n) => bits - BigInt(unsigned(bits, x) === 0n ? 0 : unsigned(bits, x).toString(2).length)),
  ctz: whole((bits, x = 0n) => {
    const value = unsigned(bits, x);
    return value === 0n ? bits : BigInt((value & -value).toString(2).length - 1);
  }),
  popcount: whole((bits, x = 0n) => BigInt(unsigned(bits, x).toString(2).replaceAll("0", "").length)),
  mul_hi: whole((bits, a = 0n, b = 0n) => (a * b) >> bits),
  mad_hi: whole((bits, a = 0n, b = 0n, c = 0n) => ((a * b) >> bits) + c),
  mad_sat: saturated((a = 0n, b = 0n, c = 0n) => a * b + c),
  rotate: whole((bits, x = 0n, n = 0n) => {
    const count = n & (bits - 1n);
    const value = unsigned(bits, x);
    return (value << count) | (value >> ((bits - count) & (2n * bits - 1n)));
  }),
  mul24: whole((_bits, a = 0n, b = 0n) => a * b),
  mad24: whole((_bits, a = 0n, b = 0n, c = 0n) => a * b + c),
  upsample: (name, high = 0, low = 0) => {
    const bits = bitsOf(name);
    const wide =
      (
        { char: "short", uchar: "ushort", short: "int", ushort: "uint", int: "long", uint: "ulong" } as Readonly<
          Record<string, ScalarName>
        >
      )[name] ?? "long";
    const value = (BigInt(high) << BigInt(bits)) | BigInt.asUintN(bits, BigInt(low));
    return wrap(wide, narrow(wide, value));
  },
  // Of all numbers
  max: ordered((a, b) => a < b),
  min: ordered((a, b) => b < a),
  clamp: (name, x = 0, least = 0, greatest = 0) =>
    isReal(name)
      ? wrap(name, fmin(fmax(Number(x), Number(least)), Number(greatest)))
      : wrap(name, lesser(x < least ? least : x, greatest)),
  select: (name, a = 0, b = 0, c = 0) => wrap(name, Number(c) === 0 ? a : b),
  bitselect: (name, a = 0, b = 0, mask = 0) => {
    const [x, y, m] = [a, b, mask].map((value) => bitsToInteger(name, value));
    return integerToBits(name, ((x ?? 0n) & ~(m ?? 0n)) | ((y ?? 0n) & (m ?? 0n)));
  },
  // Tests
  isequal: test((a = 0, b = 0) => a === b),
  isnotequal: test((a = 0, b = 0) => a !== b),
  isgreater: test((a = 0, b = 0) => a > b),
  isgreaterequal: test((a = 0, b = 0) => a >= b),
  isless: test((a = 0, b = 0) => a < b),
  islessequal: test((a = 0, b = 0) => a <= b),
  islessgreater: test((a = 0, b = 0) => !Number.isNaN(a) && !Number.isNaN(b) && a !== b),
  isordered: test((a = 0, b = 0) => !Number.isNaN(a) && !Number.isNaN(b)),
  isunordered: test((a = 0, b = 0) => Number.isNaN(a) || Number.isNaN(b)),
  isfinite: test((x = 0) => Number.isFinite(x)),
  isinf: test((x = 0) => Math.abs(x) === Infinity),
  isnan: test((x = 0) => Number.isNaN(x)),
  isnormal: (name, x = 0) => Number.isFinite(Number(x)) && Math.abs(Number(x)) >= (LEAST_NORMALS[name] ?? 0),
  signbit: (name, x = 0) => bitsToInteger(name, x) >> BigInt(bitsOf(name) - 1) !== 0n,
};

const BITS = new DataView(new ArrayBuffer(8));

/** The bits of a scalar as an unsigned number. @internal */
export function bitsToInteger(name: ScalarName, value: Scalar): bigint {
  if (name === "float") {
    BITS.setFloat32(0, Number(value));
    return BigInt(BITS.getUint32(0));
  }
  if (name === "double") {
    BITS.setFloat64(0, Number(value));
    return BITS.getBigUint64(0);
  }
  if (name === "half") return BigInt(floatToHalf(Number(value)));
  return BigInt.asUintN(bitsOf(name), BigInt(value));
}

/** The scalar of some bits. @internal */
export function integerToBits(name: ScalarName, bits: bigint): Scalar {
  if (name === "float") {
    BITS.setUint32(0, Number(bits));
    return BITS.getFloat32(0);
  }
  if (name === "double") {
    BITS.setBigUint64(0, bits);
    return BITS.getFloat64(0);
  }
  if (name === "half") return halfToFloat(Number(bits));
  return convertScalar(name, BigInt.asIntN(64, bits)) as Scalar;
}
