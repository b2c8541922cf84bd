// SPDX-License-Identifier: Apache-2.0
/**
 * Entries that functions of C call, by the System V convention:
 * `int k(void *base, uint32_t args, uint32_t dispatch, uint32_t worker, uint32_t first, uint32_t end)`.
 *
 * Kernels reach their memory by GS, which programs for Linux leave alone (the thread's own data are at FS). So an entry
 * sets GS to `base` and puts it back; both take some 5 ns, and the code in between is the same as the runtime's. It
 * needs a processor and a Linux (5.9) that let programs do so: bit 1 of AT_HWCAP2.
 *
 * Kernels lose every register but rsp and r15, so an entry saves what C keeps, MXCSR too, and aligns the stack. Where
 * the frame of C ends is then known by a word at rsp, since no register is left: `.eh_frame` says so.
 */
import { type Assembler, type FrameStep } from "@muxkit/x64-assembler";

import { form } from "./machine-builder.ts";

const RAX = 0;
const RCX = 1;
const RDX = 2;
const RSP = 4;
const RSI = 6;
const RDI = 7;
const R8 = 8;
const R9 = 9;
/** What C keeps, with the numbers in DWARF: rbp, rbx, r12 to r15. */
const KEPT: readonly (readonly [register: number, dwarf: number])[] = [
  [5, 6],
  [3, 3],
  [12, 12],
  [13, 13],
  [14, 14],
  [15, 15],
];
/** Places in the entry's frame: rsp as it was, GS, MXCSR as it was and as kernels want it. */
const PLACE = { stack: 0, gs: 8, mxcsr: 16, own: 20 } as const;
const FRAME_BYTES = 32;
/** Round to nearest, no exceptions, subnormal numbers kept. */
const KERNEL_MXCSR = 0x1f80;
/** What kernels of all tiers want. */
const ALIGNMENT = 64;

const PUSH = form("push r64");
const POP = form("pop r64");
const MOVE32 = form("mov r32, r32/m32");
const MOVE64 = form("mov r64, r64/m64");
const STORE64 = form("mov m64, r64");
const STORE_I32 = form("mov m32, s32");
const SUBTRACT = form("sub r64/m64, s8");
const AND = form("and r64/m64, s8");
const READ_GS = form("rdgsbase r64");
const WRITE_GS = form("wrgsbase r64");
const READ_MXCSR = form("stmxcsr m32");
const WRITE_MXCSR = form("ldmxcsr m32");
const NO_UPPER_HALVES = form("vzeroupper");
const RETURN = form("ret");

/** Writes an entry that calls a function of the kernel ABI; yields how to walk the stack out of it. */
export function writeCEntry(assembler: Assembler, kernel: number): readonly FrameStep[] {
  const start = assembler.length;
  const steps: FrameStep[] = [];
  let depth = 8;
  const step = (rule: FrameStep["rule"], bytes: number, register?: number): void => {
    steps.push({ offset: assembler.length - start, rule, bytes, ...(register === undefined ? {} : { register }) });
  };
  for (const [register, dwarf] of KEPT) {
    assembler.emit(PUSH, register);
    depth += 8;
    step("depth", depth);
    step("keep", depth, dwarf);
  }
  assembler.emit(MOVE64, RAX, RSP);
  step("register", depth);
  assembler.emit(SUBTRACT, RSP, FRAME_BYTES);
  assembler.emit(AND, RSP, -ALIGNMENT);
  assembler.emit(STORE64, assembler.flat(RSP, PLACE.stack), RAX);
  step("saved", depth);
  assembler.emit(READ_GS, RAX);
  assembler.emit(STORE64, assembler.flat(RSP, PLACE.gs), RAX);
  assembler.emit(READ_MXCSR, assembler.flat(RSP, PLACE.mxcsr));
  assembler.emit(STORE_I32, assembler.flat(RSP, PLACE.own), KERNEL_MXCSR);
  assembler.emit(WRITE_MXCSR, assembler.flat(RSP, PLACE.own));
  assembler.emit(WRITE_GS, RDI);
  // Without the base: each argument one register further in front.
  for (const [to, from] of [
    [RDI, RSI],
    [RSI, RDX],
    [RDX, RCX],
    [RCX, R8],
    [R8, R9],
  ] as const)
    assembler.emit(MOVE32, to, from);
  assembler.call(kernel);
  assembler.emit(NO_UPPER_HALVES);
  assembler.emit(MOVE64, RCX, assembler.flat(RSP, PLACE.gs));
  assembler.emit(WRITE_GS, RCX);
  assembler.emit(WRITE_MXCSR, assembler.flat(RSP, PLACE.mxcsr));
  assembler.emit(MOVE64, RSP, assembler.flat(RSP, PLACE.stack));
  step("depth", depth);
  for (const [register] of KEPT.toReversed()) {
    assembler.emit(POP, register);
    depth -= 8;
    step("depth", depth);
  }
  assembler.emit(RETURN);
  return steps;
}
