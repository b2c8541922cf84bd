// SPDX-License-Identifier: Apache-2.0
// A call that is being lowered, and what every family of built-ins does with one.
import {
  type Instruction,
  I1,
  I32,
  Op,
  type Type,
  VOLATILE,
  type Value,
  constantInt,
  opNumber,
  withLanesOf,
} from "@muxkit/ir";

import type { BuiltinType } from "./types.ts";
import type { Writer } from "./writer.ts";

/** A call being lowered. */
export interface BuiltinCall {
  readonly writer: Writer;
  /** Name of the built-in. */
  readonly name: string;
  /** What stands after the colon of the lowering's key in the table of built-ins. */
  readonly detail: string;
  /** Arguments, lowered calls replaced. */
  readonly operands: readonly Value[];
  readonly parameters: readonly BuiltinType[];
  /**
   * T of the table's patterns: the first parameter that is a vector, else the first; the result where there are none.
   */
  readonly generic: BuiltinType;
  /** True: operands were converted from those of the call, which therefore cannot stay as it is. */
  readonly isConverted?: boolean;
  /** IR type of the result. */
  readonly type: Type;
}

/** Writes what a call becomes and gives its value; null: it stays a call, of the library. */
export type Lowering = (call: BuiltinCall) => Value | null;

/** The value of calls that have none. */
export const NOTHING: Value = constantInt(I32, 0);

/** The argument at an index. */
export function at({ operands }: BuiltinCall, index: number): Value {
  return operands[index] ?? NOTHING;
}

/** The type of the parameter at an index. */
export function parameterAt({ parameters, generic }: BuiltinCall, index: number): BuiltinType {
  return parameters[index] ?? generic;
}

/** The argument at an index with the lanes of T: a scalar next to vectors is spread. */
export function spread(call: BuiltinCall, index: number): Value {
  const value = at(call, index);
  const { generic } = call;
  return generic.isVector && !parameterAt(call, index).isVector ? call.writer.op(Op.SPLAT, generic.ir, value) : value;
}

/** The op of a name of the table. */
export function opOf(name: string): number {
  return opNumber(name) ?? Op.UNREACHABLE;
}

/** i1, or a vector of it with the lanes of a type. */
export function boolOf(type: BuiltinType): Type {
  return withLanesOf(I1, type.ir);
}

/** An i1 as C's int, or as the -1 and 0 of vectors. */
export function fromTruth(writer: Writer, bit: Value, type: Type): Value {
  return writer.op(type.kind === "vector" ? Op.SEXT : Op.ZEXT, type, bit);
}

/** i1 by lane: whether the top bit is set. A comparison that was widened is used as it was. */
export function topBits(writer: Writer, value: Value, type: BuiltinType): Value {
  const inner = comparisonOf(value, Op.SEXT);
  return inner ?? writer.op(Op.SLT, boolOf(type), value, constantInt(type.ir, 0));
}

/** The comparison that a value was widened from by an op; null: it was not. */
export function comparisonOf(value: Value, op: number): Value | null {
  if (value.kind !== "instruction" || value.op !== op) return null;
  const [inner] = value.operands;
  return inner !== undefined && (inner.type === I1 || inner.type.element === I1) ? inner : null;
}

/** Marks an access volatile. */
export function marked(instruction: Instruction, isVolatile: boolean): Instruction {
  if (isVolatile) instruction.flags |= VOLATILE;
  return instruction;
}
