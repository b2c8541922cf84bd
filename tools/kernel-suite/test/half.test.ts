// SPDX-License-Identifier: Apache-2.0
// cl_khr_fp16: arithmetic and conversions of half, run every way and held against a reference that looks values up in a
// table.
import { IS_SLICE } from "@muxkit/kernel-suite";
import { expect, test } from "vitest";

import { ARRAYS, type Column, type Element, check } from "./column-rig.ts";
import { directed, fused, NAN_HALF, quotient, root, rounded, sequence, valueOf } from "./half-reference.ts";

const ALL: Uint16Array = Uint16Array.from({ length: 65_536 }, (_, bits) => bits);

const LANES = [1, 3, 8];
/** All of this takes a while on a busy machine. */
const PATIENCE = 300_000;

/**
 * The halfs that are tried: all of them eight at a time, every fifth otherwise; a third of these where a share of the
 * suite runs. Both ends of each exponent are among them.
 */
function halves(lanes: number): Uint16Array {
  const step = (lanes === 8 ? 1 : 5) * (IS_SLICE ? 3 : 1);
  return ALL.filter((bits) => bits % step === 0 || (IS_SLICE && ((bits + 1) & 0x3ff) < 2));
}

const half = (expression: string, expected: (i: number) => number): Column => ({ type: "half", expression, expected });

function even(value: number): number {
  const floor = Math.floor(value);
  const result = value - floor === 0.5 ? 2 * Math.round(value / 2) : Math.round(value);
  return result === 0 && (value < 0 || Object.is(value, -0)) ? -0 : result;
}

/** Rounded to the nearest whole number, halfway cases away from zero. */
function away(value: number): number {
  const magnitude = Math.floor(Math.abs(value) + 0.5);
  return value < 0 || Object.is(value, -0) ? -magnitude : magnitude;
}

test.each(LANES)("every half: exact functions of one operand, %i lanes", { timeout: PATIENCE }, (lanes) => {
  const list = halves(lanes);
  const bits = (i: number): number => list[i] ?? 0;
  const A = (i: number): number => valueOf(bits(i));
  expect(
    check(
      [["half", list]],
      [
        half("-a", (i) => bits(i) ^ 0x8000),
        half("+a", bits),
        half("fabs(a)", (i) => bits(i) & 0x7fff),
        half("floor(a)", (i) => rounded(Math.floor(A(i)))),
        half("ceil(a)", (i) => rounded(Math.ceil(A(i)))),
        half("trunc(a)", (i) => rounded(Math.trunc(A(i)))),
        half("rint(a)", (i) => rounded(even(A(i)))),
        half("round(a)", (i) => rounded(away(A(i)))),
        half("sqrt(a)", (i) => root(A(i))),
        half("1.0h / a", (i) => quotient(1, A(i))),
        half("a * 3.0h", (i) => rounded(A(i) * 3)),
        half("a + 1.0h", (i) => rounded(A(i) + 1)),
        half("as_halfN(as_ushortN(a))", bits),
      ],
      lanes,
    ),
  ).toBeNull();
});

function held(value: number, low: number, high: number): number {
  return Number.isNaN(value) ? 0 : Math.min(high, Math.max(low, value)) + 0;
}

test.each(LANES)("every half to other types, %i lanes", { timeout: PATIENCE }, (lanes) => {
  const list = halves(lanes);
  const A = (i: number): number => valueOf(list[i] ?? 0);
  const columns: readonly Column[] = [
    { type: "float", expression: "convert_floatN(a)", expected: A },
    { type: "double", expression: "convert_doubleN(a)", expected: A },
    { type: "char", expression: "convert_charN_sat(a)", expected: (i) => held(Math.trunc(A(i)), -128, 127) },
    { type: "uchar", expression: "convert_ucharN_sat_rte(a)", expected: (i) => held(even(A(i)), 0, 255) },
    {
      type: "short",
      expression: "convert_shortN_sat_rtn(a)",
      expected: (i) => held(Math.floor(A(i)), -32_768, 32_767),
    },
    { type: "ushort", expression: "convert_ushortN_sat_rtp(a)", expected: (i) => held(Math.ceil(A(i)), 0, 65_535) },
    {
      type: "int",
      expression: "convert_intN_sat(a)",
      expected: (i) => held(Math.trunc(A(i)), -(2 ** 31), 2 ** 31 - 1),
    },
    { type: "uint", expression: "convert_uintN_sat_rte(a)", expected: (i) => held(even(A(i)), 0, 2 ** 32 - 1) },
    {
      type: "long",
      expression: `convert_longN_rtp(select((halfN)(0), a, ${lanes === 1 ? "(short)" : ""}isfinite(a)))`,
      expected: (i) => (Number.isFinite(A(i)) ? BigInt(Math.ceil(A(i))) : 0n),
    },
    {
      type: "ulong",
      expression: "convert_ulongN_sat(a)",
      expected: (i) => (A(i) === Infinity ? 2n ** 64n - 1n : BigInt(held(Math.trunc(A(i)), 0, 65_504))),
    },
  ];
  expect(check([["half", list]], columns, lanes)).toBeNull();
});

