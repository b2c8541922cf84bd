// SPDX-License-Identifier: Apache-2.0
// alias-groups: records what `restrict` says about a kernel's pointers on the accesses themselves (like LLVM's noalias
// metadata), because lowering turns parameters into loads from packed arguments and bodies into parts of work-item
// loops.
import { type Instruction, type IrFunction, type Module, Op, type Value, isPointer, walk } from "@muxkit/ir";

import { accessOf, baseOf, isAccess } from "./alias-analysis.ts";

/** Groups by base: each `restrict` parameter has its own, all other known objects share one. Null: there is none. */
function groupsOf(fn: IrFunction): ((base: Value) => number) | null {
  const restricted = new Map<Value, number>();
  fn.kernel?.arguments.forEach(({ isRestrict }, i) => {
    const parameter = fn.parameters[i];
    if (isRestrict && parameter !== undefined && isPointer(parameter.type)) restricted.set(parameter, i + 1);
  });
  if (restricted.size === 0) return null;
  const others = fn.parameters.length + 1;
  return (base) => {
    const isKnown =
      (base.kind === "parameter" && base.owner !== null) ||
      (base.kind === "instruction" && (base.op === Op.ALLOCA || base.op === Op.GLOBAL_ADDRESS));
    // A pointer that was loaded or selected may be based on any of them.
    return restricted.get(base) ?? (isKnown ? others : 0);
  };
}

/** Functions that are called: their parameters are not the arguments of a launch. */
function calledFunctions(module: Module): ReadonlySet<unknown> {
  const called = new Set<unknown>();
  for (const fn of module.functions.values())
    walk(fn, ({ op, symbol }) => {
      if (op === Op.CALL) called.add(symbol);
    });
  return called;
}

/**
 * Assigns alias groups to the accesses of kernels with `restrict` parameters. Kernels that are called are left alone.
 */
export function aliasGroups(module: Module): boolean {
  let changed = false;
  const called = calledFunctions(module);
  for (const fn of module.kernels) {
    const groupOf = called.has(fn) ? null : groupsOf(fn);
    if (groupOf === null) continue;
    walk(fn, (instruction: Instruction) => {
      if (!isAccess(instruction.op) || instruction.aliasGroup !== 0) return;
      const access = accessOf(instruction, module.layout);
      const group = access === null ? 0 : groupOf(baseOf(access.pointer));
      if (group === 0) return;
      instruction.aliasGroup = group;
      changed = true;
    });
  }
  return changed;
}
