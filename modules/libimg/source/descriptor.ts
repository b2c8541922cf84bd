// SPDX-License-Identifier: Apache-2.0
// Image descriptors and sampler bits, as kernels receive them (docs/kernel-abi.md).
import { IMAGE_DESCRIPTOR, SAMPLER_ADDRESSING, SAMPLER_FILTER, SAMPLER_NORMALIZED } from "@muxkit/kernel-abi";

import { CHANNEL_ORDERS, CHANNEL_TYPES } from "./format.ts";
import { type Image, sliceCount } from "./image.ts";

/**
 * Writes the descriptor of an image whose pixels begin at an address of the device, which may exceed 32 bits.
 *
 * @public
 */
export function writeImageDescriptor(view: DataView, offset: number, image: Image, address: number): void {
  const put = (at: number, word: number): void => {
    view.setUint32(offset + at, word, true);
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
  put(IMAGE_DESCRIPTOR.reserved, 0);
}

/** Treatment of coordinates outside of the image. @public */
export type AddressingMode = "none" | "clamp_to_edge" | "clamp" | "repeat" | "mirrored_repeat";

/** How an image is read. @public */
export interface Sampler {
  /** Coordinates count from 0 to 1 over the image. */
  readonly normalized: boolean;
  /** Treatment of coordinates outside of the image. */
  readonly addressing: AddressingMode;
  /** One pixel, or a mean of its neighbours. */
  readonly filter: "nearest" | "linear";
}

/** The bits of a sampler in kernels, equal to the `CLK_` constants. @public */
export function samplerBits({ normalized, addressing, filter }: Sampler): number {
  return (normalized ? SAMPLER_NORMALIZED : 0) | SAMPLER_ADDRESSING[addressing] | SAMPLER_FILTER[filter];
}
