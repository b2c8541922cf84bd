// Exactly rounded operations that JavaScript's numbers do not have.

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

/** a * b + c of finite or infinite numbers, rounded once to binary64 or binary32. @public */
export function fusedMultiplyAdd(a: number, b: number, c: number, bits: 32 | 64): number {
  const product = a * b;
  if (!Number.isFinite(a) || !Number.isFinite(b) || !Number.isFinite(c)) return product + c;
  if (a === 0 || b === 0) return product + c;
  const x = decompose(a);
  const y = decompose(b);
  const z = decompose(c);
  const exponent = Math.min(x.exponent + y.exponent, z.exponent);
  const sum = x.mantissa * y.mantissa * (1n << BigInt(x.exponent + y.exponent - exponent)) + z.mantissa * (1n << BigInt(z.exponent - exponent));
  // An exact zero of two opposite terms is +0; two terms of one sign cannot cancel.
  if (sum === 0n) return c === 0 && (Object.is(c, -0) && (a < 0) !== (b < 0)) ? -0 : 0;
  const rounded = bits === 64 ? roundExact(sum, exponent, 53, -1074) : roundExact(sum, exponent, 24, -149);
  return bits === 32 && Math.abs(rounded) > 3.4028234663852886e38 ? Math.sign(rounded) * Infinity : rounded;
}

/** A 64-bit integer as binary32, rounded once. @public */
export function bigintToFloat32(value: bigint): number {
  return roundExact(value, 0, 24, -149);
}
