// SPDX-License-Identifier: Apache-2.0
// Boxes of bytes: rows and slices with pitches, on the device and on the host.
import type { MuxBufferRegionInfo, MuxExtent2d, MuxExtent3d, MuxImage, MuxOffset3d } from "@muxkit/mux";

import type { HalDevice } from "./hal.ts";

/** Where a box begins, and how far its rows and slices are apart. */
export interface Box {
  readonly start: number;
  readonly rowPitch: number;
  readonly slicePitch: number;
}

/** Bytes of a row, rows, slices. */
export interface BoxSize {
  readonly row: number;
  readonly rows: number;
  readonly slices: number;
}

/** Calls back for each row with its place in both boxes. */
function eachRow(
  { row, rows, slices }: BoxSize,
  a: Box,
  b: Box,
  visit: (inA: number, inB: number, bytes: number) => void,
): void {
  for (let z = 0; z < slices; z++)
    for (let y = 0; y < rows; y++)
      visit(a.start + y * a.rowPitch + z * a.slicePitch, b.start + y * b.rowPitch + z * b.slicePitch, row);
}

/** Copies a box from the device. */
export function readBox(hal: HalDevice, from: Box, array: Uint8Array, to: Box, size: BoxSize): void {
  eachRow(size, from, to, (address, at, bytes) => {
    hal.read(address, array.subarray(at, at + bytes));
  });
}

/** Copies a box to the device. */
export function writeBox(hal: HalDevice, to: Box, array: Uint8Array, from: Box, size: BoxSize): void {
  eachRow(size, to, from, (address, at, bytes) => {
    hal.write(address, array.subarray(at, at + bytes));
  });
}

/** Copies bytes within the device. */
export function copyBytes(hal: HalDevice, from: number, to: number, size: number): void {
  if (hal.copy !== undefined) {
    hal.copy(from, to, size);
    return;
  }
  const bytes = new Uint8Array(size);
  hal.read(from, bytes);
  hal.write(to, bytes);
}

/** Copies a box within the device. */
export function copyBox(hal: HalDevice, from: Box, to: Box, size: BoxSize): void {
  eachRow(size, from, to, (source, target, bytes) => {
    copyBytes(hal, source, target, bytes);
  });
}

/** Fills bytes of the device with a pattern. */
export function fillBytes(hal: HalDevice, address: number, size: number, pattern: Uint8Array): void {
  if (hal.fill !== undefined) {
    hal.fill(address, size, pattern);
    return;
  }
  hal.write(
    address,
    Uint8Array.from({ length: size }, (_, i) => pattern[i % pattern.length] ?? 0),
  );
}

/** Fills a box. */
export function fillBox(hal: HalDevice, box: Box, size: BoxSize, pattern: Uint8Array): void {
  eachRow(size, box, box, (address, _, bytes) => {
    fillBytes(hal, address, bytes, pattern);
  });
}

function regionBox(base: number, { x, y, z }: MuxExtent3d, pitch: MuxExtent2d): Box {
  return { start: base + x + y * pitch.x + z * pitch.y, rowPitch: pitch.x, slicePitch: pitch.y };
}

/** Both sides of a region of buffers, from the addresses on where they begin. */
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

/** A place in an image whose first pixel lies at an address. Rows of an array of 1-D images are its layers. */
export function imageBox(
  image: MuxImage,
  address: number,
  { x, y, z }: MuxOffset3d,
  [rowPitch, slicePitch]: readonly [number, number],
): Box {
  return { start: address + x * image.pixelSize + y * rowPitch + z * slicePitch, rowPitch, slicePitch };
}

/** Pixels outside of images: tight where pitches are 0. */
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

/** Pixels as bytes. */
export function pixelsSize(image: MuxImage, { x, y, z }: MuxExtent3d): BoxSize {
  return { row: x * image.pixelSize, rows: y, slices: z };
}
