// SPDX-License-Identifier: Apache-2.0
// Constants: literals, composites, null, specialization constants with the values that the program was given, and
// OpSpecConstantOp, whose operation is written to a scratch block by the handler of its instruction and then evaluated.
import {
  type Constant,
  Op,
  type Type,
  type Value,
  constantBits,
  constantInt,
  constantVector,
  constantZero,
  evaluate,
  scalarOf,
} from "@muxkit/ir";

import { opRow } from "../grammar/tables.ts";
import type { OpName } from "../generated/names.ts";
import type { ModuleReader } from "./module-reader.ts";
import { Aggregate, ConstantAddress, LiteralSampler, type Operand, Zeros, isValue, madeOf } from "./operand.ts";
import { type SpirvType, isBufferPointer, layoutOf, leavesOf, partCount, partType } from "./types.ts";

/** The operand of an id outside of functions. */
export function constantAt(m: ModuleReader, id: number, at: number): Operand {
  return m.constantOf(id) ?? m.refuse(at, `%${id} is no constant and no variable of the module`);
}

/** A constant int as a number. */
export function numberOf(m: ModuleReader, id: number, at: number): number {
  return Number(m.constantInt(id, at));
}

/** The zero of a type, which is also what is undefined. */
export function zeroOf(m: ModuleReader, type: SpirvType): Operand {
  if (type.kind === "sampler") return new LiteralSampler(0);
  if (type.ir !== null) {
    if (type.ir.kind === "void") return m.refuse(m.at, "void has no value");
    return constantZero(type.ir);
  }
  if (type.element === null && type.kind !== "struct") return m.refuse(m.at, `a ${type.kind} is no value`);
  if (isBufferPointer(type))
    return madeOf(
      type,
      type.members.map((member) => zeroOf(m, member)),
    );
  return new Zeros(() => {
    leavesOf(m, type);
    return Array.from({ length: partCount(type) }, (_, i) => zeroOf(m, partType(m, type, i)));
  });
}

/** A composite of its parts. */
export function compositeOf(m: ModuleReader, type: SpirvType, parts: readonly Operand[]): Operand {
  if (type.kind !== "vector" || type.ir === null) {
    if (parts.length !== partCount(type))
      m.refuse(m.at, `a ${type.kind} of ${partCount(type)} members cannot have ${parts.length}`);
    return new Aggregate(parts);
  }
  const [single] = parts;
  if (type.count === 1 && single !== undefined && parts.length === 1) return single;
  const lanes = parts.filter((part): part is Constant => part.kind === "constant" && part.type === type.element?.ir);
  if (lanes.length !== type.count || parts.length !== type.count)
    return m.refuse(m.at, `a vector of ${type.count} lanes takes as many constants of its element's type`);
  return constantVector(type.ir, lanes);
}

function scalarConstant(m: ModuleReader, type: SpirvType, low: number, high: number): Constant {
  if (type.ir === null || (type.kind !== "int" && type.kind !== "float"))
    return m.refuse(m.at, `a ${type.kind} is no number`);
  const { bits } = type;
  if (type.ir.bits === bits) return constantBits(type.ir, low, high);
  return constantInt(type.ir, BigInt.asUintN(bits, (BigInt(high) << 32n) | BigInt(low)));
}

/** The value that a specialization constant was given; null: none. */
function given(m: ModuleReader, id: number): { readonly low: number; readonly high: number } | null {
  const number = m.decoration(id, "SpecId")?.[0];
  const bytes = number === undefined ? undefined : m.options.specialization.get(number);
  if (bytes === undefined) return null;
  const padded = new DataView(new ArrayBuffer(8));
  bytes.subarray(0, 8).forEach((byte, i) => padded.setUint8(i, byte));
  return { low: padded.getUint32(0, true), high: padded.getUint32(4, true) };
}

interface ConstantInstruction {
  readonly m: ModuleReader;
  readonly type: SpirvType;
  readonly id: number;
  /** The word after the result. */
  readonly at: number;
  readonly end: number;
}

type ConstantReader = (instruction: ConstantInstruction) => Operand;

const literal: ConstantReader = ({ m, type, at, end }) =>
  scalarConstant(m, type, m.words[at] ?? 0, end - at > 1 ? (m.words[at + 1] ?? 0) : 0);

const composite: ConstantReader = ({ m, type, at, end }) =>
  compositeOf(
    m,
    type,
    [...m.words.subarray(at, end)].map((id, i) => constantAt(m, id, at + i)),
  );

const truth =
  (value: number): ConstantReader =>
  ({ m, type }) =>
    type.kind === "bool" && type.ir !== null ? constantInt(type.ir, value) : m.refuse(m.at, "the type must be bool");

const specTruth =
  (value: number): ConstantReader =>
  (instruction) => {
    const own = given(instruction.m, instruction.id);
    return truth(own === null ? value : Number(own.low !== 0 || own.high !== 0))(instruction);
  };

