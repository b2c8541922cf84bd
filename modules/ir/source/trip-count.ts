// SPDX-License-Identifier: Apache-2.0
// Trip counts of natural loops, and their induction variables.
//
// An induction variable is a parameter of the header that the only latch advances by a constant. `tripCount` looks at
// the exit tests of header and latch:
//   1. closed form: an induction variable with a constant start is compared with a constant, and the number of steps
//      that do not wrap follows by division;
//   2. simulation: otherwise, if the test depends only on header parameters with constant starts, header parameters and
//      test are evaluated iteration by iteration (at most 64) with the IR's own arithmetic (compare LLVM's brute-force
//      ComputeExitCountExhaustively in ScalarEvolution).
// `isCountedLoop` needs no constants: a step of one towards an invariant bound ends within 2^32 iterations.
//
// Cost: constant for 1; iterations times the size of the test for 2.
import type { BlockMap } from "./block-map.ts";
import type { Block } from "./function.ts";
import { OPPOSITE_COMPARISONS } from "./comparisons.ts";
import { evaluate } from "./evaluate.ts";
import * as Op from "./generated/op.ts";
import { type Instruction, hasEffect } from "./instruction.ts";
import type { Loop } from "./loops.ts";
import { type Constant, type Parameter, type Value, bigintValue, signedValue } from "./value.ts";

/** A constant trip count and the exit test that ends the loop. @public */
export interface TripCount {
  /** The block whose terminator is the test. Every iteration executes it. */
  readonly block: Block;
  /** Times that the back edge is taken, unless the loop is left by another exit before. */
  readonly backEdges: number;
}

const UNSIGNED = new Set<number>([Op.ULT, Op.ULE, Op.UGT, Op.UGE]);

/** The first k for which `start + k * step` compared with a bound is false, without wrapping; null: there is none. */
function closedForm(op: number, start: number, step: number, bound: number, bits: number): number | null {
  const least = UNSIGNED.has(op) ? 0 : -(2 ** (bits - 1));
  const most = UNSIGNED.has(op) ? 2 ** bits - 1 : 2 ** (bits - 1) - 1;
  const up = (distance: number): number => Math.max(0, Math.ceil(distance / Math.abs(step)));
  let count = -1;
  if (step > 0 && (op === Op.SLT || op === Op.ULT)) count = up(bound - start);
  else if (step > 0 && (op === Op.SLE || op === Op.ULE)) count = up(bound + 1 - start);
  else if (step < 0 && (op === Op.SGT || op === Op.UGT)) count = up(start - bound);
  else if (step < 0 && (op === Op.SGE || op === Op.UGE)) count = up(start - bound + 1);
  else if (op === Op.NE && step !== 0 && (bound - start) % step === 0) count = (bound - start) / step;
  const end = start + count * step;
  return count >= 0 && end >= least && end <= most ? count : null;
}

/** The exit test at the end of a block, and which outcome stays in the loop; null: there is none. */
function exitTest(loop: Loop, { terminator }: Block): { readonly condition: Value; readonly staysOn: boolean } | null {
  const [condition] = terminator.operands;
  if (terminator.op !== Op.COND_BR || condition === undefined) return null;
  const inside = terminator.successors.map((successor) => loop.blocks.has(successor));
  return inside[0] === inside[1] ? null : { condition, staysOn: inside[0] === true };
}

/** The value of a header parameter in the next iteration; null: the latch has two edges to the header. */
function nextOf(loop: Loop, { terminator }: Block, position: number): Value | null {
  const edge = terminator.successors.indexOf(loop.header);
  if (terminator.successors.lastIndexOf(loop.header) !== edge) return null;
  return terminator.successorArguments[edge]?.[position] ?? null;
}

/** The step of an induction variable: each iteration adds a constant to a scalar parameter of the header. @public */
export interface InductionStep {
  /** The addition. */
  readonly next: Instruction;
  /** The constant. */
  readonly step: Constant;
}

