// SPDX-License-Identifier: Apache-2.0
// Images: type, format, sizes and the layout of their pixels in memory.
import { type Result, err, ok } from "@muxkit/cargo";

import { type ImageFormat, pixelBytes } from "./format.ts";

/** Type of an image. @public */
export type ImageType = "1d" | "1d_array" | "1d_buffer" | "2d" | "2d_array" | "3d";

/** Parameters of an image. Sizes that its type lacks are 1; pitches are in bytes, 0: as small as possible. @public */
export interface ImageRequest {
  /** Its type. */
  readonly type: ImageType;
  /** Its pixels. */
  readonly format: ImageFormat;
  /** Pixels of a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Slices of a 3-D image. */
  readonly depth: number;
  /** Images of an array. */
  readonly layers: number;
  /** Bytes from row to row; 0: tight. */
  readonly rowPitch: number;
  /** Bytes from slice to slice or layer to layer; 0: tight. */
  readonly slicePitch: number;
}

/** An image with its final layout. @public */
export interface Image extends ImageRequest {
  /** Bytes of a pixel. */
  readonly pixelBytes: number;
  /** Bytes of all of it. */
  readonly bytes: number;
  /** What a view of a shader adds (docs/kernel-abi.md); absent: nothing. */
  readonly view?: number;
}

/** Greatest sizes of a device. @public */
export interface ImageLimits {
  /** Pixels of 1-D images. */
  readonly width1d: number;
  /** Pixels of images over buffers. */
  readonly widthBuffer: number;
  /** Width and height of 2-D images. */
  readonly size2d: number;
  /** Width, height and depth of 3-D images. */
  readonly size3d: number;
  /** Images of an array. */
  readonly layers: number;
}

/** Why an image cannot be created, or a region is invalid. @public */
export interface ImageError {
  /** What is wrong. */
  readonly code: "size" | "pitch" | "region" | "overlap" | "format";
  /** One sentence. */
  readonly message: string;
}

/** An error as data. */
export function imageError(code: ImageError["code"], message: string): ImageError {
  return { code, message };
}

/** For each type: how many of width, height, depth it has, whether it has layers. */
const SHAPES: Readonly<Record<ImageType, { readonly axes: 1 | 2 | 3; readonly isArray: boolean }>> = {
  "1d": { axes: 1, isArray: false },
  "1d_array": { axes: 1, isArray: true },
  "1d_buffer": { axes: 1, isArray: false },
  "2d": { axes: 2, isArray: false },
  "2d_array": { axes: 2, isArray: true },
  "3d": { axes: 3, isArray: false },
};

function axisLimit(type: ImageType, limits: ImageLimits): number {
  if (type === "1d_buffer") return limits.widthBuffer;
  if (type === "3d") return limits.size3d;
  return SHAPES[type].axes === 1 ? limits.width1d : limits.size2d;
}

function checkSizes(request: ImageRequest, limits: ImageLimits): ImageError | null {
  const { type } = request;
  const { axes, isArray } = SHAPES[type];
  const most = axisLimit(type, limits);
  const list = [
    ["width", request.width, axes >= 1 ? most : 1],
    ["height", request.height, axes >= 2 ? most : 1],
    ["depth", request.depth, axes >= 3 ? most : 1],
    ["number of layers", request.layers, isArray ? limits.layers : 1],
  ] as const;
  for (const [name, size, limit] of list) {
    if (!Number.isSafeInteger(size) || size < 1 || size > limit)
      return imageError("size", `the ${name} of a ${type} image is 1 to ${limit}, not ${size}`);
  }
  return null;
}

/** Computes the layout of an image; an error when sizes or pitches do not fit. @public */
export function createImage(request: ImageRequest, limits: ImageLimits): Result<Image, ImageError> {
  const wrong = checkSizes(request, limits);
  if (wrong !== null) return err(wrong);
  const pixel = pixelBytes(request.format);
  const tightRow = request.width * pixel;
  const rowPitch = request.rowPitch === 0 ? tightRow : request.rowPitch;
  if (!Number.isSafeInteger(rowPitch) || rowPitch < tightRow || rowPitch % pixel !== 0)
    return err(
      imageError("pitch", `a row pitch is a multiple of ${pixel} bytes, at least ${tightRow}, not ${rowPitch}`),
    );
  const tightSlice = rowPitch * request.height;
  const slicePitch = request.slicePitch === 0 ? tightSlice : request.slicePitch;
  if (!Number.isSafeInteger(slicePitch) || slicePitch < tightSlice || slicePitch % rowPitch !== 0)
    return err(
      imageError(
        "pitch",
        `a slice pitch is a multiple of the row pitch ${rowPitch}, at least ${tightSlice}, not ${slicePitch}`,
      ),
    );
  const bytes = slicePitch * request.depth * request.layers;
  if (bytes > 0xffff_ffff) return err(imageError("size", `an image of ${bytes} bytes is more than a device can hold`));
  return ok({ ...request, rowPitch, slicePitch, pixelBytes: pixel, bytes });
}

/** Slices of a 3-D image, layers of an array, 1 of others: what the third size of the descriptor is. @public */
export function sliceCount({ depth, layers }: Image): number {
  return Math.max(depth, layers);
}

/** A position or size: x, y, z. A layer is y of a 1-D array and z of a 2-D array. @public */
export type Box = readonly [number, number, number];

/** Sizes by axis as regions count them. @public */
export function imageExtent({ type, width, height, depth, layers }: Image): Box {
  if (type === "1d_array") return [width, layers, 1];
  return type === "2d_array" ? [width, height, layers] : [width, height, depth];
}

/** Bytes from one y, and from one z, to the next. @public */
export function imageStrides({ type, rowPitch, slicePitch }: Image): readonly [y: number, z: number] {
  return type === "1d_array" ? [slicePitch, slicePitch] : [rowPitch, slicePitch];
}
