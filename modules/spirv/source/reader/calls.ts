// SPDX-License-Identifier: Apache-2.0
// Calls of OpenCL C's built-in functions, by their row in the table of built-ins: SPIR-V's instructions and extended
// instructions that the IR has no op for. The types of the IR have no sign, so rows say how ints are named; pointers
// are named by what the module says that they point to.
import { I1, I32, Op, type Type, type Value, constantZero, scalarOf, withLanesOf } from "@muxkit/ir";

import { narrowed } from "./narrow.ts";
import type { FunctionReader } from "./function-reader.ts";
import { type SpirvType, openclName, openclTargetName } from "./types.ts";

/** Calls a built-in whose parameters have these names. Truth values travel as ints. */
export function callBuiltin(
  f: FunctionReader,
  name: string,
  parameters: readonly string[],
  type: Type,
  values: readonly Value[],
): Value {
  const isTruth = type === I1;
  const passed = values.map((value) => (value.type === I1 ? f.op(Op.ZEXT, I32, value) : value));
  const made = f.b.callBuiltin({ kind: "builtin", name, parameters }, isTruth ? I32 : type, passed);
  return isTruth ? f.b.compare(Op.NE, made, constantZero(I32)) : made;
}

/** Calls a built-in of numbers; `signs`: how the ints of each operand are named. */
export function callByTypes(
  f: FunctionReader,
  name: string,
  type: Type,
  values: readonly Value[],
  signs: readonly boolean[],
): Value {
  const parameters = values.map((value, n) => {
    const own = openclName(value.type, signs[n] ?? signs.at(-1) ?? true);
    return own === "" ? f.refuse(`${name} does not take ${value.type.text}`) : own;
  });
  return callBuiltin(f, name, parameters, type, values);
}

/** The name of a pointer parameter: `float4*`. */
export function pointerName(f: FunctionReader, type: SpirvType, isSigned: boolean): string {
  if (type.kind !== "pointer" || type.element === null) return f.refuse("the operand must be a pointer");
  return `${openclTargetName(type.element, isSigned)}*`;
}

/** A number of elements or bytes as the device's size_t, and how that is named. */
export function sizeOperand(f: FunctionReader, value: Value): { readonly value: Value; readonly name: string } {
  const { sizeType } = f;
  if (value.type === sizeType) return { value, name: openclName(sizeType, false) };
  if (value.type.kind !== "int") return f.refuse("a size must be an int");
  return {
    value: value.type.bits > sizeType.bits ? narrowed(f, value) : f.op(Op.ZEXT, sizeType, value),
    name: openclName(sizeType, false),
  };
}

/** The result of a query of sizes or ids, which the module may want wider or narrower. */
export function fittedInt(f: FunctionReader, value: Value, type: Type): Value {
  if (value.type === type) return value;
  const [from, to] = [scalarOf(value.type), scalarOf(type)];
  if (from.kind !== "int" || to.kind !== "int" || withLanesOf(from, type) !== value.type)
    return f.refuse(`${value.type.text} does not become ${type.text}`);
  return f.op(from.bits > to.bits ? Op.TRUNC : Op.ZEXT, type, value);
}
