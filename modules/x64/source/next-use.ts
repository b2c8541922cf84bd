// SPDX-License-Identifier: Apache-2.0
/**
 * Liveness, and how far the next use of each value is.
 *
 * Live values at block starts are found from each use backwards (Boissinot et al., "Computing Liveness Sets for
 * SSA-Form Programs", 2011). Distances count instructions; an edge that leaves a loop counts as {@link LEAVING} more,
 * so that what a loop uses is nearer than all that comes after it (Braun and Hack, "Register Spilling and Live-Range
 * Splitting for SSA-Form Programs", 2009). Two passes over the blocks in postorder are enough for one loop; nested ones
 * converge towards it. Cost: linear in operands and in live values at block starts.
 */
import { DEF, type MachineFunction, USE } from "./machine-function.ts";

/** A distance that no use has: the value is dead. */
export const DEAD = 0x3fff_ffff;
/** What an edge that leaves a loop adds. */
export const LEAVING = 100_000;

/** What the allocator knows of a function before it begins. */
export interface NextUses {
  /** Numbers of the reachable blocks in reverse postorder. */
  readonly order: readonly number[];
  /** Position of each block in the order; -1: unreachable. */
  readonly position: Int32Array;
  /** The header of the innermost loop around each block, or -1; a header is in its own loop. */
  readonly loopOf: Int32Array;
  /** The header of the loop around the loop of a header, or -1. */
  readonly parentOf: Int32Array;
  /** Values that are alive at the start of each block, its parameters not among them. */
  readonly liveIn: readonly Int32Array[];
  /** How far their next uses are from the start, aligned with `liveIn`. */
  readonly distanceIn: readonly Int32Array[];
  /** The same for the parameters. */
  readonly parameterDistance: readonly Int32Array[];
  /** For each operand: where its value is used next after the instruction, counted from the block's start. */
  readonly nextAfter: Int32Array;
  /** For each block and class: most values that are alive at once. */
  readonly pressure: Int32Array;
}

function reversePostorder(fn: MachineFunction): number[] {
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
  return order.toReversed();
}

/** Immediate dominators by positions in reverse postorder (Cooper, Harvey and Kennedy, 2001). */
function immediateDominators(fn: MachineFunction, order: readonly number[], position: Int32Array): Int32Array {
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
}

