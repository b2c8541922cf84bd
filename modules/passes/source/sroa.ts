// SPDX-License-Identifier: Apache-2.0
// sroa: private arrays, structs and vectors that are only reached at constant offsets become one variable for each part.
import {
  type Constant,
  type DataLayout,
  I8,
  Instruction,
  type IrFunction,
  Op,
  VOID,
  VOLATILE,
  type Value,
  alignmentOf,
  arrayType,
  clearMarks,
  constantInt,
  constantZero,
  replaceLater,
  applyReplacements,
  sizeOf,
  walk,
  NO_OPERANDS,
  listOf,
} from "@muxkit/ir";

import type { FunctionFrame } from "./pass.ts";
import { type Slice, type SlicedAccess, slicesOf } from "./sroa-partitions.ts";
import { readSlice, writeSlice } from "./sroa-rewrite.ts";

/** Most parts that a variable is split into. */
const MOST_SLICES = 128;

/** A variable that may be split. */
interface Candidate {
  readonly variable: Instruction;
  readonly accesses: SlicedAccess[];
  isOpen: boolean;
}

/** Where a pointer leads, as far as it follows from constants. */
interface Place {
  readonly candidate: Candidate;
  readonly offset: number;
}

function constantLength(value: Value | undefined): number | null {
  return value?.kind === "constant" && value.type.bits <= 32 ? value.low : null;
}

/** The largest power of two that divides both. */
function commonAlignment(alignment: number, offset: number): number {
  const low = offset === 0 ? alignment : offset & -offset;
  return Math.min(alignment, low);
}

class Splitter {
  private readonly fn: IrFunction;
  private readonly layout: DataLayout;
  private readonly candidates: Candidate[] = [];
  /** What stands in the place of an instruction. */
  private readonly rewritten = new Map<Instruction, Instruction[]>();
  private readonly made: Instruction[] = [];
  private changed = false;

  constructor(fn: IrFunction, layout: DataLayout) {
    this.fn = fn;
    this.layout = layout;
  }

  run(): boolean {
    for (const variable of this.fn.entry.instructions) {
      if (variable.op === Op.ALLOCA && variable.elementType !== null)
        this.candidates.push({ variable, accesses: [], isOpen: true });
    }
    if (this.candidates.length === 0) return false;
    clearMarks(this.fn);
    this.candidates.forEach(({ variable }, i) => {
      variable.mark = i + 1;
    });
    walk(this.fn, (instruction) => {
      this.see(instruction);
    });
    for (const candidate of this.candidates)
      if (candidate.isOpen && candidate.accesses.length > 0) this.split(candidate);
    if (this.changed) this.apply();
    return this.changed;
  }

  /** The place that a pointer leads to; null: no candidate, or not a constant offset into one. */
  private place(pointer: Value | undefined): Place | null {
    let offset = 0;
    let value = pointer;
    while (value?.kind === "instruction" && value.op === Op.ADDRESS && value.operands.length === 1) {
      offset += value.offset;
      [value] = value.operands;
    }
    if (value?.kind !== "instruction" || value.op !== Op.ALLOCA) return null;
    const candidate = this.candidates[value.mark - 1];
    return candidate === undefined ? null : { candidate, offset };
  }

  /** A pointer into a candidate goes where it cannot be followed. */
  private lose(value: Value): void {
    if (value.type.kind !== "pointer") return;
    let base: Value | undefined = value;
    while (base?.kind === "instruction" && base.op === Op.ADDRESS) [base] = base.operands;
    if (base?.kind !== "instruction" || base.op !== Op.ALLOCA) return;
    const candidate = this.candidates[base.mark - 1];
    if (candidate !== undefined) candidate.isOpen = false;
  }

  private see(instruction: Instruction): void {
    const { op, operands, successorArguments } = instruction;
    if (op === Op.DEBUG_VALUE || (op === Op.ADDRESS && operands.length === 1)) return;
    for (let i = 0; i < operands.length; i++) {
      const operand = operands[i] as Value;
      if (operand.type.kind === "pointer" && !this.isAccess(instruction, i)) this.lose(operand);
    }
    for (let edge = 0; edge < successorArguments.length; edge++)
      for (const value of successorArguments[edge] as Value[]) this.lose(value);
  }

