// SPDX-License-Identifier: Apache-2.0
// Physical devices: what the runtime's devices are, in Vulkan's structures.
import type { Target } from "@muxkit/compiler";
import { type CompilerLibrary, compilerForDevice } from "@muxkit/loader";
import { type MuxDeviceInfo, MuxDeviceType } from "@muxkit/mux";

import { FEATURE_STRUCTURES, type FeatureFacts, allFeatures, featuresOf } from "./device-features.ts";
import { limitsOf } from "./device-limits.ts";
import { chainedProperties, identifier } from "./device-properties.ts";
import { VulkanError, invalid } from "./error.ts";
import {
  VK_MEMORY_HEAP_DEVICE_LOCAL_BIT,
  VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
  VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
  VK_PHYSICAL_DEVICE_TYPE_CPU,
  VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
  VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
  VK_PHYSICAL_DEVICE_TYPE_OTHER,
  VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU,
  VK_QUEUE_COMPUTE_BIT,
  VK_QUEUE_TRANSFER_BIT,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
  VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2,
  type VkPhysicalDeviceType,
  type VkStructureType,
} from "./generated/constants.ts";
import { type VkInstance, VkPhysicalDevice } from "./generated/handles.ts";
import type {
  VkExtensionProperties,
  VkPhysicalDeviceFeatures,
  VkPhysicalDeviceFeatures2,
  VkPhysicalDeviceMemoryProperties,
  VkPhysicalDeviceProperties,
  VkPhysicalDeviceProperties2,
  VkQueueFamilyProperties,
} from "./generated/structures.ts";
import type { Vulkan } from "./generated/vulkan.ts";
import { own } from "./handle.ts";
import { LAYERS, VALIDATION_TOOL, ensureLayer } from "./layers.ts";
import { API_VERSION } from "./version.ts";

/** Extensions of devices, with their revisions; those that are in the core of Vulkan 1.3 too. */
export const DEVICE_EXTENSIONS: readonly VkExtensionProperties[] = [
  { extensionName: "VK_EXT_calibrated_timestamps", specVersion: 2 },
  { extensionName: "VK_EXT_shader_atomic_float", specVersion: 1 },
  { extensionName: "VK_EXT_shader_atomic_float2", specVersion: 1 },
  { extensionName: "VK_KHR_16bit_storage", specVersion: 1 },
  { extensionName: "VK_KHR_8bit_storage", specVersion: 1 },
  { extensionName: "VK_KHR_buffer_device_address", specVersion: 1 },
  { extensionName: "VK_KHR_push_descriptor", specVersion: 2 },
  { extensionName: "VK_KHR_sampler_mirror_clamp_to_edge", specVersion: 3 },
  { extensionName: "VK_KHR_shader_atomic_int64", specVersion: 1 },
  { extensionName: "VK_KHR_shader_float16_int8", specVersion: 1 },
  { extensionName: "VK_KHR_shader_non_semantic_info", specVersion: 1 },
  { extensionName: "VK_KHR_storage_buffer_storage_class", specVersion: 1 },
  { extensionName: "VK_KHR_synchronization2", specVersion: 1 },
  { extensionName: "VK_KHR_timeline_semaphore", specVersion: 2 },
  { extensionName: "VK_KHR_variable_pointers", specVersion: 1 },
  { extensionName: "VK_KHR_vulkan_memory_model", specVersion: 3 },
];

/** Queues of the one family: each has an order of its own. */
export const QUEUES = 8;

const TYPES: Readonly<Record<number, VkPhysicalDeviceType>> = {
  [MuxDeviceType.cpu]: VK_PHYSICAL_DEVICE_TYPE_CPU,
  [MuxDeviceType.gpu_integrated]: VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
  [MuxDeviceType.gpu_discrete]: VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
  [MuxDeviceType.gpu_virtual]: VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU,
};

/** A device that is there. */
export class PhysicalDevice extends VkPhysicalDevice {
  /** The runtime's facts. */
  readonly info: MuxDeviceInfo;
  /** What it can do. */
  readonly features: FeatureFacts;
  readonly #compilers: () => CompilerLibrary;
  #target: { readonly library: CompilerLibrary; readonly target: Target | null } | null = null;

  constructor(instance: VkInstance, info: MuxDeviceInfo, compilers: () => CompilerLibrary) {
    super(instance, instance.validates, false);
    this.info = info;
    this.features = featuresOf(info);
    this.#compilers = compilers;
  }

  /** The compiler for it. */
  target(call: string): Target {
    const library = this.#compilers();
    if (this.#target?.library !== library) {
      const made = compilerForDevice(library, this.info)?.createContext().createTarget(this.info, null);
      this.#target = { library, target: made?.ok === true ? made.value : null };
    }
    const { target } = this.#target;
    if (target !== null) return target;
    throw new VulkanError(
      "VK_ERROR_FEATURE_NOT_PRESENT",
      call,
      `there is no compiler for ${this.info.deviceName}: register one with setCompilers`,
    );
  }

