// SPDX-License-Identifier: Apache-2.0
// What the allocator yields: instructions with registers, and what it put between them.
import type { MachineFunction } from "./machine-function.ts";

/** What a step does. @public */
export const STEP = {
  /** The instruction `a`. */
  instruction: 0,
  /** Register `a` gets what register `b` has. */
  move: 1,
  /** Register `a` gets what slot `b` has. */
  load: 2,
  /** Slot `a` gets what register `b` has. */
  store: 3,
  /** Slot `a` gets what slot `b` has, by way of register `c`, which keeps its value through slot `d` if `d` is one. */
  copySlot: 4,
} as const;

/** A step: what, and what it is about. @public */
export interface Step {
  /** One of {@link STEP}. */
  readonly kind: number;
  /** See {@link STEP}. */
  readonly a: number;
  /** See {@link STEP}; of a move, then `c` is the bytes of the value. */
  readonly b: number;
  /** See {@link STEP}. */
  readonly c: number;
  /** See {@link STEP}. */
  readonly d: number;
}

/** A function whose values have registers. @public */
export interface Allocation {
  /** The function; critical edges are split. */
  readonly machine: MachineFunction;
  /** Of each use and each definition of the function's columns, its register; all banks are counted in one row. */
  readonly useRegisters: Int32Array;
  /** See `useRegisters`. */
  readonly definitionRegisters: Int32Array;
  /** Blocks that are reached, in an order that suits; the entry first. */
  readonly order: readonly number[];
  /** For each block, what it does before its ending. */
  readonly steps: readonly (readonly Step[])[];
  /** Bytes of each slot. */
  readonly slots: readonly number[];
  /** The slot of each value that has one, -1 for others. */
  readonly slotOf: Int32Array;
}
