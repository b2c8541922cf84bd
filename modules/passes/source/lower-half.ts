// SPDX-License-Identifier: Apache-2.0
// lower-half: computes halves in binary32, for machines without arithmetic on binary16. After each operation the result
// is rounded to a half, so results are those of binary16.
//
//   c: f16 = fadd a, b            wa = unpack a; wb = unpack b
//   d: f16 = fmul c, a     -->    c  = round (fadd wa, wb)          (binary32 with the value of a half)
//   store d                       d  = pack-and-round (fmul c, wa)  (16 bits)
//                                 store d
//
// Representation selection: half-representations.ts finds which values are demanded wide (binary32) and which packed. A
// computed value stays wide while arithmetic uses it and is packed once per block where it is stored; values that are
// only moved (loads, shuffles, selects) exist in the representations that their users demand. Block parameters that
// receive only computed values become wide. Blocks are rewritten in reverse postorder, so operands exist before their
// users.
//
// Conversions are in half-conversions.ts. Cost: linear; unreachable blocks are removed first.
import { assert } from "@muxkit/cargo";
import { type MachineTarget, registersOf } from "@muxkit/machine-target";
import {
  type Block,
  Builder,
  F32,
  F64,
  I16,
  type Instruction,
  type IrFunction,
  type Module,
  OPS,
  Op,
  Parameter,
  type Type,
  type Value,
  constantInt,
  evaluate,
  replaceUses,
  reversePostorder,
  scalarOf,
  withLanesOf,
} from "@muxkit/ir";

import {
  PACKED,
  WIDE,
  type Demands,
  findDemands,
  isComputed,
  isHalf,
  isMove,
  takesValues,
} from "./half-representations.ts";
import {
  type HalfConversions,
  calledConversions,
  INTEGER_CONVERSIONS,
  NATIVE_CONVERSIONS,
} from "./half-conversions.ts";
import type { PassContext } from "./pass.ts";

/** Binary32 with the lanes of a type. */
function wideType(type: Type): Type {
  return withLanesOf(F32, type);
}

/** Ops whose results are halves without rounding. */
const EXACT_OPS: ReadonlySet<number> = new Set([Op.FMIN, Op.FMAX, Op.FFLOOR, Op.FCEIL, Op.FTRUNC, Op.FRINT]);

/** Rewrites one function. */
class HalfLowering {
  private readonly demands: Demands;
  private readonly wideValues = new Map<Value, Value>();
  private readonly packedValues = new Map<Value, Value>();
  /** Packed copies of computed values in the current block. */
  private packedHere = new Map<Value, Value>();
  private readonly replaced = new Map<Value, Value>();
  private readonly builder: Builder;
  private readonly fn: IrFunction;
  private readonly conversions: HalfConversions;

  constructor(fn: IrFunction, conversions: HalfConversions) {
    this.fn = fn;
    this.conversions = conversions;
    this.demands = findDemands(fn);
    this.builder = new Builder(fn.entry);
  }

  run(): void {
    const { fn } = this;
    const order = reversePostorder(fn);
    for (const block of order) this.widenParameters(block);
    for (const block of order) this.block(block);
    replaceUses(fn, this.replaced);
  }

  private isDemanded(value: Value, representation: number): boolean {
    return ((this.demands.representations.get(value) ?? 0) & representation) !== 0;
  }

  private widenParameters(block: Block): void {
    block.parameters = block.parameters.map((parameter) => {
      if (!this.demands.wide.has(parameter)) return parameter;
      const wide = new Parameter(wideType(parameter.type), parameter.name, block, null);
      this.wideValues.set(parameter, wide);
      return wide;
    });
  }

  /** The wide representation of a half. */
  private wide(value: Value): Value {
    if (value.kind === "constant") {
      const folded = evaluate(Op.FPEXT, wideType(value.type), [value]);
      assert(folded !== null, "a constant can be widened");
      return folded;
    }
    const wide = this.wideValues.get(value);
    assert(wide !== undefined, () => `${this.fn.name}: a half was not widened where it is made`);
    return wide;
  }

  /** The packed representation of a half; a computed one is packed here. */
  private packed(value: Value): Value {
    if (value.kind === "constant" || !isHalf(value.type)) return value;
    const kept = this.packedValues.get(value) ?? this.packedHere.get(value);
    if (kept !== undefined) return kept;
    const wide = this.wideValues.get(value);
    if (wide === undefined || !this.isWideOnly(value)) return value;
    const made = this.conversions.pack(this.builder, wide);
    this.packedHere.set(value, made);
    return made;
  }

