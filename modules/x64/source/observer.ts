// SPDX-License-Identifier: Apache-2.0
// What tools see of code generation: when each phase ends, and what a function's code consists of.
import { NONE } from "@muxkit/x64-assembler";

import { form } from "./machine-builder.ts";
import { IN_KERNEL, type MachineBlock, type MachineFunction, PSEUDO } from "./machine-function.ts";
import { MACRO } from "./macros.ts";

/** The phases of code generation, in their order. @internal */
export const X64_PHASES = ["selection", "next use", "spill", "assign", "encode"] as const;
/** One of {@link X64_PHASES}. @internal */
export type X64Phase = (typeof X64_PHASES)[number];

/** What a function's code consists of. @internal */
export interface X64Counts {
  /** Instructions, jumps to the next block among them; one that stands for several counts as one. */
  readonly instructions: number;
  /** Stores of spilled values and loads of them. */
  readonly stores: number;
  /** See {@link X64Counts.stores}. */
  readonly reloads: number;
  /** Copies of registers. */
  readonly copies: number;
  /** Constants that are put into registers. */
  readonly constants: number;
  /** Bytes of the places of spilled values. */
  readonly frame: number;
}

/** Whoever wants to know. @internal */
export interface X64Observer {
  /** A phase of a function has ended; null: its work begins. */
  readonly phase: (phase: X64Phase | null) => void;
  /** A function is written. */
  readonly written: (name: string, counts: X64Counts) => void;
  /** A function has registers; absent: nobody reads them. */
  readonly listed?: (listing: X64Listing) => void;
  /**
   * The address in the kernel's memory of a number of 64 bits for each block of each function, in the order in which
   * `listed` gets them, which code adds 1 to whenever the block begins. Absent: nothing is counted.
   */
  readonly counters?: number;
}

/** A function's code in words. @internal */
export interface X64Listing {
  /** Its name. */
  readonly name: string;
  /** The instructions of each block, with registers, in the order of their counters. */
  readonly blocks: readonly (readonly string[])[];
}

/** Lets a block count how often it begins, where the flags mean nothing. */
export function countBlock(fn: MachineFunction, block: MachineBlock, address: number): void {
  const made = fn.newInstruction(form("add r64/m64, s8"), 1);
  fn.address(IN_KERNEL, NONE, NONE, 0, address);
  const isEntry = fn.form[block.instructions[0] as number] === MACRO.enter;
  block.instructions.splice(isEntry ? 1 : 0, 0, made);
}

/** Counts a function with registers. */
export function countInstructions(fn: MachineFunction): X64Counts {
  let [instructions, stores, reloads, copies, constants] = [0, 0, 0, 0, 0];
  for (const block of fn.blocks) {
    for (const instruction of block.instructions) {
      const id = fn.form[instruction];
      const first = fn.firstOperand[instruction] ?? 0;
      if (id === PSEUDO.copy && fn.value[first] === fn.value[first + 1]) continue;
      instructions++;
      if (id === PSEUDO.storeSlot) stores++;
      else if (id === PSEUDO.loadSlot) reloads++;
      else if (id === PSEUDO.copy) copies++;
      else if (id === PSEUDO.constant || id === PSEUDO.vectorConstant) constants++;
    }
  }
  return { instructions, stores, reloads, copies, constants, frame: fn.slotBytes.reduce((sum, one) => sum + one, 0) };
}
