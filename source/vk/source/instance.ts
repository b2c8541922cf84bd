// SPDX-License-Identifier: Apache-2.0
// Instances: where devices are listed, and whether calls are checked.
import { type CompilerLibrary, NO_COMPILER } from "@muxkit/loader";
import { MuxDeviceType, muxGetDeviceInfos } from "@muxkit/mux";

import { findInChain } from "./chain.ts";
import { noteMessengers } from "./debug-utils.ts";
import { VulkanError, fromMux } from "./error.ts";
import {
  VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
  VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
  VK_VALIDATION_FEATURE_DISABLE_ALL_EXT,
} from "./generated/constants.ts";
import { VkInstance, type VkPhysicalDevice } from "./generated/handles.ts";
import type {
  VkDebugUtilsMessengerCreateInfoEXT,
  VkExtensionProperties,
  VkInstanceCreateInfo,
} from "./generated/structures.ts";
import type { Vulkan } from "./generated/vulkan.ts";
import { own } from "./handle.ts";
import { noteInstance } from "./hazards/check-hazards.ts";
import { LAYERS, ensureExtensions, ensureLayer } from "./layers.ts";
import { PhysicalDevice } from "./physical-device.ts";
import { API_VERSION, VK_API_VERSION_MAJOR } from "./version.ts";

/** Extensions of instances, with their revisions. */
const EXTENSIONS: readonly VkExtensionProperties[] = [
  { extensionName: "VK_EXT_debug_utils", specVersion: 2 },
  { extensionName: "VK_EXT_validation_features", specVersion: 6 },
  { extensionName: "VK_KHR_get_physical_device_properties2", specVersion: 2 },
];

let compilers: CompilerLibrary = NO_COMPILER;

/** Sets the compilers that shaders are compiled with; without any there are devices and no pipelines. @public */
export function setCompilers(library: CompilerLibrary): void {
  compilers = library;
}

/** An instance. */
export class Instance extends VkInstance {
  #devices: readonly PhysicalDevice[] | null = null;

  /** The devices of all targets that are registered when it is first asked. */
  devices(call: string): readonly PhysicalDevice[] {
    this.#devices ??= fromMux(call, muxGetDeviceInfos(MuxDeviceType.all)).map(
      (info) => new PhysicalDevice(this, info, () => compilers),
    );
    return this.#devices;
  }

  /** Devices that were made of its physical devices and live. */
  get openDevices(): number {
    return (this.#devices ?? []).reduce((sum, { children }) => sum + children, 0);
  }

  protected release(): void {
    // Physical devices live as long as their instance.
    for (const device of this.#devices ?? []) device.end();
    this.#devices = null;
  }
}

function isValidating(info: VkInstanceCreateInfo): boolean {
  const features = findInChain(info, VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT);
  return features?.pDisabledValidationFeatures?.includes(VK_VALIDATION_FEATURE_DISABLE_ALL_EXT) !== true;
}

/** The messengers of the instance's own creation and end. */
function messengersIn(info: VkInstanceCreateInfo): readonly VkDebugUtilsMessengerCreateInfoEXT[] {
  const found = findInChain(info, VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
  return found === null ? [] : [found];
}

/** Entry points for instances. */
export const INSTANCES: Pick<
  Vulkan,
  | "vkEnumerateInstanceVersion"
  | "vkEnumerateInstanceExtensionProperties"
  | "vkEnumerateInstanceLayerProperties"
  | "vkCreateInstance"
  | "vkDestroyInstance"
  | "vkEnumeratePhysicalDevices"
> = {
  vkEnumerateInstanceVersion: () => API_VERSION,
  vkEnumerateInstanceExtensionProperties: (pLayerName) => {
    ensureLayer("vkEnumerateInstanceExtensionProperties", pLayerName);
    return pLayerName === null || pLayerName === undefined ? EXTENSIONS : [];
  },
  vkEnumerateInstanceLayerProperties: () => LAYERS,
  vkCreateInstance: (pCreateInfo): VkInstance => {
    const call = "vkCreateInstance";
    for (const layer of pCreateInfo.ppEnabledLayerNames ?? []) ensureLayer(call, layer);
    ensureExtensions(call, pCreateInfo.ppEnabledExtensionNames ?? [], EXTENSIONS);
    const version = pCreateInfo.pApplicationInfo?.apiVersion ?? 0;
    if (version !== 0 && VK_API_VERSION_MAJOR(version) !== VK_API_VERSION_MAJOR(API_VERSION))
      throw new VulkanError(
        "VK_ERROR_INCOMPATIBLE_DRIVER",
        call,
        `apiVersion is of Vulkan ${VK_API_VERSION_MAJOR(version)}; this is Vulkan ${VK_API_VERSION_MAJOR(API_VERSION)}`,
      );
    const instance = new Instance(null, isValidating(pCreateInfo));
    noteInstance(instance, pCreateInfo);
    noteMessengers(instance, messengersIn(pCreateInfo));
    return instance;
  },
  vkDestroyInstance: (instance) => {
    instance.end();
  },
  vkEnumeratePhysicalDevices: (instance): readonly VkPhysicalDevice[] =>
    own(instance, Instance, "vkEnumeratePhysicalDevices").devices("vkEnumeratePhysicalDevices"),
};
