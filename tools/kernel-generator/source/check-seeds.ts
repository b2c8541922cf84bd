// SPDX-License-Identifier: Apache-2.0
// Runs the programs of seeds; disagreeing ones are reduced and written as cases.
import { writeCase } from "@muxkit/kernel-suite";

import { type Ways, disagreement, launchOf } from "./compare.ts";
import { type GeneratedProgram, generate } from "./generate/program.ts";
import { reduce } from "./reduce.ts";
import { render } from "./tree.ts";

/** A seed whose program has different results in the ways that Muxkit runs it. */
export interface Finding {
  readonly seed: number;
  readonly kind: string;
  /** First line of what happened. */
  readonly difference: string;
  /** The reduced program as a case of the kernel suite. */
  readonly case: string;
}

/** Reduces a program that disagrees. */
export function reduceDisagreement(program: GeneratedProgram, kind: string, ways: Ways = "all"): GeneratedProgram {
  const { root } = reduce(program.tree, (tree) => disagreement({ tree, launch: program.launch }, ways)?.kind === kind);
  return { ...program, tree: root };
}

/** Runs the program of a seed by every way, or by those of machine code; null: they agree. */
export function checkSeed(seed: number, ways: Ways = "all"): Finding | null {
  const program = generate(seed);
  const found = disagreement(program, ways);
  if (found === null) return null;
  const { tree, launch } = reduceDisagreement(program, found.kind, ways);
  const [difference = ""] = found.difference.split("\n");
  return {
    seed,
    kind: found.kind,
    difference,
    case: writeCase({ launch: launchOf(render(tree), launch), expected: [] }, `Seed ${seed}: ${difference}`),
  };
}
