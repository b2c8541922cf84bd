// SPDX-License-Identifier: Apache-2.0
/**
 * Liveness, and how far the next use of each value is.
 *
 * Distances count instructions; an edge that leaves a loop counts as {@link LEAVING} more, so that what a loop uses is
 * nearer than all that comes after it (Braun and Hack, "Register Spilling and Live-Range Splitting for SSA-Form
 * Programs", 2009). Two walks over the blocks in postorder: the first finds what is alive at the headers of loops,
 * since all that a loop uses is reached from its header without going round. What is alive at a header is alive in the
 * whole loop (Boissinot et al., "Computing Liveness Sets for SSA-Form Programs", 2011), so headers get what those of
 * the loops around them have, and the second walk, over loops only, finds the rest. Where control enters a loop in
 * several places, walks go on until nothing changes. Cost: linear in operands and in values alive at block starts.
 */
import { DEF, type MachineBlock, type MachineFunction, USE } from "./machine-function.ts";

/** A distance that no use has: the value is dead. */
export const DEAD = 0x3fff_ffff;
/** What an edge that leaves a loop adds. */
export const LEAVING = 100_000;

/** What the allocator knows of a function before it begins. */
export interface NextUses {
  /** Numbers of the reachable blocks in reverse postorder. */
  readonly order: Int32Array;
  /** Position of each block in the order; -1: unreachable. */
  readonly position: Int32Array;
  /** The header of the innermost loop around each block, or -1; a header is in its own loop. */
  readonly loopOf: Int32Array;
  /** The header of the loop around the loop of a header, or -1. */
  readonly parentOf: Int32Array;
  /** Values that are alive at the start of each block, its parameters not among them: from here … */
  readonly liveFirst: Int32Array;
  /** … to here in `live`. */
  readonly liveEnd: Int32Array;
  /** See {@link NextUses.liveFirst}. */
  readonly live: Int32Array;
  /** How far their next uses are from the start of the block, aligned with `live`. */
  readonly distance: Int32Array;
  /** The same for parameters, by value. */
  readonly parameterDistance: Int32Array;
  /** For each operand: where its value is used next after the instruction, counted from the block's start. */
  readonly nextAfter: Int32Array;
  /** For each block and class: most values that are alive at once. */
  readonly pressure: Int32Array;
}

function reversePostorder(fn: MachineFunction): Int32Array {
  const order: number[] = [];
  const state = new Int32Array(fn.blocks.length);
  const stack = [0];
  state[0] = 1;
  while (stack.length > 0) {
    const block = fn.blocks[stack[stack.length - 1] as number];
    if (block === undefined) break;
    const next = (state[block.number] as number) - 1;
    // The last successor first: the first one then comes right behind the block.
    if (next < block.successors.length) {
      state[block.number] = next + 2;
      const successor = block.successors[block.successors.length - 1 - next] as number;
      if (state[successor] === 0) {
        state[successor] = 1;
        stack.push(successor);
      }
    } else order.push(stack.pop() as number);
  }
  return Int32Array.from(order.toReversed());
}

/** Immediate dominators by positions in reverse postorder (Cooper, Harvey and Kennedy, 2001). */
function immediateDominators(fn: MachineFunction, order: Int32Array, position: Int32Array): Int32Array {
  const parent = new Int32Array(order.length).fill(-1);
  parent[0] = 0;
  for (let changed = true; changed;) {
    changed = false;
    for (let at = 1; at < order.length; at++) {
      let found = -1;
      for (const before of fn.blocks[order[at] as number]?.predecessors ?? []) {
        let a = position[before] as number;
        if (a === -1 || parent[a] === -1) continue;
        if (found === -1) found = a;
        while (a !== found) {
          if (a > found) a = parent[a] as number;
          else found = parent[found] as number;
        }
      }
      if (parent[at] !== found) {
        parent[at] = found;
        changed = true;
      }
    }
  }
  return parent;
}

function dominates(parent: Int32Array, by: number, at: number): boolean {
  let block = at;
  while (block > by) block = parent[block] as number;
  return block === by;
}

/** Natural loops, as a tree over their headers. */
interface LoopTree {
  /** The header of the innermost loop around each block, or -1; a header is in its own loop. */
  readonly loopOf: Int32Array;
  /** The header of the loop around the loop of a header, or -1. */
  readonly parentOf: Int32Array;
  /** Whether control enters each loop only by its header. */
  readonly isReducible: boolean;
}

