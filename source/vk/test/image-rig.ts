// SPDX-License-Identifier: Apache-2.0
// Images that tests share: made with memory, filled, read back.
import {
  VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK,
  VK_FILTER_NEAREST,
  VK_FORMAT_D16_UNORM,
  VK_FORMAT_D32_SFLOAT,
  VK_FORMAT_R32_UINT,
  VK_IMAGE_ASPECT_COLOR_BIT,
  VK_IMAGE_ASPECT_DEPTH_BIT,
  VK_IMAGE_LAYOUT_GENERAL,
  VK_IMAGE_TILING_OPTIMAL,
  VK_IMAGE_TYPE_1D,
  VK_IMAGE_TYPE_2D,
  VK_IMAGE_TYPE_3D,
  VK_IMAGE_USAGE_SAMPLED_BIT,
  VK_IMAGE_USAGE_STORAGE_BIT,
  VK_IMAGE_USAGE_TRANSFER_DST_BIT,
  VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
  VK_IMAGE_VIEW_TYPE_1D,
  VK_IMAGE_VIEW_TYPE_1D_ARRAY,
  VK_IMAGE_VIEW_TYPE_2D,
  VK_IMAGE_VIEW_TYPE_2D_ARRAY,
  VK_IMAGE_VIEW_TYPE_3D,
  VK_REMAINING_ARRAY_LAYERS,
  VK_REMAINING_MIP_LEVELS,
  VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
  VK_SAMPLER_MIPMAP_MODE_NEAREST,
  VK_SAMPLE_COUNT_1_BIT,
  type VkDevice,
  type VkFormat,
  type VkImage,
  type VkImageCreateInfo,
  type VkImageViewCreateInfo,
  type VkSamplerCreateInfo,
  vkAllocateMemory,
  vkBindImageMemory,
  vkCmdCopyBufferToImage,
  vkCmdCopyImageToBuffer,
  vkCreateImage,
  vkGetImageMemoryRequirements,
} from "@muxkit/vulkan";

import { device, finish, newRecording, words } from "./rig.ts";

/** What images of tests are, unless a test says otherwise: 4 by 4 words, for everything. */
export const IMAGE: VkImageCreateInfo = {
  imageType: VK_IMAGE_TYPE_2D,
  format: VK_FORMAT_R32_UINT,
  extent: { width: 4, height: 4, depth: 1 },
  mipLevels: 1,
  arrayLayers: 1,
  samples: VK_SAMPLE_COUNT_1_BIT,
  tiling: VK_IMAGE_TILING_OPTIMAL,
  usage:
    VK_IMAGE_USAGE_STORAGE_BIT |
    VK_IMAGE_USAGE_SAMPLED_BIT |
    VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
    VK_IMAGE_USAGE_TRANSFER_DST_BIT,
};

/** A sampler without filters. */
export const NEAREST: VkSamplerCreateInfo = {
  magFilter: VK_FILTER_NEAREST,
  minFilter: VK_FILTER_NEAREST,
  mipmapMode: VK_SAMPLER_MIPMAP_MODE_NEAREST,
  addressModeU: VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
  addressModeV: VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
  addressModeW: VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
  borderColor: VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK,
};

const DEPTHS: ReadonlySet<VkFormat> = new Set<VkFormat>([VK_FORMAT_D16_UNORM, VK_FORMAT_D32_SFLOAT]);

/** The one aspect of a format. */
export const aspectOf = (format: VkFormat): number =>
  DEPTHS.has(format) ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;

const SHAPES = new Map<VkImage, VkImageCreateInfo>();

/** What an image of these tests was made as. */
export function shapeOf(image: VkImage): VkImageCreateInfo {
  const info = SHAPES.get(image);
  if (info === undefined) throw new Error("the image was not made by newImage");
  return info;
}

/** An image with memory of its own. */
export function newImage(changes: Partial<VkImageCreateInfo> = {}, on: VkDevice = device): VkImage {
  const info = { ...IMAGE, ...changes };
  const image = vkCreateImage(on, info);
  const { size } = vkGetImageMemoryRequirements(on, image);
  vkBindImageMemory(on, image, vkAllocateMemory(on, { allocationSize: size, memoryTypeIndex: 0 }), 0);
  SHAPES.set(image, info);
  return image;
}

/** A view of all of an image. */
export function viewOf(image: VkImage, changes: Partial<VkImageViewCreateInfo> = {}): VkImageViewCreateInfo {
  const { imageType, arrayLayers, format } = shapeOf(image);
  const isArray = arrayLayers > 1;
  const viewType = {
    [VK_IMAGE_TYPE_1D]: isArray ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_1D,
    [VK_IMAGE_TYPE_2D]: isArray ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
    [VK_IMAGE_TYPE_3D]: VK_IMAGE_VIEW_TYPE_3D,
  }[imageType];
  return {
    image,
    viewType,
    format,
    subresourceRange: {
      aspectMask: aspectOf(format),
      baseMipLevel: 0,
      levelCount: VK_REMAINING_MIP_LEVELS,
      baseArrayLayer: 0,
      layerCount: VK_REMAINING_ARRAY_LAYERS,
    },
    ...changes,
  };
}

/** All layers of an image, for copies. */
export function layersOf(image: VkImage): {
  aspectMask: number;
  mipLevel: number;
  baseArrayLayer: number;
  layerCount: number;
} {
  const { arrayLayers, format } = shapeOf(image);
  return { aspectMask: aspectOf(format), mipLevel: 0, baseArrayLayer: 0, layerCount: arrayLayers };
}

/** Fills an image by a copy of tight texels from a buffer. */
export function fill(image: VkImage, bytes: Uint8Array): void {
  const source = words(Math.ceil(bytes.length / 4));
  new Uint8Array(source.words.buffer, source.words.byteOffset).set(bytes);
  const commands = newRecording();
  vkCmdCopyBufferToImage(commands, source.buffer, image, VK_IMAGE_LAYOUT_GENERAL, [
    { imageSubresource: layersOf(image), imageExtent: shapeOf(image).extent },
  ]);
  finish(commands);
}

/** The texels of an image, tight. */
export function texelsOf(image: VkImage, bytes: number): Uint8Array {
  const target = words(Math.ceil(bytes / 4));
  const commands = newRecording();
  vkCmdCopyImageToBuffer(commands, image, VK_IMAGE_LAYOUT_GENERAL, target.buffer, [
    { imageSubresource: layersOf(image), imageExtent: shapeOf(image).extent },
  ]);
  finish(commands);
  return new Uint8Array(target.words.buffer, target.words.byteOffset, bytes).slice();
}
