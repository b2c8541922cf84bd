// SPDX-License-Identifier: Apache-2.0
// Queries of work-items and arguments of type size_t as 32-bit numbers, whatever the width of size_t.
import { I32, I64, Op, type Value, constantInt } from "@muxkit/ir";

import type { Writer } from "./writer.ts";

/** A size_t as i32. */
export function narrowed(writer: Writer, value: Value): Value {
  return value.type.bits === 64 ? writer.op(Op.TRUNC, I32, value) : value;
}

/** A work-item query that gives a size_t, as i32. */
export function sizeQuery(writer: Writer, op: number, dimension: Value | null): Value {
  const type = writer.layout.sizeBits === 64 ? I64 : I32;
  return narrowed(writer, writer.builder.workItem(op, type, dimension));
}

/** The local size of a dimension, as i32. */
export function localSize(writer: Writer, axis: number): Value {
  return sizeQuery(writer, Op.LOCAL_SIZE, constantInt(I32, axis));
}
