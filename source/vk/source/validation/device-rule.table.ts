// SPDX-License-Identifier: Apache-2.0
// Rules of valid usage of what devices are created with, and of calls that need a feature.
import { findInChain } from "../chain.ts";
import { Device } from "../device.ts";
import * as V from "../generated/constants.ts";
import type { VkDevice } from "../generated/handles.ts";
import type { VkChain, VkDeviceCreateInfo } from "../generated/structures.ts";
import { STRUCTURES } from "../generated/tables.ts";
import { type Rule, type RuleTable, when } from "./rule.ts";

/** True where a device was created with a feature. */
export const enables = (device: VkDevice, feature: string): boolean =>
  device instanceof Device && device.enabled.has(feature);

/** Structures of features that a newer version has as one: the rule, the new one, and its parts. */
const ALL_IN_ONE: readonly (readonly [rule: string, whole: string, parts: readonly string[]])[] = [
  ["02829", "VkPhysicalDeviceVulkan11Features", ["16BitStorage", "VariablePointers"]],
  [
    "02830",
    "VkPhysicalDeviceVulkan12Features",
    [
      "8BitStorage",
      "ShaderAtomicInt64",
      "ShaderFloat16Int8",
      "DescriptorIndexing",
      "ScalarBlockLayout",
      "UniformBufferStandardLayout",
      "ShaderSubgroupExtendedTypes",
      "HostQueryReset",
      "TimelineSemaphore",
      "BufferDeviceAddress",
      "VulkanMemoryModel",
    ],
  ],
  [
    "06532",
    "VkPhysicalDeviceVulkan13Features",
    [
      "ImageRobustness",
      "PipelineCreationCacheControl",
      "PrivateData",
      "SubgroupSizeControl",
      "Synchronization2",
      "ZeroInitializeWorkgroupMemory",
      "ShaderIntegerDotProduct",
      "Maintenance4",
    ],
  ],
];

/** The structures of a chain, by their names. */
function namesIn(info: VkDeviceCreateInfo): ReadonlySet<string> {
  const chain = STRUCTURES["VkDeviceCreateInfo"]?.chain ?? [];
  const names = new Set<string>();
  for (let node: VkChain | null | undefined = info.pNext; node !== null && node !== undefined; node = node.pNext) {
    const { sType } = node;
    const name = chain.find((one) => STRUCTURES[one]?.sType === sType);
    if (name !== undefined) names.add(name);
  }
  return names;
}

const DEVICE_RULES_OF_CHAINS: readonly Rule<Parameters<NonNullable<RuleTable["vkCreateDevice"]>[number]["check"]>>[] =
  ALL_IN_ONE.map(([rule, whole, parts]) => ({
    id: `VUID-VkDeviceCreateInfo-pNext-${rule}`,
    check: (_device, info) => {
      const names = namesIn(info);
      const part = parts.map((one) => `VkPhysicalDevice${one}Features`).find((one) => names.has(one));
      return when(
        names.has(whole) && part !== undefined,
        `pNext has ${whole} and ${part ?? ""}, whose features are in the first one too`,
      );
    },
  }));

/** By entry point. */
export const DEVICE_RULES: RuleTable = {
  vkCreateDevice: [
    ...DEVICE_RULES_OF_CHAINS,
    {
      id: "VUID-VkDeviceCreateInfo-pNext-00373",
      check: (_device, info) =>
        when(
          info.pEnabledFeatures !== undefined &&
            info.pEnabledFeatures !== null &&
            findInChain(info, V.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2) !== null,
          "pNext has VkPhysicalDeviceFeatures2, so pEnabledFeatures must be left out",
        ),
    },
  ],
  vkCreatePrivateDataSlot: [
    {
      id: "VUID-vkCreatePrivateDataSlot-privateData-04564",
      check: (device) =>
        when(!enables(device, "privateData"), "slots need the feature privateData; enable it in vkCreateDevice"),
    },
  ],
  vkCreateComputePipelines: [
    {
      id: "VUID-VkComputePipelineCreateInfo-pipelineCreationCacheControl-02875",
      check: (device, _cache, infos) => {
        const controls =
          V.VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT | V.VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT;
        return when(
          infos.some(({ flags = 0 }) => (flags & controls) !== 0) && !enables(device, "pipelineCreationCacheControl"),
          "flags that control compilation need the feature pipelineCreationCacheControl; enable it in vkCreateDevice",
        );
      },
    },
    {
      id: "VUID-VkComputePipelineCreateInfo-pipelineStageCreationFeedbackCount-06566",
      check: (_device, _cache, infos) => {
        const counts = infos.map(
          (info) =>
            findInChain(info, V.VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO)
              ?.pPipelineStageCreationFeedbacks?.length ?? 0,
        );
        return when(
          counts.some((count) => count > 1),
          `pPipelineStageCreationFeedbacks has ${Math.max(...counts)} elements, and a compute pipeline has one stage`,
        );
      },
    },
  ],
};
