// SPDX-License-Identifier: Apache-2.0
// Rules of valid usage of images: a call that breaks each, and what devices lack.
import * as vk from "@muxkit/vulkan";
import { expect, test } from "vitest";

import { IMAGE, NEAREST, layersOf, newImage, viewOf } from "./image-rig.ts";
import { device, errorOf, expectError, newRecording, newSet, physicalDevice, setLayout, words } from "./rig.ts";

const image = newImage();
const other = newImage();
/** Images that can be sampled and nothing else, and stored to and nothing else. */
const sampledOnly = newImage({ usage: vk.VK_IMAGE_USAGE_SAMPLED_BIT });
const storageOnly = newImage({ usage: vk.VK_IMAGE_USAGE_STORAGE_BIT });
const depths = newImage({ format: vk.VK_FORMAT_D32_SFLOAT, usage: IMAGE.usage & ~vk.VK_IMAGE_USAGE_STORAGE_BIT });
const data = words(64);
const bare = vk.vkCreateBuffer(device, { size: 64, usage: vk.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT });
const GENERAL = vk.VK_IMAGE_LAYOUT_GENERAL;
const region: vk.VkBufferImageCopy = {
  imageSubresource: layersOf(image),
  imageExtent: { width: 4, height: 4, depth: 1 },
};
const whole: vk.VkImageCopy = {
  srcSubresource: layersOf(image),
  dstSubresource: layersOf(image),
  extent: { width: 4, height: 4, depth: 1 },
};
const range = viewOf(image).subresourceRange;
const unnormalized = { ...NEAREST, unnormalizedCoordinates: true };

const toImage = (changes: Partial<vk.VkBufferImageCopy>, into: vk.VkImage = image): void =>
  vk.vkCmdCopyBufferToImage(newRecording(), data.buffer, into, GENERAL, [{ ...region, ...changes }]);

/** Writes a descriptor of a type that has an image. */
function writeImage(descriptorType: vk.VkDescriptorType, view: vk.VkImage, imageLayout: vk.VkImageLayout): void {
  const dstSet = newSet(setLayout([[descriptorType, 1]]));
  const imageView = vk.vkCreateImageView(device, viewOf(view));
  vk.vkUpdateDescriptorSets(device, [
    { dstSet, dstBinding: 0, descriptorType, pImageInfo: [{ imageView, imageLayout }] },
  ]);
}

function dedicated(changes: Partial<vk.VkMemoryDedicatedAllocateInfo>): vk.VkDeviceMemory {
  const pNext = { sType: vk.VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, ...changes } as const;
  return vk.vkAllocateMemory(device, { pNext, allocationSize: 64, memoryTypeIndex: 0 });
}

const unbound = (): vk.VkImage => vk.vkCreateImage(device, IMAGE);
const memory = vk.vkAllocateMemory(device, { allocationSize: 4096, memoryTypeIndex: 0 });

