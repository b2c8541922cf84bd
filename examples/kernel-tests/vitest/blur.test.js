// SPDX-License-Identifier: Apache-2.0
import { rangeSweep, runKernel, seeded } from "@muxkit/vitest";
import { expect, test } from "vitest";

/** The same in JavaScript. */
function blurred(input) {
  return input.map((_, i) => {
    const near = input.slice(Math.max(0, i - 1), i + 2);
    return near.reduce((sum, value) => sum + value) / near.length;
  });
}

test.each(rangeSweep([[1], [2], [96]], [[1], [8], [32]]))("blur of %o", async (range) => {
  const n = range.global[0];
  const values = seeded(n).floats(n);
  const { out } = await runKernel("kernels/blur.cl", range, { out: new Float32Array(n), in: values, n });
  expect(out).toBeWithinUlp(blurred(values), 4);
});
