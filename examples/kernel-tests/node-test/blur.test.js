// SPDX-License-Identifier: Apache-2.0
import { test } from "node:test";

import { assertWithinUlp, runKernel } from "@muxkit/vitest/kernels";

test("blur", async () => {
  const values = { out: new Float32Array(4), in: Float32Array.of(2, 4, 6, 2), n: 4 };
  const { out } = await runKernel("kernels/blur.cl", 4, values);
  assertWithinUlp(out, Float32Array.of(3, 4, 4, 4));
});
