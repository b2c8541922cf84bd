// SPDX-License-Identifier: Apache-2.0
// Appends instructions to a block, with the result type of the op's typing rule.
import { InternalError, assert } from "@muxkit/cargo";

import { type Block, type Global, type IrFunction } from "./function.ts";
import * as Op from "./generated/op.ts";
import {
  type AtomicKind,
  type BuiltinReference,
  Instruction,
  type MemoryOrder,
  NON_UNIFORM,
  NO_OPERANDS,
  type Scope,
} from "./instruction.ts";
import { copyOf, listOf } from "./list.ts";
import type { Location } from "./location.ts";
import {
  I1,
  I32,
  PRIVATE,
  type Type,
  VOID,
  laneCount,
  pointerType,
  scalarOf,
  vectorType,
  withLanesOf,
} from "./type.ts";
import { type Value, constantInt } from "./value.ts";

/** A list with the same entries; the shared one when there are none. */
function sharedCopyOf(values: readonly Value[]): Value[] {
  return values.length === 0 ? NO_OPERANDS : copyOf(values);
}

/**
 * Writes instructions at the end of its block. `location` and `flags` go to every instruction made after they are set.
 *
 * @public
 */
export class Builder {
  /** The block that instructions are appended to. */
  block: Block;
  /** Source location of what is made next. */
  location: Location | null;
  /** Flags of the float ops that are made next. */
  floatFlags: number;

  /** Starts at the end of a block. */
  constructor(block: Block) {
    this.block = block;
    this.location = null;
    this.floatFlags = 0;
  }

  /** True when the block has its terminator. */
  get isTerminated(): boolean {
    const { instructions } = this.block;
    return instructions.length > 0 && (instructions[instructions.length - 1] as Instruction).isTerminator;
  }

  /** Appends an instruction to the block. */
  insert(instruction: Instruction): Instruction {
    const { block } = this;
    // No closure for the message: this is a hot path.
    if (this.isTerminated)
      throw new InternalError(`block ${block.name} of ${block.owner.name} has its terminator already`);
    return block.append(instruction);
  }

  private make(op: number, type: Type, operands: Value[]): Instruction {
    return this.insert(new Instruction(op, type, operands, this.location));
  }

  /** An op whose result has the type of its first operand: `unary-*`, `binary-*`, `ternary-float`, `shift`. */
  same(op: number, ...operands: Value[]): Instruction {
    const first = operands[0];
    assert(first !== undefined, "an operand");
    const made = this.make(op, first.type, operands);
    if (scalarOf(first.type).kind === "float") made.flags = this.floatFlags;
    return made;
  }

  /** A comparison: i1 or a vector of i1. */
  compare(op: number, left: Value, right: Value): Instruction {
    return this.make(op, withLanesOf(I1, left.type), listOf(left, right));
  }

  /** A conversion or bitcast to `type`. */
  convert(op: number, value: Value, type: Type): Instruction {
    return this.make(op, type, listOf(value));
  }

  /** `condition ? whenTrue : whenFalse`. */
  select(condition: Value, whenTrue: Value, whenFalse: Value): Instruction {
    return this.make(Op.SELECT, whenTrue.type, listOf(condition, whenTrue, whenFalse));
  }

  /** A vector of `lanes` copies. */
  splat(value: Value, lanes: number): Instruction {
    return this.make(Op.SPLAT, vectorType(value.type, lanes), listOf(value));
  }

  /** A vector of its lanes. */
  build(lanes: readonly Value[]): Instruction {
    const first = lanes[0];
    assert(first !== undefined, "a vector has lanes");
    return this.make(Op.BUILD, vectorType(first.type, lanes.length), copyOf(lanes));
  }

  /** One lane of a vector. */
  extract(vector: Value, index: Value | number): Instruction {
    return this.make(
      Op.EXTRACT,
      scalarOf(vector.type),
      listOf(vector, typeof index === "number" ? constantInt(I32, index) : index),
    );
  }

  /** A vector with one lane replaced. */
  insertLane(vector: Value, scalar: Value, index: Value | number): Instruction {
    return this.make(
      Op.INSERT,
      vector.type,
      listOf(vector, scalar, typeof index === "number" ? constantInt(I32, index) : index),
    );
  }

  /** Lanes picked from two vectors; one lane gives a scalar by way of extract. */
  shuffle(left: Value, right: Value, lanes: readonly number[]): Instruction {
    assert(laneCount(left.type) === laneCount(right.type), "a shuffle takes two vectors of one type");
    const made = this.make(Op.SHUFFLE, vectorType(scalarOf(left.type), lanes.length), listOf(left, right));
    made.lanes = [...lanes];
    return made;
  }

