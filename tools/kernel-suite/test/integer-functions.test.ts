// SPDX-License-Identifier: Apache-2.0
// Integer functions (OpenCL C 6.15.3) and those of other families that take ints: every pair of 8-bit numbers, and of
// wider ones those where carries, signs and limits meet, against their definitions.
import { expect, test } from "vitest";

import { ARRAYS, type Column, INTS, type IntElement, check } from "./column-rig.ts";
import { sequence } from "./half-reference.ts";

/** All of this takes a while on a busy machine. */
const PATIENCE = 300_000;

/** Arguments of a definition: three numbers and their type. */
interface Given {
  readonly a: bigint;
  readonly b: bigint;
  readonly c: bigint;
  readonly bits: number;
  readonly isSigned: boolean;
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const floorHalf = (a: bigint): bigint => a >> 1n;
const unsigned = (value: bigint, bits: number): bigint => BigInt.asUintN(bits, value);

function saturated(value: bigint, { bits, isSigned }: Given): bigint {
  const least = isSigned ? -(1n << BigInt(bits - 1)) : 0n;
  const most = (1n << BigInt(isSigned ? bits - 1 : bits)) - 1n;
  return max(least, min(most, value));
}

/** Ones among the bits of a number that is not negative. */
function ones(value: bigint): number {
  return value.toString(2).replaceAll("0", "").length;
}

const rotated = ({ a, b, bits }: Given): bigint => {
  const amount = unsigned(b, bits) % BigInt(bits);
  const pattern = unsigned(a, bits);
  return (pattern << amount) | (pattern >> (BigInt(bits) - amount));
};

/** Definitions on numbers without bounds; results are taken modulo two to the width. */
const DEFINITIONS: Readonly<Record<string, (given: Given) => bigint>> = {
  "abs(a)": ({ a }) => max(a, -a),
  "abs_diff(a, b)": ({ a, b }) => max(a - b, b - a),
  "add_sat(a, b)": (given) => saturated(given.a + given.b, given),
  "sub_sat(a, b)": (given) => saturated(given.a - given.b, given),
  "mad_sat(a, b, c)": (given) => saturated(given.a * given.b + given.c, given),
  "hadd(a, b)": ({ a, b }) => floorHalf(a + b),
  "rhadd(a, b)": ({ a, b }) => floorHalf(a + b + 1n),
  "mul_hi(a, b)": ({ a, b, bits }) => (a * b) >> BigInt(bits),
  "mad_hi(a, b, c)": ({ a, b, c, bits }) => ((a * b) >> BigInt(bits)) + c,
  "rotate(a, b)": rotated,
  "clz(a)": ({ a, bits }) => BigInt(bits - (unsigned(a, bits) === 0n ? 0 : unsigned(a, bits).toString(2).length)),
  "ctz(a)": ({ a, bits }) =>
    BigInt(
      unsigned(a, bits) === 0n
        ? bits
        : unsigned(a, bits).toString(2).length - unsigned(a, bits).toString(2).replace(/0+$/u, "").length,
    ),
  "popcount(a)": ({ a, bits }) => BigInt(ones(unsigned(a, bits))),
  "max(a, b)": ({ a, b }) => max(a, b),
  "min(a, b)": ({ a, b }) => min(a, b),
  "clamp(a, min(b, c), max(b, c))": ({ a, b, c }) => max(min(b, c), min(a, max(b, c))),
  "bitselect(a, b, c)": ({ a, b, c }) => (a & ~c) | (b & c),
  "a / b": ({ a, b }) => (b === 0n ? 0n : a / b),
  "a % b": ({ a, b }) => (b === 0n ? 0n : a % b),
  "a << b": ({ a, b, bits }) => a << (unsigned(b, bits) % BigInt(bits)),
  "a >> b": ({ a, b, bits }) => a >> (unsigned(b, bits) % BigInt(bits)),
  "a * b - c": ({ a, b, c }) => a * b - c,
};

/**
 * Where the language leaves the result open: the quotient that does not fit. Scalars narrower than an int shift as
 * ints.
 */
const NOT_DEFINED: Readonly<Record<string, (given: Given) => boolean>> = {
  "a / b": ({ b }) => b === 0n,
  "a % b": ({ b }) => b === 0n,
  "a << b": ({ b, bits }) => bits < 32 && unsigned(b, bits) >= 8n,
  "a >> b": ({ b, bits }) => bits < 32 && unsigned(b, bits) >= 8n,
};

type Lists = readonly [a: bigint[], b: bigint[], c: bigint[]];

function held(type: IntElement, value: bigint): bigint {
  const { bits, isSigned } = INTS[type];
  return isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
}

/** Every pair of 8-bit numbers, each with a third one. */
function allPairs(type: IntElement): Lists {
  const random = sequence(5);
  const lists: Lists = [[], [], []];
  for (let i = 0; i < 65_536; i++)
    [i, i >> 8, random()].forEach((value, list) => lists[list]?.push(held(type, BigInt(value))));
  return lists;
}

/** Triples of numbers near the limits, near powers of two and in between. */
function someTriples(type: IntElement, count: number): Lists {
  const { bits } = INTS[type];
  const random = sequence(bits);
  const special = [
    0n,
    1n,
    2n,
    3n,
    -1n,
    -2n,
    1n << BigInt(bits - 1),
    (1n << BigInt(bits - 1)) - 1n,
    (1n << BigInt(bits - 1)) + 1n,
    1n << BigInt(bits / 2),
    (1n << BigInt(bits / 2)) - 1n,
    7n,
    BigInt(bits),
    BigInt(bits - 1),
  ];
  const wide = (): bigint => (BigInt(random()) << 32n) | BigInt(random());
  const one = (i: number): bigint =>
    held(
      type,
      i % 3 === 0 ? (special[random() % special.length] ?? 0n) : i % 3 === 1 ? wide() : wide() >> BigInt(random() % 64),
    );
  const lists: Lists = [[], [], []];
  for (let i = 0; i < count; i++) {
    const j = i < special.length ** 2 ? i : -1;
    const pair =
      j < 0
        ? [one(random()), one(random())]
        : [held(type, special[j % special.length] ?? 0n), held(type, special[Math.floor(j / special.length)] ?? 0n)];
    lists[0].push(pair[0] ?? 0n);
    lists[1].push(pair[1] ?? 0n);
    lists[2].push(one(random()));
  }
  return lists;
}

function columnsOf(type: IntElement, [a, b, c]: Lists): readonly Column[] {
  const { bits, isSigned } = INTS[type];
  const given = (i: number): Given => ({ a: a[i] ?? 0n, b: b[i] ?? 0n, c: c[i] ?? 0n, bits, isSigned });
  return Object.entries(DEFINITIONS).map(([expression, define]): Column => ({
    // abs and abs_diff return unsigned numbers; as bits they are the same.
    type,
    expression: expression.startsWith("abs") ? `as_${type}N(${expression})` : expression,
    expected: (i) => {
      if (NOT_DEFINED[expression]?.(given(i)) === true) return null;
      const value = held(type, define(given(i)));
      return bits === 64 ? value : Number(value);
    },
  }));
}

function inputsOf(type: IntElement, lists: Lists): Parameters<typeof check>[0] {
  return lists.map(
    (list) =>
      [
        type,
        INTS[type].bits === 64 ? new ARRAYS[type as "long"](list) : new ARRAYS[type as "int"](list.map(Number)),
      ] as const,
  );
}

test.each(["char", "uchar"] as const)("every pair of %s", { timeout: PATIENCE }, (type) => {
  const lists = allPairs(type);
  for (const lanes of [1, 16]) expect(check(inputsOf(type, lists), columnsOf(type, lists), lanes, "code")).toBeNull();
});

test.each(["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"] as const)(
  "%s, scalars and vectors",
  { timeout: PATIENCE },
  (type) => {
    for (const lanes of [1, 2, 3, 4, 8]) {
      const lists = someTriples(type, lanes === 1 ? 2400 : 480);
      expect(check(inputsOf(type, lists), columnsOf(type, lists), lanes)).toBeNull();
    }
  },
);

test.each(["int", "uint"] as const)("24 bits of %s", { timeout: PATIENCE }, (type) => {
  const lists = someTriples(type, 1200);
  const { isSigned } = INTS[type];
  const narrow = (value: bigint): bigint => (isSigned ? BigInt.asIntN(24, value) : BigInt.asUintN(24, value));
  for (const list of lists.slice(0, 2)) for (const [i, value] of list.entries()) list[i] = narrow(value);
  const [a, b, c] = lists;
  const columns: readonly Column[] = [
    { type, expression: "mul24(a, b)", expected: (i) => Number(held(type, (a[i] ?? 0n) * (b[i] ?? 0n))) },
    {
      type,
      expression: "mad24(a, b, c)",
      expected: (i) => Number(held(type, (a[i] ?? 0n) * (b[i] ?? 0n) + (c[i] ?? 0n))),
    },
  ];
  for (const lanes of [1, 4]) expect(check(inputsOf(type, lists), columns, lanes)).toBeNull();
});

test.each([
  ["char", "uchar", "short"],
  ["uchar", "uchar", "ushort"],
  ["short", "ushort", "int"],
  ["ushort", "ushort", "uint"],
  ["int", "uint", "long"],
  ["uint", "uint", "ulong"],
] as const)("upsample of %s and %s to %s", { timeout: PATIENCE }, (high, low, wide) => {
  const [a, b] = someTriples(high, 1200);
  const { bits } = INTS[high];
  const lows = b.map((value) => BigInt.asUintN(bits, value));
  const inputs: Parameters<typeof check>[0] = [
    [high, new ARRAYS[high](a.map(Number))],
    [low, new ARRAYS[low](lows.map(Number))],
  ];
  const column: Column = {
    type: wide,
    expression: "upsample(a, b)",
    expected: (i) => {
      const value = held(wide, ((a[i] ?? 0n) << BigInt(bits)) | (lows[i] ?? 0n));
      return bits === 32 ? value : Number(value);
    },
  };
  for (const lanes of [1, 3, 16]) expect(check(inputs, [column], lanes)).toBeNull();
});

test.each(["char", "ushort", "int", "ulong"] as const)("select, any and all of %s", { timeout: PATIENCE }, (type) => {
  const { bits } = INTS[type];
  for (const lanes of [1, 2, 3, 16] as const) {
    const lists = someTriples(type, 480);
    const [a, b, c] = lists;
    const isSet = (i: number): boolean =>
      lanes === 1 ? c[i] !== 0n : BigInt.asUintN(bits, c[i] ?? 0n) >> BigInt(bits - 1) === 1n;
    const columns: readonly Column[] = [
      {
        type,
        expression: "select(a, b, c)",
        expected: (i) => {
          const value = (isSet(i) ? b[i] : a[i]) ?? 0n;
          return bits === 64 ? value : Number(value);
        },
      },
    ];
    expect(check(inputsOf(type, lists), columns, lanes)).toBeNull();
  }
});
