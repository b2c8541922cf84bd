// SPDX-License-Identifier: Apache-2.0
// Where a function's private variables are on the private stack of its thread, and how deep the stack gets.
import {
  type DataLayout,
  type Instruction,
  type IrFunction,
  Op,
  alignmentOf,
  laneCount,
  scalarOf,
  sizeOf,
} from "@muxkit/ir";

import type { MachineTarget } from "./machine-target.ts";

/** A function's frame. @public */
export interface FrameLayout {
  /** Bytes of all variables and of the dump, a multiple of the stack's alignment. */
  readonly bytes: number;
  /** Bytes of all variables, a multiple of the stack's alignment. They begin as zeros. */
  readonly variableBytes: number;
  /**
   * Offset of the dump from the frame's start, in bytes: where masked stores and scatters store the elements of lanes
   * that are off, so that no lane needs a branch. Nothing reads it. -1: there are none.
   */
  readonly dump: number;
  /** Bytes that the frame's start is a multiple of: the stack's alignment, or that of a variable that needs more. */
  readonly alignment: number;
  /** Each variable's offset from the frame's start, in bytes. */
  readonly offsets: ReadonlyMap<Instruction, number>;
}

/**
 * Bytes that a masked store or scatter stores to the dump at once: those of a lane, or of all of them where a masked
 * store writes whole vectors. 0: all lanes are on, or the instruction is none.
 */
function dumpedBytes(layout: DataLayout, { op, operands: [value, pointers, mask] }: Instruction): number {
  if ((op !== Op.SCATTER && op !== Op.MASKED_STORE) || value === undefined) return 0;
  if (mask?.kind === "constant" && mask.lanes.every(({ low }) => low === 1)) return 0;
  const lanes = op === Op.SCATTER ? laneCount(pointers?.type ?? value.type) : 1;
  return (laneCount(value.type) / lanes) * sizeOf(layout, scalarOf(value.type));
}

/** Lays out the frame of a function: its `alloca`s in order, each at its alignment, then the dump. @public */
export function layOutFrame({ layout, stack }: MachineTarget, fn: IrFunction): FrameLayout {
  const offsets = new Map<Instruction, number>();
  let size = 0;
  let most = stack.alignment;
  for (const instruction of fn.entry.instructions) {
    if (instruction.op !== Op.ALLOCA || instruction.elementType === null) continue;
    const alignment = Math.max(instruction.alignment, alignmentOf(layout, instruction.elementType));
    most = Math.max(most, alignment);
    size = Math.ceil(size / alignment) * alignment;
    offsets.set(instruction, size);
    size += sizeOf(layout, instruction.elementType);
  }
  const variableBytes = Math.ceil(size / stack.alignment) * stack.alignment;
  let dumped = 0;
  for (const block of fn.blocks)
    for (const instruction of block.instructions) dumped = Math.max(dumped, dumpedBytes(layout, instruction));
  return {
    bytes: variableBytes + Math.ceil(dumped / stack.alignment) * stack.alignment,
    variableBytes,
    dump: dumped === 0 ? -1 : variableBytes,
    alignment: most,
    offsets,
  };
}

/** Bytes of the private stack that a call of a function takes at most, without its callees. */
function frameBytes(machine: MachineTarget, fn: IrFunction): number {
  const { bytes, alignment } = layOutFrame(machine, fn);
  return bytes === 0 ? 0 : bytes + alignment - machine.stack.alignment;
}

/**
 * Bytes of private stack that a function and everything it calls takes at most; calls do not recur. `passedBytes` are
 * those that a call takes above the caller's frame for what it passes; the callee's frame may lie over them.
 *
 * @public
 */
export function privateBytes(
  machine: MachineTarget,
  fn: IrFunction,
  passedBytes: (callee: IrFunction) => number = () => 0,
): number {
  const known = new Map<IrFunction, number>();
  const visit = (current: IrFunction): number => {
    const seen = known.get(current);
    if (seen !== undefined) return seen;
    known.set(current, 0);
    let deepest = 0;
    for (const block of current.blocks) {
      for (const { symbol } of block.instructions)
        if (symbol !== null && symbol.kind === "function" && symbol.blocks.length > 0)
          deepest = Math.max(deepest, visit(symbol), passedBytes(symbol));
    }
    const total = (current.blocks.length > 0 ? frameBytes(machine, current) : 0) + deepest;
    known.set(current, total);
    return total;
  };
  return visit(fn);
}
