// SPDX-License-Identifier: Apache-2.0
import { groupBy } from "@muxkit/cargo";
import { array, assert, integer, property } from "fast-check";
import { expect, test } from "vitest";

const keyOf = (value: number): string => `key ${value % 5}`;

test("keeps groups and items in order of arrival", () => {
  assert(
    property(array(integer({ min: 0, max: 99 })), (values) => {
      const expected = new Map<string, number[]>();
      for (const value of values) expected.set(keyOf(value), [...(expected.get(keyOf(value)) ?? []), value]);
      expect([...groupBy(values, keyOf)]).toEqual([...expected]);
    }),
  );
});

test("reads any iterable once", () => {
  const items = [1, 2, 3].values();
  expect([...groupBy(items, (value) => value % 2)]).toEqual([
    [1, [1, 3]],
    [0, [2]],
  ]);
  expect(items.next().done).toBe(true);
});
