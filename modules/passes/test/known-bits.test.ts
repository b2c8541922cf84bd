// SPDX-License-Identifier: Apache-2.0
// Every bit that random arithmetic sets is one that the analysis of known bits calls possible.
import { printFunction } from "@muxkit/ir";
import { expect, test } from "vitest";

import { RUNS, TIME_LIMIT, countClaims } from "../../ir/test/random-arithmetic.ts";
import { isNotNegative, possibleBits, widthMask } from "../source/known-bits.ts";

test(
  "bits that are set are possible",
  () => {
    const claims = countClaims(RUNS, (fn, values) => {
      let found = 0;
      for (const [value, { low }] of values) {
        if (value.type.bits > 32) continue;
        const possible = possibleBits(value);
        const about = `possible: ${possible.toString(2)}\n${printFunction(fn)}`;
        if (possible !== widthMask(value.type.bits)) found++;
        expect((low & ~possible) >>> 0, about).toBe(0);
        const sign = (low >>> (value.type.bits - 1)) & 1;
        expect(isNotNegative(value) && sign === 1, about).toBe(false);
      }
      return found;
    });
    expect(claims).toBeGreaterThan(RUNS / 2);
  },
  TIME_LIMIT,
);
