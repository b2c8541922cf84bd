// SPDX-License-Identifier: Apache-2.0
// Offsets of the kernel ABI (docs/kernel-abi.md) as generated code uses them.

/** Dispatch block. */
export const DISPATCH = {
  dimensions: 4,
  globalSize: 8,
  globalOffset: 20,
  localSize: 32,
  groupCount: 44,
  rangeStart: 56,
  rangeCount: 68,
  liveOffset: 88,
  privateOffset: 92,
  programData: 96,
} as const;

/** Worker block. */
export const WORKER = {
  arenaBase: 8,
  arenaSize: 12,
  cancelWord: 16,
  countdown: 20,
  groupBase: 44,
  printfArea: 56,
} as const;

/** Cancel word: ask the clock now and then. */
export const CANCEL_ASK = 1;
/** Cancel word: leave. */
export const CANCEL_LEAVE = 2;
/** Checks between two questions to the clock. */
export const COUNTDOWN: number = 1 << 20;
