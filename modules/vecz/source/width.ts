// SPDX-License-Identifier: Apache-2.0
// How many work-items run at once.
import { type DataLayout, type IrFunction, Op, type Type, VOID, laneCount, loops, scalarOf, sizeOf } from "@muxkit/ir";

import { MOST_LANES } from "./forms.ts";
import { narrowWidths } from "./narrow-widths.ts";
import { REGISTER_BYTES } from "./pressure.ts";

/** Work on vectors that are spread over two registers hides latencies while there are not too many of them. */
const FEW_INSTRUCTIONS = 160;
/** So few that do nothing but read, compute a little and write are bound by memory: four registers of four bytes a lane are a line of the cache, which is then read or written at once. */
const LEAST_INSTRUCTIONS = 32;

function isCountedLoop(type: Type): boolean {
  const { kind, bits } = scalarOf(type);
  return type !== VOID && ((kind === "int" && bits > 1) || kind === "float");
}

/** True for functions that do little more than move what lies in memory. */
function movesOnly(fn: IrFunction, size: number): boolean {
  return (
    size <= LEAST_INSTRUCTIONS &&
    loops(fn).loops.length === 0 &&
    !fn.blocks.some(({ instructions }) => instructions.some(({ op }) => op === Op.CALL))
  );
}

/**
 * Lanes for a function: as many as fill one vector register, or two where the function is small, or four where it does next to nothing, counted by the type that most of its work is done in.
 * Never more than `most`; 1: it is not worth it. `areRowsLong`: false where rows may hold fewer work-items than `most`, for which longer vectors would leave them to run one by one.
 *
 * @public
 */
export function chooseWidth(fn: IrFunction, layout: DataLayout, most: number, areRowsLong: boolean): number {
  const bySize = new Map<number, number>();
  const narrow = narrowWidths(fn);
  let size = 0;
  let lanes = 1;
  for (const block of fn.blocks) {
    for (const instruction of block.instructions) {
      size++;
      const [first] = instruction.operands;
      const type = instruction.op === Op.STORE && first !== undefined ? first.type : instruction.type;
      lanes = Math.max(lanes, laneCount(type));
      if (!isCountedLoop(type)) continue;
      const bits = narrow.get(instruction);
      const bytes = bits === undefined ? sizeOf(layout, scalarOf(type)) : bits / 8;
      bySize.set(bytes, (bySize.get(bytes) ?? 0) + 1);
    }
  }
  let bytes = 4;
  let count = 0;
  for (const [candidate, found] of bySize) if (found > count) [bytes, count] = [candidate, found];
  const one = REGISTER_BYTES / bytes;
  const registers = areRowsLong && movesOnly(fn, size) ? 4 : size <= FEW_INSTRUCTIONS || one < 4 ? 2 : 1;
  const wanted = Math.min(16, one * registers);
  let width = wanted;
  while (width > most || width * lanes > MOST_LANES) width /= 2;
  return width < 2 ? 1 : width;
}
