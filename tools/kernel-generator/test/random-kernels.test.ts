// SPDX-License-Identifier: Apache-2.0
// Random kernels, run by every way: a fixed number of seeds here, more where all of the suite runs, any number by
// `npm run differential`.
import { checkSeed } from "@muxkit/kernel-generator";
import { GPU_ALONE, IS_SLICE, runsNative } from "@muxkit/kernel-suite";
import { expect, test } from "vitest";

const SEEDS = GPU_ALONE ? 200 : IS_SLICE ? 40 : 100;
const PER_TEST = 20;

test.each(Array.from({ length: SEEDS / PER_TEST }, (_, i) => i * PER_TEST + 1))(
  "the programs of %i and the nineteen seeds that follow agree",
  (first) => {
    for (let seed = first; seed < first + PER_TEST; seed++) expect(checkSeed(seed)?.case ?? null).toBeNull();
  },
  300_000,
);

// Other seeds than above, by each kind of machine code: those by every way take one kind or two.
test.skipIf(!runsNative() || GPU_ALONE).each(Array.from({ length: IS_SLICE ? 2 : 10 }, (_, i) => i * PER_TEST + 1001))(
  "the programs of %i and the nineteen seeds that follow agree as machine code",
  (first) => {
    for (let seed = first; seed < first + PER_TEST; seed++) expect(checkSeed(seed, "native")?.case ?? null).toBeNull();
  },
  300_000,
);
