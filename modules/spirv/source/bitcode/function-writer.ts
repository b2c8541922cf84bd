// SPDX-License-Identifier: Apache-2.0
// A body of bitcode while it is written as SPIR-V: its blocks, the values that are ahead, its variables, and questions
// about types. functions.ts has the rows of its instructions.
import { enumerant } from "../grammar/tables.ts";
import type { OpName } from "../generated/names.ts";
import { type BitcodeBlock, type BitcodeRecord, isBlock, refuse } from "./bitstream.ts";
import type { Emitter } from "./emitter.ts";
import { type BitcodeFunction, recordsOf } from "./model.ts";
import type { Values } from "./values.ts";

const CONSTANTS = 11;
const ALIGNED = enumerant("MemoryAccess", "Aligned");
const VOLATILE = enumerant("MemoryAccess", "Volatile");

/** Writes what a record means. */
export type Row = (w: FunctionWriter, operands: readonly number[], record: BitcodeRecord) => void;

/** A body under translation. */
export class FunctionWriter {
  readonly emitter: Emitter;
  readonly values: Values;
  readonly functions: readonly { readonly facts: BitcodeFunction; readonly id: number }[];
  readonly #labels: number[] = [];
  readonly #forward = new Map<number, { readonly id: number; readonly type: number }>();
  readonly #variables: (readonly [type: number, id: number])[] = [];
  /** Functions that are called, by their numbers. */
  readonly called: Set<number>;
  #block = 0;
  #isOpen = false;

  constructor(emitter: Emitter, values: Values, functions: FunctionWriter["functions"], called: Set<number>) {
    this.called = called;
    this.emitter = emitter;
    this.values = values;
    this.functions = functions;
  }

  /** The id of a value by how far it is behind; `type`: of one that is ahead. */
  at(index: number, type?: number): number {
    if (index < this.values.all.length) return this.values.id(index);
    const known = this.#forward.get(index);
    if (known !== undefined) return known.id;
    if (type === undefined) return refuse(this.emitter.bit, `the value ${index} is used before it is there`);
    const id = this.emitter.id();
    this.#forward.set(index, { id, type });
    return id;
  }

