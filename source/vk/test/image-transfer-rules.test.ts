// SPDX-License-Identifier: Apache-2.0
// Rules of valid usage of copies between images and of barriers of images: for each a call that breaks it, and the
// nearest one that does not, in every call that has the rule.
import * as vk from "@muxkit/vulkan";
import { expect, test } from "vitest";

import { IMAGE, layersOf, newImage, viewOf } from "./image-rig.ts";
import { device, errorOf, newRecording } from "./rig.ts";

const GENERAL = vk.VK_IMAGE_LAYOUT_GENERAL;
const UNDEFINED = vk.VK_IMAGE_LAYOUT_UNDEFINED;
const TO_READ = vk.VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
const SOURCE = vk.VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
const TARGET = vk.VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
const DEPTH = vk.VK_IMAGE_ASPECT_DEPTH_BIT;

const image = newImage();
const other = newImage({ format: vk.VK_FORMAT_R32_SFLOAT });
const bytes = newImage({ format: vk.VK_FORMAT_R8_UINT });
const layers = newImage({ arrayLayers: 3 });
const sourceOnly = newImage({ usage: vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT });
const targetOnly = newImage({ usage: vk.VK_IMAGE_USAGE_TRANSFER_DST_BIT });
const depths = newImage({ format: vk.VK_FORMAT_D32_SFLOAT, usage: IMAGE.usage & ~vk.VK_IMAGE_USAGE_STORAGE_BIT });

const whole: vk.VkImageCopy2 = {
  srcSubresource: layersOf(image),
  dstSubresource: layersOf(other),
  extent: { width: 4, height: 4, depth: 1 },
};
const copy: vk.VkCopyImageInfo2 = {
  srcImage: image,
  srcImageLayout: SOURCE,
  dstImage: other,
  dstImageLayout: TARGET,
  pRegions: [whole],
};
const deep = { ...layersOf(image), aspectMask: DEPTH };

type Wrong<T> = readonly (readonly [rule: string, wrong: Partial<T>, right: Partial<T>])[];

/** Of a copy: the rule, what breaks it, and what does not. */
const COPIES: Wrong<vk.VkCopyImageInfo2> = [
  ["aspect-06662", { srcImage: targetOnly }, { srcImage: sourceOnly }],
  ["aspect-06663", { dstImage: sourceOnly }, { dstImage: targetOnly }],
  ["srcImageLayout-01917", { srcImageLayout: TARGET }, { srcImageLayout: GENERAL }],
  ["dstImageLayout-01395", { dstImageLayout: SOURCE }, { dstImageLayout: GENERAL }],
  ["srcImage-01548", { dstImage: bytes }, { srcImage: bytes, dstImage: newImage({ format: vk.VK_FORMAT_R8_UNORM }) }],
  ["aspectMask-00142", { pRegions: [{ ...whole, srcSubresource: deep }] }, {}],
  [
    "aspectMask-00143",
    { pRegions: [{ ...whole, dstSubresource: deep }] },
    { dstImage: depths, pRegions: [{ ...whole, dstSubresource: layersOf(depths) }] },
  ],
];

/** Calls that copy, by the name that their rules have. */
const COPYING: Readonly<Record<string, (info: vk.VkCopyImageInfo2) => void>> = {
  vkCmdCopyImage: ({ srcImage, srcImageLayout, dstImage, dstImageLayout, pRegions }) => {
    vk.vkCmdCopyImage(newRecording(), srcImage, srcImageLayout, dstImage, dstImageLayout, pRegions);
  },
  VkCopyImageInfo2: (info) => {
    vk.vkCmdCopyImage2(newRecording(), info);
  },
};

type Barrier = Pick<
  vk.VkImageMemoryBarrier,
  "oldLayout" | "newLayout" | "image" | "subresourceRange" | "srcQueueFamilyIndex" | "dstQueueFamilyIndex"
>;
const barrier: Barrier = {
  oldLayout: UNDEFINED,
  newLayout: GENERAL,
  image,
  subresourceRange: viewOf(image).subresourceRange,
};
const part = (changes: Partial<vk.VkImageSubresourceRange>): Partial<Barrier> => ({
  image: layers,
  subresourceRange: { ...barrier.subresourceRange, ...changes },
});

