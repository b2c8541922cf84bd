// SPDX-License-Identifier: Apache-2.0
// What images, views, samplers and copies of texels do.
import {
  VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK,
  VK_COMPARE_OP_LESS,
  VK_COMPONENT_SWIZZLE_B,
  VK_COMPONENT_SWIZZLE_G,
  VK_COMPONENT_SWIZZLE_IDENTITY,
  VK_COMPONENT_SWIZZLE_R,
  VK_FILTER_LINEAR,
  VK_FORMAT_B8G8R8A8_UNORM,
  VK_FORMAT_BC1_RGB_UNORM_BLOCK,
  VK_FORMAT_D32_SFLOAT,
  VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_DEPTH_COMPARISON_BIT,
  VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT,
  VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT,
  VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT,
  VK_FORMAT_R16_SFLOAT,
  VK_FORMAT_R32G32B32A32_SFLOAT,
  VK_FORMAT_R32_SINT,
  VK_FORMAT_R32_UINT,
  VK_FORMAT_R8G8B8A8_SRGB,
  VK_FORMAT_R8G8B8A8_UNORM,
  VK_FORMAT_R8_UINT,
  VK_IMAGE_ASPECT_COLOR_BIT,
  VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT,
  VK_IMAGE_LAYOUT_GENERAL,
  VK_IMAGE_TILING_LINEAR,
  VK_IMAGE_TILING_OPTIMAL,
  VK_IMAGE_TYPE_1D,
  VK_IMAGE_TYPE_2D,
  VK_IMAGE_TYPE_3D,
  VK_IMAGE_USAGE_SAMPLED_BIT,
  VK_IMAGE_VIEW_TYPE_2D,
  VK_IMAGE_VIEW_TYPE_2D_ARRAY,
  VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
  VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
  VK_SAMPLER_ADDRESS_MODE_REPEAT,
  VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3,
  VK_WHOLE_SIZE,
  type VkBuffer,
  type VkBufferImageCopy,
  type VkClearColorValue,
  type VkDeviceMemory,
  type VkFormat,
  type VkImage,
  type VkImageCopy,
  type VkImageCreateInfo,
  type VkSamplerCreateInfo,
  vkAllocateMemory,
  vkCreateBufferView,
  vkCreateImage,
  vkCreateImageView,
  vkCreateSampler,
  vkGetImageMemoryRequirements,
} from "@muxkit/vulkan";

import { type Effect, effect } from "../effect.ts";
import { IMAGE, NEAREST, aspectOf, fill, layersOf, newImage, texelsOf, viewOf } from "../image-rig.ts";
import { device, finish, newRecording, physicalDevice, words } from "../rig.ts";

const memoryFor = (image: VkImage): VkDeviceMemory =>
  vkAllocateMemory(device, { allocationSize: vkGetImageMemoryRequirements(device, image).size, memoryTypeIndex: 0 });

/** Bytes 0, 1, 2, …. */
const counted = (count: number): Uint8Array => Uint8Array.from({ length: count }, (_, i) => i);

/** An image of bytes that count, in a shape. */
function countedImage(changes: Partial<VkImageCreateInfo>, bytes: number): VkImage {
  const image = newImage({ format: VK_FORMAT_R8_UINT, ...changes });
  fill(image, counted(bytes));
  return image;
}

const FORMATS: readonly (readonly [what: string, format: VkFormat, images: number, has: number])[] = [
  ["", VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT, VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT],
  [
    "integers with atomics",
    VK_FORMAT_R32_UINT,
    VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT | VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT,
    VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT,
  ],
  [
    "sRGB is filtered and not written",
    VK_FORMAT_R8G8B8A8_SRGB,
    VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT | VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT,
    VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT,
  ],
  ["depths are not written", VK_FORMAT_D32_SFLOAT, VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT, 0],
  ["blocks are nothing", VK_FORMAT_BC1_RGB_UNORM_BLOCK, 0xffff_ffff, 0],
];