  /** Lanes of a vector of ints by the lanes of another, modulo `block`, within blocks of that many lanes. */
  permute(vector: Value, indices: Value, block: number): Instruction {
    const made = this.make(Op.PERMUTE, indices.type, listOf(vector, indices));
    made.scale = block;
    return made;
  }

  /** True when a lane of a mask is on. */
  any(mask: Value): Instruction {
    return this.make(Op.ANY, I1, listOf(mask));
  }

  /** True when every lane of a mask is on. */
  all(mask: Value): Instruction {
    return this.make(Op.ALL, I1, listOf(mask));
  }

  /** The lanes of a vector in one, combined by `kind`. */
  reduce(kind: AtomicKind, vector: Value): Instruction {
    const made = this.make(Op.REDUCE, scalarOf(vector.type), listOf(vector));
    made.atomicKind = kind;
    return made;
  }

  /** The lanes of a vector that are on; the others are 0. `alignment`: of the first lane's address. */
  maskedLoad(type: Type, pointer: Value, mask: Value, alignment: number): Instruction {
    const made = this.make(Op.MASKED_LOAD, type, listOf(pointer, mask));
    made.alignment = alignment;
    return made;
  }

  /** Writes the lanes that are on. `alignment`: of the first lane's address. */
  maskedStore(value: Value, pointer: Value, mask: Value, alignment: number): Instruction {
    const made = this.make(Op.MASKED_STORE, VOID, listOf(value, pointer, mask));
    made.alignment = alignment;
    return made;
  }

  /** Loads from each pointer whose lane is on, the same number of lanes of `type` for each. */
  gather(type: Type, pointers: Value, mask: Value, alignment: number): Instruction {
    const made = this.make(Op.GATHER, type, listOf(pointers, mask));
    made.alignment = alignment;
    return made;
  }

  /** Stores lanes to each pointer whose lane is on, in lane order. */
  scatter(value: Value, pointers: Value, mask: Value, alignment: number): Instruction {
    const made = this.make(Op.SCATTER, VOID, listOf(value, pointers, mask));
    made.alignment = alignment;
    return made;
  }

  /**
   * Private memory for a value of `type`. Call it only while in the entry block, or let the front end insert it there.
   */
  alloca(type: Type, alignment: number, name: string = ""): Instruction {
    const made = this.make(Op.ALLOCA, pointerType(PRIVATE), NO_OPERANDS);
    made.elementType = type;
    made.alignment = alignment;
    made.name = name;
    return made;
  }

  /** A load of `type`. */
  load(type: Type, pointer: Value, alignment: number): Instruction {
    const made = this.make(Op.LOAD, type, listOf(pointer));
    made.alignment = alignment;
    return made;
  }

  /** A store. */
  store(value: Value, pointer: Value, alignment: number): Instruction {
    const made = this.make(Op.STORE, VOID, listOf(value, pointer));
    made.alignment = alignment;
    return made;
  }

  /** `base + index * scale + offset` in bytes; `index` null: none. A vector of pointers where either is a vector. */
  address(base: Value, index: Value | null, scale: number, offset: number): Instruction {
    const shape = index?.type.kind === "vector" ? index.type : base.type;
    const made = this.make(
      Op.ADDRESS,
      withLanesOf(scalarOf(base.type), shape),
      index === null ? listOf(base) : listOf(base, index),
    );
    made.scale = index === null ? 0 : scale;
    made.offset = offset;
    return made;
  }

  /** The number of the address space that a pointer refers to, i32. */
  addressSpace(pointer: Value): Instruction {
    return this.make(Op.ADDRESS_SPACE, I32, listOf(pointer));
  }

  /** The address of a global. */
  globalAddress(global: Global): Instruction {
    const made = this.make(Op.GLOBAL_ADDRESS, pointerType(global.addressSpace), NO_OPERANDS);
    made.symbol = global;
    return made;
  }

  /** Copies `bytes` (an int value) bytes. */
  memoryCopy(target: Value, source: Value, bytes: Value, alignment: number): Instruction {
    const made = this.make(Op.MEMORY_COPY, VOID, listOf(target, source, bytes));
    made.alignment = alignment;
    return made;
  }

  /** Fills `bytes` (an int value) bytes with `value` (i8). */
  memoryFill(target: Value, value: Value, bytes: Value, alignment: number): Instruction {
    const made = this.make(Op.MEMORY_FILL, VOID, listOf(target, value, bytes));
    made.alignment = alignment;
    return made;
  }

  /** An atomic read-modify-write; the result is the old value. */
  atomicReadModifyWrite(kind: AtomicKind, pointer: Value, value: Value, order: MemoryOrder, scope: Scope): Instruction {
    const made = this.make(Op.ATOMIC_RMW, value.type, listOf(pointer, value));
    made.atomicKind = kind;
    made.order = order;
    made.scope = scope;
    return made;
  }

