// SPDX-License-Identifier: Apache-2.0
// Literals: corner values, small values and random ones, in the notations of OpenCL C.
import { type Expression, code } from "../tree.ts";
import type { State } from "./state.ts";
import { type Scalar, type ValueType, withLanes } from "./types.ts";

const SUFFIXES: Readonly<Record<string, string>> = { uint: "u", long: "L", ulong: "UL", float: "f" };

function wholeNumber(g: State, { bits, kind }: Scalar): bigint {
  const { random } = g;
  const width = BigInt(bits);
  const least = kind === "signed" ? -(1n << (width - 1n)) : 0n;
  const most = kind === "signed" ? (1n << (width - 1n)) - 1n : (1n << width) - 1n;
  const wide = (): bigint => (BigInt(random.below(2 ** 32)) << 32n) | BigInt(random.below(2 ** 32));
  const value = random
    .weighted([
      { weight: 50, make: () => BigInt(random.below(10)) },
      { weight: 10, make: () => BigInt(-random.below(10)) },
      { weight: 15, make: () => random.pick([least, most, least + 1n, most - 1n, most / 2n]) },
      { weight: 10, make: () => 1n << BigInt(random.below(bits)) },
      { weight: 15, make: wide },
    ])
    .make();
  return kind === "signed" ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
}

/** Digits in base 10 or 16, or as a character where there is one. */
function spell(g: State, value: bigint, { name }: Scalar): string {
  if (name === "char" && value >= 48n && value < 58n && g.random.chance(50))
    return `'${String.fromCodePoint(Number(value))}'`;
  const digits = g.random.chance(25)
    ? `0x${value.toString(16)}`
    : g.random.chance(5)
      ? `0${value.toString(8)}`
      : value.toString();
  return `${digits}${SUFFIXES[name] ?? ""}`;
}

function wholeLiteral(g: State, scalar: Scalar): string {
  const value = wholeNumber(g, scalar);
  const { name, bits } = scalar;
  // Digits do not hold the least value: 2147483648 is not an int. Hexadecimal ones may be unsigned, so types are cast.
  const text =
    value >= 0n
      ? spell(g, value, scalar)
      : value === -(1n << BigInt(bits - 1)) && bits >= 32
        ? `(${(value + 1n).toString()}${SUFFIXES[name] ?? ""} - 1)`
        : `-${spell(g, -value, { ...scalar, name: name === "char" ? "short" : name })}`;
  return `(${name})${text.startsWith("-") ? `(${text})` : text}`;
}

function floatLiteral(g: State, { name }: Scalar): string {
  const { random } = g;
  const suffix = SUFFIXES[name] ?? "";
  const sign = random.chance(30) ? "-" : "";
  const text = random
    .weighted([
      { weight: 30, make: () => `${random.below(10)}.0${suffix}` },
      { weight: 30, make: () => `${random.below(1000)}.${random.pick(["25", "5", "125", "75", "1", "3"])}${suffix}` },
      { weight: 10, make: () => `0x1.${random.below(4096).toString(16)}p${random.below(40) - 20}${suffix}` },
      { weight: 10, make: () => `${random.below(100)}e${random.below(16) - 8}${suffix}` },
      { weight: g.portable ? 0 : 6, make: () => (name === "float" ? "INFINITY" : "(double)INFINITY") },
      { weight: g.portable ? 0 : 6, make: () => `1e-${name === "float" ? 40 : 310}${suffix}` },
    ])
    .make();
  return sign === "" ? text : `(${sign}${text})`;
}

/** The literal of a whole number that the type holds. */
export function small(type: ValueType, value: number): Expression {
  const {
    scalar: { name, kind },
  } = type;
  const text = kind === "float" ? `${value}.0${SUFFIXES[name] ?? ""}` : `${value}${SUFFIXES[name] ?? ""}`;
  return type.lanes === 1 && (name === "int" || SUFFIXES[name] !== undefined || name === "double")
    ? code(type)`${text}`
    : code(type)`(${type.name})(${text})`;
}

/** A literal: scalar, splat, or lane by lane. */
export function literal(g: State, type: ValueType): Expression {
  const one = (): string =>
    type.scalar.kind === "float" ? floatLiteral(g, type.scalar) : wholeLiteral(g, type.scalar);
  if (type.lanes === 1) return code(type)`${one()}`;
  const lanes = g.random.chance(40) ? [one()] : Array.from({ length: withLanes(type, type.lanes).lanes }, one);
  return code(type)`(${type.name})(${lanes.join(", ")})`;
}
