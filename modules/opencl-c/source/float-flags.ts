// SPDX-License-Identifier: Apache-2.0
// The floating-point flags that math options set on operations.
import {
  APPROXIMATE,
  CONTRACT,
  type Instruction,
  NO_INFINITY,
  NO_NAN,
  NO_SIGNED_ZERO,
  Op,
  REASSOCIATE,
  RECIPROCAL,
  TAKES_FLOAT_FLAGS,
} from "@muxkit/ir";

import type { FrontEndOptions } from "./options.ts";

/** The options that affect floating-point arithmetic. @public */
export type FloatOptions = Pick<FrontEndOptions, "fastRelaxedMath" | "unsafeMath" | "finiteMathOnly" | "noSignedZeros">;

/** The flags that operations on floats have under options. @public */
export function floatFlags({ fastRelaxedMath, unsafeMath, finiteMathOnly, noSignedZeros }: FloatOptions): number {
  let flags = 0;
  if (fastRelaxedMath) flags |= APPROXIMATE | RECIPROCAL | REASSOCIATE | CONTRACT;
  if (unsafeMath) flags |= RECIPROCAL | REASSOCIATE | CONTRACT;
  if (finiteMathOnly) flags |= NO_NAN | NO_INFINITY;
  if (noSignedZeros) flags |= NO_SIGNED_ZERO;
  return flags;
}

/**
 * Sets an instruction's flags as if it had been compiled with them; instructions without floats are unchanged.
 *
 * @public
 */
export function addFloatFlags(instruction: Instruction, flags: number): void {
  if (TAKES_FLOAT_FLAGS[instruction.op] === true || instruction.op === Op.CALL_BUILTIN) instruction.flags |= flags;
}
