// SPDX-License-Identifier: Apache-2.0
/**
 * Spilling, before registers are assigned: afterwards no more values are in registers than there are registers.
 *
 * Source: Braun and Hack, "Register Spilling and Live-Range Splitting for SSA-Form Programs" (CC 2009). One walk over
 * the blocks in reverse postorder holds the set of values that are in registers. Where an instruction needs room, the
 * values with the furthest next use leave. A loop begins with what it uses; what only passes through it stays when the
 * loop leaves room. Where ways meet, what only some of them have is kept if it is used soon. A value that is needed and
 * not there is reloaded in front of its user, or on an edge where the others have it.
 *
 * A value that ever leaves before its last use is stored once, behind its definition: so its place on the stack is
 * valid everywhere. Values that an instruction without operands makes anew (constants) have no place; they are not
 * defined at all where they stand, but made where they are needed first, or on the way into a loop that uses them.
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
import { RETIE, RETIE_KIND, retie } from "./retie.ts";

/**
 * Where blocks meet, what is in a register on some ways only and not used within so many instructions is in none: it
 * would have to be loaded on the other ways, and may leave again before it is used.
 */
const FAR = 16;

/** No instruction has more operands. */
const MOST_OPERANDS = 64;

/** What spilling decides. */
export interface Spilling {
  /** Values that are in registers at the start of each block, parameters among them: from here … */
  readonly entryFirst: Int32Array;
  /** … to here in `entry`. */
  readonly entryEnd: Int32Array;
  /** See {@link Spilling.entryFirst}. */
  readonly entry: Int32Array;
  /** 1 for values that have a place on the stack. */
  readonly isSpilled: Uint8Array;
  /** 1 for blocks to whose end each way has a call. */
  readonly isCold: Uint8Array;
  /** The block that each value is a parameter of; -1: it is none. */
  readonly parameterOf: Int32Array;
}

/** Lists of values, one for each block. */
class Lists {
  readonly first: Int32Array;
  readonly end: Int32Array;
  values: Int32Array;
  private count: number = 0;

  constructor(blocks: number) {
    this.first = new Int32Array(blocks);
    this.end = new Int32Array(blocks);
    this.values = new Int32Array(16 * blocks + 64);
  }

  begin(block: number): void {
    this.first[block] = this.count;
    this.end[block] = this.count;
  }

  /** Adds to the list of the block that was begun last. */
  add(block: number, value: number): void {
    if (this.count === this.values.length) {
      const larger = new Int32Array(2 * this.count);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.count++] = value;
    this.end[block] = this.count;
  }
}

/** Sorts before all that some way to a block does not have in a register. */
const ON_SOME_WAYS = 2 ** 30;

class Spiller {
  readonly isSpilled: Uint8Array;
  private readonly fn: MachineFunction;
  private readonly uses: NextUses;
  private readonly registers: readonly Uint8Array[];
  private readonly limits: readonly number[];
  private readonly entries: Lists;
  private readonly exits: Lists;
  /** Whether the end of a block is known. */
  private readonly isKnown: Uint8Array;
  /** Whether each way to the end of a block has a call. Where ways meet, those without one are what runs mostly. */
  private readonly isCold: Uint8Array;
  private readonly next: Int32Array;
  /** The values in registers of each class, how many there are, and where each is in its list; -1: in none. */
  private readonly held: readonly Int32Array[];
  private readonly heldCount: Int32Array = new Int32Array(3);
  private readonly heldAt: Int32Array;
  private readonly usedAt: Int32Array;
  private readonly parameterOf: Int32Array;
  /** In how many of the known predecessors a value ends in a register, while a block is entered. */
  private readonly ways: Int32Array;
  /** The same, of those that no call lies on the way to. */
  private readonly hotWays: Int32Array;
  /** The last block that a value was found alive in, or in a register at the end of. */
  private readonly mark: Int32Array;
  private readonly candidates: readonly Int32Array[];
  private readonly candidateCount: Int32Array = new Int32Array(3);
  private keys: Float64Array = new Float64Array(64);
  /** For each header and class: most values at once in the loop. */
  private readonly loopPressure: Int32Array;
  /** Of an instruction, by class: registers beside those of its operands, and results. */
  private readonly extra: Int32Array = new Int32Array(3);
  private readonly defs: Int32Array = new Int32Array(3);
  private current: number = 0;
  private output: number[] = [];