  /** What stands for the device with this build of its compiler. */
  get build(): Uint8Array {
    const { deviceName, codeFeatures } = this.info;
    const build = compilerForDevice(this.#compilers(), this.info)?.build ?? "";
    return identifier(`${deviceName} ${codeFeatures.join(" ")} ${build}`);
  }

  /** What it is. */
  properties(): VkPhysicalDeviceProperties {
    const { info } = this;
    return {
      apiVersion: API_VERSION,
      driverVersion: 1,
      vendorID: info.khronosVendorId,
      deviceID: info.id,
      deviceType: TYPES[info.deviceType] ?? VK_PHYSICAL_DEVICE_TYPE_OTHER,
      deviceName: info.deviceName,
      pipelineCacheUUID: this.build,
      limits: limitsOf(info),
    };
  }

  protected release(): void {
    // It has nothing of its own.
  }
}

/** The implementation's physical device of a handle. */
export const physicalDevice = (device: VkPhysicalDevice, call: string): PhysicalDevice =>
  own(device, PhysicalDevice, call);

function memoryProperties({ info }: PhysicalDevice): VkPhysicalDeviceMemoryProperties {
  return {
    memoryTypes: [
      {
        propertyFlags:
          VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
          VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
          VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
          VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
        heapIndex: 0,
      },
    ],
    memoryHeaps: [{ size: info.memorySize, flags: VK_MEMORY_HEAP_DEVICE_LOCAL_BIT }],
  };
}

const FAMILY: VkQueueFamilyProperties = {
  queueFlags: VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT,
  queueCount: QUEUES,
  timestampValidBits: 64,
  minImageTransferGranularity: { width: 1, height: 1, depth: 1 },
};

/** A chain of the structures that are asked for, in their order. */
export function chained(
  call: string,
  wanted: readonly VkStructureType[] | undefined,
  make: (sType: VkStructureType) => object | null,
): object | null {
  return (wanted ?? []).toReversed().reduce<object | null>((next, sType) => {
    const structure = make(sType);
    if (structure === null) throw invalid(call, `the structure ${sType} cannot be asked for here`);
    return { ...structure, sType, pNext: next };
  }, null);
}

/** The features of Vulkan 1.0. */
const coreFeatures = ({ features }: PhysicalDevice): Required<VkPhysicalDeviceFeatures> =>
  allFeatures("VkPhysicalDeviceFeatures", features) as unknown as Required<VkPhysicalDeviceFeatures>;

/** Entry points for physical devices. */
export const PHYSICAL_DEVICES: Pick<
  Vulkan,
  | "vkGetPhysicalDeviceProperties"
  | "vkGetPhysicalDeviceProperties2"
  | "vkGetPhysicalDeviceFeatures"
  | "vkGetPhysicalDeviceFeatures2"
  | "vkGetPhysicalDeviceMemoryProperties"
  | "vkGetPhysicalDeviceMemoryProperties2"
  | "vkGetPhysicalDeviceQueueFamilyProperties"
  | "vkGetPhysicalDeviceQueueFamilyProperties2"
  | "vkEnumerateDeviceExtensionProperties"
  | "vkEnumerateDeviceLayerProperties"
  | "vkGetPhysicalDeviceToolProperties"
> = {
  vkGetPhysicalDeviceProperties: (device) => physicalDevice(device, "vkGetPhysicalDeviceProperties").properties(),
  vkGetPhysicalDeviceProperties2: (device, chain) => {
    const call = "vkGetPhysicalDeviceProperties2";
    const one = physicalDevice(device, call);
    return {
      sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
      pNext: chained(call, chain, (sType) =>
        chainedProperties(sType, one.info, one.build),
      ) as VkPhysicalDeviceProperties2["pNext"],
      properties: one.properties(),
    };
  },
  vkGetPhysicalDeviceFeatures: (device) => coreFeatures(physicalDevice(device, "vkGetPhysicalDeviceFeatures")),
  vkGetPhysicalDeviceFeatures2: (device, chain) => {
    const call = "vkGetPhysicalDeviceFeatures2";
    const one = physicalDevice(device, call);
    const next = chained(call, chain, (sType) => {
      const name = FEATURE_STRUCTURES.get(sType);
      return name === undefined ? null : allFeatures(name, one.features);
    });
    return {
      sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
      pNext: next as NonNullable<VkPhysicalDeviceFeatures2["pNext"]> | null,
      features: coreFeatures(one),
    };
  },
  vkGetPhysicalDeviceMemoryProperties: (device) =>
    memoryProperties(physicalDevice(device, "vkGetPhysicalDeviceMemoryProperties")),
  vkGetPhysicalDeviceMemoryProperties2: (device) => ({
    sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
    pNext: null,
    memoryProperties: memoryProperties(physicalDevice(device, "vkGetPhysicalDeviceMemoryProperties2")),
  }),
  vkGetPhysicalDeviceQueueFamilyProperties: () => [FAMILY],
  vkGetPhysicalDeviceQueueFamilyProperties2: () => [
    { sType: VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2, pNext: null, queueFamilyProperties: FAMILY },
  ],
  vkEnumerateDeviceExtensionProperties: (_device, pLayerName) => {
    ensureLayer("vkEnumerateDeviceExtensionProperties", pLayerName);
    return pLayerName === null || pLayerName === undefined ? DEVICE_EXTENSIONS : [];
  },
  vkEnumerateDeviceLayerProperties: () => LAYERS,
  vkGetPhysicalDeviceToolProperties: ({ validates }) => (validates ? [VALIDATION_TOOL] : []),
};
