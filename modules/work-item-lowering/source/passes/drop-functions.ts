// SPDX-License-Identifier: Apache-2.0
// `drop-inlined` and `drop-unreached`: functions of which no code is needed any more.
import type { IrFunction, Module } from "@muxkit/ir";

function drop(module: Module, isDropped: (fn: IrFunction) => boolean): boolean {
  const before = module.functions.size;
  for (const [name, fn] of module.functions) if (isDropped(fn)) module.functions.delete(name);
  return module.functions.size < before;
}

/** Drops functions that have been inlined into all their callers. */
export function dropInlined(module: Module): boolean {
  return drop(module, ({ inline }) => inline === "always");
}

/** Drops functions that no kernel entry reaches. */
export function dropUnreached(module: Module): boolean {
  const reached = new Set<IrFunction>();
  const worklist = [...module.functions.values()].filter(({ convention }) => convention.kind === "kernel_entry");
  for (let fn = worklist.pop(); fn !== undefined; fn = worklist.pop()) {
    if (reached.has(fn)) continue;
    reached.add(fn);
    for (const { instructions } of fn.blocks)
      for (const { symbol } of instructions) if (symbol?.kind === "function") worklist.push(symbol);
  }
  return drop(module, (fn) => !reached.has(fn));
}
