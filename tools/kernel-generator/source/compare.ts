// SPDX-License-Identifier: Apache-2.0
// Runs one program in every way that Muxkit has: they agree, or a sentence describes the difference.
import { type DifferentialLaunch, firstDifference, runEveryWay } from "@muxkit/kernel-suite";

import { type GeneratedProgram, KERNEL, type Launch, OPTIONS } from "./generate/program.ts";
import { type Block, render } from "./tree.ts";

/** The ways that a program takes: all of them, or the interpreter's and those of machine code. */
export type Ways = "all" | "native";

/** What there is to run, as the kernel suite takes it. */
export function launchOf(source: string, launch: Launch, ways: Ways = "all"): DifferentialLaunch {
  return {
    isNative: ways === "native",
    source,
    kernel: KERNEL,
    options: OPTIONS,
    global: launch.global,
    local: launch.local,
    offset: launch.offset,
    widths: launch.widths,
    arguments: launch.arguments,
  };
}

/** A program that the ways do not agree on, or that one of them fails on. */
export interface Disagreement {
  /** The difference, as a sentence. */
  readonly difference: string;
  /**
   * What stays the same while a program is reduced: which way differs, or the kind of failure without its locations and
   * numbers.
   */
  readonly kind: string;
}

/** Takes numbers and names out of a message, so that smaller programs that fail alike have the same one. */
export function kindOf(message: string): string {
  const [first = ""] = message.split("\n");
  return first
    .replaceAll(/\d+/gu, "#")
    .replaceAll(/["'“][^"'”]*["'”]/gu, "…")
    .slice(0, 120);
}

/** The results of the ways, in the order of the kernel suite; what a way throws is thrown. */
export function outcomesOf(tree: Block, launch: Launch, ways: Ways = "all"): ReturnType<typeof runEveryWay> {
  return runEveryWay(launchOf(render(tree), launch, ways));
}

/** Runs a program by the interpreter and by unoptimised, generic and specialised code; null: all agree. */
export function disagreement(
  { tree, launch }: Pick<GeneratedProgram, "tree" | "launch">,
  ways: Ways = "all",
): Disagreement | null {
  let outcomes: ReturnType<typeof runEveryWay>;
  try {
    outcomes = outcomesOf(tree, launch, ways);
  } catch (error) {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return { difference: text, kind: kindOf(text) };
  }
  const [reference, ...others] = outcomes;
  for (const other of others) {
    const difference = reference === undefined ? "nothing ran" : firstDifference(reference, other, []);
    if (difference !== null) return { difference, kind: `${other.way} differs` };
  }
  return null;
}
