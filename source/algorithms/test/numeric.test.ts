// SPDX-License-Identifier: Apache-2.0
// Matrices, convolutions, Fourier transforms and random numbers.
import * as fc from "fast-check";
import { openDeviceSync } from "muxkit";
import { afterAll, expect, test } from "vitest";

import { type EdgeMode, convolve, fft, map, multiply, random, reduce, transpose } from "@muxkit/algorithms";

import { error, floats, ints, likeGpu } from "./arrays.ts";

const device = openDeviceSync();
const gpu = likeGpu();
afterAll(() => {
  device.close();
  gpu.close();
});

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const sizes = fc.integer({ min: 1, max: 70 });

test("transpose: twice is the matrix again, once its elements change places", () => {
  fc.assert(
    fc.property(sizes, sizes, seeds, (rows, columns, seed) => {
      const values = ints(rows * columns, seed, -99, 99);
      using matrix = (seed % 2 === 0 ? device : gpu).array(values, [rows, columns]);
      using turned = transpose(matrix);
      expect(turned.shape).toEqual([columns, rows]);
      expect([...turned.readSync()]).toEqual(
        [...values].map((_, i) => values[(i % rows) * columns + Math.floor(i / rows)]),
      );
      expect(transpose(turned).readSync()).toEqual(values);
    }),
    { numRuns: 20 },
  );
  expect(() => transpose(device.array(Float32Array, 5))).toThrow(/transpose: two dimensions are needed, not \[5\]/u);
});

test("products of matrices of all sizes", () => {
  fc.assert(
    fc.property(sizes, sizes, sizes, seeds, (rows, inner, columns, seed) => {
      const [a, b] = [floats(rows * inner, seed, -1, 1), floats(inner * columns, seed + 1, -1, 1)];
      const expected = Float64Array.from({ length: rows * columns }, (_, i) => {
        const [row, column] = [Math.floor(i / columns), i % columns];
        let sum = 0;
        for (let k = 0; k < inner; k++) sum += (a[row * inner + k] ?? 0) * (b[k * columns + column] ?? 0);
        return sum;
      });
      using left = device.array(a, [rows, inner]);
      using right = device.array(b, [inner, columns]);
      expect(error(multiply(left, right).readSync(), expected)).toBeLessThan(2e-5);
    }),
    { numRuns: 20 },
  );
  const [a, b] = [device.array(Float32Array, [2, 3]), device.array(Float32Array, [2, 3])];
  expect(() => multiply(a, b)).toThrow("multiply: 2 × 3 and 2 × 3 do not fit: 3 columns meet 2 rows");
});

const EDGES: Readonly<Record<EdgeMode, (at: number, size: number) => number | null>> = {
  clamp: (at, size) => Math.min(Math.max(at, 0), size - 1),
  zero: (at, size) => (at < 0 || at >= size ? null : at),
  wrap: (at, size) => ((at % size) + size) % size,
};

test("convolution: every edge, sizes below the weights' too", () => {
  const small = fc.integer({ min: 1, max: 12 });
  fc.assert(
    fc.property(
      small,
      small,
      fc.constantFrom<EdgeMode>("clamp", "zero", "wrap"),
      fc.constantFrom(1, 3, 5),
      seeds,
      (rows, columns, edge, width, seed) => {
        const image = floats(rows * columns, seed, 0, 1);
        const weights = Array.from({ length: 3 }, (_, y) => [...floats(width, seed + y + 1, -1, 1)]);
        const at = EDGES[edge];
        const expected = Float64Array.from(image, (_, i) => {
          let sum = 0;
          for (const [y, line] of weights.entries())
            for (const [x, weight] of line.entries()) {
              const row = at(Math.floor(i / columns) + y - 1, rows);
              const column = at((i % columns) + x - (width - 1) / 2, columns);
              if (row !== null && column !== null) sum += weight * (image[row * columns + column] ?? 0);
            }
          return sum;
        });
        using input = device.array(image, [rows, columns]);
        expect(error(convolve(input, weights, edge).readSync(), expected)).toBeLessThan(1e-5);
      },
    ),
    { numRuns: 20 },
  );
  const bytes = device.array(Uint8Array.of(0, 255, 0, 255, 0, 255, 0, 255, 0), [3, 3]);
  expect([...convolve(bytes, [[2, 0, 2]]).readSync()]).toEqual([255, 0, 255, 255, 255, 255, 255, 0, 255]);
  expect(() => convolve(bytes, [[1, 1]])).toThrow(/an odd number of rows and columns, not 1 × 2/u);
  expect(() => convolve(bytes, [[Number.NaN]])).toThrow(/^convolve: weights are finite numbers, not NaN$/u);
  expect(() => convolve(bytes, [[1e39]])).toThrow(/^convolve: weights are finite numbers, not 1e\+39$/u);
});

/** The transform by its definition. */
function slowFourier(values: Float64Array): Float64Array {
  const n = values.length / 2;
  const result = new Float64Array(values.length);
  for (let k = 0; k < n; k++)
    for (let i = 0; i < n; i++) {
      const angle = (-2 * Math.PI * ((k * i) % n)) / n;
      const [re, im] = [values[2 * i] as number, values[2 * i + 1] as number];
      result[2 * k] = (result[2 * k] as number) + re * Math.cos(angle) - im * Math.sin(angle);
      result[2 * k + 1] = (result[2 * k + 1] as number) + re * Math.sin(angle) + im * Math.cos(angle);
    }
  return result;
}

