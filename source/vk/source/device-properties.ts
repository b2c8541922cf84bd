// SPDX-License-Identifier: Apache-2.0
// Properties of a device that are asked for behind pNext, of the runtime's facts. As with features, one table has them
// all by name, and a structure is the rows that it has members for.
import type { MuxDeviceInfo } from "@muxkit/mux";

import { limitsOf } from "./device-limits.ts";
import * as V from "./generated/constants.ts";
import type {
  VkPhysicalDeviceDescriptorIndexingProperties,
  VkPhysicalDeviceDriverProperties,
  VkPhysicalDeviceFloatControlsProperties,
  VkPhysicalDeviceMaintenance3Properties,
  VkPhysicalDeviceMaintenance4Properties,
  VkPhysicalDeviceShaderIntegerDotProductProperties,
  VkPhysicalDeviceSubgroupProperties,
  VkPhysicalDeviceSubgroupSizeControlProperties,
  VkPhysicalDeviceTexelBufferAlignmentProperties,
  VkPhysicalDeviceTimelineSemaphoreProperties,
  VkPhysicalDeviceVulkan11Properties,
  VkPhysicalDeviceVulkan12Properties,
  VkPhysicalDeviceVulkan13Properties,
} from "./generated/structures.ts";
import { PROPERTIES } from "./generated/tables.ts";

/** A structure without what makes it part of a chain. */
type Members<T> = Omit<T, "sType" | "pNext">;

/** All properties that structures in chains have. */
type PropertyFacts = Members<VkPhysicalDeviceSubgroupProperties> &
  Members<VkPhysicalDeviceVulkan11Properties> &
  Members<VkPhysicalDeviceVulkan12Properties> &
  Members<VkPhysicalDeviceVulkan13Properties> &
  Members<VkPhysicalDeviceMaintenance3Properties> &
  Members<VkPhysicalDeviceMaintenance4Properties> &
  Members<VkPhysicalDeviceDriverProperties> &
  Members<VkPhysicalDeviceFloatControlsProperties> &
  Members<VkPhysicalDeviceDescriptorIndexingProperties> &
  Members<VkPhysicalDeviceTimelineSemaphoreProperties> &
  Members<VkPhysicalDeviceSubgroupSizeControlProperties> &
  Members<VkPhysicalDeviceShaderIntegerDotProductProperties> &
  Members<VkPhysicalDeviceTexelBufferAlignmentProperties>;

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

const SUBGROUP_OPERATIONS =
  V.VK_SUBGROUP_FEATURE_BASIC_BIT |
  V.VK_SUBGROUP_FEATURE_VOTE_BIT |
  V.VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |
  V.VK_SUBGROUP_FEATURE_BALLOT_BIT |
  V.VK_SUBGROUP_FEATURE_SHUFFLE_BIT |
  V.VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT |
  V.VK_SUBGROUP_FEATURE_QUAD_BIT;

/** No dot product of integers is more than its sum of products. */
const DOT_PRODUCTS: Members<VkPhysicalDeviceShaderIntegerDotProductProperties> = Object.fromEntries(
  (PROPERTIES.get(V.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES) ?? []).map((name) => [
    name,
    false,
  ]),
) as unknown as Members<VkPhysicalDeviceShaderIntegerDotProductProperties>;

/** How floating-point numbers are computed with: as IEEE 754 says, to nearest even, with subnormal numbers. */
function floatControls(info: MuxDeviceInfo): Members<VkPhysicalDeviceFloatControlsProperties> {
  const [hasHalf, hasDouble] = [info.halfCapabilities !== 0, info.doubleCapabilities !== 0];
  return {
    // There is one mode for each, so nothing depends on anything.
    denormBehaviorIndependence: V.VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL,
    roundingModeIndependence: V.VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL,
    shaderSignedZeroInfNanPreserveFloat16: hasHalf,
    shaderSignedZeroInfNanPreserveFloat32: true,
    shaderSignedZeroInfNanPreserveFloat64: hasDouble,
    shaderDenormPreserveFloat16: hasHalf,
    shaderDenormPreserveFloat32: true,
    shaderDenormPreserveFloat64: hasDouble,
    shaderDenormFlushToZeroFloat16: false,
    shaderDenormFlushToZeroFloat32: false,
    shaderDenormFlushToZeroFloat64: false,
    shaderRoundingModeRTEFloat16: hasHalf,
    shaderRoundingModeRTEFloat32: true,
    shaderRoundingModeRTEFloat64: hasDouble,
    shaderRoundingModeRTZFloat16: false,
    shaderRoundingModeRTZFloat32: false,
    shaderRoundingModeRTZFloat64: false,
  };
}

