// SPDX-License-Identifier: Apache-2.0
// Random functions, whole: machine code computes what the interpreter computes, also after the function's blocks are
// shuffled out of order.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { difference } from "../../interpreter/test/random-modules-in-code.ts";
import { compilerOf, NATIVE, OUTPUT, TIERS } from "./run.ts";

const RUNS = Number(process.env["MUXKIT_FUZZ_RUNS"] ?? "80");

describe.skipIf(NATIVE === null).each(TIERS)("%s", (tier) => {
  const compile = compilerOf(tier);

  test("random modules", () => {
    fc.assert(
      fc.property(fc.nat(0x7fff_ffff), fc.boolean(), (seed, shuffles) => {
        expect(difference({ compile, output: OUTPUT }, seed, shuffles)).toBe("");
      }),
      { numRuns: RUNS },
    );
  });
});
