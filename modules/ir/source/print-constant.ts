// SPDX-License-Identifier: Apache-2.0
// Literals of the text form: each reads back as the same bits.
import { float32Bits, floatToHalf, halfToFloat } from "@muxkit/cargo";

import { type Constant, bigintValue, floatValue, signedValue } from "./value.ts";

/** Decimal digits that distinguish all values of a width. */
const DIGITS: Readonly<Record<number, number>> = { 16: 5, 32: 9 };

/** True when a decimal number reads back as the same constant. */
function roundTrips(text: string, constant: Constant): boolean {
  const value = Number(text);
  return constant.low === (constant.type.bits === 16 ? floatToHalf(value) : float32Bits(value));
}

function floatText(constant: Constant): string {
  const { bits } = constant.type;
  const value = bits === 16 ? halfToFloat(constant.low) : floatValue(constant);
  if (!Number.isFinite(value)) return `0x${bigintValue(constant).toString(16)}`;
  if (Object.is(value, -0)) return "-0.0";
  let text = String(value);
  const most = bits === 64 ? 0 : (DIGITS[bits] ?? 0);
  for (let digits = 1; digits < most; digits++) {
    const shorter = String(Number(value.toPrecision(digits)));
    if (roundTrips(shorter, constant)) {
      text = shorter;
      break;
    }
  }
  return /[.e]/u.test(text) ? text : `${text}.0`;
}

/**
 * A constant without its type: ints in decimal, floats in the shortest decimal that gives the same bits (infinities and
 * NaNs as bits in hexadecimal), `null`, vectors as `<1, 2>` or, all lanes alike, `splat(1)`.
 *
 * @public
 */
export function printConstant(constant: Constant): string {
  const { type, lanes } = constant;
  switch (type.kind) {
    case "vector": {
      const [first] = lanes;
      if (first !== undefined && lanes.every((lane) => lane === first)) return `splat(${printConstant(first)})`;
      return `<${lanes.map(printConstant).join(", ")}>`;
    }
    case "pointer":
    case "opaque":
      return constant.low === 0 && constant.high === 0 ? "null" : `0x${bigintValue(constant).toString(16)}`;
    case "float":
      return floatText(constant);
    case "int":
      if (type.bits === 64) return BigInt.asIntN(64, bigintValue(constant)).toString();
      return String(type.bits === 1 ? constant.low : signedValue(constant));
    case "void":
    case "array":
    case "struct":
    default:
      return `0x${bigintValue(constant).toString(16)}`;
  }
}