test.each(LANES)("every half classified, %i lanes", { timeout: PATIENCE }, (lanes) => {
  const list = halves(lanes);
  const yes = lanes === 1 ? 1 : -1;
  const type: Element = lanes === 1 ? "int" : "short";
  const flag = (expression: string, holds: (bits: number) => boolean): Column => ({
    type,
    expression,
    expected: (i) => (holds(list[i] ?? 0) ? yes : 0),
  });
  expect(
    check(
      [["half", list]],
      [
        flag("isnan(a)", (bits) => (bits & 0x7fff) > 0x7c00),
        flag("isinf(a)", (bits) => (bits & 0x7fff) === 0x7c00),
        flag("isfinite(a)", (bits) => (bits & 0x7c00) !== 0x7c00),
        flag("isnormal(a)", (bits) => (bits & 0x7c00) !== 0x7c00 && (bits & 0x7c00) !== 0),
        flag("signbit(a)", (bits) => bits >= 0x8000),
        flag("a != a", (bits) => (bits & 0x7fff) > 0x7c00),
        flag("!a", (bits) => (bits & 0x7fff) === 0),
        flag("a > 1.0h", (bits) => valueOf(bits) > 1),
        flag("a <= -1.0h", (bits) => valueOf(bits) <= -1),
      ],
      lanes,
    ),
  ).toBeNull();
});

/** Numbers at and around the middle between neighbours among halves, in a float type, and random bits of that type. */
function nearTies(type: "float" | "double"): Float32Array | Float64Array {
  const random = sequence(7);
  const list: number[] = [];
  const step = type === "float" ? 2 ** -23 : 2 ** -52;
  for (let bits = 0; bits < 0x7c00; bits += 3) {
    const value = valueOf(bits);
    const above = bits === 0x7bff ? 65_536 : valueOf(bits + 1);
    const middle = (value + above) / 2;
    list.push(value, middle, middle * (1 + step), -middle * (1 - step), -middle);
  }
  const array = type === "float" ? new Float32Array(65_536) : new Float64Array(65_536);
  const words = new Uint32Array(array.buffer).map(() => random());
  array.set(new (type === "float" ? Float32Array : Float64Array)(words.buffer));
  array.set(
    [
      0,
      -0,
      Infinity,
      -Infinity,
      Number.NaN,
      65_519.99,
      65_520,
      -65_520,
      2 ** -25,
      2 ** -25 * (1 + step),
      2 ** -26,
      3e38,
      1e-45,
      65_504,
      65_505,
      2 ** 115,
      1.5 * 2 ** 115,
      2 ** 114,
      2 ** 127,
    ],
    0,
  );
  array.set(list, 100);
  return array;
}

test.each(LANES)("floats and doubles to half, in every rounding, %i lanes", { timeout: PATIENCE }, (lanes) => {
  for (const type of ["float", "double"] as const) {
    const all = nearTies(type);
    const numbers = lanes === 8 ? all : all.filter((_, i) => i < 100 || i % 5 === 0);
    const value = (i: number): number => numbers[i] ?? 0;
    expect(
      check(
        [[type, numbers]],
        [half("convert_halfN(a)", (i) => rounded(value(i))), half("convert_halfN_rte(a)", (i) => rounded(value(i)))],
        lanes,
      ),
    ).toBeNull();
    const some = all.filter((_, i) => i < 100 || i % 29 === 0);
    expect(
      check(
        [[type, some]],
        ["rtz", "rtp", "rtn"].map((mode) => half(`convert_halfN_${mode}(a)`, (i) => directed(some[i] ?? 0, mode))),
        lanes,
      ),
    ).toBeNull();
  }
});

