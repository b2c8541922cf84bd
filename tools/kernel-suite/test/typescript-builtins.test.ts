// SPDX-License-Identifier: Apache-2.0
// Every scalar built-in that kernels in TypeScript call: debug JavaScript and the compiler agree, exactly for integers
// and for what is exact in floats, and within bounds of this test for the others, as both sides have errors.
import { BUILTINS } from "@muxkit/builtin-table";
import { floatToHalf, halfToFloat } from "@muxkit/cargo";
import { type Arbitrary, bigInt, float, integer, oneof, sample } from "fast-check";
import { describe, expect, test } from "vitest";

import { type Data, runTypescript, translated } from "./typescript-rig.ts";

const ARRAYS = {
  uchar: Uint8Array,
  short: Int16Array,
  int: Int32Array,
  uint: Uint32Array,
  long: BigInt64Array,
  half: Uint16Array,
  float: Float32Array,
  double: Float64Array,
} as const;
type Name = keyof typeof ARRAYS;
const isReal = (name: Name): boolean => name === "half" || name === "float" || name === "double";
const COUNT = 96;

/** Functions that need a work-group or sub-group, memory, or an extension that the device lacks. */
const APART = new RegExp(
  "^(?:work_group|sub_group|get_|atomic|atom_|vload|vstore|async|prefetch|wait|barrier|.*fence|read_|write_|" +
    "printf|__|enqueue|nan$|dot_|shuffle|vec_step|ndrange|.*_event|.*profiling|is_valid|.*pipe)",
  "u",
);

/** Functions whose results are exact, or one rounding of exact ones. */
const EXACT: ReadonlySet<string> = new Set(
  (
    "fabs ceil floor trunc rint round sqrt fma fmin fmax fmod copysign fdim maxmag minmag nextafter ldexp " +
    "ilogb logb remainder clamp max min sign step select bitselect isequal isnotequal isgreater isgreaterequal " +
    "isless islessequal islessgreater isordered isunordered isfinite isinf isnan isnormal signbit abs"
  ).split(" "),
);

/** Units in the last place that others may differ by: native ones have no bound, and this is what they show. */
function boundOf(name: string, type: Name): number {
  if (EXACT.has(name)) return 0;
  if (name.startsWith("half_") || name.startsWith("native_")) return 8192;
  // lgamma has no bound, and its zeros are near 1 and 2; double gamma is held to what a program may expect.
  if (name === "lgamma") return 2 ** 25;
  return type === "double" ? 64 : 16;
}

const names = [...new Set(BUILTINS.map(({ name }) => name))].filter((name) => !APART.test(name));

function wordType(word: string, type: Name): string | null {
  if (word === "T" || word === "S") return type;
  if (word === "N") return "int";
  const twins: Readonly<Record<Name, readonly [signed: string, unsigned: string]>> = {
    uchar: ["char", "uchar"],
    short: ["short", "ushort"],
    int: ["int", "uint"],
    uint: ["int", "uint"],
    long: ["long", "ulong"],
    half: ["short", "ushort"],
    float: ["int", "uint"],
    double: ["long", "ulong"],
  };
  if (word === "I") return twins[type][0];
  return word === "U" ? twins[type][1] : null;
}

/** Values from the middle of the range; for integers limits too. */
function valuesOf(type: Name, seed: number): Data {
  const arbitrary: Arbitrary<number | bigint> = isReal(type)
    ? oneof(float({ min: -10, max: 10, noNaN: true }), float({ min: -1, max: 1, noNaN: true }))
    : type === "long"
      ? oneof(bigInt(-(2n ** 63n), 2n ** 63n - 1n), bigInt(-20n, 20n))
      : oneof(integer(), integer({ min: -20, max: 20 }));
  const samples = sample(arbitrary, { numRuns: COUNT, seed });
  if (type === "half") return Uint16Array.from(samples, (value) => floatToHalf(Number(value)));
  const from = ARRAYS[type].from.bind(ARRAYS[type]) as (values: readonly (number | bigint)[]) => unknown;
  return from(samples) as Data;
}

/** An argument of some type from the three inputs. */
function argument(i: number, wanted: string, type: Name): string {
  const name = ["a", "b", "c"][i] ?? "a";
  if (wanted === type) return name;
  if (isReal(type))
    return wanted === "int"
      ? `int(${name})`
      : wanted === "ushort" || wanted === "uint" || wanted === "ulong"
        ? `as_${wanted}(${name})`
        : `${wanted}(${name})`;
  return `${wanted}(${name})`;
}

