// SPDX-License-Identifier: Apache-2.0
// Explicit conversions (OpenCL C 6.4.3): from every arithmetic type to every other one, in every rounding, saturated or
// not, against exact rational arithmetic.
import { IS_SLICE } from "@muxkit/kernel-suite";
import { expect, test } from "vitest";

import { ARRAYS, type Column, type Element, INTS, type IntElement, type Numbers, check } from "./column-rig.ts";
import { PLACES, bitLength, fixed } from "./exact.ts";
import { sequence, valueOf } from "./half-reference.ts";

const PATIENCE = 300_000;
const ELEMENTS = Object.keys(ARRAYS) as Element[];
const MODES = ["", "rte", "rtz", "rtp", "rtn"] as const;
type Mode = (typeof MODES)[number];

/** Bits of the significand, least and greatest exponent of the floats. */
const FORMATS = {
  half: { places: 11, least: -14, most: 15 },
  float: { places: 24, least: -126, most: 127 },
  double: { places: 53, least: -1022, most: 1023 },
} as const;
type FloatElement = keyof typeof FORMATS;

function isFloat(type: Element): type is FloatElement {
  return type in FORMATS;
}

/** Exact numbers are integers times 2^-PLACES: every value of every type is one. */
function exact(value: number | bigint): bigint {
  return typeof value === "bigint" ? value << PLACES : fixed(value);
}

/** n / 2^shift as an integer in a rounding; the number is not negative. */
function quotient(n: bigint, shift: bigint, isUp: boolean, mode: Mode): bigint {
  if (shift <= 0n) return n << -shift;
  const below = n >> shift;
  const rest = n - (below << shift);
  if (rest === 0n) return below;
  if (mode === "" || mode === "rte") {
    const half = 1n << (shift - 1n);
    return rest > half || (rest === half && (below & 1n) === 1n) ? below + 1n : below;
  }
  return isUp ? below + 1n : below;
}

/** True when a rounding goes away from zero. */
function goesAway(mode: Mode, isNegative: boolean): boolean {
  return mode === (isNegative ? "rtn" : "rtp");
}

/** An exact number as a float of a format, as a JavaScript number. */
function toFloat(
  n: bigint,
  isNegativeZero: boolean,
  { places, least, most }: (typeof FORMATS)[FloatElement],
  mode: Mode,
): number {
  if (n === 0n) return isNegativeZero ? -0 : 0;
  const isNegative = n < 0n;
  const magnitude = isNegative ? -n : n;
  const isUp = goesAway(mode, isNegative);
  const exponent = Math.max(bitLength(magnitude) - 1 - Number(PLACES), least);
  const unit = exponent - places + 1;
  const rounded = Number(quotient(magnitude, PLACES + BigInt(unit), isUp, mode));
  // Two steps, since the unit of denormals is no normal number for all formats.
  const value = rounded * 2 ** Math.max(unit, -1000) * 2 ** Math.min(0, unit + 1000);
  const greatest = (2 - 2 ** (1 - places)) * 2 ** most;
  const bounded = value <= greatest ? value : mode === "" || mode === "rte" || isUp ? Infinity : greatest;
  return isNegative ? -bounded : bounded;
}

function toInt(n: bigint, type: IntElement, mode: Mode, isSaturated: boolean, isFromInt: boolean): bigint | null {
  const { bits, isSigned } = INTS[type];
  const isNegative = n < 0n;
  // To an int the default is towards zero (6.4.3.2).
  const magnitude = quotient(isNegative ? -n : n, PLACES, goesAway(mode, isNegative), mode === "" ? "rtz" : mode);
  const value = isNegative ? -magnitude : magnitude;
  const least = isSigned ? -(1n << BigInt(bits - 1)) : 0n;
  const most = (1n << BigInt(isSigned ? bits - 1 : bits)) - 1n;
  if (value >= least && value <= most) return value;
  if (isSaturated) return value < least ? least : most;
  return isFromInt ? (isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value)) : null;
}

/** The value of an element as JavaScript has it. */
function read(type: Element, numbers: Numbers, i: number): number | bigint {
  const value = numbers[i] ?? 0;
  return type === "half" ? valueOf(Number(value)) : value;
}

/** Bits of a half with a value that a half has. */
function halfBits(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  if (magnitude === Infinity) return sign | 0x7c00;
  if (magnitude < 2 ** -14) return sign | (magnitude * 2 ** 24);
  const exponent = Math.floor(Math.log2(magnitude));
  return sign | (((exponent + 15) << 10) + (magnitude / 2 ** exponent - 1) * 1024);
}

function converted(
  from: Element,
  to: Element,
  value: number | bigint,
  mode: Mode,
  isSaturated: boolean,
): number | bigint | null {
  const isNumber = typeof value === "number";
  if (isFloat(to)) {
    if (isNumber && !Number.isFinite(value))
      return to === "half" ? (Number.isNaN(value) ? null : halfBits(value)) : value;
    const result = toFloat(exact(value), Object.is(value, -0), FORMATS[to], mode);
    return to === "half" ? halfBits(result) : result;
  }
  const { bits, isSigned } = INTS[to];
  const give = (result: bigint | null): number | bigint | null =>
    result === null || bits === 64 ? result : Number(result);
  if (isNumber && Number.isNaN(value)) return isSaturated ? give(0n) : null;
  if (isNumber && !Number.isFinite(value))
    return isSaturated
      ? give(value > 0 ? (1n << BigInt(isSigned ? bits - 1 : bits)) - 1n : isSigned ? -(1n << BigInt(bits - 1)) : 0n)
      : null;
  return give(toInt(exact(value), to, mode, isSaturated, !isFloat(from)));
}

