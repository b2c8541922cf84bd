// SPDX-License-Identifier: Apache-2.0
// Regions of images: validation, and copies between images and plain memory.
import { type Result, copyBytes, err, ok } from "@muxkit/cargo";

import { type Color, packPixel } from "./pixel.ts";
import { type Box, type Image, type ImageError, imageError, imageExtent, imageStrides } from "./image.ts";
import { type ImageFormat, channelClass } from "./format.ts";

/** A strided view of pixels in memory: the first pixel, and the distances between rows and slices in bytes. @public */
export interface PixelView {
  /** The memory. */
  readonly bytes: Uint8Array;
  /** Byte of the first pixel. */
  readonly offset: number;
  /** Bytes from row to row. */
  readonly rowPitch: number;
  /** Bytes from slice to slice. */
  readonly slicePitch: number;
}

/** Checks that a region is inside of an image and is not empty. @public */
export function checkRegion(image: Image, origin: Box, region: Box): Result<void, ImageError> {
  const extent = imageExtent(image);
  for (const [axis, name] of ["x", "y", "z"].entries()) {
    const [from = 0, count = 0, size = 1] = [origin[axis], region[axis], extent[axis]];
    if (!Number.isSafeInteger(count) || count < 1)
      return err(imageError("region", `a region has at least one pixel along ${name}, not ${count}`));
    if (!Number.isSafeInteger(from) || from < 0 || from + count > size)
      return err(
        imageError(
          "region",
          `a region of ${count} that starts at ${from} is not inside the image, which has ${size} along ${name}`,
        ),
      );
  }
  return ok();
}

/**
 * Pitches of pixels in plain memory, as small as possible where they are 0; an error when they are too small for the
 * region. A layer of a 1-D array is a slice of one row.
 *
 * @public
 */
export function hostPitches(
  image: Image,
  region: Box,
  rowPitch: number,
  slicePitch: number,
): Result<readonly [y: number, z: number], ImageError> {
  const tight = region[0] * image.pixelBytes;
  const row = rowPitch === 0 ? tight : rowPitch;
  if (row < tight) return err(imageError("pitch", `a row pitch of ${row} bytes is less than the ${tight} of a row`));
  if (image.type === "1d_array") {
    const layer = slicePitch === 0 ? row : slicePitch;
    return layer < row
      ? err(imageError("pitch", `a slice pitch of ${layer} bytes is less than the ${row} of a layer`))
      : ok([layer, layer * region[1]]);
  }
  const slice = slicePitch === 0 ? row * region[1] : slicePitch;
  return slice < row * region[1]
    ? err(imageError("pitch", `a slice pitch of ${slice} bytes is less than the ${row * region[1]} of a slice`))
    : ok([row, slice]);
}

/** The view of an image's pixels from `origin` on, when the image begins at byte `base` of `bytes`. @public */
export function imageView(image: Image, bytes: Uint8Array, base: number, origin: Box): PixelView {
  const [rowPitch, slicePitch] = imageStrides(image);
  return {
    bytes,
    offset: base + origin[0] * image.pixelBytes + origin[1] * rowPitch + origin[2] * slicePitch,
    rowPitch,
    slicePitch,
  };
}

/** Copies rows of `rowBytes`. Views of one memory may overlap: rows are copied in a safe order. @public */
export function copyPixels(from: PixelView, to: PixelView, rowBytes: number, region: Box): void {
  const [, rows, slices] = region;
  // Rows that move towards the end of the same memory are copied last to first.
  const isOneMemory = from.bytes.buffer === to.bytes.buffer;
  const isBackwards = isOneMemory && to.bytes.byteOffset + to.offset > from.bytes.byteOffset + from.offset;
  const count = rows * slices;
  for (let step = 0; step < count; step++) {
    const index = isBackwards ? count - 1 - step : step;
    const y = index % rows;
    const z = (index - y) / rows;
    const source = from.offset + y * from.rowPitch + z * from.slicePitch;
    const target = to.offset + y * to.rowPitch + z * to.slicePitch;
    if (from.bytes === to.bytes) to.bytes.copyWithin(target, source, source + rowBytes);
    else if (isOneMemory) to.bytes.set(from.bytes.subarray(source, source + rowBytes), target);
    else copyBytes(to.bytes, target, from.bytes.subarray(source, source + rowBytes));
  }
}

/** Fills a region with one pixel. @public */
export function fillPixels(pixel: Uint8Array, to: PixelView, region: Box): void {
  const [width, rows, slices] = region;
  const row = new Uint8Array(width * pixel.length);
  for (let x = 0; x < width; x++) row.set(pixel, x * pixel.length);
  for (let z = 0; z < slices; z++)
    for (let y = 0; y < rows; y++) copyBytes(to.bytes, to.offset + y * to.rowPitch + z * to.slicePitch, row);
}

/**
 * The fill colour in 16 bytes: floats, or ints of the channel's sign (for a depth image one float is enough).
 *
 * @public
 */
export function colorFromBytes(format: ImageFormat, bytes: Uint8Array): Color {
  const padded = new Uint8Array(16);
  padded.set(bytes.subarray(0, 16));
  const view = new DataView(padded.buffer);
  const kind = channelClass(format);
  const at = (i: number): number =>
    kind === "float"
      ? view.getFloat32(i * 4, true)
      : kind === "signed"
        ? view.getInt32(i * 4, true)
        : view.getUint32(i * 4, true);
  return [at(0), at(1), at(2), at(3)];
}

/** The bytes of a pixel of a colour. @public */
export function packColor(format: ImageFormat, color: Color, pixelBytes: number): Uint8Array {
  const pixel = new Uint8Array(pixelBytes);
  packPixel(format, color, new DataView(pixel.buffer), 0);
  return pixel;
}

/** True when two regions of one image share a pixel. @public */
export function regionsOverlap(a: Box, b: Box, region: Box): boolean {
  return region.every((size, axis) => Math.abs((a[axis] ?? 0) - (b[axis] ?? 0)) < size);
}
