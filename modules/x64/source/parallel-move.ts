// SPDX-License-Identifier: Apache-2.0
/**
 * Moves that happen at once, written one after the other: on edges, and in front of instructions with fixed registers.
 *
 * A move is done when nothing else still reads its target. What is left then are cycles: one value of each is saved,
 * in the scratch register of its class, or on the stack when moves between places there need that register. Cost:
 * quadratic in the moves of one set, which registers bound, except for parameters on the stack.
 */
import { type MachineFunction, PSEUDO, DEF, USE, VECTOR, classOfRegister } from "./machine-function.ts";
import { SCRATCH } from "./registers.ts";

/** Locations from here on are places on the stack. */
export const FIRST_SLOT = 64;

/** A set of moves. */
export class ParallelMoves {
  private readonly fn: MachineFunction;
  private readonly targets: number[] = [];
  private readonly sources: number[] = [];
  private readonly classes: number[] = [];
  private readonly widths: number[] = [];
  /** Where a cycle is saved when no scratch register is free; -1: never needed yet. */
  private savedSlot: number = -1;

  constructor(fn: MachineFunction) {
    this.fn = fn;
  }

  /** Adds a move from one location to another. */
  add(target: number, source: number, registerClass: number, width: number): void {
    if (target === source) return;
    this.targets.push(target);
    this.sources.push(source);
    this.classes.push(registerClass);
    this.widths.push(width);
  }

  /** Writes all moves that were added to the end of a list of instructions, and forgets them. */
  write(output: number[]): void {
    const { targets, sources, classes, widths } = this;
    while (targets.length > 0) {
      let progress = false;
      for (let i = targets.length - 1; i >= 0; i--) {
        const target = targets[i] as number;
        if (sources.includes(target)) continue;
        this.move(output, target, sources[i] as number, classes[i] as number, widths[i] as number);
        for (const list of [targets, sources, classes, widths]) list.splice(i, 1);
        progress = true;
      }
      if (progress) continue;
      const blocked = sources[0] as number;
      const registerClass = classes[0] as number;
      const width = widths[0] as number;
      const hasMemoryMove = targets.some((target, i) => target >= FIRST_SLOT && (sources[i] as number) >= FIRST_SLOT);
      const saved = hasMemoryMove ? this.slot() : (SCRATCH[registerClass] as number);
      this.move(output, saved, blocked, registerClass, width);
      for (let i = 0; i < sources.length; i++) if (sources[i] === blocked) sources[i] = saved;
    }
  }

  private slot(): number {
    if (this.savedSlot === -1) this.savedSlot = FIRST_SLOT + this.fn.slotBytes.push(32) - 1;
    return this.savedSlot;
  }

  private move(output: number[], target: number, source: number, registerClass: number, width: number): void {
    if (target >= FIRST_SLOT && source >= FIRST_SLOT) {
      const scratch = SCRATCH[registerClass] as number;
      output.push(loadSlot(this.fn, scratch, source - FIRST_SLOT, width));
      output.push(storeSlot(this.fn, target - FIRST_SLOT, scratch, width));
    } else if (target >= FIRST_SLOT) output.push(storeSlot(this.fn, target - FIRST_SLOT, source, width));
    else if (source >= FIRST_SLOT) output.push(loadSlot(this.fn, target, source - FIRST_SLOT, width));
    else output.push(copyRegister(this.fn, target, source, width));
  }
}

/** An instruction that copies a register. */
export function copyRegister(fn: MachineFunction, target: number, source: number, width: number): number {
  const made = fn.newInstruction(PSEUDO.copy, 0, classOfRegister(target) === VECTOR ? width : 8);
  fn.operand(target, DEF);
  fn.operand(source, USE);
  return made;
}

/** An instruction that reads a place on the stack. */
export function loadSlot(fn: MachineFunction, target: number, slot: number, width: number): number {
  const made = fn.newInstruction(PSEUDO.loadSlot, slot, width);
  fn.operand(target, DEF);
  return made;
}

/** An instruction that writes a place on the stack. */
export function storeSlot(fn: MachineFunction, slot: number, source: number, width: number): number {
  const made = fn.newInstruction(PSEUDO.storeSlot, slot, width);
  fn.operand(source, USE);
  return made;
}