/**
 * Numbers of a float type near integers, near halves of them, near the limits of the int types and near ties of
 * narrower floats.
 */
function floats(random: () => number, count: number): number[] {
  const list = [
    0,
    -0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    Infinity,
    -Infinity,
    Number.NaN,
    65_504,
    65_519.9,
    65_520,
    3.4e38,
    -3.4e38,
    1e-45,
    1e-38,
    5e-324,
    1e308,
    2 ** -25,
    1e-7,
  ];
  for (const power of [7, 8, 15, 16, 31, 32, 63, 64])
    for (const step of [-1, -0.5, 0, 0.5, 1]) list.push(2 ** power + step, -(2 ** power) + step);
  while (list.length < count) {
    const kind = random() % 4;
    const sign = random() % 2 === 0 ? 1 : -1;
    if (kind === 0) list.push(sign * ((random() % 512) + (random() % 5) / 4));
    else if (kind === 1) list.push(sign * random() * 2 ** ((random() % 64) - 32));
    else if (kind === 2)
      list.push(sign * (1 + (random() % 2048) / 2048 + ((random() % 3) - 1) * 2 ** -23) * 2 ** ((random() % 40) - 20));
    else
      list.push(
        sign * (1 + (random() % 16) * 2 ** -24 + ((random() % 3) - 1) * 2 ** -50) * 2 ** ((random() % 300) - 150),
      );
  }
  return list;
}

function ints(type: IntElement, random: () => number, count: number): bigint[] {
  const { bits, isSigned } = INTS[type];
  const list: bigint[] = [];
  for (let i = 0; list.length < count; i++) {
    const wide = (BigInt(random()) << 32n) | BigInt(random());
    // Long runs of equal bits, where roundings to 11, 24 and 53 bits differ, and numbers of every length.
    const edge = (1n << BigInt(random() % 64)) + BigInt((random() % 5) - 2);
    const long = (wide >> BigInt(random() % 64)) << BigInt(random() % 12);
    const value = [wide, edge, -edge, long, long + (1n << BigInt(random() % 30))][i % 5] ?? 0n;
    list.push(isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value));
  }
  return list;
}

/** What is converted: all values of 8 bits and of halves eight at a time, else a choice. */
function numbersOf(type: Element, lanes: number): Numbers {
  const random = sequence(lanes + type.length);
  const size = ARRAYS[type].BYTES_PER_ELEMENT;
  if (size === 1) return new ARRAYS[type as "uchar"](Array.from({ length: 256 }, (_, i) => i));
  if (type === "half")
    return Uint16Array.from(
      { length: lanes === 1 ? 8192 : 1680 },
      (_, i) => (i * (lanes === 1 ? 8 : 39) + (random() % 8)) & 0xffff,
    );
  const count = lanes === 1 ? 2400 : 480;
  if (isFloat(type)) return new ARRAYS[type](floats(random, count));
  return size === 8
    ? new ARRAYS[type as "long"](ints(type, random, count))
    : new ARRAYS[type as "int"](ints(type, random, count).map(Number));
}

test("the reference is exact", () => {
  for (const value of [0.1, 2 ** -1074, -1.5, 2 ** 1023, 123_456_789.125, -(2 ** -1060) * 3])
    expect(toFloat(exact(value), false, FORMATS.double, "")).toBe(value);
  expect([
    toFloat(exact(0.1), false, FORMATS.float, ""),
    toFloat(exact(0.1), false, FORMATS.float, "rtn") < 0.1,
    toFloat(exact(0.1), false, FORMATS.float, "rtp") > 0.1,
  ]).toEqual([Math.fround(0.1), true, true]);
  expect(toFloat(exact((1n << 60n) + 1n), false, FORMATS.double, "rtp")).toBe(2 ** 60 + 256);
  expect([1, 1.5, 2 ** -24, 65_504, -(2 ** -14), -0].map((value) => valueOf(halfBits(value)))).toEqual([
    1,
    1.5,
    2 ** -24,
    65_504,
    -(2 ** -14),
    -0,
  ]);
});

const LANES = [1, 3, 8];

test.each(ELEMENTS.flatMap((from) => LANES.map((lanes) => [from, lanes] as const)))(
  "%s to every type, %i lanes",
  { timeout: PATIENCE },
  (from, lanes) => {
    const numbers = numbersOf(from, lanes);
    for (const [at, to] of ELEMENTS.entries()) {
      // Where a share of the suite runs: each pair of types in one number of lanes, a type in each of them.
      if (IS_SLICE && (ELEMENTS.indexOf(from) + at + LANES.indexOf(lanes)) % LANES.length !== 0) continue;
      const columns = MODES.flatMap((mode) =>
        (isFloat(to) ? [false] : [false, true]).map((isSaturated): Column => ({
          type: to,
          expression: `convert_${to}N${isSaturated ? "_sat" : ""}${mode === "" ? "" : `_${mode}`}(a)`,
          expected: (i) => converted(from, to, read(from, numbers, i), mode, isSaturated),
        })),
      );
      expect(check([[from, numbers]], columns, lanes, from === to || lanes === 8 ? "interpreter" : "code")).toBeNull();
    }
  },
);
