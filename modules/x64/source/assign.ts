// SPDX-License-Identifier: Apache-2.0
/**
 * Registers for values that were spilled down to what fits (`spill.ts`).
 *
 * One walk over the blocks in reverse postorder, which passes dominators first. Where a value is may change on the way:
 * a block begins as one of its predecessors ended, and the other edges move values to where it has them. As no more
 * values are alive than there are registers, a free one is always found (Hack, "Register Allocation for Programs in SSA
 * Form", 2007). Hints pick among the free ones: that of the argument of a parameter, of a copied value, of a fixed
 * operand further on.
 *
 * In front of an instruction with fixed registers, other values that are in those move away, all at once.
 * Cost: linear in operands, plus the registers for each block and each instruction with fixed registers.
 */
import { InternalError } from "@muxkit/cargo";

import {
  DEF,
  EARLY,
  FIXED_SHIFT,
  LAST,
  type MachineBlock,
  type MachineFunction,
  PSEUDO,
  REGISTER_COUNT,
  TIED_SHIFT,
  USE,
  isTieShared,
} from "./machine-function.ts";
import { DEAD, type NextUses } from "./next-use.ts";
import { FIRST_SLOT, ParallelMoves, copyRegister, loadSlot, storeSlot } from "./parallel-move.ts";
import { ALLOCATABLE, slotBytes } from "./registers.ts";
import type { Spilling } from "./spill.ts";

const FREE = -1;

/** An operand's fixed register; -1 for any. */
function fixedOf(role: number): number {
  return ((role >> FIXED_SHIFT) & 255) - 1;
}

class Assigner {
  private readonly fn: MachineFunction;
  private readonly uses: NextUses;
  private readonly spilling: Spilling;
  private readonly registers: readonly Uint8Array[];
  /** The value in each register. */
  private readonly holder: Int32Array = new Int32Array(REGISTER_COUNT).fill(FREE);
  private readonly where: Int32Array;
  private readonly hint: Int32Array;
  private readonly slotOf: Int32Array;
  private readonly entries: Int32Array[] = [];
  private readonly exits: (Int32Array | undefined)[] = [];
  private readonly pinned: Uint8Array = new Uint8Array(REGISTER_COUNT);
  private readonly overwritten: Uint8Array = new Uint8Array(REGISTER_COUNT);
  private readonly moves: ParallelMoves;
  private output: number[] = [];

  constructor(fn: MachineFunction, uses: NextUses, spilling: Spilling, registers: readonly Uint8Array[]) {
    this.fn = fn;
    this.uses = uses;
    this.spilling = spilling;
    this.registers = registers;
    this.where = new Int32Array(fn.valueCount).fill(FREE);
    this.hint = new Int32Array(fn.valueCount).fill(FREE);
    this.slotOf = new Int32Array(fn.valueCount).fill(-1);
    this.moves = new ParallelMoves(fn);
  }

  run(): void {
    const { fn, uses } = this;
    this.noteHints();
    for (const number of uses.order) this.block(fn.blocks[number] as MachineBlock);
    for (const number of uses.order) {
      const block = fn.blocks[number] as MachineBlock;
      block.successors.forEach((_, s) => this.edge(block, s));
    }
    fn.isAllocated = true;
  }

  /** Values that end in a fixed register would like to be there. */
  private noteHints(): void {
    const { fn } = this;
    for (const number of this.uses.order) {
      for (const instruction of (fn.blocks[number] as MachineBlock).instructions) {
        const first = fn.firstOperand[instruction] as number;
        const end = first + (fn.operandsOf[instruction] as number);
        for (let i = first; i < end; i++) {
          const fixed = fixedOf(fn.role[i] as number);
          if (fixed !== -1 && ((fn.role[i] as number) & USE) !== 0) this.hint[fn.value[i] as number] = fixed;
        }
      }
    }
  }

  private slot(value: number): number {
    if (this.slotOf[value] === -1)
      this.slotOf[value] =
        this.fn.slotBytes.push(slotBytes(this.fn.classOf[value] as number, this.fn.width[value] as number)) - 1;
    return this.slotOf[value] as number;
  }

