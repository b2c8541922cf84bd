// SPDX-License-Identifier: Apache-2.0
// What kernels see of images and samplers: the descriptor and the bits (docs/kernel-abi.md).
import { CHANNEL_ORDERS, CHANNEL_TYPES } from "./format.ts";
import { type Image, sliceCount } from "./image.ts";

/** Bytes of a descriptor. @public */
export const IMAGE_DESCRIPTOR_BYTES: number = 48;

/**
 * Writes the descriptor of an image whose pixels begin at an address of the device, which may exceed 32 bits: its upper
 * word is at offset 40.
 *
 * @public
 */
export function writeImageDescriptor(view: DataView, offset: number, image: Image, address: number): void {
  const words = [
    address % 2 ** 32,
    image.width,
    image.height,
    sliceCount(image),
    image.rowPitch,
    image.slicePitch,
    CHANNEL_ORDERS[image.format.order].code,
    CHANNEL_TYPES[image.format.type].code,
    image.pixelBytes,
    CHANNEL_ORDERS[image.format.order].components.length,
    Math.floor(address / 2 ** 32),
    0,
  ];
  words.forEach((word, i) => view.setUint32(offset + i * 4, word, true));
}

/** What coordinates beyond the image mean. @public */
export type AddressingMode = "none" | "clamp_to_edge" | "clamp" | "repeat" | "mirrored_repeat";

/** How an image is read. @public */
export interface Sampler {
  /** Coordinates count from 0 to 1 over the image. */
  readonly normalized: boolean;
  /** What coordinates beyond the image mean. */
  readonly addressing: AddressingMode;
  /** One pixel, or a mean of its neighbours. */
  readonly filter: "nearest" | "linear";
}

const ADDRESSING: Readonly<Record<AddressingMode, number>> = {
  none: 0,
  clamp_to_edge: 2,
  clamp: 4,
  repeat: 6,
  mirrored_repeat: 8,
};

/** The bits that kernels get for a sampler; the `CLK_` constants are the same ones. @public */
export function samplerBits({ normalized, addressing, filter }: Sampler): number {
  return (normalized ? 1 : 0) | ADDRESSING[addressing] | (filter === "linear" ? 0x20 : 0x10);
}
