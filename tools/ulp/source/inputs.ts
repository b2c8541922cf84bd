// SPDX-License-Identifier: Apache-2.0
// Inputs: special numbers, every exponent, and random numbers where functions are hard.
import { type BitArray, type NumberFormat, bitArray, bitsOf, numberOf } from "./number-format.ts";
import { type Subject, isListed } from "./subject.ts";

/** A column for each parameter. */
export type Operands = readonly (BitArray | Int32Array)[];

/** Numbers from a counter: the same ones each time. */
class Counter {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 32 random bits. */
  word(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  }

  /** From 0 to 1. */
  fraction(): number {
    return (this.word() * 2 ** 21 + (this.word() >>> 11)) * 2 ** -53;
  }

  /** From `low` to `high`. */
  within(low: number, high: number): number {
    return low + (high - low) * this.fraction();
  }

  /** One of a list. */
  pick<T>(list: readonly [T, ...T[]]): T {
    return list[this.word() % list.length] ?? list[0];
  }
}

/** Numbers at which functions change their course. */
const LANDMARKS: readonly number[] = [
  0,
  1,
  2,
  3,
  0.5,
  0.25,
  1.5,
  2.5,
  10,
  7,
  Math.PI,
  Math.PI / 2,
  Math.PI / 4,
  (3 * Math.PI) / 4,
  2 * Math.PI,
  Math.E,
  Math.LN2,
  Math.SQRT2,
  Math.SQRT1_2,
  22,
  355 / 113,
  1e6,
  2 ** 20,
  2 ** 22,
  2 ** 23,
  2 ** 24,
  2 ** 52,
  2 ** 53,
  2 ** 31,
  2 ** 63,
  11,
  12,
  15,
  16,
  88.72283,
  89,
  87.3365,
  103.97,
  104,
  38.53,
  45.15,
  127,
  128,
  149,
  150,
  709.78,
  710,
  745.13,
  746,
  1022,
  1023,
  1024,
  1074,
  1075,
  35.04,
  171.62,
  172,
  26.54,
  27.2,
  3.92,
  10.06,
  5.9,
  6,
  65504,
  11.09,
  16.63,
  1e22,
];
/** Fewer of them, for functions of several numbers. */
const CORNERS: readonly number[] = [0, 1, 2, 3, 0.5, 1.5, 10, 2 ** 31, 1e6];

function extremes({ precision, least, greatest }: NumberFormat): readonly number[] {
  const unit = 2 ** (least - precision + 1);
  return [
    unit,
    2 * unit,
    2 ** least - unit,
    2 ** least,
    2 ** greatest * (2 - 2 ** (1 - precision)),
    2 ** greatest,
    Infinity,
    NaN,
  ];
}

/** Numbers with the bits next to them, of both signs. */
function around(format: NumberFormat, numbers: readonly number[], width: number): readonly bigint[] {
  const sign = 1n << BigInt(format.bits - 1);
  const found = new Set<bigint>();
  for (const number of numbers) {
    for (let step = -width; step <= width; step++) {
      const bits = bitsOf(format, number) + BigInt(step);
      if (bits < 0n || bits >= sign) continue;
      found.add(bits);
      found.add(bits | sign);
    }
  }
  return [...found];
}

/** Every exponent with a few significands, of both signs. */
function strata(format: NumberFormat, each: number, counter: Counter): readonly bigint[] {
  const shift = BigInt(format.precision - 1);
  const exponents = 2 ** (format.bits - format.precision);
  return Array.from(
    { length: exponents * each },
    (_, i) => (BigInt(i % exponents) << shift) | (random(format, counter) & ((1n << shift) - 1n)),
  ).flatMap((bits) => [bits, bits | (1n << BigInt(format.bits - 1))]);
}

function random({ bits }: NumberFormat, counter: Counter): bigint {
  return bits === 64
    ? (BigInt(counter.word()) << 32n) | BigInt(counter.word())
    : BigInt(counter.word() >>> (32 - bits));
}

/** Ranges in which some function is neither trivial nor infinite. */
const RANGES: readonly [readonly [number, number], ...(readonly [number, number])[]] = [
  [-1, 1],
  [-1, 1],
  [-7, 7],
  [-40, 40],
  [-110, 90],
  [-750, 720],
  [0.5, 2],
  [0.99, 1.01],
  [-1e5, 1e5],
  [-0.01, 0.01],
  [1, 3],
  [-180, 180],
];

function moderate(format: NumberFormat, counter: Counter): number {
  const [low, high] = counter.pick(RANGES);
  return numberOf(format, bitsOf(format, counter.within(low, high)));
}

