// SPDX-License-Identifier: Apache-2.0
// Threads in groups of the runtime's choice do each work-item of a range once.
import type { HalArgument, HalRange } from "@muxkit/hal";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { partsOf } from "../source/launch.ts";
import { type CoarseForm, type GroupedCode, grouped } from "../source/regrouped.ts";

const PLAIN: GroupedCode = { entry: 1, mostItems: 1024, takesAnyGroups: true };

function coarse(items: number, more: Partial<CoarseForm> = {}): CoarseForm {
  return { entry: 2, mostItems: 1024, takesAnyGroups: true, items, limits: { threads: 1, groupThreads: 1 }, ...more };
}

function rangeOf(global: readonly number[], local: readonly [number, number, number], offset: number = 0): HalRange {
  const count = local.map((size, axis) => Math.ceil((global[axis] ?? 1) / size));
  return {
    dimensions: global.length,
    globalSize: global,
    globalOffset: [offset, 0, 0],
    localSize: local,
    firstGroup: [0, 0, 0],
    groupCount: count as [number, number, number],
    countsPart: false,
  };
}

/** How often each work-item in x and y is done. */
function doneBy(range: HalRange, form: CoarseForm | null, plain: GroupedCode): Map<string, number> {
  const { entry, parts } = grouped(plain, form, { range, parts: partsOf(range), args: [] });
  const items = entry === 2 ? (form?.items ?? 1) : 1;
  const done = new Map<string, number>();
  for (const { localSize, firstGroup, groups, stride = range.localSize[0] } of parts) {
    expect(localSize[0] * localSize[1] * localSize[2]).toBeLessThanOrEqual(1024);
    for (let gy = 0; gy < groups[1]; gy++)
      for (let gx = 0; gx < groups[0]; gx++)
        for (let y = 0; y < localSize[1]; y++)
          for (let x = 0; x < localSize[0]; x++)
            for (let item = 0; item < items; item++) {
              const at = (firstGroup[0] + gx) * stride + x * items + item;
              const key = `${at} ${(firstGroup[1] + gy) * range.localSize[1] + y}`;
              done.set(key, (done.get(key) ?? 0) + 1);
            }
  }
  return done;
}

test("each work-item is done once, in any groups", () => {
  fc.assert(
    fc.property(
      fc.record({
        width: fc.integer({ min: 1, max: 200 }),
        height: fc.integer({ min: 1, max: 6 }),
        x: fc.integer({ min: 1, max: 40 }),
        y: fc.integer({ min: 1, max: 3 }),
        items: fc.constantFrom(1, 2, 4),
        takesAnyGroups: fc.boolean(),
      }),
      ({ width, height, x, y, items, takesAnyGroups }) => {
        const range = rangeOf([width, height], [x, y, 1]);
        const form = items === 1 ? null : coarse(items, { takesAnyGroups });
        const done = doneBy(range, form, { ...PLAIN, takesAnyGroups });
        expect(done.size).toBe(width * height);
        expect(new Set(done.values())).toEqual(new Set([1]));
      },
    ),
    { numRuns: 300 },
  );
});

const NONE: readonly HalArgument[] = [];

test.each([
  ["small groups are put together", [2 ** 20], [16, 1, 1], PLAIN, [256, 4096]],
  ["as far as their number divides", [2 ** 20 + 32], [16, 1, 1], PLAIN, [32, 32_769]],
  ["as far as enough are left", [2 ** 18], [16, 1, 1], PLAIN, [64, 4096]],
  ["but not where they are seen", [2 ** 20], [16, 1, 1], { ...PLAIN, takesAnyGroups: false }, [16, 65_536]],
  ["nor beyond what the code takes", [2 ** 20], [16, 1, 1], { ...PLAIN, mostItems: 64 }, [64, 16_384]],
  ["full ones stay", [2 ** 21], [256, 1, 1], PLAIN, [256, 8192]],
] as const)("%s", (_, global, local, plain, expected) => {
  const range = rangeOf(global, [...local]);
  const [part] = grouped(plain, null, { range, parts: partsOf(range), args: NONE }).parts;
  expect([part?.localSize[0], part?.groups[0]]).toEqual(expected);
});

function entryOf(range: HalRange, form: CoarseForm, args: readonly HalArgument[] = NONE): unknown {
  return grouped(PLAIN, form, { range, parts: partsOf(range), args }).entry;
}

test("a launch is for threads of several items when it is large, and its places fit", () => {
  const range = rangeOf([2048], [128, 1, 1]);
  const large = coarse(2, { limits: { threads: 1024, groupThreads: 64 } });
  expect(entryOf(range, large)).toBe(2);
  expect(entryOf(rangeOf([1024], [128, 1, 1]), large)).toBe(1);
  expect(entryOf(rangeOf([2048], [128, 1, 1], 3), large)).toBe(1);
  expect(entryOf(range, large, [{ kind: "address", address: 4096, size: 64 }])).toBe(2);
  expect(entryOf(range, large, [{ kind: "address", address: 4100, size: 64 }])).toBe(1);
  expect(entryOf(rangeOf([2048], [64, 1, 1]), { ...large, takesAnyGroups: false })).toBe(1);
});