/** The rule that a call breaks, and the call. */
const CASES: readonly (readonly [rule: string, call: () => unknown])[] = [
  ["VUID-VkImageCreateInfo-usage-requiredbitmask", () => vk.vkCreateImage(device, { ...IMAGE, usage: 0 })],
  ["VUID-VkImageCreateInfo-initialLayout-00993", () => vk.vkCreateImage(device, { ...IMAGE, initialLayout: GENERAL })],
  [
    "VUID-VkImageCreateInfo-imageCreateMaxMipLevels-02251",
    () => vk.vkCreateImage(device, { ...IMAGE, extent: { width: 1 << 20, height: 1, depth: 1 } }),
  ],
  [
    "VUID-VkImageCreateInfo-imageCreateMaxMipLevels-02251",
    () => vk.vkCreateImage(device, { ...IMAGE, arrayLayers: 1 << 20 }),
  ],
  [
    "VUID-VkImageCreateInfo-imageCreateMaxMipLevels-02251",
    () => vk.vkCreateImage(device, { ...IMAGE, samples: vk.VK_SAMPLE_COUNT_4_BIT }),
  ],
  ["VUID-vkBindImageMemory-memoryOffset-01048", () => vk.vkBindImageMemory(device, unbound(), memory, 4)],
  ["VUID-vkBindImageMemory-image-07460", () => vk.vkBindImageMemory(device, image, memory, 0)],
  ["VUID-vkBindImageMemory-memory-02628", () => vk.vkBindImageMemory(device, unbound(), dedicated({ image }), 0)],
  [
    "VUID-VkBindImageMemoryInfo-pNext-01616",
    () => vk.vkBindImageMemory2(device, [{ image: unbound(), memory, memoryOffset: 2 }]),
  ],
  [
    "VUID-VkBindImageMemoryInfo-memory-02628",
    () => vk.vkBindImageMemory2(device, [{ image: unbound(), memory: dedicated({ image }), memoryOffset: 0 }]),
  ],
  [
    "VUID-vkGetImageSubresourceLayout-arrayLayer-01717",
    () => vk.vkGetImageSubresourceLayout(device, image, { aspectMask: 1, mipLevel: 0, arrayLayer: 1 }),
  ],
  [
    "VUID-VkImageViewCreateInfo-image-01762",
    () => vk.vkCreateImageView(device, viewOf(image, { format: vk.VK_FORMAT_R32_SINT })),
  ],
  [
    "VUID-VkImageSubresourceRange-aspectMask-parameter",
    () =>
      vk.vkCreateImageView(
        device,
        viewOf(image, { subresourceRange: { ...range, aspectMask: vk.VK_IMAGE_ASPECT_DEPTH_BIT } }),
      ),
  ],
  [
    "VUID-VkImageViewCreateInfo-image-01761",
    () =>
      vk.vkCreateImageView(
        device,
        viewOf(newImage({ flags: vk.VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT }), { format: vk.VK_FORMAT_R8_UINT }),
      ),
  ],
  [
    "VUID-VkImageViewCreateInfo-subResourceRange-01021",
    () => vk.vkCreateImageView(device, viewOf(image, { viewType: vk.VK_IMAGE_VIEW_TYPE_3D })),
  ],
  [
    "VUID-VkImageViewCreateInfo-subresourceRange-06725",
    () => vk.vkCreateImageView(device, viewOf(image, { subresourceRange: { ...range, layerCount: 2 } })),
  ],
  [
    "VUID-VkImageViewCreateInfo-subresourceRange-01478",
    () => vk.vkCreateImageView(device, viewOf(image, { subresourceRange: { ...range, baseMipLevel: 1 } })),
  ],
  [
    "VUID-VkImageViewCreateInfo-imageViewType-04973",
    () => vk.vkCreateImageView(device, viewOf(newImage({ arrayLayers: 2 }), { viewType: vk.VK_IMAGE_VIEW_TYPE_2D })),
  ],
  [
    "VUID-VkBufferViewCreateInfo-buffer-00932",
    () => vk.vkCreateBufferView(device, { buffer: bare, format: vk.VK_FORMAT_R32_UINT, offset: 0, range: 64 }),
  ],
  [
    "VUID-VkBufferViewCreateInfo-offset-02749",
    () => vk.vkCreateBufferView(device, { buffer: data.buffer, format: vk.VK_FORMAT_R32_UINT, offset: 4, range: 64 }),
  ],
  [
    "VUID-VkBufferViewCreateInfo-range-00928",
    () => vk.vkCreateBufferView(device, { buffer: data.buffer, format: vk.VK_FORMAT_R32_UINT, offset: 0, range: 0 }),
  ],
  [
    "VUID-VkBufferViewCreateInfo-buffer-00935",
    () => {
      const buffer = vk.vkCreateBuffer(device, { size: 64, usage: vk.VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT });
      return vk.vkCreateBufferView(device, { buffer, format: vk.VK_FORMAT_R32_UINT, offset: 0, range: 64 });
    },
  ],
  [
    "VUID-VkBufferViewCreateInfo-offset-00931",
    () => vk.vkCreateBufferView(device, { buffer: data.buffer, format: vk.VK_FORMAT_R32_UINT, offset: 240, range: 64 }),
  ],
  [
    "VUID-VkSamplerCreateInfo-unnormalizedCoordinates-01072",
    () => vk.vkCreateSampler(device, { ...unnormalized, magFilter: vk.VK_FILTER_LINEAR }),
  ],
  [
    "VUID-VkSamplerCreateInfo-unnormalizedCoordinates-01074",
    () => vk.vkCreateSampler(device, { ...unnormalized, maxLod: 1 }),
  ],
  [
    "VUID-VkSamplerCreateInfo-unnormalizedCoordinates-01075",
    () => vk.vkCreateSampler(device, { ...unnormalized, addressModeV: vk.VK_SAMPLER_ADDRESS_MODE_REPEAT }),
  ],
  [
    "VUID-VkSamplerCreateInfo-unnormalizedCoordinates-01077",
    () => vk.vkCreateSampler(device, { ...unnormalized, compareEnable: true }),
  ],
  [
    "VUID-VkSamplerCreateInfo-anisotropyEnable-01070",
    () => vk.vkCreateSampler(device, { ...NEAREST, anisotropyEnable: true }),
  ],
  ["VUID-VkSamplerCreateInfo-maxLod-01973", () => vk.vkCreateSampler(device, { ...NEAREST, minLod: 1, maxLod: 0 })],
  [
    "VUID-VkWriteDescriptorSet-descriptorType-00337",
    () => writeImage(vk.VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, sampledOnly, GENERAL),
  ],
  [
    "VUID-VkWriteDescriptorSet-descriptorType-00337",
    () => writeImage(vk.VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, storageOnly, GENERAL),
  ],
  [
    "VUID-VkWriteDescriptorSet-descriptorType-04150",
    () => writeImage(vk.VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, image, vk.VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL),
  ],
  [
    "VUID-VkWriteDescriptorSet-descriptorType-00334",
    () => {
      const buffer = vk.vkCreateBuffer(device, { size: 64, usage: vk.VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT });
      vk.vkBindBufferMemory(device, buffer, memory, 0);
      const view = vk.vkCreateBufferView(device, { buffer, format: vk.VK_FORMAT_R32_UINT, offset: 0, range: 64 });
      const descriptorType = vk.VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
      const dstSet = newSet(setLayout([[descriptorType, 1]]));
      vk.vkUpdateDescriptorSets(device, [{ dstSet, dstBinding: 0, descriptorType, pTexelBufferView: [view] }]);
    },
  ],
  [
    "VUID-vkCmdCopyBufferToImage-srcBuffer-00174",
    () => {
      vk.vkCmdCopyBufferToImage(newRecording(), bare, image, GENERAL, [region]);
    },
  ],
  ["VUID-vkCmdCopyBufferToImage-dstImage-00177", () => toImage({}, sampledOnly)],
  [
    "VUID-vkCmdCopyBufferToImage-dstImageLayout-01396",
    () => {
      const layout = vk.VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
      vk.vkCmdCopyBufferToImage(newRecording(), data.buffer, image, layout, [region]);
    },
  ],
  ["VUID-vkCmdCopyBufferToImage-dstImage-07975", () => toImage({ bufferOffset: 2 })],
  ["VUID-VkBufferImageCopy-bufferRowLength-09101", () => toImage({ bufferRowLength: 3 })],
  ["VUID-VkBufferImageCopy-bufferRowLength-09101", () => toImage({ bufferImageHeight: 3 })],
  ["VUID-vkCmdCopyBufferToImage-aspectMask-09105", () => toImage({}, depths)],
  ["VUID-vkCmdCopyBufferToImage-pRegions-00171", () => toImage({ bufferRowLength: 100 })],
  ["VUID-vkCmdCopyBufferToImage-imageSubresource-07971", () => toImage({ imageOffset: { x: 1, y: 0, z: 0 } })],
  [
    "VUID-vkCmdCopyBufferToImage-imageSubresource-07968",
    () => toImage({ imageSubresource: { ...region.imageSubresource, baseArrayLayer: 1 } }),
  ],
  [
    "VUID-vkCmdCopyImageToBuffer-dstBuffer-00191",
    () => {
      vk.vkCmdCopyImageToBuffer(newRecording(), image, GENERAL, bare, [region]);
    },
  ],
  [
    "VUID-vkCmdCopyImageToBuffer-srcImage-00186",
    () => {
      vk.vkCmdCopyImageToBuffer(newRecording(), sampledOnly, GENERAL, data.buffer, [region]);
    },
  ],
  [
    "VUID-vkCmdCopyImage-srcImage-08793",
    () => {
      const layers = newImage({ arrayLayers: 2 });
      vk.vkCmdCopyImage(newRecording(), layers, GENERAL, other, GENERAL, [
        { ...whole, srcSubresource: layersOf(layers) },
      ]);
    },
  ],
  [
    "VUID-vkCmdClearColorImage-image-00002",
    () => {
      vk.vkCmdClearColorImage(newRecording(), sampledOnly, GENERAL, { uint32: [1, 2, 3, 4] }, [range]);
    },
  ],
  [
    "VUID-vkCmdClearColorImage-image-00007",
    () => {
      vk.vkCmdClearColorImage(newRecording(), depths, GENERAL, { float32: [1, 2, 3, 4] }, [range]);
    },
  ],
  [
    "VUID-vkCmdClearColorImage-pColor-04961",
    () => {
      vk.vkCmdClearColorImage(newRecording(), image, GENERAL, { float32: [1, 2, 3, 4] }, [range]);
    },
  ],
  [
    "VUID-vkCmdClearColorImage-imageLayout-01394",
    () => {
      const layout = vk.VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
      vk.vkCmdClearColorImage(newRecording(), image, layout, { uint32: [1, 2, 3, 4] }, [range]);
    },
  ],
  [
    "VUID-VkBindBufferMemoryInfo-memoryOffset-10739",
    () => {
      const buffer = vk.vkCreateBuffer(device, { size: 64, usage: 1 });
      vk.vkBindBufferMemory2(device, [{ buffer, memory, memoryOffset: 4 }]);
    },
  ],
];

