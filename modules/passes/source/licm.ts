// SPDX-License-Identifier: Apache-2.0
// licm: moves what gives the same in every round of a loop in front of the loop.
import {
  type Block,
  type Dominators,
  type Instruction,
  type IrFunction,
  type Loop,
  Op,
  type Type,
  VOLATILE,
  type Value,
  cloneInstruction,
  hasEffect,
  listOf,
} from "@muxkit/ir";

import { isPureCall } from "./builtin-facts.ts";
import { preheaderOf } from "./loop-shape.ts";
import { type Access, accessOf, isConstantMemory, isOwn, mayAlias, memoryEffect } from "./alias-analysis.ts";
import type { FunctionFrame } from "./pass.ts";

/** Ops that are only moved when every round runs them. */
const COSTLY = new Set<number>([Op.SDIV, Op.UDIV, Op.SREM, Op.UREM, Op.FDIV, Op.FREM, Op.FSQRT, Op.FMA]);

/** Loaded floats and vectors that are worth keeping around a loop. More than that find no registers beside what the loop computes: each would be written to the stack, and read from there instead of from where it lies. */
const MOST_KEPT = 12;

/** What a loop writes. */
interface LoopWrites {
  readonly accesses: readonly Access[];
  /** True when it may write anything: calls, barriers, fences, atomics. */
  readonly anything: boolean;
}

function writesOf(blocks: readonly Block[], frame: FunctionFrame): LoopWrites {
  const accesses: Access[] = [];
  let anything = false;
  for (const block of blocks) {
    const { instructions } = block;
    for (let i = 0; i < instructions.length; i++) {
      const instruction = instructions[i] as Instruction;
      const effect = memoryEffect(instruction);
      if (effect === "anything") anything = true;
      if (effect !== "writes") continue;
      const access = accessOf(instruction, frame.module.layout);
      if (access === null) anything = true;
      else accesses.push(access);
    }
  }
  return { accesses, anything };
}

/** True for values that lie in vector registers. */
function takesVectorRegister({ kind }: Type): boolean {
  return kind === "float" || kind === "vector";
}

class Mover {
  private readonly loop: Loop;
  private readonly tree: Dominators;
  private readonly frame: FunctionFrame;
  private readonly writes: LoopWrites;
  private readonly blocks: readonly Block[];
  /** Loads that stay, since there are too many of them. */
  private staying: ReadonlySet<Instruction> = new Set();

  constructor(loop: Loop, blocks: readonly Block[], tree: Dominators, frame: FunctionFrame) {
    this.loop = loop;
    this.blocks = blocks;
    this.tree = tree;
    this.frame = frame;
    this.writes = writesOf(blocks, frame);
  }

  /** Loads of floats and vectors that could be moved, but that the loop itself uses, as they are or in each lane of a vector. */
  private keptLoads(): Set<Instruction> {
    const found = new Set<Instruction>();
    for (const block of this.blocks) {
      const always = this.runsAlways(block);
      for (const instruction of block.instructions)
        if (instruction.op === Op.LOAD && takesVectorRegister(instruction.type) && this.isMovable(instruction, always))
          found.add(instruction);
    }
    if (found.size <= MOST_KEPT) return found;
    // What is computed of them in front of the loop is worth it, however many there are.
    for (const { instructions } of this.blocks) {
      for (const { op, operands } of instructions)
        if (
          op !== Op.SPLAT &&
          operands.every((operand) => this.isInvariant(operand) || found.has(operand as Instruction))
        )
          for (const operand of operands) found.delete(operand as Instruction);
    }
    return found;
  }

  run(preheader: Block): boolean {
    const loads = this.keptLoads();
    if (loads.size > MOST_KEPT) this.staying = loads;
    const moved: Instruction[] = [];
    for (const block of this.blocks) {
      const always = this.runsAlways(block);
      const { instructions } = block;
      let kept = 0;
      for (let i = 0; i < instructions.length; i++) {
        const instruction = instructions[i] as Instruction;
        if (!this.isMovable(instruction, always)) instructions[kept++] = instruction;
        else {
          this.bringAddress(instruction, moved, preheader);
          instruction.block = preheader;
          moved.push(instruction);
        }
      }
      instructions.length = kept;
    }
    if (moved.length === 0) return false;
    preheader.instructions.splice(-1, 0, ...moved);
    return true;
  }

