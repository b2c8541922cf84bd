// SPDX-License-Identifier: Apache-2.0
// Samplers: how shaders read images. What OpenCL's samplers have not is in bits of their own, which plain samplers have
// as zero: their kernels read as those of OpenCL do.
import { type AddressingMode, type Comparison, samplerBits } from "@muxkit/libimg";
import { type MuxSampler, MuxAddressMode, MuxCompareMode, MuxFilterMode } from "@muxkit/mux";

import { type Device, deviceOf } from "./device.ts";
import { VulkanError } from "./error.ts";
import * as V from "./generated/constants.ts";
import { VkSampler } from "./generated/handles.ts";
import type { VkSamplerCreateInfo } from "./generated/structures.ts";
import type { Vulkan } from "./generated/vulkan.ts";
import { own } from "./handle.ts";

/** For the runtime, in libimg's terms, and as the kernel ABI numbers it; mirrored once is a form of the edge's. */
const ADDRESSING: Readonly<Record<V.VkSamplerAddressMode, readonly [MuxAddressMode, AddressingMode, code: number]>> = {
  [V.VK_SAMPLER_ADDRESS_MODE_REPEAT]: [MuxAddressMode.repeat, "repeat", 6],
  [V.VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT]: [MuxAddressMode.repeat_mirror, "mirrored_repeat", 8],
  [V.VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE]: [MuxAddressMode.clamp_edge, "clamp_to_edge", 2],
  [V.VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER]: [MuxAddressMode.clamp, "clamp", 4],
  [V.VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE]: [MuxAddressMode.clamp_edge, "clamp_to_edge", 10],
};

/** The kernel ABI's number of clamping to the edge. */
const EDGE = 2;

/** Where bits begin that only samplers of shaders have (docs/kernel-abi.md). */
const AT = { modeY: 12, modeZ: 15, border: 18, otherFilter: 20, betweenLevels: 21, least: 22, greatest: 26 } as const;
/** The greatest level of detail that can be said, in quarters; beyond it there is no limit. */
const MOST_QUARTERS = 63;

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

/** Colours of borders: transparent black, opaque black, white. What a format does not have is 0, and alpha 1. */
const BORDERS: Readonly<Record<V.VkBorderColor, number>> = {
  [V.VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK]: 0,
  [V.VK_BORDER_COLOR_INT_TRANSPARENT_BLACK]: 0,
  [V.VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK]: 1,
  [V.VK_BORDER_COLOR_INT_OPAQUE_BLACK]: 1,
  [V.VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE]: 2,
  [V.VK_BORDER_COLOR_INT_OPAQUE_WHITE]: 2,
};

/** How kernels read an image: for the runtime, and as their code knows it. */
export interface Reading {
  readonly mux: MuxSampler;
  /** The bits that a kernel gets. */
  readonly bits: number;
}

/** Levels of detail as bits, or why they cannot be. */
function detailBits({
  minFilter,
  magFilter,
  mipmapMode,
  minLod = 0,
  maxLod = 0,
}: VkSamplerCreateInfo): number | string {
  // Nothing becomes smaller: the filters for that are never used.
  if (maxLod <= 0) return MOST_QUARTERS << AT.greatest;
  const [least, quarters] = [Math.max(0, minLod), Math.min(MOST_QUARTERS, maxLod * 4)];
  if (!Number.isInteger(least) || least > 15) return `minLod is ${minLod}; it can be a whole number up to 15`;
  if (!Number.isInteger(quarters)) return `maxLod is ${maxLod}; it can be a multiple of 0.25`;
  return (
    (minFilter === magFilter ? 0 : 1 << AT.otherFilter) |
    (mipmapMode === V.VK_SAMPLER_MIPMAP_MODE_LINEAR ? 1 << AT.betweenLevels : 0) |
    (least << AT.least) |
    ((MOST_QUARTERS - quarters) << AT.greatest)
  );
}

/** What kernels read images by, or why they cannot. */
function readingOf(info: VkSamplerCreateInfo): Reading | string {
  const {
    magFilter,
    addressModeU,
    addressModeV,
    addressModeW,
    compareEnable = false,
    compareOp = V.VK_COMPARE_OP_NEVER,
    borderColor = V.VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK,
    unnormalizedCoordinates = false,
  } = info;
  const detail = detailBits(info);
  if (typeof detail === "string") return detail;
  const [addressMode, addressing, x] = ADDRESSING[addressModeU];
  const [, , y] = ADDRESSING[addressModeV];
  // The third coordinate of such samplers is never used.
  const z = unnormalizedCoordinates ? x : ADDRESSING[addressModeW][2];
  const hasBorder = [x, y, z].includes(ADDRESSING[V.VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER][2]);
  const shaderBits =
    ((addressing === "clamp_to_edge" ? x ^ EDGE : 0) |
      (((x ^ y) >> 1) << AT.modeY) |
      (((x ^ z) >> 1) << AT.modeZ) |
      (hasBorder ? BORDERS[borderColor] << AT.border : 0) |
      detail) >>>
    0;
  const [compareMode, comparison] = COMPARISONS[compareOp];
  const [filterMode, filter] =
    magFilter === V.VK_FILTER_LINEAR
      ? ([MuxFilterMode.linear, "linear"] as const)
      : ([MuxFilterMode.nearest, "nearest"] as const);
  const normalized = !unnormalizedCoordinates;
  const compares = compareEnable ? { compareMode } : {};
  const bits = samplerBits({ normalized, addressing, filter, ...(compareEnable ? { comparison } : {}) });
  return {
    mux: { addressMode, filterMode, normalizeCoords: normalized, shaderBits, ...compares },
    bits: (bits ^ shaderBits) >>> 0,
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
