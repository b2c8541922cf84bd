// SPDX-License-Identifier: Apache-2.0
// Samplers: how shaders read images. Images have one level, so nothing between levels matters.
import { type AddressingMode, type Comparison, samplerBits } from "@muxkit/libimg";
import { type MuxSampler, MuxAddressMode, MuxCompareMode, MuxFilterMode } from "@muxkit/mux";

import { type Device, deviceOf } from "./device.ts";
import { VulkanError } from "./error.ts";
import * as V from "./generated/constants.ts";
import { VkSampler } from "./generated/handles.ts";
import type { VkSamplerCreateInfo } from "./generated/structures.ts";
import type { Vulkan } from "./generated/vulkan.ts";
import { own } from "./handle.ts";

/** For the runtime, and in libimg's terms. */
const ADDRESSING: Readonly<Record<V.VkSamplerAddressMode, readonly [MuxAddressMode, AddressingMode] | null>> = {
  [V.VK_SAMPLER_ADDRESS_MODE_REPEAT]: [MuxAddressMode.repeat, "repeat"],
  [V.VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT]: [MuxAddressMode.repeat_mirror, "mirrored_repeat"],
  [V.VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE]: [MuxAddressMode.clamp_edge, "clamp_to_edge"],
  [V.VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER]: [MuxAddressMode.clamp, "clamp"],
  [V.VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE]: null,
};

const COMPARISONS: Readonly<Record<V.VkCompareOp, readonly [MuxCompareMode, Comparison]>> = {
  [V.VK_COMPARE_OP_NEVER]: [MuxCompareMode.never, "never"],
  [V.VK_COMPARE_OP_LESS]: [MuxCompareMode.less, "less"],
  [V.VK_COMPARE_OP_EQUAL]: [MuxCompareMode.equal, "equal"],
  [V.VK_COMPARE_OP_LESS_OR_EQUAL]: [MuxCompareMode.less_or_equal, "less_or_equal"],
  [V.VK_COMPARE_OP_GREATER]: [MuxCompareMode.greater, "greater"],
  [V.VK_COMPARE_OP_NOT_EQUAL]: [MuxCompareMode.not_equal, "not_equal"],
  [V.VK_COMPARE_OP_GREATER_OR_EQUAL]: [MuxCompareMode.greater_or_equal, "greater_or_equal"],
  [V.VK_COMPARE_OP_ALWAYS]: [MuxCompareMode.always, "always"],
};

/** Borders that are transparent black; where a format has no alpha, it is read as 1. */
const TRANSPARENT: ReadonlySet<V.VkBorderColor> = new Set<V.VkBorderColor>([
  V.VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK,
  V.VK_BORDER_COLOR_INT_TRANSPARENT_BLACK,
]);

/** How kernels read an image: for the runtime, and as their code knows it. */
export interface Reading {
  readonly mux: MuxSampler;
  /** The bits that a kernel gets. */
  readonly bits: number;
}

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
}: VkSamplerCreateInfo): Reading | string {
  const row = ADDRESSING[mode];
  if (row === null) return "there is no VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE";
  // The third coordinate of such samplers is never used.
  const isOne = addressModeV === mode && (addressModeW === mode || unnormalizedCoordinates);
  if (!isOne) return "the three addressing modes must be the same";
  if (minFilter !== magFilter && maxLod > 0) return "minFilter and magFilter must be the same, unless maxLod is 0";
  const [addressMode, addressing] = row;
  if (addressMode === MuxAddressMode.clamp && !TRANSPARENT.has(borderColor))
    return "a border is transparent black; there are no other colours";
  const [compareMode, comparison] = COMPARISONS[compareOp];
  const [filterMode, filter] =
    magFilter === V.VK_FILTER_LINEAR
      ? ([MuxFilterMode.linear, "linear"] as const)
      : ([MuxFilterMode.nearest, "nearest"] as const);
  const normalized = !unnormalizedCoordinates;
  return {
    mux: { addressMode, filterMode, normalizeCoords: normalized, ...(compareEnable ? { compareMode } : {}) },
    bits: samplerBits({ normalized, addressing, filter, ...(compareEnable ? { comparison } : {}) }),
  };
}

/** Samplers by what descriptors keep of them. */
const BY_READING = new WeakMap<Reading, Sampler>();

/** The sampler that a descriptor was written with; null: there is none any more. */
export const samplerWith = (reading: Reading): Sampler | null => BY_READING.get(reading) ?? null;

/** A sampler. */
export class Sampler extends VkSampler {
  /** What kernels read images by. */
  readonly reading: Reading;
  /** What it was made as. */
  readonly info: VkSamplerCreateInfo;

  constructor(device: Device, reading: Reading, info: VkSamplerCreateInfo) {
    super(device);
    this.reading = reading;
    BY_READING.set(reading, this);
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
    const reading = readingOf(pCreateInfo);
    if (typeof reading === "string") throw new VulkanError("VK_ERROR_FEATURE_NOT_PRESENT", call, reading);
    return new Sampler(deviceOf(device, call), reading, pCreateInfo);
  },
  vkDestroySampler: (_device, sampler) => {
    sampler.end();
  },
};
