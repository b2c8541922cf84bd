// SPDX-License-Identifier: Apache-2.0
// Reader of one function body of the binary form. Every number is checked before it is used; the first error is sticky
// in the reader. Values may be used before they are defined (block parameters of loops): such operands are patched at
// the end.
import type { ByteReader } from "@muxkit/cargo";

import * as Form from "./binary-format.ts";
import { type Block, type Global, type IrFunction, UNROLL_FULLY } from "./function.ts";
import { Instruction, type SymbolReference } from "./instruction.ts";
import type { Location } from "./location.ts";
import { OPS } from "./op.table.ts";
import { I32, type Type, VOID, scalarOf } from "./type.ts";
import { type Constant, type Value, constantInt, constantVector, constantZero } from "./value.ts";

/** What a body refers to: the module's tables, each lookup checked. */
export interface Tables {
  readonly reader: ByteReader;
  text(): string;
  type(): Type;
  function(): IrFunction | null;
  global(): Global | null;
}

interface Pending {
  readonly list: Value[];
  readonly index: number;
  readonly number: number;
}

/** The word of a number. */
export function word<T extends string>(reader: ByteReader, words: readonly T[], fallback: T): T {
  const found = words[reader.u8()];
  if (found === undefined) reader.fail("a word that this version does not know");
  return found ?? fallback;
}

/** A signed number that JavaScript holds exactly. */
export function safeInteger(reader: ByteReader): number {
  const value = reader.varS64();
  if (value > BigInt(Number.MAX_SAFE_INTEGER) || value < -BigInt(Number.MAX_SAFE_INTEGER))
    reader.fail("a number beyond 2^53");
  return Number(value);
}

class FunctionReader {
  private readonly fn: IrFunction;
  private readonly tables: Tables;
  private readonly reader: ByteReader;
  private readonly constants: Constant[] = [];
  private readonly locations: Location[] = [];
  private readonly values: Value[] = [];
  private readonly pending: Pending[] = [];
  private lastLocation = 0;

  constructor(fn: IrFunction, tables: Tables) {
    this.fn = fn;
    this.tables = tables;
    this.reader = tables.reader;
    this.values.push(...fn.parameters);
  }

  run(): void {
    const { reader } = this;
    this.constantTable();
    this.locationTable();
    const lengths = this.blockHeads();
    const wanted = reader.varU32();
    if (lengths.reduce((sum, length) => sum + length, 0) !== wanted || wanted * 3 > reader.remaining)
      reader.fail("the blocks and the body differ in length");
    this.fn.blocks.forEach((block, i) => {
      for (let j = 0; j < (lengths[i] ?? 0) && reader.error === null; j++) this.instruction(block);
    });
    for (const { list, index, number } of this.pending) {
      const value = this.values[number];
      if (value === undefined) reader.fail("a value that is not in the function");
      else list[index] = value;
    }
  }

  private constantTable(): void {
    const { reader } = this;
    const count = reader.recordCount(2);
    for (let i = 0; i < count && reader.error === null; i++) this.constants.push(this.constant(this.tables.type()));
  }

  private constant(type: Type): Constant {
    const { reader } = this;
    const scalar = scalarOf(type);
    // Handles have a constant too: the null handle.
    if (scalar.kind !== "int" && scalar.kind !== "float" && scalar.kind !== "pointer" && type.kind !== "opaque") {
      reader.fail("a constant that is no int, float, pointer, handle or vector");
      return constantZero(I32);
    }
    const lane = (): Constant => {
      const bits = reader.varU64();
      if (scalar.kind !== "pointer" && bits >> BigInt(scalar.bits) !== 0n)
        reader.fail("a constant with more bits than its type");
      return constantInt(scalar, bits);
    };
    return type.kind === "vector" ? constantVector(type, Array.from({ length: type.count }, lane)) : lane();
  }

  private locationTable(): void {
    const { reader, tables } = this;
    const count = reader.recordCount(5);
    for (let i = 0; i < count && reader.error === null; i++) {
      const file = tables.text();
      const line = reader.varU32();
      const column = reader.varU32();
      const scope = tables.text();
      const outer = reader.varU32();
      if (outer > i) reader.fail("a location that was inlined at a later one");
      this.locations.push({ file, line, column, scope, inlinedAt: this.locations[outer - 1] ?? null });
    }
  }

  private blockHeads(): number[] {
    const { reader, tables, fn } = this;
    const lengths: number[] = [];
    const count = reader.recordCount(3);
    if (count === 0) reader.fail("a body without blocks");
    for (let i = 0; i < count && reader.error === null; i++) {
      const block = fn.addBlock(tables.text());
      const parameters = reader.recordCount(2);
      for (let j = 0; j < parameters && reader.error === null; j++) {
        const type = tables.type();
        this.values.push(block.addParameter(type, tables.text()));
      }
      const length = reader.varU32();
      lengths.push(length >>> 1);
      if (length % 2 === 1) block.unroll = reader.varU32();
      if (block.unroll > UNROLL_FULLY || (length % 2 === 1 && block.unroll === 0))
        reader.fail("a hint for a loop that this version does not know");
    }
    return lengths;
  }

