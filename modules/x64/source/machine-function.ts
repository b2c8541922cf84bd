// SPDX-License-Identifier: Apache-2.0
/**
 * Machine functions: instructions of x86-64 on values in SSA form, before registers are assigned.
 *
 * A value has a bank (general, vector, mask) and bytes. An instruction is a form of the assembler's table; what its
 * operands ask of registers comes from the row: which are read and written, which are one register (an operand that is
 * both has a value before and another after, which are tied), which are fixed. Blocks have parameters and pass
 * arguments, as blocks of the IR do.
 *
 * Instructions are columns: those of block b are `firstOf(b)` to `endOf(b)`, the uses of instruction i are
 * `useEnds[i - 1]` to `useEnds[i]`, the definitions likewise.
 */
import { InternalError, assert, at } from "@muxkit/cargo";
import { FORMS, type Form, type Operand, constraintsOf } from "@muxkit/x64-assembler";

/** A virtual register: defined once. @public */
export type MachineValue = number;

/** No value, where one may be left out. @public */
export const NO_VALUE = -1;

/** Register files, by number. @public */
export const BANK = { general: 0, vector: 1, mask: 2 } as const;

/** How many banks there are. */
export const BANKS = 3;

/** An address whose registers are values. @public */
export interface MachineAddress {
  /** As `ADDRESS` of the assembler counts them. */
  readonly kind: number;
  /** Base and index: values, or {@link NO_VALUE}. */
  readonly base: MachineValue;
  /** See `base`. */
  readonly index: MachineValue;
  /** Binary logarithm of the factor of the index. */
  readonly scale: number;
  /** Bytes. */
  readonly displacement: number;
}

/** What an instruction is given, in the order of the form's operands: see {@link MachineFunction.add}. @public */
export type MachineOperand = number | MachineAddress;

/** How a block ends. @public */
export interface Ending {
  /** `return` has no successor, `jump` one, `branch` two: where its condition holds, and where not. */
  readonly kind: "return" | "jump" | "branch";
  /** The condition of a branch, as in opcodes; it reads the flags that the last instruction wrote. */
  readonly condition: number;
  /** Blocks. */
  readonly successors: readonly number[];
  /** For each successor, the values of its parameters; of a return, one list of what is returned. */
  readonly arguments: readonly (readonly MachineValue[])[];
}

interface Block {
  readonly parameters: MachineValue[];
  first: number;
  end: number;
  ending: Ending | undefined;
}

/** A function under construction, then of the allocator. @public */
export class MachineFunction {
  /** Of each value. */
  readonly banks: number[] = [];
  /** Of each value: 1 to 64. */
  readonly bytes: number[] = [];
  /** Of each instruction. */
  readonly forms: number[] = [];
  /** What each instruction was given, for those who write it. */
  readonly operands: (readonly MachineOperand[])[] = [];
  /** The value of the mask of each instruction. */
  readonly masks: MachineValue[] = [];

  /** Of each use, its value. */
  readonly useValues: MachineValue[] = [];
  /** Of each use, the only register that it may be in, -1 for any. */
  readonly useFixed: number[] = [];
  /** Of each instruction, the use after its last one. */
  readonly useEnds: number[] = [];
  /** Of each definition, its value. */
  readonly definitionValues: MachineValue[] = [];
  /** Of each definition, as `useFixed`. */
  readonly definitionFixed: number[] = [];
  /** Of each definition, the use of its instruction whose register it has, -1 for none. */
  readonly definitionTied: number[] = [];
  /** Of each instruction, the definition after its last one. */
  readonly definitionEnds: number[] = [];
  /** Whether all registers of the instruction must be different. */
  readonly areDistinct: boolean[] = [];

  readonly #blocks: Block[] = [];
  #open: number = -1;

  /** A new value. */
  value(bank: number, bytes: number): MachineValue {
    this.banks.push(bank);
    this.bytes.push(bytes);
    return this.banks.length - 1;
  }

  /** A new block; the first one is the entry, whose parameters are those of the function. */
  block(...parameters: readonly MachineValue[]): number {
    this.#blocks.push({ parameters: [...parameters], first: 0, end: 0, ending: undefined });
    return this.#blocks.length - 1;
  }

