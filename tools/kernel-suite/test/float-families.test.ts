// SPDX-License-Identifier: Apache-2.0
// Relational, common and geometric functions (OpenCL C 6.15.4 to 6.15.6): every pair of special numbers, and vectors
// from the least to the greatest, against their definitions in binary64.
import { expect, test } from "vitest";

import { ARRAYS, type Column, check } from "./column-rig.ts";
import { rounded, sequence, valueOf } from "./half-reference.ts";

const PATIENCE = 300_000;
const SPECIAL = [0, -0, 1, -1, 0.5, 1.5, -2.5, 3, 100, -100, Infinity, -Infinity, Number.NaN];
const LEAST = { float: 2 ** -149, double: 5e-324, half: 2 ** -24 } as const;
const GREATEST = { float: (2 - 2 ** -23) * 2 ** 127, double: Number.MAX_VALUE, half: 65_504 } as const;
const NORMAL = { float: 2 ** -126, double: 2 ** -1022, half: 2 ** -14 } as const;
type Float = "float" | "double" | "half";

function array(type: Float, values: readonly number[]): Float32Array | Float64Array | Uint16Array {
  if (type === "half") return Uint16Array.from(values, rounded);
  return type === "float" ? Float32Array.from(values) : Float64Array.from(values);
}

/** Every pair of special numbers. */
function pairs(type: Float): readonly [number[], number[]] {
  const list = [...SPECIAL, LEAST[type], -LEAST[type], NORMAL[type], GREATEST[type], -GREATEST[type], NORMAL[type] / 2];
  return [list.flatMap((a) => list.map(() => a)), list.flatMap(() => list)];
}

/** A float's bits as an int, and back. */
const INTS = { float: "int", double: "long", half: "short" } as const;

test.each(["float", "double", "half"] as const)("relations of %s", { timeout: PATIENCE }, (type) => {
  const [a, b] = pairs(type);
  const A = (i: number): number => a[i] ?? 0;
  const B = (i: number): number => b[i] ?? 0;
  const isWide = (value: number): boolean => Math.abs(value) >= NORMAL[type] && Number.isFinite(value);
  for (const lanes of [1, 2, 3, 8]) {
    const element = lanes === 1 ? "int" : INTS[type];
    const flag = (expression: string, holds: (i: number) => boolean): Column => ({
      type: element,
      expression,
      expected: (i) => {
        const yes = holds(i) ? (lanes === 1 ? 1 : -1) : 0;
        return element === "long" ? BigInt(yes) : yes;
      },
    });
    const given = [
      [type, array(type, a)],
      [type, array(type, b)],
    ] as const;
    expect(
      check(
        given,
        [
          flag("isequal(a, b)", (i) => A(i) === B(i)),
          flag("isnotequal(a, b)", (i) => A(i) !== B(i)),
          flag("isgreater(a, b)", (i) => A(i) > B(i)),
          flag("isgreaterequal(a, b)", (i) => A(i) >= B(i)),
          flag("isless(a, b)", (i) => A(i) < B(i)),
          flag("islessequal(a, b)", (i) => A(i) <= B(i)),
          flag("islessgreater(a, b)", (i) => A(i) < B(i) || A(i) > B(i)),
          flag("isordered(a, b)", (i) => !Number.isNaN(A(i)) && !Number.isNaN(B(i))),
          flag("isunordered(a, b)", (i) => Number.isNaN(A(i)) || Number.isNaN(B(i))),
          flag("isfinite(a)", (i) => Number.isFinite(A(i))),
          flag("isinf(a)", (i) => Math.abs(A(i)) === Infinity),
          flag("isnan(a)", (i) => Number.isNaN(A(i))),
          flag("isnormal(a)", (i) => isWide(A(i))),
          flag("signbit(copysign(a, b))", (i) => (Number.isNaN(B(i)) ? false : B(i) < 0 || Object.is(B(i), -0))),
          flag("a == b", (i) => A(i) === B(i)),
          flag("a != b", (i) => A(i) !== B(i)),
        ],
        lanes,
      ),
    ).toBeNull();
    const bits = (value: number): number => (type === "half" ? rounded(value) : value);
    expect(
      check(
        given,
        [
          { type, expression: `select(a, b, (${INTS[type]}N)(-1))`, expected: (i) => bits(B(i)) },
          { type, expression: `select(a, b, (u${INTS[type]}N)(0))`, expected: (i) => bits(A(i)) },
          { type, expression: `bitselect(a, b, as_${type}N((${INTS[type]}N)(-1)))`, expected: (i) => bits(B(i)) },
          { type, expression: "sign(a)", expected: (i) => bits(Number.isNaN(A(i)) ? 0 : Math.sign(A(i))) },
          {
            type,
            expression: "step(a, b)",
            expected: (i) => (Number.isNaN(A(i)) || Number.isNaN(B(i)) ? null : bits(B(i) < A(i) ? 0 : 1)),
          },
          {
            type,
            expression: "max(a, b)",
            expected: (i) =>
              Number.isNaN(A(i)) || Number.isNaN(B(i)) || A(i) === B(i) ? null : bits(Math.max(A(i), B(i))),
          },
          {
            type,
            expression: "min(a, b)",
            expected: (i) =>
              Number.isNaN(A(i)) || Number.isNaN(B(i)) || A(i) === B(i) ? null : bits(Math.min(A(i), B(i))),
          },
        ],
        lanes,
      ),
    ).toBeNull();
  }
});

