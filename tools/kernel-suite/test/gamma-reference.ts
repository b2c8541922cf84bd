// SPDX-License-Identifier: Apache-2.0
// The gamma function to about 240 bits.
import { ONE, PI, PLACES, divide, fixed, log, magnitude, multiply, sinPi } from "./exact.ts";

/**
 * Bernoulli's numbers B2, B4 … as fixed-point numbers, by the triangle of Akiyama and Tanigawa on fractions of one
 * denominator.
 */
const BERNOULLI: readonly bigint[] = (() => {
  const count = 64;
  let denominator = 1n;
  for (let i = 1n; i <= BigInt(count + 1); i++) denominator *= i ** 2n;
  const row = Array.from({ length: count + 1 }, (_, m) => denominator / BigInt(m + 1));
  const found: bigint[] = [];
  for (let n = 0; n <= count; n++) {
    if (n > 0 && n % 2 === 0) found.push(((row[0] ?? 0n) << PLACES) / denominator);
    for (let m = 0; m < count - n; m++) row[m] = BigInt(m + 1) * ((row[m] ?? 0n) - (row[m + 1] ?? 0n));
  }
  return found;
})();

/** log(gamma(x)) of a positive number: moved above 60 by products, then Stirling's series. */
function logGammaPositive(x: bigint): bigint {
  let product = ONE;
  let y = x;
  while (y < 60n << PLACES) {
    product = multiply(product, y);
    y += ONE;
  }
  const reciprocal = divide(ONE, y);
  const square = multiply(reciprocal, reciprocal);
  let rest = 0n;
  let power = reciprocal;
  for (const [i, bernoulli] of BERNOULLI.entries()) {
    const n = BigInt(2 * i + 2);
    rest += multiply(bernoulli, power) / (n * (n - 1n));
    power = multiply(power, square);
  }
  return multiply(y - ONE / 2n, log(y)) - y + log(2n * PI) / 2n + rest - log(product);
}

/** log(|gamma|) of a number, and the sign of gamma. */
interface LogGamma {
  readonly value: bigint;
  readonly sign: number;
}

/** Cached results: tests compute the same numbers several times. */
const known = new Map<number, LogGamma>();

/** log(|gamma(x)|) and the sign of gamma(x), for any number that is no pole. */
export function logGamma(x: number): LogGamma {
  let made = known.get(x);
  if (made === undefined) {
    made = computeLogGamma(x);
    known.set(x, made);
  }
  return made;
}

function computeLogGamma(x: number): LogGamma {
  const exact = fixed(x);
  if (x > 0) return { value: logGammaPositive(exact), sign: 1 };
  // gamma(x) gamma(-x) = -pi / (x sin(pi x))
  const sine = sinPi(exact);
  const value = log(PI) - log(-exact) - log(magnitude(sine)) - logGammaPositive(-exact);
  return { value, sign: sine > 0n ? 1 : -1 };
}
