// SPDX-License-Identifier: Apache-2.0
// Every int of random arithmetic lies in the range that the analysis of value ranges gives it.
import { I32, constantInt, printFunction, signedValue } from "@muxkit/ir";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { STEP, arithmeticOf, valuesOf } from "../../ir/test/random-arithmetic.ts";
import { integerRanges } from "../source/integer-ranges.ts";

const RUNS = Number(process.env["MUXKIT_FUZZ_RUNS"] ?? "3000");

test(
  "ints lie in their ranges",
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
          for (const [value, { low, high }] of integerRanges(made.fn)) {
            claims++;
            const number = signedValue(values.get(value) ?? constantInt(I32, 0));
            expect(number, `from ${low} to ${high}\n${printFunction(made.fn)}`).toSatisfy(
              (found: number) => low <= found && found <= high,
            );
          }
        },
      ),
      { numRuns: RUNS },
    );
    expect(claims).toBeGreaterThan(RUNS / 10);
  },
  30_000 + RUNS * 20,
);
