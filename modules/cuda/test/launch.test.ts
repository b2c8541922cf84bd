// SPDX-License-Identifier: Apache-2.0
// Ranges as launches: every work-group once, each of its own size, in grids that hardware takes.
import * as fc from "fast-check";
import { SIMT_LAUNCH_BYTES, SIMT_LAUNCH_FIELDS } from "@muxkit/kernel-abi";
import { expect, test } from "vitest";

import { partsOf, writeLaunch } from "../source/launch.ts";

type Three = readonly [number, number, number];

test("parts cover the groups of a range once, each with the work-items that are left for it", () => {
  const axis = fc.record({
    global: fc.integer({ min: 1, max: 40 }),
    local: fc.integer({ min: 1, max: 7 }),
    first: fc.nat({ max: 3 }),
    count: fc.integer({ min: 1, max: 50 }),
  });
  fc.assert(
    fc.property(axis, axis, axis, (...axes) => {
      const ranges = axes.map(({ global, local, first, count }) => {
        const groups = Math.ceil(global / local);
        const from = Math.min(first, groups - 1);
        return { global, local, from, count: Math.min(count, groups - from) };
      });
      const list = (key: "global" | "local" | "from" | "count"): Three =>
        ranges.map((range) => range[key]) as unknown as Three;
      const parts = partsOf({
        dimensions: 3,
        globalSize: list("global"),
        globalOffset: [0, 0, 0],
        localSize: list("local"),
        firstGroup: list("from"),
        groupCount: list("count"),
        countsPart: false,
      });
      const seen = new Map<string, Three>();
      for (const {
        firstGroup: [x, y, z],
        groups,
        localSize,
      } of parts)
        for (let c = 0; c < groups[2]; c++)
          for (let b = 0; b < groups[1]; b++)
            for (let a = 0; a < groups[0]; a++) {
              const id = String([x + a, y + b, z + c]);
              expect(seen.has(id)).toBe(false);
              seen.set(id, localSize);
            }
      expect(seen.size).toBe(ranges.reduce((product, { count }) => product * count, 1));
      for (const [id, size] of seen)
        id.split(",").forEach((group, i) => {
          const { global, local } = ranges[i] as (typeof ranges)[number];
          expect(size[i]).toBe(Math.min(local, global - Number(group) * local));
        });
    }),
  );
});

test("a grid has at most 65,535 groups in y", () => {
  const parts = partsOf({
    dimensions: 2,
    globalSize: [1, 200_000],
    globalOffset: [0, 0],
    localSize: [1, 1, 1],
    firstGroup: [0, 0, 0],
    groupCount: [1, 200_000, 1],
    countsPart: false,
  });
  expect(parts.map(({ groups, firstGroup }) => [firstGroup[1], groups[1]])).toEqual([
    [0, 65_535],
    [65_535, 65_535],
    [131_070, 65_535],
    [196_605, 3395],
  ]);
});

test("what a launch says is behind the arguments", () => {
  const parameter = new Uint8Array(32 + SIMT_LAUNCH_BYTES);
  const range = {
    dimensions: 2,
    globalSize: [100, 7],
    globalOffset: [2 ** 33, 5],
    localSize: [8, 2, 1],
    firstGroup: [0, 0, 0],
    groupCount: [13, 4, 1],
    countsPart: false,
  } as const;
  writeLaunch(
    new DataView(parameter.buffer),
    32,
    range,
    { localSize: [4, 2, 1], firstGroup: [12, 0, 0], groups: [1, 3, 1] },
    4096,
  );
  const view = new DataView(parameter.buffer);
  const read = (field: keyof typeof SIMT_LAUNCH_FIELDS): readonly number[] => {
    const { offset, bytes } = SIMT_LAUNCH_FIELDS[field];
    return [0, 1, 2].map((axis) =>
      bytes === 8
        ? Number(view.getBigUint64(32 + offset + 8 * axis, true))
        : view.getUint32(32 + offset + 4 * axis, true),
    );
  };
  expect(parameter.subarray(0, 32).every((byte) => byte === 0)).toBe(true);
  expect(read("globalOffset")).toEqual([2 ** 33, 5, 0]);
  expect(read("globalSize")).toEqual([100, 7, 1]);
  expect(read("firstGroup")).toEqual([12, 0, 0]);
  expect(read("groupCount")).toEqual([13, 4, 1]);
  expect(read("enqueuedLocalSize")).toEqual([8, 2, 1]);
  expect(read("printfArea")[0]).toBe(4096);
  expect(view.getUint32(32 + SIMT_LAUNCH_FIELDS.dimensions.offset, true)).toBe(2);
});
