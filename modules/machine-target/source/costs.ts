// SPDX-License-Identifier: Apache-2.0
// Look-ups in a machine's cost table.
import { type Type, VOID, laneCount, scalarOf } from "@muxkit/ir";

import type { Amounts, MachineTarget, OpCost } from "./machine-target.ts";
import { registersOf } from "./registers.ts";

/** What an op is computed on. @public */
export interface Operands {
  /** Type of the value. */
  readonly type: Type;
  /** Type of the pointer that a memory op takes; absent or null: there is none. */
  readonly pointer?: Type | null;
  /** Of a shift or rotation; absent: one for all lanes. */
  readonly amounts?: Amounts;
}

function holds(
  { shape, bits, addressSpace, amounts }: OpCost,
  { type, pointer = null, amounts: given = "one" }: Operands,
): boolean {
  return (
    (shape === undefined || (shape === "vector") === laneCount(type) > 1) &&
    (bits === undefined || scalarOf(type).bits === bits) &&
    (addressSpace === undefined || pointer?.addressSpace === addressSpace) &&
    (amounts === undefined || amounts === given)
  );
}

/**
 * What an op costs on operands. Unit: one simple vector instruction.
 *
 * @public
 */
export function costOfOp(machine: MachineTarget, op: number, operands: Operands): number {
  const { type } = operands;
  const registers = type === VOID ? 1 : registersOf(machine, type);
  const row = machine.costs.ops[op]?.find((one) => holds(one, operands));
  if (row === undefined) return registers;
  const { fixed = 0, perRegister = 0, perLane = 0 } = row;
  return fixed + perRegister * registers + (perLane === 0 ? 0 : perLane * laneCount(type));
}

/** Instructions for an op on one register of lanes of so many bits, as bit-width narrowing counts them. @public */
export function narrowOpCost({ costs }: MachineTarget, op: number, bits: number): number {
  return costs.narrowOps[op]?.[bits] ?? 1;
}

/** Registers for as many lanes as a register has bytes. */
function registersFor(bits: number): number {
  return Math.max(1, bits / 8);
}

/**
 * Instructions that bring integer lanes from one width to another, where lanes of 8 bits fill one register. Widening
 * writes every step's registers; narrowing masks the source first, since narrowing instructions saturate.
 *
 * @public
 */
export function costOfResize({ resizeFactor }: MachineTarget, from: number, to: number): number {
  if (from === to) return 0;
  // A mask becomes numbers of any width at once.
  if (from === 1) return registersFor(to);
  let cost = from < to ? 0 : registersFor(from);
  for (let bits = from; bits !== to;) {
    bits = from < to ? Math.min(to, bits * resizeFactor) : Math.max(to, bits / resizeFactor);
    cost += registersFor(bits);
  }
  return cost;
}
