// SPDX-License-Identifier: Apache-2.0
// Values of a bitcode module: globals, constants, and the results of a function's instructions, each with its type and
// its SPIR-V id. A constant is written when something asks for it, so that those that nobody uses cost nothing.
import { enumerant } from "../grammar/tables.ts";
import { type BitcodeBlock, type BitcodeRecord, refuse } from "./bitstream.ts";
import { type Emitter, stringWords } from "./emitter.ts";
import type { BitcodeModule, BitcodeType } from "./model.ts";
import { recordsOf } from "./model.ts";

/** A value: its type, and its id once it is known. */
export interface BitcodeValue {
  readonly type: number;
  id: number;
  /** Writes it; null: it has an id. */
  make: (() => number) | null;
  /** The function that it is; -1: none. */
  readonly function: number;
  /** The number that it is; null: it is no integer constant. */
  readonly number: bigint | null;
  /** The record of a constant. */
  readonly record: BitcodeRecord | null;
}

/** A number in the form whose lowest bit is the sign. */
export function signed(record: BitcodeRecord, index: number): bigint {
  const raw = record.wide?.get(index) ?? BigInt(record.operands[index] ?? 0);
  if (raw === 1n) return -(1n << 63n);
  return (raw & 1n) === 0n ? raw >> 1n : -(raw >> 1n);
}

const CASTS: Readonly<Record<number, "ConvertPtrToU" | "ConvertUToPtr" | "Bitcast">> = {
  9: "ConvertPtrToU",
  10: "ConvertUToPtr",
  11: "Bitcast",
};
const OPERATIONS = {
  ConvertPtrToU: 117,
  ConvertUToPtr: 120,
  Bitcast: 124,
  InBoundsPtrAccessChain: 70,
  PtrAccessChain: 67,
} as const;

/** The component of a shuffle that may be any. */
const NO_COMPONENT = 0xffffffff;

const SPACE_CAST = 12;
const GENERIC = 4;
const TO_GENERIC = 121;
const FROM_GENERIC = 122;

/** The values of a module, and of the function that is read. */
export class Values {
  readonly all: BitcodeValue[] = [];
  readonly #emitter: Emitter;

  constructor(emitter: Emitter) {
    this.#emitter = emitter;
  }

  add(type: number, id: number): void {
    this.all.push({ type, id, make: null, function: -1, number: null, record: null });
  }

  /** The value of a number, whose id is there or made now. */
  at(index: number): BitcodeValue {
    const value = this.all[index];
    return value ?? refuse(this.#emitter.bit, `there is no value ${index}`);
  }

  id(index: number): number {
    const value = this.at(index);
    if (value.make !== null) {
      const { make } = value;
      value.make = () => refuse(this.#emitter.bit, `the constant ${index} contains itself`);
      value.id = make();
      value.make = null;
    }
    return value.id;
  }

  /** Globals first: variables and functions. */
  addGlobals(module: BitcodeModule, functionIds: readonly number[]): void {
    const emitter = this.#emitter;
    for (const one of module.globals)
      if ("function" in one) {
        const { type, bit } = module.functions[one.function] ?? refuse(0, "a function is missing");
        this.all.push({
          type: module.pointerTo(type, 0, bit),
          id: functionIds[one.function] ?? 0,
          make: null,
          function: one.function,
          number: null,
          record: null,
        });
      } else {
        const variable = module.variables[one.variable] ?? refuse(0, "a variable is missing");
        const type = module.pointerTo(variable.type, variable.space, variable.bit);
        const make = (): number => {
          emitter.bit = variable.bit;
          const id = emitter.id();
          const initial = variable.initializer > 0 && variable.space !== 3 ? [this.id(variable.initializer - 1)] : [];
          emitter.put("globals", "OpVariable", emitter.type(type), id, emitter.storage(variable.space), ...initial);
          emitter.put("names", "OpName", id, ...stringWords(variable.name));
          if (variable.isConstant) emitter.put("decorations", "OpDecorate", id, enumerant("Decoration", "Constant"));
          const isShared = variable.linkage === 0 || variable.initializer === 0;
          if (isShared && variable.space !== 3)
            emitter.put(
              "decorations",
              "OpDecorate",
              id,
              enumerant("Decoration", "LinkageAttributes"),
              ...stringWords(variable.name),
              enumerant("LinkageType", variable.initializer === 0 ? "Import" : "Export"),
            );
          return id;
        };
        this.all.push({ type, id: 0, make, function: -1, number: null, record: null });
      }
  }

  addConstants(block: BitcodeBlock): void {
    let type = 0;
    for (const record of recordsOf(block)) {
      if (record.code === 1) type = record.operands[0] ?? 0;
      else this.#addConstant(record, type);
    }
  }

  #addConstant(record: BitcodeRecord, type: number): void {
    const kind = this.#emitter.typeAt(type);
    let number: bigint | null = null;
    if (kind.kind === "int") number = record.code === 4 ? signed(record, 0) : record.code === 2 ? 0n : null;
    this.all.push({
      type,
      id: 0,
      number,
      record,
      function: -1,
      make: () => {
        const before = this.#emitter.bit;
        this.#emitter.bit = record.bit;
        const id = this.#constant(record, type, number);
        this.#emitter.bit = before;
        return id;
      },
    });
  }

  #constant(record: BitcodeRecord, type: number, number: bigint | null): number {
    const emitter = this.#emitter;
    const { code, operands } = record;
    const kind = emitter.typeAt(type);
    const of = emitter.type(type);
    if (number !== null && kind.kind === "int")
      return kind.bits === 1
        ? emitter.once(number === 0n ? "OpConstantFalse" : "OpConstantTrue", of)
        : emitter.integer(of, kind.bits, number);
    // CLK_NULL_RESERVE_ID, a number that is cast, is the one reservation that is a constant.
    if (code === 2 || emitter.isReservation(kind)) return emitter.once("OpConstantNull", of);
    if (code === 3 || code === 26) return emitter.once("OpUndef", of);
    if (code === 6) return this.#float(type, record.wide?.get(0) ?? BigInt(operands[0] ?? 0));
    if (code === 7) return emitter.once("OpConstantComposite", of, ...operands.map((one) => this.id(one)));
    if (code === 8 || code === 9 || code === 22) return this.#data(record, type);
    const expression = this.#expression(record, kind, of);
    return expression ?? refuse(record.bit, `constants of the form ${code} are not read`);
  }