function any(format: NumberFormat, counter: Counter): number {
  return counter.word() % 3 === 0 ? numberOf(format, random(format, counter)) : moderate(format, counter);
}

/** Inputs of a function of one number. */
function ones({ format }: Subject, count: number, counter: Counter): Operands {
  const fixed = [
    ...around(format, [...LANDMARKS, ...extremes(format)], 3),
    ...strata(format, format.bits === 64 ? 4 : 16, counter),
  ];
  const column = bitArray(format, fixed.length + count);
  const put = (i: number, bits: bigint): void =>
    void (column[i] = column instanceof BigUint64Array ? bits : Number(bits));
  fixed.forEach((bits, i) => put(i, bits));
  for (let i = 0; i < count; i++)
    put(fixed.length + i, i % 3 === 0 ? random(format, counter) : bitsOf(format, moderate(format, counter)));
  return [column];
}

/** A second operand under which the function of both is hard. */
function partner(base: string, format: NumberFormat, x: number, counter: Counter): number {
  const kind = counter.word() % 4;
  if (kind === 0) return any(format, counter);
  if (base.startsWith("pow")) {
    // A power in range.
    const range = (format.greatest + 1) * Math.LN2;
    return counter.within(-1.06 * range, range) / Math.log(Math.abs(x));
  }
  if (kind === 1) return x * (1 + counter.within(-1, 1) * 2 ** -(counter.word() % format.precision));
  return kind === 2 ? moderate(format, counter) : x * 2 ** counter.within(-30, 30);
}

const INTS: readonly number[] = [
  0,
  1,
  -1,
  2,
  -2,
  3,
  -3,
  4,
  5,
  7,
  -7,
  10,
  64,
  -64,
  127,
  128,
  -126,
  -149,
  1023,
  1024,
  -1074,
  2 ** 31 - 1,
  -(2 ** 31),
  2 ** 31 - 2,
  65_537,
];

function int(base: string, format: NumberFormat, x: number, counter: Counter): number {
  const kind = counter.word() % 4;
  if (kind === 0) return (counter.word() % 41) - 20;
  if (base === "pown" && kind === 1)
    return Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, Math.round(partner("pow", format, x, counter)) || 0));
  return kind === 2 ? Math.round(counter.within(-2300, 2300)) : counter.word() >> (counter.word() % 32);
}

/** The rows of a cartesian product. */
function product(lists: readonly (readonly number[])[]): readonly (readonly number[])[] {
  return lists.reduce<readonly (readonly number[])[]>(
    (rows, list) => rows.flatMap((row) => list.map((value) => [...row, value])),
    [[]],
  );
}

function several({ base, parameters, format }: Subject, count: number, counter: Counter): Operands {
  const corners = [...CORNERS, ...extremes(format)]
    .flatMap((value) => [value, -value])
    .map((value) => numberOf(format, bitsOf(format, value)));
  const fixed = product(
    parameters
      .split("")
      .map((letter) =>
        letter === "n" ? INTS : parameters.length === 3 ? corners.filter((_, i) => i % 2 === 0 || i < 8) : corners,
      ),
  );
  const columns = parameters
    .split("")
    .map((letter) => (letter === "n" ? new Int32Array(fixed.length + count) : bitArray(format, fixed.length + count)));
  const put = (row: number, values: readonly number[]): void =>
    columns.forEach((column, i) => {
      const value = values[i] ?? 0;
      if (column instanceof BigUint64Array) column[row] = bitsOf(format, value);
      else column[row] = column instanceof Int32Array ? value : Number(bitsOf(format, value));
    });
  fixed.forEach((values, row) => put(row, values));
  for (let i = 0; i < count; i++) {
    const x = any(format, counter);
    const rest = parameters
      .slice(1)
      .split("")
      .map((letter, at) => {
        if (letter === "n") return int(base, format, x, counter);
        return at === 0 ? partner(base, format, x, counter) : null;
      });
    const y = rest[0] ?? 0;
    // The third of a fused product: what nearly cancels it, or anything.
    put(fixed.length + i, [
      x,
      ...rest.map(
        (value) =>
          value ?? (counter.word() % 2 === 0 ? -x * y * (1 + 2 ** -(counter.word() % 50)) : any(format, counter)),
      ),
    ]);
  }
  return columns;
}

/** Inputs of a subject: special ones, and `count` random ones. Every half, where there is one operand. */
export function inputsOf(subject: Subject, count: number, seed: number = 1): Operands {
  if (isListed(subject)) return [Uint16Array.from({ length: 65_536 }, (_, i) => i)];
  const counter = new Counter(seed);
  return subject.parameters === "x" ? ones(subject, count, counter) : several(subject, count, counter);
}
