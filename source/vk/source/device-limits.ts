// SPDX-License-Identifier: Apache-2.0
// The limits of a device, of the runtime's facts.
import type { MuxDeviceInfo } from "@muxkit/mux";

import type { VkPhysicalDeviceLimits } from "./generated/structures.ts";

/** Descriptors of a kind that a shader may have: each is an argument of its kernel. */
const DESCRIPTORS = 1024;
/** Bytes of push constants. */
export const PUSH_CONSTANT_BYTES = 256;
/** Descriptor sets that a pipeline has at most. */
export const BOUND_SETS = 32;
/** Work-groups of a dimension at most, so that global ids stay below 2^32. */
const GROUPS = 0x3f_ffff;

/** Texels by which a read may be moved: what most devices have, any would do. */
const TEXEL_OFFSETS = { least: -32, most: 31 } as const;

/** How much of everything a device can do. */
export function limitsOf(info: MuxDeviceInfo): VkPhysicalDeviceLimits {
  const images = Math.min(DESCRIPTORS, info.maxSampledImages);
  const written = Math.min(DESCRIPTORS, info.maxStorageImages);
  return {
    maxImageDimension1D: Math.min(info.maxImageDimension1d, info.maxImageDimension2d),
    maxImageDimension2D: info.maxImageDimension2d,
    maxImageDimension3D: info.maxImageDimension3d,
    maxImageDimensionCube: info.maxImageDimension2d,
    maxImageArrayLayers: info.maxImageArrayLayers,
    maxTexelBufferElements: info.maxImageDimension1d,
    maxUniformBufferRange: Math.min(info.allocationSize, 0xffff_ffff),
    maxStorageBufferRange: Math.min(info.allocationSize, 0xffff_ffff),
    maxPushConstantsSize: PUSH_CONSTANT_BYTES,
    maxMemoryAllocationCount: 0xffff_ffff,
    maxSamplerAllocationCount: 0xffff_ffff,
    bufferImageGranularity: 1,
    maxBoundDescriptorSets: BOUND_SETS,
    maxPerStageDescriptorSamplers: info.maxSamplers,
    maxPerStageDescriptorUniformBuffers: DESCRIPTORS,
    maxPerStageDescriptorStorageBuffers: DESCRIPTORS,
    maxPerStageDescriptorSampledImages: images,
    maxPerStageDescriptorStorageImages: written,
    maxPerStageResources: 2 * DESCRIPTORS + images + written,
    maxDescriptorSetSamplers: info.maxSamplers,
    maxDescriptorSetUniformBuffers: DESCRIPTORS,
    maxDescriptorSetUniformBuffersDynamic: DESCRIPTORS,
    maxDescriptorSetStorageBuffers: DESCRIPTORS,
    maxDescriptorSetStorageBuffersDynamic: DESCRIPTORS,
    maxDescriptorSetSampledImages: images,
    maxDescriptorSetStorageImages: written,
    maxComputeSharedMemorySize: info.sharedLocalMemorySize,
    maxComputeWorkGroupCount: [GROUPS, GROUPS, GROUPS],
    maxComputeWorkGroupInvocations: info.maxConcurrentWorkItems,
    maxComputeWorkGroupSize: [info.maxWorkGroupSizeX, info.maxWorkGroupSizeY, info.maxWorkGroupSizeZ],
    subTexelPrecisionBits: 8,
    mipmapPrecisionBits: 4,
    maxSamplerLodBias: 0,
    maxSamplerAnisotropy: 1,
    minMemoryMapAlignment: info.bufferAlignment,
    minTexelBufferOffsetAlignment: 16,
    minUniformBufferOffsetAlignment: 16,
    minStorageBufferOffsetAlignment: 16,
    minTexelOffset: TEXEL_OFFSETS.least,
    maxTexelOffset: TEXEL_OFFSETS.most,
    minTexelGatherOffset: TEXEL_OFFSETS.least,
    maxTexelGatherOffset: TEXEL_OFFSETS.most,
    timestampComputeAndGraphics: true,
    timestampPeriod: 1,
    optimalBufferCopyOffsetAlignment: 1,
    optimalBufferCopyRowPitchAlignment: 1,
    nonCoherentAtomSize: 1,
  };
}
