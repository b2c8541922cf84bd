// SPDX-License-Identifier: Apache-2.0
// How far assumptions hold along a row: loops over a row need no test for vectors within that reach (loop unswitching
// over the index set: edge, interior, edge).
//
// A row is walked by lanes of stride 1. Where the moving operand of each assumption keeps its stride over a whole row
// and the other one is uniform there, as long as all assumptions hold, each of them tells how many work-items from a
// first one on it holds for, given that it holds at the first one; the least number is the reach. By induction over
// lanes all hold within it. For `id < n`, `id % n` and `id & m`:
//
//   n - id, n - id % n, and the lanes up to the end of the block of m's low ones
//
// A second divergence analysis, without what is known of a vector's first lane, finds whether that is so. Cost: that
// analysis.
import { type Builder, Op, type Parameter, type Value, constantInt } from "@muxkit/ir";

import type { Assumption, Claim } from "./assumption.ts";
import { type Group, SIGNED } from "./assumption-test.ts";
import type { Divergence } from "./divergence.ts";
import { SliceCopies } from "./slice.ts";

/** True when the reach of every assumption can be told. `along`: the analysis of whole rows. */
export function haveReach(list: readonly Assumption[], along: Divergence): boolean {
  return list.every(({ instruction, claim, moving, fixed, stride }) => {
    if (claim === "chosen") return true;
    const { block } = instruction;
    if (stride !== 1 || block === null || along.shapeAt(moving, block) !== 1) return false;
    return claim === "plain" || along.shapeAt(fixed, block) === (claim === "parallel" ? 1 : 0);
  });
}

/** What a reach is written of. */
export interface ReachFrame {
  readonly groups: readonly Group[];
  /** All assumptions. */
  readonly list: readonly Assumption[];
  /** The values of the function's parameters for the first work-item. */
  readonly valueOf: (parameter: Parameter) => Value;
}

/**
 * Writes a number of work-items from a first vector on for which all assumptions hold, given that they do there. Where
 * numbers end, it may be less than there are lanes.
 */
export function writeReach(builder: Builder, { groups, list, valueOf }: ReachFrame): Value | null {
  const copies = new SliceCopies(builder, valueOf);
  const reaches = [
    ...groups.map((group) => reachOfGroup(builder, group, copies)),
    ...list.flatMap((one) => {
      const write = REACHES[one.claim];
      return write === undefined ? [] : write(one, { builder, copies });
    }),
  ];
  return reaches.length === 0 ? null : reaches.reduce((least, one) => builder.same(Op.UMIN, least, one));
}

/** Work-items after a value that do not wrap around: one less than there are with it, which may not be a number. */
function untilWrap(builder: Builder, value: Value, isSigned: boolean): Value {
  return builder.same(Op.SUB, constantInt(value.type, isSigned ? 0x7fff_ffff : -1), value);
}

/** Comparisons that, with the moving operand on the left, put the bound itself on the side below. */
const BOUND_IS_BELOW: ReadonlySet<number> = new Set([Op.ULE, Op.SLE, Op.UGT, Op.SGT]);
/** The same with the moving operand on the right. */
const BOUND_IS_BELOW_RIGHT: ReadonlySet<number> = new Set([Op.UGE, Op.SGE, Op.ULT, Op.SLT]);
const LESS: ReadonlySet<number> = new Set([Op.SLT, Op.SLE, Op.ULT, Op.ULE]);

/** The reach of comparisons, or of clamps, of one base with one bound: the value that is furthest ahead decides. */
function reachOfGroup(
  builder: Builder,
  { op, claim, isLeft, base, fixed, offsets }: Group,
  copies: SliceCopies,
): Value {
  const first = copies.of(base);
  const bound = copies.of(fixed);
  const furthest = offsets.at(-1) ?? 0;
  const ahead = furthest === 0 ? first : builder.same(Op.ADD, first, constantInt(first.type, furthest));
  const distance = builder.same(Op.SUB, bound, ahead);
  if (claim === "apart") return distance;
  const plain = untilWrap(builder, ahead, SIGNED.has(op));
  const withBound = (): Value => builder.same(Op.ADD, distance, constantInt(first.type, 1));
  if (claim === "clamp") return op === Op.SMIN || op === Op.UMIN ? withBound() : plain;
  const saysBelow = LESS.has(op) === isLeft;
  const isBound = (isLeft ? BOUND_IS_BELOW : BOUND_IS_BELOW_RIGHT).has(op);
  const comparison = isLeft ? builder.compare(op, ahead, bound) : builder.compare(op, bound, ahead);
  const below = isBound ? withBound() : distance;
  return saysBelow ? builder.select(comparison, below, plain) : builder.select(comparison, plain, below);
}

interface ClaimFrame {
  readonly builder: Builder;
  readonly copies: SliceCopies;
}

type WriteReach = (one: Assumption, frame: ClaimFrame) => readonly Value[];

/** Work-items up to the end of the block that a value lies in, of as many as low bits that are set number. */
function untilBlockEnd(builder: Builder, value: Value, low: Value): Value {
  const rest = builder.same(Op.SUB, low, builder.same(Op.AND, value, low));
  return builder.same(Op.ADD, rest, constantInt(value.type, 1));
}

const REACHES: Readonly<Partial<Record<Claim, WriteReach>>> = {
  kept: ({ moving, fixed }, { builder, copies }) => {
    const mask = copies.of(fixed);
    const more = builder.same(Op.ADD, mask, constantInt(mask.type, 1));
    const ones = builder.same(Op.AND, mask, builder.same(Op.XOR, more, constantInt(mask.type, -1)));
    return [untilBlockEnd(builder, copies.of(moving), ones)];
  },
  cleared: ({ moving, fixed }, { builder, copies }) => {
    const mask = copies.of(fixed);
    const less = builder.same(Op.SUB, mask, constantInt(mask.type, 1));
    const zeros = builder.same(Op.AND, less, builder.same(Op.XOR, mask, constantInt(mask.type, -1)));
    return [untilBlockEnd(builder, copies.of(moving), zeros)];
  },
  shifted: ({ moving, fixed }, { builder, copies }) => {
    const amount = copies.of(fixed);
    const block = builder.same(Op.SHL, constantInt(amount.type, 1), amount);
    const low = builder.same(Op.SUB, block, constantInt(amount.type, 1));
    return [untilBlockEnd(builder, copies.of(moving), low)];
  },
  parallel: ({ instruction, moving, fixed }, { builder, copies }) =>
    [moving, fixed].map((value) => untilWrap(builder, copies.of(value), SIGNED.has(instruction.op))),
  plain: ({ instruction, moving }, { builder, copies }) => [
    untilWrap(builder, copies.of(moving), SIGNED.has(instruction.op)),
  ],
  row: ({ instruction, moving, fixed }, { builder, copies }) => {
    const divisor = copies.of(fixed);
    const own = copies.of(instruction);
    const isRemainder = instruction.op === Op.UREM || instruction.op === Op.SREM;
    const rest = isRemainder ? own : builder.same(Op.SUB, copies.of(moving), builder.same(Op.MUL, own, divisor));
    // The last row may go on beyond the numbers that there are.
    return [builder.same(Op.SUB, divisor, rest), untilWrap(builder, copies.of(moving), SIGNED.has(instruction.op))];
  },
};
