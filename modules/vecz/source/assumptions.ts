// SPDX-License-Identifier: Apache-2.0
// Versioning by a runtime test: assumptions about lanes that one test per vector confirms before the vector runs. Under
// them comparisons of ids with bounds are uniform and clamped indices stay contiguous
// (docs/decisions/028-index-set-splitting.md), so interior vectors run a variant without masks; vectors at an edge fail
// the test and run the general variant.
//
// A candidate is an integer comparison, min or max between an operand in steps (lane 0 + i * stride) and a uniform one,
// both computable from parameters before the vector runs (slice.ts). Assuming some makes other values uniform, so
// divergence analysis and the search alternate until nothing new is found (fixpoint) or MOST_ASSUMED is reached.
// Assumptions that differ by constants and share a bound are tested together. For `id < n`:
//
//   test: no wrap of id .. id + width - 1, and (id < n) == (id + width - 1 < n)
//
// Cost: one divergence analysis an iteration; the test is a few scalar instructions a vector.
import { assert } from "@muxkit/cargo";
import {
  type Builder,
  I1,
  type Instruction,
  type IrFunction,
  Op,
  type Parameter,
  type Value,
  cloneInstruction,
  constantInt,
} from "@muxkit/ir";
import { addressType } from "@muxkit/machine-target";

import type { Divergence } from "./divergence.ts";
import { slice } from "./slice.ts";

/** Ordered comparisons of integers, by signedness. */
const ORDERED_SIGNED: ReadonlySet<number> = new Set([Op.SLT, Op.SLE, Op.SGT, Op.SGE]);
const ORDERED_UNSIGNED: ReadonlySet<number> = new Set([Op.ULT, Op.ULE, Op.UGT, Op.UGE]);
const CLAMPS_SIGNED: ReadonlySet<number> = new Set([Op.SMIN, Op.SMAX]);
const CLAMPS_UNSIGNED: ReadonlySet<number> = new Set([Op.UMIN, Op.UMAX]);
const EQUALITIES: ReadonlySet<number> = new Set([Op.EQ, Op.NE]);

/** Most assumptions of one function. */
const MOST_ASSUMED = 64;

/** One assumption. */
interface Assumption {
  readonly instruction: Instruction;
  /** The operand that differs from lane to lane, and its stride. */
  readonly moving: Value;
  readonly stride: number;
  readonly fixed: Value;
}

/** Assumptions of one function. */
export interface Assumptions {
  /** The instructions whose uniformity is assumed. */
  readonly assumed: ReadonlySet<Instruction>;
  /** Conditions whose value the test determines, not only that all lanes agree. */
  readonly known: ReadonlyMap<Instruction, boolean>;
  /** Writes the test, given the values of the function's parameters. The result: an i1. */
  readonly write: (builder: Builder, valueOf: (parameter: Parameter) => Value) => Value;
}

/** One iteration of the search: the candidates under a divergence analysis. */
function candidates(divergence: Divergence, known: ReadonlySet<Instruction>): Assumption[] {
  const found: Assumption[] = [];
  for (const block of divergence.fn.blocks) {
    for (const instruction of block.instructions) {
      const { op, operands } = instruction;
      const isComparison = ORDERED_SIGNED.has(op) || ORDERED_UNSIGNED.has(op) || EQUALITIES.has(op);
      if ((!isComparison && !CLAMPS_SIGNED.has(op) && !CLAMPS_UNSIGNED.has(op)) || known.has(instruction)) continue;
      const [left, right] = operands;
      if (
        left === undefined ||
        right === undefined ||
        left.type !== addressType(divergence) ||
        divergence.shapeOf(instruction) !== null
      )
        continue;
      const shapes = [divergence.shapeAt(left, block), divergence.shapeAt(right, block)];
      const moving = shapes[0] === 0 ? right : left;
      const fixed = shapes[0] === 0 ? left : right;
      const stride = divergence.shapeAt(moving, block);
      if (divergence.shapeAt(fixed, block) !== 0 || stride === null || stride === 0) continue;
      found.push({ instruction, moving, fixed, stride });
    }
  }
  return found;
}

/**
 * Assumptions that make more values of a function uniform; null: there are none that can be tested before it runs.
 * `analyse`: the divergence analysis under assumptions. `isKnown`: the parameters that tests may use.
 */
export function findAssumptions(
  divergence: Divergence,
  width: number,
  analyse: (assumed: ReadonlySet<Instruction>) => Divergence,
  isKnown: (parameter: Parameter) => boolean = () => true,
): Assumptions | null {
  const assumed = new Set<Instruction>();
  const list: Assumption[] = [];
  const needed = new Set<Instruction>();
  let current = divergence;
  for (
    let found = candidates(current, assumed);
    found.length > 0 && list.length < MOST_ASSUMED;
    found = candidates(current, assumed)
  ) {
    const before = list.length;
    for (const one of found) {
      const slices = new Set(needed);
      if (list.length >= MOST_ASSUMED || !slice(one.moving, slices, isKnown) || !slice(one.fixed, slices, isKnown))
        continue;
      for (const instruction of slices) needed.add(instruction);
      list.push(one);
      assumed.add(one.instruction);
    }
    if (list.length === before) break;
    current = analyse(assumed);
  }
  if (list.length === 0) return null;
  const groups = groupsOf(list);
  return {
    assumed,
    known: knownConditions(groups),
    write: (builder, valueOf) => writeTest(builder, groups, width, valueOf),
  };
}

