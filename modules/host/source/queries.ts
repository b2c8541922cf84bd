// SPDX-License-Identifier: Apache-2.0
// Queries: two times or two values of a counter per slot of the control block, written by the thread that makes the
// query's node ready.
import { type Board, setDouble } from "./board.ts";
import { COUNTERS } from "./counters.table.ts";
import * as L from "./control-layout.ts";

/** Notes the start in every slot of a begin-query node. */
export function beginQueries(board: Board, base: number): void {
  const now = board.clock();
  eachSlot(board, base, (slot) => {
    setDouble(board, slot, measured(board, slot, now));
  });
}

/** Notes the end in every slot of an end-query node. */
export function endQueries(board: Board, base: number): void {
  const now = board.clock();
  eachSlot(board, base, (slot) => {
    setDouble(board, slot + 2, measured(board, slot, now));
  });
}

/** The time, or the current value of the slot's counter. */
function measured(board: Board, slot: number, now: number): number {
  const counter = board.words[slot + L.QUERY_COUNTER] as number;
  return counter === 0 ? now : (COUNTERS[counter - 1]?.read(board, now) ?? 0);
}

/** Makes every slot of a reset-query node empty. */
export function resetQueries(board: Board, base: number): void {
  eachSlot(board, base, (slot) => {
    setDouble(board, slot, 0);
    setDouble(board, slot + 2, 0);
  });
}

function eachSlot(board: Board, base: number, write: (slot: number) => void): void {
  const first = board.words[base + L.QUERY_FIRST] as number;
  const count = board.words[base + L.QUERY_COUNT] as number;
  for (let i = 0; i < count; i++) write(L.QUERIES + (first + i) * L.QUERY_WORDS);
}
