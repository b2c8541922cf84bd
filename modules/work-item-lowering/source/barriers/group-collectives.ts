// SPDX-License-Identifier: Apache-2.0
// What a group operation does with the records of the work-items that wait at it. Values are combined in the order of docs/kernel-abi.md, whatever the width of vectors.
import { assert } from "@muxkit/cargo";
import {
  type Builder,
  Instruction,
  I1,
  I32,
  I8,
  type IrFunction,
  type Module,
  Op,
  PRIVATE,
  STRANDS,
  type Type,
  type Value,
  alignmentOf,
  arrayType,
  combinationOf,
  constantInt,
  constantSplat,
  constantZero,
  pointerType,
  scalarOf,
  sizeOf,
  vectorType,
  type Constant,
  constantBits,
} from "@muxkit/ir";

import { countedLoop } from "../loops/counted-loop.ts";
import type { FrameSlot } from "./spill-frame.ts";
import type { SharedSlot } from "./spill-slots.ts";

/** A group operation whose operands and result have places in the records. */
export interface PlacedCollective {
  readonly instruction: Instruction;
  /** Where the operands lie in a record. */
  readonly operands: readonly FrameSlot[];
  /** Where the result lies: in each record, or once for all. */
  readonly result: FrameSlot | SharedSlot;
}

/** The work-items of a scope. */
export interface CollectiveItems {
  readonly builder: Builder;
  readonly module: Module;
  /** How many there are, an i32. */
  readonly count: Value;
  /** The most there can be; 0: any number. */
  readonly limit: number;
  /** The record of the work-item with an id in the scope, by its linear id. */
  readonly record: (id: Value) => Value;
  /** The address of a place in a record. */
  readonly address: (record: Value, place: FrameSlot) => Value;
  /** The address of a shared value, as regions are given it. */
  readonly shared: (slot: SharedSlot) => Value;
  /** An i1: the work-item of this record takes part; null: all do. */
  readonly takesPart: ((record: Value) => Value) | null;
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
interface Blocks {
  readonly type: Type;
  /** Behind the last work-item that belongs to a whole block. */
  readonly end: Value;
}

const index = (value: number): Constant => constantInt(I32, value);

class OperationWriter {
  private readonly members: CollectiveItems;
  private readonly operation: PlacedCollective;
  private readonly builder: Builder;

  constructor(members: CollectiveItems, operation: PlacedCollective) {
    this.members = members;
    this.operation = operation;
    this.builder = members.builder;
  }

  private alignment(type: Type): number {
    return Math.min(16, alignmentOf(this.members.module.layout, type));
  }

  private variable(type: Type, name: string): Value {
    return entryVariable(this.builder.block.owner, type, this.alignment(type), name);
  }

  private get(record: Value, operand: number): Value {
    const type = this.operation.instruction.operands[operand]?.type;
    const place = this.operation.operands[operand];
    assert(type !== undefined && place !== undefined, "an operand");
    return this.builder.load(type, this.members.address(record, place), this.alignment(type));
  }

  private give(record: Value, value: Value): void {
    const { result, instruction } = this.operation;
    assert("before" in result, "what each gets lies in the records");
    this.builder.store(value, this.members.address(record, result), this.alignment(instruction.type));
  }

  /** Gives one value to those that take part from one id to another. `blocks`: those among them that make vectors. */
  private giveAll(value: Value, from: Value, end: Value, blocks: Blocks | null): void {
    const { result } = this.operation;
    if (!("before" in result)) {
      this.builder.store(value, this.members.shared(result), result.alignment);
      return;
    }
    if (blocks !== null) this.eachBlock(blocks, (record) => this.give(record, this.builder.splat(value, STRANDS)));
    this.each(blocks?.end ?? from, end, (record) => this.give(record, value));
  }

  /** Runs `body` for the work-items from one id to another that take part. */
  private each(from: Value, end: Value, body: (record: Value, id: Value) => void): void {
    const { builder, members } = this;
    countedLoop(builder, from, end, (id) => {
      const record = members.record(id);
      if (members.takesPart === null) {
        body(record, id);
        return;
      }
      const { owner } = builder.block;
      const [own, next] = [owner.addBlock("member"), owner.addBlock("member.next")];
      builder.conditionalBranch(members.takesPart(record), own, next);
      builder.block = own;
      body(record, id);
      builder.branch(next);
      builder.block = next;
    });
  }

