// SPDX-License-Identifier: Apache-2.0
/**
 * How many registers a function needs in the order in which it is written. ptxas schedules for full multiprocessors
 * where it knows nothing of groups: for 32 registers, with loads close before their uses. Where one group of the
 * largest size is enough, it may take 64, and starts more loads ahead, which pays in loops (nbody with local memory:
 * 167 to 99 µs on an H100); without a loop, more warps are better (a blur: 9.8 to 10.9 µs). Kernels that need more as
 * they are must not be held to 64.
 *
 * Liveness, then a backward walk through each block (Briggs's register pressure). Cost: that of liveness.
 */
import { type IrFunction, Op, type Type, VOID, type Value, laneCount, liveness, scalarOf } from "@muxkit/ir";

import { classOf } from "./registers.ts";

/** Registers of 32 bits that a value of each class takes; predicates have their own. */
const WIDTHS: Readonly<Record<ReturnType<typeof classOf>, number>> = {
  pred: 0,
  b16: 1,
  b32: 1,
  b64: 2,
  f32: 1,
  f64: 2,
};

function widthOf(type: Type): number {
  return laneCount(type) * WIDTHS[classOf(scalarOf(type))];
}

/** True for what is in registers. */
function isHeld(value: Value): boolean {
  return value.kind !== "constant" && value.type !== VOID && !(value.kind === "instruction" && value.op === Op.ALLOCA);
}

/** Most registers of 32 bits whose values are needed at the same time. */
export function registerNeed(fn: IrFunction): number {
  const { liveOut } = liveness(fn);
  let most = 0;
  for (const block of fn.blocks) {
    const live = new Set<Value>();
    let need = 0;
    const add = (value: Value): void => {
      if (live.has(value) || !isHeld(value)) return;
      live.add(value);
      need += widthOf(value.type);
    };
    for (const value of liveOut.get(block) ?? []) add(value);
    for (let i = block.instructions.length - 1; i >= 0; i--) {
      const instruction = block.instructions[i];
      if (instruction === undefined || instruction.op === Op.DEBUG_VALUE) continue;
      if (live.delete(instruction)) need -= widthOf(instruction.type);
      for (const values of instruction.successorArguments) for (const value of values) add(value);
      for (const value of instruction.operands) add(value);
      most = Math.max(most, need);
    }
    for (const parameter of block.parameters) add(parameter);
    most = Math.max(most, need);
  }
  return most;
}
