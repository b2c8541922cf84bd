// SPDX-License-Identifier: Apache-2.0
// Descriptors: what the elements of bindings are, and how writes give them.
import { type Buffer, bufferOf } from "./buffer.ts";
import { invalid } from "./error.ts";
import * as V from "./generated/constants.ts";
import type { VkDescriptorBufferInfo, VkDescriptorImageInfo, VkWriteDescriptorSet } from "./generated/structures.ts";
import { type BufferView, type ImageView, bufferViewOf, imageViewOf } from "./image-view.ts";
import { type Reading, samplerOf } from "./sampler.ts";
import { VK_WHOLE_SIZE } from "./version.ts";

/** A buffer as a descriptor. */
export interface BufferDescriptor {
  readonly kind: "buffer";
  readonly buffer: Buffer;
  /** First byte. */
  readonly offset: number;
  /** Bytes; VK_WHOLE_SIZE: up to the end. */
  readonly range: number;
}

/** An image, a sampler or both as a descriptor. */
export interface ImageDescriptor {
  readonly kind: "image";
  /** What is read or written; null: it is a sampler only. */
  readonly view: ImageView | BufferView | null;
  /** How it is read; null: not through a sampler, or through one of the layout. */
  readonly sampler: Reading | null;
}

/** What an element of a binding is; null: nothing yet. */
export type Descriptor = BufferDescriptor | ImageDescriptor | null;

function bufferDescriptor(call: string, { buffer, offset, range }: VkDescriptorBufferInfo): Descriptor {
  if (buffer === null || buffer === undefined) return null;
  const found = bufferOf(buffer, call);
  const end = range === VK_WHOLE_SIZE ? found.size : offset + range;
  if (offset >= found.size || end > found.size || range === 0)
    throw invalid(
      call,
      `the descriptor reaches from byte ${offset} to ${end} of a buffer of ${found.size} bytes`,
      "VUID-VkDescriptorBufferInfo-range-00342",
    );
  return { kind: "buffer", buffer: found, offset, range };
}

/** What types of descriptors take of VkDescriptorImageInfo. */
const IMAGE_PARTS: ReadonlyMap<V.VkDescriptorType, { readonly hasView: boolean; readonly hasSampler: boolean }> =
  new Map([
    [V.VK_DESCRIPTOR_TYPE_SAMPLER, { hasView: false, hasSampler: true }],
    [V.VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, { hasView: true, hasSampler: true }],
    [V.VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, { hasView: true, hasSampler: false }],
    [V.VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, { hasView: true, hasSampler: false }],
  ]);

const TEXEL_TYPES: ReadonlySet<V.VkDescriptorType> = new Set<V.VkDescriptorType>([
  V.VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
  V.VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
]);

function imageDescriptor(
  call: string,
  { imageView, sampler }: VkDescriptorImageInfo,
  { hasView, hasSampler }: { readonly hasView: boolean; readonly hasSampler: boolean },
): Descriptor {
  const view = hasView && imageView !== null && imageView !== undefined ? imageViewOf(imageView, call) : null;
  const given = hasSampler && sampler !== null && sampler !== undefined ? samplerOf(sampler, call).reading : null;
  return { kind: "image", view, sampler: given };
}

/** The descriptors of a write. Its type says which of its lists has them. */
export function writtenDescriptors(
  call: string,
  { descriptorType, pBufferInfo = [], pImageInfo = [], pTexelBufferView = [] }: VkWriteDescriptorSet,
): readonly Descriptor[] {
  const parts = IMAGE_PARTS.get(descriptorType);
  if (parts !== undefined) return pImageInfo.map((info) => imageDescriptor(call, info, parts));
  if (TEXEL_TYPES.has(descriptorType))
    return pTexelBufferView.map((view) => ({ kind: "image", view: bufferViewOf(view, call), sampler: null }));
  return pBufferInfo.map((info) => bufferDescriptor(call, info));
}
