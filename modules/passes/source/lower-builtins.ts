// SPDX-License-Identifier: Apache-2.0
// lower-builtins: calls of built-ins that the IR has operations for become those operations, for front ends that leave
// them as calls.
import { type Instruction, type IrFunction, type Type, isFloat, isInt, opNumber } from "@muxkit/ir";

import { rowOf } from "./builtin-facts.ts";
import type { FunctionFrame } from "./pass.ts";

/** The op that a call stands for; null: it stays a call. */
function opOf(call: Instruction): number | null {
  const [kind, name = ""] = rowOf(call)?.lowering.split(":") ?? [];
  const op = opNumber(name) ?? null;
  if (kind === "work-item") return op;
  // A scalar next to vectors would have to be spread first: that is the front end's.
  const isPlain =
    call.operands.length > 0 && call.operands.every(({ type }) => type === call.type) && isArithmetic(call.type);
  return kind === "op" && isPlain ? op : null;
}

function isArithmetic(type: Type): boolean {
  return isInt(type) || isFloat(type);
}

/** Replaces calls by operations; their flags stay. */
export function lowerBuiltins(fn: IrFunction, { context }: FunctionFrame): boolean {
  let changed = false;
  for (const block of fn.blocks) {
    for (const instruction of block.instructions) {
      const op = opOf(instruction);
      if (op === null || instruction.symbol?.kind !== "builtin" || context.keepsBuiltin(instruction.symbol)) continue;
      instruction.op = op;
      instruction.symbol = null;
      changed = true;
    }
  }
  return changed;
}