  private put(value: number, register: number): void {
    this.holder[register] = value;
    this.where[value] = register;
  }

  private free(value: number): void {
    const register = this.where[value] as number;
    if (register === FREE) return;
    this.holder[register] = FREE;
    this.where[value] = FREE;
  }

  /** A free register for a value, best its hint. */
  private pick(value: number): number {
    const { holder, pinned } = this;
    const hint = this.hint[value] as number;
    const all = this.registers[this.fn.classOf[value] as number] as Uint8Array;
    if (hint !== FREE && holder[hint] === FREE && pinned[hint] === 0 && all.includes(hint)) return hint;
    for (const register of all) if (holder[register] === FREE && pinned[register] === 0) return register;
    throw new InternalError(`no register is free in ${this.fn.name}: spilling left too many values`);
  }

  private startBlock(block: MachineBlock): void {
    const { fn, uses, holder, where } = this;
    const entry = this.spilling.entry[block.number] as Int32Array;
    for (let register = 0; register < REGISTER_COUNT; register++) {
      const value = holder[register] as number;
      if (value !== FREE) where[value] = FREE;
      holder[register] = FREE;
    }
    let from = -1;
    for (const before of block.predecessors)
      if (
        this.exits[before] !== undefined &&
        (from === -1 || (uses.position[before] as number) > (uses.position[from] as number))
      )
        from = before;
    const exit = from === -1 ? undefined : this.exits[from];
    if (exit !== undefined) {
      for (let register = 0; register < REGISTER_COUNT; register++) {
        const value = exit[register] as number;
        if (value !== FREE && entry.includes(value)) this.put(value, register);
      }
    }
    for (const value of entry)
      if (where[value] === FREE && !block.parameters.includes(value)) this.put(value, this.pick(value));
    for (let i = 0; i < block.parameters.length; i++) {
      const parameter = block.parameters[i] as number;
      if (!entry.includes(parameter)) continue;
      if (from !== -1 && exit !== undefined) {
        const pred = fn.blocks[from] as MachineBlock;
        const argument = pred.args[pred.successors.indexOf(block.number)]?.[i] as number;
        const place = exit.indexOf(argument);
        if (place !== -1) this.hint[parameter] = place;
      }
      this.put(parameter, this.pick(parameter));
    }
    for (const before of block.predecessors) {
      const pred = fn.blocks[before] as MachineBlock;
      if (this.exits[before] !== undefined) continue;
      pred.args[pred.successors.indexOf(block.number)]?.forEach((argument, i) => {
        const register = where[block.parameters[i] as number] as number;
        if (register !== FREE) this.hint[argument] = register;
      });
    }
    this.entries[block.number] = holder.slice();
  }

  private block(block: MachineBlock): void {
    this.startBlock(block);
    this.output = [];
    for (const parameter of block.parameters) if (this.where[parameter] !== FREE) this.storeIfSpilled(parameter);
    for (const instruction of block.instructions) this.instruction(instruction);
    block.instructions = this.output;
    this.exits[block.number] = this.holder.slice();
  }

  private storeIfSpilled(value: number): void {
    if (this.spilling.isSpilled[value] === 0) return;
    const { fn } = this;
    this.output.push(storeSlot(fn, this.slot(value), this.where[value] as number, fn.width[value] as number));
  }

  /** Reads a value that is in no register into one. */
  private restore(value: number, register: number, output: number[]): void {
    const { fn } = this;
    const origin = fn.origin[value] as number;
    if (origin === -1) {
      output.push(loadSlot(fn, register, this.slot(value), fn.width[value] as number));
      return;
    }
    const copy = fn.cloneInstruction(origin);
    const first = fn.firstOperand[copy] as number;
    for (let i = first; i < first + (fn.operandsOf[copy] as number); i++) {
      fn.value[i] = register;
      fn.role[i] = (fn.role[i] as number) & ~LAST;
    }
    output.push(copy);
  }

  private instruction(instruction: number): void {
    const { fn } = this;
    const form = fn.form[instruction] as number;
    const first = fn.firstOperand[instruction] as number;
    if (form === PSEUDO.drop) {
      this.free(fn.value[first] as number);
      return;
    }
    if (form === PSEUDO.reload) {
      const value = fn.value[first] as number;
      this.put(value, this.pick(value));
      this.restore(value, this.where[value] as number, this.output);
      return;
    }
    this.operands(instruction, first, first + (fn.operandsOf[instruction] as number));
  }

