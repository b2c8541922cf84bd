// SPDX-License-Identifier: Apache-2.0
// Barrier insertion for locality. A work-group may read memory row after row, as `x[base + k * get_local_size(0) +
// get_local_id(0)]` does for k = 0, 1, 2 …: run work-item by work-item, each vector touches all rows, which are as many
// streams as there are rows. With a barrier between rows all work-items read one row before any reads the next: loop
// distribution of the work-item loop, done before there is a loop. Work-items of a group may be run in any order
// between barriers, so one more barrier where control is uniform changes nothing.
//
// Phases: addresses of loads become sums of terms, modulo 2^32; loads whose sums differ by one row each are a walk;
// between any two rows of a walk a point is found that all work-items come to, where few values are live that differ.
// Linear in the instructions of the function, and in the loads of a walk times the values of a block.
import {
  type Block,
  type DataLayout,
  type Dominators,
  type Instruction,
  type IrFunction,
  Op,
  type Parameter,
  type Value,
  CONSTANT,
  GLOBAL,
  VOLATILE,
  dominators,
  liveness,
  loops,
  predecessors,
  reversePostorder,
  sizeOf,
} from "@muxkit/ir";
import type { Uniformity } from "@muxkit/vecz";

import { isRematerialisable } from "./live-across-barriers.ts";
import { makeBarrier } from "./convergence.ts";

/** Rows of fewer bytes fill too little of a page to be worth a barrier. */
const SHORTEST_ROW = 256;
/** Hardware prefetchers follow fewer streams than these without help. */
const FEWEST_ROWS = 4;
/** Most values that each work-item keeps from row to row. */
const MOST_KEPT = 2;

/** An address as a sum. */
interface Sum {
  readonly terms: Map<Value, number>;
  constant: number;
}

function constantOf(value: Value | undefined): number | null {
  return value?.kind === "constant" && value.lanes.length === 0 && value.type.kind === "int" ? value.low | 0 : null;
}

/** Adds a value, so many times, to a sum; everything counts modulo 2^32. */
function add(sum: Sum, value: Value, times: number): void {
  const known = constantOf(value);
  if (known !== null) {
    sum.constant = (sum.constant + Math.imul(known, times)) | 0;
    return;
  }
  if (value.kind === "instruction") {
    const {
      op,
      operands: [left, right],
    } = value;
    if (left !== undefined && right !== undefined) {
      if (op === Op.ADD || op === Op.SUB) {
        add(sum, left, times);
        add(sum, right, op === Op.ADD ? times : -times | 0);
        return;
      }
      const [factor, other] =
        op === Op.MUL && constantOf(left) !== null ? [constantOf(left), right] : [constantOf(right), left];
      if (op === Op.MUL && factor !== null) {
        add(sum, other, Math.imul(times, factor));
        return;
      }
      if (op === Op.SHL && factor !== null) {
        add(sum, left, times << (factor & 31));
        return;
      }
    }
    if (op === Op.ADDRESS && left !== undefined) {
      add(sum, left, times);
      sum.constant = (sum.constant + Math.imul(value.offset, times)) | 0;
      if (right !== undefined) add(sum, right, Math.imul(value.scale, times));
      return;
    }
  }
  sum.terms.set(value, ((sum.terms.get(value) ?? 0) + times) | 0);
}

/** A load with its distance in bytes from the others whose addresses are the same but for a constant. */
interface Access {
  readonly load: Instruction;
  readonly offset: number;
}

/** A point that all work-items come to, before an instruction of a block. */
interface InsertionPoint {
  readonly block: Block;
  readonly before: Instruction;
}

/** What is known of the work-items of a group. */
export interface LocalityFrame {
  readonly layout: DataLayout;
  /** The id along the only dimension that has more than one work-item. */
  readonly id: Parameter;
  /** Work-items of a group. */
  readonly count: number;
  /** Brings the function into the form with one return, and finds what is uniform; null: that is not known. */
  readonly findUniformity: () => Uniformity | null;
}