  private use(list: Value[], user: number): void {
    const { reader } = this;
    const code = reader.varU32();
    if (code % 2 === 1) {
      const constant = this.constants[(code - 1) / 2];
      if (constant === undefined) reader.fail("a constant that is not in the function");
      else list.push(constant);
      return;
    }
    const zigzag = code / 2;
    const number = user - (zigzag % 2 === 1 ? -(zigzag + 1) / 2 : zigzag / 2);
    if (number < 0) reader.fail("a value that is not in the function");
    const known = this.values[number];
    if (known === undefined) this.pending.push({ list, index: list.length, number });
    list.push(known ?? constantZero(I32));
  }

  private useList(list: Value[], user: number): void {
    const count = this.reader.recordCount(1);
    for (let i = 0; i < count && this.reader.error === null; i++) this.use(list, user);
  }

  private symbol(): SymbolReference | null {
    const { reader, tables } = this;
    switch (reader.u8()) {
      case Form.FUNCTION_SYMBOL:
        return tables.function();
      case Form.GLOBAL_SYMBOL:
        return tables.global();
      case Form.BUILTIN_SYMBOL: {
        const name = tables.text();
        const count = reader.recordCount(1);
        return { kind: "builtin", name, parameters: Array.from({ length: count }, () => tables.text()) };
      }
      case Form.VARIABLE_SYMBOL: {
        const name = tables.text();
        return { kind: "variable", name, typeName: tables.text() };
      }
      default:
        reader.fail("a symbol of a kind that this version does not know");
        return null;
    }
  }

  private instruction(block: Block): void {
    const { reader, tables } = this;
    const op = reader.u8();
    if (OPS[op] === undefined) reader.fail("an operation that this version does not know");
    const mask = reader.varU32();
    const has = (bit: number): boolean => (mask & bit) !== 0;
    const type = has(Form.HAS_TYPE) ? tables.type() : VOID;
    if (has(Form.HAS_LOCATION)) this.lastLocation += reader.varS32();
    if (this.lastLocation < 0 || this.lastLocation > this.locations.length)
      reader.fail("a location that is not in the function");
    const made = new Instruction(op, type, [], this.locations[this.lastLocation - 1] ?? null);
    if (has(Form.HAS_ALIGNMENT)) made.alignment = reader.varU32();
    if (has(Form.HAS_OFFSET)) made.offset = safeInteger(reader);
    if (has(Form.HAS_SCALE)) made.scale = safeInteger(reader);
    if (has(Form.HAS_SYMBOL)) made.symbol = this.symbol();
    if (has(Form.HAS_NAME)) made.name = tables.text();
    if (has(Form.HAS_FLAGS)) made.flags = reader.varU32();
    if (has(Form.HAS_ELEMENT_TYPE)) made.elementType = tables.type();
    if (has(Form.HAS_LANES)) made.lanes = Array.from({ length: reader.recordCount(1) }, () => safeInteger(reader));
    if (has(Form.HAS_ORDER)) {
      made.order = word(reader, Form.ORDERS, "none");
      made.scope = word(reader, Form.SCOPES, "none");
    }
    if (has(Form.HAS_SEMANTICS)) made.semantics = reader.varU32();
    if (has(Form.HAS_ATOMIC_KIND)) made.atomicKind = word(reader, Form.ATOMIC_KINDS, "exchange");
    if (has(Form.HAS_ALIAS_GROUP)) made.aliasGroup = reader.varU32();
    const own = this.values.length;
    this.values.push(made);
    this.useList(made.operands, own);
    if (has(Form.HAS_SUCCESSORS)) this.successors(made, own);
    block.append(made);
  }

  private successors(made: Instruction, own: number): void {
    const { reader, fn } = this;
    const count = reader.recordCount(2);
    made.successors = [];
    made.successorArguments = [];
    for (let i = 0; i < count && reader.error === null; i++) {
      const target = fn.blocks[reader.varU32()];
      if (target === undefined) {
        reader.fail("a block that is not in the function");
        return;
      }
      const list: Value[] = [];
      this.useList(list, own);
      made.successors.push(target);
      made.successorArguments.push(list);
    }
  }
}

/** Reads the body of a function at the reader's offset; errors are in the reader. */
export function decodeBody(fn: IrFunction, tables: Tables): void {
  new FunctionReader(fn, tables).run();
}
