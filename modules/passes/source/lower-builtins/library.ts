// SPDX-License-Identifier: Apache-2.0
// Built-ins that are functions of the library: the call stays one, of a function that the library has. Halves are
// computed in binary32 where it has none for them, scalars next to vectors are spread, and what is written through a
// pointer goes lane by lane through a private variable.
import {
  type BuiltinReference,
  F32,
  I32,
  Op,
  PRIVATE,
  type Type,
  type Value,
  constantInt,
  sizeOf,
  vectorType,
} from "@muxkit/ir";

import { type BuiltinCall, type Lowering, NOTHING, at, parameterAt } from "./call.ts";
import { convertNumber, floatFor } from "./conversions.ts";
import { type BuiltinType, HALF, typeOfIr, vectorOf } from "./types.ts";

/** Writes a call of a library function. */
export function libraryCall(
  { writer }: Pick<BuiltinCall, "writer">,
  name: string,
  parameters: readonly string[],
  type: Type,
  operands: readonly Value[],
): Value {
  const reference: BuiltinReference = { kind: "builtin", name, parameters };
  return writer.builder.callBuiltin(reference, type, operands);
}

/**
 * A call that stays a call until the target links the library. Names of `half_` functions lose `detail` letters at
 * their front.
 */
export const library: Lowering = (call) => {
  const { writer, name, detail, generic, parameters, operands, type, isConverted = false } = call;
  const own = detail === "" ? name : name.slice(Number(detail));
  const isWhole = parameters.every(({ lanes }) => lanes === generic.lanes);
  if (isWhole && own === name && !isConverted) return null;
  const types = parameters.map((parameter) => vectorOf(parameter.element, generic.lanes));
  const values = operands.map((value, i) => {
    const wide = types[i] ?? generic;
    return wide.lanes === parameterAt(call, i).lanes ? value : writer.op(Op.SPLAT, wide.ir, value);
  });
  return libraryCall(
    call,
    own,
    types.map((wide) => wide.name),
    type,
    values,
  );
};

/** Runs a lowering in float where T is half: its steps have more places than a half, and the result is rounded once. */
export function inFloat(lower: Lowering): Lowering {
  return (call) => {
    const { writer, generic } = call;
    if (generic.element !== HALF) return lower(call);
    const result = typeOfIr(call.type);
    const parameters = call.parameters.map(floatFor);
    const operands = call.operands.map((value, i) =>
      convertNumber(writer, value, parameterAt(call, i), parameters[i] ?? generic),
    );
    const { ir: type } = floatFor(result);
    const value = lower({ ...call, generic: floatFor(generic), type, parameters, operands, isConverted: true });
    return value === null ? null : convertNumber(writer, value, floatFor(result), result);
  };
}

/** A library function that also writes through a pointer: scalar by scalar, by way of a private variable. */
export const libraryPointer: Lowering = (call) => {
  const { writer, name, parameters, detail, generic, type } = call;
  const { builder, layout } = writer;
  const last = parameters.length - 1;
  const target = parameterAt(call, last).target ?? generic;
  const result = typeOfIr(type);
  // Where the library has no function for halves it computes in float, what it writes too.
  const inFloats = (part: BuiltinType): BuiltinType => (detail === "own" ? part : floatFor(part));
  const inner = inFloats(target.element);
  const isWhole = generic.lanes === 1 && inner === target.element && inFloats(generic) === generic;
  if (isWhole && at(call, last).type.addressSpace === PRIVATE && !parameterAt(call, last).isVolatile) return null;
  const size = sizeOf(layout, inner.ir);
  const address = writer.variable(inner.ir, size, name);
  const inputs = parameters.slice(0, last);
  const names = [...inputs.map((parameter) => inFloats(parameter.element).name), `${inner.name}*`];
  const results: Value[] = [];
  const written: Value[] = [];
  for (let lane = 0; lane < generic.lanes; lane++) {
    const scalars = inputs.map((parameter, i) => {
      const { element } = parameter;
      const value = at(call, i);
      const scalar = parameter.isVector ? writer.op(Op.EXTRACT, element.ir, value, constantInt(I32, lane)) : value;
      return convertNumber(writer, scalar, element, inFloats(element));
    });
    const given = inFloats(result.element);
    const value = libraryCall(call, name, names, given.ir, [...scalars, address]);
    results.push(convertNumber(writer, value, given, result.element));
    written.push(convertNumber(writer, builder.load(inner.ir, address, size), inner, target.element));
  }
  const join = (parts: readonly Value[], whole: Type): Value =>
    generic.lanes === 1 ? (parts[0] ?? NOTHING) : writer.op(Op.BUILD, whole, ...parts);
  builder.store(join(written, target.ir), at(call, last), sizeOf(layout, target.ir));
  return join(results, type);
};

/** Reads and writes of halves go through floats: image data is converted from and to float anyway. */
export const imageHalf: Lowering = (call) => {
  const { writer, operands, parameters, detail, type } = call;
  const names = parameters.map(({ name }) => name);
  if (detail === "read_imageh") {
    // A depth image gives one number, others four.
    const wide = type.kind === "vector" ? vectorType(F32, 4) : F32;
    return writer.op(Op.FPTRUNC, type, libraryCall(call, "read_imagef", names, wide, operands));
  }
  const wide = writer.op(Op.FPEXT, at(call, 2).type.kind === "vector" ? vectorType(F32, 4) : F32, at(call, 2));
  const float = parameterAt(call, 2).isVector ? "float4" : "float";
  return libraryCall(call, "write_imagef", [...names.slice(0, 2), float], type, [...operands.slice(0, 2), wide]);
};
