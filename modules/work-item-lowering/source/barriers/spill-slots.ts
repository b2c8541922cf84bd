// SPDX-License-Identifier: Apache-2.0
// Slots for what is live across the barriers of a kernel: once for the group, or in the spill frame of each work-item.
import { alignUp, assert } from "@muxkit/cargo";
import {
  type Instruction,
  type IrFunction,
  type Module,
  Op,
  type Type,
  type Value,
  alignmentOf,
  sizeOf,
} from "@muxkit/ir";
import { LIVE_ITEM_MULTIPLE } from "@muxkit/kernel-abi";

import { type FrameSlot, STATE_SLOT } from "./spill-frame.ts";

/** The values that an instruction uses, for itself or for the parameters of blocks that it branches to. */
export function usedValues({ operands, successorArguments }: Instruction): Value[] {
  return [...operands, ...successorArguments.flat()];
}

/** A uniform value: it is kept once for the group. */
export interface UniformSlot {
  readonly kind: "uniform";
  readonly variable: Instruction;
  readonly type: Type;
  readonly alignment: number;
  /** Bytes from the beginning of the uniform values. */
  readonly offset: number;
}

/**
 * A slot in each work-item's spill frame: of a value, or of memory (arrays, and variables whose address is taken),
 * which is there all the time.
 */
export interface SpillSlot {
  readonly kind: "value" | "memory";
  readonly variable: Instruction;
  readonly type: Type;
  readonly position: FrameSlot;
}

/** Where a value or variable that is live across a barrier is kept. */
export type Slot = UniformSlot | SpillSlot;

/** True for variables that do more than hold a value: they stay in the spill frame. */
function isMemoryVariable(fn: IrFunction, variable: Instruction): boolean {
  const type = variable.elementType;
  return fn.blocks.some((block) =>
    block.instructions.some((user) => {
      const plain =
        (user.op === Op.LOAD && user.type === type) ||
        (user.op === Op.STORE &&
          user.operands[1] === variable &&
          user.operands[0] !== variable &&
          user.operands[0]?.type === type);
      return !plain && usedValues(user).includes(variable);
    }),
  );
}

/** The slots of a kernel. */
export interface Slots {
  readonly list: readonly Slot[];
  /** Bytes a work-item. */
  readonly bytes: number;
  /** Bytes of uniform values. */
  readonly uniformBytes: number;
}

/**
 * Gives every variable its slot. `isUniform`: variables of values that are kept once; `hasState`: frames begin with the
 * number of the next region.
 */
export function layOutSlots(
  fn: IrFunction,
  variables: readonly Instruction[],
  isUniform: (variable: Instruction) => boolean,
  hasState: boolean,
  module: Module,
): Slots {
  const list: Slot[] = [];
  let bytes = hasState ? STATE_SLOT.size : 0;
  let uniformBytes = 0;
  for (const variable of variables) {
    const type = variable.elementType;
    assert(type !== null, "a variable has a type");
    const alignment = Math.max(variable.alignment, alignmentOf(module.layout, type));
    if (isUniform(variable)) {
      const offset = alignUp(uniformBytes, alignment);
      list.push({ kind: "uniform", variable, type, alignment, offset });
      uniformBytes = offset + sizeOf(module.layout, type);
      continue;
    }
    const kind = isMemoryVariable(fn, variable) ? "memory" : "value";
    // Values are loaded and stored only; memory has an address that the kernel may observe.
    const size = alignUp(sizeOf(module.layout, type), kind === "memory" ? alignment : Math.min(16, alignment));
    if (kind === "memory") bytes = alignUp(bytes, Math.max(1, alignment / LIVE_ITEM_MULTIPLE));
    list.push({ kind, variable, type, position: { before: bytes, size } });
    bytes += size;
  }
  return { list, bytes, uniformBytes };
}
