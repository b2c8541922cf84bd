// SPDX-License-Identifier: Apache-2.0
// Map, reduce, scans, histograms and compaction against plain TypeScript on random arrays.
import * as fc from "fast-check";
import { type ArrayType, type Device, type TypedArray, openDeviceSync } from "muxkit";
import { afterAll, expect, test } from "vitest";

import { compact, histogram, map, reduce, scan, segmentedScan, unique } from "@muxkit/algorithms";

import { TYPES, error, floats, ints, lengths, likeGpu } from "./arrays.ts";

const device = openDeviceSync();
const gpu = likeGpu();
afterAll(() => {
  device.close();
  gpu.close();
});
/** Even seeds run what processors run, odd ones what GPUs do. */
const deviceOf = (seed: number): Device => (seed % 2 === 0 ? device : gpu);

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const RUNS = { numRuns: 12 };

test("map: functions and texts, several arrays, another type, constants, the index", async () => {
  const x = floats(1000, 1, -4, 4);
  const y = floats(1000, 2, -4, 4);
  const [a, b] = [device.array(x), device.array(y)];
  expect(await map(a, (value: number) => Math.max(value, 0) * 2).read()).toEqual(x.map((v) => Math.max(v, 0) * 2));
  expect(await map([a, b], "a + b").read()).toEqual(x.map((v, i) => v + (y[i] ?? 0)));
  expect([...(await map(a, "a > 0 ? i : 0", { type: Uint32Array }).read())]).toEqual(
    [...x].map((v, i) => (v > 0 ? i : 0)),
  );
  const scaled = await map(a, "a * scale", { constants: { scale: 0.5 }, out: b }).read();
  expect(scaled).toEqual(x.map((v) => v * 0.5));
  expect([
    ...(await map(device.array(Int32Array.of(-3, 3)), (n: number) => (Math.abs(n) % 2 === 1 ? n : 0)).read()),
  ]).toEqual([-3, 3]);
});

test("what a function cannot be is one sentence", () => {
  const a = device.array(Float32Array, 4);
  const b = device.array(Float32Array, 5);
  expect(() => map([a, b], "a + b")).toThrow("map: the arrays have 4 and 5 elements");
  expect(() => map(a, "a +")).toThrow(/^map: the expression does not compile: device\.build: .*error/su);
  expect(() => map(a, (v: number) => Math.random() * v)).toThrow("map: Math.random has no counterpart in OpenCL C");
  expect(() =>
    map(a, function double(v: number) {
      return v * 2;
    }),
  ).toThrow(/map: an arrow function of one expression is needed/u);
  expect(() => scan(a, (p: number, q: number) => p * q, { exclusive: true })).toThrow(/needs its neutral element/u);
});

test("reduce: the four operators, whole and real", async () => {
  await fc.assert(
    fc.asyncProperty(lengths, seeds, async (length, seed) => {
      const whole = ints(length, seed, -1000, 1000);
      const real = floats(length, seed, -1, 1);
      using a = deviceOf(seed).array(whole);
      using b = deviceOf(seed).array(real);
      expect(await reduce(a, "+")).toBe(whole.reduce((p, q) => (p + q) | 0, 0));
      expect(await reduce(a, "*")).toBe(whole.reduce((p, q) => Math.imul(p, q), 1));
      expect(await reduce(a, "min")).toBe(whole.reduce((p, q) => Math.min(p, q)));
      expect(await reduce(b, "max")).toBe(real.reduce((p, q) => Math.max(p, q)));
      const sum = real.reduce((p, q) => p + q, 0);
      expect(Math.abs((await reduce(b, "+")) - sum)).toBeLessThan(1e-6 * length);
    }),
    RUNS,
  );
});

// Pairs of 16 bits are affine functions modulo 251, which compose.
const compose = (p: number, q: number): number => {
  const [a, b, c, d] = [p >> 16, p & 0xffff, q >> 16, q & 0xffff];
  return (((a * c) % 251) << 16) | ((b * c + d) % 251);
};

