// SPDX-License-Identifier: Apache-2.0
// Divisions by constants: products with reciprocals give every quotient and remainder exactly, for any divisor.
import { interpretFunction } from "@muxkit/interpreter";
import { printModule } from "@muxkit/ir";
import { EMPTY_CONTEXT, runPasses } from "@muxkit/passes";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { parsed } from "./cases.ts";

const RUNS = 400;
const LANES = 4;

/** Numbers of so many bits, near powers of two and the ends of ranges more often than elsewhere. */
function numbers(bits: number): fc.Arbitrary<number> {
  const near = fc
    .tuple(fc.integer({ min: 0, max: bits }), fc.integer({ min: -2, max: 2 }))
    .map(([exponent, off]) => 2 ** exponent + off);
  return fc.oneof(near, fc.integer({ min: 0, max: 2 ** bits - 1 }), fc.integer({ min: 1, max: 1000 }));
}

test.each([16, 32])("quotients and remainders of lanes of %i bits", (bits) => {
  fc.assert(
    fc.property(
      fc.constantFrom("udiv", "urem", "sdiv", "srem"),
      numbers(bits),
      fc.array(numbers(bits), { minLength: LANES, maxLength: LANES }),
      fc.integer({ min: -2, max: 2 }),
      (op, divisor, seeds, off) => {
        // Multiples of the divisor and their neighbours decide.
        const lane = (seed: number, i: number): bigint =>
          i % 2 === 0 ? BigInt(seed) : BigInt(seed) * BigInt(divisor) + BigInt(off);
        const lanes = seeds.map((seed, i) => BigInt.asUintN(bits, lane(seed, i)));
        const by = BigInt.asUintN(bits, BigInt(divisor));
        const type = `<${LANES} x i${bits}>`;
        const text = `module "m" pointers 4 4 4 4 4 size_t 32
func @f() -> ${type} {
^e:
  %p = alloca {${type}, align 16}: ptr<private>
  store <${lanes.join(", ")}>: ${type}, %p {align 16}
  %x = load %p {align 16}: ${type}
  %q = ${op} %x, splat(${by}): ${type}
  ret %q
}
`;
        const [before, after] = [parsed(text), parsed(text)];
        runPasses(after, ["divide-by-constant"], EMPTY_CONTEXT, { verifyEach: true });
        // Only divisions by zero stay.
        expect(printModule(after).includes(op)).toBe(by === 0n);
        expect(interpretFunction(after, "f", [])).toEqual(interpretFunction(before, "f", []));
      },
    ),
    { numRuns: RUNS },
  );
});
