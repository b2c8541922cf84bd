// SPDX-License-Identifier: Apache-2.0
// Questions about a machine's registers and operations that several passes have.
import { I32, I64, type Type, VOID, laneCount, scalarOf, sizeOf } from "@muxkit/ir";

import type { MachineTarget } from "./machine-target.ts";

/** The integer type of addresses, offsets and sizes on a machine, or in a module: as wide as `size_t`. @public */
export function addressType({ layout }: Pick<MachineTarget, "layout">): Type {
  return layout.sizeBits === 64 ? I64 : I32;
}

/** Bytes of a value or of a lane in a register. Masks have no lanes in memory, so their bytes are the machine's. */
function laneBytes({ registers, layout }: MachineTarget, element: Type): number {
  return element.kind === "int" && element.bits === 1 ? registers.maskLaneBytes : sizeOf(layout, element);
}

/** Lanes of a scalar type that one vector register holds; at least 1. @public */
export function lanesPerRegister(machine: MachineTarget, element: Type): number {
  return Math.max(1, Math.floor(machine.registers.vectorBytes / Math.max(1, laneBytes(machine, element))));
}

/** Vector registers that the lanes of a value fill; a scalar counts as one. @public */
export function registersOf(machine: MachineTarget, type: Type): number {
  const bytes = laneCount(type) * laneBytes(machine, scalarOf(type));
  return Math.max(1, Math.ceil(bytes / machine.registers.vectorBytes));
}

/**
 * Vector registers that values of a type hold while they are alive. Whole numbers and pointers that are no vectors have
 * scalar registers; so have masks on machines with a file of mask registers.
 *
 * @public
 */
export function vectorRegistersHeld(machine: MachineTarget, type: Type): number {
  if (type === VOID || (laneCount(type) === 1 && type.kind !== "float")) return 0;
  return laneBytes(machine, scalarOf(type)) === 0 ? 0 : registersOf(machine, type);
}

/** True when one instruction of the machine does this op on values of a type. @public */
export function isNative({ support }: MachineTarget, op: number, type: Type): boolean {
  const row = support[op];
  if (row === undefined) return true;
  return (type.kind === "vector" ? row.vector : row.scalar).includes(scalarOf(type).bits);
}

/**
 * True when the code generator does not take this op on values of a type: it has to become a call of the library.
 *
 * @public
 */
export function isLibcall({ support }: MachineTarget, op: number, type: Type): boolean {
  return support[op]?.libcall?.includes(scalarOf(type).bits) ?? false;
}