test.each(LANES)("ints to half, in every rounding, %i lanes", { timeout: PATIENCE }, (lanes) => {
  const random = sequence(3);
  for (const type of ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"] as const) {
    const size = ARRAYS[type].BYTES_PER_ELEMENT;
    const length = size === 1 ? 256 : 2048;
    const bytes = new Uint32Array((length * size) / 4);
    const words = bytes.map(() => random());
    const numbers = new ARRAYS[type](words.buffer);
    // Numbers of 12 to 17 bits are where roundings differ.
    for (let i = 0; i < (size === 1 ? 0 : length); i += 2)
      numbers[i] = (size === 8 ? BigInt(random() >>> (15 + (i % 8))) : random() >>> (15 + (i % 8))) as never;
    const value = (i: number): number => Number(numbers[i]);
    expect(
      check(
        [[type, numbers]],
        [
          half("convert_halfN(a)", (i) => rounded(value(i))),
          ...["rte", "rtz", "rtp", "rtn"].map((mode) =>
            half(`convert_halfN_${mode}(a)`, (i) => (mode === "rte" ? rounded(value(i)) : directed(value(i), mode))),
          ),
        ],
        lanes,
      ),
    ).toBeNull();
  }
});

/** Second operands for halves: random ones, and such that are about as large as the last place of the first. */
function partners(list: Uint16Array, seed: number): Uint16Array {
  const random = sequence(seed);
  return list.map((bits) => {
    const word = random();
    if (word % 3 !== 0) return word >>> 8;
    const exponent = Math.max(0, ((bits >> 10) & 31) - 11 + ((word >>> 4) % 3));
    return ((word >>> 16) & 0x83ff) | (exponent << 10);
  });
}

test.each(LANES)("arithmetic on pairs, %i lanes", { timeout: PATIENCE }, (lanes) => {
  const list = halves(lanes);
  const A = (i: number): number => valueOf(list[i] ?? 0);
  const other = partners(list, lanes);
  const B = (i: number): number => valueOf(other[i] ?? 0);
  const isNaNs = (i: number): boolean => Number.isNaN(A(i)) || Number.isNaN(B(i));
  expect(
    check(
      [
        ["half", list],
        ["half", other],
      ],
      [
        half("a + b", (i) => rounded(A(i) + B(i))),
        half("a - b", (i) => rounded(A(i) - B(i))),
        half("a * b", (i) => rounded(A(i) * B(i))),
        half("a / b", (i) => quotient(A(i), B(i))),
        half("fmod(a, b)", (i) => rounded(A(i) % B(i))),
        half("copysign(a, b)", (i) => ((list[i] ?? 0) & 0x7fff) | ((other[i] ?? 0) & 0x8000)),
        half("fmin(a, b)", (i) =>
          isNaNs(i) ? rounded(Number.isNaN(A(i)) ? B(i) : A(i)) : rounded(Math.min(A(i), B(i))),
        ),
        half("fmax(a, b)", (i) =>
          isNaNs(i) ? rounded(Number.isNaN(A(i)) ? B(i) : A(i)) : rounded(Math.max(A(i), B(i))),
        ),
        half("fdim(a, b)", (i) => (isNaNs(i) ? NAN_HALF : rounded(A(i) > B(i) ? A(i) - B(i) : 0))),
      ],
      lanes,
    ),
  ).toBeNull();
});

