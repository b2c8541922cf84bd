// SPDX-License-Identifier: Apache-2.0
// Collectives that exchange values: votes, broadcasts, shuffles, ballots. A pass over the items that take part for
// each.
import { assert } from "@muxkit/cargo";
import {
  I1,
  I32,
  I8,
  Op,
  STRANDS,
  type Value,
  arrayType,
  constantInt,
  constantSplat,
  constantZero,
  vectorType,
} from "@muxkit/ir";

import { toWidth } from "../abi-fields.ts";
import type { CollectiveWriter } from "./collective-writer.ts";

/** All items of the scope vote: true where all, or any, of those that take part are true. */
export function vote(writer: CollectiveWriter): void {
  const { builder, items } = writer;
  const isAll = writer.operation.instruction.op === Op.GROUP_ALL;
  const op = isAll ? Op.AND : Op.OR;
  const variable = writer.variable(I1, "votes");
  builder.store(constantInt(I1, isAll ? 1 : 0), variable, 1);
  const blocks = writer.wholeBlocks(vectorType(I8, STRANDS));
  if (blocks !== null) {
    // A vote is a byte that is 0 or 1.
    const bytes = writer.variable(blocks.type, "votes.blocks");
    builder.store(constantSplat(blocks.type, constantInt(I8, isAll ? 1 : 0)), bytes, 1);
    writer.eachBlock(blocks, (linear) =>
      builder.store(builder.same(op, builder.load(blocks.type, bytes, 1), writer.getBlock(linear, blocks)), bytes, 1),
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
  writer.each(blocks?.end ?? writer.index(0), items.count, (linear) =>
    builder.store(builder.same(op, builder.load(I1, variable, 1), writer.operand(linear, 0)), variable, 1),
  );
  writer.setAll(builder.load(I1, variable, 1), writer.index(0), items.count, null);
}

/** The value of the item that all name. Where the result is uniform it is read once. */
export function broadcast(writer: CollectiveWriter): void {
  const {
    builder,
    items,
    operation: { instruction, result },
  } = writer;
  if ("before" in result) {
    pick(writer);
    return;
  }
  // All work-items of the group take part, and all name the same one.
  const id = toWidth(builder, writer.operand(items.linear(writer.index(0)), 1), writer.indexType);
  const isInside = builder.compare(Op.ULT, id, items.count);
  const value = writer.operand(items.linear(builder.select(isInside, id, writer.index(0))), 0);
  writer.setAll(builder.select(isInside, value, constantZero(instruction.type)), writer.index(0), items.count, null);
}

/** Each item gets the value of the item that it names; zero where that one does not take part. */
export function pick(writer: CollectiveWriter): void {
  const { builder, items } = writer;
  writer.all((linear) => {
    const id = toWidth(builder, writer.operand(linear, 1), writer.indexType);
    const isInside = builder.compare(Op.ULT, id, items.count);
    const source = items.linear(builder.select(isInside, id, writer.index(0)));
    const takesPart = items.takesPart === null ? isInside : builder.same(Op.AND, isInside, items.takesPart(source));
    writer.setResult(
      linear,
      builder.select(takesPart, writer.operand(source, 0), constantZero(writer.operation.instruction.type)),
    );
  });
}

/** The value of the first item that takes part. */
export function first(writer: CollectiveWriter): void {
  const { builder, items, indexType } = writer;
  const variable = writer.variable(indexType, "first");
  const bytes = indexType.bits / 8;
  builder.store(items.count, variable, bytes);
  writer.all((_, id) =>
    builder.store(builder.same(Op.UMIN, builder.load(indexType, variable, bytes), id), variable, bytes),
  );
  const value = writer.operand(items.linear(builder.load(indexType, variable, bytes)), 0);
  writer.all((linear) => writer.setResult(linear, value));
}

/** A bit for each item that takes part, in four words. */
export function ballot(writer: CollectiveWriter): void {
  const { builder } = writer;
  const words = writer.variable(arrayType(I32, 4), "ballot");
  const word = (at: number): Value => builder.address(words, null, 0, at * 4);
  for (let i = 0; i < 4; i++) builder.store(constantInt(I32, 0), word(i), 4);
  writer.all((linear, id) => {
    const place = builder.address(words, builder.same(Op.LSHR, id, writer.index(5)), 4, 0);
    const bit = builder.same(
      Op.SHL,
      builder.convert(Op.ZEXT, writer.operand(linear, 0), I32),
      toWidth(builder, id, I32),
    );
    builder.store(builder.same(Op.OR, builder.load(I32, place, 4), bit), place, 4);
  });
  const vector = builder.build([0, 1, 2, 3].map((i) => builder.load(I32, word(i), 4)));
  assert(vector.type === vectorType(I32, 4), "a ballot has four words");
  writer.all((linear) => writer.setResult(linear, vector));
}
