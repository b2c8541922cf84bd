// SPDX-License-Identifier: Apache-2.0
// What instances, physical devices, devices and queues do.
import {
  VK_API_VERSION_1_0,
  VK_API_VERSION_1_1,
  VK_API_VERSION_1_2,
  VK_API_VERSION_1_3,
  VK_MAKE_API_VERSION,
  VK_PHYSICAL_DEVICE_TYPE_CPU,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES,
  VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
  VK_VALIDATION_FEATURE_DISABLE_ALL_EXT,
  type VkDevice,
  type VkDeviceCreateInfo,
  type VkInstance,
  type VkInstanceCreateInfo,
  type VkPhysicalDeviceFeatures,
  type VkQueue,
  type VkStructureType,
  vkCreateBuffer,
  vkCreateDevice,
  vkCreateInstance,
  vkDestroyDevice,
  vkDestroyInstance,
  vkEnumerateDeviceExtensionProperties,
  vkEnumeratePhysicalDevices,
  vkGetDeviceQueue,
  vkGetPhysicalDeviceFeatures,
  vkGetPhysicalDeviceFeatures2,
  vkGetPhysicalDeviceProperties,
  vkGetPhysicalDeviceProperties2,
  vkQueueSubmit,
  vkQueueWaitIdle,
} from "@muxkit/vulkan";
import * as vulkan from "@muxkit/vulkan";
import { expect } from "vitest";

import { type Effect, effect, schema } from "../effect.ts";
import { filling, first, instance, newDevice, physicalDevice, words } from "../rig.ts";

/** Whether an instance checks usage: it takes a buffer without usage, or not. */
function checksUsage(one: VkInstance): boolean {
  const device = vkCreateDevice(first(vkEnumeratePhysicalDevices(one)), {
    pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
  });
  try {
    vkCreateBuffer(device, { size: 4, usage: 0 })[Symbol.dispose]();
    return false;
  } catch {
    return true;
  } finally {
    vkDestroyDevice(device);
    vkDestroyInstance(one);
  }
}

const VALIDATION_OFF: VkInstanceCreateInfo["pNext"] = {
  sType: VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
  pDisabledValidationFeatures: [VK_VALIDATION_FEATURE_DISABLE_ALL_EXT],
};

/** Ways to make an instance, and whether it checks usage. */
const INSTANCES: readonly (readonly [what: string, info: VkInstanceCreateInfo, checks: boolean])[] = [
  ["", { pApplicationInfo: { apiVersion: VK_API_VERSION_1_3 } }, true],
  ["no application", {}, true],
  ...([0, VK_API_VERSION_1_0, VK_API_VERSION_1_1, VK_API_VERSION_1_2, VK_MAKE_API_VERSION(0, 1, 4, 7)] as const).map(
    (apiVersion) => [`version 0x${apiVersion.toString(16)}`, { pApplicationInfo: { apiVersion } }, true] as const,
  ),
  ["names", { pApplicationInfo: { pApplicationName: "a", pEngineName: "b", apiVersion: 0 } }, true],
  ["the layer", { ppEnabledLayerNames: ["VK_LAYER_KHRONOS_validation"] }, true],
  [
    "extensions",
    { ppEnabledExtensionNames: ["VK_EXT_validation_features", "VK_KHR_get_physical_device_properties2"] },
    true,
  ],
  ["validation off", { pNext: VALIDATION_OFF }, false],
  ["nothing of validation off", { pNext: { sType: VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT } }, true],
];

const ONE_QUEUE: VkDeviceCreateInfo["pQueueCreateInfos"] = [{ queueFamilyIndex: 0, pQueuePriorities: [1] }];

/** Whether a queue of a device runs a command. */
function runs(device: VkDevice, queue: VkQueue = vkGetDeviceQueue(device, 0, 0)): boolean {
  const data = words(1, device);
  vkQueueSubmit(queue, [{ pCommandBuffers: [filling(data, 5, device)] }], null);
  vkQueueWaitIdle(queue);
  return data.words[0] === 5;
}

const makes = (feature: string, more: Partial<VkDeviceCreateInfo>): Effect =>
  effect(
    "vkCreateDevice",
    `with ${feature}`,
    () => [physicalDevice, { pQueueCreateInfos: ONE_QUEUE, ...more }],
    (device) => runs(device),
    true,
  );

/** The features that are there, of a structure. */
const has = (set: object): readonly string[] =>
  Object.entries(set).flatMap(([name, value]) => (value === true ? [name] : []));

