// SPDX-License-Identifier: Apache-2.0
// Bit-width narrowing: in how few bits integers can be computed. C promotes bytes and shorts to int; lanes of ints fill
// two or four times as many vector registers as the data need.
//
// Two analyses of 32-bit integers in SSA: demanded bits, backward (how many low bits of a value its users need), and
// value ranges, forward (integer-ranges.ts). An op that passes low bits through (add, mul, and) needs as many bits as
// its users demand; an op on whole numbers (min, compare, right shift) needs as many as its operands' ranges. (LLVM:
// DemandedBits and "minimum value sizes" of its loop vectoriser.)
//
// Instructions that feed each other form groups (union-find); a group is narrowed when the registers that it saves cost
// more than the conversions at its border. Cost: linear in instructions.
import { type Instruction, type IrFunction, Op, type Value, reversePostorder, scalarOf } from "@muxkit/ir";

import { type MachineTarget, costOfResize, narrowOpCost } from "@muxkit/machine-target";

import { type Range, bitsOf, integerRanges, isInt32, rangeIn, shiftAmount, signedBits } from "./integer-ranges.ts";

/** Bits of C's int, which narrow integers are promoted to. */
export const FULL = 32;

/**
 * How the bits of operands reach the result.
 *
 * - `low`: the low bits of the operands give the low bits of the result
 * - `left`, `right`: shifts by a constant
 * - `order`: the numbers themselves matter, and the result is one of them
 * - `compare`: the numbers themselves matter
 */
export type Way = "low" | "left" | "right" | "order" | "compare";

/** How bits pass through each op; other ops are never narrowed. */
export const WAYS: Readonly<Record<number, Way>> = {
  [Op.ADD]: "low",
  [Op.SUB]: "low",
  [Op.MUL]: "low",
  [Op.AND]: "low",
  [Op.OR]: "low",
  [Op.XOR]: "low",
  [Op.SELECT]: "low",
  [Op.EXTRACT]: "low",
  [Op.SPLAT]: "low",
  [Op.BUILD]: "low",
  [Op.SHUFFLE]: "low",
  [Op.SHL]: "left",
  [Op.LSHR]: "right",
  [Op.ASHR]: "right",
  [Op.SMIN]: "order",
  [Op.SMAX]: "order",
  [Op.UMIN]: "order",
  [Op.UMAX]: "order",
  [Op.EQ]: "compare",
  [Op.NE]: "compare",
  [Op.SLT]: "compare",
  [Op.SLE]: "compare",
  [Op.SGT]: "compare",
  [Op.SGE]: "compare",
  [Op.ULT]: "compare",
  [Op.ULE]: "compare",
  [Op.UGT]: "compare",
  [Op.UGE]: "compare",
};

const MOVES: ReadonlySet<number> = new Set([Op.EXTRACT, Op.SPLAT, Op.BUILD, Op.SHUFFLE]);

/** Positions of the operands that are numbers to compute with. */
export function numbersOf({ op, operands }: Instruction): readonly number[] {
  if (op === Op.SELECT) return [1, 2];
  if (op === Op.EXTRACT || WAYS[op] === "left" || WAYS[op] === "right") return [0];
  return operands.map((_, i) => i);
}

/** True for an int that was widened from a narrower one. */
export function isExtension(value: Value | undefined): value is Instruction {
  return (
    value?.kind === "instruction" &&
    (value.op === Op.ZEXT || value.op === Op.SEXT) &&
    isInt32(value) &&
    scalarOf(value.operands[0]?.type ?? value.type).kind === "int"
  );
}

/** Bits of the lanes that hold so many bits. */
function lanesBits(bits: number): number {
  return bits <= 8 ? 8 : bits <= 16 ? 16 : FULL;
}

/** The bits that narrowed instructions are computed in. The others have no entry. */
export type NarrowWidths = ReadonlyMap<Instruction, number>;

/** Results of the two analyses of a function. */
interface Facts {
  readonly ranges: ReadonlyMap<Value, Range>;
  /** How many of a value's low bits its users demand. */
  readonly needs: ReadonlyMap<Value, number>;
}

