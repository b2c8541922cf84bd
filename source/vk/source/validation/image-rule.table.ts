// SPDX-License-Identifier: Apache-2.0
// Rules of valid usage of images, views, samplers, their descriptors and copies.
import { pixelBytes } from "@muxkit/libimg";

import { Buffer } from "../buffer.ts";
import { isDepth, pixelFormat } from "../format.table.ts";
import * as V from "../generated/constants.ts";
import type { VkBuffer, VkImage } from "../generated/handles.ts";
import type {
  VkBufferImageCopy,
  VkImageViewCreateInfo,
  VkSamplerCreateInfo,
  VkWriteDescriptorSet,
} from "../generated/structures.ts";
import { BufferView, ImageView } from "../image-view.ts";
import { Image } from "../image.ts";
import { DeviceMemory } from "../memory.ts";
import { aspectProblem, firstOf, isLayout, lacksImageUsage, layoutProblem } from "./image-check.ts";
import { type RuleTable, isAligned, lacksUsage, when } from "./rule.ts";

/** Bytes that an offset of a view of texels is a multiple of; a limit of the device says the same. */
const TEXEL_OFFSET = 16;

/** A copy between a buffer and an image, as its rules see it. */
interface TexelCopy {
  readonly buffer: VkBuffer;
  readonly image: VkImage;
  readonly layout: V.VkImageLayout;
  readonly regions: readonly VkBufferImageCopy[];
}

interface TexelRule {
  readonly id: string;
  readonly check: (copy: TexelCopy) => string | null;
}

function offsetProblem({ image, regions }: TexelCopy): string | null {
  const format = image instanceof Image ? pixelFormat(image.info.format) : null;
  const bytes = format === null ? 1 : pixelBytes(format);
  const wrong = regions.find(({ bufferOffset = 0 }) => !isAligned(bufferOffset, bytes));
  return wrong === undefined ? null : `bufferOffset is ${wrong.bufferOffset}, no multiple of the texel's ${bytes} bytes`;
}

const pitchProblem = ({ regions }: TexelCopy): string | null =>
  firstOf(
    regions.map(({ bufferRowLength = 0, bufferImageHeight = 0, imageExtent: { width, height } }) =>
      bufferRowLength !== 0 && bufferRowLength < width
        ? `bufferRowLength is ${bufferRowLength}, and a row of the region has ${width} texels`
        : when(
            bufferImageHeight !== 0 && bufferImageHeight < height,
            `bufferImageHeight is ${bufferImageHeight}, and the region has ${height} rows`,
          ),
    ),
  );

const aspectsProblem = ({ image, regions }: TexelCopy): string | null =>
  firstOf(regions.map(({ imageSubresource: { aspectMask } }) => aspectProblem(image, aspectMask)));

/** The rules of copies between buffers and images, by the name of the structure or call that has them. */
function texelRules(call: string, isToImage: boolean): readonly TexelRule[] {
  const bufferBit = isToImage ? V.VK_BUFFER_USAGE_TRANSFER_SRC_BIT : V.VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  const bufferName = isToImage ? "VK_BUFFER_USAGE_TRANSFER_SRC_BIT" : "VK_BUFFER_USAGE_TRANSFER_DST_BIT";
  const imageBit = isToImage ? V.VK_IMAGE_USAGE_TRANSFER_DST_BIT : V.VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  const optimal = isToImage ? V.VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL : V.VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  const layoutName = isToImage ? "VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL" : "VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL";
  const [image, buffer] = isToImage ? ["dstImage", "srcBuffer"] : ["srcImage", "dstBuffer"];
  return [
    {
      id: `VUID-${call}-${buffer}-${isToImage ? "00174" : "00191"}`,
      check: (copy) => lacksUsage(copy.buffer, bufferBit, bufferName),
    },
    {
      id: `VUID-${call}-${image}-${isToImage ? "00177" : "00186"}`,
      check: (copy) => lacksImageUsage(copy.image, imageBit),
    },
    {
      id: `VUID-${call}-${image}Layout-${isToImage ? "01396" : "01397"}`,
      check: ({ layout }) => layoutProblem(layout, optimal, layoutName),
    },
    { id: `VUID-${call}-${image}-07975`, check: offsetProblem },
    { id: "VUID-VkBufferImageCopy-bufferRowLength-09101", check: pitchProblem },
    { id: `VUID-${call}-aspectMask-09105`, check: aspectsProblem },
  ];
}

const wantedOf = (
  { descriptorType }: VkWriteDescriptorSet,
): { readonly usage: number; readonly layouts: readonly V.VkImageLayout[] } | null => {
  if (descriptorType === V.VK_DESCRIPTOR_TYPE_STORAGE_IMAGE) return { usage: V.VK_IMAGE_USAGE_STORAGE_BIT, layouts: [] };
  const isSampled =
    descriptorType === V.VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE ||
    descriptorType === V.VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  return isSampled
    ? {
        usage: V.VK_IMAGE_USAGE_SAMPLED_BIT,
        layouts: [
          V.VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
          V.VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL,
          V.VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL,
          V.VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL,
        ],
      }
    : null;
};

