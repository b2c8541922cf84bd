// SPDX-License-Identifier: Apache-2.0
// Reductions and scans of a group. Values are combined in the order of docs/kernel-abi.md, whatever the width of
// vectors: item i goes to strand i modulo STRANDS, and strands are combined as a tree. Strand by strand is lane by
// lane, so a whole block of items that all take part is one vector (a strip-mined reduction); the rest goes item by
// item.
import {
  type Constant,
  Op,
  STRANDS,
  type Type,
  type Value,
  arrayType,
  combinationOf,
  constantBits,
  constantSplat,
  scalarOf,
  sizeOf,
  vectorType,
} from "@muxkit/ir";

import { countedLoop } from "../loops/counted-loop.ts";
import type { Blocks, CollectiveWriter } from "./collective-writer.ts";

/** IndexRange of `count` values that are combined, and how. */
function strands(
  writer: CollectiveWriter,
  count: number,
): {
  readonly at: (i: Value | number) => Value;
  readonly clear: () => void;
  readonly combine: (left: Value, right: Value) => Value;
  readonly type: Type;
  readonly constant: (bits: bigint) => Constant;
} {
  const { builder } = writer;
  const { type, atomicKind } = writer.operation.instruction;
  const { bits } = scalarOf(type);
  const { op, neutral } = combinationOf(atomicKind, bits);
  const size = sizeOf(writer.items.module.layout, type);
  const array = writer.variable(arrayType(type, count), "strands");
  const at = (i: Value | number): Value =>
    typeof i === "number"
      ? builder.address(array, null, 0, i * size)
      : builder.address(array, builder.same(Op.AND, i, writer.index(count - 1)), size, 0);
  const constant = (value: bigint): Constant => constantBits(type, Number(value & 0xffff_ffffn), Number(value >> 32n));
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
function strandCount(limit: number): number {
  return limit === 0 ? STRANDS : Math.min(STRANDS, limit);
}

/** Combines the values of all items, or of each cluster of them. */
export function reduce(writer: CollectiveWriter): void {
  const { builder, items } = writer;
  const [, cluster] = writer.operation.instruction.operands;
  if (cluster?.kind !== "constant" || (items.limit > 0 && cluster.low >= items.limit)) {
    reduceRange(writer, strandCount(items.limit), writer.index(0), items.count);
    return;
  }
  const size = cluster.low;
  const clusters = builder.same(Op.UDIV, builder.same(Op.ADD, items.count, writer.index(size - 1)), writer.index(size));
  countedLoop(builder, writer.index(0), clusters, (number) => {
    const from = builder.same(Op.MUL, number, writer.index(size));
    reduceRange(
      writer,
      strandCount(size),
      from,
      builder.same(Op.UMIN, builder.same(Op.ADD, from, writer.index(size)), items.count),
    );
  });
}

function reduceRange(writer: CollectiveWriter, count: number, from: Value, end: Value): void {
  const { builder } = writer;
  const { at, clear, combine, type } = strands(writer, count);
  const align = writer.alignment(type);
  const value = (place: Value): Value => builder.load(type, place, align);
  const blocks = blocksOf(writer, count, from, end);
  clear();
  if (blocks !== null) {
    // Strand by strand is lane by lane.
    writer.eachBlock(blocks, (linear) =>
      builder.store(combine(builder.load(blocks.type, at(0), align), writer.getBlock(linear, blocks)), at(0), align),
    );
  }
  writer.each(blocks?.end ?? from, end, (linear, id) => {
    const place = at(id);
    builder.store(combine(value(place), writer.operand(linear, 0)), place, align);
  });
  for (let step = count / 2; step >= 1; step /= 2)
    for (let i = 0; i < step; i++) builder.store(combine(value(at(i)), value(at(i + step))), at(i), align);
  writer.setAll(value(at(0)), from, end, blocks);
}

/**
 * The values of work-items that all take part are contiguous: as many as there are strands make one vector. Null: they
 * are taken one by one.
 */
function blocksOf(writer: CollectiveWriter, count: number, from: Value, end: Value): Blocks | null {
  const { type } = writer.operation.instruction;
  const isPlain = type.kind === "int" ? type.bits >= 8 : type.kind === "float" && type.bits >= 32;
  if (count !== STRANDS || !isPlain || from.kind !== "constant" || from.low !== 0) return null;
  return writer.wholeBlocks(vectorType(type, STRANDS), end);
}

/** Combines the values up to each item, with its own or without. */
export function scan(writer: CollectiveWriter): void {
  const { builder, items } = writer;
  const { instruction } = writer.operation;
  const isExclusive = instruction.op === Op.GROUP_SCAN_EXCLUSIVE;
  const count = strandCount(items.limit);
  const { at, clear, combine, type, constant } = strands(writer, count);
  const align = writer.alignment(type);
  const value = (place: Value): Value => builder.load(type, place, align);
  const { neutral, first } = combinationOf(instruction.atomicKind, scalarOf(type).bits);
  const [carry, before] = [writer.variable(type, "carry"), writer.variable(type, "before")];
  builder.store(constant(neutral), carry, align);
  builder.store(constant(first), before, align);
  const whole = blocksOf(writer, count, writer.index(0), items.count);
  if (whole !== null)
    scanBlocks(writer, whole, { carry, before, combine, neutral: constantSplat(whole.type, constant(neutral)) });
  const blocks = builder.same(Op.UDIV, builder.same(Op.ADD, items.count, writer.index(count - 1)), writer.index(count));
  countedLoop(
    builder,
    whole === null ? writer.index(0) : builder.same(Op.UDIV, whole.end, writer.index(count)),
    blocks,
    (number) => {
      const from = builder.same(Op.MUL, number, writer.index(count));
      const end = builder.same(Op.UMIN, builder.same(Op.ADD, from, writer.index(count)), items.count);
      clear();
      writer.each(from, end, (linear, id) => builder.store(writer.operand(linear, 0), at(id), align));
      for (let step = 1; step < count; step *= 2)
        for (let i = count - 1; i >= step; i--) builder.store(combine(value(at(i - step)), value(at(i))), at(i), align);
      const last = value(carry);
      for (let i = 0; i < count; i++) builder.store(combine(last, value(at(i))), at(i), align);
      builder.store(value(at(count - 1)), carry, align);
      writer.each(from, end, (linear, id) => {
        const own = value(at(id));
        writer.setResult(linear, isExclusive ? value(before) : own);
        if (isExclusive) builder.store(own, before, align);
      });
    },
  );
}

/**
 * Whole blocks of a scan, one vector each. `carry` and `before` hold what the item before a block got from the
 * inclusive scan, and what the first item gets from the exclusive one.
 */
function scanBlocks(
  writer: CollectiveWriter,
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
  const { builder } = writer;
  const { type } = writer.operation.instruction;
  const align = writer.alignment(type);
  const isExclusive = writer.operation.instruction.op === Op.GROUP_SCAN_EXCLUSIVE;
  /** Each lane gets what the one `step` before has; the first ones get those of `fill`. */
  const shifted = (fill: Value, vector: Value, step: number): Value =>
    builder.shuffle(
      fill,
      vector,
      Array.from({ length: STRANDS }, (_, i) => (i < step ? i : STRANDS + i - step)),
    );
  writer.eachBlock(blocks, (linear) => {
    let vector = writer.getBlock(linear, blocks);
    for (let step = 1; step < STRANDS; step *= 2) vector = combine(shifted(neutral, vector, step), vector);
    vector = combine(builder.splat(builder.load(type, carry, align), STRANDS), vector);
    writer.setResult(
      linear,
      isExclusive ? shifted(builder.splat(builder.load(type, before, align), STRANDS), vector, 1) : vector,
    );
    for (const variable of [carry, before]) builder.store(builder.extract(vector, STRANDS - 1), variable, align);
  });
}