  /** Begins to fill a block; a block is filled at once. */
  begin(block: number): void {
    assert(this.#open === -1, "a block is begun before the last one has ended");
    this.#open = block;
    this.#blockAt(block).first = this.forms.length;
  }

  #blockAt(block: number): Block {
    return at(this.#blocks, block);
  }

  /**
   * Appends an instruction. `operands` has, for each operand of the form, implied ones too: a value for what is read or
   * written; two for what is both, before and after; an address for memory; a number for an immediate or a condition.
   */
  add(form: number, operands: readonly MachineOperand[], mask: MachineValue = NO_VALUE): number {
    assert(this.#open !== -1, "an instruction is outside of blocks");
    const firstUse = this.useValues.length;
    const registers = constraintsOf(form).operands;
    let place = 0;
    let register = 0;
    for (const operand of at(FORMS, form).operands) {
      const given = operands[place++];
      if (given === undefined) throw new InternalError(`"${FORMS[form]?.key}" has more operands`);
      const constraint = operand.register === undefined ? undefined : registers[register++];
      if (typeof given !== "number") this.#addAddress(form, operand, given);
      else if (constraint !== undefined) {
        if (constraint.isRead) this.#use(given, constraint.fixed);
        const isTied = constraint.isRead && constraint.isWritten;
        const written = isTied ? operands[place++] : given;
        if (constraint.isWritten) {
          assert(typeof written === "number", "an operand that is read and written has two values");
          this.#define(written, constraint.fixed, isTied ? this.useValues.length - 1 - firstUse : -1);
        }
      }
    }
    if (place !== operands.length) throw new InternalError(`"${FORMS[form]?.key}" has fewer operands`);
    if (mask !== NO_VALUE) this.#addMask(at(FORMS, form), mask, firstUse);
    this.forms.push(form);
    this.operands.push(operands);
    this.masks.push(mask);
    this.areDistinct.push(registers.some((one) => one.isDistinct));
    this.useEnds.push(this.useValues.length);
    this.definitionEnds.push(this.definitionValues.length);
    return this.forms.length - 1;
  }

  #addMask(form: Form, mask: MachineValue, firstUse: number): void {
    this.#use(mask, -1);
    // Gathers and scatters clear their mask as they go.
    if (form.masking === "K") this.#define(this.value(BANK.mask, 8), -1, this.useValues.length - 1 - firstUse);
  }

  #addAddress(form: number, operand: Operand, address: MachineAddress): void {
    if (operand.memoryBits === 0) throw new InternalError(`"${FORMS[form]?.key}" has no such operand in memory`);
    if (address.base !== NO_VALUE) this.#use(address.base, -1);
    if (address.index !== NO_VALUE) this.#use(address.index, -1);
  }

  #use(value: MachineValue, fixed: number): void {
    this.useValues.push(value);
    this.useFixed.push(fixed);
  }

  #define(value: MachineValue, fixed: number, tied: number): void {
    this.definitionValues.push(value);
    this.definitionFixed.push(fixed);
    this.definitionTied.push(tied);
  }

  /** Ends the block that was begun. */
  end(ending: Ending): void {
    const block = this.#blockAt(this.#open);
    block.end = this.forms.length;
    block.ending = ending;
    this.#open = -1;
  }

  /** Changes where a block goes. */
  redirect(block: number, ending: Ending): void {
    this.#blockAt(block).ending = ending;
  }

  /** How many blocks there are. */
  get blockCount(): number {
    return this.#blocks.length;
  }

  /** The parameters of a block. */
  parametersOf(block: number): readonly MachineValue[] {
    return this.#blockAt(block).parameters;
  }

  /** How a block ends. */
  endingOf(block: number): Ending {
    const { ending } = this.#blockAt(block);
    if (ending === undefined) throw new InternalError(`block ${block} has no end`);
    return ending;
  }

  /** The first instruction of a block. */
  firstOf(block: number): number {
    return this.#blockAt(block).first;
  }

  /** The one after the last of a block. */
  endOf(block: number): number {
    return this.#blockAt(block).end;
  }

  /** The first use of an instruction; the last is before {@link MachineFunction.useEnds}. */
  firstUse(instruction: number): number {
    return instruction === 0 ? 0 : (this.useEnds[instruction - 1] ?? 0);
  }

  /** The first definition of an instruction; the last is before {@link MachineFunction.definitionEnds}. */
  firstDefinition(instruction: number): number {
    return instruction === 0 ? 0 : (this.definitionEnds[instruction - 1] ?? 0);
  }
}
