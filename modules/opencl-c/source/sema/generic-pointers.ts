// SPDX-License-Identifier: Apache-2.0
// Where generic pointers point: to_global, to_local, to_private and get_fence (OpenCL C 3.0, 6.15.10), and the space in
// which two pointers have a common type.
import type { Span } from "@muxkit/report";
import { CONSTANT, GENERIC, GLOBAL, LOCAL, Op, PRIVATE, type Value } from "@muxkit/ir";

import { emitBuiltin } from "./builtins.ts";
import { errorOperand } from "./convert.ts";
import { type CType, UINT, pointerTo } from "./ctype.ts";
import { written } from "./spelling.ts";
import type { Operand, Unit } from "./unit.ts";

/**
 * The results of the functions: a pointer into the space that each is named for, or, of get_fence, the fence's flags.
 */
const SPACES: Readonly<Record<string, number>> = { to_global: GLOBAL, to_local: LOCAL, to_private: PRIVATE };

const PARAMETERS: readonly string[] = ["void*"];

/** The pointer as a generic one; null: it is none and cannot become one. */
function genericPointer(unit: Unit, operand: Operand): Value | null {
  const { type, value } = operand;
  if (type.kind !== "pointer" || type.target === null || type.target.space === CONSTANT) return null;
  return type.target.space === GENERIC
    ? value
    : unit.op(Op.ADDRSPACECAST, pointerTo({ ...type.target, space: GENERIC }).ir, value);
}

/** Emits the call of one of the four functions. */
export function callAddressSpace(unit: Unit, name: string, given: readonly Operand[], span: Span): Operand {
  const [operand] = given;
  if (operand === undefined || given.length !== 1) {
    unit.report("argumentCount", span, [name, 1, given.length]);
    return errorOperand();
  }
  const generic = genericPointer(unit, operand);
  const { target } = operand.type;
  if (generic === null || target === null) {
    unit.report("noOverload", span, [name, written(operand)]);
    return errorOperand();
  }
  const wanted = SPACES[name];
  const result = wanted === undefined ? UINT : pointerTo({ ...target, space: wanted });
  return emitBuiltin(unit, { kind: "builtin", name, parameters: PARAMETERS }, result, [generic]);
}

/**
 * The pointer type that two pointers convert to: in their own address space, or in the generic one (6.7.5); null:
 * their spaces do not overlap.
 */
export function commonPointer(left: CType, right: CType): CType | null {
  if (left.target === null || right.target === null) return null;
  const [a, b] = [left.target.space ?? PRIVATE, right.target.space ?? PRIVATE];
  const isConst = left.target.isConst || right.target.isConst;
  const isVolatile = left.target.isVolatile || right.target.isVolatile;
  const type = left.target.type.kind === "void" ? right.target : left.target;
  if (a !== b && (a === CONSTANT || b === CONSTANT || (a !== GENERIC && b !== GENERIC))) return null;
  return pointerTo({ ...type, isConst, isVolatile, space: a === b ? a : GENERIC });
}