  private operands(instruction: number, first: number, end: number): void {
    const { fn, holder, where, pinned } = this;
    const hasFixed = this.pin(instruction, first, end);
    if (hasFixed) this.clearPinned(first, end);
    const registers: number[] = [];
    for (let i = first; i < end; i++) {
      const role = fn.role[i] as number;
      if ((role & USE) === 0) registers.push(FREE);
      else registers.push(fixedOf(role) === -1 ? (where[fn.value[i] as number] as number) : fixedOf(role));
    }
    for (let i = first; i < end; i++) {
      const role = fn.role[i] as number;
      const tied = (role >> TIED_SHIFT) & 255;
      if (tied === 0) continue;
      const use = first + tied - 1;
      const source = registers[tied - 1] as number;
      const isFree = ((fn.role[use] as number) & LAST) !== 0 && !isTieShared(fn, instruction, i);
      if (isFree || fixedOf(fn.role[use] as number) !== -1) {
        registers[i - first] = source;
        continue;
      }
      const target = this.pick(fn.value[i] as number);
      pinned[target] = 1;
      this.output.push(copyRegister(fn, target, source, fn.width[fn.value[i] as number] as number));
      registers[tied - 1] = target;
      registers[i - first] = target;
    }
    for (let i = first; i < end; i++) {
      const role = fn.role[i] as number;
      if ((role & DEF) === 0 || (role & EARLY) === 0 || registers[i - first] !== FREE) continue;
      const register = fixedOf(role) === -1 ? this.pick(fn.value[i] as number) : fixedOf(role);
      registers[i - first] = register;
      pinned[register] = 1;
    }
    for (let i = first; i < end; i++)
      if (((fn.role[i] as number) & (USE | LAST)) === (USE | LAST)) this.free(fn.value[i] as number);
    if (fn.form[instruction] === PSEUDO.copy && this.hint[fn.value[first] as number] === FREE)
      this.hint[fn.value[first] as number] = registers[1] as number;
    for (let i = first; i < end; i++) {
      const role = fn.role[i] as number;
      if ((role & DEF) === 0) continue;
      const value = fn.value[i] as number;
      if (registers[i - first] === FREE) registers[i - first] = fixedOf(role) === -1 ? this.pick(value) : fixedOf(role);
      const register = registers[i - first] as number;
      if (holder[register] !== FREE) throw new InternalError(`two values in one register in ${fn.name}`);
      this.put(value, register);
    }
    this.output.push(instruction);
    for (let i = first; i < end; i++)
      if (((fn.role[i] as number) & DEF) !== 0) this.storeIfSpilled(fn.value[i] as number);
    for (let i = first; i < end; i++)
      if (((fn.role[i] as number) & (DEF | LAST)) === (DEF | LAST)) this.free(fn.value[i] as number);
    for (let i = first; i < end; i++) fn.value[i] = registers[i - first] as number;
    pinned.fill(0);
  }

  /** Marks the registers that an instruction wants or loses; false: none. */
  private pin(instruction: number, first: number, end: number): boolean {
    const { fn, pinned, overwritten } = this;
    let found = false;
    for (let i = first; i < end; i++) {
      const fixed = fixedOf(fn.role[i] as number);
      if (fixed === -1) continue;
      if (!found) overwritten.fill(0);
      found = true;
      pinned[fixed] = 1;
      if (((fn.role[i] as number) & DEF) !== 0) overwritten[fixed] = 1;
    }
    if (fn.form[instruction] === PSEUDO.call) {
      if (!found) overwritten.fill(0);
      found = true;
      for (const register of fn.clobbers[fn.extra[instruction] as number] as Uint8Array) {
        pinned[register] = 1;
        overwritten[register] = 1;
      }
    }
    return found;
  }