/** How many low bits of an operand an instruction demands when `need` of its own are demanded. */
function neededBits(instruction: Instruction, position: number, need: number): number {
  const { op, operands } = instruction;
  switch (WAYS[op]) {
    case "low": {
      const other = op === Op.AND ? operands[1 - position] : undefined;
      const mask = other?.kind === "constant" ? rangeIn(new Map(), other) : null;
      return mask !== null && mask.low >= 0 ? Math.min(need, bitsOf(mask)) : need;
    }
    case "left":
      return shiftAmount(operands[1]) < 0 ? FULL : Math.max(0, need - shiftAmount(operands[1]));
    case "right":
      return shiftAmount(operands[1]) < 0 ? FULL : Math.min(FULL, need + shiftAmount(operands[1]));
    default:
      return FULL;
  }
}

function findNeeds(fn: IrFunction): ReadonlyMap<Value, number> {
  const needs = new Map<Value, number>();
  const raise = (value: Value, bits: number): void => {
    if (value.kind === "instruction") needs.set(value, Math.max(needs.get(value) ?? 0, bits));
  };
  // Users come after what they use, except for block parameters: their arguments are demanded whole.
  for (const block of reversePostorder(fn).toReversed()) {
    for (const instruction of block.instructions.toReversed()) {
      const { op, operands } = instruction;
      if (op === Op.DEBUG_VALUE) continue;
      const numbers = isInt32(instruction) && WAYS[op] !== undefined ? numbersOf(instruction) : [];
      operands.forEach((value, i) =>
        raise(
          value,
          op === Op.TRUNC
            ? scalarOf(instruction.type).bits
            : numbers.includes(i)
              ? neededBits(instruction, i, needs.get(instruction) ?? 0)
              : FULL,
        ),
      );
      for (const list of instruction.successorArguments) for (const value of list) raise(value, FULL);
    }
  }
  return needs;
}

/**
 * Bits in which numbers of both ranges keep their order. Where a number may be negative they include the sign, and then
 * the unsigned order is kept too.
 */
function commonBits(left: Range, right: Range): number {
  return left.low >= 0 && right.low >= 0
    ? Math.max(bitsOf(left), bitsOf(right))
    : Math.max(signedBits(left), signedBits(right));
}

/** The narrowest lanes of at least so many bits that a vector instruction computes this op in. */
function nativeBits(op: number, least: number, { support }: MachineTarget): number {
  const native = support[op]?.vector;
  return native === undefined ? least : Math.min(FULL, ...native.filter((bits) => bits >= least));
}

/** Bits that an instruction can be computed in; FULL: no fewer than it has. */
function widthOf(instruction: Instruction, { ranges, needs }: Facts, machine: MachineTarget): number {
  const { op, operands } = instruction;
  const way = WAYS[op];
  const [left, right] = [rangeIn(ranges, operands[0]), rangeIn(ranges, operands[1])];
  if (way === "compare") return isInt32(operands[0] ?? instruction) ? lanesBits(commonBits(left, right)) : FULL;
  const need = needs.get(instruction) ?? 0;
  if (way === undefined || need === 0 || !isInt32(instruction)) return FULL;
  if (way === "order") return lanesBits(commonBits(left, right));
  const own = lanesBits(Math.min(need, bitsOf(rangeIn(ranges, instruction))));
  if (way === "low") return nativeBits(op, own, machine);
  const by = shiftAmount(operands[1]);
  if (by < 0) return FULL;
  if (way === "left") return by < own ? own : lanesBits(by + 1);
  const exact = op === Op.ASHR || left.low >= 0 ? bitsOf(left) : FULL;
  const width = Math.max(own, lanesBits(Math.min(FULL, need + by, exact)));
  return by < width ? width : FULL;
}

/** Instructions for an op on as many lanes of so many bits as bytes fill a register. */
function opCost({ op }: Instruction, bits: number, machine: MachineTarget): number {
  return MOVES.has(op) ? 0 : narrowOpCost(machine, op, bits) * Math.max(1, bits / 8);
}

/** Instructions that feed each other (union-find): all of them are narrowed, or none. */
class Groups {
  private readonly parents = new Map<Instruction, Instruction>();

