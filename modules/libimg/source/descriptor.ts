// SPDX-License-Identifier: Apache-2.0
// Image descriptors and sampler bits, as kernels receive them (docs/kernel-abi.md).
import {
  IMAGE_DESCRIPTOR,
  SAMPLER_ADDRESSING,
  SAMPLER_COMPARES,
  SAMPLER_COMPARISON,
  SAMPLER_FILTER,
  SAMPLER_NORMALIZED,
} from "@muxkit/kernel-abi";

import { CHANNEL_ORDERS, CHANNEL_TYPES } from "./format.ts";
import { type Image, sliceCount } from "./image.ts";

/**
 * Writes the descriptor of an image whose pixels begin at an address of the device, which may exceed 32 bits.
 *
 * @public
 */
export function writeImageDescriptor(to: DataView, offset: number, image: Image, address: number): void {
  const put = (at: number, word: number): void => {
    to.setUint32(offset + at, word, true);
  };
  put(IMAGE_DESCRIPTOR.pixels, address % 2 ** 32);
  put(IMAGE_DESCRIPTOR.width, image.width);
  put(IMAGE_DESCRIPTOR.height, image.height);
  put(IMAGE_DESCRIPTOR.slices, sliceCount(image));
  put(IMAGE_DESCRIPTOR.rowPitch, image.rowPitch);
  put(IMAGE_DESCRIPTOR.slicePitch, image.slicePitch);
  put(IMAGE_DESCRIPTOR.channelOrder, CHANNEL_ORDERS[image.format.order].code);
  put(IMAGE_DESCRIPTOR.channelType, CHANNEL_TYPES[image.format.type].code);
  put(IMAGE_DESCRIPTOR.pixelBytes, image.pixelBytes);
  put(IMAGE_DESCRIPTOR.channels, CHANNEL_ORDERS[image.format.order].components.length);
  put(IMAGE_DESCRIPTOR.pixelsHigh, Math.floor(address / 2 ** 32));
  put(IMAGE_DESCRIPTOR.view, image.view ?? 0);
}

/** Treatment of coordinates outside of the image. @public */
export type AddressingMode = "none" | "clamp_to_edge" | "clamp" | "repeat" | "mirrored_repeat";

/** Where a reference and a texel pass: the reference is less than the texel, and so on. @public */
export type Comparison =
  | "never"
  | "less"
  | "equal"
  | "less_or_equal"
  | "greater"
  | "not_equal"
  | "greater_or_equal"
  | "always";

/** How an image is read. @public */
export interface Sampler {
  /** Coordinates count from 0 to 1 over the image. */
  readonly normalized: boolean;
  /** Treatment of coordinates outside of the image. */
  readonly addressing: AddressingMode;
  /** One pixel, or a mean of its neighbours. */
  readonly filter: "nearest" | "linear";
  /** How shaders compare texels with a reference; absent: they do not. */
  readonly comparison?: Comparison;
}

/** The bits of a sampler in kernels, equal to the `CLK_` constants but for a comparison. @public */
export function samplerBits({ normalized, addressing, filter, comparison }: Sampler): number {
  const compares = comparison === undefined ? 0 : SAMPLER_COMPARES | SAMPLER_COMPARISON[comparison];
  return (normalized ? SAMPLER_NORMALIZED : 0) | SAMPLER_ADDRESSING[addressing] | SAMPLER_FILTER[filter] | compares;
}
