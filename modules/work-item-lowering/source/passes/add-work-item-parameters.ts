// SPDX-License-Identifier: Apache-2.0
// `add-work-item-parameters`: gives functions that depend on their work-item the convention `work_item`, bottom up over
// the call graph to a fixpoint: kernels, functions with queries, with variables of the program, with loops that must be
// cancellable, and all that call those.
import {
  type Instruction,
  type IrFunction,
  type Module,
  Op,
  Parameter,
  WORK_ITEM_PARAMETER_NAMES,
  indexType,
  workItemConvention,
} from "@muxkit/ir";
import { isPrintfQuery } from "@muxkit/passes";

import { workItemValues } from "../work-item-values.ts";
import { hasLongLoop } from "./cancellation-checks.ts";

/** True for the ops that query an id, a size, or where a pointer points. */
export function isWorkItemQuery(op: number): boolean {
  return (op >= Op.WORK_DIM && op <= Op.SUB_GROUP_LOCAL_ID) || op === Op.ADDRESS_SPACE;
}

/** True for queries of printf's addresses: the thread's area and the launch. */
export function isPrintfAddress({ op, symbol }: Instruction): boolean {
  return op === Op.CALL_BUILTIN && symbol?.kind === "builtin" && isPrintfQuery(symbol);
}

function needsParameters(fn: IrFunction, known: ReadonlySet<IrFunction>): boolean {
  return (
    fn.kernel !== null ||
    hasLongLoop(fn) ||
    fn.blocks.some((block) =>
      block.instructions.some(
        (one) =>
          isWorkItemQuery(one.op) ||
          one.op === Op.GLOBAL_ADDRESS ||
          isPrintfAddress(one) ||
          (one.symbol?.kind === "function" && (known.has(one.symbol) || one.symbol.convention.kind === "work_item")),
      ),
    )
  );
}

function findNeeding(module: Module): Set<IrFunction> {
  const found = new Set<IrFunction>();
  for (let changed = true; changed;) {
    changed = false;
    for (const fn of module.functions.values()) {
      if (found.has(fn) || fn.blocks.length === 0 || fn.convention.kind !== "plain") continue;
      if (!needsParameters(fn, found)) continue;
      found.add(fn);
      changed = true;
    }
  }
  return found;
}

/** Adds the parameters to every function that needs them, and passes them on at calls; true when there is any. */
export function addWorkItemParameters(module: Module): boolean {
  const type = indexType(module.layout);
  const changed = findNeeding(module);
  for (const fn of changed) {
    fn.convention = workItemConvention(fn.parameters.length);
    for (const name of WORK_ITEM_PARAMETER_NAMES) fn.parameters.push(new Parameter(type, name, null, fn));
  }
  for (const fn of changed) {
    const values = workItemValues(fn).list;
    for (const block of fn.blocks) {
      for (const instruction of block.instructions) {
        const { symbol } = instruction;
        if (instruction.op === Op.CALL && symbol?.kind === "function" && changed.has(symbol))
          instruction.operands = [...instruction.operands, ...values];
      }
    }
  }
  return changed.size > 0;
}