test("Fourier transforms of products of 2, 3 and 5, forward and back, rows of their own", () => {
  for (const n of [1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16, 20, 25, 27, 30, 60, 64, 100, 120, 243, 360, 512]) {
    const values = Float64Array.from(floats(2 * n, n, -1, 1));
    const expected = slowFourier(values);
    using doubles = device.array(values);
    const result = fft(doubles);
    expect(error(result.readSync(), expected)).toBeLessThan(1e-12);
    expect(error(fft(result, { inverse: true }).readSync(), values)).toBeLessThan(1e-12);
    const rows = new Float32Array(6 * n);
    rows.set(values, 2 * n);
    using matrix = device.array(rows, [3, 2 * n]);
    expect(
      error(
        fft(matrix)
          .readSync()
          .slice(2 * n, 4 * n),
        expected,
      ),
    ).toBeLessThan(1e-5);
    expect(
      Math.max(
        ...fft(matrix)
          .readSync()
          .slice(4 * n)
          .map(Math.abs),
      ),
    ).toBe(0);
  }
  expect(() => fft(device.array(Float32Array, 14))).toThrow(
    "fft: a row has 7 complex numbers; products of 2, 3 and 5 are possible",
  );
});

/** Element k of a transform by its definition. */
function coefficient(values: Float32Array, k: number): readonly [re: number, im: number] {
  const n = values.length / 2;
  let [re, im] = [0, 0];
  for (let i = 0; i < n; i++) {
    const angle = (-2 * Math.PI * ((k * i) % n)) / n;
    const [a, b] = [values[2 * i] as number, values[2 * i + 1] as number];
    re += a * Math.cos(angle) - b * Math.sin(angle);
    im += a * Math.sin(angle) + b * Math.cos(angle);
  }
  return [re, im];
}

test("long rows, which threads share, and stages without vectors, as GPUs have them", () => {
  for (const [one, rows, n] of [
    [device, 1, 1 << 15],
    [device, 1, 3 ** 9],
    [gpu, 3, 960],
    [gpu, 5, 8],
    [gpu, 1, 1],
  ] as const) {
    const values = floats(2 * n * rows, n, -1, 1);
    using input = one.array(values, [rows, 2 * n]);
    using result = fft(input);
    using back = fft(result, { inverse: true });
    expect(error(back.readSync(), values)).toBeLessThan(1e-5);
    const own = values.slice(2 * n * (rows - 1));
    const actual = result.readSync().slice(2 * n * (rows - 1));
    for (const k of [0, 1 % n, 7 % n, n >> 1, n - 1]) {
      const [re, im] = coefficient(own, k);
      expect(Math.hypot((actual[2 * k] as number) - re, (actual[2 * k + 1] as number) - im)).toBeLessThan(1e-5 * n);
    }
  }
});

test("Philox gives its authors' numbers", async () => {
  // Known answers of philox4x32-10 for counter 0 and key 0.
  const array = random(device.array(Uint32Array, 6));
  expect([...(await array.read())].map((value) => value.toString(16).padStart(8, "0")).slice(0, 4)).toEqual([
    "6627e8d5",
    "e169c58d",
    "bc57ac4c",
    "9b00dbd8",
  ]);
  const all = random(device.array(Uint32Array, 4096), { seed: 5 }).readSync();
  const later = random(device.array(Uint32Array, 100), { seed: 5, start: 400 }).readSync();
  expect(later).toEqual(all.slice(400, 500));
  expect(random(device.array(Uint32Array, 4096), { seed: 5 + 2 ** 32 }).readSync()).not.toEqual(all);
});

test("uniform numbers from 0 to before 1, normal ones of mean 0 and deviation 1", async () => {
  const n = 1 << 20;
  const uniform = random(device.array(Float32Array, n), { seed: 1 });
  expect(await reduce(uniform, "min")).toBeGreaterThanOrEqual(0);
  expect(await reduce(uniform, "max")).toBeLessThan(1);
  // Of a million numbers the mean is within five deviations of it.
  expect(Math.abs((await reduce(uniform, "+")) / n - 0.5)).toBeLessThan((5 * Math.sqrt(1 / 12)) / Math.sqrt(n));
  const normal = random(device.array(Float32Array, n), { seed: 2, distribution: "normal" });
  expect(Math.abs(await reduce(normal, "+")) / n).toBeLessThan(5 / Math.sqrt(n));
  const square = await reduce(map(normal, "a * a"), "+");
  expect(Math.abs(square / n - 1)).toBeLessThan((5 * Math.sqrt(2)) / Math.sqrt(n));
  expect(() => random(device.array(Uint32Array, 4), { distribution: "normal" })).toThrow(
    /no normal numbers of Uint32Array/u,
  );
  expect(() => random(device.array(Uint32Array, 4), { seed: -1 })).toThrow(
    /a seed is a whole number below 2\^53, not -1/u,
  );
});
