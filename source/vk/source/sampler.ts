// SPDX-License-Identifier: Apache-2.0
// Samplers: how shaders read images. Images have one level, so nothing between levels matters.
import { type MuxSampler, MuxAddressMode, MuxCompareMode, MuxFilterMode } from "@muxkit/mux";

import { type Device, deviceOf } from "./device.ts";
import { VulkanError } from "./error.ts";
import * as V from "./generated/constants.ts";
import { VkSampler } from "./generated/handles.ts";
import type { VkSamplerCreateInfo } from "./generated/structures.ts";
import type { Vulkan } from "./generated/vulkan.ts";
import { own } from "./handle.ts";

const ADDRESSING: Readonly<Record<V.VkSamplerAddressMode, MuxAddressMode | null>> = {
  [V.VK_SAMPLER_ADDRESS_MODE_REPEAT]: MuxAddressMode.repeat,
  [V.VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT]: MuxAddressMode.repeat_mirror,
  [V.VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE]: MuxAddressMode.clamp_edge,
  [V.VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER]: MuxAddressMode.clamp,
  [V.VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE]: null,
};

const COMPARISONS: Readonly<Record<V.VkCompareOp, MuxCompareMode>> = {
  [V.VK_COMPARE_OP_NEVER]: MuxCompareMode.never,
  [V.VK_COMPARE_OP_LESS]: MuxCompareMode.less,
  [V.VK_COMPARE_OP_EQUAL]: MuxCompareMode.equal,
  [V.VK_COMPARE_OP_LESS_OR_EQUAL]: MuxCompareMode.less_or_equal,
  [V.VK_COMPARE_OP_GREATER]: MuxCompareMode.greater,
  [V.VK_COMPARE_OP_NOT_EQUAL]: MuxCompareMode.not_equal,
  [V.VK_COMPARE_OP_GREATER_OR_EQUAL]: MuxCompareMode.greater_or_equal,
  [V.VK_COMPARE_OP_ALWAYS]: MuxCompareMode.always,
};

/** Borders that are transparent black; where a format has no alpha, it is read as 1. */
const TRANSPARENT: ReadonlySet<V.VkBorderColor> = new Set<V.VkBorderColor>([
  V.VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK,
  V.VK_BORDER_COLOR_INT_TRANSPARENT_BLACK,
]);

/** What kernels read images by, or why they cannot. */
function readingOf({
  magFilter,
  minFilter,
  addressModeU: mode,
  addressModeV,
  addressModeW,
  compareEnable = false,
  compareOp = V.VK_COMPARE_OP_NEVER,
  maxLod = 0,
  borderColor = V.VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK,
  unnormalizedCoordinates = false,
}: VkSamplerCreateInfo): MuxSampler | string {
  const addressMode = ADDRESSING[mode];
  if (addressMode === null) return "there is no VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE";
  // The third coordinate of such samplers is never used.
  const isOne = addressModeV === mode && (addressModeW === mode || unnormalizedCoordinates);
  if (!isOne) return "the three addressing modes must be the same";
  if (minFilter !== magFilter && maxLod > 0) return "minFilter and magFilter must be the same, unless maxLod is 0";
  if (addressMode === MuxAddressMode.clamp && !TRANSPARENT.has(borderColor))
    return "a border is transparent black; there are no other colours";
  return {
    addressMode,
    filterMode: magFilter === V.VK_FILTER_LINEAR ? MuxFilterMode.linear : MuxFilterMode.nearest,
    normalizeCoords: !unnormalizedCoordinates,
    ...(compareEnable ? { compareMode: COMPARISONS[compareOp] } : {}),
  };
}

/** A sampler. */
export class Sampler extends VkSampler {
  /** What kernels read images by. */
  readonly mux: MuxSampler;
  /** What it was made as. */
  readonly info: VkSamplerCreateInfo;

  constructor(device: Device, mux: MuxSampler, info: VkSamplerCreateInfo) {
    super(device);
    this.mux = mux;
    this.info = info;
  }

  protected release(): void {
    // Descriptors keep what they need of it.
  }
}

/** The implementation's sampler of a handle. */
export const samplerOf = (sampler: VkSampler, call: string): Sampler => own(sampler, Sampler, call);

/** Entry points for samplers. */
export const SAMPLERS: Pick<Vulkan, "vkCreateSampler" | "vkDestroySampler"> = {
  vkCreateSampler: (device, pCreateInfo): VkSampler => {
    const call = "vkCreateSampler";
    const mux = readingOf(pCreateInfo);
    if (typeof mux === "string") throw new VulkanError("VK_ERROR_FEATURE_NOT_PRESENT", call, mux);
    return new Sampler(deviceOf(device, call), mux, pCreateInfo);
  },
  vkDestroySampler: (_device, sampler) => {
    sampler.end();
  },
};
