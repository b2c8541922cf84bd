// SPDX-License-Identifier: Apache-2.0
// The lane width of each mask. A vector of i1 is a v128 whose lanes are 1, 2, 4 or 8 bytes of all ones or zeros. Masks
// that are computed from one another share a width (union-find over SSA, block parameters included); each class gets
// the width with the fewest conversion instructions between definitions and uses, weighted by loop depth. Cost: nearly
// linear.
import {
  type Block,
  type Instruction,
  type IrFunction,
  OPS,
  Op,
  type Parameter,
  VOID,
  type Value,
  loops,
  scalarOf,
} from "@muxkit/ir";

import { isBitwise } from "./masks.ts";
import { DEFAULT_MASK_BYTES, isMask, laneBytes, maskParts } from "./representation.ts";

const WIDTHS = [1, 2, 4, 8] as const;
/** How much more an instruction counts in a loop, by each loop around it. */
const LOOP_WEIGHT = 8;

type MaskValue = Instruction | Parameter;

/** Masks that share a width, and what each width costs. */
class Cluster {
  parent: Cluster | null = null;
  readonly costs: number[] = WIDTHS.map(() => 0);
}

/** The cluster that stands for all that were joined. Paths are halved on the way: chains of masks may be long. */
function rootOf(cluster: Cluster): Cluster {
  let found = cluster;
  while (found.parent !== null) {
    found.parent = found.parent.parent ?? found.parent;
    found = found.parent;
  }
  return found;
}

/** Instructions that turn masks of `lanes` lanes from one width to another. */
function conversionCost(lanes: number, from: number, to: number): number {
  let cost = 0;
  for (let bytes = from; bytes < to; bytes *= 2) cost += Math.ceil((lanes * bytes * 2) / 16);
  for (let bytes = from; bytes > to; bytes /= 2) cost += Math.ceil((lanes * bytes) / 2 / 16);
  return cost;
}

class Chooser {
  private readonly clusters = new Map<Value, Cluster>();

  private of(value: MaskValue): Cluster {
    let cluster = this.clusters.get(value);
    if (cluster === undefined) {
      cluster = new Cluster();
      this.clusters.set(value, cluster);
    }
    return rootOf(cluster);
  }

  /** Values from outside have a width already; constants have any. */
  private isFree(value: Value | undefined): value is MaskValue {
    if (value === undefined || value.kind === "constant" || !isMask(value.type)) return false;
    return value.kind === "parameter" ? value.block !== null : value.op !== Op.CALL;
  }

  private join(left: Value | undefined, right: Value | undefined): void {
    if (!this.isFree(left) || !this.isFree(right)) return;
    const [a, b] = [this.of(left), this.of(right)];
    if (a === b) return;
    b.parent = a;
    WIDTHS.forEach((_, i) => (a.costs[i] = (a.costs[i] ?? 0) + (b.costs[i] ?? 0)));
  }

  /** Notes what each width of a mask costs somewhere. */
  private note(value: Value | undefined, weight: number, cost: (bytes: number) => number): void {
    if (!this.isFree(value)) return;
    const { costs } = this.of(value);
    WIDTHS.forEach((bytes, i) => (costs[i] = (costs[i] ?? 0) + weight * cost(bytes)));
  }

  /** A mask is defined or used with lanes of `bytes` bytes. */
  private wants(value: Value | undefined, weight: number, bytes: number, isMade: boolean = false): void {
    const lanes = value?.type.count ?? 0;
    this.note(value, weight, (own) => (isMade ? conversionCost(lanes, bytes, own) : conversionCost(lanes, own, bytes)));
  }

  /** A mask is tested part by part. */
  private tests(value: Value | undefined, weight: number): void {
    this.note(value, weight, (bytes) => maskParts(value?.type ?? VOID, bytes));
  }

  private makes(instruction: Instruction, weight: number): void {
    const { op, type, operands } = instruction;
    const [first] = operands;
    const from = first === undefined ? DEFAULT_MASK_BYTES : laneBytes(scalarOf(first.type));
    const isOfMasks = first !== undefined && isMask(first.type);
    const rule = OPS[op]?.rule;
    if ((isBitwise(op) && isOfMasks) || op === Op.SELECT) {
      for (const operand of operands) this.join(instruction, operand);
    } else if (op === Op.SHUFFLE || op === Op.INSERT) {
      if (first?.type.count === type.count) this.join(instruction, first);
    } else if (rule === "compare-int" || rule === "compare-float" || op === Op.TRUNC || op === Op.LOAD) {
      this.wants(instruction, weight, op === Op.LOAD ? 1 : from, true);
      return;
    }
    this.note(instruction, weight, (bytes) => maskParts(type, bytes));
  }

  private uses(instruction: Instruction, weight: number): void {
    const { op, type, operands } = instruction;
    const [first, second, third] = operands;
    switch (op) {
      case Op.SELECT:
        if (!isMask(type) && first?.type.kind === "vector") this.wants(first, weight, laneBytes(scalarOf(type)));
        return;
      case Op.SEXT:
      case Op.ZEXT:
      case Op.SITOFP:
      case Op.UITOFP:
        this.wants(first, weight, laneBytes(scalarOf(type)));
        return;
      case Op.STORE:
        this.wants(first, weight, 1);
        return;
      case Op.MASKED_LOAD:
        this.wants(second, weight, laneBytes(scalarOf(type)));
        this.tests(second, weight);
        return;
      case Op.GATHER:
        this.wants(second, weight, DEFAULT_MASK_BYTES);
        if (second !== undefined && type.count === second.type.count)
          this.wants(second, weight, laneBytes(scalarOf(type)));
        return;
      case Op.CALL:
      case Op.RET:
        for (const operand of operands) this.wants(operand, weight, DEFAULT_MASK_BYTES);
        return;
      case Op.ANY:
      case Op.ALL:
        this.tests(first, weight);
        return;
      case Op.MASKED_STORE:
      case Op.SCATTER:
        this.tests(third, weight);
        return;
      default:
    }
  }

  block(block: Block, weight: number): void {
    for (const instruction of block.instructions) {
      if (isMask(instruction.type) && instruction.op !== Op.CALL) this.makes(instruction, weight);
      this.uses(instruction, weight);
      instruction.successors.forEach((successor, i) => {
        successor.parameters.forEach((parameter, position) => {
          const value = instruction.successorArguments[i]?.[position];
          if (isMask(parameter.type)) this.join(parameter, value);
        });
      });
    }
  }

  widths(): Map<Value, number> {
    const result = new Map<Value, number>();
    for (const [value, cluster] of this.clusters) {
      const { costs } = rootOf(cluster);
      let best = WIDTHS.indexOf(DEFAULT_MASK_BYTES);
      costs.forEach((cost, i) => {
        if (cost < (costs[best] ?? 0)) best = i;
      });
      result.set(value, WIDTHS[best] ?? DEFAULT_MASK_BYTES);
    }
    return result;
  }
}

/** Bytes of the lanes of each mask that a function defines; masks from outside have {@link DEFAULT_MASK_BYTES}. */
export function chooseMaskWidths(fn: IrFunction): ReadonlyMap<Value, number> {
  const hasMasks = fn.blocks.some(
    ({ parameters, instructions }) =>
      parameters.some(({ type }) => isMask(type)) || instructions.some(({ type }) => isMask(type)),
  );
  if (!hasMasks) return new Map();
  const { innermost } = loops(fn);
  const chooser = new Chooser();
  for (const block of fn.blocks) chooser.block(block, LOOP_WEIGHT ** Math.min(4, innermost.get(block)?.depth ?? 0));
  return chooser.widths();
}
