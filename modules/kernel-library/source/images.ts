// SPDX-License-Identifier: Apache-2.0
// Images of kernels, and images in JavaScript: bytes that are read and written as the specification of OpenCL says.
import {
  type AddressingMode,
  type Image,
  type ImageFormat,
  type Sampler,
  channelClass,
  formatCode,
  packPixel,
  pixelBytes,
  readPixel,
  samplePixel,
} from "@muxkit/libimg";

import type { Width } from "./scalars.ts";
import type { ScalarName } from "./translated.ts";
import { type Vector, makeVector } from "./vector.ts";

/** Pixels of an image, by SYCL's names: what each channel has, and how it is stored. @public */
export type ImageFormatName =
  | "r8g8b8a8_unorm"
  | "r16g16b16a16_unorm"
  | "r8g8b8a8_sint"
  | "r16g16b16a16_sint"
  | "r32g32b32a32_sint"
  | "r8g8b8a8_uint"
  | "r16g16b16a16_uint"
  | "r32g32b32a32_uint"
  | "r16g16b16a16_sfloat"
  | "r32g32b32a32_sfloat"
  | "b8g8r8a8_unorm"
  | "r8_unorm"
  | "r32_sfloat";

/** Formats by name. @internal */
export const IMAGE_FORMATS_BY_NAME: Readonly<Record<ImageFormatName, ImageFormat>> = {
  r8g8b8a8_unorm: { order: "RGBA", type: "UNORM_INT8" },
  r16g16b16a16_unorm: { order: "RGBA", type: "UNORM_INT16" },
  r8g8b8a8_sint: { order: "RGBA", type: "SIGNED_INT8" },
  r16g16b16a16_sint: { order: "RGBA", type: "SIGNED_INT16" },
  r32g32b32a32_sint: { order: "RGBA", type: "SIGNED_INT32" },
  r8g8b8a8_uint: { order: "RGBA", type: "UNSIGNED_INT8" },
  r16g16b16a16_uint: { order: "RGBA", type: "UNSIGNED_INT16" },
  r32g32b32a32_uint: { order: "RGBA", type: "UNSIGNED_INT32" },
  r16g16b16a16_sfloat: { order: "RGBA", type: "HALF_FLOAT" },
  r32g32b32a32_sfloat: { order: "RGBA", type: "FLOAT" },
  b8g8r8a8_unorm: { order: "BGRA", type: "UNORM_INT8" },
  r8_unorm: { order: "R", type: "UNORM_INT8" },
  r32_sfloat: { order: "R", type: "FLOAT" },
};

/** The number of a format, as the runtime has it. @internal */
export function imageFormatCode(name: ImageFormatName): number {
  return formatCode(IMAGE_FORMATS_BY_NAME[name]);
}

const COLORS = { float: "float", signed: "int", unsigned: "uint" } as const;

/** The scalar of the colors that kernels read and write: `float`, `int` or `uint`. @internal */
export function colorScalar(format: ImageFormat): "float" | "int" | "uint" {
  return COLORS[channelClass(format)];
}

/** What is done with coordinates outside of an image. @public */
export type ImageAddressing = "none" | "clamp_to_edge" | "clamp" | "repeat" | "mirrored_repeat";

/** How an image is sampled. @public */
export interface ImageSampler {
  /** Outside of the image; absent: clamp_to_edge. */
  readonly addressing?: ImageAddressing;
  /** `normalized`: coordinates run from 0 to 1; absent: unnormalized. */
  readonly coordinates?: "normalized" | "unnormalized";
  /** The nearest pixel, or the mean of its neighbours; absent: nearest. */
  readonly filtering?: "nearest" | "linear";
}

/** A sampler with all its properties. @internal */
export function wholeSampler({
  addressing = "clamp_to_edge",
  coordinates = "unnormalized",
  filtering = "nearest",
}: ImageSampler): Sampler {
  return {
    addressing: addressing satisfies AddressingMode,
    normalized: coordinates === "normalized",
    filter: filtering,
  };
}

