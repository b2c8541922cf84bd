// SPDX-License-Identifier: Apache-2.0
// Fill, copy, rectangle copy and transfers with shared arrays, a block of bytes at a time.
import { copyBytes, fillBytes } from "@muxkit/cargo";

import { type Board, double } from "./board.ts";
import * as L from "./control-layout.ts";

/** Copies one block within device memory; overlapping copies are one block. */
export function copyUnits(board: Board, base: number, unit: number): boolean {
  const { words } = board;
  const size = double(board, base + L.TRANSFER_SIZE);
  const units = double(board, base + L.NODE_TOTAL);
  const from = units === 1 ? 0 : unit * L.TRANSFER_UNIT;
  const count = units === 1 ? size : Math.min(L.TRANSFER_UNIT, size - from);
  const source = ((words[base + L.TRANSFER_SOURCE] as number) >>> 0) + from;
  const target = ((words[base + L.TRANSFER_TARGET] as number) >>> 0) + from;
  if (!board.memory.reach(Math.max(source, target) + count)) return false;
  moveBytes(board.memory.bytes, source, target, count);
  return true;
}

/** Moves bytes within device memory; source and target may overlap. */
function moveBytes(bytes: Uint8Array, source: number, target: number, count: number): void {
  if (Math.abs(source - target) < count) bytes.copyWithin(target, source, source + count);
  else copyBytes(bytes, target, bytes.subarray(source, source + count));
}

/** Copies one block between device memory and a shared array; false when the array is not known. */
export function transferUnits(
  board: Board,
  base: number,
  unit: number,
  arrays: (id: number) => Uint8Array | null,
): boolean {
  const { words } = board;
  const array = arrays(words[base + L.TRANSFER_ARRAY] as number);
  const size = double(board, base + L.TRANSFER_SIZE);
  const from = unit * L.TRANSFER_UNIT;
  const count = Math.min(L.TRANSFER_UNIT, size - from);
  const reads = words[base + L.TRANSFER_DIRECTION] === 1;
  const device = ((words[base + (reads ? L.TRANSFER_SOURCE : L.TRANSFER_TARGET)] as number) >>> 0) + from;
  const offset = ((words[base + L.TRANSFER_ARRAY_OFFSET] as number) >>> 0) + from;
  if (array === null || offset + count > array.length || !board.memory.reach(device + count)) return false;
  if (reads) copyBytes(array, offset, board.memory.bytes.subarray(device, device + count));
  else copyBytes(board.memory.bytes, device, array.subarray(offset, offset + count));
  return true;
}

/** Fills one block. A pattern whose size does not divide a block is filled in one. */
export function fillUnits(board: Board, base: number, unit: number): boolean {
  const { words } = board;
  const size = double(board, base + L.TRANSFER_SIZE);
  const units = double(board, base + L.NODE_TOTAL);
  const from = units === 1 ? 0 : unit * L.TRANSFER_UNIT;
  const count = units === 1 ? size : Math.min(L.TRANSFER_UNIT, size - from);
  const target = ((words[base + L.TRANSFER_TARGET] as number) >>> 0) + from;
  if (!board.memory.reach(target + count)) return false;
  const pattern = words[base + L.TRANSFER_PATTERN_SIZE] as number;
  const { bytes } = board.memory;
  if (pattern === 1) {
    bytes.fill((words[base + L.TRANSFER_PATTERN] as number) & 255, target, target + count);
    return true;
  }
  const list = new Uint8Array(pattern);
  for (let i = 0; i < pattern; i++) list[i] = (words[base + L.TRANSFER_PATTERN + (i >> 2)] as number) >>> ((i & 3) * 8);
  fillBytes(bytes.subarray(target, target + count), list);
  return true;
}

/** Copies a box of bytes: one unit is one slice. */
export function runRectangle(board: Board, base: number, unit: number): boolean {
  const { words } = board;
  const row = (words[base + L.TRANSFER_ROW] as number) >>> 0;
  const rows = (words[base + L.TRANSFER_ROWS] as number) >>> 0;
  const sourceRow = (words[base + L.TRANSFER_SOURCE_ROW] as number) >>> 0;
  const targetRow = (words[base + L.TRANSFER_TARGET_ROW] as number) >>> 0;
  const source =
    ((words[base + L.TRANSFER_SOURCE] as number) >>> 0) +
    unit * ((words[base + L.TRANSFER_SOURCE_SLICE] as number) >>> 0);
  const target =
    ((words[base + L.TRANSFER_TARGET] as number) >>> 0) +
    unit * ((words[base + L.TRANSFER_TARGET_SLICE] as number) >>> 0);
  if (!board.memory.reach(Math.max(source + sourceRow * (rows - 1), target + targetRow * (rows - 1)) + row))
    return false;
  for (let y = 0; y < rows; y++) {
    moveBytes(board.memory.bytes, source + y * sourceRow, target + y * targetRow, row);
  }
  return true;
}
