// SPDX-License-Identifier: Apache-2.0
// Random functions, vectorised and run by the interpreter, against the same function run once a lane.
import { type Module, laneCount, printModule } from "@muxkit/ir";
import { runPasses, EMPTY_CONTEXT } from "@muxkit/passes";
import type { ParameterFacts } from "@muxkit/vecz";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { Random, randomMachineModule } from "../../ir/test/random-module.ts";
import { compareLanes } from "./lanes.ts";

const RUNS = Number(process.env["MUXKIT_FUZZ_RUNS"] ?? "150");

/** Some parameters vary, some integers go up by steps, the others are the same for all lanes. */
function someFacts(module: Module, name: string, random: Random): ReadonlyMap<number, ParameterFacts> {
  const facts = new Map<number, ParameterFacts>();
  module.functions.get(name)?.parameters.forEach(({ type }, i) => {
    const isStep = type.kind === "int" && type.bits === 32 && random.chance(50);
    if (isStep) facts.set(i, { shape: random.pick([1, 2, -1, 4]), lowZeros: random.below(5) });
    else if (random.chance(70)) facts.set(i, { shape: null, lowZeros: 0 });
  });
  return facts;
}

test(
  "vector variants compute what single work-items compute",
  () => {
    let compared = 0;
    let tested = 0;
    fc.assert(
      fc.property(fc.nat(0x7fff_ffff), fc.constantFrom(2, 4, 8), fc.boolean(), (seed, width, isOptimised) => {
        const module = randomMachineModule(seed);
        if (isOptimised)
          runPasses(module, ["simplify-cfg", "mem2reg", "simplify", "gvn", "simplify-cfg", "dce"], EMPTY_CONTEXT);
        const random = new Random(seed);
        for (const fn of module.functions.values()) {
          if (fn.blocks.length === 0 || fn.parameters.some(({ type }) => laneCount(type) * width > 64)) continue;
          const facts = someFacts(module, fn.name, random);
          const result = compareLanes(module, fn.name, width, facts, random);
          if (result === null) continue;
          compared++;
          if (result.ranTested) tested++;
          expect(
            result.difference === ""
              ? ""
              : `${result.difference}
@${fn.name}, ${width} lanes, ${JSON.stringify([...facts])}
${printModule(module)}`,
          ).toBe("");
        }
      }),
      { numRuns: RUNS },
    );
    expect(compared).toBeGreaterThan(RUNS);
  },
  60_000 + RUNS * 1000,
);
