// SPDX-License-Identifier: Apache-2.0
// Time of passes grows with the size of their input: counted in work, which is the same on every machine; and
// what passes keep of locations.
import { linkProgram, openclC } from "@muxkit/compiler";
import { hostModule } from "@muxkit/host-compiler";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { FINALIZE_PASSES, libraryContext } from "@muxkit/compiler-base";
import { LAYOUT_32, type Module } from "@muxkit/ir";
import { type WorkCount, runPasses } from "@muxkit/passes";
import { expect, test } from "vitest";

import { generateKernels } from "@muxkit/kernel-suite";

function frontEnd(source: string): Module {
  const module = hostModule({ extensions: ["cl_khr_fp64"] });
  const linked = linkProgram(module, openclC(source));
  if (!linked.ok) throw new Error(`${linked.error.message}\n${module.log}`);
  if (module.ir === null) throw new Error("a linked module holds IR");
  return module.ir;
}

function work(source: string): WorkCount {
  const count: WorkCount = { runs: 0, instructions: 0 };
  runPasses(frontEnd(source), FINALIZE_PASSES, libraryContext(LAYOUT_32), { work: count });
  return count;
}

test("twice the kernels, twice the work", () => {
  const [one, two, four] = [320, 640, 1280].map((lines) => work(generateKernels(lines)));
  if (one === undefined || two === undefined || four === undefined) throw new Error("three sizes");
  expect(two.instructions / one.instructions).toBeCloseTo(2, 1);
  expect(four.instructions / one.instructions).toBeCloseTo(4, 1);
  expect(four.runs / one.runs).toBeCloseTo(4, 0);
});

/** One kernel with as many loops. */
function kernel(loops: number): string {
  return `kernel void k(global int* p, int n) { int s = 0;
${"for (int i = 0; i < n; i++) { if (p[i] > s) s += p[i]; else s ^= i; }\n".repeat(loops)} p[0] = s; }`;
}

test("four times the loops in one kernel, four times the work", () => {
  const [one, four] = [20, 80].map((loops) => work(kernel(loops)));
  if (one === undefined || four === undefined) throw new Error("two sizes");
  expect(four.instructions / one.instructions).toBeLessThan(4.4);
});

const suite = join(import.meta.dirname, "../../../benchmarks/suite");

test.each(readdirSync(suite).filter((name) => name.endsWith(".cl") && name !== "image.cl"))(
  "no instruction of %s loses its location",
  (name) => {
    const module = frontEnd(readFileSync(join(suite, name), "utf8"));
    const lost = (): readonly string[] =>
      [...module.functions.values()].flatMap((fn) =>
        fn.blocks.flatMap((block) =>
          block.instructions.filter(({ location }) => location === null).map(({ op }) => `${fn.name}: ${op}`),
        ),
      );
    const lines = (): ReadonlySet<number> =>
      new Set(
        [...module.functions.values()].flatMap((fn) =>
          fn.blocks.flatMap((block) => block.instructions.flatMap(({ location }) => location?.line ?? [])),
        ),
      );
    const before = lost().length;
    const all = lines().size;
    runPasses(module, FINALIZE_PASSES, libraryContext(LAYOUT_32));
    expect(lost().length).toBeLessThanOrEqual(before);
    // Lines of declarations and of the braces that end functions are all that may go.
    expect(lines().size).toBeGreaterThan(all * 0.5);
  },
);
