// SPDX-License-Identifier: Apache-2.0
// The machine that passes lower for: a thread of scalars.
import { LAYOUT_64, Op } from "@muxkit/ir";
import { type MachineTarget, genericMachine } from "@muxkit/machine-target";

const GENERIC: MachineTarget = genericMachine(LAYOUT_64);

/** NVIDIA's threads. @public */
export const PTX_MACHINE: MachineTarget = {
  ...GENERIC,
  name: "ptx",
  support: { [Op.FREM]: { scalar: [], vector: [], libcall: [16, 32, 64] } },
  // Of 255 for each thread: more of them in use leave fewer warps to hide latencies.
  registers: { ...GENERIC.registers, vectors: 64, scalars: 64 },
  halves: "arithmetic",
  limits: { ...GENERIC.limits, subGroupSize: 32 },
  // A warp issues in order, and waits at the first use of what it loads: copies of a loop have their loads under way
  // together. What is unrolled beyond these sizes leaves the cache of instructions.
  unrolling: {
    instructions: 1024,
    arrayInstructions: 8192,
    iterations: 128,
    copies: 4,
    rowCopies: 4,
    copiedInstructions: 320,
    roundInstructions: 200,
  },
  // Two accesses of 4 bytes under way fill the memory's pipe: a thread with one leaves a fifth of it empty.
  coarsening: { items: 4, bytes: 8, instructions: 256 },
};