  /** Notes what an instruction does to a candidate through one of its operands; false: it does something else, or to nothing that is a candidate. */
  private isAccess(instruction: Instruction, at: number): boolean {
    const { op, operands } = instruction;
    if ((instruction.flags & VOLATILE) !== 0) return false;
    if (op === Op.LOAD) return this.note("load", instruction, at, sizeOf(this.layout, instruction.type));
    if (op === Op.STORE)
      return at === 1 && this.note("store", instruction, at, sizeOf(this.layout, operands[0]?.type ?? I8));
    if (op === Op.MEMORY_FILL)
      return operands[1]?.kind === "constant" && this.note("fill", instruction, at, constantLength(operands[2]));
    if (op !== Op.MEMORY_COPY) return false;
    // A copy within one variable is left alone.
    const other = this.place(operands[1 - at]);
    if (other !== null && this.place(operands[at])?.candidate === other.candidate) return false;
    return this.note(at === 0 ? "copy-to" : "copy-from", instruction, at, constantLength(operands[2]));
  }

  private note(kind: SlicedAccess["kind"], instruction: Instruction, at: number, bytes: number | null): boolean {
    const place = this.place(instruction.operands[at]);
    if (place === null || bytes === null || bytes <= 0) return false;
    const { candidate, offset } = place;
    const size = sizeOf(this.layout, candidate.variable.elementType ?? I8);
    if (offset < 0 || offset + bytes > size) return false;
    candidate.accesses.push({ kind, instruction, offset, bytes });
    return true;
  }

  /** Splits a variable, unless it would stay in one piece. */
  private split(candidate: Candidate): void {
    const { variable } = candidate;
    const type = variable.elementType ?? I8;
    const slices = slicesOf(candidate.accesses, this.layout);
    const isWhole =
      slices.length === 1 &&
      slices[0]?.bytes === sizeOf(this.layout, type) &&
      (slices[0].type === null || slices[0].type === type);
    if (slices.length === 0 || slices.length > MOST_SLICES || isWhole) return;
    this.changed = true;
    candidate.isOpen = false;
    const parts = new Map<Slice, Instruction>();
    for (const slice of slices) {
      const part = new Instruction(Op.ALLOCA, variable.type, NO_OPERANDS, variable.location);
      part.elementType = slice.type ?? arrayType(I8, slice.bytes);
      part.alignment = Math.max(
        commonAlignment(variable.alignment, slice.offset),
        alignmentOf(this.layout, part.elementType),
      );
      part.name = variable.name;
      part.block = this.fn.entry;
      parts.set(slice, part);
      this.made.push(part);
    }
    for (const access of candidate.accesses) this.rewrite(access, parts);
  }

  /** An address of `pointer` plus bytes, written in the place of an instruction. */
  private address(pointer: Value, offset: number, at: Instruction): Value {
    if (offset === 0) return pointer;
    const made = new Instruction(Op.ADDRESS, pointer.type, listOf<Value>(pointer), at.location);
    made.offset = offset;
    return this.put(at, made);
  }

  private put(at: Instruction, made: Instruction): Instruction {
    made.block = at.block;
    const list = this.rewritten.get(at);
    if (list === undefined) this.rewritten.set(at, [made]);
    else list.push(made);
    return made;
  }

  private rewrite(access: SlicedAccess, parts: ReadonlyMap<Slice, Instruction>): void {
    const { kind, instruction, offset, bytes } = access;
    if (!this.rewritten.has(instruction)) this.rewritten.set(instruction, []);
    if (kind === "copy-to" || kind === "copy-from") this.forget(instruction, kind === "copy-to" ? 1 : 0);
    const put = (made: Instruction): Instruction => this.put(instruction, made);
    for (const [slice, part] of parts) {
      const from = Math.max(offset, slice.offset);
      const to = Math.min(offset + bytes, slice.offset + slice.bytes);
      if (from >= to) continue;
      const within = from - slice.offset;
      if (kind === "load") replaceLater(instruction, readSlice(part, within, instruction, put));
      else if (kind === "store") writeSlice(part, within, instruction, put);
      else if (kind === "fill") this.fill(slice, part, within, to - from, instruction);
      else this.copy(access, slice, part, from, to - from);
    }
  }

