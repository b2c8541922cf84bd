// SPDX-License-Identifier: Apache-2.0
// Properties of a device that are asked for behind pNext, of the runtime's facts.
import type { MuxDeviceInfo } from "@muxkit/mux";

import { limitsOf } from "./device-limits.ts";
import {
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
  VK_SUBGROUP_FEATURE_ARITHMETIC_BIT,
  VK_SUBGROUP_FEATURE_BALLOT_BIT,
  VK_SUBGROUP_FEATURE_BASIC_BIT,
  VK_SUBGROUP_FEATURE_QUAD_BIT,
  VK_SUBGROUP_FEATURE_SHUFFLE_BIT,
  VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT,
  VK_SUBGROUP_FEATURE_VOTE_BIT,
} from "./generated/constants.ts";
import type {
  VkPhysicalDeviceSubgroupProperties,
  VkPhysicalDeviceVulkan11Properties,
  VkPhysicalDeviceVulkan12Properties,
  VkPhysicalDeviceVulkan13Properties,
} from "./generated/structures.ts";

/** A structure without what makes it part of a chain. */
type Members<T> = Omit<T, "sType" | "pNext">;

/** Numbers of which there is no limit. */
const UNLIMITED = 0xffff_ffff;

/** Sixteen bytes that a text leads to (FNV-1a, with four seeds). */
export function identifier(text: string): Uint8Array {
  const words = Uint32Array.from([0x811c_9dc5, 0x1234_5678, 0x9abc_def0, 0x0fed_cba9], (seed) => {
    let hash = seed;
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x0100_0193);
    return hash;
  });
  return new Uint8Array(words.buffer);
}

/** The sizes of sub-groups that shaders may have. */
export function subgroupSizes(info: MuxDeviceInfo): { readonly least: number; readonly most: number } {
  if (info.maxSubGroupCount === 0) return { least: 1, most: 1 };
  const most = Math.min(info.maxWorkWidth, Math.max(...info.subGroupSizes));
  return { least: Math.min(most, ...info.subGroupSizes), most };
}

/** What sub-groups are like. */
export function subgroupProperties(info: MuxDeviceInfo): VkPhysicalDeviceSubgroupProperties {
  return {
    sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
    pNext: null,
    subgroupSize: subgroupSizes(info).most,
    supportedStages: VK_SHADER_STAGE_COMPUTE_BIT,
    supportedOperations:
      VK_SUBGROUP_FEATURE_BASIC_BIT |
      VK_SUBGROUP_FEATURE_VOTE_BIT |
      VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |
      VK_SUBGROUP_FEATURE_BALLOT_BIT |
      VK_SUBGROUP_FEATURE_SHUFFLE_BIT |
      VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT |
      VK_SUBGROUP_FEATURE_QUAD_BIT,
  };
}

/** What Vulkan 1.1 tells; `build` stands for the device with this build of its compiler. */
export function vulkan11Properties(
  info: MuxDeviceInfo,
  build: Uint8Array,
): Members<VkPhysicalDeviceVulkan11Properties> {
  const { subgroupSize, supportedStages, supportedOperations } = subgroupProperties(info);
  return {
    deviceUUID: identifier(`${info.deviceName} ${info.id}`),
    driverUUID: build,
    deviceLUIDValid: false,
    subgroupSize,
    subgroupSupportedStages: supportedStages,
    subgroupSupportedOperations: supportedOperations,
    protectedNoFault: false,
    maxPerSetDescriptors: limitsOf(info).maxPerStageResources,
    maxMemoryAllocationSize: info.allocationSize,
  };
}

/** What Vulkan 1.2 tells. */
export function vulkan12Properties(info: MuxDeviceInfo): Members<VkPhysicalDeviceVulkan12Properties> {
  const limits = limitsOf(info);
  return {
    driverName: "Muxkit",
    driverInfo: "",
    maxUpdateAfterBindDescriptorsInAllPools: UNLIMITED,
    robustBufferAccessUpdateAfterBind: true,
    maxPerStageDescriptorUpdateAfterBindUniformBuffers: limits.maxPerStageDescriptorUniformBuffers,
    maxPerStageDescriptorUpdateAfterBindStorageBuffers: limits.maxPerStageDescriptorStorageBuffers,
    maxPerStageUpdateAfterBindResources: limits.maxPerStageResources,
    maxTimelineSemaphoreValueDifference: (1n << 64n) - 1n,
  };
}

/** What Vulkan 1.3 tells. */
export function vulkan13Properties(info: MuxDeviceInfo): Members<VkPhysicalDeviceVulkan13Properties> {
  const { least, most } = subgroupSizes(info);
  return {
    minSubgroupSize: least,
    maxSubgroupSize: most,
    maxComputeWorkgroupSubgroups: Math.max(1, info.maxSubGroupCount),
    requiredSubgroupSizeStages: info.maxSubGroupCount === 0 ? 0 : VK_SHADER_STAGE_COMPUTE_BIT,
    maxBufferSize: info.allocationSize,
  };
}
