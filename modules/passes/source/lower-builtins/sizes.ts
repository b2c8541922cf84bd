// SPDX-License-Identifier: Apache-2.0
// The type of size_t, and queries of ids within a group, which fit in 32 bits, as 32-bit numbers for any width of
// size_t.
import { I32, I64, Op, type Type, type Value, constantInt } from "@muxkit/ir";

import type { Writer } from "./writer.ts";

/** The type of size_t. */
export function sizeType({ layout }: Writer): Type {
  return layout.sizeBits === 64 ? I64 : I32;
}

/** A size_t as i32. */
export function narrowed(writer: Writer, value: Value): Value {
  return value.type.bits === 64 ? writer.op(Op.TRUNC, I32, value) : value;
}

/** A work-item query that gives a size_t, as i32. */
export function sizeQuery(writer: Writer, op: number, dimension: Value | null): Value {
  return narrowed(writer, writer.builder.workItem(op, sizeType(writer), dimension));
}

/** The local size of a dimension, as i32. */
export function localSize(writer: Writer, axis: number): Value {
  return sizeQuery(writer, Op.LOCAL_SIZE, constantInt(I32, axis));
}
