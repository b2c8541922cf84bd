// SPDX-License-Identifier: Apache-2.0
// The layout of values of OpenCL's vector types (float4) when they become vectors of work-items: array of structures,
// one wide vector with work-item after work-item; or structure of arrays, one vector for each component. Wide vectors
// cost nothing at loads and stores, component vectors nothing where components are extracted, shuffled or built. Values
// that flow into each other elementwise share a layout (union-find over the SSA graph), and one that takes components
// apart decides for its whole class. Cost: nearly linear in instructions.
import { type Block, type Instruction, Op, type Value, laneCount, MAX_VECTOR_LANES } from "@muxkit/ir";

import type { Divergence } from "./divergence.ts";

/** True for permutations that keep each work-item's lanes within it when the vector is wide. */
function isOwnPermutation({ op, operands: [vector, indices] }: Instruction): boolean {
  return op === Op.PERMUTE && vector?.type === indices?.type;
}

/** Ops that treat all components alike. */
function isElementwise(instruction: Instruction): boolean {
  const { op } = instruction;
  return (
    (op >= Op.ADD && op <= Op.FGE) ||
    (op >= Op.TRUNC && op <= Op.UITOFP) ||
    op === Op.SELECT ||
    isOwnPermutation(instruction)
  );
}

/** True for ops that move components between vectors of several lengths. */
function isByComponent(instruction: Instruction): boolean {
  return BY_COMPONENT.has(instruction.op) || (instruction.op === Op.PERMUTE && !isOwnPermutation(instruction));
}

/** Ops on single components: free where each component has a vector of its own, shuffles elsewhere. */
const BY_COMPONENT: ReadonlySet<number> = new Set([Op.EXTRACT, Op.INSERT, Op.BUILD, Op.SHUFFLE]);

/**
 * Varying values of vector types that are kept as one wide vector: neither they nor the values that they are computed
 * with are ever taken apart by component.
 */
export function wideValues(divergence: Divergence, width: number): ReadonlySet<Value> {
  const parent = new Map<Value, Value>();
  const byComponent = new Set<Value>();
  const find = (value: Value): Value => {
    let root = value;
    for (let next = parent.get(root); next !== undefined && next !== root; next = parent.get(root)) root = next;
    return root;
  };
  const isHeld = (value: Value, where: Block): boolean =>
    laneCount(value.type) > 1 && divergence.shapeAt(value, where) === null;
  const unite = (left: Value, right: Value): void => {
    const [a, b] = [find(left), find(right)];
    if (a === b) return;
    parent.set(a, b);
    if (byComponent.has(a)) byComponent.add(b);
  };
  const add = (value: Value): void => {
    if (!parent.has(value)) parent.set(value, value);
    if (laneCount(value.type) * width > MAX_VECTOR_LANES) byComponent.add(find(value));
  };
  for (const block of divergence.fn.blocks) {
    for (const parameter of block.parameters) if (isHeld(parameter, block)) add(parameter);
    for (const instruction of block.instructions) {
      const held = instruction.operands.filter((value) => isHeld(value, block));
      held.forEach(add);
      const [first] = held;
      if (isHeld(instruction, block)) {
        add(instruction);
        if (isElementwise(instruction)) for (const value of held) unite(value, instruction);
        if (isByComponent(instruction)) byComponent.add(find(instruction));
      } else if (first !== undefined && isElementwise(instruction)) for (const value of held) unite(value, first);
      if (isByComponent(instruction)) for (const value of held) byComponent.add(find(value));
      instruction.successors.forEach((target, edge) => {
        target.parameters.forEach((parameter, i) => {
          const value = instruction.successorArguments[edge]?.[i];
          if (value === undefined || !isHeld(parameter, target) || !isHeld(value, target)) return;
          add(parameter);
          add(value);
          unite(value, parameter);
        });
      });
    }
  }
  return new Set([...parent.keys()].filter((value) => !byComponent.has(find(value))));
}