function loopTree(fn: MachineFunction, order: Int32Array, position: Int32Array): LoopTree {
  const dominator = immediateDominators(fn, order, position);
  const loopOf = new Int32Array(fn.blocks.length).fill(-1);
  const parentOf = new Int32Array(fn.blocks.length).fill(-1);
  let isReducible = true;
  // Inner headers come later in the order: from the end, the first loop that takes a block is its innermost.
  for (let at = order.length - 1; at >= 0; at--) {
    const header = order[at] as number;
    const work: number[] = [];
    for (const latch of fn.blocks[header]?.predecessors ?? []) {
      const from = position[latch] as number;
      if (from < at) continue;
      if (dominates(dominator, at, from)) work.push(latch);
      else isReducible = false;
    }
    if (work.length === 0) continue;
    loopOf[header] = header;
    for (let block = work.pop(); block !== undefined; block = work.pop()) {
      let member = block;
      if (loopOf[member] === -1) loopOf[member] = header;
      else {
        // What an inner loop has taken already is in here as a whole.
        member = loopOf[member] as number;
        while (parentOf[member] !== -1) member = parentOf[member] as number;
        if (member === header) continue;
        parentOf[member] = header;
      }
      for (const before of fn.blocks[member]?.predecessors ?? []) if (position[before] !== -1) work.push(before);
    }
  }
  return { loopOf, parentOf, isReducible };
}

/** Whether a block is in the loop of a header. */
function isIn(loopOf: Int32Array, parentOf: Int32Array, block: number, header: number): boolean {
  let loop = loopOf[block] as number;
  while (loop !== -1 && loop !== header) loop = parentOf[loop] as number;
  return loop !== -1;
}

class Walk {
  readonly nextAfter: Int32Array;
  readonly pressure: Int32Array;
  readonly parameterDistance: Int32Array;
  readonly liveFirst: Int32Array;
  readonly liveEnd: Int32Array;
  live: Int32Array;
  distance: Int32Array;
  private readonly fn: MachineFunction;
  private readonly tree: LoopTree;
  private readonly next: Int32Array;
  /** Values whose next use is known, while a block is walked. */
  private readonly touched: Int32Array;
  private readonly alive: Int32Array = new Int32Array(3);
  private liveCount: number = 0;
  private touchedCount: number = 0;

  constructor(fn: MachineFunction, tree: LoopTree) {
    this.fn = fn;
    this.tree = tree;
    this.nextAfter = new Int32Array(fn.operandCount);
    this.pressure = new Int32Array(3 * fn.blocks.length);
    this.parameterDistance = new Int32Array(fn.valueCount).fill(DEAD);
    this.liveFirst = new Int32Array(fn.blocks.length);
    this.liveEnd = new Int32Array(fn.blocks.length);
    this.live = new Int32Array(16 * fn.blocks.length);
    this.distance = new Int32Array(16 * fn.blocks.length);
    this.next = new Int32Array(fn.valueCount).fill(DEAD);
    this.touched = new Int32Array(fn.valueCount);
  }

  /** Walks a block backwards. Yields whether more values are alive at its start than were known. */
  block(number: number): boolean {
    const block = this.fn.blocks[number] as MachineBlock;
    this.touchedCount = 0;
    this.leave(block);
    this.instructions(block);
    return this.enter(block);
  }

  /** What is alive at the end of a block. */
  private leave(block: MachineBlock): void {
    const { fn, next, touched, live, distance, alive } = this;
    const { classOf } = fn;
    const { loopOf, parentOf } = this.tree;
    const loop = loopOf[block.number] as number;
    const { length } = block.instructions;
    let count = 0;
    alive.fill(0);
    for (let s = 0; s < block.successors.length; s++) {
      const to = block.successors[s] as number;
      const more = length + (loop !== -1 && !isIn(loopOf, parentOf, to, loop) ? LEAVING : 0);
      const end = this.liveEnd[to] as number;
      for (let i = this.liveFirst[to] as number; i < end; i++) {
        const value = live[i] as number;
        const known = next[value] as number;
        const far = (distance[i] as number) + more;
        if (known === DEAD) {
          touched[count++] = value;
          alive[classOf[value] as number] = (alive[classOf[value] as number] as number) + 1;
          next[value] = far < DEAD ? far : DEAD - 1;
        } else if (far < known) next[value] = far;
      }
      const args = block.args[s] as number[];
      for (let i = 0; i < args.length; i++) {
        const value = args[i] as number;
        const known = next[value] as number;
        if (known === DEAD) {
          touched[count++] = value;
          alive[classOf[value] as number] = (alive[classOf[value] as number] as number) + 1;
        }
        if (length < known) next[value] = length;
      }
    }
    this.touchedCount = count;
  }