  constructor(fn: MachineFunction, uses: NextUses, registers: readonly Uint8Array[]) {
    this.fn = fn;
    this.uses = uses;
    this.registers = registers;
    this.limits = registers.map((list) => list.length);
    this.isSpilled = new Uint8Array(fn.valueCount);
    this.entries = new Lists(fn.blocks.length);
    this.exits = new Lists(fn.blocks.length);
    this.isKnown = new Uint8Array(fn.blocks.length);
    this.isCold = new Uint8Array(fn.blocks.length);
    // While an instruction is looked at, its operands may be more than there are registers.
    this.held = registers.map((list) => new Int32Array(list.length + MOST_OPERANDS));
    this.heldAt = new Int32Array(fn.valueCount).fill(-1);
    this.next = new Int32Array(fn.valueCount).fill(DEAD);
    this.usedAt = new Int32Array(fn.valueCount).fill(-1);
    this.ways = new Int32Array(fn.valueCount);
    this.hotWays = new Int32Array(fn.valueCount);
    this.mark = new Int32Array(fn.valueCount).fill(-1);
    this.candidates = registers.map(() => new Int32Array(fn.valueCount));
    this.loopPressure = loopPressures(fn, uses);
    this.parameterOf = new Int32Array(fn.valueCount).fill(-1);
    for (const { number, parameters } of fn.blocks)
      for (const parameter of parameters) this.parameterOf[parameter] = number;
  }

  run(): Spilling {
    const { fn, uses, entries, parameterOf } = this;
    for (const number of uses.order) this.block(fn.blocks[number] as MachineBlock);
    this.mark.fill(-1);
    for (const number of uses.order) this.spillAround(fn.blocks[number] as MachineBlock);
    return {
      entryFirst: entries.first,
      entryEnd: entries.end,
      entry: entries.values,
      isSpilled: this.isSpilled,
      isCold: this.isCold,
      parameterOf,
    };
  }

  /** What an edge finds in no register is read from its place, and parameters that are in none are written there. */
  private spillAround({ number, parameters, successors, args }: MachineBlock): void {
    const { mark, exits, entries, parameterOf } = this;
    const { parameterDistance } = this.uses;
    for (let i = exits.first[number] as number; i < (exits.end[number] as number); i++)
      mark[exits.values[i] as number] = number;
    for (let s = 0; s < successors.length; s++) {
      const to = successors[s] as number;
      for (let i = entries.first[to] as number; i < (entries.end[to] as number); i++) {
        const value = entries.values[i] as number;
        if (mark[value] !== number && parameterOf[value] !== to) this.spill(value);
      }
      const given = args[s] as number[];
      const wanted = (this.fn.blocks[to] as MachineBlock).parameters;
      for (let i = 0; i < given.length; i++) {
        const value = given[i] as number;
        if (mark[value] !== number && parameterDistance[wanted[i] as number] !== DEAD) this.spill(value);
      }
    }
    for (let i = entries.first[number] as number; i < (entries.end[number] as number); i++)
      this.usedAt[entries.values[i] as number] = -2 - number;
    for (const parameter of parameters)
      if (parameterDistance[parameter] !== DEAD && this.usedAt[parameter] !== -2 - number)
        this.isSpilled[parameter] = 1;
  }

  private spill(value: number): void {
    if (this.fn.origin[value] === -1) this.isSpilled[value] = 1;
  }

  private enter(value: number): void {
    if (this.heldAt[value] !== -1) return;
    const c = this.fn.classOf[value] as number;
    const at = this.heldCount[c] as number;
    (this.held[c] as Int32Array)[at] = value;
    this.heldAt[value] = at;
    this.heldCount[c] = at + 1;
  }

  private leave(value: number): void {
    const at = this.heldAt[value] as number;
    if (at === -1) return;
    const c = this.fn.classOf[value] as number;
    const values = this.held[c] as Int32Array;
    const last = (this.heldCount[c] as number) - 1;
    const moved = values[last] as number;
    values[at] = moved;
    this.heldAt[moved] = at;
    this.heldAt[value] = -1;
    this.heldCount[c] = last;
  }

  private reset(): void {
    for (let c = 0; c < 3; c++) {
      const values = this.held[c] as Int32Array;
      for (let i = 0; i < (this.heldCount[c] as number); i++) this.heldAt[values[i] as number] = -1;
      this.heldCount[c] = 0;
    }
  }