  typeOf(index: number): number {
    return index < this.values.all.length
      ? this.values.at(index).type
      : (this.#forward.get(index)?.type ?? refuse(this.emitter.bit, `the value ${index} has no type yet`));
  }

  /** The id for the next value, and its number. */
  result(type: number): number {
    const index = this.values.all.length;
    const id = this.#forward.get(index)?.id ?? this.emitter.id();
    this.values.add(type, id);
    return id;
  }

  /** Writes an instruction whose result is the next value. */
  define(type: number, name: OpName, ...operands: readonly number[]): void {
    this.emitter.put("functions", name, this.emitter.type(type), this.result(type), ...operands);
  }

  /** The next value is one that exists. */
  alias(type: number, id: number): void {
    if (this.#forward.has(this.values.all.length)) this.define(type, "OpCopyObject", id);
    else this.values.add(type, id);
  }

  label(index: number): number {
    return this.#labels[index] ?? refuse(this.emitter.bit, `there is no block ${index}`);
  }

  /** What is known of a type by its number. */
  kind(type: number): ReturnType<Emitter["typeAt"]> {
    return this.emitter.typeAt(type);
  }

  /** The scalar of a type, and how many there are. */
  shape(type: number): { readonly scalar: number; readonly count: number } {
    const kind = this.kind(type);
    return kind.kind === "vector" ? { scalar: kind.element, count: kind.count } : { scalar: type, count: 1 };
  }

  isBool(type: number): boolean {
    const scalar = this.kind(this.shape(type).scalar);
    return scalar.kind === "int" && scalar.bits === 1;
  }

  isFloat(type: number): boolean {
    return ["half", "float", "double"].includes(this.kind(this.shape(type).scalar).kind);
  }

  /** The booleans of as many components as a type. */
  boolLike(type: number): number {
    const { count } = this.shape(type);
    return count === 1 ? this.emitter.bool() : this.emitter.once("OpTypeVector", null, this.emitter.bool(), count);
  }

  /** An integer constant of a type, for each component. */
  splat(type: number, value: bigint): number {
    const { scalar, count } = this.shape(type);
    const kind = this.kind(scalar);
    if (kind.kind !== "int") return refuse(this.emitter.bit, "an integer is wanted");
    const one = this.emitter.integer(this.emitter.type(scalar), kind.bits, value);
    return count === 1
      ? one
      : this.emitter.once("OpConstantComposite", this.emitter.type(type), ...Array.from({ length: count }, () => one));
  }

  /** The number of a bitcode type, by what it is. */
  typeNumber(matches: (kind: ReturnType<Emitter["typeAt"]>) => boolean, what: string): number {
    const found = this.emitter.module.types.findIndex((kind) => matches(kind));
    return found < 0 ? refuse(this.emitter.bit, `the module has no type ${what}`) : found;
  }

  /** Memory operands: an alignment as its logarithm and 1, and whether the access is volatile. */
  memory(alignment: number, isVolatile: number): number[] {
    const mask = (alignment > 0 ? ALIGNED : 0) | (isVolatile === 0 ? 0 : VOLATILE);
    return mask === 0 ? [] : alignment > 0 ? [mask, 2 ** Math.min(alignment - 1, 30)] : [mask];
  }

  constant32(value: bigint): number {
    return this.emitter.integer(this.emitter.int(32), 32, value);
  }

  /** A variable among those of the first block. */
  variable(type: number): number {
    const id = this.result(type);
    this.#variables.push([this.emitter.type(type), id]);
    return id;
  }

  /** Blocks begin when their first record comes. */
  begin(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.emitter.put("functions", "OpLabel", this.label(this.#block));
  }

  /** Writes the last instruction of a block. */
  end(name: OpName, ...operands: readonly number[]): void {
    this.emitter.put("functions", name, ...operands);
    this.#isOpen = false;
    this.#block++;
  }

  /** The body of a function whose head has been written. */
  write(block: BitcodeBlock, rows: Readonly<Record<number, Row>>): void {
    const { emitter } = this;
    const own = recordsOf(block);
    const count = own.find(({ code }) => code === 1)?.operands[0] ?? 0;
    if (count === 0 || count > own.length) refuse(block.bit, `a function says that it has ${count} blocks`);
    for (let one = 0; one < count; one++) this.#labels.push(emitter.id());
    for (const item of block.items) if (isBlock(item) && item.id === CONSTANTS) this.values.addConstants(item);
    const first = emitter.id();
    emitter.put("functions", "OpLabel", first);
    emitter.mark();
    emitter.put("functions", "OpBranch", this.label(0));
    for (const record of own) {
      if (record.code === 1 || record.code === 33 || record.code === 35 || record.code === 55) continue;
      emitter.bit = record.bit;
      const row = rows[record.code];
      if (row === undefined) refuse(record.bit, `instructions of the code ${record.code} are not read`);
      this.begin();
      row?.(this, record.operands, record);
    }
    if (this.#block !== count) refuse(block.bit, `a function has ${this.#block} blocks and says that it has ${count}`);
    for (const index of this.#forward.keys())
      if (index >= this.values.all.length) refuse(block.bit, `the value ${index} is used and never made`);
    emitter.insertVariables(this.#variables);
  }
}

/** Reads operands of a record in order. */
export class Operands {
  readonly #writer: FunctionWriter;
  readonly all: readonly number[];
  next: number;

  constructor(writer: FunctionWriter, all: readonly number[], begin: number = 0) {
    this.#writer = writer;
    this.all = all;
    this.next = begin;
  }

  get isEnd(): boolean {
    return this.next >= this.all.length;
  }

  number(): number {
    return this.all[this.next++] ?? 0;
  }

  /** A value with its type, where it is ahead. */
  pair(): { readonly id: number; readonly type: number; readonly index: number } {
    const { length } = this.#writer.values.all;
    // Values ahead are distances below 0, in 32 bits.
    const index = (length - this.number()) >>> 0;
    const type = index < length ? undefined : this.number();
    const id = this.#writer.at(index, type);
    return { id, type: this.#writer.typeOf(index), index };
  }

  /** A value of a type that is known. */
  value(type: number): number {
    return this.#writer.at((this.#writer.values.all.length - this.number()) >>> 0, type);
  }
}
