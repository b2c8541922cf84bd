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

/** The size of a side at a level. */
const side = (size: number, level: number): number => Math.max(1, size >> level);

/**
 * An image with its levels below each other in each layer or slice; `levels` are tight. The order of components is four
 * codes as in docs/kernel-abi.md.
 */
export function leveled(
  shape: Shape & { readonly isCube?: boolean },
  levels: readonly (Float32Array | Uint32Array | Int32Array)[],
  sampler: number,
  order: readonly [number, number, number, number] = [0, 0, 0, 0],
): ShaderResource {
  const whole = image(shape);
  const [width, height, depth, layers] = shape.size;
  const rows = levels.reduce((sum, _, level) => sum + side(height, level), 0);
  const { rowPitch } = whole;
  const slicePitch = rows * rowPitch;
  const pixels = new Uint8Array(slicePitch * depth * layers);
  let above = 0;
  levels.forEach((texels, level) => {
    const bytes = new Uint8Array(texels.buffer, texels.byteOffset, texels.byteLength);
    const row = side(width, level) * whole.pixelBytes;
    const slices = side(depth, level) * layers;
    for (let slice = 0; slice < slices; slice++)
      for (let y = 0; y < side(height, level); y++) {
        const from = (slice * side(height, level) + y) * row;
        pixels.set(bytes.subarray(from, from + row), slice * slicePitch + (above + y) * rowPitch);
      }
    above += side(height, level);
  });
  const view = order.reduce((bits, code, n) => bits | (code << (3 * n)), 0) | ((levels.length - 1) << 12);
  return {
    image: { ...whole, slicePitch, bytes: pixels.length, view },
    pixels,
    sampler,
    ...(shape.isCube === true ? { isCube: true } : {}),
  };
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
