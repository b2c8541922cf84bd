// SPDX-License-Identifier: Apache-2.0
// A slice of `npm run corpus -- --spirv`: programs of the corpus that clang and llvm-spirv make SPIR-V of.
import { join } from "node:path";

import { type SpirvOutcome, compileBySpirv, isWrong, missingSpirvTools, readPrograms, spirvText } from "@muxkit/corpus";
import { expect, test } from "vitest";

const KERNELS = join(import.meta.dirname, "../kernels");
const missing = missingSpirvTools();
if (missing.length > 0) console.warn(`SKIPPED: programs by way of SPIR-V, there is no ${missing.join(", ")}`);

const SLICE = ["reductions/scans.cl", "sparse/formats.cl", "language/records-by-value.cl", "hashes/md5.cl"];

test.skipIf(missing.length > 0).each(SLICE)("%s has the same kernels by way of SPIR-V", (name) => {
  const program = readPrograms([KERNELS]).find((one) => one.name === name);
  const outcomes = program === undefined ? [] : compileBySpirv(program, ["O2", "O2-32"]);
  expect(outcomes.filter(isWrong)).toEqual([]);
  expect(outcomes.map(({ verdict }) => verdict)).toEqual(["agrees", "agrees"]);
});

/** An outcome at -O2. */
function outcome(program: string, verdict: SpirvOutcome["verdict"], text: string): SpirvOutcome {
  return { program, way: "O2", verdict, text };
}

test("the report counts, and has each reason with its programs", () => {
  const list = [
    outcome("a.cl", "agrees", ""),
    outcome("b.cl", "refused there", "it crashes"),
    outcome("c.cl", "refused there", "it crashes"),
    outcome("d.cl", "differs", "f(value private 4)"),
  ];
  expect(spirvText(list)).toBe(`O2: 4 programs: 1 agrees, 2 refused there, 0 refused here, 1 differs
differs: f(value private 4)
  1: d.cl by O2
refused there: it crashes
  2: b.cl by O2, c.cl by O2
`);
  expect(list.filter(isWrong).map(({ program }) => program)).toEqual(["d.cl"]);
});
