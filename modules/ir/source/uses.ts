// SPDX-License-Identifier: Apache-2.0
// Def-use lists and liveness.
//
// Liveness is the backward data-flow problem live-in(b) = use(b) + (live-out(b) - def(b)), live-out(b) = the union of
// the successors' live-in, iterated over the blocks in reverse order to the least fixpoint. A block's own parameters
// are definitions; arguments of a branch are uses of its block. Cost: values that are live across blocks times edges,
// for each iteration; loops need one more iteration per nesting level.
import type { Block, IrFunction } from "./function.ts";
import * as Op from "./generated/op.ts";
import type { Instruction } from "./instruction.ts";
import type { Value } from "./value.ts";
import { walk } from "./walk.ts";

/**
 * The users of each value: for each parameter and instruction that is used, the instructions that use it as an operand
 * or branch argument, one entry for each use. Debug values do not count (docs/decisions/006-ir-contract.md). Stale once
 * the function changes.
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

/** Values that are live at the starts and ends of blocks. @public */
export interface Liveness {
  /** Values that are live at the start of a block, its own parameters excluded. */
  readonly liveIn: ReadonlyMap<Block, ReadonlySet<Value>>;
  /** Values that are live at the end of a block, arguments for parameters of its successors excluded. */
  readonly liveOut: ReadonlyMap<Block, ReadonlySet<Value>>;
}

/**
 * Computes liveness. Debug values do not keep a value alive. Stale once the function changes.
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
