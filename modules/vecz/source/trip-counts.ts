// SPDX-License-Identifier: Apache-2.0
// Induction variables that lanes take out of a divergent loop: what a lane leaves with is determined by the iterations
// that it ran. As a vector that is stepped under the mask of active lanes it costs one addition an iteration, and no
// select where lanes leave.
import {
  type Block,
  type Builder,
  type Constant,
  type Loop,
  Op,
  type Parameter,
  type Value,
  constantSplat,
  inductionStep,
  scalarOf,
  vectorType,
} from "@muxkit/ir";

import type { Divergence } from "./divergence.ts";

/** A parameter of a block after a loop whose argument is an induction variable of the loop. */
export interface LaneTripCount {
  /** The induction variable: the parameter of the loop's header. */
  readonly counter: Parameter;
  /** Its step. */
  readonly step: Constant;
  /** True for the blocks from which lanes leave with the stepped value. */
  readonly isStepped: (from: Block) => boolean;
}

/** The arguments that a block passes to a parameter of another one. */
function argumentsFor(from: Block, to: Block, index: number): readonly (Value | undefined)[] {
  const { terminator } = from;
  return terminator.successors.flatMap((target, edge) =>
    target === to ? [terminator.successorArguments[edge]?.[index]] : [],
  );
}

/**
 * The induction variable that a parameter of a block after a loop takes from the loop; null: it takes something else.
 */
export function laneTripCount(divergence: Divergence, loop: Loop, target: Block, index: number): LaneTripCount | null {
  const exits = new Set(loop.exits.flatMap(([from, to]) => (to === target ? [from] : [])));
  if ([...exits].some((from) => divergence.forest.innermost.get(from) !== loop)) return null;
  for (const counter of loop.header.parameters) {
    if (divergence.shapeOf(counter) !== 0) continue;
    const found = inductionStep(loop, counter);
    if (found === null) continue;
    const stepped = new Set<Block>();
    const isCount = [...exits].every((from) => {
      const given = argumentsFor(from, target, index);
      if (given.every((value) => value === found.next)) stepped.add(from);
      return stepped.has(from) || given.every((value) => value === counter);
    });
    if (isCount) return { counter, step: found.step, isStepped: (from) => stepped.has(from) };
  }
  return null;
}

/** The value one iteration later, in the lanes that are on. */
export function stepTripCount(builder: Builder, count: Value, on: Value, step: Constant): Value {
  const type = vectorType(scalarOf(count.type), count.type.count);
  const ones = builder.convert(Op.SEXT, on, type);
  // All ones is minus one.
  if (step.low === 1 && step.high === 0) return builder.same(Op.SUB, count, ones);
  return builder.same(Op.ADD, count, builder.same(Op.AND, ones, constantSplat(type, step)));
}