/** Structures of features that may be asked for, by their sType. */
const FEATURES: readonly VkStructureType[] = schema.struct.flatMap(({ sType, extends: targets = "" }) =>
  sType !== undefined && targets.includes("VkPhysicalDeviceFeatures2") ? [Reflect.get(vulkan, sType)] : [],
);

/** The structures of a chain. */
function nodesOf(chain: object | null | undefined): readonly Readonly<Record<string, unknown>>[] {
  if (chain === null || chain === undefined) return [];
  const node = chain as Readonly<Record<string, unknown>>;
  return [node, ...nodesOf(node["pNext"] as object | null)];
}

/** A device with a feature, in each structure that has it. */
function featureRows(): readonly Effect[] {
  const core: VkPhysicalDeviceFeatures = vkGetPhysicalDeviceFeatures(physicalDevice);
  const rows: Effect[] = has(core).flatMap((name) => [
    makes(name, { pEnabledFeatures: { [name]: true } }),
    makes(`${name} behind pNext`, {
      pNext: { sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, features: { [name]: true } },
    }),
  ]);
  const { pNext } = vkGetPhysicalDeviceFeatures2(physicalDevice, FEATURES);
  for (const node of nodesOf(pNext))
    for (const name of has(node))
      rows.push(
        makes(`${name} of ${String(node["sType"])}`, {
          pNext: { sType: node["sType"], [name]: true } as unknown as NonNullable<VkDeviceCreateInfo["pNext"]>,
        }),
      );
  return rows;
}

/** The sTypes of a chain. */
function chainOf(chain: object | null | undefined): readonly unknown[] {
  if (chain === null || chain === undefined) return [];
  const { sType, pNext } = chain as { readonly sType?: unknown; readonly pNext?: object | null };
  return [sType, ...chainOf(pNext)];
}

/** The size of sub-groups, which three structures tell. */
const { pNext: groups } = vkGetPhysicalDeviceProperties2(physicalDevice, [
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
]);
const subgroupSize: unknown = Reflect.get(groups ?? {}, "subgroupSize");

/** Structures of properties, with members that are known here. */
const PROPERTIES = [
  [
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES,
    {
      subgroupSize,
      subgroupSupportedStages: VK_SHADER_STAGE_COMPUTE_BIT,
      driverUUID: vkGetPhysicalDeviceProperties(physicalDevice).pipelineCacheUUID,
      deviceLUIDValid: false,
    },
  ],
  [
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES,
    { driverName: "Muxkit", maxTimelineSemaphoreValueDifference: (1n << 64n) - 1n },
  ],
  [
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES,
    { maxSubgroupSize: subgroupSize, requiredSubgroupSizeStages: 32 },
  ],
] as const;