/** The calls of a name with scalars of a type. */
function callsOf(name: string, type: Name): readonly string[] {
  const patterns = new Set(BUILTINS.filter((row) => row.name === name).flatMap((row) => row.patterns));
  return [...patterns].flatMap((pattern): readonly string[] => {
    const words = /\((.*)\)$/u.exec(pattern)?.[1]?.split(", ") ?? [];
    const types = words.map((word) => wordType(word, type));
    if (types.includes(null) || words.join("") === "") return [];
    return [`${name}(${types.map((wanted, i) => argument(i, wanted ?? type, type)).join(", ")})`];
  });
}

function textOf(calls: readonly string[], type: Name): string {
  const outputs = calls.map((_, i) => `o${i}: Accessor<double>`).join(", ");
  const lines = calls.map((call, i) => `  o${i}[i] = double(${call});`).join("\n");
  return `export const k = kernel((item: Item<1>, x: Accessor<${type}, "read">, y: Accessor<${type}, "read">, z: Accessor<${type}, "read">, ${outputs}) => {
  const i = item.getId(0);
  const a = x[i], b = y[i], c = z[i];
${lines}
});`;
}

function isCall(call: string, type: Name): boolean {
  try {
    translated(textOf([call], type));
    return true;
  } catch {
    return false;
  }
}

/** Digits behind the first one, and the smallest unit that is counted. */
const UNITS: Readonly<Record<"half" | "float" | "double", readonly [digits: number, least: number]>> = {
  half: [10, 2 ** -24],
  float: [23, 2 ** -126],
  double: [52, Number.MIN_VALUE],
};

function ulps(a: number, b: number, type: Name): number {
  if (Object.is(a, b) || (Number.isNaN(a) && Number.isNaN(b))) return 0;
  if (a === b) return 0;
  const size = Math.max(Math.abs(a), Math.abs(b));
  const [digits, least] = UNITS[type === "half" || type === "double" ? type : "float"];
  const unit = Math.max(2 ** (Math.floor(Math.log2(size)) - digits), least);
  return Math.abs(a - b) / unit;
}

const seen = new Set<string>();

describe.each(Object.keys(ARRAYS) as Name[])("built-ins of %s", (type) => {
  const calls = names
    .flatMap((name) => callsOf(name, type).map((call) => [name, call] as const))
    .filter(([, call]) => isCall(call, type));
  for (const [name] of calls) seen.add(name);
  test.each(calls)("%s: %s", (name, call) => {
    const inputs = [valuesOf(type, 1), valuesOf(type, 2), valuesOf(type, 3)];
    const outcomes = runTypescript({
      text: textOf([call], type),
      kernel: "k",
      range: [COUNT],
      arguments: [...inputs, new Float64Array(COUNT)],
      isUnfused: true,
    });
    const [debug, ...others] = outcomes.map(({ way, buffers }) => ({
      way,
      values: new Float64Array((buffers[3] as Uint8Array).slice().buffer),
    }));
    const lists = inputs.map((input) =>
      Array.from(input as unknown as ArrayLike<number | bigint>, (value) =>
        type === "half" ? halfToFloat(Number(value)) : Number(value),
      ),
    );
    const bound = isReal(type) ? boundOf(name, type) : 0;
    for (const { way, values } of others)
      for (let i = 0; i < COUNT; i++) {
        const [first = 0, second = 0, third = 0] = lists.map((list) => list[i]);
        // The fast ones are defined where their arguments have a result.
        const isTiny = Math.abs(first) < 2 ** -126;
        if (/^(?:native|half)_/u.test(name) && (Number.isNaN(debug?.values[i]) || isTiny)) continue;
        // A step from a place to the same one is open.
        if (name === "smoothstep" && first === second) continue;
        expect(
          ulps(debug?.values[i] ?? 0, values[i] ?? 0, type),
          `${call} of ${first}, ${second}, ${third}: ${debug?.values[i]} in JavaScript, ${values[i]} in ${way}`,
        ).toBeLessThanOrEqual(bound);
      }
  });
});

test("only functions of vectors and of out-parameters have no test of scalars", () => {
  expect(names.filter((name) => !seen.has(name)).toSorted()).toEqual(
    "cross fract frexp get_fence lgamma_r modf remquo sincos to_global to_local to_private"
      .split(" ")
      .filter((name) => names.includes(name)),
  );
});
