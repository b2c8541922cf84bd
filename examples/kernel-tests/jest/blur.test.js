// SPDX-License-Identifier: Apache-2.0
import { matchers, runKernel } from "@muxkit/vitest/kernels";

expect.extend(matchers);

test("blur", async () => {
  const values = { out: new Float32Array(4), in: Float32Array.of(2, 4, 6, 2), n: 4 };
  const { out } = await runKernel("kernels/blur.cl", 4, values);
  expect(out).toEqualBuffer(Float32Array.of(3, 4, 4, 4));
});

test("a difference is shown with its place", async () => {
  const { out } = await runKernel("kernels/blur.cl", 1, { out: new Float32Array(1), in: Float32Array.of(5), n: 1 });
  expect(() => expect(out).toBeWithinUlp(Float32Array.of(6), 1)).toThrow("1 of 1 elements differ");
});
