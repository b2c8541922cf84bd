// SPDX-License-Identifier: Apache-2.0
// The body of a function while it is written: ids of values, casts of pointers, the words of each block.
//
// Blocks are written in reverse postorder, so that definitions come before uses; the operands of phis are added by the
// branches that pass them, and blocks are put together at the end. A pointer has the id of the instruction that made it
// and the type that this instruction points to; who needs another type casts it, once in a block.
import {
  type Block,
  type Global,
  type Instruction,
  type IrFunction,
  Op,
  type Type,
  type Value,
  constantInt,
  I1,
  I32,
  reversePostorder,
} from "@muxkit/ir";

import { Unwritable } from "./error.ts";
import { constantId } from "./constants.ts";
import { type Handle, type Handles, isNull } from "./handles.ts";
import { type ModuleWriter, type Operand, append } from "./module-writer.ts";
import { handleType, intId, pointerTo, storageOf, valueType } from "./types.ts";
import { written, writtenExtended } from "./written.ts";
import type { ExtendedNames } from "../generated/names.ts";

const LABEL = written("OpLabel");
const PHI = written("OpPhi");
const BRANCH = written("OpBranch");
const BRANCH_CONDITIONAL = written("OpBranchConditional");
const ADD = written("OpIAdd");
const LESS = written("OpULessThan");
const BITCAST = written("OpBitcast");
const LINE = written("OpLine");
const EXT_INST = written("OpExtInst");

/** Writes an instruction; the id of its result, 0: it has none. */
export type RowWriter = (f: FunctionWriter, instruction: Instruction) => number;

/** How each op of the IR is written, by its number. */
export type RowTable = Readonly<Record<number, RowWriter>>;

/** What a function writer asks of the module. */
export interface ModuleParts {
  readonly w: ModuleWriter;
  /** The id of a function. */
  readonly functionId: (callee: IrFunction) => number;
  /** The type of an opaque value: an image's has the access that its argument has. */
  readonly opaqueType: (value: Value) => number;
  /** What pipes and reservations there are. */
  readonly handles: Handles;
  /** The variable of a global, and what it points to. */
  readonly globalOf: (global: Global) => { readonly id: number; readonly target: number };
  /** A built-in variable of work-items. */
  readonly builtInVariable: (name: string, type: number) => number;
  /** A variable that is only read, of a pointer's type; the same for the same initial value. */
  readonly constantVariable: (type: number, initial: number) => number;
  /** A function of another module, by its name there. */
  readonly importedFunction: (symbol: string, result: number, parameters: readonly number[]) => number;
  /** A specialization constant by its number; `make` declares it. */
  readonly specialization: (number: number, make: () => number) => number;
  readonly hasLines: boolean;
  /** Whether operations on floats may be fused where nothing is said. */
  readonly contracts: boolean;
}

/** A block while it is written. */
interface BlockWords {
  readonly label: number;
  /** Ids of its parameters, and for each the pairs of value and label. */
  readonly phis: { readonly id: number; readonly type: number; readonly pairs: number[] }[];
  readonly words: number[];
}

/** The operands of an extended instruction. */
type SetName = keyof ExtendedNames;

/** See the file's head. */
export class FunctionWriter {
  readonly parts: ModuleParts;
  readonly w: ModuleWriter;
  readonly source: IrFunction;
  /** The block that is written. */
  words: number[] = [];
  private label = 0;
  private readonly ids = new Map<Value, number>();
  /** What pointers point to whose ids are not pointers to bytes. */
  private readonly targets = new Map<Value, number>();
  private readonly casts = new Map<Value, Map<number, number>>();
  /** Vectors of pointers: for each lane a pointer to bytes. */
  readonly lanes: Map<Value, readonly number[]> = new Map();
  private readonly blocks = new Map<Block, BlockWords>();
  private readonly extra: BlockWords[] = [];
  private line = "";

  constructor(parts: ModuleParts, source: IrFunction) {
    this.parts = parts;
    this.w = parts.w;
    this.source = source;
  }

  /** Ends writing with a sentence. */
  refuse(message: string, instruction: Instruction | null = null): never {
    const location = instruction?.location ?? null;
    throw new Unwritable({
      where: this.source.name,
      place: location === null ? "" : `${location.file}:${location.line}:${location.column}`,
      message,
    });
  }