  /** The address of a load that is moved is computed once more where the load goes, unless it is there already. */
  private bringAddress(load: Instruction, moved: Instruction[], preheader: Block): void {
    const [pointer] = load.operands;
    if (load.op !== Op.LOAD || pointer === undefined || this.isInvariant(pointer) || pointer.kind !== "instruction")
      return;
    const copy = cloneInstruction(pointer);
    copy.block = preheader;
    moved.push(copy);
    load.operands = listOf(copy);
  }

  /** True for a pointer that is the same in every round, up to an address with a constant offset. */
  private isInvariantPointer(pointer: Value | undefined): boolean {
    if (pointer === undefined) return false;
    if (this.isInvariant(pointer)) return true;
    return (
      pointer.kind === "instruction" &&
      pointer.op === Op.ADDRESS &&
      pointer.operands.every((operand) => this.isInvariant(operand))
    );
  }

  /** True when whoever enters the loop comes to this block. */
  private runsAlways(block: Block): boolean {
    const { loop, tree } = this;
    return (
      loop.latches.every((latch) => tree.dominates(block, latch)) &&
      loop.exits.every(([from]) => tree.dominates(block, from))
    );
  }

  private isInvariant(value: Value): boolean {
    if (value.kind === "constant") return true;
    const { block } = value;
    return block === null || !this.loop.blocks.has(block);
  }

  private isMovable(instruction: Instruction, always: boolean): boolean {
    const { op } = instruction;
    if (op === Op.LOAD)
      return (
        always &&
        !this.staying.has(instruction) &&
        (instruction.flags & VOLATILE) === 0 &&
        this.isInvariantPointer(instruction.operands[0]) &&
        this.isUnwritten(instruction)
      );
    // What a library function costs is only spent early where it would be spent anyway.
    if (op === Op.CALL_BUILTIN)
      return always && isPureCall(instruction) && instruction.operands.every((operand) => this.isInvariant(operand));
    if (!hasEffect(op, "s") || op === Op.SPEC_CONSTANT || (COSTLY.has(op) && !always)) return false;
    // An address with a constant offset costs nothing where it is used.
    if (op === Op.ADDRESS && instruction.operands.length === 1) return false;
    return instruction.operands.every((operand) => this.isInvariant(operand));
  }

  /** True when nothing in the loop may write what a load reads. */
  private isUnwritten(load: Instruction): boolean {
    const { analyses, module } = this.frame;
    const access = accessOf(load, module.layout);
    if (access === null) return false;
    if (isConstantMemory(access.pointer)) return true;
    const facts = analyses.get("aliases");
    if (this.writes.anything && !isOwn(access.pointer, facts)) return false;
    return this.writes.accesses.every((write) => !mayAlias(write, access, facts));
  }
}

/** Moves invariant computations, and loads that every round runs and nothing overwrites, into preheaders. Loops without a preheader are left alone. */
export function licm(_: IrFunction, frame: FunctionFrame): boolean {
  const { analyses } = frame;
  const forest = analyses.get("loops");
  if (forest.loops.length === 0) return false;
  const tree = analyses.get("dominators");
  const before = analyses.get("predecessors");
  analyses.get("aliases");
  let changed = false;
  // Inner loops first: what leaves one may leave the next.
  for (const loop of forest.loops.toReversed()) {
    const preheader = preheaderOf(loop, before);
    if (preheader === null) continue;
    const blocks = [...loop.blocks].toSorted((a, b) => tree.position(a) - tree.position(b));
    changed = new Mover(loop, blocks, tree, frame).run(preheader) || changed;
  }
  return changed;
}
