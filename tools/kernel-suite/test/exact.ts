// SPDX-License-Identifier: Apache-2.0
// Elementary functions to about 240 bits on integers: fixed-point numbers with 1200 binary places, which hold every
// binary64 exactly.

/** Binary places. */
export const PLACES = 1200n;
/** 1 */
export const ONE = 1n << PLACES;
/** Terms that are so many places below the sum are left out. */
const KEPT = 300n;

/** a * b */
export const multiply = (a: bigint, b: bigint): bigint => (a * b) >> PLACES;
/** a / b */
export const divide = (a: bigint, b: bigint): bigint => (a << PLACES) / b;
/** |a| */
export const magnitude = (a: bigint): bigint => (a < 0n ? -a : a);

/**
 * Bits of a magnitude from its first 1 on; by sixteens, since a text of 1200 digits takes longer than the arithmetic
 * does.
 */
export function bitLength(a: bigint): number {
  const digits = a.toString(16);
  return digits.length * 4 - Math.clz32(Number.parseInt(digits.charAt(0), 16)) + 28;
}

/** A binary64, exactly. */
export function fixed(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 2047n);
  const mantissa = (bits & ((1n << 52n) - 1n)) | (exponent === 0 ? 0n : 1n << 52n);
  const shift = BigInt(Math.max(1, exponent) - 1075) + PLACES;
  const result = shift >= 0n ? mantissa << shift : mantissa >> -shift;
  return bits >> 63n === 1n ? -result : result;
}

/** The sum of a series from its terms, of which each is made of the one before. */
function series(
  first: bigint,
  next: (term: bigint, index: number) => bigint,
  weight: (term: bigint, index: number) => bigint,
  kept: bigint = KEPT,
): bigint {
  let sum = 0n;
  for (let term = first, i = 0; term !== 0n && magnitude(term) << kept >= magnitude(sum); term = next(term, i), i++)
    sum += weight(term, i);
  return sum;
}

/** 2 * artanh(z) */
function logOfRatio(z: bigint): bigint {
  const square = multiply(z, z);
  return (
    2n *
    series(
      z,
      (term) => multiply(term, square),
      (term, i) => term / BigInt(2 * i + 1),
    )
  );
}

/** log(2) */
export const LOG_2 = logOfRatio(ONE / 3n);

/** The logarithm of a positive number. */
export function log(value: bigint): bigint {
  const power = BigInt(bitLength(value)) - 1n - PLACES;
  const mantissa = power >= 0n ? value >> power : value << -power;
  // Bits that are shifted out of numbers above 1 are more than 300 places below their first bit.
  return logOfRatio(divide(mantissa - ONE, mantissa + ONE)) + power * LOG_2;
}

/** e to a power: a number from 1 to 2 and a power of two. */
export function exponential(value: bigint): { readonly mantissa: bigint; readonly power: number } {
  let power = value / LOG_2;
  if (value < 0n && power * LOG_2 !== value) power -= 1n;
  const rest = value - power * LOG_2;
  return {
    mantissa: series(
      ONE,
      (term, i) => multiply(term, rest) / BigInt(i + 1),
      (term) => term,
    ),
    power: Number(power),
  };
}

function arctangentOfReciprocal(n: bigint): bigint {
  // To the last place: angles of huge numbers are what is left of them.
  return series(
    ONE / n,
    (term) => -term / (n * n),
    (term, i) => term / BigInt(2 * i + 1),
    PLACES,
  );
}

/** pi */
export const PI = 16n * arctangentOfReciprocal(5n) - 4n * arctangentOfReciprocal(239n);

/** sin(pi x) */
export function sinPi(x: bigint): bigint {
  const whole = (x + ONE / 2n) >> PLACES;
  const angle = multiply(x - (whole << PLACES), PI);
  const square = multiply(angle, angle);
  const result = series(
    angle,
    (term, i) => -multiply(term, square) / BigInt((2 * i + 2) * (2 * i + 3)),
    (term) => term,
  );
  return (whole & 1n) === 0n ? result : -result;
}

/**
 * How many units in the last place (of `precision` bits, with that least exponent) a result is away from mantissa *
 * 2^power / 2^1200.
 */
export function distance(
  result: number,
  mantissa: bigint,
  power: number,
  precision: number,
  leastExponent: number,
): number {
  const length = bitLength(magnitude(mantissa)) - Number(PLACES) - 1 + power;
  const unit = Math.max(length - precision + 1, leastExponent);
  // Both as integers times 2^(unit - 64).
  const scale = BigInt(power - (unit - 64));
  const exact = scale >= 0n ? mantissa << scale : mantissa >> -scale;
  const shift = BigInt(-(unit - 64));
  const given = shift >= 0n ? fixed(result) << shift : fixed(result) >> -shift;
  return Number(magnitude(exact - given) >> PLACES) / 2 ** 64;
}

/** The square root of a number that is not negative. */
export function squareRoot(value: bigint): bigint {
  if (value === 0n) return 0n;
  const target = value << PLACES;
  let guess = 1n << BigInt(Math.ceil(bitLength(target) / 2));
  for (let next = (guess + target / guess) / 2n; next < guess; next = (guess + target / guess) / 2n) guess = next;
  return guess;
}

/** e to a power, as one number. */
export function exp(value: bigint): bigint {
  const { mantissa, power } = exponential(value);
  return power >= 0 ? mantissa << BigInt(power) : mantissa >> BigInt(-power);
}

/** The angle whose tangent this is. */
export function arctangent(value: bigint): bigint {
  if (value < 0n) return -arctangent(-value);
  if (value > ONE) return PI / 2n - arctangent(divide(ONE, value));
  let z = value;
  for (let i = 0; i < 3; i++) z = divide(z, ONE + squareRoot(ONE + multiply(z, z)));
  const square = multiply(z, z);
  return (
    8n *
    series(
      z,
      (term) => -multiply(term, square),
      (term, i) => term / BigInt(2 * i + 1),
    )
  );
}

/** sin(x) of a number of any size. */
export function sine(value: bigint): bigint {
  const turns = (value + PI / 2n) / PI - (value + PI / 2n < 0n ? 1n : 0n);
  const angle = value - turns * PI;
  const square = multiply(angle, angle);
  const result = series(
    angle,
    (term, i) => -multiply(term, square) / BigInt((2 * i + 2) * (2 * i + 3)),
    (term) => term,
  );
  return (turns & 1n) === 0n ? result : -result;
}

/** The error function, without cancellation. */
export function errorFunction(value: bigint): bigint {
  const square = multiply(value, value);
  const sum = series(
    value,
    (term, i) => (2n * multiply(term, square)) / BigInt(2 * i + 3),
    (term) => term,
  );
  return divide(2n * multiply(exp(-square), sum), squareRoot(PI));
}
