// SPDX-License-Identifier: Apache-2.0
// alias-groups: what `restrict` says of a kernel's pointers is noted on the accesses. Lowering makes parameters loads
// from packed arguments, and bodies parts of loops over work-items.
import { type Instruction, type IrFunction, type Module, Op, type Value, isPointer, walk } from "@muxkit/ir";

import { accessOf, baseOf, isAccess } from "./alias-analysis.ts";

/**
 * Groups by what pointers are made from: each `restrict` parameter has its own, all other known objects share one;
 * null: the kernel has no such parameter.
 */
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
    // A pointer that was loaded or chosen may have been made from any of them.
    return restricted.get(base) ?? (isKnown ? others : 0);
  };
}

/** Functions that are called: what is made of a call's operands is not what is made of the caller's. */
function calledFunctions(module: Module): ReadonlySet<unknown> {
  const called = new Set<unknown>();
  for (const fn of module.functions.values())
    walk(fn, ({ op, symbol }) => {
      if (op === Op.CALL) called.add(symbol);
    });
  return called;
}

/**
 * Puts the accesses of kernels through different `restrict` pointers, and through others, into different alias groups.
 * Kernels that others call are left alone.
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
