// SPDX-License-Identifier: Apache-2.0
// What several rules of valid usage of images check.
import { isDepth } from "../format.table.ts";
import * as V from "../generated/constants.ts";
import type { VkImage } from "../generated/handles.ts";
import { Image } from "../image.ts";
import { when } from "./rule.ts";

/** What the specification names an image's usage by. */
const USAGE_NAMES: Readonly<Record<number, string>> = {
  [V.VK_IMAGE_USAGE_TRANSFER_SRC_BIT]: "VK_IMAGE_USAGE_TRANSFER_SRC_BIT",
  [V.VK_IMAGE_USAGE_TRANSFER_DST_BIT]: "VK_IMAGE_USAGE_TRANSFER_DST_BIT",
  [V.VK_IMAGE_USAGE_SAMPLED_BIT]: "VK_IMAGE_USAGE_SAMPLED_BIT",
  [V.VK_IMAGE_USAGE_STORAGE_BIT]: "VK_IMAGE_USAGE_STORAGE_BIT",
};

/** A sentence where an image was made without a usage. */
export function lacksImageUsage(image: VkImage, bit: number): string | null {
  return when(
    image instanceof Image && (image.info.usage & bit) === 0,
    `the image was made without ${USAGE_NAMES[bit] ?? ""}`,
  );
}

/** True for the general layout and those that are listed. */
export const isLayout = (layout: V.VkImageLayout, ...allowed: readonly V.VkImageLayout[]): boolean =>
  layout === V.VK_IMAGE_LAYOUT_GENERAL || allowed.includes(layout);

/** A sentence where an image cannot be copied in a layout. */
export const layoutProblem = (layout: V.VkImageLayout, optimal: V.VkImageLayout, name: string): string | null =>
  when(!isLayout(layout, optimal), `an image in layout ${layout} cannot be copied; transition it to ${name}`);

const aspectFor = (format: V.VkFormat): number =>
  isDepth(format) ? V.VK_IMAGE_ASPECT_DEPTH_BIT : V.VK_IMAGE_ASPECT_COLOR_BIT;

/** A sentence where an aspect is not that of an image's format. */
export function aspectProblem(image: VkImage, aspectMask: number): string | null {
  if (!(image instanceof Image)) return null;
  const needed = aspectFor(image.info.format);
  return when(aspectMask !== needed, `aspectMask is ${aspectMask}; the format of the image has the aspect ${needed}`);
}

/** The first sentence that there is. */
export const firstOf = (problems: readonly (string | null)[]): string | null =>
  problems.find((one) => one !== null) ?? null;
