// SPDX-License-Identifier: Apache-2.0
// Kernels without bodies: what a host program needs of a program (names, arguments, sizes) and nothing that runs.
import { Instruction, type Module, NO_OPERANDS, Op, VOID, listOf } from "@muxkit/ir";

/** Empties every kernel, and drops what only their bodies needed. */
export function stubKernels(module: Module): void {
  for (const fn of module.functions.values()) {
    if (fn.kernel === null) {
      module.functions.delete(fn.name);
      continue;
    }
    const location = fn.blocks[0]?.instructions[0]?.location ?? null;
    fn.blocks = listOf();
    fn.addBlock("entry").append(new Instruction(Op.RET, VOID, NO_OPERANDS, location));
  }
  module.globals.clear();
}