  /** Writes the blocks by a table. */
  write(rows: RowTable): number[] {
    const order = reversePostorder(this.source);
    for (const block of order) {
      const label = this.w.id();
      this.w.name(label, block.name);
      const phis = block.parameters.map((parameter) => {
        const id = this.w.id();
        this.ids.set(parameter, id);
        return { id, type: this.operandType(parameter), pairs: [] };
      });
      this.blocks.set(block, { label, phis, words: [] });
    }
    for (const block of order) {
      const own = this.ofBlock(block);
      this.words = own.words;
      this.label = own.label;
      this.casts.clear();
      this.line = "";
      for (const instruction of block.instructions) this.instruction(rows, instruction);
    }
    return this.together(order);
  }

  /** Writes an instruction by a table. */
  protected instruction(rows: RowTable, instruction: Instruction): void {
    const row = rows[instruction.op];
    if (row === undefined)
      return this.refuse(
        `${opName(instruction.op)} cannot be written: it is made where a program is compiled for a processor`,
        instruction,
      );
    if (this.parts.hasLines) this.locate(instruction);
    try {
      const id = row(this, instruction);
      if (id !== 0 && !this.ids.has(instruction)) this.define(instruction, id);
    } catch (error) {
      // Types and constants do not know where they are needed.
      if (error instanceof Unwritable && error.error.where === "") this.refuse(error.error.message, instruction);
      throw error;
    }
    return undefined;
  }

  private locate({ location, isTerminator }: Instruction): void {
    if (location === null || isTerminator) return;
    const { file, line, column } = location;
    const key = `${file}:${line}:${column}`;
    if (key === this.line) return;
    this.line = key;
    this.emit(LINE, this.w.text(file), line, column);
  }

  private together(order: readonly Block[]): number[] {
    const all: number[] = [];
    for (const { label, phis, words } of [...order.map((block) => this.ofBlock(block)), ...this.extra]) {
      append(all, LABEL, [label]);
      for (const { id, type, pairs } of phis) append(all, PHI, [type, id, ...pairs]);
      for (const word of words) all.push(word);
    }
    return all;
  }

  private ofBlock(block: Block): BlockWords {
    const found = this.blocks.get(block);
    return found ?? this.refuse("a branch leads to a block that cannot be reached");
  }

  /** Appends an instruction to the block. */
  emit(opcode: number, ...operands: readonly Operand[]): void {
    append(this.words, opcode, operands);
  }

  /** Appends an instruction with a result; its id. */
  make(opcode: number, type: number, ...operands: readonly Operand[]): number {
    const id = this.w.id();
    append(this.words, opcode, [type, id, ...operands]);
    return id;
  }

  /** An instruction of an extended set. */
  extended<S extends SetName>(set: S, name: ExtendedNames[S], type: number, ...operands: readonly number[]): number {
    return this.make(EXT_INST, type, this.w.set(set), writtenExtended(set, name), ...operands);
  }

  /** Says which id a value has; `target`: what a pointer points to, where that is no byte. */
  define(value: Value, id: number, target: number = 0): number {
    this.ids.set(value, id);
    if (target !== 0) this.targets.set(value, target);
    return id;
  }

  /** The id of a type. */
  type(type: Type): number {
    return valueType(this.w, type);
  }

  /** The id of the type of an operand: images have an access, pipes and reservations are no pointers and numbers. */
  operandType(value: Value): number {
    const handle = this.parts.handles.ofValue(value);
    if (handle !== null) return handleType(this.w, handle);
    return value.type.kind === "opaque" ? this.parts.opaqueType(value) : this.type(value.type);
  }

  /** The type of a pointer's value as one to a type of memory. */
  pointerType(value: Value, target: number): number {
    return pointerTo(this.w, storageOf(value.type.addressSpace), target);
  }

  /** The id of a value; a pointer's is one to bytes. */
  value(value: Value): number {
    if (value.kind === "constant") return constantId(this.w, value);
    if (this.parts.handles.ofValue(value) !== null) return this.known(value);
    if (value.type.kind === "pointer") return this.pointer(value, intId(this.w, 8));
    return this.known(value);
  }

  /** The id of a pipe or a reservation, whose null is a constant of every type. */
  handleValue(value: Value, handle: Handle): number {
    return isNull(value) ? this.w.declare(NULL, handleType(this.w, handle)) : this.known(value);
  }

