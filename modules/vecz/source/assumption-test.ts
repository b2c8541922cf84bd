// SPDX-License-Identifier: Apache-2.0
// The test of assumptions before a vector runs. Comparisons and clamps of values that differ by constants and share a
// bound are tested together; every other claim has a writer of its own. For `id < n`, `id & m` (kept) and `id / n`:
//
//   no wrap of id .. id + span, and (id < n) == (id + span < n)
//   (m & d) == d, where d: the bits in which id .. id + span differ
//   no wrap of id .. id + span, id % n < n (n is not zero), and n - id % n > span
import {
  type Builder,
  type Constant,
  I1,
  type Instruction,
  Op,
  type Parameter,
  type Value,
  constantInt,
} from "@muxkit/ir";

import type { Assumption, Claim } from "./assumption.ts";
import { differingBits } from "./shape.ts";
import { SliceCopies } from "./slice.ts";

/** Ops that take their operands as signed numbers. */
export const SIGNED: ReadonlySet<number> = new Set([
  Op.SLT,
  Op.SLE,
  Op.SGT,
  Op.SGE,
  Op.SMIN,
  Op.SMAX,
  Op.SDIV,
  Op.SREM,
  Op.SEXT,
]);

/** Claims of comparisons and clamps, which are tested in groups. */
export const GROUPED: ReadonlySet<Claim> = new Set<Claim>(["bound", "apart", "clamp"]);

/** Assumptions on values that differ by constants: one test is enough for them. */
export interface Group {
  readonly op: number;
  readonly claim: Claim;
  /** True when the moving operand is the left one. */
  readonly isLeft: boolean;
  readonly base: Value;
  readonly fixed: Value;
  readonly stride: number;
  /** The value that the comparisons must have; null: any, as long as lanes agree. */
  readonly decided: boolean | null;
  /** Constants that are added to the base, in ascending order. */
  readonly offsets: readonly number[];
  readonly instructions: readonly Instruction[];
}

/** A value as another one plus a constant. */
function parted(value: Value): { readonly base: Value; readonly offset: number } {
  let [base, offset] = [value, 0];
  while (base.kind === "instruction" && base.op === Op.ADD) {
    const at = base.operands.findIndex((operand) => operand.kind === "constant");
    const [constant, other] = [base.operands[at], base.operands[1 - at]];
    if (at < 0 || constant?.kind !== "constant" || other === undefined) break;
    offset = (offset + constant.low) | 0;
    base = other;
  }
  return { base, offset };
}

/** Comparisons and clamps in groups. `decided`: conditions that must have a value. */
export function groupsOf(list: readonly Assumption[], decided: ReadonlyMap<Instruction, boolean>): readonly Group[] {
  const numbers = new Map<Value, number>();
  const nameOf = (value: Value): string => {
    if (value.kind === "constant") return `${value.low}c`;
    const number = numbers.get(value) ?? numbers.size;
    numbers.set(value, number);
    return String(number);
  };
  const made = new Map<
    string,
    Omit<Group, "offsets" | "instructions"> & { readonly found: Set<number>; readonly instructions: Instruction[] }
  >();
  for (const { instruction, claim, moving, fixed, stride } of list) {
    if (!GROUPED.has(claim)) continue;
    const { op, operands } = instruction;
    const isLeft = operands[0] === moving;
    const { base, offset } = claim === "apart" ? { base: moving, offset: 0 } : parted(moving);
    const value = claim === "bound" ? (decided.get(instruction) ?? null) : null;
    const key = `${op} ${nameOf(base)} ${nameOf(fixed)} ${isLeft} ${stride} ${value}`;
    const known = made.get(key);
    if (known === undefined)
      made.set(key, {
        op,
        claim,
        isLeft,
        base,
        fixed,
        stride,
        decided: value,
        found: new Set([offset]),
        instructions: [instruction],
      });
    else {
      known.found.add(offset);
      known.instructions.push(instruction);
    }
  }
  return [...made.values()].flatMap(({ found, instructions, ...rest }): Group[] => {
    const offsets = [...found].toSorted((a, b) => a - b);
    const [least = 0] = offsets;
    if ((offsets.at(-1) ?? 0) - least < FURTHEST) return [{ ...rest, offsets, instructions }];
    // Values that are further apart are tested separately.
    return offsets.map((offset) => ({
      ...rest,
      offsets: [offset],
      instructions: instructions.filter((one) =>
        one.operands.some((value) => parted(value).base === rest.base && parted(value).offset === offset),
      ),
    }));
  });
}

/** How far apart values may be that are tested together. */
const FURTHEST = 2 ** 30;
/** Constants up to this size are taken for the lower end of a range, other bounds for its upper end. */
const LARGEST_BEGINNING = 64;

