// SPDX-License-Identifier: Apache-2.0
// Values as text, as C99's fprintf writes them (7.19.6.1), and vectors as OpenCL C does: lanes with commas between
// them.
import { fixed, general, hexadecimal, scientific } from "./decimal.ts";
import { type PrintfPiece, type PrintfSpecifier, printfScalarType } from "./format.ts";

/**
 * A value to print: an integer or pointer as bigint, a floating-point number, a text (byte string); lanes of a vector
 * in order.
 *
 * @public
 */
export type PrintfValue = bigint | number | string | readonly (bigint | number)[];

/** Pads a field. Zeros are inserted between sign or prefix and digits. */
function pad(specifier: PrintfSpecifier, prefix: string, body: string, allowsZeros: boolean): string {
  const missing = specifier.width - prefix.length - body.length;
  if (missing <= 0) return prefix + body;
  if (specifier.isLeft) return prefix + body + " ".repeat(missing);
  return specifier.isZeroPadded && allowsZeros
    ? prefix + "0".repeat(missing) + body
    : " ".repeat(missing) + prefix + body;
}

function sign(specifier: PrintfSpecifier, isNegative: boolean): string {
  if (isNegative) return "-";
  return specifier.hasPlus ? "+" : specifier.hasSpace ? " " : "";
}

const INTEGER_BITS: Readonly<Record<string, number>> = {
  char: 8,
  uchar: 8,
  short: 16,
  ushort: 16,
  int: 32,
  uint: 32,
  long: 64,
  ulong: 64,
};

function integer(specifier: PrintfSpecifier, value: bigint): string {
  const { conversion, precision, isAlternate } = specifier;
  const width = INTEGER_BITS[printfScalarType(specifier)] ?? 64;
  const isSigned = conversion === "d" || conversion === "i";
  const held = isSigned ? BigInt.asIntN(width, value) : BigInt.asUintN(width, value);
  const magnitude = held < 0n ? -held : held;
  const base = conversion === "o" ? 8 : conversion === "x" || conversion === "X" ? 16 : 10;
  let digits = magnitude === 0n && precision === 0 ? "" : magnitude.toString(base);
  digits = digits.padStart(precision, "0");
  if (conversion === "o" && isAlternate && !digits.startsWith("0")) digits = `0${digits}`;
  let prefix = isSigned ? sign(specifier, held < 0n) : "";
  if (base === 16 && isAlternate && magnitude !== 0n) prefix = "0x";
  const text = pad(specifier, prefix, digits, precision < 0);
  return conversion === "X" ? text.toUpperCase() : text;
}

function float(specifier: PrintfSpecifier, value: number): string {
  const { conversion, precision, isAlternate } = specifier;
  const isNegative = value < 0 || Object.is(value, -0);
  const magnitude = Math.abs(value);
  const prefix = sign(specifier, isNegative);
  const digits = precision < 0 ? 6 : precision;
  let text: string;
  if (!Number.isFinite(value)) text = pad(specifier, prefix, Number.isNaN(value) ? "nan" : "inf", false);
  else if (conversion === "f" || conversion === "F")
    text = pad(specifier, prefix, fixed(magnitude, digits, isAlternate), true);
  else if (conversion === "e" || conversion === "E")
    text = pad(specifier, prefix, scientific(magnitude, digits, isAlternate), true);
  else if (conversion === "g" || conversion === "G")
    text = pad(specifier, prefix, general(magnitude, digits, isAlternate), true);
  else text = pad(specifier, `${prefix}0x`, hexadecimal(magnitude, precision, isAlternate).slice(2), true);
  return "FEGA".includes(conversion) ? text.toUpperCase() : text;
}

function scalar(specifier: PrintfSpecifier, value: bigint | number | string): string {
  const { conversion, precision } = specifier;
  if (conversion === "s") {
    const text = String(value);
    return pad(specifier, "", precision < 0 ? text : text.slice(0, precision), false);
  }
  if (conversion === "c")
    return pad(specifier, "", String.fromCharCode(Number(BigInt.asUintN(8, BigInt(value)))), false);
  if (conversion === "p") return pad(specifier, "0x", BigInt(value).toString(16), false);
  return "fFeEgGaA".includes(conversion) ? float(specifier, Number(value)) : integer(specifier, BigInt(value));
}

/**
 * The output of a call: pieces of its format, with one value for each specification, in order. A byte string.
 *
 * @public
 */
export function renderPrintf(pieces: readonly PrintfPiece[], values: readonly PrintfValue[]): string {
  let text = "";
  let next = 0;
  for (const piece of pieces) {
    if (piece.kind === "text") {
      text += piece.text;
      continue;
    }
    const value = values[next++];
    if (value === undefined) continue;
    text += typeof value === "object" ? value.map((lane) => scalar(piece, lane)).join(",") : scalar(piece, value);
  }
  return text;
}