/** Images of descriptors have the usage that the descriptor's type needs. */
function descriptorUsageProblem(write: VkWriteDescriptorSet): string | null {
  const wanted = wantedOf(write);
  if (wanted === null) return null;
  return firstOf(
    (write.pImageInfo ?? []).map(({ imageView }) =>
      imageView instanceof ImageView ? lacksImageUsage(imageView.image, wanted.usage) : null,
    ),
  );
}

function descriptorLayoutProblem(write: VkWriteDescriptorSet): string | null {
  const wanted = wantedOf(write);
  if (wanted === null) return null;
  const wrong = (write.pImageInfo ?? []).find(
    ({ imageView, imageLayout = V.VK_IMAGE_LAYOUT_UNDEFINED }) =>
      imageView instanceof ImageView && !isLayout(imageLayout, ...wanted.layouts),
  );
  return wrong === undefined ? null : `imageLayout is ${wrong.imageLayout ?? 0}, in which shaders cannot use the image so`;
}

/** Views of texels have the usage that the descriptor's type needs. */
function texelUsageProblem({ descriptorType, pTexelBufferView = [] }: VkWriteDescriptorSet): string | null {
  const isStorage = descriptorType === V.VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
  if (!isStorage && descriptorType !== V.VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER) return null;
  const bit = isStorage ? V.VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT : V.VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;
  const name = isStorage ? "VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT" : "VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT";
  return firstOf(pTexelBufferView.map((view) => (view instanceof BufferView ? lacksUsage(view.buffer, bit, name) : null)));
}

const EDGES: ReadonlySet<V.VkSamplerAddressMode> = new Set<V.VkSamplerAddressMode>([
  V.VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
  V.VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
]);

const unnormalized = (check: (info: VkSamplerCreateInfo) => boolean, message: string) =>
  (_device: unknown, info: VkSamplerCreateInfo): string | null =>
    when(info.unnormalizedCoordinates === true && check(info), `with unnormalizedCoordinates ${message}`);

function viewAspectProblem({ image, subresourceRange: { aspectMask } }: VkImageViewCreateInfo): string | null {
  return aspectProblem(image, aspectMask);
}

/** A view has a format of its own only where the image says so. */
function viewFormatProblem({ image, format }: VkImageViewCreateInfo): string | null {
  if (!(image instanceof Image) || image.info.format === format) return null;
  return when(
    ((image.info.flags ?? 0) & V.VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT) === 0,
    "the view has another format than the image, which was made without VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT",
  );
}

function isForAnother(image: VkImage, memory: unknown, offset: number): string | null {
  const { dedicated = null } = memory instanceof DeviceMemory ? memory : {};
  return when(
    dedicated !== null && (dedicated !== image || offset !== 0),
    "the memory was allocated for one object (VkMemoryDedicatedAllocateInfo); bind it to that, at 0",
  );
}

function isMisaligned(image: VkImage, offset: number): string | null {
  const alignment = image instanceof Image ? image.requirements.alignment : 1;
  return when(!isAligned(offset, alignment), `memoryOffset is ${offset}, no multiple of ${alignment}`);
}