/** Writes a test of values for the parameters of a function, in their order. */
export function testWriter(
  { write }: Assumptions,
  fn: IrFunction,
): (builder: Builder, values: readonly Value[]) => Value {
  const positions = new Map(fn.parameters.map((parameter, i) => [parameter, i]));
  return (builder, values) =>
    write(builder, (parameter) => {
      const value = values[positions.get(parameter) ?? -1];
      assert(value !== undefined, () => `a value for the parameter ${parameter.name}`);
      return value;
    });
}

/** Assumptions on values that differ by constants: one test is enough for them. */
interface Group {
  readonly op: number;
  /** True when the moving operand is the left one. */
  readonly isLeft: boolean;
  readonly base: Value;
  readonly fixed: Value;
  readonly stride: number;
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

function groupsOf(list: readonly Assumption[]): readonly Group[] {
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
  for (const { instruction, moving, fixed, stride } of list) {
    const { op, operands } = instruction;
    const isLeft = operands[0] === moving;
    const { base, offset } = EQUALITIES.has(op) ? { base: moving, offset: 0 } : parted(moving);
    const key = `${op} ${nameOf(base)} ${nameOf(fixed)} ${isLeft} ${stride}`;
    const known = made.get(key);
    if (known === undefined)
      made.set(key, { op, isLeft, base, fixed, stride, found: new Set([offset]), instructions: [instruction] });
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
  return saysBelow === isBelow(group);
}

function isClamp(op: number): boolean {
  return CLAMPS_SIGNED.has(op) || CLAMPS_UNSIGNED.has(op);
}

/**
 * Conditions that the test determines: no lane is equal to what it is compared with, and several comparisons with one
 * bound all have their value inside the range.
 */
function knownConditions(groups: readonly Group[]): ReadonlyMap<Instruction, boolean> {
  const known = new Map<Instruction, boolean>();
  for (const group of groups) {
    if (isClamp(group.op)) continue;
    if (EQUALITIES.has(group.op)) for (const one of group.instructions) known.set(one, group.op === Op.NE);
    else if (group.offsets.length > 1) for (const one of group.instructions) known.set(one, insideValue(group));
  }
  return known;
}

function writeTest(
  builder: Builder,
  groups: readonly Group[],
  width: number,
  valueOf: (parameter: Parameter) => Value,
): Value {
  const copies = new Map<Instruction, Value>();
  const copyOf = (value: Value): Value => {
    if (value.kind === "constant") return value;
    if (value.kind === "parameter") return valueOf(value);
    const known = copies.get(value);
    if (known !== undefined) return known;
    const copy = cloneInstruction(value);
    copy.operands = value.operands.map(copyOf);
    builder.insert(copy);
    copies.set(value, copy);
    return copy;
  };
  let all: Value | null = null;
  const require = (condition: Value): void => {
    all = all === null ? condition : builder.same(Op.AND, all, condition);
  };
  const plus = (value: Value, offset: number): Value =>
    offset === 0 ? value : builder.same(Op.ADD, value, constantInt(value.type, offset));
  for (const group of groups) {
    const { op, isLeft, base, fixed, stride, offsets } = group;
    const first = copyOf(base);
    const bound = copyOf(fixed);
    const span = stride * (width - 1);
    if (EQUALITIES.has(op)) {
      // No lane is equal: the distance to the fixed value is not within the lanes.
      const distance = stride > 0 ? builder.same(Op.SUB, bound, first) : builder.same(Op.SUB, first, bound);
      require(builder.compare(Op.UGT, distance, constantInt(first.type, Math.abs(span))));
      continue;
    }
    const isSigned = ORDERED_SIGNED.has(op) || CLAMPS_SIGNED.has(op);
    const least = plus(first, (offsets[0] ?? 0) + Math.min(0, span));
    const most = plus(first, (offsets.at(-1) ?? 0) + Math.max(0, span));
    // Lanes do not wrap around.
    require(builder.compare(isSigned ? Op.SLE : Op.ULE, least, most));
    const compare = (value: Value): Value =>
      isLeft ? builder.compare(op, value, bound) : builder.compare(op, bound, value);
    if (isClamp(op)) {
      const isMinimum = op === Op.SMIN || op === Op.UMIN;
      const within = isMinimum ? (isSigned ? Op.SLE : Op.ULE) : isSigned ? Op.SGE : Op.UGE;
      require(builder.compare(within, isMinimum ? most : least, bound));
    } else if (offsets.length === 1) require(builder.compare(Op.EQ, compare(least), compare(most)));
    else {
      const outermost = compare(isBelow(group) ? most : least);
      require(insideValue(group) ? outermost : builder.same(Op.XOR, outermost, constantInt(I1, 1)));
    }
  }
  return all ?? constantInt(I1, 1);
}
