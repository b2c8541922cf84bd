// SPDX-License-Identifier: Apache-2.0
// Who uses a value, and which values are alive where.
import type { Block, IrFunction } from "./function.ts";
import * as Op from "./generated/op.ts";
import type { Instruction } from "./instruction.ts";
import type { Value } from "./value.ts";
import { walk } from "./walk.ts";

/**
 * For each parameter and instruction that is used, the instructions that use it, operands and branch arguments alike, one entry for each use.
 * Debug records do not count (decision 6 g). Stale once the function changes.
 *
 * @public
 */
export function uses(fn: IrFunction): Map<Value, Instruction[]> {
  const result = new Map<Value, Instruction[]>();
  const add = (value: Value, user: Instruction): void => {
    if (value.kind === "constant") return;
    const list = result.get(value);
    if (list === undefined) result.set(value, [user]);
    else list.push(user);
  };
  walk(fn, (instruction) => {
    if (instruction.op === Op.DEBUG_VALUE) return;
    const { operands, successorArguments } = instruction;
    for (let i = 0; i < operands.length; i++) add(operands[i] as Value, instruction);
    for (let edge = 0; edge < successorArguments.length; edge++)
      for (const value of successorArguments[edge] as Value[]) add(value, instruction);
  });
  return result;
}

/** Which values are needed at the borders of blocks. @public */
export interface Liveness {
  /** Values needed when a block begins, its own parameters not included. */
  readonly liveIn: ReadonlyMap<Block, ReadonlySet<Value>>;
  /** Values needed when a block is left, what it hands to parameters of its successors not included. */
  readonly liveOut: ReadonlyMap<Block, ReadonlySet<Value>>;
}

/**
 * Which values are alive at the borders of each block: backwards data flow to a fixed point. Debug records do not keep a value alive.
 * Stale once the function changes.
 *
 * @public
 */
export function liveness(fn: IrFunction): Liveness {
  const needed = new Map<Block, Set<Value>>();
  const defined = new Map<Block, ReadonlySet<Value>>();
  for (const block of fn.blocks) {
    const own = new Set<Value>(block.parameters);
    const before = new Set<Value>();
    const use = (value: Value): void => {
      if (value.kind !== "constant" && !own.has(value)) before.add(value);
    };
    for (const instruction of block.instructions) {
      if (instruction.op !== Op.DEBUG_VALUE) instruction.operands.forEach(use);
      for (const list of instruction.successorArguments) list.forEach(use);
      own.add(instruction);
    }
    needed.set(block, before);
    defined.set(block, own);
  }
  const liveIn = needed;
  const liveOut = new Map<Block, Set<Value>>(fn.blocks.map((block) => [block, new Set<Value>()]));
  const backwards = fn.blocks.toReversed();
  for (let changed = true; changed;) {
    changed = false;
    for (const block of backwards) {
      const out = liveOut.get(block);
      const into = liveIn.get(block);
      const own = defined.get(block);
      for (const successor of block.successors) {
        for (const value of liveIn.get(successor) ?? []) {
          if (out?.has(value) === true) continue;
          out?.add(value);
          if (own?.has(value) === false) into?.add(value);
          changed = true;
        }
      }
    }
  }
  return { liveIn, liveOut };
}
