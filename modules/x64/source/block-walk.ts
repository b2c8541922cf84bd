// SPDX-License-Identifier: Apache-2.0
/**
 * The walk over one block: what is in registers after each instruction, what has to be loaded before it, which
 * registers its operands have. `allocate.ts` has the idea.
 *
 * For an instruction, in this order: its uses are brought into registers; fixed registers are cleared and filled by
 * copies; a tied definition takes over the register of its use, or gets a copy if the use lives on; uses that die give
 * up their registers; the other definitions take registers.
 */
import { InternalError, assert } from "@muxkit/cargo";

import { STEP, type Step } from "./allocation.ts";
import { type EdgeState, slotFor } from "./edges.ts";
import type { MachineFunction, MachineValue } from "./machine-function.ts";
import { type Distances, NEVER } from "./next-use.ts";
import { BANK_BASE, REGISTERS, type RegisterFile } from "./registers.ts";

const FREE = -1;
/** A copy for one instruction. */
const COPY = -2;

/** How far hints are followed from value to value. */
const HINT_STEPS = 4;

/** Walks over blocks, one after the other. */
export class BlockWalk {
  readonly useRegisters: Int32Array;
  readonly definitionRegisters: Int32Array;

  readonly #machine: MachineFunction;
  readonly #file: RegisterFile;
  readonly #state: EdgeState;
  /** The value in each register. */
  readonly #valueIn: Int32Array = new Int32Array(REGISTERS).fill(FREE);
  /** Of each value: its register now, or -1; the last one it had; the place of its next use. */
  readonly #registerOf: Int32Array;
  readonly #lastRegister: Int32Array;
  readonly #next: Int32Array;
  /** Of each use and definition: the place of the value's next use after it. */
  readonly #nextAfterUse: Int32Array;
  readonly #nextAfterDefinition: Int32Array;
  /** A fixed register that a value will have to be in; a value that would like to have the same register. */
  readonly #fixedHint: Int32Array;
  readonly #wants: Int32Array;
  /** Registers that the instruction must keep: bit sets would not hold 56. */
  readonly #locked: Uint8Array = new Uint8Array(REGISTERS);
  #steps: Step[] = [];

  constructor(machine: MachineFunction, file: RegisterFile, state: EdgeState) {
    this.#machine = machine;
    this.#file = file;
    this.#state = state;
    const values = machine.banks.length;
    this.useRegisters = new Int32Array(machine.useValues.length).fill(-1);
    this.definitionRegisters = new Int32Array(machine.definitionValues.length).fill(-1);
    this.#registerOf = new Int32Array(values).fill(-1);
    this.#lastRegister = new Int32Array(values).fill(-1);
    this.#next = new Int32Array(values).fill(NEVER);
    this.#nextAfterUse = new Int32Array(machine.useValues.length);
    this.#nextAfterDefinition = new Int32Array(machine.definitionValues.length);
    this.#fixedHint = new Int32Array(values).fill(-1);
    this.#wants = new Int32Array(values).fill(-1);
    this.#findHints();
  }

