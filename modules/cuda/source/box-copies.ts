// SPDX-License-Identifier: Apache-2.0
// Boxes of bytes as copies of a GPU: one where hardware takes the pitches, else several.
import { type Box, type BoxSize, forEachRow } from "@muxkit/hal";

import type { GpuCopy, GpuWork } from "./driver.ts";
import { copyWork, fillWork } from "./fills.ts";

/** Bytes of the largest pitch that hardware takes. */
const MOST_PITCH = 2 ** 31 - 1;

function takesRows({ rowPitch }: Box, { row }: BoxSize): boolean {
  return rowPitch >= row && rowPitch <= MOST_PITCH;
}

function takesSlices({ rowPitch, slicePitch }: Box, { rows }: BoxSize): boolean {
  return slicePitch % rowPitch === 0 && slicePitch >= rows * rowPitch;
}

/** Copies between addresses. */
export function boxCopies(from: Box, to: Box, size: BoxSize): readonly GpuCopy[] {
  const { row, rows, slices } = size;
  if (row === 0 || rows === 0 || slices === 0) return [];
  const list: GpuCopy[] = [];
  const isOneRow = rows === 1 && slices === 1;
  if (isOneRow || ![from, to].every((box) => takesRows(box, size))) {
    forEachRow(size, from, to, (a, b, bytes) => {
      list.push(copyWork(a, b, bytes));
    });
    return list;
  }
  const isOne = slices === 1 || [from, to].every((box) => takesSlices(box, size));
  // Hardware takes the rows of a slice from its pitch, also where there is one slice.
  const slicePitchOf = ({ rowPitch, slicePitch }: Box): number => (isOne && slices > 1 ? slicePitch : rowPitch * rows);
  for (let z = 0; z < (isOne ? 1 : slices); z++)
    list.push({
      kind: "copy",
      from: from.start + z * from.slicePitch,
      fromRow: from.rowPitch,
      fromSlice: slicePitchOf(from),
      to: to.start + z * to.slicePitch,
      toRow: to.rowPitch,
      toSlice: slicePitchOf(to),
      bytes: row,
      rows,
      slices: isOne ? slices : 1,
    });
  return list;
}

/** Copies the first of a number of like parts to the others, twice as many each time. */
function spread(count: number, copy: (from: number, to: number, parts: number) => readonly GpuCopy[]): GpuCopy[] {
  const list: GpuCopy[] = [];
  for (let done = 1; done < count; done *= 2) list.push(...copy(0, done, Math.min(done, count - done)));
  return list;
}

/** Fills a box: a row with the pattern, then a slice with the row, then the box with the slice. */
export function fillBox(box: Box, size: BoxSize, pattern: Uint8Array): readonly GpuWork[] {
  const { row, rows, slices } = size;
  if (row === 0 || rows === 0 || slices === 0) return [];
  const at = (y: number, z: number): Box => ({ ...box, start: box.start + y * box.rowPitch + z * box.slicePitch });
  return [
    ...fillWork(box.start, row, pattern),
    ...spread(rows, (from, to, count) => boxCopies(at(from, 0), at(to, 0), { row, rows: count, slices: 1 })),
    ...spread(slices, (from, to, count) => boxCopies(at(0, from), at(0, to), { row, rows, slices: count })),
  ];
}

/** A box without gaps that begins somewhere. */
export function tightBox(start: number, { row, rows }: BoxSize): Box {
  return { start, rowPitch: row, slicePitch: row * rows };
}

/** The bytes of a box. */
export function bytesOfBox({ row, rows, slices }: BoxSize): number {
  return row * rows * slices;
}
