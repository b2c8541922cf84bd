// SPDX-License-Identifier: Apache-2.0
// Every bit that random arithmetic sets is one that the analysis of known bits calls possible.
import { I32, constantInt, printFunction } from "@muxkit/ir";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { STEP, arithmeticOf, valuesOf } from "../../ir/test/random-arithmetic.ts";
import { isNotNegative, possibleBits, widthMask } from "../source/known-bits.ts";

const RUNS = Number(process.env["MUXKIT_FUZZ_RUNS"] ?? "3000");

test(
  "bits that are set are possible",
  () => {
    let claims = 0;
    fc.assert(
      fc.property(
        fc.array(fc.integer(), { minLength: 1, maxLength: 3 }),
        fc.array(STEP, { minLength: 1, maxLength: 16 }),
        (given, steps) => {
          const made = arithmeticOf(given.length, steps);
          const values = valuesOf(
            made,
            given.map((number) => constantInt(I32, number)),
          );
          for (const [value, { low }] of values) {
            if (value.type.bits > 32) continue;
            const possible = possibleBits(value);
            const about = `possible: ${possible.toString(2)}\n${printFunction(made.fn)}`;
            if (possible !== widthMask(value.type.bits)) claims++;
            expect((low & ~possible) >>> 0, about).toBe(0);
            const sign = (low >>> (value.type.bits - 1)) & 1;
            expect(isNotNegative(value) && sign === 1, about).toBe(false);
          }
        },
      ),
      { numRuns: RUNS },
    );
    expect(claims).toBeGreaterThan(RUNS / 2);
  },
  30_000 + RUNS * 20,
);
