// SPDX-License-Identifier: Apache-2.0
// Sorts against those of typed arrays.
import * as fc from "fast-check";
import { type ArrayType, type TypedArray, openDeviceSync } from "muxkit";
import { afterAll, expect, test } from "vitest";

import { sort, sortBy, sortByKey } from "@muxkit/algorithms";
import { seeded } from "@muxkit/vitest/kernels";

import { TYPES, floats, ints, lengths } from "./arrays.ts";

const device = openDeviceSync();
afterAll(() => {
  device.close();
});

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });

/** An array of random bits, as elements of a type. */
function bits(type: ArrayType<TypedArray>, length: number, seed: number): TypedArray {
  const array = new type(length);
  new Uint8Array(array.buffer).set(seeded(seed).bytes(array.byteLength));
  return array;
}

for (const type of TYPES)
  test(`numbers of ${type.name} by radix, up and down`, () => {
    fc.assert(
      fc.property(lengths, seeds, (length, seed) => {
        const values = bits(type, length, seed);
        using array = device.array(values);
        sort(array);
        const sorted = values.toSorted();
        expect(array.readSync()).toEqual(sorted);
        sort(array, { descending: true });
        // NaNs come first then: the order is the other way round.
        expect(array.readSync()).toEqual(sorted.toReversed());
      }),
      { numRuns: 6 },
    );
  });

test("long arrays, whose digits have more bits", () => {
  const n = 150_000;
  for (const type of [
    Int32Array,
    Float32Array,
    BigInt64Array,
    Int16Array,
  ] as unknown as readonly ArrayType<TypedArray>[]) {
    const values = bits(type, n, n);
    using array = device.array(values);
    sort(array);
    expect(array.readSync()).toEqual(values.toSorted());
  }
  const keys = ints(n, 3, -50, 50);
  const order = Uint32Array.from({ length: n }, (_, i) => i);
  using a = device.array(keys);
  using b = device.array(order);
  sortByKey(a, b);
  expect(b.readSync()).toEqual(order.toSorted((p, q) => (keys[p] ?? 0) - (keys[q] ?? 0)));
});

test("zeros, infinities and NaNs of floats", () => {
  const array = device.array(Float32Array.of(0, -0, Number.NaN, Infinity, -Infinity, -1, 1e-45, -1e-45));
  sort(array);
  expect([...array.readSync()].map((value) => (Object.is(value, -0) ? "-0" : String(value)))).toEqual(
    [-Infinity, -1, -1.401298464324817e-45, "-0", 0, 1.401298464324817e-45, Infinity, Number.NaN].map(String),
  );
});

test("values follow their keys, stable", () => {
  fc.assert(
    fc.property(lengths, seeds, (length, seed) => {
      const keys = Uint8Array.from(ints(length, seed, 0, 9));
      const order = Uint32Array.from({ length }, (_, i) => i);
      using a = device.array(keys);
      using b = device.array(order);
      sortByKey(a, b);
      const expected = order.toSorted((p, q) => (keys[p] ?? 0) - (keys[q] ?? 0));
      expect(b.readSync()).toEqual(expected);
      expect([...a.readSync()]).toEqual(Array.from(expected, (i) => keys[i]));
      using wide = device.array(floats(length, seed, -1, 1));
      using index = device.array(order);
      const values = wide.readSync();
      sortByKey(wide, index, { descending: true });
      expect(index.readSync()).toEqual(order.toSorted((p, q) => (values[q] ?? 0) - (values[p] ?? 0)));
    }),
    { numRuns: 10 },
  );
});

test("by a comparator, stable", () => {
  fc.assert(
    fc.property(fc.oneof(lengths, fc.integer({ min: 2040, max: 2060 })), seeds, (length, seed) => {
      const values = ints(length, seed, 0, 100_000);
      using array = device.array(values);
      sortBy(array, (a: number, b: number) => a % 100 < b % 100);
      expect(array.readSync()).toEqual(values.toSorted((a, b) => (a % 100) - (b % 100)));
    }),
    { numRuns: 12 },
  );
});