test.each(CASES)("%s", (rule, call) => {
  const error = errorOf(call);
  expect([error.name, error.rule], error.message).toEqual(["VK_ERROR_VALIDATION_FAILED_EXT", rule]);
});

/** What there is not: the call, the result, and what the message says. */
const LACKING: readonly (readonly [what: string, call: () => unknown, name: vk.VkResult, message: RegExp])[] = [
  [
    "an image of blocks",
    () => vk.vkCreateImage(device, { ...IMAGE, format: vk.VK_FORMAT_BC1_RGB_UNORM_BLOCK }),
    "VK_ERROR_FORMAT_NOT_SUPPORTED",
    /no images of VK_FORMAT_BC1_RGB_UNORM_BLOCK/u,
  ],
  [
    "sRGB to be written",
    () => vk.vkCreateImage(device, { ...IMAGE, format: vk.VK_FORMAT_R8G8B8A8_SRGB }),
    "VK_ERROR_FORMAT_NOT_SUPPORTED",
    /cannot have the usage 8/u,
  ],
  [
    "a least level of detail between levels",
    () => vk.vkCreateSampler(device, { ...NEAREST, minLod: 0.5, maxLod: 4 }),
    "VK_ERROR_FEATURE_NOT_PRESENT",
    /minLod is 0\.5; it can be a whole number/u,
  ],
  [
    "a greatest level of detail of an odd part",
    () => vk.vkCreateSampler(device, { ...NEAREST, maxLod: 0.3 }),
    "VK_ERROR_FEATURE_NOT_PRESENT",
    /maxLod is 0\.3; it can be a multiple of 0\.25/u,
  ],
  [
    "depths in three dimensions",
    () =>
      vk.vkGetPhysicalDeviceImageFormatProperties(
        physicalDevice,
        vk.VK_FORMAT_D16_UNORM,
        vk.VK_IMAGE_TYPE_3D,
        vk.VK_IMAGE_TILING_OPTIMAL,
        vk.VK_IMAGE_USAGE_SAMPLED_BIT,
      ),
    "VK_ERROR_FORMAT_NOT_SUPPORTED",
    /two dimensions/u,
  ],
];

test.each(LACKING)("there is not: %s", (_what, call, name, message) => {
  expectError(call, name, message);
});