/** True when lanes inside the range are below the bound. */
function isBelow({ fixed }: Group): boolean {
  return fixed.kind !== "constant" || Math.abs(fixed.low | 0) > LARGEST_BEGINNING;
}

const LESS: ReadonlySet<number> = new Set([Op.SLT, Op.SLE, Op.ULT, Op.ULE]);

/** The value of a group's comparisons inside the range. */
function insideValue(group: Group): boolean {
  const saysBelow = LESS.has(group.op) === group.isLeft;
  return group.decided ?? saysBelow === isBelow(group);
}

/** True when the test of a group determines the value of its comparisons. */
function isKnown(group: Group): boolean {
  return group.claim === "bound" && (group.decided !== null || group.offsets.length > 1);
}

/**
 * Conditions that the test determines: no lane is equal to what it is compared with; a selection needs one value; or
 * several comparisons with one bound all have their value inside the range.
 */
export function knownConditions(groups: readonly Group[]): ReadonlyMap<Instruction, boolean> {
  const known = new Map<Instruction, boolean>();
  for (const group of groups) {
    if (group.claim === "apart") for (const one of group.instructions) known.set(one, group.op === Op.NE);
    else if (isKnown(group)) for (const one of group.instructions) known.set(one, insideValue(group));
  }
  return known;
}

/** What a test is written of. */
export interface TestFrame {
  readonly groups: readonly Group[];
  /** All assumptions. */
  readonly list: readonly Assumption[];
  /** Lanes. */
  readonly width: number;
  /** The values of the function's parameters. */
  readonly valueOf: (parameter: Parameter) => Value;
}

/** Writes the test of all assumptions; the result is an i1. */
export function writeTest(builder: Builder, frame: TestFrame): Value {
  const writer = new TestWriter(builder, frame);
  for (const group of frame.groups) writer.group(group);
  const seen = new Set<string>();
  for (const one of frame.list) writer.claim(one, seen);
  return writer.all ?? constantInt(I1, 1);
}

/** Writes conditions, and joins them. */
class TestWriter {
  /** The conjunction; null: nothing is required. */
  all: Value | null = null;
  private readonly builder: Builder;
  private readonly frame: TestFrame;
  private readonly copies: SliceCopies;
  private readonly numbers = new Map<Value, number>();

  constructor(builder: Builder, frame: TestFrame) {
    this.builder = builder;
    this.frame = frame;
    this.copies = new SliceCopies(builder, frame.valueOf);
  }

  private require(condition: Value): void {
    this.all = this.all === null ? condition : this.builder.same(Op.AND, this.all, condition);
  }

  private plus(value: Value, offset: number): Value {
    return offset === 0 ? value : this.builder.same(Op.ADD, value, constantInt(value.type, offset));
  }

  /** Comparisons or clamps of one base with one bound. */
  group(group: Group): void {
    const { builder } = this;
    const { op, claim, isLeft, base, fixed, stride, offsets } = group;
    const first = this.copies.of(base);
    const bound = this.copies.of(fixed);
    const span = stride * (this.frame.width - 1);
    if (claim === "apart") {
      // No lane is equal: the distance to the fixed value is not within the lanes.
      const distance = stride > 0 ? builder.same(Op.SUB, bound, first) : builder.same(Op.SUB, first, bound);
      this.require(builder.compare(Op.UGT, distance, constantInt(first.type, Math.abs(span))));
      return;
    }
    const isSigned = SIGNED.has(op);
    const least = this.plus(first, (offsets[0] ?? 0) + Math.min(0, span));
    const most = this.plus(first, (offsets.at(-1) ?? 0) + Math.max(0, span));
    // Lanes do not wrap around.
    this.require(builder.compare(isSigned ? Op.SLE : Op.ULE, least, most));
    const compare = (value: Value): Value =>
      isLeft ? builder.compare(op, value, bound) : builder.compare(op, bound, value);
    if (claim === "clamp") {
      const isMinimum = op === Op.SMIN || op === Op.UMIN;
      const within = isMinimum ? (isSigned ? Op.SLE : Op.ULE) : isSigned ? Op.SGE : Op.UGE;
      this.require(builder.compare(within, isMinimum ? most : least, bound));
    } else if (!isKnown(group)) this.require(builder.compare(Op.EQ, compare(least), compare(most)));
    else {
      // The comparison is monotonic: the end where it would have the other value first decides.
      const saysBelow = LESS.has(op) === isLeft;
      const outermost = compare(saysBelow === insideValue(group) ? most : least);
      this.require(insideValue(group) ? outermost : builder.same(Op.XOR, outermost, constantInt(I1, 1)));
    }
  }

