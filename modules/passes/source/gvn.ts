// SPDX-License-Identifier: Apache-2.0
// gvn: dominator-scoped value numbering. Equal computations share one value; loads take the value that memory is known
// to hold (available-loads.ts); blocks compute what all their predecessors pass them (equal-arguments.ts).
//
// The dominator tree is walked in preorder with a scoped hash table: entries that a block adds are removed when the
// walk leaves its subtree, so a hit always dominates the instruction that it replaces. Keys are op, type, flags,
// constants and value numbers of the operands; operands of commutative ops hash and compare in either order. Only ops
// without side effects and pure calls of built-ins are entered.
//
//   b = mul x, y           b = mul x, y
//   c = mul y, x    -->    store b, p
//   store b, p             d = add b, b
//   e = load p
//   d = add c, e
//
// Source: the dominator-tree value-numbering technique of Briggs, Cooper, Simpson, "Value Numbering" (1997). It is not
// the optimistic algorithm: values around loops that are equal only under assumption stay apart. Cost: linear in
// instructions, expected; the walk uses an explicit stack.
import { filled } from "@muxkit/cargo";
import {
  type Block,
  type Constant,
  type Instruction,
  type IrFunction,
  Op,
  VOLATILE,
  type Value,
  applyReplacements,
  clearMarks,
  hasEffect,
  replaceLater,
  resolved,
} from "@muxkit/ir";

import { type MemoryEffect, memoryEffect } from "./alias-analysis.ts";
import { AvailableLoads, writesByBlock } from "./available-loads.ts";
import { shareArguments } from "./equal-arguments.ts";
import { isSameComputation, isShareable } from "./equal-computations.ts";
import type { FunctionFrame } from "./pass.ts";

function mix(hash: number, value: number): number {
  return (Math.imul(hash, 31) + value) | 0;
}

function hashOfConstant({ low, high, lanes }: Constant): number {
  let hash = mix(low | 0, high | 0);
  for (let i = 0; i < lanes.length; i++) hash = mix(hash, hashOfConstant(lanes[i] as Constant));
  return hash;
}

/** Value numbers, kept in the values' marks: equal operands have equal numbers. */
class Numbering {
  private next = 1;

  hash(value: Value): number {
    const leader = resolved(value);
    if (leader.kind === "constant") return hashOfConstant(leader);
    if (leader.mark === 0) leader.mark = this.next++;
    return leader.mark;
  }

  /** A hash that equal computations share. */
  hashOf(instruction: Instruction): number {
    const { op, operands } = instruction;
    let hash = mix(mix(op, instruction.offset | 0), instruction.scale | 0);
    if (operands.length === 2 && hasEffect(op, "m")) {
      const [left, right] = operands;
      // The same for both orders.
      if (left !== undefined && right !== undefined)
        return mix(hash, Math.imul(this.hash(left) ^ this.hash(right), 7) + this.hash(left) + this.hash(right));
    }
    for (let i = 0; i < operands.length; i++) hash = mix(hash, this.hash(operands[i] as Value));
    return hash;
  }
}

/** The scoped hash table of computations that are available in the current block: the latest entries can be removed. */
class Available {
  private readonly heads: number[];
  private readonly entries: Instruction[] = [];
  private readonly next: number[] = [];
  private readonly slots: number[] = [];

  constructor(size: number) {
    this.heads = filled(2 ** Math.ceil(Math.log2(Math.max(16, size))), -1);
  }

  get count(): number {
    return this.entries.length;
  }

  /** The available computation that equals this one; null: there is none, and this one is added. */
  find(instruction: Instruction, hash: number): Instruction | null {
    const slot = (hash ^ (hash >>> 15)) & (this.heads.length - 1);
    const head = this.heads[slot] ?? -1;
    for (let i = head; i >= 0; i = this.next[i] ?? -1) {
      const known = this.entries[i];
      if (known !== undefined && isSameComputation(known, instruction)) return known;
    }
    this.heads[slot] = this.entries.length;
    this.next.push(head);
    this.slots.push(slot);
    this.entries.push(instruction);
    return null;
  }

  /** Leaves scopes: removes all entries but the first `count`. */
  rewind(count: number): void {
    while (this.entries.length > count) {
      this.entries.pop();
      this.heads[this.slots.pop() ?? 0] = this.next.pop() ?? -1;
    }
  }
}

function isWriting(effect: MemoryEffect): boolean {
  return effect === "writes" || effect === "anything";
}

function visitBlock(block: Block, available: Available, numbering: Numbering, memory: AvailableLoads): boolean {
  let changed = false;
  const { instructions } = block;
  for (let i = 0; i < instructions.length; i++) {
    const instruction = instructions[i] as Instruction;
    if (isShareable(instruction)) {
      const known = available.find(instruction, numbering.hashOf(instruction));
      if (known === null) continue;
      replaceLater(instruction, known);
      changed = true;
    } else if (instruction.op === Op.LOAD && (instruction.flags & VOLATILE) === 0) {
      const known = memory.load(instruction);
      if (known === null) continue;
      replaceLater(instruction, known);
      changed = true;
    } else if (isWriting(memoryEffect(instruction))) memory.write(instruction);
  }
  return changed;
}

/** Replaces computations that a dominating one equals, and loads whose value is available. */
export function globalValueNumbering(fn: IrFunction, { analyses, module }: FunctionFrame): boolean {
  const tree = analyses.get("dominators");
  clearMarks(fn);
  let size = 0;
  for (const block of fn.blocks) size += block.instructions.length;
  const available = new Available(size);
  const numbering = new Numbering();
  const memory = new AvailableLoads(
    analyses.get("aliases"),
    module.layout,
    analyses.get("predecessors"),
    writesByBlock(fn),
    tree,
  );
  let changed = false;
  // An explicit stack: dominator trees of generated code can be deep.
  const stack: { readonly block: Block; readonly count: number }[] = [{ block: fn.entry, count: 0 }];
  for (let frame = stack.pop(); frame !== undefined; frame = stack.pop()) {
    const { block, count } = frame;
    available.rewind(count);
    memory.enter(block);
    changed = visitBlock(block, available, numbering, memory) || changed;
    memory.leave(block);
    for (const child of tree.children(block)) stack.push({ block: child, count: available.count });
  }
  changed = shareArguments(fn, analyses.get("predecessors")) || changed;
  if (changed) applyReplacements(fn);
  return changed;
}
