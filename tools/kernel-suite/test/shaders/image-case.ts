// SPDX-License-Identifier: Apache-2.0
// Images and samplers that tests of shaders bind.
import { createImage, type Image, type ImageFormat, type ImageType, samplerBits } from "@muxkit/libimg";
import type { ShaderResource } from "@muxkit/kernel-suite";

const LIMITS = { width1d: 4096, widthBuffer: 4096, size2d: 4096, size3d: 4096, layers: 4096 };

/** What an image of a test is. */
export interface Shape {
  readonly type: ImageType;
  readonly format: ImageFormat;
  readonly size: readonly [width: number, height: number, depth: number, layers: number];
}

function image({ type, format, size: [width, height, depth, layers] }: Shape): Image {
  const made = createImage({ type, format, width, height, depth, layers, rowPitch: 0, slicePitch: 0 }, LIMITS);
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}

export const R32UI: ImageFormat = { order: "R", type: "UNSIGNED_INT32" };
export const RGBA32F: ImageFormat = { order: "RGBA", type: "FLOAT" };
/** An image with its contents, and its sampler where it has one. */
export const bound = (shape: Shape, contents: ArrayBufferView, sampler?: number): ShaderResource => ({
  image: image(shape),
  pixels: new Uint8Array(contents.buffer.slice(0) as ArrayBuffer),
  ...(sampler === undefined ? {} : { sampler }),
});
/** Four rows of four numbers. */
export const flat: Shape = { type: "2d", format: R32UI, size: [4, 4, 1, 1] };
export const NEAREST = samplerBits({ normalized: true, addressing: "clamp_to_edge", filter: "nearest" });
export const LINEAR = samplerBits({ normalized: true, addressing: "repeat", filter: "linear" });
