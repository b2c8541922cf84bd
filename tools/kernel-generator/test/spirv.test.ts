// SPDX-License-Identifier: Apache-2.0
// Random kernels written as SPIR-V and read again compute what they compute.
import { generate, launchOf, render } from "@muxkit/kernel-generator";
import { firstDifference, runBySpirv } from "@muxkit/kernel-suite";
import { expect, test } from "vitest";

const SEEDS = Number(process.env["MUXKIT_SPIRV_SEEDS"] ?? 20);

test("random kernels by SPIR-V", () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { tree, launch } = generate(seed);
    const [direct, ...others] = runBySpirv(launchOf(render(tree), launch));
    if (direct === undefined) throw new Error("nothing ran");
    for (const other of others) expect(firstDifference(direct, other, []), `seed ${seed}`).toBeNull();
  }
}, 600_000);
