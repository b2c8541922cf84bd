// SPDX-License-Identifier: Apache-2.0
// licm: loop-invariant code motion. Computations whose operands do not change in a loop move into its preheader.
//
//   preheader:               preheader:
//     br header                c = mul a, b
//   header(i):        -->      br header
//     c = mul a, b           header(i):
//     d = add c, i             d = add c, i
//
// Loops are visited innermost first, blocks of a loop in reverse postorder, so what leaves one loop may leave the next
// and operands move before their users. An instruction moves when it is
//   - speculatable (effect `s`) and cheap, anywhere in the loop;
//   - costly (division, root, fma) or a pure library call, in a block that dominates all latches and exits;
//   - a load in such a block whose address is invariant and which no write in the loop may alias (alias-analysis.ts).
//     An address with a constant offset stays where it is used, so a load takes a copy of it along.
// Register pressure: loads of floats and vectors whose values stay live around the loop are not moved when there are
// more of them than vector registers; only those that feed invariant computations are.
//
// Loops need preheaders (loop-rotate makes them). Cost: instructions of a loop, and for each load the writes with its
// base and the bases of others, per nesting level.
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
  scalarOf,
} from "@muxkit/ir";
import type { MachineTarget } from "@muxkit/machine-target";

import { isPureCall } from "./builtin-facts.ts";
import { preheaderOf } from "./loop-shape.ts";
import {
  type Access,
  type AliasFacts,
  accessOf,
  baseOf,
  isConstantMemory,
  isObject,
  isUnescaped,
  mayAlias,
  memoryEffect,
} from "./alias-analysis.ts";
import type { FunctionFrame } from "./pass.ts";

/** Ops that are moved only when every iteration executes them. */
const COSTLY = new Set<number>([Op.SDIV, Op.UDIV, Op.SREM, Op.UREM, Op.FDIV, Op.FREM, Op.FSQRT, Op.FMA]);

/**
 * Loaded floats and vectors that are worth keeping in registers around a loop: four fifths of the vector registers.
 * More leave none for what the loop computes: each would be spilled, and reloaded from the stack instead of from its
 * address.
 */
function mostKept({ registers }: MachineTarget): number {
  return Math.floor(registers.vectors * 0.8);
}

/** What a loop writes. */
interface LoopWrites {
  readonly accesses: WriteIndex;
  /** True when it may write anything: calls, barriers, fences, atomics. */
  readonly anything: boolean;
}

/** Writes to one object, or through pointers with one base. */
interface WritesOfBase {
  readonly all: Access[];
  /** One for each kind that other bases tell apart: by alias group and address space. */
  readonly kinds: Map<number, Access>;
}

/** Finds writes that may alias a load: those of its own base, and the kinds of others. */
class WriteIndex {
  private readonly facts: AliasFacts;
  private readonly byBase = new Map<unknown, WritesOfBase>();
  /** Bases that other pointers may refer to. */
  private readonly shared = new Map<unknown, WritesOfBase>();
  /** Bases that are no objects: what they point to is not known. */
  private readonly unknown = new Map<unknown, WritesOfBase>();

  constructor(facts: AliasFacts) {
    this.facts = facts;
  }

  /** What accesses of one object have in common: globals are named by several instructions. */
  private key(base: Value): unknown {
    return base.kind === "instruction" && base.op === Op.GLOBAL_ADDRESS ? base.symbol : base;
  }

  add(write: Access): void {
    const base = baseOf(write.pointer);
    const key = this.key(base);
    let writes = this.byBase.get(key);
    if (writes === undefined) {
      writes = { all: [], kinds: new Map() };
      this.byBase.set(key, writes);
      if (!this.facts.unescaped.has(base)) this.shared.set(key, writes);
      if (!isObject(base)) this.unknown.set(key, writes);
    }
    writes.all.push(write);
    writes.kinds.set(write.aliasGroup * 8 + scalarOf(write.pointer.type).addressSpace, write);
  }

  /** True when any write may alias an access. */
  mayAlias(access: Access): boolean {
    const { facts } = this;
    const base = baseOf(access.pointer);
    const own = this.byBase.get(this.key(base));
    if (own !== undefined) for (const write of own.all) if (mayAlias(write, access, facts)) return true;
    if (facts.unescaped.has(base)) return false;
    // Two objects never overlap.
    for (const writes of (isObject(base) ? this.unknown : this.shared).values())
      if (writes !== own) for (const write of writes.kinds.values()) if (mayAlias(write, access, facts)) return true;
    return false;
  }
}

function writesOf(blocks: readonly Block[], frame: FunctionFrame): LoopWrites {
  const accesses = new WriteIndex(frame.analyses.get("aliases"));
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
      else accesses.add(access);
    }
  }
  return { accesses, anything };
}

