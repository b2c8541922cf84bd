// SPDX-License-Identifier: Apache-2.0
// Figures of compile time.
import { geometricMean, growthOf, median } from "@muxkit/corpus";
import { expect, test } from "vitest";

test("medians and geometric means", () => {
  expect(median([5, 1, 3])).toBe(3);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([])).toBeNaN();
  expect(geometricMean([1, 4, 16])).toBeCloseTo(4);
});

test.each([0.5, 1, 1.5, 2])("an exponent of %d is found", (exponent) => {
  const points = [10, 100, 1000, 5000].map((size) => [size, 3 * size ** exponent] as const);
  const growth = growthOf(points);
  expect(growth?.exponent).toBeCloseTo(exponent);
  expect(growth?.per1000).toBeCloseTo(3 * 1000 ** exponent);
  expect(growth?.fit).toBeCloseTo(1);
});

test("there is no growth without two sizes; times of 0 are left out", () => {
  expect(growthOf([[10, 1]])).toBeNull();
  expect(
    growthOf([
      [10, 1],
      [10, 2],
    ]),
  ).toBeNull();
  expect(
    growthOf([
      [10, 1],
      [20, 0],
      [100, 10],
    ])?.exponent,
  ).toBeCloseTo(1);
});
