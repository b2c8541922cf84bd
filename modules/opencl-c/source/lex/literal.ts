// SPDX-License-Identifier: Apache-2.0
// The values of literals: integers, floats, characters, strings (C99 6.4.4, OpenCL C 6.1).

/** An integer literal. */
export interface IntegerLiteral {
  readonly value: bigint;
  readonly isUnsigned: boolean;
  /** `l` or `L` follows it. */
  readonly isLong: boolean;
  /** Not decimal: it may become unsigned to fit. */
  readonly isBased: boolean;
}

/** Reads an integer literal; returns a string describing the error if it is malformed. */
export function integerLiteral(text: string): IntegerLiteral | string {
  const match = /^(0[xX][\da-fA-F]+|0[bB][01]+|\d+)([uUlL]*)$/u.exec(text);
  if (match === null) return "its digits or its suffix are wrong";
  const [, digits = "", ending = ""] = match;
  const letters = ending.toLowerCase();
  if (!["", "u", "l", "ul", "lu", "ll", "ull", "llu"].includes(letters))
    return `"${ending}" is no ending of an integer`;
  const isOctal = /^0\d/u.test(digits);
  if (isOctal && /[89]/u.test(digits)) return "8 and 9 are no octal digits";
  const value = isOctal ? BigInt(`0o${digits.slice(1)}`) : BigInt(digits);
  if (value > 0xffff_ffff_ffff_ffffn) return "it does not fit into 64 bits";
  return {
    value,
    isUnsigned: letters.includes("u"),
    isLong: letters.includes("l"),
    isBased: isOctal || /^0[xXbB]/u.test(digits),
  };
}

/** A float literal; `suffix` is f, h or empty. */
export interface FloatLiteral {
  readonly value: number;
  readonly suffix: "" | "f" | "h";
}

/** True for a number that is written as a float. */
export function isFloatLiteral(text: string): boolean {
  return /^0[xX]/u.test(text) ? /[.pP]/u.test(text) : /[.eE]/u.test(text) || /^\d+[fFhH]$/u.test(text);
}

