// SPDX-License-Identifier: Apache-2.0
// sroa: scalar replacement of aggregates. Private arrays, structs and vectors that are reached only at constant offsets
// become one variable for each partition of their bytes (sroa-partitions.ts), which mem2reg then promotes.
//
// Phases:
//   1. collect: every access to an alloca at a constant offset becomes a slice; an address that is used in another way
//      (variable index, call, volatile access, copy of a variable onto itself) closes the candidate;
//   2. split: partitions are computed per variable, and each gets an alloca;
//   3. rewrite: loads and stores go to one partition (sroa-rewrite.ts), fills and copies are split along partitions.
//      The other side of a split copy may be a candidate that is split later: its list of slices is updated;
//   4. apply: the new instructions replace the old ones in place.
//
// The design follows LLVM's SROA (Carruth 2012, "alloca slices"). Cost: one walk over the function, then slices times
// partitions per variable; a variable with more than 128 partitions stays whole.
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

import { offsetFromBase, variableOf } from "./alias-analysis.ts";
import type { FunctionFrame } from "./pass.ts";
import { type Partition, type Slice, accessTypeOf, partitionsOf } from "./sroa-partitions.ts";
import { readPartition, writePartition } from "./sroa-rewrite.ts";

/** Most partitions that a variable is split into. */
const MOST_PARTITIONS = 128;

/** A variable that may be split. */
interface Candidate {
  readonly variable: Instruction;
  readonly accesses: Slice[];
  isOpen: boolean;
}

