// SPDX-License-Identifier: Apache-2.0
// Exact decimal and hexadecimal digits of floating-point numbers, rounded to nearest even as C's printf does: the
// number is a fraction of two bigints, scaled by a power of ten and divided once.

const bits = new DataView(new ArrayBuffer(8));

/** A finite positive number as mantissa × 2^exponent. */
function parts(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  bits.setFloat64(0, value);
  const word = bits.getBigUint64(0);
  const biased = Number((word >> 52n) & 0x7ffn);
  const fraction = word & ((1n << 52n) - 1n);
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (1n << 52n), exponent: biased - 1075 };
}

/** numerator / denominator, to the nearest integer, ties to even. */
function roundedQuotient(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const twice = (numerator % denominator) * 2n;
  const isUp = twice > denominator || (twice === denominator && (quotient & 1n) === 1n);
  return isUp ? quotient + 1n : quotient;
}

/** value × 10^power, to the nearest integer; value is finite and not negative. */
function scaled(value: number, power: number): bigint {
  const { mantissa, exponent } = parts(value);
  let numerator = mantissa;
  let denominator = 1n;
  if (exponent >= 0) numerator <<= BigInt(exponent);
  else denominator <<= BigInt(-exponent);
  if (power >= 0) numerator *= 10n ** BigInt(power);
  else denominator *= 10n ** BigInt(-power);
  return roundedQuotient(numerator, denominator);
}

/**
 * `%f` of a finite non-negative number: `digits` after the point, which `keepsPoint` keeps when there are none.
 */
export function fixed(value: number, digits: number, keepsPoint: boolean): string {
  const text = scaled(value, digits)
    .toString()
    .padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits);
  return digits === 0 ? (keepsPoint ? `${whole}.` : whole) : `${whole}.${text.slice(text.length - digits)}`;
}

/** Digits of `%e`: one before the point and `digits` after it, and the decimal exponent. */
export function scientificDigits(value: number, digits: number): { readonly text: string; readonly exponent: number } {
  if (value === 0) return { text: "0".repeat(digits + 1), exponent: 0 };
  // The estimate is off by one at most; a mantissa that rounds up to the next power of ten shows in the number of
  // digits.
  let exponent = Math.floor(Math.log10(value));
  for (;;) {
    const text = scaled(value, digits - exponent).toString();
    if (text.length === digits + 1) return { text, exponent };
    exponent += text.length > digits + 1 ? 1 : -1;
  }
}

/** `%e` of a finite number that is not negative, with the exponent's letter `e`. */
export function scientific(value: number, digits: number, keepsPoint: boolean): string {
  const { text, exponent } = scientificDigits(value, digits);
  return withExponent(text, exponent, keepsPoint);
}

function withExponent(digits: string, exponent: number, keepsPoint: boolean): string {
  const point = digits.length > 1 || keepsPoint ? "." : "";
  return (
    `${digits.slice(0, 1)}${point}${digits.slice(1)}e${exponent < 0 ? "-" : "+"}` +
    Math.abs(exponent).toString().padStart(2, "0")
  );
}

/** `%g`: whichever of the two forms is shorter, without zeros at the end unless `isAlternate`. */
export function general(value: number, precision: number, isAlternate: boolean): string {
  const digits = Math.max(1, precision);
  const { text, exponent } = scientificDigits(value, digits - 1);
  if (exponent < -4 || exponent >= digits)
    return withExponent(isAlternate ? text : text.replace(/(?<=.)0+$/u, ""), exponent, isAlternate);
  const number = fixed(value, digits - 1 - exponent, isAlternate);
  return isAlternate || !number.includes(".") ? number : number.replace(/\.?0+$/u, "");
}

/** `%a` of a finite number that is not negative; `digits` -1: as many as it needs. */
export function hexadecimal(value: number, digits: number, keepsPoint: boolean): string {
  let { mantissa, exponent } = parts(value);
  const power = value === 0 ? 0 : exponent + 52;
  if (digits >= 0 && digits < 13) {
    const dropped = 1n << BigInt(4 * (13 - digits));
    mantissa = roundedQuotient(mantissa, dropped) * dropped;
  }
  const whole = (mantissa >> 52n).toString();
  const fraction = (mantissa & ((1n << 52n) - 1n)).toString(16).padStart(13, "0");
  const shown = digits < 0 ? fraction.replace(/0+$/u, "") : fraction.padEnd(digits, "0").slice(0, digits);
  const point = shown !== "" || keepsPoint ? "." : "";
  return `0x${whole}${point}${shown}p${power < 0 ? "-" : "+"}${Math.abs(power)}`;
}