  /** The id of a value that becomes another one, as the argument of a call or of a block. */
  passed(value: Value, as: Value | undefined): number {
    const handle = as === undefined ? null : this.parts.handles.ofValue(as);
    return handle === null ? this.value(value) : this.handleValue(value, handle);
  }

  /** The id that a value was defined with. */
  private known(value: Value): number {
    const id = this.ids.get(value);
    if (id !== undefined) return id;
    if (this.lanes.has(value))
      return this.refuse("a vector of pointers is used where its lanes are not read or written one by one");
    return this.refuse("a value is used before it is defined");
  }

  /** What a pointer points to as it was made. */
  targetOf(value: Value): number {
    return this.targets.get(value) ?? intId(this.w, 8);
  }

  /** The id of a pointer to a type of memory. */
  pointer(value: Value, target: number): number {
    const { addressSpace } = value.type;
    const type = pointerTo(this.w, storageOf(addressSpace), target);
    if (value.kind === "constant") return this.nullPointer(type, value);
    if (this.targetOf(value) === target) return this.known(value);
    let known = this.casts.get(value);
    if (known === undefined) this.casts.set(value, (known = new Map()));
    let id = known.get(target);
    if (id === undefined) known.set(target, (id = this.make(BITCAST, type, this.known(value))));
    return id;
  }

  private nullPointer(type: number, value: Value): number {
    if (value.kind !== "constant" || value.low !== 0 || value.high !== 0)
      return this.refuse("the only constant pointer is null");
    return this.w.declare(NULL, type);
  }

  /** A constant of 32 bits. */
  number(value: number): number {
    return constantId(this.w, constantInt(I32, value));
  }

  /** Goes on in a block that does not exist in the IR. */
  private goOn(label: number): void {
    append(this.words, LABEL, [label]);
    this.label = label;
    this.casts.clear();
    this.line = "";
  }

  /** Writes what happens where a truth value is true. */
  onlyWhen(condition: number, write: () => void): void {
    const [inside, after] = [this.w.id(), this.w.id()];
    this.emit(BRANCH_CONDITIONAL, condition, inside, after);
    this.goOn(inside);
    write();
    this.emit(BRANCH, after);
    this.goOn(after);
  }

  /** The value that is written where a truth value is true, `otherwise` where it is not. */
  valueWhen(condition: number, type: number, otherwise: number, write: () => number): number {
    const before = this.label;
    let [made, from] = [otherwise, before];
    this.onlyWhen(condition, () => {
      made = write();
      from = this.label;
    });
    return this.make(PHI, type, otherwise, before, made, from);
  }

  /** Writes what happens for each number below a limit, which is unsigned. */
  forEachBelow(limit: Value, write: (index: number) => void): void {
    const type = this.type(limit.type);
    const truth = this.type(I1);
    const [end, before] = [this.value(limit), this.label];
    const [head, body, after, next] = [this.w.id(), this.w.id(), this.w.id(), this.w.id()];
    this.emit(BRANCH, head);
    this.goOn(head);
    // The body has no branches, so that its end is known.
    const index = this.make(PHI, type, constantId(this.w, constantInt(limit.type, 0)), before, next, body);
    this.emit(BRANCH_CONDITIONAL, this.make(LESS, truth, index, end), body, after);
    this.goOn(body);
    write(index);
    append(this.words, ADD, [type, next, index, constantId(this.w, constantInt(limit.type, 1))]);
    this.emit(BRANCH, head);
    this.goOn(after);
  }

  /** The label of a block. */
  labelOf(block: Block): number {
    return this.ofBlock(block).label;
  }

  /** Passes arguments along an edge; the label to branch to. `isOwn`: another edge of this branch leads there too. */
  edge(to: Block, values: readonly Value[], isOwn: boolean): number {
    const target = this.ofBlock(to);
    let from = this.label;
    if (isOwn && values.length > 0) {
      const words: number[] = [];
      append(words, BRANCH, [target.label]);
      from = this.w.id();
      this.extra.push({ label: from, phis: [], words });
    }
    values.forEach((value, n) => target.phis[n]?.pairs.push(this.passed(value, to.parameters[n]), from));
    return from === this.label ? target.label : from;
  }
}

const NULL = written("OpConstantNull");
const NAMES = new Map<number, string>(Object.entries(Op).map(([name, number]) => [number, name.toLowerCase()]));

/** The name of an op of the IR. */
export function opName(op: number): string {
  return NAMES.get(op) ?? String(op);
}