test("any and all of each number of lanes", { timeout: PATIENCE }, () => {
  const random = sequence(4);
  for (const [type, top] of [
    ["char", 0x80],
    ["short", 0x8000],
    ["int", 0x8000_0000],
  ] as const) {
    const numbers = Array.from({ length: 480 }, () => ((random() % 3 === 0 ? top : 0) | (random() % top)) >>> 0);
    for (const lanes of [1, 2, 3, 4, 8, 16]) {
      const isSet = (i: number): boolean => ((numbers[i] ?? 0) & top) !== 0;
      const lanesOf = (i: number): number[] =>
        Array.from({ length: lanes }, (_, lane) => Math.floor(i / lanes) * lanes + lane);
      expect(
        check(
          [[type, new ARRAYS[type](numbers)]],
          [
            { type, expression: `(${type}N)(any(a))`, expected: (i) => (lanesOf(i).some(isSet) ? 1 : 0) },
            { type, expression: `(${type}N)(all(a))`, expected: (i) => (lanesOf(i).every(isSet) ? 1 : 0) },
          ],
          lanes,
        ),
      ).toBeNull();
    }
  }
});

/** Units in the last place of a float type that a number is away from the exact one. */
function units(type: Float, own: number, exact: number): number {
  if (Object.is(own, exact) || (own === 0 && exact === 0) || (Number.isNaN(own) && Number.isNaN(exact))) return 0;
  if (!Number.isFinite(own) || !Number.isFinite(exact)) return Infinity;
  const places = { float: 24, double: 53, half: 11 }[type];
  const exponent = Math.max(Math.floor(Math.log2(Math.abs(exact) || LEAST[type])), Math.log2(NORMAL[type]));
  return Math.abs(own - exact) / 2 ** (exponent - places + 1);
}

/** A column whose results may be off by so many units. */
function within(type: Float, expression: string, most: number, exact: (i: number) => number): Column {
  return {
    type,
    expression,
    expected: exact,
    accepts: (own, wanted) => units(type, type === "half" ? valueOf(Number(own)) : Number(own), Number(wanted)) <= most,
  };
}

/** The root of a sum of squares without overflow. */
function size(parts: readonly number[]): number {
  const most = Math.max(...parts.map(Math.abs));
  if (Number.isNaN(most) || most === 0 || most === Infinity) return most;
  const scale = 2 ** Math.floor(Math.log2(most));
  return Math.sqrt(parts.reduce((sum, part) => sum + (part / scale) ** 2, 0)) * scale;
}

/** A component over the size of its vector, which may be too small a number to divide by. */
function share(part: number, parts: readonly number[]): number {
  const most = Math.max(...parts.map(Math.abs));
  return most === 0 ? 0 : part / most / size(parts.map((one) => one / most));
}

function at(values: readonly number[], i: number): number {
  return values[i] ?? 0;
}

/** The last two vectors are ordinary ones. */
function isOrdinary(i: number): boolean {
  return i >= 8;
}

function isAbout(own: number | bigint | undefined, exact: number | bigint): boolean {
  return Math.abs(Number(own) - Number(exact)) <= 1e-4 * Math.max(1, Math.abs(Number(exact)));
}

test.each(["float", "double"] as const)(
  "degrees, radians, mix, smoothstep, clamp of %s",
  { timeout: PATIENCE },
  (type) => {
    const random = sequence(8);
    const list = (from: number, to: number): number[] => [
      ...array(
        type,
        Array.from({ length: 240 }, () => from + (random() / 2 ** 32) * (to - from)),
      ),
    ];
    const [a, b, c] = [list(-10, 10), list(11, 30), list(-1, 40)];
    const smooth = (i: number): number => {
      const t = Math.min(1, Math.max(0, (at(c, i) - at(a, i)) / (at(b, i) - at(a, i))));
      return t * t * (3 - 2 * t);
    };
    for (const lanes of [1, 4]) {
      expect(
        check(
          [
            [type, array(type, a)],
            [type, array(type, b)],
            [type, array(type, c)],
          ],
          [
            within(type, "degrees(a)", 2, (i) => (at(a, i) / Math.PI) * 180),
            within(type, "radians(a)", 2, (i) => (at(a, i) / 180) * Math.PI),
            {
              ...within(type, "mix(a, b, c)", 0, (i) => at(a, i) + (at(b, i) - at(a, i)) * at(c, i)),
              accepts: (own, wanted) => Math.abs(Number(own) - Number(wanted)) <= 1e-3,
            },
            {
              ...within(type, "smoothstep(a, b, c)", 0, smooth),
              accepts: (own, wanted) => Math.abs(Number(own) - Number(wanted)) <= 1e-5,
            },
            within(type, "clamp(c, a, b)", 0, (i) => Math.min(Math.max(at(c, i), at(a, i)), at(b, i))),
          ],
          lanes,
        ),
      ).toBeNull();
    }
  },
);