const SHAPES: readonly (readonly [what: string, changes: Partial<VkImageCreateInfo>, bytes: number])[] = [
  ["", {}, 64],
  ["linear", { tiling: VK_IMAGE_TILING_LINEAR }, 64],
  ["one dimension", { imageType: VK_IMAGE_TYPE_1D, extent: { width: 9, height: 1, depth: 1 } }, 36],
  [
    "lines in layers",
    { imageType: VK_IMAGE_TYPE_1D, extent: { width: 9, height: 1, depth: 1 }, arrayLayers: 3 },
    108,
  ],
  ["layers", { extent: { width: 3, height: 5, depth: 1 }, arrayLayers: 4 }, 240],
  ["three dimensions", { imageType: VK_IMAGE_TYPE_3D, extent: { width: 3, height: 4, depth: 5 } }, 240],
  ["halves", { format: VK_FORMAT_R16_SFLOAT }, 32],
  ["four floats", { format: VK_FORMAT_R32G32B32A32_SFLOAT }, 256],
  ["depths", { format: VK_FORMAT_D32_SFLOAT, usage: IMAGE.usage & ~0x8 }, 64],
];

/** What comes back of an image after it was filled. */
function roundTrip(image: VkImage, bytes: number): boolean {
  const { size } = vkGetImageMemoryRequirements(device, image);
  return size >= bytes;
}

