// SPDX-License-Identifier: Apache-2.0
// Layers and extensions by their names.
import { VulkanError } from "./error.ts";
import {
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES,
  VK_TOOL_PURPOSE_VALIDATION_BIT,
} from "./generated/constants.ts";
import type {
  VkExtensionProperties,
  VkLayerProperties,
  VkPhysicalDeviceToolProperties,
} from "./generated/structures.ts";
import { API_VERSION } from "./version.ts";

/** The layer that checks calls. It is on unless it is switched off, so naming it changes nothing. */
const VALIDATION_LAYER = "VK_LAYER_KHRONOS_validation";

/** The layers that there are. */
export const LAYERS: readonly VkLayerProperties[] = [
  {
    layerName: VALIDATION_LAYER,
    specVersion: API_VERSION,
    implementationVersion: 1,
    description: "Checks of valid usage, built in: VkValidationFeaturesEXT switches them off.",
  },
];

/** Validation as a tool that is active. */
export const VALIDATION_TOOL: VkPhysicalDeviceToolProperties = {
  sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES,
  pNext: null,
  name: "Muxkit validation",
  version: "1",
  purposes: VK_TOOL_PURPOSE_VALIDATION_BIT,
  description: "Checks of valid usage, built in.",
  layer: VALIDATION_LAYER,
};

/** Throws unless every name is among those that there are. */
export function ensureExtensions(
  call: string,
  names: readonly string[],
  known: readonly VkExtensionProperties[],
): void {
  const unknown = names.find((name) => !known.some(({ extensionName }) => extensionName === name));
  if (unknown !== undefined)
    throw new VulkanError(
      "VK_ERROR_EXTENSION_NOT_PRESENT",
      call,
      `there is no extension "${unknown}"; there are ${known.map(({ extensionName }) => extensionName).join(", ")}`,
    );
}

/** Throws unless the layer is there. */
export function ensureLayer(call: string, name: string | null | undefined): void {
  if (name !== null && name !== undefined && name !== VALIDATION_LAYER)
    throw new VulkanError(
      "VK_ERROR_LAYER_NOT_PRESENT",
      call,
      `there is no layer "${name}"; there is ${VALIDATION_LAYER}`,
    );
}