/** What a device is; `build` stands for the device with this build of its compiler. */
function propertiesOf(info: MuxDeviceInfo, build: Uint8Array): PropertyFacts {
  const limits = limitsOf(info);
  const { least, most } = subgroupSizes(info);
  return {
    deviceUUID: identifier(`${info.deviceName} ${info.id}`),
    driverUUID: build,
    deviceLUIDValid: false,
    // Khronos has given out no number for it.
    driverID: 0,
    driverName: "Muxkit",
    driverInfo: "",
    conformanceVersion: { major: 0, minor: 0, subminor: 0, patch: 0 },
    subgroupSize: most,
    supportedStages: V.VK_SHADER_STAGE_COMPUTE_BIT,
    subgroupSupportedStages: V.VK_SHADER_STAGE_COMPUTE_BIT,
    supportedOperations: SUBGROUP_OPERATIONS,
    subgroupSupportedOperations: SUBGROUP_OPERATIONS,
    quadOperationsInAllStages: true,
    subgroupQuadOperationsInAllStages: true,
    minSubgroupSize: least,
    maxSubgroupSize: most,
    maxComputeWorkgroupSubgroups: Math.max(1, info.maxSubGroupCount),
    requiredSubgroupSizeStages: info.maxSubGroupCount === 0 ? 0 : V.VK_SHADER_STAGE_COMPUTE_BIT,
    protectedNoFault: false,
    maxPerSetDescriptors: limits.maxPerStageResources,
    maxMemoryAllocationSize: info.allocationSize,
    maxBufferSize: info.allocationSize,
    maxTimelineSemaphoreValueDifference: (1n << 64n) - 1n,
    ...floatControls(info),
    ...DOT_PRODUCTS,
    maxUpdateAfterBindDescriptorsInAllPools: UNLIMITED,
    // A buffer of an array is a selection of addresses, an image of one a branch that work-items may take apart.
    shaderUniformBufferArrayNonUniformIndexingNative: true,
    shaderSampledImageArrayNonUniformIndexingNative: false,
    shaderStorageBufferArrayNonUniformIndexingNative: true,
    shaderStorageImageArrayNonUniformIndexingNative: false,
    robustBufferAccessUpdateAfterBind: true,
    quadDivergentImplicitLod: false,
    maxPerStageDescriptorUpdateAfterBindSamplers: limits.maxPerStageDescriptorSamplers,
    maxPerStageDescriptorUpdateAfterBindUniformBuffers: limits.maxPerStageDescriptorUniformBuffers,
    maxPerStageDescriptorUpdateAfterBindStorageBuffers: limits.maxPerStageDescriptorStorageBuffers,
    maxPerStageDescriptorUpdateAfterBindSampledImages: limits.maxPerStageDescriptorSampledImages,
    maxPerStageDescriptorUpdateAfterBindStorageImages: limits.maxPerStageDescriptorStorageImages,
    maxPerStageUpdateAfterBindResources: limits.maxPerStageResources,
    maxDescriptorSetUpdateAfterBindSamplers: limits.maxDescriptorSetSamplers,
    maxDescriptorSetUpdateAfterBindUniformBuffers: limits.maxDescriptorSetUniformBuffers,
    maxDescriptorSetUpdateAfterBindUniformBuffersDynamic: limits.maxDescriptorSetUniformBuffersDynamic,
    maxDescriptorSetUpdateAfterBindStorageBuffers: limits.maxDescriptorSetStorageBuffers,
    maxDescriptorSetUpdateAfterBindStorageBuffersDynamic: limits.maxDescriptorSetStorageBuffersDynamic,
    maxDescriptorSetUpdateAfterBindSampledImages: limits.maxDescriptorSetSampledImages,
    maxDescriptorSetUpdateAfterBindStorageImages: limits.maxDescriptorSetStorageImages,
    storageTexelBufferOffsetAlignmentBytes: limits.minTexelBufferOffsetAlignment,
    storageTexelBufferOffsetSingleTexelAlignment: false,
    uniformTexelBufferOffsetAlignmentBytes: limits.minTexelBufferOffsetAlignment,
    uniformTexelBufferOffsetSingleTexelAlignment: false,
  };
}

/** A structure of properties; null: `sType` is of none. */
export function chainedProperties(sType: number, info: MuxDeviceInfo, build: Uint8Array): object | null {
  const members = PROPERTIES.get(sType);
  if (members === undefined) return null;
  const facts = propertiesOf(info, build) as unknown as Readonly<Record<string, unknown>>;
  return Object.fromEntries(members.map((member) => [member, facts[member]]));
}
