// SPDX-License-Identifier: Apache-2.0
// Functions of section 6.12.2 are as near to the true values as section 7.4 wants, for double and float, against
// integers of 1200 bits.
import { expect, test } from "vitest";

import { firstDifference, runEveryWay } from "@muxkit/kernel-suite";

import {
  LOG_2,
  ONE,
  PI,
  arctangent,
  distance,
  divide,
  errorFunction,
  exp,
  fixed,
  log,
  magnitude,
  multiply,
  sinPi,
  sine,
  squareRoot,
} from "./exact.ts";
import { sequence } from "./half-reference.ts";

const square = (x: bigint): bigint => multiply(x, x);
const arcsine = (x: bigint): bigint =>
  magnitude(x) === ONE ? (x > 0n ? PI / 2n : -PI / 2n) : arctangent(divide(x, squareRoot(ONE - square(x))));
const angle = (y: bigint, x: bigint): bigint =>
  x > 0n ? arctangent(divide(y, x)) : arctangent(divide(y, x)) + (y >= 0n ? PI : -PI);
const cosine = (x: bigint): bigint => sine(x + PI / 2n);
const ofPi = (x: bigint): bigint => divide(x, PI);
const artanh = (x: bigint): bigint => log(divide(ONE + x, ONE - x)) / 2n;
const arsinh = (x: bigint): bigint => (x < 0n ? -arsinh(-x) : log(x + squareRoot(square(x) + ONE)));
const hyperbolic = (x: bigint, sign: bigint): bigint => (exp(x) + sign * exp(-x)) / 2n;

interface Row {
  /** Units in the last place that section 7.4 allows, of double and float alike. */
  readonly limit: number;
  /** Ranges of arguments. A range from a positive number to another is gone through by exponents. */
  readonly from: readonly (readonly [low: number, high: number])[];
  readonly exact: (x: bigint, y: bigint) => bigint;
  readonly parameters?: 2;
  /** The second argument is an int. */
  readonly hasInt?: true;
}

const BOTH: Row["from"] = [
  [-1, 1],
  [1e-30, 1],
];
const ALL_POSITIVE: Row["from"] = [
  [1e-37, 1e37],
  [0.5, 2],
  [0.99, 1.01],
];
const ROWS: Readonly<Record<string, Row>> = {
  acos: { limit: 4, from: BOTH, exact: (x) => PI / 2n - arcsine(x) },
  acosh: {
    limit: 4,
    from: [
      [1, 2],
      [1, 1e37],
    ],
    exact: (x) => log(x + squareRoot(square(x) - ONE)),
  },
  acospi: { limit: 5, from: BOTH, exact: (x) => ofPi(PI / 2n - arcsine(x)) },
  asin: { limit: 4, from: BOTH, exact: arcsine },
  asinh: {
    limit: 4,
    from: [
      [-4, 4],
      [1e-30, 1e30],
    ],
    exact: arsinh,
  },
  asinpi: { limit: 5, from: BOTH, exact: (x) => ofPi(arcsine(x)) },
  atan: {
    limit: 5,
    from: [
      [-4, 4],
      [1e-30, 1e30],
    ],
    exact: arctangent,
  },
  atanh: { limit: 5, from: BOTH, exact: artanh },
  atanpi: {
    limit: 5,
    from: [
      [-4, 4],
      [1e-30, 1e30],
    ],
    exact: (x) => ofPi(arctangent(x)),
  },
  atan2: {
    limit: 6,
    from: [
      [-4, 4],
      [1e-10, 1e10],
    ],
    exact: angle,
    parameters: 2,
  },
  atan2pi: {
    limit: 6,
    from: [
      [-4, 4],
      [1e-10, 1e10],
    ],
    exact: (y, x) => ofPi(angle(y, x)),
    parameters: 2,
  },
  cbrt: { limit: 2, from: ALL_POSITIVE, exact: (x) => exp(log(x) / 3n) },
  cos: {
    limit: 4,
    from: [
      [-10, 10],
      [1, 1e37],
    ],
    exact: cosine,
  },
  cosh: {
    limit: 4,
    from: [
      [-80, 80],
      [1e-10, 1],
    ],
    exact: (x) => hyperbolic(x, 1n),
  },
  cospi: {
    limit: 4,
    from: [
      [-10, 10],
      [1e-10, 1e6],
    ],
    exact: (x) => sinPi(x + ONE / 2n),
  },
  erf: {
    limit: 16,
    from: [
      [-5, 5],
      [1e-30, 1],
    ],
    exact: errorFunction,
  },
  erfc: { limit: 16, from: [[-5, 9]], exact: (x) => ONE - errorFunction(x) },
  exp: {
    limit: 3,
    from: [
      [-80, 80],
      [1e-30, 1],
    ],
    exact: exp,
  },
  exp2: {
    limit: 3,
    from: [
      [-120, 120],
      [1e-30, 1],
    ],
    exact: (x) => exp(multiply(x, LOG_2)),
  },
  exp10: {
    limit: 3,
    from: [
      [-37, 37],
      [1e-30, 1],
    ],
    exact: (x) => exp(multiply(x, log(10n * ONE))),
  },
  expm1: {
    limit: 3,
    from: [
      [-80, 80],
      [-1, 1],
      [1e-30, 1],
    ],
    exact: (x) => exp(x) - ONE,
  },
  hypot: {
    limit: 4,
    from: [
      [-4, 4],
      [1e-30, 1e30],
    ],
    exact: (x, y) => squareRoot(square(x) + square(y)),
    parameters: 2,
  },
  log: { limit: 3, from: ALL_POSITIVE, exact: log },
  log2: { limit: 3, from: ALL_POSITIVE, exact: (x) => divide(log(x), LOG_2) },
  log10: { limit: 3, from: ALL_POSITIVE, exact: (x) => divide(log(x), log(10n * ONE)) },
  log1p: {
    limit: 2,
    from: [
      [-0.9, 2],
      [1e-30, 1e30],
    ],
    exact: (x) => log(ONE + x),
  },
  pow: { limit: 16, from: [[0.5, 30]], exact: (x, y) => exp(multiply(log(x), y)), parameters: 2 },
  powr: { limit: 16, from: [[0.5, 30]], exact: (x, y) => exp(multiply(log(x), y)), parameters: 2 },
  pown: { limit: 16, from: [[0.5, 30]], exact: (x, y) => exp(multiply(log(x), y)), parameters: 2, hasInt: true },
  rootn: {
    limit: 16,
    from: [
      [1e-37, 1e37],
      [1, 100],
    ],
    exact: (x, y) => exp(divide(log(x), y)),
    parameters: 2,
    hasInt: true,
  },
  rsqrt: { limit: 2, from: ALL_POSITIVE, exact: (x) => divide(ONE, squareRoot(x)) },
  sin: {
    limit: 4,
    from: [
      [-10, 10],
      [1e-30, 1e37],
    ],
    exact: sine,
  },
  sinh: {
    limit: 4,
    from: [
      [-80, 80],
      [1e-30, 1],
    ],
    exact: (x) => hyperbolic(x, -1n),
  },
  sinpi: {
    limit: 4,
    from: [
      [-10, 10],
      [1e-10, 1e6],
    ],
    exact: sinPi,
  },
  tan: {
    limit: 5,
    from: [
      [-10, 10],
      [1e-30, 1e37],
    ],
    exact: (x) => divide(sine(x), cosine(x)),
  },
  tanh: {
    limit: 5,
    from: [
      [-20, 20],
      [1e-30, 1],
    ],
    exact: (x) => divide(hyperbolic(x, -1n), hyperbolic(x, 1n)),
  },
  tanpi: {
    limit: 6,
    from: [
      [-10, 10],
      [1e-10, 1e6],
    ],
    exact: (x) => divide(sinPi(x), sinPi(x + ONE / 2n)),
  },
};

