// SPDX-License-Identifier: Apache-2.0
// The register allocator: spill first, then assign.
import { assignRegisters } from "./assign.ts";
import { DEF, type MachineFunction, PSEUDO, REGISTER_COUNT } from "./machine-function.ts";
import { nextUses } from "./next-use.ts";
import type { X64Observer } from "./observer.ts";
import { ALLOCATABLE, SCRATCH } from "./registers.ts";
import { spillToLimits } from "./spill.ts";

/** Gives every value of a function registers and places on the stack. Its columns hold registers afterwards. */
export function allocateRegisters(
  fn: MachineFunction,
  registers: readonly Uint8Array[] = ALLOCATABLE,
  observer?: X64Observer,
): void {
  const uses = nextUses(fn);
  observer?.phase("next use");
  const spilling = spillToLimits(fn, uses, registers);
  observer?.phase("spill");
  assignRegisters(fn, uses, spilling, registers);
  observer?.phase("assign");
}

/** Registers that a function and its callees write. */
export function writtenRegisters(fn: MachineFunction): Uint8Array {
  const written = new Uint8Array(REGISTER_COUNT);
  for (const register of SCRATCH) written[register] = 1;
  for (const { instructions } of fn.blocks) {
    for (const instruction of instructions) {
      const first = fn.firstOperand[instruction] as number;
      for (let i = first; i < first + (fn.operandsOf[instruction] as number); i++)
        if (((fn.role[i] as number) & DEF) !== 0) written[fn.value[i] as number] = 1;
      if (fn.form[instruction] === PSEUDO.call)
        for (const register of fn.clobbers[fn.extra[instruction] as number] as Uint8Array) written[register] = 1;
    }
  }
  return Uint8Array.from(written.keys()).filter((register) => written[register] === 1);
}
