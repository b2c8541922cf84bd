// SPDX-License-Identifier: Apache-2.0
// The representation of IR values in WebAssembly's locals. Scalars: ints of at most 32 bits and addresses in an i32
// (narrow ones always zero-extended), f16 as its bits; vectors: as many v128 as hold their lanes; vectors of i1: lane
// masks of all ones or zeros, of the width that mask-widths.ts chooses for a function, 32 bits between functions.
import { assert, filled } from "@muxkit/cargo";
import { type Type, scalarOf } from "@muxkit/ir";

import * as Wasm from "./opcodes.ts";

/** Index of a lane type in the vector tables: i8, i16, i32, i64, f32, f64. */
export function laneKind(scalar: Type): number {
  if (scalar.kind === "float" && scalar.bits > 16) return scalar.bits === 32 ? 4 : 5;
  return [8, 16, 32, 64].indexOf(scalar.bits === 1 || scalar.kind === "pointer" ? 32 : scalar.bits);
}

/** Bytes of a lane in a v128. */
export function laneBytes(scalar: Type): number {
  return scalar.bits === 1 || scalar.kind === "pointer" ? 4 : scalar.bits / 8;
}

/** Value type of a scalar. */
export function scalarType(type: Type): number {
  if (type.kind === "float" && type.bits > 16) return type.bits === 32 ? Wasm.TYPE_F32 : Wasm.TYPE_F64;
  return type.kind === "int" && type.bits === 64 ? Wasm.TYPE_I64 : Wasm.TYPE_I32;
}

/** Bytes of a mask's lanes between functions. */
export const DEFAULT_MASK_BYTES = 4;

/** True for vectors of i1. */
export function isMask(type: Type): boolean {
  return type.kind === "vector" && type.element?.bits === 1;
}

/** Parts of a mask with lanes of `bytes` bytes. */
export function maskParts(type: Type, bytes: number): number {
  return Math.ceil((type.count * bytes) / 16);
}

/** Lanes in one v128. */
export function lanesPerPart(type: Type): number {
  return 16 / laneBytes(scalarOf(type));
}

/** Locals that a value takes. */
export function partCount(type: Type): number {
  return type.kind === "vector" ? Math.ceil(type.count / lanesPerPart(type)) : 1;
}

/** Types are interned and few. */
const partTypesOf = new WeakMap<Type, readonly number[]>();

/** Value types of a value's locals. */
export function partTypes(type: Type): readonly number[] {
  let known = partTypesOf.get(type);
  if (known !== undefined) return known;
  assert(type.kind !== "struct" && type.kind !== "array" && type.kind !== "void", () => `${type.text} is no value`);
  known = type.kind === "vector" ? filled(partCount(type), Wasm.TYPE_V128) : [scalarType(type)];
  partTypesOf.set(type, known);
  return known;
}
