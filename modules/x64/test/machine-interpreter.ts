// SPDX-License-Identifier: Apache-2.0
// Runs machine functions before and after allocation. Instructions are opaque: a result is a hash of the form, the
// immediate and what is read, so that any wrong operand shows. Registers and places on the stack that calls lose
// are lost here too; what a branch does depends on a hash as well. Of a vector register the upper half is a second
// hash: instructions on 16 bytes make it 0, and those on 32 read it.
import { formAt } from "@muxkit/x64-assembler";

import {
  DEF,
  FIXED_SHIFT,
  type MachineBlock,
  type MachineFunction,
  PSEUDO,
  REGISTER_COUNT,
  SLOT_IMPLIED,
  SLOT_SHIFT,
  TIED_SHIFT,
  USE,
} from "../source/machine-function.ts";
import { ADDEND, RETIE, RETIE_KIND } from "../source/retie.ts";

/** The upper half of a place that was written with 16 bytes. */
const NOTHING = -77;

function mix(hash: number, value: number): number {
  let mixed = Math.imul(hash ^ value, 0x9e37_79b1);
  mixed ^= mixed >>> 15;
  return Math.imul(mixed, 0x85eb_ca6b) | 0;
}

/** Fixed registers, and those that two operands share. */
function checkOperand(fn: MachineFunction, first: number, operand: number): void {
  const role = fn.role[operand] as number;
  const fixed = ((role >> FIXED_SHIFT) & 255) - 1;
  const tied = (role >> TIED_SHIFT) & 255;
  if (fixed !== -1 && fn.value[operand] !== fixed) throw new Error(`${fixed} is ${fn.value[operand]}`);
  if (tied !== 0 && fn.value[operand] !== fn.value[first + tied - 1]) throw new Error("two registers for one");
}

/** Whether an operand is a vector register of 32 bytes; one of a pseudo-instruction is as wide as its value is. */
function isWide(fn: MachineFunction, form: number, operand: number): boolean {
  const slot = ((fn.role[operand] as number) >> SLOT_SHIFT) & 15;
  if (form < 0 || slot >= SLOT_IMPLIED) return false;
  return formAt(form).operands.filter(({ implied }) => !implied)[slot]?.register === "y";
}

/** An access to the place of a spilled value must fit into it. */
function checkSlot(fn: MachineFunction, slot: number, width: number): void {
  if (width > (fn.slotBytes[slot] as number)) throw new Error(`${width} bytes at a place of ${fn.slotBytes[slot]}`);
}

/** Sets what an instruction writes, by a hash of it and what it reads. */
function writeResults(fn: MachineFunction, { form, first, end }: Operands, hash: number, state: State): void {
  let number = 0;
  for (let i = first; i < end; i++) {
    if (((fn.role[i] as number) & DEF) === 0) continue;
    const target = fn.value[i] as number;
    state.low[target] = mix(hash, number);
    state.high[target] = form < 0 || isWide(fn, form, i) ? mix(hash, number + 100) : 0;
    number++;
  }
}

/** What registers or values hold. */
interface State {
  readonly low: Int32Array;
  readonly high: Int32Array;
}

/** An instruction's operands. */
interface Operands {
  readonly form: number;
  readonly first: number;
  readonly end: number;
}

function isConstant(form: number): boolean {
  return form === PSEUDO.constant || form === PSEUDO.vectorConstant;
}

function hashOf(values: readonly number[]): number {
  return values.reduce((hash, value) => mix(hash, value), 0);
}

/** The hash of an instruction whose operands the allocator may exchange: the same in whatever order they are. */
function hashOfRetied(fn: MachineFunction, instruction: number, seed: number, read: readonly number[]): number {
  const form = fn.form[instruction] as number;
  const hasMemory = fn.addressing[instruction] !== 0;
  const kind = RETIE_KIND[form];
  if (kind === RETIE.commutative) return hashOf([seed, form, ...(hasMemory ? read : read.toSorted((a, b) => a - b))]);
  if (kind === RETIE.product) {
    const addend = ADDEND[form] as number;
    if (!hasMemory)
      return hashOf([seed, read[addend] as number, ...read.toSpliced(addend, 1).toSorted((a, b) => a - b)]);
    const address = hashOf(read.slice(2));
    // Memory is added, or it is a factor.
    if (addend === 2) return hashOf([seed, 1, address, ...read.slice(0, 2).toSorted((a, b) => a - b)]);
    return hashOf([seed, 2, address, read[addend] as number, read[1 - addend] as number]);
  }
  // A function of three bits: its value for each choice of ones among the operands, which go by their values.
  const operands = hasMemory ? [...read.slice(0, 2), hashOf(read.slice(2))] : read;
  const known = [...new Set(operands)].toSorted((a, b) => a - b);
  const table = fn.immediate[instruction] as number;
  const values = Array.from({ length: 2 ** known.length }, (_, choice) => {
    const bits = operands.map((operand) => (choice >> known.indexOf(operand)) & 1) as [number, number, number];
    return (table >> ((bits[0] << 2) | (bits[1] << 1) | bits[2])) & 1;
  });
  return hashOf([seed, ...known, ...values]);
}

