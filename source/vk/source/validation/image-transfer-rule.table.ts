// SPDX-License-Identifier: Apache-2.0
// Rules of valid usage of copies between images, and of barriers of images.
import { pixelBytes } from "@muxkit/libimg";

import { pixelFormat } from "../format.table.ts";
import * as V from "../generated/constants.ts";
import type { VkImage } from "../generated/handles.ts";
import type { VkImageCopy, VkImageMemoryBarrier, VkImageMemoryBarrier2 } from "../generated/structures.ts";
import { Image } from "../image.ts";
import { VK_QUEUE_FAMILY_IGNORED, VK_REMAINING_ARRAY_LAYERS, VK_REMAINING_MIP_LEVELS } from "../version.ts";
import { aspectProblem, firstOf, lacksImageUsage, layoutProblem } from "./image-check.ts";
import { type Rule, type RuleTable, when } from "./rule.ts";

/** A copy between images, as its rules see it. */
interface ImageCopy {
  readonly from: VkImage;
  readonly fromLayout: V.VkImageLayout;
  readonly to: VkImage;
  readonly toLayout: V.VkImageLayout;
  readonly regions: readonly VkImageCopy[];
}

const texelBytes = (image: VkImage): number => {
  const format = image instanceof Image ? pixelFormat(image.info.format) : null;
  return format === null ? 0 : pixelBytes(format);
};

function sizeProblem({ from, to }: ImageCopy): string | null {
  const [read, written] = [texelBytes(from), texelBytes(to)];
  return when(read !== written, `texels of the source have ${read} bytes, and texels of the target ${written}`);
}

/** The rules of copies between images, by the name of the structure or call that has them. */
function copyRules(name: string): readonly Rule<[ImageCopy]>[] {
  return [
    {
      id: `VUID-${name}-aspect-06662`,
      check: ({ from }) => lacksImageUsage(from, V.VK_IMAGE_USAGE_TRANSFER_SRC_BIT),
    },
    {
      id: `VUID-${name}-aspect-06663`,
      check: ({ to }) => lacksImageUsage(to, V.VK_IMAGE_USAGE_TRANSFER_DST_BIT),
    },
    {
      id: `VUID-${name}-srcImageLayout-01917`,
      check: ({ fromLayout }) =>
        layoutProblem(fromLayout, V.VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, "VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL"),
    },
    {
      id: `VUID-${name}-dstImageLayout-01395`,
      check: ({ toLayout }) =>
        layoutProblem(toLayout, V.VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, "VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL"),
    },
    { id: `VUID-${name}-srcImage-01548`, check: sizeProblem },
    {
      id: `VUID-${name}-aspectMask-00142`,
      check: ({ from, regions }) => firstOf(regions.map((one) => aspectProblem(from, one.srcSubresource.aspectMask))),
    },
    {
      id: `VUID-${name}-aspectMask-00143`,
      check: ({ to, regions }) => firstOf(regions.map((one) => aspectProblem(to, one.dstSubresource.aspectMask))),
    },
  ];
}

/** A barrier of an image, of either kind. */
type Barrier = Pick<
  VkImageMemoryBarrier | VkImageMemoryBarrier2,
  "image" | "oldLayout" | "newLayout" | "srcQueueFamilyIndex" | "dstQueueFamilyIndex" | "subresourceRange"
>;

/** The usage that images need to be in a layout, and the rule that says so. */
const LAYOUT_USAGES: readonly (readonly [rule: string, layout: V.VkImageLayout, usage: number])[] = [
  ["oldLayout-01211", V.VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, V.VK_IMAGE_USAGE_SAMPLED_BIT],
  ["oldLayout-01212", V.VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, V.VK_IMAGE_USAGE_TRANSFER_SRC_BIT],
  ["oldLayout-01213", V.VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, V.VK_IMAGE_USAGE_TRANSFER_DST_BIT],
];

/** Barriers without both families, or with one family, keep the owner: what matters then is a change of layout. */
function changes({ oldLayout, newLayout, srcQueueFamilyIndex = 0, dstQueueFamilyIndex = 0 }: Barrier): boolean {
  const ignored = VK_QUEUE_FAMILY_IGNORED;
  return (
    oldLayout !== newLayout ||
    (srcQueueFamilyIndex !== dstQueueFamilyIndex && srcQueueFamilyIndex !== ignored && dstQueueFamilyIndex !== ignored)
  );
}

