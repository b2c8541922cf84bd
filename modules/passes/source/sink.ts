// SPDX-License-Identifier: Apache-2.0
// sink: loads that only one side of a branch takes are done on that side, with the addresses that only they take.
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

/** What the instructions behind a place write. */
interface Behind {
  readonly accesses: Access[];
  anything: boolean;
}

class Sinker {
  private readonly frame: FunctionFrame;
  private readonly tree: Dominators;
  private readonly before: BlockMap<readonly Block[]>;
  private readonly users: ReadonlyMap<Value, readonly Instruction[]>;
  /** Where what was moved stands now. */
  readonly moved = new Map<Value, Block>();

  constructor(frame: FunctionFrame) {
    const { analyses } = frame;
    this.frame = frame;
    this.tree = analyses.get("dominators");
    this.before = analyses.get("predecessors");
    this.users = analyses.get("uses");
    analyses.get("aliases");
  }

  /**
   * The successor that is only reached from a block and that is the only way to all users of a value; null: there is
   * none.
   */
  private targetOf(block: Block, value: Instruction, sides: readonly Block[]): Block | null {
    const users = this.users.get(value) ?? [];
    if (users.length === 0) return null;
    return (
      sides.find((side) =>
        users.every((user) => user.block !== null && user.block !== block && this.tree.dominates(side, user.block)),
      ) ?? null
    );
  }

  private note(instruction: Instruction, behind: Behind): void {
    const effect = memoryEffect(instruction);
    if (effect === "anything") behind.anything = true;
    if (effect !== "writes") return;
    const access = accessOf(instruction, this.frame.module.layout);
    if (access === null) behind.anything = true;
    else behind.accesses.push(access);
  }

  /** True for addresses, and for loads of what nothing behind them in their block writes. */
  private isMovable(instruction: Instruction, behind: Behind): boolean {
    if (instruction.op === Op.ADDRESS) return true;
    if (instruction.op !== Op.LOAD || (instruction.flags & VOLATILE) !== 0 || behind.anything) return false;
    const { analyses, module } = this.frame;
    const access = accessOf(instruction, module.layout);
    return access !== null && behind.accesses.every((write) => !mayAlias(write, access, analyses.get("aliases")));
  }

  run(block: Block): void {
    const { successors } = block;
    const sides = successors.filter((side) => side !== block && this.before.get(side)?.length === 1);
    if (successors.length < 2 || sides.length === 0) return;
    const behind: Behind = { accesses: [], anything: false };
    const kept: Instruction[] = [];
    const bySide = new Map<Block, Instruction[]>();
    for (const instruction of block.instructions.toReversed()) {
      const target = this.isMovable(instruction, behind) ? this.targetOf(block, instruction, sides) : null;
      if (target === null) {
        this.note(instruction, behind);
        kept.push(instruction);
        continue;
      }
      // Users are looked at before what they take.
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

/** Moves loads to where they are needed. What a loop does in each round comes into no loop that it was not in. */
export function sink(fn: IrFunction, frame: FunctionFrame): boolean {
  const sinker = new Sinker(frame);
  const tree = frame.analyses.get("dominators");
  for (const block of tree.order) sinker.run(block);
  if (sinker.moved.size === 0) return false;
  // Records of variables end where the value is not computed.
  for (const block of fn.blocks) {
    block.instructions = block.instructions.filter(({ op, operands: [value] }) => {
      const home = op === Op.DEBUG_VALUE && value !== undefined ? sinker.moved.get(value) : undefined;
      return home === undefined || tree.dominates(home, block);
    });
  }
  return true;
}
