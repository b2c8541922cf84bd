// SPDX-License-Identifier: Apache-2.0
// Reports of kernels as sentences.
import { type AccessReport, type RegionReport, type SourceLocation, costText, remarksOf } from "@muxkit/compiler";
import { expect, test } from "vitest";

const place = (line: number): SourceLocation => ({ file: "k.cl", line, column: 1 });
const access = (way: AccessReport["way"], line: number, advice: string | null = "change it"): AccessReport => ({
  what: "load",
  way,
  place: place(line),
  advice,
});
const REGION: RegionReport = {
  width: 8,
  rows: 1,
  reason: "so many fit",
  refusal: null,
  isTested: false,
  accesses: [],
  costs: [],
  divergentLoops: [],
};

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
  const regions = [
    { ...REGION, width: 1 },
    { ...REGION, width: 1, refusal: { reason: "It cannot be.", advice: "Let it.", place: place(7) } },
  ];
  expect(remarksOf({ kernel: "k", width: 1, dimension: 0, spansGroups: false, regions })).toEqual([
    { text: "kernel k, region 0 of 2 between barriers: one work-item at a time: so many fit", place: null },
    {
      text: "kernel k, region 1 of 2 between barriers: one work-item at a time. It cannot be. Let it.",
      place: place(7),
    },
  ]);
});

test("what costs most and divergent loops are named, of vectors that were not worth it, too", () => {
  const costs = [
    { what: "gathered loads of global memory", share: 0.624, places: [place(9), place(4), place(9)] },
    { what: "spills of vector registers", share: 0.1, places: [] },
  ];
  const list = "gathered loads of global memory 62 % (lines 4, 9), spills of vector registers 10 %";
  expect(costText({ ...REGION, costs })).toBe(`what costs most: ${list}`);
  expect(costText({ ...REGION, width: 1, costs })).toBe(`what would cost most in vectors: ${list}`);
  expect(costText({ ...REGION, divergentLoops: [place(3)] })).toBe(
    "work-items leave the loop of line 3 in different iterations: a vector runs as long as its last one",
  );
  expect(costText(REGION)).toBe("");
  const regions = [{ ...REGION, width: 1, costs, divergentLoops: [place(3), place(8)] }];
  expect(remarksOf({ kernel: "k", width: 1, dimension: 0, spansGroups: false, regions })).toEqual([
    {
      text:
        `kernel k: one work-item at a time: so many fit; what would cost most in vectors: ${list}; work-items leave ` +
        "the loops of lines 3, 8 in different iterations: a vector runs as long as its last one",
      place: null,
    },
  ]);
});