test("reduce: an operator that does not commute keeps the order", async () => {
  await fc.assert(
    fc.asyncProperty(lengths, seeds, async (length, seed) => {
      const values = ints(length, seed, 0, 250 * 251).map((v) => ((1 + (v % 250)) << 16) | Math.floor(v / 251));
      using array = deviceOf(seed).array(values);
      const text = "(((a >> 16) * (b >> 16)) % 251) << 16 | (((a & 0xffff) * (b >> 16) + (b & 0xffff)) % 251)";
      expect(await reduce(array, text)).toBe(values.reduce(compose));
      const all: number[] = [];
      for (const value of values) all.push(all.length === 0 ? value : compose(all.at(-1) as number, value));
      expect([...scan(array, text).readSync()]).toEqual(all);
    }),
    RUNS,
  );
});

/** Small whole numbers of a type, whose sums and products are exact in all of them. */
function smallOf(type: ArrayType<TypedArray>, length: number, seed: number): TypedArray {
  const isBig = type.name.startsWith("Big");
  const array = new type(length);
  for (const [i, value] of ints(length, seed, 0, 3).entries()) array[i] = (isBig ? BigInt(value) : value) as never;
  return array;
}

// A Uint8ClampedArray does not wrap.
for (const type of TYPES.filter(({ name }) => name !== "Uint8ClampedArray"))
  test.each([1, 33, 20_001])(
    `%i elements of ${type.name}: sums, extremes, scans, compaction and bins`,
    async (length) => {
      const values = smallOf(type, length, length);
      using array = device.array(values);
      // A typed array wraps as OpenCL C does.
      const sums = values.slice() as Int32Array;
      for (let i = 1; i < length; i++) sums[i] = (sums[i] as number) + (sums[i - 1] as number);
      expect(scan(array, "+").readSync()).toEqual(sums);
      expect(await reduce(array, "+")).toBe(sums[length - 1]);
      const sorted = values.toSorted();
      expect(await reduce(array, "min")).toBe(sorted[0]);
      expect(await reduce(array, "max")).toBe(sorted.at(-1));
      const before = scan(array, "max", { exclusive: true, neutral: 7 }).readSync();
      expect(Number(before[0])).toBe(7);
      expect([...before.subarray(1)]).toEqual(
        Array.from({ length: length - 1 }, (_, i) =>
          values
            .slice(Math.max(0, i - 30), i + 1)
            .toSorted()
            .at(-1),
        ),
      );
      const kept = await compact(array, "a >= 2");
      expect(kept?.readSync() ?? new type(0)).toEqual(values.filter((value) => Number(value) >= 2));
      const counts = histogram(array, { bins: 3, from: 1, to: 4 }).readSync();
      expect([...counts]).toEqual([1, 2, 3].map((bin) => values.filter((value) => Number(value) === bin).length));
    },
  );

test("64-bit whole numbers and doubles", async () => {
  const big = BigInt64Array.from({ length: 10_000 }, (_, i) => 2n ** 40n * BigInt(i));
  expect(await reduce(device.array(big), "+")).toBe(
    BigInt.asIntN(
      64,
      big.reduce((p, q) => p + q),
    ),
  );
  const real = Float64Array.from({ length: 10_000 }, (_, i) => 1 / (i + 1));
  expect(await reduce(device.array(real), "+")).toBeCloseTo(
    real.reduce((p, q) => p + q),
    10,
  );
});

test("scan: inclusive and exclusive, in place too", () => {
  fc.assert(
    fc.property(lengths, seeds, (length, seed) => {
      const values = ints(length, seed, -1000, 1000);
      let sum = 0;
      const inclusive = values.map((value) => (sum += value));
      using array = deviceOf(seed).array(values);
      expect(scan(array, "+").readSync()).toEqual(inclusive);
      let greatest = -(2 ** 31);
      const before = values.map((value) => {
        const own = greatest;
        greatest = Math.max(greatest, value);
        return own;
      });
      expect(scan(array, "max", { exclusive: true }).readSync()).toEqual(before);
      expect(
        scan(array, (a: number, b: number) => a + b, { exclusive: true, neutral: 0, out: array }).readSync(),
      ).toEqual(inclusive.map((value, i) => value - (values[i] ?? 0)));
    }),
    RUNS,
  );
});

