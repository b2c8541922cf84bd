// SPDX-License-Identifier: Apache-2.0
// Def-use lists and liveness.
//
// Liveness is the backward data-flow problem live-in(b) = use(b) + (live-out(b) - def(b)), live-out(b) = the union of
// the successors' live-in, iterated over the blocks in reverse order to the least fixpoint. A block's own parameters
// are definitions; arguments of a branch are uses of its block. Sets only grow: each edge remembers how much of its
// target's it has taken, so a value passes it once. Cost: values that are live across blocks times edges.
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

/** A block while liveness is computed. */
class LiveBlock {
  readonly block: Block;
  readonly liveIn = new Set<Value>();
  /** The same as a list, in the order in which they were found. */
  readonly order: Value[] = [];
  readonly liveOut = new Set<Value>();
  successors: readonly LiveBlock[] = [];
  /** How many of each successor's have been taken. */
  taken: number[] = [];

  constructor(block: Block) {
    this.block = block;
  }

  /** A value that is used here, or live at the end. */
  need(value: Value): void {
    if (value.kind === "constant" || value.block === this.block || this.liveIn.has(value)) return;
    this.liveIn.add(value);
    this.order.push(value);
  }

  needAll(values: readonly Value[]): void {
    for (let i = 0; i < values.length; i++) this.need(values[i] as Value);
  }

  /** Takes over what has become live at the starts of the successors; true: something has. */
  take(): boolean {
    const { successors, taken, liveOut } = this;
    let changed = false;
    for (let edge = 0; edge < successors.length; edge++) {
      const { order } = successors[edge] as LiveBlock;
      for (let i = taken[edge] ?? 0; i < order.length; i++) {
        const value = order[i] as Value;
        if (liveOut.has(value)) continue;
        liveOut.add(value);
        this.need(value);
        changed = true;
      }
      taken[edge] = order.length;
    }
    return changed;
  }
}

/**
 * Computes liveness. Debug values do not keep a value alive. Stale once the function changes.
 *
 * @public
 */
export function liveness(fn: IrFunction): Liveness {
  const byBlock = new Map<Block, LiveBlock>();
  for (const block of fn.blocks) byBlock.set(block, new LiveBlock(block));
  for (const live of byBlock.values()) {
    const { instructions, successors } = live.block;
    live.successors = successors.flatMap((successor) => byBlock.get(successor) ?? []);
    live.taken = live.successors.map(() => 0);
    for (let i = 0; i < instructions.length; i++) {
      const { op, operands, successorArguments } = instructions[i] as Instruction;
      if (op !== Op.DEBUG_VALUE) live.needAll(operands);
      for (let edge = 0; edge < successorArguments.length; edge++) live.needAll(successorArguments[edge] as Value[]);
    }
  }
  const backwards = [...byBlock.values()].toReversed();
  for (let changed = true; changed;) {
    changed = false;
    for (const live of backwards) changed = live.take() || changed;
  }
  const liveIn = new Map<Block, ReadonlySet<Value>>();
  const liveOut = new Map<Block, ReadonlySet<Value>>();
  for (const [block, live] of byBlock) {
    liveIn.set(block, live.liveIn);
    liveOut.set(block, live.liveOut);
  }
  return { liveIn, liveOut };
}