  /** Moves operands to their fixed registers, and what else is in such a register to a free one. */
  private clearPinned(first: number, end: number): void {
    const { fn, holder, where, pinned, moves } = this;
    for (let i = first; i < end; i++) {
      const role = fn.role[i] as number;
      const fixed = fixedOf(role);
      if (fixed === -1 || (role & USE) === 0) continue;
      const value = fn.value[i] as number;
      moves.add(fixed, where[value] as number, fn.classOf[value] as number, fn.width[value] as number);
    }
    // What only fixed operands read for the last time gives up its register at once.
    for (let i = first; i < end; i++) {
      const role = fn.role[i] as number;
      if ((role & (USE | LAST)) !== (USE | LAST) || fixedOf(role) === -1) continue;
      const value = fn.value[i] as number;
      let hasFreeUse = false;
      for (let k = first; k < end; k++)
        if (fn.value[k] === value && ((fn.role[k] as number) & USE) !== 0 && fixedOf(fn.role[k] as number) === -1)
          hasFreeUse = true;
      if (!hasFreeUse) this.free(value);
    }
    for (let register = 0; register < REGISTER_COUNT; register++) {
      const value = holder[register] as number;
      if (pinned[register] === 0 || value === FREE || this.mayStay(value, register, first, end)) continue;
      const target = this.pick(value);
      moves.add(target, register, fn.classOf[value] as number, fn.width[value] as number);
      holder[register] = FREE;
      this.put(value, target);
    }
    moves.write(this.output);
  }

  /** Whether a value in a pinned register is the operand that is wanted there, and is not lost. */
  private mayStay(value: number, register: number, first: number, end: number): boolean {
    const { fn } = this;
    if (this.overwritten[register] === 1) return false;
    for (let i = first; i < end; i++) {
      const role = fn.role[i] as number;
      if (fn.value[i] === value && (role & USE) !== 0 && fixedOf(role) === register) return true;
    }
    return false;
  }

  /** Moves values on an edge to where the successor has them. */
  private edge(block: MachineBlock, s: number): void {
    const { fn, moves } = this;
    const to = fn.blocks[block.successors[s] as number] as MachineBlock;
    const exit = this.exits[block.number] as Int32Array;
    const entry = this.entries[to.number] as Int32Array;
    const remade: number[] = [];
    const bring = (target: number, value: number): void => {
      const place = exit.indexOf(value);
      if (place === -1 && fn.origin[value] !== -1) remade.push(target, value);
      else
        moves.add(
          target,
          place === -1 ? FIRST_SLOT + this.slot(value) : place,
          fn.classOf[value] as number,
          fn.width[value] as number,
        );
    };
    for (let register = 0; register < REGISTER_COUNT; register++) {
      const value = entry[register] as number;
      if (value !== FREE && !to.parameters.includes(value)) bring(register, value);
    }
    for (let i = 0; i < to.parameters.length; i++) {
      if ((this.uses.parameterDistance[to.number] as Int32Array)[i] === DEAD) continue;
      const parameter = to.parameters[i] as number;
      const register = entry.indexOf(parameter);
      bring(register === -1 ? FIRST_SLOT + this.slot(parameter) : register, block.args[s]?.[i] as number);
    }
    const code: number[] = [];
    moves.write(code);
    for (let i = 0; i < remade.length; i += 2) this.remake(remade[i] as number, remade[i + 1] as number, code);
    if (block.successors.length === 1) block.instructions.splice(-1, 0, ...code);
    else if (to.predecessors.length === 1) to.instructions.unshift(...code);
    else if (code.length > 0) throw new InternalError(`an edge of ${fn.name} has no place for its moves`);
  }

  private remake(target: number, value: number, code: number[]): void {
    if (target < FIRST_SLOT) {
      this.restore(value, target, code);
      return;
    }
    const { fn } = this;
    const scratch = fn.classOf[value] === 0 ? 11 : 31;
    this.restore(value, scratch, code);
    code.push(storeSlot(fn, target - FIRST_SLOT, scratch, fn.width[value] as number));
  }
}

/** Replaces values by registers and writes the moves between them. */
export function assignRegisters(
  fn: MachineFunction,
  uses: NextUses,
  spilling: Spilling,
  registers: readonly Uint8Array[] = ALLOCATABLE,
): void {
  new Assigner(fn, uses, spilling, registers).run();
}
