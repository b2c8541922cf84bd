// SPDX-License-Identifier: Apache-2.0
// A slice of `npm run differential -- --spirv=500`: random kernels that clang and llvm-spirv make SPIR-V of.
import { SPIRV_WAYS, checkSpirv } from "@muxkit/kernel-generator";
import { missingTools, producerOf } from "@muxkit/kernel-suite";
import { expect, test } from "vitest";

const missing = [...new Set(SPIRV_WAYS.flatMap((way) => missingTools(producerOf(way) ?? { isOptimized: true })))];
if (missing.length > 0) console.warn(`SKIPPED: random kernels by way of SPIR-V, there is no ${missing.join(", ")}`);

test.skipIf(missing.length > 0).each([2, 4, 6, 8])(
  "the program of seed %i computes the same by way of SPIR-V",
  (seed) => {
    const outcomes = checkSpirv(seed);
    expect(outcomes.filter(({ verdict }) => verdict === "differs")).toEqual([]);
    expect(outcomes.some(({ verdict }) => verdict === "agrees")).toBe(true);
  },
);
