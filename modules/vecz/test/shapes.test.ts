// SPDX-License-Identifier: Apache-2.0
// What the divergence analysis says of a value is true of its lanes: random straight-line arithmetic, whose steps wrap
// around, are cut off and are extended, is evaluated once a lane.
import { I32, LAYOUT_32, constantInt, printFunction } from "@muxkit/ir";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import {
  MOST_STEPS,
  RUNS,
  STEP,
  TIME_LIMIT,
  arithmeticOf,
  bitsOfScalar,
  valuesOf,
} from "../../ir/test/random-arithmetic.ts";
import { Divergence } from "../source/divergence.ts";

/** A parameter: `first << zeros` in lane 0, and `stride` more in each next one. */
const PARAMETER = fc.record({
  first: fc.integer({ min: -9, max: 99 }),
  zeros: fc.nat(8),
  stride: fc.constantFrom(0, 1, 2, 3, 4, -1, 16),
});

test(
  "lanes differ as their shapes say",
  () => {
    const claims = { uniform: 0, steps: 0, zeros: 0 };
    fc.assert(
      fc.property(
        fc.array(PARAMETER, { minLength: 1, maxLength: 3 }),
        fc.array(STEP, { minLength: 1, maxLength: MOST_STEPS }),
        fc.constantFrom(2, 4, 8, 16),
        (parameters, steps, width) => {
          const made = arithmeticOf(parameters.length, steps);
          const { fn, instructions } = made;
          const divergence = new Divergence(fn, fn.entry, {
            width,
            layout: LAYOUT_32,
            axis: 0,
            parameters: new Map(
              fn.parameters.map((parameter, i) => [
                parameter,
                { shape: parameters[i]?.stride ?? null, lowZeros: parameters[i]?.zeros ?? 0 },
              ]),
            ),
            assumed: new Map(),
            interleaved: new Set(),
            isSubGroup: false,
          });
          const lanes = Array.from({ length: width }, (_, lane) =>
            valuesOf(
              made,
              parameters.map(({ first, zeros, stride }) => constantInt(I32, (first << zeros) + lane * stride)),
            ),
          );
          for (const instruction of instructions) {
            const shape = divergence.shapeOf(instruction);
            const zeros = divergence.lowZeros(instruction);
            const values = lanes.map((known) => bitsOfScalar(known.get(instruction) ?? constantInt(I32, 0)));
            const [first = 0n] = values;
            const about = `%${instructions.indexOf(instruction) + fn.parameters.length}, ${width} lanes\n${printFunction(fn)}`;
            expect(first & ((1n << BigInt(zeros)) - 1n), `${zeros} low zeros of ${about}`).toBe(0n);
            if (zeros > 0) claims.zeros++;
            if (shape === null) continue;
            claims[shape === 0 ? "uniform" : "steps"]++;
            expect(values, `shape ${shape} of ${about}`).toEqual(
              values.map((_, lane) => BigInt.asUintN(instruction.type.bits, first + BigInt(lane) * BigInt(shape))),
            );
          }
        },
      ),
      { numRuns: RUNS },
    );
    expect(Math.min(claims.uniform, claims.steps, claims.zeros)).toBeGreaterThan(RUNS / 2);
  },
  TIME_LIMIT,
);
