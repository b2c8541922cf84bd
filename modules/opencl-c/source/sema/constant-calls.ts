// SPDX-License-Identifier: Apache-2.0
// Calls in constant expressions (C99 6.6 3): here they are folded where their arguments are constants, other compilers
// refuse them.
import type { Expression, Initializer } from "../ast.ts";
import type { Unit } from "./unit.ts";

/** The parts of an expression that are evaluated; calls are where the walk ends. */
function partsOf(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case "unary":
    case "postfix":
    case "cast":
      return [node.operand];
    case "binary":
      return [node.left, node.right];
    case "conditional":
      return [node.condition, ...(node.whenTrue === null ? [] : [node.whenTrue]), node.whenFalse];
    case "vector":
      return node.elements;
    case "member":
      return [node.base];
    case "index":
      return [node.base, node.index];
    default:
      return [];
  }
}

/** Warns of the first call of a built-in within an expression, or an initialiser, that must be constant. */
export function checkConstantCalls(unit: Unit, value: Initializer): void {
  if (unit.options.library) return;
  const open: Initializer[] = [value];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.kind === "list") open.push(...node.items.map((item) => item.value));
    else if (node.kind !== "call") open.push(...partsOf(node));
    else if (node.callee.kind === "name" && !node.callee.name.startsWith("__builtin_")) {
      unit.warn("constantCall", node.span, [node.callee.name]);
      return;
    }
  }
}
