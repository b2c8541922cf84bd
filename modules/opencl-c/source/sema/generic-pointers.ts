// SPDX-License-Identifier: Apache-2.0
// Where generic pointers point: to_global, to_local, to_private and get_fence (OpenCL C 3.0, 6.15.10), and the space in which two pointers meet.
import type { Span } from "@muxkit/report";
import {
  CONSTANT,
  GENERIC,
  GLOBAL,
  I1,
  I32,
  LOCAL,
  ORDER_GLOBAL,
  ORDER_LOCAL,
  Op,
  PRIVATE,
  type Value,
  constantInt,
  constantZero,
} from "@muxkit/ir";

import { errorOperand } from "./convert.ts";
import { type CType, UINT, pointerTo } from "./ctype.ts";
import { type Operand, type Unit, valueOf } from "./unit.ts";

const SPACES: Readonly<Record<string, number>> = { to_global: GLOBAL, to_local: LOCAL, to_private: PRIVATE };

/** The pointer as a generic one; null: it is none and cannot become one. */
function genericPointer(unit: Unit, operand: Operand): Value | null {
  const { type, value } = operand;
  if (type.kind !== "pointer" || type.target === null || type.target.space === CONSTANT) return null;
  return type.target.space === GENERIC
    ? value
    : unit.op(Op.ADDRSPACECAST, pointerTo({ ...type.target, space: GENERIC }).ir, value);
}

/** Writes the call of one of the four functions. */
export function callAddressSpace(unit: Unit, name: string, given: readonly Operand[], span: Span): Operand {
  const [operand] = given;
  if (operand === undefined || given.length !== 1) {
    unit.report("argumentCount", span, [name, 1, given.length]);
    return errorOperand();
  }
  const generic = genericPointer(unit, operand);
  const { target } = operand.type;
  if (generic === null || target === null) {
    unit.report("noOverload", span, [name, operand.type.name]);
    return errorOperand();
  }
  const found = unit.builder.addressSpace(generic);
  const wanted = SPACES[name];
  if (wanted === undefined) {
    const isLocal = unit.op(Op.EQ, I1, found, constantInt(I32, LOCAL));
    return valueOf(
      UINT,
      unit.op(Op.SELECT, I32, isLocal, constantInt(I32, ORDER_LOCAL), constantInt(I32, ORDER_GLOBAL)),
    );
  }
  const type = pointerTo({ ...target, space: wanted });
  const isThere = unit.op(Op.EQ, I1, found, constantInt(I32, wanted));
  return valueOf(
    type,
    unit.op(Op.SELECT, type.ir, isThere, unit.op(Op.ADDRSPACECAST, type.ir, generic), constantZero(type.ir)),
  );
}

/** The pointer type in whose address space two pointers meet: their own, or the generic one around them (6.7.5); null: their spaces do not overlap. */
export function meetingPointer(left: CType, right: CType): CType | null {
  if (left.target === null || right.target === null) return null;
  const [a, b] = [left.target.space ?? PRIVATE, right.target.space ?? PRIVATE];
  const isConst = left.target.isConst || right.target.isConst;
  const isVolatile = left.target.isVolatile || right.target.isVolatile;
  const type = left.target.type.kind === "void" ? right.target : left.target;
  if (a !== b && (a === CONSTANT || b === CONSTANT || (a !== GENERIC && b !== GENERIC))) return null;
  return pointerTo({ ...type, isConst, isVolatile, space: a === b ? a : GENERIC });
}
