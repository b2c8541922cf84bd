// SPDX-License-Identifier: Apache-2.0
// Boxes of bytes: rows and slices with pitches. The box copies of every target work on these.
import { copyBytes } from "@muxkit/cargo";
import type { MuxBufferRegionInfo, MuxExtent2d, MuxExtent3d, MuxImage, MuxOffset3d } from "@muxkit/mux";

/** A box of bytes: where it begins and how far its rows and slices are apart. @public */
export interface Box {
  /** First byte: an address of the device, an offset in a buffer, or an index in an array. */
  readonly start: number;
  /** Bytes from row to row. */
  readonly rowPitch: number;
  /** Bytes from slice to slice. */
  readonly slicePitch: number;
}

/** Size of a box. @public */
export interface BoxSize {
  /** Bytes of a row. */
  readonly row: number;
  /** Rows of a slice. */
  readonly rows: number;
  /** Slices. */
  readonly slices: number;
}

/**
 * Visits each row with its position in both boxes. Rows that are adjacent in both boxes are one row, and so are slices.
 *
 * @public
 */
export function forEachRow(
  size: BoxSize,
  a: Box,
  b: Box,
  visit: (inA: number, inB: number, bytes: number) => void,
): void {
  const { row, rows, slices } = size;
  if (rows > 1 && a.rowPitch === row && b.rowPitch === row) {
    const merged = { row: row * rows, rows: slices, slices: 1 };
    forEachRow(merged, { ...a, rowPitch: a.slicePitch }, { ...b, rowPitch: b.slicePitch }, visit);
    return;
  }
  for (let z = 0; z < slices; z++)
    for (let y = 0; y < rows; y++)
      visit(a.start + y * a.rowPitch + z * a.slicePitch, b.start + y * b.rowPitch + z * b.slicePitch, row);
}

/** Copies a box from one array into another. @public */
export function copyBox(source: Uint8Array, from: Box, target: Uint8Array, to: Box, size: BoxSize): void {
  forEachRow(size, from, to, (start, at, bytes) => {
    copyBytes(target, at, source.subarray(start, start + bytes));
  });
}

function regionBox(base: number, { x, y, z }: MuxExtent3d, pitch: MuxExtent2d): Box {
  return { start: base + x + y * pitch.x + z * pitch.y, rowPitch: pitch.x, slicePitch: pitch.y };
}

/**
 * Both sides of a region of buffers that begin at these addresses.
 *
 * @public
 */
export function regionBoxes(
  { region, srcOrigin, dstOrigin, srcDesc, dstDesc }: MuxBufferRegionInfo,
  source: number,
  target: number,
): { readonly from: Box; readonly to: Box; readonly size: BoxSize } {
  return {
    from: regionBox(source, srcOrigin, srcDesc),
    to: regionBox(target, dstOrigin, dstDesc),
    size: { row: region.x, rows: region.y, slices: region.z },
  };
}

/**
 * The box at an offset in an image whose first pixel is at an address. Rows of an array of 1-D images are its layers.
 *
 * @public
 */
export function imageBox(
  image: MuxImage,
  address: number,
  { x, y, z }: MuxOffset3d,
  [rowPitch, slicePitch]: readonly [number, number],
): Box {
  return { start: address + x * image.pixelSize + y * rowPitch + z * slicePitch, rowPitch, slicePitch };
}

/**
 * The box of an image's pixels in a buffer or an array; pitches of 0 mean that rows and slices are adjacent.
 *
 * @public
 */
export function pixelsBox(
  image: MuxImage,
  extent: MuxExtent3d,
  start: number,
  rowSize: number = 0,
  sliceSize: number = 0,
): Box {
  const rowPitch = rowSize || extent.x * image.pixelSize;
  return { start, rowPitch, slicePitch: sliceSize || rowPitch * extent.y };
}

/** The size of a box of an image's pixels. @public */
export function pixelsSize(image: MuxImage, { x, y, z }: MuxExtent3d): BoxSize {
  return { row: x * image.pixelSize, rows: y, slices: z };
}
