// SPDX-License-Identifier: Apache-2.0
// Where a kernel keeps what lives across its barriers: once for the group, or in a record for each work-item.
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

import { LIVE_ITEM_MULTIPLE, type FrameSlot, STATE_SLOT } from "./spill-frame.ts";

/** What an instruction takes, for itself or for the parameters of blocks that it branches to. */
export function takes({ operands, successorArguments }: Instruction): Value[] {
  return [...operands, ...successorArguments.flat()];
}

/** A value that is kept once, since it is the same for all work-items of the group. */
export interface SharedSlot {
  readonly kind: "shared";
  readonly variable: Instruction;
  readonly type: Type;
  readonly alignment: number;
  /** Bytes from the beginning of the shared values. */
  readonly offset: number;
}

/** A place in each work-item's record: of a value, or of memory (arrays, and what has its address taken), which lives there all the time. */
export interface RecordSlot {
  readonly kind: "value" | "memory";
  readonly variable: Instruction;
  readonly type: Type;
  readonly place: FrameSlot;
}

/** Where a value or variable that lives across a barrier is kept. */
export type Slot = SharedSlot | RecordSlot;

/** Variables that do more than hold a value: they stay in the record. */
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
      return !plain && takes(user).includes(variable);
    }),
  );
}

/** The slots of a kernel. */
export interface Slots {
  readonly list: readonly Slot[];
  /** Bytes a work-item. */
  readonly bytes: number;
  /** Bytes of shared values. */
  readonly sharedBytes: number;
}

/** Gives every variable its slot. `isShared`: variables of values that all work-items share; `hasState`: records begin with the number of the next region. */
export function layOutSlots(
  fn: IrFunction,
  variables: readonly Instruction[],
  isShared: (variable: Instruction) => boolean,
  hasState: boolean,
  module: Module,
): Slots {
  const list: Slot[] = [];
  let bytes = hasState ? STATE_SLOT.size : 0;
  let sharedBytes = 0;
  for (const variable of variables) {
    const type = variable.elementType;
    assert(type !== null, "a variable has a type");
    const alignment = Math.max(variable.alignment, alignmentOf(module.layout, type));
    if (isShared(variable)) {
      const offset = alignUp(sharedBytes, alignment);
      list.push({ kind: "shared", variable, type, alignment, offset });
      sharedBytes = offset + sizeOf(module.layout, type);
      continue;
    }
    const kind = isMemoryVariable(fn, variable) ? "memory" : "value";
    // Values are read and written where they lie; memory has an address that the kernel may look at.
    const size = alignUp(sizeOf(module.layout, type), kind === "memory" ? alignment : Math.min(16, alignment));
    if (kind === "memory") bytes = alignUp(bytes, Math.max(1, alignment / LIVE_ITEM_MULTIPLE));
    list.push({ kind, variable, type, place: { before: bytes, size } });
    bytes += size;
  }
  return { list, bytes, sharedBytes };
}