  /** A claim that has a test of its own, unless it was `seen`. */
  claim(one: Assumption, seen: Set<string>): void {
    const write = WRITERS[one.claim];
    if (write === undefined) return;
    const { instruction, claim, moving, fixed, stride } = one;
    const key = [claim, SIGNED.has(instruction.op), stride, this.numberOf(moving), this.numberOf(fixed)].join(" ");
    if (seen.has(key)) return;
    seen.add(key);
    write(one, {
      builder: this.builder,
      width: this.frame.width,
      first: this.copies.of(moving),
      fixed: this.copies.of(fixed),
      copyOf: (value) => this.copies.of(value),
      require: (condition) => this.require(condition),
      plus: (value, offset) => this.plus(value, offset),
    });
  }

  private numberOf(value: Value): string {
    if (value.kind === "constant") return `${value.low}c`;
    const number = this.numbers.get(value) ?? this.numbers.size;
    this.numbers.set(value, number);
    return String(number);
  }
}

/** What the writer of a claim gets. */
interface ClaimFrame {
  readonly builder: Builder;
  readonly width: number;
  /** Lane 0 of the moving operand, and the other one. */
  readonly first: Value;
  readonly fixed: Value;
  readonly copyOf: (value: Value) => Value;
  readonly require: (condition: Value) => void;
  readonly plus: (value: Value, offset: number) => Value;
}

type WriteClaim = (one: Assumption, frame: ClaimFrame) => void;

/** Requires that steps from a first lane do not wrap around. */
function requirePlain(
  first: Value,
  stride: number,
  isSigned: boolean,
  { builder, width, require, plus }: ClaimFrame,
): void {
  const last = plus(first, stride * (width - 1));
  require(builder.compare(isSigned ? Op.SLE : Op.ULE, stride > 0 ? first : last, stride > 0 ? last : first));
}

/** The bits in which lanes differ: those from the highest one in which the ends do, down to the stride's lowest. */
function differing({ stride, zeros }: Assumption, { builder, width, first, plus }: ClaimFrame): Value {
  const known = differingBits(stride, width, zeros);
  if (known !== null) return constantInt(first.type, known);
  const ends = builder.same(Op.XOR, first, plus(first, stride * (width - 1)));
  const ones = constantInt(first.type, -1);
  const below = builder.same(Op.LSHR, ones, builder.same(Op.CLZ, ends));
  const lowest = stride & -stride;
  return lowest === 1 ? below : builder.same(Op.AND, below, constantInt(first.type, -lowest));
}

function zero({ type }: Value): Constant {
  return constantInt(type, 0);
}

const WRITERS: Readonly<Partial<Record<Claim, WriteClaim>>> = {
  kept: (one, frame) => {
    const { builder, fixed, require } = frame;
    const bits = differing(one, frame);
    require(builder.compare(Op.EQ, builder.same(Op.AND, fixed, bits), bits));
  },
  cleared: (one, frame) => {
    const { builder, fixed, require } = frame;
    const bits = builder.same(Op.AND, fixed, differing(one, frame));
    require(builder.compare(Op.EQ, bits, zero(fixed)));
  },
  shifted: (one, frame) => {
    const { builder, fixed, require } = frame;
    const bits = builder.same(Op.LSHR, differing(one, frame), fixed);
    require(builder.compare(Op.EQ, bits, zero(fixed)));
  },
  parallel: ({ instruction, stride }, frame) => {
    const isSigned = SIGNED.has(instruction.op);
    requirePlain(frame.first, stride, isSigned, frame);
    requirePlain(frame.fixed, stride, isSigned, frame);
  },
  plain: ({ instruction, stride }, frame) => requirePlain(frame.first, stride, SIGNED.has(instruction.op), frame),
  row: ({ instruction, stride }, frame) => {
    const { builder, width, first, fixed, copyOf, require } = frame;
    const isSigned = SIGNED.has(instruction.op);
    requirePlain(first, stride, isSigned, frame);
    // Of numbers that are not negative, signed division is unsigned division.
    if (isSigned) {
      require(builder.compare(Op.SGE, first, zero(first)));
      require(builder.compare(Op.SGT, fixed, zero(first)));
    }
    const own = copyOf(instruction);
    const isRemainder = instruction.op === Op.UREM || instruction.op === Op.SREM;
    const rest = isRemainder ? own : builder.same(Op.SUB, first, builder.same(Op.MUL, own, fixed));
    // What is divided by zero is its own remainder.
    if (!isSigned && fixed.kind !== "constant") require(builder.compare(Op.ULT, rest, fixed));
    const left = builder.same(Op.SUB, fixed, rest);
    require(builder.compare(Op.UGT, left, constantInt(first.type, stride * (width - 1))));
  },
};
