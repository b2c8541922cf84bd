// SPDX-License-Identifier: Apache-2.0
// Vectors in memory (OpenCL C 6.15.7): vloadN, vstoreN and their half variants, and shuffles of lanes (6.15.12).
import { F16, F32, I32, Op, type Type, type Value, constantInt, scalarOf, sizeOf, vectorType } from "@muxkit/ir";

import { type BuiltinCall, type Lowering, NOTHING, at, marked, parameterAt } from "./call.ts";
import { adjustRounding } from "./conversions.ts";
import { type BuiltinType, HALF, vectorOf, withElement } from "./types.ts";
import type { Writer } from "./writer.ts";

/** `p + offset * lanes` elements, and the alignment that the language promises: that of an element. */
function elementAddress(
  call: BuiltinCall,
  offsetIndex: number,
  pointerIndex: number,
  lanes: number,
  element: Type,
): { readonly address: Value; readonly alignment: number } {
  const { writer } = call;
  const size = sizeOf(writer.layout, element);
  return {
    address: writer.builder.address(at(call, pointerIndex), at(call, offsetIndex), size * lanes, 0),
    alignment: size,
  };
}

/** vloadN(offset, pointer). */
export const loadVector: Lowering = (call) => {
  const { writer, type, detail } = call;
  const { address, alignment } = elementAddress(call, 0, 1, Number(detail), scalarOf(type));
  return marked(writer.builder.load(type, address, alignment), parameterAt(call, 1).isVolatile);
};

/** vstoreN(data, offset, pointer). */
export const storeVector: Lowering = (call) => {
  const value = at(call, 0);
  const { address, alignment } = elementAddress(call, 1, 2, Number(call.detail), scalarOf(value.type));
  marked(call.writer.builder.store(value, address, alignment), parameterAt(call, 2).isVolatile);
  return NOTHING;
};

/**
 * Lanes, and halves from one vector to the next, from a name such as `vloada_half3`: the aligned variant of three has
 * four.
 */
function halfLayout(name: string): { readonly lanes: number; readonly stride: number } {
  const match = /half(\d*)/u.exec(name);
  const lanes = Number(match?.[1] === "" || match === null ? 1 : match[1]);
  return { lanes, stride: name.includes("a_half") && lanes === 3 ? 4 : lanes };
}

/** vload_halfN and vloada_halfN give floats. */
export const loadHalf: Lowering = (call) => {
  const { writer, detail } = call;
  const { lanes, stride } = halfLayout(detail);
  const { address } = elementAddress(call, 0, 1, stride, F16);
  const load = writer.builder.load(lanes === 1 ? F16 : vectorType(F16, lanes), address, 2);
  marked(load, parameterAt(call, 1).isVolatile);
  return writer.op(Op.FPEXT, lanes === 1 ? F32 : vectorType(F32, lanes), load);
};

/** A float as half in a rounding mode. */
function roundedHalf(writer: Writer, value: Value, from: BuiltinType, mode: string): Value {
  const half = withElement(from, HALF);
  const nearest = writer.op(Op.FPTRUNC, half.ir, value);
  return mode === "" || mode === "rte" ? nearest : adjustRounding(writer, value, from, nearest, half, mode);
}

/** vstore_halfN and vstorea_halfN round floats and doubles. */
export const storeHalf: Lowering = (call) => {
  const { writer, detail } = call;
  const { lanes, stride } = halfLayout(detail);
  const mode = /_(rt[eznp])$/u.exec(detail)?.[1] ?? "";
  const { address } = elementAddress(call, 1, 2, stride, F16);
  const from = vectorOf(parameterAt(call, 0).element, lanes);
  marked(
    writer.builder.store(roundedHalf(writer, at(call, 0), from, mode), address, 2),
    parameterAt(call, 2).isVolatile,
  );
  return NOTHING;
};

/** shuffle and shuffle2: lanes of one or two vectors by the low bits of the mask's lanes. */
export const shuffle: Lowering = (call) => {
  const { writer, generic, operands, parameters, type } = call;
  const { builder } = writer;
  const count = generic.lanes;
  const hasTwo = operands.length === 3;
  const mask = at(call, operands.length - 1);
  const [left, right] = [at(call, 0), hasTwo ? at(call, 1) : at(call, 0)];
  const maskElement = (parameters.at(-1) ?? generic).element;
  if (mask.kind === "constant") {
    const picked = Array.from(
      { length: type.count },
      (_, i) => ((mask.lanes[i] ?? mask).low >>> 0) % (hasTwo ? 2 * count : count),
    );
    return builder.shuffle(left, right, picked);
  }
  // As ints of the mask's width: what is moved is bits.
  const ints = (value: Value): Value =>
    scalarOf(value.type) === maskElement.ir ? value : writer.op(Op.BITCAST, vectorType(maskElement.ir, count), value);
  const both = hasTwo
    ? builder.shuffle(
        ints(left),
        ints(right),
        Array.from({ length: 2 * count }, (_, i) => i),
      )
    : ints(left);
  const picked = builder.permute(both, mask, hasTwo ? 2 * count : count);
  return picked.type === type ? picked : writer.op(Op.BITCAST, type, picked);
};

/** vec_step: components, 4 for those of three. */
export const vectorStep: Lowering = ({ generic: { lanes } }) => constantInt(I32, lanes === 3 ? 4 : lanes);
