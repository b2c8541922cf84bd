// SPDX-License-Identifier: Apache-2.0
// Meaning of what compilers took over from later versions of C and from GNU: statement expressions, _Generic,
// _Static_assert, __alignof__, __builtin_offsetof, __func__.
import { I32, constantInt } from "@muxkit/ir";

import type { Expression } from "../ast.ts";
import { errorOperand, rvalue, sizeType } from "./convert.ts";
import { type CType, VOID_TYPE } from "./ctype.ts";
import { designatedPart } from "./designators.ts";
import { naturalAlignment, requireComplete, typeOfName } from "./types.ts";
import { type Operand, type Unit, valueOf } from "./unit.ts";

type Node<K extends Expression["kind"]> = Extract<Expression, { kind: K }>;

/** `({ … })`: a block; the value of its last statement when that is an expression. */
export function statementExpression(unit: Unit, { body, span }: Node<"statement-expression">): Operand {
  if (unit.fn === null) {
    unit.report("notConstant", span);
    return errorOperand();
  }
  const { fn } = unit;
  let result = valueOf(VOID_TYPE, constantInt(I32, 0));
  unit.openScope();
  fn.depth++;
  body.items.forEach((item, i) => {
    if (item.kind === "expression" && i === body.items.length - 1)
      result = rvalue(unit, unit.parts.expression(unit, item.expression));
    else unit.parts.blockItem(unit, item);
  });
  fn.depth--;
  unit.closeScope();
  return result;
}

/** `_Generic(control, type: value, …)` (C11 6.5.1.1): the value whose type is that of the control expression. */
export function selection(unit: Unit, node: Node<"selection">): Operand {
  const chosen = selected(unit, node);
  return chosen === null ? errorOperand() : unit.parts.expression(unit, chosen);
}

/** The expression that `_Generic` selects; null (reported): there is none. */
export function selected(unit: Unit, { control, associations, span }: Node<"selection">): Expression | null {
  const asked = unit.typeOnly(() => rvalue(unit, unit.parts.expression(unit, control)));
  const { type } = asked;
  if (type.kind === "error") return null;
  const chosen =
    associations.find((entry) => entry.type !== null && typeOfName(unit, entry.type).type === type) ??
    associations.find((entry) => entry.type === null);
  if (chosen === undefined) unit.report("badOperands", span, ["_Generic", type.name]);
  return chosen?.value ?? null;
}

function sizeValue(unit: Unit, value: number): Operand {
  const size = sizeType(unit);
  return valueOf(size, constantInt(size.ir, value));
}

/** `__alignof__`. */
export function alignofNode(unit: Unit, type: CType | null, node: Node<"alignof">): Operand {
  if (type === null || !requireComplete(unit, type, node.span)) return errorOperand();
  return sizeValue(unit, naturalAlignment(unit, type));
}

/** `__builtin_offsetof(struct s, a.b[2])`. */
export function offsetofNode(unit: Unit, { type: name, path, span }: Node<"offsetof">): Operand {
  const { type } = typeOfName(unit, name);
  if (!requireComplete(unit, type, span)) return errorOperand();
  let [offset, inner]: [number, CType] = [0, type];
  for (const designator of path) {
    const part = designatedPart(unit, inner, designator);
    if (part === null) return errorOperand();
    offset += part.offset;
    inner = part.type.type;
  }
  return sizeValue(unit, offset);
}