/** Coordinates of so many dimensions: x, y, z. @public */
export type ImageCoordinates<D extends 1 | 2 | 3, S extends "int" | "float"> = D extends 1
  ? Width<number, S>
  : D extends 2
    ? Vector<S, 2>
    : Vector<S, 3>;

/** What all images of kernels have. @public */
export interface ImageShape {
  /** Pixels along x (0), y (1) or z (2). */
  getRange(dimension?: number): Width<number, "int">;
}

declare const color: unique symbol;

/** An image that a kernel reads or writes by whole coordinates; `T`: `float4`, `int4` or `uint4`. @public */
export type ImageAccessor<T, M extends "read" | "write" = "read", D extends 1 | 2 | 3 = 2> = ImageShape &
  (M extends "read"
    ? {
        /** The pixel at a place; outside of the image the border color. */
        read(at: ImageCoordinates<D, "int">): T;
      }
    : {
        /** Sets the pixel at a place; outside of the image nothing happens. */
        write(at: ImageCoordinates<D, "int">, value: T): void;
      }) & {
    /** What a pixel is, for the checker alone. */
    readonly [color]?: T;
  };

/** An image that a kernel samples. @public */
export interface SampledImageAccessor<T, D extends 1 | 2 | 3 = 2> extends ImageShape {
  /** The color at a place, as the sampler says. */
  read(at: ImageCoordinates<D, "float">): T;
}

/** An image in JavaScript. @public */
export interface HostImage extends ImageShape {
  /** See {@link ImageAccessor}; of a sampled image {@link SampledImageAccessor}. */
  read(at: unknown): never;
  /** See {@link ImageAccessor}. */
  write(at: unknown, value: unknown): void;
}

/** The layout of an image without gaps. @internal */
export function imageLayout(name: ImageFormatName, range: readonly number[]): Image {
  const format = IMAGE_FORMATS_BY_NAME[name];
  const [width = 1, height = 1, depth = 1] = range;
  const bytes = pixelBytes(format);
  const [rowPitch, slicePitch] = [width * bytes, width * height * bytes];
  return {
    type: range.length === 1 ? "1d" : range.length === 2 ? "2d" : "3d",
    format,
    width,
    height,
    depth,
    layers: 1,
    rowPitch,
    slicePitch,
    pixelBytes: bytes,
    bytes: slicePitch * depth,
  };
}

function placeOf(at: unknown): [number, number, number] {
  const lanes = typeof at === "object" && at !== null ? (at as { readonly lanes: readonly number[] }).lanes : [at];
  const [x = 0, y = 0, z = 0] = lanes as readonly number[];
  return [x, y, z];
}

/**
 * An image for `runOnHost`, over bytes of the program.
 *
 * @param range - pixels along x, y, z
 * @param sampler - absent: it is read and written by whole coordinates
 * @public
 */
export function hostImage(
  format: ImageFormatName,
  data: ArrayBufferView,
  range: readonly number[],
  sampler?: ImageSampler,
): HostImage {
  const image = imageLayout(format, range);
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const scalar: ScalarName = colorScalar(image.format);
  const whole = sampler === undefined ? null : wholeSampler(sampler);
  return {
    getRange: (dimension = 0) => range[dimension] ?? 1,
    read: (at) => {
      const place = placeOf(at);
      const pixel = whole === null ? readPixel(image, bytes, place) : samplePixel(image, bytes, whole, place);
      return makeVector(scalar, scalar === "float" ? pixel.map(Math.fround) : [...pixel]) as never;
    },
    write: (at, value) => {
      const [x, y, z] = placeOf(at);
      if (x < 0 || y < 0 || z < 0 || x >= image.width || y >= image.height || z >= image.depth) return;
      const [r = 0, g = 0, b = 0, a = 0] = (value as { readonly lanes: readonly number[] }).lanes;
      packPixel(image.format, [r, g, b, a], view, x * image.pixelBytes + y * image.rowPitch + z * image.slicePitch);
    },
  };
}