/** What a run shows: what each instruction with an effect read, in order. */
export function interpret(fn: MachineFunction, seed: number, longest: number = 400): readonly number[] {
  const trace: number[] = [];
  const count = fn.isAllocated ? REGISTER_COUNT : fn.valueCount;
  const state: State = { low: new Int32Array(count), high: new Int32Array(count) };
  const { low, high } = state;
  if (fn.isAllocated) for (let i = 0; i < count; i++) high[i] = low[i] = mix(seed, -i - 100);
  const slots: State = { low: new Int32Array(fn.slotBytes.length), high: new Int32Array(fn.slotBytes.length) };
  const isWritten = new Uint8Array(fn.slotBytes.length);
  let flags = seed;
  let block = fn.blocks[0] as MachineBlock;
  while (trace.length < longest) {
    let taken = 0;
    for (const instruction of block.instructions) {
      const form = fn.form[instruction] as number;
      const first = fn.firstOperand[instruction] as number;
      const end = first + (fn.operandsOf[instruction] as number);
      const immediate = fn.immediate[instruction] as number;
      const width = fn.extra[instruction] as number;
      const read: number[] = [];
      /** What each operand is, and where it begins in `read`. */
      const starts: number[] = [];
      for (let i = first; i < end; i++) {
        const role = fn.role[i] as number;
        const value = fn.value[i] as number;
        if (fn.isAllocated) checkOperand(fn, first, i);
        if ((role & USE) === 0) continue;
        starts.push(read.length);
        read.push(low[value] as number);
        if (isWide(fn, form, i)) read.push(high[value] as number);
      }
      const one = fn.value[first] as number;
      const kind = form >= 0 ? (RETIE_KIND[form] as number) : RETIE.none;
      if (form === PSEUDO.copy) {
        low[one] = read[0] as number;
        high[one] = width === 32 ? (high[fn.value[first + 1] as number] as number) : 0;
      } else if (form === PSEUDO.storeSlot) {
        checkSlot(fn, immediate, width);
        slots.low[immediate] = read[0] as number;
        slots.high[immediate] = width === 32 ? (high[one] as number) : NOTHING;
        isWritten[immediate] = 1;
      } else if (form === PSEUDO.loadSlot) {
        if (isWritten[immediate] === 0) throw new Error("reads a place that was never written");
        checkSlot(fn, immediate, width);
        low[one] = slots.low[immediate] as number;
        high[one] = width === 32 ? (slots.high[immediate] as number) : 0;
      } else if (form === PSEUDO.jump) taken = 0;
      else if (form === PSEUDO.branch) taken = (flags >>> 7) & 1;
      else if (form === PSEUDO.ret) return [...trace, ...read].slice(0, longest);
      else if (isConstant(form)) writeResults(fn, { form, first, end }, mix(form, immediate), state);
      else {
        const hash =
          kind === RETIE.none
            ? hashOf([seed, form, immediate, ...read])
            : hashOfRetied(
                fn,
                instruction,
                seed,
                starts.map((start, i) => hashOf(read.slice(start, starts[i + 1]))),
              );
        trace.push(hash);
        flags = hash;
        if (fn.isAllocated && form === PSEUDO.call)
          for (const register of fn.clobbers[fn.extra[instruction] as number] as Uint8Array)
            high[register] = low[register] = mix(hash, 12_345);
        writeResults(fn, { form, first, end }, hash, state);
      }
    }
    const next = fn.blocks[block.successors[taken] as number] as MachineBlock;
    if (!fn.isAllocated) {
      const args = block.args[taken] as number[];
      const values = args.map((value) => [low[value] as number, high[value] as number] as const);
      next.parameters.forEach((parameter, i) => ([low[parameter], high[parameter]] = values[i] as [number, number]));
    }
    block = next;
  }
  return trace.slice(0, longest);
}