/** True for values that are kept in vector registers. */
function takesVectorRegister({ kind }: Type): boolean {
  return kind === "float" || kind === "vector";
}

class Mover {
  private readonly loop: Loop;
  private readonly tree: Dominators;
  private readonly frame: FunctionFrame;
  private readonly writes: LoopWrites;
  private readonly mostKept: number;
  private readonly blocks: readonly Block[];
  /** Loads that stay in the loop because there are too many of them. */
  private staying: ReadonlySet<Instruction> = new Set();

  constructor(loop: Loop, blocks: readonly Block[], tree: Dominators, frame: FunctionFrame) {
    this.loop = loop;
    this.blocks = blocks;
    this.tree = tree;
    this.frame = frame;
    this.mostKept = mostKept(frame.context.machine);
    this.writes = writesOf(blocks, frame);
  }

  /** Movable loads of floats and vectors whose values stay live around the loop: the loop itself uses them. */
  private liveLoads(): Set<Instruction> {
    const found = new Set<Instruction>();
    for (const block of this.blocks) {
      const always = this.isAlwaysExecuted(block);
      for (const instruction of block.instructions)
        if (instruction.op === Op.LOAD && takesVectorRegister(instruction.type) && this.isMovable(instruction, always))
          found.add(instruction);
    }
    if (found.size <= this.mostKept) return found;
    // A load that feeds an invariant computation moves with it: only the result stays live around the loop.
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
    const loads = this.liveLoads();
    if (loads.size > this.mostKept) this.staying = loads;
    const moved: Instruction[] = [];
    for (const block of this.blocks) {
      const always = this.isAlwaysExecuted(block);
      const { instructions } = block;
      let kept = 0;
      for (let i = 0; i < instructions.length; i++) {
        const instruction = instructions[i] as Instruction;
        if (!this.isMovable(instruction, always)) instructions[kept++] = instruction;
        else {
          this.copyAddress(instruction, moved, preheader);
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

  /** Copies the address of a load into the preheader unless it is available there already. */
  private copyAddress(load: Instruction, moved: Instruction[], preheader: Block): void {
    const [pointer] = load.operands;
    if (load.op !== Op.LOAD || pointer === undefined || this.isInvariant(pointer) || pointer.kind !== "instruction")
      return;
    const copy = cloneInstruction(pointer);
    copy.block = preheader;
    moved.push(copy);
    load.operands = listOf(copy);
  }

  /** True for a loop-invariant pointer, or an address of invariant operands. */
  private isInvariantPointer(pointer: Value | undefined): boolean {
    if (pointer === undefined) return false;
    if (this.isInvariant(pointer)) return true;
    return (
      pointer.kind === "instruction" &&
      pointer.op === Op.ADDRESS &&
      pointer.operands.every((operand) => this.isInvariant(operand))
    );
  }

  /** True when every complete iteration and every exit executes a block: it dominates the latches and the exits. */
  private isAlwaysExecuted(block: Block): boolean {
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
    // A library call is executed early only where it would be executed anyway.
    if (op === Op.CALL_BUILTIN)
      return always && isPureCall(instruction) && instruction.operands.every((operand) => this.isInvariant(operand));
    if (!hasEffect(op, "s") || op === Op.SPEC_CONSTANT || (COSTLY.has(op) && !always)) return false;
    // An address with a constant offset is free where it is used: machines fold it into the access.
    if (op === Op.ADDRESS && instruction.operands.length === 1) return false;
    return instruction.operands.every((operand) => this.isInvariant(operand));
  }

  /** True when no write in the loop may alias a load. */
  private isUnwritten(load: Instruction): boolean {
    const { analyses, module } = this.frame;
    const access = accessOf(load, module.layout);
    if (access === null) return false;
    if (isConstantMemory(access.pointer)) return true;
    const facts = analyses.get("aliases");
    if (this.writes.anything && !isUnescaped(access.pointer, facts)) return false;
    return !this.writes.accesses.mayAlias(access);
  }
}

/** Moves loop-invariant computations and loads into preheaders. Loops without a preheader are left alone. */
export function licm(_: IrFunction, frame: FunctionFrame): boolean {
  const { analyses } = frame;
  const forest = analyses.get("loops");
  if (forest.loops.length === 0) return false;
  const tree = analyses.get("dominators");
  const before = analyses.get("predecessors");
  analyses.get("aliases");
  let changed = false;
  // Inner loops first: what leaves one may leave the loop around it.
  for (const loop of forest.loops.toReversed()) {
    const preheader = preheaderOf(loop, before);
    if (preheader === null) continue;
    const blocks = [...loop.blocks].toSorted((a, b) => tree.position(a) - tree.position(b));
    changed = new Mover(loop, blocks, tree, frame).run(preheader) || changed;
  }
  return changed;
}
