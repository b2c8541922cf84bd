// SPDX-License-Identifier: Apache-2.0
// Correctly rounded operations that JavaScript's numbers lack, in exact bigint arithmetic: fused multiply-add, and
// 64-bit integers to binary32.

const MASK_52 = (1n << 52n) - 1n;
const scratch = new DataView(new ArrayBuffer(8));

/** A finite binary64 as mantissa * 2^exponent. */
function decompose(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  scratch.setFloat64(0, value);
  const bits = scratch.getBigUint64(0);
  const biased = Number((bits >> 52n) & 2047n);
  const fraction = bits & MASK_52;
  const magnitude = biased === 0 ? fraction : fraction | (1n << 52n);
  return { mantissa: bits >> 63n === 1n ? -magnitude : magnitude, exponent: (biased === 0 ? 1 : biased) - 1075 };
}

function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}

/** mantissa * 2^exponent, rounded once to nearest even with `precision` bits and the least exponent of the format. */
function roundExact(mantissa: bigint, exponent: number, precision: number, leastExponent: number): number {
  if (mantissa === 0n) return 0;
  const negative = mantissa < 0n;
  let magnitude = negative ? -mantissa : mantissa;
  let shift = Math.max(bitLength(magnitude) - precision, leastExponent - exponent);
  let power = exponent;
  if (shift > 0) {
    const unit = 1n << BigInt(shift);
    const rest = magnitude & (unit - 1n);
    magnitude >>= BigInt(shift);
    power += shift;
    const half = unit >> 1n;
    if (rest > half || (rest === half && (magnitude & 1n) === 1n)) magnitude += 1n;
  }
  // Number() is exact here (at most 54 bits); the power is applied in two steps so that neither overflows too early.
  shift = Math.max(-1000, Math.min(900, power));
  const value = Number(magnitude) * 2 ** shift * 2 ** (power - shift);
  return negative ? -value : value;
}

/** Precision, least exponent of a mantissa's lowest bit, greatest finite value of each float width. */
const FORMATS: { readonly [K in 16 | 32 | 64]: readonly [precision: number, least: number, greatest: number] } = {
  16: [11, -24, 65504],
  32: [24, -149, 3.4028234663852886e38],
  64: [53, -1074, Number.MAX_VALUE],
};

/** a * b + c, rounded once to binary64, binary32 or binary16, ties to even. @public */
export function fusedMultiplyAdd(a: number, b: number, c: number, bits: 16 | 32 | 64): number {
  // Infinities, NaNs and zero products are exact without help; a finite product, even one beyond the greatest number,
  // does not move an infinity.
  if (!Number.isFinite(a) || !Number.isFinite(b) || a === 0 || b === 0) return a * b + c;
  if (!Number.isFinite(c)) return c;
  const x = decompose(a);
  const y = decompose(b);
  const z = decompose(c);
  const exponent = Math.min(x.exponent + y.exponent, z.exponent);
  const sum =
    x.mantissa * y.mantissa * (1n << BigInt(x.exponent + y.exponent - exponent)) +
    z.mantissa * (1n << BigInt(z.exponent - exponent));
  // A product that is not zero cancels only against its opposite: the sum is then +0.
  if (sum === 0n) return 0;
  const [precision, least, greatest] = FORMATS[bits];
  const rounded = roundExact(sum, exponent, precision, least);
  return Math.abs(rounded) > greatest ? Math.sign(rounded) * Infinity : rounded;
}

/** A 64-bit integer as binary32, rounded once. @public */
export function bigintToFloat32(value: bigint): number {
  return roundExact(value, 0, 24, -149);
}
