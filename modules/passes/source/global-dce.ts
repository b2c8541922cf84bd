// SPDX-License-Identifier: Apache-2.0
// global-dce: removes functions that no kernel reaches in the call graph (a worklist from the kernels).
import type { Instruction, IrFunction, Module } from "@muxkit/ir";

/** Removes functions that no kernel reaches. A module without kernels is a library: nothing is removed. */
export function globalDeadCodeElimination(module: Module): boolean {
  const { kernels } = module;
  if (kernels.length === 0) return false;
  const reached = new Set<IrFunction>(kernels);
  const work = [...kernels];
  for (let fn = work.pop(); fn !== undefined; fn = work.pop()) {
    for (const { instructions } of fn.blocks) {
      for (let i = 0; i < instructions.length; i++) {
        const { symbol } = instructions[i] as Instruction;
        if (symbol !== null && symbol.kind === "function" && !reached.has(symbol)) {
          reached.add(symbol);
          work.push(symbol);
        }
      }
    }
  }
  let changed = false;
  for (const [name, fn] of module.functions) {
    if (!reached.has(fn)) {
      module.functions.delete(name);
      changed = true;
    }
  }
  return changed;
}