/** A pointer into a candidate at a constant offset. */
interface CandidatePointer {
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
  /** The instructions that replace an instruction. */
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
      this.collect(instruction);
    });
    for (const candidate of this.candidates)
      if (candidate.isOpen && candidate.accesses.length > 0) this.split(candidate);
    if (this.changed) this.apply();
    return this.changed;
  }

  /** Traces a pointer to a candidate; null: it points to none, or not at a constant offset. */
  private trace(pointer: Value | undefined): CandidatePointer | null {
    const variable = variableOf(pointer);
    const candidate = variable === null ? undefined : this.candidates[variable.mark - 1];
    const offset = pointer === undefined ? null : offsetFromBase(pointer);
    return candidate === undefined || offset === null ? null : { candidate, offset };
  }

  /** Closes the candidate that a pointer refers to: its use cannot be rewritten. */
  private close(value: Value): void {
    const variable = variableOf(value);
    const candidate = variable === null ? undefined : this.candidates[variable.mark - 1];
    if (candidate !== undefined) candidate.isOpen = false;
  }

  private collect(instruction: Instruction): void {
    const { op, operands, successorArguments } = instruction;
    if (op === Op.DEBUG_VALUE || (op === Op.ADDRESS && operands.length === 1)) return;
    for (let i = 0; i < operands.length; i++) {
      const operand = operands[i] as Value;
      if (operand.type.kind === "pointer" && !this.isAccess(instruction, i)) this.close(operand);
    }
    for (let edge = 0; edge < successorArguments.length; edge++)
      for (const value of successorArguments[edge] as Value[]) this.close(value);
  }

  /**
   * Records the slice that an instruction accesses through one of its operands; false: it is no access to a candidate.
   */
  private isAccess(instruction: Instruction, at: number): boolean {
    const { op, operands } = instruction;
    if ((instruction.flags & VOLATILE) !== 0) return false;
    if (op === Op.LOAD) return this.record("load", instruction, at, sizeOf(this.layout, instruction.type));
    if (op === Op.STORE)
      return at === 1 && this.record("store", instruction, at, sizeOf(this.layout, operands[0]?.type ?? I8));
    if (op === Op.MEMORY_FILL)
      return operands[1]?.kind === "constant" && this.record("fill", instruction, at, constantLength(operands[2]));
    if (op !== Op.MEMORY_COPY) return false;
    // A copy within one variable is left alone.
    const other = this.trace(operands[1 - at]);
    if (other !== null && this.trace(operands[at])?.candidate === other.candidate) return false;
    return this.record(at === 0 ? "copy-to" : "copy-from", instruction, at, constantLength(operands[2]));
  }

  private record(kind: Slice["kind"], instruction: Instruction, at: number, bytes: number | null): boolean {
    const target = this.trace(instruction.operands[at]);
    if (target === null || bytes === null || bytes <= 0) return false;
    const { candidate, offset } = target;
    const size = sizeOf(this.layout, candidate.variable.elementType ?? I8);
    if (offset < 0 || offset + bytes > size) return false;
    candidate.accesses.push({ kind, instruction, offset, bytes });
    return true;
  }

  /** Splits a variable, unless it would stay in one piece. */
  private split(candidate: Candidate): void {
    const { variable } = candidate;
    const type = variable.elementType ?? I8;
    const partitions = partitionsOf(candidate.accesses, this.layout);
    const [first] = partitions;
    const isOnePiece = partitions.length === 1 && first?.bytes === sizeOf(this.layout, type);
    // Lanes that are accessed one by one, fills and copies become accesses of the whole value, which can be promoted.
    const isDone =
      isOnePiece &&
      (first.type === null || (first.type === type && candidate.accesses.every((one) => accessTypeOf(one) === type)));
    if (partitions.length === 0 || partitions.length > MOST_PARTITIONS || isDone) return;
    this.changed = true;
    candidate.isOpen = false;
    const parts = new Map<Partition, Instruction>();
    for (const partition of partitions) {
      const part = new Instruction(Op.ALLOCA, variable.type, NO_OPERANDS, variable.location);
      part.elementType = partition.type ?? arrayType(I8, partition.bytes);
      part.alignment = Math.max(
        commonAlignment(variable.alignment, partition.offset),
        alignmentOf(this.layout, part.elementType),
      );
      part.name = variable.name;
      part.block = this.fn.entry;
      parts.set(partition, part);
      this.made.push(part);
    }
    for (const access of candidate.accesses) this.rewrite(access, parts);
  }

  /** Emits the address of `pointer` plus bytes instead of an instruction. */
  private address(pointer: Value, offset: number, at: Instruction): Value {
    if (offset === 0) return pointer;
    const made = new Instruction(Op.ADDRESS, pointer.type, listOf<Value>(pointer), at.location);
    made.offset = offset;
    return this.emit(at, made);
  }

  private emit(at: Instruction, made: Instruction): Instruction {
    made.block = at.block;
    const list = this.rewritten.get(at);
    if (list === undefined) this.rewritten.set(at, [made]);
    else list.push(made);
    return made;
  }

  private rewrite(access: Slice, parts: ReadonlyMap<Partition, Instruction>): void {
    const { kind, instruction, offset, bytes } = access;
    if (!this.rewritten.has(instruction)) this.rewritten.set(instruction, []);
    if (kind === "copy-to" || kind === "copy-from") this.removeCopy(instruction, kind === "copy-to" ? 1 : 0);
    const emit = (made: Instruction): Instruction => this.emit(instruction, made);
    for (const [partition, part] of parts) {
      const from = Math.max(offset, partition.offset);
      const to = Math.min(offset + bytes, partition.offset + partition.bytes);
      if (from >= to) continue;
      const within = from - partition.offset;
      if (kind === "load") replaceLater(instruction, readPartition(part, within, instruction, emit));
      else if (kind === "store") writePartition(part, within, instruction, emit);
      else if (kind === "fill") this.fill(partition, part, within, to - from, instruction);
      else this.copy(access, partition, part, from, to - from);
    }
  }

  private fill(partition: Partition, part: Instruction, within: number, bytes: number, instruction: Instruction): void {
    if (partition.type !== null) {
      this.store(part, constantZero(partition.type), part.alignment, instruction);
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
    this.emit(instruction, made);
  }

  private store(pointer: Value, value: Value, alignment: number, at: Instruction): Instruction {
    const made = new Instruction(Op.STORE, VOID, listOf<Value>(value, pointer), at.location);
    made.alignment = alignment;
    return this.emit(at, made);
  }

  /**
   * Emits one partition's share of a copy. If the other side is a candidate that is still open, it gets a new slice.
   */
  private copy(
    { kind, instruction, offset }: Slice,
    partition: Partition,
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
    const opposite = this.trace(pointer);
    const recordOpposite = (own: Slice["kind"], made: Instruction): void => {
      if (opposite?.candidate.isOpen === true)
        opposite.candidate.accesses.push({ kind: own, instruction: made, offset: opposite.offset, bytes });
    };
    if (partition.type === null) {
      const own = this.address(part, from - partition.offset, instruction);
      const made = new Instruction(
        Op.MEMORY_COPY,
        VOID,
        isTarget ? [own, pointer, lengthLike(length, bytes)] : [pointer, own, lengthLike(length, bytes)],
        instruction.location,
      );
      made.alignment = Math.min(alignment, commonAlignment(part.alignment, from - partition.offset));
      recordOpposite(isTarget ? "copy-from" : "copy-to", this.emit(instruction, made));
    } else {
      const load = new Instruction(
        Op.LOAD,
        partition.type,
        listOf<Value>(isTarget ? pointer : part),
        instruction.location,
      );
      load.alignment = isTarget ? alignment : part.alignment;
      this.emit(instruction, load);
      const store = this.store(isTarget ? part : pointer, load, isTarget ? part.alignment : alignment, instruction);
      if (isTarget) recordOpposite("load", load);
      else recordOpposite("store", store);
    }
  }

  /** Removes a copy that is split from the slices of its other side. */
  private removeCopy(copy: Instruction, operand: number): void {
    const accesses = this.trace(copy.operands[operand])?.candidate.accesses;
    const at = accesses?.findIndex(({ instruction }) => instruction === copy) ?? -1;
    if (at >= 0) accesses?.splice(at, 1);
  }

  /** Replaces the rewritten instructions in their blocks. */
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
