// SPDX-License-Identifier: Apache-2.0
// Numbers in memory that are changed in place: a load, an op and a store to the same pointer are one instruction.
import { type Instruction, Op, VOLATILE, type Value } from "@muxkit/ir";
import { MEMORY } from "@muxkit/x64-assembler";

import { general } from "./machine-builder.ts";
import type { Selector } from "./selector.ts";

const NAMES: Readonly<Record<number, string>> = {
  [Op.ADD]: "add",
  [Op.SUB]: "sub",
  [Op.AND]: "and",
  [Op.OR]: "or",
  [Op.XOR]: "xor",
};

/**
 * The load whose number a store puts back changed, if nothing else reads it or the changed one; null: there is none.
 */
export function modifiedLoad(store: Instruction, hasOneUse: (value: Instruction) => boolean): Instruction | null {
  const [value, pointer] = store.operands as [Value, Value];
  const { type } = value;
  if (store.op !== Op.STORE || (store.flags & VOLATILE) !== 0 || type.kind !== "int" || type.bits < 8) return null;
  if (value.kind !== "instruction" || NAMES[value.op] === undefined || !hasOneUse(value)) return null;
  const places = value.op === Op.SUB ? 1 : 2;
  for (let place = 0; place < places; place++) {
    const load = value.operands[place];
    if (load?.kind !== "instruction" || load.op !== Op.LOAD || (load.flags & VOLATILE) !== 0) continue;
    if (load.operands[0] === pointer && load.block === value.block && hasOneUse(load)) return load;
  }
  return null;
}

/** Writes a store of what was loaded from its place; false: the value is computed by itself. */
export function emitModified(s: Selector, store: Instruction): boolean {
  const [value, pointer] = store.operands as [Value, Value];
  const name = value.kind === "instruction" ? NAMES[value.op] : undefined;
  if (name === undefined || value.type.kind !== "int" || !s.isDeferred(value)) return false;
  const { bits } = value.type;
  const other = value.operands.find(
    (operand) => !(s.isDeferred(operand) && operand.op === Op.LOAD && operand.operands[0] === pointer),
  ) as Value;
  const constant = s.immediate(other);
  const isSmall = constant !== undefined && constant >= -128 && constant <= 127;
  if (constant !== undefined && (isSmall || bits >= 32)) {
    const key = general(`${name} r/m, ${isSmall ? "s8" : "s32"}`, bits);
    s.build.emit(key, [MEMORY, constant], s.address(pointer));
  } else {
    const register = s.one(other);
    s.build.emit(general(`${name} m, r`, bits), [MEMORY, register], s.address(pointer));
  }
  return true;
}