/** Rules by entry point. */
export const IMAGE_RULES: RuleTable = {
  vkCreateImage: [
    { id: "VUID-VkImageCreateInfo-usage-requiredbitmask", check: (_device, { usage }) => when(usage === 0, "usage is 0") },
    {
      id: "VUID-VkImageCreateInfo-initialLayout-00993",
      check: (_device, { initialLayout = V.VK_IMAGE_LAYOUT_UNDEFINED }) =>
        when(
          initialLayout !== V.VK_IMAGE_LAYOUT_UNDEFINED && initialLayout !== V.VK_IMAGE_LAYOUT_PREINITIALIZED,
          "initialLayout is neither VK_IMAGE_LAYOUT_UNDEFINED nor VK_IMAGE_LAYOUT_PREINITIALIZED",
        ),
    },
  ],
  vkBindImageMemory: [
    {
      id: "VUID-vkBindImageMemory-memoryOffset-01048",
      check: (_device, image, _memory, offset) => isMisaligned(image, offset),
    },
    {
      id: "VUID-vkBindImageMemory-memory-02628",
      check: (_device, image, memory, offset) => isForAnother(image, memory, offset),
    },
  ],
  vkBindImageMemory2: [
    {
      id: "VUID-VkBindImageMemoryInfo-pNext-01616",
      check: (_device, infos) => firstOf(infos.map(({ image, memoryOffset }) => isMisaligned(image, memoryOffset))),
    },
    {
      id: "VUID-VkBindImageMemoryInfo-memory-02628",
      check: (_device, infos) =>
        firstOf(infos.map(({ image, memory, memoryOffset }) => isForAnother(image, memory, memoryOffset))),
    },
  ],
  vkCreateImageView: [
    { id: "VUID-VkImageViewCreateInfo-image-01762", check: (_device, info) => viewFormatProblem(info) },
    { id: "VUID-VkImageSubresourceRange-aspectMask-parameter", check: (_device, info) => viewAspectProblem(info) },
  ],
  vkCreateBufferView: [
    {
      id: "VUID-VkBufferViewCreateInfo-buffer-00932",
      check: (_device, { buffer }) =>
        lacksUsage(
          buffer,
          V.VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | V.VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT,
          "a usage for texels",
        ),
    },
    {
      id: "VUID-VkBufferViewCreateInfo-offset-02749",
      check: (_device, { offset }) =>
        when(!isAligned(offset, TEXEL_OFFSET), `offset is ${offset}, no multiple of ${TEXEL_OFFSET}`),
    },
    {
      id: "VUID-VkBufferViewCreateInfo-range-00928",
      check: (_device, { range }) => when(range === 0, "range is 0"),
    },
    {
      id: "VUID-VkBufferViewCreateInfo-buffer-00935",
      check: (_device, { buffer }) =>
        when(buffer instanceof Buffer && buffer.memory === null, "the buffer is bound to no memory"),
    },
  ],
  vkCreateSampler: [
    {
      id: "VUID-VkSamplerCreateInfo-unnormalizedCoordinates-01072",
      check: unnormalized(({ magFilter, minFilter }) => magFilter !== minFilter, "both filters are the same"),
    },
    {
      id: "VUID-VkSamplerCreateInfo-unnormalizedCoordinates-01074",
      check: unnormalized(({ minLod = 0, maxLod = 0 }) => minLod !== 0 || maxLod !== 0, "minLod and maxLod are 0"),
    },
    {
      id: "VUID-VkSamplerCreateInfo-unnormalizedCoordinates-01075",
      check: unnormalized(
        ({ addressModeU, addressModeV }) => !EDGES.has(addressModeU) || !EDGES.has(addressModeV),
        "coordinates are clamped to the edge or the border",
      ),
    },
    {
      id: "VUID-VkSamplerCreateInfo-unnormalizedCoordinates-01077",
      check: unnormalized(({ compareEnable = false }) => compareEnable, "nothing is compared"),
    },
    {
      id: "VUID-VkSamplerCreateInfo-anisotropyEnable-01070",
      check: (_device, { anisotropyEnable = false }) =>
        when(anisotropyEnable, "the device does not have the feature samplerAnisotropy"),
    },
    {
      id: "VUID-VkSamplerCreateInfo-maxLod-01973",
      check: (_device, { minLod = 0, maxLod = 0 }) => when(maxLod < minLod, `maxLod is ${maxLod}, below minLod ${minLod}`),
    },
  ],
  vkUpdateDescriptorSets: [
    {
      id: "VUID-VkWriteDescriptorSet-descriptorType-00337",
      check: (_device, writes = []) => firstOf(writes.map(descriptorUsageProblem)),
    },
    {
      id: "VUID-VkWriteDescriptorSet-descriptorType-04150",
      check: (_device, writes = []) => firstOf(writes.map(descriptorLayoutProblem)),
    },
    {
      id: "VUID-VkWriteDescriptorSet-descriptorType-00334",
      check: (_device, writes = []) => firstOf(writes.map(texelUsageProblem)),
    },
  ],
  vkCmdCopyBufferToImage: texelRules("vkCmdCopyBufferToImage", true).map(({ id, check }) => ({
    id,
    check: (_to, buffer, image, layout, regions) => check({ buffer, image, layout, regions }),
  })),
  vkCmdCopyBufferToImage2: texelRules("VkCopyBufferToImageInfo2", true).map(({ id, check }) => ({
    id,
    check: (_to, { srcBuffer: buffer, dstImage: image, dstImageLayout: layout, pRegions: regions }) =>
      check({ buffer, image, layout, regions }),
  })),
  vkCmdCopyImageToBuffer: texelRules("vkCmdCopyImageToBuffer", false).map(({ id, check }) => ({
    id,
    check: (_to, image, layout, buffer, regions) => check({ buffer, image, layout, regions }),
  })),
  vkCmdCopyImageToBuffer2: texelRules("VkCopyImageToBufferInfo2", false).map(({ id, check }) => ({
    id,
    check: (_to, { dstBuffer: buffer, srcImage: image, srcImageLayout: layout, pRegions: regions }) =>
      check({ buffer, image, layout, regions }),
  })),
  vkCmdClearColorImage: [
    {
      id: "VUID-vkCmdClearColorImage-image-00002",
      check: (_to, image) => lacksImageUsage(image, V.VK_IMAGE_USAGE_TRANSFER_DST_BIT),
    },
    {
      id: "VUID-vkCmdClearColorImage-image-00007",
      check: (_to, image) =>
        when(image instanceof Image && isDepth(image.info.format), "an image of depths cannot be cleared with a colour"),
    },
    {
      id: "VUID-vkCmdClearColorImage-imageLayout-01394",
      check: (_to, _image, layout) =>
        layoutProblem(layout, V.VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, "VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL"),
    },
  ],
};