  private all(body: (record: Value, id: Value) => void): void {
    this.each(index(0), this.members.count, body);
  }

  vote(): void {
    const { builder, members } = this;
    const isAll = this.operation.instruction.op === Op.GROUP_ALL;
    const op = isAll ? Op.AND : Op.OR;
    const variable = this.variable(I1, "votes");
    builder.store(constantInt(I1, isAll ? 1 : 0), variable, 1);
    const blocks = this.wholeBlocks(vectorType(I8, STRANDS));
    if (blocks !== null) {
      // A vote is a byte that is 0 or 1.
      const bytes = this.variable(blocks.type, "votes.blocks");
      builder.store(constantSplat(blocks.type, constantInt(I8, isAll ? 1 : 0)), bytes, 1);
      this.eachBlock(blocks, (record) =>
        builder.store(builder.same(op, builder.load(blocks.type, bytes, 1), this.getBlock(record, blocks)), bytes, 1),
      );
      builder.store(
        builder.compare(
          Op.NE,
          builder.reduce(isAll ? "and" : "or", builder.load(blocks.type, bytes, 1)),
          constantInt(I8, 0),
        ),
        variable,
        1,
      );
    }
    this.each(blocks?.end ?? index(0), members.count, (record) =>
      builder.store(builder.same(op, builder.load(I1, variable, 1), this.get(record, 0)), variable, 1),
    );
    this.giveAll(builder.load(I1, variable, 1), index(0), members.count, null);
  }

  broadcast(): void {
    const {
      builder,
      members,
      operation: { instruction, result },
    } = this;
    if ("before" in result) {
      this.pick();
      return;
    }
    // All work-items of the group take part, and all name the same one.
    const id = this.get(members.record(index(0)), 1);
    const isInside = builder.compare(Op.ULT, id, members.count);
    const value = this.get(members.record(builder.select(isInside, id, index(0))), 0);
    this.giveAll(builder.select(isInside, value, constantZero(instruction.type)), index(0), members.count, null);
  }

  pick(): void {
    const { builder, members } = this;
    this.all((record) => {
      const id = this.get(record, 1);
      const isInside = builder.compare(Op.ULT, id, members.count);
      const source = members.record(builder.select(isInside, id, index(0)));
      const takesPart =
        members.takesPart === null ? isInside : builder.same(Op.AND, isInside, members.takesPart(source));
      this.give(record, builder.select(takesPart, this.get(source, 0), constantZero(this.operation.instruction.type)));
    });
  }

  first(): void {
    const { builder, members } = this;
    const variable = this.variable(I32, "first");
    builder.store(members.count, variable, 4);
    this.all((_, id) => builder.store(builder.same(Op.UMIN, builder.load(I32, variable, 4), id), variable, 4));
    const value = this.get(members.record(builder.load(I32, variable, 4)), 0);
    this.all((record) => this.give(record, value));
  }

  ballot(): void {
    const { builder } = this;
    const words = this.variable(arrayType(I32, 4), "ballot");
    const word = (at: number): Value => builder.address(words, null, 0, at * 4);
    for (let i = 0; i < 4; i++) builder.store(index(0), word(i), 4);
    this.all((record, id) => {
      const place = builder.address(words, builder.same(Op.LSHR, id, index(5)), 4, 0);
      const bit = builder.same(Op.SHL, builder.convert(Op.ZEXT, this.get(record, 0), I32), id);
      builder.store(builder.same(Op.OR, builder.load(I32, place, 4), bit), place, 4);
    });
    const vector = builder.build([0, 1, 2, 3].map((i) => builder.load(I32, word(i), 4)));
    assert(vector.type === vectorType(I32, 4), "a ballot has four words");
    this.all((record) => this.give(record, vector));
  }