/** Reads a float literal; returns a string describing the error if it is malformed. */
export function floatLiteral(text: string): FloatLiteral | string {
  const hex = /^0[xX]([\da-fA-F]*)(?:\.([\da-fA-F]*))?[pP]([+-]?\d+)([fFhHlL]?)$/u.exec(text);
  if (hex !== null) {
    const [, whole = "", fraction = "", exponent = "0", ending = ""] = hex;
    if (whole + fraction === "") return "its digits are missing";
    const value = Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (Number(exponent) - 4 * fraction.length);
    return withSuffix(value, ending);
  }
  if (/^\d+[fFhH]$/u.test(text)) return `a float has a point or an exponent: ${text.slice(0, -1)}.0${text.slice(-1)}`;
  const decimal = /^((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([fFhHlL]?)$/u.exec(text);
  if (decimal === null) return "its digits or its suffix are wrong";
  const [, digits = "", ending = ""] = decimal;
  return withSuffix(ending === "" ? Number(digits) : forNarrower(digits, Number(digits)), ending);
}

/** Bits of a binary64 below those of a binary32 that are zero if it may be halfway between two of them. */
const BELOW_TIE = 0x0fff_ffffn;
const scratch = new DataView(new ArrayBuffer(8));

/**
 * The binary64 to round to a narrower type instead of `value`, the one nearest to the decimal number that `digits` are:
 * where `value` may be a tie that the decimal is not, the binary64 next to it, on the decimal's side.
 */
function forNarrower(digits: string, value: number): number {
  scratch.setFloat64(0, value);
  const bits = scratch.getBigUint64(0);
  if ((bits & BELOW_TIE) !== 0n || value === 0 || !Number.isFinite(value)) return value;
  const [, whole = "", fraction = "", power = "0"] = /^(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/u.exec(digits) ?? [];
  const tens = Number(power) - fraction.length;
  // digits = decimal * 10^tens and value = mantissa * 2^twos, brought to integers.
  const exponent = Number(bits >> 52n);
  const twos = Math.max(1, exponent) - 1075;
  const mantissa = (bits & 0xf_ffff_ffff_ffffn) | (exponent === 0 ? 0n : 1n << 52n);
  const left = BigInt(whole + fraction) * 10n ** BigInt(Math.max(0, tens)) * 2n ** BigInt(Math.max(0, -twos));
  const right = mantissa * 2n ** BigInt(Math.max(0, twos)) * 10n ** BigInt(Math.max(0, -tens));
  if (left === right) return value;
  scratch.setBigUint64(0, left > right ? bits + 1n : bits - 1n);
  return scratch.getFloat64(0);
}

function withSuffix(value: number, ending: string): FloatLiteral | string {
  const letter = ending.toLowerCase();
  if (letter === "l") return "OpenCL C has no long double";
  return { value, suffix: letter === "f" || letter === "h" ? letter : "" };
}

const ESCAPES: Readonly<Record<string, number>> = {
  n: 10,
  t: 9,
  r: 13,
  a: 7,
  b: 8,
  f: 12,
  v: 11,
  "\\": 92,
  "'": 39,
  '"': 34,
  "?": 63,
};

/** The text between the quotes. */
export interface LiteralText {
  readonly bytes: Uint8Array;
  /** A letter after a backslash that is no escape; it denotes itself. */
  readonly unknownEscape: string | null;
  /** An invalid escape, with the reason. */
  readonly wrongEscape: { readonly escape: string; readonly reason: string } | null;
}

/** The bytes of the text between the quotes, in UTF-8. */
export function literalBytes(text: string): LiteralText {
  const inner = text.slice(1, -1);
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  let unknownEscape: string | null = null;
  let wrongEscape: LiteralText["wrongEscape"] = null;
  for (let i = 0; i < inner.length; i++) {
    const c = inner.charAt(i);
    if (c !== "\\") {
      const whole = String.fromCodePoint(inner.codePointAt(i) ?? 0);
      bytes.push(...encoder.encode(whole));
      i += whole.length - 1;
      continue;
    }
    const number = /^(?:x([\da-fA-F]*)|([0-7]{1,3}))/u.exec(inner.slice(i + 1));
    const letter = inner.charAt(i + 1);
    const simple = ESCAPES[letter];
    if (number !== null) {
      const [escape, digits] = number;
      const value = digits === undefined ? Number.parseInt(escape, 8) : Number.parseInt(`0${digits}`, 16);
      if (digits === "") wrongEscape ??= { escape, reason: "has no digits" };
      else if (value > 255) wrongEscape ??= { escape, reason: "does not fit into a byte" };
      bytes.push(value & 255);
      i += escape.length;
      continue;
    }
    if (simple === undefined) unknownEscape ??= letter;
    bytes.push(simple ?? letter.charCodeAt(0) & 255);
    i++;
  }
  return { bytes: Uint8Array.from(bytes), unknownEscape, wrongEscape };
}

/** The value of a character literal, and whether it has more than its type can hold. */
export interface CharacterLiteral extends Pick<LiteralText, "unknownEscape" | "wrongEscape"> {
  /** Null: there is no character. */
  readonly value: number | null;
  readonly isTooLong: boolean;
}

/**
 * Reads a character literal: a signed char, or several letters as one int, the first one on top; of more than four the
 * last four remain, as compilers do it. A wide one, `L'a'`, is the number of its last character.
 */
export function characterLiteral(text: string): CharacterLiteral {
  const isWide = text.startsWith("L");
  const { bytes, ...escapes } = literalBytes(isWide ? text.slice(1) : text);
  const [only] = bytes;
  if (only === undefined) return { ...escapes, value: null, isTooLong: false };
  if (isWide) {
    const characters = text.includes("\\")
      ? [...bytes]
      : Array.from(text.slice(2, -1), (one) => one.codePointAt(0) ?? 0);
    return { ...escapes, value: characters.at(-1) ?? 0, isTooLong: characters.length > 1 };
  }
  const value = bytes.length === 1 ? (only << 24) >> 24 : bytes.reduce((sum, byte) => (sum << 8) | byte, 0);
  return { ...escapes, value, isTooLong: bytes.length > 4 };
}
