// SPDX-License-Identifier: Apache-2.0
// A pass of the target's own: the machine has no debugger, so it need not be told where variables are.
import { type IrFunction, Op } from "@muxkit/ir";
import type { Pass } from "@muxkit/passes";

function run(fn: IrFunction): boolean {
  let changed = false;
  for (const block of fn.blocks) {
    const kept = block.instructions.filter(({ op }) => op !== Op.DEBUG_VALUE);
    changed ||= kept.length < block.instructions.length;
    block.instructions = kept;
  }
  return changed;
}

/** The pass. */
export const DROP_DEBUG_VALUES: Pass = {
  kind: "function",
  name: "drop-debug-values",
  doc: "Forgets where variables are.",
  keeps: [],
  run,
};
