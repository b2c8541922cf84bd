// SPDX-License-Identifier: Apache-2.0
// What is known of a module while it is read: its words, names, decorations, types, and what ids outside of functions
// stand for.
import { type Block, type DataLayout, type Global, type IrFunction, Module, type Type, bigintValue } from "@muxkit/ir";

import type { WrittenArguments } from "./kernels.ts";
import type { SpirvModule } from "../binary/module.ts";
import { type DecorationName, Decorations } from "../binary/decorations.ts";
import { stringAt } from "../binary/module.ts";
import { enumerant, opRow } from "../grammar/tables.ts";
import type { EnumerantNames, OpName } from "../generated/names.ts";
import { IdColumn, NameColumn } from "./id-column.ts";
import type { ImportedBuiltin } from "./imported-builtins.ts";
import type { Operand } from "./operand.ts";
import type { ShaderInterface, ShaderVariable } from "./shader/interface.ts";
import type { MemoryLayout, SpirvType } from "./types.ts";

/** What a module is read for. @public */
export interface ReaderOptions {
  /** Name of the module in locations and messages. */
  readonly name: string;
  /** Sizes of the target. */
  readonly layout: DataLayout;
  /** Values of specialization constants by their ids, little-endian; others have their defaults. */
  readonly specialization: ReadonlyMap<number, Uint8Array>;
  /** Flags of every operation on floats, from the options of the build. */
  readonly floatFlags: number;
  /** True when the program assumes work-groups of equal size, whatever its language is. */
  readonly uniformWorkGroups: boolean;
  /** What accesses of shaders outside of their buffers do; absent: what is there is read and written. */
  readonly robustBufferAccess?: RobustBufferAccess;
  /** How many descriptors there are in arrays of shaders that do not say it, by `set,binding`. */
  readonly descriptorCounts?: ReadonlyMap<string, number>;
  /** Work-items that each sub-group of a shader must have; absent: any. */
  readonly requiredSubGroupSize?: number;
}

/**
 * What an access outside of a storage or uniform buffer does. `zero`: a load gives zero, a store and an atomic
 * operation do nothing. `clamp`: the nearest place in the buffer is read or written, which costs no branch.
 *
 * @public
 */
export type RobustBufferAccess = "zero" | "clamp";

/** What the reader does not take: where, and why, as one sentence. */
export class ReadError extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/** Where the instructions of a function are. */
export interface FunctionBody {
  /** Index of its OpFunction. */
  readonly begin: number;
  /** Index of its OpFunctionEnd. */
  readonly end: number;
}

/** A function of the module. */
export interface FunctionFacts extends FunctionBody {
  readonly id: number;
  readonly type: SpirvType;
  readonly ir: IrFunction;
  /** The first parameter is the address of the result. */
  readonly hasResultAddress: boolean;
  /** The built-in function that it is; null: a function of the module, or of another one. */
  readonly builtin: ImportedBuiltin | null;
  /** Variables of a shader that it gets from its caller, after its own parameters. */
  readonly hidden: readonly ShaderVariable[];
}

/** Most levels of types in types. */
export const MOST_LEVELS = 255;

/** The state of one reading. */
export class ModuleReader {
  readonly module: SpirvModule;
  readonly words: Uint32Array;
  readonly options: ReaderOptions;
  readonly ir: Module;
  /** A module of 64-bit addressing on a device of 32-bit pointers. */
  isWide = false;
  /** A module of compute shaders: logical addressing, resources instead of arguments. */
  isShader = false;
  /** What a shader's functions use that its entry point has from outside; set before functions are read. */
  shader: ShaderInterface | null = null;
  /** Variables of a shader outside of functions, but for memory of work-groups and built-ins. */
  readonly outer: Map<number, ShaderVariable> = new Map();
  /** Memory of work-groups that begins as zero, in bytes. */
  readonly zeroed: Map<number, number> = new Map();
  /** Memory of work-groups that all blocks in it begin in; null: there are none. */
  workGroupBlocks: Global | null = null;
  /** Ints of widths that the IR has not are declared. */
  hasOddInts = false;
  /** Vectors of lanes that the IR has not are declared. */
  hasOddVectors = false;
  /** Bytes of a pointer of the device. */
  readonly pointerBytes: number;
  /** The word that is being read, for errors found far from where it is. */
  at = 0;
  /** Reads a declaration before its turn. */
  readAhead: (index: number) => void = () => undefined;
  /** Index of the first function: what is defined before it is seen by all of them. */
  firstFunction: number;
  readonly names: NameColumn;
  readonly strings: Map<number, string> = new Map();
  /** Types of kernels' arguments as their source writes them, by the kernels' names. */
  writtenArguments: ReadonlyMap<string, WrittenArguments> = new Map();
  readonly decorations: Decorations;
  readonly types: IdColumn<SpirvType>;
  readonly layouts: Map<SpirvType, MemoryLayout> = new Map();
  readonly leaves: Map<SpirvType, readonly Type[]> = new Map();
  /** What ids stand for: constants and variables, and what functions have defined so far. */
  readonly operands: IdColumn<Operand>;
  /** Blocks by their labels. */
  readonly blocks: IdColumn<Block>;
  /** Types of {@link operands} that are others than their instructions say. */
  private readonly otherTypes: IdColumn<SpirvType>;
  readonly functions: Map<number, FunctionFacts> = new Map();
  /** `OpSource` says OpenCL C before 2.0, whose work-groups are all of one size. */
  hasUniformGroups = false;
  /** Products may be fused with sums: no entry point forbids it. */
  contracts = true;
  /** Names that are taken, with the last number that was put behind them. */
  private readonly symbols = new Map<string, number>();

