// SPDX-License-Identifier: Apache-2.0
// Every reduction and scan of some of a sub-group's work-items and of clusters of them, of every kind and integer type,
// against sums by hand.
import { expect, test } from "vitest";

import { type Shape, itemCount, runOver, scattered, subGroupsOf } from "./group-rig.ts";

/** What combines two values, and what an empty list is, for ints of so many bits. */
interface Kind {
  readonly name: string;
  readonly of: (a: bigint, b: bigint) => bigint;
  readonly empty: (bits: number, isSigned: boolean) => bigint;
}

const truth = (value: boolean): bigint => (value ? 1n : 0n);
const least = (bits: number, isSigned: boolean): bigint => (isSigned ? -(1n << BigInt(bits - 1)) : 0n);
const greatest = (bits: number, isSigned: boolean): bigint => (1n << BigInt(isSigned ? bits - 1 : bits)) - 1n;

const NUMERIC: readonly Kind[] = [
  { name: "add", of: (a, b) => a + b, empty: () => 0n },
  { name: "mul", of: (a, b) => a * b, empty: () => 1n },
  { name: "min", of: (a, b) => (a < b ? a : b), empty: greatest },
  { name: "max", of: (a, b) => (a > b ? a : b), empty: least },
  { name: "and", of: (a, b) => a & b, empty: () => -1n },
  { name: "or", of: (a, b) => a | b, empty: () => 0n },
  { name: "xor", of: (a, b) => a ^ b, empty: () => 0n },
];
const LOGICAL: readonly Kind[] = [
  { name: "logical_and", of: (a, b) => truth(a !== 0n && b !== 0n), empty: () => 1n },
  { name: "logical_or", of: (a, b) => truth(a !== 0n || b !== 0n), empty: () => 0n },
  { name: "logical_xor", of: (a, b) => truth((a !== 0n) !== (b !== 0n)), empty: () => 0n },
];
const TYPES: readonly (readonly [type: string, bits: number, isSigned: boolean])[] = [
  ["char", 8, true],
  ["uchar", 8, false],
  ["short", 16, true],
  ["ushort", 16, false],
  ["int", 32, true],
  ["uint", 32, false],
  ["long", 64, true],
  ["ulong", 64, false],
];
const SHAPES: readonly Shape[] = [
  { global: [40], local: [20] },
  { global: [5, 3, 4], local: [3, 2, 2] },
];
const SIZE = 8;
const CLUSTERS = [1, 2, 4, 8];

/**
 * The variants: which of the active values below and after the work-item at `at` they combine. Values are by position
 * in the sub-group.
 */
const FORMS: readonly (readonly [call: string, takes: (place: number, at: number) => boolean])[] = [
  ["non_uniform_reduce_KIND(v)", () => true],
  ["non_uniform_scan_inclusive_KIND(v)", (place, at) => place <= at],
  ["non_uniform_scan_exclusive_KIND(v)", (place, at) => place < at],
  ...CLUSTERS.map(
    (size) =>
      [
        `clustered_reduce_KIND(v, ${size})`,
        (place: number, at: number) => Math.floor(place / size) === Math.floor(at / size),
      ] as const,
  ),
];

/** What each work-item of a sub-group gets; those whose value is divisible by 3 take no part and get -1. */
function reference(
  values: readonly number[],
  at: number,
  kinds: readonly Kind[],
  bits: number,
  isSigned: boolean,
): readonly bigint[] {
  const wrap = (value: bigint): bigint => (isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value));
  if ((values[at] ?? 0) % 3 === 0) return kinds.flatMap(() => FORMS.map(() => wrap(-1n)));
  return kinds.flatMap(({ of, empty }) =>
    FORMS.map(([, takes]) => {
      const taken = values.flatMap((value, place) =>
        value % 3 !== 0 && takes(place, at) ? [wrap(BigInt(value))] : [],
      );
      return wrap(taken.reduce((a, b) => wrap(of(a, b)), wrap(empty(bits, isSigned))));
    }),
  );
}

test.each([...TYPES.map((row) => [...row, NUMERIC] as const), ["int", 32, true, LOGICAL] as const])(
  "%s of %i bits",
  (type, bits, isSigned, kinds) => {
    const calls = kinds.flatMap(({ name }) => FORMS.map(([call]) => `sub_group_${call.replace("KIND", name)}`));
    const list = calls.map((call, j) => `r[${j}] = ${call};`).join(" ");
    const source = `kernel void k(global const int* in, global long* out) {
      size_t i = get_global_linear_id();
      int x = in[i];
      ${type} v = x;
      ${type} r[${calls.length}];
      for (int j = 0; j < ${calls.length}; j++) r[j] = -1;
    if (x % 3 != 0) { ${list} } for (int j = 0; j < ${calls.length}; j++) out[i * ${calls.length} + j] = r[j]; }`;
    for (const shape of SHAPES) {
      // Zeros among them, for what is true and what is not; negative ones for those that have a sign.
      const input = scattered(itemCount(shape), 9).map((value) => (value === 8 ? 0 : value - 2));
      const expected: bigint[][] = [];
      for (const group of subGroupsOf(shape, SIZE)) {
        const values = group.map((i) => input[i] ?? 0);
        group.forEach((i, at) => {
          expected[i] = reference(values, at, kinds, bits, isSigned).map((value) => BigInt.asIntN(64, value));
        });
      }
      const out = new BigInt64Array(
        runOver(source, Int32Array.from(input), itemCount(shape) * calls.length * 8, shape, "bits", []),
      );
      expect([...out]).toEqual(expected.flat());
    }
  },
);
