// SPDX-License-Identifier: Apache-2.0
// What the group collectives have in common: loops over the items of a scope, their operands and results in spill
// frames.
import { assert } from "@muxkit/cargo";
import {
  type Builder,
  type Constant,
  Instruction,
  type IrFunction,
  type Module,
  Op,
  PRIVATE,
  STRANDS,
  type Type,
  type Value,
  alignmentOf,
  constantInt,
  indexType,
  pointerType,
} from "@muxkit/ir";

import { countedLoop } from "../loops/counted-loop.ts";
import type { FrameSlot } from "./spill-frame.ts";
import type { UniformSlot } from "./spill-slots.ts";

/** A group collective whose operands and result have slots in the spill frames. */
export interface PlacedCollective {
  readonly instruction: Instruction;
  /** The slots of its operands. */
  readonly operands: readonly FrameSlot[];
  /** The slot of its result: in each frame, or once for the group. */
  readonly result: FrameSlot | UniformSlot;
}

/** The work-items of a scope. */
export interface CollectiveItems {
  readonly builder: Builder;
  readonly module: Module;
  /** How many there are, of the index type. */
  readonly count: Value;
  /** The most there can be; 0: any number. */
  readonly limit: number;
  /** The linear local id of the work-item with an id in the scope. */
  readonly linear: (id: Value) => Value;
  /** The address of a slot in the spill frame of the work-item with a linear id. */
  readonly address: (linear: Value, slot: FrameSlot) => Value;
  /** The address of a uniform value, where regions read it. */
  readonly shared: (slot: UniformSlot) => Value;
  /** An i1: the work-item with this linear id takes part; null: all do. */
  readonly takesPart: ((linear: Value) => Value) | null;
}

/** A variable of a function; its address. */
export function entryVariable(fn: IrFunction, type: Type, alignment: number, name: string): Instruction {
  const made = new Instruction(Op.ALLOCA, pointerType(PRIVATE), [], null);
  made.elementType = type;
  made.alignment = alignment;
  made.name = name;
  made.block = fn.entry;
  fn.entry.instructions.unshift(made);
  return made;
}

/** Work-items in blocks of a vector each. */
export interface Blocks {
  readonly type: Type;
  /** After the last work-item that belongs to a whole block. */
  readonly end: Value;
}

/** Writes code for one collective. */
export class CollectiveWriter {
  readonly items: CollectiveItems;
  readonly operation: PlacedCollective;
  readonly builder: Builder;
  /** Type of ids and counts. */
  readonly indexType: Type;

  constructor(items: CollectiveItems, operation: PlacedCollective) {
    this.items = items;
    this.operation = operation;
    this.builder = items.builder;
    this.indexType = indexType(items.module.layout);
  }

  /** A number of the index type. */
  index(value: number): Constant {
    return constantInt(this.indexType, value);
  }

  alignment(type: Type): number {
    return Math.min(16, alignmentOf(this.items.module.layout, type));
  }

  variable(type: Type, name: string): Value {
    return entryVariable(this.builder.block.owner, type, this.alignment(type), name);
  }

  /** An operand of an item. */
  operand(linear: Value, number: number): Value {
    const type = this.operation.instruction.operands[number]?.type;
    const place = this.operation.operands[number];
    assert(type !== undefined && place !== undefined, "an operand");
    return this.builder.load(type, this.items.address(linear, place), this.alignment(type));
  }

  /** Stores the result of an item. */
  setResult(linear: Value, value: Value): void {
    const { result, instruction } = this.operation;
    assert("before" in result, "what each gets is stored in the spill frames");
    this.builder.store(value, this.items.address(linear, result), this.alignment(instruction.type));
  }

  /**
   * Stores one value as the result of those that take part from one id to another. `blocks`: those among them that make
   * vectors.
   */
  setAll(value: Value, from: Value, end: Value, blocks: Blocks | null): void {
    const { result } = this.operation;
    if (!("before" in result)) {
      this.builder.store(value, this.items.shared(result), result.alignment);
      return;
    }
    if (blocks !== null) this.eachBlock(blocks, (linear) => this.setResult(linear, this.builder.splat(value, STRANDS)));
    this.each(blocks?.end ?? from, end, (linear) => this.setResult(linear, value));
  }

  /** Runs `body` for the work-items from one id to another that take part. */
  each(from: Value, end: Value, body: (linear: Value, id: Value) => void): void {
    const { builder, items } = this;
    countedLoop(builder, from, end, (id) => {
      const linear = items.linear(id);
      if (items.takesPart === null) {
        body(linear, id);
        return;
      }
      const { owner } = builder.block;
      const [own, next] = [owner.addBlock("member"), owner.addBlock("member.next")];
      builder.conditionalBranch(items.takesPart(linear), own, next);
      builder.block = own;
      body(linear, id);
      builder.branch(next);
      builder.block = next;
    });
  }

  /** Runs `body` for all work-items that take part. */
  all(body: (linear: Value, id: Value) => void): void {
    this.each(this.index(0), this.items.count, body);
  }

  /** The items in blocks of a vector each, where all take part; null: they do not. */
  wholeBlocks(type: Type, end: Value = this.items.count): Blocks | null {
    return this.items.takesPart === null ? { type, end: this.builder.same(Op.AND, end, this.index(-STRANDS)) } : null;
  }

  /** Runs `body` for each whole block. */
  eachBlock({ end }: Blocks, body: (linear: Value) => void): void {
    countedLoop(this.builder, this.index(0), end, (id) => body(this.items.linear(id)), false, STRANDS);
  }

  /** The first operand of the items of a block, as a vector. */
  getBlock(linear: Value, { type }: Blocks): Value {
    const [place] = this.operation.operands;
    assert(place !== undefined, "an operand");
    return this.builder.load(type, this.items.address(linear, place), this.alignment(this.operation.instruction.type));
  }
}
