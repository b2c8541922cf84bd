// SPDX-License-Identifier: Apache-2.0
/**
 * Spilling, before registers are assigned: afterwards no more values are in registers than there are registers.
 *
 * Source: Braun and Hack, "Register Spilling and Live-Range Splitting for SSA-Form Programs" (CC 2009). One walk over
 * the blocks in reverse postorder holds the set of values that are in registers. Where an instruction needs room, the
 * values with the furthest next use leave. A loop begins with what it uses; what only passes through it stays when the
 * loop leaves room. A value that is needed and not there is reloaded in front of its user, or on an edge where all
 * others have it.
 *
 * A value that ever leaves before its last use is stored once, behind its definition: so its place on the stack is
 * valid everywhere. Values that an instruction without operands makes anew (constants) have no place.
 *
 * Instructions with fixed registers count each of those as one more, so that what is in them can move away.
 *
 * Cost: linear in operands, times the registers for each search of the furthest use.
 */
import { InternalError } from "@muxkit/cargo";

import {
  DEF,
  EARLY,
  FIXED_SHIFT,
  LAST,
  type MachineBlock,
  type MachineFunction,
  PSEUDO,
  TIED_SHIFT,
  USE,
  isTieShared,
} from "./machine-function.ts";
import { DEAD, LEAVING, type NextUses } from "./next-use.ts";

/** What spilling decides. */
export interface Spilling {
  /** Values that are in registers at the start of each block, parameters among them. */
  readonly entry: readonly Int32Array[];
  /** 1 for values that have a place on the stack. */
  readonly isSpilled: Uint8Array;
}

/** The values in registers of one class. */
class Held {
  readonly values: number[] = [];
}

class Spiller {
  readonly entry: Int32Array[] = [];
  readonly isSpilled: Uint8Array;
  private readonly fn: MachineFunction;
  private readonly uses: NextUses;
  private readonly registers: readonly Uint8Array[];
  private readonly limits: readonly number[];
  private readonly exits: (Int32Array | undefined)[] = [];
  private readonly isHeld: Uint8Array;
  private readonly next: Int32Array;
  private readonly held: readonly Held[] = [new Held(), new Held(), new Held()];
  private readonly usedAt: Int32Array;
  /** In how many of the known predecessors a value ends in a register, while a block is entered. */
  private readonly ways: Int32Array;
  private readonly candidates: readonly number[][] = [[], [], []];
  /** For each header and class: most values at once in the loop. */
  private readonly loopPressure: Int32Array;
  private output: number[] = [];

  constructor(fn: MachineFunction, uses: NextUses, registers: readonly Uint8Array[]) {
    this.fn = fn;
    this.uses = uses;
    this.registers = registers;
    this.limits = registers.map((list) => list.length);
    this.isSpilled = new Uint8Array(fn.valueCount);
    this.isHeld = new Uint8Array(fn.valueCount);
    this.next = new Int32Array(fn.valueCount).fill(DEAD);
    this.usedAt = new Int32Array(fn.valueCount).fill(-1);
    this.ways = new Int32Array(fn.valueCount);
    this.loopPressure = loopPressures(fn, uses);
  }

  run(): Spilling {
    const { fn, uses } = this;
    for (const number of uses.order) this.block(fn.blocks[number] as MachineBlock);
    // What an edge finds in no register is read from its place.
    for (const number of uses.order) {
      const block = fn.blocks[number] as MachineBlock;
      block.successors.forEach((to, s) => {
        const exit = this.exits[number] as Int32Array;
        const wanted = this.entry[to] as Int32Array;
        for (let i = 0; i < wanted.length; i++) {
          const value = wanted[i] as number;
          if (!fn.blocks[to]?.parameters.includes(value) && !exit.includes(value)) this.spill(value);
        }
        (block.args[s] as number[]).forEach((value, i) => {
          if ((uses.parameterDistance[to] as Int32Array)[i] !== DEAD && !exit.includes(value)) this.spill(value);
        });
      });
      block.parameters.forEach((parameter, i) => {
        if ((uses.parameterDistance[number] as Int32Array)[i] === DEAD) return;
        if (!(this.entry[number] as Int32Array).includes(parameter)) this.isSpilled[parameter] = 1;
      });
    }
    return { entry: this.entry, isSpilled: this.isSpilled };
  }

  private spill(value: number): void {
    if (this.fn.origin[value] === -1) this.isSpilled[value] = 1;
  }

  private enter(value: number): void {
    if (this.isHeld[value] === 1) return;
    this.isHeld[value] = 1;
    (this.held[this.fn.classOf[value] as number] as Held).values.push(value);
  }

  private leave(value: number): void {
    if (this.isHeld[value] === 0) return;
    this.isHeld[value] = 0;
    const { values } = this.held[this.fn.classOf[value] as number] as Held;
    const at = values.indexOf(value);
    values[at] = values[values.length - 1] as number;
    values.pop();
  }

