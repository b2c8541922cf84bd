// SPDX-License-Identifier: Apache-2.0
// Kernel arguments: their kinds, and where each is stored among the packed ones.
import { alignUp } from "@muxkit/cargo";

import { LARGEST_ALIGNMENT } from "./convention.ts";
import { IMAGE_DESCRIPTOR_BYTES } from "./generated/offsets.ts";
import type { PointerBytes } from "./struct.ts";

/**
 * Kind of a kernel argument: a plain value, a pointer to global or constant memory, local memory of a size given at
 * launch, a sampler, an image, a pipe. @public
 */
export type ArgumentKind = "value" | "pointer" | "local" | "sampler" | "image" | "pipe";

/** All kinds, in the order of their numbers in binary formats. @public */
export const ARGUMENT_KINDS: readonly ArgumentKind[] = ["value", "pointer", "local", "sampler", "image", "pipe"];

/** What a kernel takes the components of an image for: read_imagef, read_imagei, read_imageui. @public */
export type PixelClass = "float" | "signed" | "unsigned";

/** All classes, in the order of their bits in binary formats. @public */
export const PIXEL_CLASSES: readonly PixelClass[] = ["float", "signed", "unsigned"];

/** What the layout of the packed arguments depends on. @public */
export interface PackableArgument {
  /** What the host passes. */
  readonly kind: ArgumentKind;
  /** Bytes of a value; unused for other kinds. */
  readonly size: number;
  /** Alignment of a value in bytes; unused for other kinds. */
  readonly alignment: number;
}

/** Where packed arguments are stored. @public */
export interface PackedLayout {
  /** Byte offset of each argument. */
  readonly offsets: readonly number[];
  /** Bytes that each argument takes. */
  readonly sizes: readonly number[];
  /** Bytes of all arguments, a multiple of 16 and at least 16. */
  readonly bytes: number;
}

const BLOCK_MULTIPLE = 16;

/**
 * Packs arguments in order: values at their own alignment, images as descriptors, everything else as one word of the
 * width of a pointer. @public
 */
export function packArgumentLayout(list: readonly PackableArgument[], pointerBytes: PointerBytes): PackedLayout {
  const offsets: number[] = [];
  const sizes: number[] = [];
  let end = 0;
  for (const { kind, size, alignment } of list) {
    const isValue = kind === "value";
    const bytes = isValue ? size : kind === "image" ? IMAGE_DESCRIPTOR_BYTES : pointerBytes;
    const offset = alignUp(end, isValue ? Math.max(1, Math.min(LARGEST_ALIGNMENT, alignment)) : pointerBytes);
    offsets.push(offset);
    sizes.push(bytes);
    end = offset + bytes;
  }
  return { offsets, sizes, bytes: alignUp(Math.max(end, 1), BLOCK_MULTIPLE) };
}
