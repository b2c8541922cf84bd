// SPDX-License-Identifier: Apache-2.0
// Registers as the allocator counts them, and what of them it may use.
import { BANK } from "./machine-function.ts";

/** Where each bank begins in one numbering of all registers: general, vector, mask. */
export const BANK_BASE: readonly number[] = [0, 16, 48];
/** How many registers there are in that numbering. */
export const REGISTERS = 56;

/** Which registers a function may use, and where its arguments and results are. @public */
export interface RegisterFile {
  /** For each bank, the numbers of the registers in the order in which they are taken. */
  readonly allocatable: readonly (readonly number[])[];
  /** For each bank, the registers of the first parameters. */
  readonly parameters: readonly (readonly number[])[];
  /** For each bank, the registers of the first results. */
  readonly results: readonly (readonly number[])[];
}

const RSP = 4;
const range = (from: number, to: number): readonly number[] => Array.from({ length: to - from }, (_, n) => from + n);

/**
 * All registers of a tier: 16 or 32 vectors, and masks where there are 32; rsp and k0 have uses of their own.
 *
 * @public
 */
export function registerFile(vectors: 16 | 32): RegisterFile {
  return {
    allocatable: [
      range(0, 16).filter((number) => number !== RSP),
      range(0, vectors),
      vectors === 32 ? range(1, 8) : [],
    ],
    parameters: [[7, 6, 2, 1, 8, 9], range(0, 8), []],
    results: [[0, 2], [0, 1], []],
  };
}

/** The bank of a register. */
export function bankOf(register: number): number {
  return register < 16 ? BANK.general : register < 48 ? BANK.vector : BANK.mask;
}
