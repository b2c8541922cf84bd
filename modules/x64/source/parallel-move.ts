// SPDX-License-Identifier: Apache-2.0
/**
 * Moves that happen at once, written one after the other: on edges, and in front of instructions with fixed registers.
 *
 * A move is done when nothing else still reads its target; then what it has read may be written in turn. What is left
 * then are cycles: one value of each is saved, in the scratch register of its class, or on the stack when moves between
 * places there need that register. Cost: linear in the moves.
 */
import { InternalError } from "@muxkit/cargo";

import { type MachineFunction, PSEUDO, DEF, USE, VECTOR, classOfRegister } from "./machine-function.ts";
import { SCRATCH } from "./registers.ts";

/** Locations from here on are places on the stack. */
export const FIRST_SLOT = 64;

const NONE = -1;

/** A set of moves. */
export class ParallelMoves {
  private readonly fn: MachineFunction;
  private readonly targets: number[] = [];
  private readonly sources: number[] = [];
  private readonly classes: number[] = [];
  private readonly widths: number[] = [];
  /** By location: how many moves read it, and which move writes it. */
  private readers: Int32Array = new Int32Array(256);
  private writer: Int32Array = new Int32Array(256).fill(NONE);
  private readonly ready: number[] = [];
  /** Where a cycle is saved when no scratch register is free; -1: never needed yet. */
  private savedSlot: number = NONE;

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
    const { targets, sources, classes, widths, ready } = this;
    const { length } = targets;
    if (length === 0) return;
    this.reserve(FIRST_SLOT + this.fn.slotBytes.length + 1);
    for (let i = 0; i < length; i++) {
      this.readers[sources[i] as number] = (this.readers[sources[i] as number] as number) + 1;
      this.writer[targets[i] as number] = i;
    }
    for (let i = length - 1; i >= 0; i--) if (this.readers[targets[i] as number] === 0) ready.push(i);
    this.drain(output);
    for (let i = 0; i < length; i++) {
      const target = targets[i] as number;
      if (this.writer[target] !== i) continue;
      // Of a cycle: who reads this target reads the saved value instead.
      const reader = this.readerOf(target, length);
      const registerClass = classes[reader] as number;
      const saved = this.hasMemoryMove() ? this.slot() : (SCRATCH[registerClass] as number);
      this.move(output, saved, target, registerClass, widths[reader] as number);
      sources[reader] = saved;
      this.readers[target] = 0;
      ready.push(i);
      this.drain(output);
    }
    for (const list of [targets, sources, classes, widths]) list.length = 0;
  }

  /** Writes the moves whose targets nothing reads any more. */
  private drain(output: number[]): void {
    const { targets, sources, classes, widths, ready } = this;
    for (let i = ready.pop(); i !== undefined; i = ready.pop()) {
      const source = sources[i] as number;
      this.move(output, targets[i] as number, source, classes[i] as number, widths[i] as number);
      this.writer[targets[i] as number] = NONE;
      const left = (this.readers[source] as number) - 1;
      this.readers[source] = Math.max(0, left);
      if (left === 0 && this.writer[source] !== NONE) ready.push(this.writer[source] as number);
    }
  }

  /** The move that is left and reads a location: in a cycle there is one. */
  private readerOf(location: number, length: number): number {
    for (let i = 0; i < length; i++)
      if (this.sources[i] === location && this.writer[this.targets[i] as number] === i) return i;
    throw new InternalError("a move waits for nothing");
  }

  /** Whether moves that are left go from one place on the stack to another. */
  private hasMemoryMove(): boolean {
    return this.targets.some(
      (target, i) => this.writer[target] === i && target >= FIRST_SLOT && (this.sources[i] as number) >= FIRST_SLOT,
    );
  }

  private reserve(locations: number): void {
    if (locations <= this.readers.length) return;
    this.readers = new Int32Array(2 * locations);
    this.writer = new Int32Array(2 * locations).fill(NONE);
  }

  private slot(): number {
    if (this.savedSlot === NONE) this.savedSlot = FIRST_SLOT + this.fn.slotBytes.push(this.fn.partBytes) - 1;
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
