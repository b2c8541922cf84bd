// SPDX-License-Identifier: Apache-2.0
// What formats can be used for (Vulkan 1.3, 50.3 and 50.4): derived from how texels are stored and read. Images are
// linear whatever their tiling, so both tilings can do the same.
import { type ImageFormat, CHANNEL_TYPES, channelClass } from "@muxkit/libimg";
import type { MuxDeviceInfo } from "@muxkit/mux";

import { VulkanError } from "./error.ts";
import { formatName, isDepth, pixelFormat } from "./format.table.ts";
import * as V from "./generated/constants.ts";
import type { VkFormatProperties, VkImageFormatProperties } from "./generated/structures.ts";
import type { Vulkan } from "./generated/vulkan.ts";
import { chained, physicalDevice } from "./physical-device.ts";

const TRANSFERS = V.VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | V.VK_FORMAT_FEATURE_TRANSFER_DST_BIT;

/** Formats with plain channels can be written: what is encoded or packed, only read. */
function isStorable({ order, type }: ImageFormat): boolean {
  return order !== "DEPTH" && !order.startsWith("s") && CHANNEL_TYPES[type].packed === null;
}

/** One 32-bit integer. */
function isAtomic({ order, type }: ImageFormat): boolean {
  return order === "R" && (type === "UNSIGNED_INT32" || type === "SIGNED_INT32");
}

/** Bits of VkFormatFeatureFlags for images. */
function imageFeatures(format: ImageFormat): number {
  return (
    TRANSFERS |
    V.VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT |
    (channelClass(format) === "float" ? V.VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT : 0) |
    (isStorable(format) ? V.VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT : 0) |
    (isAtomic(format) ? V.VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT : 0)
  );
}

/** Bits of VkFormatFeatureFlags for buffers of texels. */
function bufferFeatures(format: ImageFormat): number {
  if (!isStorable(format)) return 0;
  return (
    V.VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT |
    V.VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT |
    (isAtomic(format) ? V.VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_ATOMIC_BIT : 0)
  );
}

/** What a format can be used for; nothing at all, where there are no images of it. */
export function formatProperties(format: V.VkFormat): VkFormatProperties {
  const known = pixelFormat(format);
  const images = known === null ? 0 : imageFeatures(known);
  return {
    linearTilingFeatures: images,
    optimalTilingFeatures: images,
    bufferFeatures: known === null ? 0 : bufferFeatures(known),
  };
}

/** The same in 64 bits, with what only these say. */
function wideFeatures(features: number, format: V.VkFormat): bigint {
  const canStore = V.VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT | V.VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT;
  const more =
    ((features & canStore) === 0
      ? 0n
      : V.VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT |
        V.VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT) |
    (isDepth(format) && features !== 0 ? V.VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_DEPTH_COMPARISON_BIT : 0n);
  return BigInt(features) | more;
}

/** Which feature each usage needs. */
const NEEDED: readonly (readonly [usage: number, feature: number])[] = [
  [V.VK_IMAGE_USAGE_TRANSFER_SRC_BIT, V.VK_FORMAT_FEATURE_TRANSFER_SRC_BIT],
  [V.VK_IMAGE_USAGE_TRANSFER_DST_BIT, V.VK_FORMAT_FEATURE_TRANSFER_DST_BIT],
  [V.VK_IMAGE_USAGE_SAMPLED_BIT, V.VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT],
  [V.VK_IMAGE_USAGE_STORAGE_BIT, V.VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT],
];

/** Kinds of images that there are not. */
const LACKING_FLAGS =
  V.VK_IMAGE_CREATE_SPARSE_BINDING_BIT |
  V.VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT |
  V.VK_IMAGE_CREATE_SPARSE_ALIASED_BIT |
  V.VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT |
  V.VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT;

/** What images are asked for. */
export interface WantedImages {
  readonly format: V.VkFormat;
  readonly type: V.VkImageType;
  readonly usage: number;
  readonly flags: number;
}

