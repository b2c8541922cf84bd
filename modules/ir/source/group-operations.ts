// SPDX-License-Identifier: Apache-2.0
// Semantics of group operations: the op that combines values, its identity, and the order in which values are combined
// (docs/kernel-abi.md), so that every implementation rounds alike.
import { assert } from "@muxkit/cargo";

import * as Op from "./generated/op.ts";
import type { AtomicKind } from "./instruction.ts";

/** Ops with a `kind`. */
const COMBINING: ReadonlySet<number> = new Set([
  Op.ATOMIC_RMW,
  Op.GROUP_REDUCE,
  Op.GROUP_SCAN_INCLUSIVE,
  Op.GROUP_SCAN_EXCLUSIVE,
  Op.REDUCE,
]);

/** True for ops with a `kind`. */
export function combines(op: number): boolean {
  return COMBINING.has(op);
}

/** True for group operations. @public */
export function isGroupOperation(op: number): boolean {
  return op >= Op.GROUP_ALL && op <= Op.GROUP_SCAN_EXCLUSIVE;
}

/**
 * Reductions use this many partial results: item i belongs to strand i modulo STRANDS. Scans work on blocks of 16.
 *
 * @public
 */
export const STRANDS = 16;

/** Positive infinity of each float width. */
const INFINITIES: Readonly<Record<number, bigint>> = { 16: 0x7c00n, 32: 0x7f80_0000n, 64: 0x7ff0_0000_0000_0000n };
const ONES: Readonly<Record<number, bigint>> = { 16: 0x3c00n, 32: 0x3f80_0000n, 64: 0x3ff0_0000_0000_0000n };

interface KindRow {
  /** The op that combines two values. */
  readonly op: number;
  /** Bits of the identity: `op(x, neutral)` is x, for every x. */
  readonly neutral: (bits: number) => bigint;
  /** Bits that the first item of an exclusive scan gets. */
  readonly first: (bits: number) => bigint;
}

const row = (op: number, neutral: (bits: number) => bigint, first: (bits: number) => bigint = neutral): KindRow => ({
  op,
  neutral,
  first,
});
const zero = (): bigint => 0n;
const ones = (bits: number): bigint => (1n << BigInt(bits)) - 1n;
const sign = (bits: number): bigint => 1n << BigInt(bits - 1);
const infinity = (bits: number): bigint => INFINITIES[bits] ?? 0n;
// The minimum of a NaN and a number is the number, so a NaN changes nothing.
const nan = (bits: number): bigint => infinity(bits) | (infinity(bits) >> 1n);

const KINDS: Readonly<Partial<Record<AtomicKind, KindRow>>> = {
  add: row(Op.ADD, zero),
  mul: row(Op.MUL, () => 1n),
  and: row(Op.AND, ones),
  or: row(Op.OR, zero),
  xor: row(Op.XOR, zero),
  smin: row(Op.SMIN, (bits) => ones(bits) >> 1n),
  smax: row(Op.SMAX, sign),
  umin: row(Op.UMIN, ones),
  umax: row(Op.UMAX, zero),
  // -0 + x is x, for zeros of either sign too.
  fadd: row(Op.FADD, sign, zero),
  fmul: row(Op.FMUL, (bits) => ONES[bits] ?? 0n),
  fmin: row(Op.FMIN, nan, infinity),
  fmax: row(Op.FMAX, nan, (bits) => infinity(bits) | sign(bits)),
};

/** How a kind combines values of a width. @public */
export interface Combination {
  /** The op that combines two values. */
  readonly op: number;
  /** Bits of the identity, the value of an item that does not take part. */
  readonly neutral: bigint;
  /** Bits that the first item of an exclusive scan gets. */
  readonly first: bigint;
}

/**
 * The combination of a kind for values of `bits` bits. Throws InternalError for kinds that groups do not have.
 *
 * @public
 */
export function combinationOf(kind: AtomicKind, bits: number): Combination {
  const found = KINDS[kind];
  assert(found !== undefined, () => `groups do not combine by ${kind}`);
  return { op: found.op, neutral: found.neutral(bits), first: found.first(bits) };
}

type Combine = (left: bigint, right: bigint) => bigint;

/** Reduces values (null: does not take part): each strand in order, then strands at distance 8, 4, 2 and 1. @public */
export function reduceItems(values: readonly (bigint | null)[], neutral: bigint, combine: Combine): bigint {
  const strands = Array.from({ length: STRANDS }, () => neutral);
  values.forEach((value, i) => {
    const strand = i % STRANDS;
    strands[strand] = combine(strands[strand] ?? neutral, value ?? neutral);
  });
  for (let step = STRANDS / 2; step >= 1; step /= 2)
    for (let i = 0; i < step; i++) strands[i] = combine(strands[i] ?? neutral, strands[i + step] ?? neutral);
  return strands[0] ?? neutral;
}

/** Reduces the lanes of a vector in the order of `reduce`: halves are combined until one lane is left. @public */
export function reduceLanes<T>(lanes: readonly T[], combine: (left: T, right: T) => T): T {
  let list = lanes;
  while (list.length > 1) {
    const half = 2 ** Math.ceil(Math.log2(list.length) - 1);
    const upper = list.slice(half);
    list = list.slice(0, half).map((left, i) => {
      const right = upper[i];
      return right === undefined ? left : combine(left, right);
    });
  }
  const [last] = list;
  assert(last !== undefined, "a vector has lanes");
  return last;
}

/**
 * Inclusive scan: within blocks of 16 each item combines with the items 1, 2, 4 and 8 before it (Hillis and Steele
 * 1986), then with the last result of the previous block.
 *
 * @public
 */
export function scanItems(values: readonly (bigint | null)[], neutral: bigint, combine: Combine): bigint[] {
  const result: bigint[] = [];
  let carry = neutral;
  for (let from = 0; from < values.length; from += STRANDS) {
    const block = Array.from({ length: STRANDS }, (_, i) => values[from + i] ?? neutral);
    for (let step = 1; step < STRANDS; step *= 2)
      for (let i = STRANDS - 1; i >= step; i--) block[i] = combine(block[i - step] ?? neutral, block[i] ?? neutral);
    const before = carry;
    result.push(...block.map((value) => combine(before, value)));
    carry = result.at(-1) ?? neutral;
  }
  return result.slice(0, values.length);
}
