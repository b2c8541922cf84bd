// SPDX-License-Identifier: Apache-2.0
// Twenty seconds of the soak: random valid calls, with kernels that go wrong and allocations that are refused, against
// a model of what memory must hold. `npm run soak -- --minutes 30` is the long one.
import { expect, test } from "vitest";

import { soak } from "./soak/soak.ts";

test("random calls on two threads do what a model of them does, and memory stays", async () => {
  const lines: string[] = [];
  const { commands, worlds, late, refusals } = await soak({
    seconds: 20,
    seed: 1,
    threads: 2,
    faults: { commands: true, allocations: true },
    every: 2,
    report: (line) => lines.push(line),
  });
  expect(lines.length).toBeGreaterThan(1);
  expect(worlds).toBeGreaterThan(1);
  expect(commands).toBeGreaterThan(500);
  expect(refusals).toBeGreaterThan(10);
  expect(late).toBeLessThan(commands / 100);
});
