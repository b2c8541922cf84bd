// SPDX-License-Identifier: Apache-2.0
// Runs portable programs on other implementations and compares the results.
import { outcomesOf } from "./compare.ts";
import { type GeneratedProgram, generate } from "./generate/program.ts";
import { type NativeImplementation, type NativeOutcome, runNatively } from "./native.ts";

/** The result of an implementation for a program, compared with Muxkit's. */
export type Verdict = "agrees" | "differs" | "fails";

/** A program that some implementation does not agree on. */
export interface NativeFinding {
  readonly seed: number;
  readonly verdicts: Readonly<Record<string, Verdict>>;
  /** Why the first that failed did. */
  readonly failure: string;
}

/** The buffers of a program that kernels write, from Muxkit's interpreter. */
export function writtenBuffers({ tree, launch }: Pick<GeneratedProgram, "tree" | "launch">): readonly Uint8Array[] {
  const buffers = launch.arguments.filter((argument) => "contents" in argument);
  const [interpreted] = outcomesOf(tree, launch);
  return (interpreted?.buffers ?? []).filter((_, i) => buffers[i]?.written);
}

/** Compares an implementation's output buffers with Muxkit's. */
export function verdictOf(outcome: NativeOutcome, own: readonly Uint8Array[]): Verdict {
  if ("failure" in outcome) return "fails";
  return own.every((bytes, i) => Buffer.compare(bytes, outcome.buffers[i] ?? new Uint8Array(0)) === 0)
    ? "agrees"
    : "differs";
}

/**
 * Runs portable programs on each implementation. `seeds` must be even: see {@link generate}.
 * Muxkit's own ways are compared with each other elsewhere; here its interpreter speaks for it.
 */
export function checkNatively(
  implementations: readonly NativeImplementation[],
  seeds: readonly number[],
): readonly NativeFinding[] {
  const programs = seeds.map((seed) => generate(seed));
  const own = programs.map((program) => writtenBuffers(program));
  const outcomes = implementations.map((implementation) => runNatively(implementation, programs));
  return seeds.flatMap((seed, i) => {
    const list = outcomes.map((all) => all[i] ?? { failure: "it did not run" });
    const verdicts = Object.fromEntries(
      implementations.map(({ name }, j) => [name, verdictOf(list[j] ?? { failure: "" }, own[i] ?? [])]),
    );
    const failure = list.flatMap((one) => ("failure" in one ? [one.failure] : []))[0] ?? "";
    return Object.values(verdicts).every((verdict) => verdict === "agrees") ? [] : [{ seed, verdicts, failure }];
  });
}
