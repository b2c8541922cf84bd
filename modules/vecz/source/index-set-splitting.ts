// SPDX-License-Identifier: Apache-2.0
// Which work-items of a row do more than the rest: comparisons with the id that moves along a row bound them, and all others do the same as one another, so that it is enough that one does it (decision 28).
// A step of a tree in local memory costs as many vectors as take part then, and a kernel that does nothing for most ids costs nothing for them.
import {
  type Builder,
  type DataLayout,
  I1,
  type Instruction,
  type IrFunction,
  Op,
  type Parameter,
  type Value,
  VOLATILE,
  cloneFunction,
  cloneInstruction,
  constantInt,
  hasEffect,
  replaceUses,
} from "@muxkit/ir";
import { addressType } from "@muxkit/machine-target";

import { Divergence, type ParameterFacts } from "./divergence.ts";
import { normalize } from "./normalize.ts";
import { slice } from "./slice.ts";

/** How to look for the range of a function. @public */
export interface IndexSetSplitRequest {
  /** Sizes of types. */
  readonly layout: DataLayout;
  /** Dimension along which rows lie. */
  readonly axis: number;
  /** Parameters that differ along a row, by their position. All others are known before a row is run. */
  readonly parameters: ReadonlyMap<number, ParameterFacts>;
  /** Makes plain what constants in the place of conditions leave of a function. */
  readonly tidy: (fn: IrFunction) => void;
  /** Name of the function for what lies outside. */
  readonly name: string;
}

/** IndexRange in a row. There is none where the end does not lie behind the beginning. @public */
export interface IndexRange {
  /** The first one. */
  readonly from: Value;
  /** The one behind the last. */
  readonly end: Value;
}

/** A range of each row, outside of which all work-items do the same. @public */
export interface IndexSetSplit {
  /** What they do, which stands in no module yet: run once, it stands for all that lie outside. Its parameters are those of the function. */
  readonly outside: IrFunction;
  /** Writes the range, given what stands for the function's parameters in the first work-item of a row of so many, which are one at the least. */
  readonly write: (builder: Builder, values: readonly Value[], length: Value) => IndexRange;
}

/** How a comparison says which values it holds for, when what moves is on its left: those below a bound, those above, or one. */
type Side = "below" | "above" | "at";

/** A comparison as a range. */
interface Order {
  readonly side: Side;
  /** True when the bound itself belongs to it. */
  readonly isClosed: boolean;
  readonly isSigned: boolean;
}

function order(side: Side, isClosed: boolean, isSigned: boolean): Order {
  return { side, isClosed, isSigned };
}

const ORDERS: ReadonlyMap<number, Order> = new Map([
  [Op.ULT, order("below", false, false)],
  [Op.ULE, order("below", true, false)],
  [Op.UGT, order("above", false, false)],
  [Op.UGE, order("above", true, false)],
  [Op.SLT, order("below", false, true)],
  [Op.SLE, order("below", true, true)],
  [Op.SGT, order("above", false, true)],
  [Op.SGE, order("above", true, true)],
  [Op.EQ, order("at", true, false)],
  [Op.NE, order("at", true, false)],
]);

const OTHER_SIDE: Readonly<Record<Side, Side>> = { below: "above", above: "below", at: "at" };

/** A comparison with the values for which it is not what it is outside of the range. */
interface Condition extends Order {
  readonly instruction: Instruction;
  readonly moving: Value;
  readonly fixed: Value;
  /** What it is outside. */
  readonly outside: boolean;
}

/** Most comparisons of which it is tried what they are outside. */
const MOST_CONDITIONS = 3;

/** Comparisons of something that goes up by one along a row with something that is known before. */
function comparisons(divergence: Divergence): Omit<Condition, "outside">[] {
  const found: Omit<Condition, "outside">[] = [];
  for (const block of divergence.fn.blocks) {
    for (const instruction of block.instructions) {
      const known = ORDERS.get(instruction.op);
      const [left, right] = instruction.operands;
      if (known === undefined || left === undefined || right === undefined || left.type !== addressType(divergence))
        continue;
      const shapes = [divergence.shapeAt(left, block), divergence.shapeAt(right, block)];
      const isLeft = shapes[0] === 1 && shapes[1] === 0;
      if (!isLeft && (shapes[0] !== 0 || shapes[1] !== 1)) continue;
      const work = new Set<Instruction>();
      if (!slice(left, work) || !slice(right, work)) continue;
      found.push({
        ...known,
        side: isLeft ? known.side : OTHER_SIDE[known.side],
        instruction,
        moving: isLeft ? left : right,
        fixed: isLeft ? right : left,
      });
    }
  }
  return found;
}

/** What the comparison holds for, or all else. */
function withOutside(comparison: Omit<Condition, "outside">, outside: boolean): Condition {
  if (comparison.side === "at") return { ...comparison, outside: comparison.instruction.op === Op.NE };
  return outside
    ? { ...comparison, side: OTHER_SIDE[comparison.side], isClosed: !comparison.isClosed, outside }
    : { ...comparison, outside };
}

/** True when all work-items do the same, and once is enough. */
function isOnceEnough(divergence: Divergence): boolean {
  if (!divergence.isTractable || divergence.branches.size > 0 || divergence.loops.size > 0) return false;
  return divergence.dominators.order.every((block) =>
    block.instructions.every(({ op, operands, flags, isTerminator }) => {
      if (op === Op.DEBUG_VALUE) return true;
      const isSame = operands.every((value) => divergence.shapeAt(value, block) === 0);
      if (isTerminator) return op !== Op.UNREACHABLE && isSame;
      if (op === Op.STORE || op === Op.LOAD) return (flags & VOLATILE) === 0 && isSame;
      return hasEffect(op, "s") && op !== Op.CALL;
    }),
  );
}

