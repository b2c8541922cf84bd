// SPDX-License-Identifier: Apache-2.0
// Bit-width narrowing, the rewrite: instructions that narrow-widths.ts chose are computed in 8 or 16 bits, with
// truncations and extensions where narrow and wide instructions meet. Works on SSA, one walk in reverse postorder; dead
// conversions are removed at the end.
//
//   %a = zext %x: i32          %s = add %x, %y: i8
//   %b = zext %y: i32    =>    store %s, %p
//   %s = add %a, %b: i32
//   %t = trunc %s: i8
//   store %t, %p
import { assert } from "@muxkit/cargo";
import {
  type Constant,
  Instruction,
  type IrFunction,
  Op,
  type Type,
  type Value,
  applyReplacements,
  cloneInstruction,
  constantBits,
  constantInt,
  constantVector,
  intType,
  replaceLater,
  reversePostorder,
  scalarOf,
  uses,
  withLanesOf,
} from "@muxkit/ir";

import type { MachineTarget } from "@muxkit/machine-target";

import { type Range, bitsOf, integerRanges, isInt32, rangeIn, shiftAmount, signedBits } from "./integer-ranges.ts";
import {
  FULL,
  type NarrowWidths,
  WAYS,
  isExtension,
  narrowWidths,
  numbersOf,
  sourceBits,
  widelyUsed,
} from "./narrow-widths.ts";

/** The unsigned twin of a signed op, for numbers that are not negative. */
const UNSIGNED: ReadonlyMap<number, number> = new Map([
  [Op.SMIN, Op.UMIN],
  [Op.SMAX, Op.UMAX],
  [Op.SLT, Op.ULT],
  [Op.SLE, Op.ULE],
  [Op.SGT, Op.UGT],
  [Op.SGE, Op.UGE],
  [Op.ASHR, Op.LSHR],
]);

function withBits(type: Type, bits: number): Type {
  return withLanesOf(intType(bits), type);
}

function cut(constant: Constant, bits: number): Constant {
  const type = withBits(constant.type, bits);
  return constant.lanes.length === 0
    ? constantBits(type, constant.low)
    : constantVector(
        type,
        constant.lanes.map((lane) => cut(lane, bits)),
      );
}

/** Writes the narrow instructions next to the wide ones. */
class Narrower {
  private readonly widths: NarrowWidths;
  private readonly ranges: ReadonlyMap<Value, Range>;
  /** The value that replaces another one at a width. */
  private readonly made = new Map<Value, Map<number, Value>>();
  /** Conversions to insert after a value. */
  private readonly after = new Map<Value, Instruction[]>();

  constructor(widths: NarrowWidths, ranges: ReadonlyMap<Value, Range>) {
    this.widths = widths;
    this.ranges = ranges;
  }

  run(fn: IrFunction): void {
    const order = reversePostorder(fn);
    const wide = widelyUsed(fn, this.widths);
    for (const { instructions } of order) {
      for (const instruction of instructions) {
        if (this.widths.has(instruction)) this.rewrite(instruction);
        const [source] = instruction.operands;
        if (instruction.op === Op.TRUNC && source?.kind === "instruction" && this.widths.has(source))
          replaceLater(instruction, this.at(source, scalarOf(instruction.type).bits));
        else if (this.widths.has(instruction) && wide.has(instruction) && isInt32(instruction))
          replaceLater(instruction, this.at(instruction, FULL));
      }
    }
    for (const block of order) {
      const kept = block.instructions.flatMap((instruction) => {
        const isRecord =
          instruction.op === Op.DEBUG_VALUE &&
          instruction.operands.some(
            (value) => value.kind === "instruction" && this.widths.has(value) && value.forward === null,
          );
        const own = isRecord || (this.widths.has(instruction) && instruction.forward === null) ? [] : [instruction];
        return [...own, ...(this.after.get(instruction) ?? [])];
      });
      block.instructions = [...(block === fn.entry ? fn.parameters : []), ...block.parameters]
        .flatMap((parameter) => this.after.get(parameter) ?? [])
        .concat(kept);
      for (const instruction of block.instructions) instruction.block = block;
    }
    applyReplacements(fn);
    dropUnused(fn);
  }

  /** Writes the narrow instruction for a wide one. */
  private rewrite(instruction: Instruction): void {
    const { op, operands } = instruction;
    const width = this.widths.get(instruction) ?? FULL;
    const [left, right] = [rangeIn(this.ranges, operands[0]), rangeIn(this.ranges, operands[1])];
    const numbers = numbersOf(instruction);
    const isCompared = WAYS[op] === "compare";
    const narrow = cloneInstruction(instruction);
    // Flags that were proved for 32 bits need not hold for fewer.
    narrow.flags = 0;
    narrow.type = isCompared ? instruction.type : withBits(instruction.type, width);
    narrow.operands = operands.map((value, i) => (numbers.includes(i) ? this.at(value, width) : value));
    if (WAYS[op] === "left" || WAYS[op] === "right")
      narrow.operands[1] = constantInt(narrow.type, shiftAmount(operands[1]));
    const isUnsigned = WAYS[op] === "right" ? left.low >= 0 || bitsOf(left) > width : left.low >= 0 && right.low >= 0;
    if (WAYS[op] !== "low" && isUnsigned) narrow.op = UNSIGNED.get(op) ?? op;
    this.put(instruction, isCompared ? 1 : width, narrow, instruction);
    if (isCompared) replaceLater(instruction, narrow);
  }

  /** Registers the replacement of a value at a width, to be inserted after `after`. */
  private put(value: Value, bits: number, stand: Value, after: Value | null): Value {
    const known = this.made.get(value) ?? new Map<number, Value>();
    this.made.set(value, known.set(bits, stand));
    if (after !== null && stand.kind === "instruction") {
      const list = this.after.get(after) ?? [];
      this.after.set(after, list);
      list.push(stand);
    }
    return stand;
  }

  /** A value in so many bits: the number itself where it fits, else its low bits. */
  private at(value: Value, bits: number): Value {
    if (value.kind === "constant") return cut(value, bits);
    const known = this.made.get(value)?.get(bits);
    if (known !== undefined) return known;
    const own = value.kind === "instruction" ? this.widths.get(value) : undefined;
    const isExtended = own === undefined && isExtension(value);
    const from = own ?? sourceBits(value);
    const source = own !== undefined ? this.made.get(value)?.get(own) : isExtended ? value.operands[0] : value;
    assert(source !== undefined, "what is narrow has been written");
    if (from === bits) return this.put(value, bits, source, null);
    const range = rangeIn(this.ranges, value);
    const isSigned = isExtended ? value.op === Op.SEXT : range.low < 0 && signedBits(range) <= from;
    const op = bits < from ? Op.TRUNC : isSigned ? Op.SEXT : Op.ZEXT;
    return this.put(
      value,
      bits,
      new Instruction(op, withBits(value.type, bits), [source], value.kind === "instruction" ? value.location : null),
      value,
    );
  }
}

/** Removes conversions without users. */
function dropUnused(fn: IrFunction): void {
  const used = uses(fn);
  for (const block of fn.blocks)
    block.instructions = block.instructions.filter(
      (instruction) =>
        (instruction.op !== Op.ZEXT && instruction.op !== Op.SEXT && instruction.op !== Op.TRUNC) ||
        used.has(instruction),
    );
}

/** Narrows integers where that saves vector registers. */
export function narrowIntegers(fn: IrFunction, machine: MachineTarget): void {
  const ranges = integerRanges(fn);
  const widths = narrowWidths(fn, machine, ranges);
  if (widths.size > 0) new Narrower(widths, ranges).run(fn);
}
