// SPDX-License-Identifier: Apache-2.0
// The allocator against a slow and obvious model.
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { Allocator, UNIT } from "../source/allocator.ts";

const START = 65536;
const END: number = START + 4096 * UNIT;

function checkBlocks(
  allocator: Allocator,
  live: ReadonlyMap<number, { readonly address: number; readonly size: number }>,
  end: number,
): void {
  const blocks = allocator.blocks();
  let address = START;
  let free = 0;
  let wasFree = false;
  for (const block of blocks) {
    expect(block.start).toBe(address);
    expect(block.size).toBeGreaterThan(0);
    // Two free neighbours would be a missed joining.
    expect(block.free && wasFree).toBe(false);
    wasFree = block.free;
    if (block.free) free += block.size;
    address += block.size;
  }
  expect(address).toBe(end);
  expect(allocator.freeBytes).toBe(free);
  const ranges = [...live.values()].toSorted((a, b) => a.address - b.address);
  for (let i = 1; i < ranges.length; i++) {
    const [below, above] = [ranges[i - 1], ranges[i]];
    expect((below?.address ?? 0) + (below?.size ?? 0)).toBeLessThanOrEqual(above?.address ?? 0);
  }
}

test("blocks never overlap, free neighbours are joined, alignment holds", () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constant("take" as const),
      size: fc.integer({ min: 1, max: 40_000 }),
      shift: fc.integer({ min: 7, max: 14 }),
      beyond: fc.constantFrom(0, 0, UNIT, 3 * UNIT),
    }),
    fc.record({ kind: fc.constant("release" as const), index: fc.nat() }),
    fc.record({ kind: fc.constant("grow" as const), units: fc.integer({ min: 1, max: 512 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const allocator = new Allocator(START, END);
      const live = new Map<number, { address: number; size: number }>();
      const faults: string[] = [];
      let end = END;
      for (const action of steps) {
        if (action.kind === "take") {
          const beyond = action.beyond % (1 << action.shift);
          const taken = allocator.take(action.size, 1 << action.shift, beyond);
          if (!taken.ok) {
            // A refusal is right only when no free block could hold size and alignment with a class to spare.
            const largest = Math.max(
              0,
              ...allocator
                .blocks()
                .filter((block) => block.free)
                .map((block) => block.size),
            );
            if (largest >= (action.size + (1 << action.shift) + UNIT) * 1.07 + UNIT)
              faults.push(`refused ${action.size} with ${largest} free`);
            continue;
          }
          const address = allocator.addressOf(taken.value);
          if (address % (1 << action.shift) !== beyond || address < START || address + action.size > end)
            faults.push(`${action.size} bytes at ${address}`);
          live.set(taken.value, { address, size: action.size });
        } else if (action.kind === "release") {
          const handle = [...live.keys()][action.index % Math.max(1, live.size)];
          if (handle === undefined) continue;
          live.delete(handle);
          allocator.release(handle);
        } else {
          end += action.units * UNIT;
          allocator.grow(end);
        }
        checkBlocks(allocator, live, end);
      }
      expect(faults).toEqual([]);
      for (const handle of live.keys()) allocator.release(handle);
      expect(allocator.blocks()).toEqual([{ start: START, size: end - START, free: true }]);
    }),
    { numRuns: 150 },
  );
});

test("the whole space can be taken and nothing more", () => {
  const allocator = new Allocator(START, END);
  const all = allocator.take(END - START);
  expect(all.ok).toBe(true);
  expect(allocator.freeBytes).toBe(0);
  expect(allocator.take(1).ok).toBe(false);
  if (all.ok) allocator.release(all.value);
  expect(allocator.freeBytes).toBe(END - START);
});

test("sizes that no space has are refused, whatever the alignment", () => {
  const allocator = new Allocator(START, END);
  for (const size of [2 ** 38, 2 ** 39 + 1, 2 ** 40, 2 ** 52])
    for (const alignment of [UNIT, 4096])
      expect(allocator.take(size, alignment).ok, `${size} at ${alignment}`).toBe(false);
});

test("taking and giving stays fast with many live blocks", () => {
  const allocator = new Allocator(0, 2 ** 32 - UNIT);
  const handles: number[] = [];
  for (let i = 0; i < 50_000; i++) {
    const taken = allocator.take(1 + ((i * 7919) % 30_000));
    if (taken.ok) handles.push(taken.value);
  }
  expect(handles.length).toBe(50_000);
  for (let i = 0; i < handles.length; i += 2) allocator.release(handles[i] as number);
  const start = performance.now();
  for (let i = 0; i < 50_000; i++) {
    const taken = allocator.take(4096);
    if (taken.ok) allocator.release(taken.value);
  }
  // A scan of 25,000 free blocks for each would take seconds.
  expect(performance.now() - start).toBeLessThan(1000);
});
