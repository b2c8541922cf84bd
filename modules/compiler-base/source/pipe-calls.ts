// SPDX-License-Identifier: Apache-2.0
// Calls of the functions of pipes, which stay calls until a program is finalized: they become accesses of this
// device's own layout of pipes, and SPIR-V is written of the program before.
import { builtinRows } from "@muxkit/builtin-table";
import { type BuiltinReference, type Module, Op } from "@muxkit/ir";
import { runPasses } from "@muxkit/passes";

import { type TargetLowering, targetContext } from "./target-lowering.ts";

function isPipeFunction({ name }: BuiltinReference): boolean {
  return builtinRows(name).some(({ lowering }) => lowering === "pipe");
}

function callsPipes(module: Module): boolean {
  for (const fn of module.functions.values())
    for (const { instructions } of fn.blocks)
      for (const { op, symbol } of instructions)
        if (op === Op.CALL_BUILTIN && isPipeFunction(symbol as BuiltinReference)) return true;
  return false;
}

/** Calls of built-ins become operations, but for those of pipes: what front ends have in common. */
export function lowerCalls(module: Module, lowering: TargetLowering): void {
  const context = targetContext(module, lowering);
  const keepsBuiltin = (row: BuiltinReference): boolean => isPipeFunction(row) || context.keepsBuiltin(row);
  runPasses(module, ["lower-builtins"], { ...context, keepsBuiltin });
}

/**
 * Lowers the calls of pipes of a program that was compiled or linked; finalizing does so.
 *
 * @public
 */
export function lowerPipeCalls(module: Module, lowering: TargetLowering = {}): void {
  if (!callsPipes(module)) return;
  const context = targetContext(module, lowering);
  const keepsBuiltin = (row: BuiltinReference): boolean => !isPipeFunction(row) || context.keepsBuiltin(row);
  runPasses(module, ["lower-builtins"], { ...context, keepsBuiltin });
}
