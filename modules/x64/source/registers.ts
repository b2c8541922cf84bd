// SPDX-License-Identifier: Apache-2.0
// Which registers the allocator hands out, in the order in which it likes them, and which have another use.
import { GENERAL, REGISTER_COUNT, VECTOR } from "./machine-function.ts";

/** Scratch of moves and of expanded instructions: r11 and the vector 15. */
export const SCRATCH: Uint8Array = Uint8Array.of(11, 16 + 15, 48);
/** The stack of the processor. */
export const STACK_REGISTER = 4;
/** The private stack's pointer of the thread, an address in the kernel's memory. */
export const PRIVATE_STACK_REGISTER = 15;

/** Registers by class. Those without a prefix of their own come first. */
export const ALLOCATABLE: readonly Uint8Array[] = [
  Uint8Array.of(0, 1, 2, 3, 6, 7, 5, 8, 9, 10, 12, 13, 14),
  Uint8Array.from({ length: 15 }, (_, i) => 16 + i),
  Uint8Array.of(49, 50, 51, 52, 53, 54, 55),
];

/** The same where EVEX reaches 32 vectors: those that VEX reaches, with its shorter instructions, come first. */
export const WIDE_ALLOCATABLE: readonly Uint8Array[] = [
  ALLOCATABLE[0] as Uint8Array,
  Uint8Array.from({ length: 31 }, (_, i) => 16 + i + (i < 15 ? 0 : 1)),
  ALLOCATABLE[2] as Uint8Array,
];

/** The registers of arguments and results, as far as they reach: those of C come first. */
export const ARGUMENT_REGISTERS: readonly Uint8Array[] = [
  Uint8Array.of(7, 6, 2, 1, 8, 9, 0, 3, 5, 10),
  Uint8Array.from({ length: 12 }, (_, i) => 16 + i),
  new Uint8Array(0),
];
/** The same for results. */
export const RESULT_REGISTERS: readonly Uint8Array[] = [
  Uint8Array.of(0, 2, 1, 6, 7, 8, 9, 3, 5, 10),
  Uint8Array.from({ length: 12 }, (_, i) => 16 + i),
  new Uint8Array(0),
];

/** Every register: what a call loses whose callee is not known. */
export const ALL_REGISTERS: Uint8Array = Uint8Array.from({ length: REGISTER_COUNT }, (_, i) => i);

/** Bytes of a value's place on the stack. */
export function slotBytes(registerClass: number, width: number): number {
  return registerClass === VECTOR ? width : registerClass === GENERAL ? 8 : 8;
}
