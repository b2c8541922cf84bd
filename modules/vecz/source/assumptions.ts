// SPDX-License-Identifier: Apache-2.0
// Versioning by a runtime test: assumptions about lanes that one test per vector confirms before the vector runs. Under
// them comparisons of ids with bounds are uniform, clamped indices stay contiguous
// (docs/decisions/028-index-set-splitting.md), and masks and divisors split ids into blocks that hold whole vectors. So
// interior vectors run a variant without masks and gathers; vectors at an edge fail the test and run the general
// variant.
//
// A candidate (assumption.ts) is an integer operation on an operand in steps (lane 0 + i * stride) and a uniform one,
// both computable from parameters before the vector runs (slice.ts). Assuming some makes other values uniform, so
// divergence analysis and the search alternate until nothing new is found (fixpoint) or MOST_ASSUMED is reached.
// assumption-test.ts writes the test.
//
// Cost: one divergence analysis an iteration; the test is a few scalar instructions a vector.
import { assert } from "@muxkit/cargo";
import { type Builder, type Instruction, type IrFunction, type Parameter, type Value, uses } from "@muxkit/ir";

import { type Assumption, candidates } from "./assumption.ts";
import { writeReach } from "./assumption-reach.ts";
import { GROUPED, groupsOf, knownConditions, writeTest } from "./assumption-test.ts";
import type { Divergence } from "./divergence.ts";
import type { Shape } from "./shape.ts";
import { slice } from "./slice.ts";

/** Most assumptions of one function. */
const MOST_ASSUMED = 64;

/** Shapes that are assumed of instructions. */
export type AssumedShapes = ReadonlyMap<Instruction, Shape>;

/** No assumption. */
export const NO_ASSUMPTIONS: AssumedShapes = new Map();

/** Assumptions of one function. */
export interface Assumptions {
  /** The shapes that are assumed. */
  readonly assumed: AssumedShapes;
  /** Conditions whose value the test determines, not only that all lanes agree. */
  readonly known: ReadonlyMap<Instruction, boolean>;
  /** Writes the test, given the values of the function's parameters. The result: an i1. */
  readonly write: (builder: Builder, valueOf: (parameter: Parameter) => Value) => Value;
  /** Writes how many work-items from a first vector that passes it on pass it; null: that is not known. */
  readonly writeReach: (builder: Builder, valueOf: (parameter: Parameter) => Value) => Value | null;
  /** The assumptions themselves. */
  readonly list: readonly Assumption[];
}

/** True when what a test compares can be computed before; the instructions for it are added. */
function canBeTested(
  { claim, moving, fixed }: Assumption,
  needed: Set<Instruction>,
  isKnown: (parameter: Parameter) => boolean,
): boolean {
  if (claim === "chosen") return true;
  const slices = new Set(needed);
  if (!slice(moving, slices, isKnown) || !slice(fixed, slices, isKnown)) return false;
  for (const instruction of slices) needed.add(instruction);
  return true;
}

/** What tests may be made of. */
export interface TestLimits {
  /** True for the parameters that tests may use. */
  readonly isKnown: (parameter: Parameter) => boolean;
  /** True when masks, divisors and selections are of interest, too: not only comparisons and clamps. */
  readonly areBlocksSplit: boolean;
}

/**
 * Assumptions that make more values of a function uniform; null: there are none that can be tested before it runs.
 * `analyse`: the divergence analysis under assumptions.
 */
export function findAssumptions(
  divergence: Divergence,
  width: number,
  analyse: (assumed: AssumedShapes) => Divergence,
  { isKnown, areBlocksSplit }: TestLimits,
): Assumptions | null {
  const known = new Map<Instruction, Assumption>();
  const assumed = new Map<Instruction, Shape>();
  const needed = new Set<Instruction>();
  const decided = new Map<Instruction, boolean>();
  const users = uses(divergence.fn);
  const decide = (condition: Instruction, value: boolean): boolean => {
    if (!decided.has(condition)) decided.set(condition, value);
    return decided.get(condition) === value;
  };
  let current = divergence;
  for (;;) {
    const before = known.size;
    for (const one of candidates({ divergence: current, width, users, known, decide })) {
      if (known.size >= MOST_ASSUMED || (!areBlocksSplit && !GROUPED.has(one.claim))) continue;
      if (!canBeTested(one, needed, isKnown)) continue;
      known.set(one.instruction, one);
      assumed.set(one.instruction, one.shape);
    }
    if (known.size === before) break;
    current = analyse(assumed);
  }
  if (known.size === 0) return null;
  const list = [...known.values()];
  const groups = groupsOf(list, decided);
  return {
    assumed,
    known: knownConditions(groups),
    write: (builder, valueOf) => writeTest(builder, { groups, list, width, valueOf }),
    writeReach: (builder, valueOf) => writeReach(builder, { groups, list, valueOf }),
    list,
  };
}

/** A value that is written of values for the parameters of a function, in their order. */
export function writerOf<Result>(
  write: (builder: Builder, valueOf: (parameter: Parameter) => Value) => Result,
  fn: IrFunction,
): (builder: Builder, values: readonly Value[]) => Result {
  const positions = new Map(fn.parameters.map((parameter, i) => [parameter, i]));
  return (builder, values) =>
    write(builder, (parameter) => {
      const value = values[positions.get(parameter) ?? -1];
      assert(value !== undefined, () => `a value for the parameter ${parameter.name}`);
      return value;
    });
}