  private isWideOnly(value: Value): boolean {
    return value.kind === "instruction" ? isComputed(value) : this.demands.wide.has(value);
  }

  private block(block: Block): void {
    const { builder } = this;
    const old = block.instructions;
    block.instructions = [];
    builder.block = block;
    builder.location = old[0]?.location ?? null;
    this.packedHere = new Map();
    const parameters = block === this.fn.entry ? this.fn.parameters : block.parameters;
    for (const parameter of parameters)
      if (isHalf(parameter.type) && this.isDemanded(parameter, WIDE))
        this.wideValues.set(parameter, this.conversions.unpack(builder, parameter));
    for (const instruction of old) {
      builder.location = instruction.location;
      if ([instruction.type, ...instruction.operands.map(({ type }) => type)].some(isHalf))
        this.instruction(instruction);
      else this.keep(instruction);
    }
  }

  /** Appends an instruction with its half operands packed. */
  private keep(instruction: Instruction): void {
    if (instruction.op !== Op.DEBUG_VALUE)
      instruction.operands = instruction.operands.map((value) => this.packed(value));
    if (instruction.isTerminator) {
      instruction.successorArguments = instruction.successorArguments.map((list, i) =>
        list.map((value, j) => {
          const isWide = isHalf(value.type) && instruction.successors[i]?.parameters[j]?.type !== value.type;
          return isWide ? this.wide(value) : this.packed(value);
        }),
      );
    }
    this.builder.block.append(instruction);
  }

  private instruction(instruction: Instruction): void {
    const { op, type } = instruction;
    if (op === Op.DEBUG_VALUE) this.debugValue(instruction);
    else if (isComputed(instruction)) this.define(instruction);
    else if (isMove(instruction)) this.move(instruction);
    else if (op === Op.FCOPYSIGN) this.copySign(instruction);
    else if (takesValues(instruction)) this.consume(instruction);
    else {
      this.keep(instruction);
      if (isHalf(type) && this.isDemanded(instruction, WIDE))
        this.wideValues.set(instruction, this.conversions.unpack(this.builder, instruction));
    }
  }

  /** A debugger sees a computed half as the number that it is. */
  private debugValue(instruction: Instruction): void {
    instruction.operands = instruction.operands.map(
      (value) => this.packedValues.get(value) ?? this.wideValues.get(value) ?? value,
    );
    this.builder.block.append(instruction);
  }

  /** An instruction like another one on other operands. */
  private like(instruction: Instruction, type: Type, operands: readonly Value[]): Value {
    const made = this.builder.convert(instruction.op, operands[0] ?? instruction, type);
    made.operands = [...operands];
    made.lanes = instruction.lanes;
    made.name = instruction.name;
    return made;
  }

  /** Emits an op that computes a half: a result without wide users is packed at once. */
  private define(instruction: Instruction): void {
    const { builder } = this;
    const { value, isRounded } = this.compute(instruction);
    if (isRounded) this.wideValues.set(instruction, value);
    else if (!this.isDemanded(instruction, WIDE))
      this.packedValues.set(instruction, this.conversions.fromFloat(builder, value));
    else
      this.wideValues.set(
        instruction,
        instruction.op === Op.FPTRUNC
          ? this.conversions.round(builder, value)
          : this.conversions.roundResult(builder, value),
      );
  }

  /** The result in binary32, and whether it is rounded to a half already. */
  private compute(instruction: Instruction): { readonly value: Value; readonly isRounded: boolean } {
    const { op, type, operands } = instruction;
    const { builder } = this;
    const [a, b, c] = operands;
    assert(a !== undefined, "an operand");
    if (OPS[op]?.rule === "convert") return this.convertToHalf(instruction, a);
    if (op === Op.FMA && b !== undefined && c !== undefined)
      return {
        value: this.conversions.multiplyAddToOdd(builder, this.wide(a), this.wide(b), this.wide(c)),
        isRounded: false,
      };
    return {
      value: this.like(
        instruction,
        wideType(type),
        operands.map((value) => this.wide(value)),
      ),
      isRounded: EXACT_OPS.has(op),
    };
  }

  private convertToHalf(
    { op, type }: Instruction,
    value: Value,
  ): { readonly value: Value; readonly isRounded: boolean } {
    const { builder } = this;
    if (op === Op.FPTRUNC)
      return scalarOf(value.type) === F64
        ? { value: this.conversions.doubleToOdd(builder, value), isRounded: false }
        : { value, isRounded: false };
    // An int of more than 24 bits is beyond every half, so rounding it to binary32 first makes no difference.
    return { value: builder.convert(op, value, wideType(type)), isRounded: scalarOf(value.type).bits <= 8 };
  }