export const DEVICE_EFFECTS: readonly Effect[] = [
  effect("vkEnumerateInstanceVersion", "", () => [], (version) => version, VK_API_VERSION_1_3),
  effect(
    "vkEnumerateInstanceExtensionProperties",
    "",
    () => [],
    (list) => list.map(({ extensionName }) => extensionName),
    ["VK_EXT_debug_utils", "VK_EXT_validation_features", "VK_KHR_get_physical_device_properties2"],
  ),
  effect(
    "vkEnumerateInstanceExtensionProperties",
    "of the layer",
    () => ["VK_LAYER_KHRONOS_validation"],
    (list) => list,
    [],
  ),
  effect(
    "vkEnumerateInstanceLayerProperties",
    "",
    () => [],
    (list) => list.map(({ layerName }) => layerName),
    ["VK_LAYER_KHRONOS_validation"],
  ),
  ...INSTANCES.map(([what, info, checks]) => effect("vkCreateInstance", what, () => [info], checksUsage, checks)),
  effect("vkDestroyInstance", "", () => [vkCreateInstance({})], (_, [one]) => one.isAlive, false),
  effect("vkEnumeratePhysicalDevices", "", () => [instance], (list) => list.includes(physicalDevice), true),
  effect(
    "vkGetPhysicalDeviceProperties",
    "",
    () => [physicalDevice],
    ({ deviceType, apiVersion }) => [deviceType, apiVersion],
    [VK_PHYSICAL_DEVICE_TYPE_CPU, VK_API_VERSION_1_3],
  ),
  effect(
    "vkGetPhysicalDeviceProperties2",
    "",
    () => [physicalDevice],
    ({ properties, pNext }) => [properties.deviceType, pNext],
    [VK_PHYSICAL_DEVICE_TYPE_CPU, null],
  ),
  effect(
    "vkGetPhysicalDeviceProperties2",
    "sub-groups",
    () => [physicalDevice, [VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES]],
    ({ pNext }) => chainOf(pNext),
    [VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES],
  ),
  ...PROPERTIES.map(([sType, known]) =>
    effect(
      "vkGetPhysicalDeviceProperties2",
      `behind it ${sType}`,
      () => [physicalDevice, [sType]],
      ({ pNext }) => pNext,
      expect.objectContaining({ sType, pNext: null, ...known }),
    ),
  ),
  effect(
    "vkGetPhysicalDeviceProperties2",
    "all that there is",
    () => [physicalDevice, PROPERTIES.map(([sType]) => sType)],
    ({ pNext }) => chainOf(pNext),
    PROPERTIES.map(([sType]) => sType),
  ),
  effect(
    "vkGetPhysicalDeviceFeatures",
    "",
    () => [physicalDevice],
    ({ robustBufferAccess, samplerAnisotropy }) => [robustBufferAccess, samplerAnisotropy],
    [true, false],
  ),
  effect(
    "vkGetPhysicalDeviceFeatures2",
    "",
    () => [physicalDevice],
    ({ features, pNext }) => [features.robustBufferAccess, pNext],
    [true, null],
  ),
  ...[...FEATURES.map((one) => [one]), [...FEATURES], FEATURES.toReversed()].map((wanted) =>
    effect(
      "vkGetPhysicalDeviceFeatures2",
      `behind it ${wanted.join(", ")}`,
      () => [physicalDevice, wanted],
      ({ pNext }) => chainOf(pNext),
      wanted,
    ),
  ),
  effect(
    "vkGetPhysicalDeviceMemoryProperties",
    "",
    () => [physicalDevice],
    ({ memoryTypes, memoryHeaps }) => [memoryTypes[0]?.propertyFlags, memoryHeaps[0]?.flags],
    [15, 1],
  ),
  effect(
    "vkGetPhysicalDeviceMemoryProperties2",
    "",
    () => [physicalDevice],
    ({ memoryProperties }) => memoryProperties.memoryTypes[0]?.propertyFlags,
    15,
  ),
  effect(
    "vkGetPhysicalDeviceQueueFamilyProperties",
    "",
    () => [physicalDevice],
    (list) => list.map(({ queueFlags, queueCount }) => [queueFlags, queueCount]),
    [[6, 8]],
  ),
  effect(
    "vkGetPhysicalDeviceQueueFamilyProperties2",
    "",
    () => [physicalDevice],
    (list) => list.map(({ queueFamilyProperties }) => queueFamilyProperties.queueCount),
    [8],
  ),
  effect(
    "vkEnumerateDeviceExtensionProperties",
    "",
    () => [physicalDevice],
    (list) => list.some(({ extensionName }) => extensionName === "VK_KHR_synchronization2"),
    true,
  ),
  effect(
    "vkEnumerateDeviceExtensionProperties",
    "of the layer",
    () => [physicalDevice, "VK_LAYER_KHRONOS_validation"],
    (list) => list,
    [],
  ),
  effect("vkCreateDevice", "", () => [physicalDevice, { pQueueCreateInfos: ONE_QUEUE }], (one) => runs(one), true),
  ...vkEnumerateDeviceExtensionProperties(physicalDevice).map(({ extensionName }) =>
    effect(
      "vkCreateDevice",
      `with ${extensionName}`,
      () => [physicalDevice, { pQueueCreateInfos: ONE_QUEUE, ppEnabledExtensionNames: [extensionName] }],
      (one) => runs(one),
      true,
    ),
  ),
  ...featureRows(),
  ...Array.from({ length: 8 }, (_, index) => index).flatMap((index) => [
    effect(
      "vkGetDeviceQueue",
      index === 0 ? "" : `queue ${index}`,
      () => [newDevice(index + 1), 0, index],
      (queue, [device]) => [queue === vkGetDeviceQueue(device, 0, index), runs(device, queue)],
      [true, true],
    ),
    effect(
      "vkGetDeviceQueue2",
      index === 0 ? "" : `queue ${index}`,
      () => [newDevice(index + 1), { queueFamilyIndex: 0, queueIndex: index }],
      (queue, [device]) => [queue === vkGetDeviceQueue(device, 0, index), runs(device, queue)],
      [true, true],
    ),
  ]),
  effect("vkDestroyDevice", "", () => [newDevice()], (_, [device]) => device.isAlive, false),
];
