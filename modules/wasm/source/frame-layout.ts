// SPDX-License-Identifier: Apache-2.0
// Where a function's private variables lie on the private stack of its thread.
import { type Instruction, type IrFunction, LAYOUT_32, Op, alignmentOf, sizeOf } from "@muxkit/ir";

/** The private stack's pointer is always a multiple of this, in bytes. */
export const STACK_ALIGNMENT = 16;

/** A function's frame. */
export interface FrameLayout {
  /** Bytes of all variables, a multiple of {@link STACK_ALIGNMENT}. */
  readonly bytes: number;
  /** Bytes of which the frame's beginning is a multiple: at least {@link STACK_ALIGNMENT}, and what the variable that is aligned most asks for. */
  readonly alignment: number;
  /** Each variable's offset from the frame's beginning, in bytes. */
  readonly offsets: ReadonlyMap<Instruction, number>;
}

/** Lays out the frame of a function. */
export function layOutFrame(fn: IrFunction): FrameLayout {
  const offsets = new Map<Instruction, number>();
  let size = 0;
  let most = STACK_ALIGNMENT;
  for (const instruction of fn.entry.instructions) {
    if (instruction.op !== Op.ALLOCA || instruction.elementType === null) continue;
    const alignment = Math.max(instruction.alignment, alignmentOf(LAYOUT_32, instruction.elementType));
    most = Math.max(most, alignment);
    size = Math.ceil(size / alignment) * alignment;
    offsets.set(instruction, size);
    size += sizeOf(LAYOUT_32, instruction.elementType);
  }
  return { bytes: Math.ceil(size / STACK_ALIGNMENT) * STACK_ALIGNMENT, alignment: most, offsets };
}

/** Bytes of the private stack that a call of a function takes at most, without what it calls. */
export function frameBytes(fn: IrFunction): number {
  const { bytes, alignment } = layOutFrame(fn);
  return bytes === 0 ? 0 : bytes + alignment - STACK_ALIGNMENT;
}