  /** IndexRange of `count` values that are combined, and how. */
  private strands(count: number): {
    readonly at: (i: Value | number) => Value;
    readonly clear: () => void;
    readonly combine: (left: Value, right: Value) => Value;
    readonly type: Type;
    readonly constant: (bits: bigint) => Constant;
  } {
    const { builder } = this;
    const { type, atomicKind } = this.operation.instruction;
    const { bits } = scalarOf(type);
    const { op, neutral } = combinationOf(atomicKind, bits);
    const size = sizeOf(this.members.module.layout, type);
    const array = this.variable(arrayType(type, count), "strands");
    const at = (i: Value | number): Value =>
      typeof i === "number"
        ? builder.address(array, null, 0, i * size)
        : builder.address(array, builder.same(Op.AND, i, index(count - 1)), size, 0);
    const constant = (value: bigint): Constant =>
      constantBits(type, Number(value & 0xffff_ffffn), Number(value >> 32n));
    return {
      at,
      type,
      constant,
      clear: () => {
        for (let i = 0; i < count; i++) builder.store(constant(neutral), at(i), size);
      },
      combine: (left, right) => builder.same(op, left, right),
    };
  }

  /** Strands that can hold more than nothing. */
  private strandCount(limit: number): number {
    return limit === 0 ? STRANDS : Math.min(STRANDS, limit);
  }

  reduce(): void {
    const { builder, members } = this;
    const [, cluster] = this.operation.instruction.operands;
    if (cluster?.kind !== "constant" || (members.limit > 0 && cluster.low >= members.limit)) {
      this.reduceRange(this.strandCount(members.limit), index(0), members.count);
      return;
    }
    const size = cluster.low;
    const clusters = builder.same(Op.UDIV, builder.same(Op.ADD, members.count, index(size - 1)), index(size));
    countedLoop(builder, index(0), clusters, (number) => {
      const from = builder.same(Op.MUL, number, index(size));
      this.reduceRange(
        this.strandCount(size),
        from,
        builder.same(Op.UMIN, builder.same(Op.ADD, from, index(size)), members.count),
      );
    });
  }

  private reduceRange(count: number, from: Value, end: Value): void {
    const { builder } = this;
    const { at, clear, combine, type } = this.strands(count);
    const align = this.alignment(type);
    const value = (place: Value): Value => builder.load(type, place, align);
    const blocks = this.blocksOf(count, from, end);
    clear();
    if (blocks !== null) {
      // Strand by strand is lane by lane.
      this.eachBlock(blocks, (record) =>
        builder.store(combine(builder.load(blocks.type, at(0), align), this.getBlock(record, blocks)), at(0), align),
      );
    }
    this.each(blocks?.end ?? from, end, (record, id) => {
      const place = at(id);
      builder.store(combine(value(place), this.get(record, 0)), place, align);
    });
    for (let step = count / 2; step >= 1; step /= 2)
      for (let i = 0; i < step; i++) builder.store(combine(value(at(i)), value(at(i + step))), at(i), align);
    this.giveAll(value(at(0)), from, end, blocks);
  }

  /** The values of work-items that all take part lie side by side: as many as there are strands make one vector. Null: they are taken one by one. */
  private blocksOf(count: number, from: Value, end: Value): Blocks | null {
    const { type } = this.operation.instruction;
    const isPlain = type.kind === "int" ? type.bits >= 8 : type.kind === "float" && type.bits >= 32;
    if (count !== STRANDS || !isPlain || from.kind !== "constant" || from.low !== 0) return null;
    return this.wholeBlocks(vectorType(type, STRANDS), end);
  }

  private wholeBlocks(type: Type, end: Value = this.members.count): Blocks | null {
    return this.members.takesPart === null ? { type, end: this.builder.same(Op.AND, end, index(-STRANDS)) } : null;
  }

  private eachBlock({ end }: Blocks, body: (record: Value) => void): void {
    countedLoop(this.builder, index(0), end, (id) => body(this.members.record(id)), false, STRANDS);
  }

  private getBlock(record: Value, { type }: Blocks): Value {
    const [place] = this.operation.operands;
    assert(place !== undefined, "an operand");
    return this.builder.load(
      type,
      this.members.address(record, place),
      this.alignment(this.operation.instruction.type),
    );
  }