const newLayoutProblem = (barrier: Barrier): string | null =>
  when(
    changes(barrier) &&
      (barrier.newLayout === V.VK_IMAGE_LAYOUT_UNDEFINED || barrier.newLayout === V.VK_IMAGE_LAYOUT_PREINITIALIZED),
    "newLayout is VK_IMAGE_LAYOUT_UNDEFINED or VK_IMAGE_LAYOUT_PREINITIALIZED, in which images only begin",
  );

/** A part of levels or layers that an image does not have. */
function rangeProblem(what: string, base: number, count: number, most: number, all: number): string | null {
  const end = count === all ? base + 1 : base + count;
  return when(
    base >= most || count === 0 || end > most,
    `the range begins at ${what} ${base} and has ${count === all ? "all further" : count}; the image has ${most}`,
  );
}

function levelProblem({ image, subresourceRange: { baseMipLevel, levelCount } }: Barrier): string | null {
  if (!(image instanceof Image)) return null;
  return rangeProblem("level", baseMipLevel, levelCount, image.info.mipLevels, VK_REMAINING_MIP_LEVELS);
}

function layerProblem({ image, subresourceRange: { baseArrayLayer, layerCount } }: Barrier): string | null {
  if (!(image instanceof Image)) return null;
  return rangeProblem("layer", baseArrayLayer, layerCount, image.info.arrayLayers, VK_REMAINING_ARRAY_LAYERS);
}

/** The rules of barriers of images, by the name of the structure. */
function barrierRules(name: string): readonly Rule<[readonly Barrier[]]>[] {
  const each = (rule: string, check: (barrier: Barrier) => string | null): Rule<[readonly Barrier[]]> => ({
    id: `VUID-${name}-${rule}`,
    check: (barriers) => firstOf(barriers.map(check)),
  });
  return [
    each("newLayout-01198", newLayoutProblem),
    each("subresourceRange-01486", levelProblem),
    each("subresourceRange-01488", layerProblem),
    each("image-09241", ({ image, subresourceRange: { aspectMask } }) => aspectProblem(image, aspectMask)),
    ...LAYOUT_USAGES.map(([rule, layout, usage]) =>
      each(rule, (barrier) =>
        changes(barrier) && (barrier.oldLayout === layout || barrier.newLayout === layout)
          ? lacksImageUsage(barrier.image, usage)
          : null,
      ),
    ),
  ];
}

const FIRST = barrierRules("VkImageMemoryBarrier");
const SECOND = barrierRules("VkImageMemoryBarrier2");

/** Rules by entry point. */
export const IMAGE_TRANSFER_RULES: RuleTable = {
  vkCmdCopyImage: copyRules("vkCmdCopyImage").map(({ id, check }) => ({
    id,
    check: (_commands, from, fromLayout, to, toLayout, regions) => check({ from, fromLayout, to, toLayout, regions }),
  })),
  vkCmdCopyImage2: copyRules("VkCopyImageInfo2").map(({ id, check }) => ({
    id,
    check: (_commands, { srcImage, srcImageLayout, dstImage, dstImageLayout, pRegions: regions }) =>
      check({ from: srcImage, fromLayout: srcImageLayout, to: dstImage, toLayout: dstImageLayout, regions }),
  })),
  vkCmdPipelineBarrier: FIRST.map(({ id, check }) => ({
    id,
    check: (_commands, _from, _to, _flags, _memory, _buffers, images = []) => check(images),
  })),
  vkCmdWaitEvents: FIRST.map(({ id, check }) => ({
    id,
    check: (_commands, _events, _from, _to, _memory, _buffers, images = []) => check(images),
  })),
  vkCmdPipelineBarrier2: SECOND.map(({ id, check }) => ({
    id,
    check: (_commands, { pImageMemoryBarriers = [] }) => check(pImageMemoryBarriers),
  })),
  vkCmdSetEvent2: SECOND.map(({ id, check }) => ({
    id,
    check: (_commands, _event, { pImageMemoryBarriers = [] }) => check(pImageMemoryBarriers),
  })),
  vkCmdWaitEvents2: SECOND.map(({ id, check }) => ({
    id,
    check: (_commands, _events, infos) => check(infos.flatMap(({ pImageMemoryBarriers = [] }) => pImageMemoryBarriers)),
  })),
};