  private reset(): void {
    for (const { values } of this.held) {
      for (const value of values) this.isHeld[value] = 0;
      values.length = 0;
    }
  }

  /** Chooses what is in registers when a block begins. */
  private enterBlock(block: MachineBlock): void {
    const { fn, uses } = this;
    const list = uses.liveIn[block.number] as Int32Array;
    const distances = uses.distanceIn[block.number] as Int32Array;
    const ownDistances = uses.parameterDistance[block.number] as Int32Array;
    const before = block.predecessors.filter((number) => uses.position[number] !== -1);
    const known = before.filter((number) => this.exits[number] !== undefined);
    this.reset();
    for (let i = 0; i < list.length; i++) this.next[list[i] as number] = distances[i] as number;
    block.parameters.forEach((parameter, i) => (this.next[parameter] = ownDistances[i] as number));
    for (const number of known)
      for (const value of this.exits[number] as Int32Array) this.ways[value] = (this.ways[value] as number) + 1;
    // Parameters are wherever they are wanted.
    for (const parameter of block.parameters) this.ways[parameter] = known.length;
    const isLoop = known.length < before.length;
    for (const candidates of this.candidates) candidates.length = 0;
    for (const value of list) (this.candidates[fn.classOf[value] as number] as number[]).push(value);
    block.parameters.forEach((value) => {
      if (this.next[value] !== DEAD) (this.candidates[fn.classOf[value] as number] as number[]).push(value);
    });
    for (let c = 0; c < 3; c++) this.choose(block.number, c, known.length, isLoop);
    for (const number of known) for (const value of this.exits[number] as Int32Array) this.ways[value] = 0;
    for (const parameter of block.parameters) this.ways[parameter] = 0;
    const entry: number[] = [];
    for (const { values } of this.held) entry.push(...values);
    this.entry[block.number] = Int32Array.from(entry);
  }

  /** Chooses among the values of a class. `ways`: how many predecessors are known. */
  private choose(number: number, registerClass: number, ways: number, isLoop: boolean): void {
    const { next } = this;
    const candidates = this.candidates[registerClass] as number[];
    let room = this.limits[registerClass] as number;
    if (isLoop) {
      let passing = room - (this.loopPressure[3 * number + registerClass] as number);
      for (const value of candidates) if ((next[value] as number) >= LEAVING) passing++;
      candidates.sort((a, b) => (next[a] as number) - (next[b] as number));
      for (const value of candidates) {
        if (room === 0) break;
        // What only passes through a loop stays where the loop leaves room.
        if ((next[value] as number) >= LEAVING && (passing-- <= 0 || this.ways[value] !== ways)) continue;
        room--;
        this.enter(value);
      }
      return;
    }
    // What some way here does not have in a register would cost a reload on it.
    let count = 0;
    for (const value of candidates) if (this.ways[value] !== 0) candidates[count++] = value;
    candidates.length = count;
    if (count > room)
      candidates.sort(
        (a, b) =>
          Number(this.ways[a] !== ways) - Number(this.ways[b] !== ways) || (next[a] as number) - (next[b] as number),
      );
    for (let i = 0; i < count && room > 0; i++, room--) this.enter(candidates[i] as number);
  }

  private block(block: MachineBlock): void {
    this.enterBlock(block);
    this.output = [];
    for (let p = 0; p < block.instructions.length; p++) this.instruction(block.instructions[p] as number);
    block.instructions = this.output;
    const exit: number[] = [];
    for (const { values } of this.held) for (const value of values) if (this.next[value] !== DEAD) exit.push(value);
    this.exits[block.number] = Int32Array.from(exit);
  }

  /** Makes the values with the furthest next use leave until no more than `limit` are there. */
  private limit(registerClass: number, limit: number, stamp: number, mayLeaveUsed: boolean): void {
    const { values } = this.held[registerClass] as Held;
    while (values.length > limit) {
      let furthest = -1;
      for (let i = 0; i < values.length; i++) {
        const value = values[i] as number;
        if (!mayLeaveUsed && this.usedAt[value] === stamp) continue;
        if (furthest === -1 || (this.next[value] as number) > (this.next[furthest] as number)) furthest = value;
      }
      if (furthest === -1) throw new InternalError("an instruction has more operands than there are registers");
      this.spill(furthest);
      this.leave(furthest);
      if (this.usedAt[furthest] !== stamp) {
        const drop = this.fn.newInstruction(PSEUDO.drop);
        this.fn.operand(furthest, USE | LAST);
        this.output.push(drop);
      }
    }
  }