  scan(): void {
    const { builder, members } = this;
    const { instruction } = this.operation;
    const isExclusive = instruction.op === Op.GROUP_SCAN_EXCLUSIVE;
    const count = this.strandCount(members.limit);
    const { at, clear, combine, type, constant } = this.strands(count);
    const align = this.alignment(type);
    const value = (place: Value): Value => builder.load(type, place, align);
    const { neutral, first } = combinationOf(instruction.atomicKind, scalarOf(type).bits);
    const [carry, before] = [this.variable(type, "carry"), this.variable(type, "before")];
    builder.store(constant(neutral), carry, align);
    builder.store(constant(first), before, align);
    const whole = this.blocksOf(count, index(0), members.count);
    if (whole !== null)
      this.scanBlocks(whole, { carry, before, combine, neutral: constantSplat(whole.type, constant(neutral)) });
    const blocks = builder.same(Op.UDIV, builder.same(Op.ADD, members.count, index(count - 1)), index(count));
    countedLoop(
      builder,
      whole === null ? index(0) : builder.same(Op.UDIV, whole.end, index(count)),
      blocks,
      (number) => {
        const from = builder.same(Op.MUL, number, index(count));
        const end = builder.same(Op.UMIN, builder.same(Op.ADD, from, index(count)), members.count);
        clear();
        this.each(from, end, (record, id) => builder.store(this.get(record, 0), at(id), align));
        for (let step = 1; step < count; step *= 2)
          for (let i = count - 1; i >= step; i--)
            builder.store(combine(value(at(i - step)), value(at(i))), at(i), align);
        const last = value(carry);
        for (let i = 0; i < count; i++) builder.store(combine(last, value(at(i))), at(i), align);
        builder.store(value(at(count - 1)), carry, align);
        this.each(from, end, (record, id) => {
          const own = value(at(id));
          this.give(record, isExclusive ? value(before) : own);
          if (isExclusive) builder.store(own, before, align);
        });
      },
    );
  }

  /** Whole blocks of a scan, one vector each. `carry` and `before` hold what the item before a block got from the inclusive scan, and what the first item gets from the exclusive one. */
  private scanBlocks(
    blocks: Blocks,
    {
      carry,
      before,
      combine,
      neutral,
    }: {
      readonly carry: Value;
      readonly before: Value;
      readonly combine: (left: Value, right: Value) => Value;
      readonly neutral: Value;
    },
  ): void {
    const { builder } = this;
    const { type } = this.operation.instruction;
    const align = this.alignment(type);
    const isExclusive = this.operation.instruction.op === Op.GROUP_SCAN_EXCLUSIVE;
    /** Each lane gets what the one `step` before has; the first ones get those of `fill`. */
    const behind = (fill: Value, vector: Value, step: number): Value =>
      builder.shuffle(
        fill,
        vector,
        Array.from({ length: STRANDS }, (_, i) => (i < step ? i : STRANDS + i - step)),
      );
    this.eachBlock(blocks, (record) => {
      let vector = this.getBlock(record, blocks);
      for (let step = 1; step < STRANDS; step *= 2) vector = combine(behind(neutral, vector, step), vector);
      vector = combine(builder.splat(builder.load(type, carry, align), STRANDS), vector);
      this.give(
        record,
        isExclusive ? behind(builder.splat(builder.load(type, before, align), STRANDS), vector, 1) : vector,
      );
      for (const variable of [carry, before]) builder.store(builder.extract(vector, STRANDS - 1), variable, align);
    });
  }
}

const WRITERS: Readonly<Record<number, (writer: OperationWriter) => void>> = {
  [Op.GROUP_ALL]: (writer) => writer.vote(),
  [Op.GROUP_ANY]: (writer) => writer.vote(),
  [Op.GROUP_BROADCAST]: (writer) => writer.broadcast(),
  [Op.GROUP_SHUFFLE]: (writer) => writer.pick(),
  [Op.GROUP_BROADCAST_FIRST]: (writer) => writer.first(),
  [Op.GROUP_BALLOT]: (writer) => writer.ballot(),
  [Op.GROUP_REDUCE]: (writer) => writer.reduce(),
  [Op.GROUP_SCAN_INCLUSIVE]: (writer) => writer.scan(),
  [Op.GROUP_SCAN_EXCLUSIVE]: (writer) => writer.scan(),
};

/** Writes what gives every member that takes part its result. */
export function writeCollective(members: CollectiveItems, operation: PlacedCollective): void {
  const write = WRITERS[operation.instruction.op];
  assert(write !== undefined, "a group operation");
  write(new OperationWriter(members, operation));
}