  /** A cast or an address that is a constant; null: it is none of those. */
  #expression({ code, operands }: BitcodeRecord, kind: BitcodeType, of: number): number | null {
    const emitter = this.#emitter;
    if (code === 11) {
      const cast = CASTS[operands[0] ?? 0];
      if (operands[0] === SPACE_CAST) {
        const isGeneric = kind.kind === "pointer" && kind.space === GENERIC;
        return emitter.once("OpSpecConstantOp", of, isGeneric ? TO_GENERIC : FROM_GENERIC, this.id(operands[2] ?? 0));
      }
      if (cast !== undefined) return emitter.once("OpSpecConstantOp", of, OPERATIONS[cast], this.id(operands[2] ?? 0));
    }
    if (code === 12 || code === 20 || code === 24) {
      // An odd number of operands begins with the type; the code 24 has a flag after it.
      const begin = (operands.length % 2 === 1 ? 1 : 0) + (code === 24 ? 1 : 0);
      const parts: number[] = [];
      for (let at = begin + 1; at < operands.length; at += 2) parts.push(this.id(operands[at] ?? 0));
      const operation = code === 12 ? OPERATIONS.PtrAccessChain : OPERATIONS.InBoundsPtrAccessChain;
      return emitter.once("OpSpecConstantOp", of, operation, ...parts);
    }
    return null;
  }

  /** The components that a constant vector of integers chooses; 2^32 - 1 where it says none. */
  maskOf(index: number, count: number): number[] {
    const { record } = this.at(index);
    const numbers = Array.from({ length: count }, () => NO_COMPONENT);
    if (record === null) return refuse(this.#emitter.bit, "the mask of a shuffle is no constant");
    for (let at = 0; at < count; at++)
      if (record.code === 2) numbers[at] = 0;
      else if (record.code === 22) numbers[at] = record.operands[at] ?? 0;
      else if (record.code === 7) {
        const part = this.at(record.operands[at] ?? 0).number;
        if (part !== null) numbers[at] = Number(part);
      }
    return numbers;
  }

  #float(type: number, bits: bigint): number {
    const { kind } = this.#emitter.typeAt(type);
    const words =
      kind === "double"
        ? [Number(bits & 0xffffffffn), Number((bits >> 32n) & 0xffffffffn)]
        : [Number(bits & 0xffffffffn)];
    return this.#emitter.once("OpConstant", this.#emitter.type(type), ...words);
  }

  /** Elements of an array or vector as numbers. */
  #data({ code, operands, wide, bit }: BitcodeRecord, type: number): number {
    const emitter = this.#emitter;
    const kind = emitter.typeAt(type);
    if (kind.kind !== "array" && kind.kind !== "vector")
      return refuse(bit, "a list of numbers is no array and no vector");
    const element = emitter.typeAt(kind.element);
    const numbers = code === 9 ? [...operands, 0] : operands;
    const parts = numbers.map((raw, index) => {
      const value = wide?.get(index) ?? BigInt(raw);
      return element.kind === "int"
        ? emitter.integer(emitter.type(kind.element), element.bits, value)
        : this.#float(kind.element, value);
    });
    return emitter.once("OpConstantComposite", emitter.type(type), ...parts);
  }
}