function loopTree(fn: MachineFunction, order: readonly number[], position: Int32Array): LoopTree {
  const dominator = immediateDominators(fn, order, position);
  const loopOf = new Int32Array(fn.blocks.length).fill(-1);
  const parentOf = new Int32Array(fn.blocks.length).fill(-1);
  // Inner headers come later in the order: from the end, the first loop that takes a block is its innermost.
  for (let at = order.length - 1; at >= 0; at--) {
    const header = order[at] as number;
    const work = (fn.blocks[header]?.predecessors ?? []).filter((latch) => {
      const from = position[latch] as number;
      return from >= at && dominates(dominator, at, from);
    });
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
  return { loopOf, parentOf };
}

/** Whether a block is in the loop of a header. */
function isIn({ loopOf, parentOf }: LoopTree, block: number, header: number): boolean {
  let loop = loopOf[block] as number;
  while (loop !== -1 && loop !== header) loop = parentOf[loop] as number;
  return loop !== -1;
}

/** Values alive at the start of each block, found from each use backwards. */
function liveValues(fn: MachineFunction, order: readonly number[]): readonly number[][] {
  const live: number[][] = fn.blocks.map(() => []);
  const homeOf = new Int32Array(fn.valueCount).fill(-1);
  for (const number of order) {
    const block = fn.blocks[number];
    if (block === undefined) continue;
    for (const parameter of block.parameters) homeOf[parameter] = number;
    for (const instruction of block.instructions) {
      const first = fn.firstOperand[instruction] as number;
      const end = first + (fn.operandsOf[instruction] as number);
      for (let i = first; i < end; i++)
        if (((fn.role[i] as number) & DEF) !== 0) homeOf[fn.value[i] as number] = number;
    }
  }
  const usesOf: number[][] = Array.from({ length: fn.valueCount }, () => []);
  for (const number of order) {
    const block = fn.blocks[number];
    if (block === undefined) continue;
    const note = (value: number): void => {
      if (homeOf[value] === number) return;
      const blocks = usesOf[value];
      if (blocks !== undefined && blocks[blocks.length - 1] !== number) blocks.push(number);
    };
    for (const instruction of block.instructions) {
      const first = fn.firstOperand[instruction] as number;
      const end = first + (fn.operandsOf[instruction] as number);
      for (let i = first; i < end; i++) if (((fn.role[i] as number) & USE) !== 0) note(fn.value[i] as number);
    }
    for (const list of block.args) for (const value of list) note(value);
  }
  // The last value that each block was marked for: values come one after the other.
  const marked = new Int32Array(fn.blocks.length).fill(-1);
  const work: number[] = [];
  for (let value = 0; value < fn.valueCount; value++) {
    work.push(...(usesOf[value] as number[]));
    const home = homeOf[value] as number;
    for (let number = work.pop(); number !== undefined; number = work.pop()) {
      if (number === home || marked[number] === value) continue;
      marked[number] = value;
      (live[number] as number[]).push(value);
      for (const before of fn.blocks[number]?.predecessors ?? []) work.push(before);
    }
  }
  return live;
}

/** Finds liveness, loops and distances. */
export function nextUses(fn: MachineFunction): NextUses {
  const order = reversePostorder(fn);
  const position = new Int32Array(fn.blocks.length).fill(-1);
  for (let at = 0; at < order.length; at++) position[order[at] as number] = at;
  const tree = loopTree(fn, order, position);
  const liveIn = liveValues(fn, order).map((list) => Int32Array.from(list));
  const distanceIn = liveIn.map((list) => new Int32Array(list.length).fill(DEAD - 1));
  const parameterDistance = fn.blocks.map(({ parameters }) => new Int32Array(parameters.length).fill(DEAD));
  const nextAfter = new Int32Array(fn.operandCount).fill(DEAD);
  const pressure = new Int32Array(3 * fn.blocks.length);
  const next = new Int32Array(fn.valueCount).fill(DEAD);
  const alive = new Int32Array(3);
  for (let round = 0; round < 2; round++) {
    for (let at = order.length - 1; at >= 0; at--) {
      const number = order[at] as number;
      const block = fn.blocks[number];
      if (block === undefined) continue;
      const length = block.instructions.length;
      const touched: number[] = [];
      alive.fill(0);
      const see = (value: number, distance: number): void => {
        if (next[value] === DEAD) {
          touched.push(value);
          alive[fn.classOf[value] as number] = (alive[fn.classOf[value] as number] as number) + 1;
        }
        if (distance < (next[value] as number)) next[value] = distance;
      };
      for (let s = 0; s < block.successors.length; s++) {
        const to = block.successors[s] as number;
        const loop = tree.loopOf[number] as number;
        const extra = loop !== -1 && !isIn(tree, to, loop) ? LEAVING : 0;
        const list = liveIn[to] as Int32Array;
        const distances = distanceIn[to] as Int32Array;
        for (let i = 0; i < list.length; i++)
          see(list[i] as number, Math.min(DEAD - 1, length + extra + (distances[i] as number)));
        for (const value of block.args[s] as number[]) see(value, length);
      }
      for (let c = 0; c < 3; c++) pressure[3 * number + c] = alive[c] as number;
      for (let p = length - 1; p >= 0; p--) {
        const instruction = block.instructions[p] as number;
        const first = fn.firstOperand[instruction] as number;
        const end = first + (fn.operandsOf[instruction] as number);
        for (let i = first; i < end; i++) nextAfter[i] = next[fn.value[i] as number] as number;
        for (let i = first; i < end; i++) {
          if (((fn.role[i] as number) & DEF) === 0) continue;
          const value = fn.value[i] as number;
          if (next[value] !== DEAD)
            alive[fn.classOf[value] as number] = (alive[fn.classOf[value] as number] as number) - 1;
          next[value] = DEAD;
        }
        for (let i = first; i < end; i++) {
          if (((fn.role[i] as number) & USE) === 0) continue;
          const value = fn.value[i] as number;
          if (next[value] === DEAD)
            alive[fn.classOf[value] as number] = (alive[fn.classOf[value] as number] as number) + 1;
          next[value] = p;
          touched.push(value);
        }
        for (let c = 0; c < 3; c++)
          if ((alive[c] as number) > (pressure[3 * number + c] as number))
            pressure[3 * number + c] = alive[c] as number;
      }
      const list = liveIn[number] as Int32Array;
      const distances = distanceIn[number] as Int32Array;
      for (let i = 0; i < list.length; i++) distances[i] = next[list[i] as number] as number;
      const ownDistances = parameterDistance[number] as Int32Array;
      block.parameters.forEach((parameter, i) => (ownDistances[i] = next[parameter] as number));
      for (const value of touched) next[value] = DEAD;
    }
  }
  return {
    order,
    position,
    loopOf: tree.loopOf,
    parentOf: tree.parentOf,
    liveIn,
    distanceIn,
    parameterDistance,
    nextAfter,
    pressure,
  };
}