/** Evaluates an operation on constants; set by the table of instructions, which has the operations. */
export type SpecOperation = (
  m: ModuleReader,
  name: OpName,
  type: SpirvType,
  id: number,
  at: number,
  end: number,
) => Operand;

const evaluators: { operation: SpecOperation | null } = { operation: null };

/** Sets the evaluation of OpSpecConstantOp. */
export function setSpecOperation(operation: SpecOperation): void {
  evaluators.operation = operation;
}

const CONSTANTS: Partial<Record<OpName, ConstantReader>> = {
  OpConstantTrue: truth(1),
  OpConstantFalse: truth(0),
  OpConstant: literal,
  OpConstantComposite: composite,
  OpConstantNull: ({ m, type }) => zeroOf(m, type),
  OpUndef: ({ m, type }) => zeroOf(m, type),
  OpConstantSampler: ({ m, at }) => {
    const [addressing = 0, normalized = 0, filter = 0] = m.words.subarray(at, at + 3);
    return new LiteralSampler(normalized | (addressing << 1) | (filter === 0 ? 0x10 : 0x20));
  },
  OpSpecConstantTrue: specTruth(1),
  OpSpecConstantFalse: specTruth(0),
  OpSpecConstant: (instruction) => {
    const own = given(instruction.m, instruction.id);
    return own === null ? literal(instruction) : scalarConstant(instruction.m, instruction.type, own.low, own.high);
  },
  OpSpecConstantComposite: composite,
  OpSpecConstantOp: ({ m, type, id, at, end }) => {
    const name = opRow(m.words[at] ?? 0)?.name ?? "OpNop";
    return evaluators.operation?.(m, name, type, id, at + 1, end) ?? m.refuse(at, `${name} is no constant operation`);
  },
};

/** The reader of a constant's instruction; undefined: it makes none. */
export function constantReader(name: OpName): ConstantReader | undefined {
  return CONSTANTS[name];
}

/** True for numbers and pointers; events and images are handles, which nothing is computed with. */
function hasBits(type: Type): boolean {
  const { kind } = scalarOf(type);
  return kind === "int" || kind === "float" || kind === "pointer";
}

/** Evaluates the instructions of a scratch block in order; null: the value is not constant. */
export function foldedValue(value: Value): Constant | null {
  if (value.kind === "constant") return value;
  if (value.kind !== "instruction" || value.op === Op.CALL_BUILTIN || !hasBits(value.type)) return null;
  const operands: Constant[] = [];
  for (const operand of value.operands) {
    const folded = foldedValue(operand);
    if (folded === null || !hasBits(folded.type)) return null;
    operands.push(folded);
  }
  return evaluate(value.op, value.type, operands, { lanes: value.lanes });
}

/** What a scratch operation has become, folded member by member; null: it is not constant. */
export function foldedOperand(operand: Operand): Operand | null {
  if (isValue(operand)) return foldedValue(operand);
  if (operand.kind !== "aggregate") return operand;
  const parts: Operand[] = [];
  for (const part of operand.parts) {
    const folded = foldedOperand(part);
    if (folded === null) return null;
    parts.push(folded);
  }
  return new Aggregate(parts);
}

/** The bytes of a constant in memory, and the addresses in it. */
export interface Image {
  readonly bytes: Uint8Array;
  readonly relocations: { offset: number; target: ConstantAddress["global"]; addend: number }[];
}

/** Writes a constant of a type into bytes. */
export function writeConstant(m: ModuleReader, image: Image, type: SpirvType, operand: Operand, offset: number): void {
  if (operand.kind === "constant-address") {
    image.relocations.push({ offset, target: operand.global, addend: operand.addend });
    return;
  }
  // Bytes are zero at first.
  if (operand instanceof Zeros) return;
  if (operand.kind === "aggregate") {
    const { offsets, stride } = layoutOf(m, type);
    operand.parts.forEach((part, i) =>
      writeConstant(m, image, partType(m, type, i), part, offset + (offsets[i] ?? stride * i)),
    );
    return;
  }
  if (operand.kind !== "constant") {
    m.refuse(m.at, "what a variable begins with must be a constant");
    return;
  }
  const bytesOf = ({ type: ir, low, high, lanes }: Constant, at: number): void => {
    if (lanes.length > 0) {
      const step = layoutOf(m, type).stride;
      lanes.forEach((lane, i) => bytesOf(lane, at + i * step));
      return;
    }
    const bits = ir.kind === "pointer" ? m.pointerBytes * 8 : Math.max(8, ir.bits);
    for (let i = 0; i < bits / 8; i++) image.bytes[at + i] = (i < 4 ? low >>> (8 * i) : high >>> (8 * (i - 4))) & 0xff;
  };
  bytesOf(operand, offset);
}

/** The IR's type of a value that must be one. */
export function irOf(m: ModuleReader, type: SpirvType): Type {
  return type.ir ?? m.refuse(m.at, `a ${type.kind} is no single value`);
}
