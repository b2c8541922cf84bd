// SPDX-License-Identifier: Apache-2.0
// Launches of code that offers vectors and single work-items: which way they run, and which one is taken in the end.
import { DISPATCH_BYTES } from "@muxkit/kernel-abi";
import * as fc from "fast-check";
import { afterEach, expect, test } from "vitest";

import type { Cost } from "../source/launch.ts";
import { type TriedWays, beginWay, noteWay } from "../source/way-choice.ts";
import { type Rig, VARIANT, openCore } from "./core-rig.ts";

const GROUPS = 64;
/** Iterations of a group that runs the fast way: some 5 µs. */
const FAST = 10_000;

const open: Rig[] = [];
afterEach(() => {
  for (const rig of open.splice(0)) rig.core.close();
});

/** The ways of so many launches of a kernel that takes twenty times as long with the flags `slow`. */
function waysOf(slow: number, launches: number, offersOneByOne: boolean): readonly number[] {
  const rig = openCore();
  open.push(rig);
  const { core } = rig;
  const out = core.memory.allocate(4 * GROUPS);
  if (!out.ok) throw new Error(out.error);
  const { address } = out.value;
  const cost: Cost = { perItem: 60, measured: false };
  const made = rig.launch("twoWays", GROUPS, [address, FAST, slow], { cost });
  if (made.body.kind !== "ndrange") throw new Error("a launch");
  const { launch } = made.body;
  const kernel = { ...launch.kernel, variant: { ...VARIANT, offersOneByOne } };
  const command = { ...made, body: { ...made.body, launch: { ...launch, kernel } } };
  return Array.from({ length: launches }, () => {
    expect(rig.run([command])).toBeNull();
    const words = core.memory.views.words.subarray(address >>> 2, (address >>> 2) + GROUPS);
    expect(new Set(words).size).toBe(1);
    return words[0] ?? -1;
  });
}

test.each([0, 1])("launches take turns until one way is known to be faster: flags %i are slow", (slow) => {
  const ways = waysOf(slow, 26, true);
  // The first one tells whether there is anything to measure, the next four let the engine compile.
  expect(ways.slice(0, 9)).toEqual([0, 0, 0, 0, 0, 0, 1, 0, 1]);
  expect(ways.slice(-4)).toEqual(Array.from({ length: 4 }, () => 1 - slow));
});

test("code that offers one way runs it", () => {
  expect(new Set(waysOf(0, 14, false))).toEqual(new Set([0]));
});

test("launches of a few microseconds are not measured", () => {
  const rig = openCore();
  open.push(rig);
  const { core } = rig;
  const block = core.memory.allocate(DISPATCH_BYTES);
  if (!block.ok) throw new Error(block.error);
  const cost: Cost = { perItem: 1, measured: true };
  const made = rig.launch("twoWays", GROUPS, [], { cost });
  if (made.body.kind !== "ndrange") throw new Error("a launch");
  const kernel = { ...made.body.launch.kernel, variant: { ...VARIANT, offersOneByOne: true } };
  const lowered = { node: 1, launch: { ...made.body.launch, kernel }, block: block.value, owns: true };
  beginWay(core, lowered);
  expect(cost.ways?.begun).toBe(0);
  cost.perItem = 1e6;
  beginWay(core, lowered);
  expect(cost.ways?.begun).toBe(1);
});

test("the least times decide, single work-items only where they are faster", () => {
  const time = fc.double({ min: 1, max: 100, noNaN: true });
  fc.assert(
    fc.property(
      time,
      time,
      fc.array(fc.double({ min: 1, max: 3, noNaN: true }), { minLength: 8, maxLength: 8 }),
      (vectors, alone, noise) => {
        const ways: TriedWays = {
          code: 1,
          chosen: null,
          begun: 0,
          running: new Map(),
          measured: [0, 0],
          least: [Infinity, Infinity],
        };
        for (let i = 0; i < 8 && ways.chosen === null; i++) {
          // Whatever else happens on the machine, a launch of each way is undisturbed before anything is decided.
          const factor = i < 2 ? 1 : (noise[i] ?? 1);
          noteWay(ways, 0, vectors * factor);
          noteWay(ways, 1, alone * factor);
        }
        expect(ways.chosen).toBe(vectors > alone * 1.1 ? 1 : 0);
        expect(ways.measured[0]).toBeGreaterThanOrEqual(2);
      },
    ),
  );
});