/** Finds loads that follow one another in memory, row after row. */
function findWalks(fn: IrFunction, { layout, id, count }: LocalityFrame): (readonly Access[])[] {
  const numbers = new Map<Value, number>();
  const numberOf = (value: Value): number => {
    const number = numbers.get(value) ?? numbers.size;
    numbers.set(value, number);
    return number;
  };
  const groups = new Map<string, { readonly bytes: number; readonly list: Access[] }>();
  for (const block of reversePostorder(fn)) {
    for (const load of block.instructions) {
      const [pointer] = load.operands;
      if (
        load.op !== Op.LOAD ||
        pointer === undefined ||
        (load.flags & VOLATILE) !== 0 ||
        (pointer.type.addressSpace !== GLOBAL && pointer.type.addressSpace !== CONSTANT)
      )
        continue;
      const bytes = sizeOf(layout, load.type);
      const sum: Sum = { terms: new Map(), constant: 0 };
      add(sum, pointer, 1);
      if (sum.terms.get(id) !== bytes || bytes * count < SHORTEST_ROW) continue;
      const key = [...sum.terms]
        .map(([value, times]) => `${numberOf(value)}*${times}`)
        .toSorted()
        .join("+");
      const group = groups.get(key) ?? { bytes, list: [] };
      groups.set(key, group);
      group.list.push({ load, offset: sum.constant });
    }
  }
  return [...groups.values()].flatMap(({ bytes, list }) =>
    list.length >= FEWEST_ROWS &&
    list.every(({ offset }, i) => i === 0 || offset - (list[i - 1]?.offset ?? 0) === bytes * count)
      ? [list]
      : [],
  );
}

/** Finds where barriers separate the rows of walks. */
class PointFinder {
  private readonly uniformity: Uniformity;
  private readonly dominators: Dominators;
  /** Blocks that every work-item comes to once, in order. */
  private readonly chain: readonly Block[];
  private readonly live: ReadonlyMap<Block, ReadonlySet<Value>>;

  constructor(fn: IrFunction, uniformity: Uniformity) {
    this.uniformity = uniformity;
    const before = predecessors(fn);
    this.dominators = dominators(fn, before);
    const { innermost } = loops(fn, this.dominators, before);
    const exit = fn.blocks.find((block) => block.terminator.op === Op.RET);
    this.chain =
      exit === undefined
        ? []
        : this.dominators.order.filter(
            (block) => innermost.get(block) === undefined && this.dominators.dominates(block, exit),
          );
    this.live = liveness(fn).liveIn;
  }

  /**
   * A point between any two rows of a walk; null: work-items do not all come to each of them, or too much is live
   * there.
   */
  points(walk: readonly Access[]): InsertionPoint[] | null {
    const found = walk.slice(1).map(({ load }, i) => this.between(walk[i]?.load ?? load, load));
    const points = found.filter((point) => point !== null);
    return points.length === found.length && points.every((point) => this.keeps(point) <= MOST_KEPT) ? points : null;
  }

  /** How many blocks of the chain come before a block or are it. */
  private position(block: Block): number {
    return this.chain.findLastIndex((one) => this.dominators.dominates(one, block));
  }

  /** A point between two loads that all work-items come to; null: there is none. */
  private between(first: Instruction, second: Instruction): InsertionPoint | null {
    if (first.block === null || second.block === null) return null;
    const [from, to] = [this.position(first.block), this.position(second.block)];
    if (from === to)
      return first.block === second.block && this.chain[to] === second.block
        ? { block: second.block, before: second }
        : null;
    const block = this.chain[from + 1];
    const before = block?.instructions[0];
    return block === undefined || before === undefined ? null : { block, before };
  }

  /** Values that differ from work-item to work-item and are live at a point. */
  private keeps({ block, before }: InsertionPoint): number {
    const at = block.instructions.indexOf(before);
    const rest = new Set<Value>(block.instructions.slice(at));
    const needed = new Set<Value>();
    const take = (value: Value): void => {
      if (value.kind !== "constant" && value.block !== null && !rest.has(value)) needed.add(value);
    };
    for (const { operands, successorArguments } of block.instructions.slice(at)) {
      operands.forEach(take);
      for (const list of successorArguments) list.forEach(take);
    }
    for (const successor of block.successors) for (const value of this.live.get(successor) ?? []) take(value);
    const isShared = (value: Value): boolean => this.uniformity.isShared(value, block);
    return [...needed].filter((value) => !isShared(value) && !isRematerialisable(value, isShared)).length;
  }
}

/**
 * Inserts barriers between the rows that the work-items of a group read one after the other; true when there are any.
 */
export function insertLocalityBarriers(fn: IrFunction, frame: LocalityFrame): boolean {
  // Variables that are no values would have to be kept as well.
  if (fn.entry.instructions.some(({ op }) => op === Op.ALLOCA)) return false;
  const walks = findWalks(fn, frame);
  const uniformity = walks.length === 0 ? null : frame.findUniformity();
  if (uniformity === null) return false;
  const finder = new PointFinder(fn, uniformity);
  // Where there are several walks, the rows of the longest say where barriers are.
  const points = walks
    .toSorted((a, b) => b.length - a.length)
    .map((walk) => finder.points(walk))
    .find((found) => found !== null);
  for (const { block, before } of points ?? []) {
    const barrier = makeBarrier("work_group", 0, before.location);
    barrier.block = block;
    block.instructions.splice(block.instructions.indexOf(before), 0, barrier);
  }
  return points !== undefined;
}