  constructor(module: SpirvModule, options: ReaderOptions) {
    this.module = module;
    this.words = module.words;
    this.options = options;
    this.ir = new Module(options.name, options.layout);
    const { definitions, offsets, count } = module;
    this.firstFunction = count;
    this.decorations = new Decorations(module);
    this.names = new NameColumn(module.words, offsets, definitions);
    this.types = new IdColumn(definitions, count);
    this.operands = new IdColumn(definitions, count);
    this.blocks = new IdColumn(definitions, count);
    this.otherTypes = new IdColumn(definitions, count);
    this.pointerBytes = options.layout.pointerBytes[1] ?? options.layout.sizeBits / 8;
  }

  /** OpenCL C's name of what `size_t` is in the module. */
  get sizeName(): string {
    return this.isWide || this.options.layout.sizeBits === 64 ? "ulong" : "uint";
  }

  /** Ends the reading. */
  refuse(offset: number, message: string): never {
    throw new ReadError(offset, message);
  }

  /** Name of an instruction by its index. */
  opName(index: number): OpName {
    return opRow(this.module.opcodes[index] ?? 0)?.name ?? "OpNop";
  }

  /** The text of a literal string that begins at a word. */
  text(at: number, end: number): string {
    return stringAt(this.words, at, end);
  }

  /** A declared type. */
  typeAt(id: number, at: number): SpirvType {
    const known = this.types.get(id);
    if (known !== undefined) return known;
    const index = this.module.definitions.of(id);
    if (index >= 0 && index < this.firstFunction) this.readAhead(index);
    return this.types.get(id) ?? this.refuse(at, `%${id} is no type of the module`);
  }

  /** A constant int, with its sign where its type has one. */
  constantInt(id: number, at: number): bigint {
    const operand = this.constantOf(id);
    if (operand?.kind !== "constant" || operand.type.kind !== "int")
      return this.refuse(at, `%${id} is no constant int that is declared before`);
    const value = bigintValue(operand);
    const type = this.operandType(id);
    return type?.isSigned === true ? BigInt.asIntN(type.bits, value) : value;
  }

  /** Makes a type known. */
  declareType(type: SpirvType, at: number): void {
    if (type.level > MOST_LEVELS) this.refuse(at, `types are nested more than ${MOST_LEVELS} levels deep`);
    this.types.set(type.id, type);
  }

  /** What an id outside of functions stands for; undefined: it is no constant and no variable. */
  constantOf(id: number): Operand | undefined {
    const known = this.operands.get(id);
    if (known !== undefined) return known;
    const index = this.module.definitions.of(id);
    if (index < 0 || index >= this.firstFunction || this.module.types[index] === 0) return undefined;
    this.readAhead(index);
    return this.operands.get(id);
  }

  /** The type of an id that stands for something; undefined: it does not yet. */
  operandType(id: number): SpirvType | undefined {
    const index = this.module.definitions.of(id);
    if (index < 0 || (this.operands.at(index) ?? this.constantOf(id)) === undefined) return undefined;
    return this.otherTypes.at(index) ?? this.types.get(this.module.types[index] ?? 0);
  }

  /** Makes it known what an id stands for. */
  defineOperand(id: number, type: SpirvType, operand: Operand): void {
    const index = this.module.definitions.of(id);
    if (index < 0) return;
    this.operands.put(index, operand);
    const declared = this.types.get(this.module.types[index] ?? 0);
    if (type !== declared) this.otherTypes.put(index, type);
    else if (this.otherTypes.at(index) !== undefined) this.otherTypes.put(index, undefined);
  }

  /** Forgets what was known of the ids of a function, which nobody else may use. */
  forgetFunction({ end }: FunctionFacts): void {
    for (const column of [this.operands, this.blocks, this.otherTypes]) column.forget(this.firstFunction, end);
  }

  /** Operands of a decoration of an id; null: it does not have it. */
  decoration(id: number, name: DecorationName): Uint32Array | null {
    return this.#operandsOf(this.decorations.find(id, name));
  }

  /** True when an id has a decoration. */
  hasDecoration(id: number, name: DecorationName): boolean {
    return this.decorations.has(id, name);
  }

  /** Operands of a decoration of a member; null: it does not have it. */
  memberDecoration(id: number, member: number, name: DecorationName): Uint32Array | null {
    return this.#operandsOf(this.decorations.find(id, name, member));
  }

  /** True for a parameter that has an attribute. */
  hasAttribute(id: number, name: EnumerantNames["FunctionParameterAttribute"]): boolean {
    const wanted = enumerant("FunctionParameterAttribute", name);
    for (const at of this.decorations.each(id, "FuncParamAttr"))
      if (this.decorations.parameters(at)[0] === wanted) return true;
    return false;
  }

  #operandsOf(instruction: number): Uint32Array | null {
    return instruction < 0 ? null : this.decorations.parameters(instruction);
  }

  /** A name for a symbol of the IR that nothing else has. */
  symbol(wanted: string): string {
    let name = wanted;
    let next = this.symbols.get(wanted) ?? 0;
    while (this.symbols.has(name)) name = `${wanted}.${++next}`;
    this.symbols.set(wanted, next);
    if (name !== wanted) this.symbols.set(name, 0);
    return name;
  }
}
