// SPDX-License-Identifier: Apache-2.0
// Runs machine functions before and after allocation. Instructions are opaque: a result is a hash of the form, the
// immediate and what is read, so that any wrong operand shows. Registers and places on the stack that calls lose
// are lost here too; what a branch does depends on a hash as well.
import {
  DEF,
  FIXED_SHIFT,
  type MachineBlock,
  type MachineFunction,
  PSEUDO,
  REGISTER_COUNT,
  TIED_SHIFT,
  USE,
} from "../source/machine-function.ts";
import { IS_COMMUTATIVE } from "../source/spill.ts";

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

/** What a run shows: what each instruction with an effect read, in order. */
export function interpret(fn: MachineFunction, seed: number, longest: number = 400): readonly number[] {
  const trace: number[] = [];
  const state = new Int32Array(fn.isAllocated ? REGISTER_COUNT : fn.valueCount);
  if (fn.isAllocated) for (let i = 0; i < state.length; i++) state[i] = mix(seed, -i - 100);
  const slots = new Int32Array(fn.slotBytes.length).fill(-77);
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
      const read: number[] = [];
      const written: number[] = [];
      for (let i = first; i < end; i++) {
        const role = fn.role[i] as number;
        if (fn.isAllocated) checkOperand(fn, first, i);
        if ((role & USE) !== 0) read.push(state[fn.value[i] as number] as number);
        if ((role & DEF) !== 0) written.push(fn.value[i] as number);
      }
      // Of these the allocator may exchange the operands.
      if (IS_COMMUTATIVE[form] === 1 && fn.addressing[instruction] === 0) read.sort((a, b) => a - b);
      if (form === PSEUDO.copy) state[written[0] as number] = read[0] as number;
      else if (form === PSEUDO.storeSlot) {
        slots[immediate] = read[0] as number;
        isWritten[immediate] = 1;
      } else if (form === PSEUDO.loadSlot) {
        if (isWritten[immediate] === 0) throw new Error("reads a place that was never written");
        state[written[0] as number] = slots[immediate] as number;
      } else if (form === PSEUDO.jump) taken = 0;
      else if (form === PSEUDO.branch) taken = (flags >>> 7) & 1;
      else if (form === PSEUDO.ret) return [...trace, ...read].slice(0, longest);
      else {
        let hash = mix(mix(seed, form), immediate);
        for (const value of read) hash = mix(hash, value);
        trace.push(hash);
        if (form !== PSEUDO.constant && form !== PSEUDO.vectorConstant) flags = hash;
        else hash = mix(form, immediate);
        if (form === PSEUDO.constant || form === PSEUDO.vectorConstant) trace.pop();
        if (fn.isAllocated && form === PSEUDO.call)
          for (const register of fn.clobbers[fn.extra[instruction] as number] as Uint8Array)
            state[register] = mix(hash, 12_345);
        written.forEach((value, i) => (state[value] = mix(hash, i)));
      }
    }
    const next = fn.blocks[block.successors[taken] as number] as MachineBlock;
    if (!fn.isAllocated) {
      const values = (block.args[taken] as number[]).map((value) => state[value] as number);
      next.parameters.forEach((parameter, i) => (state[parameter] = values[i] as number));
    }
    block = next;
  }
  return trace.slice(0, longest);
}
