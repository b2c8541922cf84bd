// SPDX-License-Identifier: Apache-2.0
// Reads through samplers, written as in the specification (OpenCL 8.2): the reference for the library that kernels use.
import type { Sampler } from "./descriptor.ts";
import { type Color, borderColor, roundEven, unpackPixel } from "./pixel.ts";
import { type Box, type Image, imageExtent, imageStrides } from "./image.ts";

const { fround } = Math;

/** Clamps an index of one axis to the image; with `clamp`, -1 and the size remain outside. */
function bounded(index: number, size: number, { addressing }: Sampler): number {
  return addressing === "clamp" ? Math.min(Math.max(index, -1), size) : Math.min(Math.max(index, 0), size - 1);
}

/** A coordinate in pixels, in the float arithmetic of the specification's formulas. */
function inPixels(coordinate: number, size: number, { normalized, addressing }: Sampler): number {
  const c = fround(coordinate);
  if (!normalized) return c;
  if (addressing === "repeat") return fround(fround(c - Math.floor(c)) * size);
  if (addressing === "mirrored_repeat") return fround(Math.abs(fround(c - 2 * roundEven(fround(0.5 * c)))) * size);
  return fround(c * size);
}

function nearestIndex(coordinate: number, size: number, sampler: Sampler): number {
  const index = Math.floor(inPixels(coordinate, size, sampler));
  if (sampler.addressing === "repeat") return index > size - 1 ? index - size : index;
  return bounded(index, size, sampler);
}

/** Two neighbours along one axis and the weight of the second one. */
function neighbours(
  coordinate: number,
  size: number,
  sampler: Sampler,
): { readonly low: number; readonly high: number; readonly weight: number } {
  const shifted = inPixels(coordinate, size, sampler) - 0.5;
  const index = Math.floor(shifted);
  const weight = shifted - index;
  if (sampler.addressing === "repeat")
    return { low: index < 0 ? index + size : index, high: index + 1 > size - 1 ? index + 1 - size : index + 1, weight };
  return { low: bounded(index, size, sampler), high: bounded(index + 1, size, sampler), weight };
}

/** The pixel at integer coordinates; the border colour outside of the image. @public */
export function readPixel(image: Image, bytes: Uint8Array, [x, y, z]: Box): Color {
  const [width, height, depth] = imageExtent(image);
  if (x < 0 || y < 0 || z < 0 || x >= width || y >= height || z >= depth) return borderColor(image.format);
  const [row, slice] = imageStrides(image);
  return unpackPixel(
    image.format,
    new DataView(bytes.buffer, bytes.byteOffset),
    x * image.pixelBytes + y * row + z * slice,
  );
}

/** Number of filtered axes; the next one, if the image is an array, is the layer. */
function filteredAxes({ type }: Image): number {
  if (type === "3d") return 3;
  return type.startsWith("2d") ? 2 : 1;
}

function layerIndex(coordinate: number, layers: number): number {
  return Math.min(Math.max(roundEven(fround(coordinate)), 0), layers - 1);
}

/** Reads at float coordinates. Linear filtering is computed in binary64; kernels compute it in binary32. @public */
export function samplePixel(image: Image, bytes: Uint8Array, sampler: Sampler, coordinates: Box): Color {
  const extent = imageExtent(image);
  const axes = filteredAxes(image);
  const fixed = (axis: number): number => layerIndex(coordinates[axis] ?? 0, extent[axis] ?? 1);
  if (sampler.filter === "nearest") {
    const at = (axis: number): number =>
      axis < axes ? nearestIndex(coordinates[axis] ?? 0, extent[axis] ?? 1, sampler) : fixed(axis);
    return readPixel(image, bytes, [at(0), at(1), at(2)]);
  }
  const sum: [number, number, number, number] = [0, 0, 0, 0];
  for (let corner = 0; corner < 1 << axes; corner++) {
    let weight = 1;
    const index = [0, 1, 2].map((axis) => {
      if (axis >= axes) return fixed(axis);
      const pair = neighbours(coordinates[axis] ?? 0, extent[axis] ?? 1, sampler);
      const isHigh = ((corner >> axis) & 1) === 1;
      weight *= isHigh ? pair.weight : 1 - pair.weight;
      return isHigh ? pair.high : pair.low;
    });
    const color = readPixel(image, bytes, [index[0] ?? 0, index[1] ?? 0, index[2] ?? 0]);
    for (const i of [0, 1, 2, 3] as const) sum[i] += weight === 0 ? 0 : weight * color[i];
  }
  return sum;
}

/** Reads at integer coordinates through a sampler, which clamps them or returns the border colour. @public */
export function samplePixelAt(image: Image, bytes: Uint8Array, sampler: Sampler, coordinates: Box): Color {
  const extent = imageExtent(image);
  const axes = filteredAxes(image);
  const at = (axis: 0 | 1 | 2): number =>
    axis < axes
      ? bounded(coordinates[axis], extent[axis], sampler)
      : Math.min(Math.max(coordinates[axis], 0), extent[axis] - 1);
  return readPixel(image, bytes, [at(0), at(1), at(2)]);
}
