// SPDX-License-Identifier: Apache-2.0
// Vectors that are written as their components: literals and initialisers (OpenCL C 6.1.6).
import type { Span } from "@muxkit/report";
import { I32, Op, type Value, constantInt } from "@muxkit/ir";

import type { Expression } from "../ast.ts";
import { convertImplicitly, errorOperand, rvalue } from "./convert.ts";
import { type CType, elementOf } from "./ctype.ts";
import { type Written, spelledName, written } from "./spelling.ts";
import { typeOfName } from "./types.ts";
import { type Operand, type Unit, valueOf } from "./unit.ts";

/** A literal such as `(float4)(a, b, c, d)`: of one scalar in all components, or of parts. */
export function vectorLiteral(unit: Unit, node: Extract<Expression, { kind: "vector" }>): Operand {
  const wanted = typeOfName(unit, node.type);
  const { type, spelling } = wanted;
  if (type.kind === "error") return errorOperand();
  const [first] = node.elements;
  if (node.elements.length > 1 || first === undefined)
    return vectorOfParts(unit, wanted, node.elements, node.span) ?? errorOperand();
  const only = rvalue(unit, unit.parts.expression(unit, first));
  if (only.type.kind === "error") return only;
  // One scalar goes into every component.
  if (only.type.kind !== "vector") return valueOf(type, convertImplicitly(unit, only, type, first.span), spelling);
  return only.type === type
    ? only
    : (lanesOfParts(unit, wanted, [{ operand: only, span: first.span }], node.span) ?? errorOperand());
}

/** A vector from scalars and vectors of its element type (6.1.6); null (reported): they do not make one. */
export function vectorOfParts(
  unit: Unit,
  wanted: Written,
  elements: readonly Expression[],
  span: Span,
): Operand | null {
  const parts = elements.map((element) => ({
    operand: rvalue(unit, unit.parts.expression(unit, element)),
    span: element.span,
  }));
  return parts.some(({ operand }) => operand.type.kind === "error") ? null : lanesOfParts(unit, wanted, parts, span);
}

/**
 * A vector of two or more vectors of one type, whose halves are joined by shuffles: later passes see whole vectors, not
 * their lanes. Null: the parts are others.
 */
function joinedVectors(unit: Unit, type: CType, parts: readonly { readonly operand: Operand }[]): Value | null {
  const own = parts[0]?.operand.type;
  if (own?.kind !== "vector" || elementOf(own) !== elementOf(type) || parts.length * own.count !== type.count)
    return null;
  // Three components have four lanes, one of which is nothing's.
  if (own.count === 3 || type.count === 3 || parts.some(({ operand }) => operand.type !== own)) return null;
  let vectors = parts.map(({ operand }) => operand.value);
  for (let count = own.count; vectors.length > 1; count *= 2) {
    const lanes = Array.from({ length: 2 * count }, (_, lane) => lane);
    const halves = vectors;
    vectors = halves
      .filter((_, i) => i % 2 === 0)
      .map((left, i) => unit.builder.shuffle(left, halves[2 * i + 1] as Value, lanes));
  }
  return vectors[0] ?? null;
}

function lanesOfParts(
  unit: Unit,
  wanted: Written,
  parts: readonly { readonly operand: Operand; readonly span: Span }[],
  span: Span,
): Operand | null {
  const { type, spelling } = wanted;
  const scalar = elementOf(type);
  const joined = joinedVectors(unit, type, parts);
  if (joined !== null) return valueOf(type, joined, spelling);
  const lanes: Value[] = [];
  for (const { operand, span: part } of parts) {
    if (operand.type.kind === "vector") {
      if (elementOf(operand.type) !== scalar) {
        unit.report("cannotConvert", part, [written(operand), `components of ${written(wanted)}`]);
        return null;
      }
      for (let i = 0; i < operand.type.count; i++)
        lanes.push(unit.op(Op.EXTRACT, scalar.ir, operand.value, constantInt(I32, i)));
    } else lanes.push(convertImplicitly(unit, operand, scalar, part));
  }
  if (lanes.length === type.count) return valueOf(type, unit.op(Op.BUILD, type.ir, ...lanes), spelling);
  unit.report("vectorLiteral", span, [spelledName(wanted), type.count, lanes.length]);
  return null;
}
