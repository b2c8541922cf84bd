// SPDX-License-Identifier: Apache-2.0
// sink: moves loads and addresses that only one side of a branch uses to that side (code sinking; compare LLVM's Sink).
//
//   v = load p                        cond_br c, yes, no
//   cond_br c, yes, no        -->   yes:
// yes:                                v = load p
//   use v                             use v
//
// An instruction moves when one successor of its block, with no other predecessor, dominates all users, and, for a
// load, when no later write of its block may alias it. Blocks are visited in reverse postorder and bottom up, so users
// move first and a value can sink through several branches. It never enters a loop: a header has two predecessors.
// Cost: linear, times the writes of a block per load.
import {
  type Block,
  type BlockMap,
  type Dominators,
  type Instruction,
  type IrFunction,
  Op,
  VOLATILE,
  type Value,
} from "@muxkit/ir";

import { type Access, accessOf, mayAlias, memoryEffect } from "./alias-analysis.ts";
import type { FunctionFrame } from "./pass.ts";

/** What the instructions after a point of a block write. */
interface LaterWrites {
  readonly accesses: Access[];
  anything: boolean;
}

class Sinker {
  private readonly frame: FunctionFrame;
  private readonly tree: Dominators;
  private readonly before: BlockMap<readonly Block[]>;
  private readonly users: ReadonlyMap<Value, readonly Instruction[]>;
  /** The new block of each moved instruction. */
  readonly moved = new Map<Value, Block>();

  constructor(frame: FunctionFrame) {
    const { analyses } = frame;
    this.frame = frame;
    this.tree = analyses.get("dominators");
    this.before = analyses.get("predecessors");
    this.users = analyses.get("uses");
    analyses.get("aliases");
  }

  /** The successor with no other predecessor that dominates all users of a value; null: there is none. */
  private targetOf(block: Block, value: Instruction, sides: readonly Block[]): Block | null {
    const users = this.users.get(value) ?? [];
    if (users.length === 0) return null;
    return (
      sides.find((side) =>
        users.every((user) => user.block !== null && user.block !== block && this.tree.dominates(side, user.block)),
      ) ?? null
    );
  }

  private recordWrite(instruction: Instruction, later: LaterWrites): void {
    const effect = memoryEffect(instruction);
    if (effect === "anything") later.anything = true;
    if (effect !== "writes") return;
    const access = accessOf(instruction, this.frame.module.layout);
    if (access === null) later.anything = true;
    else later.accesses.push(access);
  }

  /** True for addresses, and for loads that no later write of their block may alias. */
  private isMovable(instruction: Instruction, later: LaterWrites): boolean {
    if (instruction.op === Op.ADDRESS) return true;
    if (instruction.op !== Op.LOAD || (instruction.flags & VOLATILE) !== 0 || later.anything) return false;
    const { analyses, module } = this.frame;
    const access = accessOf(instruction, module.layout);
    return access !== null && later.accesses.every((write) => !mayAlias(write, access, analyses.get("aliases")));
  }

  run(block: Block): void {
    const { successors } = block;
    const sides = successors.filter((side) => side !== block && this.before.get(side)?.length === 1);
    if (successors.length < 2 || sides.length === 0) return;
    const later: LaterWrites = { accesses: [], anything: false };
    const kept: Instruction[] = [];
    const bySide = new Map<Block, Instruction[]>();
    for (const instruction of block.instructions.toReversed()) {
      const target = this.isMovable(instruction, later) ? this.targetOf(block, instruction, sides) : null;
      if (target === null) {
        this.recordWrite(instruction, later);
        kept.push(instruction);
        continue;
      }
      // Users are visited before their operands.
      instruction.block = target;
      this.moved.set(instruction, target);
      const list = bySide.get(target) ?? [];
      bySide.set(target, list);
      list.push(instruction);
    }
    if (bySide.size === 0) return;
    block.instructions = kept.toReversed();
    for (const [side, list] of bySide) side.instructions.unshift(...list.toReversed());
  }
}

/** Moves loads and addresses to the side of a branch that uses them. */
export function sink(fn: IrFunction, frame: FunctionFrame): boolean {
  const sinker = new Sinker(frame);
  const tree = frame.analyses.get("dominators");
  for (const block of tree.order) sinker.run(block);
  if (sinker.moved.size === 0) return false;
  // Debug values where the moved value is not available are dropped.
  for (const block of fn.blocks) {
    block.instructions = block.instructions.filter(({ op, operands: [value] }) => {
      const home = op === Op.DEBUG_VALUE && value !== undefined ? sinker.moved.get(value) : undefined;
      return home === undefined || tree.dominates(home, block);
    });
  }
  return true;
}
