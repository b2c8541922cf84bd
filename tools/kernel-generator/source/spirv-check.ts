// SPDX-License-Identifier: Apache-2.0
// Portable programs by way of SPIR-V that clang and llvm-spirv make of them: they must compute what our compiler's own
// way computes.
import {
  type Producer,
  ProducerRefusal,
  firstDifference,
  producerOf,
  refusalReason,
  runReference,
  setProducer,
} from "@muxkit/kernel-suite";

import { launchOf } from "./compare.ts";
import { generate } from "./generate/program.ts";
import { render } from "./tree.ts";

/** How programs become SPIR-V, as `MUXKIT_SUITE_SPIRV` of the kernel suite names it. */
export const SPIRV_WAYS = ["O0", "O2", "O2-opt", "O2-32"] as const;

/** What became of a program in one way. */
export interface SpirvOutcome {
  readonly way: (typeof SPIRV_WAYS)[number];
  /** Whether it agrees, or who refused it. */
  readonly verdict: "agrees" | "differs" | "refused";
  /** The difference or the reason, as a sentence. */
  readonly text: string;
}

/** The outcome of a launch as it is built now: the code that is made of it, which does not know its launch. */
function reference(launch: ReturnType<typeof launchOf>): ReturnType<typeof runReference> {
  return runReference({ ...launch, isInterpreted: false });
}

function outcomeOf(
  way: SpirvOutcome["way"],
  launch: ReturnType<typeof launchOf>,
  wanted: ReturnType<typeof runReference>,
): SpirvOutcome {
  try {
    const difference = firstDifference(wanted, { ...reference(launch), way: `SPIR-V by ${way}` }, []);
    return { way, verdict: difference === null ? "agrees" : "differs", text: difference ?? "" };
  } catch (error) {
    const reason = error instanceof ProducerRefusal ? refusalReason(error) : null;
    if (reason !== null) return { way, verdict: "refused", text: reason };
    return { way, verdict: "differs", text: error instanceof Error ? error.message : String(error) };
  }
}

/** Runs the program of a seed, an even one, by way of SPIR-V. */
export function checkSpirv(
  seed: number,
  ways: readonly SpirvOutcome["way"][] = SPIRV_WAYS,
  producer: (way: SpirvOutcome["way"]) => Producer | null = producerOf,
): readonly SpirvOutcome[] {
  const { tree, launch } = generate(seed);
  const own = launchOf(render(tree), launch);
  setProducer(null);
  const wanted = reference(own);
  try {
    return ways.map((way) => {
      setProducer(producer(way));
      return outcomeOf(way, own, wanted);
    });
  } finally {
    setProducer(null);
  }
}
