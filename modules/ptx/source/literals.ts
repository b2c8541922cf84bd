// SPDX-License-Identifier: Apache-2.0
// Constants as PTX writes them in place of a register.
import type { Constant } from "@muxkit/ir";

function hexadecimal(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}

/** A whole number of at most 32 bits. */
export function integerLiteral(low: number): string {
  return low < 10 ? String(low) : `0x${hexadecimal(low, 1)}`;
}

/**
 * The bits of a scalar constant as an operand of its class; null where none takes an immediate: predicates, and halves,
 * which have none as floats.
 */
export function literal({ type, low, high }: Constant): string | null {
  if (type.kind === "float") {
    if (type.bits === 32) return `0f${hexadecimal(low, 8)}`;
    return type.bits === 64 ? `0d${hexadecimal(high, 8)}${hexadecimal(low, 8)}` : null;
  }
  if (type.bits === 1) return null;
  return high === 0 ? integerLiteral(low) : `0x${hexadecimal(high, 1)}${hexadecimal(low, 8)}`;
}
