// SPDX-License-Identifier: Apache-2.0
// Constant strings: what a pointer into an initialised constant refers to.
import * as Op from "./generated/op.ts";
import { CONSTANT } from "./type.ts";
import type { Value } from "./value.ts";

/**
 * The string at a pointer into a global constant, up to its NUL, one character per byte; null: not known, or no NUL.
 *
 * @public
 */
export function constantText(value: Value): string | null {
  let offset = 0;
  let pointer = value;
  while (pointer.kind === "instruction" && pointer.op === Op.ADDRESS) {
    const [base, index] = pointer.operands;
    if (base === undefined || (index !== undefined && index.kind !== "constant")) return null;
    offset += pointer.offset + (index === undefined ? 0 : (index.low | 0) * pointer.scale);
    pointer = base;
  }
  if (pointer.kind !== "instruction" || pointer.op !== Op.GLOBAL_ADDRESS || pointer.symbol?.kind !== "global")
    return null;
  const { initializer, addressSpace } = pointer.symbol;
  if (initializer === null || addressSpace !== CONSTANT || offset < 0) return null;
  const end = initializer.indexOf(0, offset);
  return end < 0 ? null : Array.from(initializer.subarray(offset, end), (byte) => String.fromCharCode(byte)).join("");
}
