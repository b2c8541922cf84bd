// SPDX-License-Identifier: Apache-2.0
// A slice of `npm run differential -- --seeds=1..1000 --share`.
import { LEAST_SHARE, describeShare, vectorShare } from "@muxkit/kernel-generator";
import { expect, test } from "vitest";

test("random kernels run several work-items at once when that is forced", () => {
  const share = vectorShare(1, 60);
  expect(share.kernels).toBe(60);
  expect(share.vectorised, describeShare(share)).toBeGreaterThanOrEqual(LEAST_SHARE * share.kernels);
});

test("the report: the share, then the reasons by the number of kernels that have them", () => {
  expect(
    describeShare({
      kernels: 40,
      vectorised: 37,
      reasons: new Map([
        ["rare.", [4]],
        ["common.", [7, 9]],
      ]),
    }),
  ).toBe(
    "37 of 40 random kernels (92.5 %) run several work-items at once when that is " +
      "forced\n2 kernels: common. (seeds 7, 9)\n1 kernel: rare. (seeds 4)\n",
  );
});