  #findHints(): void {
    const machine = this.#machine;
    machine.useFixed.forEach((fixed, n) => {
      if (fixed !== -1) this.#fixedHint[machine.useValues[n] ?? 0] = fixed;
    });
    for (let instruction = 0; instruction < machine.forms.length; instruction++) {
      const firstUse = machine.firstUse(instruction);
      const end = machine.definitionEnds[instruction] ?? 0;
      for (let n = machine.firstDefinition(instruction); n < end; n++) {
        const tied = machine.definitionTied[n] ?? -1;
        if (tied !== -1) this.#wants[machine.useValues[firstUse + tied] ?? 0] = machine.definitionValues[n] ?? 0;
      }
    }
    for (let block = 0; block < machine.blockCount; block++) {
      const ending = machine.endingOf(block);
      ending.successors.forEach((successor, n) => {
        const parameters = machine.parametersOf(successor);
        ending.arguments[n]?.forEach((value, m) => {
          this.#wants[value] = parameters[m] ?? -1;
        });
      });
    }
  }

  /** A register that a value would like, -1 for none. */
  hint(value: MachineValue): number {
    const fixed = this.#fixedHint[value] ?? -1;
    if (fixed !== -1) return fixed;
    let wanted = value;
    for (let n = 0; n < HINT_STEPS && wanted !== -1; n++) {
      const register = this.#lastRegister[wanted] ?? -1;
      if (register !== -1) return register;
      wanted = this.#wants[wanted] ?? -1;
    }
    return -1;
  }

  /** Computes next uses in a block. `distances` are those at its end, and become those at its beginning. */
  prepare(block: number, distances: Distances): void {
    const machine = this.#machine;
    const first = machine.firstOf(block);
    const end = machine.endOf(block);
    const out = distances.take();
    out.values.forEach((value, n) => {
      distances.set(value, Math.min((out.distances[n] ?? 0) + end - first, NEVER - 1));
    });
    for (let instruction = end - 1; instruction >= first; instruction--) {
      const definitionEnd = machine.definitionEnds[instruction] ?? 0;
      for (let n = machine.firstDefinition(instruction); n < definitionEnd; n++) {
        const value = machine.definitionValues[n] ?? 0;
        this.#nextAfterDefinition[n] = distances.get(value);
        distances.set(value, NEVER);
      }
      const firstUse = machine.firstUse(instruction);
      const useEnd = machine.useEnds[instruction] ?? 0;
      for (let n = firstUse; n < useEnd; n++) this.#nextAfterUse[n] = distances.get(machine.useValues[n] ?? 0);
      for (let n = firstUse; n < useEnd; n++) distances.set(machine.useValues[n] ?? 0, instruction - first);
    }
    const now = distances.take();
    now.values.forEach((value, n) => {
      this.#next[value] = now.distances[n] ?? NEVER;
    });
    for (const parameter of machine.parametersOf(block)) this.#next[parameter] = distances.get(parameter);
  }

  /** How far the next use is of a value that lives where the prepared block begins. */
  distance(value: MachineValue): number {
    return this.#next[value] ?? NEVER;
  }

  /** Whether a parameter of the prepared block is used at all. */
  isLive(value: MachineValue): boolean {
    return this.distance(value) !== NEVER;
  }

  /** The value in each register now, -1 for none. */
  residents(): Int32Array {
    return this.#valueIn.slice();
  }

  /** Walks over the prepared block from what is in registers at its beginning. */
  run(block: number, entry: Int32Array): readonly Step[] {
    this.#steps = [];
    this.#valueIn.forEach((value, register) => {
      if (value >= 0) this.#release(register);
    });
    this.#valueIn.fill(FREE);
    entry.forEach((value, register) => {
      if (value !== -1 && this.isLive(value)) this.#take(register, value);
    });
    const machine = this.#machine;
    for (let instruction = machine.firstOf(block); instruction < machine.endOf(block); instruction++) {
      this.#instruction(instruction);
    }
    return this.#steps;
  }

  #step(kind: number, a: number, b: number, c: number = 0): void {
    this.#steps.push({ kind, a, b, c, d: 0 });
  }

  #take(register: number, value: MachineValue): void {
    this.#valueIn[register] = value;
    this.#registerOf[value] = register;
    this.#lastRegister[value] = register;
  }

  #release(register: number): void {
    const value = this.#valueIn[register] ?? FREE;
    if (value >= 0) this.#registerOf[value] = -1;
    this.#valueIn[register] = FREE;
  }

  /**
   * A free register of a bank; the value that is used last gives its up when there is none. Not one that is locked or
   * `avoided`.
   */
  #pick(bank: number, hint: number, avoided: ReadonlySet<number>): number {
    const base = BANK_BASE[bank] ?? 0;
    const numbers = this.#file.allocatable[bank] ?? [];
    let furthest = -1;
    let victim = -1;
    let free = -1;
    for (const number of numbers) {
      const register = base + number;
      if (avoided.has(register)) continue;
      const value = this.#valueIn[register] ?? FREE;
      if (value === FREE) {
        if (register === hint) return register;
        if (free === -1) free = register;
      } else if (value >= 0 && this.#locked[register] === 0 && (this.#next[value] ?? NEVER) > furthest) {
        furthest = this.#next[value] ?? NEVER;
        victim = register;
      }
    }
    if (free !== -1) return free;
    if (victim === -1) throw new InternalError("an instruction needs more registers than there are");
    this.#release(victim);
    return victim;
  }

  #move(to: number, from: number, value: MachineValue): void {
    this.#step(STEP.move, to, from, this.#machine.bytes[value] ?? 8);
  }

  #instruction(instruction: number): void {
    const machine = this.#machine;
    const firstUse = machine.firstUse(instruction);
    const useEnd = machine.useEnds[instruction] ?? 0;
    const firstDefinition = machine.firstDefinition(instruction);
    const definitionEnd = machine.definitionEnds[instruction] ?? 0;
    const fixed = new Set<number>();
    for (let n = firstUse; n < useEnd; n++) if (machine.useFixed[n] !== -1) fixed.add(machine.useFixed[n] ?? 0);
    for (let n = firstDefinition; n < definitionEnd; n++) {
      if (machine.definitionFixed[n] !== -1) fixed.add(machine.definitionFixed[n] ?? 0);
    }
    this.#loadUses(firstUse, useEnd);
    if (fixed.size > 0) this.#fillFixed(firstUse, useEnd, firstDefinition, definitionEnd, fixed);
    this.#tieDefinitions(instruction, firstUse, useEnd, firstDefinition, definitionEnd, fixed);
    for (let n = firstUse; n < useEnd; n++) {
      if (this.useRegisters[n] === -1) this.useRegisters[n] = this.#registerOf[machine.useValues[n] ?? 0] ?? -1;
    }
    this.#step(STEP.instruction, instruction, 0);
    this.#locked.fill(0);
    this.#freeUses(firstUse, useEnd);
    this.#define(firstDefinition, definitionEnd, fixed);
  }

  /** Brings all uses into registers, where they stay until the instruction is done. */
  #loadUses(firstUse: number, useEnd: number): void {
    const machine = this.#machine;
    for (let n = firstUse; n < useEnd; n++) {
      const register = this.#registerOf[machine.useValues[n] ?? 0] ?? -1;
      if (register !== -1) this.#locked[register] = 1;
    }
    for (let n = firstUse; n < useEnd; n++) {
      const value = machine.useValues[n] ?? 0;
      if ((this.#registerOf[value] ?? -1) !== -1) continue;
      const register = this.#pick(machine.banks[value] ?? 0, this.hint(value), NOTHING);
      this.#step(STEP.load, register, slotFor(this.#state, value));
      this.#take(register, value);
      this.#locked[register] = 1;
    }
  }

  /** Whether a value is used after the instruction whose uses these are. */
  #livesOn(use: number): boolean {
    return this.#nextAfterUse[use] !== NEVER;
  }

  /** Whether one of the definitions is in a fixed register. */
  #isRedefined(register: number, firstDefinition: number, definitionEnd: number): boolean {
    for (let n = firstDefinition; n < definitionEnd; n++) {
      if (this.#machine.definitionFixed[n] === register) return true;
    }
    return false;
  }

  #fillFixed(
    firstUse: number,
    useEnd: number,
    firstDefinition: number,
    definitionEnd: number,
    fixed: ReadonlySet<number>,
  ): void {
    const machine = this.#machine;
    // Whoever is in the way goes elsewhere; a copy may stay for the instruction.
    for (const register of fixed) {
      const value = this.#valueIn[register] ?? FREE;
      if (value < 0) continue;
      let isWanted = false;
      let isOther = false;
      let livesOn = true;
      for (let n = firstUse; n < useEnd; n++) {
        if (machine.useFixed[n] === register) {
          if (machine.useValues[n] === value) isWanted = true;
          else isOther = true;
        }
        if (machine.useValues[n] === value) livesOn = this.#livesOn(n);
      }
      const isLost = this.#isRedefined(register, firstDefinition, definitionEnd);
      if (!isOther && (livesOn ? isWanted && !isLost : true)) continue;
      const elsewhere = this.#pick(0, -1, fixed);
      this.#move(elsewhere, register, value);
      this.#release(register);
      this.#take(elsewhere, value);
      this.#locked[elsewhere] = 1;
      if (isWanted) {
        this.#valueIn[register] = COPY;
        for (let n = firstUse; n < useEnd; n++) {
          if (machine.useFixed[n] === register && machine.useValues[n] === value) this.useRegisters[n] = register;
        }
      }
    }
    for (let n = firstUse; n < useEnd; n++) {
      const register = machine.useFixed[n] ?? -1;
      if (register === -1 || this.useRegisters[n] === register) continue;
      const value = machine.useValues[n] ?? 0;
      const now = this.#registerOf[value] ?? -1;
      this.useRegisters[n] = register;
      if (now === register) continue;
      assert((this.#valueIn[register] ?? FREE) < 0, "a fixed register was not cleared");
      this.#move(register, now, value);
      this.#valueIn[register] = COPY;
    }
  }

  #tieDefinitions(
    instruction: number,
    firstUse: number,
    useEnd: number,
    firstDefinition: number,
    definitionEnd: number,
    fixed: ReadonlySet<number>,
  ): void {
    const machine = this.#machine;
    for (let n = firstDefinition; n < definitionEnd; n++) {
      const tied = machine.definitionTied[n] ?? -1;
      if (tied === -1 || machine.definitionFixed[n] !== -1) continue;
      const use = firstUse + tied;
      const value = machine.useValues[use] ?? 0;
      const now = this.#registerOf[value] ?? -1;
      // Another definition may want that register.
      let isShared = this.#livesOn(use) || fixed.has(now);
      for (let other = firstUse; other < useEnd; other++) {
        if (other === use || machine.useValues[other] !== value) continue;
        // The same register may be read twice, but not be the result of two, nor be one of three that must differ.
        isShared ||= machine.areDistinct[instruction] === true || this.useRegisters[other] === now;
      }
      let register = now;
      if (isShared) {
        const definition = machine.definitionValues[n] ?? 0;
        register = this.#pick(machine.banks[value] ?? 0, this.hint(definition), fixed);
        this.#move(register, now, value);
        this.#valueIn[register] = COPY;
      }
      this.useRegisters[use] = register;
      this.definitionRegisters[n] = register;
    }
  }

  /** Gives up the registers of values that nobody uses any more, and of copies. */
  #freeUses(firstUse: number, useEnd: number): void {
    const machine = this.#machine;
    for (let n = firstUse; n < useEnd; n++) {
      const value = machine.useValues[n] ?? 0;
      this.#next[value] = this.#nextAfterUse[n] ?? NEVER;
      const register = this.#registerOf[value] ?? -1;
      if (!this.#livesOn(n) && register !== -1) this.#release(register);
      const used = this.useRegisters[n] ?? 0;
      if (this.#valueIn[used] === COPY) this.#valueIn[used] = FREE;
    }
  }

  #define(firstDefinition: number, definitionEnd: number, fixed: ReadonlySet<number>): void {
    const machine = this.#machine;
    // Those whose register is given come first, so that the others do not take it.
    for (const isGiven of [true, false]) {
      for (let n = firstDefinition; n < definitionEnd; n++) {
        const value = machine.definitionValues[n] ?? 0;
        const given =
          machine.definitionFixed[n] === -1 ? (this.definitionRegisters[n] ?? -1) : (machine.definitionFixed[n] ?? -1);
        if ((given !== -1) !== isGiven) continue;
        const register = isGiven ? given : this.#pick(machine.banks[value] ?? 0, this.hint(value), fixed);
        assert((this.#valueIn[register] ?? FREE) === FREE, "a definition takes a register that is in use");
        this.definitionRegisters[n] = register;
        this.#take(register, value);
        this.#next[value] = this.#nextAfterDefinition[n] ?? NEVER;
        this.#locked[register] = 1;
      }
    }
    for (let n = firstDefinition; n < definitionEnd; n++) {
      const register = this.definitionRegisters[n] ?? 0;
      this.#locked[register] = 0;
      if (this.#nextAfterDefinition[n] === NEVER) this.#release(register);
    }
  }
}

const NOTHING: ReadonlySet<number> = new Set();
