// SPDX-License-Identifier: Apache-2.0
// Index-set splitting over the innermost dimension of work-items (Banerjee 1993; Griebl, Feautrier, Lengauer 2000;
// docs/decisions/028-index-set-splitting.md): conditions like `id < n` split the ids into a range that does the work
// and an outside in which all work-items do the same, so that one of them is enough there. A step of a tree reduction
// in local memory then costs the vectors that take part, and a kernel that does nothing for most ids costs nothing for
// them.
//
//   for id in 0..length: f(id)      =>     from, end = range of the conditions
//                                          for id in from..end: f(id)
//                                          if (end - from < length) outside()
//
// Phases: collect comparisons of an affine id with a bound that is known before; for each choice of what up to
// MOST_CONDITIONS of them are outside, replace them by constants, simplify, and check that what is left is uniform;
// write the least range that holds all conditions. Cost: 2^MOST_CONDITIONS analyses of the function.
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

import { NO_ASSUMPTIONS } from "./assumptions.ts";
import { Divergence, type ParameterFacts } from "./divergence.ts";
import { normalize } from "./normalize.ts";
import { slice } from "./slice.ts";

/** How to split the index set of a function. @public */
export interface IndexSetSplitRequest {
  /** Sizes of types. */
  readonly layout: DataLayout;
  /** The dimension that is split: x, y, z are 0, 1, 2. */
  readonly axis: number;
  /** Parameters that differ along it, by their position. All others are known before. */
  readonly parameters: ReadonlyMap<number, ParameterFacts>;
  /** Simplifies a function after conditions have become constants. */
  readonly tidy: (fn: IrFunction) => void;
  /** Name of the function for the outside. */
  readonly name: string;
}

/** A range of indices; empty where `end` is not after `from`. @public */
export interface IndexRange {
  /** The first index. */
  readonly from: Value;
  /** The index after the last. */
  readonly end: Value;
}

/** A range of indices outside of which all work-items do the same. @public */
export interface IndexSetSplit {
  /** What one of those does, for all of them; in no module yet. Its parameters are those of the function. */
  readonly outside: IrFunction;
  /**
   * Writes the range, given the function's arguments for the first work-item, and the number of work-items along the
   * dimension: at least one.
   */
  readonly write: (builder: Builder, values: readonly Value[], length: Value) => IndexRange;
}

/** The values that a comparison holds for when the moving operand is on its left: below a bound, above it, or at it. */
type Side = "below" | "above" | "at";

/** A comparison as a range. */
interface Order {
  readonly side: Side;
  /** True when the bound itself is included. */
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

/** A comparison, and its value outside of the range. */
interface Condition extends Order {
  readonly instruction: Instruction;
  readonly moving: Value;
  readonly fixed: Value;
  /** Its value outside. */
  readonly outside: boolean;
}

/** Most comparisons whose values outside are tried. */
const MOST_CONDITIONS = 3;

/** Comparisons of a value that goes up by one along the dimension with a uniform value that is known before. */
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

/** The values that a comparison holds for, or their complement. */
function withOutside(comparison: Omit<Condition, "outside">, outside: boolean): Condition {
  if (comparison.side === "at") return { ...comparison, outside: comparison.instruction.op === Op.NE };
  return outside
    ? { ...comparison, side: OTHER_SIDE[comparison.side], isClosed: !comparison.isClosed, outside }
    : { ...comparison, outside };
}

/** True when all work-items do the same, so that once is enough. */
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

/** A function with the conditions' values outside; null: its work-items still differ then. */
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
    // The low zero bits of a vector's first lane are not those of every index.
    if (parameter !== undefined) facts.set(parameter, { shape: one.shape, lowZeros: 0 });
  }
  return new Divergence(fn, exit, {
    width: 2,
    layout,
    axis,
    parameters: facts,
    assumed: NO_ASSUMPTIONS,
    interleaved: new Set(),
    isSubGroup: false,
    areVariablesApart: true,
  });
}

/**
 * Finds the range of indices outside of which all work-items do the same; null: there is none that can be computed
 * before they run. The function is not changed.
 *
 * @public
 */
export function splitIndexSet(source: IrFunction, request: IndexSetSplitRequest): IndexSetSplit | null {
  const fn = cloneFunction(source, source.name);
  const divergence = analyse(fn, request);
  if (divergence === null || !divergence.isTractable) return null;
  const found = comparisons(divergence);
  if (found.length === 0 || found.length > MOST_CONDITIONS) return null;
  for (let choice = 0; choice < 2 ** found.length; choice++) {
    const isChosen = found.map((_, i) => ((choice >> i) & 1) === 1);
    // An equality has only one value outside.
    if (found.some(({ side }, i) => side === "at" && isChosen[i] === true)) continue;
    const conditions = found.map((comparison, i) => withOutside(comparison, isChosen[i] === true));
    const outside = outsideOf(fn, conditions, request);
    if (outside !== null)
      return { outside, write: (builder, values, length) => writeRange(builder, conditions, { fn, values, length }) };
  }
  return null;
}

/** The operands of a range. */
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

/** The lesser of two indices; zero is the least. */
function lesser(builder: Builder, left: Value, right: Value): Value {
  return (
    [left, right].find((value) => value.kind === "constant" && value.low === 0) ?? builder.same(Op.UMIN, left, right)
  );
}

/** The indices that a condition holds for, or more. `first`: the moving operand of the first work-item. */
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
  // Where the moving operand starts at zero or below the bound, the distance does not wrap.
  const isAhead = builder.compare(isSigned ? Op.SLT : Op.ULT, first, bound);
  const near = builder.select(isAhead, builder.same(Op.UMIN, distance, length), zero);
  if (side === "below") {
    const end = isClosed
      ? builder.select(builder.compare(isSigned ? Op.SLE : Op.ULE, first, bound), builder.same(Op.ADD, near, one), zero)
      : near;
    return { from: zero, end: builder.select(isPlain, end, length) };
  }
  // One index too many does no harm.
  return { from: builder.select(isPlain, near, zero), end: length };
}