/** The step of a header parameter along the loop's only latch; null: it is no induction variable. @public */
export function inductionStep(loop: Loop, counter: Parameter): InductionStep | null {
  const [latch] = loop.latches;
  if (latch === undefined || loop.latches.length !== 1) return null;
  const next = nextOf(loop, latch, loop.header.parameters.indexOf(counter));
  if (next?.kind !== "instruction" || next.op !== Op.ADD || next.operands[0] !== counter) return null;
  const [, step] = next.operands;
  return step?.kind === "constant" && step.lanes.length === 0 ? { next, step } : null;
}

class Counter {
  private readonly loop: Loop;
  private readonly latch: Block;
  private readonly outside: readonly Block[];

  constructor(loop: Loop, latch: Block, outside: readonly Block[]) {
    this.loop = loop;
    this.latch = latch;
    this.outside = outside;
  }

  /** The constant that a parameter of the header starts with; null: there is none. */
  private start(position: number): Constant | null {
    let found: Constant | null = null;
    for (const block of this.outside) {
      for (const [edge, successor] of block.successors.entries()) {
        if (successor !== this.loop.header) continue;
        const value = block.terminator.successorArguments[edge]?.[position];
        if (value?.kind !== "constant" || (found !== null && found !== value)) return null;
        found = value;
      }
    }
    return found;
  }

  private next(position: number): Value | null {
    return nextOf(this.loop, this.latch, position);
  }

  /** Iterations before the exit at the end of a block is taken; null: not known. */
  count(block: Block, most: number): number | null {
    const test = exitTest(this.loop, block);
    if (test === null) return null;
    const { condition, staysOn } = test;
    const counted =
      this.arithmetic(condition, staysOn) ?? this.simulate(condition, staysOn, Math.min(most, MOST_SIMULATED));
    return counted !== null && counted <= most ? counted : null;
  }

  /** The closed form for an induction variable that is compared with a constant. */
  private arithmetic(condition: Value, staysOn: boolean): number | null {
    if (condition.kind !== "instruction") return null;
    const [left, bound] = condition.operands;
    const op = staysOn ? condition.op : OPPOSITE_COMPARISONS[condition.op];
    if (
      left === undefined ||
      op === undefined ||
      bound?.kind !== "constant" ||
      bound.type.kind !== "int" ||
      bound.type.bits > 32
    )
      return null;
    // The test compares the induction variable or its next value.
    const offset =
      left.kind === "instruction" && left.op === Op.ADD && left.operands[1]?.kind === "constant"
        ? left.operands[1]
        : null;
    const counter = offset !== null && left.kind === "instruction" ? left.operands[0] : left;
    if (counter?.kind !== "parameter" || counter.block !== this.loop.header) return null;
    const position = this.loop.header.parameters.indexOf(counter);
    const start = this.start(position);
    const found = inductionStep(this.loop, counter);
    if (start === null || found === null) return null;
    const read = (value: Constant): number => (UNSIGNED.has(op) ? Number(bigintValue(value)) : signedValue(value));
    return closedForm(
      op,
      read(start) + (offset === null ? 0 : signedValue(offset)),
      signedValue(found.step),
      read(bound),
      bound.type.bits,
    );
  }

  /** Evaluates the test iteration by iteration. */
  private simulate(condition: Value, staysOn: boolean, most: number): number | null {
    const { header } = this.loop;
    const needed = new Set<number>();
    if (!this.collect(condition, needed, 0)) return null;
    const values = new Map<Value, Constant>();
    for (const position of needed) {
      const parameter = header.parameters[position];
      const start = this.start(position);
      if (parameter === undefined || start === null) return null;
      values.set(parameter, start);
    }
    for (let iteration = 0; iteration <= most; iteration++) {
      const memo = new Map(values);
      const result = this.compute(condition, memo);
      if (result === null) return null;
      if ((result.low !== 0) !== staysOn) return iteration;
      for (const position of needed) {
        const parameter = header.parameters[position];
        const next = this.next(position);
        const value = next === null ? null : this.compute(next, memo);
        if (parameter === undefined || value === null) return null;
        values.set(parameter, value);
      }
    }
    return null;
  }