test("nextafter, ldexp, fract, frexp of halves", { timeout: PATIENCE }, () => {
  const list = halves(1);
  const bits = (i: number): number => list[i] ?? 0;
  const A = (i: number): number => valueOf(bits(i));
  const other = partners(list, 9);
  const B = (i: number): number => valueOf(other[i] ?? 0);
  const after = (i: number): number => {
    const [a, b] = [A(i), B(i)];
    if (Number.isNaN(a) || Number.isNaN(b)) return NAN_HALF;
    if (a === b) return other[i] ?? 0;
    if (a === 0) return ((other[i] ?? 0) & 0x8000) | 1;
    return a < b === a > 0 ? bits(i) + 1 : bits(i) - 1;
  };
  const fraction = (i: number): number => {
    const a = A(i);
    if (!Number.isFinite(a)) return Number.isNaN(a) ? NAN_HALF : bits(i) & 0x8000;
    return Math.min(rounded(a - Math.floor(a)) & 0x7fff, 0x3bff);
  };
  expect(
    check(
      [
        ["half", list],
        ["half", other],
      ],
      [
        half("nextafter(a, b)", after),
        half("ldexp(a, as_short(b) % 40)", (i) => rounded(A(i) * 2 ** ((((other[i] ?? 0) << 16) >> 16) % 40))),
        half("fract(a, &b)", fraction),
        half("(fract(a, &b), b)", (i) => rounded(Math.floor(A(i)))),
        half("modf(a, &b)", (i) =>
          Number.isNaN(A(i))
            ? NAN_HALF
            : (bits(i) & 0x8000) | (Number.isFinite(A(i)) ? rounded(Math.abs(A(i) % 1)) : 0),
        ),
        {
          type: "int",
          expression: "ilogb(a)",
          expected: (i) =>
            Number.isNaN(A(i))
              ? 2 ** 31 - 1
              : A(i) === 0
                ? -(2 ** 31)
                : Number.isFinite(A(i))
                  ? Math.floor(Math.log2(Math.abs(A(i))))
                  : 2 ** 31 - 1,
        },
      ],
      1,
    ),
  ).toBeNull();
});

/**
 * Operands for fma: random, products that are ties with an addend far below, and sums whose product is about half the
 * addend's last place.
 */
function triples(count: number): readonly [Uint16Array, Uint16Array, Uint16Array] {
  const random = sequence(11);
  const lists = [new Uint16Array(count), new Uint16Array(count), new Uint16Array(count)] as const;
  for (let i = 0; i < count; i++) {
    let [a, b, c] = [random() >>> 16, random() >>> 16, random() >>> 16];
    if (i % 4 === 1) {
      // Six bits by six bits: the product is often just the middle between two halves; the addend is the least there
      // is.
      a = rounded((33 + 2 * (random() % 16)) * 2 ** ((random() % 9) - 4));
      b = rounded((33 + 2 * (random() % 16)) * 2 ** ((random() % 9) - 4));
      c = (random() & 0x8000) | (1 + (random() % 3));
    } else if (i % 4 === 2) {
      const exponent = 11 + (random() % 18);
      const product = 2 ** (exponent - 15 - 11);
      const factor = 1 + (random() % 1024) / 1024;
      a = rounded(factor) | (random() & 0x8000);
      b = rounded(product / factor) + (random() % 3) - 1;
      c = (exponent << 10) | (random() & 0x83ff);
    } else if (i % 4 === 3) {
      // The sum nearly cancels.
      const product = valueOf(a) * valueOf(b);
      c = (rounded(-product) + (random() % 3) - 1) & 0xffff;
    }
    lists[0][i] = a;
    lists[1][i] = b;
    lists[2][i] = c;
  }
  return lists;
}

test.each(LANES)("fma is rounded once, %i lanes", { timeout: PATIENCE }, (lanes) => {
  const [a, b, c] = triples(lanes === 8 && !IS_SLICE ? 40_000 : 8_000);
  expect(
    check(
      [
        ["half", a],
        ["half", b],
        ["half", c],
      ],
      [half("fma(a, b, c)", (i) => fused(valueOf(a[i] ?? 0), valueOf(b[i] ?? 0), valueOf(c[i] ?? 0)))],
      lanes,
    ),
  ).toBeNull();
});

test("the reference is right for ties that double rounding gets wrong", () => {
  const [a, b, c] = triples(40_000);
  let wrong = 0;
  for (let i = 0; i < a.length; i++) {
    const [x, y, z] = [valueOf(a[i] ?? 0), valueOf(b[i] ?? 0), valueOf(c[i] ?? 0)];
    if (fused(x, y, z) !== rounded(Math.fround(x * y + z))) wrong++;
  }
  expect(wrong).toBeGreaterThan(100);
});