  private fill(slice: Slice, part: Instruction, within: number, bytes: number, instruction: Instruction): void {
    if (slice.type !== null) {
      this.store(part, constantZero(slice.type), part.alignment, instruction);
      return;
    }
    const [, value, length] = instruction.operands;
    if (value === undefined || length === undefined) return;
    const pointer = this.address(part, within, instruction);
    const made = new Instruction(
      Op.MEMORY_FILL,
      VOID,
      listOf<Value>(pointer, value, lengthLike(length, bytes)),
      instruction.location,
    );
    made.alignment = commonAlignment(part.alignment, within);
    this.put(instruction, made);
  }

  private store(pointer: Value, value: Value, alignment: number, at: Instruction): Instruction {
    const made = new Instruction(Op.STORE, VOID, listOf<Value>(value, pointer), at.location);
    made.alignment = alignment;
    return this.put(at, made);
  }

  /** One part's share of a copy. What it does to the other side, another candidate may want to know. */
  private copy(
    { kind, instruction, offset }: SlicedAccess,
    slice: Slice,
    part: Instruction,
    from: number,
    bytes: number,
  ): void {
    const isTarget = kind === "copy-to";
    const [target, source, length] = instruction.operands;
    const other = isTarget ? source : target;
    if (other === undefined || length === undefined) return;
    const away = from - offset;
    const pointer = this.address(other, away, instruction);
    const alignment = commonAlignment(Math.max(1, instruction.alignment), away);
    const place = this.place(pointer);
    const tell = (own: SlicedAccess["kind"], made: Instruction): void => {
      if (place?.candidate.isOpen === true)
        place.candidate.accesses.push({ kind: own, instruction: made, offset: place.offset, bytes });
    };
    if (slice.type === null) {
      const own = this.address(part, from - slice.offset, instruction);
      const made = new Instruction(
        Op.MEMORY_COPY,
        VOID,
        isTarget ? [own, pointer, lengthLike(length, bytes)] : [pointer, own, lengthLike(length, bytes)],
        instruction.location,
      );
      made.alignment = Math.min(alignment, commonAlignment(part.alignment, from - slice.offset));
      tell(isTarget ? "copy-from" : "copy-to", this.put(instruction, made));
    } else {
      const load = new Instruction(Op.LOAD, slice.type, listOf<Value>(isTarget ? pointer : part), instruction.location);
      load.alignment = isTarget ? alignment : part.alignment;
      this.put(instruction, load);
      const store = this.store(isTarget ? part : pointer, load, isTarget ? part.alignment : alignment, instruction);
      if (isTarget) tell("load", load);
      else tell("store", store);
    }
  }

  /** A copy is cut up: its other side has it no more. */
  private forget(copy: Instruction, operand: number): void {
    const accesses = this.place(copy.operands[operand])?.candidate.accesses;
    const at = accesses?.findIndex(({ instruction }) => instruction === copy) ?? -1;
    if (at >= 0) accesses?.splice(at, 1);
  }

  /** Puts everything where it belongs. */
  private apply(): void {
    const { fn, rewritten } = this;
    const expand = (instruction: Instruction): readonly Instruction[] => {
      const list = rewritten.get(instruction);
      return list === undefined ? [instruction] : list.flatMap(expand);
    };
    for (const block of fn.blocks) {
      if (block.instructions.some((instruction) => rewritten.has(instruction)))
        block.instructions = block.instructions.flatMap(expand);
    }
    fn.entry.instructions.unshift(...this.made);
    applyReplacements(fn);
  }
}

function lengthLike(length: Value, bytes: number): Constant {
  return constantInt(length.type, bytes);
}

/** Splits private variables; true when any was. */
export function sroa(fn: IrFunction, { module }: FunctionFrame): boolean {
  return new Splitter(fn, module.layout).run();
}
