// SPDX-License-Identifier: Apache-2.0
// Every int of random arithmetic lies in the range that the analysis of value ranges gives it.
import { I32, constantInt, printFunction, signedValue } from "@muxkit/ir";
import { expect, test } from "vitest";

import { RUNS, TIME_LIMIT, countClaims } from "../../ir/test/random-arithmetic.ts";
import { integerRanges } from "../source/integer-ranges.ts";

test(
  "ints lie in their ranges",
  () => {
    const claims = countClaims(RUNS, (fn, values) => {
      const ranges = integerRanges(fn);
      for (const [value, { low, high }] of ranges) {
        const number = signedValue(values.get(value) ?? constantInt(I32, 0));
        expect(number, `from ${low} to ${high}\n${printFunction(fn)}`).toSatisfy(
          (found: number) => low <= found && found <= high,
        );
      }
      return ranges.size;
    });
    expect(claims).toBeGreaterThan(RUNS / 10);
  },
  TIME_LIMIT,
);
