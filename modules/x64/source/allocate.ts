// SPDX-License-Identifier: Apache-2.0
// The register allocator: spill first, then assign.
import { assignRegisters } from "./assign.ts";
import { DEF, type MachineBlock, type MachineFunction, PSEUDO, REGISTER_COUNT } from "./machine-function.ts";
import { nextUses } from "./next-use.ts";
import type { X64Observer } from "./observer.ts";
import { ALLOCATABLE, SCRATCH } from "./registers.ts";
import { spillToLimits } from "./spill.ts";

/** Puts a block on each edge from a block with several successors to one with several predecessors. */
export function splitCriticalEdges(fn: MachineFunction): void {
  const { length } = fn.blocks;
  for (let number = 0; number < length; number++) {
    const block = fn.blocks[number] as MachineBlock;
    if (block.successors.length < 2) continue;
    for (let s = 0; s < block.successors.length; s++) {
      const to = fn.blocks[block.successors[s] as number] as MachineBlock;
      if (to.predecessors.length < 2) continue;
      const middle = fn.newBlock();
      middle.instructions.push(fn.newInstruction(PSEUDO.jump));
      middle.successors.push(to.number);
      middle.args.push(block.args[s] as number[]);
      middle.predecessors.push(block.number);
      to.predecessors[to.predecessors.indexOf(block.number)] = middle.number;
      block.successors[s] = middle.number;
      block.args[s] = [];
    }
  }
}

/** Gives every value of a function registers and places on the stack. Its columns hold registers afterwards. */
export function allocateRegisters(
  fn: MachineFunction,
  registers: readonly Uint8Array[] = ALLOCATABLE,
  observer?: X64Observer,
): void {
  splitCriticalEdges(fn);
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