const WIDTHS = { float: Float32Array, double: Float64Array } as const;

function samples(from: Row["from"], power: number, random: () => number): number[] {
  const unit = (): number => (random() + random() / 2 ** 32) / 2 ** 32;
  return from.flatMap(([least, most]) => {
    // Doubles reach further.
    const [low, high] =
      power === 1
        ? [least, most]
        : [least > 0 && least < 1e-35 ? least ** power : least, most > 1e20 ? most ** power : most];
    return Array.from({ length: 48 }, () =>
      low > 0 ? Math.exp(Math.log(low) + unit() * (Math.log(high) - Math.log(low))) : low + (high - low) * unit(),
    );
  });
}

function bytes(array: Float32Array | Float64Array): { readonly contents: Uint8Array } {
  return { contents: new Uint8Array(array.slice().buffer) };
}

const CASES = Object.entries(ROWS).flatMap(([name, row]) =>
  (["double", "float"] as const).map((type) => [name, type, row] as const),
);

test.each(CASES)("%s of %s", (name, type, { limit, from, exact, parameters = 1, hasInt = false }) => {
  const random = sequence(17);
  const x = WIDTHS[type].from(samples(from, type === "double" ? 8 : 1, random));
  const y = WIDTHS[type].from(
    samples(from, type === "double" ? 8 : 1, random).map((value, i) =>
      hasInt ? Math.max(2, Math.min(40, Math.trunc(value))) * (i % 3 === 0 ? -1 : 1) : value,
    ),
  );
  const list = parameters === 1 ? "x[i]" : hasInt ? "x[i], (int)y[i]" : "x[i], y[i]";
  const source = `kernel void k(global const ${type} *x, global const ${type} *y, global ${type} *r) {
      size_t i = get_global_id(0);
      r[i] = ${name}(${list});
    }`;
  const [first, ...others] = runEveryWay({
    source,
    kernel: "k",
    global: [x.length],
    local: [1],
    arguments: [bytes(x), bytes(y), bytes(x)],
  });
  if (first === undefined) throw new Error("nothing ran");
  const kind = type === "float" ? "f32" : "f64";
  for (const other of others) expect(firstDifference(first, other, [kind, kind, kind])).toBeNull();
  const results = new WIDTHS[type](first.buffers[2]?.slice().buffer ?? new ArrayBuffer(0));
  const tooFar = [...results].flatMap((result, i) => {
    const error = distance(
      result,
      exact(fixed(x[i] ?? 0), fixed(y[i] ?? 0)),
      0,
      type === "double" ? 53 : 24,
      type === "double" ? -1074 : -149,
    );
    return error <= limit ? [] : [`${name}(${x[i]}, ${y[i]}) = ${result}: ${error} units`];
  });
  expect(tooFar).toEqual([]);
});
