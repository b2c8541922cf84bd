// SPDX-License-Identifier: Apache-2.0
// The features of a device, of the runtime's facts: what shaders and descriptors may do.
import type { MuxDeviceInfo } from "@muxkit/mux";

import type {
  VkPhysicalDeviceFeatures,
  VkPhysicalDeviceVulkan11Features,
  VkPhysicalDeviceVulkan12Features,
  VkPhysicalDeviceVulkan13Features,
} from "./generated/structures.ts";
import { type MemberRow, STRUCTURES } from "./generated/tables.ts";

const BITS_64 = 8;
const SMALL_INTEGERS = { bits8: 1, bits16: 2 } as const;

/** Features by the structure that has them. */
export interface FeatureSets {
  readonly VkPhysicalDeviceFeatures: VkPhysicalDeviceFeatures;
  readonly VkPhysicalDeviceVulkan11Features: VkPhysicalDeviceVulkan11Features;
  readonly VkPhysicalDeviceVulkan12Features: VkPhysicalDeviceVulkan12Features;
  readonly VkPhysicalDeviceVulkan13Features: VkPhysicalDeviceVulkan13Features;
}

/** Those that a device has; those that are not named it lacks. */
export function featuresOf(info: MuxDeviceInfo): FeatureSets {
  const hasInt8 = (info.integerCapabilities & SMALL_INTEGERS.bits8) !== 0;
  const hasInt16 = (info.integerCapabilities & SMALL_INTEGERS.bits16) !== 0;
  const hasInt64 = (info.integerCapabilities & BITS_64) !== 0;
  const hasAtomics64 = (info.atomicCapabilities & BITS_64) !== 0;
  return {
    VkPhysicalDeviceFeatures: {
      robustBufferAccess: true,
      shaderImageGatherExtended: info.imageSupport,
      shaderStorageImageExtendedFormats: info.imageSupport,
      shaderSampledImageArrayDynamicIndexing: info.imageSupport,
      shaderStorageImageArrayDynamicIndexing: info.imageSupport,
      shaderUniformBufferArrayDynamicIndexing: true,
      shaderStorageBufferArrayDynamicIndexing: true,
      shaderFloat64: info.doubleCapabilities !== 0,
      shaderInt64: hasInt64,
      shaderInt16: hasInt16,
    },
    VkPhysicalDeviceVulkan11Features: {
      storageBuffer16BitAccess: hasInt16,
      uniformAndStorageBuffer16BitAccess: hasInt16,
      storagePushConstant16: hasInt16,
      variablePointersStorageBuffer: true,
      variablePointers: true,
    },
    VkPhysicalDeviceVulkan12Features: {
      storageBuffer8BitAccess: hasInt8,
      uniformAndStorageBuffer8BitAccess: hasInt8,
      storagePushConstant8: hasInt8,
      shaderBufferInt64Atomics: hasAtomics64,
      shaderSharedInt64Atomics: hasAtomics64,
      shaderFloat16: info.halfCapabilities !== 0,
      shaderInt8: hasInt8,
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
      subgroupBroadcastDynamicId: true,
    },
    VkPhysicalDeviceVulkan13Features: {
      subgroupSizeControl: info.maxSubGroupCount > 0,
      computeFullSubgroups: info.maxSubGroupCount > 0,
      synchronization2: true,
      shaderZeroInitializeWorkgroupMemory: true,
      shaderIntegerDotProduct: true,
      maintenance4: true,
    },
  };
}

/** A structure of features with all its members, those that are not there false. */
export function allFeatures<K extends keyof FeatureSets>(name: K, features: FeatureSets): Required<FeatureSets[K]> {
  const known = features[name] as Readonly<Record<string, boolean | undefined>>;
  const members: readonly MemberRow[] = STRUCTURES[name]?.members ?? [];
  return Object.fromEntries(members.map(([member]) => [member, known[member] === true])) as unknown as Required<
    FeatureSets[K]
  >;
}

/** The first feature that is wanted and not there; null: all are there. */
export function missingFeature(name: keyof FeatureSets, wanted: object, features: FeatureSets): string | null {
  const known = features[name] as Readonly<Record<string, boolean | undefined>>;
  const found = (STRUCTURES[name]?.members ?? []).find(
    ([member]) => (wanted as Readonly<Record<string, unknown>>)[member] === true && known[member] !== true,
  );
  return found?.[0] ?? null;
}
