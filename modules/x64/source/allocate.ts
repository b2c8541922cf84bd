// SPDX-License-Identifier: Apache-2.0
// The register allocator: spill first, then assign.
import { assignRegisters } from "./assign.ts";
import { type MachineBlock, type MachineFunction, PSEUDO } from "./machine-function.ts";
import { nextUses } from "./next-use.ts";
import { ALLOCATABLE } from "./registers.ts";
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
export function allocateRegisters(fn: MachineFunction, registers: readonly Uint8Array[] = ALLOCATABLE): void {
  splitCriticalEdges(fn);
  const uses = nextUses(fn);
  const spilling = spillToLimits(fn, uses, registers);
  assignRegisters(fn, uses, spilling, registers);
}