/** Why there are no such images; null: there are. */
function lack({ format, type, usage, flags }: WantedImages): string | null {
  const { optimalTilingFeatures: features } = formatProperties(format);
  const name = formatName(format);
  if (features === 0) return `there are no images of ${name}`;
  const wanted = NEEDED.find(([bit, feature]) => (usage & bit) !== 0 && (features & feature) === 0);
  if (wanted !== undefined)
    return `images of ${name} cannot have the usage ${wanted[0]}; vkGetPhysicalDeviceFormatProperties tells what can be`;
  if ((flags & LACKING_FLAGS) !== 0) return `there are no images with the flags ${flags & LACKING_FLAGS}`;
  return isDepth(format) && type !== V.VK_IMAGE_TYPE_2D ? `images of ${name} have two dimensions` : null;
}

/** How large images can be. Errors: VK_ERROR_FORMAT_NOT_SUPPORTED. */
export function imageFormatProperties(
  call: string,
  info: MuxDeviceInfo,
  wanted: WantedImages,
): VkImageFormatProperties {
  const problem = info.imageSupport ? lack(wanted) : "the device has no images";
  if (problem !== null) throw new VulkanError("VK_ERROR_FORMAT_NOT_SUPPORTED", call, problem);
  const [side, deep] = [info.maxImageDimension2d, info.maxImageDimension3d];
  const { type } = wanted;
  return {
    maxExtent:
      type === V.VK_IMAGE_TYPE_3D
        ? { width: deep, height: deep, depth: deep }
        : { width: side, height: type === V.VK_IMAGE_TYPE_2D ? side : 1, depth: 1 },
    maxMipLevels: Math.floor(Math.log2(type === V.VK_IMAGE_TYPE_3D ? deep : side)) + 1,
    maxArrayLayers: type === V.VK_IMAGE_TYPE_3D ? 1 : info.maxImageArrayLayers,
    sampleCounts: V.VK_SAMPLE_COUNT_1_BIT,
    maxResourceSize: Math.min(info.allocationSize, 0xffff_ffff),
  };
}

/** Entry points that tell what formats can be used for. */
export const FORMATS: Pick<
  Vulkan,
  | "vkGetPhysicalDeviceFormatProperties"
  | "vkGetPhysicalDeviceFormatProperties2"
  | "vkGetPhysicalDeviceImageFormatProperties"
  | "vkGetPhysicalDeviceImageFormatProperties2"
> = {
  vkGetPhysicalDeviceFormatProperties: (_device, format) => formatProperties(format),
  vkGetPhysicalDeviceFormatProperties2: (_device, format, chain) => {
    const properties = formatProperties(format);
    const next = chained("vkGetPhysicalDeviceFormatProperties2", chain, (sType) =>
      sType === V.VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3
        ? {
            linearTilingFeatures: wideFeatures(properties.linearTilingFeatures, format),
            optimalTilingFeatures: wideFeatures(properties.optimalTilingFeatures, format),
            bufferFeatures: wideFeatures(properties.bufferFeatures, format),
          }
        : null,
    );
    return {
      sType: V.VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2,
      pNext: next as ReturnType<Vulkan["vkGetPhysicalDeviceFormatProperties2"]>["pNext"],
      formatProperties: properties,
    };
  },
  vkGetPhysicalDeviceImageFormatProperties: (device, format, type, _tiling, usage, flags = 0) => {
    const call = "vkGetPhysicalDeviceImageFormatProperties";
    return imageFormatProperties(call, physicalDevice(device, call).info, { format, type, usage, flags });
  },
  vkGetPhysicalDeviceImageFormatProperties2: (device, { format, type, usage, flags = 0 }) => {
    const call = "vkGetPhysicalDeviceImageFormatProperties2";
    const properties = imageFormatProperties(call, physicalDevice(device, call).info, { format, type, usage, flags });
    return {
      sType: V.VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2,
      pNext: null,
      imageFormatProperties: properties,
    };
  },
};