test("segmented scan: it begins anew at each head", () => {
  fc.assert(
    fc.property(lengths, seeds, fc.boolean(), (length, seed, exclusive) => {
      const values = ints(length, seed, -9, 9);
      // Some arrays have a head in nearly every place, some in none for whole parts.
      const rare = seed % 2 === 0 ? 3 : 10_000;
      const heads = Uint8Array.from(ints(length, seed + 1, 0, rare), (v) => (v === 0 ? 1 : 0));
      let sum = 0;
      const expected = values.map((value, i) => {
        if (i === 0 || heads[i] === 1) sum = 0;
        const own = exclusive ? sum : sum + value;
        sum += value;
        return own;
      });
      using array = deviceOf(seed).array(values);
      using flags = deviceOf(seed).array(heads);
      expect(segmentedScan(array, flags, "+", { exclusive }).readSync()).toEqual(expected);
    }),
    RUNS,
  );
});

test("histogram: bytes, floats in bins, what is outside and NaN", async () => {
  const bytes = Uint8Array.from(ints(50_000, 3, 0, 255));
  const counts = new Uint32Array(256);
  for (const byte of bytes) counts[byte] = (counts[byte] ?? 0) + 1;
  expect(await histogram(device.array(bytes), { bins: 256 }).read()).toEqual(counts);
  const real = floats(50_000, 4, -1, 3);
  real[7] = Number.NaN;
  real[8] = Infinity;
  const bins = new Uint32Array(32);
  for (const value of real) {
    const bin = Math.floor(value * 16);
    if (bin >= 0 && bin < 32) bins[bin] = (bins[bin] ?? 0) + 1;
  }
  expect(await histogram(device.array(real), { bins: 32, from: 0, to: 2 }).read()).toEqual(bins);
  expect(() => histogram(device.array(real), { bins: 0 })).toThrow(/1 to 65536 bins/u);
});

test("histogram: whole numbers at the edges of bins, beyond what floats hold", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -(2 ** 30), max: 2 ** 30 }),
      fc.integer({ min: 1, max: 100 }),
      fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 2 ** 23 })),
      seeds,
      (from, bins, width, seed) => {
        const edges = Array.from({ length: bins + 1 }, (_, bin) => from + bin * width);
        const values = Int32Array.from(edges.flatMap((edge) => [edge - 1, edge]));
        const expected = new Uint32Array(bins);
        for (const value of values) {
          const bin = Math.floor((value - from) / width);
          if (bin >= 0 && bin < bins) expected[bin] = (expected[bin] ?? 0) + 1;
        }
        using array = deviceOf(seed).array(values);
        using counts = histogram(array, { bins, from, to: from + bins * width });
        expect(counts.readSync()).toEqual(expected);
      },
    ),
    { numRuns: 40 },
  );
});

test("compact and unique", async () => {
  await fc.assert(
    fc.asyncProperty(lengths, seeds, async (length, seed) => {
      const values = ints(length, seed, 0, 5);
      using array = deviceOf(seed).array(values);
      const kept = await compact(array, (v: number) => v > 3);
      expect(kept?.readSync() ?? new Int32Array(0)).toEqual(values.filter((v) => v > 3));
      expect((await unique(array)).readSync()).toEqual(values.filter((v, i) => i === 0 || v !== values[i - 1]));
    }),
    RUNS,
  );
  expect(await compact(device.array(Float32Array.of(1)), "a < 0")).toBeNull();
  expect([...((await compact(device.array(Float32Array.of(5, 6, 7)), "i != 1"))?.readSync() ?? [])]).toEqual([5, 7]);
});

test("sums of floats are near", async () => {
  const values = floats(1 << 20, 9, 0, 1);
  const exact = values.reduce((sum, value) => sum + value, 0);
  expect(error(Float64Array.of(await reduce(device.array(values), "+")), [exact])).toBeLessThan(1e-6);
});