  find(instruction: Instruction): Instruction {
    let root = instruction;
    for (let next = this.parents.get(root); next !== undefined && next !== root; next = this.parents.get(root))
      root = next;
    this.parents.set(instruction, root);
    return root;
  }

  join(left: Instruction, right: Instruction): void {
    this.parents.set(this.find(left), this.find(right));
  }
}

/** Bits of what a value was widened from; its own where it was not. */
export function sourceBits(value: Value): number {
  return isExtension(value) ? scalarOf(value.operands[0]?.type ?? value.type).bits : FULL;
}

/** Values that some user takes in all 32 bits. */
export function widelyUsed(fn: IrFunction, widths: NarrowWidths): ReadonlySet<Value> {
  const found = new Set<Value>();
  for (const { instructions } of fn.blocks) {
    for (const user of instructions) {
      if (user.op === Op.DEBUG_VALUE || user.op === Op.TRUNC) continue;
      const numbers = widths.has(user) ? numbersOf(user) : [];
      user.operands.forEach((value, i) => {
        if (!numbers.includes(i)) found.add(value);
      });
      for (const list of user.successorArguments) for (const value of list) found.add(value);
    }
  }
  return found;
}

/** What narrowing each group saves, in instructions for as many lanes as a register has bytes. */
function gainsOf(
  fn: IrFunction,
  widths: NarrowWidths,
  groups: Groups,
  machine: MachineTarget,
): ReadonlyMap<Instruction, number> {
  const gains = new Map<Instruction, number>();
  const add = (instruction: Instruction, gain: number): void => {
    const group = groups.find(instruction);
    gains.set(group, (gains.get(group) ?? 0) + gain);
  };
  /** Conversions that are written once. */
  const made = new Map<Value, Set<number>>();
  const convert = (value: Value, from: number, to: number, payer: Instruction): void => {
    const known = made.get(value) ?? new Set();
    made.set(value, known);
    if (known.has(to)) return;
    known.add(to);
    add(payer, -costOfResize(machine, from, to));
  };
  const wide = widelyUsed(fn, widths);
  const saved = new Set<Value>();
  for (const { instructions } of fn.blocks) {
    for (const user of instructions) {
      const width = widths.get(user);
      const [source] = user.operands;
      if (user.op === Op.TRUNC && source?.kind === "instruction" && widths.has(source)) {
        const own = widths.get(source) ?? FULL;
        add(
          source,
          costOfResize(machine, FULL, scalarOf(user.type).bits) - costOfResize(machine, own, scalarOf(user.type).bits),
        );
      }
      if (width === undefined) continue;
      add(user, opCost(user, FULL, machine) - opCost(user, width, machine));
      if (wide.has(user) && isInt32(user)) convert(user, width, FULL, user);
      for (const position of numbersOf(user)) {
        const value = user.operands[position];
        if (value === undefined || value.kind === "constant") continue;
        const own = value.kind === "instruction" ? widths.get(value) : undefined;
        convert(value, own ?? sourceBits(value), width, user);
        if (own !== undefined || !isExtension(value) || wide.has(value) || saved.has(value)) continue;
        saved.add(value);
        add(user, costOfResize(machine, sourceBits(value), FULL));
      }
    }
  }
  return gains;
}

/** Widths of the instructions that are worth narrowing; `ranges` are those of the function. */
export function narrowWidths(
  fn: IrFunction,
  machine: MachineTarget,
  ranges: ReadonlyMap<Value, Range> = integerRanges(fn),
): NarrowWidths {
  const facts: Facts = { ranges, needs: findNeeds(fn) };
  const widths = new Map<Instruction, number>();
  for (const { instructions } of fn.blocks) {
    for (const instruction of instructions) {
      const width = widthOf(instruction, facts, machine);
      if (width < FULL) widths.set(instruction, width);
    }
  }
  if (widths.size === 0) return widths;
  const groups = new Groups();
  for (const user of widths.keys()) {
    for (const position of numbersOf(user)) {
      const value = user.operands[position];
      if (value?.kind === "instruction" && widths.has(value)) groups.join(value, user);
    }
  }
  const gains = gainsOf(fn, widths, groups, machine);
  return new Map([...widths].filter(([instruction]) => (gains.get(groups.find(instruction)) ?? 0) > 0));
}
