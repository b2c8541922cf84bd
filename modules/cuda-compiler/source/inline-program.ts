// SPDX-License-Identifier: Apache-2.0
// What is inlined on a GPU: a call costs a stack in memory, and only kernels know their work-item.
import { type IrFunction, type Module, Op, isGroupOperation } from "@muxkit/ir";
import { type Pass, countInstructions } from "@muxkit/passes";

function markAll(functions: Iterable<IrFunction>): boolean {
  let changed = false;
  for (const fn of functions) {
    changed ||= fn.inline !== "always";
    fn.inline = "always";
  }
  return changed;
}

/** Every function of the program. Functions of the library, which come later, are inlined by their size. */
export const INLINE_PROGRAM: Pass = {
  kind: "module",
  name: "inline-program",
  doc: "Marks all functions of the program to be inlined.",
  run: (module) => markAll(module.functions.values()),
};

/** True for what depends on the work-item, or has all of a group arrive. */
function isOfWorkItem(op: number): boolean {
  return (op >= Op.WORK_DIM && op <= Op.BARRIER) || isGroupOperation(op);
}

function asks({ blocks }: IrFunction): boolean {
  return blocks.some(({ instructions }) =>
    instructions.some(
      ({ op, symbol }) =>
        isOfWorkItem(op) || (op === Op.CALL_BUILTIN && symbol?.kind === "builtin" && symbol.name.includes("printf")),
    ),
  );
}

/** Instructions that all copies of a function of the library may come to: beyond that, calls cost less than they do. */
const MOST_COPIED = 400;

/** Functions whose copies at all of their calls are small. */
function smallFunctions(module: Module): readonly IrFunction[] {
  const calls = new Map<IrFunction, number>();
  for (const { blocks } of module.functions.values())
    for (const { instructions } of blocks)
      for (const { symbol } of instructions)
        if (symbol?.kind === "function") calls.set(symbol, (calls.get(symbol) ?? 0) + 1);
  return [...calls].filter(([fn, count]) => count * countInstructions(fn) <= MOST_COPIED).map(([fn]) => fn);
}

/** Functions that ask for their work-item, and what calls them. */
export const INLINE_QUERIES: Pass = {
  kind: "module",
  name: "inline-queries",
  doc: "Marks functions that depend on their work-item to be inlined.",
  run: (module) => {
    const marked = new Set([...module.functions.values()].filter(asks));
    const calls = ({ blocks }: IrFunction): boolean =>
      blocks.some(({ instructions }) =>
        instructions.some(({ symbol }) => symbol?.kind === "function" && marked.has(symbol)),
      );
    for (const fn of smallFunctions(module)) marked.add(fn);
    for (let before = -1; before < marked.size;) {
      before = marked.size;
      for (const fn of module.functions.values()) if (!marked.has(fn) && calls(fn)) marked.add(fn);
    }
    return markAll(marked);
  },
};
