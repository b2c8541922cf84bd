// SPDX-License-Identifier: Apache-2.0
// Which computations are equal, and which may be shared.
import { type BuiltinReference, type Instruction, Op, hasEffect, resolved, type Value } from "@muxkit/ir";

import { isPureCall } from "./builtin-facts.ts";

function isSameBuiltin(a: BuiltinReference, b: BuiltinReference): boolean {
  return (
    a.name === b.name &&
    a.parameters.length === b.parameters.length &&
    a.parameters.every((type, i) => type === b.parameters[i])
  );
}

function isSameOperand(a: Instruction, i: number, b: Instruction, j: number): boolean {
  return resolved(a.operands[i] as Value) === resolved(b.operands[j] as Value);
}

/** True when two computations have the same result; replacements that are pending are taken into account. */
export function isSameComputation(a: Instruction, b: Instruction): boolean {
  if (
    a.op !== b.op ||
    a.type !== b.type ||
    a.flags !== b.flags ||
    a.atomicKind !== b.atomicKind ||
    a.offset !== b.offset ||
    a.scale !== b.scale ||
    a.operands.length !== b.operands.length
  )
    return false;
  if (
    a.symbol !== b.symbol &&
    !(a.symbol?.kind === "builtin" && b.symbol?.kind === "builtin" && isSameBuiltin(a.symbol, b.symbol))
  )
    return false;
  if (a.lanes !== b.lanes && (a.lanes.length !== b.lanes.length || a.lanes.some((lane, i) => lane !== b.lanes[i])))
    return false;
  let straight = true;
  for (let i = 0; straight && i < a.operands.length; i++) straight = isSameOperand(a, i, b, i);
  return (
    straight ||
    (a.operands.length === 2 && hasEffect(a.op, "m") && isSameOperand(a, 0, b, 1) && isSameOperand(a, 1, b, 0))
  );
}

/** True for computations that may be shared: no effects, no reads. */
export function isShareable(instruction: Instruction): boolean {
  const { op, operands } = instruction;
  if (op === Op.CALL_BUILTIN) return isPureCall(instruction);
  return (
    hasEffect(op, "s") &&
    op !== Op.SPEC_CONSTANT &&
    (operands.length > 0 || op === Op.GLOBAL_ADDRESS || (op >= Op.WORK_DIM && op <= Op.LOCAL_LINEAR_ID))
  );
}