/** Of a barrier: the rule, what breaks it, and what does not. */
const BARRIERS: Wrong<Barrier> = [
  ["newLayout-01198", { oldLayout: GENERAL, newLayout: UNDEFINED }, { newLayout: UNDEFINED }],
  [
    "newLayout-01198",
    { newLayout: vk.VK_IMAGE_LAYOUT_PREINITIALIZED },
    { oldLayout: vk.VK_IMAGE_LAYOUT_PREINITIALIZED },
  ],
  [
    "newLayout-01198",
    { newLayout: UNDEFINED, srcQueueFamilyIndex: 0, dstQueueFamilyIndex: 1 },
    { newLayout: UNDEFINED, srcQueueFamilyIndex: 0, dstQueueFamilyIndex: vk.VK_QUEUE_FAMILY_IGNORED },
  ],
  ["subresourceRange-01486", part({ baseMipLevel: 1 }), part({})],
  ["subresourceRange-01486", part({ levelCount: 2 }), part({ levelCount: 1 })],
  ["subresourceRange-01486", part({ levelCount: 0 }), part({ levelCount: 1 })],
  ["subresourceRange-01488", part({ baseArrayLayer: 3 }), part({ baseArrayLayer: 2 })],
  ["subresourceRange-01488", part({ baseArrayLayer: 1, layerCount: 3 }), part({ baseArrayLayer: 1, layerCount: 2 })],
  ["image-09241", part({ aspectMask: DEPTH }), { ...part({ aspectMask: DEPTH }), image: depths }],
  ["oldLayout-01211", { image: sourceOnly, newLayout: TO_READ }, { newLayout: TO_READ }],
  ["oldLayout-01212", { image: targetOnly, newLayout: SOURCE }, { image: sourceOnly, newLayout: SOURCE }],
  [
    "oldLayout-01213",
    { image: sourceOnly, oldLayout: TARGET },
    { image: sourceOnly, oldLayout: TARGET, newLayout: TARGET },
  ],
];

const ALL = vk.VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
const event = vk.vkCreateEvent(device, {});
const old = (one: Barrier): vk.VkImageMemoryBarrier => ({ ...one, srcAccessMask: 0, dstAccessMask: 0 });
const dependency = (one: Barrier): vk.VkDependencyInfo => ({
  dependencyFlags: 0,
  pImageMemoryBarriers: [{ ...one, srcStageMask: 0n, srcAccessMask: 0n, dstStageMask: 0n, dstAccessMask: 0n }],
});

/** Calls with barriers, and the structure that their rules are of. */
const WAITING: readonly (readonly [call: string, structure: string, use: (one: Barrier) => void])[] = [
  [
    "vkCmdPipelineBarrier",
    "VkImageMemoryBarrier",
    (one) => {
      vk.vkCmdPipelineBarrier(newRecording(), ALL, ALL, 0, [], [], [old(one)]);
    },
  ],
  [
    "vkCmdWaitEvents",
    "VkImageMemoryBarrier",
    (one) => {
      vk.vkCmdWaitEvents(newRecording(), [event], ALL, ALL, [], [], [old(one)]);
    },
  ],
  [
    "vkCmdPipelineBarrier2",
    "VkImageMemoryBarrier2",
    (one) => {
      vk.vkCmdPipelineBarrier2(newRecording(), dependency(one));
    },
  ],
  [
    "vkCmdSetEvent2",
    "VkImageMemoryBarrier2",
    (one) => {
      vk.vkCmdSetEvent2(newRecording(), event, dependency(one));
    },
  ],
  [
    "vkCmdWaitEvents2",
    "VkImageMemoryBarrier2",
    (one) => {
      vk.vkCmdWaitEvents2(newRecording(), [event], [dependency(one)]);
    },
  ],
];

const rows: readonly (readonly [call: string, rule: string, wrong: () => void, right: () => void])[] = [
  ...Object.entries(COPYING).flatMap(([name, use]) =>
    COPIES.map(
      ([rule, wrong, right]) =>
        [
          name,
          `VUID-${name}-${rule}`,
          () => {
            use({ ...copy, ...wrong });
          },
          () => {
            use({ ...copy, ...right });
          },
        ] as const,
    ),
  ),
  ...WAITING.flatMap(([name, structure, use]) =>
    BARRIERS.map(
      ([rule, wrong, right]) =>
        [
          name,
          `VUID-${structure}-${rule}`,
          () => {
            use({ ...barrier, ...wrong });
          },
          () => {
            use({ ...barrier, ...right });
          },
        ] as const,
    ),
  ),
];

test.each(rows)("%s: %s", (_call, rule, wrong, right) => {
  const error = errorOf(wrong);
  expect([error.name, error.rule], error.message).toEqual(["VK_ERROR_VALIDATION_FAILED_EXT", rule]);
  expect(right).not.toThrow();
});