  /** Comparisons, and conversions of halves to other types. */
  private consume(instruction: Instruction): void {
    const wide = instruction.operands.map((value) => this.wide(value));
    const [first] = wide;
    if (first !== undefined && instruction.op === Op.FPEXT && instruction.type === first.type)
      this.replaced.set(instruction, first);
    else {
      instruction.operands = wide;
      this.builder.block.append(instruction);
    }
  }

  private move(instruction: Instruction): void {
    const { type, operands, op } = instruction;
    const change = (represent: (value: Value) => Value): Value[] =>
      operands.map((value) => (isHalf(value.type) ? represent(value) : value));
    if (this.isDemanded(instruction, WIDE))
      this.wideValues.set(
        instruction,
        this.like(
          instruction,
          wideType(type),
          change((value) => this.wide(value)),
        ),
      );
    if (!this.isDemanded(instruction, PACKED)) return;
    const bits = withLanesOf(I16, type);
    const operand = operands[0];
    if ((op === Op.FNEG || op === Op.FABS) && operand !== undefined) {
      const operandBits = this.builder.convert(Op.BITCAST, this.packed(operand), bits);
      const made =
        op === Op.FNEG
          ? this.builder.same(Op.XOR, operandBits, constantInt(bits, 0x8000))
          : this.builder.same(Op.AND, operandBits, constantInt(bits, 0x7fff));
      this.packedValues.set(instruction, this.builder.convert(Op.BITCAST, made, type));
    } else
      this.packedValues.set(
        instruction,
        this.like(
          instruction,
          type,
          change((value) => this.packed(value)),
        ),
      );
  }

  private copySign(instruction: Instruction): void {
    const { type, operands } = instruction;
    const { builder } = this;
    const bits = withLanesOf(I16, type);
    const [magnitude, sign] = operands.map((value) => builder.convert(Op.BITCAST, this.packed(value), bits));
    assert(magnitude !== undefined && sign !== undefined, "two operands");
    const joined = builder.same(
      Op.OR,
      builder.same(Op.AND, magnitude, constantInt(bits, 0x7fff)),
      builder.same(Op.AND, sign, constantInt(bits, 0x8000)),
    );
    const made = builder.convert(Op.BITCAST, joined, type);
    this.packedValues.set(instruction, made);
    if (this.isDemanded(instruction, WIDE)) this.wideValues.set(instruction, this.conversions.unpack(builder, made));
  }
}

/**
 * Vector registers of arithmetic on halves in a function, up to which conversions are written inline. In V8 a loop of
 * 500 multiply-adds runs a third faster inline, takes ten times the code (421 KB), and 1.2 s more to compile, which 180
 * launches gave back; one of 120 is as fast either way, one of 32 in vectors of 16 nearly twice as fast inline.
 */
const MOST_INLINE = 512;

/** Vector registers that arithmetic on halves fills when it is done in binary32. */
function registersOfHalves(fn: IrFunction, machine: MachineTarget): number {
  let count = 0;
  for (const { instructions } of fn.blocks)
    for (const instruction of instructions)
      if (isComputed(instruction)) count += registersOf(machine, wideType(instruction.type));
  return count;
}

function usesHalf({ blocks }: IrFunction): boolean {
  return blocks.some(({ instructions }) =>
    instructions.some(({ type, operands }) => isHalf(type) || operands.some((operand) => isHalf(operand.type))),
  );
}

/**
 * Turns all arithmetic on halves into arithmetic on binary32, unless the machine computes with halves itself. Large
 * functions call their conversions.
 */
export function lowerHalf(module: Module, { machine }: PassContext): boolean {
  if (machine.halves === "arithmetic") return false;
  const inline = machine.halves === "conversion" ? NATIVE_CONVERSIONS : INTEGER_CONVERSIONS;
  const called = machine.halves === "conversion" ? inline : calledConversions(module, inline);
  const functions = [...module.functions.values()].filter((fn) => fn.blocks.length > 0 && usesHalf(fn));
  for (const fn of functions) {
    // Unreachable blocks are not in reverse postorder.
    const reached = new Set(reversePostorder(fn));
    fn.blocks = fn.blocks.filter((block) => reached.has(block));
    new HalfLowering(fn, registersOfHalves(fn, machine) > MOST_INLINE ? called : inline).run();
  }
  return functions.length > 0;
}