  /** Chooses what is in registers when a block begins. */
  private enterBlock(block: MachineBlock): void {
    const { uses, exits, entries, next, ways, hotWays, mark, isKnown } = this;
    const { number, predecessors, parameters } = block;
    const { live, distance } = uses;
    const first = uses.liveFirst[number] as number;
    const end = uses.liveEnd[number] as number;
    this.reset();
    this.candidateCount.fill(0);
    for (let i = first; i < end; i++) {
      const value = live[i] as number;
      next[value] = distance[i] as number;
      mark[value] = number;
      ways[value] = 0;
      hotWays[value] = 0;
    }
    let known = 0;
    let hot = 0;
    let isLoop = false;
    for (const before of predecessors) {
      if (isKnown[before] === 0) {
        if (uses.position[before] !== -1) isLoop = true;
        continue;
      }
      known++;
      const isHot = this.isCold[before] === 0;
      if (isHot) hot++;
      for (let i = exits.first[before] as number; i < (exits.end[before] as number); i++) {
        const value = exits.values[i] as number;
        if (mark[value] !== number) continue;
        const seen = ways[value] as number;
        ways[value] = seen + 1;
        if (isHot) hotWays[value] = (hotWays[value] as number) + 1;
        if (seen === 0) this.propose(value);
      }
    }
    // A loop begins with what it uses, wherever that is.
    if (isLoop) for (let i = first; i < end; i++) if (ways[live[i] as number] === 0) this.propose(live[i] as number);
    for (const parameter of parameters) {
      next[parameter] = uses.parameterDistance[parameter] as number;
      // Parameters are wherever they are wanted.
      ways[parameter] = known;
      hotWays[parameter] = hot;
      if (next[parameter] !== DEAD) this.propose(parameter);
    }
    if (known > 0 && hot === 0) this.isCold[number] = 1;
    for (let c = 0; c < 3; c++)
      if (isLoop) this.chooseForLoop(number, c, known);
      else this.choose(c, known, hot);
    entries.begin(number);
    for (let c = 0; c < 3; c++)
      for (let i = 0; i < (this.heldCount[c] as number); i++)
        entries.add(number, (this.held[c] as Int32Array)[i] as number);
  }

  private propose(value: number): void {
    const c = this.fn.classOf[value] as number;
    const at = this.candidateCount[c] as number;
    (this.candidates[c] as Int32Array)[at] = value;
    this.candidateCount[c] = at + 1;
  }

  /** Sorts the candidates of a class; those with the nearest next use come first. */
  private sort(registerClass: number, ways: number): void {
    const list = this.candidates[registerClass] as Int32Array;
    const count = this.candidateCount[registerClass] as number;
    if (count > this.keys.length) this.keys = new Float64Array(2 * count);
    const { keys } = this;
    for (let i = 0; i < count; i++) {
      const value = list[i] as number;
      const isOnAll = ways === -1 || this.ways[value] === ways;
      keys[i] = ((this.next[value] as number) + (isOnAll ? 0 : ON_SOME_WAYS)) * 2 ** 22 + value;
    }
    keys.subarray(0, count).sort();
    for (let i = 0; i < count; i++) list[i] = (keys[i] as number) % 2 ** 22;
  }

  /** Chooses among the values of a class at a loop. `ways`: how many predecessors are known. */
  private chooseForLoop(number: number, registerClass: number, ways: number): void {
    const { next } = this;
    const candidates = this.candidates[registerClass] as Int32Array;
    const count = this.candidateCount[registerClass] as number;
    let room = this.limits[registerClass] as number;
    let passing = room - (this.loopPressure[3 * number + registerClass] as number);
    for (let i = 0; i < count; i++) if ((next[candidates[i] as number] as number) >= LEAVING) passing++;
    this.sort(registerClass, -1);
    for (let i = 0; i < count && room > 0; i++) {
      const value = candidates[i] as number;
      // What only passes through a loop stays where the loop leaves room.
      if ((next[value] as number) >= LEAVING && (passing-- <= 0 || this.ways[value] !== ways)) continue;
      room--;
      this.enter(value);
    }
  }

