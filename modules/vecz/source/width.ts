// SPDX-License-Identifier: Apache-2.0
// The vectorisation factor: how many work-items one vector function runs.
import { type IrFunction, Op, type Type, VOID, laneCount, loops, scalarOf, sizeOf, MAX_VECTOR_LANES } from "@muxkit/ir";

import type { MachineTarget } from "@muxkit/machine-target";

import { narrowWidths } from "./narrow-widths.ts";

/** Fewer lanes than this gain little in one register: then two are used. */
const LEAST_LANES = 4;

function isCounted(type: Type): boolean {
  const { kind, bits } = scalarOf(type);
  return type !== VOID && ((kind === "int" && bits > 1) || kind === "float");
}

/** True for functions that do little more than move data. */
function movesOnly(fn: IrFunction, size: number, most: number): boolean {
  return (
    size <= most &&
    loops(fn).loops.length === 0 &&
    !fn.blocks.some(({ instructions }) => instructions.some(({ op }) => op === Op.CALL))
  );
}

/**
 * The number of lanes for a function: as many as fill one vector register, two where the function is small, or a line
 * of the cache where it only moves data, counted in the type that most of its work is done in. Never more than `most`;
 * 1: it is not worth vectorising. `areRowsLong`: false where the vectorised dimension may hold fewer work-items than
 * `most`; longer vectors would leave those to run one by one.
 *
 * @public
 */
export function chooseWidth(fn: IrFunction, machine: MachineTarget, most: number, areRowsLong: boolean): number {
  const bySize = new Map<number, number>();
  const narrow = narrowWidths(fn, machine);
  let size = 0;
  let lanes = 1;
  for (const block of fn.blocks) {
    for (const instruction of block.instructions) {
      size++;
      const [first] = instruction.operands;
      const type = instruction.op === Op.STORE && first !== undefined ? first.type : instruction.type;
      lanes = Math.max(lanes, laneCount(type));
      if (!isCounted(type)) continue;
      const bits = narrow.get(instruction);
      const bytes = bits === undefined ? sizeOf(machine.layout, scalarOf(type)) : bits / 8;
      bySize.set(bytes, (bySize.get(bytes) ?? 0) + 1);
    }
  }
  let bytes = 4;
  let count = 0;
  for (const [candidate, found] of bySize) if (found > count) [bytes, count] = [candidate, found];
  const { registers, limits } = machine;
  const one = registers.vectorBytes / bytes;
  const isStream = areRowsLong && movesOnly(fn, size, limits.streamInstructions);
  const isSmall = size <= limits.twoRegisterInstructions || one < LEAST_LANES;
  const spread = isStream ? Math.max(1, limits.cacheLineBytes / registers.vectorBytes) : isSmall ? 2 : 1;
  const wanted = Math.min(limits.mostLanes, one * spread);
  let width = wanted;
  while (width > most || width * lanes > MAX_VECTOR_LANES) width /= 2;
  return width < 2 ? 1 : width;
}