/** A part of an image of bytes, and where its texels are in a buffer of 32 bytes that was 255. */
const REGIONS: readonly (readonly [what: string, region: Omit<VkBufferImageCopy, "imageSubresource">, expected: string])[] = [
  ["", { imageExtent: { width: 4, height: 4, depth: 1 } }, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"],
  ["one texel", { imageOffset: { x: 2, y: 1, z: 0 }, imageExtent: { width: 1, height: 1, depth: 1 } }, "6"],
  [
    "a box",
    { imageOffset: { x: 1, y: 1, z: 0 }, imageExtent: { width: 2, height: 3, depth: 1 } },
    "5 6 9 10 13 14",
  ],
  [
    "a box behind an offset",
    { bufferOffset: 2, imageOffset: { x: 1, y: 1, z: 0 }, imageExtent: { width: 2, height: 2, depth: 1 } },
    ". . 5 6 9 10",
  ],
  [
    "longer rows",
    { bufferRowLength: 5, imageExtent: { width: 3, height: 3, depth: 1 } },
    "0 1 2 . . 4 5 6 . . 8 9 10",
  ],
  [
    "higher slices of one",
    { bufferRowLength: 3, bufferImageHeight: 8, imageExtent: { width: 3, height: 2, depth: 1 } },
    "0 1 2 4 5 6",
  ],
];

/** Bytes up to the last that is not 255, which are dots. */
const shown = (bytes: ArrayLike<number>): string =>
  Array.from(bytes, (byte) => (byte === 255 ? "." : String(byte)))
    .join(" ")
    .replace(/( \.)+$/u, "");

const BYTES = new Map<VkBuffer, Uint8Array>();

/** A buffer of 64 bytes, whose bytes `bytesIn` gives. */
function bufferOf(word: number): VkBuffer {
  const made = words(Array.from({ length: 16 }, () => word));
  BYTES.set(made.buffer, new Uint8Array(made.words.buffer, made.words.byteOffset, 64));
  return made.buffer;
}

const bytesIn = (buffer: VkBuffer): Uint8Array => BYTES.get(buffer) ?? new Uint8Array(0);

/** A buffer of bytes that count. */
function countedBuffer(): VkBuffer {
  const buffer = bufferOf(0);
  bytesIn(buffer).set(counted(64));
  return buffer;
}

/** Copies of bytes that count into images of zeros, and all their texels. */
const FILLS: readonly (readonly [
  what: string,
  changes: Partial<VkImageCreateInfo>,
  region: Omit<VkBufferImageCopy, "imageSubresource">,
  expected: string,
])[] = [
  ["", {}, { imageExtent: { width: 4, height: 4, depth: 1 } }, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"],
  [
    "a box of longer rows",
    {},
    {
      bufferOffset: 8,
      bufferRowLength: 6,
      imageOffset: { x: 1, y: 2, z: 0 },
      imageExtent: { width: 3, height: 2, depth: 1 },
    },
    "0 0 0 0 0 0 0 0 0 8 9 10 0 14 15 16",
  ],
  [
    "slices with room between them",
    { imageType: VK_IMAGE_TYPE_3D, extent: { width: 2, height: 2, depth: 3 } },
    { bufferImageHeight: 4, imageExtent: { width: 2, height: 2, depth: 3 } },
    "0 1 2 3 8 9 10 11 16 17 18 19",
  ],
  [
    "layers with longer rows",
    { extent: { width: 2, height: 2, depth: 1 }, arrayLayers: 2 },
    { bufferRowLength: 3, bufferImageHeight: 3, imageExtent: { width: 2, height: 2, depth: 1 } },
    "0 1 3 4 9 10 12 13",
  ],
  [
    "lines of layers",
    { imageType: VK_IMAGE_TYPE_1D, extent: { width: 3, height: 1, depth: 1 }, arrayLayers: 3 },
    { imageExtent: { width: 3, height: 1, depth: 1 } },
    "0 1 2 3 4 5 6 7 8",
  ],
];

/** Copies of a 4 by 4 image of bytes that count onto one of zeros. */
const IMAGE_COPIES: readonly (readonly [what: string, region: Omit<VkImageCopy, "srcSubresource" | "dstSubresource">, expected: string])[] = [
  ["", { extent: { width: 4, height: 4, depth: 1 } }, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"],
  [
    "a box elsewhere",
    { srcOffset: { x: 2, y: 2, z: 0 }, dstOffset: { x: 0, y: 1, z: 0 }, extent: { width: 2, height: 2, depth: 1 } },
    "0 0 0 0 10 11 0 0 14 15 0 0 0 0 0 0",
  ],
];

const COLORS: readonly (readonly [what: string, format: VkFormat, color: VkClearColorValue, texel: readonly number[]])[] = [
  ["", VK_FORMAT_R32_UINT, { uint32: [0x0403_0201, 0, 0, 0] }, [1, 2, 3, 4]],
  ["signed", VK_FORMAT_R32_SINT, { int32: [-2, 0, 0, 0] }, [254, 255, 255, 255]],
  ["fractions", VK_FORMAT_R8G8B8A8_UNORM, { float32: [1, 0, 0.2, 2] }, [255, 0, 51, 255]],
  ["other order", VK_FORMAT_B8G8R8A8_UNORM, { float32: [1, 0, 0.2, 1] }, [51, 0, 255, 255]],
  ["sRGB", VK_FORMAT_R8G8B8A8_SRGB, { float32: [0, 1, 0.5, 0.5] }, [0, 255, 188, 128]],
  ["halves", VK_FORMAT_R16_SFLOAT, { float32: [1, 0, 0, 0] }, [0, 60]],
];

const usageFor = (format: VkFormat): number => (format === VK_FORMAT_R8G8B8A8_SRGB ? 0x7 : IMAGE.usage);

const SAMPLERS: readonly (readonly [what: string, info: VkSamplerCreateInfo])[] = [
  ["", NEAREST],
  ["linear", { ...NEAREST, magFilter: VK_FILTER_LINEAR, minFilter: VK_FILTER_LINEAR }],
  [
    "repeats",
    {
      ...NEAREST,
      addressModeU: VK_SAMPLER_ADDRESS_MODE_REPEAT,
      addressModeV: VK_SAMPLER_ADDRESS_MODE_REPEAT,
      addressModeW: VK_SAMPLER_ADDRESS_MODE_REPEAT,
    },
  ],
  [
    "mirrors",
    {
      ...NEAREST,
      addressModeU: VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
      addressModeV: VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
      addressModeW: VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
    },
  ],
  [
    "a border",
    {
      ...NEAREST,
      addressModeU: VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
      addressModeV: VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
      addressModeW: VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
      borderColor: VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK,
    },
  ],
  ["compares", { ...NEAREST, compareEnable: true, compareOp: VK_COMPARE_OP_LESS }],
  ["texels", { ...NEAREST, unnormalizedCoordinates: true }],
];

const isAlive = (object: { readonly isAlive: boolean }): boolean => object.isAlive;

const info2 = { format: VK_FORMAT_R32_UINT, type: VK_IMAGE_TYPE_2D, tiling: VK_IMAGE_TILING_OPTIMAL, usage: 0xf };
const sized = ({ maxExtent, maxArrayLayers, maxMipLevels }: { maxExtent: { width: number; depth: number }; maxArrayLayers: number; maxMipLevels: number }): unknown => [
  maxExtent.width >= 16_384,
  maxExtent.depth,
  maxArrayLayers >= 2048,
  maxMipLevels >= 15,
];

/** Effects of images. */
export const IMAGE_EFFECTS: readonly Effect[] = [
  ...FORMATS.map(([what, format, mask, has]) =>
    effect(
      "vkGetPhysicalDeviceFormatProperties",
      what,
      () => [physicalDevice, format],
      ({ optimalTilingFeatures, linearTilingFeatures }) => [optimalTilingFeatures & mask, linearTilingFeatures & mask],
      [has, has],
    ),
  ),
  effect(
    "vkGetPhysicalDeviceFormatProperties2",
    "",
    () => [physicalDevice, VK_FORMAT_R32_UINT],
    ({ formatProperties, pNext }) => [formatProperties.bufferFeatures !== 0, pNext],
    [true, null],
  ),
  effect(
    "vkGetPhysicalDeviceFormatProperties2",
    "in 64 bits",
    () => [physicalDevice, VK_FORMAT_D32_SFLOAT, [VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3]],
    ({ pNext }) =>
      ((pNext?.optimalTilingFeatures ?? 0n) & VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_DEPTH_COMPARISON_BIT) !== 0n,
    true,
  ),
  effect(
    "vkGetPhysicalDeviceImageFormatProperties",
    "",
    () => [physicalDevice, VK_FORMAT_R32_UINT, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_SAMPLED_BIT],
    sized,
    [true, 1, true, true],
  ),
  effect(
    "vkGetPhysicalDeviceImageFormatProperties2",
    "",
    () => [physicalDevice, info2],
    ({ imageFormatProperties }) => sized(imageFormatProperties),
    [true, 1, true, true],
  ),
  ...SHAPES.map(([what, changes, bytes]) =>
    effect("vkCreateImage", what, () => [device, { ...IMAGE, ...changes }], (image) => roundTrip(image, bytes), true),
  ),
  effect("vkDestroyImage", "", () => [device, vkCreateImage(device, IMAGE)], (_none, [, image]) => isAlive(image), false),
  ...SHAPES.map(([what, changes, bytes]) =>
    effect(
      "vkGetImageMemoryRequirements",
      what,
      () => [device, vkCreateImage(device, { ...IMAGE, ...changes })],
      ({ size, alignment, memoryTypeBits }) => [size >= bytes, size % alignment, memoryTypeBits],
      [true, 0, 1],
    ),
  ),
  effect(
    "vkGetImageMemoryRequirements2",
    "",
    () => [device, { image: vkCreateImage(device, IMAGE) }],
    ({ memoryRequirements }) => memoryRequirements.size,
    64,
  ),
  effect(
    "vkGetDeviceImageMemoryRequirements",
    "",
    () => [device, { pCreateInfo: IMAGE }],
    ({ memoryRequirements }) => memoryRequirements.size,
    64,
  ),
  effect(
    "vkGetDeviceBufferMemoryRequirements",
    "",
    () => [device, { pCreateInfo: { size: 100, usage: 1 } }],
    ({ memoryRequirements: { size, alignment } }) => [size >= 100, size % alignment],
    [true, 0],
  ),
  effect(
    "vkBindImageMemory",
    "",
    () => {
      const image = vkCreateImage(device, IMAGE);
      return [device, image, memoryFor(image), 0];
    },
    (_none, [, image]) => isAlive(vkCreateImageView(device, { ...viewOf(newImage()), image })),
    true,
  ),
  effect(
    "vkBindImageMemory2",
    "",
    () => {
      const image = vkCreateImage(device, IMAGE);
      return [device, [{ image, memory: memoryFor(image), memoryOffset: 0 }]];
    },
    (_none, [, infos]) =>
      infos.map(({ image }) => isAlive(vkCreateImageView(device, { ...viewOf(newImage()), image }))),
    [true],
  ),
  effect(
    "vkGetImageSubresourceLayout",
    "",
    () => [
      device,
      vkCreateImage(device, { ...IMAGE, tiling: VK_IMAGE_TILING_LINEAR }),
      { aspectMask: VK_IMAGE_ASPECT_COLOR_BIT, mipLevel: 0, arrayLayer: 0 },
    ],
    ({ offset, rowPitch, size }) => [offset, rowPitch, size],
    [0, 16, 64],
  ),
  ...SHAPES.map(([what, changes]) =>
    effect("vkCreateImageView", what, () => [device, viewOf(newImage(changes))], isAlive, true),
  ),
  effect(
    "vkCreateImageView",
    "of one layer, with another format",
    () => {
      const image = newImage({ arrayLayers: 3, flags: VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT });
      const whole = viewOf(image);
      const subresourceRange = { ...whole.subresourceRange, baseArrayLayer: 1, layerCount: 1 };
      return [device, { ...whole, viewType: VK_IMAGE_VIEW_TYPE_2D, format: VK_FORMAT_R8G8B8A8_UNORM, subresourceRange }];
    },
    isAlive,
    true,
  ),
  effect(
    "vkCreateImageView",
    "of one image as layers",
    () => [device, viewOf(newImage(), { viewType: VK_IMAGE_VIEW_TYPE_2D_ARRAY })],
    isAlive,
    true,
  ),
  effect(
    "vkCreateImageView",
    "with red and blue in each other's place",
    () => [
      device,
      viewOf(newImage({ format: VK_FORMAT_R8G8B8A8_UNORM }), {
        components: {
          r: VK_COMPONENT_SWIZZLE_B,
          g: VK_COMPONENT_SWIZZLE_G,
          b: VK_COMPONENT_SWIZZLE_R,
          a: VK_COMPONENT_SWIZZLE_IDENTITY,
        },
      }),
    ],
    isAlive,
    true,
  ),
  effect(
    "vkDestroyImageView",
    "",
    () => [device, vkCreateImageView(device, viewOf(newImage()))],
    (_none, [, view]) => isAlive(view),
    false,
  ),
  ...([0, 16, 32] as const).map((offset) =>
    effect(
      "vkCreateBufferView",
      offset === 0 ? "" : `from byte ${offset} on`,
      () => [device, { buffer: words(16).buffer, format: VK_FORMAT_R32_UINT, offset, range: VK_WHOLE_SIZE }],
      isAlive,
      true,
    ),
  ),
  effect(
    "vkDestroyBufferView",
    "",
    () => [
      device,
      vkCreateBufferView(device, { buffer: words(16).buffer, format: VK_FORMAT_R32_UINT, offset: 0, range: 64 }),
    ],
    (_none, [, view]) => isAlive(view),
    false,
  ),
  ...SAMPLERS.map(([what, info]) => effect("vkCreateSampler", what, () => [device, info], isAlive, true)),
  effect(
    "vkDestroySampler",
    "",
    () => [device, vkCreateSampler(device, NEAREST)],
    (_none, [, sampler]) => isAlive(sampler),
    false,
  ),
  ...REGIONS.map(([what, region, expected]) =>
    effect(
      "vkCmdCopyImageToBuffer",
      what,
      () => {
        const image = countedImage({}, 16);
        const regions = [{ ...region, imageSubresource: layersOf(image) }];
        return [newRecording(), image, VK_IMAGE_LAYOUT_GENERAL, bufferOf(0xffff_ffff), regions];
      },
      (_none, [commands, , , buffer]) => {
        finish(commands);
        return shown(bytesIn(buffer));
      },
      expected,
    ),
  ),
  effect(
    "vkCmdCopyImageToBuffer2",
    "",
    () => {
      const srcImage = countedImage({ extent: { width: 2, height: 2, depth: 1 }, arrayLayers: 3 }, 12);
      const imageSubresource = { ...layersOf(srcImage), baseArrayLayer: 1, layerCount: 2 };
      return [
        newRecording(),
        {
          srcImage,
          srcImageLayout: VK_IMAGE_LAYOUT_GENERAL,
          dstBuffer: bufferOf(0xffff_ffff),
          pRegions: [{ imageSubresource, imageExtent: { width: 2, height: 2, depth: 1 } }],
        },
      ];
    },
    (_none, [commands, { dstBuffer }]) => {
      finish(commands);
      return shown(bytesIn(dstBuffer));
    },
    "4 5 6 7 8 9 10 11",
  ),
  ...FILLS.map(([what, changes, region, expected]) =>
    effect(
      "vkCmdCopyBufferToImage",
      what,
      () => {
        const image = newImage({ format: VK_FORMAT_R8_UINT, ...changes });
        fill(image, new Uint8Array(64));
        const regions = [{ ...region, imageSubresource: layersOf(image) }];
        return [newRecording(), countedBuffer(), image, VK_IMAGE_LAYOUT_GENERAL, regions];
      },
      (_none, [commands, , image]) => {
        finish(commands);
        return shown(texelsOf(image, expected.split(" ").length));
      },
      expected,
    ),
  ),
  effect(
    "vkCmdCopyBufferToImage2",
    "",
    () => {
      const dstImage = newImage({ format: VK_FORMAT_R8_UINT });
      return [
        newRecording(),
        {
          srcBuffer: countedBuffer(),
          dstImage,
          dstImageLayout: VK_IMAGE_LAYOUT_GENERAL,
          pRegions: [{ imageSubresource: layersOf(dstImage), imageExtent: { width: 4, height: 4, depth: 1 } }],
        },
      ];
    },
    (_none, [commands, { dstImage }]) => {
      finish(commands);
      return shown(texelsOf(dstImage, 16));
    },
    "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15",
  ),
  ...IMAGE_COPIES.map(([what, region, expected]) =>
    effect(
      "vkCmdCopyImage",
      what,
      () => {
        const [source, into] = [countedImage({}, 16), newImage({ format: VK_FORMAT_R8_UINT })];
        fill(into, new Uint8Array(16));
        return [
          newRecording(),
          source,
          VK_IMAGE_LAYOUT_GENERAL,
          into,
          VK_IMAGE_LAYOUT_GENERAL,
          [{ ...region, srcSubresource: layersOf(source), dstSubresource: layersOf(into) }],
        ];
      },
      (_none, [commands, , , into]) => {
        finish(commands);
        return shown(texelsOf(into, 16));
      },
      expected,
    ),
  ),
  effect(
    "vkCmdCopyImage2",
    "",
    () => {
      const [srcImage, dstImage] = [countedImage({}, 16), newImage({ format: VK_FORMAT_R8_UINT })];
      return [
        newRecording(),
        {
          srcImage,
          srcImageLayout: VK_IMAGE_LAYOUT_GENERAL,
          dstImage,
          dstImageLayout: VK_IMAGE_LAYOUT_GENERAL,
          pRegions: [
            {
              srcSubresource: layersOf(srcImage),
              dstSubresource: layersOf(dstImage),
              extent: { width: 4, height: 4, depth: 1 },
            },
          ],
        },
      ];
    },
    (_none, [commands, { dstImage }]) => {
      finish(commands);
      return shown(texelsOf(dstImage, 16));
    },
    "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15",
  ),
  effect(
    "vkCmdCopyImage",
    "layers onto slices",
    () => {
      const source = countedImage({ extent: { width: 2, height: 2, depth: 1 }, arrayLayers: 3 }, 12);
      const into = newImage({
        format: VK_FORMAT_R8_UINT,
        imageType: VK_IMAGE_TYPE_3D,
        extent: { width: 2, height: 2, depth: 3 },
      });
      return [
        newRecording(),
        source,
        VK_IMAGE_LAYOUT_GENERAL,
        into,
        VK_IMAGE_LAYOUT_GENERAL,
        [
          {
            srcSubresource: layersOf(source),
            dstSubresource: layersOf(into),
            extent: { width: 2, height: 2, depth: 3 },
          },
        ],
      ];
    },
    (_none, [commands, , , into]) => {
      finish(commands);
      return shown(texelsOf(into, 12));
    },
    "0 1 2 3 4 5 6 7 8 9 10 11",
  ),
  ...COLORS.map(([what, format, color, texel]) =>
    effect(
      "vkCmdClearColorImage",
      what,
      () => {
        const image = newImage({ format, usage: usageFor(format) });
        const range = { aspectMask: aspectOf(format), baseMipLevel: 0, levelCount: 1, baseArrayLayer: 0, layerCount: 1 };
        return [newRecording(), image, VK_IMAGE_LAYOUT_GENERAL, color, [range]];
      },
      (_none, [commands, image]) => {
        finish(commands);
        const bytes = texelsOf(image, 16 * texel.length);
        return [[...bytes.subarray(0, texel.length)], [...bytes.subarray(15 * texel.length)]];
      },
      [texel, texel],
    ),
  ),
];
