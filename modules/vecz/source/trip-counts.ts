// SPDX-License-Identifier: Apache-2.0
// Loops that lanes leave one by one, and values that go up by the same in each round: what a lane leaves with is known by the rounds that it was in.
// Kept as a vector that goes up where lanes are still in, it costs one addition a round; nothing is picked when lanes leave.
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

/** A parameter of a block behind a loop that is given a counter of the loop. */
export interface LaneTripCount {
  /** The counter, as the loop's header has it. */
  readonly counter: Parameter;
  /** What it goes up by in each round. */
  readonly step: Constant;
  /** True for the blocks from which lanes leave with what the counter is in the next round. */
  readonly isStepped: (from: Block) => boolean;
}

/** The arguments that a block hands to a parameter of another one. */
function argumentsFor(from: Block, to: Block, index: number): readonly (Value | undefined)[] {
  const { terminator } = from;
  return terminator.successors.flatMap((target, edge) =>
    target === to ? [terminator.successorArguments[edge]?.[index]] : [],
  );
}

/** How a parameter of a block behind a loop counts the loop's rounds; null: it does not. */
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

/** The count one round later, where lanes are on. */
export function stepTripCount(builder: Builder, count: Value, on: Value, step: Constant): Value {
  const type = vectorType(scalarOf(count.type), count.type.count);
  const ones = builder.convert(Op.SEXT, on, type);
  // All ones is minus one.
  if (step.low === 1 && step.high === 0) return builder.same(Op.SUB, count, ones);
  return builder.same(Op.ADD, count, builder.same(Op.AND, ones, constantSplat(type, step)));
}