  /** An atomic compare-exchange; the result is the old value. */
  atomicCompareExchange(
    pointer: Value,
    expected: Value,
    replacement: Value,
    order: MemoryOrder,
    scope: Scope,
  ): Instruction {
    const made = this.make(Op.ATOMIC_COMPARE_EXCHANGE, replacement.type, listOf(pointer, expected, replacement));
    made.order = order;
    made.scope = scope;
    return made;
  }

  /** An atomic load. */
  atomicLoad(type: Type, pointer: Value, order: MemoryOrder, scope: Scope): Instruction {
    const made = this.make(Op.ATOMIC_LOAD, type, listOf(pointer));
    made.order = order;
    made.scope = scope;
    return made;
  }

  /** An atomic store. */
  atomicStore(value: Value, pointer: Value, order: MemoryOrder, scope: Scope): Instruction {
    const made = this.make(Op.ATOMIC_STORE, VOID, listOf(value, pointer));
    made.order = order;
    made.scope = scope;
    return made;
  }

  /** A fence. */
  fence(order: MemoryOrder, scope: Scope): Instruction {
    const made = this.make(Op.FENCE, VOID, NO_OPERANDS);
    made.order = order;
    made.scope = scope;
    return made;
  }

  /** A barrier of a scope; `semantics`: bits of ORDER_LOCAL, ORDER_GLOBAL, ORDER_IMAGE. */
  barrier(scope: Scope, semantics: number): Instruction {
    const made = this.make(Op.BARRIER, VOID, NO_OPERANDS);
    made.scope = scope;
    made.semantics = semantics;
    return made;
  }

  /**
   * A group operation (`group_all` …) of a scope with the result type `type`; `kind` selects the op of reductions and
   * scans. `isUniform` false: those take part that arrive together.
   */
  group(
    op: number,
    type: Type,
    operands: readonly Value[],
    scope: Scope,
    isUniform: boolean,
    kind: AtomicKind = "exchange",
  ): Instruction {
    const made = this.make(op, type, copyOf(operands));
    made.scope = scope;
    made.atomicKind = kind;
    made.flags = isUniform ? 0 : NON_UNIFORM;
    return made;
  }

  /**
   * A work-item query (`global_id` …) of type `type` (the layout's size_t; i32 for `work_dim`); `dimension` null for
   * those without one.
   */
  workItem(op: number, type: Type, dimension: Value | null): Instruction {
    return this.make(op, type, dimension === null ? NO_OPERANDS : listOf(dimension));
  }

  /** A call. */
  call(callee: IrFunction, operands: readonly Value[]): Instruction {
    const made = this.make(Op.CALL, callee.returnType, copyOf(operands));
    made.symbol = callee;
    return made;
  }

  /** A call of a built-in that stays a call until the target links it. */
  callBuiltin(reference: BuiltinReference, type: Type, operands: readonly Value[]): Instruction {
    const made = this.make(Op.CALL_BUILTIN, type, copyOf(operands));
    made.symbol = reference;
    made.flags = this.floatFlags;
    return made;
  }

  /** A branch to `target`. */
  branch(target: Block, ...values: Value[]): Instruction {
    const made = this.make(Op.BR, VOID, NO_OPERANDS);
    made.successors = listOf(target);
    made.successorArguments = listOf(values.length === 0 ? NO_OPERANDS : values);
    return made;
  }

  /** A conditional branch. */
  conditionalBranch(
    condition: Value,
    whenTrue: Block,
    whenFalse: Block,
    trueArguments: readonly Value[] = NO_OPERANDS,
    falseArguments: readonly Value[] = NO_OPERANDS,
  ): Instruction {
    const made = this.make(Op.COND_BR, VOID, listOf(condition));
    made.successors = listOf(whenTrue, whenFalse);
    made.successorArguments = listOf(sharedCopyOf(trueArguments), sharedCopyOf(falseArguments));
    return made;
  }

  /** A switch on an int of at most 32 bits. */
  switch(value: Value, otherwise: Block, cases: readonly (readonly [value: number, block: Block])[]): Instruction {
    const made = this.make(Op.SWITCH, VOID, listOf(value));
    made.lanes = cases.map(([number]) => number);
    made.successors = listOf(otherwise);
    made.successorArguments = listOf(NO_OPERANDS);
    for (const [, block] of cases) {
      made.successors.push(block);
      made.successorArguments.push(NO_OPERANDS);
    }
    return made;
  }

  /** A return. */
  return(value: Value | null = null): Instruction {
    return this.make(Op.RET, VOID, value === null ? NO_OPERANDS : listOf(value));
  }

  /** A trap: control does not reach it. */
  unreachable(): Instruction {
    return this.make(Op.UNREACHABLE, VOID, NO_OPERANDS);
  }
}