  private instruction(instruction: number): void {
    const { fn, uses, next } = this;
    const first = fn.firstOperand[instruction] as number;
    const end = first + (fn.operandsOf[instruction] as number);
    const stamp = instruction;
    const extra = [0, 0, 0];
    const defs = [0, 0, 0];
    for (let i = first; i < end; i++) {
      const role = fn.role[i] as number;
      const value = fn.value[i] as number;
      const c = fn.classOf[value] as number;
      if ((role & USE) !== 0) {
        this.usedAt[value] = stamp;
        if (((role >> FIXED_SHIFT) & 255) !== 0) extra[c] = (extra[c] as number) + 1;
      }
      if ((role & DEF) !== 0) {
        const tied = (role >> TIED_SHIFT) & 255;
        // A register that is shared with a value that lives on is a new one.
        const isCopied = tied !== 0 && (uses.nextAfter[first + tied - 1] !== DEAD || isTieShared(fn, instruction, i));
        if ((role & EARLY) !== 0 || isCopied || ((role >> FIXED_SHIFT) & 255) !== 0)
          extra[c] = (extra[c] as number) + 1;
        defs[c] = (defs[c] as number) + 1;
      }
    }
    const isCall = fn.form[instruction] === PSEUDO.call;
    for (let i = first; i < end; i++) {
      const value = fn.value[i] as number;
      if (((fn.role[i] as number) & USE) === 0 || this.isHeld[value] === 1) continue;
      this.enter(value);
      this.limit(fn.classOf[value] as number, this.limits[fn.classOf[value] as number] as number, stamp, false);
      this.spill(value);
      this.output.push(fn.newInstruction(PSEUDO.reload));
      fn.operand(value, DEF);
    }
    if (!isCall)
      for (let c = 0; c < 3; c++)
        if ((extra[c] as number) > 0) this.limit(c, this.roomBeside(c, extra[c] as number, stamp), stamp, false);
    for (let i = first; i < end; i++) next[fn.value[i] as number] = uses.nextAfter[i] as number;
    for (let i = first; i < end; i++) {
      const value = fn.value[i] as number;
      if (((fn.role[i] as number) & USE) !== 0 && next[value] === DEAD) this.leave(value);
    }
    for (let c = 0; c < 3; c++) {
      const kept = isCall
        ? (this.limits[c] as number) - this.lost(instruction, c)
        : (this.limits[c] as number) - (defs[c] as number);
      if (isCall || (defs[c] as number) > 0) this.limit(c, Math.max(0, kept), stamp, true);
    }
    for (let i = first; i < end; i++) {
      const value = fn.value[i] as number;
      if (((fn.role[i] as number) & USE) !== 0 && this.isHeld[value] === 0) fn.role[i] = (fn.role[i] as number) | LAST;
      if (((fn.role[i] as number) & DEF) === 0) continue;
      if (next[value] === DEAD) fn.role[i] = (fn.role[i] as number) | LAST;
      else this.enter(value);
    }
    this.output.push(instruction);
  }

  /** How many may be there so that so many more registers can be had. Operands themselves always have room. */
  private roomBeside(registerClass: number, extra: number, stamp: number): number {
    const { values } = this.held[registerClass] as Held;
    let operands = 0;
    for (const value of values) if (this.usedAt[value] === stamp) operands++;
    return Math.max(operands, (this.limits[registerClass] as number) - extra);
  }

  /** Registers of a class that a call loses, or passes something in. */
  private lost(instruction: number, registerClass: number): number {
    const { fn } = this;
    const clobbers = fn.clobbers[fn.extra[instruction] as number] as Uint8Array;
    const first = fn.firstOperand[instruction] as number;
    const end = first + (fn.operandsOf[instruction] as number);
    let count = 0;
    for (const register of this.registers[registerClass] as Uint8Array) {
      let isLost = clobbers.includes(register);
      for (let i = first; i < end; i++)
        if ((((fn.role[i] as number) >> FIXED_SHIFT) & 255) === register + 1) isLost = true;
      if (isLost) count++;
    }
    return count;
  }
}

/** Most values of each class at once in each loop, by its header. */
function loopPressures(fn: MachineFunction, { order, loopOf, parentOf, pressure }: NextUses): Int32Array {
  const most = new Int32Array(3 * fn.blocks.length);
  for (const number of order) {
    for (let loop = loopOf[number] as number; loop !== -1; loop = parentOf[loop] as number) {
      for (let c = 0; c < 3; c++)
        most[3 * loop + c] = Math.max(most[3 * loop + c] as number, pressure[3 * number + c] as number);
    }
  }
  return most;
}

/** Inserts reloads and drops until the values in registers of each class are no more than there are registers. */
export function spillToLimits(fn: MachineFunction, uses: NextUses, registers: readonly Uint8Array[]): Spilling {
  return new Spiller(fn, uses, registers).run();
}
