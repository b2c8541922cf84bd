// What a vector of work-items is tested for before it runs, so that comparisons with ids are one for all lanes and clamped indices stay contiguous (decision 28).
// Interior vectors pass and need no masks; the others run the general form.
import { assert } from "@muxkit/cargo";
import { type Builder, I32, type Instruction, type IrFunction, Op, type Parameter, type Value, cloneInstruction, constantInt, hasEffect } from "@muxkit/ir";

import type { Divergence } from "./divergence.ts";

/** Comparisons of integers, with what it takes that all lanes agree. */
const ORDERED_SIGNED: ReadonlySet<number> = new Set([Op.SLT, Op.SLE, Op.SGT, Op.SGE]);
const ORDERED_UNSIGNED: ReadonlySet<number> = new Set([Op.ULT, Op.ULE, Op.UGT, Op.UGE]);
const CLAMPS_SIGNED: ReadonlySet<number> = new Set([Op.SMIN, Op.SMAX]);
const CLAMPS_UNSIGNED: ReadonlySet<number> = new Set([Op.UMIN, Op.UMAX]);
const EQUALITIES: ReadonlySet<number> = new Set([Op.EQ, Op.NE]);

/** Most assumptions of one function, and most instructions that testing them takes. */
const MOST_ASSUMED = 24;
const MOST_WORK = 120;

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
  /** The instructions that are assumed about. */
  readonly assumed: ReadonlySet<Instruction>;
  /** Writes the test, given what stands for the function's parameters; gives an i1. */
  readonly write: (builder: Builder, valueOf: (parameter: Parameter) => Value) => Value;
}

/** Collects the instructions that computing a value from those parameters takes that are known beforehand; false: more than that is needed. */
function slice(value: Value, found: Set<Instruction>, isKnown: (parameter: Parameter) => boolean): boolean {
  if (value.kind === "constant") return true;
  if (value.kind === "parameter") return value.owner !== null && isKnown(value);
  if (found.has(value)) return true;
  if (!hasEffect(value.op, "s") || value.op === Op.CALL || found.size > MOST_WORK) return false;
  if (!value.operands.every((operand) => slice(operand, found, isKnown))) return false;
  found.add(value);
  return true;
}

/** One round: what can be assumed when `divergence` is what is known so far. */
function candidates(divergence: Divergence, known: ReadonlySet<Instruction>): Assumption[] {
  const found: Assumption[] = [];
  for (const block of divergence.fn.blocks) {
    for (const instruction of block.instructions) {
      const { op, operands } = instruction;
      const isComparison = ORDERED_SIGNED.has(op) || ORDERED_UNSIGNED.has(op) || EQUALITIES.has(op);
      if ((!isComparison && !CLAMPS_SIGNED.has(op) && !CLAMPS_UNSIGNED.has(op)) || known.has(instruction)) continue;
      const [left, right] = operands;
      if (left === undefined || right === undefined || left.type !== I32 || divergence.shapeOf(instruction) !== null) continue;
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
 * Assumptions that make a function's lanes agree more; null: there are none that can be tested before it runs. `analyse` gives what is known under assumptions;
 * `isKnown` says which of the function's parameters tests may take.
 */
export function findAssumptions(divergence: Divergence, width: number, analyse: (assumed: ReadonlySet<Instruction>) => Divergence, isKnown: (parameter: Parameter) => boolean = () => true): Assumptions | null {
  const assumed = new Set<Instruction>();
  const list: Assumption[] = [];
  const needed = new Set<Instruction>();
  let current = divergence;
  for (let found = candidates(current, assumed); found.length > 0 && list.length < MOST_ASSUMED; found = candidates(current, assumed)) {
    const before = list.length;
    for (const one of found) {
      const slices = new Set(needed);
      if (list.length >= MOST_ASSUMED || !slice(one.moving, slices, isKnown) || !slice(one.fixed, slices, isKnown)) continue;
      for (const instruction of slices) needed.add(instruction);
      list.push(one);
      assumed.add(one.instruction);
    }
    if (list.length === before) break;
    current = analyse(assumed);
  }
  if (list.length === 0) return null;
  return { assumed, write: (builder, valueOf) => writeTest(builder, list, width, valueOf) };
}

/** Writes a test of values for the parameters of a function, in their order. */
export function testWriter({ write }: Assumptions, fn: IrFunction): (builder: Builder, values: readonly Value[]) => Value {
  const positions = new Map(fn.parameters.map((parameter, i) => [parameter, i]));
  return (builder, values) =>
    write(builder, (parameter) => {
      const value = values[positions.get(parameter) ?? -1];
      assert(value !== undefined, () => `a value for the parameter ${parameter.name}`);
      return value;
    });
}

function writeTest(builder: Builder, list: readonly Assumption[], width: number, valueOf: (parameter: Parameter) => Value): Value {
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
  const seen = new Set<string>();
  const numbers = new Map<Value, number>();
  const numberOf = (value: Value): number => {
    const number = numbers.get(value) ?? numbers.size;
    numbers.set(value, number);
    return number;
  };
  for (const { instruction, moving, fixed, stride } of list) {
    const { op, operands } = instruction;
    const isLeft = operands[0] === moving;
    const key = `${op} ${numberOf(moving)} ${numberOf(fixed)} ${isLeft}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const first = copyOf(moving);
    const bound = copyOf(fixed);
    const span = stride * (width - 1);
    if (EQUALITIES.has(op)) {
      // No lane is equal: the distance to the fixed value does not fall among the lanes.
      const distance = stride > 0 ? builder.same(Op.SUB, bound, first) : builder.same(Op.SUB, first, bound);
      require(builder.compare(Op.UGT, distance, constantInt(I32, Math.abs(span))));
      continue;
    }
    const last = builder.same(Op.ADD, first, constantInt(I32, span));
    const isSigned = ORDERED_SIGNED.has(op) || CLAMPS_SIGNED.has(op);
    const [least, most] = stride > 0 ? [first, last] : [last, first];
    // Lanes do not wrap around on their way.
    require(builder.compare(isSigned ? Op.SLE : Op.ULE, least, most));
    if (CLAMPS_SIGNED.has(op) || CLAMPS_UNSIGNED.has(op)) {
      const isMinimum = op === Op.SMIN || op === Op.UMIN;
      const within = isMinimum ? (isSigned ? Op.SLE : Op.ULE) : isSigned ? Op.SGE : Op.UGE;
      require(builder.compare(within, isMinimum ? most : least, bound));
      continue;
    }
    const compare = (value: Value): Value => (isLeft ? builder.compare(op, value, bound) : builder.compare(op, bound, value));
    require(builder.compare(Op.EQ, compare(first), compare(last)));
  }
  return all ?? constantInt(I32, 1);
}

