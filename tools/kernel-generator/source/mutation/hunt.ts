// SPDX-License-Identifier: Apache-2.0
// How many kernels it takes to find a wrong rewrite.
import { join } from "node:path";

import * as right from "../compare.ts";
import { type GeneratedProgram, generate } from "../generate/program.ts";
import { verdictOf, writtenBuffers } from "../native-check.ts";
import { type NativeImplementation, runNatively } from "../native.ts";
import { importMutated } from "./load.ts";
import type { Mutant } from "./mutants.table.ts";
import { type Hunter, nativeHunter } from "./native-hunt.ts";

/** What a hunt ended with. */
export interface Hunt {
  /** Kernels that were run; the last one found it. */
  readonly kernels: number;
  /** The seed that found it; null: none did. */
  readonly seed: number | null;
  /** What the kernel showed: a difference between ways, a failure, or the implementation that disagrees with Muxkit. */
  readonly shown: string;
}

/** Most kernels until a mutant counts as not found. */
export const MOST_KERNELS = 2000;

type Compiler = Pick<typeof right, "disagreement" | "outcomesOf">;

function bytesOf(outcomes: ReturnType<Compiler["outcomesOf"]>): readonly Uint8Array[] {
  return outcomes[0]?.buffers ?? [];
}

/**
 * Front end: all ways of Muxkit make the same error, so another implementation must disagree. Programs whose results
 * the mutant does not change need not be run there; those that it does change are, and the implementation must side
 * with the right compiler.
 */
function confirmed(
  compiler: Compiler,
  program: GeneratedProgram,
  others: readonly NativeImplementation[],
): string | null {
  const { tree, launch, portable } = program;
  if (!portable) return null;
  let wrong: readonly Uint8Array[];
  try {
    wrong = bytesOf(compiler.outcomesOf(tree, launch));
  } catch (error) {
    return `Muxkit fails: ${String(error).split("\n")[0]?.slice(0, 60) ?? ""}`;
  }
  const rightBytes = bytesOf(right.outcomesOf(tree, launch));
  if (wrong.every((bytes, i) => Buffer.compare(bytes, rightBytes[i] ?? new Uint8Array(0)) === 0)) return null;
  if (others.length === 0) return "differs from the right compiler (no other implementation is installed to say so)";
  const own = writtenBuffers(program);
  const siding = others.find((one) =>
    runNatively(one, [program]).every((outcome) => verdictOf(outcome, own) === "agrees"),
  );
  return siding === undefined ? null : `${siding.name} disagrees`;
}

/** Prepares the hunt for a mutant of what makes all code. */
async function otherHunter(mutant: Mutant, others: readonly NativeImplementation[]): Promise<Hunter> {
  const compiler = await importMutated<Compiler>(mutant, join(import.meta.dirname, "../compare.ts"));
  return (seed) => {
    const program = generate(seed);
    return mutant.area === "front end"
      ? confirmed(compiler, program, others)
      : (compiler.disagreement(program)?.kind ?? null);
  };
}

/**
 * Runs kernels on a compiler with a wrong rewrite until one shows it. Tries `first` before the seeds in order. `begin`
 * is called with each kernel before it is run.
 */
export async function hunt(
  mutant: Mutant,
  others: readonly NativeImplementation[],
  first: number | null,
  begin: (kernel: number, seed: number) => void,
): Promise<Hunt> {
  // The interpreter, and code for GPUs: no other way has the mutant. What is imported from now on reads it.
  if (mutant.area === "ptx") process.env["KERNEL_SUITE_GPU"] = "alone";
  const show = mutant.area === "x64" ? await nativeHunter(mutant) : await otherHunter(mutant, others);
  const step = mutant.area === "front end" ? 2 : 1;
  const seeds = [...(first === null ? [] : [first]), ...Array.from({ length: MOST_KERNELS }, (_, i) => (i + 1) * step)];
  for (const [i, seed] of seeds.entries()) {
    begin(i + 1, seed);
    const shown = show(seed);
    if (shown !== null) return { kernels: i + 1, seed, shown };
  }
  return { kernels: seeds.length, seed: null, shown: "not found" };
}
