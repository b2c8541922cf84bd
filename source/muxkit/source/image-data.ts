// SPDX-License-Identifier: Apache-2.0
// Pictures as pages and files have them: red, green, blue and alpha, a byte each, row by row.
import type { ImageOptions } from "./device-image.ts";

/** A picture: four bytes a pixel, row by row, as an ImageData has them. @public */
export interface ImagePixels {
  /** Pixels of a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Red, green, blue and alpha of each pixel. */
  readonly data: Uint8ClampedArray | Uint8Array;
}

/** True for a picture; what describes an image has a format. */
export function isImageData(value: ImageOptions | ImagePixels): value is ImagePixels {
  return "data" in value && !("format" in value);
}

/** The description of a picture as an image whose kernels see numbers from 0 to 1, and its pixels. */
export function pixelsOf({ width, height, data }: ImagePixels): {
  readonly description: ImageOptions;
  readonly pixels: Uint8ClampedArray;
} {
  return {
    description: { width, height, format: { channelOrder: "CL_RGBA", channelType: "CL_UNORM_INT8" } },
    pixels: new Uint8ClampedArray(data.buffer, data.byteOffset, data.byteLength),
  };
}
