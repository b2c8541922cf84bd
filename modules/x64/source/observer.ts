// SPDX-License-Identifier: Apache-2.0
// What tools see of code generation: when each phase ends, and what a function's code consists of.
import { type MachineFunction, PSEUDO } from "./machine-function.ts";

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
}

/** Counts a function with registers. */
export function countInstructions(fn: MachineFunction): X64Counts {
  let [instructions, stores, reloads, copies, constants] = [0, 0, 0, 0, 0];
  for (const block of fn.blocks) {
    for (const instruction of block.instructions) {
      const form = fn.form[instruction];
      const first = fn.firstOperand[instruction] ?? 0;
      if (form === PSEUDO.copy && fn.value[first] === fn.value[first + 1]) continue;
      instructions++;
      if (form === PSEUDO.storeSlot) stores++;
      else if (form === PSEUDO.loadSlot) reloads++;
      else if (form === PSEUDO.copy) copies++;
      else if (form === PSEUDO.constant || form === PSEUDO.vectorConstant) constants++;
    }
  }
  return { instructions, stores, reloads, copies, constants, frame: fn.slotBytes.reduce((sum, one) => sum + one, 0) };
}
