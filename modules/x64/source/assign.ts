// SPDX-License-Identifier: Apache-2.0
/**
 * Registers for values that were spilled down to what fits (`spill.ts`).
 *
 * One walk over the blocks in reverse postorder, which passes dominators first. Where a value is may change on the way:
 * a block begins with values where most of its predecessors have them, and edges move the others; an edge gets a block
 * of its own where its moves fit into neither end. As no more values are alive than there are registers, a free one is
 * always found (Hack, "Register Allocation for Programs in SSA Form", 2007). Hints pick among the free ones: that of
 * the argument of a parameter, of a copied value, of a fixed operand further on.
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
import { ALLOCATABLE, SCRATCH, slotBytes } from "./registers.ts";
import type { Spilling } from "./spill.ts";

const FREE = -1;

/** An operand's fixed register; -1 for any. */
function fixedOf(role: number): number {
  return ((role >> FIXED_SHIFT) & 255) - 1;
}

/** Roles that want more than any register. */
const SPECIAL = (255 << FIXED_SHIFT) | (255 << TIED_SHIFT) | EARLY;
/** No instruction has more operands. */
const MOST_OPERANDS = 64;

/** What a predecessor's vote counts that only comes after a call, and any other's. */
const COLD = 1;
const HOT = 2;

/** Puts a block with some code on an edge. */
function splitEdge(fn: MachineFunction, from: MachineBlock, s: number, code: number[]): void {
  const to = fn.blocks[from.successors[s] as number] as MachineBlock;
  const middle = fn.newBlock();
  code.push(fn.newInstruction(PSEUDO.jump));
  middle.instructions = code;
  middle.successors.push(to.number);
  middle.args.push([]);
  middle.predecessors.push(from.number);
  to.predecessors[to.predecessors.indexOf(from.number)] = middle.number;
  from.successors[s] = middle.number;
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
  /** The last block in which each place on the stack is taken. */
  private readonly slotBlock: number[] = [];
  /** By size, where a free place is looked for next. */
  private readonly nextSlot: Int32Array = new Int32Array(5);
  private current: number = -1;
  /** Where values are when a block begins and when it ends: so many registers a block. */
  private readonly entries: Int32Array;
  private readonly exits: Int32Array;
  private readonly isKnown: Uint8Array;
  private readonly isAllocatable: Uint8Array = new Uint8Array(REGISTER_COUNT);
  /** The last block that begins with a value in a register. */
  private readonly enters: Int32Array;
  /** While edges are written: the register that a value has at the end of the block. */
  private readonly place: Int32Array;
  /** For each value at a block's start, so many registers: how many predecessors have it there. */
  private readonly votes: Int32Array = new Int32Array(REGISTER_COUNT * REGISTER_COUNT);
  /** Registers that hold something where the innermost loop begins: they must hold it again at its end. */
  private readonly isAwaited: Uint8Array = new Uint8Array(REGISTER_COUNT);
  private awaitedBy: number = -1;
  /** The registers of an instruction's operands. */
  private readonly chosen: Int32Array = new Int32Array(MOST_OPERANDS);
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
    this.enters = new Int32Array(fn.valueCount).fill(-1);
    this.place = new Int32Array(fn.valueCount).fill(FREE);
    this.entries = new Int32Array(REGISTER_COUNT * fn.blocks.length);
    this.exits = new Int32Array(REGISTER_COUNT * fn.blocks.length);
    this.isKnown = new Uint8Array(fn.blocks.length);
    for (const list of registers) for (const register of list) this.isAllocatable[register] = 1;
    this.moves = new ParallelMoves(fn);
  }

  run(): void {
    const { fn, uses } = this;
    this.noteHints();
    for (const number of uses.order) this.block(fn.blocks[number] as MachineBlock);
    for (let register = 0; register < REGISTER_COUNT; register++) {
      const value = this.holder[register] as number;
      if (value !== FREE) this.where[value] = FREE;
    }
    for (const number of uses.order) this.edges(fn.blocks[number] as MachineBlock);
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

  /**
   * The place of a value on the stack, given at its definition: one that no value has that is alive there. Of two
   * values that are alive at once, one is at the definition of the other, so those with one place never are.
   */
  private slot(value: number): number {
    const known = this.slotOf[value] as number;
    if (known !== -1) return known;
    const { fn, slotBlock } = this;
    const bytes = slotBytes(fn.classOf[value] as number, fn.width[value] as number);
    let slot = this.nextSlot[bytes >> 4] as number;
    while (slot < fn.slotBytes.length && (fn.slotBytes[slot] !== bytes || slotBlock[slot] === this.current)) slot++;
    if (slot === fn.slotBytes.length) fn.slotBytes.push(bytes);
    // Within a block none becomes free: the next search goes on from here.
    this.nextSlot[bytes >> 4] = slot + 1;
    slotBlock[slot] = this.current;
    this.slotOf[value] = slot;
    return slot;
  }

  /** Notes the places on the stack that values have which are alive at the start of a block; gives parameters theirs. */
  private holdSlots({ number, parameters }: MachineBlock): void {
    const { slotOf, slotBlock } = this;
    const { live, liveFirst, liveEnd, parameterDistance } = this.uses;
    this.current = number;
    this.nextSlot.fill(0);
    for (let i = liveFirst[number] as number; i < (liveEnd[number] as number); i++) {
      const slot = slotOf[live[i] as number] as number;
      if (slot !== -1) slotBlock[slot] = number;
    }
    for (const parameter of parameters)
      if (this.spilling.isSpilled[parameter] === 1 && parameterDistance[parameter] !== DEAD) this.slot(parameter);
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
    if (hint !== FREE && holder[hint] === FREE && pinned[hint] === 0 && this.isAllocatable[hint] === 1) return hint;
    const all = this.registers[this.fn.classOf[value] as number] as Uint8Array;
    let taken = FREE;
    for (let i = 0; i < all.length; i++) {
      const register = all[i] as number;
      if (holder[register] !== FREE || pinned[register] !== 0) continue;
      if (this.isAwaited[register] === 0) return register;
      if (taken === FREE) taken = register;
    }
    if (taken !== FREE) return taken;
    throw new InternalError(`no register is free in ${this.fn.name}: spilling left too many values`);
  }

  private startBlock(block: MachineBlock): void {
    const { holder, where, enters, exits } = this;
    const { number, parameters, predecessors } = block;
    const { entry, entryFirst, entryEnd } = this.spilling;
    const first = entryFirst[number] as number;
    const end = entryEnd[number] as number;
    for (let register = 0; register < REGISTER_COUNT; register++) {
      const value = holder[register] as number;
      if (value === FREE) continue;
      where[value] = FREE;
      holder[register] = FREE;
    }
    for (let i = first; i < end; i++) enters[entry[i] as number] = number;
    let known = 0;
    let from = -1;
    for (const before of predecessors) {
      if (this.isKnown[before] === 0) continue;
      known++;
      from = before;
    }
    if (known === 1 && parameters.length === 0) {
      for (let register = 0; register < REGISTER_COUNT; register++) {
        const value = exits[from * REGISTER_COUNT + register] as number;
        if (value !== FREE && enters[value] === number) this.put(value, register);
      }
    } else if (known > 0) this.vote(block, first, end, known);
    for (let i = first; i < end; i++) {
      const value = entry[i] as number;
      if (where[value] === FREE) this.put(value, this.pick(value));
    }
    if (parameters.length > 0) this.hintArguments(block);
    this.entries.set(holder, number * REGISTER_COUNT);
    this.awaitLoop(this.uses.loopOf[number] as number);
  }

  private awaitLoop(loop: number): void {
    if (loop === this.awaitedBy) return;
    this.awaitedBy = loop;
    this.isAwaited.fill(0);
    if (loop === -1) return;
    for (let register = 0; register < REGISTER_COUNT; register++) {
      const value = this.entries[loop * REGISTER_COUNT + register] as number;
      if (value === FREE) continue;
      this.isAwaited[register] = 1;
      if (this.hint[value] === FREE) this.hint[value] = register;
    }
  }

  /** Where several blocks meet, values are where most of those have them that run mostly. */
  private vote(block: MachineBlock, first: number, end: number, known: number): void {
    const { fn, exits, place, holder, where, votes, enters } = this;
    const { number, parameters, predecessors } = block;
    const { entry, isCold } = this.spilling;
    if (votes.length < (end - first) * REGISTER_COUNT) throw new InternalError("more values than registers");
    votes.fill(0, 0, (end - first) * REGISTER_COUNT);
    // While votes are counted, a value's row.
    for (let i = first; i < end; i++) where[entry[i] as number] = (i - first) * REGISTER_COUNT;
    for (const before of predecessors) {
      if (this.isKnown[before] === 0) continue;
      const exit = before * REGISTER_COUNT;
      const weight = isCold[before] === 1 ? COLD : HOT;
      for (let register = 0; register < REGISTER_COUNT; register++) {
        const value = exits[exit + register] as number;
        if (value === FREE) continue;
        place[value] = register;
        if (enters[value] !== number) continue;
        const at = (where[value] as number) + register;
        votes[at] = (votes[at] as number) + weight;
      }
      if (parameters.length > 0) this.voteForParameters(block, fn.blocks[before] as MachineBlock, weight);
      for (let register = 0; register < REGISTER_COUNT; register++) {
        const value = exits[exit + register] as number;
        if (value !== FREE) place[value] = FREE;
      }
    }
    for (let i = first; i < end; i++) where[entry[i] as number] = FREE;
    for (let least = HOT * known; least > 0; least--) {
      for (let i = first; i < end; i++) {
        const value = entry[i] as number;
        if (where[value] !== FREE) continue;
        const row = (i - first) * REGISTER_COUNT;
        const all = this.registers[fn.classOf[value] as number] as Uint8Array;
        for (let k = 0; k < all.length; k++) {
          const register = all[k] as number;
          if ((votes[row + register] as number) < least || holder[register] !== FREE) continue;
          this.put(value, register);
          break;
        }
      }
    }
  }

  private voteForParameters(
    { number, parameters }: MachineBlock,
    { successors, args }: MachineBlock,
    weight: number,
  ): void {
    const { place, where, votes, enters } = this;
    for (let s = 0; s < successors.length; s++) {
      if (successors[s] !== number) continue;
      const given = args[s] as number[];
      for (let i = 0; i < parameters.length; i++) {
        const register = place[given[i] as number] as number;
        if (register === FREE || enters[parameters[i] as number] !== number) continue;
        const at = (where[parameters[i] as number] as number) + register;
        votes[at] = (votes[at] as number) + weight;
      }
    }
  }

  /** What blocks further on give for parameters would like to be where those are. */
  private hintArguments({ number, predecessors, parameters }: MachineBlock): void {
    for (const before of predecessors) {
      if (this.isKnown[before] === 1) continue;
      const pred = this.fn.blocks[before] as MachineBlock;
      const given = pred.args[pred.successors.indexOf(number)] as number[];
      for (let i = 0; i < given.length; i++) {
        const register = this.where[parameters[i] as number] as number;
        if (register !== FREE) this.hint[given[i] as number] = register;
      }
    }
  }

  private block(block: MachineBlock): void {
    this.startBlock(block);
    this.holdSlots(block);
    this.output = [];
    for (const parameter of block.parameters) if (this.where[parameter] !== FREE) this.storeIfSpilled(parameter);
    for (const instruction of block.instructions) this.instruction(instruction);
    block.instructions = this.output;
    this.exits.set(this.holder, block.number * REGISTER_COUNT);
    this.isKnown[block.number] = 1;
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
    const { fn, holder, where, pinned, chosen } = this;
    const { role: roles, value: values } = fn;
    const form = fn.form[instruction] as number;
    let every = 0;
    for (let i = first; i < end; i++) every |= roles[i] as number;
    const isSpecial = (every & SPECIAL) !== 0 || form === PSEUDO.call;
    if (isSpecial && this.pin(instruction, first, end)) this.clearPinned(first, end);
    for (let i = first; i < end; i++) {
      const role = roles[i] as number;
      if ((role & USE) === 0) chosen[i - first] = FREE;
      else chosen[i - first] = fixedOf(role) === -1 ? (where[values[i] as number] as number) : fixedOf(role);
    }
    if (isSpecial) this.shared(instruction, first, end);
    for (let i = first; i < end; i++)
      if (((roles[i] as number) & (USE | LAST)) === (USE | LAST)) this.free(values[i] as number);
    if (form === PSEUDO.copy && this.hint[values[first] as number] === FREE)
      this.hint[values[first] as number] = chosen[1] as number;
    for (let i = first; i < end; i++) {
      const role = roles[i] as number;
      if ((role & DEF) === 0) continue;
      const value = values[i] as number;
      if (chosen[i - first] === FREE) chosen[i - first] = fixedOf(role) === -1 ? this.pick(value) : fixedOf(role);
      const register = chosen[i - first] as number;
      if (holder[register] !== FREE) throw new InternalError(`two values in one register in ${fn.name}`);
      this.put(value, register);
    }
    this.output.push(instruction);
    for (let i = first; i < end; i++) {
      const role = roles[i] as number;
      if ((role & DEF) !== 0) this.storeIfSpilled(values[i] as number);
    }
    for (let i = first; i < end; i++)
      if (((roles[i] as number) & (DEF | LAST)) === (DEF | LAST)) this.free(values[i] as number);
    // The columns may have been replaced by larger ones.
    for (let i = first; i < end; i++) fn.value[i] = chosen[i - first] as number;
    if (isSpecial) pinned.fill(0);
  }

  /** Registers of results that share one with an operand, or may share none. */
  private shared(instruction: number, first: number, end: number): void {
    const { fn, pinned, chosen } = this;
    for (let i = first; i < end; i++) {
      const role = fn.role[i] as number;
      const tied = (role >> TIED_SHIFT) & 255;
      if (tied === 0) continue;
      const use = first + tied - 1;
      const source = chosen[tied - 1] as number;
      const isFree = ((fn.role[use] as number) & LAST) !== 0 && !isTieShared(fn, instruction, i);
      if (isFree || fixedOf(fn.role[use] as number) !== -1) {
        chosen[i - first] = source;
        continue;
      }
      const target = this.pick(fn.value[i] as number);
      pinned[target] = 1;
      this.output.push(copyRegister(fn, target, source, fn.width[fn.value[i] as number] as number));
      chosen[tied - 1] = target;
      chosen[i - first] = target;
    }
    for (let i = first; i < end; i++) {
      const role = fn.role[i] as number;
      if ((role & DEF) === 0 || (role & EARLY) === 0 || chosen[i - first] !== FREE) continue;
      const register = fixedOf(role) === -1 ? this.pick(fn.value[i] as number) : fixedOf(role);
      chosen[i - first] = register;
      pinned[register] = 1;
    }
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

  /** Moves values on the edges of a block to where the successors have them. */
  private edges(block: MachineBlock): void {
    const { fn, place, exits } = this;
    const exit = block.number * REGISTER_COUNT;
    let isPlaced = false;
    for (let s = 0; s < block.successors.length; s++) {
      const to = fn.blocks[block.successors[s] as number] as MachineBlock;
      // It begins as this one ends.
      if (to.predecessors.length === 1 && to.parameters.length === 0) continue;
      if (!isPlaced)
        for (let register = 0; register < REGISTER_COUNT; register++)
          if (exits[exit + register] !== FREE) place[exits[exit + register] as number] = register;
      isPlaced = true;
      this.edge(block, s, to);
    }
    if (!isPlaced) return;
    for (let register = 0; register < REGISTER_COUNT; register++)
      if (exits[exit + register] !== FREE) place[exits[exit + register] as number] = FREE;
  }

  private edge(block: MachineBlock, s: number, to: MachineBlock): void {
    const { moves, entries } = this;
    const { parameterOf } = this.spilling;
    const { parameterDistance } = this.uses;
    const remade: number[] = [];
    const entry = to.number * REGISTER_COUNT;
    const { parameters } = to;
    const given = block.args[s] as number[];
    for (let register = 0; register < REGISTER_COUNT; register++) {
      const value = entries[entry + register] as number;
      if (value === FREE) continue;
      if (parameterOf[value] === to.number) this.where[value] = register;
      else if (this.place[value] !== register) this.bring(register, value, value, remade);
    }
    for (let i = 0; i < parameters.length; i++) {
      const parameter = parameters[i] as number;
      if (parameterDistance[parameter] === DEAD) continue;
      const register = this.where[parameter] as number;
      const target = register === FREE ? FIRST_SLOT + this.slot(parameter) : register;
      this.bring(target, parameter, given[i] as number, remade);
      this.where[parameter] = FREE;
    }
    const code: number[] = [];
    moves.write(code);
    for (let i = 0; i < remade.length; i += 3)
      this.remake(remade[i] as number, remade[i + 1] as number, remade[i + 2] as number, code);
    if (code.length > 0) this.placeOnEdge(block, s, to, code);
  }

  /** Moves a value, or lets it be made, where `as` is: that is the value itself or a parameter. */
  private bring(target: number, as: number, value: number, remade: number[]): void {
    const { fn } = this;
    const place = this.place[value] as number;
    const width = this.commonWidth(as, value);
    if (place === FREE && fn.origin[value] !== -1) remade.push(target, value, width);
    else {
      const source = place === FREE ? FIRST_SLOT + this.slot(value) : place;
      this.moves.add(target, source, fn.classOf[value] as number, width);
    }
  }

  /** Bytes that a parameter and its argument share: either may have a place on the stack of no more than its own. */
  private commonWidth(parameter: number, argument: number): number {
    const { width } = this.fn;
    return Math.min(width[parameter] as number, width[argument] as number);
  }

  /** Puts code on an edge: into the one of its blocks that has no other, or into a block of its own. */
  private placeOnEdge(block: MachineBlock, s: number, to: MachineBlock, code: number[]): void {
    if (block.successors.length === 1) {
      const last = block.instructions.pop() as number;
      for (const instruction of code) block.instructions.push(instruction);
      block.instructions.push(last);
    } else if (to.predecessors.length === 1) to.instructions = code.concat(to.instructions);
    else splitEdge(this.fn, block, s, code);
  }

  private remake(target: number, value: number, width: number, code: number[]): void {
    if (target < FIRST_SLOT) {
      this.restore(value, target, code);
      return;
    }
    const { fn } = this;
    const scratch = SCRATCH[fn.classOf[value] as number] as number;
    this.restore(value, scratch, code);
    code.push(storeSlot(fn, target - FIRST_SLOT, scratch, width));
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
