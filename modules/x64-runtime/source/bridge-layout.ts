// SPDX-License-Identifier: Apache-2.0
/**
 * What the bridge and its caller share: the block of a thread and its words.
 *
 * Each thread has a block of 1 MiB, aligned to its size, so that any stack pointer of a kernel leads to it:
 *
 * | from     | to       | what                                       |
 * |----------|----------|--------------------------------------------|
 * | 0        | 0x1000   | header: what a call saves, then the words  |
 * | 0x1000   | 0x10000  | no access: where an exhausted stack faults |
 * | 0x10000  | 0xc0000  | the stack of kernels                       |
 * | 0xc0000  | 0xd0000  | no access                                  |
 * | 0xd0000  | 0xf0000  | the stack of signal handlers               |
 * | 0xf0000  | 0x100000 | no access                                  |
 */
import { KERNEL_STACK_BYTES } from "@muxkit/x64-assembler/kernel-stack";

/** Bytes of a thread's block. */
export const BLOCK_BYTES = 0x10_0000;
/** Where the lower guard and the stack of kernels begin. */
export const GUARD_AT = 0x1000;
export const STACK_AT = 0x1_0000;
/** Where the stack of kernels ends; its last words are the bridge's, and hold the address of the header. */
export const STACK_END: number = STACK_AT + KERNEL_STACK_BYTES + 256;
/** The stack of signal handlers. */
export const SIGNAL_STACK_AT = 0xd_0000;
export const SIGNAL_STACK_BYTES = 0x2_0000;

/** Bytes of address space for code, reserved once a process: one range by which faults are recognised. @public */
export const CODE_SPACE_BYTES: number = 0x400_0000;

/** Fields of the header. */
export const HEADER = {
  stackPointer: 0x00,
  mxcsr: 0x08,
  kernelMxcsr: 0x0c,
  mapping: 0x10,
  oldSignalStack: 0x18,
  words: 0x100,
} as const;

/** Bytes of the words. */
export const WORDS_BYTES = 0x100;

/** Words of 8 bytes, by number. The bridge's functions take arguments from `arguments` on. */
export const WORD = {
  code: 0,
  memory: 1,
  arguments: 2,
  result: 8,
  fault: 9,
  faultAddress: 10,
  faultPlace: 11,
  serial: 12,
  thread: 13,
  codeSpace: 14,
  block: 15,
} as const;

/** The signal by which one thread makes another leave its kernel: one that C libraries and Node leave alone. */
export const KICK_SIGNAL = 60;
/** SIGILL, SIGBUS, SIGFPE, SIGSEGV. */
export const FAULT_SIGNALS: readonly number[] = [4, 7, 8, 11];
