// SPDX-License-Identifier: Apache-2.0
// Sets of bytes against sets of numbers.
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { ByteRanges } from "../source/byte-ranges.ts";

const MOST = 24;
const range = fc.tuple(fc.nat(MOST), fc.nat(MOST));

function numbers(ranges: ByteRanges): number[] {
  return ranges.list.flatMap(([begin, end]) => Array.from({ length: end - begin }, (_, i) => begin + i));
}

test("a set of bytes has what was added and not removed, as few intervals as there can be", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), range), { maxLength: 20 }), range, (steps, [from, to]) => {
      const ranges = new ByteRanges();
      const model = new Set<number>();
      for (const [adds, [begin, end]] of steps) {
        if (adds) ranges.add(begin, end);
        else ranges.remove(begin, end);
        for (let i = begin; i < end; i++) model[adds ? "add" : "delete"](i);
      }
      const wanted = [...model].toSorted((a, b) => a - b);
      expect(numbers(ranges)).toEqual(wanted);
      expect(ranges.size).toBe(wanted.length);
      expect(ranges.isEmpty).toBe(wanted.length === 0);
      const gaps = wanted.filter((value, i) => i > 0 && value !== (wanted[i - 1] as number) + 1).length;
      expect(ranges.list.length).toBe(wanted.length === 0 ? 0 : gaps + 1);
      const inside = wanted.filter((value) => value >= from && value < to);
      expect(numbers(ranges.within(from, to))).toEqual(inside);
      expect(from < to && ranges.meets(from, to)).toBe(inside.length > 0);
      const rest = ranges.copy();
      rest.removeAll(ranges.within(from, to));
      expect(numbers(rest)).toEqual(wanted.filter((value) => !inside.includes(value)));
      rest.addAll(ranges);
      expect(numbers(rest)).toEqual(wanted);
    }),
    { numRuns: 500 },
  );
});