test.each(["float", "double", "half"] as const)(
  "geometry of %s, from the least vectors to the greatest",
  { timeout: PATIENCE },
  (type) => {
    const random = sequence(6);
    const one = (): number => (random() % 2 === 0 ? 1 : -1) * (1 + random() / 2 ** 32);
    const scales = {
      float: [0, 0, 60, 64, 100, 126, -60, -64, -100, -126, -140],
      double: [0, 0, 500, 512, 1000, 1022, -500, -512, -1000, -1022, -1060],
      half: [0, 0, 5, 9, 14, -5, -9, -14],
    }[type];
    for (const lanes of [1, 2, 3, 4]) {
      const count = 240;
      // All components of one vector have about one size; some vectors are zero, some hold an infinity.
      const vector = (i: number): number => scales[Math.floor(i / lanes) % scales.length] ?? 0;
      const a = [
        ...array(
          type,
          Array.from({ length: count }, (_, i) => (i < lanes ? 0 : one() * 2 ** (vector(i) - 1))),
        ),
      ].map((value) => (type === "half" ? valueOf(value) : value));
      const group = (i: number): number[] =>
        a.slice(Math.floor(i / lanes) * lanes, (Math.floor(i / lanes) + 1) * lanes);
      const zero = `(${type}N)(0)`;
      const limit = type === "half" ? 1 : 2 + lanes;
      const hasSize = (i: number): boolean => size(group(i)) <= GREATEST[type];
      const length = (i: number): number => (hasSize(i) ? size(group(i)) : Infinity);
      expect(
        check(
          [[type, array(type, a)]],
          [
            within(type, `(${type}N)(length(a))`, limit, length),
            within(type, `(${type}N)(distance(a, ${zero}))`, limit, length),
            within(type, "normalize(a)", limit, (i) => share(a[i] ?? 0, group(i))),
          ],
          lanes,
        ),
      ).toBeNull();
    }
  },
);

test(
  "geometric functions of infinities, and the fast variants and products of ordinary vectors",
  { timeout: PATIENCE },
  () => {
    const a = Array.of(Infinity, 1, -Infinity, 2, 3, Number.NaN, 1, 1, 1, -2, 3, 6, 0.25, 4, -1, 0.5);
    const wanted = [
      Math.SQRT1_2,
      0,
      -Math.SQRT1_2,
      0,
      Number.NaN,
      Number.NaN,
      Number.NaN,
      Number.NaN,
      ...[8, 12].flatMap((from) => [0, 1, 2, 3].map((i) => (a[from + i] ?? 0) / size(a.slice(from, from + 4)))),
    ];
    const groups = (i: number): number[] => a.slice(i & ~3, (i & ~3) + 4);
    const b = a.map((_, i) => i - 7);
    const cross = (i: number): number => {
      const [[x = 0, y = 0, z = 0], [u = 0, v = 0, w = 0]] = [groups(i), b.slice(i & ~3, (i & ~3) + 4)];
      return [y * w - z * v, z * u - x * w, x * v - y * u, 0][i & 3] ?? 0;
    };
    expect(
      check(
        [
          ["float", Float32Array.from(a)],
          ["float", Float32Array.from(b)],
        ],
        [
          within("float", "normalize(a)", 6, (i) => wanted[i] ?? 0),
          {
            type: "float",
            expression: "(floatN)(fast_length(a))",
            expected: (i) => (isOrdinary(i) ? size(groups(i)) : null),
            accepts: isAbout,
          },
          {
            type: "float",
            expression: "fast_normalize(a)",
            expected: (i) => (isOrdinary(i) ? (wanted[i] ?? 0) : null),
            accepts: isAbout,
          },
          {
            type: "float",
            expression: "(floatN)(fast_distance(a, b))",
            expected: (i) => (isOrdinary(i) ? size(groups(i).map((x, lane) => x - (b[(i & ~3) + lane] ?? 0))) : null),
            accepts: isAbout,
          },
          {
            type: "float",
            expression: "(floatN)(dot(a, b))",
            expected: (i) =>
              isOrdinary(i) ? groups(i).reduce((sum, x, lane) => sum + x * (b[(i & ~3) + lane] ?? 0), 0) : null,
            accepts: isAbout,
          },
          {
            type: "float",
            expression: "cross(a, b)",
            expected: (i) => (isOrdinary(i) ? cross(i) : null),
            accepts: isAbout,
          },
        ],
        4,
      ),
    ).toBeNull();
  },
);
