// SPDX-License-Identifier: Apache-2.0
// The features of a device, of the runtime's facts: what shaders and descriptors may do. A feature has one name in all
// structures that have it, so there is one table; a structure of features is the rows that it has members for.
import type { MuxDeviceInfo } from "@muxkit/mux";

import type {
  VkPhysicalDeviceFeatures,
  VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT,
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT,
  VkPhysicalDeviceVulkan11Features,
  VkPhysicalDeviceVulkan12Features,
  VkPhysicalDeviceVulkan13Features,
} from "./generated/structures.ts";
import { STRUCTURES } from "./generated/tables.ts";

const BITS_64 = 8;
const SMALL_INTEGERS = { bits8: 1, bits16: 2 } as const;

/** The name of a feature. */
export type FeatureName = Exclude<
  | keyof VkPhysicalDeviceFeatures
  | keyof VkPhysicalDeviceVulkan11Features
  | keyof VkPhysicalDeviceVulkan12Features
  | keyof VkPhysicalDeviceVulkan13Features
  | keyof VkPhysicalDeviceShaderAtomicFloatFeaturesEXT
  | keyof VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT,
  "sType" | "pNext"
>;

/** Features by their names; those that are not named are not there. */
export type FeatureFacts = Readonly<Partial<Record<FeatureName, boolean>>>;

/** Structures of features that may be in chains, by their `sType`. */
export const FEATURE_STRUCTURES: ReadonlyMap<number, string> = new Map(
  (STRUCTURES["VkPhysicalDeviceFeatures2"]?.chain ?? []).flatMap((name) => {
    const row = STRUCTURES[name];
    return row === undefined ? [] : [[row.sType, name] as const];
  }),
);

/** What a device can do. */
export function featuresOf(info: MuxDeviceInfo): FeatureFacts {
  const hasInt8 = (info.integerCapabilities & SMALL_INTEGERS.bits8) !== 0;
  const hasInt16 = (info.integerCapabilities & SMALL_INTEGERS.bits16) !== 0;
  const hasInt64 = (info.integerCapabilities & BITS_64) !== 0;
  const hasAtomics64 = (info.atomicCapabilities & BITS_64) !== 0;
  const hasDoubleAtomics = hasAtomics64 && info.doubleCapabilities !== 0;
  return {
    robustBufferAccess: true,
    imageCubeArray: info.imageSupport,
    samplerMirrorClampToEdge: info.imageSupport,
    shaderImageGatherExtended: info.imageSupport,
    shaderStorageImageExtendedFormats: info.imageSupport,
    shaderStorageImageReadWithoutFormat: info.imageSupport,
    shaderStorageImageWriteWithoutFormat: info.imageSupport,
    shaderSampledImageArrayDynamicIndexing: info.imageSupport,
    shaderStorageImageArrayDynamicIndexing: info.imageSupport,
    shaderUniformBufferArrayDynamicIndexing: true,
    shaderStorageBufferArrayDynamicIndexing: true,
    shaderFloat64: info.doubleCapabilities !== 0,
    shaderInt64: hasInt64,
    shaderInt16: hasInt16,
    storageBuffer16BitAccess: hasInt16,
    uniformAndStorageBuffer16BitAccess: hasInt16,
    storagePushConstant16: hasInt16,
    variablePointersStorageBuffer: true,
    variablePointers: true,
    storageBuffer8BitAccess: hasInt8,
    uniformAndStorageBuffer8BitAccess: hasInt8,
    storagePushConstant8: hasInt8,
    shaderBufferInt64Atomics: hasAtomics64,
    shaderSharedInt64Atomics: hasAtomics64,
    shaderFloat16: info.halfCapabilities !== 0,
    shaderInt8: hasInt8,
    descriptorIndexing: info.imageSupport,
    shaderUniformTexelBufferArrayDynamicIndexing: info.imageSupport,
    shaderStorageTexelBufferArrayDynamicIndexing: info.imageSupport,
    shaderUniformBufferArrayNonUniformIndexing: true,
    shaderSampledImageArrayNonUniformIndexing: info.imageSupport,
    shaderStorageBufferArrayNonUniformIndexing: true,
    shaderStorageImageArrayNonUniformIndexing: info.imageSupport,
    shaderUniformTexelBufferArrayNonUniformIndexing: info.imageSupport,
    shaderStorageTexelBufferArrayNonUniformIndexing: info.imageSupport,
    descriptorBindingUniformBufferUpdateAfterBind: true,
    descriptorBindingStorageBufferUpdateAfterBind: true,
    descriptorBindingSampledImageUpdateAfterBind: info.imageSupport,
    descriptorBindingStorageImageUpdateAfterBind: info.imageSupport,
    descriptorBindingUniformTexelBufferUpdateAfterBind: info.imageSupport,
    descriptorBindingStorageTexelBufferUpdateAfterBind: info.imageSupport,
    descriptorBindingUpdateUnusedWhilePending: true,
    descriptorBindingPartiallyBound: true,
    descriptorBindingVariableDescriptorCount: true,
    runtimeDescriptorArray: true,
    scalarBlockLayout: true,
    uniformBufferStandardLayout: true,
    shaderSubgroupExtendedTypes: true,
    hostQueryReset: true,
    timelineSemaphore: true,
    bufferDeviceAddress: true,
    vulkanMemoryModel: true,
    vulkanMemoryModelDeviceScope: true,
    vulkanMemoryModelAvailabilityVisibilityChains: true,
    subgroupBroadcastDynamicId: true,
    subgroupSizeControl: info.maxSubGroupCount > 0,
    computeFullSubgroups: info.maxSubGroupCount > 0,
    privateData: true,
    pipelineCreationCacheControl: true,
    synchronization2: true,
    shaderZeroInitializeWorkgroupMemory: true,
    shaderIntegerDotProduct: true,
    maintenance4: true,
    shaderBufferFloat32Atomics: true,
    shaderBufferFloat32AtomicAdd: true,
    shaderBufferFloat32AtomicMinMax: true,
    shaderBufferFloat64Atomics: hasDoubleAtomics,
    shaderBufferFloat64AtomicAdd: hasDoubleAtomics,
    shaderBufferFloat64AtomicMinMax: hasDoubleAtomics,
    shaderSharedFloat32Atomics: true,
    shaderSharedFloat32AtomicAdd: true,
    shaderSharedFloat32AtomicMinMax: true,
    shaderSharedFloat64Atomics: hasDoubleAtomics,
    shaderSharedFloat64AtomicAdd: hasDoubleAtomics,
    shaderSharedFloat64AtomicMinMax: hasDoubleAtomics,
  };
}

const membersOf = (structure: string): readonly FeatureName[] =>
  (STRUCTURES[structure]?.members ?? []).map(([member]) => member as FeatureName);

/** A structure of features with all its members, those that are not there false. */
export function allFeatures(structure: string, features: FeatureFacts): Readonly<Record<string, boolean>> {
  return Object.fromEntries(membersOf(structure).map((member) => [member, features[member] === true]));
}

/** The first feature that a structure wants and the device lacks; null: all are there. */
export function missingFeature(structure: string, wanted: object, features: FeatureFacts): string | null {
  const record = wanted as Readonly<Record<string, unknown>>;
  return membersOf(structure).find((member) => record[member] === true && features[member] !== true) ?? null;
}
