// The gamma function to about 240 bits on integers: fixed-point numbers with 1200 binary places, which hold every binary64 exactly.

const PLACES = 1200n;
const ONE = 1n << PLACES;
/** Terms that are so many places below the sum are left out. */
const KEPT = 300n;

const multiply = (a: bigint, b: bigint): bigint => (a * b) >> PLACES;
const divide = (a: bigint, b: bigint): bigint => (a << PLACES) / b;
const magnitude = (a: bigint): bigint => (a < 0n ? -a : a);

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
function series(first: bigint, next: (term: bigint, index: number) => bigint, weight: (term: bigint, index: number) => bigint): bigint {
  let sum = 0n;
  for (let term = first, i = 0; term !== 0n && magnitude(term) << KEPT >= magnitude(sum); term = next(term, i), i++) sum += weight(term, i);
  return sum;
}

/** 2 * artanh(z) */
function logOfRatio(z: bigint): bigint {
  const square = multiply(z, z);
  return 2n * series(z, (term) => multiply(term, square), (term, i) => term / BigInt(2 * i + 1));
}

const LOG_2 = logOfRatio(ONE / 3n);

/** The logarithm of a positive number. */
export function log(value: bigint): bigint {
  const power = BigInt(value.toString(2).length) - 1n - PLACES;
  const mantissa = power >= 0n ? value >> power : value << -power;
  // What is shifted out of numbers above 1 lies more than 300 places below their first bit.
  return logOfRatio(divide(mantissa - ONE, mantissa + ONE)) + power * LOG_2;
}

/** e to a power: a number from 1 to 2 and a power of two. */
export function exponential(value: bigint): { readonly mantissa: bigint; readonly power: number } {
  let power = value / LOG_2;
  if (value < 0n && power * LOG_2 !== value) power -= 1n;
  const rest = value - power * LOG_2;
  return { mantissa: series(ONE, (term, i) => multiply(term, rest) / BigInt(i + 1), (term) => term), power: Number(power) };
}

function arctangentOfReciprocal(n: bigint): bigint {
  return series(ONE / n, (term) => -term / (n * n), (term, i) => term / BigInt(2 * i + 1));
}

const PI = 16n * arctangentOfReciprocal(5n) - 4n * arctangentOfReciprocal(239n);

/** sin(pi x) */
function sinPi(x: bigint): bigint {
  const whole = (x + ONE / 2n) >> PLACES;
  const angle = multiply(x - (whole << PLACES), PI);
  const square = multiply(angle, angle);
  const sine = series(angle, (term, i) => -multiply(term, square) / BigInt((2 * i + 2) * (2 * i + 3)), (term) => term);
  return (whole & 1n) === 0n ? sine : -sine;
}

/** Bernoulli's numbers B2, B4 … as fixed-point numbers, by the triangle of Akiyama and Tanigawa on fractions of one denominator. */
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

/** log(|gamma(x)|) and the sign of gamma(x), for any number that is no pole. */
export function logGamma(x: number): { readonly value: bigint; readonly sign: number } {
  const exact = fixed(x);
  if (x > 0) return { value: logGammaPositive(exact), sign: 1 };
  // gamma(x) gamma(-x) = -pi / (x sin(pi x))
  const sine = sinPi(exact);
  const value = log(PI) - log(-exact) - log(magnitude(sine)) - logGammaPositive(-exact);
  return { value, sign: sine > 0n ? 1 : -1 };
}

/** How many units in the last place (of `precision` bits, with that least exponent) a result lies from mantissa * 2^power / 2^1200. */
export function distance(result: number, mantissa: bigint, power: number, precision: number, leastExponent: number): number {
  const length = mantissa.toString(2).replace("-", "").length - Number(PLACES) - 1 + power;
  const unit = Math.max(length - precision + 1, leastExponent);
  // Both as integers times 2^(unit - 64).
  const scale = BigInt(power - (unit - 64));
  const exact = scale >= 0n ? mantissa << scale : mantissa >> -scale;
  const shift = BigInt(-(unit - 64));
  const given = shift >= 0n ? fixed(result) << shift : fixed(result) >> -shift;
  return Number(magnitude(exact - given) >> PLACES) / 2 ** 64;
}
