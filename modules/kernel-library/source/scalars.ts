// SPDX-License-Identifier: Apache-2.0
// Numbers of declared widths. To TypeScript an `int` is a number that says so: plain numbers fit, an `uint` does not.
import { floatToHalf, halfToFloat } from "@muxkit/cargo";

import { ARRAYS, type ScalarElement, type ScalarName } from "./translated.ts";

declare const width: unique symbol;

/** A number or bigint that says what it is. What operators make of it is a plain one again. @public */
export type Width<Value, Name extends ScalarName> = Value & {
  /** Its width; it exists for the checker alone. */
  readonly [width]?: Name;
};

/** The value of a scalar in TypeScript. @public */
export type ScalarValue<Name extends ScalarName> = Name extends "bool"
  ? boolean
  : Name extends "long" | "ulong"
    ? Width<bigint, Name>
    : Width<number, Name>;

/** What names a scalar type, and converts to it. @public */
export interface ScalarType<Name extends ScalarName> extends ScalarElement {
  /** Name of the type. */
  readonly name: Name;
  /** Converts: fractions are cut off and whole numbers wrap; floating point beyond an integer type gives its limit. */
  (value: number | bigint | boolean): ScalarValue<Name>;
}

/** The bits of a half: a number is rounded to the nearest one. @public */
export function halfBits(value: number): number {
  return floatToHalf(value);
}

/** The half of some bits. @public */
export function halfValue(bits: number): number {
  return halfToFloat(bits);
}

/** Bits of a scalar. @public */
export function bitsOf(name: ScalarName): number {
  return name === "bool" ? 1 : 8 * ARRAYS[name].BYTES_PER_ELEMENT;
}

/** True for `long` and `ulong`, which are bigints. @public */
export function isWide(name: ScalarName): boolean {
  return name === "long" || name === "ulong";
}

/** True for `half`, `float` and `double`. @public */
export function isReal(name: ScalarName): boolean {
  return name === "float" || name === "double" || name === "half";
}

/** True for signed integers. @public */
export function isSignedInteger(name: ScalarName): boolean {
  return name === "char" || name === "short" || name === "int" || name === "long";
}

/** The integer of some bits. @public */
export function integerOf(bits: number, isSigned: boolean): ScalarName {
  const name = bits === 8 ? "char" : bits === 16 ? "short" : bits === 64 ? "long" : "int";
  return isSigned ? name : `u${name}`;
}

/** What an operation computed, as a value of its type: whole numbers wrap, floats are rounded. @public */
export function wrap(name: ScalarName, value: number | bigint): number | bigint {
  if (name === "float") return Math.fround(Number(value));
  if (name === "double") return Number(value);
  if (name === "half") return halfToFloat(floatToHalf(Number(value)));
  const bits = bitsOf(name);
  if (isWide(name)) {
    const whole = BigInt(value);
    return name === "long" ? BigInt.asIntN(bits, whole) : BigInt.asUintN(bits, whole);
  }
  const low = typeof value === "bigint" ? Number(BigInt.asIntN(32, value)) : value | 0;
  if (bits === 32) return name === "int" ? low : low >>> 0;
  return isSignedInteger(name) ? (low << (32 - bits)) >> (32 - bits) : low & (2 ** bits - 1);
}

/** Converts a value to a scalar type, as {@link ScalarType} says. @public */
export function convertScalar(name: ScalarName, value: number | bigint | boolean): number | bigint | boolean {
  if (name === "bool") return Boolean(value);
  const from = typeof value === "boolean" ? Number(value) : value;
  if (isReal(name) || typeof from === "bigint") return wrap(name, from);
  if (Number.isInteger(from) && Math.abs(from) <= 2 ** 32) return wrap(name, isWide(name) ? BigInt(from) : from);
  if (Number.isNaN(from)) return isWide(name) ? 0n : 0;
  const whole = BigInt(Number.isFinite(from) ? Math.trunc(from) : from > 0 ? 2 ** 70 : -(2 ** 70));
  const bits = isWide(name) ? 64n : 32n;
  const isSigned = isSignedInteger(name) || bitsOf(name) < 32;
  // A whole number of 32 bits wraps: it was an integer before.
  if (!isWide(name) && whole >= -(2n ** 31n) && whole < 2n ** 32n) return wrap(name, whole);
  const least = isSigned ? -(1n << (bits - 1n)) : 0n;
  const greatest = isSigned ? (1n << (bits - 1n)) - 1n : (1n << bits) - 1n;
  return wrap(name, whole < least ? least : whole > greatest ? greatest : whole);
}

/** Makes the type of a name. @internal */
export function scalarType<Name extends ScalarName>(name: Name): ScalarType<Name> {
  const convert = (value: number | bigint | boolean): ScalarValue<Name> =>
    convertScalar(name, value) as ScalarValue<Name>;
  return Object.defineProperties(convert, {
    name: { value: name },
    kind: { value: "scalar" },
  }) as ScalarType<Name>;
}