  /** The same where no loop begins: what no way has in a register would cost a reload on each. */
  private choose(registerClass: number, ways: number, hot: number): void {
    const candidates = this.candidates[registerClass] as Int32Array;
    const count = this.candidateCount[registerClass] as number;
    const room = this.limits[registerClass] as number;
    if (count > room) this.sort(registerClass, ways);
    let left = room;
    for (let i = 0; i < count && left > 0; i++) {
      const value = candidates[i] as number;
      const isOnHot = hot > 0 ? this.hotWays[value] === hot : this.ways[value] === ways;
      if (!isOnHot && (this.next[value] as number) >= FAR) continue;
      this.enter(value);
      left--;
    }
  }

  private block(block: MachineBlock): void {
    const { exits, next } = this;
    this.enterBlock(block);
    this.current = block.number;
    this.output = [];
    for (const instruction of block.instructions) if (!this.isConstant(instruction)) this.instruction(instruction);
    block.instructions = this.output;
    exits.begin(block.number);
    for (let c = 0; c < 3; c++) {
      const values = this.held[c] as Int32Array;
      for (let i = 0; i < (this.heldCount[c] as number); i++) {
        const value = values[i] as number;
        if (next[value] !== DEAD) exits.add(block.number, value);
      }
    }
    this.isKnown[block.number] = 1;
  }

  /** Whether an instruction makes a constant: those are made where they are needed. */
  private isConstant(instruction: number): boolean {
    const { fn } = this;
    const form = fn.form[instruction] as number;
    if (form !== PSEUDO.constant && form !== PSEUDO.vectorConstant && form !== PSEUDO.maskConstant) return false;
    return fn.origin[fn.value[fn.firstOperand[instruction] as number] as number] === instruction;
  }

  /** Makes the values with the furthest next use leave until no more than `limit` are there. */
  private limit(registerClass: number, limit: number, stamp: number, mayLeaveUsed: boolean): void {
    const values = this.held[registerClass] as Int32Array;
    const { next, usedAt } = this;
    while ((this.heldCount[registerClass] as number) > limit) {
      const count = this.heldCount[registerClass] as number;
      let furthest = -1;
      let distance = -1;
      for (let i = 0; i < count; i++) {
        const value = values[i] as number;
        if ((next[value] as number) <= distance || (!mayLeaveUsed && usedAt[value] === stamp)) continue;
        furthest = value;
        distance = next[value] as number;
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

  /** Notes which values an instruction reads, and the registers that it takes beside those of its operands. */
  private countOperands(instruction: number, first: number, end: number): void {
    const { fn, uses, extra, defs } = this;
    extra.fill(0);
    defs.fill(0);
    for (let i = first; i < end; i++) {
      const role = fn.role[i] as number;
      const value = fn.value[i] as number;
      const c = fn.classOf[value] as number;
      if ((role & USE) !== 0) {
        this.usedAt[value] = instruction;
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
  }

  private instruction(instruction: number): void {
    const { fn, uses, next } = this;
    const first = fn.firstOperand[instruction] as number;
    const end = first + (fn.operandsOf[instruction] as number);
    const form = fn.form[instruction] as number;
    if (form >= 0 && RETIE_KIND[form] !== RETIE.none) retie(fn, uses.nextAfter, instruction);
    const stamp = instruction;
    const { extra, defs, heldAt } = this;
    this.countOperands(instruction, first, end);
    const isCall = form === PSEUDO.call;
    if (isCall) this.isCold[this.current] = 1;
    for (let i = first; i < end; i++) {
      const value = fn.value[i] as number;
      if (((fn.role[i] as number) & USE) === 0 || heldAt[value] !== -1) continue;
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
      if (((fn.role[i] as number) & USE) !== 0 && heldAt[value] === -1) fn.role[i] = (fn.role[i] as number) | LAST;
      if (((fn.role[i] as number) & DEF) === 0) continue;
      if (next[value] === DEAD) fn.role[i] = (fn.role[i] as number) | LAST;
      else this.enter(value);
    }
    this.output.push(instruction);
  }

  /** How many may be there so that so many more registers can be had. Operands themselves always have room. */
  private roomBeside(registerClass: number, extra: number, stamp: number): number {
    const values = this.held[registerClass] as Int32Array;
    let operands = 0;
    for (let i = 0; i < (this.heldCount[registerClass] as number); i++)
      if (this.usedAt[values[i] as number] === stamp) operands++;
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
