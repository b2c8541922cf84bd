// SPDX-License-Identifier: Apache-2.0
// Induction variables that lanes take out of a divergent loop: what a lane leaves with is determined by the iterations
// that it ran. As a vector that is stepped under the mask of active lanes it costs one addition an iteration, and no
// select where lanes leave.
//
// Compilers replace the last value of a counter by the bound that it has come to (exit value replacement, as LLVM's
// indvars does): `while (i < n) { if (...) break; i++; }` leaves with i, or with n. The bound is recognised where it is
// certain that the two are equal: the test is `next != n`; or it is `next < n`, the step is 1, and a test before the
// loop says `start < n`.
import {
  type Block,
  type BlockMap,
  type Builder,
  type Constant,
  type InductionStep,
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

/** The values of a comparison on one of the edges of a branch: the op that holds there. */
interface Held {
  readonly op: number;
  readonly left: Value;
  readonly right: Value;
}

/** What holds where a comparison is false. */
const OPPOSITES: Readonly<Record<number, number>> = {
  [Op.EQ]: Op.NE,
  [Op.NE]: Op.EQ,
  [Op.SLT]: Op.SGE,
  [Op.SGE]: Op.SLT,
  [Op.ULT]: Op.UGE,
  [Op.UGE]: Op.ULT,
};

/** What holds on an edge of a block; null: nothing that is known. */
function heldOn({ terminator }: Block, edge: number): Held | null {
  const [condition] = terminator.operands;
  if (terminator.op !== Op.COND_BR || condition?.kind !== "instruction") return null;
  const op = edge === 0 ? condition.op : OPPOSITES[condition.op];
  const [left, right] = condition.operands;
  return op === undefined || left === undefined || right === undefined ? null : { op, left, right };
}

function isZero(value: Value): boolean {
  return value.kind === "constant" && value.low === 0 && value.high === 0;
}

/** True when `start < bound` holds before a loop, by a branch on the only way there. */
function isGuarded(loop: Loop, before: BlockMap<readonly Block[]>, less: number, start: Value, bound: Value): boolean {
  const entries = (before.get(loop.header) ?? []).filter((block) => !loop.blocks.has(block));
  let block = loop.header;
  for (let [from, ...others] = entries; from !== undefined && others.length === 0;) {
    const edge = from.successors.indexOf(block);
    const held = from.successors.lastIndexOf(block) === edge ? heldOn(from, edge) : null;
    if (held?.op === less && held.left === start && held.right === bound) return true;
    if (held?.op === Op.NE && less === Op.ULT && held.left === bound && isZero(held.right) && isZero(start))
      return true;
    block = from;
    [from, ...others] = before.get(block) ?? [];
  }
  return false;
}

/** The value that a counter starts with; null: there are several. */
function startOf(loop: Loop, before: BlockMap<readonly Block[]>, counter: Parameter): Value | null {
  const position = loop.header.parameters.indexOf(counter);
  const given = (before.get(loop.header) ?? [])
    .filter((block) => !loop.blocks.has(block))
    .flatMap((block) => argumentsFor(block, loop.header, position));
  return given.length === 1 ? (given[0] ?? null) : null;
}

/** The bound that equals the stepped counter where a loop is left at the end of its latch; null: none is known to. */
function boundReached(
  loop: Loop,
  before: BlockMap<readonly Block[]>,
  counter: Parameter,
  { next, step }: InductionStep,
): Value | null {
  const [latch] = loop.latches;
  const staying = latch?.successors.indexOf(loop.header) ?? -1;
  const held = latch === undefined ? null : heldOn(latch, staying);
  if (held === null || held.left !== next) return null;
  const { op, right } = held;
  const home = right.kind === "constant" ? null : right.block;
  if (home !== null && loop.blocks.has(home)) return null;
  if (op === Op.NE) return right;
  if ((op !== Op.ULT && op !== Op.SLT) || step.low !== 1 || step.high !== 0) return null;
  // In each iteration counter < bound, by the guard or by the test before: one more is at most the bound.
  const start = startOf(loop, before, counter);
  return start !== null && isGuarded(loop, before, op, start, right) ? right : null;
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
    const bound = boundReached(loop, divergence.before, counter, found);
    const isStepped = (value: Value | undefined, from: Block): boolean =>
      value === found.next || (value !== undefined && value === bound && loop.latches.includes(from));
    const stepped = new Set<Block>();
    const isCount = [...exits].every((from) => {
      const given = argumentsFor(from, target, index);
      if (given.every((value) => isStepped(value, from))) stepped.add(from);
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
