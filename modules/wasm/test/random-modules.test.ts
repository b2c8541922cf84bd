// SPDX-License-Identifier: Apache-2.0
// Random functions, whole: WebAssembly computes what the interpreter computes, also after the function's blocks are
// shuffled out of order.
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { difference } from "../../interpreter/test/random-modules-in-code.ts";
import { FEATURES, OUTPUT, compile } from "./run.ts";

const RUNS = Number(process.env["MUXKIT_FUZZ_RUNS"] ?? "80");

/** Where WebAssembly's results differ; empty: nowhere. */
function differenceOf(seed: number, shuffles: boolean, largestFunction?: number): string {
  return difference(
    {
      compile: (module) =>
        compile(module, seed % 2 === 0 ? [] : FEATURES, largestFunction === undefined ? {} : { largestFunction }),
      output: OUTPUT,
    },
    seed,
    shuffles,
  );
}

test("random modules", () => {
  fc.assert(
    fc.property(fc.nat(0x7fff_ffff), fc.boolean(), (seed, shuffles) => {
      expect(differenceOf(seed, shuffles)).toBe("");
    }),
    { numRuns: RUNS },
  );
});

test("random modules whose functions are cut into pieces of any size", () => {
  fc.assert(
    fc.property(fc.nat(0x7fff_ffff), fc.boolean(), fc.constantFrom(16, 64, 256, 1024), (seed, shuffles, limit) => {
      expect(differenceOf(seed, shuffles, limit)).toBe("");
    }),
    { numRuns: Math.ceil(RUNS / 4) },
  );
});
