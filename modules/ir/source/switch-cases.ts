// SPDX-License-Identifier: Apache-2.0
// The cases of a switch.
import type { Instruction } from "./instruction.ts";

/**
 * The cases of a switch as signed numbers of its operand's bits. A module may have them signed or unsigned: -1 and 255
 * are the same case of eight bits.
 *
 * @public
 */
export function switchCases({ lanes, operands }: Instruction): readonly number[] {
  const shift = 32 - Math.min(32, operands[0]?.type.bits ?? 32);
  return lanes.map((lane) => (lane << shift) >> shift);
}
