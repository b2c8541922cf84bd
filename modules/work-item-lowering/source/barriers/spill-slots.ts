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
  walk,
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

/** Variables that do more than hold a value: they stay in the spill frame. */
function memoryVariables(fn: IrFunction): ReadonlySet<Value> {
  const found = new Set<Value>();
  walk(fn, (user) => {
    const { op, operands, successorArguments } = user;
    const [first, second] = operands;
    for (const value of operands) {
      if (value.kind !== "instruction" || value.op !== Op.ALLOCA) continue;
      const type = value.elementType;
      const isPlain =
        (op === Op.LOAD && user.type === type) ||
        (op === Op.STORE && second === value && first !== value && first?.type === type);
      if (!isPlain) found.add(value);
    }
    for (const list of successorArguments) for (const value of list) found.add(value);
  });
  return found;
}

/** The slots of a kernel. */
export interface Slots {
  readonly list: readonly Slot[];
  /** Their positions in the list, by their variables. */
  readonly numbers: ReadonlyMap<Value, number>;
  /** The positions of those that are memory. */
  readonly memory: readonly number[];
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
  const inMemory = memoryVariables(fn);
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
    const kind = inMemory.has(variable) ? "memory" : "value";
    // Values are loaded and stored only; memory has an address that the kernel may observe.
    const size = alignUp(sizeOf(module.layout, type), kind === "memory" ? alignment : Math.min(16, alignment));
    if (kind === "memory") bytes = alignUp(bytes, Math.max(1, alignment / LIVE_ITEM_MULTIPLE));
    list.push({ kind, variable, type, position: { before: bytes, size } });
    bytes += size;
  }
  return {
    list,
    numbers: new Map(list.map(({ variable }, i) => [variable, i])),
    memory: list.flatMap(({ kind }, i) => (kind === "memory" ? [i] : [])),
    bytes,
    uniformBytes,
  };
}
