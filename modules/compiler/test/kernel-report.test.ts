// SPDX-License-Identifier: Apache-2.0
// Reports of kernels as sentences.
import { type AccessReport, type RegionReport, remarksOf } from "@muxkit/compiler";
import { expect, test } from "vitest";

const access = (way: AccessReport["way"], line: number, advice: string | null = "change it"): AccessReport => ({
  what: "load",
  way,
  place: { file: "k.cl", line, column: 1 },
  advice,
});
const REGION: RegionReport = { width: 8, rows: 1, reason: "so many fit", refusal: null, isTested: false, accesses: [] };

test("work-items that run together are reported, with each notable line once", () => {
  const regions = [
    {
      ...REGION,
      accesses: [
        access("contiguous", 1, null),
        access("gathered", 3),
        access("gathered", 3),
        access("strided", 4),
        access("strided", 6),
      ],
    },
  ];
  expect(remarksOf({ kernel: "k", width: 8, dimension: 1, spansGroups: false, regions })).toEqual([
    { text: "kernel k: 8 work-items along y at once: so many fit; gathered: line 3; strided: lines 4, 6", place: null },
  ]);
});

test("regions are numbered, and obstacles have their source location", () => {
  const place = { file: "k.cl", line: 7, column: 2 };
  const regions = [
    { ...REGION, width: 1 },
    { ...REGION, width: 1, refusal: { reason: "It cannot be.", advice: "Let it.", place } },
  ];
  expect(remarksOf({ kernel: "k", width: 1, dimension: 0, spansGroups: false, regions })).toEqual([
    { text: "kernel k, region 0 of 2 between barriers: one work-item at a time: so many fit", place: null },
    { text: "kernel k, region 1 of 2 between barriers: one work-item at a time. It cannot be. Let it.", place },
  ]);
});
