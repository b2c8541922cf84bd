// SPDX-License-Identifier: Apache-2.0
// Numbers of any width as assembly writes them. Floats that are normal or zero are decimal, with as many digits as
// their format needs to come back; all others, and every half, are hexadecimal: `0x1.8p+128` is a NaN.
import { float32FromBits, float64FromBits, floatToHalf, float32Bits, float64Bits, join64 } from "@muxkit/cargo";

import type { NumberType } from "../binary/cursor.ts";

/** A binary format of IEEE 754. */
interface FloatFormat {
  readonly fraction: number;
  readonly bias: number;
  /** Digits that always come back. */
  readonly digits: number;
}

const FORMATS: Readonly<Record<number, FloatFormat>> = {
  16: { fraction: 10, bias: 15, digits: 5 },
  32: { fraction: 23, bias: 127, digits: 9 },
  64: { fraction: 52, bias: 1023, digits: 17 },
};

/** Places of decimals that the engine prints at most, all of them right. */
const MOST_PLACES: number = 100;

/** Decimal digits of a positive number, rounded to nearest, a tie to even; and the exponent of the first one. */
function decimalDigits(value: number, digits: number): { readonly text: string; readonly exponent: number } {
  // A number halfway between two of so few digits has a short expansion, which is shown whole.
  const [mantissa = "", power = "0"] = value.toExponential(MOST_PLACES).split("e");
  const all = mantissa.replace(".", "");
  const kept = BigInt(all.slice(0, digits));
  const rest = all.slice(digits);
  const half = `5${"0".repeat(rest.length - 1)}`;
  const isUp = rest > half || (rest === half && kept % 2n === 1n);
  const text = String(isUp ? kept + 1n : kept);
  return { text: text.slice(0, digits), exponent: Number(power) + text.length - digits };
}

