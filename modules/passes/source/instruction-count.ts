// SPDX-License-Identifier: Apache-2.0
// Function sizes, as budgets count them.
import type { IrFunction } from "@muxkit/ir";

/** Instructions of a function. @public */
export function countInstructions(fn: IrFunction): number {
  let count = 0;
  for (const block of fn.blocks) count += block.instructions.length;
  return count;
}