  /** Collects the header's parameters that a value depends on; false when it depends on anything else but constants. */
  private collect(value: Value, needed: Set<number>, depth: number): boolean {
    if (value.kind === "constant") return true;
    if (value.kind === "parameter") {
      if (value.block !== this.loop.header) return false;
      const position = this.loop.header.parameters.indexOf(value);
      if (needed.has(position)) return true;
      needed.add(position);
      const next = this.next(position);
      return next !== null && this.collect(next, needed, depth + 1);
    }
    return (
      depth < DEEPEST &&
      isComputable(value) &&
      value.operands.every((operand) => this.collect(operand, needed, depth + 1))
    );
  }

  private compute(value: Value, memo: Map<Value, Constant>): Constant | null {
    if (value.kind === "constant") return value;
    const known = memo.get(value);
    if (known !== undefined || value.kind === "parameter") return known ?? null;
    const operands: Constant[] = [];
    for (const operand of value.operands) {
      const constant = this.compute(operand, memo);
      if (constant === null) return null;
      operands.push(constant);
    }
    const result = evaluate(value.op, value.type, operands, { lanes: value.lanes });
    if (result !== null) memo.set(value, result);
    return result;
  }
}

/** Comparisons that an induction variable with step 1 (or -1) makes false within 2^32 iterations from every start. */
const ENDING: Readonly<Record<number, readonly number[]>> = {
  1: [Op.NE, Op.SLT, Op.ULT],
  [-1]: [Op.NE, Op.SGT, Op.UGT],
};

/**
 * True for a counted loop: its header or only latch compares an induction variable with step 1 or -1 with an invariant
 * bound, so it ends after at most 2^32 iterations.
 *
 * @public
 */
export function isCountedLoop(loop: Loop): boolean {
  const [latch] = loop.latches;
  if (latch === undefined || loop.latches.length !== 1) return false;
  const isInside = (value: Value): boolean => {
    const block = value.kind === "constant" ? null : value.block;
    return block !== null && loop.blocks.has(block);
  };
  return [loop.header, latch].some((block) => {
    const test = exitTest(loop, block);
    if (test?.condition.kind !== "instruction") return false;
    const op = test.staysOn ? test.condition.op : OPPOSITE_COMPARISONS[test.condition.op];
    const [left, bound] = test.condition.operands;
    if (
      op === undefined ||
      left === undefined ||
      bound === undefined ||
      isInside(bound) ||
      bound.type.kind !== "int" ||
      bound.type.bits > 32
    )
      return false;
    return loop.header.parameters.some((counter) => {
      const found = inductionStep(loop, counter);
      return (
        found !== null &&
        (left === counter || left === found.next) &&
        ENDING[signedValue(found.step)]?.includes(op) === true
      );
    });
  });
}

/** Most iterations that are simulated. */
const MOST_SIMULATED = 64;
/** Deepest computation of a test that is simulated. */
const DEEPEST = 6;

function isComputable({ op, operands }: Instruction): boolean {
  return (
    hasEffect(op, "s") &&
    op !== Op.SPEC_CONSTANT &&
    operands.length > 0 &&
    !(op >= Op.WORK_DIM && op <= Op.LOCAL_LINEAR_ID)
  );
}

/**
 * The trip count of a loop whose header or only latch has an exit test that depends on constants only. Null: not known,
 * or more than `most`. `before` are the predecessors of the function's blocks.
 *
 * @public
 */
export function tripCount(loop: Loop, before: BlockMap<readonly Block[]>, most: number): TripCount | null {
  const [latch] = loop.latches;
  if (latch === undefined || loop.latches.length !== 1) return null;
  const outside = (before.get(loop.header) ?? []).filter((block) => !loop.blocks.has(block));
  const counter = new Counter(loop, latch, [...new Set(outside)]);
  for (const block of new Set([loop.header, latch])) {
    const backEdges = counter.count(block, most);
    if (backEdges !== null) return { block, backEdges };
  }
  return null;
}