/** A function whose conditions are what they are outside; null: its work-items differ then. */
function outsideOf(
  source: IrFunction,
  conditions: readonly Condition[],
  request: IndexSetSplitRequest,
): IrFunction | null {
  const fn = cloneFunction(source, request.name);
  source.blocks.forEach(({ instructions }, at) => {
    const copies = fn.blocks[at]?.instructions ?? [];
    const known = new Map<Value, Value>();
    for (const { instruction, outside } of conditions) {
      const copy = copies[instructions.indexOf(instruction)];
      if (copy !== undefined) known.set(copy, constantInt(I1, outside ? 1 : 0));
    }
    if (known.size > 0) replaceUses(fn, known);
  });
  request.tidy(fn);
  const divergence = analyse(fn, request);
  return divergence !== null && isOnceEnough(divergence) ? fn : null;
}

function analyse(fn: IrFunction, { layout, axis, parameters }: IndexSetSplitRequest): Divergence | null {
  const exit = normalize(fn);
  if (exit === null) return null;
  const facts = new Map<Parameter, ParameterFacts>();
  for (const [index, one] of parameters) {
    const parameter = fn.parameters[index];
    // What is known of the low bits of a vector's first lane is not known of all places in a row.
    if (parameter !== undefined) facts.set(parameter, { shape: one.shape, lowZeros: 0 });
  }
  return new Divergence(fn, exit, {
    width: 2,
    layout,
    axis,
    parameters: facts,
    assumed: new Set(),
    interleaved: new Set(),
    isSubGroup: false,
    areVariablesApart: true,
  });
}

/** Finds the range of each row outside of which all work-items do the same; null: there is none that is known before a row is run. The function is not changed. @public */
export function splitIndexSet(source: IrFunction, request: IndexSetSplitRequest): IndexSetSplit | null {
  const fn = cloneFunction(source, source.name);
  const divergence = analyse(fn, request);
  if (divergence === null || !divergence.isTractable) return null;
  const found = comparisons(divergence);
  if (found.length === 0 || found.length > MOST_CONDITIONS) return null;
  for (let choice = 0; choice < 2 ** found.length; choice++) {
    const isChosen = found.map((_, i) => ((choice >> i) & 1) === 1);
    // Of one value there is nothing to choose.
    if (found.some(({ side }, i) => side === "at" && isChosen[i] === true)) continue;
    const conditions = found.map((comparison, i) => withOutside(comparison, isChosen[i] === true));
    const outside = outsideOf(fn, conditions, request);
    if (outside !== null)
      return { outside, write: (builder, values, length) => writeRange(builder, conditions, { fn, values, length }) };
  }
  return null;
}

/** What a range is computed from. */
interface RangeFrame {
  readonly fn: IrFunction;
  readonly values: readonly Value[];
  readonly length: Value;
}

/** Writes the least range that holds those of all conditions. */
function writeRange(
  builder: Builder,
  conditions: readonly Condition[],
  { fn, values, length }: RangeFrame,
): IndexRange {
  const copies = new Map<Value, Value>(fn.parameters.map((parameter, i) => [parameter, values[i] ?? parameter]));
  const copyOf = (value: Value): Value => {
    if (value.kind !== "instruction") return copies.get(value) ?? value;
    const known = copies.get(value);
    if (known !== undefined) return known;
    const copy = cloneInstruction(value);
    copy.operands = value.operands.map(copyOf);
    copies.set(value, builder.insert(copy));
    return copy;
  };
  let all: IndexRange | null = null;
  for (const condition of conditions) {
    const own = rangeOf(builder, condition, copyOf(condition.moving), copyOf(condition.fixed), length);
    all =
      all === null ? own : { from: lesser(builder, all.from, own.from), end: builder.same(Op.UMAX, all.end, own.end) };
  }
  const { from, end } = all ?? { from: constantInt(length.type, 0), end: length };
  return { from: lesser(builder, from, length), end: builder.same(Op.UMIN, end, length) };
}

/** The lesser of two places, of which one may be the first of all. */
function lesser(builder: Builder, left: Value, right: Value): Value {
  return (
    [left, right].find((value) => value.kind === "constant" && value.low === 0) ?? builder.same(Op.UMIN, left, right)
  );
}

/** The places of a row that a condition speaks of, or more. `first`: what moves, in the first of them. */
function rangeOf(
  builder: Builder,
  { side, isClosed, isSigned }: Condition,
  first: Value,
  bound: Value,
  length: Value,
): IndexRange {
  const [zero, one] = [constantInt(length.type, 0), constantInt(length.type, 1)];
  const distance = builder.same(Op.SUB, bound, first);
  if (side === "at") {
    const isThere = builder.compare(Op.ULT, distance, length);
    return {
      from: builder.select(isThere, distance, length),
      end: builder.select(isThere, builder.same(Op.ADD, distance, one), zero),
    };
  }
  const last = builder.same(Op.ADD, first, builder.same(Op.SUB, length, one));
  const isPlain = builder.compare(isSigned ? Op.SLE : Op.ULE, first, last);
  // Where what moves starts at zero or below the bound there is a distance, which does not wrap.
  const isAhead = builder.compare(isSigned ? Op.SLT : Op.ULT, first, bound);
  const near = builder.select(isAhead, builder.same(Op.UMIN, distance, length), zero);
  if (side === "below") {
    const end = isClosed
      ? builder.select(builder.compare(isSigned ? Op.SLE : Op.ULE, first, bound), builder.same(Op.ADD, near, one), zero)
      : near;
    return { from: zero, end: builder.select(isPlain, end, length) };
  }
  // One place too many does no harm.
  return { from: builder.select(isPlain, near, zero), end: length };
}