/** As `%g` prints it. */
function decimalText(value: number, precision: number): string {
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  if (value === 0) return `${sign}0`;
  const { text, exponent } = decimalDigits(Math.abs(value), precision);
  const short = text.replace(/(?<=.)0+$/u, "");
  if (exponent < -4 || exponent >= precision) {
    const mantissa = short.length > 1 ? `${short[0] ?? ""}.${short.slice(1)}` : short;
    return `${sign}${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${short}`;
  const whole = short.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return short.length > exponent + 1 ? `${sign}${whole}.${short.slice(exponent + 1)}` : `${sign}${whole}`;
}

function hexText(bits: bigint, { fraction, bias }: FloatFormat, width: number): string {
  const sign = bits >> BigInt(width - 1) === 0n ? "" : "-";
  let exponent = Number((bits >> BigInt(fraction)) & ((1n << BigInt(width - 1 - fraction)) - 1n));
  let rest = bits & ((1n << BigInt(fraction)) - 1n);
  if (exponent === 0 && rest === 0n) return `${sign}0x0p+0`;
  if (exponent === 0) {
    const shift = fraction + 1 - rest.toString(2).length;
    rest = (rest << BigInt(shift)) & ((1n << BigInt(fraction)) - 1n);
    exponent = 1 - shift;
  }
  const nibbles = Math.ceil(fraction / 4);
  const text = (rest << BigInt(nibbles * 4 - fraction)).toString(16).padStart(nibbles, "0").replace(/0+$/u, "");
  const power = exponent - bias;
  return `${sign}0x1${text === "" ? "" : `.${text}`}p${power < 0 ? "-" : "+"}${Math.abs(power)}`;
}

/** The number of one or two words. */
export function numberText(low: number, high: number, { bits, form }: NumberType): string {
  if (form === "float") {
    const format = FORMATS[bits];
    if (format === undefined) return String(low);
    const value = bits === 64 ? float64FromBits(join64(low, high)) : bits === 32 ? float32FromBits(low) : 0;
    const raw = bits === 64 ? join64(low, high) : BigInt(bits === 16 ? low & 0xffff : low);
    const exponent = Number((raw >> BigInt(format.fraction)) & ((1n << BigInt(bits - 1 - format.fraction)) - 1n));
    const isPlain = bits !== 16 && (value === 0 || (exponent !== 0 && Number.isFinite(value)));
    return isPlain ? decimalText(value, format.digits) : hexText(raw, format, bits);
  }
  if (bits > 32) {
    const raw = join64(low, high);
    return String(form === "signed" ? BigInt.asIntN(64, raw) : raw);
  }
  return String(form === "signed" ? low | 0 : low >>> 0);
}

const HEX_FLOAT = /^(-?)0x([\da-f]*)(?:\.([\da-f]*))?p([+-]?\d+)$/iu;
const DECIMAL_FLOAT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/iu;
const INTEGER = /^-?(?:0x[\da-f]+|\d+)$/iu;

/** The bits of a hexadecimal float; null: it is none, or too large. Bits that do not fit are cut off. */
function hexBits(text: string, { fraction, bias }: FloatFormat, width: number): bigint | null {
  const [, sign = "", whole = "", part = "", power = ""] = HEX_FLOAT.exec(text) ?? [];
  if (power === "" || whole + part === "") return null;
  const signBit = sign === "" ? 0n : 1n << BigInt(width - 1);
  const mantissa = BigInt(`0x${whole}${part}`);
  if (mantissa === 0n) return signBit;
  const length = mantissa.toString(2).length;
  const exponent = Number(power) - part.length * 4 + length - 1;
  if (exponent > bias + 1 || Number.isNaN(exponent)) return null;
  // The place of the first bit in the result: below the fraction's end for subnormal numbers.
  const place = exponent >= 1 - bias ? fraction : fraction + exponent - (1 - bias);
  if (place < 0) return signBit;
  const shift = place - (length - 1);
  const placed = shift >= 0 ? mantissa << BigInt(shift) : mantissa >> BigInt(-shift);
  const field = exponent >= 1 - bias ? BigInt(exponent + bias) : 0n;
  return signBit | (field << BigInt(fraction)) | (placed & ((1n << BigInt(fraction)) - 1n));
}

function floatBits(text: string, bits: number): bigint | null {
  const format = FORMATS[bits];
  if (format === undefined) return null;
  if (HEX_FLOAT.test(text)) return hexBits(text, format, bits);
  if (!DECIMAL_FLOAT.test(text)) return null;
  const value = Number(text);
  if (!Number.isFinite(value)) return null;
  if (bits === 64) return float64Bits(value);
  const rounded = bits === 32 ? float32Bits(value) >>> 0 : floatToHalf(value);
  return (rounded & (bits === 32 ? 0x7fffffff : 0x7fff)) >>> format.fraction === format.bias * 2 + 1
    ? null
    : BigInt(rounded);
}

/** Reads an integer of decimal or hexadecimal digits; null: it is none. */
export function integerOf(text: string): bigint | null {
  if (!INTEGER.test(text)) return null;
  return text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text);
}

/** A number as one or two words; a string says why it is none. */
export function parseNumber(text: string, { bits, form }: NumberType): readonly number[] | string {
  const words = (value: bigint): readonly number[] =>
    bits > 32 ? [Number(value & 0xffffffffn), Number((value >> 32n) & 0xffffffffn)] : [Number(value & 0xffffffffn)];
  if (form === "float") {
    const value = floatBits(text, bits);
    return value === null ? `"${text}" is no float of ${bits} bits` : words(value);
  }
  const value = integerOf(text);
  if (value === null) return `"${text}" is no integer`;
  const isHex = /^-?0x/iu.test(text);
  const least = form === "signed" ? -(1n << BigInt(bits - 1)) : 0n;
  const most = (1n << BigInt(form === "signed" && !isHex ? bits - 1 : bits)) - 1n;
  if (value < least || value > most) return `${text} does not fit ${form} integers of ${bits} bits`;
  return words(BigInt.asUintN(64, form === "signed" ? BigInt.asIntN(bits, value) : value));
}