  private instructions(block: MachineBlock): void {
    const { next, touched, alive, nextAfter, pressure } = this;
    const { firstOperand, operandsOf, value: values, role: roles, classOf } = this.fn;
    const { instructions } = block;
    let count = this.touchedCount;
    const own = 3 * block.number;
    for (let c = 0; c < 3; c++) pressure[own + c] = alive[c] as number;
    for (let p = instructions.length - 1; p >= 0; p--) {
      const instruction = instructions[p] as number;
      const first = firstOperand[instruction] as number;
      const end = first + (operandsOf[instruction] as number);
      for (let i = first; i < end; i++) {
        const value = values[i] as number;
        nextAfter[i] = next[value] as number;
      }
      for (let i = first; i < end; i++) {
        if (((roles[i] as number) & DEF) === 0) continue;
        const value = values[i] as number;
        if (next[value] !== DEAD) alive[classOf[value] as number] = (alive[classOf[value] as number] as number) - 1;
        next[value] = DEAD;
      }
      for (let i = first; i < end; i++) {
        if (((roles[i] as number) & USE) === 0) continue;
        const value = values[i] as number;
        if (next[value] === DEAD) {
          const c = classOf[value] as number;
          touched[count++] = value;
          const all = (alive[c] as number) + 1;
          alive[c] = all;
          if (all > (pressure[own + c] as number)) pressure[own + c] = all;
        }
        next[value] = p;
      }
    }
    this.touchedCount = count;
  }

  /** Keeps what is alive at the start of a block. */
  private enter(block: MachineBlock): boolean {
    const { next, touched, parameterDistance } = this;
    const { number, parameters } = block;
    for (let i = 0; i < parameters.length; i++) {
      const parameter = parameters[i] as number;
      parameterDistance[parameter] = next[parameter] as number;
      next[parameter] = DEAD;
    }
    const before = (this.liveEnd[number] as number) - (this.liveFirst[number] as number);
    const first = this.liveCount;
    this.reserve(this.touchedCount);
    const { live, distance } = this;
    let end = first;
    for (let i = 0; i < this.touchedCount; i++) {
      const value = touched[i] as number;
      if (next[value] === DEAD) continue;
      live[end] = value;
      distance[end++] = next[value] as number;
      next[value] = DEAD;
    }
    this.liveFirst[number] = first;
    this.liveEnd[number] = end;
    this.liveCount = end;
    return end - first > before;
  }

  private reserve(count: number): void {
    const needed = this.liveCount + count;
    if (needed <= this.live.length) return;
    const live = new Int32Array(2 * needed);
    live.set(this.live);
    this.live = live;
    const distance = new Int32Array(2 * needed);
    distance.set(this.distance);
    this.distance = distance;
  }

  /** Gives the header of a loop what the header of the loop around it has. */
  inherit(header: number, from: number): void {
    const { next } = this;
    const ownFirst = this.liveFirst[header] as number;
    const ownEnd = this.liveEnd[header] as number;
    const first = this.liveCount;
    this.reserve(ownEnd - ownFirst + (this.liveEnd[from] as number) - (this.liveFirst[from] as number));
    const { live, distance } = this;
    for (let i = ownFirst; i < ownEnd; i++) {
      live[first + i - ownFirst] = live[i] as number;
      distance[first + i - ownFirst] = distance[i] as number;
      next[live[i] as number] = 0;
    }
    let end = first + ownEnd - ownFirst;
    for (let i = this.liveFirst[from] as number; i < (this.liveEnd[from] as number); i++) {
      const value = live[i] as number;
      if (next[value] !== DEAD) continue;
      live[end] = value;
      distance[end++] = Math.min(DEAD - 1, (distance[i] as number) + LEAVING);
    }
    for (let i = ownFirst; i < ownEnd; i++) next[live[i] as number] = DEAD;
    this.liveFirst[header] = first;
    this.liveEnd[header] = end;
    this.liveCount = end;
  }
}

/** Finds liveness, loops and distances. */
export function nextUses(fn: MachineFunction): NextUses {
  const order = reversePostorder(fn);
  const position = new Int32Array(fn.blocks.length).fill(-1);
  for (let at = 0; at < order.length; at++) position[order[at] as number] = at;
  const tree = loopTree(fn, order, position);
  const { loopOf, parentOf } = tree;
  const walk = new Walk(fn, tree);
  for (let at = order.length - 1; at >= 0; at--) walk.block(order[at] as number);
  for (let at = 0; at < order.length; at++) {
    const header = order[at] as number;
    const around = parentOf[header] as number;
    if (loopOf[header] === header && around !== -1) walk.inherit(header, around);
  }
  for (let isAgain = true; isAgain;) {
    isAgain = false;
    for (let at = order.length - 1; at >= 0; at--) {
      const number = order[at] as number;
      if (tree.isReducible && loopOf[number] === -1) continue;
      if (walk.block(number) && !tree.isReducible) isAgain = true;
    }
  }
  const { liveFirst, liveEnd, live, distance, parameterDistance, nextAfter, pressure } = walk;
  return {
    order,
    position,
    loopOf,
    parentOf,
    liveFirst,
    liveEnd,
    live,
    distance,
    parameterDistance,
    nextAfter,
    pressure,
  };
}
